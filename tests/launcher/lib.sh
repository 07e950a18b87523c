# What the launcher's tests share. Sourced; needs $work (a folder of the test's own), $shell (the shell under test) and
# $text (the launcher as it is sent, without comments).

# $shell is what "sh" means, for the call and for what it starts.
make_shell() {
	mkdir -p "$work/bin"
	ln -sf "$(command -v "$shell")" "$work/bin/sh"
	PATH=$work/bin:$PATH
}

# call KEY MODE SETUP TIMEOUT_S HANDLER ARG...: one call of the launcher, as an exec does it. It needs the configmeta of
# $generation, and takes $length bytes of it from file $input (by default none is needed, and none is sent).
call() {
	key=$1 mode=$2 setup=$3 limit=$4
	shift 4
	setsid -w "$work/bin/sh" -c "$text" rolecall "$key" "$mode" "$setup" "$limit" "${generation:-0}" "${length:-0}" \
		"${pod:--}" "$@" \
		2>&1 <"${input:-/dev/null}"
}

# until_true SECONDS COMMAND...: looks again and again until COMMAND succeeds; 1 when the time is up.
until_true() {
	deadline=$(($(date +%s) + $1))
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt $deadline ] || return 1
		sleep 0.03
	done
}

# Whether none of the processes in file $1 runs. A zombie has ended.
all_dead() {
	while read -r one; do
		! runs "$one" || return 1
	done <"$1"
}

runs() {
	field=$(sed -n '$s/^.*) \(.\).*/\1/p' "/proc/$1/stat" 2>/dev/null)
	[ "${field:-Z}" != Z ]
}

# The word and code of the final answer for key $1 in file $2.
final() {
	sed -n "s|^rolecall/1 $1 \([a-z-]* [0-9]*\)\$|\1|p" "$2" | grep -v '^again\|^config\|^aside' | head -n 1
}
