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
 * Reads the streams of a channel with the context stack and no other, where
 * stacked has recorded: prints how many events there are, how many definitions,
 * how many stacks that an earlier packet of the file has defined, or, to their
 * inner part, the packet itself, how many that nothing has, and how many that
 * are cut, and so shorter than the field.  A stack that
 * is not that of the event's field, but for the innermost frame, is an error;
 * -d says to what depth.
 */

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD		32		/* bytes, of the packet header */
#define MOST		128		/* frames of a stack */
#define KNOWN		65536		/* stacks of a file */

struct stack {
	uint64_t	 id;
	unsigned long	 packet;	/* the last one that defined it */
	uint32_t	 pid;
	uint32_t	 n;
	uint8_t		 end;
	uint64_t	 frames[MOST];	/* the innermost first */
};

static struct stack known[KNOWN];
static struct stack last;		/* n is 0: there is none */
static unsigned long packet, events, defined, late, lacking, cut;
static unsigned int depth = 32;
static const unsigned char *at, *end;
static uint32_t pid;
static int shared;

static void
take(void *to, size_t n)
{
	if ((size_t)(end - at) < n)
		errx(1, "packet %lu: cut short", packet);
	memcpy(to, at, n);
	at += n;
}

static void
skip_name(void)
{
	char c;

	do
		take(&c, 1);
	while (c != '\0');
}

static struct stack *
find(uint64_t id)
{
	struct stack *s = &known[id % KNOWN];

	while (s->id != 0 && (s->id != id || s->pid != pid))
		if (++s == known + KNOWN)
			s = known;
	return s;
}

static void
define(uint64_t id)
{
	uint8_t keep, why;
	uint32_t n;

	take(&keep, 1);
	take(&why, 1);
	take(&n, sizeof(n));
	if (why > 2 || n + keep > MOST || n + keep == 0 ||
	    (shared && keep != 0))
		errx(1, "packet %lu: keep %u, end %u, %u frames", packet, keep,
		    why, n);
	defined++;
	if (keep > last.n) {		/* of a definition before the packet */
		late++;
		last.n = 0;
		at += n * sizeof(uint64_t);
		return;
	}
	memmove(last.frames + n, last.frames + last.n - keep,
	    keep * sizeof(*last.frames));
	take(last.frames, n * sizeof(*last.frames));
	last.id = id;
	last.n = n + keep;
	last.end = why;
	last.packet = packet;
	last.pid = pid;
	*find(id) = last;
}

static void
check(uint64_t id)
{
	uint64_t frames[256];
	const struct stack *s = find(id);
	uint32_t n, i;
	int32_t number;

	take(&number, sizeof(number));
	take(&n, sizeof(n));
	if (n > 256)
		errx(1, "packet %lu: %u frames", packet, n);
	take(frames, n * sizeof(*frames));
	events++;
	if (id == 0 || s->id == 0) {
		lacking++;
		return;
	}
	late += s->packet != packet;
	if (shared && (last.id != id || last.pid != pid))
		errx(1, "packet %lu: not defined before the event", packet);
	if (n == 0)
		return;			/* there is no backtrace(3) */
	cut += s->end == 2;
	if (s->end == 2 && s->n < n)
		n = s->n;
	else if (n != depth && s->end != (n > depth))
		errx(1, "packet %lu: end %u of %u frames", packet, s->end, n);
	if (s->n != (n < depth ? n : depth))
		errx(1, "packet %lu: %u frames, not %u", packet, s->n, n);
	for (i = 1; i < s->n; i++)
		if (frames[i] != s->frames[i])
			errx(1, "packet %lu: frame %u is %llx, not %llx",
			    packet, i, (unsigned long long)s->frames[i],
			    (unsigned long long)frames[i]);
}

static void
event(void)
{
	uint64_t id;
	uint16_t type;
	uint32_t time, tid;

	take(&type, sizeof(type));
	take(&time, sizeof(time));
	if (shared) {
		take(&pid, sizeof(pid));
		take(&tid, sizeof(tid));
		skip_name();
	}
	take(&id, sizeof(id));
	if (type == 1)
		define(id);
	else
		check(id);
}

/* A packet of that many bytes. */
static void
read_packet(const unsigned char *p, uint64_t size)
{
	uint32_t stream;
	uint64_t bits;

	memcpy(&stream, p + 20, sizeof(stream));
	memcpy(&bits, p + HEAD + 16, sizeof(bits));
	packet++;
	last.n = 0;
	shared = stream & 1;
	end = p + bits / 8;
	at = p + HEAD + 48;
	if (bits / 8 > size)
		errx(1, "packet %lu: too long", packet);
	if (!shared) {
		take(&pid, sizeof(pid));
		at += 4;
		skip_name();
		skip_name();
	}
	while (at < end)
		event();
}

static void
read_file(const char *name)
{
	static unsigned char buf[64 << 20];
	FILE *f = fopen(name, "rb");
	uint64_t size;
	size_t i, n;

	if (f == NULL)
		err(1, "%s", name);
	n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	memset(known, 0, sizeof(known));
	for (i = 0; i + 80 <= n; i += (size_t)size) {
		memcpy(&size, buf + i + HEAD + 24, sizeof(size));
		size /= 8;
		if (size < 80 || size > n - i)
			errx(1, "%s: no packet at byte %zu", name, i);
		read_packet(buf + i, size);
	}
}

int
main(int argc, char *argv[])
{
	int c;

	while ((c = getopt(argc, argv, "d:")) != -1)
		depth = (unsigned int)atoi(optarg);
	for (argv += optind; *argv != NULL; argv++)
		read_file(*argv);
	printf("%lu events %lu definitions %lu late %lu lacking "
	    "%lu cut\n", events, defined, late, lacking, cut);
	return 0;
}
