#!/bin/sh
# Keeps files and functions at a size that can be read: no file over 400 lines, no function over 70. What is generated
# (gen/) is left out. Prints how close the rest is.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."

max_file=400 max_function=70
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find crd reconcile controller tests \( -name '*.c' -o -name '*.h' \) ! -path '*/gen/*' | sort >"$work/files"
if ! [ -s "$work/files" ]; then
	echo "size: no sources"
	exit 0
fi
xargs awk 'END { } FNR == 1 && NR > 1 { print n, f } { n = FNR; f = FILENAME } END { print n, f }' \
	<"$work/files" >"$work/lines"
ctags -f - --languages=C --kinds-C=f --fields=+ne -L "$work/files" 2>/dev/null |
	awk -F'\t' '{
		for (i = 4; i <= NF; i++) {
			if ($i ~ /^line:/) first = substr($i, 6)
			if ($i ~ /^end:/) print substr($i, 5) - first + 1, $2 ": " $1 "()"
		}
	}' >"$work/functions"

summary() {
	sort -n "$2" | awk -v what="$1" '{ n[NR] = $1 } END {
		printf "size: %d %s, lines: median %d, p90 %d, largest %d\n", NR, what, n[int((NR + 1) / 2)],
			n[int((NR * 9 + 9) / 10)], n[NR] }'
}
summary files "$work/lines"
if [ -s "$work/functions" ]; then
	summary functions "$work/functions"
fi

awk -v max="$max_file" '$1 > max { print "size: over " max " lines: " $0; bad = 1 } END { exit bad }' "$work/lines" &&
	awk -v max="$max_function" '$1 > max { print "size: over " max " lines: " $0; bad = 1 } END { exit bad }' \
		"$work/functions"
