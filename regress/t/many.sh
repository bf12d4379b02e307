# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# IDs are never used again, whoever comes and goes; and when all 65,535 of a
# registry are taken, what comes is refused, aloud, and the rest goes on.

. ./common.sh

UT_REGISTER_TIMEOUT=20000
export UT_REGISTER_TIMEOUT
start_utd

# `name id' of the events of a session.
ids() {
	utctl list "$1" | sed -n 's/^ *many:\([^ ]*\) (id \([0-9]*\),.*/\1 \2/p'
}
many() {
	./prog/many "$@" </dev/null >/dev/null || fail "many $*: status $?"
}
utctl create -o "$T/few" few >/dev/null && utctl enable-event 'many:*' &&
    utctl start || fail "set-up of few"
many -m 10 a 0 100
many -m 7 b 0 50
many a 0 120
expect 0 '' utctl disable-event 'many:*'
many c 0 10
expect 0 '' utctl enable-event 'many:*'
many a 90 40
many b 0 50
expect 0 '' utctl stop few
many d 0 10
expect 0 '' utctl start few
many c 5 1
n=0
{
	while [ $n -lt 181 ]; do
		case $n in
		?|??)		echo "a_$n $((n + 1))" ;;
		1[0-4]?)	echo "b_$((n - 100)) $((n + 1))" ;;
		1[56]?)		echo "a_$((n - 50)) $((n + 1))" ;;
		17?)		echo "a_$((n - 50)) $((n + 1))" ;;
		180)		echo "c_5 181" ;;
		esac
		n=$((n + 1))
	done
} >"$T/want"
ids few >"$T/got"
diff "$T/want" "$T/got" >"$T/diff" || fail "IDs: $(head -5 "$T/diff")"
expect 0 'few stopped: 361 events, 0 lost' utctl stop few
readers_agree "$T/few"
awk '{ sub(/.*_/, "", $4) } $4 != $8 { print; exit 1 }' "$T/view.out" ||
    fail "another event's name"
expect 0 'few destroyed' utctl destroy few

# All of them, with 30 MB of metadata.  babeltrace2 takes long for that: it
# has a look at them if MANY_LONG is set.
utctl create -o "$T/all" all >/dev/null && utctl enable-event 'many:*' &&
    utctl start || fail "set-up of all"
# A slow consumer is one that does not answer for a while.
all_there() {
	utctl list all >"$T/out" && grep -q '65530 events, 0 lost' "$T/out"
}
many -w -m 8192 x 0 65530
until_ok all_there || fail "$(grep -v ' many:' "$T/out")"
grep -q 'warning: event' "$T/out" &&
    fail "a warning too early: $(grep warning "$T/out")"
many -w y 0 10
expect 0 'warning: event many:y_5 of many: there are 65535 events already' \
    utctl list all
[ "$(grep -c ' warning: event ' "$T/out")" -eq 5 ] || fail "not five warnings"
grep -q 'many:y_4 (id 65535,' "$T/out" || fail "not 65535"
grep -q 'many:y_[5-9] (id' "$T/out" && fail "more than 65535"
# Those that are there are recorded, whoever comes with them.
many -w x 65525 10
expect 0 'all stopped: 65540 events, 0 lost' utctl stop all
utctl view "$T/all" >"$T/view.out" || fail "view"
awk '{ sub(/.*_/, "", $4); n[$8]++ } $4 + 0 != $8 + 0 { print; exit 1 }
    END { for (i in n) k++; if (k != 65530) exit 1 }' "$T/view.out" ||
    fail "another event's name, or not all of them"
[ -z "${MANY_LONG-}" ] || readers_agree "$T/all"
expect 0 'all destroyed' utctl destroy all
stop_utd || fail "utd: status $?"
