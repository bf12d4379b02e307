# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat -C: what differs is what shared/compare.py computes from view, equal
# runs do not differ, and what was lost of a run is said.

. ./common.sh
. ./shared/rows.sh
need python3

# run NAME SEED SLOWER RARE OTHER [DISCARDED]
run() {
	name=$1
	shift
	rows_metadata | python3 shared/compare.py make "$T/$name" "$@" ||
	    fail "$name"
}
for i in 1 2 3 4; do
	run "a$i" "a$i" 1 1 old
	run "b$i" "b$i" 1 1 old
	run "slow$i" "slow$i" 1.05 2 new
done
run a5 a5 1 1 old
run odd odd 1.8 1 old
for i in 1 2 3 4 5; do
	run "third$i" "third$i" 1.3 1 old
	LOOPS=1540
	export LOOPS
	run "more$i" "more$i" 1 1 old
	unset LOOPS
done
run lossy lossy 1 1 old 7
run mine m 1 1 'look (a)'
run other m 1 1 'look (b)'
cd "$T" || exit 1
compare=$TOP/regress/shared/compare.py

# is N OPTION... DIR...: what python finds, of N runs before the others.
is() {
	n=$1 options=
	shift
	for arg; do
		shift
		case $arg in
		-d)	options=-d ;;
		*)	set -- "$@" "$arg" ;;
		esac
	done
	before='' i=0
	for arg; do
		[ $((i += 1)) -gt "$n" ] || before="$before -C $arg"
	done
	(shift "$n"
	utctl stat $options -j -a $before "$@") >out 2>err || fail "$(cat err)"
	python3 "$compare" check out "$n" "$@" >is 2>&1 ||
	    fail "$n $*: $(tail -n 3 is)"
}
for option in -d ''; do
	is 4 $option a1 a2 a3 a4 slow1 slow2 slow3 slow4
	is 3 $option slow1 slow2 slow3 a1 a2 a3 a4
	is 3 $option a1 a2 a3 b1 b2 b3
	is 5 $option a1 a2 a3 a4 odd third1 third2 third3 third4 third5
	is 3 $option a1 a2 a3 more1 more2 more3
	is 2 $option a1 a2 b1 b2
	is 1 $option a1 slow1
	is 1 $option a1 slow1 slow2 slow3
done

before='-C a1 -C a2 -C a3 -C a4'
expect 0 'no difference found' utctl stat -d $before b1 b2 b3 b4
expect 0 'no difference found' utctl stat $before b1 b2 b3 b4
expect 0 'none differs by more than 200 %' utctl stat -d -C a1 b1
grep -q '1 run before, 1 after: differences below 200 % are not shown' \
    "$T/out" || fail "one run: $(cat "$T/out")"
[ "$(wc -l <"$T/out")" -eq 5 ] || fail "silent: $(cat "$T/out")"
utctl stat -d $before slow1 slow2 slow3 slow4 >out || fail "stat"
awk '/ p:inner$/ { n += $1 == "slower" && $2 > 1.04 && $2 < 1.06 &&
	$3 < $2 && $2 < $4 && $7 == "time" && $8 == "us" }
    / calls  p:rare$/ { n += $1 == "more" && $2 > 1.7 }
    END { exit n != 2 }' out || fail "$(cat out)"
utctl stat $before slow1 slow2 slow3 slow4 >out || fail "stat"
grep -q '^ *new  *-  *-  *-  *-  .* events/s  p:new$' out &&
    grep -q '^ *gone  *- .* p:old$' out || fail "$(cat out)"

# One run that was disturbed hides nothing, nor do equal numbers.
utctl stat -d $before -C odd third1 third2 third3 third4 third5 >out ||
    fail "odd"
grep -q '^slower .* time us  p:inner$' out || fail "odd: $(cat out)"
utctl stat -d -C a1 -C a2 -C a3 more1 more2 more3 >out || fail "more"
grep -q 'p:inner$' out && fail "few are equal by chance: $(cat out)"
utctl stat -d -C a1 -C a2 -C a3 -C a1 -C a2 -C a3 more1 more2 more3 more1 \
    more2 more3 >out || fail "more"
grep -q '^ *more  *1.027  *-  *-  *1500  *1540  *calls  p:inner$' out ||
    fail "more: $(cat out)"
# What could have been found, and what is not known.
expect 0 '^half of the tests would have found a change of .* %: record 5 runs' \
    utctl stat -d $before b1 b2 b3 b4
expect 0 '^run time: 0.* s before, 0.* s after: from 0.9.* to 1.*times as long' \
    utctl stat -d $before b1 b2 b3 b4
expect 0 '0 of 0 groups compared: nothing is known' utctl stat -e none -C a1 b1
# Functions of another program are other ones.
utctl stat -C mine other >out 2>err || fail "names"
grep -q 'gone and new may be the same: name the program equally' err ||
    fail "names: $(cat err)"
utctl stat $before slow1 slow2 slow3 slow4 >out 2>err || fail "stat"
[ ! -s err ] || fail "names: $(cat err)"

# Each run is selected from by itself.
expect 0 '4 of 4 groups compared: none' utctl stat -C a1 -b +1ms -e '*ner*' -e \
    '*out*' b1
expect 0 '^20 events, ' utctl stat -C a1 -n 10 b1
# What was lost, and what goes with nothing else.
utctl stat -j -d -C a1 lossy >out 2>err || fail "lossy"
grep -q '^utctl: lossy: 7 events and 0 packets were lost' err ||
    fail "lossy: $(cat err)"
grep -q '"side":"after","dir":"lossy","events":[0-9]*,"discarded":7' out ||
    fail "lossy: $(cat out)"
expect 1 'goes with neither' utctl stat -C a1 -c b1
expect 0 'nothing is known' utctl stat -C a1 -g stack b1
expect 1 '^utctl: -a: for -C$' utctl stat -a a1
expect 1 '^utctl: none: No such file' utctl stat -C none b1
expect 1 '^utctl: none: no trace of this run' utctl stat -C a1 none
[ ! -s "$T/out" ] || fail "no run: $(cat "$T/out")"
exit 0
