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
 * The words of a line, as save writes and load reads them: quoted as for sh(1),
 * but sh would expand nothing in them.  A word ends in the line it begins in.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "list.h"

#define PLAIN	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
		"0123456789_.,:/@%+=-"
#define SPECIAL	"|&;<>()`$~"		/* to sh, outside quotes */

/* May all of it be shown as it is? */
static int
seemly(const char *s)
{
	char *shown = clean(s);
	const int same = strcmp(shown, s) == 0;

	free(shown);
	return same;
}

/* In $'...', where what must not be shown can be written, byte by byte. */
static char *
quote_bytes(const char *word)
{
	const unsigned char *s = (const unsigned char *)word, *from;
	const unsigned char *end = s + strlen(word);
	char *quoted = malloc(4 * strlen(word) + 4), *q = quoted;
	char c[ESCAPE_MAX];
	size_t n;

	if (quoted == NULL)
		die_errno("malloc");
	q += sprintf(q, "$'");
	while (s < end) {
		from = s;
		n = (size_t)(escape_char(c, &s, end, ESCAPE_NAME) - c);
		if (*from == '\'' || *from == '\\') {
			*q++ = '\\';
		} else if (n != (size_t)(s - from)) {	/* to be escaped */
			for (; from < s; from++)
				q += sprintf(q, "\\%03o", *from);
		}
		for (; from < s; from++)
			*q++ = (char)*from;
	}
	*q++ = '\'';
	*q = '\0';
	return quoted;
}

/* Quote a word so that split() reads it back; freed. */
char *
quote(const char *word)
{
	char *quoted, *q;

	if (word[0] != '\0' && word[strspn(word, PLAIN)] == '\0')
		return format("%s", word);
	if (!seemly(word))
		return quote_bytes(word);
	if ((quoted = malloc(4 * strlen(word) + 3)) == NULL)
		die_errno("malloc");
	q = quoted;
	*q++ = '\'';
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			q += sprintf(q, "'\\'");
		*q++ = *word;
	}
	*q++ = '\'';
	*q = '\0';
	return quoted;
}

void
put_word(FILE *f, const char *before, const char *word)
{
	char *quoted = quote(word);

	fprintf(f, "%s%s", before, quoted);
	free(quoted);
}

/*
 * Each of these steps over what it reads at *in, writes what that stands for
 * to *out, which is never behind *in, and returns NULL, or what is wrong.
 */
static const char *
read_single(char **in, char **out)
{
	while (**in != '\'') {
		if (**in == '\0')
			return "a single quote is not closed";
		*(*out)++ = *(*in)++;
	}
	(*in)++;
	return NULL;
}

static const char *
read_double(char **in, char **out)
{
	for (; **in != '"'; *(*out)++ = *(*in)++) {
		if (**in == '\\' && (*in)[1] != '\0' &&
		    strchr("$`\"\\", (*in)[1]) != NULL)
			(*in)++;
		else if (**in == '$' || **in == '`')
			return "in double quotes, $ and ` need a backslash: "
			    "nothing is expanded";
		if (**in == '\0')
			return "a double quote is not closed";
	}
	(*in)++;
	return NULL;
}

/* Read what follows a backslash in $'...'. */
static const char *
read_escape(char **in, char **out)
{
	static const char letters[] = "nt'\"\\", bytes[] = "\n\t'\"\\";
	const char *letter;
	int i, v = 0;

	if (**in != '\0' && (letter = strchr(letters, **in)) != NULL) {
		(*in)++;
		*(*out)++ = bytes[letter - letters];
		return NULL;
	}
	for (i = 0; i < 3 && **in >= '0' && **in <= '7'; i++)
		v = v * 8 + *(*in)++ - '0';
	if (v == 0 || v > 255)
		return "in $'...', a backslash is followed by n, t, ', \", "
		    "another backslash, or 1 to 377";
	*(*out)++ = (char)v;
	return NULL;
}

static const char *
read_bytes(char **in, char **out)
{
	const char *why = NULL;

	while (why == NULL && **in != '\'') {
		if (**in == '\0')
			return "a single quote is not closed";
		if (**in == '\\') {
			(*in)++;
			why = read_escape(in, out);
		} else
			*(*out)++ = *(*in)++;
	}
	(*in)++;
	return why;
}

static const char *
special(char c)
{
	static char why[80];

	snprintf(why, sizeof(why), c == '~' || c == '$' ?
	    "%c is not expanded: write what it stands for" :
	    "%c needs quotes: a line is one command", c);
	return why;
}

static const char *
read_word(char **in, char **out)
{
	const char *why = NULL;
	char c;

	while (why == NULL && (c = **in) != '\0' && c != ' ' && c != '\t') {
		(*in)++;
		if (c == '\'') {
			why = read_single(in, out);
		} else if (c == '"') {
			why = read_double(in, out);
		} else if (c == '$' && **in == '\'') {
			(*in)++;
			why = read_bytes(in, out);
		} else if (strchr(SPECIAL, c) != NULL) {
			why = special(c);
		} else {
			if (c == '\\' && (c = *(*in)++) == '\0')
				return "nothing follows the backslash";
			*(*out)++ = c;
		}
	}
	return why;
}

/*
 * Split a line, in its place: how many words there are, which argv has room
 * for; -1 and why if that cannot be done.  What follows a # is a comment.
 */
int
split(char *line, char **argv, const char **why)
{
	char *out = line;
	int n = 0, more;

	for (;;) {
		line += strspn(line, " \t");
		if (*line == '\0' || *line == '#')
			return n;
		argv[n++] = out;
		if ((*why = read_word(&line, &out)) != NULL)
			return -1;
		more = *line != '\0';
		line += more;
		*out++ = '\0';
	}
}
