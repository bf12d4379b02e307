# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The highest rate at which nothing is lost, and what the consumer takes for
# it: bench.sh's row 6.  Writers have a burst each millisecond; the rate is
# doubled until events are lost, or the writers cannot have them any faster,
# twice in a row, and then halved in between.  What else goes on here
# may be in the way: with SEARCHES=n both do all that so often, in turn, and
# the medians are told.

. bench/common.sh
programs
start_utd
DISK=$(mktemp -d "${BENCHDISK:-/var/tmp}/ut-bench-XXXXXX") || exit 1
if [ -n "$QUICK" ]; then
	ms=300 steps=1 places=tmpfs
else
	ms=1000 steps=4 places="tmpfs disk"
fi
searches=${SEARCHES:-1}
case $TMPDIR in
/dev/shm*)	;;
*)		places=$(echo "$places" | sed "s|tmpfs|$TMPDIR|") ;;
esac

# try ut|lt RATE: true if it was had and nothing was lost.  $got is the rate.
try() {
	if [ "$1" = ut ]; then
		ut_begin mix
		before=$(cpu $(consumers))
		set -- "$@" "$("$T/load.ut" -e mix -r "$2" -s $ms \
		    -t "$writers" rate)"
		utctl stop s >/dev/null || fail "stop"
		used=$(cpu $(consumers))
		ut_end
		lost=$ut_lost size=$ut_size
	else
		lt_begin mix
		before=$(cpu $(lt_consumerd))
		set -- "$@" "$("$T/load.lt" -e mix -r "$2" -s $ms \
		    -t "$writers" rate)"
		lt_stop
		used=$(cpu $(lt_consumerd))
		lt_end "${3#* }"
		lost=$lt_lost size=$lt_size
	fi
	got=${3%% *} n=${3#* }
	[ "$lost" -eq 0 ] || return 1
	# What the consumer used, and for how many bytes.
	echo "$(calc "$used - $before") $size $n" >>"$T/m.cpu.$1.$key"
	[ "$got" -le "$best" ] || best=$got
	awk "BEGIN { exit !($got >= 0.95 * $2) }"
}

# The highest rate of one of them: $best.  A second search begins at a
# quarter of what the first one found.
highest() {
	low=$(median "best.$1.$key")
	low=${low:-4000000}
	low=$((${low%%.*} / 4)) high= best=0
	[ $low -gt 10000 ] || low=10000
	# Slow machines begin below.
	while ! try "$1" $low && ! try "$1" $low; do
		high=$low low=$((low / 2))
		[ $low -gt 10000 ] || return 0
	done
	while [ -z "$high" ]; do
		if try "$1" $((low * 2)) || try "$1" $((low * 2)); then
			low=$((low * 2))
		else
			high=$((low * 2))
		fi
	done
	i=0
	while [ $i -lt $steps ]; do
		middle=$(((low + high) / 2))
		if try "$1" $middle || try "$1" $middle; then
			low=$middle
		else
			high=$middle
		fi
		i=$((i + 1))
	done
}

# The rate in MB, and CPU seconds for each GB, of what was not lost.
mega() {
	calc "$2 * $(sum "cpu.$1.$key" 2) / $(sum "cpu.$1.$key" 3) / 1e6"
}

seconds() {
	awk '{ s += $1; b += $2 }
	    END { if (b > 0) print s / b * 1e9 }' "$T/m.cpu.$1.$key"
}

for place in $places; do
	for writers in 1 "$NCPU"; do
		key=$place.$writers
		key=$(echo "$key" | tr / _)
		case $place in
		disk)	WHERE=$DISK ;;
		*)	WHERE=$T ;;
		esac
		search=0
		while [ $search -lt $searches ]; do
			for tracer in ut lt; do
				[ $tracer = ut ] || have_lttng || continue
				highest $tracer
				echo "$best" >>"$T/m.best.$tracer.$key"
			done
			search=$((search + 1))
		done
		best=$(median "best.ut.$key")
		u=$(calc "$best / 1000") um=$(mega ut "$best")
		us=$(seconds ut)
		l=$LTTNG_ABSENT lm=$LTTNG_ABSENT ls=$LTTNG_ABSENT
		if have_lttng; then
			best=$(median "best.lt.$key")
			l=$(calc "$best / 1000") lm=$(mega lt "$best")
			ls=$(seconds lt)
		fi
		name="$place, writers: $writers"
		row "none lost, $name" k/s "$u" "$l" "" \
		    ">= 3 x LTTng" "u >= 3 * l"
		row "the same" MB/s "$um" "$lm" ""
		row "consumer, CPU for 1 GB" s "$us" "$ls" ""
		[ "$NCPU" -gt 1 ] || break
	done
done
