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
 * Packs numbers into bits, as CTF does: bits le|be <script >stream.  A line of
 * the script is one of
 *
 *	N VALUE		N bits, 1 to 64: decimal, or 0x and hexadecimal
 *	align N		zeros, to a multiple of so many bits
 *	s TEXT		the rest of the line, and a NUL
 *	t TEXT		the rest of the line and a newline
 *	f VALUE, d VALUE	32 and 64 bits: a float, a double
 *	leb VALUE	LEB128; sleb: signed
 *	content N	N bits for how many bits the packet has in all ...
 *	size N		... and how many with what follows these
 *	end [BYTES]	ends the packet, with zeros up to so many bytes
 *	le, be		the order from here on, which is a whole byte
 *
 * Bits are counted from where the packet begins.  The first one of a byte is
 * the lowest in le, and the highest in be.
 */

#include <err.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX	(1 << 20)		/* bytes of a packet */

/* A number that is known at the end of the packet. */
struct later {
	size_t	pos;
	int	nbits;			/* 0: there is none */
	int	be;
};

static unsigned char	 packet[MAX];
static size_t		 pos;		/* bits so far */
static int		 be;
static struct later	 content, size;

static void
put(int nbits, uint64_t v)
{
	int i, bit;

	if (nbits < 1 || nbits > 64 || pos + 64 > (size_t)MAX * 8)
		errx(1, "%d bits at bit %zu", nbits, pos);
	for (i = 0; i < nbits; i++, pos++) {
		bit = (int)(v >> (be ? nbits - 1 - i : i) & 1);
		if (bit)
			packet[pos / 8] |= (unsigned char)(be ?
			    0x80 >> pos % 8 : 1 << pos % 8);
	}
}

static uint64_t
number(const char *s)
{
	char *end;
	uint64_t v;

	v = s[0] == '-' ? (uint64_t)strtoll(s, &end, 0) :
	    strtoull(s, &end, 0);
	if (end == s || *end != '\0')
		errx(1, "no number: %s", s);
	return v;
}

static void
align(size_t n)
{
	if (n == 0)
		errx(1, "align 0");
	pos = (pos + n - 1) / n * n;
}

static void
leb(uint64_t v, int sign)
{
	uint64_t rest;
	int more;

	do {
		rest = sign && v >> 63 ? v >> 7 | ~(UINT64_MAX >> 7) : v >> 7;
		more = sign ? !((rest == 0 && (v & 0x40) == 0) ||
		    (rest == UINT64_MAX && (v & 0x40) != 0)) : rest != 0;
		put(8, (v & 0x7f) | (more ? 0x80 : 0));
		v = rest;
	} while (more);
}

static void
put_later(struct later *l, uint64_t v)
{
	const size_t at = pos;
	const int order = be;

	if (l->nbits == 0)
		return;
	pos = l->pos;
	be = l->be;
	put(l->nbits, v);
	pos = at;
	be = order;
	l->nbits = 0;
}

static void
end(size_t bytes)
{
	const size_t nbits = pos;

	align(8);
	if (bytes * 8 > pos)
		pos = bytes * 8;
	if (pos > (size_t)MAX * 8)
		errx(1, "too large a packet");
	put_later(&content, nbits);
	put_later(&size, pos);
	if (fwrite(packet, 1, pos / 8, stdout) != pos / 8)
		err(1, "stdout");
	memset(packet, 0, sizeof(packet));
	pos = 0;
}

static void
text(const char *s, int last)
{
	for (; *s != '\0'; s++)
		put(8, (unsigned char)*s);
	put(8, (unsigned char)last);
}

static void
later(struct later *l, const char *arg)
{
	l->pos = pos;
	l->nbits = (int)number(arg);
	l->be = be;
	pos += (size_t)l->nbits;
}

static void
put_real(int nbits, const char *s)
{
	double d = strtod(s, NULL);
	float f = (float)d;
	uint32_t w;
	uint64_t v;

	memcpy(&w, &f, sizeof(w));
	memcpy(&v, &d, sizeof(v));
	put(nbits, nbits == 32 ? w : v);
}

static void
command(const char *word, const char *arg)
{
	if (strcmp(word, "le") == 0 || strcmp(word, "be") == 0)
		be = word[0] == 'b';
	else if (strcmp(word, "align") == 0)
		align((size_t)number(arg));
	else if (strcmp(word, "s") == 0)
		text(arg, '\0');
	else if (strcmp(word, "t") == 0)
		text(arg, '\n');
	else if (strcmp(word, "f") == 0)
		put_real(32, arg);
	else if (strcmp(word, "d") == 0)
		put_real(64, arg);
	else if (strcmp(word, "leb") == 0)
		leb(number(arg), 0);
	else if (strcmp(word, "sleb") == 0)
		leb(number(arg), 1);
	else if (strcmp(word, "content") == 0)
		later(&content, arg);
	else if (strcmp(word, "size") == 0)
		later(&size, arg);
	else if (strcmp(word, "end") == 0)
		end(*arg == '\0' ? 0 : (size_t)number(arg));
	else
		put((int)number(word), number(arg));
}

int
main(int argc, char *argv[])
{
	char line[4096], *arg;

	if (argc != 2)
		errx(1, "bits le|be");
	command(argv[1], "");
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if ((arg = strchr(line, ' ')) != NULL)
			*arg++ = '\0';
		if (line[0] != '\0')
			command(line, arg == NULL ? "" : arg);
	}
	if (pos != 0)
		end(0);
	return 0;
}
