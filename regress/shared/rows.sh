# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces whose packets a test writes by itself: see prog/rows.c.

# rows_metadata [MORE]: their metadata but for the events, with more in the stream.
rows_metadata() {
	cat <<-END
	/* CTF 1.8 */
	typealias integer { size = 16; align = 8; signed = false; } := u16;
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
	stream {
		id = 0;
		packet.context := struct {
			ts timestamp_begin; ts timestamp_end;
			u64 content_size; u64 packet_size;
			u64 packet_seq_num; u64 events_discarded;
		};
		event.header := struct { u32 id; ts timestamp; };
		${1-}
	};
	END
}

# rows NAME: the packets on the standard input, as prog/rows.c reads them.
rows() {
	(cd "$T/$1" && "$TOP/regress/prog/rows") || fail "$1: rows"
}

# trace NAME: a trace of the packets on the standard input.
trace() {
	name=$1
	mkdir "$T/$name" || exit 1
	{
		rows_metadata
		cat <<-'END'
		event { name = "p:begin"; id = 0; stream_id = 0;
			fields := struct { u32 k; }; };
		event { name = "p:end"; id = 1; stream_id = 0;
			fields := struct { u32 k; }; };
		END
	} >"$T/$name/metadata"
	rows "$name"
}
