#!/bin/bash
# kube.sh: a real Kubernetes on this machine, for tests: etcd, API server, controller-manager, scheduler, DNS and nodes
# (containerd, runc, kubelet, kube-proxy), each set in namespaces of its own. Only 127.0.0.1:HOST_PORT is seen outside.
#
#   kube.sh up             starts what does not run yet; prints the environment to use it (about 10 s)
#   kube.sh down [purge]   stops exactly that; purge also removes its data
#   kube.sh crash NODE     cuts that node's power; "up" brings it back
#   kube.sh env            prints the environment of a running one
#   kube.sh node NODE CMD  runs a command inside the node
#   kube.sh load TAR...    gives an image (docker archive, see kube/mkimage.py) to every node
#   kube.sh build          makes the Kubernetes binaries from their Go modules (7 minutes, 8 GB, once a machine)
#   kube.sh install        installs the Debian packages that it needs
#
# Environment: NODES (2)  HOST_PORT (26553)  KUBE_STATE (its files)  KUBE_CGROUP (/rolecall)  KUBE_BIN (ready binaries)
#
# Exit code 77: it cannot run on this machine; one line says why.
set -euo pipefail

KUBE_VERSION=1.36.3
ETCD_VERSION=3.6.8
DNS_VERSION=1.14.7

HERE=$(cd "$(dirname "$0")/kube" && pwd)
NODES=${NODES:-2}
HOST_PORT=${HOST_PORT:-26553}
STATE=${KUBE_STATE:-${TMPDIR:-/tmp}/rolecall-kube}
CGROUP=${KUBE_CGROUP:-/rolecall}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/rolecall/kube-$KUBE_VERSION-etcd-$ETCD_VERSION
BIN=${KUBE_BIN:-$CACHE}
PACKAGES="containerd runc containernetworking-plugins iptables conntrack ipset iproute2 busybox-static socat ethtool
	openssl curl python3 gcc libc6-dev util-linux"

# Addresses exist only inside the namespaces, so that several such clusters do not meet.
CP_IP=192.168.77.1
NODE_NET=192.168.77
POD_NET=10.244
SERVICE_CIDR=10.96.0.0/16
SERVICE_IP=10.96.0.1
PKI=$STATE/pki

# shellcheck source=/dev/null
for part in sets build pki control-plane images node; do . "$HERE/$part.sh"; done

# Says in one line why it cannot run here.
require() {
	[ "$(id -u)" = 0 ] || cannot "needs root"
	[ -d /sys/fs/cgroup/memory ] || cannot "needs the cgroup v1 controllers in /sys/fs/cgroup"
	local tool
	for tool in containerd runc iptables busybox socat openssl curl python3 gcc unshare nsenter ip; do
		PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || cannot "no $tool: see $0 install"
	done
	[ -x /usr/lib/cni/bridge ] || cannot "no CNI plugins: see $0 install"
	has_binaries || [ -z "${KUBE_BIN:-}" ] || cannot "KUBE_BIN=$KUBE_BIN has no Kubernetes"
	has_binaries || command -v go >/dev/null || cannot "no Go to build Kubernetes with, and nothing in $CACHE"
}

up() {
	require
	has_binaries || build_binaries
	make_pki
	start_control_plane
	[ "$NODES" = 0 ] || make_images
	local k
	for k in $(seq "$NODES"); do start_node "$k"; done
	for k in $(seq "$NODES"); do wait_node "node$k"; done
	wait_default_account
	all_alive
	print_environment
}

down() {
	[ -d "$STATE" ] || return 0
	local set
	for set in $(sets | grep ^node || true); do
		stop "$set" kubelet; stop "$set" kube-proxy; stop "$set" containerd
	done
	stop cp kube-scheduler; stop cp kube-controller-manager; stop cp coredns
	stop cp kube-apiserver 30; stop cp etcd 30
	for set in $(sets); do end_set "$set"; done
	stop_entrance
	remove_cgroup "$CGROUP"
	rm -rf "$STATE/pids"
	[ "${1:-}" != purge ] || rm -rf "$STATE"
}

crash() {
	[ -d "$STATE/pids/$1" ] || die "no $1"
	end_set "$1"
	remove_cgroup "$CGROUP/$1"
}

print_environment() {
	echo "export KUBECONFIG=$STATE/kubeconfig/host KUBE_STATE=$STATE"
	echo "export PATH=$BIN:\$PATH"
}

load() {
	local set tar
	for set in $(sets | grep ^node); do
		for tar; do node_ctr "$set" images import --snapshotter overlayfs "$tar" >/dev/null; done
	done
}

install_packages() {
	# shellcheck disable=SC2086
	apt-get install -y -q --no-install-recommends $PACKAGES
}

command=${1:-}
[ $# = 0 ] || shift
case $command in
up) up ;;
down) down "$@" ;;
crash) crash "${1:?which node}" ;;
env) set_alive cp || die "not running"; print_environment ;;
node) in_set "$@" ;;
load) load "$@" ;;
build) build_binaries ;;
install) install_packages ;;
*) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac
