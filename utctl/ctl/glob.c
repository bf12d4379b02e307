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
 * Patterns of events and programs.  One that matches no name that an event or a
 * program can have is a slip of the pen, which would record nothing and say
 * nothing: it is refused with the reason.
 *
 * The name of an event is two identifiers of C with a colon between them.  The
 * pattern is walked once, with the set of places in a name where its characters
 * so far may have led.  The name of a program has any bytes but slashes.
 */

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>

#include "../utctl.h"

#define GLOB_MAX	255		/* bytes: utd takes no more */
#define PROGRAM_MAX	63		/* bytes: libut tells no more */

/* Kinds of characters in names, as bits. */
#define LETTER	1
#define DIGIT	2
#define COLON	4

/* Places in a name, as bits. */
#define BEFORE	1			/* nothing is there yet */
#define FIRST	2			/* in the provider's name */
#define BETWEEN	4	/* behind the colon */
#define SECOND	8	/* in the event's name, perhaps at its end */

/* The places that one of the characters leads to. */
static int
places_step(int places, int chars)
{
	int to = 0;

	if ((places & BEFORE && chars & LETTER) ||
	    (places & FIRST && chars & (LETTER | DIGIT)))
		to |= FIRST;
	if (places & FIRST && chars & COLON)
		to |= BETWEEN;
	if ((places & BETWEEN && chars & LETTER) ||
	    (places & SECOND && chars & (LETTER | DIGIT)))
		to |= SECOND;
	return to;
}

/* The places that any characters lead to: three steps cross a name. */
static int
places_leap(int places)
{
	int i;

	for (i = 0; i < 3; i++)
		places |= places_step(places, LETTER | DIGIT | COLON);
	return places;
}

/* Kinds of characters that a one-character part of a pattern matches. */
static int
part_chars(const char *part, size_t n)
{
	static const char all[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789:";
	char glob[GLOB_MAX + 1], c[2] = "";
	const char *p;
	int chars = 0;

	memcpy(glob, part, n);
	glob[n] = '\0';
	for (p = all; *p != '\0'; p++) {
		c[0] = *p;
		if (fnmatch(glob, c, 0) == 0)
			chars |= *p == ':' ? COLON :
			    isdigit((unsigned char)*p) ? DIGIT : LETTER;
	}
	return chars;
}

/* The length of a bracket expression; 0 if it is not closed. */
static size_t
bracket_len(const char *s)
{
	const char *p = s + 1, *end;
	char close[3] = "?]";

	p += *p == '!' || *p == '^';
	p += *p == ']';			/* a first ] is a member */
	for (; *p != ']'; p++) {
		if (*p == '[' && p[1] != '\0' && strchr(":.=", p[1]) != NULL) {
			close[0] = p[1];
			if ((end = strstr(p + 2, close)) != NULL)
				p = end + 1;
		} else if (*p == '\\' && p[1] != '\0')
			p++;
		if (*p == '\0')
			return 0;
	}
	return (size_t)(p - s) + 1;
}

/* The length of what stands for one character; 0 if it has no end. */
static size_t
part_len(const char *s)
{
	size_t n = 1;

	if (*s == '[')
		return bracket_len(s);
	if (*s == '\\')
		return s[1] == '\0' ? 0 : 2;
	while ((s[n] & 0xc0) == 0x80)	/* the rest of one of UTF-8 */
		n++;
	return n;
}

/* Say why no event's name has such a character, and end. */
static void
no_such_char(const char *glob, const char *part, size_t n)
{
	if (*part == ',')
		die("pattern '%s': no name has a comma; several patterns are "
		    "given one by one", glob);
	die("pattern '%s': no name has a character %s '%.*s'%s", glob,
	    *part == '[' ? "of" : "like", (int)n, part,
	    *part == '-' ? "; DTrace's - is __" : "");
}

static void
check_length(const char *glob, size_t max)
{
	if (*glob == '\0')
		die("pattern '': empty");
	if (strlen(glob) > max)
		die("pattern '%.16s...': longer than %zu bytes", glob, max);
}

/* The length of what stands for one character; it has an end. */
static size_t
whole_part(const char *glob, const char *s)
{
	const size_t n = part_len(s);

	if (n == 0)
		die("pattern '%s': %s", glob, *s == '[' ?
		    "a bracket is not closed" :
		    "nothing follows the backslash");
	return n;
}

void
check_glob(const char *glob)
{
	const char *s = glob;
	int places = BEFORE, chars;
	size_t n;

	if (*glob == '-')
		die("pattern '%s': begins like an option; options come first",
		    glob);
	check_length(glob, GLOB_MAX);
	for (; *s != '\0'; s += n) {
		if (*s == '*') {
			n = 1;
			places = places_leap(places);
			continue;
		}
		n = whole_part(glob, s);
		if ((chars = part_chars(s, n)) == 0)
			no_such_char(glob, s, n);
		places = places_step(places, chars);
	}
	if (!(places & SECOND))
		die("pattern '%s': no event has such a name; names are "
		    "provider:event", glob);
}

/* Can what stands for one character be in the name of a program? */
static int
part_possible(const char *part, size_t n)
{
	char glob[UT_TRACK_GLOB + 1], c[2] = "";
	int i;

	if (*part != '[')
		return part[n - 1] != '/';
	memcpy(glob, part, n);
	glob[n] = '\0';
	for (i = 1; i <= UCHAR_MAX; i++) {
		c[0] = (char)i;
		if (i != '/' && fnmatch(glob, c, 0) == 0)
			return 1;
	}
	return 0;
}

void
check_program(const char *glob)
{
	const char *s = glob;
	size_t n, least = 0;		/* bytes of a name */

	if (*glob == '-')
		die("pattern '%s': begins like an option; [-]%s does not", glob,
		    glob + 1);
	check_length(glob, UT_TRACK_GLOB);
	for (; *s != '\0'; s += n) {
		if (*s == '*') {
			n = 1;
			continue;
		}
		n = whole_part(glob, s);
		if (!part_possible(s, n))
			die("pattern '%s': no program's name has a character "
			    "%s '%.*s'", glob, *s == '[' ? "of" : "like",
			    (int)n, s);
		least += *s == '[' || *s == '\\' ? 1 : n;
	}
	if (least > PROGRAM_MAX)
		die("pattern '%.16s...': no program's name is longer than %d "
		    "bytes", glob, PROGRAM_MAX);
}
