# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What ut(7) shows under HOW TO, done as it stands there, with a program that
# has the events of that page.

. ./common.sh
not_sanitized
not_cross
case $CC in
*musl*)	skip "sort(1) is not for the C library of $CC" ;;
esac

# Commands stand behind a $ or a #, each block of them in a file of its own.
awk -v to="$T/block" '
/^\.Sh HOW TO/ { on = 1 }
/^\.Ss Find out why/ { on = 0 }
/^\.Dl / { sub(/^\.Dl /, ""); command = 0; n++; block = 1 }
/^\.Bd/ { block = 1; command = any = 0; next }
/^\.Ed/ { block = 0; next }
!on || !block { next }
{ gsub(/\\e/, "\\"); gsub(/\\-/, "-"); is = sub(/^[$#] /, "") }
is && !any { any = 1; n++ }
is || (command && /^(    |\t)/) { print > (to n); command = 1; next }
{ command = 0 }' "$TOP/man/ut.7" || fail "awk"
[ -s "$T/block19" ] && [ ! -e "$T/block20" ] ||
    fail "not 19 blocks: $(cat "$T"/block*)"

cat >"$T/web.c" <<'END'
#include <stdlib.h>
#include <time.h>
#include <ut.h>

UT_EVENT(web, begin, UT_INFO, UT_U32(id), UT_STR(url));
UT_EVENT(web, end, UT_INFO, UT_U32(id), UT_INT(status));

/* So many requests, or without end; one of them is slow. */
int
main(int argc, char **argv)
{
	const unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 50;
	struct timespec ts = { 0, 1000000 };
	unsigned int id;

	for (id = 0; n == 0 || id < n; id++) {
		UT(web, begin, id, "/");
		ts.tv_sec = id == 17;
		nanosleep(&ts, NULL);
		UT(web, end, id, id == 18 ? 500 : 200);
	}
	return 0;
}
END

# The tree is not installed.
mkdir "$T/bin" && cat >"$T/bin/pkg-config" <<END || exit 1
#!/bin/sh
case \$* in
*--variable=libdir*)	echo "$TOP/libut" ;;
*)			echo "-I$TOP/libut -L$TOP/libut -lut $LIBS" ;;
esac
END
chmod 755 "$T/bin/pkg-config"
PATH=$T/bin:$PATH

cc() {
	command $CC $CFLAGS ${LDFLAGS:-} "$@"
}

recorded_some() {
	counts "$1" && [ "$events" -gt 0 ]
}

end_utd() {
	[ -s "$UT_RUNDIR/utd.pid" ] || return 0
	pid=$(cat "$UT_RUNDIR/utd.pid")
	kill "$pid" && until_ok gone "$pid"
}
trap 'end_utd; finish' EXIT

known() {
	utctl events | grep -q "(pid $1,"
}

# Do a block, with our own numbers and directories, and wait where the page
# does; on its own, or -e would mean nothing.  Our number can have the page's
# in it, such as 1911438: a line with both numbers is done with the first s.
block() {
	sed -e "s,911:914,$PROCESS:$THREAD," -e "s,-t 914,-t $THREAD," -e t -e "s,911,$PROCESS," \
	    -e "s,/var/log,$T," \
	    "$T/block$1" >"$T/commands"
	(set -e; cd "$T"; . "$T/commands") >"$T/said" 2>&1 ||
	    fail "$(cat "$T/commands"): $(cat "$T/said")"
}

said() {
	grep -q -e "$1" "$T/said" ||
	    fail "$(cat "$T/commands"): no '$1' in $(cat "$T/said")"
}

PROCESS= THREAD=

block 1
said '^utctl: 100 events, 0 lost, [0-9]* bytes in .*/trace$'
said ' web\[[0-9]*:[0-9]*\] web:begin { id = 7, url = "/" }$'

cp "$T/web.c" "$T/file"
block 2
said '^utctl: [1-9][0-9]* events, 0 lost'

# A service, which is there before utd.
background "$T/web" 0
PROCESS=$LAST
block 3
until_ok recorded_some web || fail "nothing was recorded"
block 4
said "^session web (active): $T/web.trace$"
said " web\[$PROCESS:[0-9]*\] web:begin { "
said '^session web stopped: [1-9][0-9]* events, 0 lost'
said '^session web destroyed: '

utctl create -o "$T/each" web >"$T/said" && utctl start web >>"$T/said" ||
    fail "$(cat "$T/said")"
block 5
said '^web:\*: 2 events of 1 program'
until_ok recorded_some web || fail "nothing was recorded"
utctl destroy web >"$T/said" || fail "$(cat "$T/said")"
[ -s "$(echo "$T"/each/ust/pid/web-"$PROCESS"-*)/metadata" ] ||
    fail "no directory of a process: $(find "$T/each")"
# A service with a wrapper, as its unit has it.
cat >"$T/locker.c" <<'END'
#include <pthread.h>
#include <time.h>

int
main(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const struct timespec ts = { 0, 1000000 };

	for (;;) {
		pthread_mutex_lock(&lock);
		nanosleep(&ts, NULL);
		pthread_mutex_unlock(&lock);
	}
}
END
cc -pthread -o "$T/locker" "$T/locker.c" || fail "cannot build locker"
background env LD_PRELOAD="$TOP/libut/libut-pthread.so" "$T/locker"
until_ok known $LAST || fail "locker is not known"
sed -i.bak 's/sleep 10/until_ok recorded_some locks/' "$T/block6"
block 6
said "^locker\[$LAST\]: 1 lock"
end_utd || fail "utd does not end"

sed -i.bak 's/-T 10 /-T 1 /' "$T/block7"
block 7
said "^utctl: [1-9][0-9]* events, 0 lost, [0-9]* bytes in $T/here\$"
[ ! -e "$UT_RUNDIR/sock" ] || fail "a utd is left"
said " web\[$PROCESS:[0-9]*\] web:end { "

block 8
[ "$(wc -l <"$T/said")" -eq 12 ] || fail "$(cat "$T/said")"
line=$(sed -n 3p "$T/said")
set -- $line
[ "${1%.*}" -gt 1000000 ] && [ "$6" = web:begin,web:end,id ] || fail "$line"
BEGAN="$3 $4"
line=${line#*\[} PROCESS=${line%%:*} line=${line#*:} THREAD=${line%%\]*}

sed -i.bak "s/'2026-.*' -n/'$BEGAN' -n/" "$T/block9"
block 9
[ "$(wc -l <"$T/said")" -eq 10 ] || fail "$(cat "$T/said")"
sed -n 1p "$T/said" | grep -q ' web:begin { id = 17, url = "/" }$' ||
    fail "not request 17: $(cat "$T/said")"
said ' web:end { id = 17, status = 200 }$'

# The command of the page crashes.
mv "$T/web" "$T/good" && cp "$T/good" "$T/web.real" && cat >"$T/web" <<'END'
#!/bin/sh
"$0.real" 20
kill -SEGV $$
END
chmod 755 "$T/web" || exit 1
sed -i.bak 's/^utctl record.*/& || [ $? -eq 139 ]/' "$T/block10"
block 10
said "^utctl: snapshot of 40 events: $T/crash\$"
said ' web:end { id = 19, status = 200 }$'
mv "$T/good" "$T/web"

# A service again, and the utd that it has.
utd || fail "utd: status $?"
background "$T/web" 0
until_ok known $LAST || fail "not known"
sed -i.bak 's/^utctl snapshot/until_ok recorded_some web; &/' "$T/block11"
block 11
said "^session web: snapshot of [1-9][0-9]* events: $T/web.last/snapshots/[^/]*-1\$"
kill $LAST
utctl destroy web >"$T/said" || fail "$(cat "$T/said")"

block 12
said '^trigger 1: web:end: '
"$T/web" 20 || fail "web: $?"
until_ok sh -c "ls -d $T/last/snapshots/*-1" || fail "$(utctl list web)"
utctl view "$T/last/snapshots"/*-1 >"$T/said" || fail "$(cat "$T/said")"
said ' web:end { id = 18, status = 500 }$'
utctl destroy web >"$T/said" || fail "$(cat "$T/said")"

# One that leaks, and has a lock for too long; it is none of libut's.
cat >"$T/web.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static char *volatile conf;

__attribute__((noinline)) static void
read_conf(void)
{
	const struct timespec ts = { 0, 200000000 };

	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&both);
	conf = malloc(4096);
	nanosleep(&ts, NULL);
	conf = malloc(77);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void *
serve(void *arg)
{
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&t, NULL, serve, NULL) != 0)
		return 1;
	read_conf();
	pthread_join(t, NULL);
	return 0;
}
END
cc -g -pthread -o "$T/web" "$T/web.c" || fail "cannot build web"
# With UT_POSIX there are no modules, and so no names.
who=read_conf where='(web)'
case $CFLAGS in
*UT_POSIX*)	who=0x where= ;;
esac
block 13
said '^web\[[0-9]*\]: [0-9]* bytes in [0-9]* blocks live at the end$'
said "^ *4096  *1  *4096  *1  *4096  $who"
# The time of the start is over then.
began=$(utctl view -o time -f 'size == 77' "$T/heap.trace") || fail "77"
sed -i.bak "s/-b +5 /-b '$began' /" "$T/block14"
block 14
said "^ *77  *1  *77  *1  *77  $who"
grep -q ' 4096 ' "$T/said" && fail "of the start: $(cat "$T/said")"
block 15
sed -n "/^the longest/{n;n;p;}" "$T/said" >"$T/line"
grep -q "  .*$where.*  held by [0-9]* $who.*$where" "$T/line" ||
    fail "$(cat "$T/said")"
[ -z "$where" ] || grep -q '  0x[0-9a-f]* lock (web)  serve' "$T/line" ||
    fail "no name of the lock: $(cat "$T/said")"

# What was not slow itself has a self time that is shorter by that.  Other
# systems than Linux have no hooks in the C library.
[ "$(uname)" = Linux ] || exit 0
block 16
sed '1,/^ *us  *self us  began /d' "$T/said" >"$T/slowest"
[ -n "$where" ] || exit 0
awk '{ us[$6 " " $7] = $1; self[$6 " " $7] = $2 }
END { exit us["func read_conf"] < 200000 || self["func read_conf"] < 200000 ||
    us["func main"] < 200000 || us["func main"] - self["func main"] < 200000 }
' "$T/slowest" || fail "$(cat "$T/said")"
line=$(grep 'func main' "$T/slowest")
block 17
said ' read_conf (web).*  main (web)'
set -- $line
line=${line#*\[} line=${line#*:} THREAD=${line%%\]*}
sed -i.bak -e "s/'2026-.*' -n/'$3 $4' -n/" -e "s/-t 911/-t $THREAD/" \
    "$T/block18"
PROCESS=911	# the time and our own number stay as they are
block 18
sed 1q "$T/said" | grep -q ' func:entry { addr = main (web)[, ]' ||
    fail "$(cat "$T/said")"
awk '/ func:exit { addr = read_conf / {
	ok = $1 >= 0.2 && $(NF - 1) >= 200000 }
END { exit !ok }' "$T/said" || fail "not where the time was: $(cat "$T/said")"

cat >"$T/web.c" <<'END'
#include <time.h>

__attribute__((noinline)) static void
parse(void)
{
	while (clock() < CLOCKS_PER_SEC / 2)
		continue;
}

int
main(void)
{
	parse();
	return 0;
}
END
cc -g -o "$T/web" "$T/web.c" || fail "cannot build web"
block 19
said '^ .*[1-9][0-9]*  100.0  *[0-9. ]*  parse (web)$'
