# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The highest rate at which nothing is lost, what the consumer takes for it, and
# what an event costs the writers meanwhile: bench.sh's row 6.  Writers have a
# burst each millisecond; the rate is doubled until events are lost, or the
# writers cannot have them any faster, twice in a row, and then halved in
# between.  What else goes on here may be in the way, so both do all that
# SEARCHES times, in turn, and the medians are told, and the lowest and the
# highest of what was found.  On the disk once is all, without SEARCHES.

. bench/common.sh
programs
start_utd
DISK=$(mktemp -d "${BENCHDISK:-/var/tmp}/ut-bench-XXXXXX") || exit 1
if [ -n "$QUICK" ]; then
	ms=300 steps=1 places=tmpfs
else
	ms=1000 steps=4 places="tmpfs disk"
fi
case $TMPDIR in
/dev/shm*)	;;
*)		places=$(echo "$places" | sed "s|tmpfs|$TMPDIR|") ;;
esac

# An event has this many bytes in a trace, without its header.
LEAST=33
LT_HASTE=0

# try ut|uk|lt RATE: true if it was had and nothing was lost; uk is libut that
# dates its events by cycles, as record does.  $got is the rate.  The events are
# not counted, as there are too many; but those that were not recorded would
# take no bytes.
try() {
	if [ "$1" != lt ]; then
		uk_clock=
		[ "$1" = ut ] || uk_clock="-k cycles"
		ut_begin mix $uk_clock
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
		lt_end "$(echo "$3" | awk '{ print $2 }')"
		lost=$lt_lost size=$lt_size
	fi
	tracer=$1 asked=$2
	set -- $3
	got=$1 n=$2
	[ "$lost" -eq 0 ] || return 1
	if [ "$size" -lt $((n * LEAST)) ]; then
		echo "less than $n" >>"$T/m.$tracer.$key.not"
		return 1
	fi
	# What the consumer used, and for how many bytes.
	echo "$(calc "$used - $before") $size $n" >>"$T/m.$tracer.$key.cpu"
	[ "$got" -le "$best" ] || best=$got best_ns="$3 $4 $5"
	[ "$got" -ge $((asked / 100 * 95)) ]
}

# The highest rate of one of them: $best.  A second search begins at a
# quarter of what the first one found.
highest() {
	low=$(median "$1.$key")
	low=${low:-4000000}
	low=$((${low%%.*} / 4)) high= best=0 best_ns=
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
	calc "$(median "$1") * $(sum "$1.cpu" 2) / $(sum "$1.cpu" 3) / 1e6"
}

seconds() {
	awk '{ s += $1; b += $2 }
	    END { if (b > 0) print s / b * 1e9 }' "$T/m.$1.cpu"
}

# The lowest and the highest rate that was found.
spread() {
	sort -n "$T/m.$1" | awk '
	{ v[NR] = $1 / 1000 }
	END { printf "%.0f-%.0f\n", v[1], v[NR] }'
}

# both NAME UNIT FUNCTION [ARGUMENT]: a row of what the function says of either,
# and of libut by the clock $both_u, ut or uk.
both() {
	both_name=$1 both_unit=$2 both_run=$3
	shift 3
	both_l=
	[ ! -s "$T/m.lt.$key.cpu" ] || both_l=$($both_run "lt.$key" "$@")
	row "$both_name" "$both_unit" "$(unless "$both_u.$key" \
	    "$($both_run "$both_u.$key" "$@")")" \
	    "$(unless "lt.$key" "$both_l")" \
	    "" ${both_goal:+">= $both_goal x LTTng" "u >= $both_goal * l"}
}
rate() {
	calc "$(median "$1") / 1000"
}

# rows WORDS: all of one place and number of writers.
rows() {
	both_goal=3
	[ "$writers" -eq 1 ] || both_goal=2
	both "none lost, $1, writers: $writers" k/s rate
	both_goal=
	[ $searches -eq 1 ] || both "  lowest-highest of $searches" k/s spread
	both "the same" MB/s mega
	both "  an event of these: p10" ns median 2
	both "  p50" ns median 3
	both "  p99" ns median 4
	both "consumer, CPU for 1 GB" s seconds
}

tracers=ut
! have_cycles || tracers="ut uk"
! have_lttng || tracers="$tracers lt"
for place in $places; do
	for writers in 1 "$NCPU"; do
		key=$place.$writers
		key=$(echo "$key" | tr / _)
		case $place in
		disk)	WHERE=$DISK ;;
		*)	WHERE=$T ;;
		esac
		search=0 searches=${SEARCHES:-5}
		[ $place != disk ] || searches=${SEARCHES:-1}
		[ -z "$QUICK" ] || searches=${SEARCHES:-1}
		while [ $search -lt $searches ]; do
			for tracer in $tracers; do
				highest $tracer
				echo "$best $best_ns" >>"$T/m.$tracer.$key"
			done
			search=$((search + 1))
		done
		for both_u in ${tracers%lt}; do
			[ $both_u = ut ] && rows "$place" ||
			    rows "$place, cycles"
		done
		[ "$NCPU" -gt 1 ] || break
	done
done
