# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Lines of the source where there are none: what is said, and that nothing is
# made up of files that are cut short or changed.

. ./shared/symbols.sh
not_cross
command -v gcc >/dev/null 2>&1 || skip "no gcc"

cat >"$T/place.c" <<'END'
extern int place_value;
static inline __attribute__((always_inline)) void inner(int n)
{
	place_value += n;
	__asm__ volatile (".globl here\n.hidden here\nhere: nop");
}
int place_value;
void outer(int n);
void outer(int n) { inner(n * 3); }
END
# make NAME FLAG...
make() {
	name=$1
	shift
	gcc -O2 -g -Wl,--build-id -fPIC -shared "$@" -o "$BIN/$name" \
	    "$T/place.c" 2>"$T/cc.out"
}
# seen NAME...: the places of these files, and what is said of them.
seen() {
	for f; do
		module "$BIN/$f" $BASE
		callers $BASE "$here+1"
	done | told
	utctl view -e 'app:*' "$T/trace" >"$T/out" 2>"$T/err" ||
	    fail "$*: $(cat "$T/err")"
}
# says TEXT: one line of the messages is that.
says() {
	grep -q -x "utctl: $1" "$T/err" || fail "not '$1': $(cat "$T/err")"
}

make whole || fail "$(cat "$T/cc.out")"
here=$(addr "$BIN/whole" here)
id=$(id_of "$BIN/whole")

# A program, and a library, that were stripped of all names but that of outer:
# nothing is said.  Without that name, too, each is told once.
strip -o "$BIN/prog" "$BIN/whole"
seen prog
[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
make hidden -fvisibility=hidden || fail "$(cat "$T/cc.out")"
id=$(id_of "$BIN/hidden")
strip -N here -s -o "$BIN/prog" "$BIN/hidden"
cp "$BIN/prog" "$BIN/libx.so.1"
here=$(addr "$BIN/hidden" here)
seen prog libx.so.1 prog
[ "$(wc -l <"$T/err")" -eq 2 ] || fail "$(cat "$T/err")"
says "prog: addresses without names: install its debugging symbols, \
usually prog-dbgsym (build ID $id)"
says "libx\\.so\\.1: addresses without names: install the debugging \
symbols of the library (build ID $id)"
for option in -N '-e ut:module' -q; do
	utctl view $option "$T/trace" >"$T/out" 2>"$T/err" ||
	    fail "$option: $(cat "$T/err")"
	grep 'without names' "$T/err" && fail "$option"
done
seen prog prog
here=$(addr "$BIN/whole" here)
utctl view -e 'app:*' -N "$T/trace" 2>&1 | grep 'without names' && fail "-N"
# Nobody has the lines of what was built without: nothing is said.
make bare -g0 && seen bare
[ ! -s "$T/err" ] || fail "-g0: $(cat "$T/err")"

# What is not read.
make split -gsplit-dwarf && {
	seen split
	says 'split: inlined functions are in \.dwo files, which are not read: compile without -gsplit-dwarf'
	grep -q 'outer+0x[0-9a-f]* (split) place\.c:5,' "$T/out" ||
	    fail "split: $(cat "$T/out")"
}
objcopy --compress-debug-sections=zstd "$BIN/whole" "$BIN/zstd" \
    2>/dev/null && {
	seen zstd
	says '.*/zstd: \.debug_info is compressed with zstd: for lines of the source, run objcopy --decompress-debug-sections'
	grep 'place\.c' "$T/out" && fail "zstd"
}
make zlib -gz=zlib || skip "no zlib"
# A byte in the middle of what is compressed.
set -- $(readelf -SW "$BIN/zlib" | sed 's/.*\] //' |
    awk '$1 == ".debug_info" { print $4, $5 }')
printf '\377\377\377' | dd of="$BIN/zlib" bs=1 conv=notrunc \
    seek=$((0x$1 + 0x$2 / 2)) 2>/dev/null || fail dd
seen zlib
says '.*/zlib: \.debug_info is damaged: lines of the source are left out'
grep 'place\.c' "$T/out" && fail "damaged"

# Cut short at all places, and with bytes changed: lines are right, or none.
size=$(($(wc -c <"$BIN/whole")))
n=1024
set --
while [ $n -lt $size ]; do
	dd if="$BIN/whole" of="$BIN/cut$n" bs=$n count=1 2>/dev/null
	set -- "$@" cut$n
	n=$((n + 509))
done
module "$BIN/whole" $BASE >"$T/module"
for f; do
	sed "s,$BIN/whole,$BIN/$f," "$T/module"
	callers $BASE "$here+1"
done | told
utctl view -e 'app:*' "$T/trace" >"$T/out" 2>"$T/err" ||
    fail "cut: $(tail -n 3 "$T/err")"
[ "$(wc -l <"$T/out")" -eq $# ] || fail "cut: $(wc -l <"$T/out") of $#"
grep 'place\.c' "$T/out" | grep -v \
    'outer+0x[0-9a-f]* (cut[0-9]*) inner place\.c:5 <- place\.c:9,' &&
    fail "cut: wrong lines"
exit 0
