# Runs the handler of one notification in a member, at most once at a time, and says what it came to. The operator sends
# this text with every exec (README.md beside it has the arguments, the answers and the files):
#
#   /bin/sh -c TEXT rolecall KEY MODE SETUP TIMEOUT_S GENERATION LENGTH POD HANDLER ARG...
#
# Two kinds of process run it: the call, short, which talks to the operator, and the runner, detached, which starts the
# handler and stores its result. Either may be killed at any line. Beyond what is built into a shell only cat, head, ls,
# mkdir, mv, rm, sleep, tail, wc and, if it is there, setsid are used.
[ -e /proc/self/fd/0 ] || exec </dev/null
[ -e /proc/self/fd/2 ] || exec 2>/dev/null
# A container runtime may end the standard input of an exec as soon as one of its outputs is closed (containerd does), so
# the call holds its standard error although nothing is written there. The runner must not: it would keep the exec open.
exec 3>&2 2>/dev/null
state=${ROLECALL_STATE:-/var/lib/rolecall} guest=${ROLECALL_GUESTCONFIG:-/etc/guestconfig}
key=$1 mode=$2 setup=$3 limit=$4 config=$5 length=$6 pod=$7
shift 7
dir=$state/run/$key
id=${key%.*}
export ROLECALL_NOTIFY_ID="${id##*.}" ROLECALL_ATTEMPT="${key##*.}"

# An exec reaches whatever pod has the name by then.
if [ "${ROLECALL_POD_UID:-$pod}" != "$pod" ]; then
	echo "rolecall/1 $key other-pod 0"
	echo "the call was meant for a pod that is gone"
	exit 0
fi

# The runner. It stands in quotes, so there is no apostrophe in it.
runner='
self() {
	read -r stat </proc/self/stat
	set -- ${stat##*) }
	me="${stat%% *} ${20}"
}
state=$1 dir=$2 n=$3 boot=$4 mode=$5 setup=$6 limit=$7 call=$8
shift 8
late=
trap late=1 ALRM
(
	trap "kill \$!; wait \$!; exit" TERM
	sleep "$limit" &
	wait $!
	# More than once: the first may come before the runner waits. Still here: the runner is gone, the limit holds.
	for i in 1 2 3; do kill -ALRM $$; sleep 1; done
	kill -KILL -$$
) &
watch=$!
self
run="$boot $me"
(
	# First who we are, then the right to run, then the handler: who finds the right taken finds by whom.
	exec >"$dir/out.$$" 2>&1 || exit
	self
	echo "$run $me" >"$dir/try.$$" || exit
	set -C
	echo "$run" >"$dir/$n" || exit
	set +C
	exec "$@"
) &
handler=$!
wait $handler
code=$?
word=done
[ "$late $code" = "1 142" ] && word=timeout code=0
if [ "$(cat "$dir/$n")" = "$run" ]; then
	tail -c 1024 "$dir/out.$$" >"$dir/out.new" && mv -f "$dir/out.new" "$dir/out"
	# On a full disk these wait for room: as long as the runner lives, nobody starts the handler again.
	if [ "$mode $word $code" = "configure done 0" ]; then
		until echo "$setup" >"$dir/setup" && mv -f "$dir/setup" "$state/setup"; do sleep 1; done
	fi
	until echo "$word $code" >"$dir/result.new" && mv -f "$dir/result.new" "$dir/result"; do sleep 1; done
	if [ $word = timeout ]; then
		# Without setsid the group is that of the call; where the call leads none, only the handler is ours.
		kill -KILL -$$ || kill -KILL -$call || kill -KILL $handler
	fi
else
	rm -f "$dir/try.$$"
fi
rm -f "$dir/out.$$"
kill $watch && wait $watch
cd "$state/run" && ls -t | tail -n +17 | while read -r old; do
	[ "$old" = "${dir##*/}" ] || rm -rf "./$old"
done
'

say() {
	[ ! -e "$dir/2" ] || echo "rolecall/1 $key again 0"
	[ $held = 0 ] || echo rolecall/1 $key $place $held $aside
	echo "rolecall/1 $key $1 ${2:-0}"
}

# The start time of process $1. In stat the name comes before it and may hold anything, even newlines and ")". A process
# that has ended and waits for a pid 1 that never reaps it has ended.
start_of() {
	stat=$(cat "/proc/$1/stat")
	set -- ${stat##*) }
	case ${1:-Z} in [ZX]) return 1 ;; esac
	start=${20}
}
is_alive() {
	start_of "$1" && [ "$start" = "$2" ]
}

# Whether somebody runs this key or is about to; $pid is its runner.
is_live() {
	for try in "$dir"/try.*; do
		read -r b pid began handler handler_began <"$try" || continue
		[ "$b" = "$boot" ] || continue
		is_alive "$pid" "$began" || is_alive "$handler" "$handler_began" && return
	done
	pid=$ours
	[ "$pid" ] && start_of "$pid"
}

# Answers and ends if there is a result; else whether one is to come. A runner stores before it ends: who has found
# nobody alive, and then no result, knows that there will be none.
look() {
	is_live
	live=$?
	read -r word code <"$dir/result" || return $live
	# The runner may have been killed between storing this and killing the handler.
	[ $word = timeout ] && [ $live = 0 ] && kill -KILL "-$pid"
	say "$word" "$code"
	[ "$word $code" = "done 0" ] || cat "$dir/out"
	[ -z "$ours" ] || wait "$ours"
	exit 0
}

# The newest configmeta that is here: $held is its generation, 0 if there is none, and $folder where it is. Beside the file
# there is a mark for each generation that came; it is empty until its file is in its place.
find_config() {
	held=0
	for at in "$guest" "$state"; do
		[ -e "$at/configmeta.json" ] || continue
		for mark in "$at/.configmeta.${key%%.*}"/[0-9]*; do
			[ -s "$mark" ] && [ "${mark##*/}" -gt $held ] && held=${mark##*/} folder=$at
		done
	done
	place=config
	[ "$folder" = "$guest" ] || place=aside
}

# Takes the configmeta from standard input into folder $1; fails if nothing can be written there. However late this comes, a
# newer file is never overwritten: first comes the mark, then the file under a name of its own, then all marks are looked at. Who
# sees a newer mark gives up. Who does not had its mark there before the newer one looked, which takes the older file away.
take() {
	mkdir -p "$1/.configmeta.${key%%.*}" && cd "$1/.configmeta.${key%%.*}" && true >>"$config" || return
	new=new.$config.$$
	true >"$new" || return
	head -c "$length" >"$new"
	size=$(wc -c <"$new")
	old=
	for mark in [0-9]*; do
		[ "$mark" -le "$config" ] || rm -f "$new"
		[ "$mark" -ge "$config" ] || { rm -f "new.$mark".* && old="$old $mark"; }
	done
	if [ "${size:-0}" -ne "$length" ]; then
		echo "configmeta: ${size:-0} bytes of $length"
	elif mv -f "$new" ../configmeta.json && echo >"$config"; then
		rm -f "new.$config".* $old
	fi
	rm -f "$new"
}

# Processes of another container, or of this one before it was restarted, are gone whatever their numbers say.
start_of 1
boot=${ROLECALL_BOOT:-$(cat /proc/sys/kernel/random/boot_id)/$start}
ours= aside= why=
find_config

# The right to run is the file N, made by whoever comes first. If its owner is gone without a result, the next is N + 1.
# N is found before looking: whatever another call starts after that takes this N away from us.
n=1
while [ -e "$dir/$n" ]; do n=$((n + 1)); done
if ! look; then
	if [ "$mode" != configure ] && [ "$setup" != - ]; then
		have=
		read -r have <"$state/setup"
		[ "$have" = "$setup" ] || { say no-setup; exit 0; }
	fi
	if [ "$length" != 0 ]; then
		why=$(take "$guest" 2>&1) || { aside=$why && why=$(take "$state" 2>&1); }
		find_config
	fi
	if [ $held -lt "$config" ]; then
		if [ "$length" = 0 ]; then say no-config; else say no-state; fi
		echo "$why"
		exit 0
	fi
	[ "$mode" != check ] || { say setup; exit 0; }
	[ $held = 0 ] || export ROLECALL_CONFIGMETA="$folder/configmeta.json" ROLECALL_GENERATION=$held
	why=$({ mkdir -p "$dir" && echo "$key" >"$dir/probe"; } 2>&1) || { say no-state; echo "$why"; exit 0; }
	setsid=$(command -v setsid)
	$setsid sh -c "$runner" rolecall "$state" "$dir" $n "$boot" "$mode" "$setup" "$limit" $$ "$@" \
		</dev/null >/dev/null 3>&- &
	ours=$!
fi

read -r up rest </proc/uptime
end=$((${up%.*} + ${ROLECALL_WAIT:-10}))
while look && read -r up rest </proc/uptime && [ "${up%.*}" -lt $end ]; do
	sleep 0.1 || sleep 1
done
look && say running && exit 0
say no-state
echo "the handler ended without a result: it was killed, or could not be started"
