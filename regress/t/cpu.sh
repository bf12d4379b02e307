# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# record -w cpu: samples are where the program is, as often as it is there, and
# stand for all of its CPU time; of all threads, and of children; a session that
# comes later gets them, too.  Where there are none, record says so.

. ./common.sh
not_sanitized
[ "$(uname)" = Linux ] || {
	expect 1 '^utctl: -w cpu: this system has no timer' \
	    utctl record -o "$T/trace" -w cpu -- true
	exit 0
}
need nm

# The thread, the place and the nanoseconds of each sample.
samples() {
	utctl view -N -e cpu:sample "$1" | sed -n 's/^.*\[\([0-9:]*\)\] cpu:sample { .*pc = 0x\([0-9a-f]*\), time = \([0-9]*\) }$/\1 \2 \3/p' >"$T/samples"
}

# Of the CPU time, by getrusage, in ms: within a twentieth and 40 ms, which is
# what comes before the first sample and after the last one of each thread, and
# which is told if it is more.
all_time() {
	utctl view -e cpu:unsampled "$T/trace" >"$T/unsampled" || fail "view"
	awk -v want="$1" -v threads="$2" '/cpu:unsampled/ { rest += $(NF - 1) / 1e6
		next }
	{ sum += $3 / 1e6; n++ }
	END {
		d = sum + rest - want
		print n " samples: " sum " and " rest + 0 " of " want " ms"
		exit (d < 0 ? -d : d) > want / 20 + 40 * threads
	}' "$T/samples" "$T/unsampled" || fail "not the CPU time"
}

# -no-pie, where the compiler knows it: addresses are those of the file.
$CC $CFLAGS -no-pie -c -o "$T/none.o" -x c /dev/null 2>/dev/null &&
    pie=-no-pie || pie=
$CC $CFLAGS $pie -O1 -D_GNU_SOURCE -o "$T/cpus" prog/cpus.c $LIBS ||
    fail "cannot build cpus"

# As many in each function as the program has spent there by its own clock:
# within four times what chance makes of it.
recorded -w cpu=1000 -- "$T/cpus" work 2000
# Weighed by time, stacks have all of it; there is nothing else to weigh.
utctl view -e cpu:sample "$T/trace" |
    awk '{ sub(/.* time = /, ""); n += $1 } END { print n }' >"$T/sum"
utctl export -F folded -w time "$T/trace" |
    awk '{ n += $NF } END { print n }' | cmp - "$T/sum" || fail "-w time"
utctl export -F folded -w bytes "$T/trace" 2>"$T/err" && fail "-w bytes"
grep -q 'nothing is allocated' "$T/err" || fail "-w bytes: $(cat "$T/err")"
[ "$lost" -eq 0 ] || fail "$lost lost"
samples "$T/trace"
read -r ms share <"$T/record.out"
all_time "$ms" 1
# stat adds up the same times, of all and of each function; with UT_POSIX there
# are no modules, and so no names.
named() {
	utctl view -e cpu:sample "$T/trace" | sed -n \
	    's/.*cpu:sample { .*pc = \([a-z]*\)[+ ].*, time = \([0-9]*\) }$/\1 \2/p' |
	    awk '$1 == "three" || $1 == "one" { ns[$1] += $2 }
	    END { for (f in ns) printf "%s %.3f\n", f, ns[f] / 1000 }' |
	    sort >"$T/want"
	utctl stat -g function "$T/trace" | awk '$7 == "three" || $7 == "one" {
		print $7, $5 }' | sort >"$T/got"
	[ -s "$T/got" ] && cmp "$T/want" "$T/got" || fail "stat: $(cat "$T/got")"
}
case $CFLAGS in
*-DUT_POSIX*)	;;
*)		named ;;
esac
utctl stat -j -g function "$T/trace" | grep -o '"self_ns":"[0-9]*"' |
    sed 's/.*:"/0 0 /; s/"//' >"$T/self"
utctl stat -g stack "$T/trace" | awk '/ function$/ { on = 1; next }
	on { print 0, 0, $6 * 1000 }' >"$T/stacks"
for f in self stacks; do
	[ "$(awk '{ sum += $3 } END { printf "%.0f", sum }' "$T/$f")" = \
	    "$(awk '{ sum += $3 } END { printf "%.0f", sum }' "$T/samples")" ] ||
	    fail "$f: not the time of all samples"
done
nm -S "$T/cpus" | awk '$4 == "three" || $4 == "one" { print $4, $1, $2 }' |
    while read -r name at size; do
	echo "$name $((0x$at)) $((0x$at + 0x$size))"
done >"$T/functions"
while read -r thread pc time; do
	echo "$((0x$pc)) $time"
done <"$T/samples" | awk -v want="$share" 'FNR == NR { low[$1] = $2; high[$1] = $3; next }
    { for (f in low) if ($1 >= low[f] && $1 < high[f]) n[f]++ }
    END {
	all = n["three"] + n["one"]; share = n["three"] / all
	sigma = sqrt(want * (1 - want) / all)
	printf "three: %.4f of %d, not %.4f, sigma %.4f\n", share, all, want,
	    sigma
	exit all < NR * .8 || all < 20 || share < want - 4 * sigma ||
	    share > want + 4 * sigma
    }' "$T/functions" - || [ -z "$pie" ] || fail "not as long"

# Each has a stack, and a stack begins at the place itself; but one that is the
# outer part of the stack before has no frames of its own.
utctl view -N -e '*' "$T/trace" | awk '/ ut:stack / {
	id = $0; sub(/.*ut:stack { stack = /, "", id); sub(/ .*/, "", id)
	at = $0; sub(/.*frames = \[/, "", at); sub(/[],].*/, "", at)
	first[id] = at; defined++; next
    }
    / cpu:sample / {
	id = $0; sub(/.*cpu:sample { stack = /, "", id); sub(/ .*/, "", id)
	pc = $0; sub(/.* pc = /, "", pc); sub(/,.*/, "", pc)
	if (!(id in first) || (first[id] ~ /^0x/ && first[id] != pc)) {
		print; exit bad = 1 }
	n++
    }
    END { print n " of " defined " stacks"; exit bad || n == 0 }' ||
    fail "not the stack of the place"

# By default 99 a second, a tenth more by chance; fewer where ticks come late.
recorded -w cpu -- "$T/cpus" work 500
[ "$events" -le 60 ] || fail "$events in half a second"
samples "$T/trace"
read -r ms share <"$T/record.out"
all_time "$ms" 1

# The main thread, three others, one of a small stack, and two of a child.
# Where ticks come late, a sample stands for more.
recorded -w cpu=200 -- "$T/cpus" kinds 200
samples "$T/trace"
all_time "$(cat "$T/record.out")" 6
awk '{ n[$1]++ } END { for (t in n) { k++; print t, n[t]; few += n[t] < 2 }
    exit k != 6 || few }' "$T/samples" || fail "not the six threads"

# With other wrappers, which record nothing that this one calls.
recorded -w cpu,malloc,pthread -- "$T/cpus" kinds 20
utctl view -N -e 'pthread:*' "$T/trace" | grep . && fail "locks of ours"
utctl view -e 'libc:*' "$T/trace" >"$T/allocs"
[ -s "$T/allocs" ] || fail "no allocations"
grep '(libut-cpu.so)' "$T/allocs" && fail "allocations of ours"
recorded -g -w cpu,malloc,pthread -- "$T/cpus" kinds 20
utctl heap -a "$T/trace" >"$T/out" || fail "heap"
grep '(libut-' "$T/out" && fail "a caller of ours"

# A session that comes later; it ends, and another one comes.
start_utd
background env UT_CPU_RATE=200 LD_PRELOAD="$TOP/libut/libut-cpu.so" \
    "$T/cpus" work 60000
worker=$LAST
# The ticks that it has run, 100 in a second.
worked() {
	awk '{ print $14 + $15 }' "/proc/$worker/stat"
}
has_worked() {
	[ "$(worked)" -ge "$1" ]
}
for s in first second; do
	utctl create -o "$T/$s" $s >/dev/null &&
	    utctl enable-event -s $s cpu:sample && utctl start $s ||
	    fail "set-up"
	# On a busy machine that takes more than a second, and a sample stands
	# for many.
	until_ok has_worked $(($(worked) + 90)) || fail "it does not run"
	utctl destroy $s >/dev/null || fail "destroy $s"
	samples "$T/$s"
	awk '$3 % 5000000 != 0 { print; exit bad = 1 } { sum += $3 }
	    END { print NR, sum; exit bad || sum < 3e8 }' "$T/samples" ||
	    fail "$s: not 200 a second"
done
exit 0
