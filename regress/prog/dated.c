/*
 * Copyright (c) 2026 The libut authors
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
 * OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */

/*
 * Writes a trace, with what clocks said, of a machine whose clocks are made up
 * and whose events have their true dates.  In the directory of the argument; by
 * these lines of the standard input, of which the first three come first:
 *
 *	env HOST NAME CREATED
 *	clock NAME FREQ NS	the line of the metadata: its date at 0
 *	start BOOT MONO CYCLES HZ OFFSET FINAL
 *				what clocks say, in ns: OFFSET is that of
 *				realtime to boottime, FINAL that of the dates
 *	hz HZ			the counter's frequency from now on
 *	run NS EVENTS		time passes, with so many events, as one packet
 *	jump CYCLES		of the counter
 *	sleep NS		boottime goes on alone
 *	set NS			of realtime
 *	point			what the clocks say
 *	bad BYTE VALUE		in points from now on; VALUE -1: as it is
 *	watch			from now on a consumer looks at the clocks after
 *				each run, and writes points when they are due
 */

#include <err.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../utd/consumer/output/points.c"

static unsigned char packet[1 << 20];
static size_t len;
static int64_t boot, mono, offset, final, since;
static double hz, count;		/* of the counter, at since */
static int iscycles;
static unsigned char uuid[16];
static char env[3][64], clockname[16];
static uint64_t freq, lineoff;
static size_t badat;
static int badval = -1;
static int watched;

static const char head[] = "/* CTF 1.8 */\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n";
static const char tail[] =
    "stream {\n\tid = 4294967295;\n\tpacket.context := struct {\n"
    "\t\tuint64_monotonic_t timestamp_begin;\n"
    "\t\tuint64_monotonic_t timestamp_end;\n"
    "\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
    "\t\tuint64_t packet_seq_num;\n\t\tuint64_t cycles;\n"
    "\t\tuint64_t boottime;\n\t\tuint64_t realtime;\n"
    "\t\tint64_t ntp_offset;\n\t\tint64_t ntp_frequency;\n"
    "\t\tuint64_t ntp_maximum;\n\t\tuint64_t ntp_error;\n"
    "\t\tint32_t ntp_state;\n\t};\n};\n";

static FILE *
file(const char *name, const char *mode)
{
	FILE *f = fopen(name, mode);

	if (f == NULL)
		err(1, "%s", name);
	return f;
}

static void
put_clock(FILE *f, const char *name, uint64_t hertz, uint64_t s, uint64_t rest)
{
	fprintf(f, "clock {\n\tname = \"%s\";\n\tfreq = %" PRIu64 ";\n"
	    "\toffset_s = %" PRIu64 ";\n\toffset = %" PRIu64 ";\n"
	    "\tabsolute = TRUE;\n};\ntypealias integer { size = 64; align = 8; "
	    "signed = false; map = clock.%s.value; } := uint64_%s_t;\n", name,
	    hertz, s, rest, name, name);
}

static void
metadata(void)
{
	FILE *f = file("metadata", "w");
	int i;

	fprintf(f, "%strace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"", head);
	for (i = 0; i < 16; i++)
		fprintf(f, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ?
		    "-" : "", uuid[i]);
	fprintf(f, "\";\n\tbyte_order = le;\n\tpacket.header := struct {\n"
	    "\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n"
	    "\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n"
	    "\t};\n};\nenv {\n\thostname = \"%s\";\n\ttrace_name = \"%s\";\n"
	    "\ttrace_creation_datetime = \"%s\";\n"
	    "\ttracer_name = \"libut\";\n};\n", env[0], env[1], env[2]);
	if (iscycles)
		put_clock(f, "monotonic", 1000000000, (uint64_t)(boot + offset -
		    mono) / 1000000000, (uint64_t)(boot + offset - mono) %
		    1000000000);
	put_clock(f, clockname, freq, lineoff / 1000000000, (uint64_t)
	    ((double)(lineoff % 1000000000) * (double)freq / 1e9));
	fprintf(f, "stream {\n\tid = 0;\n\tevent.header := struct {\n"
	    "\t\tuint16_t id;\n\t\tuint64_%s_t timestamp;\n\t};\n"
	    "\tpacket.context := struct {\n"
	    "\t\tuint64_%s_t timestamp_begin;\n\t\tuint64_%s_t timestamp_end;\n"
	    "\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n\t};\n};\n"
	    "event {\n\tid = 0;\n\tname = \"d:e\";\n\tstream_id = 0;\n"
	    "\tfields := struct {\n\t\tuint64_t _true;\n\t};\n};\n%s",
	    clockname, clockname, clockname, tail);
	if (fclose(f) == EOF)
		err(1, "metadata");
}

static void
put(uint64_t v, size_t n)
{
	for (; n > 0; n--, v >>= 8)
		packet[len++] = (unsigned char)v;
}

static uint64_t
cycles(void)
{
	return (uint64_t)(count + (double)(boot - since) * (hz / 1e9));
}

static uint64_t
now(void)
{
	return iscycles ? cycles() : (uint64_t)mono;
}

/* The counter goes on from here in another way. */
static void
settle(void)
{
	count += (double)(boot - since) * (hz / 1e9);
	since = boot;
}

static void
put_header(uint32_t class)
{
	len = 0;
	put(0xc1fc1fc1, 4);
	memcpy(packet + len, uuid, sizeof(uuid));
	len += sizeof(uuid);
	put(class, 4);
	put(0, 8);
}

static void
packet_write(const char *name)
{
	FILE *f = file(name, "ab");

	if (fwrite(packet, len, 1, f) != 1 || fclose(f) == EOF)
		err(1, "%s", name);
}

/* What the clocks say, a tenth of a microsecond off at most. */
static struct instant
instant(void)
{
	const struct instant at = {
		cycles(), (uint64_t)mono, (uint64_t)boot,
		(uint64_t)(boot + offset), 100
	};

	return at;
}

static void
point(const struct instant *at)
{
	static uint64_t seq;

	put_header(UINT32_MAX);
	put(at->ns, 8);
	put(at->ns, 8);
	put(132 * 8, 8);
	put(132 * 8, 8);
	put(seq++, 8);
	put(at->cycles, 8);
	put(at->boot, 8);
	put(at->real, 8);
	put((uint64_t)-1500, 8);
	put(32768, 8);
	put(20000, 8);
	put(3000, 8);
	put(0, 4);
	if (badval >= 0)
		packet[badat] = (unsigned char)badval;
	packet_write("clock");
}

/* As a consumer does in clockfile.c. */
static void
watch(void)
{
	static struct points points;
	static struct instant seen;
	const struct instant at = instant();
	const enum points_due due = points_due(&points, &at);

	if (due == POINTS_BROKEN && seen.ns > points.last.ns) {
		point(&seen);
		points_add(&points, &seen);
	}
	if (due != POINTS_NOT) {
		point(&at);
		points_add(&points, &at);
	}
	seen = at;
}

static void
run(int64_t ns, int64_t events)
{
	const int64_t b = boot, m = mono;
	uint64_t begin = now();
	size_t sizes;
	int64_t i;

	put_header(0);
	put(begin, 8);
	sizes = len + 8;
	put(0, 8);
	put(0, 8);
	put(0, 8);
	for (i = 0; i < events; i++) {
		boot = b + ns / events * i;
		mono = m + ns / events * i;
		put(0, 2);
		put(now(), 8);
		put((uint64_t)(boot + final), 8);
	}
	i = (int64_t)len;
	len = sizes - 8;
	put(now(), 8);
	put((uint64_t)i * 8, 8);
	put((uint64_t)i * 8, 8);
	len = (size_t)i;
	if (events > 0)
		packet_write("c_0");
	boot = b + ns;
	mono = m + ns;
	if (watched)
		watch();
}

static void
line_do(const char *verb, const int64_t *v)
{
	const struct instant at = instant();

	if (strcmp(verb, "run") == 0)
		run(v[0], v[1]);
	else if (strcmp(verb, "point") == 0)
		point(&at);
	else if (strcmp(verb, "set") == 0)
		offset += v[0];
	else if (strcmp(verb, "watch") == 0)
		watched = 1;
	else if (strcmp(verb, "bad") == 0) {
		badat = (size_t)v[0];
		badval = (int)v[1];
	} else {
		settle();
		if (strcmp(verb, "hz") == 0)
			hz = (double)v[0];
		else if (strcmp(verb, "jump") == 0)
			count += (double)v[0];
		else if (strcmp(verb, "sleep") == 0)
			since = boot += v[0];
		else
			errx(1, "%s?", verb);
	}
}

int
main(int argc, char **argv)
{
	char line[256], verb[16];
	int64_t v[2], c, h;
	size_t i;

	if (argc != 2 || chdir(argv[1]) == -1)
		err(1, "directory");
	if (scanf("env %63s %63s %63s ", env[0], env[1], env[2]) != 3 ||
	    scanf("clock %15s %" SCNu64 " %" SCNu64 " ", clockname, &freq,
	    &lineoff) != 3 || scanf("start %" SCNd64 " %" SCNd64 " %" SCNd64
	    " %" SCNd64 " %" SCNd64 " %" SCNd64 " ", &boot, &mono, &c, &h,
	    &offset, &final) != 6)
		errx(1, "how does it begin?");
	count = (double)c;
	hz = (double)h;
	since = boot;
	iscycles = strcmp(clockname, "cycles") == 0;
	for (i = 0; argv[1][i] != '\0'; i++)
		uuid[i % 16] = (unsigned char)(31 * uuid[i % 16] + argv[1][i] +
		    (int)i);
	metadata();
	while (fgets(line, sizeof(line), stdin) != NULL) {
		v[0] = v[1] = 0;
		if (sscanf(line, "%15s %" SCNd64 " %" SCNd64, verb, &v[0],
		    &v[1]) > 0)
			line_do(verb, v);
	}
	return 0;
}
