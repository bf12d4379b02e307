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

#include <string.h>

#include "utd.h"

#define CTF_MAGIC	0xc1fc1fc1u

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
	size_t name = strlen(pk->name) + 1;
	const size_t len = 4 + UUID_LEN + 4 + 8 + 6 * 8 + 2 * 4 + name;
	unsigned char *p = buf;

	p = put32(p, CTF_MAGIC);
	p = put(p, pk->uuid, UUID_LEN);
	p = put32(p, pk->stream);
	p = put64(p, pk->instance);
	p = put64(p, pk->begin);
	p = put64(p, pk->end);
	p = put64(p, (len + pk->len) * 8);	/* content_size, in bits */
	p = put64(p, (len + pk->len) * 8);	/* packet_size */
	p = put64(p, pk->seq);
	p = put64(p, pk->discarded);
	p = put32(p, pk->pid);
	p = put32(p, pk->tid);
	(void)put(p, pk->name, name);
	return len;
}
