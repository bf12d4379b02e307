# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Only the newest chunks and snapshots stay (-k), also after utd was killed, and
# nothing else that is there is touched.

. ./common.sh

numbers() {
	ls "$1" | sed -n 's/.*T[0-9]*[+-][0-9]*-\([0-9]*\)$/\1/p' | sort -n | tr '\n' ' '
}
stays() {
	[ "$(numbers "$1")" = "$2 " ] || fail "$1: $(ls "$1"), not $2"
}

start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-event -s s 'seq:*' &&
    utctl start s >/dev/null || fail "set-up"
complains "number 'x': of the parts that are kept, 1 to 4294967294" \
    utctl rotate -k x s
expect 1 '-k: alone' utctl snapshot -k 2 -n a s
expect 0 '' utctl rotate -k 2 s
expect 0 '' utctl snapshot -k 3 s
for each in 1 2; do
	./prog/seq $each 1 10 && utctl rotate s >/dev/null || fail "rotate"
done
mkdir "$T/away" "$T/s/archives/mine" && : >"$T/away/kept" || fail "mkdir"
kill_utd 0
start_utd
for each in 3 4; do
	./prog/seq $each 1 10 && utctl rotate s >/dev/null || fail "rotate"
done
stays "$T/s/archives" '3 4'
# Neither what has a number of ours counts, nor what has a name of another form.
at=$T/s/archives/20200101T000000+0000-20200101T000000+0000
ln -s "$T/away" "$at-3" && : >"$at-4" && mkdir "$at-99" \
    "$T/s/archives/9999-9999" "$T/s/archives/2020-01-01" || fail "mkdir"
utctl rotate s >/dev/null && rm "$at-3" "$at-4" && rmdir "$at-99" \
    "$T/s/archives/9999-9999" "$T/s/archives/2020-01-01" ||
    fail "too much was removed"
stays "$T/s/archives" '4 5'
[ -f "$T/away/kept" ] && [ -d "$T/s/archives/mine" ] || fail "too much"
expect 0 'rotated: 5 chunks, the newest 2 kept' utctl list s
complains 'another name' utctl snapshot -n 20200101T000000-0100-9 s
for each in 1 2 named 2020-12-31 3 4 5; do
	case $each in
	*[!0-9]*) utctl snapshot -n $each s ;;
	*)	utctl snapshot s ;;
	esac >/dev/null || fail "snapshot"
done
stays "$T/s/snapshots" '5 6 7'
[ -d "$T/s/snapshots/named" ] && [ -d "$T/s/snapshots/2020-12-31" ] ||
    fail "a named snapshot is gone"
expect 0 '7 snapshots, the newest 3 kept' utctl list s
utctl save >"$T/saved" && grep -q '^snapshot -k 3 s$' "$T/saved" &&
    grep -q '^rotate -k 2 s$' "$T/saved" || fail "$(cat "$T/saved")"
# A chunk that stays has the modules of a program that began before.
has_modules() {
	case $CFLAGS in
	*-DUT_POSIX*)	return ;;
	esac
	until_ok sh -c "utctl list s >/dev/null &&
	    utctl view -e ut:module $1 | grep -q ut:module" ||
	    fail "no modules: $1"
}
utctl enable-event -s s 'ut:module' >/dev/null || fail "ut:module"
background ./prog/seq -p 1000 9 1 90000000
has_modules "$T/s"
kept=$(echo "$T/s/archives"/*-5)
: >"$kept/kept" || fail "kept"
utctl rotate s >/dev/null && utctl rotate s >/dev/null &&
    utctl rotate s >/dev/null || fail "rotate"
has_modules "$T/s/chunk-*"
kill -9 $LAST
[ "$(ls "$kept-rest")" = kept ] || fail "$(ls "$T/s/archives")"
expect 0 '' utctl rotate -k 0 s
utctl rotate s >/dev/null || fail "rotate"
stays "$T/s/archives" '7 8 9'
readers_agree "$T/s/archives"
expect 0 'destroyed' utctl destroy s
rm -rf "$T/s"
expect 0 "" utctl load "$T/saved"
expect 0 "newest 2 kept" utctl list s
expect 0 "newest 3 kept" utctl list s

# What cannot be listed now goes later, and that is said.
if strace -o "$T/calls" true 2>/dev/null; then
	utctl create -o "$T/q" q >/dev/null &&
	    utctl enable-event -s q 'seq:*' && utctl start q >/dev/null &&
	    utctl rotate -k 1 q >/dev/null && utctl rotate q >/dev/null ||
	    fail "set-up of q"
	strace -qq -o "$T/calls" -e trace=fcntl -e inject=fcntl:error=EMFILE \
	    -p "$(consumers)" 2>"$T/strace" &
	CHILDREN="$CHILDREN $!"
	sleep 0.5
	utctl rotate q >/dev/null || fail "rotate"
	kill $!
	wait $!
	grep -q -- '-2: nothing that is older is removed: Too many' \
	    "$T/utd.log" || fail "not said: $(cat "$T/utd.log" "$T/strace")"
	stays "$T/q/archives" '1 2'
	utctl rotate q >/dev/null || fail "rotate"
	stays "$T/q/archives" 3
	expect 0 'destroyed' utctl destroy q
fi

# In each of many, somebody puts something: however much utd has to complain of,
# each gets another name, and none is tried twice.
utctl create -o "$T/r" r >/dev/null && utctl enable-event -s r 'seq:*' &&
    utctl start r >/dev/null && utctl rotate -k 1 r >/dev/null &&
    utctl rotate r >/dev/null || fail "set-up of r"
each=0
while [ $each -lt 24 ]; do
	each=$((each + 1))
	: >"$(echo "$T/r/archives"/*-$each)/kept" && utctl rotate r >/dev/null ||
	    fail "rotate"
done
stays "$T/r/archives" 25
[ "$(ls -d "$T/r/archives"/*-rest | wc -l)" -eq 24 ] ||
    fail "$(ls "$T/r/archives")"
expect 0 'destroyed' utctl destroy r

# Snapshots that are under way at once have numbers of their own.
utctl create -S -o "$T/m" m >/dev/null && utctl enable-event -s m seq:tick \
    >/dev/null && utctl snapshot -k 1 m >/dev/null &&
    utctl trigger -e seq:tick -n 1 -a snapshot m >/dev/null &&
    utctl trigger -e seq:tick -n 1 -a snapshot m >/dev/null &&
    utctl start m >/dev/null || fail "set-up of m"
for each in 2 4 6; do
	./prog/seq 1 1 1
	until_ok sh -c "utctl list m | grep -q ' $each snapshots'" ||
	    fail "not $each: $(utctl list m)"
	[ "$(ls "$T/m/snapshots" | wc -l)" -le 2 ] ||
	    fail "$each: $(ls "$T/m/snapshots")"
done
expect 0 'destroyed' utctl destroy m
stop_utd || fail "utd: status $?"
