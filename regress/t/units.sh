# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# One header in several files of a program, in its libraries, and in one
# that it loads and unloads many times: each event is one event, with one
# ID, recorded from the first call on; a second program shares it.

. ./common.sh

so() {
	lib=$1
	shift
	$CC $CFLAGS -fPIC -shared -I"$TOP/libut" -DUNIT=$lib "$@" \
	    -o "$T/$lib.so" prog/unit.c $LINK ||
	    fail "cannot build $lib.so"
}
for unit in a b; do
	$CC $CFLAGS -I"$TOP/libut" -DUNIT=$unit -c -o "$T/$unit.o" \
	    prog/unit.c || fail "cannot build $unit.o"
done
so lib1
so lib2
so lib3 -DEXTRA
$CC $CFLAGS -D_GNU_SOURCE -I"$TOP/libut" -o "$T/units" prog/units.c "$T/a.o" "$T/b.o" \
    "$T/lib1.so" "$T/lib2.so" $LINK $LIBS $DL || fail "cannot build units"
cp "$T/units" "$T/again"

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-event 'units:*' && utctl start || fail "set-up"
# One each: not every system tells two readers of a FIFO that it ends.
mkfifo "$T/stdin1" "$T/stdin2" || fail "mkfifo"
"$T/units" "$T/lib3.so" 1000 <"$T/stdin1" >"$T/out1" &
CHILDREN=$!
"$T/again" "$T/lib3.so" 1000 <"$T/stdin2" >"$T/out2" &
CHILDREN="$CHILDREN $!"
exec 3>"$T/stdin1" 4>"$T/stdin2"
until_ok grep done "$T/out1" && until_ok grep done "$T/out2" ||
    fail "the programs"

# Both programs are there: one entry for each event.
utctl list -j s >"$T/list" || fail "list"
for e in call extra; do
	n=$(grep -o "\"name\":\"units:$e\"" "$T/list" | wc -l)
	[ "$n" -eq 1 ] || fail "units:$e has $n entries: $(cat "$T/list")"
done
# What programs have: the library is not loaded now.
utctl events -j >"$T/events" || fail "events"
n=$(grep -o '"name":"units:call"' "$T/events" | wc -l)
[ "$n" -eq 2 ] || fail "events: units:call $n times for two programs"
exec 3>&- 4>&-
for p in $CHILDREN; do
	wait $p || fail "a program: status $?"
done
CHILDREN=
utctl stop >"$T/stop" || fail "stop"
grep -q ' 4012 events, 0 lost' "$T/stop" || fail "not 4012: $(cat "$T/stop")"
n=$(described '' "$T"/trace/ust/uid/*/*-bit/metadata)
[ "$n" -eq 2 ] || fail "$n events in the metadata"

# Of either program, in this order.
{
	echo 'units:call { unit = "main", n = 0, where = program }'
	echo 'units:call { unit = "a", n = 1, where = program }'
	echo 'units:call { unit = "b", n = 2, where = program }'
	echo 'units:call { unit = "lib1", n = 3, where = library }'
	echo 'units:call { unit = "lib2", n = 4, where = library }'
	i=0
	while [ $i -lt 1000 ]; do
		echo "units:extra { n = $i }"
		echo "units:call { unit = \"lib3\", n = $i, where = library }"
		i=$((i + 1))
	done
	echo 'units:call { unit = "a", n = -1, where = program }'
} >"$T/want"
readers_agree "$T/trace"
for p in units again; do
	grep " $p\[" "$T/view.out" | cut -d' ' -f4- | diff "$T/want" - ||
	    fail "$p traced something else"
done

# A child that utd does not know loads the library: that is not offered in
# the parent's name, which then has answers that it did not ask for.  Not with
# sanitizers, whose allocator another thread of the parent may have locked.
case $CFLAGS in
*-fsanitize*)	exit 0 ;;
esac
recorded -- "$T/units" "$T/lib3.so" 3 clone </dev/null
readers_agree "$T/trace"
cut -d' ' -f4- "$T/view.out" >"$T/got"
grep -v -e '"lib3"' -e ':extra' "$T/want" | sed '$d' >"$T/want2"
for i in 0 1 2; do
	echo "units:extra { n = $i }"
	echo "units:call { unit = \"lib3\", n = $i, where = library }"
done >>"$T/want2"
tail -n 1 "$T/want" >>"$T/want2"
diff "$T/want2" "$T/got" || fail "with a child of clone: something else"
