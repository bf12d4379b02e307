# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# No program reads another's prose: a utd and a compiler of filters that say
# everything in other words, but the same numbers, and utctl does the same.

. ./common.sh

unset UT_DISABLE
# In the sentences each letter is another one, and so is each mark.
cat >"$T/reword.h" <<'EOT'
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static inline char *
reword(char *s)
{
	static const char from[] = "<=>:,;()'\"", to[] = "[~]|.!{}^`";
	const char *mark;
	char *p;

	for (p = s; *p != '\0'; p++)
		if ((*p >= 'a' && *p <= 'm') || (*p >= 'A' && *p <= 'M'))
			*p += 13;
		else if ((*p >= 'n' && *p <= 'z') || (*p >= 'N' && *p <= 'Z'))
			*p -= 13;
		else if ((mark = strchr(from, *p)) != NULL)
			*p = to[mark - from];
	return s;
}
#ifdef REWORD_SHORT
#define snprintf(s, n, ...) (snprintf(s, n, __VA_ARGS__), (void)reword(s))
#else
static inline int
reword_vsnprintf(char *s, size_t n, const char *fmt, va_list ap)
{
	const int len = vsnprintf(s, n, fmt, ap);

	reword(s);
	return len;
}
#define vsnprintf reword_vsnprintf
#endif
EOT
reword() {	# sed's y command cannot have a newline in it
	tr 'a-zA-Z<=>:,;()'\''"' 'n-za-mN-ZA-M[~]|.!{}^`'
}
says() {	# TEXT FILE: there is a line with that in other words
	grep -q -F -e "$(printf %s "$1" | reword)" "$2" ||
	    fail "not in other words: $1: $(cat "$2")"
}

# What answers clients, what warns, rows, filters; all else is as it was built.
mkdir "$T/tree" "$T/tree/regress" && (cd .. &&
    cp -Rp Makefile libut man utctl utd "$T/tree") || exit 1
build() {	# CPPFLAGS OBJECT ...
	flags=$1
	shift
	(cd "$T/tree" && rm -f "$@" && ${MAKE:-make} -s CC="$CC" \
	    CFLAGS="$CFLAGS" CPPFLAGS="$flags" LDFLAGS="${LDFLAGS:-}" \
	    LIBS="$LIBS" "$@" utd/utd utctl/utctl) >"$T/build.log" 2>&1 ||
	    fail "build: $(tail "$T/build.log")"
}
build ''			# where the tree is not up to date
build "-include $T/reword.h" utd/parent/client.o utd/parent/warning.o \
    libut/expr/compile_field.o
build "-include $T/reword.h -DREWORD_SHORT" utd/parent/list.o \
    utctl/ctf/ctf_filter.o
PATH=$T/tree/utctl:$T/tree/utd:$PATH
start_utd
utctl create -o "$T/a" a >"$T/out" 2>&1 || fail "create: $(cat "$T/out")"
utctl enable-event -l emerg 'seq:*' >"$T/out" || fail "enable-event"
says 'session a is not started' "$T/out"
once() {	# nothing else is said
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "more is said: $(cat "$T/err")"
}

# A session ends with nothing, for each reason, or with something.
expect 0 '^utctl: session a was never started$' utctl destroy a
once
says '0 events, 0 lost' "$T/out"
utctl create -o "$T/b" b >"$T/out" 2>&1 || fail "create: $(cat "$T/out")"
utctl enable-event -l emerg 'seq:*' >"$T/out" && utctl start >"$T/out" ||
    fail "start"
expect 0 '^utctl: no program came that uses ut(3)$' utctl stop
once
says '0 events, 0 lost' "$T/out"
utctl start >"$T/out" && ./prog/seq 1 1 10 || fail "seq"
expect 0 '^utctl: no program came that has an event seq:\* of level ' \
    utctl stop
says '<= emerg' "$T/err"
once
utctl enable-event 'no:*' >"$T/out" && utctl start >"$T/out" &&
    ./prog/seq 1 1 10 || fail "seq"
expect 0 '^utctl: no program came that has an event no:\*$' utctl destroy
utctl create -o "$T/c" c >"$T/out" 2>&1 || fail "create: $(cat "$T/out")"
utctl enable-event -f 'none == 1' 'seq:*' >"$T/out" &&
    utctl start >"$T/out" && ./prog/seq 1 1 10 || fail "seq"
expect 0 '^utctl: .* match seq:\*, but the filter fits none' utctl stop
utctl enable-event 'seq:*' >"$T/out" && utctl start >"$T/out" &&
    ./prog/seq 1 1 10 || fail "seq"
expect 0 '' utctl stop
says '10 events, 0 lost' "$T/out"
[ ! -s "$T/err" ] || fail "something was recorded: $(cat "$T/err")"
expect 0 '' utctl destroy
once					# the warning of the filter
says 'seq:tick of seq never passes' "$T/err"

# What is saved has levels.
utctl create -o "$T/d" d >"$T/out" 2>&1 || fail "create: $(cat "$T/out")"
utctl enable-event -l info 'a:*' >"$T/out" &&
    utctl enable-event -L debug -x 'b:c' 'b:*' >"$T/out" &&
    utctl enable-event 'c:*' >"$T/out" || fail "enable-event"
utctl save d >"$T/saved" || fail "save"
sed -n 's/^enable-event -s d -c channel0 //p' "$T/saved" >"$T/got"
expected "what is saved" <<EOT
-l info 'a:*'
-L debug -x b:c 'b:*'
'c:*'
EOT
expect 0 '' utctl destroy d

# A program that does not answer: that is said before anything is recorded.
background ./prog/seq -p 1000 2 1 100000000
until_ok sh -c "utctl events | grep -q '^seq (pid $LAST'" || fail "no seq"
halt $LAST
expect 0 '^utctl: 0 events, 0 lost' utctl record -p $LAST -T 100ms -o "$T/rec"
head -n 1 "$T/err" >"$T/first"
says '; 1 program does not answer' "$T/first"
kill -CONT $LAST
expect 0 '^utctl: [1-9][0-9]* events, 0 lost' \
    utctl record -p $LAST -T 200ms -o "$T/rec1"
! grep -q "$(echo 'does not answer' | reword)" "$T/err" ||
    fail "it answers: $(cat "$T/err")"
kill -9 $LAST
wait $LAST 2>/dev/null

# What a command that failed has left in memory.
expect 3 "^utctl: snapshot of 20 events: $T/shot\$" utctl record -S \
    -o "$T/shot" sh -c './prog/seq 1 1 20; exit 3'
expect 3 "^utctl: snapshot of 1 event: $T/shot1\$" utctl record -S \
    -o "$T/shot1" sh -c './prog/seq 1 1 1; exit 3'

# A filter that fits no event of a trace, and why.
utctl record -o "$T/pairs" ./prog/pairs 2>"$T/err" ||
    fail "pairs: $(cat "$T/err")"
expect 0 "^utctl: filter 'id == 1 && n == 1': no event has all of its fields" \
    utctl view -f 'id == 1 && n == 1' "$T/pairs"
for f in 'nix == 1:no field nix' '$cpu == 0:no context cpu' \
    'key == 1:key is text, and compared with a number'; do
	expect 0 "^utctl: filter '.*': \(.* in any event\|in all events, .*\)\$" \
	    utctl view -f "${f%%:*}" "$T/pairs"
	says "${f#*:}" "$T/err"
done
stop_utd || fail "utd: status $?"
