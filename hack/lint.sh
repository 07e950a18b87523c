#!/bin/sh
# Looks at the sources without running them: clang's warnings, cppcheck, shellcheck where there is one, Python's parser.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."

clang=$(command -v clang-14 || command -v clang) || { echo "lint: clang is missing: run hack/deps.sh"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find crd reconcile controller tests -name '*.c' | sort >"$work/sources"
if ! [ -s "$work/sources" ]; then
	echo "lint: no sources"
	exit 0
fi

echo "lint: clang"
xargs -n 8 -P 2 "$clang" -std=c11 -D_GNU_SOURCE -I. -Ibuild/gen -fsyntax-only -Wall -Wextra -Wshadow -Wswitch-enum \
	-Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wwrite-strings -Werror <"$work/sources"

echo "lint: cppcheck"
# returnDanglingLifetime takes a struct returned by value for one that points to the arguments of its maker.
cppcheck --quiet -j 2 --std=c11 --error-exitcode=1 --inline-suppr --library=posix,gnu --library=hack/cppcheck.cfg -I . \
	-D_GNU_SOURCE --enable=warning,portability --suppress=missingIncludeSystem --suppress=returnDanglingLifetime \
	--file-list="$work/sources"

# Files without a first line for the kernel are parts of another script.
find hack tests .ci controller \( -name '*.sh' -o -path '.ci/run' \) -exec awk 'FNR == 1 && /^#!/ { print FILENAME }' {} + |
	sort >"$work/scripts"
if command -v shellcheck >/dev/null; then
	echo "lint: shellcheck"
	# Variables set for a part of the script or by a caller (2034, 2154), and a default for all arguments (2048).
	xargs shellcheck -S warning -e SC2034,SC2048,SC2154 <"$work/scripts"
else
	echo "lint: shell syntax (shellcheck is not installed)"
	while read -r script; do
		case $(head -n 1 "$script") in
		*bash*) bash -n "$script" ;;
		*) sh -n "$script" ;;
		esac
	done <"$work/scripts"
fi

echo "lint: python"
find hack tests -name '*.py' | while read -r file; do
	python3 -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' "$file"
done
# A list that no longer fits the sources is found here, and not when somebody runs all faults.
echo "lint: faults of tests/mutants"
hack/mutants.py --list >/dev/null
echo "lint: clean"
