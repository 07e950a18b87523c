#!/bin/sh
# Refuses functions that have a safer form here, and words that promise work instead of doing it.
set -eu
cd "$(dirname "$0")/.."

bad=0
look() {
	if grep -rnE "$2" --include='*.c' --include='*.h' crd reconcile controller tests; then
		echo "banned: $1"
		bad=1
	fi
}

look "write through strbuf, arena_printf or snprintf; parse with strtoll" \
	'\b(strtok(_r)?|strn?cpy|strn?cat|stpcpy|v?sprintf|gets|ato(i|l|ll|f)|alloca|system|popen)\('
look "cJSON_GetObjectItem() and cJSON_HasObjectItem() ignore case: use json_get()" \
	'\bcJSON_(GetObjectItem|HasObjectItem)\('
look "goto: use a cleanup attribute" '^[^"/*]*\bgoto\b'
look "a note to oneself" '\b(TODO|FIXME|XXX|HACK)\b'
exit "$bad"
