# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Four threads load and unload libraries, three hundred times, while eight
# others trace, children are forked, and sessions come and go: no event is torn
# or missing, from the first call of each library on, and nothing is leaked.
# UT_LOADS is another number than 300; UT_LOADS_PAUSE is not 1000 us, and with 0
# more is traced than can be written.

. ./common.sh

# NetBSD unmaps a library that one thread unloads while its destructor runs, if
# another thread unloads one meanwhile.  There one thread does it all.
cat >"$T/slow.c" <<'END'
#include <unistd.h>
static volatile int ended;
static void __attribute__((destructor))
end(void)
{
	usleep(10000);
	ended = 1;
}
END
cat >"$T/unload.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
static void *
unload(void *path)
{
	int i;

	for (i = 0; i < 10; i++)
		dlclose(dlopen(path, RTLD_NOW));
	return 0;
}
int
main(int argc, char *argv[])
{
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, unload, argv[i + 1]);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	return argc != 3;
}
END
$CC -fPIC -shared -o "$T/slow0.so" "$T/slow.c" &&
    $CC -o "$T/unload" "$T/unload.c" $LIBS $DL &&
    cp "$T/slow0.so" "$T/slow1.so" || fail "cannot build unload"
each='0 1 2 3'
(ulimit -c 0 && exec "$T/unload" "$T/slow0.so" "$T/slow1.so") || each=0

# Each has an event that no other has: only its own loading brings that.
n=0 libs=
for i in $each; do
	n=$((n + 1)) libs="$libs $T/load$i.so"
	sed "s/only/only$i/" prog/load.c >"$T/load.c"
	$CC $CFLAGS -fPIC -shared -I"$TOP/libut" -o "$T/load$i.so" \
	    "$T/load.c" $LINK || fail "cannot build load$i.so"
done
$CC $CFLAGS -D_GNU_SOURCE -I"$TOP/libut" -o "$T/loads" prog/loads.c \
    $LINK $NOW $LIBS $DL || fail "cannot build loads"
LOADS=${UT_LOADS:-300}
PAUSE=${UT_LOADS_PAUSE:-1000}

# The thread sanitizer sees neither the lock of the loader nor that another
# library lies where one was before.
printf '%s\n' race_top:ut_this_module_ race:ld- race:ld.so \
    >"$T/suppressions"
TSAN_OPTIONS=${TSAN_OPTIONS:-}:die_after_fork=0:suppressions=$T/suppressions
export TSAN_OPTIONS

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -s s -b 64k -n 512 channel0 &&
    utctl enable-event -s s 'seq:tick' 'loads:*' && utctl start s ||
    fail "set-up"
# utctl frees nothing; this program does.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=1
export ASAN_OPTIONS
expected=$((n * LOADS))
background "$T/loads" "$LOADS" "$PAUSE" $libs >"$T/loads.out" 2>"$T/loads.err"
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0

# One after another, of all events or some, stopped or just destroyed.
n=0 seen=0
until gone $LAST; do
	n=$((n + 1))
	rm -rf "$T/other"
	utctl create -o "$T/other" other >/dev/null &&
	    utctl enable-event -s other '*' && utctl start other ||
	    fail "set-up of other: $(tail -n 3 "$T/utd.log")"
	case $((n % 3)) in
	0)	utctl disable-event -s other '*' || fail "disable" ;;
	1)	utctl stop other >/dev/null || fail "stop" ;;
	esac
	utctl destroy other >/dev/null || fail "destroy"
	# The program has not begun, or has ended, maybe just now.
	if [ -z "$(find "$T/other" -name metadata)" ]; then
		[ -z "$(find "$T/other" -type f)" ] || fail "no metadata"
		continue
	fi
	seen=$((seen + 1))
	utctl view "$T/other" >"$T/view.out" 2>"$T/view.err" ||
	    fail "view other: $(head -n 5 "$T/view.err")"
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "other: seqcheck"
done
wait $LAST || fail "status $?: $(head -n 40 "$T/loads.err")"
[ ! -s "$T/loads.err" ] || fail "$(head -n 40 "$T/loads.err")"
utctl stop s >/dev/null || fail "stop s"
counts s
read -r total loads <"$T/loads.out"
echo "$loads loads, $seen of $n sessions, $events events, $lost lost"
[ "$loads" -eq $expected ] || fail "$loads loads"
[ $((events + lost)) -eq $((total + loads)) ] ||
    fail "$events events + $lost lost, not $total + $loads"
[ "$lost" -eq 0 ] || [ "$PAUSE" -eq 0 ] || fail "$lost lost"
readers_agree "$T/trace"
[ "$(discarded)" -eq "$lost" ] || fail "view: $(tail -n 3 "$T/view.err")"
./prog/seqcheck <"$T/view.out" >"$T/got" || fail "seqcheck"
read -r got writers missing <"$T/got"
only=$(grep -c 'loads:only[0-3] ' "$T/view.out")
[ $((got + only)) -eq "$events" ] && [ "$missing" -le "$lost" ] ||
    fail "$(cat "$T/got"), $only"
utctl list s | grep warning && fail "a warning"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
exit 0
