# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces whose packets a test writes by itself: see prog/rows.c.

# trace NAME: a trace of the packets on the standard input.
trace() {
	name=$1
	mkdir "$T/$name" || exit 1
	cat >"$T/$name/metadata" <<-'END'
	/* CTF 1.8 */
	typealias integer { size = 32; align = 8; signed = false; } := u32;
	typealias integer { size = 64; align = 8; signed = false; } := u64;
	trace {
		major = 1; minor = 8; byte_order = le;
		packet.header := struct {
			u32 magic; u32 stream_id; u64 stream_instance_id;
		};
	};
	clock { name = c; freq = 1000000000; };
	typealias integer {
		size = 64; align = 8; signed = false; map = clock.c.value;
	} := ts;
	typealias integer {
		size = 48; align = 8; signed = false; map = clock.c.value;
	} := ts48;
	typealias integer { size = 16; align = 8; signed = false; } := u16;
	stream {
		id = 0;
		packet.context := struct {
			ts timestamp_begin; ts timestamp_end;
			u64 content_size; u64 packet_size;
			u64 packet_seq_num; u64 events_discarded;
		};
		event.header := struct { u32 id; ts timestamp; };
	};
	event { name = "p:begin"; id = 0; stream_id = 0;
		fields := struct { u32 k; }; };
	event { name = "p:end"; id = 1; stream_id = 0;
		fields := struct { u32 k; }; };
	END
	(cd "$T/$name" && "$TOP/regress/prog/rows") || fail "$name: rows"
}
