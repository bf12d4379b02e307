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

# packets WHAT [TIMES]: the packets of some streams, drawn at random, or so many
# times as many.
packets() {
	awk -v what="$1" -v times="${2:-1}" -v seed="$SEED" '
	function draw(n) {
		return int(rand() * n)
	}
	function event(at) {
		line = line " " (draw(5) == 0) " " at " " draw(50)
	}
	# A packet with so many events, from that time on.
	function packet(f, from, n,    i, at, end) {
		line = ""
		at = from
		for (i = 0; i < n; i++) {
			if (i > 0)
				at += step > 0 ? draw(step + 1) : 0
			if (what == "backwards" && draw(40) == 0 && at > 30)
				at -= draw(30)
			event(at)
		}
		end = at
		if (what == "late" && draw(4) == 0)
			end += draw(40)
		if (what == "lies" && draw(10) == 0 && at > from)
			end = from + draw(at - from)
		if (what == "losses" && draw(6) == 0)
			discarded[f] += draw(9)
		if (what == "losses" && draw(9) == 0)
			seq[f] += draw(4)
		print "c_" f, f, from, end, seq[f]++, discarded[f] + 0 line
		now[f] = at
	}
	BEGIN {
		srand(seed)
		streams = what == "one" ? 1 : what == "many" ? 40 : 3
		npackets = what == "small" ? 2000 : what == "many" ? 8 : 60
		npackets *= times
		most = what == "small" ? 2 : what == "one" ? 70 : 40
		step = what == "equal" ? 0 : 3
		for (f = 0; f < streams; f++)
			now[f] = 100 + draw(20)
		for (i = 0; i < npackets; i++)
			for (f = 0; f < streams; f++) {
				if (what == "equal" && draw(3) == 0)
					now[f]++
				else if (what == "overlap" && draw(5) == 0)
					now[f] -= draw(50)
				else if (what != "equal" && draw(9) == 0)
					now[f] += draw(200)
				if (what == "gone" && i < 5 * f)
					seq[f]++
				else
					packet(f, now[f], draw(most))
			}
		if (what == "huge")
			packet(0, 130, 30000)
	}'
}
