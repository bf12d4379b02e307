# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Functions of stripped files: rows are those of the same file with symbols; the
# address stays where it is more exact; and a symbol without a size names only
# the function that begins there.

. ./shared/symbols.sh
not_sanitized
case $CFLAGS in
*-DUT_POSIX*)	skip "no names without the events of modules" ;;
esac
case $(uname -m) in
x86_64|i?86|aarch64)	;;
*)			skip "code for $(uname -m)" ;;
esac

cat >"$T/program.c" <<'END2'
#include <stdlib.h>
void *keep[256];
int n;
#define NOINLINE __attribute__((noinline, noclone))
NOINLINE static void leaf(size_t k)
{ keep[n++ & 255] = malloc(k); keep[n++ & 255] = malloc(k + 1); n++; }
NOINLINE static void odd(int i)
{ if (i) { leaf(1); odd(i - 1); leaf(2); } leaf(3); n++; }
NOINLINE static void even(int i)
{ if (i & 2) odd(i / 2); leaf(4); leaf(5); odd(1); if (i & 1) leaf(9); n++; }
int main(void)
{ int i; for (i = 0; i < 20; i++) { even(i); odd(2); leaf(7); } return 0; }
END2
$CC $CFLAGS -O1 -fasynchronous-unwind-tables -Wl,--build-id -o "$BIN/program" \
    "$T/program.c" || fail "cannot build"
utctl record -o "$T/trace" -w malloc -g -- "$BIN/program" 2>/dev/null ||
    fail "record"
nm -P "$BIN/program" | awk '$2 ~ /[Tt]/ { sub(/^0*/, "", $3)
	print "program+0x" $3, $1 }' >"$T/starts"

# named: the rows of the program with names of functions for their beginnings.
named() {
	awk 'NR == FNR { name[$1] = $2; next }
	/ function$/ { on = 1; next }
	on && ($NF == "(program)" || $NF ~ /^program/) {
		f = $NF == "(program)" ? $(NF - 1) : $NF
		print $1, $3, f in name ? name[f] : f
	}' "$T/starts" - | sort
}

utctl stat -g function "$T/trace" 2>/dev/null | named >"$T/want"
for f in leaf odd even main; do
	grep -q " $f\$" "$T/want" || fail "$f: $(cat "$T/want")"
done
utctl view -o stack "$T/trace" | sed -n 's/^ *#[0-9]* \(.*\) (program)$/\1/p' |
    grep -c . >"$T/frames"
strip "$BIN/program" || fail "strip"
utctl stat -g function "$T/trace" 2>/dev/null | named >"$T/got"
same "rows of a stripped program"
# Each call has its own address in stacks.
[ "$(utctl view -o stack "$T/trace" 2>/dev/null |
    grep -c '^ *#[0-9]* program+0x')" -eq "$(cat "$T/frames")" ] &&
    [ "$(utctl view -o stack "$T/trace" 2>/dev/null |
    sed -n 's/^ *#[0-9]* program+//p' | sort -u | wc -l)" -gt \
    "$(wc -l <"$T/got")" ] || fail "view"

# An exported symbol without a size, and a function that is not exported.
cat >"$T/sizeless.c" <<'END2'
__asm__(".text\n.globl sizeless\n.type sizeless, %function\nsizeless:\n"
    ".cfi_startproc\nnop\nnop\nret\n.cfi_endproc\n"
    "inner:\n.cfi_startproc\nnop\nnop\nret\n.cfi_endproc\n"
    ".globl bare\n.type bare, %function\nbare:\nnop\nnop\nret\n"
    "hidden:\nnop\nnop\nret\n");
END2
$CC $CFLAGS -Wl,--build-id -fPIC -shared -o "$BIN/libsize.so" \
    "$T/sizeless.c" || fail "cannot build the library"
for f in sizeless inner bare hidden; do
	eval "$f=0x$(nm "$BIN/libsize.so" | awk -v f=$f '$3 == f { print $1 }')"
done
strip "$BIN/libsize.so" || fail "strip"
{
	module "$BIN/libsize.so" $BASE
	for a in $sizeless $inner $bare $hidden; do
		printf 'caller 0x%x\n' $((BASE + a + 2))
	done
} | told
shown >"$T/got"
printf '%s\n' 'sizeless+0x2 (libsize.so)' \
    "$(printf 'libsize.so+0x%x' $((inner + 2)))" \
    "$(printf 'libsize.so+0x%x' $((bare + 2)))" \
    "$(printf 'libsize.so+0x%x' $((hidden + 2)))" >"$T/want"
same "a symbol without a size"
exit 0
