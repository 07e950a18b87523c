# Cases of launcher_test.sh: the configmeta that comes on standard input. Sourced, like cases.sh.

# bring GENERATION TEXT: a check that takes the configmeta along.
bring() {
	printf %s "$2" >"input.$1"
	generation=$1 length=$(wc -c <"input.$1") input=input.$1 call u.0.0 check - 60
}

# held GENERATION TEXT: what is in its place, and what a call says of it.
held() {
	expect "$2" "$(cat etc/configmeta.json)"
	expect "rolecall/1 u.0.0 config $1
rolecall/1 u.0.0 setup 0" "$(call u.0.0 check - 60)"
	expect "" "$(ls etc/.configmeta.u | grep new)"
}

case_config_is_there_when_the_handler_starts() {
	printf '{"a": "b"}' >input
	generation=7 length=10 input=input call u.1.1 configure u/n1 60 \
		sh -c 'cat "$ROLECALL_CONFIGMETA"; echo " $ROLECALL_CONFIGMETA $ROLECALL_GENERATION"; exit 1' >answer
	expect "rolecall/1 u.1.1 config 7
rolecall/1 u.1.1 done 1
{\"a\": \"b\"} $work/etc/configmeta.json 7" "$(cat answer)"
	held 7 '{"a": "b"}'
}

case_config_of_a_mebibyte_byte_for_byte() {
	head -c 1048576 /dev/urandom >input
	generation=1 length=1048576 input=input call u.1.1 run - 60 true >answer
	expect "rolecall/1 u.1.1 config 1
rolecall/1 u.1.1 done 0" "$(cat answer)"
	cmp -s input etc/configmeta.json || fail "it differs"
}

case_config_that_is_not_there_and_not_sent() {
	expect "rolecall/1 u.1.1 no-config 0" "$(generation=1 call u.1.1 run - 60 sh -c 'echo start >>"$LOG"')"
	bring 1 one >answer
	expect "rolecall/1 u.1.1 config 1
rolecall/1 u.1.1 no-config 0" "$(generation=2 call u.1.1 run - 60 sh -c 'echo start >>"$LOG"')"
	expect "" "$(cat log)"
	expect "rolecall/1 u.1.1 config 1
rolecall/1 u.1.1 done 0" "$(generation=1 call u.1.1 run - 60 true)"
	rm etc/configmeta.json
	expect "rolecall/1 u.2.1 no-config 0" "$(generation=1 call u.2.1 run - 60 true)"
}

case_config_newer_than_needed_will_do() {
	bring 3 three >answer
	expect "rolecall/1 u.1.1 config 3
rolecall/1 u.1.1 done 0" "$(generation=2 call u.1.1 run - 60 true)"
}

case_config_from_short_and_closed_input() {
	bring 1 one >answer
	printf 'tw' >input
	generation=2 length=3 input=input call u.1.1 run - 60 sh -c 'echo start >>"$LOG"' >answer
	expect "rolecall/1 u.1.1 config 1
rolecall/1 u.1.1 no-state 0
configmeta: 2 bytes of 3" "$(cat answer)"
	generation=2 length=3 call u.1.1 run - 60 sh -c 'echo start >>"$LOG"' >answer
	expect "configmeta: 0 bytes of 3" "$(tail -n 1 answer)"
	sh -c "$text" rolecall u.1.1 run - 60 2 3 - sh -c 'echo start >>"$LOG"' <&- >answer
	expect "configmeta: 0 bytes of 3" "$(tail -n 1 answer)"
	expect "" "$(cat log)"
	expect one "$(cat etc/configmeta.json)"
	bring 2 two >answer
	held 2 two
}

# A runtime may end the input once an output is closed: while it is read standard error is open, and no handler keeps it so.
case_config_while_standard_error_is_open() {
	list='{ for fd in /proc/$0/fd/*; do readlink "$fd"; done; true; }'
	mkfifo stdin stderr
	cat stderr >errors &
	"$work/bin/sh" -c "$text" rolecall u.1.1 run - 60 1 3 - sh -c "$list >$LOG" self <stdin >answer 2>stderr &
	caller=$!
	exec 4>stdin
	until_true 20 sh -c 'ls etc/.configmeta.u/new.1.*' || fail "it does not ask for its input"
	sh -c "$list" $caller >held
	printf one >&4
	exec 4>&-
	wait
	expect "done 0" "$(final u.1.1 answer)"
	expect "" "$(cat errors)"
	grep -qxF "$PWD/stderr" held || fail "it was closed while the input was read: $(cat held)"
	grep -qxF "/dev/null" log && ! grep -qxF "$PWD/stderr" log || fail "the handler holds it: $(cat log)"
}

case_config_with_standard_error_closed() {
	printf one >input
	"$work/bin/sh" -c "$text" rolecall u.1.1 run - 60 1 3 - true <input >answer 2>&-
	expect "done 0" "$(final u.1.1 answer)"
	held 1 one
}

case_config_from_longer_input() {
	printf 'two and more' >input
	generation=2 length=3 input=input call u.1.1 run - 60 true >answer
	expect "done 0" "$(final u.1.1 answer)"
	held 2 two
}

# v4 of the protocol cannot end the input: it stays open behind the last byte.
case_config_from_input_that_does_not_end() {
	mkfifo pipe
	sleep 1000 >pipe &
	sleeper=$!
	printf two >pipe &
	generation=2 length=3 input=pipe call u.1.1 run - 60 true >answer
	expect "done 0" "$(final u.1.1 answer)"
	kill $sleeper
	held 2 two
}

case_config_older_never_overwrites() {
	bring 2 two >answer
	bring 1 one >answer
	expect "rolecall/1 u.0.0 config 2
rolecall/1 u.0.0 setup 0" "$(cat answer)"
	held 2 two
	bring 10 ten >answer
	bring 9 nine >answer
	held 10 ten
}

case_config_of_the_same_generation_is_written_again() {
	bring 2 two >answer
	bring 2 TWO >answer
	held 2 TWO
}

case_config_of_another_cluster_does_not_count() {
	generation=9 length=1 input=/dev/zero call other.0.0 check - 60 >answer
	bring 1 one >answer
	held 1 one
}

case_config_older_comes_late() {
	mkfifo pipe
	generation=1 length=3 input=pipe call u.1.1 run - 60 sh -c 'cat "$ROLECALL_CONFIGMETA" >>"$LOG"' >answer &
	exec 8>pipe
	bring 2 two >second
	printf one >&8
	wait $!
	expect "rolecall/1 u.1.1 config 2
rolecall/1 u.1.1 done 0" "$(cat answer)"
	expect two "$(cat log)"
	held 2 two
}

case_config_not_read_for_a_run_that_is_known() {
	expect "rolecall/1 u.1.1 done 0" "$(call u.1.1 run - 60 true)"
	expect "rolecall/1 u.1.1 done 0" "$(generation=5 length=9 call u.1.1 run - 60 true)"
	[ ! -e etc ] || fail "it was written"
}

case_config_needs_the_setup() {
	printf one >input
	generation=1 length=3 input=input call u.0.0 check u/n1 60 >answer
	expect "rolecall/1 u.0.0 no-setup 0" "$(cat answer)"
	[ ! -e etc ] || fail "it was written"
}

case_config_by_many_callers_at_once() {
	for i in 5 2 8 3 7 1 6 4; do
		bring $i "generation $i" >answer.$i &
	done
	wait
	held 8 "generation 8"
}

# Readers see one or the other, whole, and never an older one after a newer one.
case_config_readers_never_see_half() {
	head -c 400000 /dev/zero | tr '\0' a >a
	bring 1 "$(cat a)" >answer
	while [ ! -e stop ]; do
		head -c 1 etc/configmeta.json && wc -c <etc/configmeta.json
	done >seen &
	for i in 2 3 4 5; do
		tr a $i <a >b
		bring $i "$(cat b)" >answer
	done
	: >stop
	wait $!
	expect "400000" "$(cut -c 2- seen | sort -u)"
	cut -c 1 seen | tr a 1 >letters
	sort -c letters || fail "an older one came back"
}

case_config_where_its_place_cannot_be_written() {
	: >etc
	printf one >input
	generation=1 length=3 input=input call u.1.1 run - 60 \
		sh -c 'cat "$ROLECALL_CONFIGMETA"; echo " $ROLECALL_CONFIGMETA"; exit 1' >answer
	case $(head -n 1 answer) in
	"rolecall/1 u.1.1 aside 1 "*etc*) ;;
	*) fail "no reason: $(head -n 1 answer)" ;;
	esac
	expect "rolecall/1 u.1.1 done 1
one $work/state/configmeta.json" "$(tail -n 2 answer)"
	expect "rolecall/1 u.0.0 aside 1
rolecall/1 u.0.0 setup 0" "$(call u.0.0 check - 60)"
	rm etc
	bring 2 two >answer
	held 2 two
}

case_config_on_a_read_only_root() {
	mkdir etc
	mount -t tmpfs rolecall etc 2>/dev/null && mount -o remount,ro etc || skip "cannot mount a tmpfs"
	trap 'umount -l "$work/etc"' EXIT
	bring 1 one >answer
	case $(head -n 1 answer) in
	"rolecall/1 u.0.0 aside 1 "*"Read-only file system"*) ;;
	*) fail "no reason: $(head -n 1 answer)" ;;
	esac
	expect one "$(cat state/configmeta.json)"
}

case_config_on_a_full_disk() {
	mkdir etc
	mount -t tmpfs -o size=64k rolecall etc 2>/dev/null || skip "cannot mount a tmpfs"
	trap 'umount -l "$work/etc"' EXIT
	bring 1 one >answer
	head -c 20000 /dev/zero >input
	head -c 50000 /dev/zero >etc/fill
	generation=2 length=20000 input=input call u.1.1 run - 60 sh -c 'echo start >>"$LOG"' >answer
	expect "rolecall/1 u.1.1 config 1
rolecall/1 u.1.1 no-state 0" "$(head -n 2 answer)"
	grep -q "bytes of 20000" answer || fail "the reason is not said: $(cat answer)"
	expect "" "$(cat log)"
	expect one "$(cat etc/configmeta.json)"
	rm etc/fill
	generation=2 length=20000 input=input call u.1.1 run - 60 sh -c 'echo start >>"$LOG"' >answer
	expect "done 0" "$(final u.1.1 answer)"
	cmp -s input etc/configmeta.json || fail "it differs"
	expect "2" "$(ls etc/.configmeta.u)"
}
