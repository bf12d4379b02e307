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
 * Flame graphs: sums by stack.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../held/weigh.h"
#include "../say.h"
#include "page.h"

#define MOST	50000		/* parts: others are their parents' */
#define PROGRAMS	1000		/* beside these: others are one part */

#define FUNCTIONS	3		/* in the head */

/* CPU time of a function itself. */
struct cpu_function {
	char		*name;
	uint64_t	 ns;
};

static struct page_list functions;

const char *
flame_name(const char *name)
{
	return *(char **)page_named(&page.names, name, sizeof(char *), NULL);
}

struct flame *
flame_child(struct flames *fs, struct flame *f, const char *name)
{
	const uint64_t key = map_bytes((uintptr_t)f, &name, sizeof(name));
	struct flame *c;

	if ((c = map_get(&fs->parts, key)) != NULL)
		return c;
	if (fs->parts.n >= MOST && f != &fs->root)
		return f;
	if (fs->others != NULL)
		return fs->others;
	c = xcalloc(1, sizeof(*c));
	c->name = name;
	c->next = f->child;
	if (fs->parts.n == MOST + PROGRAMS) {
		c->name = flame_name("other programs");
		fs->others = c;
	}
	map_put(&fs->parts, key, c);
	return f->child = c;
}

static uint64_t
add_up(struct flame *f)
{
	struct flame *c;

	f->total = f->self;
	for (c = f->child; c != NULL; c = c->next)
		f->total += add_up(c);
	return f->total;
}

/* A name that was put before is its number. */
static void
put_name(struct flames *fs, const char *name)
{
	const size_t *number = map_get(&fs->names, (uintptr_t)name);
	size_t *new;

	if (number != NULL) {
		json_u64(NULL, *number);
		return;
	}
	new = xcalloc(1, sizeof(*new));
	*new = fs->names.n;
	map_put(&fs->names, (uintptr_t)name, new);
	page_text(NULL, name);
}

/* Depth, name, self; what is too narrow to be seen is one part. */
static void
put_node(struct flames *fs, const struct flame *f, uint64_t depth)
{
	const uint64_t least = json_bytes - fs->before < PAGE_FLAMED ?
	    fs->root.total / PAGE_NODES + 1 : UINT64_MAX;
	const struct flame *c;
	uint64_t rest = 0;

	json_u64(NULL, depth);
	put_name(fs, f->name);
	json_u64(NULL, f->self);
	for (c = f->child; c != NULL; c = c->next)
		if (c->total >= least)
			put_node(fs, c, depth + 1);
		else
			rest += c->total;
	if (rest > 0) {
		json_u64(NULL, depth + 1);
		put_name(fs, flame_name("(narrow parts)"));
		json_u64(NULL, rest);
	}
}

void
flame_put(struct flames *fs)
{
	const struct flame *c;

	if (add_up(&fs->root) == 0)
		return;
	fs->before = json_bytes;
	json_object(NULL);
	page_text("title", fs->title);
	page_text("unit", fs->unit);
	json_bool("full", fs->parts.n >= MOST);
	json_array("nodes");
	for (c = fs->root.child; c != NULL; c = c->next)
		put_node(fs, c, 0);
	json_end();
	json_end();
}

void
flame_free(struct flames *fs)
{
	map_release(&fs->parts);
	map_release(&fs->names);
}

void
flame_site(struct flames *fs, const char *program, const struct site *site,
    uint64_t value)
{
	struct flame *f = flame_child(fs, &fs->root, flame_name(program));
	char text[FRAME_TEXT];
	size_t i;

	for (i = site->n; i > 0; i--)
		f = flame_child(fs, f, flame_name(
		    site->frames[i - 1]->function != NULL ?
		    site->frames[i - 1]->function :
		    frame_text(site->frames[i - 1], text)));
	f->self += value;
}

/* A function and its file, without the line. */
static char *
function_text(const struct frame *f)
{
	if (f->function == NULL || f->module == NULL)
		return format("%s", f->function == NULL ? f->text :
		    f->function);
	return format("%s (%s)", f->function, f->module);
}

static void
sample(void *arg, const char *program, const struct site *site,
    const uint64_t *values)
{
	char *name = site->n == 0 ? format("functions that are not known") :
	    function_text(site->frames[0]);
	struct cpu_function *f;

	flame_site(arg, program, site, values[1]);
	f = page_named(&functions, name, sizeof(*f), "other functions");
	f->ns += values[1];
	free(name);
}

static int
by_ns(const void *a, const void *b)
{
	const struct cpu_function *x = *(struct cpu_function *const *)a;
	const struct cpu_function *y = *(struct cpu_function *const *)b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

void
page_put_cpu(void)
{
	const struct cpu_function *f;
	uint64_t ns = 0;
	size_t i;

	if (functions.n > 1)
		qsort(functions.v, functions.n, sizeof(void *), by_ns);
	json_array("cpu");
	for (i = 0; i < functions.n; i++) {
		f = functions.v[i];
		ns += f->ns;
		if (i >= FUNCTIONS)
			continue;
		json_object(NULL);
		page_text("name", f->name);
		json_u64("ns", f->ns);
		json_end();
	}
	json_end();
	json_u64("cpu_ns", ns);
	page_list_free(&functions);
	memset(&functions, 0, sizeof(functions));
}

void
page_samples(struct reader *rd, struct reader_dir *dirs)
{
	struct flames fs;
	struct pairs none;

	memset(&fs, 0, sizeof(fs));
	fs.title = "CPU time, by samples";
	fs.unit = "ns";
	pairs_init(&none);
	(void)weigh(WEIGH_TIME, rd, dirs, &none, sample, &fs);
	flame_put(&fs);
	flame_free(&fs);
	pairs_free(&none);
	weigh_end();
}
