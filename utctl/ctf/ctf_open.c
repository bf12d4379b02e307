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
 * The metadata of a trace: its file, the packets that its text may stand in,
 * and the language of that.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../regular.h"
#include "../say.h"
#include "../when.h"
#include "common/hash.h"
#include "meta/ctf_json.h"

#define PACKET_MAGIC	0x75d11d57u
#define PACKET_HEAD	37		/* bytes */
#define NS		1000000000

static uint32_t
packet_u32(const unsigned char *p, int big)
{
	return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | (uint32_t)p[3] : (uint32_t)p[3] << 24 |
	    (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | (uint32_t)p[0];
}

static int
is_packets(const char *text, size_t n)
{
	const unsigned char *p = (const unsigned char *)text;

	return n >= 4 && (packet_u32(p, 0) == PACKET_MAGIC ||
	    packet_u32(p, 1) == PACKET_MAGIC);
}

/*
 * Put the text of packets together, in place, and return its length; -1: it was
 * said why there is none.  A last one whose content is not whole is still
 * written.
 * A header has the magic, a UUID, a checksum, the bits of the content and of
 * the packet, and five bytes: is it compressed, encrypted, of which checksum
 * and version.
 */
static ssize_t
meta_unpack(struct ctf_trace *tr, char *text, size_t n)
{
	const unsigned char *h;
	size_t at, to = 0, content, packet;
	int big;

	for (at = 0; n - at >= PACKET_HEAD; at += packet) {
		h = (const unsigned char *)text + at;
		big = packet_u32(h, 1) == PACKET_MAGIC;
		content = packet_u32(h + 24, big) / 8;
		packet = packet_u32(h + 28, big) / 8;
		if (packet_u32(h, big) != PACKET_MAGIC ||
		    content < PACKET_HEAD || content > packet) {
			ctf_damage(tr->file, "byte %zu: no packet of metadata",
			    at);
			return -1;
		}
		if (h[32] != 0 || h[33] != 0) {
			ctf_damage(tr->file, "byte %zu: compressed or "
			    "encrypted", at);
			return -1;
		}
		if (memcmp(h + 35, "\1\10", 2) != 0 &&
		    memcmp(h + 35, "\2", 2) != 0) {
			ctf_damage(tr->file, "byte %zu: version %u.%u of CTF "
			    "is not known here", at, h[35], h[36]);
			return -1;
		}
		if (content > n - at) {
			if (to > 0)
				ctf_warn(tr->file, "byte %zu: a packet of "
				    "metadata that is cut short: events "
				    "described in it are not known", at);
			break;
		}
		memmove(text + to, text + at + PACKET_HEAD,
		    content - PACKET_HEAD);
		to += content - PACKET_HEAD;
		if (packet > n - at)
			break;
	}
	return (ssize_t)to;
}

/* Is it what gzip, zstd, xz, bzip2 or zip makes?  There are ten bytes. */
static int
is_compressed(const char *text)
{
	static const char *const begins[] = { "\x1f\x8b", "\x28\xb5\x2f\xfd",
	    "\3757zXZ", "BZh", "PK\x03\x04" };
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (memcmp(text, begins[i], strlen(begins[i])) == 0)
			return 1;
	return 0;
}

static int
meta_parse(struct ctf_trace *tr, char *text, size_t n)
{
	const int packets = is_packets(text, n);
	ssize_t unpacked;

	if (packets) {
		if ((unpacked = meta_unpack(tr, text, n)) == -1)
			return -1;
		n = (size_t)unpacked;
	}
	if (n > 0 && text[0] == CTF_RS)
		return ctf_fragments(tr, text, n);
	if (n >= 10 && !packets && memcmp(text, "/* CTF 1.8", 10) != 0) {
		ctf_damage(tr->file, is_compressed(text) ? "compressed: "
		    "unpack it first, and the trace's other files" :
		    "no metadata of CTF 1.8 or CTF 2");
		return -1;
	}
	return ctf_tsdl(tr, text, n);
}

/* A file's bytes, which may become more meanwhile. */
static char *
meta_read(const char *file, size_t *np)
{
	struct stat st;
	char *buf = NULL;
	size_t n = 0, cap = 0;
	ssize_t got = 1;
	int fd;

	if ((fd = regular_open(AT_FDCWD, file, O_NOFOLLOW, &st)) == -1)
		return NULL;
	while (got > 0 && n < CTF_METAMAX) {
		if (n == cap) {
			cap = cap == 0 ? 65536 : 2 * cap;
			if ((buf = realloc(buf, cap)) == NULL)
				die_errno("malloc");
		}
		if ((got = read(fd, buf + n, cap - n)) > 0)
			n += (size_t)got;
	}
	close(fd);
	*np = n;
	if (got != 0) {
		if (got > 0)
			errno = EFBIG;
		free(buf);
		return NULL;
	}
	return buf;
}

/* Clocks with a base as well are ready: most counts are then dated quickly. */
static int
clocks_move(struct ctf_trace *tr, const struct ctf_move *move)
{
	struct ctf_clock *c;

	tr->moved = *move;
	for (c = tr->clocks; c != NULL; c = c->next) {
		c->base = when_sum(c->base, move->ns);
		if (c->base / NS > CTF_AGE || c->base / NS < -CTF_AGE)
			break;
		if (move->rate != 0)
			c->drift = &tr->moved;
		else if (c->freq == NS && c->base >= 0)
			c->fast = (uint64_t)(INT64_MAX - c->base - NS);
	}
	if (c == NULL && (tr->clocks != NULL || !ctf_moves(move)))
		return 1;
	ctf_damage(tr->file, c == NULL ? "an offset needs a clock, and it has "
	    "none" : "the offset moves its dates too far from 1970");
	return 0;
}

/* NULL: it was said why.  The file's name is the trace's from here on. */
struct ctf_trace *
ctf_open(char *file, const struct ctf_move *move)
{
	struct ctf_trace *tr;
	char *text;
	size_t n;
	int ok;

	if ((tr = calloc(1, sizeof(*tr))) == NULL)
		die_errno("malloc");
	tr->file = file;
	tr->kept = tr->kept_points = -1;
	tr->unit = "line";
	if ((text = meta_read(file, &n)) == NULL) {
		ctf_missed(file);
		ctf_close(tr);
		return NULL;
	}
	ok = meta_parse(tr, text, n) == 0 && clocks_move(tr, move);
	free(text);
	if (!ok) {
		ctf_close(tr);
		return NULL;
	}
	if (!tr->hasorigin && tr->hasuuid)
		tr->origin = hash_fnv(tr->origin, tr->uuid, sizeof(tr->uuid));
	else if (!tr->hasorigin)
		tr->origin = hash_fnv(tr->origin, file, strlen(file));
	if (!tr->hasorigin)
		tr->session = hash_fnv(0, file, strlen(file));
	return tr;
}

void
ctf_close(struct ctf_trace *tr)
{
	struct ctf_clock *c;

	for (c = tr->clocks; c != NULL; c = c->next)
		free(c->dates);
	free(tr->points);
	free(tr->points_file);
	ctf_alloc_free(tr);
	map_free(&tr->aliases);
	map_free(&tr->env);
	map_free(&tr->byid);
	free(tr->file);
	free(tr);
}
