# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# LTTng-UST's macros: every one, in C and C++, in the names of both APIs; the
# provider in the program, in an archive, preloaded, and loaded and unloaded;
# beside LTTng-UST itself, where that is.

. ./common.sh
not_sanitized

mkdir "$T/0" "$T/1" && cp prog/lttngust.[ch] "$T/0" || exit 1
for f in c h; do
	sed -e 's/TRACEPOINT_EVENT_INSTANCE(lttngust, of_ten,/& lttngust,/' \
	    -e 's/TRACEPOINT_LOGLEVEL/LTTNG_UST_&/' \
	    -e 's/TRACE_[A-Z]*)/LTTNG_UST_TRACEPOINT_LOGLEVEL_&/' \
	    -e 's/LOGLEVEL_TRACE_/LOGLEVEL_/' \
	    -e 's/ctf_/lttng_ust_field_/g' -e 's/TP_[AFE]/LTTNG_UST_&/g' \
	    -e 's/TRACEPOINT_[^L]/LTTNG_UST_&/g' \
	    -e 's/[	 ]tracepoint(/ lttng_ust_tracepoint(/' \
	    -e 's/do_tracepoint(/lttng_ust_&/' \
	    -e 's/tracepoint_enabled/lttng_ust_&/' \
	    prog/lttngust.$f >"$T/1/lttngust.$f" || exit 1
done

cat >"$T/want" <<'END' || exit 1
numbers { i = 7, u8 = 7, i64 = -7, u64 = 18446744073709551609, x = 0x7, p = 0x1234, net = 117440512, netx = 0x700, d = 0.5, f = 0.5, colour = many, small = "a \"quoted\" \\ one", wide = least, large = largest, once = 1 }
texts { s = "text", at = "tex", st = "te", a = [1, -2, 772], ax = [0x1, 0xfffe], an = [256, -257], anx = [0x100], q = [1, -2], qx = 01 00 |..|, qn = [256, 65279], qnx = [0x100, 0xfeff] }
texts { s = "tt", at = "tt", st = "t", a = [0, 0, 0], ax = [0x0, 0x0], an = [0, 0], anx = [0x0], q = [], qx = ||, qn = [], qnx = [] }
blobs { b = 61 62 |ab|, v = 61 62 63 |abc| }
names { MACRO = 1, class = 2, len = 3 }
none { }
none_void { }
ten { a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10 }
ten_too { a = 0, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10 }
END

# build API WHAT OUTPUT FLAG...: with the compiler in $cc.
build() {
	what=$2 out=$3 dir=$T/$1
	shift 3
	[ "$dir" = "$T/0" ] || set -- -DLTTNG_UST_COMPAT_API_VERSION=1 "$@"
	$cc $CFLAGS -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$dir" \
	    -I"$TOP/libut" $what "$dir/lttngust.c" -x none -o "$out" "$@" ||
	    fail "cannot build with $cc $what $*"
}

# shows WHAT COMMAND...: it records the events, once.
shows() {
	what=$1
	shift
	recorded -e 'lttngust:*' -- "$@"
	readers_agree "$T/trace"
	sed 's/^.* lttngust://' "$T/view.out" | diff "$T/want" - ||
	    fail "$what: other events"
}

n=0
for cc in "$CC -x c" "$CC -x c -std=c99" "$CC -x c -std=c2x" "gcc -x c" \
    "clang -x c" "g++ -x c++ -std=c++11" "g++ -x c++ -std=c++20" \
    "clang++ -x c++ -std=c++11" "clang++ -x c++ -std=c++20"; do
	case $CC in
	*-m32*|*musl*|*--target=*)	case $cc in
		"$CC"*)	;;
		*)	continue ;;
		esac ;;
	esac
	echo 'int i;' >"$T/can.c"
	$cc -c -o "$T/can.o" "$T/can.c" 2>/dev/null || continue
	for api in 0 1; do
		build $api "-DPROVIDER -DDEFINE -DCALLS" "$T/p" $LINK $DL $LIBS
		shows "$cc, API $api" "$T/p"
		n=$((n + 1))
	done
done

# In an archive, which the calls pull out; loaded, and not at all.
cc="$CC -x c"
build 0 "-DPROVIDER -DDEFINE -c" "$T/provider.o"
ar rc "$T/libprovider.a" "$T/provider.o" || exit 1
build 0 -DCALLS "$T/p" -L"$T" -lprovider "$TOP/libut/libut.a" $DL $LIBS
shows "an archive" "$T/p"
build 0 "-DPROVIDER -fPIC -shared" "$T/provider.so" $LINK
build 0 "-DCALLS -DDEFINE=2" "$T/p" $LINK $DL $LIBS
build 0 "-DCALLS -DDEFINE=2" "$T/alone" $DL $LIBS
build 0 "-DCALLS -DDEFINE=2 -O0" "$T/O0" $LINK $DL $LIBS
LD_LIBRARY_PATH=$TOP/libut
export LD_LIBRARY_PATH
for p in p alone O0; do
	shows "$p, preloaded" env LD_PRELOAD="$T/provider.so" "$T/$p"
	shows "$p, loaded" "$T/$p" "$T/provider.so"
	recorded -e 'lttngust:*' -- "$T/$p"
	[ "$events" -eq 0 ] || fail "$p: $events events without a provider"
done
"$T/alone" || fail "alone: status $?"

# Again and again: all of it is called once more when it is unloaded.
recorded -e 'lttngust:*' -- "$T/p" "$T/provider.so" 100
[ "$events $lost" = "900 0" ] || fail "loaded: $events events, $lost lost"
sed 's/once = [0-9]*/once = 1/' "$T/want" >"$T/each"
utctl view "$T/trace" | sed 's/^.* lttngust://' | sort | uniq -c |
    awk '$1 != 100 && $2 != "texts" { exit 1 }' || fail "loaded: not alike"

# A provider that is there twice records once, and outlives the other.
cp "$T/provider.so" "$T/twin.so" || exit 1
recorded -e 'lttngust:*' -- env LD_PRELOAD="$T/provider.so" "$T/p" \
    "$T/twin.so" 10
[ "$events $lost" = "180 0" ] || fail "twins: $events events, $lost lost"

# Levels; without one, it is debug_line.
for l in warning:1 err:1 debug_line:7; do
	recorded -L ${l%:*} -e 'lttngust:*' -- env LD_PRELOAD="$T/provider.so" \
	    "$T/p"
	[ "$events" -eq ${l#*:} ] || fail "level ${l%:*}: $events events"
done
echo "$n times"

# The same from LTTng-UST, if it is installed and nobody uses it now.
for p in lttng lttng-sessiond babeltrace2; do
	command -v $p >/dev/null 2>&1 || exit 0
done
[ ! -e /var/run/lttng/lttng-sessiond.pid ] &&
    $CC $CFLAGS -DPROVIDER -DDEFINE -DCALLS -DORIGINAL -I"$T/0" \
    -o "$T/original" "$T/0/lttngust.c" -llttng-ust $DL 2>/dev/null || exit 0
HOME=$T
LTTNG_HOME=$T
export HOME LTTNG_HOME
lttng-sessiond --no-kernel --pidfile "$T/pid" --daemonize ||
    fail "lttng-sessiond"
lttng create s -o "$T/theirs" >"$T/out" &&
    lttng enable-event -u 'lttngust:*' >>"$T/out" &&
    lttng start >>"$T/out" && "$T/original" &&
    lttng destroy >>"$T/out" || fail "lttng: $(cat "$T/out")"
kill "$(cat "$T/pid")"
# both TRACE: the events and their fields, as babeltrace2 shows them.
both() {
	babeltrace2 "$1" | sed 's/^.* lttngust:/lttngust:/
	    s/: {[^}]*}, /: /'
}
both "$T/theirs" >"$T/want.both"
[ "$(wc -l <"$T/want.both")" -eq 7 ] || fail "lttng: $(cat "$T/want.both")"
build 0 "-DPROVIDER -DDEFINE -DCALLS -DORIGINAL" "$T/p" $LINK $DL $LIBS
recorded -e 'lttngust:*' -- "$T/p"
both "$T/trace" | diff "$T/want.both" - || fail "not as LTTng-UST"
echo "as LTTng-UST"
