# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A trace of programs that allocate, and of threads that are busier.

# heaps_trace DIR: program alpha has 1000 bytes and executes beta, and quiet has
# few events; again executes itself.  130 threads of many have pairs.
heaps_trace() {
	mkdir "$1" || fail "mkdir"
	python3 - "$1" <<'END' || fail "heaps"
import struct, sys
open(sys.argv[1] + "/metadata", "w").write("""/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 8; align = 8; encoding = UTF8; } := char;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; base = 16; } := ptr;
env { domain = "ust"; tracer_name = "libut"; architecture_bit_width = 64; };
trace { major = 1; minor = 8; byte_order = le;
	packet.header := struct { u32 magic; }; };
stream { packet.context := struct { u64 timestamp_begin; u64 timestamp_end;
	u64 content_size; u64 packet_size; u32 vpid; u32 vtid;
	char procname[8]; };
	event.header := struct { u64 timestamp; u32 id; }; };
event { name = "libc:malloc"; id = 0; fields := struct { u64 ptr; u64 size; }; };
event { name = "p:x_begin"; id = 1; fields := struct { u64 a; u64 b; }; };
event { name = "p:x_end"; id = 2; fields := struct { u64 a; u64 b; }; };
event { name = "q:one"; id = 3; fields := struct { u64 a; u64 b; }; };
event { name = "ut:module"; id = 4; fields := struct { ptr base; ptr start;
	u64 size; string path; u32 build_id_length;
	u8 build_id[build_id_length]; }; };
""")
def write(name, program, pid, tid, *events):
    body = b"".join(struct.pack("<QIQQ", *e) + (b"" if e[1] != 4 else
        struct.pack("<Q4sI", 100, b"/no", 0)) for e in events)
    bits = (52 + len(body)) * 8
    with open(sys.argv[1] + "/" + name, "ab") as f:
        f.write(struct.pack("<I4Q2I8s", 0xC1FC1FC1, events[0][0],
            events[-1][0], bits, bits, pid, tid, program) + body)
K = 1000
write("a", b"alpha", 1, 1, (100 * K, 0, 4096, 1000), (200 * K, 3, 0, 0))
write("a", b"beta", 1, 1, (300 * K, 0, 4096, 10), (1000 * K, 3, 0, 0))
write("b", b"quiet", 2, 2, (400 * K, 0, 4096, 500), (500 * K, 3, 0, 0))
write("c", b"again", 9, 9, (600 * K, 4, 4096, 4096), (610 * K, 0, 9, 700),
    (700 * K, 3, 0, 0), (800 * K, 4, 8192, 8192), (810 * K, 0, 9, 40),
    (900 * K, 3, 0, 0))
for i in range(130):
    write("m%d" % i, b"many", 3, 3 + i, (0, 1, 0, 0), (1100 * K, 2, 0, 0))
END
}
