# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl locks: threads that contend, and what a person wants to know: who kept
# whom.

. ./shared/locks.sh

not_sanitized
case $CC in
*-m32*|*musl*)	skip "not with $CC" ;;
esac
need python3
cat >"$T/slow.c" <<'END'
#include <pthread.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t two = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t many[25];
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;

static void
ms(int n)
{
	const struct timespec ts = { 0, n * 1000000L };

	nanosleep(&ts, NULL);
}

void NOINLINE
too_long(void)
{
	pthread_mutex_lock(&one);
	pthread_barrier_wait(&both);
	ms(200);
	pthread_mutex_unlock(&one);
}

void NOINLINE
patient(void)
{
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&one);
	pthread_mutex_unlock(&one);
}

static void *
thread(void *arg)
{
	int i;

	patient();
	for (i = 0; i < 500; i++) {
		pthread_mutex_lock(&two);
		pthread_mutex_unlock(&two);
	}
	return arg;
}

int
main(void)
{
	pthread_t t;
	int i;

	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&t, NULL, thread, NULL) != 0)
		return 1;
	too_long();
	for (i = 0; i < 500; i++) {
		pthread_mutex_lock(&two);
		pthread_mutex_unlock(&two);
	}
	pthread_join(t, NULL);
	for (i = 0; i < 25; i++) {
		pthread_mutex_init(&many[i], NULL);
		pthread_mutex_lock(&many[i]);
		pthread_mutex_unlock(&many[i]);
	}
	pthread_cond_signal(&signalled);
	return 0;
}
END
$CC -O1 -g -o "$T/slow" "$T/slow.c" -pthread || fail "cannot build slow"
recorded -b 64k -n 64 -w pthread -e 'pthread:*' -e 'ut:*' -- "$T/slow"
[ "$lost" -eq 0 ] || fail "$lost lost"
compared
# With UT_POSIX there are no modules, and so no names.
case $CFLAGS in
*UT_POSIX*)	exit 0 ;;
esac
utctl locks "$T/trace" >"$T/out" || fail "locks"
tid=$(sed -n 's/.*\[\([0-9]*\):\1\] pthread:mutex_acquired .*/\1/p' <<-END
$(utctl view "$T/trace")
END
)
awk -v tid="$(echo "$tid" | sed 1q)" '
/^the longest waits:/ { getline; getline
	if ($1 < 100000 || $0 !~ (" 0x[0-9a-f]+ one \\(slow\\)  " \
	    "patient\\+0x[0-9a-f]+ \\(slow\\) slow\\.c:33  held by "))
		exit 1
	if ($0 !~ (" held by " tid " too_long\\+0x[0-9a-f]+ \\(slow\\) " \
	    "slow\\.c:[0-9]+$"))
		exit 1
	found++ }
/^held longest:/ { getline; getline
	if ($1 < 200000 || $0 !~ / too_long\+0x[0-9a-f]+ \(slow\) slow\.c:[0-9]+$/)
		exit 1
	found++ }
END { exit found != 2 }' "$T/out" || fail "who held it: $(cat "$T/out")"

# Tables are cut, unless all is wanted; and locks have names, as nm(1) says.
[ "$(lock_rows | wc -l)" -eq 20 ] &&
    grep -q '^ *\.\.\. and [0-9]* more, which -a shows$' "$T/out" ||
    fail "not 20 locks: $(cat "$T/out")"
utctl locks -a "$T/trace" >"$T/out" || fail "locks -a"
[ "$(lock_rows | wc -l)" -ge 27 ] && ! grep -q 'which -a shows$' "$T/out" ||
    fail "not all: $(cat "$T/out")"
for name in one two many 'many+0x[0-9a-f]*' signalled; do
	grep -q "  0x[0-9a-f]* $name (slow)\$" "$T/out" ||
	    fail "no $name: $(cat "$T/out")"
done
utctl locks -a -N "$T/trace" >"$T/out" || fail "locks -N"
grep '(slow)$' "$T/out" && fail "-N: $(cat "$T/out")"
need nm
nm -P "$T/slow" >"$T/nm" || fail "nm"
python3 - "$T/nm" "$T/locks.json" >"$T/got" 2>&1 <<'END' ||
import json, sys
addr = {l.split()[0]: int(l.split()[2], 16) for l in open(sys.argv[1])
    if l.split()[1] in "bBdD"}
j = json.load(open(sys.argv[2]))
p, = j["processes"]
named = [(int(l["lock"]), l["lock_sym"]) for l in p["locks"] if
    l.get("lock_sym", "").endswith(" (slow)")]
named += [(int(c["cond"]), c["cond_sym"]) for c in p["conditions"]]
base = set()
for lock, text in named:
    name, plus, offset = text[:-len(" (slow)")].partition("+")
    base.add(lock - addr[name] - int(offset or "0", 16))
assert len(named) == 28 and len(base) == 1, (named, base)
assert j["waits"][0]["lock_sym"] == "one (slow)", j["waits"][0]
END
    fail "names: $(tail -n 2 "$T/got")"
