# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Call stacks are those that the compiler's own unwinder finds, frame by frame:
# at calls and in handlers, on all kinds of stacks, in the middle of exceptions,
# beside a library that comes and goes, and when a walk is interrupted by one.

. ./common.sh
not_sanitized

cat >"$T/oracle.c" <<'END'
#include <unwind.h>

static _Unwind_Reason_Code
each(struct _Unwind_Context *c, void *arg)
{
	(void)c;
	(void)arg;
	return _URC_NO_REASON;
}

int
main(void)
{
	_Unwind_Backtrace(each, 0);
	return 0;
}
END
$CC $CFLAGS -o "$T/oracle" "$T/oracle.c" >/dev/null 2>&1 && "$T/oracle" ||
    skip "no unwinder to compare with"

flags="-DORACLE -D_GNU_SOURCE -I$TOP/libut"
cat >"$T/so.c" <<'END'
void walk_call(void (*)(void));

void
walk_call(void (*f)(void))
{
	volatile char b[SIZE];

	b[0] = 1;
	f();
	b[1] = 1;
}
END
for size in 24 88; do
	$CC $CFLAGS -fPIC -shared -DSIZE=$size -o "$T/so$size.so" "$T/so.c" ||
	    fail "cannot build a library"
done
WALK_SO=$T/so24.so WALK_SO2=$T/so88.so
export WALK_SO WALK_SO2

# Libraries of NetBSD that have no table of the tables cut stacks.
cut=
[ "$(uname)" != NetBSD ] || cut=1

# Where the linker tells without a lock what has gone, that is seen.
replaced=
echo '#include <dlfcn.h>
#ifndef DLFO_STRUCT_HAS_EH_DBASE
#error
#endif' >"$T/dlfo.c"
! $CC $CFLAGS -D_GNU_SOURCE -fsyntax-only "$T/dlfo.c" 2>/dev/null ||
    replaced=replaced

# same COMMAND...: all stacks of all shapes are the same.
same() {
	"$@" >"$T/out" 2>"$T/err"
	case $? in
	0)	;;
	77)	skip "no unwinder in libut for this processor or system" ;;
	*)	fail "$flags: $(cat "$T/out" "$T/err")" ;;
	esac
	cat "$T/out"
	awk -v cut="$cut" '$5 + $9 > 0 ||
	    (!cut && ($2 + $6 == 0 || $3 + $4 + $7 + $8 > 0)) { exit 1 }' \
	    "$T/out" || fail "$flags: $(cat "$T/out" "$T/err")"
}

moved=
if [ -n "$replaced" ]; then
	. ./shared/moved.sh
	for size in 24 88; do
		moved moved$size "$T/so.c" -DSIZE=$size
	done
	moved=$T/moved
fi

shapes="deep aligned large callback jump alternate coroutines threads storm"
# The other unwinder is not made for any place that a timer interrupts, and
# faults in some under qemu.
case $CC in
*-m32*)	timer= ;;
*)	timer=timer ;;
esac
# To ask for memory through a pipe takes long: one build is enough there, and
# not each instruction is interrupted.
case $CFLAGS in
*-DUT_POSIX*)	set -- -O2 ;;
*)	set -- -O0 -O2 '-O2 -fomit-frame-pointer' -Os
	shapes="$shapes interrupted" ;;
esac
for opt; do
	$CC $CFLAGS $opt $flags -o "$T/walk" prog/walk.c "$LIBUT" $LIBS $DL ||
	    fail "cannot build walk $opt"
	same "$T/walk" $shapes $replaced $timer
	[ -z "$moved" ] || WALK_SO=${moved}24.so WALK_SO2=${moved}88.so \
	    same "$T/walk" storm replaced
	"$T/walk" beside >"$T/out" || fail "walk $opt beside: status $?"
done

# The run-time linker finds a function in the middle of a call to it.
if $CC $CFLAGS -O2 $flags -Wl,-z,lazy -o "$T/lazy" prog/walk.c "$LIBUT" \
    $LIBS $DL 2>/dev/null; then
	same "$T/lazy" stepped
fi

# Where nothing says any more what can be read, stacks are cut, and not wrong.
"$T/walk" refused >"$T/out" 2>"$T/err" || fail "refused: $(cat "$T/err")"
cat "$T/out"
awk '$4 + $5 > 0 { exit 1 }' "$T/out" ||
    fail "refused: $(cat "$T/out" "$T/err")"

# valgrind has nothing to say, and the stacks are the same.
case "$CC $CFLAGS" in
*-m32*|*-DUT_POSIX*)	;;
*)	if valgrind -q "$T/oracle" >/dev/null 2>&1; then
		same valgrind -q --error-exitcode=9 "$T/walk" deep callback \
		    alternate
	fi ;;
esac

# C++, where there is a compiler of the same kind.
case $CC in
*-m32*|*musl*)	cxx= ;;
*gcc*|*cc)	cxx=g++ ;;
*clang*)	cxx=clang++ ;;
*)		cxx= ;;
esac
[ -n "$cxx" ] && command -v $cxx >/dev/null 2>&1 || exit 0
for opt in -O0 -O2; do
	$CC $CFLAGS $opt $flags -DCXX -c -o "$T/walk.o" prog/walk.c &&
	    $cxx $CFLAGS $opt -o "$T/throw" prog/walkthrow.cc "$T/walk.o" \
	    "$LIBUT" $LIBS $DL || fail "cannot build throw $opt"
	same "$T/throw" throw
done
