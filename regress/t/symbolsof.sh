# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Names for addresses: of modules that come and go, in view, stat and JSON, of
# C++, of files that are no modules, and of chunks.

. ./shared/symbols.sh

# What comes and goes; and what is not known yet, or any more.
one=$(addr "$BIN/libone.so" lib_one)
two=$(addr "$BIN/libtwo.so" lib_two)
mod1=$(module "$BIN/libone.so" $BASE)
mod2=$(module "$BIN/libtwo.so" $BASE)
gone=$(echo "$mod1" | awk '{ print "unload", $2, $3, $4 }')
at1=$(printf 'caller 0x%x' $((BASE + one + 1)))
at2=$(printf 'caller 0x%x' $((BASE + two + 1)))
printf '%s\n' "$at1" "$mod1" "$at1" "$gone" "$at1" "$mod2" "$at2" "$mod1" \
    "$at1" fork "$at1" "$mod2" "$at2" | told
expects "loaded, unloaded, loaded" "${at1#* }" 'lib_one+0x1 (libone.so)' \
    "${at1#* }" 'lib_two+0x1 (libtwo.so)' 'lib_one+0x1 (libone.so)' \
    "${at1#* }" 'lib_two+0x1 (libtwo.so)'
# A program that has the library elsewhere is another one: nothing is left of
# what was loaded before.
other=$(module "$BIN/pie" 0x40000000)
out=$(addr "$BIN/pie" outer)
at3=$(printf 'caller 0x%x' $((0x40000000 + out + 1)))
printf '%s\n' "$other" "$mod1" "$at3" "$at1" \
    "$(module "$BIN/libone.so" 0x50000000)" "$at3" | told
expects "another program" 'outer+0x1 (pie)' 'lib_one+0x1 (libone.so)' \
    "${at3#* }"

# Whatever is selected.
options='-e app:* -b +0.000001s -o fields'
utctl view $options "$T/trace" | grep -v -q 'caller = outer+0x1 (pie)' &&
    utctl view $options "$T/trace" | grep -q 'caller = outer+0x1 (pie)' ||
    fail "selected: $(utctl view $options "$T/trace")"
utctl view -e 'app:*' -n 1 "$T/trace" | grep -q 'caller = outer+0x1 (pie)' ||
    fail "-n 1"
utctl view -e 'app:*' -n -2 "$T/trace" >"$T/out" || fail "-n -2"
head -n 1 "$T/out" | grep -q 'caller = lib_one+0x1 (libone.so)' ||
    fail "-n -2: $(cat "$T/out")"
[ "$(wc -l <"$T/out")" -eq 2 ] || fail "-n -2: $(cat "$T/out")"
utctl view -j -e 'app:*' -n 1 "$T/trace" | grep -q -F \
    "\"caller\":$((0x40000000 + out + 1)),\"caller_sym\":\"outer+0x1 (pie)\"" ||
    fail "-j: $(utctl view -j -e 'app:*' "$T/trace")"
utctl view -j -N "$T/trace" | grep _sym && fail "-j -N"
options=

# stat: by the function, and by the call.
{
	echo "$mod1"
	for a in "$one" "$one" "$hid"; do
		printf 'entry 0x%x 0x%x\n' $((BASE + a)) $((BASE + one + 5))
		printf 'exit 0x%x 0x%x\n' $((BASE + a)) $((BASE + one + 5))
	done
} | told
utctl stat -e func:entry -g addr -g call_site "$T/trace" |
    sed -n 's/^ *\([0-9]*\) .*  \(.*\)  \(.*\)$/\1 \2 \3/p' |
    grep libone >"$T/got"
printf '%s lib_one+0x5 (libone.so)\n' '2 lib_one (libone.so)' \
    '1 hidden (libone.so)' >"$T/want"
same "stat -g"
utctl stat -dj "$T/trace" |
    grep -o '"by":{"pair":"func [^"]*"},"calls":[0-9]*' | sort >"$T/got"
printf '"by":{"pair":"func %s (libone.so)"},"calls":%d\n' hidden 1 \
    lib_one 2 >"$T/want"
same "stat -d"
utctl stat -N -d "$T/trace" | grep -q "func $(printf 0x%x \
    $((BASE + one)))\$" || fail "stat -N -d: $(utctl stat -N -d "$T/trace")"

# C++, where there is a library that knows how.
cat >"$T/names.cc" <<'END'
#include <map>
#include <string>
namespace shop {
struct cart {
	cart(int);
	int add(const std::string &, std::map<std::string, int> &);
	int n;
};
cart::cart(int i) : n(i) { }
int cart::add(const std::string &s, std::map<std::string, int> &m)
{ return m[s] += n; }
template <typename T> __attribute__((noinline)) T twice(T t) { return t + t; }
double use(int i) { return twice(i) + twice(i / 2.0); }
}
END
if command -v g++ >/dev/null 2>&1 &&
    g++ -O1 -Wl,--build-id -fPIC -shared -o "$BIN/libcc.so" "$T/names.cc"
then
	nm -P --defined-only "$BIN/libcc.so" |
	    awk '$2 == "T" && $1 ~ /^_Z/ { print $1, $3 }
		$2 == "W" && $1 ~ /twice/ { print $1, $3 }' |
	    sort -k 2 -u >"$T/nm"
	cut -d' ' -f1 "$T/nm" | c++filt | sed 's/$/+0x1 (libcc.so)/' >"$T/want"
	{
		module "$BIN/libcc.so" $BASE
		callers $BASE $(sed 's/.* \(.*\)/0x\1+1/' "$T/nm")
	} | told
	shown >"$T/got"
	[ "$(wc -l <"$T/got")" -ge 4 ] || fail "C++: $(cat "$T/got")"
	grep -q '^_Z' "$T/got" || same "C++"
	echo "C++: $(head -n 1 "$T/got")"
fi

# What a terminal might obey is not printed.
objcopy --redefine-sym "hidden=$(printf 'a\033[31m\"b')" "$BIN/libone.so" \
    "$BIN/libesc.so" || fail "objcopy --redefine-sym"
{
	module "$BIN/libesc.so" $BASE
	callers $BASE "$hid+1"
	module "$BIN/libesc.so" $BASE '/none/x%1b[1m%0a' 00
	callers $BASE "$hid+1"
} | told
expects "escapes" 'a\x1b[31m\\\"b+0x1 (libesc.so)' \
    "x\\x1b[1m\\n+$(printf 0x%x $((hid + 1)))"
utctl view -j -e 'app:*' "$T/trace" | grep -q -F \
    '"caller_sym":"a\u001b[31m\\\"b+0x1 (libesc.so)"' ||
    fail "-j: $(utctl view -j -e 'app:*' "$T/trace")"

# Files that are none, or cut short, or lie: they have no names.  A FIFO would
# not be read for ever.
mkfifo "$BIN/fifo"
{
	for f in "$BIN/fifo" /dev/zero "$BIN" "$T/lib.c" libone.so '[vdso]' \
	    "$BIN/$(printf '%5000s' '' | tr ' ' x)"; do
		echo "module $BASE $BASE 65536 $f $ID"
		callers $BASE "$one+1"
	done
	echo "module 0 0xfffffff0 0xffffffffffffffff $BIN/libone.so $ID"
	echo "module 0 $BASE 0 $BIN/libone.so $ID"
} | told
number=$(printf 0x%x $((one + 1)))
expects "no files" "fifo+$number" "zero+$number" "bin+$number" \
    "lib.c+$number" "libone.so+$number" "[vdso]+$number" \
    "$(printf 0x%x $((BASE + one + 1)))"
size=$(($(wc -c <"$BIN/libone.so")))
mkdir "$T/cut"
n=16
while [ $n -lt $size ]; do
	dd if="$BIN/libone.so" of="$T/cut/$n" bs=$n count=1 2>/dev/null
	n=$((n + 1 + n / 8))
done
for f in "$T"/cut/*; do
	echo "${mod1%/*}" | awk -v f="$f" -v id="$ID" '{ $5 = f; $6 = id
		print }'
	callers $BASE "$one+1"
done | told
shown >"$T/got"
[ "$(wc -l <"$T/got")" -eq "$(ls "$T/cut" | wc -l)" ] || fail "cut"
grep -v -e "^[0-9]*+$number\$" -e '^lib_one+0x1 ([0-9]*)$' "$T/got" &&
    fail "cut: wrong names"
grep -q "+$number" "$T/got" || fail "cut: nothing is"

# Chunks of a trace are one trace; the second by itself knows no modules.
rm -rf "$T/trace"
start_utd
utctl create -o "$T/trace" chunks >"$T/out" &&
    utctl enable-event -s chunks 'ut:*' 'app:*' >"$T/out" &&
    utctl start chunks >"$T/out" || fail "chunks: $(cat "$T/out")"
mkfifo "$T/lines"
background sh -c './prog/named <"$1" >"$2"' sh "$T/lines" "$T/said"
exec 6>"$T/lines"
printf '%s\n' "$mod1" "$at1" 'say loaded' >&6
until_ok grep -q loaded "$T/said" || fail "chunks: nothing is said"
utctl rotate chunks >"$T/out" || fail "rotate: $(cat "$T/out")"
echo "$at1" >&6
exec 6>&-
wait "$LAST"
utctl destroy chunks >"$T/out" || fail "destroy: $(cat "$T/out")"
stop_utd
expects "chunks" 'lib_one+0x1 (libone.so)' 'lib_one+0x1 (libone.so)'
utctl view "$T"/trace/archives/*-2 >"$T/out" || fail "chunk 2"
grep -q "caller = ${at1#* }," "$T/out" || fail "chunk 2: $(cat "$T/out")"
