# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A trace of the kind that is asked for, its packets and events by chance:
#
#	cut.py DIR SEED KIND
#
# le, be: byte order; bits: nothing is aligned, and nothing is a whole number of
# bytes; wide: events are aligned less than what is in them, and variants less
# than what they may be; lttng: its compact headers; short: 12 bits of time;
# bare: one packet is the file; counters: the counts of packets have odd sizes;
# late: as le, but the first packet tells of losses; untimed: packets have no
# times; chunks: traces of one UUID, as LTTng rotates, whose counts go on.

import os, random, sys

dir, seed, kind = sys.argv[1:4]
rnd = random.Random(seed)
big = kind in ("be", "bits", "wide")
whole = kind != "bits"
timebits = {"short": 12, "bits": 29}.get(kind, 40 if kind == "le" else 64)
uuid = "12345678-1234-1234-1234-%012x" % rnd.randrange(1 << 48)


class Packet:
	def __init__(self):
		self.bits = []

	def put(self, v, n, align=1):
		if whole:
			align = max(align, 8)
		self.bits += [0] * (-len(self.bits) % align)
		two = [v >> i & 1 for i in range(n)]
		if not big:
			self.bits += two
		else:
			self.bits += two[::-1]

	def bytes(self):
		b = self.bits + [0] * (-len(self.bits) % 8)
		return bytes(sum(x << (7 - i if big else i) for i, x in
		    enumerate(b[at:at + 8])) for at in range(0, len(b), 8))


def integer(n, align=1, more=""):
	if whole:
		align = max(align, 8)
	return "integer { size = %d; align = %d; %s }" % (n, align, more)


counts = {"counters": (16, 24), "bits": (13, 21)}.get(kind, (64, 64))
clock = "map = clock.c.value;"
head = [("magic", 32), ("stream_id", 8), ("stream_instance_id", 16)]
context = [("timestamp_begin", 64), ("timestamp_end", 64),
    ("content_size", 32), ("packet_size", 40), ("vpid", 32), ("vtid", 32),
    ("procname", 0), ("packet_seq_num", counts[0]),
    ("events_discarded", counts[1])][2 if kind == "untimed" else 0:]
wide, half, quarter = (64, 32, 16) if kind == "wide" else (1, 1, 1)
idbits = 5 if kind == "bits" else 8
if kind == "wide":
	id = """enum : %s { near = 0 ... 8, far = 9 } id;
		variant <id> {
			struct { %s timestamp; } near;
			struct { %s id; %s timestamp; } far;
		} v;""" % (integer(8), integer(24, 8, clock), integer(8),
	    integer(64, 64, clock))
elif kind == "lttng":
	id = """enum : integer { size = 5; align = 1; } { compact = 0 ... 30,
		    extended = 31 } id;
		variant <id> {
			struct { integer { size = 27; align = 1; %s }
			    timestamp; } compact;
			struct { %s id; %s timestamp; } extended;
		} v;""" % (clock, integer(32), integer(64, 8, clock))
else:
	id = "%s id; %s timestamp;" % (integer(idbits),
	    integer(timebits, 1, clock))


def struct(members):
	return "struct { %s }" % " ".join("%s %s;" % (integer(n, 1, clock if
	    "timestamp" in name else "") if n > 0 else "string", name)
	    for name, n in members)


def metadata():
	sizes = "" if kind == "bare" else """
	packet.context := %s;""" % struct(context)
	return """/* CTF 1.8 */
trace {
	major = 1; minor = 8; byte_order = %s; uuid = "%s";
	packet.header := %s;
};
clock { name = c; freq = 1000000000; offset_s = 1700000000; };
stream {
	id = 3;
	event.header := struct { %s }%s;%s
	event.context := struct { %s who; };
};
event { name = "one:a"; id = 1; stream_id = 3;
	fields := struct { %s k; };
};
event { name = "one:b"; id = 2; stream_id = 3;
	fields := struct { %s k; string s; %s v; };
};
event { name = "two:c"; id = 9; stream_id = 3;
	fields := struct { %s k; %s len; %s list[len]; };
};
""" % ("be" if big else "le", uuid, struct(head), id,
	    " align(8)" if kind == "lttng" else "", sizes, integer(16, quarter),
	    integer(4 if kind == "bits" else 8), integer(8), integer(64, wide),
	    integer(8), integer(3 if kind == "bits" else 8),
	    integer(11 if kind == "bits" else 32, half))


def header(p, ev, t):
	if kind == "lttng" and t - header.last < 1 << 27:
		p.put(ev | (t & (1 << 27) - 1) << 5, 32)
	elif kind == "lttng":
		p.put(31, 5)
		p.put(ev, 32)
		p.put(t, 64)
	elif kind != "wide":
		p.put(ev, idbits)
		p.put(t, timebits)
	elif ev < 9 and t - header.last < 1 << 24:
		p.put(ev, 8)
		p.put(t & (1 << 24) - 1, 24)
	else:
		p.put(9, 8)
		p.put(0, 0, 64)
		p.put(ev, 8)
		p.put(t, 64, 64)
	header.last = t


def event(p, t):
	ev = rnd.choice((1, 1, 2, 9))
	header(p, ev, t if timebits == 64 else t & (1 << timebits) - 1)
	p.put(rnd.randrange(65536), 16, quarter)
	p.put(0, 0, {1: 1, 2: max(wide, 8), 9: half}[ev])
	p.put(rnd.randrange(4), 4 if kind == "bits" and ev == 1 else 8)
	if ev == 2:
		p.put(0, 0, 8)
		for c in b"hello"[:rnd.randrange(6)] + b"\0":
			p.put(c, 8)
		p.put(rnd.randrange(1 << 64), 64, wide)
	elif ev == 9:
		n = rnd.randrange(5)
		p.put(n, 3 if kind == "bits" else 8)
		p.put(0, 0, half)
		for i in range(n):
			p.put(rnd.randrange(2048), 11 if kind == "bits" else 32,
			    half)


def packet(instance, begin, seq, discarded, nevents, lasts):
	p = Packet()
	for v, (name, n) in zip((0xc1fc1fc1, 3, instance), head):
		p.put(v, n)
	at, t = {}, begin
	if kind != "bare":
		p.put(0, 0, 8)
	for name, n in context if kind != "bare" else []:
		at[name] = len(p.bits)
		for c in b"prog%d\0" % instance if n == 0 else b"":
			p.put(c, 8, 8)
		p.put({"timestamp_begin": begin, "packet_seq_num": seq,
		    "events_discarded": discarded, "vpid": 100 + instance,
		    "vtid": 200 + seq % 2}.get(name, 0), n)
	header.last = begin
	for i in range(nevents):
		step = 4000 if timebits == 12 else 200000000 if kind == \
		    "lttng" else 20000000
		t += rnd.randrange(step)
		event(p, t)
	t += rnd.randrange(100) if lasts else 0
	content = len(p.bits)
	body = Packet()
	body.bits = p.bits + [0] * (-content % 8 + 8 * rnd.randrange(9))
	if kind == "bare":
		body.bits = p.bits
	for name, v in (("content_size", content), ("timestamp_end", t),
	    ("packet_size", len(body.bits))):
		if name in at:
			put = Packet()
			put.put(v, dict(context)[name])
			body.bits[at[name]:at[name] + len(put.bits)] = put.bits
	return body.bytes(), t


# Streams of two files each, whose counts go on.
def directory(file):
	return os.path.join(dir, "sub%d" % file if kind == "chunks" else "sub")


for file in range(2 if kind == "chunks" else 1):
	os.makedirs(directory(file))
	with open(os.path.join(directory(file), "metadata"), "w") as f:
		f.write(metadata())
for instance in range(3):
	seq, discarded, t = instance, 0, rnd.randrange(1 << 20)
	if kind == "late":
		discarded = 7
	for file in range(1 if kind in ("bare", "untimed") else 2):
		data = b""
		for i in range(1 if kind == "bare" else 9):
			first = kind == "chunks" and i == 0
			b, t = packet(instance, t, seq, discarded, 0 if first
			    else rnd.choice((0, 1, 5, 30)) or kind == "bare",
			    not first)
			data += b
			t += rnd.choice((9, 1000000) if kind == "chunks" else
			    (0, 3, 1000000))
			seq += rnd.choice((1, 1, 1, 3))
			discarded += rnd.choice((0, 0, 11))
		name = "s_%d_%d" % (instance, file)
		with open(os.path.join(directory(file), name), "wb") as f:
			f.write(data)
