# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Names of functions where many processes have many modules: more than are known
# at a time.  Those of processes without events are forgotten, and not those of
# new ones, nor of those that still have events.

. ./common.sh

mkdir "$T/trace" || exit 1
cat >"$T/trace/metadata" <<'END' || exit 1
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := ptr;
trace {
	major = 1; minor = 8; byte_order = le;
	packet.header := struct { u32 magic; u32 stream_id; };
};
env { domain = "ust"; tracer_name = "libut"; architecture_bit_width = 64; };
clock { name = c; freq = 1000000000; };
typealias integer {
	size = 64; align = 8; signed = false; map = clock.c.value;
} := ts;
stream {
	id = 0;
	packet.context := struct {
		ts timestamp_begin; ts timestamp_end;
		u64 content_size; u64 packet_size;
		u32 vpid; u32 vtid; string procname;
	};
	event.header := struct { u16 id; ts timestamp; };
};
event { name = "ut:module"; id = 0; stream_id = 0;
	fields := struct { ptr base; ptr start; u64 size; string path;
	    u32 build_id_length; u8 build_id[build_id_length]; }; };
event { name = "libc:malloc"; id = 1; stream_id = 0;
	fields := struct { ptr caller; string want; ptr ptr; u64 size; }; };
event { name = "app:call_begin"; id = 2; stream_id = 0;
	fields := struct { ptr caller; string want; }; };
event { name = "app:call_end"; id = 3; stream_id = 0; fields := struct { }; };
END
# processes N MODULES: so many, each with its modules, and CALLS in all.
processes() {
	rm -f "$T"/trace/c_*
	(cd "$T/trace" && "$TOP/regress/prog/manymodules" "$1" "$2") ||
	    fail "manymodules"
	CALLS=$((2 * ($1 + 8 * ($1 / 500))))
}

# named OPTION ...: view says of each caller what the trace says.
named() {
	utctl view "$@" -x 'ut:*' "$T/trace" >"$T/out" 2>"$T/err" &&
	    [ ! -s "$T/err" ] || fail "view $*: $(head -n 3 "$T/err")"
	sed -n 's/.*{ caller = \([^,]*\), want = "\([^"]*\)".*/\1 \2/p' \
	    "$T/out" | awk -v n=$CALLS '$1 == $2 { good++; next }
	    bad++ == 0 { first = $0 }
	    END { if (bad > 0 || good != n)
		print good + 0, "named, and", bad + 0, "not:", first }' \
	    >"$T/bad"
	[ ! -s "$T/bad" ] || fail "view $*: $(cat "$T/bad")"
}
processes 6000 100
named
processes 14000 40
named
# Where all processes are kept, with what is open in them.
named -i

utctl heap -j "$T/trace" >"$T/out" 2>"$T/err" && [ ! -s "$T/err" ] ||
    fail "heap: $(head -n 3 "$T/err")"
n=$(tr '{' '\n' <"$T/out" | grep -c '"caller":[0-9]*,"caller_sym":"lib')
callers=$(tr '{' '\n' <"$T/out" | grep -c '"caller":')
[ "$callers" -gt 14000 ] && [ "$n" -eq "$callers" ] ||
    fail "heap: $n of $callers callers have names"

# What is not known is told.
few=70 most=940
(cd "$T/trace" && rm -f c_* &&
    "$TOP/regress/prog/manymodules" $most $few own) || fail "manymodules"
utctl view -x 'ut:*' "$T/trace" >"$T/out" 2>"$T/err" || fail "view"
[ "$(cat "$T/err")" = "utctl: programs and libraries are more than 65536 files: \
addresses in the others have no names" ] || fail "files: $(cat "$T/err")"
n=$(grep -c 'caller = lib[0-9]*.so+' "$T/out")
all=$(grep -c 'caller = ' "$T/out")
[ "$n" -gt $((2 * (65536 / few - 1))) ] && [ "$n" -lt "$all" ] ||
    fail "$n of $all have names"
(cd "$T/trace" && rm -f c_* &&
    "$TOP/regress/prog/manymodules" 14000 4 quiet) || fail "manymodules"
utctl view -e app:call_begin "$T/trace" >"$T/out" 2>"$T/err" || fail "view"
[ "$(cat "$T/err")" = "utctl: many[1] and 7 others: modules are forgotten where \
thousands of processes come in between: no names of functions" ] ||
    fail "quiet: $(cat "$T/err")"
[ "$(grep -c 'caller = 0x' "$T/out")" -eq 8 ] || fail "$(tail -n 9 "$T/out")"
exit 0
