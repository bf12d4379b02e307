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
 * Writes a trace that is hard to sum up, into a directory that is there:
 *
 *	wide DIR EVENTS NAMES LENGTH FILL THREADS LOCKS
 *
 * There are so many names of events, each made so long by that character, half
 * of them beginnings of pairs and half ends.  Threads nest them at random, for
 * 1 ns to some hours, and now and then take one of the locks, which another
 * thread may have.
 */

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEP	24
#define PACKET	50000		/* events */
#define EVENT	22		/* bytes */
#define HEAD	16

static unsigned char packet[HEAD + PACKET * EVENT];
static size_t len = HEAD;
static FILE *out;
static uint64_t now = 1, seed = 88172645463325252;
static struct thread {
	unsigned int	 deep, open[DEEP], lock, step;
} *threads;
static unsigned int *taken, npairs, nthreads, nlocks;

/* xorshift64 */
static unsigned int
draw(unsigned int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned int)(seed >> 32) % n;
}

static void
put(uint64_t v, size_t n)
{
	for (; n > 0; n--, v >>= 8)
		packet[len++] = (unsigned char)v;
}

static void
flush(void)
{
	const size_t n = len;

	len = 0;
	put(n * 8, 8);
	put(n * 8, 8);
	if (fwrite(packet, n, 1, out) != 1)
		err(1, "fwrite");
}

static void
event(unsigned int id, unsigned int thread, unsigned int field)
{
	if (len == sizeof(packet))
		flush();
	now += 1 + draw(1U << draw(31));
	put(id, 2);
	put(now, 8);
	put(1, 4);
	put(thread + 1, 4);
	put(field, 4);
}

static void
metadata(const char *dir, size_t length, int c)
{
	char path[4096], fill[256] = "";
	unsigned int i;
	FILE *f;

	if (length < 12 || length > sizeof(fill))
		errx(1, "names of 12 to %zu bytes", sizeof(fill));
	memset(fill, c, length - 12);
	snprintf(path, sizeof(path), "%s/metadata", dir);
	if ((f = fopen(path, "w")) == NULL)
		err(1, "%s", path);
	fprintf(f, "/* CTF 1.8 */\n");
	for (i = 16; i <= 64; i *= 2)
		fprintf(f, "typealias integer { size = %u; align = 8; "
		    "signed = false; } := u%u;\n", i, i);
	fprintf(f, "trace { major = 1; minor = 8; byte_order = le; };\n"
	    "clock { name = c; freq = 1000000000; };\n"
	    "stream { packet.context := struct { u64 content_size; "
	    "u64 packet_size; };\n"
	    "event.header := struct { u16 id; integer { size = 64; align = 8; "
	    "signed = false; map = clock.c.value; } timestamp; };\n"
	    "event.context := struct { u32 vpid; u32 vtid; }; };\n");
	for (i = 0; i < 2 * npairs; i++)
		fprintf(f, "event { name = \"w:%s%04u_%s\"; id = %u; "
		    "fields := struct { u32 k; }; };\n", fill, i / 2,
		    i % 2 == 0 ? "begin" : "end", i);
	for (i = 0; i < 3; i++)
		fprintf(f, "event { name = \"pthread:mutex_%s\"; id = %u; "
		    "fields := struct { u32 lock; }; };\n",
		    i == 0 ? "request" : i == 1 ? "acquired" : "release",
		    2 * npairs + i);
	if (fclose(f) != 0)
		err(1, "%s", path);
	snprintf(path, sizeof(path), "%s/stream", dir);
	if ((out = fopen(path, "w")) == NULL)
		err(1, "%s", path);
}

/* The next step of a thread that waits for a lock, or holds one. */
static void
lock_step(struct thread *t, unsigned int i)
{
	if (t->step == 1) {
		if (taken[t->lock])
			return;
		taken[t->lock] = 1;
	} else if (t->step == 2)
		taken[t->lock] = 0;
	else
		t->lock = draw(nlocks);
	event(2 * npairs + t->step, i, 64 * (t->lock + 1));
	t->step = (t->step + 1) % 3;
}

static void
pair_step(struct thread *t, unsigned int i)
{
	if (t->deep > 0 && draw(DEEP) < t->deep) {
		event(2 * t->open[--t->deep] + 1, i, draw(1000000));
		return;
	}
	t->open[t->deep] = draw(npairs);
	event(2 * t->open[t->deep++], i, draw(1000000));
}

int
main(int argc, char **argv)
{
	unsigned long n, nevents;
	unsigned int i;

	if (argc != 8)
		errx(1, "usage: wide dir events names length fill "
		    "threads locks");
	nevents = strtoul(argv[2], NULL, 10);
	npairs = (unsigned int)atoi(argv[3]) / 2;
	nthreads = (unsigned int)atoi(argv[6]);
	nlocks = (unsigned int)atoi(argv[7]);
	threads = calloc(nthreads, sizeof(*threads));
	taken = calloc(nlocks + 1, sizeof(*taken));
	if (threads == NULL || taken == NULL)
		err(1, NULL);
	metadata(argv[1], (size_t)atoi(argv[4]), argv[5][0]);
	for (n = 0; n < nevents; n++) {
		i = draw(nthreads);
		if (nlocks > 0 && (threads[i].step > 0 || draw(4) == 0))
			lock_step(&threads[i], i);
		else
			pair_step(&threads[i], i);
	}
	flush();
	if (fclose(out) != 0)
		err(1, "stream");
	return 0;
}
