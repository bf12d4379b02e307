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
 * The programs and the utctl that talk to the parent of utd.
 */

#include <sys/types.h>
#include <sys/socket.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parent.h"

struct peer {
	int		 fd;
	uint32_t	 nevents;	/* 0: it does not answer */
	bool		 deaf;
	struct ut_msg	 in;
};

static struct peer peers[NPEERS] = {
	{ .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 }
};
static uid_t peer_uid;
static pid_t peer_pid;
static struct ut_msg reply;

int	 __wrap_ut_peer(int, uid_t *, gid_t *, pid_t *);

/* Of who connects now. */
int
__wrap_ut_peer(int s, uid_t *uid, gid_t *gid, pid_t *pid)
{
	(void)s;
	*uid = peer_uid;
	*gid = (gid_t)peer_uid;
	*pid = peer_pid;
	return 0;
}

static void
peer_names(struct peer *p, struct ut_msg *m)
{
	char name[32];
	uint32_t i;

	ut_msg_init(&reply, UT_MSG_NAMES, m->h.a, 0);
	for (i = m->h.a; i < m->h.a + m->h.b && !reply.bad; i++) {
		const uint32_t len = reply.h.len;

		snprintf(name, sizeof(name), "fuzz:e%u", i);
		ut_msg_str(&reply, name);
		ut_msg_u32(&reply, i % 15);
		if (ut_msg_fits(&reply, len))
			continue;
		(void)ut_msg_write(p->fd, &reply);
		ut_msg_init(&reply, UT_MSG_NAMES, i--, 0);
	}
}

static void
put_field(struct ut_msg *m, uint8_t kind)
{
	const bool byte = kind == UT_KIND_STRING || kind == UT_KIND_TEXT ||
	    kind == UT_KIND_SEQ;
	char name[2] = { (char)('a' + kind), '\0' };

	ut_msg_str(m, name);
	ut_msg_u8(m, kind);
	ut_msg_u8(m, byte ? 1 : 4);
	ut_msg_u8(m, kind == UT_KIND_ENUM ? UT_F_SIGNED :
	    kind == UT_KIND_SEQ ? UT_F_TEXT : 0);
	ut_msg_u32(m, kind == UT_KIND_TEXT || kind == UT_KIND_ARRAY ? 3 : 0);
	if (kind != UT_KIND_ENUM)
		return;
	ut_msg_str(m, "enum");
	ut_msg_u32(m, 1);
	ut_msg_str(m, "label");
	ut_msg_u8(m, 1);
	ut_msg_u64(m, 1);
	ut_msg_u64(m, 2);
}

static void
peer_events(struct peer *p, struct ut_msg *m)
{
	static struct ut_msg fields;
	uint32_t i, k, number;

	ut_msg_init(&reply, UT_MSG_EVENTS, m->h.a, 0);
	for (i = 0; i < m->h.b; i++) {
		number = ut_msg_get_u32(m);
		ut_msg_init(&fields, 0, 0, 0);
		ut_msg_u32(&fields, number % (UT_KIND_ENUM + 1));
		for (k = 0; k < number % (UT_KIND_ENUM + 1); k++)
			put_field(&fields, (uint8_t)(k + UT_KIND_INT));
		if (reply.h.len + fields.h.len > UT_MSG_MAX - 64) {
			(void)ut_msg_write(p->fd, &reply);
			ut_msg_init(&reply, UT_MSG_EVENTS, m->h.a, 0);
		}
		ut_msg_u32(&reply, number);
		ut_msg_bytes(&reply, &fields);
		reply.h.b++;
	}
}

static void
peer_answer(struct peer *p)
{
	switch (p->in.h.type) {
	case UT_MSG_LIST:
		peer_names(p, &p->in);
		break;
	case UT_MSG_DESCRIBE:
		peer_events(p, &p->in);
		break;
	case UT_MSG_MAP:
		ut_msg_init(&reply, UT_MSG_ACK, p->in.h.a, 0);
		break;
	default:
		return;
	}
	if (!reply.bad)
		(void)ut_msg_write(p->fd, &reply);
}

static void
peer_drop(struct peer *p)
{
	if (p->fd == -1)
		return;
	close(p->fd);
	p->fd = -1;
	ut_msg_clear(&p->in);
}

static void
peer_read(struct peer *p)
{
	int r;

	if (p->deaf)
		return;
	while ((r = ut_msg_read(p->fd, &p->in)) == 1) {
		if (p->nevents > 0)
			peer_answer(p);
		ut_msg_clear(&p->in);
	}
	if (r == -1)
		peer_drop(p);
}

void
peers_read(void)
{
	struct peer *p;

	for (p = peers; p < peers + NPEERS; p++)
		if (p->fd != -1)
			peer_read(p);
}

void
peer_open(unsigned int n, uid_t uid, pid_t pid)
{
	struct peer *p = &peers[n % NPEERS];

	peer_drop(p);
	peer_uid = uid;
	peer_pid = pid;
	if ((p->fd = ut_msg_connect(fuzz_dir(), 0)) == -1)
		fuzz_die("no connection");
	ut_msg_init(&p->in, 0, 0, 0);
	p->nevents = 0;
	p->deaf = false;
	parent_run();
}

void
peer_deaf(unsigned int n)
{
	peers[n % NPEERS].deaf = !peers[n % NPEERS].deaf;
}

void
peer_close(unsigned int n)
{
	peer_drop(&peers[n % NPEERS]);
}

bool
peer_is_open(unsigned int n)
{
	return peers[n % NPEERS].fd != -1;
}

/* It says hello, and knows what to answer. */
void
peer_behave(unsigned int n, uint32_t nevents)
{
	static struct ut_msg m;

	ut_msg_init(&m, UT_MSG_HELLO, UT_MSG_VERSION,
	    sizeof(void *) * CHAR_BIT);
	ut_msg_u32(&m, 77);
	ut_msg_str(&m, "fuzz");
	ut_msg_u64(&m, 0);
	ut_msg_u64(&m, nevents);
	ut_msg_u32(&m, nevents);
	peers[n % NPEERS].nevents = nevents;
	peer_message(n, &m);
}

void
peer_send(unsigned int n, const void *p, size_t len)
{
	if (peer_is_open(n) && len > 0)
		(void)!send(peers[n % NPEERS].fd, p, len,
		    MSG_DONTWAIT | MSG_NOSIGNAL);
}

void
peer_message(unsigned int n, struct ut_msg *m)
{
	if (!peer_is_open(n))
		return;
	m->have = 0;
	(void)ut_msg_write(peers[n % NPEERS].fd, m);
}

void
input_message(struct input *in, struct ut_msg *m, int type, int nfds)
{
	const uint8_t *p;
	uint32_t a, b;
	size_t n;

	a = input_u8(in);
	if (a == 255)
		a = input_u32(in);
	b = input_u8(in);
	if (b == 255)
		b = input_u32(in);
	n = input_some(in, input_u16(in) % sizeof(m->body), &p);
	ut_msg_init(m, type, a, b);
	if (n > 0)
		memcpy(m->body, p, n);
	m->h.len += (uint32_t)n;
	while (nfds-- > 0)
		ut_msg_fd(m, null_fd);
}
