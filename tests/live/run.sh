#!/bin/bash
# run.sh [TEST...]: the live tests, on a real API server and real nodes. Tests are files of this folder (default: all).
#
# Brings up Kubernetes with two nodes and takes it down again, unless hack/kube.sh has it up already. KUBECONFIG_LIVE
# names another kubeconfig to use; KUBE_STATE then says where the files of that Kubernetes are.
# Where Kubernetes cannot run, all tests are skipped.
set -u
cd "$(dirname "$0")" || exit 2
kube=../../hack/kube.sh
passed=0 failed=0 skipped=0

if [ $# = 0 ]; then
	set -- conversation_test.py upgrade_waits_test.py killed_test.py peer_test.py rollback_test.py failures_test.py \
		bad_input_test.py configmeta_test.py cli_test.py
fi

finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}

bring_up() {
	local why
	[ -n "${KUBECONFIG_LIVE:-}" ] && return 0
	$kube env >/dev/null 2>&1 && return 0
	why=$({ $kube down purge; $kube up; } 2>&1 >/dev/null)
	case $? in
	0) trap '$kube down' EXIT ;;
	77)
		skipped=$#
		echo "skipped: ${why##*$'\n'}"
		finish
		;;
	*)
		echo "$why"
		failed=$#
		finish
		;;
	esac
}

prepare() {
	eval "$($kube env)"
	export KUBECONFIG=${KUBECONFIG_LIVE:-$KUBECONFIG}
	keep_program
	./images.sh &&
		kubectl apply -k ../../manifests/install &&
		kubectl wait --for=condition=Established crd/apps.rolecall.dev crd/clusters.rolecall.dev --timeout=30s
}

# All tests are of one program, also when it is built anew meanwhile.
keep_program() {
	mkdir -p ../../build/live
	[ -n "${ROLECALL:-}" ] || cp ../../build/rolecall ../../build/live/rolecall || return
	export ROLECALL=${ROLECALL:-$PWD/../../build/live/rolecall}
}

# Adds up the last line of a test, "N passed, N failed, N skipped"; a test without one has failed.
run_test() {
	local last p f s
	echo "== $1"
	"./$1" 2>&1 | tee "../../build/live/$1.out"
	last=$(tail -n 1 "../../build/live/$1.out")
	if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[3]}
	else
		p=0 f=1 s=0
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

bring_up "$@"
prepare >/dev/null || { failed=$#; echo "the cluster could not be prepared"; finish; }
for test; do run_test "$test"; done
finish
