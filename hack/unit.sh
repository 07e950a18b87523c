#!/bin/sh
# Runs test programs and adds up their results: those of cmocka, and those that end with "N passed, N failed, N skipped".
# Shows the output of those that fail, and why something was skipped; a program that crashes counts as one failure.
#
# Usage: hack/unit.sh PROGRAM...
set -u

export LC_ALL=C
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
passed=0 failed=0 skipped=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# "PASSED FAILED SKIPPED" of the output. cmocka prints its summary once per group of tests.
counts() {
	awk '
		/^\[ *(PASSED|FAILED|SKIPPED) *\] [0-9]+ test\(s\)/ {
			match($0, /[A-Z]+/)
			word = substr($0, RSTART, RLENGTH)
			sub(/^[^]]*\] /, "")
			sum[word] += $1
		}
		/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
			sum["PASSED"] += $1; sum["FAILED"] += $3; sum["SKIPPED"] += $5
		}
		END { print sum["PASSED"] + 0, sum["FAILED"] + 0, sum["SKIPPED"] + 0 }' "$output"
}

for program; do
	case $program in
	*.py) python3 "$program" >"$output" 2>&1 ;;
	*) "$program" >"$output" 2>&1 ;;
	esac
	status=$?
	grep '^skipped: ' "$output" || true
	# shellcheck disable=SC2046
	set -- $(counts)
	good=$1 bad=$2 left_out=$3
	if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		bad=1
	fi
	if [ "$bad" -ne 0 ]; then
		echo "--- $program (exit $status)"
		cat "$output"
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + left_out))
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
