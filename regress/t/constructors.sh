# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# However many calls of the allocator come before libut-malloc.so can record,
# all are in the trace; those for which there was no memory are counted as lost.
# The first call may come from where the C library has a lock.

. ./common.sh
not_sanitized

cat >"$T/lib.c" <<'END'
#include <sys/resource.h>
#include <stdlib.h>
#define N 100000
static void *kept[N];
int lib(void);
__attribute__((constructor)) static void init(void) {
	const int few = getenv("FEW_MEMORY") != NULL;
	struct rlimit old, none;
	void *volatile p;
	int i;
	for (i = 0; i < N; i++)
		kept[i] = malloc(32);
	if (few && getrlimit(RLIMIT_AS, &old) == 0) {
		none = old;
		none.rlim_cur = 4096;
		if (setrlimit(RLIMIT_AS, &none) == -1)
			abort();
	}
	for (i = 0; i < N; i++)
		free(kept[i]);
	for (i = 0; i < N; i++) {
		p = malloc(24);
		free(p);
	}
	if (few)
		setrlimit(RLIMIT_AS, &old);
}
int lib(void) {
	return 0;
}
END
printf '%s\n' '#include <stdlib.h>' 'int lib(void);' 'void *volatile p;' \
    'int main(void) { p = malloc(7777); return lib(); }' >"$T/main.c"
mkdir "$T/lib" && $CC $CFLAGS -fno-builtin -fPIC -shared -o "$T/lib/libcon.so" \
    "$T/lib.c" && $CC $CFLAGS -fno-builtin -o "$T/main" "$T/main.c" \
    -L"$T/lib" -lcon -Wl,-rpath,"$T/lib" $LIBS || fail "cannot build"

printf '%s\n' '#include <locale.h>' 'int lib(void);' \
    '__attribute__((constructor)) static void init(void) {' \
    '(void)newlocale(LC_ALL_MASK, "POSIX", (locale_t)0); }' \
    'int lib(void) { return 0; }' >"$T/lib.c"
printf '%s\n' '#include <locale.h>' '#include <unistd.h>' 'int lib(void);' \
    'int main(void) { alarm(60); setlocale(LC_ALL, "C");' \
    'return lib(); }' >"$T/main.c"
mkdir "$T/locale" && $CC $CFLAGS -D_GNU_SOURCE -fPIC -shared \
    -o "$T/locale/libloc.so" "$T/lib.c" && $CC $CFLAGS -D_GNU_SOURCE \
    -o "$T/set" "$T/main.c" -L"$T/locale" -lloc -Wl,-rpath,"$T/locale" $LIBS ||
    fail "cannot build with newlocale"
recorded -w malloc -- "$T/set"

# calls NAME FIELD: so many of the library's in the trace.
calls() {
	grep -c "libc:$1 {.* $2" "$T/view.out"
}

recorded -m block -w malloc -- "$T/main"
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl view -N -e 'libc:*' "$T/trace" >"$T/view.out" || fail "view"
[ "$(calls malloc 'size = 32,')" -eq 100000 ] &&
    [ "$(calls malloc 'size = 24,')" -eq 100000 ] &&
    [ "$(calls free '')" -ge 200000 ] ||
    fail "$(calls malloc '') of malloc, $(calls free '') of free"
all=$(calls '[a-z_]*' '')
utctl heap -N "$T/trace" >"$T/heap" || fail "heap"
grep -q '^main\[[0-9]*\]: [0-9]* bytes in [0-9]\{1,2\} blocks\{0,1\} live' \
    "$T/heap" || fail "heap: $(head -n 8 "$T/heap")"

# What was not kept is lost: for record, view, heap and babeltrace2.
FEW_MEMORY=1
export FEW_MEMORY
recorded -m block -w malloc -- "$T/main"
utctl view -N -e 'libc:*' "$T/trace" >"$T/view.out" 2>/dev/null || fail "view"
got=$(calls '[a-z_]*' '')
echo "$got events and $lost lost of $all"
[ "$lost" -gt 0 ] || skip "no limit of memory here"
[ $((got + lost)) -eq "$all" ] || fail "$got events, $lost lost, of $all"
utctl view "$T/trace" >/dev/null 2>"$T/view.err" || fail "view"
[ "$(discarded)" -eq "$lost" ] || fail "view: $(tail -n 3 "$T/view.err")"
if command -v babeltrace2 >/dev/null 2>&1; then
	babeltrace2 "$T/trace" >/dev/null 2>"$T/bt2.err" ||
	    fail "babeltrace2: $(cat "$T/bt2.err")"
	grep -q "discarded $lost events" "$T/bt2.err" ||
	    fail "babeltrace2: $(cat "$T/bt2.err")"
fi
expect 0 'events were lost' utctl heap "$T/trace"
exit 0
