# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Whether the cycle counter is trusted: on systems that are not this one, by the
# function that says so; and by utd itself, where it is told of other clocks.

. ./common.sh

# How stat names the clock, whose line and points differ by parts of a us.
ONLINE='^clock: monotonic\( (off by 0\.[0-9]* us at most)\)\{0,1\}$'

$CC -std=c11 -D_GNU_SOURCE -Wall -Wextra $CFLAGS -I"$TOP/libut" -o "$T/trust" \
    prog/trust.c "$TOP/libut/common/gettime.o" $LIBS ||
    fail "cannot build trust"

# says ANSWER SOURCE invariant | variable fast | slow
says() {
	want=$1
	shift
	got=$("$T/trust" "$@") || fail "trust $*"
	case $got in
	$want)	;;
	*)	fail "$*: $got" ;;
	esac
}

case $($CC $CFLAGS -dumpmachine),$CFLAGS in
*-DUT_POSIX*)
	says 'there is no cycle counter *' tsc invariant fast ;;
x86_64-*|i?86-*)
	distrust='the system does not trust the cycle counter: '
	says trusted tsc invariant fast
	says trusted tsc invariant slow
	says 'the processor does not say *' tsc variable fast
	for made in kvm-clock xen hyperv_clocksource_tsc_page; do
		# Hypervisors hide that it is invariant.
		says trusted $made variable fast
		says trusted $made invariant fast
		says "${distrust}it reads its clock, $made, by a system call" \
		    $made invariant slow
	done
	says "${distrust}its clock is hpet" hpet invariant fast
	says "${distrust}its clock is " '' invariant fast
	says 'the system does not say *' - invariant fast ;;
aarch64-*)
	says trusted arch_sys_counter variable slow
	says '*its clock is kvm-clock' kvm-clock invariant fast ;;
esac

# A utd that is told of another clock than the system has.
case "$(uname) $CFLAGS" in
*-DUT_POSIX*)	skip "plain POSIX" ;;
Linux*)	;;
*)	skip "only Linux has a file for it" ;;
esac
not_cross
mkdir "$T/src" "$T/src/utctl" &&
    cp -rp "$TOP/Makefile" "$TOP/libut" "$TOP/utd" "$T/src" &&
    rm "$T/src/libut/common/compat.o" "$T/src/utd/utd" && (cd "$T/src" &&
    unset MAKEFLAGS MFLAGS MAKELEVEL && ${MAKE:-make} CC="$CC" \
    CFLAGS="$CFLAGS" CPPFLAGS="-DUT_CLOCKSOURCE='\"$T/source\"'" utd/utd) \
    >"$T/make.log" 2>&1 || fail "cannot build: $(tail -3 "$T/make.log")"
echo hpet >"$T/source"
# What record runs is the utd beside utctl.
cp "$TOP/utctl/utctl" "$T/src/utctl" || exit 1
PATH=$T/src/utctl:$T/src/utd:$PATH
start_utd
utctl create -o "$T/s" s >/dev/null || fail create
complains 'channel c: the system does not trust the cycle counter: .* hpet$' \
    utctl enable-channel -k cycles c
expect 0 '' utctl enable-channel -k auto automatic
expect 0 'channel automatic: [^,]*, 512 sub-buffers of 16k$' utctl list s
recorded -- ./prog/clocks 1
expect 0 "$ONLINE" utctl stat "$T/trace"
echo kvm-clock >"$T/source"
case $($CC $CFLAGS -dumpmachine),$("$T/trust" real) in
x86_64-*,fast|i?86-*,fast)
	expect 0 '' utctl enable-channel -k cycles c
	expect 0 'channel c: .*, clock cycles' utctl list s
	expect 0 '' utctl enable-channel -k auto counter
	expect 0 'channel counter: .*, clock cycles' utctl list s
	recorded -- ./prog/clocks 1
	expect 0 '^clock: cycles' utctl stat "$T/trace"
	recorded -k monotonic -- ./prog/clocks 1
	expect 0 "$ONLINE" utctl stat "$T/trace" ;;
x86_64-*,slow|i?86-*,slow)
	complains 'reads its clock, kvm-clock, by a system call$' \
	    utctl enable-channel -k cycles c ;;
esac
stop_utd || fail "utd: status $?"
