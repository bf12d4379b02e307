# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The messages of tracef and tracelog: of every length, on a small stack, and
# where malloc(3) has nothing.

. ./common.sh
not_sanitized

cat >"$T/log.c" <<'END'
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int none;

static void *
some(size_t n)
{
	return none ? NULL : malloc(n);
}
#define malloc(n) some(n)
#include <lttng/tracef.h>
#include <lttng/tracelog.h>

static const size_t lengths[] = { 0, 1, 1022, 1023, 1024, 65534, 65535, 65536,
    70000 };
static char text[70001];

static void
by_list(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vtracelog(TRACE_ERR, fmt, ap);
	va_end(ap);
}

static void *
log_all(void *arg)
{
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		text[lengths[i]] = '\0';
		errno = 4711;
		tracef("%s", text);
		tracelog(TRACE_INFO, "%s", text);
		by_list("%s", text);
		if (errno != 4711)
			abort();
		text[lengths[i]] = 'x';
	}
	return arg;
}

int
main(int argc, char *argv[])
{
	pthread_attr_t attr;
	pthread_t id;

	(void)argv;
	none = argc > 1;
	memset(text, 'x', sizeof(text) - 1);
	if (pthread_attr_init(&attr) != 0 || pthread_attr_setstacksize(&attr,
	    PTHREAD_STACK_MIN + 32768) != 0 ||
	    pthread_create(&id, &attr, log_all, NULL) != 0)
		return 1;
	return pthread_join(id, NULL) != 0;
}
END
$CC $CFLAGS -I"$TOP/libut/lttng" -I"$TOP/libut" -o "$T/log" "$T/log.c" \
    "$TOP/libut/libut.a" $LIBS 2>"$T/err" || fail "cannot build: $(cat "$T/err")"

# logs LONGEST [ARGUMENT]: all are there, with the bytes that each has at most.
logs() {
	utctl record -b 256k -o "$T/trace" -e 'lttng_ust_trace*:*' -- \
	    "$T/log" ${2:-} 2>"$T/err" || fail "$1: $(cat "$T/err")"
	grep -q '^utctl: 27 events, 0 lost' "$T/err" ||
	    fail "$1: $(cat "$T/err")"
	utctl view "$T/trace" | sed 's/.*lttng_ust_\([a-z]*:[A-Za-z_]*\) { /\1 /
	    s/line = [0-9]*, file = "[^"]*log.c", func = "\([a-z_]*\)", /\1 /
	    s/msg = "\(x*\)" }$/\1./' | awk '{
		print $1, NF == 3 ? $2 : "-", length($NF) - 1
	    }' >"$T/got"
	for n in 0 1 1022 1023 1024 65534 65535 65536 70000; do
		[ $n -le $1 ] || n=$1
		printf '%s %s\n' tracef:event "- $n" tracelog:TRACE_INFO \
		    "log_all $n" tracelog:TRACE_ERR "by_list $n"
	done >"$T/want"
	diff "$T/want" "$T/got" >"$T/diff" || fail "$1: $(cat "$T/diff")"
	rm -rf "$T/trace"
}

logs 65535
logs 1023 nothing
exit 0
