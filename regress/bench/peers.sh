# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What an event costs with the loggers and tracers that are in the directory
# PEERS, see the page of that name: bursts of 1,000 events of one thread, one
# each millisecond.  They take turns with libut, and all begin anew each time.

. bench/common.sh
case ${PEERS:-} in
/*)	[ -d "$PEERS" ] || fail "PEERS: $PEERS is not a directory" ;;
*)	fail "PEERS must name a directory, by a path that begins with /" ;;
esac
compile load.ut bench/load.c "$LIBUT" || fail "cannot build"
start_utd
clock="-k cycles" clock_name="cycles" clock_floor="-DCYCLES"
have_cycles || clock= clock_name="the default clock" clock_floor=
compile load.fl -DPLAIN $clock_floor bench/load.c || fail "cannot build"

# peer NAME FILE [compiler option ...]: compile peers/NAME.cc if FILE is in
# PEERS/NAME, and add NAME to $built.
built=
peer() {
	peer_name=$1 peer_file=$PEERS/$1/$2
	shift 2
	if [ ! -e "$peer_file" ]; then
		row "$peer_name" "" "" "not in PEERS" ""
	elif ! ${CXX:-g++} -O3 -DNDEBUG -pthread -Ibench -o "$T/$peer_name" \
	    "bench/peers/$peer_name.cc" "$@" 2>"$T/err"; then
		grep error "$T/err" | head -3 >&2
		row "$peer_name" "" "" "not compiled" ""
	else
		built="$built $peer_name"
	fi
}

# run_peer NAME EVENT: measure it once.  A text has a line for each event, and
# what NanoLog writes is made a text.
run_peer() {
	# NanoLog opens a file in the directory where it runs, too.
	if ! (cd "$T" && "./$1" "$2" log "$SHORT" 1000 1) >"$T/out" \
	    2>"$T/err"; then
		head -3 "$T/err" >&2
		row "$1" "" "" "does not run" "" >"$T/fails.$1"
		return
	fi
	cat "$T/out" >>"$T/m.$1.$2"
	nanolog=$PEERS/NanoLog/runtime/decompressor
	case $1 in
	NanoLog)
		[ ! -x "$nanolog" ] ||
		    "$nanolog" decompress "$T/log" | grep ' NOTICE\[' |
		    awk 'NR == FNR { n = $2; next } END { print n - FNR }' \
		    "$T/out" - >>"$T/m.$1.$2.lost" ;;
	fmtlog|quill|xtr)
		awk 'NR == FNR { n = $2; next } END { print n - FNR }' \
		    "$T/out" "$T/log" >>"$T/m.$1.$2.lost" ;;
	esac
	rm -f "$T/log"
}

echo "column|peer"
peer NanoLog runtime/libNanoLog.a -std=c++17 -I"$PEERS/NanoLog/runtime" \
    "$PEERS/NanoLog/runtime/libNanoLog.a"
peer quill include/quill -std=c++17 -I"$PEERS/quill/include"
peer fmtlog fmtlog.h -std=c++17 -I"$PEERS/fmtlog" -I"$PEERS/fmt/include"
peer xtr single_include/xtr -std=c++20 -DXTR_USE_IO_URING=0 \
    -I"$PEERS/xtr/single_include" -I"$PEERS/fmt/include"
peer tracy TracyClient.o -std=c++17 -DTRACY_ENABLE -I"$PEERS/tracy/public" \
    "$PEERS/tracy/TracyClient.o" -ldl
peer perfetto sdk/perfetto.o -std=c++17 -I"$PEERS/perfetto/sdk" \
    "$PEERS/perfetto/sdk/perfetto.o"

r=0
while [ $r -lt "$ROUNDS" ]; do
	for e in one mix; do
		short_ut "ut.$e" $e $clock
		short "fl.$e" load.fl $e
		for p in $built; do
			# Tracy has no event of several fields.
			[ "$p.$e" = tracy.mix ] || run_peer "$p" $e
		done
	done
	r=$((r + 1))
done
row "libut's clock: $clock_name" "" "" "" ""
for p in $built; do
	if [ -e "$T/fails.$p" ]; then
		cat "$T/fails.$p"
		continue
	fi
	percentiles "$p, one int" ut.one "$p.one" fl.one 1.1 1.2
	[ ! -s "$T/m.$p.mix" ] ||
		percentiles "$p, four fields" ut.mix "$p.mix" fl.mix
done
echo "column|LTTng"
