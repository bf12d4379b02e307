# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat -C -g function, and heap -C: what differs is what shared/compare.py
# computes from the sums of each run, and equal runs do not differ.

. ./common.sh
need python3
. ./shared/stacks.sh

# run NAME SEED LIVE ROUNDS: 0xa1 keeps about LIVE blocks of the many that it
# allocates, 0xa2 none of ROUNDS, 0xa3 has samples, and 0xa4 few of them.
run() {
	mkdir "$T/new" && ST=$T/new || fail "mkdir"
	awk -v seed="$2" -v live="$3" -v rounds="$4" 'BEGIN {
		srand(seed)
		print "packet 7 7\ndef 1 0 0 0xa1 0xb1\ndef 2 0 0 0xa2 0xb1"
		print "def 3 0 0 0xa3 0xb1\ndef 4 0 0 0xa4 0xb1\ndef 5 0 0 0xb1"
		n = live + int(rand() * live / 50)
		for (i = 0; i < n; i++)
			print "malloc 1", 90 + int(rand() * 20), 4096 + 256 * i
		for (i = 0; i < rounds; i++)
			print "malloc 2 5000 1\nfree 2 1"
		n = 300 + int(rand() * 9)
		for (i = 0; i < n * (live > 150 ? 3 : 1); i++)
			print "sample 3"
		for (i = rand() * 9; i < 60; i++)
			print "sample 5"
		for (i = rand(); i < rand() * 2; i++)
			print "sample 4"
		if (rounds > 30)
			for (i = 0; i < 30; i++)
				print "malloc 0 50", 1048576 + 64 * i
	}' | stacks
	mv "$T/new" "$T/$1" || fail "mv"
	utctl stat -j -N -g function -e cpu:sample "$T/$1" >"$T/$1.f" &&
	    utctl heap -j -N "$T/$1" >"$T/$1.h" || fail "$1: -j"
}
for i in 1 2 3 4 5 6; do
	run "a$i" "1$i" 100 20
	run "b$i" "2$i" 200 20
	run "c$i" "3$i" 100 40
done
cd "$T" || exit 1
compare=$TOP/regress/shared/compare.py

# is N DIR...: what python finds, of N runs before the others.
is() {
	n=$1 i=0 before='' f='' h=''
	shift
	for arg; do
		[ $((i += 1)) -gt "$n" ] || before="$before -C $arg"
		f="$f $arg.f" h="$h $arg.h"
	done
	(shift "$n"
	utctl stat -j -a -N -g function -e cpu:sample $before "$@") >out ||
	    fail "stat $*"
	python3 "$compare" sums out "$n" $f >is 2>&1 ||
	    fail "stat $n $*: $(tail -n 3 is)"
	(shift "$n"
	utctl heap -j -a -N $before "$@") >out || fail "heap $*"
	python3 "$compare" sums out "$n" $h >is 2>&1 ||
	    fail "heap $n $*: $(tail -n 3 is)"
}
is 5 a1 a2 a3 a4 a5 b1 b2 b3 b4 b5
is 6 a1 a2 a3 a4 a5 a6 c1 c2 c3 c4 c5 c6
is 4 a1 a2 a3 a4 c1 c2 c3
is 3 b1 b2 b3 b4 b5 b6
is 1 a1 b1
is 1 a1 c1 c2 c3

before='-C a1 -C a2 -C a3 -C a4 -C a5'
utctl heap -N $before b1 b2 b3 b4 b5 >out || fail "heap"
for what in live 'at peak' allocated calls; do
	grep -q "^ *more  *[12]\.[089].* $what  0xa1\$" out ||
	    fail "$what: $(cat out)"
done
grep -q 0xa2 out && fail "0xa2: $(cat out)"
utctl heap -N -g $before b1 b2 b3 b4 b5 | grep -q 'live  0xa1 < 0xb1$' ||
    fail "heap -g"
utctl heap -N $before -C a6 c1 c2 c3 c4 c5 c6 >out || fail "heap"
grep -q '^ *more  *2.000 .* 20.000  *40.000  *calls  0xa2$' out &&
    grep -q '^ *new .* calls  0xca$' out || fail "calls: $(cat out)"
utctl stat -N -e cpu:sample -g function $before b1 b2 b3 b4 b5 >out ||
    fail "stat"
grep -q '^ *more  *[23]\.[019].* total  0xa3$' out &&
    ! grep -q 0xa4 out || fail "stat: $(cat out)"
utctl stat -N -e cpu:sample -g stack $before b1 b2 b3 b4 b5 >out ||
    fail "stat -g stack"
grep -q '^ *more .* total  0xa3 < 0xb1$' out || fail "stat: $(cat out)"
expect 0 'no difference found' utctl stat -N -e cpu:sample -g function -C a1 \
    -C a2 -C a3 a4 a5 a6
expect 0 'no difference found' utctl heap -N -C a1 -C a2 -C a3 a4 a5 a6
expect 1 '^utctl: -i goes with no -a, -C or -g' utctl heap -i 1s -C a1 a2
exit 0
