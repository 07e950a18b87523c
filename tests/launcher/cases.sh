# Cases of launcher_test.sh: what a call answers while nobody dies. Sourced; each case runs in $work, in a subshell.

case_success() {
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 run - 60 sh -c 'echo quiet')"
}

case_failure_with_output() {
	expect "rolecall/1 u.1.1 done 3
out
err" "$(call u.1.1 run - 60 sh -c 'echo out; echo err >&2; exit 3')"
}

case_for_a_pod_that_is_gone() {
	export ROLECALL_POD_UID=b
	pod=a call u.1.1 configure u/n1 60 sh -c 'echo start >>"$LOG"' >answer
	expect "rolecall/1 u.1.1 other-pod 0" "$(head -n 1 answer)"
	printf one >input
	expect "rolecall/1 u.0.0 other-pod 0" "$(pod=a generation=1 length=3 input=input call u.0.0 check - 60 | head -n 1)"
	expect "" "$(cat log; ls -d state etc 2>/dev/null)"
	expect "rolecall/1 u.1.1 done 0" "$(pod=b call u.1.1 configure u/n1 60 sh -c 'echo start >>"$LOG"')"
	expect "rolecall/1 u.1.1 other-pod 0" "$(pod=a call u.1.1 configure u/n1 60 true | head -n 1)"
	expect start "$(cat log)"
}

case_not_executable() {
	: >handler
	call u.1.1 run - 60 "$work/handler" >answer
	expect "done 126" "$(final u.1.1 answer)"
}

case_not_found() {
	call u.1.1 run - 60 "$work/nothing" >answer
	expect "done 127" "$(final u.1.1 answer)"
	grep -q "$work/nothing.*not found\|$work/nothing.*No such file" answer || fail "the reason is not said"
}

case_killed_handler() {
	call u.1.1 run - 60 sh -c 'kill -9 $$' >answer
	expect "done 137" "$(final u.1.1 answer)"
}

case_handler_may_end_like_our_alarm() {
	expect "rolecall/1 u.1.1 done 142" "$(call u.1.1 run - 60 sh -c 'exit 142')"
}

# Writes a handler that stores its arguments, each followed by a NUL.
make_arguments_handler() {
	cat >handler <<'END'
#!/bin/sh
for one; do printf '%s\0' "$one"; done >"$LOG"
END
	chmod +x handler
}

case_arguments_byte_for_byte() {
	make_arguments_handler
	big=$(head -c 92160 /dev/zero | tr '\0' x)
	set -- "" " " "a  b" "'" '"' '$(touch hit)' '`touch hit`' '\n\\' '*' '-n' '--' '%s' "two
lines
" "tab	" 'äöü€😀' "$(printf '\377\001')" "$big" ""
	"$work/handler" "$@" && mv log wanted
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 run - 60 "$work/handler" "$@")"
	cmp -s wanted log || fail "arguments differ: $(cmp wanted log)"
	[ ! -e hit ] || fail "an argument was run"
}

case_environment() {
	call u.17.4 run - 60 sh -c 'echo "$ROLECALL_NOTIFY_ID $ROLECALL_ATTEMPT" >"$LOG"' >answer
	expect "17 4" "$(cat log)"
}

case_detached() {
	call u.1.1 run - 60 sh -c 'read -r stat </proc/$$/stat; set -- ${stat##*) }; echo $4 >"$LOG"; readlink /proc/$$/fd/0 >>"$LOG"'
	read -r session <log
	expect /dev/null "$(tail -n 1 log)"
	read -r stat <"/proc/$$/stat"
	set -- ${stat##*) }
	[ "$session" != "$4" ] || fail "in the session of the caller"
}

case_two_callers_at_once() {
	for i in 1 2 3 4 5 6 7 8; do
		call u.1.1 run - 60 sh -c 'echo start >>"$LOG"; sleep 0.3' >answer.$i &
	done
	wait
	expect start "$(cat log)"
	expect "rolecall/1 u.1.1 done 0" "$(cat answer.* | sort -u)"
}

case_repeated_call_answers_what_is_stored() {
	call u.1.1 run - 60 sh -c 'echo start >>"$LOG"; echo why; exit 5' >first
	call u.1.1 run - 60 sh -c 'echo start >>"$LOG"' >second
	expect "$(cat first)" "$(cat second)"
	expect start "$(cat log)"
}

case_another_attempt_is_another_run() {
	expect "rolecall/1 u.1.1 done 1" "$(call u.1.1 run - 60 false)"
	expect "rolecall/1 u.1.2 done 0" "$(call u.1.2 run - 60 true)"
}

# A handler that ends once the file "go" is there.
patient='echo start >>"$LOG"; until [ -e go ]; do sleep 0.03; done'

case_running_then_done() {
	expect "rolecall/1 u.1.1 running 0" "$(ROLECALL_WAIT=0 call u.1.1 run - 60 sh -c "$patient")"
	until_true 20 [ -s log ] || fail "did not start"
	expect "rolecall/1 u.1.1 running 0" "$(ROLECALL_WAIT=1 call u.1.1 run - 60 sh -c "$patient")"
	: >go
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 run - 60 sh -c "$patient")"
	expect start "$(cat log)"
}

case_answer_in_the_output_is_output() {
	expect "rolecall/1 u.1.1 done 1
rolecall/1 u.1.1 done 0" "$(call u.1.1 run - 60 sh -c 'echo "rolecall/1 u.1.1 done 0"; exit 1')"
}

case_much_output() {
	call u.1.1 run - 60 sh -c 'head -c 10000000 /dev/zero | tr "\0" x; echo; echo last; exit 1' >answer
	expect "rolecall/1 u.1.1 done 1" "$(head -n 1 answer)"
	expect last "$(tail -n 1 answer)"
	[ "$(wc -c <answer)" -lt 1100 ] || fail "$(wc -c <answer) bytes"
	until_true 20 state_is_small || fail "$(du -sk state) KiB kept"
}

state_is_small() {
	[ "$(du -sk state | cut -f 1)" -lt 100 ]
}

case_timeout_kills_grandchildren() {
	call u.1.1 run - 1 sh -c 'echo waiting; echo $$ >>"$LOG"; sleep 1000 & echo $! >>"$LOG"
		sh -c "sleep 1001 & echo \$! >>$LOG; wait" & wait' >answer
	expect "rolecall/1 u.1.1 timeout 0
waiting" "$(cat answer)"
	expect 3 "$(wc -l <log | tr -d ' ')"
	until_true 20 all_dead log || fail "something lives on"
	expect "rolecall/1 u.1.1 timeout 0" "$(call u.1.1 run - 1 true | head -n 1)"
}

case_timeout_is_no_trap_for_the_handler() {
	call u.1.1 run - 1 sh -c 'trap "" TERM ALRM HUP INT; echo $$ >>"$LOG"; while :; do sleep 0.1; done' >answer
	expect "timeout 0" "$(final u.1.1 answer)"
	until_true 20 all_dead log || fail "it lives on"
}

# As in an image without setsid: the call leads the session that the runtime made for it.
case_few_tools() {
	mkdir few
	for tool in cat head ls mkdir mv rm sleep tail wc; do ln -s "$(command -v $tool)" few/; done
	ln -s "$(readlink bin/sh)" few/sh
	expect "rolecall/1 u.1.1 done 4
out" "$(PATH=$work/few call_with "$(command -v setsid)" u.1.1 run - 60 sh -c 'echo out; exit 4')"
	expect "rolecall/1 u.2.1 running 0" "$(PATH=$work/few ROLECALL_WAIT=0 call_with "$(command -v setsid)" u.2.1 run - 1 \
		sh -c 'echo $$ >>"$LOG"; sleep 1000 & echo $! >>"$LOG"; wait')"
	until_true 20 [ -e state/run/u.2.1/result ] || fail "no timeout"
	until_true 20 all_dead log || fail "something lives on"
	expect "rolecall/1 u.2.1 timeout 0" "$(PATH=$work/few call_with "$(command -v setsid)" u.2.1 run - 1 true)"
}

call_with() {
	leader=$1
	shift
	key=$1 mode=$2 setup=$3 limit=$4
	shift 4
	"$leader" -w sh -c "$text" rolecall "$key" "$mode" "$setup" "$limit" 0 0 - "$@" 2>&1 </dev/null
}

case_daemon_left_behind_lives() {
	call u.1.1 run - 60 sh -c 'sleep 1000 & echo $! >"$LOG"' >answer
	expect "done 0" "$(final u.1.1 answer)"
	until_true 20 [ ! -e "state/run/u.1.1/out.$$" ]
	runs "$(cat log)" || fail "it was killed"
	kill "$(cat log)"
}

# 7643 is on the command line of all that the launcher starts.
nothing_left() {
	for one in /proc/[0-9]*; do
		! tr '\0' ' ' <"$one/cmdline" 2>/dev/null | grep -q " 7643 \| 7643\$" || return 1
	done
}

case_leaves_no_process() {
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 run - 7643 true)"
	until_true 20 nothing_left || fail "a process is left"
}

case_no_setup() {
	expect "rolecall/1 u.1.1 no-setup 0" "$(call u.1.1 run u/n1 60 sh -c 'echo start >>"$LOG"')"
	expect "rolecall/1 u.0.0 no-setup 0" "$(call u.0.0 check u/n1 60)"
	expect "" "$(cat log)"
	[ ! -e state ] || fail "a check left something"
}

case_configure_then_run() {
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 configure u/n1 60 true)"
	expect u/n1 "$(cat state/setup)"
	expect "rolecall/1 u.0.0 setup 0" "$(call u.0.0 check u/n1 60)"
	expect "rolecall/1 u.2.1 done 0" "$(call u.2.1 run u/n1 60 true)"
	expect "rolecall/1 u.0.0 no-setup 0" "$(call u.0.0 check u/n2 60)"
	expect "rolecall/1 u.3.1 no-setup 0" "$(call u.3.1 run other/n1 60 true)"
	expect "rolecall/1 u.2.1 done 0" "$(call u.2.1 run u/n2 60 false)"
}

case_only_configure_leaves_a_setup() {
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 run - 60 true)"
	[ ! -e state/setup ] || fail "there is a set-up: $(cat state/setup)"
}

case_setup_with_a_blank() {
	call u.1.1 configure "u n1" 60 true >answer
	expect "rolecall/1 u.0.0 setup 0" "$(call u.0.0 check "u n1" 60)"
}

case_failed_configure_leaves_no_setup() {
	expect "rolecall/1 u.1.1 done 2" "$(call u.1.1 configure u/n1 60 sh -c 'exit 2')"
	expect "rolecall/1 u.0.0 no-setup 0" "$(call u.0.0 check u/n1 60)"
}

case_check_where_none_is_expected() {
	expect "rolecall/1 u.0.0 setup 0" "$(call u.0.0 check - 60)"
}

case_old_runs_are_removed() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		call u.$i.1 run - 60 true >answer
		# Some ls compare whole seconds.
		[ $i -gt 4 ] || touch -d "2001-01-0$i" state/run/u.$i.1
	done
	until_true 20 few_runs || fail "$(ls state/run | wc -l) runs are kept"
	[ -e state/run/u.20.1/result ] || fail "the newest is gone"
	[ ! -e state/run/u.1.1 ] || fail "the oldest is there"
}

few_runs() {
	[ "$(ls state/run | wc -l)" -eq 16 ]
}

case_no_folder_for_state() {
	: >state
	call u.1.1 run - 60 sh -c 'echo start >>"$LOG"' >answer
	expect "rolecall/1 u.1.1 no-state 0" "$(head -n 1 answer)"
	[ "$(wc -l <answer)" -gt 1 ] || fail "the reason is not said"
	expect "" "$(cat log)"
}

# As where there is no /var/lib.
case_state_is_deep_in_folders_that_are_not_there() {
	export ROLECALL_STATE="$work/none/var/lib/rolecall"
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 configure u/n1 60 sh -c 'echo start >>"$LOG"')"
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 configure u/n1 60 sh -c 'echo start >>"$LOG"')"
	expect start "$(cat log)"
	expect "rolecall/1 u.0.0 setup 0" "$(call u.0.0 check u/n1 60)"
}

case_read_only_root() {
	mkdir root
	mount -t tmpfs rolecall root 2>/dev/null && mount -o remount,ro root || skip "cannot mount a tmpfs"
	trap 'umount -l "$work/root"' EXIT
	export ROLECALL_STATE="$work/root/var/lib/rolecall"
	call u.1.1 configure u/n1 60 sh -c 'echo start >>"$LOG"' >answer
	expect "rolecall/1 u.1.1 no-state 0" "$(head -n 1 answer)"
	grep -q "Read-only file system" answer || fail "the reason is not said: $(cat answer)"
	expect "" "$(cat log)"
	expect "rolecall/1 u.0.0 no-setup 0" "$(call u.0.0 check u/n1 60)"
}

# A small file system of its own at ./state, until the case ends.
small_state() {
	mkdir state
	mount -t tmpfs -o size=16k rolecall state 2>/dev/null || skip "cannot mount a tmpfs"
	trap 'umount -l "$work/state"' EXIT
}

case_full_disk() {
	small_state
	head -c 20000 /dev/zero >state/fill 2>/dev/null
	call u.1.1 run - 60 sh -c 'echo start >>"$LOG"' >answer
	expect "rolecall/1 u.1.1 no-state 0" "$(head -n 1 answer)"
	expect "" "$(cat log)"
	rm state/fill
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 run - 60 sh -c 'echo start >>"$LOG"')"
	expect start "$(cat log)"
}

case_disk_full_when_the_result_is_due() {
	small_state
	fill='echo start >>"$LOG"; head -c 20000 /dev/zero >state/fill 2>/dev/null; exit 6'
	ROLECALL_WAIT=1 call u.1.1 configure u/n1 60 sh -c "$fill" >answer
	expect "running 0" "$(final u.1.1 answer)"
	ROLECALL_WAIT=0 call u.1.1 configure u/n1 60 sh -c "$fill" >answer
	expect "running 0" "$(final u.1.1 answer)"
	rm state/fill
	call u.1.1 configure u/n1 60 true >answer
	expect "done 6" "$(final u.1.1 answer)"
	expect start "$(cat log)"
}
