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
 * How events are printed, and what is printed until it is written.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "print.h"

struct style	 style;
char		 out[OUTSIZE];
static char	*outp = out;		/* between events */
static void	(*out_write)(const char *, size_t) = ctf_print_write;

/* Text from there on is kept, and not written; or NULL. */
static char	*holding;
static struct held {
	char	*v;
	size_t	 n, room;
} held[2], *last = held;		/* the last one, and the one before */

/* A terminal that has colours, whose user wants some. */
static int
wants_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return (no == NULL || no[0] == '\0') && term != NULL &&
	    term[0] != '\0' && strcmp(term, "dumb") != 0 &&
	    (isatty(STDOUT_FILENO) || pager_colours());
}

void
ctf_print_init(int json)
{
	int c;

	holding = NULL;
	style.typed = 0;
	style.json = ctf_time_iso = json;
	style.colour = !json && wants_colour();
	style.how = json ? ESCAPE_JSON : ESCAPE_STRING;
	for (c = 0x20; c < 0x7f; c++)
		style.plain[c] = c != '"' && c != '\\';
}

void
ctf_print_to(void (*write)(const char *, size_t))
{
	out_write = write;
}

void
ctf_print_write(const char *p, size_t n)
{
	struct pollfd pfd;
	ssize_t done;

	while (n > 0) {
		if ((done = write(STDOUT_FILENO, p, n)) == -1) {
			if (errno == EINTR)
				continue;
			if (errno == EAGAIN) {
				pfd.fd = STDOUT_FILENO;
				pfd.events = POLLOUT;
				poll(&pfd, 1, -1);
				continue;
			}
			if (errno == EPIPE)
				exit(1);
			die_errno("stdout");
		}
		p += done;
		n -= (size_t)done;
	}
}

static void
keep(const char *s, size_t n)
{
	if (last->room - last->n <= n) {
		last->room = 2 * last->room + n + 1;
		last->v = xrealloc(last->v, last->room);
	}
	memcpy(last->v + last->n, s, n);
	last->n += n;
	last->v[last->n] = '\0';
}

char *
out_hold(void)
{
	last = &held[last == held];
	last->n = 0;
	return holding = outp = out_room(outp, OUTSIZE / 2);
}

char *
out_held(char *p, size_t *n)
{
	keep(holding, (size_t)(p - holding));
	holding = NULL;
	*n = last->n;
	return last->v;
}

char *
out_full(char *p)
{
	if (holding != NULL) {
		keep(holding, (size_t)(p - holding));
		return holding;
	}
	out_write(out, (size_t)(p - out));
	return out;
}

/* Write in parts what does not fit. */
char *
out_split(char *p, const char *s, size_t n)
{
	size_t k;

	while (n > (k = (size_t)(out + OUTSIZE - p))) {
		memcpy(p, s, k);
		p = out_full(p + k);
		s += k;
		n -= k;
	}
	memcpy(p, s, n);
	return p + n;
}

char *
out_begin(void)
{
	return out_room(outp, ROOM);
}

void
out_end(char *p)
{
	outp = p;
}

void
ctf_print_flush(void)
{
	out_write(out, (size_t)(outp - out));
	outp = out;
}
