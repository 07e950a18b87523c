#!/bin/sh
# Proves from the object files what may use what: reconcile/ decides without IO, clock, malloc or a global that changes;
# crd/ knows nothing above it. The linker's view cannot be talked round by an include or a macro.
#
# Usage: hack/layers.sh BUILD_DIR     (with crd.a and reconcile.a in it)
set -eu
export LC_ALL=C

out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What pure C code leaves for the linker: memory and text functions, their fortified forms, sorting, assertions.
pure='mem(cpy|move|set|cmp|chr)|str(n?cmp|n?casecmp|n?len|r?chr|str|c?spn|pbrk|n?dup)|strto(l|ul|ll|ull|d)'
pure="$pure|v?snprintf|qsort|bsearch|abs|labs|(__)?(mem(cpy|move|set)|v?snprintf)_chk"
pure="$pure|__assert_fail|__stack_chk_fail|__ctype_(b|tolower|toupper)_loc|_GLOBAL_OFFSET_TABLE_|__isoc23_strto.*"
# What the data layer may use besides.
data='malloc|calloc|realloc|free|mmap|munmap|abort|stderr|__fprintf_chk|fprintf|__errno_location|gmtime_r|timegm|strftime'
data="$data|cJSON_[A-Za-z]+|yaml_(parser|event)_[a-z_]+|EVP_Digest|EVP_sha256"

defined() {
	nm --defined-only -P "$@" 2>/dev/null | awk 'NF >= 2 { print $1 }' | sort -u
}

# Undefined symbols of archive $1 that are neither in the files of symbols $3... nor match $2.
foreign() {
	archive=$1 allowed=$2
	shift 2
	nm -u -A -P "$archive" 2>/dev/null | awk '{ print $2, $1 }' | sort -u >"$work/used"
	sort -u "$@" >"$work/known"
	awk -v allowed="^($allowed)\$" 'NR == FNR { known[$1]; next } !($1 in known) && $1 !~ allowed' \
		"$work/known" "$work/used"
}

# Variables that can change; constants with addresses in them stand in .data.rel.ro.
globals() {
	nm -f sysv -A "$1" 2>/dev/null | awk -F'|' '$7 ~ /^ *\.(data|bss|tdata|tbss)/ && $7 !~ /\.data\.rel\.ro/ { print $1 }'
}

report() {
	[ -s "$work/found" ] || return 0
	echo "layers: $1:"
	sed 's/^/  /' "$work/found"
	bad=1
}

bad=0
defined "$out/crd.a" >"$work/crd"
defined "$out/reconcile.a" >"$work/reconcile"

foreign "$out/crd.a" "$pure|$data" "$work/crd" >"$work/found"
report "crd/ uses what does not belong to the data layer"
foreign "$out/reconcile.a" "$pure" "$work/crd" "$work/reconcile" >"$work/found"
report "reconcile/ uses what a pure decision may not"
{ globals "$out/crd.a"; globals "$out/reconcile.a"; } >"$work/found"
report "a variable outside of functions"

[ "$bad" -eq 0 ] || exit 1
echo "layers: crd/ and reconcile/ use nothing above them, and reconcile/ no IO, clock, malloc or global" \
	"($(wc -l <"$work/reconcile") symbols)"
