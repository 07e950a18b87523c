#!/bin/bash
# set-init.sh NAME STATE: prepares the new namespaces from inside and becomes their PID 1.
set -e
name=$1 state=$2

read -r host_pid _ </proc/self/stat # /proc is the machine's still
mount -t proc proc /proc
mount --make-rshared /
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/sysctl /var/lib/kubelet
mount --bind "$state/$name/varlog" /var/log
mount --bind "$state/$name/kubelet" /var/lib/kubelet
hostname "$name"
ip link set lo up
echo 1 >/proc/sys/net/ipv4/ip_forward

# kubelet refuses to run without these: show it the values it wants, and leave the machine its own.
while read -r sysctl value; do
	echo "$value" >"/run/sysctl/${sysctl##*/}"
	mount --bind "/run/sysctl/${sysctl##*/}" "/proc/sys/$sysctl"
done <<'END'
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END

echo "$host_pid" >"$state/pids/$name/init.new"
mv "$state/pids/$name/init.new" "$state/pids/$name/init"
exec "$state/pause"
