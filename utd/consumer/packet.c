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
 * The head of a packet: CTF's packet header and packet context, in the order
 * that metadata.c declares, all of it packed and in the byte order of the
 * machine.
 */

#include <stdio.h>
#include <string.h>

#include "sink.h"

#define CTF_MAGIC	0xc1fc1fc1u
#define FIXED		(4 + UUID_LEN + 4 + 8 + 6 * 8)	/* bytes */

static unsigned char *
put(unsigned char *p, const void *v, size_t n)
{
	memcpy(p, v, n);
	return p + n;
}

static unsigned char *
put32(unsigned char *p, uint32_t v)
{
	return put(p, &v, sizeof(v));
}

static unsigned char *
put64(unsigned char *p, uint64_t v)
{
	return put(p, &v, sizeof(v));
}

/* Returns its length; buf has room for PACKET_HEAD_MAX bytes. */
size_t
packet_head(unsigned char *buf, const struct packet *pk)
{
	const size_t who = pk->shared ? 0 : 2 * 4 + strlen(pk->name) + 1;
	const size_t len = FIXED + who;
	unsigned char *p = buf;

	p = put32(p, CTF_MAGIC);
	p = put(p, pk->uuid, UUID_LEN);
	p = put32(p, CTF_STREAM(pk->stream, pk->shared));
	p = put64(p, pk->instance);
	p = put64(p, pk->begin);
	p = put64(p, pk->end);
	p = put64(p, (len + pk->len) * 8);	/* content_size, in bits */
	p = put64(p, (len + pk->len) * 8);	/* packet_size */
	p = put64(p, pk->seq);
	p = put64(p, pk->discarded);
	if (pk->shared)
		return len;
	p = put32(p, pk->pid);
	p = put32(p, pk->tid);
	(void)put(p, pk->name, strlen(pk->name) + 1);
	return len;
}

static uint32_t
get32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t
get64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * The other way round: what a head of ours says, and its length, or 0 if
 * there is none in these n bytes.  uuid and name stay in there.
 */
size_t
packet_read(const unsigned char *p, size_t n, struct packet *pk)
{
	const unsigned char *nul;
	uint64_t size;
	size_t len = FIXED;

	if (n < FIXED || get32(p) != CTF_MAGIC)
		return 0;
	pk->uuid = p + 4;
	p += 4 + UUID_LEN;
	pk->stream = get32(p) / 2;
	pk->shared = get32(p) % 2 != 0;
	pk->instance = get64(p + 4);
	pk->begin = get64(p + 12);
	pk->end = get64(p + 20);
	size = get64(p + 28);
	pk->seq = get64(p + 44);
	pk->discarded = get64(p + 52);
	pk->pid = pk->tid = 0;
	pk->name = "";
	if (!pk->shared) {
		if (n <= FIXED + 8 ||
		    (nul = memchr(p + 68, '\0', n - FIXED - 8)) == NULL)
			return 0;
		pk->pid = get32(p + 60);
		pk->tid = get32(p + 64);
		pk->name = (const char *)p + 68;
		len += (size_t)(nul + 1 - (p + 60));
	}
	if (size != get64(p + 36) || size % 8 != 0 || size / 8 < len)
		return 0;
	pk->len = size / 8 - len;
	return len;
}

/* Can these be the first bytes of a packet of the trace with that UUID? */
bool
packet_begins(const unsigned char *p, size_t n, const unsigned char *uuid)
{
	unsigned char first[4 + UUID_LEN];

	(void)put(put32(first, CTF_MAGIC), uuid, UUID_LEN);
	return memcmp(p, first, n < sizeof(first) ? n : sizeof(first)) == 0;
}
