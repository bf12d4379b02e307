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
 * Ever new events, with names made as it runs:
 *	many [-w] [-m n] [-p ms] name first count
 * has the events many:name_first and so on, n of them (all) at a time, as if
 * it loaded libraries, with a pause after each time, and traces each once,
 * with its number.  Then it says so, and waits for the end of its input.
 * -w: with more fields, to have more metadata.
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

#define U32(name)	{ name, NULL, 0, UT_KIND_INT, sizeof(uint32_t), 0, 0 }
#define END		{ NULL, NULL, 0, 0, 0, 0, 0 }
#define NWIDE		5

static const struct ut_field narrow[] = { U32("n"), END };
static const struct ut_field wide[] = {
	U32("n"), U32("the_first_of_the_other_fields"),
	U32("the_second_of_the_other_fields"),
	U32("the_third_of_the_other_fields"),
	U32("the_fourth_of_the_other_fields"), END
};
static int wanted_wide;

static void *
room(size_t n)
{
	void *p;

	if (posix_memalign(&p, 64, n) != 0)
		errx(1, "no memory");
	memset(p, 0, n);
	return p;
}

/* What UT_EVENT makes. */
static struct ut_event *
events_new(const char *name, uint32_t first, uint32_t n)
{
	struct ut_event *ev = room(n * sizeof(*ev));
	char *s;
	uint32_t i;

	for (i = 0; i < n; i++) {
		s = room(strlen(name) + 32);
		sprintf(s, "many:%s_%lu", name, (unsigned long)first + i);
		ev[i].name = s;
		ev[i].level = UT_INFO;
		ev[i].fields = wanted_wide ? wide : narrow;
	}
	return ev;
}

/* What UT does. */
static void
trace(struct ut_event *ev, uint32_t n)
{
	struct ut_record r;
	unsigned char *p;
	size_t len;

	if (!UT_LISTENS(*ev))
		return;
	len = (wanted_wide ? NWIDE : 1) * sizeof(n);
	for (p = ut_begin(&r, ev, len); p != NULL; p = ut_commit(&r)) {
		memset(p, 0, len);
		ut_put(p, &n, sizeof(n));
	}
}

static void
load(const char *name, uint32_t first, uint32_t n)
{
	struct ut_module *m = room(sizeof(*m));
	uint32_t i;

	m->version = UT_VERSION;
	m->size = sizeof(struct ut_event);
	m->begin = events_new(name, first, n);
	m->end = m->begin + n;
	ut_module_add(m);
	for (i = 0; i < n; i++)
		trace(m->begin + i, first + i);
}

int
main(int argc, char *argv[])
{
	struct timespec ts = { 0, 0 };
	uint32_t i, n, first, count, each = 0;
	int c;

	while ((c = getopt(argc, argv, "m:p:w")) != -1) {
		if (c == 'm')
			each = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 'p')
			ts.tv_nsec = atol(optarg) * 1000000;
		else if (c == 'w')
			wanted_wide = 1;
		else
			return 1;
	}
	argv += optind;
	if (argc - optind != 3)
		errx(1, "many [-w] [-m n] [-p ms] name first count");
	first = (uint32_t)strtoul(argv[1], NULL, 10);
	count = (uint32_t)strtoul(argv[2], NULL, 10);
	if (each == 0)
		each = count;
	for (i = 0; i < count; i += n) {
		n = count - i < each ? count - i : each;
		load(argv[0], first + i, n);
		if (ts.tv_nsec > 0)
			nanosleep(&ts, NULL);
	}
	printf("done\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	return 0;
}
