# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces with call stacks, written by hand, and recounts of them.

ST=$T/stacks
mkdir "$ST" || exit 1

# stack_event NAME ID FIELDS: an event of both streams.
stack_event() {
	for stream in 2 3; do
		echo "event { name = \"$1\"; id = $2; stream_id = $stream;"
		echo "fields := struct { $3 }; };"
	done
}

stack_metadata() {
	u="integer { size = 64; align = 8; signed = false; }"
	x="integer { size = 64; align = 8; signed = false; base = 16; }"
	i="integer { size = 32; align = 8; signed = true; }"
	n="integer { size = 32; align = 8; signed = false; }"
	b="integer { size = 8; align = 8; signed = false; }"
	head="event.header := struct { $b id; $u timestamp; };
	    packet.context := struct { $u timestamp_begin; $u timestamp_end;
	    $u content_size; $u packet_size;"
	cat <<-END
	/* CTF 1.8 */
	trace { major = 1; minor = 8; byte_order = le;
	    packet.header := struct { $n magic; $n stream_id; }; };
	env { domain = "ust"; tracer_name = "libut"; };
	clock { name = c; freq = 1000000000; };
	stream { id = 2; $head $i _vpid; $i _vtid; };
	    event.context := struct { $x stack; }; };
	stream { id = 3; $head };
	    event.context := struct { $i _vpid; $i _vtid; $x stack; }; };
	END
	stack_event ut:stack 1 "$b _keep; enum : $b { done, depth, cut } _end;
	    $n __frames_length; $x _frames[__frames_length];"
	stack_event libc:malloc 2 "$u _size; $x _ptr; $x _caller;"
	stack_event libc:free 3 "$x _ptr; $x _caller;"
	stack_event cpu:sample 4 ""
	stack_event e:v 5 "$u _n;"
	stack_event ut:module 6 "$x _base; $x _start; $u _size; string _path;
	    $n __id_length; $b _build_id[__id_length];"
	stack_event e:lock_begin 7 "$u _n;"
	stack_event e:lock_end 8 "$u _n;"
	stack_event pthread:mutex_request 9 "$x _lock; $x _caller;"
	stack_event pthread:mutex_acquired 10 "$x _lock; $x _caller;"
	stack_event pthread:mutex_release 11 "$x _lock; $x _caller;"
}

# stacks: the trace in $ST, of the lines on stdin:
#
#	packet PID TID, shared	a packet of a thread, or of several
#	who PID TID		the next events of a shared packet
#	at NS			the time of the next event; else 1 us later
#	def ID KEEP END FRAME ...
#	malloc ID SIZE PTR, free ID PTR, sample ID, v ID N
#	begin ID N, end ID N	a pair, e:lock
#	request ID LOCK, acquired ID LOCK, release ID LOCK
#	module BASE SIZE PATH [BYTE ...]
stacks() {
	rm -f "$ST"/* "$T/thread.bits" "$T/shared.bits"
	stack_metadata >"$ST/metadata"
	awk -v dir="$T/" '
	function put(bits, v) { print bits, v >f }
	function event(id, stack) {
		now += 1000
		put(8, id); put(64, now - 1000)
		if (shared) { put(32, pid); put(32, tid) }
		put(64, stack)
	}
	function packet() {
		if (f != "") {
			print "end" >f
			now = last + 1000000
		}
		last = now
		shared = $1 == "shared"
		f = dir (shared ? "shared.bits" : "thread.bits")
		put(32, "0xc1fc1fc1"); put(32, 2 + shared)
		put(64, now); put(64, now + 1000000)
		print "content 64" >f; print "size 64" >f
	}
	BEGIN { now = 1000 }
	$1 == "at" { now = $2 }
	$1 == "packet" { packet(); put(32, $2); put(32, $3) }
	$1 == "shared" { packet() }
	$1 == "who" { pid = $2; tid = $3 }
	$1 == "def" {
		event(1, $2); put(8, $3); put(8, $4); put(32, NF - 4)
		for (i = 5; i <= NF; i++)
			put(64, $i)
	}
	$1 == "malloc" {
		event(2, $2); put(64, $3); put(64, $4); put(64, "0xca")
	}
	$1 == "free" { event(3, $2); put(64, $3); put(64, "0xfe") }
	$1 == "sample" { event(4, $2) }
	$1 == "v" { event(5, $2); put(64, $3) }
	$1 == "begin" { event(7, $2); put(64, $3) }
	$1 == "end" { event(8, $2); put(64, $3) }
	$1 == "request" { event(9, $2); put(64, $3); put(64, "0xca") }
	$1 == "acquired" { event(10, $2); put(64, $3); put(64, "0xca") }
	$1 == "release" { event(11, $2); put(64, $3); put(64, "0xca") }
	$1 == "module" {
		event(6, 0); put(64, $2); put(64, $2); put(64, $3)
		put("s", $4); put(32, NF - 4)
		for (i = 5; i <= NF; i++)
			put(8, $i)
	}
	END { if (f != "") print "end" >f }'
	for f in thread shared; do
		[ ! -e "$T/$f.bits" ] || ./prog/bits le <"$T/$f.bits" \
		    >"$ST/$f" || fail "bits"
	done
}
