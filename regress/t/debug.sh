# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# UT_DEBUG: the library says on the standard error what it does, each thing
# once, and nothing if it is not set, in set-user-ID programs, and where another
# file is now.

. ./common.sh

chmod 711 "$T" || exit 1

# says LINE ... : seq has said these, each behind its process ID.
says() {
	sed 's/^libut: [0-9]*: //' "$T/err" >"$T/got"
	printf '%s\n' "$@" | diff - "$T/got" || fail "said otherwise"
}

run() {
	"$@" >/dev/null 2>"$T/err" || fail "$*: $(cat "$T/err")"
}

no="$UT_RUNDIR: no utd for this program: there is none"
run env UT_DEBUG=1 ./prog/seq 1 1 10
says "$no"
run env UT_DEBUG=1 UT_DISABLE=1 ./prog/seq 1 1 10
says 'UT_DISABLE is set: nothing is traced'
run env UT_DEBUG=1 UT_RUNDIR=relative ./prog/seq 1 1 10
says 'relative: no such directory, nor can it be made: not used'
mkdir -m 777 "$T/open" && chmod 777 "$T/open" || exit 1
run env UT_DEBUG=1 UT_RUNDIR="$T/open" ./prog/seq 1 1 10
grep -q "open: no utd .* or others can write to the directory$" "$T/err" ||
    fail "others can write: $(cat "$T/err")"
for value in '' 0; do
	run env UT_DEBUG=$value ./prog/seq 1 1 10
	[ ! -s "$T/err" ] || fail "UT_DEBUG=$value: $(cat "$T/err")"
done
start_utd
utctl create -o "$T/trace" web >/dev/null &&
    utctl enable-channel one >/dev/null &&
    utctl enable-event -c one 'seq:*' >/dev/null && utctl start >/dev/null ||
    fail "set-up"
run env UT_DEBUG=1 ./prog/seq 1 1 10
says "$UT_RUNDIR: connected to utd" \
    'session web, channel one: attached' \
    'events that are recorded or not from now on: 1'
run ./prog/seq 1 1 10
[ ! -s "$T/err" ] || fail "not set: $(cat "$T/err")"
# A child tells for itself, and nobody has to read.
run env UT_DEBUG=1 ./prog/seq -f 1 1 1 100
two() {
	[ "$(grep -c 'connected to utd$' "$T/err")" -ge 2 ]
}
until_ok two || fail "a child: $(cat "$T/err")"
(trap '' PIPE; UT_DEBUG=1 ./prog/seq 1 1 10; echo $? >"$T/status") 2>&1 |
    true
[ "$(cat "$T/status")" -eq 0 ] || fail "a pipe, ignored: $(cat "$T/status")"
(UT_DEBUG=1 ./prog/seq 1 1 10; echo $? >"$T/status") 2>&1 >/dev/null | true
[ "$(cat "$T/status")" -eq 0 ] || fail "a pipe: $(cat "$T/status")"

# Another version of ut.h; and a standard error that is another file.
cat >"$T/other.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
#include "ut.h"
UT_EVENT(other, one, UT_INFO, UT_INT(n));
int
main(void)
{
	int fd = open("elsewhere", O_WRONLY | O_CREAT, 0600);
	if (fd == -1 || dup2(fd, 2) == -1)
		return 1;
	sleep(1);
	UT(other, one, 1);
	return 0;
}
END
build "$T/other" "$T/other.c"
(cd "$T" && UT_DEBUG=1 ./other 2>"$T/err") &
pid=$!
until_ok grep -q connected "$T/err" || fail "other: $(cat "$T/err")"
utctl enable-event -c one 'other:*' >/dev/null || fail "enable-event"
wait $pid || fail "other"
[ ! -s "$T/elsewhere" ] || fail "elsewhere: $(cat "$T/elsewhere")"
sed 's/^#define UT_VERSION.*/#define UT_VERSION 99/' "$TOP/libut/ut.h" \
    >"$T/ut.h" && cp "$TOP/libut/ut_field.h" "$T" || exit 1
$CC -I"$T" $CFLAGS ${LDFLAGS:-} -o "$T/old" "$T/other.c" "$LIBUT" $LIBS ||
    fail "cannot build old"
(cd "$T" && UT_DEBUG=1 ./old 2>"$T/err") || fail "old"
grep -q '^libut: [0-9]*: .*: not traced, compiled with ut.h of another version$' \
    "$T/err" || fail "old: $(cat "$T/err")"

# Whoever runs a set-user-ID program does not see what it does.  Sanitizers say
# something of their own there.
case $CFLAGS in
*-fsanitize*)	exit 0 ;;
esac
[ "$(id -u)" -eq 0 ] || exit 0
cp prog/seq "$T/seq" && chown 65534 "$T/seq" && chmod 4755 "$T/seq" || exit 1
UT_DEBUG=1 ./prog/asuser 65533 "$T/seq" 1 1 10 >/dev/null 2>"$T/err"
[ ! -s "$T/err" ] || fail "set-user-ID: $(cat "$T/err")"
