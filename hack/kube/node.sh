# A node: containerd, kubelet and kube-proxy in a set of their own, joined to the control plane's bridge.

node_ctr() {
	local node=$1
	shift
	in_set "$node" ctr -a /run/containerd/containerd.sock -n k8s.io "$@"
}

start_node() {
	local k=$1 node=node$1 ip=$NODE_NET.$((10 + $1))
	! make_set "$node" || join_network "$k" "$node" "$ip"
	mkdir -p "$STATE/$node"/{containerd,kubelet,cni}
	make_node_cgroups "$node"
	write_containerd_config "$node"
	write_cni_config "$k" "$node"
	start "$node" containerd env PATH=/usr/sbin:/usr/bin:/sbin:/bin containerd -c "$STATE/$node/containerd.toml"
	wait_for 20 node_ctr "$node" version >/dev/null 2>&1 || ended "$node" containerd
	import_images "$node"

	make_cert "$node" "/O=system:nodes/CN=system:node:$node" "IP:$ip,DNS:$node"
	make_kubeconfig "$node" "$node" "https://$CP_IP:6443"
	write_kubelet_config "$node" "$ip"
	alive "$node" kubelet || rm -f "$STATE/$node/began"
	[ -f "$STATE/$node/began" ] || date -u +%FT%TZ >"$STATE/$node/began"
	start "$node" kubelet "$BIN/kubelet" --config="$STATE/$node/kubelet.yaml" --kubeconfig="$STATE/kubeconfig/$node" \
		--root-dir=/var/lib/kubelet --hostname-override="$node" --node-ip="$ip" --v=2
	write_proxy_config "$node" "$ip"
	start "$node" kube-proxy "$BIN/kube-proxy" --config="$STATE/$node/proxy.yaml"
}

join_network() {
	local k=$1 node=$2 ip=$3 j
	# by host pids, so not from inside a pid namespace
	nsenter -t "$(set_init cp)" -n -- ip link add "v$k" type veth peer name eth0 netns "$(set_init "$node")"
	in_set cp bash -ec "ip link set v$k master node0 up; ip route replace $POD_NET.$k.0/24 via $ip"
	in_set "$node" bash -ec "ip addr add $ip/24 dev eth0; ip link set eth0 up; ip route add default via $CP_IP
		[ ! -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables"
	for j in $(seq 20); do
		[ "$j" = "$k" ] || in_set "$node" ip route add "$POD_NET.$j.0/24" via "$NODE_NET.$((10 + j))"
	done
}

make_node_cgroups() {
	local hierarchy path file
	for hierarchy in /sys/fs/cgroup/*; do
		[ "${hierarchy##*/}" = unified ] || mkdir -p "$hierarchy$CGROUP/$1"
	done
	# a new cpuset is empty, and nothing can run in it
	for path in "$CGROUP" "$CGROUP/$1"; do
		for file in cpuset.cpus cpuset.mems; do
			[ -n "$(cat "/sys/fs/cgroup/cpuset$path/$file")" ] ||
				cat "/sys/fs/cgroup/cpuset/$file" >"/sys/fs/cgroup/cpuset$path/$file"
		done
	done
}

write_containerd_config() {
	put "$STATE/$1/containerd.toml" <<-END
		version = 2
		root = '$STATE/$1/containerd'
		state = '/run/containerd'
		[grpc]
		address = '/run/containerd/containerd.sock'
		[plugins.'io.containerd.grpc.v1.cri']
		sandbox_image = 'rolecall.test/pause:1'
		disable_apparmor = true
		restrict_oom_score_adj = true
		[plugins.'io.containerd.grpc.v1.cri'.cni]
		bin_dir = '/usr/lib/cni'
		conf_dir = '$STATE/$1/cni'
		[plugins.'io.containerd.grpc.v1.cri'.containerd]
		snapshotter = 'overlayfs'
		[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.runc]
		runtime_type = 'io.containerd.runc.v2'
		[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.runc.options]
		BinaryName = '$(PATH=$PATH:/usr/sbin command -v runc)'
		SystemdCgroup = false
	END
}

write_cni_config() {
	put "$STATE/$2/cni/10-pods.conflist" <<-END
		{"cniVersion": "0.4.0", "name": "pods", "plugins": [
		 {"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
		  "ipam": {"type": "host-local", "dataDir": "/run/cni-ipam", "ranges": [[{"subnet": "$POD_NET.$1.0/24"}]],
		   "routes": [{"dst": "0.0.0.0/0"}]}},
		 {"type": "portmap", "capabilities": {"portMappings": true}}]}
	END
}

import_images() {
	local have image
	have=$(node_ctr "$1" images ls -q)
	for image in pause busybox; do
		grep -q "rolecall.test/$image:1" <<<"$have" ||
			node_ctr "$1" images import --snapshotter overlayfs "$STATE/img/$image.tar" >/dev/null
	done
}

# failCgroupV1: kubelet 1.35 and newer refuse cgroup v1 otherwise. oomScoreAdj and maxOpenFiles: there may be no
# CAP_SYS_RESOURCE, and without it a negative score or a higher limit than the machine's cannot be set.
write_kubelet_config() {
	put "$STATE/$1/kubelet.yaml" <<-END
		apiVersion: kubelet.config.k8s.io/v1beta1
		kind: KubeletConfiguration
		address: $2
		healthzBindAddress: 127.0.0.1
		authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI/ca.crt}}
		authorization: {mode: Webhook}
		tlsCertFile: $PKI/$1.crt
		tlsPrivateKeyFile: $PKI/$1.key
		containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
		cgroupDriver: cgroupfs
		cgroupRoot: $CGROUP/$1
		failCgroupV1: false
		failSwapOn: false
		oomScoreAdj: 0
		maxOpenFiles: 20000
		evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
		imageGCHighThresholdPercent: 100
		clusterDomain: cluster.local
		clusterDNS: [$CP_IP]
		nodeStatusUpdateFrequency: 5s
		nodeLeaseDurationSeconds: 20
		volumePluginDir: /var/lib/kubelet/volumeplugins
		resolvConf: ""
	END
}

write_proxy_config() {
	put "$STATE/$1/proxy.yaml" <<-END
		apiVersion: kubeproxy.config.k8s.io/v1alpha1
		kind: KubeProxyConfiguration
		clientConnection: {kubeconfig: $STATE/kubeconfig/proxy}
		mode: iptables
		clusterCIDR: $POD_NET.0.0/16
		hostnameOverride: $1
		bindAddress: $2
		healthzBindAddress: 127.0.0.1:10256
		metricsBindAddress: 127.0.0.1:10249
		nodePortAddresses: [primary]
		oomScoreAdj: 0
		conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
	END
}

wait_node() {
	wait_for 120 node_ready "$1" || ended "$1" kubelet
	say "$1 is Ready"
}

# A node that comes back counts only once it has reported since it was started.
node_ready() {
	alive "$1" kubelet || ended "$1" kubelet
	local condition status heartbeat
	condition='{range .status.conditions[?(@.type=="Ready")]}{.status} {.lastHeartbeatTime}{end}'
	read -r status heartbeat < <(kubectl_inside get node "$1" -o "jsonpath=$condition" 2>/dev/null; echo) || true
	[ "$status" = True ] && [[ ! $heartbeat < $(cat "$STATE/$1/began") ]]
}
