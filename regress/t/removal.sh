# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What utctl record -r removes: the trace before the last, however deep it is,
# and nothing else, whatever the user who was recorded has put into it.

. ./common.sh

chmod 711 "$T" || exit 1
cp prog/seq prog/asuser "$T" || exit 1
# The user's part of the trace in that directory.
part() {
	echo "$1/ust/uid/65534"/*-bit
}
replace() {
	expect 0 '^utctl: 10 events, 0 lost' utctl record -r -o "$T/t" -- \
	    "$@" "$T/seq" 1 1 10
}
olds() {
	(cd "$T" && echo t t.*)
}

cat >"$T/deep.c" <<'E2'
#include <sys/stat.h>
#include <stdlib.h>
#include <unistd.h>
int
main(int argc, char *argv[])
{
	int i;

	if (argc != 3 || chdir(argv[1]) == -1)
		return 1;
	for (i = 0; i < atoi(argv[2]); i++)
		if (mkdir("deep", 0700) == -1 || chdir("deep") == -1)
			return 1;
	return 0;
}
E2
$CC $CFLAGS -o "$T/deep" "$T/deep.c" || fail "cannot build deep"

# So deep that no path leads there, with few descriptors.  Root removes that
# as the user whose part it is in.
user=
[ "$(id -u)" -ne 0 ] || user="$T/asuser 65534"
replace $user
replace $user
$user "$T/deep" "$(echo "$T/t.old/ust/uid"/*/*-bit)" 5000 || fail "deep"
(ulimit -S -n 48; replace) || exit 1
[ "$(olds)" = "t t.old" ] || fail "left: $(olds): $(cat "$T/err")"
[ "$(wc -l <"$T/err")" -eq 1 ] || fail "said: $(cat "$T/err")"

# A slash at the end is no part of the name.
expect 0 '10 events, 0 lost' utctl record -r -o "$T/t//" -- "$T/seq" 1 1 10
[ "$(olds)" = "t t.old" ] && [ ! -e "$T/t/.old" ] || fail "slash: $(olds)"

[ "$(id -u)" -eq 0 ] || exit 0
one="$T/asuser 65534" two="$T/asuser 65533"

# Root removes what a trace has, of all its places, and nothing else.
u=ust/uid/0/64-bit c=snapshots/one/ust/pid/prog-1
for f in ust/uid/0/32-bit/c_1 $c/metadata $c/c_0_12; do
	mkdir -p "$T/t.old/${f%/*}" && touch "$T/t.old/$f" || exit 1
done
mkdir -p "$T/t.old/archives/1" "$T/t.old/archives/.2" &&
    cp -Rp "$T/t.old/ust" "$T/t.old/archives/1/ust" || exit 1
replace
[ "$(olds)" = "t t.old" ] && [ "$(wc -l <"$T/err")" -eq 1 ] ||
    fail "left: $(ls -lR "$T"/t.old.*): $(cat "$T/err")"
for f in snapshots/monday/etc/shadow ust/c_0 ust/uid/0/other/c_0 \
    ust/uid/me/64-bit/c_0 $u/c_ $u/_0 $u/c_0x $u/sub/metadata \
    archives/metadata; do
	rm -rf "$T"/t.old*
	mkdir -p "$T/t.old/${f%/*}" && echo precious >"$T/t.old/$f" || exit 1
	replace
	[ "$(cat "$T"/t.old.*/$f)" = precious ] || fail "$f is gone"
	grep -q '^utctl: .*: not of a trace: root does not remove it$' \
	    "$T/err" || fail "$f: not said: $(cat "$T/err")"
done
rm -rf "$T"/t.old*

# What the user has linked or moved into it.  Where others cannot look the
# user cannot remove anything, nor does root.
replace $one
replace $one
mkdir "$T/share" "$T/victim" && chmod 777 "$T/share" &&
    echo precious >"$T/victim/file" || exit 1
$two sh -c "umask 0; mkdir $T/share/project &&
    mkdir -m 700 $T/share/project/private &&
    echo thesis >$T/share/project/private/thesis" || exit 1
d=$(part "$T/t.old")
$one mv "$T/share/project" "$d/project" && $one ln -s "$T/victim" "$d/link" &&
    $one mkfifo "$d/fifo" && ln "$T/victim/file" "$d/hard" &&
    $one "$T/deep" "$d" 500 || exit 1
replace $one
grep -q "^utctl: $T/t.old.[0-9]*: not all of it could be removed: " \
    "$T/err" || fail "not said: $(cat "$T/err")"
d=$(part "$(echo "$T"/t.old.*)")
[ "$(ls -A "$d")" = project ] &&
    [ "$(cat "$d/project/private/thesis")" = thesis ] ||
    fail "a directory that was moved there: $(ls -lR "$T"/t.old.*)"
[ "$(cat "$T/victim/file")" = precious ] || fail "what was linked is gone"
rm -rf "$T"/t.old.*
[ "$(olds)" = "t t.old" ] || fail "$(olds)"

# While root removes, the user puts a link in the place of a directory.
cat >"$T/swap.c" <<'E2'
#include <sys/stat.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void
make(const char *name, int i)
{
	char path[64];

	snprintf(path, sizeof(path), "P/%s%d", name, i);
	close(open(path, O_CREAT | O_WRONLY, 0600));
}
int
main(int argc, char *argv[])
{
	const time_t end = time(NULL) + 60;
	struct stat was, st;
	int i, fd;

	if (argc != 3 || chdir(argv[1]) == -1 || mkdir("P", 0700) == -1)
		return 1;
	for (i = 0; i < 20000; i++)
		make("z", i);
	for (i = 1; i <= 5; i++)
		make("file", i);
	if ((fd = open("P", O_RDONLY)) == -1 || fstat(fd, &was) == -1)
		return 1;
	sleep(1);		/* where times are in seconds */
	printf("ready\n");
	fflush(stdout);
	do
		fstat(fd, &st);
	while (time(NULL) < end && st.st_mtime == was.st_mtime);
	return rename("P", "Q") == 0 && symlink(argv[2], "P") == 0 ? 0 : 1;
}
E2
$CC $CFLAGS -o "$T/swap" "$T/swap.c" || fail "cannot build swap"
replace $one
touch "$T/victim/file1" "$T/victim/file2" "$T/victim/file3" \
    "$T/victim/file4" "$T/victim/file5" || exit 1
ls -lR "$T/victim" >"$T/before"
$one "$T/swap" "$(part "$T/t.old")" "$T/victim" >"$T/ready" &
CHILDREN="$CHILDREN $!"
until_ok grep -q ready "$T/ready" || fail "swap"
replace $one
ls -lR "$T/victim" | cmp -s - "$T/before" ||
    fail "behind a link: $(ls -lR "$T/victim")"
rm -rf "$T"/t.old.*

# In a directory of a user, who can give what is there the name of a trace:
# directories of root's and of another user.  The sticky bit forbids that.
above() {
	ls -lR "$T/home" >"$T/before"
	complains "^utctl: $T/home: belongs to another user than root, or" \
	    utctl record -r -o "$T/home/t" -- true
	ls -lR "$T/home" | cmp -s - "$T/before" || fail "$(ls -lR "$T/home")"
}
mkdir "$T/home" && chown 65534 "$T/home" && chmod 755 "$T/home" &&
    mkdir -p "$T/home/backup/snapshots/monday/ust/pid/x" &&
    echo precious >"$T/home/backup/snapshots/monday/ust/pid/x/metadata" &&
    $one mv "$T/home/backup" "$T/home/t.old" || exit 1
above
$one mv "$T/home/t.old" "$T/home/t" || exit 1
above
chown 0 "$T/home" && chmod 777 "$T/home" || exit 1
above
chown 65534 "$T/home" && chmod 1777 "$T/home" || exit 1
above
chown 0 "$T/home" || exit 1
for i in 1 2; do
	expect 0 '10 events, 0 lost' utctl record -r -o "$T/home/t" -- \
	    "$T/seq" 1 1 10
done
[ "$(cd "$T/home" && echo *)" = "t t.old" ] || fail "$(ls -lR "$T/home")"
rm -rf "$T/home"/t*
# A trace of another user's, where others can write.
$two sh -c "umask 0; mkdir -p $T/share/t/ust/private &&
    chmod 700 $T/share/t/ust" && mv "$T/share/t" "$T/home/t.old" || exit 1
complains "^utctl: $T/home/t.old: root does not remove it: others" \
    utctl record -r -o "$T/home/t" -- true
[ -d "$T/home/t.old/ust/private" ] || fail "$(ls -lR "$T/home")"
rm -rf "$T/home/t.old"
chown 65534 "$T/home" && chmod 755 "$T/home" || exit 1
# A link on the way there, behind which root would rename and make something.
mkdir "$T/victim/t" || exit 1
$one ln -s "$T/victim" "$T/home/way" || exit 1
ls -lR "$T/victim" >"$T/before"
complains "^utctl: $T/home/way/t: .*: a symbolic link on the way" \
    utctl record -r -o "$T/home/way/t" -- true
ls -lR "$T/victim" | cmp -s - "$T/before" || fail "$(ls -lR "$T/victim")"

# Users who do not let root's process end have one time together.
cat >"$T/once.c" <<'E2'
#include <sys/types.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/compat.h"
#include "utctl.h"
static int64_t deadlines, calls;
int64_t
as_user_deadline(void)
{
	return ++deadlines;
}
int
as_user(uid_t uid, gid_t gid, int (*function)(void *), void *arg,
    int64_t deadline)
{
	(void)uid, (void)gid, (void)function, (void)arg;
	calls++;
	return deadline == 1 && deadlines == 1 ? 0 : ETIMEDOUT;
}
/* What removes no directory that is open. */
char *format(const char *fmt, ...) { (void)fmt; abort(); }
void say(const char *fmt, ...) { (void)fmt; abort(); }
void say_errno(const char *fmt, ...) { (void)fmt; abort(); }
void die_errno(const char *fmt, ...) { (void)fmt; abort(); }
int ut_here(void) { abort(); }
int
ut_walk(const char *path, int uid, mode_t mode)
{
	(void)path, (void)uid, (void)mode;
	abort();
}
int
main(int argc, char *argv[])
{
	const int at = open(argv[argc - 1], O_RDONLY);
	const int r = dir_remove(at, "t", openat(at, "t", O_RDONLY));

	printf("%d of %d calls\n", r == 0 ? (int)calls : -1, (int)calls);
	return r != 0;
}
E2
$CC $CFLAGS -I../libut -I../utctl -o "$T/once" "$T/once.c" ../utctl/remove.c ||
    fail "cannot build once"
rm -rf "$T/home"/* && chown 0 "$T/home" || exit 1
for i in 1 2 3; do
	mkdir -p "$T/home/t/ust/uid/$i" && chown "$i" "$T/home/t/ust/uid/$i" ||
	    exit 1
done
expect 0 '^3 of 3 calls' "$T/once" "$T/home"
exit 0
