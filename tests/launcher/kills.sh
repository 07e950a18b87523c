#!/bin/sh
# Kills the launcher at one of its lines, then asks again as the operator does, and judges the answers by the handler's
# own log: it never runs twice unless "again" was said, never twice at the same time, never without its configmeta, and "done"
# is never said before it has ended.
#
# Usage: kills.sh list LAUNCHER       all places, as arguments for the second form
#        kills.sh one LINE WHO WHEN   prints "ok|unreached|FAILED LINE.WHO.WHEN WHY"; in $text is the launcher, in $shell
#                                     the shell, in $KILL_WORK a folder
#
# WHO:  self (the process that gets to the line), group (with it all that it started), leader (the runner, while the
#       process that becomes the handler goes on), or nobody (it stands still there until a newer call has ended)
# WHEN: early (the handler ends at once), late (it ends after calls that found it running), timeout (it never ends),
#       config (there is no handler: the call only brings a configmeta)
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

# The runner is the part in quotes; first in it, in parentheses, is the watch on the limit. Without the watch there is no
# limit, and "running" stays true. A line that goes on in the next has no place behind it.
list() {
	sed -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$/d' "$1" | awk '
		/\\$/ { next }
		/^runner=/ { inside = 1 }
		/"\$mode" != check/ { beyond = 1 }
		/^\047$/ { inside = 0 }
		inside && /^\($/ { part++ }
		inside { print NR, "self late"; print NR, "group late" }
		inside && part != 1 { print NR, "self timeout" }
		inside && part == 3 { print NR, "leader late" }
		inside && /^\) &$/ { part++ }
		!inside { print NR, "self early"; print NR, "self late" }
		!inside && !beyond { print NR, "self config"; print NR, "nobody config" }'
}

# The launcher with a kill behind line $1.
variant() {
	case $2 in
	self) kill=': >"$FIRED"; read -r p rest </proc/self/stat; kill -9 $p' ;;
	group) kill=': >"$FIRED"; kill -9 0' ;;
	leader) kill=': >"$FIRED"; kill -9 $$' ;;
	nobody) kill=': >"$FIRED"; until [ -e "$work/go" ]; do sleep 0.03; done' ;;
	esac
	printf '%s\n' "$text" | awk -v line="$1" -v kill="$kill" '{ print } NR == line { print kill }'
}

make_handler() {
	cat >handler <<'END'
#!/bin/sh
. "$here/lib.sh"
echo "start $$" >>"$LOG"
cmp "$ROLECALL_CONFIGMETA" config.1 >&2 || echo "unprepared $$" >>"$LOG"
while read -r what pid; do
	if [ $what = start ] && [ $pid != $$ ] && ! grep -q "^end $pid$" "$LOG" && runs $pid; then
		echo "overlap $$" >>"$LOG"
	fi
done <"$LOG"
until [ -e go ]; do sleep 0.03; done
echo "end $$" >>"$LOG"
END
	chmod +x handler
}

# ask WAIT: one call as it should be; what it says is kept, and judged on the spot.
ask() {
	bring 1 $1 configure "$work/handler" >answer
	cat answer >>answers
	judge_done answer
}

# bring GENERATION WAIT MODE [HANDLER]: a call that takes the configmeta of this generation along.
bring() {
	generation=$1 length=$(wc -c <config.$1) input=config.$1 ROLECALL_WAIT=$2 call u.1.1 $3 u/n1 $limit ${4:-}
}

judge_done() {
	[ "$(final u.1.1 "$1")" != "done 0" ] || grep -q ^end log || bad "done was said before it had ended"
	[ "$(final u.1.1 "$1")" != "done 0" ] || [ -e state/setup ] || bad "done was said before the set-up was there"
}

bad() {
	echo "FAILED $name $shell: killed behind line $line ($who, $when): $*"
	grep ^start log | while read -r what pid; do kill -9 "$pid" 2>/dev/null; done
	exit 0
}

# Who kills the process that is about to become the handler has killed the handler.
killed_as_handler() {
	[ "$who $(final u.1.1 answer)" = "self done 137" ] && [ "$(starts)" -eq 0 ]
}

ask_until() {
	tries=0
	until [ "$(final u.1.1 answer)" = "$1" ] || killed_as_handler; do
		tries=$((tries + 1))
		[ $tries -le 8 ] || bad "no end: $(tr '\n' ' ' <answer)"
		ask 5
	done
}

starts() {
	grep -c ^start log
}

no_more_than_said() {
	grep -q "^overlap" log && bad "two runs at the same time"
	grep -q "^unprepared" log && bad "it found no configmeta, or half of one"
	[ "$(starts)" -ge 1 ] || killed_as_handler || bad "never started"
	[ "$(starts)" -le 1 ] || grep -q '^rolecall/1 u.1.1 again 0$' answer || bad "$(starts) runs and no word of it"
}

one() {
	line=$1 who=$2 when=$3 name=$1.$2.$3
	work=$KILL_WORK/$name
	mkdir -p "$work" && cd "$work" || exit 1
	make_shell
	make_handler
	export here work LOG="$work/log" FIRED="$work/fired" ROLECALL_STATE="$work/state" ROLECALL_GUESTCONFIG="$work/etc"
	: >log
	: >answer
	limit=60 wait=0
	[ "$when" != early ] || { : >go; wait=20; }
	[ "$when" != timeout ] || limit=1

	make_configs
	plain=$text
	[ "$when" != config ] || { one_config; return; }
	text=$(variant "$line" "$who")
	bring 1 $wait configure "$work/handler" >first
	judge_done first
	text=$plain
	if [ "$when" = timeout ]; then
		ask_until "timeout 0"
		sed -n 's/^start //p' log >pids
		until_true 10 all_dead pids || bad "the handler lives after its timeout"
	else
		[ "$when" = early ] || { ask 0; ask 0; }
		: >go
		ask_until "done 0"
	fi
	no_more_than_said
	leave
}

leave() {
	if [ -e fired ]; then echo "ok $name"; else echo "unreached $name"; fi
	cd "$KILL_WORK" && rm -rf "$work"
}

make_configs() {
	for i in 1 2 3; do
		head -c 9000 /dev/zero | tr '\0' $i >config.$i
	done
}

# holds GENERATION: it is in its place, whole, and a call says so.
holds() {
	cmp -s etc/configmeta.json config.$1 || bad "generation $1 is not in its place"
	call u.0.0 check - 60 >answer
	grep -q "^rolecall/1 u.0.0 config $1$" answer || bad "generation $1 is there, and it says: $(cat answer)"
}

# The call that brings generation 2 is killed, or comes late; whatever it left, nothing goes back or stays half.
one_config() {
	mkdir -p state && echo u/n1 >state/setup
	bring 1 0 check >answer
	holds 1
	text=$(variant "$line" "$who")
	bring 2 0 check >first &
	if [ "$who" = nobody ]; then
		until_true 5 stands_or_has_ended $!
		text=$plain
		bring 3 0 check >answer
		: >go
		wait $!
		holds 3
	else
		wait $!
		text=$plain
		cmp -s etc/configmeta.json config.1 || cmp -s etc/configmeta.json config.2 || bad "half a file"
		bring 2 0 check >answer
		holds 2
	fi
	bring 1 0 check >answer
	[ "$who" = nobody ] || holds 2
	[ "$who" = self ] || holds 3
	leave
}

stands_or_has_ended() {
	[ -e fired ] || ! runs $1
}

"$@"
