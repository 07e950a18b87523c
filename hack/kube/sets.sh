# Sets: the control plane ("cp") and each node are a set of processes with net, mount, pid and uts namespaces of their
# own. pause is PID 1 of a set; killing it ends all of them, and with the last one go the mounts, links and rules.

begun_ns=$(date +%s%N)

say() {
	local ms=$((($(date +%s%N) - begun_ns) / 1000000))
	printf '[%d.%03d s] %s\n' $((ms / 1000)) $((ms % 1000)) "$*" >&2
}

die() {
	say "failed: $*"
	exit 1
}

cannot() {
	echo "kube.sh: cannot run here: $*" >&2
	exit 77
}

# Polls a command until it succeeds, for at most so many seconds.
wait_for() {
	local n=$(($1 * 20))
	shift
	while ! "$@"; do
		[ $((n -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}

# Writes stdin to a file, but leaves an equal file alone: kube-proxy exits when its file changes.
put() {
	local text
	text=$(cat)
	[ "$(cat "$1" 2>/dev/null)" = "$text" ] || printf '%s\n' "$text" >"$1"
}

sets() { ls "$STATE/pids" 2>/dev/null || true; }

set_init() { cat "$STATE/pids/$1/init" 2>/dev/null; }

set_alive() {
	local pid
	pid=$(set_init "$1") && [ "$(readlink "/proc/$pid/exe" 2>/dev/null)" = "$STATE/pause" ]
}

# in_set SET COMMAND...
in_set() {
	local pid
	pid=$(set_init "$1") || die "$1 does not run"
	shift
	nsenter -t "$pid" -m -n -p -u -- "$@"
}

# alive SET DAEMON: pid files hold the pids of the set's own namespace.
alive() {
	local pid
	pid=$(cat "$STATE/pids/$1/$2" 2>/dev/null) && in_set "$1" kill -0 "$pid" 2>/dev/null
}

all_alive() {
	local file set daemon
	for file in "$STATE"/pids/*/*; do
		set=$(basename "$(dirname "$file")") daemon=$(basename "$file")
		[ "$daemon" = init ] || alive "$set" "$daemon" || ended "$set" "$daemon"
	done
}

ended() {
	tail -n 10 "$STATE/$1/log/$2.log" >&2
	die "$2 of $1 ended"
}

# start SET DAEMON COMMAND...: does nothing when it runs.
start() {
	local set=$1 daemon=$2
	shift 2
	alive "$set" "$daemon" && return 0
	# shellcheck disable=SC2016
	in_set "$set" bash -c 'pidfile=$1 log=$2; shift 2; setsid "$@" </dev/null >>"$log" 2>&1 & echo $! >"$pidfile"' \
		start "$STATE/pids/$set/$daemon" "$STATE/$set/log/$daemon.log" "$@"
}

# stop SET DAEMON [SECONDS to wait for its end]
stop() {
	local pid
	set_alive "$1" && alive "$1" "$2" || return 0
	pid=$(cat "$STATE/pids/$1/$2")
	in_set "$1" kill -TERM "$pid" 2>/dev/null || return 0
	[ -z "${3:-}" ] || wait_for "$3" not_alive "$1" "$2" || true
}

not_alive() { ! alive "$@"; }

# make_set NAME: 1 when it was there already.
make_set() {
	set_alive "$1" && return 1
	[ -x "$STATE/pause" ] || gcc -Os -static -s -o "$STATE/pause" "$HERE/pause.c"
	rm -rf "$STATE/pids/$1"
	mkdir -p "$STATE/pids/$1" "$STATE/$1"/{log,kubelet,varlog/pods,varlog/containers}
	setsid unshare --net --mount --pid --uts --fork --propagation private \
		bash "$HERE/set-init.sh" "$1" "$STATE" </dev/null >"$STATE/$1/log/init.log" 2>&1 &
	wait_for 10 set_alive "$1" || ended "$1" init
}

end_set() {
	local pid
	if set_alive "$1"; then
		pid=$(set_init "$1")
		kill -KILL "$pid"
		wait_for 5 not_alive_init "$1" || true
	fi
	rm -rf "$STATE/pids/$1" "$STATE/$1/varlog"
}

not_alive_init() { ! set_alive "$1"; }

# Empty once the processes are gone, which takes the kernel a moment.
remove_cgroup() { wait_for 5 try_remove_cgroup "$1" || echo "cgroups are left under $1" >&2; }

try_remove_cgroup() {
	local hierarchy left=
	for hierarchy in /sys/fs/cgroup/*; do
		[ -d "$hierarchy$1" ] || continue
		find "$hierarchy$1" -depth -type d -exec rmdir {} \; 2>/dev/null || true
		[ ! -d "$hierarchy$1" ] || left=1
	done
	[ -z "$left" ]
}
