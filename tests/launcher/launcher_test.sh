#!/bin/sh
# The launcher's text, run as the operator sends it, under each shell that a member may have.
#
# Usage: launcher_test.sh [SHELL...]   (dash, busybox and bash if none is given)
set -u

here=$(cd "$(dirname "$0")" && pwd)
launcher=$here/../../controller/exec/launcher.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/results"
. "$here/lib.sh"

text=$(sed -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$/d' "$launcher")
export text

result() {
	echo "$1" >>"$scratch/results"
	[ "$1" = ok ] || echo "$1: $shell: $case${2:+: $2}"
}

# fail WHY: ends the case that runs, which is a subshell.
fail() {
	echo "$*" >"$work/why"
	exit 1
}

# expect WANTED GOT
expect() {
	[ "$1" = "$2" ] || fail "expected '$1', got '$(printf %s "$2" | head -c 300)'"
}

# Runs the function $1 in a folder of its own.
run_case() {
	case=$1
	work=$scratch/$shell.$case
	mkdir -p "$work"
	(
		cd "$work" || exit 1
		make_shell
		export ROLECALL_STATE="$work/state" ROLECALL_GUESTCONFIG="$work/etc" ROLECALL_WAIT=20 LOG="$work/log" work
		: >log
		"$case"
	) >"$work/output" 2>&1
	case $? in
	0) result ok ;;
	77) result skipped "$(cat "$work/why")" ;;
	*) result FAILED "$(cat "$work/why" 2>/dev/null || tail -n 3 "$work/output")" ;;
	esac
}

skip() {
	echo "$*" >"$work/why"
	exit 77
}

. "$here/cases.sh"
. "$here/cases_lost.sh"
. "$here/cases_config.sh"

# Kills at every line; each prints "ok", "unreached" or why it failed.
run_kills() {
	work=$scratch/$shell.kills
	mkdir -p "$work"
	"$here/kills.sh" list "$launcher" >"$work/places"
	<"$work/places" KILL_WORK=$work shell=$shell xargs -P 8 -L 1 "$here/kills.sh" one >"$work/all"
	while read -r outcome case why; do
		case $outcome in
		ok) result ok ;;
		unreached) ;;
		*) result FAILED "$why" ;;
		esac
	done <"$work/all"
	case="every kill was judged"
	if [ "$(wc -l <"$work/all")" -eq "$(wc -l <"$work/places")" ]; then result ok; else result FAILED; fi
	reached=$(grep -c '^ok' "$work/all")
	echo "$shell: killed at $reached places of $(wc -l <"$work/all")"
	case="kills reach most lines"
	if [ $((reached * 10)) -gt $(($(wc -l <"$work/all") * 7)) ]; then result ok; else result FAILED; fi
}

for shell in ${*:-dash busybox bash}; do
	if ! command -v "$shell" >/dev/null; then
		case="all" && result skipped "not installed"
		continue
	fi
	for case in $(sed -n 's/^\(case_[a-z_0-9]*\)() {.*/\1/p' "$here"/cases*.sh); do
		run_case "$case"
	done
	run_kills
done

count() {
	grep -c "^$1" "$scratch/results"
}
echo "$(count ok) passed, $(count FAILED) failed, $(count skipped) skipped"
[ "$(count FAILED)" -eq 0 ]
