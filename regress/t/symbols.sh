# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Names for addresses: what nm(1), readelf(1) and addr2line(1) say of the files
# that the events ut:module tell of, and no names of files that are others.

. ./common.sh

for tool in nm readelf addr2line objcopy strip c++filt; do
	need $tool
done

BASE=0x20000000	# where a program has nothing else
CFLAGS="$CFLAGS -g0"	# addr2line may be older than what debuggers are told
BIN=$T/bin
mkdir "$BIN"

# The build ID of a file: what its note has after 16 bytes.  Not every readelf
# shows it with -n.
id_of() {
	readelf -x .note.gnu.build-id "$1" 2>/dev/null | awk '
	$1 ~ /^0x/ { id = id substr($0, 14, 35) }
	END { gsub(/ /, "", id); print substr(id, 33) }'
}

# module FILE BASE [PATH [ID]]: its line for prog/named.
module() {
	readelf -lW "$1" >"$T/segments" 2>/dev/null || fail "readelf $1"
	set -- "$1" "$2" "${3:-$1}" "${4-$(id_of "$1")}" $(awk '
	$1 == "LOAD" && !n++ { print $3 }
	$1 == "LOAD" { end = $3 " " $6 }
	END { print end }' "$T/segments")
	printf 'module 0x%x 0x%x %d %s %s\n' $(($2)) \
	    $(($2 + $5 / 4096 * 4096)) \
	    $(($6 + $7 - $5 / 4096 * 4096)) "$3" "$4"
}

# Record what the standard input says, and show it.
told() {
	cat >"$T/told.in"
	recorded -e 'app:*' -e 'func:*' -- \
	    sh -c './prog/named <"$1"' sh "$T/told.in"
	[ "$lost" -eq 0 ] || fail "$lost lost"
}

# shown OPTION...: the callers, as they are shown.
shown() {
	utctl view "$@" "$T/trace" >"$T/view.out" 2>"$T/view.err" ||
	    fail "view $*: $(cat "$T/view.err")"
	[ ! -s "$T/view.err" ] || fail "view $*: $(cat "$T/view.err")"
	sed -n 's/.* app:call { n = [0-9]*, caller = \(.*\), addr = .*/\1/p' \
	    "$T/view.out"
}

# same WHAT: $T/got and $T/want are.
same() {
	cmp -s "$T/got" "$T/want" && return
	diff "$T/want" "$T/got" | head -n 10
	fail "$1"
}

# callers BASE ADDR...: of these addresses of a file.
callers() {
	base=$1
	shift
	for a; do
		printf 'caller 0x%x\n' $(($base + $a))
	done
}

# every FILE: an address in each four bytes of its code.
every() {
	readelf -SW "$1" | sed 's/.*\] //' | awk '
	$1 ~ /^\.(plt|text|init|fini)$/ { print "0x" $3, "0x" $5 }' |
	while read -r from size; do
		a=$((from)) end=$((from + size))
		while [ $a -lt $end ]; do
			echo "$a"
			a=$((a + 4))
		done
	done
}

# What nm says: all that has a size, and nothing where nothing has one.  Lines
# of addresses become what is shown of the calls that return one byte behind.
want() {
	file=$1 name=$2
	nm -P --defined-only "$file" >"$T/nm" 2>/dev/null
	[ -s "$T/nm" ] || nm -P -D --defined-only "$file" >"$T/nm"
	awk -v file="$name" '
	function hex(s,	i, v) {
		for (i = 1; i <= length(s); i++)
			v = v * 16 + index("0123456789abcdef",
			    substr(s, i, 1)) - 1
		return v
	}
	NR == FNR && $2 ~ /^[TtWwi]$/ && hex($4) > 0 {
		sub(/@.*/, "", $1)
		from[++n] = hex($3)
		to[n] = hex($3) + hex($4)
		name[n] = $1
	}
	NR == FNR { next }
	{
		best = 0
		for (i = 1; i <= n; i++)
			if (from[i] <= $1 && $1 < to[i] &&
			    (!best || from[i] > from[best]))
				best = i
		if (best)
			printf "%s+0x%x (%s)\n", name[best],
			    $1 + 1 - from[best], file
		else
			printf "%s+0x%x\n", file, $1 + 1
	}' "$T/nm" -
}


cat >"$T/lib.c" <<'END'
int lib_one(int), lib_two(int);
static __attribute__((noinline)) int hidden(int n) { return n * 3 + 1; }
int lib_one(int n) { return hidden(n) + hidden(n + 1); }
int lib_two(int n) { return n < 2 ? 1 : lib_two(n - 1) + lib_one(n); }
/* A function in another one, a place in it, and what has no size. */
__asm__(".text\n.balign 4\n.type outside, STT_FUNC\noutside: .skip 16\n"
    ".type inside, STT_FUNC\ninside: .skip 8\n.size inside, 8\n.skip 8\n"
    "place: .skip 16\n.size outside, 48\nendless: .skip 8\n");
END
cat >"$T/main.c" <<'END'
static __attribute__((noinline)) int inner(int n) { return n * 5 + 2; }
int outer(int n);
int outer(int n) { return inner(n) + inner(n + 1); }
int main(int argc, char **argv) { (void)argv; return outer(argc) & 1; }
END

make_lib() {
	out=$1
	shift
	$CC $CFLAGS -Wl,--build-id -fPIC -shared "$@" -o "$out" "$T/lib.c" ||
	    fail "cannot build $out"
}

make_lib "$BIN/libone.so"
make_lib "$BIN/libtwo.so" -DOTHER -Dhidden=concealed
$CC $CFLAGS -Wl,--build-id -fPIE -pie -o "$BIN/pie" "$T/main.c" ||
    fail "pie"

# Is the line a name of the place that has this name, too?
names() {
	read -r other
	[ "$other" != "$1" ] || return 0
	value=$(awk -v name="$1" '$1 == name { print $3 }' "$T/nm")
	[ -n "$value" ] && grep -q "^$other [A-Za-z] $value" "$T/nm"
}

# Each byte of a file.
whole() {
	file=$1 base=$2 name=${1##*/}
	every "$file" >"$T/addrs"
	n=$(wc -l <"$T/addrs")
	[ "$n" -gt 10 ] || fail "$name: only $n addresses"
	{
		module "$file" "$base"
		while read -r a; do
			printf 'caller 0x%x\n' $((base + a + 1))
		done <"$T/addrs"
	} | told
	shown >"$T/shown"
	want "$file" "$name" <"$T/addrs" >"$T/wanted"
	paste -d '|' "$T/addrs" "$T/shown" "$T/wanted" |
	    awk -F '|' '$3 !~ /\+0x.*\(/ && $2 ~ /\(/ { next }
		{ print $2 > got; print $3 > want }' \
	    got="$T/got" want="$T/want"
	same "$name"
	grep -c '(' "$T/got" >"$T/n"
	read -r n <"$T/n"
	[ "$n" -gt 5 ] || fail "$name: $n names"
	# Where nm has no size, the nearest symbol of the section is right.
	paste -d '|' "$T/addrs" "$T/shown" "$T/wanted" |
	    awk -F '|' '$3 !~ /\+0x.*\(/ && $2 ~ /\(/ { print $1 " " $2 }' |
	while read -r a text; do
		printf '0x%x\n' "$a" | addr2line -f -e "$file" | head -n 1 |
		    names "${text%%+0x*}" || fail "$name: $a is not $text"
	done || exit 1
	echo "$name: $n of $(wc -l <"$T/addrs") addresses have names"
}

whole "$BIN/libone.so" $BASE
whole "$BIN/pie" $BASE
$CC $CFLAGS -no-pie -Wl,--build-id -o "$BIN/fixed" "$T/main.c" \
    2>/dev/null && whole "$BIN/fixed" 0
gcc -m32 -O2 -Wl,--build-id -fPIC -shared -o "$BIN/lib32.so" "$T/lib.c" \
    2>/dev/null && whole "$BIN/lib32.so" $BASE
clang --target=mips-linux-gnu -O2 -nostdlib -shared -fPIC -fuse-ld=lld \
    -Wl,--build-id -o "$BIN/libbig.so" "$T/lib.c" 2>/dev/null &&
    whole "$BIN/libbig.so" $BASE

# addr FILE NAME: where nm says that it is.
addr() {
	echo "0x$(nm -P "$1" | awk -v name="$2" '$1 == name { print $3 }')"
}

# expects WHAT LINE...: what is shown of the callers.
expects() {
	what=$1
	shift
	shown $options >"$T/got"
	printf '%s\n' "$@" >"$T/want"
	same "$what"
}

options=
one=$(addr "$BIN/libone.so" lib_one)
hid=$(addr "$BIN/libone.so" hidden)

# Below another directory, stripped; the names are of what was stripped off.
ID=$(id_of "$BIN/libone.so")
debug=$T/root/usr/lib/debug/.build-id/${ID%"${ID#??}"}
mkdir -p "$debug" "$T/root/opt"
objcopy --only-keep-debug "$BIN/libone.so" "$debug/${ID#??}.debug" ||
    fail "objcopy"
strip -o "$T/root/opt/libx.so" "$BIN/libone.so" || fail "strip"
{
	module "$T/root/opt/libx.so" $BASE /opt/libx.so
	callers $BASE "$hid+1" "$one+1"
} | told
expects "not there" "libx.so+$(printf 0x%x $((hid + 1)))" \
    "libx.so+$(printf 0x%x $((one + 1)))"
options="-R $T/root"
expects "stripped, with names apart" 'hidden+0x1 (libx.so)' \
    'lib_one+0x1 (libx.so)'
rm "$T/root/opt/libx.so"
expects "only the names" 'hidden+0x1 (libx.so)' 'lib_one+0x1 (libx.so)'
strip -o "$T/root/opt/libx.so" "$BIN/libone.so"
mv "$debug" "$debug.away"
expects "stripped" "libx.so+$(printf 0x%x $((hid + 1)))" \
    'lib_one+0x1 (libx.so)'
cp "$BIN/libone.so" "$T/root/opt/libx.so"
expects "not stripped" 'hidden+0x1 (libx.so)' 'lib_one+0x1 (libx.so)'
# Another file in its place: another build ID.
cp "$BIN/libtwo.so" "$T/root/opt/libx.so"
expects "replaced" "libx.so+$(printf 0x%x $((hid + 1)))" \
    "libx.so+$(printf 0x%x $((one + 1)))"
mkdir -p "$debug"
cp "$BIN/libtwo.so" "$debug/${ID#??}.debug"
expects "replaced names" "libx.so+$(printf 0x%x $((hid + 1)))" \
    "libx.so+$(printf 0x%x $((one + 1)))"
options=-N
expects "-N" "$(printf 0x%x $((BASE + hid + 1)))" \
    "$(printf 0x%x $((BASE + one + 1)))"

# Below another directory, which nothing leads out of.
mkdir "$T/root/etc" && cp "$BIN/libone.so" "$T/root/etc/libx.so" || fail "cp"
ln -s /etc/libx.so "$T/root/opt/liblink.so"
ln -s ../../../etc "$T/root/opt/up"
ln -s "$BIN/libone.so" "$T/root/opt/libout.so"
ln -s ../../bin/libone.so "$T/root/opt/libup.so"
ln -s libloop.so "$T/root/opt/libloop.so"
for f in /etc/./libx.so /opt/liblink.so /opt/up/libx.so /../etc/libx.so \
    /opt/libout.so /opt/libup.so /opt/../../bin/libone.so \
    /opt/libloop.so; do
	module "$BIN/libone.so" $BASE "$f"
	callers $BASE "$one+1"
done | told
rm "$debug/${ID#??}.debug"
number=$(printf 0x%x $((one + 1)))
options="-R $T/root"
expects "links" 'lib_one+0x1 (libx.so)' 'lib_one+0x1 (liblink.so)' \
    'lib_one+0x1 (libx.so)' 'lib_one+0x1 (libx.so)' \
    "libout.so+$number" "libup.so+$number" "libone.so+$number" \
    "libloop.so+$number"
complains "-R $T/none: No such file" utctl view -R "$T/none" "$T/trace"
complains 'lib.c: not a directory' utctl stat -R "$T/lib.c" "$T/trace"
complains '-R is given twice' utctl view -R "$T" -R "$T" "$T/trace"

# No build ID: a file of that size, which nobody has changed since.
options=
$CC $CFLAGS -Wl,--build-id=none -fPIC -shared -o "$BIN/libnone.so" \
    "$T/lib.c" || fail "libnone.so"
one=$(addr "$BIN/libnone.so" lib_one)
number=libnone.so+$(printf 0x%x $((one + 1)))
sleep 0.1
{
	module "$BIN/libnone.so" $BASE
	callers $BASE "$one+1"
} | told
expects "no ID" 'lib_one+0x1 (libnone.so)'
sleep 0.1
cp -p "$BIN/libnone.so" "$BIN/copy"
mkdir -p "$T/root$BIN"
cp -p "$BIN/libnone.so" "$T/root$BIN/libnone.so"
mv "$BIN/copy" "$BIN/libnone.so"
expects "copied" "$number"
options="-R $T/root"
expects "copied below -R" 'lib_one+0x1 (libnone.so)'
touch "$T/root$BIN/libnone.so"
expects "changed below -R" "$number"
options=
{
	module "$BIN/libnone.so" $BASE |
	    awk '{ $4 += 4096; print }'
	callers $BASE "$one+1"
} | told
expects "another size" "$number"
{
	module "$BIN/libnone.so" $BASE "$BIN/libnone.so" "$ID"
	callers $BASE "$one+1"
	module "$BIN/libone.so" 0x30000000 "$BIN/libone.so" ''
	callers 0x30000000 "$(addr "$BIN/libone.so" lib_one)+1"
} | told
expects "ID on one side" "$number" \
    "libone.so+$(printf 0x%x $(($(addr "$BIN/libone.so" lib_one) + 1)))"

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

# A program as it runs: all of its functions, in all packets.
$CC $CFLAGS -finstrument-functions -Wl,--build-id -fPIE -pie -o "$BIN/funcs" \
    prog/funcs.c "$TOP/libut/libut-func.o" "$LIBUT" $LIBS || fail "funcs"
recorded -b 4k -n 512 -e 'func:*' -- "$BIN/funcs"
[ "$lost" -eq 0 ] || fail "$lost lost"
base=$(utctl view -j -e ut:module "$T/trace" |
    sed -n 's/.*"base":\([0-9]*\),.*bin\/funcs".*/\1/p')
case "$CFLAGS,$base" in
*UT_POSIX*,)	exit 0 ;;
*,)	fail "no module" ;;
esac
for option in -N ''; do
	utctl view $option -e func:entry "$T/trace" |
	    sed 's/.*addr = \(.*\), call_site = .*/\1/' >"$T/view$option"
done
sort -u "$T/view-N" | while read -r a; do
	echo "$a $(addr2line -f -e "$BIN/funcs" \
	    "$(printf 0x%x $((a - base)))" | head -n 1) (funcs)"
done >"$T/names"
awk 'NR == FNR { name[$1] = $2 " " $3; next } { print name[$1] }' \
    "$T/names" "$T/view-N" >"$T/want"
mv "$T/view" "$T/got"
same "funcs"
[ "$(sort -u "$T/got" | wc -l)" -eq 5 ] || fail "funcs: $(sort -u "$T/got")"
utctl view -e func:exit -b -0.000001s "$T/trace" >"$T/got" || fail "-b"
[ -s "$T/got" ] || fail "-b: nothing"
grep -v -q 'addr = [a-z]* (funcs), call_site = .*+0x' "$T/got" &&
    fail "-b: $(cat "$T/got")"
recorded -F -e 'func:*' -- "$BIN/funcs"
grep -q 'func:entry { addr = main (funcs)' "$T/record.err" ||
    fail "-F: $(tail -n 3 "$T/record.err")"
exit 0
