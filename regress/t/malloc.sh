# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# libut-malloc.so: every call is an event, no more, with what valgrind counts;
# programs do the same as without it.

. ./common.sh
not_sanitized

count() {
	grep -c "libc:$1 " "$T/view.out"
}

traced() {
	recorded -b 64k -n 512 -w malloc -- "$@"
	[ "$lost" -eq 0 ] || fail "$*: $lost lost"
	utctl view -N -e 'libc:*' "$T/trace" >"$T/view.out" || fail "view"
}

traced ./prog/mallocs
# What the system's libraries call before main and after it comes on top.
most=2
[ "$(uname)" != NetBSD ] || most=16	# libpthread's
[ "$(count calloc)" -ge 50 ] || fail "$(count calloc) callocs"
for want in malloc:102 realloc:100 posix_memalign:25 aligned_alloc:25; do
	n=$(count ${want%:*})
	[ "$n" -ge ${want#*:} ] && [ "$n" -le $((${want#*:} + most)) ] ||
	    fail "$n of $want"
done
[ "$(count free)" -ge 208 ] || fail "$(count free) frees"
grep 'libc:malloc ' "$T/view.out" | sed 's/.*{ size = \([0-9]*\),.*/\1/' |
    awk '$1 == n + 1 && n < 100 { n++ } END { exit n != 100 }' ||
    fail "not the sizes of malloc"
grep -q 'libc:malloc { size = [0-9]*, ptr = 0x0, caller' "$T/view.out" ||
    fail "not the malloc that fails"
grep 'libc:posix_memalign { alignment = 256, size = 100, ' "$T/view.out" |
    grep -q ', ptr = 0x[0-9a-f]*00, result = 0, caller' ||
    fail "posix_memalign"
# Who called has a name, where the trace says what is where.
case $CFLAGS in
*-DUT_POSIX*)	;;
*)	utctl view -e libc:malloc "$T/trace" |
	    grep -q ', caller = [a-z]*+0x[0-9a-f]* (mallocs)' ||
	    fail "no names of callers" ;;
esac
# A piece is freed that was allocated, and none twice.
in_order() {
	awk '{ sub(/.* libc:/, ""); p = $0; sub(/.* ptr = /, "", p)
    sub(/[ ,].*/, "", p); what = $1 }
    what == "realloc" { o = $0; sub(/.*old = /, "", o); sub(/,.*/, "", o)
    if (o != "0x0" && !live[o]--) { print "realloc of", o; exit 1 } }
    p == "0x0" { next }
    what == "free" { if (!live[p]--) { print "free of", p; exit 1 }; next }
    { if (live[p]++) { print "twice", p; exit 1 } }' "$1"
}
in_order "$T/view.out" || fail "pieces that are not there"

if valgrind --tool=memcheck ./prog/mallocs >"$T/valgrind" 2>&1; then
	set -- $(sed -n 's/,//g; s/.*heap usage: \([0-9]*\) allocs \([0-9]*\) frees.*/\1 \2/p' \
	    "$T/valgrind")
	# valgrind counts no call that fails, nor free(NULL).
	allocs=$(($(wc -l <"$T/view.out") - $(count free) - 1))
	frees=$(($(grep -v 'ptr = 0x0,' "$T/view.out" | grep -c 'libc:free ') +
	    $(grep 'libc:realloc ' "$T/view.out" | grep -vc 'old = 0x0,')))
	echo "valgrind: $1 allocs, $2 frees; we: $allocs, $frees"
	[ "$allocs $frees" = "$1 $2" ] ||
	    fail "$allocs allocs, $frees frees; valgrind: $1, $2"
fi

traced ./prog/mallocs 4
[ "$(count realloc)" -ge 4100 ] || fail "threads: $(count realloc) reallocs"
[ "$(count free)" -ge 8208 ] || fail "threads: $(count free) frees"

# record counts the events about modules apart, view all of them.
utctl record -o "$T/counted" -w malloc -- ./prog/mallocs 1 2>"$T/err" ||
    fail "record: $?"
set -- $(sed -n 's/^utctl: \([0-9]*\) events, 0 lost, .*; and \([0-9]*\) events\{0,1\} about modules$/\1 \2/p' "$T/err") \
    $(utctl view -q "$T/counted")
case $CFLAGS in
*-DUT_POSIX*)	;;
*)	[ $(($1 + $2)) -eq "$3" ] || fail "$3 events: $(cat "$T/err")" ;;
esac

# What a library allocates before ours is there, also in a thread, and frees
# when ours has gone: all of it, in order, with who has called.
cat >"$T/lib.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static void *volatile kept, *volatile left, *volatile again;
static volatile int begun, over;
static pthread_t thread;
static void *run(void *arg) {
	const struct timespec nap = { 0, 20000 };
	void *volatile p;
	while (!over) {
		p = malloc(77777);
		begun = 1;
		free(p);
		nanosleep(&nap, NULL);
	}
	return arg;
}
__attribute__((constructor, noinline)) void set_up(void) {
	kept = malloc(12345);
	left = calloc(3, 1111);
	again = realloc(malloc(10), 23456);
	free(again);
	if (pthread_create(&thread, NULL, run, NULL) != 0)
		abort();
	while (!begun)
		;
}
void end_thread(void) {
	over = 1;
	pthread_join(thread, NULL);
}
__attribute__((destructor, noinline)) void tear_down(void) {
	free(kept);
}
END
printf '%s\n' '#include <stdlib.h>' 'void end_thread(void);' \
    'int main(void) { free(malloc(54321)); end_thread(); return 0; }' \
    >"$T/main.c"
mkdir "$T/lib" && $CC $CFLAGS -O0 -g -fPIC -shared -o "$T/lib/libearly.so" \
    "$T/lib.c" $LIBS && $CC $CFLAGS -O0 -o "$T/early" "$T/main.c" \
    -L"$T/lib" -learly -Wl,-rpath,"$T/lib" $LIBS || fail "early"
traced "$T/early"
sed 's/.* libc:\([a-z]*\) { \(.*\) }/\1 \2/; s/ = /=/g; s/,//g' "$T/view.out" |
    awk '
    { for (i in f) delete f[i]
      for (i = 2; i <= NF; i++) { split($i, v, "="); f[v[1]] = v[2] } }
    f["size"] == 77777 { who[f["ptr"]] = "thread"; next }
    f["size"] == 12345 { name = "kept" }
    f["size"] == 1111 && f["count"] == 3 { name = "left" }
    f["size"] == 10 { name = "small" }
    f["size"] == 23456 { name = who[f["old"]] " again"; delete who[f["old"]] }
    f["size"] == 54321 { name = "main" }
    $1 == "free" { name = who[f["ptr"]]; delete who[f["ptr"]] }
    name != "" && name != "thread" { print $1, name }
    $1 != "free" && name != "" { who[f["ptr"]] = name }
    { name = "" }' >"$T/got"
printf '%s\n' 'malloc kept' 'calloc left' 'malloc small' \
    'realloc small again' 'free small again' 'malloc main' 'free main' \
    'free kept' | diff - "$T/got" || fail "early: not all, or not in order"
# None is freed before it is there, and none is there twice.
in_order "$T/view.out" || fail "early: pieces that are not there"
if command -v nm >/dev/null && command -v readelf >/dev/null; then
	# The callers, from where the constructor is.
	at() {
		nm "$T/lib/libearly.so" | awk -v f="$1" '$3 == f { print $1 }'
	}
	caller() {
		grep "libc:$1 { .*size = $2," "$T/view.out" |
		    sed 's/.* caller = 0x\([0-9a-f]*\) }/\1/'
	}
	a=$((0x$(caller malloc 12345))) b=$((0x$(caller calloc 1111)))
	c=$((0x$(caller malloc 10))) d=$((0x$(at set_up)))
	e=$((0x$(at end_thread)))
	# Page offsets are those of the file.
	[ "$a" -lt "$b" ] && [ "$b" -lt "$c" ] &&
	    [ $((c - a)) -lt $((e - d)) ] &&
	    [ $(((a - d) % 4096)) -gt 0 ] &&
	    [ $(((a - d) % 4096)) -lt $((e - d)) ] ||
	    fail "early: called from $a $b $c, not from $d to $e"
fi

# A function of glibc's; valgrind does not know it.
cat >"$T/pvalloc.c" <<'END'
#include <stdint.h>
#include <stdlib.h>
void *pvalloc(size_t);
int main(void) {
	void *volatile p = pvalloc(5000);
	int bad = p == NULL || (uintptr_t)p % 4096 != 0;
	free(p);
	return bad;
}
END
if $CC $CFLAGS -o "$T/pvalloc" "$T/pvalloc.c" $LIBS 2>/dev/null; then
	traced "$T/pvalloc"
	grep -q 'libc:pvalloc { size = 5000, ptr = 0x[0-9a-f]*000, caller' \
	    "$T/view.out" || fail "no pvalloc"
	in_order "$T/view.out" || fail "pvalloc: pieces that are not there"
	expect 0 ' 5000 ' utctl heap -a "$T/trace"
fi

# Where each call comes from is looked for once, and has a name: in a library
# whose program headers are not where they usually are, and after a dlclose in a
# program whose memory has holes.
cat >"$T/plug.c" <<'END'
#include <stdlib.h>
void plug(void);
void plug(void) {
	void *volatile p;
	int i;
	for (i = 0; i < 1000; i++) {
		p = malloc(51);
		free(p);
	}
}
END
cat >"$T/masks.c" <<'END'
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static volatile long masks;
void plug(void);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
	int (*f)(int, const sigset_t *, sigset_t *);
	void *next = dlsym(RTLD_NEXT, "pthread_sigmask");
	memcpy(&f, &next, sizeof(f));
	masks++;
	return f(how, set, old);
}
static long during(void (*f)(void)) {
	const long before = masks;
	f();
	return masks - before;
}
int main(int argc, char *argv[]) {
	void *h = dlopen(argv[argc - 1], RTLD_NOW), *p;
	void (*f)(void);
	long n;
	if (h == NULL || (p = dlsym(h, "plug")) == NULL)
		return 1;
	memcpy(&f, &p, sizeof(f));
	n = during(f);
	dlclose(h);
	printf("%ld\n", n + during(plug));
	return 0;
}
END
case "$(uname) $CFLAGS" in
*-DUT_POSIX*|NetBSD*)	;;
*)	. ./shared/moved.sh
	moved plug "$T/plug.c"
	$CC $CFLAGS -D_GNU_SOURCE -rdynamic -o "$T/masks" "$T/masks.c" \
	    "$T/plug.c" -Wl,-z,max-page-size=0x200000 $DL $LIBS ||
	    fail "cannot build masks"
	traced "$T/masks" "$T/plug.so"
	[ "$(cat "$T/record.out")" -lt 200 ] ||
	    fail "modules are looked for $(cat "$T/record.out") times"
	utctl view -e libc:malloc "$T/trace" | grep 'size = 51,' >"$T/view.out"
	for so in plug.so masks; do
		n=$(grep -c " caller = plug+0x[0-9a-f]* ($so)" "$T/view.out")
		[ "$n" -eq 1000 ] || fail "$n calls from $so"
	done ;;
esac

# Programs that are nothing of ours: of the system's ABI.
case $CC in
*-m32*|*musl*)	exit 0 ;;
esac
find ../libut ../utd -name '*.c' -exec cat {} + >"$T/text"
sort "$T/text" >"$T/sorted"
traced sort -o "$T/sorted2" "$T/text"
cmp "$T/sorted" "$T/sorted2" || fail "sort sorts otherwise"
if sort -S 64k --parallel=2 /dev/null 2>/dev/null; then
	traced sort -S 64k --parallel=2 -o "$T/sorted3" "$T/text"
	cmp "$T/sorted" "$T/sorted3" || fail "sort sorts otherwise"
fi
traced awk '{ n[$1]++ } END { for (w in n) s += n[w]; print s }' "$T/text"
[ "$(cat "$T/record.out")" -eq "$(wc -l <"$T/text")" ] || fail "awk counts"
[ "$(wc -l <"$T/view.out")" -gt 10 ] || fail "awk allocates nothing"
traced sh -c 'x=$(echo 1; echo 2); echo $x | sed s/1/one/; (echo sub)'
[ "$(tr '\n' ' ' <"$T/record.out")" = "one 2 sub " ] ||
    fail "sh: $(cat "$T/record.out")"
if command -v python3 >/dev/null 2>&1; then
	py='
import threading, json
l = []
def f(i): l.append(json.loads(json.dumps({str(k): k * i for k in range(999)})))
t = [threading.Thread(target=f, args=(i,)) for i in range(4)]
[x.start() for x in t]; [x.join() for x in t]
print(sum(sum(d.values()) for d in l))'
	python3 -c "$py" >"$T/want" 2>/dev/null && {
		recorded -b 64k -n 512 -w malloc -- python3 -c "$py"
		cmp "$T/want" "$T/record.out" ||
		    fail "python3 computes otherwise"
		[ "$events" -gt 1000 ] || fail "python3: $events events"
	}
fi

# What a program may not do that has a second thread, in one that knows nothing
# of libut.
if command -v unshare >/dev/null && unshare -Ur true 2>/dev/null; then
	traced unshare -Ur true
fi
exit 0
