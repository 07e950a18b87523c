#!/bin/sh
# Kills the launcher at one of its lines, then asks again as the operator does, and judges the answers by the handler's
# own log: it never runs twice unless "again" was said, never twice at the same time, and "done" is never said before it
# has ended.
#
# Usage: kills.sh list LAUNCHER       all places, as arguments for the second form
#        kills.sh one LINE WHO WHEN   prints "ok|unreached|FAILED LINE.WHO.WHEN WHY"; in $text is the launcher, in $shell
#                                     the shell, in $KILL_WORK a folder
#
# WHO:  self (the process that gets to the line), group (with it all that it started), or leader (the runner, while the
#       process that becomes the handler goes on)
# WHEN: early (the handler ends at once), late (it ends after calls that found it running), timeout (it never ends)
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

# The runner is the part in quotes; first in it, in parentheses, is the watch on the limit. Without the watch there is no
# limit, and "running" stays true. A line that goes on in the next has no place behind it.
list() {
	sed -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$/d' "$1" | awk '
		/\\$/ { next }
		/^runner=/ { inside = 1 }
		/^\047$/ { inside = 0 }
		inside && /^\($/ { part++ }
		inside { print NR, "self late"; print NR, "group late" }
		inside && part != 1 { print NR, "self timeout" }
		inside && part == 3 { print NR, "leader late" }
		inside && /^\) &$/ { part++ }
		!inside { print NR, "self early"; print NR, "self late" }'
}

# The launcher with a kill behind line $1.
variant() {
	case $2 in
	self) kill=': >"$FIRED"; read -r p rest </proc/self/stat; kill -9 $p' ;;
	group) kill=': >"$FIRED"; kill -9 0' ;;
	leader) kill=': >"$FIRED"; kill -9 $$' ;;
	esac
	printf '%s\n' "$text" | awk -v line="$1" -v kill="$kill" '{ print } NR == line { print kill }'
}

make_handler() {
	cat >handler <<'END'
#!/bin/sh
. "$here/lib.sh"
echo "start $$" >>"$LOG"
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
	ROLECALL_WAIT=$1 call u.1.1 configure u/n1 "$limit" "$work/handler" >answer
	cat answer >>answers
	judge_done answer
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
	[ "$(starts)" -ge 1 ] || killed_as_handler || bad "never started"
	[ "$(starts)" -le 1 ] || grep -q '^rolecall/1 u.1.1 again 0$' answer || bad "$(starts) runs and no word of it"
}

one() {
	line=$1 who=$2 when=$3 name=$1.$2.$3
	work=$KILL_WORK/$name
	mkdir -p "$work" && cd "$work" || exit 1
	make_shell
	make_handler
	export here work LOG="$work/log" FIRED="$work/fired" ROLECALL_STATE="$work/state"
	: >log
	: >answer
	limit=60 wait=0
	[ "$when" != early ] || { : >go; wait=20; }
	[ "$when" != timeout ] || limit=1

	plain=$text
	text=$(variant "$line" "$who")
	ROLECALL_WAIT=$wait call u.1.1 configure u/n1 $limit "$work/handler" >first
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
	if [ -e fired ]; then echo "ok $name"; else echo "unreached $name"; fi
	cd "$KILL_WORK" && rm -rf "$work"
}

"$@"
