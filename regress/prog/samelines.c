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
 * Do utctl view and babeltrace2 read the same?  samelines VIEW BT2 compares
 * the text that they printed of a trace, event by event.
 *
 * A line of babeltrace2 is brought into the form of utctl view, but for two
 * things: floating-point numbers, of which babeltrace2 prints six digits, and
 * bytes, which utctl view prints as 48 69 |Hi|: [0x48, 0x69] is made of that.
 * Events of the same time may come in any order.  Where a clock does not count
 * nanoseconds, babeltrace2 computes them in floating point, and may be wrong by
 * one.
 */

#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMELEN	18			/* hh:mm:ss.nnnnnnnnn */

#define DAY	(INT64_C(86400) * 1000000000)	/* ns */

/* Some events that come next, in order, and the one behind them. */
struct input {
	const char	 *file;
	FILE		 *fp;
	void		(*convert)(struct input *);
	char		 *line;
	size_t		  size;
	char		**events;
	size_t		  n, cap;
	char		 *next;
};

static const char *src;			/* the rest of babeltrace2's line */
static char *dst;			/* what becomes of it */

static void	value(void);

static void
emit(const char *s, size_t n)
{
	memcpy(dst, s, n);
	dst += n;
}

static void
skip(const char *s)
{
	if (strncmp(src, s, strlen(s)) != 0)
		errx(1, "babeltrace2: no '%s' at: %s", s, src);
	src += strlen(s);
}

static int
is_next(const char *s)
{
	return strncmp(src, s, strlen(s)) == 0;
}

/* From quote to quote. */
static size_t
string_len(const char *s)
{
	size_t n;

	for (n = 1; s[n] != '"' && s[n] != '\0'; n++)
		if (s[n] == '\\' && s[n + 1] != '\0')
			n++;
	return n + (s[n] == '"');
}

static int
is_word(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return 0;
	return n > 0;
}

/* ( "label" : container = 1 ), or <unknown>: utctl prints one of the two. */
static void
enumeration(void)
{
	size_t n = 0;

	skip("( ");
	if (is_next("\"")) {
		n = string_len(src);
		if (is_word(src + 1, n - 2))
			emit(src + 1, n - 2);
		else
			emit(src, n);
		src += n;
	} else
		skip("<unknown>");
	skip(" : container = ");
	if (n == 0)
		emit(src, strcspn(src, " "));
	src += strcspn(src, " ");
	skip(" )");
}

/* [ [0] = 1, [1] = 2 ] */
static void
array(void)
{
	skip("[ ");
	emit("[", 1);
	while (!is_next("]")) {
		src += strcspn(src, "=");
		skip("= ");
		value();
		if (is_next(", ")) {
			skip(", ");
			emit(", ", 2);
		} else
			skip(" ");
	}
	skip("]");
	emit("]", 1);
}

static void
number(void)
{
	size_t n = strcspn(src, " ,"), i;
	char c;

	for (i = 0; i < n; i++) {
		c = is_next("0x") ? (char)tolower((unsigned char)src[i]) :
		    src[i];
		emit(&c, 1);
	}
	src += n;
}

static void
value(void)
{
	size_t n;

	if (is_next("\"")) {
		n = string_len(src);
		emit(src, n);
		src += n;
	} else if (is_next("( "))
		enumeration();
	else if (is_next("[ "))
		array();
	else
		number();
}

/*
 * _name_length = 3, name = [ ... ]: utctl does not print how long it is.  With
 * underscores behind, if the event has another field of that name.
 */
static void
skip_length(void)
{
	const char *name = src + 1, *p = src;
	size_t n, len = strcspn(src, " ");

	while (len > 0 && p[len - 1] == '_')
		len--;
	if (len < 9 || *src != '_' ||
	    strncmp(p + len - 7, "_length", 7) != 0)
		return;
	n = len - 8;
	p += strcspn(p, ",");
	if (strncmp(p, ", ", 2) == 0 && strncmp(p + 2, name, n) == 0 &&
	    (strncmp(p + 2 + n, " = [", 4) == 0 ||
	    strncmp(p + 2 + n, " = \"", 4) == 0))
		src = p + 2;
}

/* name = value, ... } and { in front */
static void
members(void)
{
	size_t n;

	emit("{ ", 2);
	while (!is_next("}")) {
		skip_length();
		n = strcspn(src, "=");
		emit(src, n + 2);
		src += n;
		skip("= ");
		value();
		if (is_next(", ")) {
			skip(", ");
			emit(", ", 2);
		} else {
			skip(" ");
			emit(" ", 1);
		}
	}
	skip("}");
	emit("}", 1);
}

/*
 * Behind who it is: the name of the thread, which utctl does not print, and
 * contexts, if there are any, in the same block or in one of their own.
 */
static void
blocks(void)
{
	if (is_next(", thread = \"")) {
		skip(", thread = ");
		src += string_len(src);
	}
	if (is_next(" }, { "))
		skip(" }, { ");
	else
		skip(", ");
	members();
	while (is_next(", { ")) {
		skip(", { ");
		emit(", ", 2);
		members();
	}
}

static void
named_number(const char *name)
{
	skip(name);
	number();
}

/*
 * [time] (+delta) host event: { vpid = 1, vtid = 2, procname = "p" }, { ... }
 * becomes: time p[1:2] event { ... }
 */
static void
from_bt2(struct input *in)
{
	const char *name, *who, *context, *rest;
	char *out;
	size_t n;

	if ((out = malloc(2 * strlen(in->line) + 16)) == NULL)
		err(1, NULL);
	src = in->line;
	dst = out;
	skip("[");
	emit(src, TIMELEN);
	emit(" ", 1);
	if ((name = strstr(src, ") ")) == NULL ||
	    (context = strstr(name, ": { ")) == NULL ||
	    (who = strstr(context, "procname = ")) == NULL)
		errx(1, "babeltrace2: %s", in->line);
	src = who + strlen("procname = ");
	n = string_len(src);
	emit(src + 1, n - 2);
	rest = src + n;
	src = context;
	skip(": { ");
	emit("[", 1);
	named_number("vpid = ");
	emit(":", 1);
	named_number(", vtid = ");
	emit("] ", 2);
	for (name = context; name[-1] != ' '; name--)	/* not the host */
		continue;
	emit(name, (size_t)(context - name));
	emit(" ", 1);
	src = rest;
	blocks();
	if (*src != '\0')
		errx(1, "babeltrace2: behind the event: %s", src);
	*dst = '\0';
	in->next = out;
}

static int
is_hex(char c)
{
	return c != '\0' && strchr("0123456789abcdef", c) != NULL;
}

/* How many bytes are printed as 48 69 |Hi| there, or -1. */
static long
bytes_at(const char *s)
{
	long n;

	for (n = 0; is_hex(s[0]) && is_hex(s[1]) && s[2] == ' '; n++)
		s += 3;
	return *s == '|' ? n : -1;
}

/* These, and that the text between the bars is what they are. */
static void
bytes(const char **sp, long n)
{
	const char *text = *sp + 3 * n + 1;
	unsigned long byte;
	char hex[8];
	long i;

	emit("[", 1);
	for (i = 0; i < n; i++) {
		byte = strtoul(*sp + 3 * i, NULL, 16);
		if (text[i] != (byte < 32 || byte > 126 ? '.' : (char)byte))
			errx(1, "utctl view: not text of these bytes: %s",
			    *sp);
		emit(hex, (size_t)snprintf(hex, sizeof(hex), "%s0x%lx",
		    i > 0 ? ", " : "", byte));
	}
	if (text[n] != '|')
		errx(1, "utctl view: no bar behind bytes: %s", *sp);
	emit("]", 1);
	*sp = text + n + 1;
}

/* 2026-07-30 time p[1:2] event { ... } */
static void
from_view(struct input *in)
{
	const char *s = strchr(in->line, ' '), *value;
	size_t len;
	long n;

	if (s++ == NULL || (in->next = malloc(2 * strlen(s) + 16)) == NULL)
		errx(1, "utctl view: %s", in->line);
	dst = in->next;
	/* The name has quotes. */
	if ((value = strstr(s, " { ")) != NULL) {
		emit(s, (size_t)(value - s));
		s = value;
	}
	while (*s != '\0') {
		len = *s == '"' ? string_len(s) : 1;
		emit(s, len);
		s += len;
		if (dst[-1] == ' ' && dst[-2] == '=' &&
		    (n = bytes_at(s)) != -1)
			bytes(&s, n);
	}
	*dst = '\0';
}

static void
next_line(struct input *in)
{
	ssize_t n;

	in->next = NULL;
	if ((n = getline(&in->line, &in->size, in->fp)) == -1)
		return;
	if (n > 0 && in->line[n - 1] == '\n')
		in->line[n - 1] = '\0';
	in->convert(in);
	if (strlen(in->next) < TIMELEN)
		errx(1, "%s: %s", in->file, in->next);
}

/* How many ns is one event after the other?  They are no half day apart. */
static int64_t
after(const char *a, const char *b)
{
	const char *const of[] = { a, b };
	int64_t ns[2], d;
	int h, m, sec, i;
	long rest;

	for (i = 0; i < 2; i++) {
		if (sscanf(of[i], "%2d:%2d:%2d.%9ld", &h, &m, &sec, &rest) !=
		    4)
			errx(1, "no time: %s", of[i]);
		ns[i] = ((h * 60 + m) * 60 + sec) * INT64_C(1000000000) + rest;
	}
	d = (ns[0] - ns[1]) % DAY;
	return d < -DAY / 2 ? d + DAY : d > DAY / 2 ? d - DAY : d;
}

/* All events that may have the time of that one. */
static void
next_events(struct input *in, const char *event)
{
	while (in->next != NULL && after(in->next, event) <= 1) {
		if (in->n == in->cap) {
			in->cap = in->cap == 0 ? 16 : 2 * in->cap;
			in->events = realloc(in->events,
			    in->cap * sizeof(*in->events));
			if (in->events == NULL)
				err(1, NULL);
		}
		in->events[in->n++] = in->next;
		next_line(in);
	}
}

static void
input_open(struct input *in, const char *file, void (*convert)(struct input *))
{
	memset(in, 0, sizeof(*in));
	in->file = file;
	in->convert = convert;
	if ((in->fp = fopen(file, "r")) == NULL)
		err(1, "%s", file);
	next_line(in);
}

static void
input_close(struct input *in)
{
	fclose(in->fp);
	free(in->events);
	free(in->line);
}

/* The same number, when the second has six digits only? */
static int
same_float(const char *a, size_t na, const char *b, size_t nb)
{
	char s[64], t[64];

	if (na == 0 || nb == 0 || na >= sizeof(s) || nb >= sizeof(t) ||
	    strspn(b, "0123456789+-.e") < nb)
		return 0;
	memcpy(s, a, na);
	s[na] = '\0';
	snprintf(t, sizeof(t), "%g", strtod(s, NULL));
	if (strlen(t) == nb && memcmp(t, b, nb) == 0)
		return 1;
	snprintf(t, sizeof(t), "%g", (double)strtof(s, NULL));
	return strlen(t) == nb && memcmp(t, b, nb) == 0;
}

/*
 * babeltrace2 up to 2.0.4 at least uses the memory of events again and, for
 * an empty string, prints what stood there before.
 */
static int
same(const char *a, const char *b)
{
	size_t na, nb;

	while (*a != '\0' || *b != '\0') {
		if (strncmp(a, "\"\"", 2) == 0 && *b == '"') {
			a += 2;
			b += string_len(b);
		}
		na = strcspn(a, " ,]");
		nb = strcspn(b, " ,]");
		if ((na != nb || memcmp(a, b, na) != 0) &&
		    !same_float(*a == '[' ? a + 1 : a, na - (*a == '['),
		    *b == '[' ? b + 1 : b, nb - (*b == '[')))
			return 0;
		a += na;
		b += nb;
		if (*a != *b)
			return 0;
		if (*a != '\0') {
			a++;
			b++;
		}
	}
	return 1;
}

static void
differ(const char *view, const char *bt2)
{
	printf("utctl view:  %s\nbabeltrace2: %s\n",
	    view == NULL ? "nothing more" : view,
	    bt2 == NULL ? "nothing more" : bt2);
	exit(1);
}

/* Take the event of view from those of babeltrace2. */
static void
compare(const char *event, struct input *bt2)
{
	int64_t d;
	size_t k;

	next_events(bt2, event);
	for (k = 0; k < bt2->n; k++) {
		d = after(event, bt2->events[k]);
		if (d >= -1 && d <= 1 && same(event + TIMELEN,
		    bt2->events[k] + TIMELEN))
			break;
	}
	if (k == bt2->n || after(event, bt2->events[0]) > 1)
		differ(event, bt2->n > 0 ? bt2->events[0] : NULL);
	free(bt2->events[k]);
	memmove(&bt2->events[k], &bt2->events[k + 1],
	    (--bt2->n - k) * sizeof(*bt2->events));
}

int
main(int argc, char *argv[])
{
	struct input view, bt2;
	unsigned long long n = 0;
	char *event;

	if (argc != 3)
		errx(1, "samelines VIEW BT2");
	input_open(&view, argv[1], from_view);
	input_open(&bt2, argv[2], from_bt2);
	for (; view.next != NULL; n++) {
		event = view.next;
		next_line(&view);
		compare(event, &bt2);
		free(event);
	}
	if (bt2.n > 0 || bt2.next != NULL)
		differ(NULL, bt2.n > 0 ? bt2.events[0] : bt2.next);
	input_close(&view);
	input_close(&bt2);
	printf("%llu events, the same\n", n);
	return 0;
}
