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
 * Writes stream files of a trace of many processes, each of which has many
 * modules:
 *
 *	manymodules PROCESSES MODULES [own|quiet]
 *
 * Some processes were there before all others, and have events until the end;
 * each of the others has one packet.  The events are those of modules, and
 * malloc and app:call_begin, which say what the name of their caller is, and
 * app:call_end.  With `own', no two processes have a file of one name; with
 * `quiet', the first ones have no event in between, but one at the end.
 * t/manymodules.sh has the metadata.
 */

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG	8	/* processes that are there all the time */
#define OFTEN	500	/* processes between two packets of these */
#define HEAD	40	/* bytes before the ID of the process */

static unsigned char packet[65536];
static size_t len;
static uint64_t now, nmodules;
static int own, quiet;

static void
put(uint64_t v, size_t n)
{
	for (; n > 0; n--, v >>= 8)
		packet[len++] = (unsigned char)v;
}

static void
put_text(const char *s)
{
	const size_t n = strlen(s) + 1;

	memcpy(&packet[len], s, n);
	len += n;
}

static void
event(unsigned int id)
{
	put(id, 2);
	put(now++, 8);
}

/* Modules lie elsewhere in each process. */
static uint64_t
base_of(uint64_t pid, uint64_t module)
{
	return (pid << 28) + (module << 16);
}

/* What the name of the file has. */
static unsigned int
number(uint64_t pid, uint64_t module)
{
	return (unsigned int)(own ? pid * nmodules + module : module);
}

static void
modules(uint64_t pid)
{
	char path[32];
	uint64_t i;

	for (i = 0; i < nmodules; i++) {
		event(0);
		put(base_of(pid, i), 8);
		put(base_of(pid, i) + 0x1000, 8);
		put(0x8000, 8);
		snprintf(path, sizeof(path), "/nowhere/lib%u.so",
		    number(pid, i));
		put_text(path);
		put(0, 4);
	}
}

static void
calls(uint64_t pid)
{
	const uint64_t module = now % nmodules, offset = 0x1001 + now % 0x1000;
	char name[32];
	unsigned int id;

	snprintf(name, sizeof(name), "lib%u.so+0x%x", number(pid, module),
	    (unsigned int)offset);
	for (id = 1; id <= 3; id++) {
		event(id);
		if (id == 3)
			break;
		put(base_of(pid, module) + offset, 8);
		put_text(name);
		if (id == 1) {
			put(0x10000 + now * 16, 8);
			put(100, 8);
		}
	}
}

static void
write_packet(FILE *f, uint64_t pid, int is_first)
{
	const uint64_t begin = now++;
	size_t n;

	len = HEAD;
	put(pid, 4);
	put(pid, 4);
	put_text("many");
	if (is_first)
		modules(pid);
	calls(pid);
	n = len;
	len = 0;
	put(0xc1fc1fc1, 4);
	put(0, 4);
	put(begin, 8);
	put(now++, 8);
	put(n * 8, 8);
	put(n * 8, 8);
	if (fwrite(packet, n, 1, f) != 1)
		err(1, "write");
}

int
main(int argc, char **argv)
{
	FILE *f[LONG + 1];
	char name[16];
	uint64_t n, i, pid;

	if (argc != 3 && argc != 4)
		errx(1, "usage: manymodules processes modules [own|quiet]");
	own = argc == 4 && strcmp(argv[3], "own") == 0;
	quiet = argc == 4 && strcmp(argv[3], "quiet") == 0;
	n = strtoull(argv[1], NULL, 10);
	nmodules = strtoull(argv[2], NULL, 10);
	for (i = 0; i <= LONG; i++) {
		snprintf(name, sizeof(name), "c_%u", (unsigned int)i);
		if ((f[i] = fopen(name, "wb")) == NULL)
			err(1, "%s", name);
	}
	for (pid = 1; pid <= n; pid++) {
		write_packet(f[pid <= LONG ? pid : 0], pid, 1);
		if (quiet ? pid < n : pid % OFTEN != 0)
			continue;
		for (i = 0; i < LONG; i++)
			write_packet(f[i + 1], i + 1, 0);
	}
	for (i = 0; i <= LONG; i++)
		if (fclose(f[i]) == EOF)
			err(1, "close");
	return 0;
}
