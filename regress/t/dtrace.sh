# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl dtrace: headers of D files as programs have them, in C and C++, and the
# events that come of them; what builds pass; D files that are wrong.

. ./common.sh
not_sanitized
not_cross

ln -s "$TOP/utctl/utctl" "$T/dtrace" || exit 1
PATH=$T:$PATH
mkdir "$T/d" "$T/b" && cd "$T/b" || exit 1
warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Werror"
warn="$warn -I$TOP/libut -I$TOP/libut/sdt"

# The shapes of PostgreSQL's, memcached's, glib's and Python's.
cat >"$T/d/types.h" <<'END'
#define Oid unsigned int
END
cat >"$T/d/probes.d" <<'END'
/* ----------
 *	Probes /of/ a * program
 */
#include "types.h"
#define LWLockMode int
#define bool unsigned char
typedef struct { int a; } unused_t;
struct ignored { int a; };

provider unix {

	probe transaction__start(Oid);
	probe lwlock__acquire(const char *, LWLockMode);
	probe query__start(string);
	probe checkpoint__done(int, int, int, int, int);
	probe sort__done(bool, long);
	probe deadlock__found();
	probe none(void);
};

/* Comments between. */
#pragma D attributes Unstable/Unstable/Common provider memc provider
provider memc {
   /**
    * Fired for a key.
    */
   probe command__get(int connid, const char *key, int keylen,
                      int size, int64_t casid);
   probe slabs__allocate(int size, unsigned int cls_1, void *ptr);
   probe mem__realloc(void*, char **, unsigned long, gboolean, gpointer);
   probe gc__mark__begin();
   probe gc__mark__end();
   probe ratio(float, double x, long double);
   probe call(int (*f)(int, void *), struct ignored *s, char c[8], enum e e,
       signed char n) : (int f, int s);
   probe many(int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8,
       int a9, int a10, int a11, int a12, int a13, int a14, int a15, int class);
}
END
cat >"$T/b/main.c" <<'END'
typedef int gboolean;
typedef void *gpointer;
#include "probes.h"
#include <stdio.h>

static int evaluated;

static int
evaluate(int n)
{
	evaluated++;
	return n;
}

int
main(void)
{
	static const char key[] = { 'k', 'e', 'y' };
	char text[] = "text", *p = text;

	(void)p;
	UNIX_TRANSACTION_START((long)evaluate(7));
	UNIX_LWLOCK_ACQUIRE("name", 'c');
	UNIX_QUERY_START(NULL);
	UNIX_CHECKPOINT_DONE(-1, 2, 3, 4, 5);
	UNIX_SORT_DONE(1, -1L);
	if (UNIX_DEADLOCK_FOUND_ENABLED())
		UNIX_DEADLOCK_FOUND();
	UNIX_NONE();
	MEMC_COMMAND_GET(1, key, (int)sizeof(key), -2, 1LL << 40);
	MEMC_COMMAND_GET(1, NULL, -1, 0, 0);
	MEMC_SLABS_ALLOCATE(1, 2, (const void *)0x30);
	MEMC_MEM_REALLOC(evaluate, &p, 3, -1, NULL);
	MEMC_GC_MARK_BEGIN();
	MEMC_GC_MARK_END();
	MEMC_RATIO(0.5f, 0.25, 0.125L);
	MEMC_CALL(0, 0, text, 2, -1);
	MEMC_MANY(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
	printf("%d %d\n", evaluated, MEMC_MANY_ENABLED());
	return 0;
}
END
cat >"$T/want" <<'END'
unix:transaction__start { arg1 = 7 }
unix:lwlock__acquire { arg1 = "name", arg2 = 99 }
unix:query__start { arg1 = "(null)" }
unix:checkpoint__done { arg1 = -1, arg2 = 2, arg3 = 3, arg4 = 4, arg5 = 5 }
unix:sort__done { arg1 = 1, arg2 = -1 }
unix:deadlock__found { }
unix:none { }
memc:command__get { connid = 1, key = "key", keylen = 3, size = -2, casid = 1099511627776 }
memc:command__get { connid = 1, key = "", keylen = -1, size = 0, casid = 0 }
memc:slabs__allocate { size = 1, cls_1 = 2, ptr = 0x30 }
memc:mem__realloc { arg1 = ADDR, arg2 = ADDR, arg3 = 3, arg4 = -1, arg5 = 0x0 }
memc:gc__mark__begin { }
memc:gc__mark__end { }
memc:ratio { arg1 = 0.5, x = 0.25, arg3 = 0.125 }
memc:call { arg1 = 0x0, s = 0x0, c = "text", e = 2, n = -1 }
memc:many { a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7, a8 = 8, a9 = 9, a10 = 10, a11 = 11, a12 = 12, a13 = 13, a14 = 14, a15 = 15, class = 16 }
END

# The header is the same in the ways in which some builds ask for it.
n=0
for flags in '-C -h -s ../d/probes.d' \
    '-h -C -o probes.h -xnolibs -Z -s ../d/probes.d -I. -DA=1 object.o -32' \
    'none.o -Ch -64 -s ../d/probes.d -o probes.h'; do
	rm -f probes.h
	dtrace $flags >out 2>&1 && [ ! -s out ] && [ -s probes.h ] ||
	    fail "dtrace $flags: $(cat out)"
	[ -z "${first:-}" ] || cmp probes.h first.h || fail "dtrace $flags"
	first=1
	cp probes.h first.h
done
# memcached's build changes text, and Python's the first name in a line.
sed -e 's,void \*,const void \*,' -e 's,char \*,const char \*,g' first.h |
    sed 's/UNIX_/TRACE_UNIX_/' | sed 's/TRACE_UNIX_/UNIX_/g' >probes.h
cmp first.h probes.h || fail "edited"
for cc in 'gcc -std=c99 -O2' 'clang -std=c11' 'g++ -std=c++11 -x c++' \
    'clang++ -std=c++17 -O2 -x c++'; do
	command -v ${cc%% *} >/dev/null 2>&1 || continue
	$cc $warn -o main.o -c main.c || fail "$cc: does not compile"
	CC="${cc%% *}" dtrace -C -G -s ../d/probes.d main.o -o probes.o ||
	    fail "dtrace -G"
	${cc%% *} -o main main.o probes.o "$LIBUT" $LIBS ||
	    fail "$cc: does not link"
	[ "$(./main)" = "0 0" ] || fail "$cc: not traced: $(./main)"
	recorded -- ./main
	[ "$(cat "$T/record.out") $lost" = "1 1 0" ] ||
	    fail "$cc: $(cat "$T/record.out" "$T/record.err")"
	(cd "$TOP/regress" && readers_agree "$T/trace") || exit 1
	sed -e 's/^[^{]* \([a-z]*:\)/\1/' -e 's/0x[0-9a-f]\{4,\}/ADDR/g' \
	    "$T/view.out" | diff "$T/want" - || fail "$cc: other events"
	n=$((n + 1))
done
[ $n -gt 0 ] || skip "no compiler"
expect 0 ' memc:gc__mark$' utctl stat -d "$T/trace"
expect 0 '^usage: utctl dtrace' dtrace -h
expect 1 '^usage: utctl dtrace' dtrace -s ../d/probes.d

# Without -C, lines with # are comments, as libvirt and lttng-tools have them.
cat >bad.d <<'END'
# SPDX-License-Identifier: X
provider v {
	# file: src/*.c
	# 7 prefix "e
	probe /* a */ add(int watch); // /*
	#define DEEP \
		}
	probe del(void *, /*
	*/ char *name); };
#pragma D attributes
END
CC="$T/none" dtrace -h -s bad.d || fail "without -C"
[ "$(grep -c '^UT_EVENT(v, ' bad.h)" -eq 2 ] || fail "without -C: $(cat bad.h)"
echo ';x' >>bad.d
expect 1 '^utctl: bad.d:11: at .x.: there has to be a ;$' dtrace -h -s bad.d
rm bad.h

# bad WHY TEXT: one line, and nothing is made.
bad() {
	printf "$2" >bad.d
	for o in -h -G -hC; do
		dtrace $o -s bad.d >out 2>&1 && fail "taken: $2"
		[ "$(wc -l <out)" -eq 1 ] && grep -q -e "$1" out ||
		    fail "$2: $(cat out)"
		[ ! -e bad.h ] && [ ! -e bad.o ] || fail "made of: $2"
	done
}
bad 'bad.d:1: at .BEGIN.: there has to be a ;$' 'BEGIN{}'
bad 'a second argument is called x' 'provider a { probe b(int x, char *x); };'
bad 'a second argument is called arg2' 'provider a { probe b(int arg2, int); };'
bad 'bad.d:3: at .;.: there has to be a name' \
    '/*\n*/\nprovider a { probe b(int; };'
bad 'the file ends: there has to be a probe' 'provider a { probe b();'
bad 'the file ends: there is no probe' ''
bad 'bad.d:2: at .3.: there has to be a name' 'provider\n3 { };'
bad 'more than 16 arguments has b' "provider a { probe b($(
    printf 'int, %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)int); };"
bad 'a second probe has the macro A_B_C' \
    'provider a { probe b__c(); probe b_c(); };'
bad 'no number, text or pointer' 'provider a { probe b(struct c d); };'
bad 'no number, text or pointer' 'provider a { probe b(int, void); };'
bad 'an argument has no type' 'provider a { probe b(,); };'
expect 1 'missing.d: No such file' dtrace -h -s missing.d
CC="$T/none" expect 1 '/none: No such file' dtrace -Ch -s bad.d

# Nothing is written through links, nor to what is no file, nor to the D file; a
# name with - is none of the compiler's options.
printf 'provider a { probe b(); };' >-v.d
cp ./-v.d same
echo kept >kept
ln -s kept link
mkfifo fifo
for to in link fifo same; do
	for o in -h -G; do
		expect 1 "^utctl: $to: .*: not written$" dtrace $o -s same \
		    -o $to
	done
done
[ "$(cat kept)" = kept ] && cmp same ./-v.d || fail "written over"
for o in -h -Gh -ChG -CGh; do
	rm -f ./-v.h ./-v.o
	dtrace $o -s -v.d >out 2>&1 && [ ! -s out ] || fail "$o: $(cat out)"
	[ -s -v.h ] || [ -s -v.o ] || fail "$o: not made"
done
ls -- *.[0-9]* >out 2>&1 && fail "left: $(cat out)"

# A D file that is cut, or has other bytes, is taken or refused, and no more.
size=$(wc -c <"$T/d/probes.d") i=0
cp "$T/d/types.h" .
while [ $i -lt "$size" ]; do
	{ head -c $i "$T/d/probes.d"; printf '\377*({/"'; tail -c $i \
	    "$T/d/probes.d"; } >bad.d
	dtrace -h -s bad.d -o cut.h >out 2>&1
	status=$?
	[ $status -le 1 ] && [ "$(grep -c '^utctl: ' out)" -eq $status ] ||
	    fail "cut at $i: $status: $(cat out)"
	i=$((i + 37))
done
