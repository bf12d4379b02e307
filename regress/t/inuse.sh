# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Some of the tests on a machine in use, and run by somebody with odd settings:
# a system's utd that records everything, programs, FIFOs and objects of other
# users, an older libut that is installed and comes first everywhere.  INUSE
# names other tests.
#
# Root does that in a /tmp, a /dev/shm, a /run and a loader's cache of the
# test's own; others change only the settings.

if [ -n "${UT_TEST_MACHINE-}" ]; then
	mount --bind "$UT_TEST_MACHINE" /tmp &&
	    mount -t tmpfs -o mode=1777 tmpfs /dev/shm &&
	    mount -t tmpfs -o mode=755 tmpfs /var/run || exit 1
fi
. ./common.sh
not_sanitized
not_cross
if [ -z "${UT_TEST_MACHINE-}" ] && [ "$(id -u)" -eq 0 ] &&
    unshare -m mount -t tmpfs tmpfs /tmp 2>/dev/null; then
	mkdir -m 1777 "$T/tmp" && chmod 1777 "$T/tmp" || exit 1
	UT_TEST_MACHINE=$T/tmp unshare -m sh "$0"
	exit
fi

# Whoever meets it fails.
old=$T/old
mkdir "$old" "$old/pkgconfig" || exit 1
chmod 755 "$T" || exit 1
echo 'void ut_begin(void) { __builtin_trap(); }
static void __attribute__((constructor)) old(void) { __builtin_trap(); }' \
    >"$T/old.c"
$CC -fPIC -shared -Wl,-soname,libut.so.1 -o "$old/libut.so.1" "$T/old.c" ||
    fail "cannot build libut.so.1"
ln -s libut.so.1 "$old/libut.so"
cp "$old/libut.so" "$old/libut-malloc.so"
echo '#error "not this one"' >"$old/ut.h"
: >"$old/libut.a"
echo broken >"$old/pkgconfig/ut.pc"
for tool in utctl utd; do
	printf '#!/bin/sh\nexit 66\n' >"$old/$tool"
	chmod 755 "$old/$tool"
done

if [ -n "${UT_TEST_MACHINE-}" ]; then
	if ldconfig -C "$T/cache" "$old" 2>/dev/null; then
		mount --bind "$T/cache" /etc/ld.so.cache || exit 1
	fi
	UT_RUNDIR=/var/run/utd
	mkdir -m 755 "$UT_RUNDIR" || exit 1
	start_utd
	utctl create -o "$T/everything" everything >/dev/null &&
	    utctl enable-event '*' && utctl start || fail "set-up"
	for uid in 0 65531 65532; do
		background ./prog/asuser $uid env UT_RUNDIR= ./prog/seq \
		    -p 1000 1 1 9000000
		for n in 01 02 03 04 05 06 07 08 09 10; do
			./prog/asuser $uid sh -c "
			    mkfifo /tmp/.utd-$uid-00000000000000$n
			    mkfifo /tmp/.utd-65534-0000000000${uid}0$n
			    echo theirs >/dev/shm/ut-$n-$uid-0
			    echo theirs >/dev/shm/sem.ut-$n-$uid-0" 2>/dev/null
		done
	done
	until_ok has_programs everything seq 3 || fail "no programs"
fi

# Odd settings.
mkdir -m 1777 "$T/a long name" || exit 1
(
	umask 077
	ulimit -S -n 200
	trap '' HUP PIPE
	env LD_LIBRARY_PATH="$old" LIBRARY_PATH="$old" CPATH="$old" \
	    PKG_CONFIG_PATH="$old/pkgconfig" PATH="$old:$PATH" \
	    LD_BIND_NOW=1 UT_DISABLE=1 UT_REGISTER_TIMEOUT=-1 \
	    UT_RUNDIR=/nonexistent XDG_RUNTIME_DIR="$T/a long name" \
	    TMPDIR="$T/a long name" CDPATH=/ TZ=Asia/Tokyo LC_ALL=C.UTF-8 \
	    LANGUAGE=de POSIXLY_CORRECT=1 MAKEFLAGS= DESTDIR=/nonexistent \
	    sh ./run.sh ${INUSE:-exact disable absent noutd install units \
	    malloc outdir record early} >"$T/said" 9</dev/null
) || {
	cat "$T/said"
	fail "$(grep '^FAILED' "$T/said")"
}

# It did record everything, and still does.
if [ -n "${UT_TEST_MACHINE-}" ]; then
	stop_utd || fail "utd: status $?"
	counted=$(utctl view -q "$T/everything" 2>/dev/null | tail -n 1)
	echo "meanwhile: $counted"
fi
