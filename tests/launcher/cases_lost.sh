# Cases of launcher_test.sh: calls, runners, handlers and containers that die. Sourced, like cases.sh.

# A handler that is to be found: its pid is in "log", one line a start.
lasting='echo $$ >>"$LOG"; until [ -e go ]; do sleep 0.03; done'

start_lasting() {
	expect "rolecall/1 u.1.1 running 0" "$(ROLECALL_WAIT=0 call u.1.1 run - 60 sh -c "$lasting")"
	until_true 20 [ -s log ] || fail "did not start"
	handler=$(cat log)
	read -r boot runner rest <"state/run/u.1.1/$(cd state/run/u.1.1 && ls -d try.*)"
}

# again_until_done BOOT: asks until it is done, as the operator does, and keeps all answers.
again_until_done() {
	expect "rolecall/1 u.1.1 done 0" "$(ROLECALL_BOOT=$1 call u.1.1 run - 60 sh -c "$lasting" | tee answer | tail -n 1)"
}

case_lost_call() {
	setsid sh -c "$text" rolecall u.1.1 run - 60 0 0 - sh -c "$lasting" >answer 2>&1 &
	until_true 20 [ -s log ] || fail "did not start"
	kill -9 $!
	expect "rolecall/1 u.1.1 running 0" "$(ROLECALL_WAIT=0 call u.1.1 run - 60 sh -c "$lasting")"
	: >go
	again_until_done ""
	expect 1 "$(wc -l <log | tr -d ' ')"
	! grep -q again answer || fail "again was said"
}

case_lost_runner_and_handler() {
	start_lasting
	kill -9 "$runner" "$handler"
	until_true 20 all_dead log
	: >go
	again_until_done ""
	grep -q "^rolecall/1 u.1.1 again 0" answer || fail "again was not said"
	expect 2 "$(wc -l <log | tr -d ' ')"
	again_until_done ""
	grep -q "^rolecall/1 u.1.1 again 0" answer || fail "again was said only once: that answer may have been lost"
	expect 2 "$(wc -l <log | tr -d ' ')"
}

case_lost_runner_alone() {
	start_lasting
	kill -9 "$runner"
	expect "rolecall/1 u.1.1 running 0" "$(ROLECALL_WAIT=1 call u.1.1 run - 60 sh -c "$lasting")"
	expect 1 "$(wc -l <log | tr -d ' ')"
	: >go
	until_true 20 all_dead log || fail "did not end"
	again_until_done ""
	grep -q "^rolecall/1 u.1.1 again 0" answer || fail "again was not said"
}

case_lost_runner_leaves_the_limit() {
	ROLECALL_WAIT=0 call u.1.1 run - 1 sh -c "$lasting" >answer
	until_true 20 [ -s log ] || fail "did not start"
	read -r boot runner rest <"state/run/u.1.1/$(cd state/run/u.1.1 && ls -d try.*)"
	kill -9 "$runner"
	until_true 20 all_dead log || fail "runs without a limit"
}

case_lost_handler() {
	start_lasting
	kill -9 "$handler"
	expect "rolecall/1 u.1.1 done 137" "$(call u.1.1 run - 60 sh -c "$lasting")"
	expect 1 "$(wc -l <log | tr -d ' ')"
}

case_lost_runner_of_a_handler_with_a_bad_name() {
	name=') Z (a
b) Z'
	printf '#!/bin/sh\n%s\n' "$lasting" >"$name"
	chmod +x "$name"
	expect "rolecall/1 u.1.1 running 0" "$(ROLECALL_WAIT=0 call u.1.1 run - 60 "./$name")"
	until_true 20 [ -s log ] || fail "did not start"
	read -r boot runner rest <"state/run/u.1.1/$(cd state/run/u.1.1 && ls -d try.*)"
	kill -9 "$runner"
	expect "rolecall/1 u.1.1 running 0" "$(ROLECALL_WAIT=1 call u.1.1 run - 60 "./$name")"
	kill -9 "$(cat log)"
}

# The numbers of processes mean nothing in another container, even if they are taken there.
case_other_container() {
	start_lasting
	ROLECALL_BOOT=other ROLECALL_WAIT=0 call u.1.1 run - 60 sh -c "$lasting" >answer
	until_true 20 two_lines || fail "was not started again"
	: >go
	again_until_done other
	grep -q "^rolecall/1 u.1.1 again 0" answer || fail "again was not said"
	expect 2 "$(wc -l <log | tr -d ' ')"
}

two_lines() {
	[ "$(wc -l <log)" -eq 2 ]
}

case_result_outlives_the_container() {
	call u.1.1 configure u/n1 60 sh -c 'echo start >>"$LOG"' >answer
	expect "rolecall/1 u.1.1 done 0" "$(ROLECALL_BOOT=other call u.1.1 configure u/n1 60 false)"
	expect "rolecall/1 u.0.0 setup 0" "$(ROLECALL_BOOT=other call u.0.0 check u/n1 60)"
	expect start "$(cat log)"
}

# A real container, as far as processes go: the end of its pid 1 kills all others, and the next counts from 1 again.
case_container_restarts() {
	unshare -pf --mount-proc true 2>/dev/null || skip "cannot make a pid namespace"
	export lasting
	in_container 'ROLECALL_WAIT=0 sh -c "$text" rolecall u.1.1 run - 60 0 0 - sh -c "$lasting"
		until [ -s log ]; do sleep 0.03; done' >first
	expect "rolecall/1 u.1.1 running 0" "$(cat first)"
	: >go
	in_container 'sh -c "$text" rolecall u.1.1 run - 60 0 0 - sh -c "$lasting"; true' >second
	expect "rolecall/1 u.1.1 again 0
rolecall/1 u.1.1 done 0" "$(cat second)"
	expect 2 "$(wc -l <log | tr -d ' ')"
}

in_container() {
	unshare -pf --mount-proc sh -c "$1"
}

case_taken_but_never_started() {
	mkdir -p state/run/u.1.1
	: >state/run/u.1.1/1
	: >go
	again_until_done ""
	expect 1 "$(wc -l <log | tr -d ' ')"
}
