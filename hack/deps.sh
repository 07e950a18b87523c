#!/bin/sh
# Installs what building, testing and the live tests need and this Debian or Ubuntu does not have yet.
set -eu

packages='build-essential libcurl4-openssl-dev libnghttp2-dev libwslay-dev libcjson-dev libyaml-dev uthash-dev libssl-dev
	libcmocka-dev clang-14 cppcheck universal-ctags python3 python3-yaml dash busybox-static containerd runc
	containernetworking-plugins iptables conntrack ipset socat ethtool curl openssl jq'

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
