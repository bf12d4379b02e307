# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of ut:module and ut:unload have in common: libraries, and the
# program of which they are modules.

. ./common.sh

# The thread sanitizer lets children begin threads, if asked.
TSAN_OPTIONS=${TSAN_OPTIONS:-die_after_fork=0}
export TSAN_OPTIONS

need python3
need readelf
[ -r /proc/self/maps ] || skip "nothing says what is mapped"
case $CFLAGS in
*-DUT_POSIX*)	skip "no such events in this build" ;;
esac

cat >"$T/lib.c" <<'END'
#include <stdlib.h>
int module_code(void);
int
module_code(void)
{
	return abs(-1);
}
END
cat >"$T/events.c" <<'END'
#include <ut.h>
UT_EVENT(modlib, event, UT_INFO)
int module_code(void);
int
module_code(void)
{
	UT(modlib, event);
	return 0;
}
END

# library NAME SOURCE option...
library() {
	lib=$T/$1.so source=$2
	shift 2
	$CC $CFLAGS -fPIC -shared -I"$TOP/libut" -o "$lib" "$source" "$@" ||
	    fail "cannot build $lib"
}
library one "$T/lib.c" -Dmodule_code=one
library two "$T/lib.c" -Dmodule_code=two -Wl,--build-id=none
library three "$T/lib.c"
cp "$T/three.so" "$T/five.so"
library four "$T/events.c" $LINK
$CC $CFLAGS -D_GNU_SOURCE -I"$TOP/libut" -o "$T/modules" prog/modules.c \
    -Wl,--no-as-needed "$T/one.so" "$T/two.so" $LINK $LIBS $DL \
    -Wl,-rpath,"$T" || fail "cannot build modules"

# traced DIR: its events, as JSON and in the order of time.
traced() {
	utctl view -j "$1" >"$T/json" || fail "view $1"
}

# agrees DIR PID MAPS [n]: of n modules or more.
agrees() {
	traced "$1"
	python3 "$TOP/regress/shared/modules.py" "$T/json" "$2" "$3" \
	    >"$T/oracle" 2>&1 || fail "$1, $3: $(cat "$T/oracle")"
	[ "$(cat "$T/oracle")" -ge "${4:-3}" ] ||
	    fail "$1: $(cat "$T/oracle") modules"
}

# How often the event was recorded of a module of that name: told EVENT NAME.
told() {
	grep '"event":"'"$1"'"' "$T/json" | grep -c "/$2\""
}

session() {
	name=$1
	shift
	utctl create -o "$T/$name.trace" "$name" >/dev/null ||
	    fail "create $name"
	[ $# -eq 0 ] || utctl enable-channel -s "$name" "$@" || fail "$*"
	utctl enable-event -s "$name" ut:module ut:unload 'modules:*' ||
	    fail "enable-event"
	utctl start "$name" >/dev/null || fail "start $name"
}

ended() {
	utctl stop "$1" >"$T/out" || fail "stop $1"
	grep -q ' 0 lost' "$T/out" || fail "$1: $(cat "$T/out")"
	utctl destroy "$1" >/dev/null || fail "destroy $1"
}

# linker: what the run-time linker does, as a session of its own shows.  $gone
# is 0 if it unmaps nothing that is unloaded (musl), $locked is 0 if it has no
# lock.
linker() {
	session linker
	pulse_start "$T/modules"
	pulse load "$T/three.so"
	pulse unload
	pulse maps "$T/maps.gone"
	gone=1
	! grep -q three.so "$T/maps.gone" || gone=0
	pulse load "$T/three.so"
	pulse locked
	[ "$answer" -eq 0 ] || pulse locked
	locked=$answer
	exec 3>&- 4<&-
	wait $PULSE
	ended linker
}
