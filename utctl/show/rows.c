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
 * Rows of what was found, as text and as JSON: see rows.h.
 */

#include <sys/ioctl.h>

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "../ctf/ctf.h"
#include "../say.h"
#include "../sym/process.h"
#include "rows.h"

#define US	1e3			/* ns */
#define TEXT	24			/* characters that are not cut */
#define LINE	65536			/* bytes; names are shorter */
#define CELL	32			/* bytes of a number, and its NUL */

static char	 line[LINE];		/* not printed yet */
static size_t	 len;			/* bytes of it */
static size_t	 numbers;		/* bytes that are not cut */
static size_t	 line_width = SIZE_MAX;	/* characters that fit */

static const char *only;		/* program; NULL: several */

/*
 * Lines.
 */

int
is_utf8(void)
{
	return setlocale(LC_CTYPE, "") != NULL &&
	    strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void
rows_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	unsigned long n;
	char *end;

	len = numbers = 0;
	line_width = SIZE_MAX;
	n = columns == NULL ? 0 : strtoul(columns, &end, 10);
	if (n > 0 && n < 65536 && *end == '\0')
		line_width = (size_t)n;
	else if (isatty(STDOUT_FILENO) &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		line_width = w.ws_col;
}

/* The bytes of so many characters; all if there are no more. */
static size_t
bytes_of(const char *s, size_t n, size_t chars)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((s[i] & 0xc0) != 0x80 && chars-- == 0)
			break;
	return i;
}

/* A line with more numbers than fit goes on in the terminal's next line. */
static void
line_end(void)
{
	const char *dots = is_utf8() ? "\xe2\x80\xa6" : "...";
	const size_t ndots = is_utf8() ? 1 : 3;
	size_t most = line_width;

	while (most < numbers + TEXT)
		most += line_width;
	if (bytes_of(line, len - 1, most) < len - 1)
		printf("%.*s%s\n", (int)bytes_of(line, len - 1, most - ndots),
		    line, dots);
	else
		fwrite(line, 1, len, stdout);
	len = numbers = 0;
}

void
row_add(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line + len, sizeof(line) - len, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line) - len)
		die("a line of a table has more than %d bytes", LINE);
	len += (size_t)n;
	if (len > 0 && line[len - 1] == '\n')
		line_end();
}

/*
 * Rows.
 */

/* Every row, behind the names of its columns. */
static void
put_all(struct rows *t, size_t n, rows_put_fn put, const void *arg)
{
	size_t i;

	for (i = 0; i <= n; i++) {
		t->at = 0;
		t->isheads = i == 0;
		put(t, arg, i == 0 ? 0 : i - 1);
	}
}

void
rows_put(struct rows *t, const char *name, size_t n, rows_put_fn put,
    const void *arg)
{
	size_t i;

	json_array(name);
	for (i = 0; json_on && i < n; i++) {
		json_object(NULL);
		put(t, arg, i);
		json_end();
	}
	json_end();
	if (json_on || n == 0)
		return;
	memset(t->widths, 0, sizeof(t->widths));
	t->isprinted = 0;
	if (t->fixed == NULL)
		put_all(t, n, put, arg);
	t->isprinted = 1;
	put_all(t, n, put, arg);
}

void
row_text(struct rows *t, const char *head, const char *fmt, ...)
{
	char text[CELL];
	va_list ap;
	int n;

	if (json_on || head == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!t->isheads)
		head = text;
	if (t->isprinted && t->fixed != NULL)
		row_add("%s%*s", t->at == 0 ? "" : " ", t->fixed[t->at], head);
	else if (t->isprinted)
		row_add("%s%*s", t->at == 0 ? "" : "  ", t->widths[t->at],
		    head);
	else if ((n = (int)strlen(head)) > t->widths[t->at])
		t->widths[t->at] = n;
	t->at++;
	numbers = len;
}

void
row_u64(struct rows *t, const char *head, const char *name, uint64_t v)
{
	json_u64(name, v);
	row_text(t, head, "%" PRIu64, v);
}

void
row_us(struct rows *t, const char *head, const char *name, int64_t ns)
{
	json_ns(name, ns);
	row_text(t, head, "%.3f", (double)ns / US);
}

void
json_hist(struct hist *h, int mean)
{
	size_t q;

	json_real("min", h->min);
	if (mean && isfinite(hist_mean(h)))
		json_real("mean", hist_mean(h));
	for (q = 0; q < HIST_QUANTILES; q++)
		json_real(hist_quantiles[q].name,
		    hist_quantile(h, hist_quantiles[q].of_1000));
	json_real("max", h->max);
}

int
row_digits(double v)
{
	return v > -1e11 && v < 1e11 && v == (double)(int64_t)v ? 11 : 6;
}

/* A mean is not known if no double holds the sum. */
static void
row_value(struct rows *t, const char *head, double v, int isns)
{
	if (!isfinite(v))
		row_text(t, head, "-");
	else if (isns)
		row_text(t, head, "%.3f", v / US);
	else
		row_text(t, head, "%.*g", row_digits(v), v);
}

void
row_hist(struct rows *t, struct hist *h, int isns)
{
	size_t q;

	json_hist(h, 1);
	if (!isns)
		row_value(t, "min", h->min, isns);
	row_value(t, isns ? "mean us" : "mean", hist_mean(h), isns);
	for (q = 0; q < HIST_QUANTILES; q++)
		row_value(t, hist_quantiles[q].name,
		    hist_quantile(h, hist_quantiles[q].of_1000), isns);
	row_value(t, isns ? "max us" : "max", h->max, isns);
}

void
row_when(const struct rows *t, const char *head, int64_t ns)
{
	char when[CTF_TIMELEN];

	if (!row_tail(t))
		return;
	if (!t->isheads)
		ctf_print_time(ns, when);
	row_add("  %-29s", t->isheads ? head : when);
}

/* One program's name is in the head of its column, and in no row. */
void
rows_program(const struct processes *ps)
{
	const struct process *p = ps->first;

	only = p == NULL || p->host != NULL || p->name[0] == '\0' ? NULL :
	    p->name;
	for (; only != NULL && p != NULL; p = p->next)
		if (strcmp(p->name, only) != 0)
			only = NULL;
}

void
row_who(const struct rows *t, const char *head, int64_t ns,
    const char *host, const char *program, int64_t vpid, int64_t vtid)
{
	char *who;

	ids_json(host, program, vpid, &vtid);
	row_when(t, head, ns);
	if (!row_tail(t))
		return;
	who = !t->isheads ? ids_text(host, program, vpid, &vtid) :
	    only != NULL ? clean(only) : format("program");
	if (t->isheads)
		row_add("  %s[pid:tid]", who);
	else
		row_add("  %s", only == NULL ? who : strrchr(who, '['));
	free(who);
}

int
row_tail(const struct rows *t)
{
	return !json_on && t->isprinted;
}

int
row_end(const struct rows *t, const char *head)
{
	if (!row_tail(t))
		return 0;
	if (t->isheads && head != NULL)
		row_add("  %s\n", head);
	return !t->isheads;
}

/*
 * The greatest few.
 */

static int64_t
rank_of(const char *element)
{
	int64_t rank;

	memcpy(&rank, element, sizeof(rank));
	return rank;
}

/* Elements of the same rank stay in the order in which they came. */
void *
top_add(struct top *t, int64_t rank)
{
	char *list = t->list, *p;
	size_t i;

	if (t->n == t->most &&
	    rank_of(list + (t->n - 1) * t->size) >= rank)
		return NULL;
	if (t->n < t->most)
		t->n++;
	for (i = t->n - 1; i > 0 &&
	    rank_of(list + (i - 1) * t->size) < rank; i--)
		;
	p = list + i * t->size;
	memmove(p + t->size, p, (t->n - 1 - i) * t->size);
	memset(p, 0, t->size);
	memcpy(p, &rank, sizeof(rank));
	return p;
}

void
top_put(const char *title, const char *name, const struct top *top,
    rows_put_fn put)
{
	static const int width = 14;
	struct rows t = { .fixed = &width };

	if (!json_on && top->n > 0)
		printf("\n%s:\n", title);
	rows_put(&t, name, top->n, put, top);
}
