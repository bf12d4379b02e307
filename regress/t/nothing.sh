# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# When nothing was recorded, utctl says why, as far as utd knows: for each cause
# its own message, and none when something was.

. ./common.sh

unset UT_DISABLE
ME=$(id -u)
# why STATUS LINE COMMAND ...: it says that, after the line of 0 events.
why() {
	expect "$1" "^utctl: $2\$" shift3 "$@"
	grep -q '0 events, 0 lost' "$T/out" "$T/err" ||
	    fail "$*: $(cat "$T/err")"
}
shift3() {
	shift 2
	"$@"
}
# once: no other explanation.
once() {
	[ "$(grep -c '^utctl: ' "$T/err")" -eq "$1" ] ||
	    fail "too much is said: $(cat "$T/err")"
}

# record: a line of its own with the numbers.
n=0
rec() {
	n=$((n + 1))
	utctl record -o "$T/rec$n" "$@"
}
any='; -w malloc records the calls of any program'
why 0 "no program came that uses ut(3)$any" rec true
once 2
why 0 "no program came that uses ut(3)$any" rec -e 'a:b' -e 'c:d' true
once 2
why 0 'no program came that has an event seq:idle' rec -e seq:idle \
    ./prog/seq 1 1 10
once 2
why 0 'no program came that has an event seq:tick of level <= err' rec \
    -l err -e seq:tick ./prog/seq 1 1 10
why 0 'no program came that has an event seq:tick of level == debug' rec \
    -L debug -e seq:tick ./prog/seq 1 1 10
but=', but for those that -x excludes'
why 0 "no program came that has events$but" rec -x 'seq:*' ./prog/seq 1 1 10
once 2
why 0 "no program came that has an event seq:tick$but" rec -e seq:tick \
    -x '*:tick' ./prog/seq 1 1 10
once 2
why 0 "no program came that has an event seq:tick of level <= emerg$but" rec \
    -e seq:tick -x '*:tick' -l emerg ./prog/seq 1 1 10
why 0 'there are events that match, but no program has reached one' rec \
    ./prog/seq 1 1 0
once 2
printf '#include <ut.h>\nint main(void) { return 0; }\n' >"$T/bare.c"
CFLAGS="$CFLAGS -O0" build "$T/bare" "$T/bare.c"
why 0 'no program came that has events of its own: if another .*' rec "$T/bare"
once 2
why 0 'there are .* reached one that passes its filter' rec -f 'n > 100' \
    ./prog/seq 1 1 10
once 2
# What is written wrong, and a filter that fits no event.
why 0 'no program came that has an event seq:tik: is it seq:tick' rec \
    -e seq:tik ./prog/seq 1 1 10
once 2
why 0 'no program came that has an event sqe:\*: is it seq:tick' rec \
    -e 'sqe:*' ./prog/seq 1 1 10
why 0 'no program came that has an event tick:seq' rec -e 'tick:seq' \
    ./prog/seq 1 1 10
why 0 'there are events that match seq:tick, but the filter fits none of them' \
    rec -e seq:tick -f 'none == 2' ./prog/seq 1 1 10
grep -q "^utctl: warning: seq:tick of seq never passes .*: no field none\$" \
    "$T/err" || fail "$(cat "$T/err")"
once 3
# Options of record behind the command, which are none if the command has such.
SEQ="exec $PWD/prog/seq 1 1 10"
mkdir "$T/here" || exit 1
in_dir() {
	( cd "$T/here" && "$@" )
}
expect 0 '^utctl: -o x was given to sh: options of record come before' \
    in_dir utctl record sh -c "$SEQ" sh -o x
once 2
expect 0 '^utctl: -w malloc was given to sh: ' rec sh -c "$SEQ" sh -w malloc
once 2
# A wrapper whose events are not among those that are recorded.  One with a
# sanitizer in it cannot be preloaded.
wrapped() {	# options
	rec -w malloc "$@" -- sh -c "$SEQ" >"$T/out" 2>"$T/err" ||
	    fail "-w malloc $*: $(cat "$T/err")"
}
wrappers() {
	for but in "-e kv:*" "-l info" "-L debug" "-x libc:*" \
	    "-e libc:* -x *:free"; do
		wrapped $but
		grep -q 'warning: -w malloc, but .* leave out its libc:' \
		    "$T/err" || fail "-w malloc $but: $(cat "$T/err")"
	done
	for but in "-e libc:*" "-e *:malloc -e l*:free" "-L debug_function"; do
		wrapped $but
		! grep 'leave out' "$T/err" || fail "-w malloc $but"
	done
}
case $CFLAGS in
*-fsanitize*)	;;
*)	wrappers ;;
esac
expect 0 '^utctl: 10 events' in_dir utctl record -- sh -c "$SEQ" sh -o x
once 1
expect 0 '^utctl: 10 events' in_dir utctl record sh -c "$SEQ" sh -o "$T/here"
once 1
# How the command ended, if its status does not tell.
expect 139 '^utctl: sh was ended by signal 11 (' rec sh -c 'kill -SEGV $$'
expect 139 '^utctl: 0 events' rec sh -c 'exit 139'
grep -q 'by signal' "$T/err" && fail "$(cat "$T/err")"
UT_DISABLE=1
export UT_DISABLE
why 0 'UT_DISABLE is set: ut(3) does nothing in the programs' rec \
    ./prog/seq 1 1 10
UT_DISABLE=0
why 0 'no program came that has an event x:y' rec -e x:y ./prog/seq 1 1 10
once 2
unset UT_DISABLE
# One pattern of several.
expect 0 '10 events, 0 lost' rec -e seq:tick -e 'seq:none' ./prog/seq 1 1 10
grep -q '^utctl: no program came that has an event seq:none$' "$T/err" ||
    fail "one of two: $(cat "$T/err")"
once 2
expect 0 '10 events, 0 lost' rec ./prog/seq 1 1 10
once 1

# -w, where it has no effect.  A sanitizer refuses libraries that come first.
case $CFLAGS in
*-fsanitize*)	;;
*)	printf 'int main(void) { return 0; }\n' >"$T/plain.c"
	$CC -o "$T/plain" "$T/plain.c" || exit 1
	why 0 '-w func records functions that .*: are there any?' \
	    rec -w func "$T/plain"
	once 3 ;;
esac
if [ -f ../libut/libut-malloc.so ]; then
	printf 'int main(void) { return 0; }\n' >"$T/none.c"
	if $CC -static -o "$T/static" "$T/none.c" 2>/dev/null &&
	    "$T/static"; then
		why 0 ".*/static is statically linked: -w has no effect on it" \
		    rec -w malloc "$T/static"
	fi
	# One of another C library, which cannot load the wrapper.
	case $CC in
	*musl*|*-m32*)	;;
	*)	! musl-gcc -o "$T/musl" "$T/none.c" 2>/dev/null ||
		    why 0 '.*/musl is loaded by .*: -w is for programs .*' \
		    rec -w malloc "$T/musl" ;;
	esac
	if [ "$ME" -eq 0 ]; then
		chmod 711 "$T" && $CC -o "$T/setuid" "$T/none.c" &&
		    chown 65534 "$T/setuid" && chmod 4711 "$T/setuid" ||
		    exit 1
		why 0 ".*/setuid changes its user or group: -w has no .*" \
		    rec -w malloc "$T/setuid"
	fi
fi

# Sessions.
start_utd
new() {
	utctl create -o "$T/$1" "$1" >/dev/null || fail "create $1"
}
new a
why 0 'session a was never started' utctl destroy a
new b
utctl start >/dev/null || fail "start"
why 0 'no events were enabled in session b' utctl stop
once 1
why 0 'no events were enabled in session b' utctl destroy
new c
utctl enable-event 'seq:*' 'pulse:*' >/dev/null && utctl start >/dev/null ||
    fail "c"
why 0 'no program came that uses ut(3)' utctl stop c
once 1
utctl start >/dev/null && ./prog/clocks 1 || fail "clocks"
why 0 'no program came that has an event seq:\*' utctl stop
grep -q 'no program came that has an event pulse:\*' "$T/err" || fail "pulse"
once 2
utctl start >/dev/null && ./prog/seq 1 1 0 || fail "seq"
why 0 'there are events that match, but no program has reached one' utctl stop
expect 0 'session c started' utctl start
./prog/seq 1 1 10 || fail "seq"
expect 0 'session c stopped: 10 events' utctl stop
[ ! -s "$T/err" ] || fail "something was recorded: $(cat "$T/err")"
# destroy names the directory.
expect 0 "session c destroyed: 10 events, 0 lost, [0-9]* bytes in $T/c" \
    utctl destroy
[ ! -s "$T/err" ] || fail "something was recorded: $(cat "$T/err")"

new d
utctl enable-event 'seq:*' >/dev/null && utctl track -n other >/dev/null &&
    utctl start >/dev/null && ./prog/seq 1 1 10 || fail "d"
why 0 'only the programs that are tracked are recorded' utctl stop
once 2
utctl destroy >/dev/null 2>&1 || fail "destroy"

# A program that runs when the session is made has come, too.
mkfifo "$T/in" || exit 1
./prog/pulse <"$T/in" >/dev/null &
CHILDREN="$CHILDREN $!"
exec 4>"$T/in"
until_ok sh -c 'utctl events | grep -q pulse:a'
new e
utctl enable-event 'seq:*' >/dev/null && utctl start >/dev/null || fail "e"
why 0 'no program came that has an event seq:\*' utctl destroy
exec 4>&-

# Those of others.
if [ "$ME" -eq 0 ]; then
	chmod 711 "$T" "$UT_RUNDIR"
	as_user utctl create -N u >/dev/null && as_user utctl enable-event 'seq:*' >/dev/null &&
	    as_user utctl start >/dev/null && ./prog/seq 1 1 10 || fail "u"
	why 0 'there were programs of other users: .*' as_user utctl destroy u
	once 2
fi
stop_utd || fail "utd: status $?"
