# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl heap of a real program, and valgrind's opinion of it.  With UT_POSIX,
# libut has semaphores with names, for which the C library allocates.

. ./shared/heap.sh

need valgrind
not_sanitized
case "$CC $CFLAGS" in
*-m32*|*musl*|*UT_POSIX*)	skip "not with $CC $CFLAGS" ;;
esac
cat >"$T/leaks.c" <<'END'
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

static void * volatile kept[1000];
static int n;

void * NOINLINE few(size_t size) { kept[n] = malloc(size); return kept[n++]; }
void * NOINLINE zeros(void) { kept[n] = calloc(3, 11); return kept[n++]; }
void NOINLINE grown(void) { kept[n] = realloc(kept[n], 999); n++; }

int
main(void)
{
	int i;

	for (i = 0; i < 40; i++) {
		few(100 + i);
		if (i % 4 != 0)
			free(kept[--n]);
		zeros();
		kept[n] = malloc(10);
		grown();
	}
	return 0;
}
END
$CC -O1 -g -o "$T/leaks" "$T/leaks.c" || fail "cannot build leaks"
valgrind --run-libc-freeres=no --leak-check=full --show-leak-kinds=all \
    "$T/leaks" >"$T/vg" 2>&1 || skip "valgrind does not run here"
recorded -b 64k -n 64 -w malloc -e "libc:*" -e "ut:*" -- "$T/leaks"
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl heap -j "$T/trace" >"$T/json" || fail "heap"
in_use=$(sed -n 's/,//g; s/.*in use at exit: \([0-9]*\) bytes in \([0-9]*\) .*/\1 \2/p' "$T/vg")
[ -n "$in_use" ] || fail "$(cat "$T/vg")"
got=$(sed 's/.*"vpid":[0-9]*,"bytes":\([0-9]*\),"blocks":\([0-9]*\),.*/\1 \2/' \
    "$T/json")
[ "$got" = "$in_use" ] || fail "live: $got; valgrind: $in_use"
utctl heap "$T/trace" >"$T/heap" || fail "heap"
# The function below the one that allocates, of each loss record.
awk '/ bytes in .* blocks? are .* in loss record / {
	gsub(/,/, ""); bytes = $2; for (i = 3; $i != "in"; i++) ; blocks = $(i + 1) }
/ by 0x/ && bytes != "" { b[$4] += bytes; n[$4] += blocks; bytes = "" }
END { for (f in b) print b[f], n[f], f }' "$T/vg" | sort >"$T/want"
caller_rows "$T/heap" | awk '{ sub(/\+0x.*/, "", $6); b[$6] += $1; n[$6] += $2 }
END { for (f in b) print b[f], n[f], f }' | sort >"$T/got"
for f in few zeros grown; do
	grep -q " $f\$" "$T/want" || fail "not $f: $(cat "$T/vg")"
done
expected valgrind <"$T/want"
