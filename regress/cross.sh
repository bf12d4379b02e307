#!/bin/sh
# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# Other processors: cross.sh [PROCESSOR...], of s390x (the only one with the
# other byte order), aarch64, armhf (32 bits) and riscv64.  If none is named,
# all are meant.  For each, a copy of the tree is built, and must give no
# warning.  The tests in the list below are run with it.  Then traces that it
# records are read by the utctl of this tree and by babeltrace2, and traces that
# this tree records are read by its utctl, and all events are compared.
#
# `make cross' in the directory above builds this tree and runs the script.  On
# Debian it needs clang and qemu-user, and for each processor three packages,
# with those that they need 11 to 16 MB:
#
#	libc6-dev-s390x-cross libgcc-12-dev-s390x-cross
#	    binutils-s390x-linux-gnu
#	libc6-dev-arm64-cross libgcc-12-dev-arm64-cross
#	    binutils-aarch64-linux-gnu
#	libc6-dev-armhf-cross libgcc-12-dev-armhf-cross
#	    binutils-arm-linux-gnueabihf
#	libc6-dev-riscv64-cross libgcc-12-dev-riscv64-cross
#	    binutils-riscv64-linux-gnu
#
# Without clang it takes a compiler of the name s390x-linux-gnu-gcc; but
# Debian's cannot be installed beside gcc-multilib.
#
# The system must run such programs with qemu by itself, as utctl, utd and the
# tests execute each other.  Since Linux 6.7 each user namespace has its own
# list of executable formats (binfmt_misc): the script runs in a namespace, and
# nothing remains of it.  On older systems the processors are skipped, unless
# somebody has registered qemu, for example by installing qemu-user-binfmt.

cd "$(dirname "$0")" || exit 1
for p in "$@"; do
	case $p in
	s390x|aarch64|armhf|riscv64)	;;
	*)	echo "cross.sh: $p: unknown processor" >&2
		exit 1 ;;
	esac
done
[ $# -gt 0 ] || set -- s390x aarch64 armhf riscv64

# Those that depend on the processor, and not only on the system.  These are not
# for qemu-user 7.2: a program with threads that forks (it aborts now and then);
# prog/pulse on s390x, because qemu takes one thread's signalfd for another
# thread's stdin if their descriptors have one number; what counts the threads
# of a program (qemu has one more); what sets LD_PRELOAD (it is also qemu's).
# Others are left out because they take minutes.
tests="types levels exact exprs fuzz signals jump ends log toobig names
    notevaluated nm strn"

# about PROCESSOR: what others call it, its byte order, and how its executables
# begin, with the bits of that that count.
about() {
	order=le class='\x02\x01' type='\x02\x00' types='\xfe\xff'
	case $1 in
	s390x)		triple=s390x-linux-gnu qemu=qemu-s390x order=be
			class='\x02\x02' type='\x00\x02' types='\xff\xfe'
			machine='\x00\x16' ;;
	aarch64)	triple=aarch64-linux-gnu qemu=qemu-aarch64
			machine='\xb7\x00' ;;
	armhf)		triple=arm-linux-gnueabihf qemu=qemu-arm
			class='\x01\x01' machine='\x28\x00' ;;
	riscv64)	triple=riscv64-linux-gnu qemu=qemu-riscv64
			machine='\xf3\x00' ;;
	esac
}

# As binfmt_misc wants it.
format() {
	ignored='\x00\x00\x00\x00\x00\x00\x00\x00\x00'
	about "$1"
	printf '%s' ":$1:M::\\x7fELF$class\\x01$ignored$type$machine:" \
	    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff$ignored$types\\xff\\xff:" \
	    "$(command -v $qemu):"
}

# Twice again: in a namespace, where it mounts what it needs, and in another one
# below that, where it is an ordinary user.
formats=/proc/sys/fs/binfmt_misc
case ${CROSS_INSIDE-} in
'')
	CROSS_INSIDE=1
	export CROSS_INSIDE
	if unshare -Urm mount -t binfmt_misc binfmt_misc $formats 2>/dev/null
	then
		exec unshare -Urm sh ./cross.sh "$@"
	fi ;;
1)
	mount -t binfmt_misc binfmt_misc $formats &&
	    mount -t tmpfs -o mode=1777 tmpfs /dev/shm || exit 1
	for p in "$@"; do
		about "$p"
		! command -v $qemu >/dev/null 2>&1 ||
		    format "$p" >$formats/register || exit 1
	done
	CROSS_INSIDE=2
	exec unshare -U --map-user=1000 --map-group=1000 sh ./cross.sh "$@" ;;
esac

# What `make' tells a `make' that it starts is not for ours.
unset MAKEFLAGS MFLAGS MAKELEVEL
. ./common.sh
passed=0 failed=0 skipped=0

good() {
	passed=$((passed + 1))
	echo "ok      $*"
}

bad() {
	failed=$((failed + 1))
	echo "FAILED  $*"
}

# The compiler for $triple, in $cc, or why there is none.
compiler() {
	echo 'int main(void) { return 0; }' >"$T/try.c"
	for cc in "clang --target=$triple" $triple-gcc; do
		$cc -o "$T/try" "$T/try.c" -pthread >/dev/null 2>&1 || continue
		QEMU_LD_PREFIX=/usr/$triple "$T/try" >/dev/null 2>&1 && return
		why="nothing runs its programs here"
		command -v $qemu >/dev/null 2>&1 || why="no $qemu here"
		return 1
	done
	why="no compiler and C library here"
	return 1
}

# The copy of the tree for $p.
build_tree() {
	mkdir "$T/$p" && (cd "$TOP" && tar cf - Makefile libut utd utctl \
	    regress) | (cd "$T/$p" && tar xf -) && (
		cd "$T/$p" && $MAKE clean &&
		    $MAKE -j"$jobs" CC="$cc" CFLAGS=-O2 && cd regress &&
		    $MAKE -j"$jobs" CC="$cc" CFLAGS=-O2 progs
	) >"$T/build.log" 2>&1 && ! grep -q 'warning:' "$T/build.log"
}

# Of a test, what it says itself is shown only if it fails.
run_tests() {
	(
		cd "$T/$p/regress" && CC=$cc CFLAGS=-O2 LDFLAGS= LIBS=-pthread \
		    LIMIT=300 EVENTS=64000 FAILED= there sh ./run.sh $tests
	) | tee "$T/tests.out" | while read -r verdict what; do
		case $verdict in
		ok|skip|FAILED|UNSTEADY)
			printf '%-7s %s\n' "$verdict" "$p $what" ;;
		esac
	done
	cat "$T/$p"/regress/*.log 2>/dev/null | tail -n 40
	set -- $(awk '{ n[$1]++ }
	    END {
		print n["ok"] + n["UNSTEADY"], n["FAILED"] - n["UNSTEADY"],
		    n["skip"] + 0
	    }' \
	    "$T/tests.out") $tests
	[ $# -eq $(($1 + $2 + $3 + 3)) ] || bad "$p: not all tests were run"
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# A command that finds what was built for $p, and the libraries for it.
there() {
	QEMU_LD_PREFIX=/usr/$triple PATH="$T/$p/utctl:$T/$p/utd:$PATH" "$@"
}

# make_traces NAME command...: two, by the programs of this directory.
make_traces() {
	to=$T/$1
	shift
	"$@" utctl record -o "$to-types" -- ./prog/types &&
	    "$@" utctl record -o "$to-seq" -b 64k -n 64 -- ./prog/seq 7 2 10000
}

# Events, without times and processes, and those of threads in no order.
values() {
	cut -d' ' -f4- "$1" | case $2 in
	seq)	sort ;;
	*)	cat ;;
	esac
}

# read_one NAME KIND: both readers of this system read it, and as expected.
read_one() {
	readers_agree "$T/$1-$2"
	values "$T/view.out" "$2" >"$T/got"
	cmp -s "$T/$2" "$T/got" ||
	    fail "$2: $(diff "$T/$2" "$T/got" | head -n 4)"
	cat "$T/$1-$2"/ust/uid/*/*/metadata |
	    grep -q "byte_order = $order;" || fail "not $order"
}

read_here() {
	read_one "$1" types
	read_one "$1" seq
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$(cat "$T/got")"
}

# read_there NAME: it prints what this tree does, of all there is to print.
read_there() {
	for kind in types seq; do
		for how in "" -j; do
			utctl view $how "$T/$1-$kind" >"$T/want" ||
			    fail "view"
			there utctl view $how "$T/$1-$kind" >"$T/got" ||
			    fail "view there"
			cmp -s "$T/want" "$T/got" || fail "$kind: $(diff \
			    "$T/want" "$T/got" | head -n 4)"
		done
	done
}

# A program of 32 bits, with the utd of 64 bits that is for $p.
mixed() {
	there utctl record -o "$T/mixed-types" -- env \
	    QEMU_LD_PREFIX=/usr/arm-linux-gnueabihf \
	    "$T/armhf/regress/prog/types" || fail "record"
	[ -d "$(echo "$T"/mixed-types/ust/uid/*/32-bit)" ] || fail "no 32-bit"
	read_one mixed types
}

# check WHAT command...: in a shell of its own, because that may fail.
check() {
	what=$1
	shift
	if ("$@") >"$T/check.out" 2>&1; then
		good "$what"
	else
		bad "$what: $(tail -n 9 "$T/check.out")"
	fi
}

[ -x prog/seqcheck ] && [ -x "$TOP/utctl/utctl" ] ||
    fail "build this tree first: make cross"
MAKE=${MAKE:-make}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
order=
check "recorded here" make_traces here env
for kind in types seq; do
	utctl view "$T/here-$kind" >"$T/view.out" || fail "view"
	values "$T/view.out" $kind >"$T/$kind"
done
[ "$(wc -l <"$T/types")" -eq 54 ] && [ "$(wc -l <"$T/seq")" -eq 20000 ] ||
    fail "not all is there"
for p in "$@"; do
	about "$p"
	if ! compiler; then
		skipped=$((skipped + 1))
		echo "skip    $p: $why"
		continue
	fi
	if build_tree; then
		good "$p builds without a warning"
	else
		bad "$p builds: $(grep -n -e warning: -e error "$T/build.log" |
		    head -n 5)"
		continue
	fi
	run_tests
	cd "$T/$p/regress" || exit 1
	check "$p records" make_traces "$p" there
	cd "$TOP/regress" || exit 1
	check "$p: its traces are read here" read_here "$p"
	check "$p: its traces are read there" read_there "$p"
	check "$p: traces of here are read there" read_there here
done
if [ -x "$T/aarch64/utd/utd" ] && [ -x "$T/armhf/regress/prog/types" ]; then
	p=aarch64
	about $p
	check "armhf program, aarch64 utd" mixed
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
