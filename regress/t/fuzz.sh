# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What comes from others, in fuzz/: what is known to be awkward is read by what
# was built, and where there is a clang with libFuzzer it looks for more.
# FUZZ_SECONDS is for how long, each; what it finds is left in fuzz/bad.

. ./common.sh

seconds=${FUZZ_SECONDS:-1}
make="${MAKE:-make} -s -C fuzz"

$make replay CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="${LDFLAGS:-}" LIBS="$LIBS" \
    >"$T/replay.log" 2>&1 || fail "replay: $(tail -n 20 "$T/replay.log")"
for f in fuzz/*.log; do
	n=$(grep -c '^/.*/corpus/' "$f")
	[ "$n" -eq "$(ls "fuzz/corpus/$(basename "$f" .log)" | wc -l)" ] ||
	    fail "$f: only $n were read"
done

# Once is enough for all the ways to build.
case "$CC $CFLAGS" in
*-m32*|*--target=*|*-fsanitize*|*UT_POSIX*|*musl*)	exit 0 ;;
esac
cat >"$T/c.c" <<END
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{ (void)p; return n > 9; }
END
sanitize='-fsanitize=address,undefined -fno-sanitize-recover=undefined'
clang $sanitize -fsanitize=fuzzer -o "$T/c" "$T/c.c" >/dev/null 2>&1 || {
	echo "no clang with libFuzzer: only what is known"
	exit 0
}
# TIMEOUT is of time that passes, and others may have the processors.
TMPDIR=$T
export TMPDIR
$make -j2 run FUZZ_CFLAGS="-O0 $sanitize" SECONDS="$seconds" NEW="$T/new" \
    TIMEOUT=300 >"$T/fuzz.log" 2>&1 ||
    fail "run: $(grep -v '^#' "$T/fuzz.log" | tail -n 30)"
sed -n 's/^Done /&/p' "$T/fuzz.log"
