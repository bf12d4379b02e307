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

#include <stddef.h>
#include <string.h>

#include "output.h"

/* Unless the packet is shared, pid, tid and names come after that. */
struct head {
	uint32_t	 magic;
	unsigned char	 uuid[UUID_LEN];
	uint32_t	 stream;
	uint64_t	 instance;
	uint64_t	 begin, end;
	uint64_t	 content_size;	/* bits */
	uint64_t	 packet_size;	/* bits */
	uint64_t	 seq;
	uint64_t	 discarded;
};

#define WHO	sizeof(struct head)	/* where pid and tid are */
#define NAME	(WHO + 2 * sizeof(uint32_t))

_Static_assert(sizeof(struct head) == 4 + UUID_LEN + 4 + 7 * 8, "padding");

const size_t packet_end_at = offsetof(struct head, end);
const size_t packet_discarded_at = offsetof(struct head, discarded);

/* Write to p whose packet it is; returns the end. */
static unsigned char *
put_who(unsigned char *p, const struct packet *pk)
{
	const uint32_t who[2] = { pk->pid, pk->tid };
	const size_t name = strlen(pk->name) + 1;
	const size_t thread = strnlen(pk->thread, sizeof(pk->thread));

	memcpy(p, who, sizeof(who));
	p += sizeof(who);
	memcpy(p, pk->name, name);
	p += name;
	memcpy(p, pk->thread, thread);
	p += thread;
	*p++ = '\0';
	return p;
}

/* Write the head to buf, of PACKET_HEAD_MAX bytes; returns its length. */
size_t
packet_head(unsigned char *buf, const struct packet *pk)
{
	const size_t len = pk->shared ? WHO :
	    (size_t)(put_who(buf + WHO, pk) - buf);
	struct head h;

	h.magic = CTF_MAGIC;
	memcpy(h.uuid, pk->uuid, UUID_LEN);
	h.stream = CTF_STREAM(pk->stream, pk->shared);
	h.instance = pk->instance;
	h.begin = pk->begin;
	h.end = pk->end;
	h.content_size = h.packet_size = (len + pk->len) * 8;
	h.seq = pk->seq;
	h.discarded = pk->discarded;
	memcpy(buf, &h, sizeof(h));
	return len;
}

/*
 * The other way round: what a head of ours says, and its length, or 0 if
 * there is none in these n bytes.  uuid and name stay in there; what the thread
 * was called does not matter.
 */
size_t
packet_read(const unsigned char *p, size_t n, struct packet *pk)
{
	const unsigned char *nul;
	struct head h;
	uint32_t who[2] = { 0, 0 };
	size_t len = WHO;

	if (n < sizeof(h))
		return 0;
	memcpy(&h, p, sizeof(h));
	if (h.magic != CTF_MAGIC)
		return 0;
	pk->uuid = p + offsetof(struct head, uuid);
	pk->stream = h.stream / 2;
	pk->shared = h.stream % 2 != 0;
	pk->instance = h.instance;
	pk->begin = h.begin;
	pk->end = h.end;
	pk->seq = h.seq;
	pk->discarded = h.discarded;
	pk->name = "";
	if (!pk->shared) {
		if (n <= NAME ||
		    (nul = memchr(p + NAME, '\0', n - NAME)) == NULL)
			return 0;
		memcpy(who, p + WHO, sizeof(who));
		pk->name = (const char *)p + NAME;
		len = (size_t)(nul + 1 - p);
		if ((nul = memchr(p + len, '\0', n - len)) == NULL)
			return 0;
		len = (size_t)(nul + 1 - p);
	}
	pk->pid = who[0];
	pk->tid = who[1];
	if (h.content_size != h.packet_size || h.packet_size % 8 != 0 ||
	    h.packet_size / 8 < len)
		return 0;
	pk->len = h.packet_size / 8 - len;
	return len;
}

/* Can these be the first bytes of a packet of the trace with that UUID? */
bool
packet_begins(const unsigned char *p, size_t n, const unsigned char *uuid)
{
	const size_t most = offsetof(struct head, stream);
	struct head h;

	h.magic = CTF_MAGIC;
	memcpy(h.uuid, uuid, UUID_LEN);
	return memcmp(p, &h, n < most ? n : most) == 0;
}
