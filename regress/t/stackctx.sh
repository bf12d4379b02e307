# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The context stack: each event's stack is what backtrace(3) says, and defined
# before it in the same packet, in every mode, wherever a packet ends and
# whatever interrupts an event; filters, children and kills spoil nothing.

. ./common.sh
seeded

not_sanitized
export T

# checked WHAT DEPTH [EVENTS]: the streams say so, of as many events.
checked() {
	./prog/stackcheck -d "$2" $(find "$T/trace" -name 'channel0_*' \
	    -type f) >"$T/checked" || fail "$1: $(cat "$T/checked")"
	read -r events _ definitions _ late _ lacking _ cut _ <"$T/checked"
	echo "$1: $(cat "$T/checked")"
	[ "$events" -gt 0 ] && [ "$definitions" -gt 0 ] &&
	    [ "$events" -eq "${3:-$events}" ] || fail "$1: $(cat "$T/checked")"
	# Where packets end meanwhile, a thread may be stopped in that instant.
	case $1 in
	follow|chunks)	most=2 ;;
	*)		most=0 ;;
	esac
	[ $((late + lacking)) -le $most ] || fail "$1: $(cat "$T/checked")"
	readers_agree "$T/trace"
	rm -rf "$T/trace"
}

# rec WHAT DEPTH EVENTS 'option ...' argument ...
rec() {
	what=$1 depth=$2 want=$3 options=$4
	shift 4
	utctl record $options -m block -o "$T/trace" -e 'stacked:*' -- \
	    ./prog/stacked "$@" 2>"$T/err" || fail "$what: $(cat "$T/err")"
	grep -q "^utctl: ${want:-[0-9]*} events, 0 lost, " "$T/err" ||
	    fail "$what: $(cat "$T/err")"
	checked "$what" "$depth" $want
}

# session MODE 'option of add-context' [filter]
session() {
	utctl create -o "$T/trace" s >/dev/null &&
	    utctl enable-channel $1 -b 16k -n 8 channel0 &&
	    utctl add-context $2 &&
	    utctl enable-event ${3:+-f "$3"} 'stacked:*' >/dev/null &&
	    utctl start s >/dev/null || fail "session $*"
}

rec usual 32 1001 -g 1 1000
rec deep 128 1001 '-G 128' 1 1000
rec one 1 1001 '-G 1' 1 1000
rec small 32 20001 '-g -b 4k' 4 5000
rec shared 32 421 '-g -b 4k -n 8' -s 60 7
rec children 32 4001 '-g -b 16k' -f 2 1000
# A handler records in the middle of events, and leaves some of them.  The
# backtrace(3) of i386 takes a lock, which it would leave, too.
jumps=-j
case $CC in
*-m32*)	jumps= ;;
*)	rec handler 32 '' '-g -b 16k' -j 2 8000 ;;
esac
# Packets end wherever the threads are.
rec follow 32 20001 '-g -F -b 256k' 2 10000

# What cannot be.
expect 1 "^utctl: depth '129': not a number from 1 to 128$" \
    utctl record -G 129 -- true
expect 1 "^utctl: context 'stack/0': unknown: .*stack\[/DEPTH\]" \
    utctl add-context stack/0
start_utd
session '' stack/128
expect 1 '^utctl: context stack/9: named twice$' utctl add-context stack stack/9
expect 1 '^utctl: channel channel0 has context stack already$' \
    utctl add-context stack
expect 1 '^utctl: filter: \$stack is an ID, ' \
    utctl enable-event -f '$stack != 0' x:y
expect 0 '^        contexts: stack/128$' utctl list s
expect 0 '^add-context -s s -c channel0 stack/128$' utctl save s
utctl destroy s >/dev/null
rm -rf "$T/trace"

# The newest of what was recorded.
utctl create -S s >/dev/null && utctl enable-channel -b 16k -n 8 channel0 &&
    utctl add-context stack/16 && utctl enable-event 'stacked:*' >/dev/null &&
    utctl start s >/dev/null || fail "flight recorder"
./prog/stacked 2 20000
utctl snapshot -o "$T/trace" s >/dev/null || fail "snapshot"
checked snapshot 16
utctl destroy s >/dev/null

session '-m overwrite' stack/16
./prog/stacked 2 20000
utctl destroy s >/dev/null
checked overwrite 16

session '-p -m block' stack/16 'n % 3 == 0'
./prog/stacked $jumps 2 9000
utctl destroy s >/dev/null
checked filter 16

# Chunks, stops, another consumer, another utd; and the program is killed.
session '-m block' stack
./prog/stacked 2 100000000 &
OTHER=$!
CHILDREN=$OTHER
for i in 1 2 3 4 5; do
	nap 50
	utctl rotate s >/dev/null || fail "rotate"
	nap 50
	utctl stop s >/dev/null && utctl start s >/dev/null || fail "stop"
done
kill -9 $(consumers)
sleep 0.2
kill -9 "$UTD_PID"
wait "$UTD_PID" 2>/dev/null
start_utd
sleep 0.2
kill -9 $OTHER
wait $OTHER 2>/dev/null
CHILDREN=
utctl destroy s >/dev/null || fail "destroy"
checked chunks 32
stop_utd || fail "utd: status $?"

# What ends something has no stack: what began it has.
stacks_of() {
	utctl record -g -w "$1" -o "$T/trace" -- "$2" >/dev/null \
	    2>"$T/err" || fail "-w $1: $(cat "$T/err")"
	utctl view -N -e "$3:*" "$T/trace" | awk -v without="$4" '
	{
		none = $0 ~ / stack = 0x0 /
		seen[none]++
		if (none != ($4 ~ without))
			exit wrong = 1
	}
	END { exit wrong || seen[0] == 0 || seen[1] == 0 }' ||
	    fail "stacks of $1: $(utctl view -N "$T/trace" | head -50)"
	rm -rf "$T/trace"
}

case $CFLAGS in
*-DUT_POSIX*)	;;
*)	stacks_of malloc ./prog/mallocs libc ':free$'
	$CC $CFLAGS -std=c11 -D_GNU_SOURCE -pthread -o "$T/locks" prog/locks.c \
	    $LIBS || fail "cannot build locks"
	stacks_of pthread "$T/locks" pthread '_release$' ;;
esac

# Without tables, a frame pointer may be data that looks like frames: the stack
# that a guess has made does not say that it is whole.
case $(uname -sm)/$CC/$CFLAGS in
*-m32*|*-DUT_POSIX*)	exit 0 ;;
Linux\ x86_64/*)	;;
*)	exit 0 ;;
esac
cat >"$T/guess.c" <<'END'
#include <stdlib.h>

void *guess(void), *behind(void);
__asm__ (
    ".text\n"
    "guess:	push %rbp\n"
    "	sub $80, %rsp\n"
    "	lea 16(%rsp), %rbp\n"
    "	lea 40(%rsp), %rax\n"
    "	mov %rax, (%rbp)\n"
    "	lea back(%rip), %rax\n"
    "	mov %rax, 8(%rbp)\n"
    "	movq $0, 24(%rbp)\n"
    "	movq $0, 32(%rbp)\n"
    "	mov $4242, %edi\n"
    "	call malloc@plt\n"
    "	add $80, %rsp\n"
    "	pop %rbp\n"
    "	ret\n"
    "behind: .cfi_startproc\n"
    "	sub $8, %rsp\n"
    "	.cfi_adjust_cfa_offset 8\n"
    "	call guess\n"
    "back:	add $8, %rsp\n"
    "	.cfi_adjust_cfa_offset -8\n"
    "	ret\n"
    "	.cfi_endproc\n");

int
main(void)
{
	return guess() == NULL;
}
END
$CC $CFLAGS -o "$T/guess" "$T/guess.c" || fail "cannot build guess"
utctl record -g -w malloc -o "$T/trace" -- "$T/guess" 2>"$T/err" ||
    fail "guess: $(cat "$T/err")"
utctl view -j -o stack -f 'size == 4242' "$T/trace" >"$T/out"
grep -q '"stack_end":"cut"' "$T/out" || fail "guess: $(cat "$T/out")"
