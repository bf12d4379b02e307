# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The last events of a trace, for which only its last packets are read, are the
# last ones of all that are there, whatever packets tell of time and losses.

. ./common.sh
. ./shared/rows.sh

seeded
TZ=UTC
export TZ

# last N OPTIONS...: what comes behind the last but N event, losses among it.
last() {
	n=$1
	shift
	utctl view -j -J 1 "$@" "$T/$what" >"$T/all" 2>"$T/err"
	awk -v n="$n" '
	{
		line[NR] = $0
	}
	/^{"ns"/ {
		at[++events] = NR
	}
	END {
		for (i = events > n ? at[events - n] + 1 : 1; i <= NR; i++)
			print line[i]
	}' "$T/all" >"$T/want"
	utctl view -j -n -"$n" "$@" "$T/$what" >"$T/out" 2>"$T/err"
	cmp "$T/want" "$T/out" || fail "$what: view -n -$n $*:" \
	    "$(diff "$T/want" "$T/out" | head -5)"
}

for what in one plain many small late losses gone overlap backwards lies; do
	packets $what 15 | trace $what
	for n in 1 10 333; do
		last $n
		last $n -e p:end
		last $n -f 'k == 7'
		last $n -u -1000s
	done
	last 5000
	last 3 -f 'k == 7777'
done

# Messages are those between the same events.
what=losses
utctl view -n -3000 "$T/$what" >"$T/out" 2>&1 || fail "losses: $(cat "$T/out")"
[ "$(grep -c '^utctl: ' "$T/out")" -gt 3 ] || fail "losses: none is told"
utctl view "$T/$what" 2>&1 | tail -n "$(wc -l <"$T/out")" | cmp - "$T/out" ||
    fail "losses: other messages"

# Totals have the losses of which messages tell.
for n in 3000 800 9 99999; do
	utctl view -j -n -$n "$T/$what" 2>/dev/null | awk -F '[:,]' '
	{
		n += /^{"ns"/
		d += /^{"discarded"/ ? $2 : 0
		l += /^{"lost_packets"/ ? $2 : 0
	}
	END {
		print n, d, l
	}' >"$T/want"
	for c in "view -q" stat; do
		utctl $c -n -$n "$T/$what" 2>/dev/null |
		    awk 'NR == 1 { print $1, $3, $5 + 0 }' >"$T/out"
		cmp "$T/want" "$T/out" || fail "losses: totals: $c:" \
		    "$(cat "$T/want" "$T/out" | tr '\n' ' ')"
	done
done

# What is damaged earlier is not read, unless all has to be.
what=damaged
packets plain 15 | awk 'NF > 6 && !n++ { $7 = 7 } 1' | trace $what
utctl view "$T/$what" >"$T/all" 2>"$T/err" && fail "damaged: not told"
grep -q 'unknown event id 7$' "$T/err" || fail "damaged: $(cat "$T/err")"
utctl view -n -9 "$T/$what" >"$T/out" || fail "damaged: all of it is read"
tail -n 9 "$T/all" | cmp - "$T/out" || fail "damaged: other events"
utctl view -n -20000 "$T/$what" >"$T/out" 2>"$T/err" &&
    fail "damaged: not all of it is read"

# A packet that does not tell when it ends.
what=endless
packets plain 15 | sed '$ s/^\(c_[0-9] [0-9]* [0-9]*\) [0-9]*/\1 0/' |
    trace $what
last 10
last 100 -e p:begin

# long TRUE: a packet of all times, with events of 77 at the beginning and another
# one at the end, and many packets.  Do they tell when they end?
long() {
	awk -v true="$1" 'BEGIN {
		line = "c_0 0 1 " (true ? 99999 : 1) " 0 0"
		for (i = 1; i <= 50; i++)
			line = line " 0 " i " 77"
		print line " 0 99998 1"
		for (i = 0; i < 1000; i++) {
			at = 100 + 99 * i
			line = "c_1 1 " at " " (true ? at + 9 : at) " " i " 0"
			for (k = 0; k < 10; k++)
				line = line " 0 " at + k \
				    " " (i % 250 == 0 && k == 0 ? 77 : 2)
			print line
		}
	}'
}

# A packet of all times has events of long ago, which are not the last ones.
what=over
long 1 | trace $what
last 10 -f 'k == 77'
last 10

# Packets that end before their events.
what=early
long 0 | trace $what
last 1
last 10
exit 0
