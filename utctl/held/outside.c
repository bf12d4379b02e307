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
 * The caller that an allocation belongs to is the first frame of a stack that
 * is not passed over.  Passed over are functions of the C and the C++ library
 * and of what record -w preloads, functions that have a name of an allocator,
 * and wrappers: functions that have nothing below them, in all stacks, but what
 * is passed over, and that many others call, or only allocators.
 *
 * Inlined functions neither call nor are called: else the wrappers, and so the
 * answer, would be others where there is debugging information.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../show/stacks.h"

#define MANY	3		/* callers of what is called from everywhere */
#define BARE	256		/* bytes of a name that matter */

struct function {
	uint64_t	 callers;	/* functions that call it */
	int		 library;	/* is it of the C or the C++ library? */
	int		 allocator;	/* by its name, or as a wrapper */
	int		 direct;	/* only what is passed over is below */
	int		 others;	/* call it, and are no allocators */
};

static int
begins(const char *s, const char *const *with)
{
	for (; *with != NULL; with++)
		if (strncmp(s, *with, strlen(*with)) == 0)
			return 1;
	return 0;
}

/* Skip the parentheses of a type decltype(...) that begins the text. */
static const char *
skip_decltype(const char *s)
{
	const char *p = s + 8;
	int depth = 0;

	if (strncmp(s, "decltype", 8) != 0 || p[*p == ' '] != '(')
		return s;
	for (p += *p == ' '; *p != '\0'; p++) {
		depth += (*p == '(') - (*p == ')');
		if (depth == 0)
			return p + 1;
	}
	return s;
}

/* Small letters; no template's arguments, type of result and parameters. */
static void
bare_name(const char *s, char *buf)
{
	size_t n = 0;
	int depth = 0;

	for (s = skip_decltype(s); *s != '\0' && n < BARE - 1; s++) {
		if (strncmp(s, "(anonymous", 10) != 0 && *s == '(' &&
		    depth == 0)
			break;
		depth += (*s == '<') - (*s == '>' && depth > 0);
		if (depth > 0 || *s == '>')
			continue;
		if (*s == ' ')
			n = 0;
		else
			buf[n++] = (char)tolower((unsigned char)*s);
	}
	buf[n] = '\0';
}

static void
judge_name(struct function *fn, const struct frame *f)
{
	static const char *const files[] = { "libc.", "libc-", "ld-", "libut-",
	    "libstdc++.", "libc++", "libsupc++.", NULL };
	static const char *const library[] = { "std::", "__gnu_cxx::", NULL };
	static const char *const new[] = { "operator new", NULL };
	static const char *const parts[] = { "malloc", "calloc", "realloc",
	    "strdup", "strndup", "memdup", "asprintf", NULL };
	const char *file = f->module == NULL ? f->function : f->module;
	char name[BARE];
	size_t i;

	if (f->function == NULL)
		return;
	bare_name(f->function, name);
	fn->library = begins(file, files) || begins(name, library) ||
	    begins(f->function, new);
	for (i = 0; parts[i] != NULL && f->module != NULL; i++)
		fn->allocator |= strstr(name, parts[i]) != NULL;
}

static struct function *
function_get(struct map *m, const struct frame *f)
{
	struct function *fn = map_get(m, frame_function(f));

	if (fn != NULL)
		return fn;
	fn = xcalloc(1, sizeof(*fn));
	judge_name(fn, f);
	map_put(m, frame_function(f), fn);
	return fn;
}

static int
is_passed(const struct function *fn)
{
	return fn->library || fn->allocator;
}

/* From a frame on, the first that is not inlined into the next. */
static size_t
whole(const struct site *site, size_t i)
{
	while (i + 1 < site->n && site->frames[i]->inlined)
		i++;
	return i;
}

/* Note the caller of each function, once. */
static void
note_callers(struct map *m, struct map *calls, const struct site *site)
{
	struct function *fn;
	uint64_t pair[2], key;
	size_t i, k;

	for (i = whole(site, 0); i + 1 < site->n; i = k) {
		k = whole(site, i + 1);
		fn = function_get(m, site->frames[i]);
		pair[0] = frame_function(site->frames[i]);
		pair[1] = frame_function(site->frames[k]);
		key = map_bytes(0, pair, sizeof(pair));
		if (pair[0] == pair[1] || map_get(calls, key) != NULL)
			continue;
		map_put(calls, key, fn);
		fn->callers++;
	}
}

/* Which functions have something else below them, or call something else? */
static void
note_direct(struct map *m, const struct site *site)
{
	struct function *fn, *below = NULL;
	size_t i;
	int direct = 1;

	for (i = whole(site, 0); i < site->n; i = whole(site, i + 1)) {
		fn = function_get(m, site->frames[i]);
		fn->direct &= direct;
		direct &= is_passed(fn);
		if (below != NULL && below != fn)
			below->others |= !fn->allocator;
		below = fn;
	}
	if (below != NULL)
		below->others = 1;
}

/* Find wrappers, once more with those that are known; are there new ones? */
static int
find_wrappers(struct map *m, const struct sites *ss)
{
	struct function *fn;
	size_t i;
	int any = 0;

	for (i = 0; i < m->cap; i++)
		if ((fn = m->v[i].value) != NULL) {
			fn->direct = 1;
			fn->others = 0;
		}
	for (i = 0; i < ss->n; i++)
		note_direct(m, ss->v[i]);
	for (i = 0; i < m->cap; i++)
		if ((fn = m->v[i].value) != NULL && fn->direct &&
		    !is_passed(fn) && fn->callers > 0 &&
		    (fn->callers >= MANY || !fn->others))
			any = fn->allocator = 1;
	return any;
}

static size_t
outside(struct map *m, const struct site *site)
{
	size_t i, end;

	for (i = 0; i < site->n; i = end) {
		end = whole(site, i) + 1;
		if (function_get(m, site->frames[end - 1])->allocator)
			continue;
		for (; i < end; i++)
			if (!is_passed(function_get(m, site->frames[i])))
				return i;
	}
	for (i = 0; i < site->n; i++)
		if (!function_get(m, site->frames[i])->library)
			return i;
	return 0;
}

void
sites_outside(struct sites *ss)
{
	struct map functions, calls;
	size_t i;

	memset(&functions, 0, sizeof(functions));
	memset(&calls, 0, sizeof(calls));
	for (i = 0; i < ss->n; i++)
		note_callers(&functions, &calls, ss->v[i]);
	while (find_wrappers(&functions, ss))
		continue;
	for (i = 0; i < ss->n; i++)
		ss->v[i]->outside = (uint32_t)outside(&functions, ss->v[i]);
	map_release(&functions);
	map_free(&calls);
}
