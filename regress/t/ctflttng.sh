# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces that LTTng records here, where it is installed, are read as the program
# says that it called its tracepoints, and as babeltrace2 reads them.

. ./common.sh
. ./shared/ctf.sh

need lttng
need lttng-sessiond
not_cross
not_sanitized
bt2=

# A provider with all kinds of fields, and events enough for large headers.
{
	cat <<-'END'
	#undef LTTNG_UST_TRACEPOINT_PROVIDER
	#define LTTNG_UST_TRACEPOINT_PROVIDER e
	#undef LTTNG_UST_TRACEPOINT_INCLUDE
	#define LTTNG_UST_TRACEPOINT_INCLUDE "./tp.h"
	#if !defined(TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
	#define TP_H
	#include <arpa/inet.h>
	#include <lttng/tracepoint.h>
	#include <stdint.h>
	LTTNG_UST_TRACEPOINT_ENUM(e, color, LTTNG_UST_TP_ENUM_VALUES(
	    lttng_ust_field_enum_value("red", 0)
	    lttng_ust_field_enum_range("many", 2, 9)
	    lttng_ust_field_enum_value("neg", -3)))
	LTTNG_UST_TRACEPOINT_EVENT(e, ints, LTTNG_UST_TP_ARGS(int64_t, v),
	    LTTNG_UST_TP_FIELDS(
	    lttng_ust_field_integer(int8_t, i8, (int8_t)v)
	    lttng_ust_field_integer(uint16_t, u16, (uint16_t)v)
	    lttng_ust_field_integer(int32_t, i32, (int32_t)v)
	    lttng_ust_field_integer(uint64_t, u64, (uint64_t)v)
	    lttng_ust_field_integer_hex(uint32_t, x32, (uint32_t)v)
	    lttng_ust_field_integer_network(uint16_t, n16, htons((uint16_t)v))
	    lttng_ust_field_integer_network(int32_t, n32,
		(int32_t)htonl((uint32_t)v))))
	LTTNG_UST_TRACEPOINT_EVENT(e, text, LTTNG_UST_TP_ARGS(const char *, s,
	    size_t, n), LTTNG_UST_TP_FIELDS(
	    lttng_ust_field_string(str, s)
	    lttng_ust_field_array_text(char, arr, s, 4)
	    lttng_ust_field_sequence_text(char, seq, s, size_t, n)
	    lttng_ust_field_float(double, d, 1.5)
	    lttng_ust_field_float(float, f, -0.25)))
	LTTNG_UST_TRACEPOINT_EVENT(e, arrays, LTTNG_UST_TP_ARGS(
	    const int32_t *, a, size_t, n), LTTNG_UST_TP_FIELDS(
	    lttng_ust_field_array(int32_t, arr, a, 3)
	    lttng_ust_field_sequence(int32_t, seq, a, uint8_t, n)
	    lttng_ust_field_sequence_network(int16_t, net, a, size_t, n)
	    lttng_ust_field_integer(uint8_t, after, 9)))
	LTTNG_UST_TRACEPOINT_EVENT(e, enums, LTTNG_UST_TP_ARGS(int, v),
	    LTTNG_UST_TP_FIELDS(
	    lttng_ust_field_enum(e, color, int, e32, v)
	    lttng_ust_field_enum(e, color, signed char, e8, v)))
	LTTNG_UST_TRACEPOINT_LOGLEVEL(e, enums,
	    LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)
	LTTNG_UST_TRACEPOINT_EVENT(e, none, LTTNG_UST_TP_ARGS(),
	    LTTNG_UST_TP_FIELDS())
	END
	i=0
	while [ $i -lt 40 ]; do
		echo "LTTNG_UST_TRACEPOINT_EVENT(e, m$i, LTTNG_UST_TP_ARGS(int, v),
		    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, v, v)))"
		i=$((i + 1))
	done
	echo '#endif'
	echo '#include <lttng/tracepoint-event.h>'
} >"$T/tp.h"
{
	cat <<-'END'
	#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
	#define LTTNG_UST_TRACEPOINT_DEFINE
	#include "tp.h"
	#include <inttypes.h>
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>

	static const char *label(int v, char *s)
	{
		sprintf(s, "%d", v);
		return v == 0 ? "red" : v == -3 ? "neg" :
		    v >= 2 && v <= 9 ? "many" : s;
	}

	static void once(int i)
	{
		static const int32_t a[] = { 1, -2, 3, -4, 5, 6, 7, 8 };
		int64_t v = i % 2 ? (int64_t)i * 1000000007 : -i;
		char s[32], want[256] = "", net[256] = "";
		int n = i % 4, k, at = 0, to = 0;

		lttng_ust_tracepoint(e, ints, v);
		printf("e:ints { i8 = %d, u16 = %u, i32 = %d, u64 = %" PRIu64
		    ", x32 = 0x%x, n16 = %u, n32 = %d }\n",
		    (int8_t)v, (uint16_t)v, (int32_t)v, (uint64_t)v,
		    (uint32_t)v, (uint16_t)v, (int32_t)v);
		sprintf(s, "text %d", i);
		lttng_ust_tracepoint(e, text, s, 5);
		printf("e:text { str = \"%s\", arr = \"text\", "
		    "seq = \"text \", d = 1.5, f = -0.25 }\n", s);
		lttng_ust_tracepoint(e, arrays, a, (size_t)n);
		for (k = 0; k < n; k++) {
			at += sprintf(want + at, "%s%d", k ? ", " : "", a[k]);
			to += sprintf(net + to, "%s%d", k ? ", " : "",
			    (int16_t)ntohs(((const uint16_t *)a)[k]));
		}
		printf("e:arrays { arr = [1, -2, 3], seq = [%s], net = [%s], "
		    "after = 9 }\n", want, net);
		lttng_ust_tracepoint(e, enums, i % 14 - 3);
		printf("e:enums { e32 = %s, e8 = %s }\n",
		    label(i % 14 - 3, s), label(i % 14 - 3, s));
		lttng_ust_tracepoint(e, none);
		printf("e:none { }\n");
	}

	int main(int argc, char **argv)
	{
		int i, n = atoi(argv[1]);

		for (i = 0; i < n; i++)
			once(i);
		if (argc > 2) {
	END
	i=0
	while [ $i -lt 40 ]; do
		echo "lttng_ust_tracepoint(e, m$i, $i); puts(\"e:m$i { v = $i }\");"
		i=$((i + 1))
	done
	cat <<-'END'
		}
		fflush(stdout);
		if (argc > 3)
			kill(getpid(), SIGKILL);
		return 0;
	}
	END
} >"$T/app.c"
echo '#include <lttng/tracepoint.h>
int main(void) { return sizeof(LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR) == 0; }' \
    >"$T/has.c"
$CC -o "$T/has" "$T/has.c" -llttng-ust $DL $LIBS 2>/dev/null ||
    skip "no LTTng-UST 2.13 to build with"
$CC -I"$T" -o "$T/app" "$T/app.c" -llttng-ust $DL $LIBS ||
    fail "cannot build the program"

# A daemon of an ordinary user, and of this test alone.
mkdir "$T/home" && chmod 777 "$T/home" && chmod 711 "$T" || exit 1
lttng() {
	as_user env LTTNG_HOME="$T/home" HOME="$T/home" lttng "$@" \
	    >>"$T/lttng.log" 2>&1
}
must() {
	lttng "$@" || fail "lttng $*: $(tail -5 "$T/lttng.log")"
}
user=
[ "$(id -u)" -ne 0 ] || user="./prog/asuser 65534"
background $user env LTTNG_HOME="$T/home" HOME="$T/home" \
    lttng-sessiond --no-kernel >"$T/sessiond.log" 2>&1
until_ok lttng list || skip "lttng-sessiond: $(tail -1 "$T/sessiond.log")"

# session NAME [options of create]: channels and events come next.
session() {
	name=$1
	shift
	must create "$name" --output="$T/home/$name" "$@"
}
# app ARGUMENTS: what it says that it traced is in $T/calls.
app() {
	as_user env LTTNG_HOME="$T/home" HOME="$T/home" \
	    LTTNG_UST_REGISTER_TIMEOUT=-1 "$T/app" "$@" >>"$T/calls"
}
# reads WHAT: the session has ended; each event is there, and in order.
reads() {
	must stop
	must destroy
	T_CTF=$T/home/$name
	says "$1" <"$T/calls"
	: >"$T/calls"
}
: >"$T/calls"

session compact
must enable-event -u e:ints,e:text,e:arrays,e:enums,e:none
must start
app 30
reads 'compact headers'
[ "$(utctl view -j -e e:enums "$T_CTF" | pick level | sort -u)" = 4 ] ||
    fail "no level"

session large
must enable-event -u 'e:*'
must start
app 30 m
app 5
reads 'large headers'

session pids
must enable-channel -u --buffers-pid c
must enable-event -u -c c 'e:*'
must start
app 10 m
app 10
reads 'buffers of each process'

session rotated
must enable-event -u 'e:*'
must start
app 5
lttng rotate || echo 'no rotation'
app 5 m
reads rotation

session small
must enable-channel -u --subbuf-size=4096 --num-subbuf=64 c
must enable-event -u -c c 'e:*'
must start
app 200 m
reads 'small sub-buffers'

session killed
must enable-event -u 'e:*'
must start
app 20 m kill
reads 'a killed program'

# Contexts: whose it is, in front of the event; the rest in a block.
session contexts
must enable-channel -u c
must add-context -u -c c -t vpid -t vtid -t procname -t pthread_id
must enable-event -u -c c 'e:*'
must start
app 3
bt2=no
must stop
must destroy
T_CTF=$T/home/contexts
utctl view "$T_CTF" >"$T/out" || fail "contexts"
grep -c ' app\[[0-9]*:[0-9]*\] e:[a-z]* { pthread_id = [0-9]* }, {' "$T/out" \
    >"$T/n"
[ "$(cat "$T/n")" = 15 ] || fail "contexts: $(cat "$T/out")"
sed 's/{ pthread_id = [0-9]* }, //' "$T/out" | from_view >"$T/got"
expected contexts <"$T/calls"
: >"$T/calls"
bt2=

# Each snapshot has what is in memory then, each event once.
session snaps --snapshot
must enable-event -u 'e:*'
must start
app 3
must snapshot record
app 4
must snapshot record
reads 'snapshots'

# Losses: as many as babeltrace2 counts.
for mode in discard overwrite; do
	session $mode
	must enable-channel -u --$mode --subbuf-size=4096 --num-subbuf=2 c
	must enable-event -u -c c 'e:*'
	must start
	app 2000
	must stop
	must destroy
	: >"$T/calls"
	utctl view -jq "$T/home/$mode" >"$T/out" || fail "$mode"
	for what in events discarded lost_packets; do
		pick $what <"$T/out" >"$T/$what"
	done
	[ "$(($(cat "$T/events") + $(cat "$T/discarded")))" -eq 10000 ] ||
	    [ $mode = overwrite ] || fail "discard: $(cat "$T/out")"
	command -v babeltrace2 >/dev/null 2>&1 || continue
	babeltrace2 "$T/home/$mode" 2>"$T/bt2.err" | wc -l >"$T/n"
	[ "$(cat "$T/n")" -eq "$(cat "$T/events")" ] ||
	    fail "$mode: $(cat "$T/n") events, $(cat "$T/out")"
	awk '{
		for (i = 1; i < NF; i++)
			if ($i == "discarded")
				m[$(i + 2) ~ /packet/] += $(i + 1)
	}
	END { print m[0] + 0, m[1] + 0 }' "$T/bt2.err" >"$T/n"
	[ "$(cat "$T/n")" = "$(cat "$T/discarded") $(cat "$T/lost_packets")" ] ||
	    fail "$mode: $(cat "$T/n"), $(cat "$T/out")"
done

session empty
must enable-event -u 'e:*'
must start
must stop
must destroy
utctl view "$T/home/empty" >"$T/out" 2>"$T/err" || fail "empty"
[ ! -s "$T/out" ] || fail "empty: $(cat "$T/out")"
kill $LAST
wait $LAST
