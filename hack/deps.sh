#!/bin/sh
# deps.sh [build|check|live]: installs what this Debian or Ubuntu does not have yet of what is needed
#   build   to build rolecall and to play the demo
#   check   for hack/check.sh too: the other compiler, linters, shells, what the unit tests want
#   live    for a real Kubernetes on this machine too (hack/kube.sh); this is the default
set -eu

build='gcc make libc6-dev libcurl4-openssl-dev libwslay-dev libcjson-dev libyaml-dev uthash-dev libssl-dev libnghttp2-dev
	openssl python3 python3-yaml'
check='libcmocka-dev clang-14 cppcheck universal-ctags dash busybox-static curl'
live='build-essential containerd runc containernetworking-plugins iptables conntrack ipset socat ethtool jq'

case ${1:-live} in
build) packages=$build ;;
check) packages="$build $check" ;;
live) packages="$build $check $live" ;;
*) echo "deps: unknown purpose $1: build, check or live" >&2 && exit 2 ;;
esac

missing=
for package in $packages; do
	# A package that was removed is known too, but not as "installed".
	case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
	*' installed') ;;
	*) missing="$missing $package" ;;
	esac
done
if [ -z "$missing" ]; then
	echo "deps: all there"
	exit 0
fi

if [ "$(id -u)" -ne 0 ]; then
	echo "deps: missing:$missing"
	echo "deps: run as root, or install them"
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $missing
echo "deps: installed:$missing"
