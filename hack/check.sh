#!/bin/sh
# Everything that needs no cluster, in the order in which a mistake is cheapest to find. Stops at the first failure.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1

jobs=-j2
start=$(date +%s)
steps=0

step() {
	name=$1 begun=$(date +%s)
	shift
	echo "=== $name"
	if ! "$@"; then
		echo "check: FAILED at: $name ($*)"
		exit 1
	fi
	echo "took $(($(date +%s) - begun)) s"
	steps=$((steps + 1))
}

san=address,undefined
# What the leak checker would say about a process that aborts on purpose is of no interest.
export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"

step "dependencies" hack/deps.sh check
step "build with gcc" make -s $jobs DEV=1 all kubesim
step "build with clang" make -s $jobs DEV=1 CC=clang-14 all kubesim
step "unit tests" make -s $jobs DEV=1 unit
step "cases" make -s $jobs DEV=1 cases
step "command line" make -s $jobs DEV=1 cli
step "generated code" make -s verify
step "layers" make -s $jobs layers
step "size" make -s size
step "lint" make -s lint
step "stand-in" make -s $jobs DEV=1 standin
step "launcher" make -s launcher
step "simulation" make -s $jobs DEV=1 SEEDS="${SEEDS:-10000}" sim
step "unit tests, sanitized" make -s $jobs DEV=1 SAN=$san unit
step "cases, sanitized" make -s $jobs DEV=1 SAN=$san cases
step "command line, sanitized" make -s $jobs DEV=1 SAN=$san cli
step "stand-in, sanitized" make -s $jobs DEV=1 SAN=$san standin
step "simulation, sanitized" make -s $jobs DEV=1 SAN=$san SEEDS="${SAN_SEEDS:-1000}" EVERY=4 sim
step "demo" tests/readme/demo.py

echo "check: $steps steps passed in $(($(date +%s) - start)) s"
