# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A clock that drifts by 50 ppm: utctl skew finds offset and drift, and with these
# no effect comes before its cause.  awk(1) finds the bounds of the drift, too,
# and knows the truth.

. ./shared/rows.sh
. ./shared/dated.sh
seeded

# host NAME S: as in skew.sh, but with times in microseconds, since S.
host() {
	mkdir "$T/$1" || exit 1
	{
		rows_metadata |
		    sed "s/freq = [0-9]*/offset_s = $2; freq = 1000000000000000/"
		for e in '"m:sent"; id = 0' '"m:received"; id = 1' \
		    '"m:answered"; id = 2' '"m:got"; id = 3'; do
			echo "event { name = $e; stream_id = 0;" \
			    "fields := struct { u32 k; }; };"
		done
	} >"$T/$1/metadata"
	rows "$1"
}
# messages HOST PPM SKEW: of an hour; the clock of b drifts and is ahead by so
# many microseconds at first.  Times are such that it has no fractions.
messages() {
	awk -v seed="$SEED" -v host="$1" -v ppm="$2" -v skew="$3" '
	function b(t) {
		return sprintf("%.0f", t + skew + t * ppm / 1000000)
	}
	function a(t) {
		return sprintf("%.0f", t)
	}
	BEGIN {
		srand(seed)
		for (k = 1; k <= 500; k++) {
			at = home + 20000 * (1 + int(rand() * 600))
			there = at + 20000 * (1 + int(rand() * 9))
			back = there + 20000
			home = back + 20000 * (1 + int(rand() * 9))
			if (host == "a")
				line = line " 0 " a(at) " " k " 3 " \
				    a(home) " " k
			else
				line = line " 1 " b(there) " " k " 2 " \
				    b(back) " " k
			if (host == "truth")
				print k, a(there), a(back)
		}
		if (host != "truth")
			print "c 0 0 " a(2 * home) " 0 0" line
	}'
}
skew() {
	(cd "$T" && utctl skew -D m:sent,m:received,k -D m:answered,m:got,k \
	    "$@")
}
view() {
	(cd "$T" && utctl view "$@")
}
# member NAME: a number of what skew -j has printed.
member() {
	sed -n "s/.*[]},]\"$1\":\"*\([-+0-9.e]*\).*/\1/p" "$T/json"
}
# in_order DIR...: no effect comes before its cause.
in_order() {
	view "$@" | sed 's/.*m:\([a-z]*\) .*k = \([0-9]*\).*/\1 \2/' | awk '
	BEGIN { n["sent"] = 1; n["received"] = 2; n["answered"] = 3; n["got"] = 4 }
	n[$1] != was[$2] + 1 { print "line " NR ": " $0; exit bad = 1 }
	{ was[$2] = n[$1] }
	END { exit bad || NR != 2000 }'
}

messages a 0 0 | host a 1000
messages truth 0 0 >"$T/truth"
for each in '50 7000000' '-50 7000000' '50 0' '1 0' '-90000 400000000'; do
	rm -rf "$T/b"
	messages b $each | host b 1000
	skew -j a b >"$T/json" || fail "$each: $(skew a b)"
	skew a b | tail -2
	b=$(skew -q a b)
	ppm=${each% *}
	[ "$ppm" = 1 ] || ! in_order a b >/dev/null ||
	    fail "$each: it was in order"
	in_order a "$b" || fail "$b: an effect comes before its cause"
	# The truth is within the error, which is less than a way takes.
	view -j "$b" | sed \
	    's/{"ns":"\([0-9]*\)".*"event":"m:\([a-z]*\)".*"k":\([0-9]*\).*/\2 \3 \1/' |
	    awk -v error="$(member error_ns)" '
	    NR == FNR { at["received", $1] = $2; at["answered", $1] = $3; next }
	    {
		d = $3 - 1e12 - 1000 * at[$1, $2]
		if (d < 0) d = -d
		if (d > most) most = d
		n++
	    }
	    END {
		printf "off by %.0f of %.0f ns\n", most, error
		exit !(n == 1000 && most <= error && error < 60e6)
	    }' "$T/truth" - || fail "$b: not true"
	# Any two messages of both ways bound the drift.
	[ "$ppm" = 1 ] && continue
	for name in a b; do
		view -j $name | sed \
		    's/{"ns":"\([0-9]*\)".*"event":"m:\([a-z]*\)".*"k":\([0-9]*\).*/\2 \3 \1/'
	done | awk -v least="$(member drift_least_ppm)" \
	    -v most="$(member drift_most_ppm)" '
	{ at[$1, $2] = $3 }
	END {
		for (k = 1; k <= 500; k++) {
			x[k] = at["received", k]
			y[k] = at["sent", k] - x[k]
			u[k] = at["answered", k]
			v[k] = at["got", k] - u[k]
		}
		lo = -1e9
		hi = 1e9
		for (k = 1; k <= 500; k++)
			for (i = 1; i <= 500; i++) {
				r = (v[i] - y[k]) / (u[i] - x[k]) * 1e6
				if (u[i] > x[k] && r < hi) hi = r
				if (u[i] < x[k] && r > lo) lo = r
			}
		printf "%.9f %.9f, not %.9f %.9f\n", least, most, lo, hi
		exit !((lo - least) ^ 2 < 1e-8 && (hi - most) ^ 2 < 1e-8 &&
		    least < most)
	}' >"$T/bounds" || fail "$each: $(cat "$T/bounds")"
	# What was found is found to be right, and the same with an offset.
	skew -j a "$b" >"$T/json" || fail "$b: $(skew a "$b")"
	[ "$(member drift_ppm)" != "" ] || fail "no drift: $(cat "$T/json")"
	(cd "$T" && expect 0 '"drift_ppm":' utctl skew -j -D \
	    m:sent,m:received,k -D m:answered,m:got,k a b@+5s) || exit 1
	[ "$(skew -q a b@-5s)" = "$b" ] || fail "b@-5s: $(skew -q a b@-5s)"
done
# The dates of today.
for name in a b; do
	mkdir "$T/now" "$T/now.$name"
	messages $name 50 7000000 | host now/$name 1700000000
	mv "$T/now/$name" "$T/now.$name/$name"
	rmdir "$T/now"
done
b=$(skew -q now.a now.b)
in_order now.a "$b" || fail "$b"
case $b in
now.b@-[67]*ns-[45]*ppm@17000000??.000000000) ;;
*)	fail "$b" ;;
esac

# drift OFFSET NS...: the dates of 100, 110 and 200 s are then these.
host at 0 <<-END
	c 0 1 999999999 0 0 0 100000000 1 0 110000000 2 0 200000000 3
END
drift() {
	offset=$1
	shift
	[ "$(view -j "at@$offset" | sed 's/{"ns":"\(-*[0-9]*\)".*/\1/' |
	    tr '\n' ' ')" = "$* " ] || fail "at@$offset: $(view -j "at@$offset")"
}
drift +0s+1ppm@0 100000100000 110000110000 200000200000
drift +1ms-1ppm@110 100001010000 110001000000 200000910000
drift -1s+0.000000001ppm@0 99000000000 109000000000 199000000000
drift -1s+12345.678912345ppm@100 99000000000 109123456789 200234567891
drift +0s-12345.678912345ppm@100.5 100006172839 109882716051 198771604949
drift +0s+99999.999999999ppm@1700000000 -169999889999998300 \
    -169999878999998300 -169999779999998300
drift +5ns+0ppm@17 100000000005 110000000005 200000000005
(cd "$T" && expect 0 '^dates of at: moved by +0\.001000000 s, -1\.500000000 ppm since @110\.250000000$' \
    utctl stat at@+1ms-1.5ppm@110.25) || exit 1
moved='"offset_ns":"1000000","drift_ppm":-1.5,"from":"110250000000"}'
for command in 'stat -j' 'export'; do
	(cd "$T" && expect 0 "\"moved\":\[{\"dir\":\"at\",$moved" \
	    utctl $command at@+1ms-1.5ppm@110.25) || exit 1
done
(cd "$T" && expect 0 '"moved":"+0\.001000000 s, -1\.500000000 ppm since @' \
    utctl report at@+1ms-1.5ppm@110.25 && expect 0 \
    '"ut.moved_ns","value":{"intValue":"1000000"}},{"key":"ut.moved_ppm","value":{"doubleValue":-1.5}},{"key":"ut.moved_from","value":{"intValue":"110250000000"}}' \
    utctl export -F otlp-logs at@+1ms-1.5ppm@110.25) || exit 1

# Clocks with points drift as well.
slewed
for name in slewed slewed@+1s+10000ppm@1700000000; do
	view -j -n 100 $name | sed 's/{"ns":"\([0-9]*\)".*/\1/' >"$T/$name.ns"
	(cd "$T" && utctl stat -c -j $name) | grep -o '"time":"[0-9]*"' |
	    tr -dc '0-9\n' >>"$T/$name.ns"
done
paste "$T"/slewed.ns "$T"/slewed@*.ns | awk '
function ns(s) {
	return substr(s, 1, 10) * 1e9 - 1.7e18 + substr(s, 11)
}
{
	d = ns($1) * 1.01 + 1e9 - ns($2)
	bad += d * d > 16
}
END { exit bad > 0 || NR < 101 }' || fail "points: $(paste "$T"/*.ns)"

for at in +1s+50ppm +1s+50@17 +1s50ppm@17 +1s+ppm@17 +1s+50ppm@ +50ppm@17 \
    +1s+50ppm@17s +1s+5sppm@17 +1s+-5ppm@17 +1s+100000ppm@17 \
    +1s+50ppm@17+1 +1s@17; do
	expect 1 "at@$at: the offset is not a time such as +1\.25ms, nor one with a drift below 100000 ppm such as +1\.25ms-50ppm@1700000000$" \
	    utctl view "$T/at@$at"
done
expect 1 'at/metadata: named twice, with two offsets$' \
    utctl view "$T/at@+1s+5ppm@17" "$T/at@+1s+5ppm@18"
expect 1 '^utctl: -F ctf: no offset' \
    utctl export -F ctf -o "$T/copy" "$T/at@+0s+5ppm@17"
expect 1 '^utctl: top: no offset' utctl top "$T/at@+0s+5ppm@17"
expect 1 '^utctl: -F: no offset' utctl view -F "$T/at@+0s+5ppm@17"

# A clock that was set has no drift; two messages of one way each bound none.
host set 1000 <<-END
	c 0 1 999999999 0 0 1 1020000 1 2 1040000 1 1 7020000 2 2 7040000 2 1 9020000 3 2 9040000 3
END
host home 1000 <<-END
	c 0 1 999999999 0 0 0 1000000 1 3 1060000 1 0 7500000 2 3 7560000 2 0 9000000 3 3 9060000 3
END
expect 1 'no offset fits, nor a steady drift: at least and at most part by ' \
    skew home set
