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
 * The beginning and the end of all commands that read traces: their options,
 * which traces they read, and what is said of damage and of what was selected.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ctf/cores.h"
#include "../ctf/ctf_stack.h"
#include "common/compat.h"
#include "rows.h"
#include "show.h"

static int writes;
static int paged, sums;			/* see show_paged() */

void
show_writes(void)
{
	writes = 1;
}

void
show_paged(int at_end)
{
	paged = 1;
	sums = at_end;
}

int
show_any(const struct reader *rd)
{
	progress_end();
	return rd->ntraces > 0 || ctf_damaged() == 0;
}

void
show_totals(const struct reader *rd)
{
	json_object(NULL);
	json_u64("events", rd->nevents);
	json_u64("discarded", rd->ndiscarded);
	json_u64("lost_packets", rd->nlost);
	show_moved(rd);
	if (json_on)
		return;
	printf("%llu event%s, %llu discarded", rd->nevents, many(rd->nevents),
	    rd->ndiscarded);
	if (rd->nlost != 0)
		printf(", %llu packet%s lost", rd->nlost, many(rd->nlost));
	putchar('\n');
}

/* Print it as JSON. */
void
show_move(const struct ctf_move *m)
{
	json_ns("offset_ns", m->ns);
	if (m->rate == 0)
		return;
	json_real("drift_ppm", (double)m->rate / 1e9);
	json_ns("from", m->from);
}

void
show_moved(const struct reader *rd)
{
	const struct reader_dir *dir;
	const struct ctf_move *m;
	char *shown, by[CTF_TIMELEN];
	size_t n = 0;

	for (dir = rd->dirs; dir != NULL && dir->name != NULL; dir++) {
		m = &dir->move;
		if (!ctf_moves(m))
			continue;
		if (n++ == 0)
			json_array("moved");
		json_object(NULL);
		json_string("dir", dir->name);
		show_move(m);
		json_end();
		if (json_on)
			continue;
		printf("dates of %s: moved by %s\n", shown = clean(dir->name),
		    ctf_print_move(m, by));
		free(shown);
	}
	if (n > 0)
		json_end();
}

void
show_count(const char *name, uint64_t n, const char *before,
    const char *behind)
{
	json_u64(name, n);
	if (!json_on && n > 0)
		printf("%s%" PRIu64 " %s\n", before, n, behind);
}

void
show_span(int64_t first, int64_t last, const char *rest)
{
	char from[CTF_TIMELEN], to[CTF_TIMELEN];

	if (first == INT64_MIN)
		return;
	json_ns("first", first);
	json_ns("last", last);
	if (json_on)
		return;
	ctf_print_time(first, from);
	ctf_print_time(last, to);
	printf("from %s to %s: %.9f s%s", from, to,
	    when_seconds(first, last), rest);
}

static int
show_traces(const struct show *sh, struct reader *rd,
    struct reader_dir *dirs)
{
	int status;

	rows_width();
	if (sums)
		progress_start();
	if (paged)
		pager_start();
	if ((sh->quiet == NULL || !*sh->quiet) && symbols_begin())
		rd->names = &symbols_names;
	if (sh->begin != NULL)
		sh->begin(rd, dirs);
	/* Traces may be anybody's. */
	if (rd->cores != NULL)
		ut_confine_readers();
	else
		ut_confine_reader(writes);
	status = sh->run(rd, dirs) | (ctf_damaged() != 0);
	progress_end();
	ctf_damage_say();
	if (rd->ntraces > 0 && rd->select != NULL)
		select_say(rd->select, rd->nevents);
	if (rd->ntraces > 0)
		sh->say(rd);
	symbols_say(rd->left > 0);
	return status;
}

uint32_t
cores_option(const char *s)
{
	uint32_t n;

	if (parse_number(s, CORES_MAX, &n) == -1 || n == 0)
		die("-J %s: not a number from 1 to %d", s, CORES_MAX);
	return n;
}

int
show_all_option(int c, int *all)
{
	if (c == 'a')
		*all = 1;
	else if (c == 'j')
		json_start(1);
	return c == 'a' || c == 'j';
}

int
show(const struct show *sh, int argc, char **argv)
{
	struct reader_dir *dirs;
	struct select sel;
	struct reader rd;
	int c, status;

	json_start(0);
	writes = paged = sums = 0;
	memset(&rd, 0, sizeof(rd));
	select_init(&sel, argc);
	while ((c = option(argc, argv)) != -1)
		if (!sh->option(c) && !select_option(&sel, c) &&
		    !symbols_option(c))
			return usage();
	if (!select_all(&sel))
		rd.select = &sel;
	if (sh->check != NULL)
		sh->check();
	dirs = which_traces(argv + optind);
	status = show_traces(sh, &rd, dirs);
	which_free(dirs);
	sh->end();
	symbols_end();
	reader_free(&rd);
	stack_free();
	select_free(&sel);
	return status;
}
