# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Everything that is measured, in one table; into the file bench/RESULTS too
# unless it is a trial.  From regress/, or by `make bench'.
#
#	sh bench/bench.sh [part ...]
#
# PEERS is a directory with loggers and tracers of others, which are measured,
# too: see the page of that name.  If it has another LTTng, the parts that have
# one are measured once more, with that: they are called lttng:event and so on.
# QUICK=1 is a trial, in less than four minutes without PEERS.  Where LTTng-UST
# and babeltrace2 are installed they are measured in turn with ours.
# BENCHDIR is where traces go, BENCHDISK where those go that are to be on a
# disk.  ROWS is a file to which the rows are added: readme.awk makes README's
# table of it, and table.awk the whole one.

# Sessions are an ordinary user's: root's would be the system's.
with_lttng="event short modes shot rate starts enable memory slow insns \
    killed trickle"
PARTS="event short modes shot rate starts enable view sums memory build slow \
    insns killed trickle wrapped stack"
newer=
if [ -n "${PEERS:-}" ]; then
	PARTS="$PARTS peers"
	newer=$PEERS/lttng
	[ ! -d "$newer" ] ||
		PARTS="$PARTS $(printf 'lttng:%s ' $with_lttng)"
fi
results=bench/RESULTS
[ $# -eq 0 ] || { PARTS=$*; results=; }
[ -z "${QUICK:-}" ] || results=
if [ "$(id -u)" -eq 0 ]; then
	as="./prog/asuser 65534"
else
	as=
fi
rows=$(mktemp "${TMPDIR:-/tmp}/ut-bench-XXXXXX") || exit 1
part=
# What a part made, it takes away itself.
end() {
	[ -z "$part" ] || { kill "$part" && wait "$part"; } 2>/dev/null
	rm -f "$rows" "$rows.table"
}
trap end EXIT
trap 'exit 1' HUP INT TERM

failed=0 before=
for p in $PARTS; do
	echo "bench: $p, $(date +%T)" >&2
	if [ "${p#lttng:}" = "$p" ]; then
		column= dir=${LTTNG:-}
	else
		dir=$newer
		column=$("$dir/bin/lttng" --version |
		    sed -n 's/.* \([0-9][0-9]*\.[0-9]*\)[. ].*/LTTng \1/p')
	fi
	[ "$column" = "$before" ] || echo "column|${column:-LTTng}" >>"$rows"
	before=$column
	LTTNG=$dir $as sh "bench/${p#lttng:}.sh" >>"$rows" &
	part=$!
	if ! wait "$part"; then
		failed=1
		echo "$p: the rest was not measured|||||" >>"$rows"
	fi
	part=
done

{
	if [ -n "${QUICK:-}" ]; then
		echo "A trial: too short for numbers to be relied on."
	fi
	echo "$(uname -srm), processors: $(getconf _NPROCESSORS_ONLN ||
	    getconf NPROCESSORS_ONLN)" \
	    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null |
	    head -1)"
	${CC:-cc} --version | head -1
	! command -v lttng-sessiond >/dev/null 2>&1 ||
		lttng-sessiond --version | sed 's/^/lttng-sessiond /'
	[ -z "$newer" ] || [ ! -x "$newer/bin/lttng" ] ||
		"$newer/bin/lttng" --version | sed "s/^/beside it: /"
	awk -f bench/table.awk "$rows"
} >"$rows.table"
cat "$rows.table"
[ -z "${ROWS:-}" ] || cat "$rows" >>"$ROWS"
grep '^FAIL' "$rows" >&2
[ $failed -eq 0 ] || exit 1
[ -z "$results" ] || cp "$rows.table" "$results"
