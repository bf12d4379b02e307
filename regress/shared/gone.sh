# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces that lack packets.

. ./common.sh

# trace NAME: a trace of the packets on the standard input, as prog/rows.c reads
# them.  The field of an event is a thread and 65536 times the key.  If $user is
# set, the trace is a directory of that user's of one session.
user=
trace() {
	name=$1
	rm -rf "${T:?}/$name"
	mkdir "$T/$name" || exit 1
	cat >"$T/$name/metadata" <<-'END'
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
	stream {
		id = 0;
		packet.context := struct {
			ts timestamp_begin; ts timestamp_end;
			u64 content_size; u64 packet_size;
			u64 packet_seq_num; u64 events_discarded;
		};
		event.header := struct { u32 id; ts timestamp; };
		event.context := struct { u16 vtid; };
	};
	END
	[ -z "$user" ] || cat >>"$T/$name/metadata" <<-END
	env {
		tracer_buffering_id = $user;
		trace_creation_datetime = "20260101T000000+0000";
	};
	END
	id=0
	for event in p:x_begin p:x_end q:open q:close libc:malloc libc:free \
	    pthread:mutex_request pthread:mutex_acquired pthread:mutex_release
	do
		case $event in
		libc:*)		field=ptr ;;
		pthread:*)	field=lock ;;
		*)		field=k ;;
		esac
		echo "event { name = \"$event\"; id = $id; stream_id = 0;" \
		    "fields := struct { u16 $field; }; };"
		id=$((id + 1))
	done >>"$T/$name/metadata"
	(cd "$T/$name" && "$TOP/regress/prog/rows") || fail "$name: rows"
}

# Of the bars with an end, and of those without.
bars() {
	tr '}' '\n' | grep -c "\"ph\":\"$1\""
}
