# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# libut-pthread.so: each call that takes or releases a lock, waits for a
# condition or signals one is recorded as the program says that it made it, with
# the function it was called from; what libut and the system call is not;
# programs do the same as without it.

. ./common.sh
not_sanitized
need addr2line

# -no-pie, where the compiler knows it: addresses are those of the file.
$CC $CFLAGS -no-pie -c -o "$T/none.o" -x c /dev/null 2>/dev/null &&
    pie=-no-pie || pie=
build_locks() {
	$CC $CFLAGS -O0 -g $pie -std=c11 -D_GNU_SOURCE -Wall -Wextra "$@" \
	    -o "$T/locks" prog/locks.c $LIBS || fail "cannot build locks"
}

# Libraries may have locks of their own, such as libgcc_s of NetBSD.
traced() {
	recorded -b 64k -n 512 -w pthread -e 'pthread:*' -- "$@"
	[ "$lost" -eq 0 ] || fail "$*: $lost lost"
	utctl view -N -e 'pthread:*' "$T/trace" >"$T/all.out" || fail "view"
	sed -n 's/.*\(0x[0-9a-f]*\).*/\1/p' "$T/alone" | sort -u >"$T/known"
	grep -w -F -f "$T/known" "$T/all.out" >"$T/view.out" ||
	    fail "nothing of its own: $(cat "$T/all.out")"
}

# Thread after thread, as the program says, but for what its main thread does
# until another is where it should be.
sequence() {
	build_locks "$@"
	"$T/locks" >"$T/alone" || fail "locks: $?"
	traced "$T/locks"
	cmp "$T/alone" "$T/record.out" || fail "locks says otherwise"
	sort -s -n -k 1,1 "$T/alone" >"$T/want"
	sed -e 's/^.*\[[0-9]*:\([0-9]*\)\] pthread:\([a-z_]*\) { /\1 \2 /' \
	    -e 's/ }$//' -e 's/,//g' -e 's/ = /=/g' "$T/view.out" >"$T/lines"
	grep -q -v '^[0-9]* [a-z_]* .* caller=0x[0-9a-f]*$' "$T/lines" &&
	    fail "lines: $(grep -v caller "$T/lines")"
	# A call returns to what is behind it.
	sed 's/.*caller=//' "$T/lines" | sort -u >"$T/callers"
	while read -r a; do
		printf '0x%x\n' $((a - 1))
	done <"$T/callers" | addr2line -f -e "$T/locks" | sed -n 'p;n' |
	    paste -d ' ' "$T/callers" - >"$T/functions"
	awk 'FNR == NR { name[$1] = $2; next }
	    {
		a = $NF; sub(/^caller=/, "", a)
		if (name[a] == "cancel")
			next
		if (!($1 in thread))
			thread[$1] = ++threads
		$1 = thread[$1]; $NF = "@" name[a]; print
	    }' "$T/functions" "$T/lines" | sort -s -n -k 1,1 >"$T/got"
	diff "$T/want" "$T/got" || fail "not what the program has done"
	[ "$(wc -l <"$T/got")" -ge 30 ] || fail "too few: $(cat "$T/got")"
}
# A time_t of 64 bits has functions of its own where it has 32 otherwise.
sequence -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
sequence

# Threads that contend: how many of each kind, and nobody has what is another's.
traced "$T/locks" 2000
sed 's/.* pthread:\([a-z_]*\) .*/\1/' "$T/view.out" | sort | uniq -c |
    awk '{ print $1, $2 }' >"$T/got"
diff "$T/record.out" "$T/got" || fail "not as many as the program has counted"
sed -e 's/^.*\[[0-9]*:\([0-9]*\)\] pthread:/\1 /' \
    -e 's/ {.* lock = \([^,]*\),.*/ \1/' "$T/view.out" | awk '
    function bad(why) { print NR ": " why ": " $0; failed = 1; exit 1 }
    $2 ~ /_(request|failed|signal|broadcast)$/ || NF != 3 { next }
    $2 == "mutex_acquired" || $2 == "cond_woken" || $2 == "wrlock_acquired" {
	if ($3 in owner)
		bad("taken by " owner[$3])
	if (readers[$3] > 0)
		bad("has readers")
	owner[$3] = $1
    }
    $2 == "rdlock_acquired" {
	if ($3 in owner)
		bad("taken by " owner[$3])
	readers[$3]++
	reads[$3, $1]++
    }
    $2 == "rwlock_release" && reads[$3, $1] > 0 {
	reads[$3, $1]--
	readers[$3]--
	next
    }
    /_release|cond_wait/ {
	if (owner[$3] != $1)
		bad("not its own")
	delete owner[$3]
	n++
    }
    END { for (l in owner) { print "held: " l; failed = 1 }
	exit failed || n < 1000 }' || fail "not in order"

# A program that traces, and its libut, which has threads and locks of its own:
# none of them is seen.  So with all wrappers at once.
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -I"$TOP/libut" -o "$T/seq" prog/seq.c \
    $LINK $LIBS || fail "cannot build seq"
UT_THREADS=1
export UT_THREADS
for w in pthread pthread,malloc,func; do
	recorded -w $w -- "$T/seq" 1 4 1000
	[ "$(utctl view -e 'seq:*' "$T/trace" | wc -l)" -eq 4000 ] ||
	    fail "-w $w: $events events, not 4000 of seq, $lost lost"
	utctl view -e 'pthread:*' "$T/trace" >"$T/all.out" || fail "view"
	case $(uname) in
	Linux)	cp "$T/all.out" "$T/libs.out" ;;
	*)	grep '(libut' "$T/all.out" >"$T/libs.out" ;;
	esac
	[ ! -s "$T/libs.out" ] || fail "-w $w: libut: $(cat "$T/libs.out")"
done
unset UT_THREADS
recorded -b 64k -n 512 -w malloc -w pthread,func -- "$T/locks"
cmp "$T/alone" "$T/record.out" || fail "locks says otherwise with all of them"
for e in pthread libc; do
	[ "$(utctl view -e "$e:*" "$T/trace" | wc -l)" -ge 2 ] ||
	    fail "nothing of $e"
done

# A library with a function of its own, which comes before the C library's.
cat >"$T/mine.c" <<'END'
#include <pthread.h>
#include <unistd.h>
int
pthread_cond_signal(pthread_cond_t *c)
{
	return c != NULL && write(STDOUT_FILENO, "mine\n", 5) == 5 ? 0 : 1;
}
END
cat >"$T/uses.c" <<'END'
#include <pthread.h>
int
main(void)
{
	static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	return pthread_cond_signal(&c) != 0;	/* the caller is we */
}
END
$CC $CFLAGS -fPIC -shared -o "$T/mine.so" "$T/mine.c" $LIBS &&
    $CC $CFLAGS -o "$T/uses" "$T/uses.c" -Wl,--no-as-needed "$T/mine.so" \
    $LIBS || fail "cannot build uses"
"$T/uses" >"$T/alone" || fail "uses: $?"
recorded -w pthread -e 'pthread:*' -- "$T/uses"
cmp "$T/alone" "$T/record.out" ||
    fail "another library's function is passed over: $(cat "$T/record.out")"
[ "$events" -eq 1 ] || fail "uses: $events events, not 1"

# Functions that end with the release of a lock, and were called by the C
# library: the call may be a jump, and then it returns to the C library.
cat >"$T/last.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int n;
static void
last(void)
{
	pthread_mutex_lock(&m);
	n++;
	pthread_mutex_unlock(&m);
}
int
main(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	return pthread_once(&once, last) + atexit(last);
}
END
case $(uname) in
Linux)
	$CC $CFLAGS -O2 -o "$T/last" "$T/last.c" $LIBS ||
	    fail "cannot build last"
	recorded -w pthread -e 'pthread:*' -- "$T/last"
	[ "$(utctl view "$T/trace" | grep -c mutex_acquired)" -eq 2 ] &&
	    [ "$(utctl view "$T/trace" | grep -c mutex_release)" -eq 2 ] ||
	    fail "last: $(utctl view -e 'pthread:*' "$T/trace")" ;;
esac

# Programs of the system, which do what they do without it.
case $CC in
*-m32*|*musl*)	exit 0 ;;
esac
same() {
	"$@" >"$T/alone" 2>/dev/null </dev/null || return 0
	recorded -b 64k -n 512 -w pthread,malloc -- "$@"
	cmp "$T/alone" "$T/record.out" || fail "$*: not the same"
	echo "$events events of $*"
}
find ../libut ../utd -name '*.c' -exec cat {} + >"$T/text"
same sort -S 64k --parallel=2 "$T/text"
same xz -T2 --block-size=100000 -c "$T/text"
same pigz -p 4 -c "$T/text"
same sqlite3 :memory: 'select 6 * 7'
same python3 -c '
import threading, queue
q = queue.Queue()
l = threading.RLock()
s = 0
def f():
    global s
    for i in iter(q.get, None):
        with l:
            s += i
t = [threading.Thread(target=f) for i in range(4)]
[x.start() for x in t]
[q.put(i) for i in range(2000)]
[q.put(None) for x in t]
[x.join() for x in t]
print(s)'
exit 0
