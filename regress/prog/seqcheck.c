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
 * Reads what utctl view or babeltrace2 print of events like seq's and checks
 * that each writer's come in order, whole, and none twice.  Prints
 *
 *	events WRITERS MISSING
 *
 * where MISSING counts the gaps before the last event of each writer.  With
 * files of progress (seq's), also that no call that returned is missing,
 * and that there is no more than one whose call did not return; or with -s,
 * if it went on after the files were copied, only the former.  A second file
 * is what had returned when the session began: from there on, all is there.
 *
 *	seqcheck [-s] [writer:file[:file] ...]
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXTHREADS	1024
#define MAXWRITERS	(4096 * MAXTHREADS)

static uint64_t *last;
static uint64_t *before;	/* what need not be there */
static int went_on;

static uint64_t
value(const char *line, const char *key)
{
	const char *p;

	if ((p = strstr(line, key)) == NULL)
		errx(1, "no %s in: %s", key, line);
	return strtoull(p + strlen(key), NULL, 10);
}

/* One that is not there or not whole is of a writer that has not begun. */
static void
read_progress(const char *file, size_t len, uint64_t *done)
{
	char path[4096];
	FILE *fp;

	memset(done, 0, MAXTHREADS * sizeof(*done));
	snprintf(path, sizeof(path), "%.*s", (int)len, file);
	if ((fp = fopen(path, "r")) == NULL)
		return;
	if (fread(done, sizeof(*done), MAXTHREADS, fp) != MAXTHREADS)
		memset(done, 0, MAXTHREADS * sizeof(*done));
	fclose(fp);
}

/*
 * When the session had begun: the call after the last that had returned may
 * have begun before that.
 */
static void
read_before(const char *arg)
{
	const char *file = strchr(arg, ':');
	uint64_t w = strtoull(arg, NULL, 10), *b;
	int i;

	if (file == NULL || w >= MAXWRITERS / MAXTHREADS)
		errx(1, "%s: not writer:file", arg);
	if ((file = strchr(file + 1, ':')) == NULL)
		return;
	b = before + w * MAXTHREADS;
	read_progress(file + 1, strlen(file + 1), b);
	for (i = 0; i < MAXTHREADS; i++)
		b[i]++;
}

static int
check_progress(const char *arg)
{
	uint64_t done[MAXTHREADS], w;
	const uint64_t *got;
	const char *file = strchr(arg, ':') + 1;
	int i, bad = 0;

	w = strtoull(arg, NULL, 10);
	read_progress(file, strcspn(file, ":"), done);
	got = last + w * MAXTHREADS;
	for (i = 0; i < MAXTHREADS; i++) {
		if (got[i] == done[i] || got[i] == done[i] + 1 ||
		    (went_on && got[i] > done[i]) ||
		    done[i] <= before[w * MAXTHREADS + (uint64_t)i])
			continue;
		warnx("writer %" PRIu64 " thread %d: %" PRIu64 " returned, %"
		    PRIu64 " in the trace", w, i, done[i], got[i]);
		bad = 1;
	}
	return bad;
}

int
main(int argc, char *argv[])
{
	char line[4096];
	uint64_t events = 0, writers = 0, missing = 0, w, n;
	int i, bad = 0;

	if ((last = calloc(MAXWRITERS, sizeof(*last))) == NULL ||
	    (before = calloc(MAXWRITERS, sizeof(*before))) == NULL)
		err(1, "calloc");
	i = went_on = argc > 1 && strcmp(argv[1], "-s") == 0;
	while (++i < argc)
		read_before(argv[i]);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strstr(line, ":tick") == NULL)
			continue;
		w = value(line, "writer = ");
		n = value(line, " n = ");
		if (w >= MAXWRITERS ||
		    value(line, "sum = ") !=
		    ((n * UINT64_C(0x9e3779b97f4a7c15)) ^ w))
			errx(1, "torn: %s", line);
		if (n <= last[w])
			errx(1, "after %" PRIu64 ": %s", last[w], line);
		if (last[w] == 0) {
			writers++;
			if (before[w] != 0)
				last[w] = (n > before[w] ? before[w] : n - 1);
		}
		missing += n - last[w] - 1;
		last[w] = n;
		events++;
	}
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", events, writers,
	    missing);
	i = went_on;
	while (++i < argc)
		bad |= check_progress(argv[i]);
	return bad;
}
