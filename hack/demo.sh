#!/bin/bash
# demo.sh [--real] [--film FILE.svg]: an upgrade that waits for a member, in front of your eyes, in about half a minute.
#
# Installs what is missing (Debian packages, as root), builds, starts a stand-in for Kubernetes (tests/kubesim) and the
# operator, and plays hack/demo/demo.py. --real does the same on a real Kubernetes of this machine (hack/kube.sh).
# Leaves nothing running. Its files stay in build/demo: the operator's log, and history.jsonl, every version of the
# Cluster that was stored. Exit code 0: everything went as told, and the history checker found no broken promise.
set -eu
cd "$(dirname "$0")/.."

real='' film=''
while [ $# -gt 0 ]; do
	case $1 in
	--real) real=yes ;;
	--film) film=${2:?--film needs a file} && shift ;;
	-h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 0 ;;
	*) echo "demo.sh: unknown option $1: see demo.sh --help" >&2 && exit 2 ;;
	esac
	shift
done

results=build/demo
children=''
begun=''

# Stops what was started, last first, and waits until it is gone.
leave() {
	code=$?
	trap - EXIT INT TERM
	for pid in $children; do
		kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
	done
	[ -z "$real" ] || [ -z "$began_kube" ] || hack/kube.sh down >/dev/null 2>&1 || true
	[ -z "$begun" ] || echo "demo: $(($(date +%s) - begun)) s after the build; nothing is left running"
	exit $code
}
began_kube=''
trap leave EXIT
trap 'exit 130' INT TERM

start() {
	log=$1
	shift
	"$@" >"$results/$log" 2>&1 &
	children="$! $children"
}

hack/deps.sh build
make -s -j2 all kubesim
rm -rf $results && mkdir -p $results
begun=$(date +%s)

if [ -n "$real" ]; then
	. hack/demo/real.sh
else
	. hack/demo/simulated.sh
fi
start operator.log build/rolecall run --kubeconfig "$kubeconfig"
python3 hack/demo/demo.py --kubeconfig "$kubeconfig" --results $results --freeze "$freeze" --thaw "$thaw" \
	${film:+--film "$film"}
