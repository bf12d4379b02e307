# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Lines of the source and inlined functions: of what two compilers make, in all
# versions of DWARF, compressed or not, and of files that have them elsewhere.

. ./shared/symbols.sh
not_cross

# The place is within two functions that are inlined.
cat >"$T/place.c" <<'END'
extern int place_value;
static inline __attribute__((always_inline)) void inner(int n)
{
	place_value += n;
	__asm__ volatile ("here: nop");
}
static inline __attribute__((always_inline)) void middle(int n)
{
	if (n > 3)
		inner(n + 1);
}
int place_value;
void outer(int n);
void outer(int n)
{
	middle(n);
	place_value *= 3;
	__asm__ volatile ("there: nop");
}
END
{
	echo 'namespace shop {'
	sed 's/static inline/inline/' "$T/place.c"
	echo '}'
} >"$T/place.cc"
made=
n=0
>"$T/lines.in"
>"$T/want"

# place FILE [INNER MIDDLE SOURCE MORE]: tell of the two places of a file, which
# are so many lines further down in its source.
place() {
	n=$((n + 1))
	base=$((BASE + n * 0x1000000))
	module "$1" $base >>"$T/lines.in"
	callers $base "$(addr "$1" here)+1" "$(addr "$1" there)+1" \
	    >>"$T/lines.in"
	set -- "(${1##*/})" "${2:-inner}" "${3:-middle}" "${4:-place.c}" \
	    "${5:-0}"
	echo "$1 $2 $4:$((5 + $5)) <- $3 $4:$((10 + $5)) <- $4:$((16 + $5))" \
	    >>"$T/want"
	echo "$1 $4:$((18 + $5))" >>"$T/want"
	made="$made ${1##*/}"
}

# lib NAME COMMAND...: what is built so, if it can be.
lib() {
	out=$BIN/$1.so
	shift
	"$@" -Wl,--build-id -fPIC -shared -o "$out" "$T/place.c" \
	    >"$T/cc.out" 2>&1 && place "$out"
}

for cc in gcc clang; do
	command -v $cc >/dev/null 2>&1 || continue
	for v in 2 3 4 5; do
		lib $cc$v $cc -O2 -gdwarf-$v
	done
	lib ${cc}0 $cc -O0 -g
	lib ${cc}z $cc -O2 -g -gz
	lib ${cc}sections $cc -O2 -g -ffunction-sections -Wl,--gc-sections
	lib ${cc}lto $cc -O2 -g -flto
	lib ${cc}64 $cc -O2 -g -gdwarf64
	lib ${cc}32 $cc -m32 -O2 -g
done
for cxx in g++ clang++; do
	command -v $cxx >/dev/null 2>&1 && $cxx -O2 -g -Wl,--build-id -fPIC \
	    -shared -o "$BIN/$cxx.so" "$T/place.cc" >"$T/cc.out" 2>&1 &&
	    place "$BIN/$cxx.so" 'shop::inner(int)' 'shop::middle(int)' \
	    place.cc 1
done
[ $n -gt 3 ] || skip "no compiler makes DWARF"
if command -v dwz >/dev/null 2>&1 && [ -f "$BIN/g++.so" ]; then
	mkdir "$BIN/a" "$BIN/b"
	cp "$BIN/g++.so" "$BIN/a/dwz.so"
	cp "$BIN/g++.so" "$BIN/b/dwz.so"
	dwz -m "$BIN/common" -M "$BIN/common" "$BIN/a/dwz.so" \
	    "$BIN/b/dwz.so" && [ -f "$BIN/common" ] &&
	    place "$BIN/a/dwz.so" 'shop::inner(int)' 'shop::middle(int)' \
	    place.cc 1
fi
told <"$T/lines.in"
shown | sed 's/^[^ ]*+0x[0-9a-f]* (/(/' >"$T/got"
same "lines of$made"
echo "$n files:$made"

# The same, in JSON.
utctl view -j "$T/trace" | grep -F '"caller_sym":"outer+' | head -n 1 |
    grep -o '"caller_lines":\[.*\]' | sed 's/"file":"[^"]*\//"file":"/g' \
    >"$T/got"
printf '"caller_lines":[%s,%s,%s]\n' \
    '{"function":"inner","file":"place.c","line":5}' \
    '{"function":"middle","file":"place.c","line":10}' \
    '{"function":"outer","file":"place.c","line":16}' >"$T/want"
same "JSON"
utctl view -N "$T/trace" | grep 'place\.c' && fail "-N"

# What the linker has left out is nowhere: its addresses begin at 0, or near.
cat >"$T/left.c" <<'END'
extern int v, w;
int v, w;
void live(int), dead(int);
static inline __attribute__((always_inline)) void dead_inline(int n)
{
	v += n;
	if (__builtin_expect(n == 12345, 0)) {
		w++;
		__asm__ volatile (".fill 4096, 1, 0x90");
		w--;
	}
	v *= 3;
}
void dead(int n)
{
	dead_inline(n);
	__asm__ volatile (".fill 8192, 1, 0x90");
	v ^= n;
}
void live(int n)
{
	v -= n;
	__asm__ volatile ("here: .fill 20000, 1, 0x90");
	w -= n;
}
END
echo '{ global: live; local: *; };' >"$T/left.map"
n=0
for how in gcc,bfd gcc,gold gcc,lld gcc,mold clang,bfd clang,gold clang,lld; do
	for v in 4 5; do
		out=$T/left.${how#*,}.so
		${how%,*} -O2 -g -gdwarf-$v -ffunction-sections -fPIC -shared \
		    -nostdlib -fuse-ld=${how#*,} -Wl,--build-id \
		    -Wl,--gc-sections -Wl,-u,live \
		    -Wl,--version-script="$T/left.map" -o "$out" "$T/left.c" \
		    >"$T/cc.out" 2>&1 || continue
		n=$((n + 1))
		at=$(addr "$out" here) i=0
		{
			module "$out" $BASE
			while [ $i -lt 20000 ]; do
				i=$((i + 400))
				callers $BASE $at+$i
			done
		} | told
		shown >"$T/got"
		[ "$(grep -c ' left\.c:23$' "$T/got")" -eq 50 ] ||
		    fail "$how, DWARF $v: $(grep -v ' left\.c:23$' "$T/got" |
		    head -n 3)"
	done
done
echo "$n linkers and versions"

# What was stripped off a file is found by the build ID, or by the name and the
# checksum, near the file or below a directory.
need objcopy
gcc -O2 -g -Wl,--build-id -fPIC -shared -o "$T/whole.so" "$T/place.c" ||
    skip "no gcc"
gcc -O2 -g -Wl,--build-id=none -fPIC -shared -o "$T/bare.so" "$T/place.c" ||
    fail "gcc"

# split NAME WHOLE DEBUGFILE: NAME is below the root, without DEBUGFILE.
split() {
	mkdir -p "$(dirname "$T/root$3")" "$T/root/lib"
	objcopy --only-keep-debug "$2" "$T/root$3" || fail "objcopy"
	(cd "$(dirname "$T/root$3")" && objcopy --strip-all \
	    --add-gnu-debuglink="$(basename "$3")" "$2" "$T/root/lib/$1") ||
	    fail "objcopy --add-gnu-debuglink"
}
# found NAME WHOLE ID: the two lines of the file are.
found() {
	{
		module "$2" $BASE "/lib/$1" "$3"
		callers $BASE "$(addr "$2" here)+1" "$(addr "$2" there)+1"
	} | told
	shown -R "$T/root" | sed 's/^.*+0x[0-9a-f]* (/(/' >"$T/got"
	printf '(%s) %s\n' "$1" \
	    'inner place.c:5 <- middle place.c:10 <- place.c:16' \
	    "$1" 'place.c:18' >"$T/want"
	same "$1"
}
id=$(id_of "$T/whole.so")
rest=${id#??}
split id.so "$T/whole.so" "/usr/lib/debug/.build-id/${id%$rest}/$rest.debug"
found id.so "$T/whole.so" $id
rm -r "$T/root/usr"
for dir in /lib /lib/.debug /usr/lib/debug/lib /usr/libdata/debug/lib; do
	split link.so "$T/whole.so" $dir/link.debug
	found link.so "$T/whole.so" $id
	rm "$T/root$dir/link.debug"
done
split crc.so "$T/bare.so" /lib/crc.debug
found crc.so "$T/bare.so" ""
printf x >>"$T/root/lib/crc.debug"
shown -R "$T/root" | grep place.c && fail "another checksum"
exit 0
