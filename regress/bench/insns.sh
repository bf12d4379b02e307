# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Instructions of an event, as valgrind counts them, which is the same every
# time: bench.sh's row 14.  There are N and 2N of them, and the difference is
# what N take; it is told for the functions too.  The clock is a system call
# there, of which only the call is counted.

. bench/common.sh
programs
start_utd
N=2000

# count FILE PROGRAM EVENT EVENTS: instructions of each function in the first
# thread, or false.
count() {
	valgrind --tool=callgrind --callgrind-out-file="$T/cg" \
	    --separate-threads=yes --compress-strings=no --compress-pos=no \
	    "$T/$2" -e "$3" -n "$4" count >"$T/out" 2>&1 </dev/null ||
	    return 1
	# Lines of a call count what is called, too.
	awk '
	/^fn=/ { f = substr($0, 4); sub(/\.constprop.*/, "", f); next }
	/^calls=/ { skip = 1; next }
	/^[0-9]/ { if (!skip) n[f] += $2; skip = 0 }
	END { for (f in n) print n[f], f }' "$T/cg-01" >"$T/$1"
}

# each TRACER EVENT: $all for an event, and $T/functions.
each() {
	all=
	if ! count 1 "load.$1" "$2" $N || ! count 2 "load.$1" "$2" $((N * 2))
	then
		return 0
	fi
	awk -v n=$N '
	NR == FNR { once[$2] = $1; next }
	{ d = ($1 - once[$2]) / n; if (d > 0.5) print d, $2 }
	' "$T/1" "$T/2" | sort -rn >"$T/functions"
	all=$(awk '{ n += $1 } END { print n + 0 }' "$T/functions")
}

if ! command -v valgrind >/dev/null 2>&1; then
	row "instructions of an event" "" "no valgrind" "no valgrind" ""
	exit 0
fi
for e in none one mix bytes off; do
	case $e in
	none)	name="no field" ;;
	one)	name="one int" ;;
	mix)	name="u64, u32, string, double" ;;
	bytes)	name="256 bytes" ;;
	off)	name="disabled" ;;
	esac
	# The loop itself.
	each ut nothing
	empty=$all
	l=$LTTNG_ABSENT
	if have_lttng; then
		[ $e = off ] || lt_begin $e
		each lt $e
		[ $e = off ] || lt_ends lt.$e $((3 * N))
		l=$(unless lt.$e "$(calc "$all - $empty")")
	fi
	[ $e = off ] || ut_begin $e
	each ut $e
	[ $e = off ] || ut_ends ut.$e $((3 * N))
	row "instructions: $name" "" \
	    "$(unless ut.$e "$(calc "$all - $empty")")" \
	    "${l:-not measured}" ""
	[ $e != off ] || continue
	# Of the functions, without the loop that calls them.
	while read -r n f; do
		case $f in
		trace_"$e")	;;
		*)	row "    $f" "" "$n" "" "" ;;
		esac
	done <"$T/functions"
done
