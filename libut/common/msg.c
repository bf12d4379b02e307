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

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat.h"
#include "msg.h"

#define HEAD	sizeof(struct ut_msghdr)
#define BEGIN	offsetof(struct ut_msg, h)

/* Header and body go over the wire as one piece of memory. */
_Static_assert(offsetof(struct ut_msg, body) == BEGIN + HEAD, "ut_msg");

/* Room for the descriptors of one message, aligned as CMSG_ macros want. */
union control {
	struct cmsghdr	hdr;
	unsigned char	buf[CMSG_SPACE(UT_MSG_FDS * sizeof(int))];
};

void
ut_msg_init(struct ut_msg *m, int type, uint32_t a, uint32_t b)
{
	int i;

	m->have = m->pos = 0;
	m->bad = m->nofds = 0;
	for (i = 0; i < UT_MSG_FDS; i++)
		m->fds[i] = -1;
	m->h.len = HEAD;
	m->h.type = (uint16_t)type;
	m->h.nfds = 0;
	m->h.a = a;
	m->h.b = b;
}

static void
item_put(struct ut_msg *m, const void *v, size_t n)
{
	if (m->bad || n > UT_MSG_MAX - m->h.len) {
		m->bad = 1;
		return;
	}
	memcpy(m->body + (m->h.len - HEAD), v, n);
	m->h.len += (uint32_t)n;
}

void
ut_msg_u8(struct ut_msg *m, uint8_t v)
{
	item_put(m, &v, sizeof(v));
}

void
ut_msg_u32(struct ut_msg *m, uint32_t v)
{
	item_put(m, &v, sizeof(v));
}

void
ut_msg_u64(struct ut_msg *m, uint64_t v)
{
	item_put(m, &v, sizeof(v));
}

void
ut_msg_str(struct ut_msg *m, const char *s)
{
	size_t n = strlen(s);
	uint16_t len = (uint16_t)n;

	if (n > UINT16_MAX)
		m->bad = 1;
	item_put(m, &len, sizeof(len));
	item_put(m, s, n);
}

void
ut_msg_blob(struct ut_msg *m, const void *p, size_t n)
{
	ut_msg_u32(m, (uint32_t)n);
	item_put(m, p, n);
}

void
ut_msg_bytes(struct ut_msg *m, const struct ut_msg *of)
{
	ut_msg_blob(m, of->body, of->h.len - HEAD);
}

int
ut_msg_fits(struct ut_msg *m, uint32_t len)
{
	if (!m->bad) {
		m->h.b++;
		return 1;
	}
	m->h.len = len;
	m->bad = 0;
	return 0;
}

void
ut_msg_fd(struct ut_msg *m, int fd)
{
	if (m->h.nfds == UT_MSG_FDS)
		m->bad = 1;
	else
		m->fds[m->h.nfds++] = fd;
}

static void
item_get(struct ut_msg *m, void *v, size_t n)
{
	if (m->bad || n > m->h.len - HEAD - m->pos) {
		m->bad = 1;
		memset(v, 0, n);
		return;
	}
	memcpy(v, m->body + m->pos, n);
	m->pos += n;
}

uint8_t
ut_msg_get_u8(struct ut_msg *m)
{
	uint8_t v;

	item_get(m, &v, sizeof(v));
	return v;
}

uint32_t
ut_msg_get_u32(struct ut_msg *m)
{
	uint32_t v;

	item_get(m, &v, sizeof(v));
	return v;
}

uint64_t
ut_msg_get_u64(struct ut_msg *m)
{
	uint64_t v;

	item_get(m, &v, sizeof(v));
	return v;
}

void
ut_msg_get_str(struct ut_msg *m, char *s, size_t size)
{
	uint16_t n;

	item_get(m, &n, sizeof(n));
	s[0] = '\0';
	if (m->bad || n >= size) {
		m->bad = 1;
		return;
	}
	item_get(m, s, n);
	if (m->bad || memchr(s, '\0', n) != NULL) {
		m->bad = 1;
		n = 0;
	}
	s[n] = '\0';
}

/* Read what ut_msg_bytes has put there. */
void
ut_msg_get_bytes(struct ut_msg *m, struct ut_msg *to)
{
	const uint32_t n = ut_msg_get_u32(m);

	ut_msg_init(to, 0, 0, 0);
	if (m->bad || n > m->h.len - HEAD - m->pos) {
		m->bad = 1;
		return;
	}
	item_put(to, m->body + m->pos, n);
	m->pos += n;
}

int
ut_msg_more(const struct ut_msg *m)
{
	return !m->bad && m->pos < m->h.len - HEAD;
}

int
ut_msg_get_fd(struct ut_msg *m)
{
	int i, fd;

	for (i = 0; i < UT_MSG_FDS; i++) {
		if ((fd = m->fds[i]) != -1) {
			m->fds[i] = -1;
			return fd;
		}
	}
	m->bad = 1;
	errno = m->nofds ? EMFILE : EPROTO;
	return -1;
}

void
ut_msg_clear(struct ut_msg *m)
{
	int i;

	for (i = 0; i < UT_MSG_FDS; i++)
		if (m->fds[i] != -1)
			close(m->fds[i]);
	ut_msg_init(m, 0, 0, 0);
}

/*
 * Keep what descriptors came.  If we may not have another, the message is
 * there without; who needs them finds out.
 */
static void
take_fds(struct ut_msg *m, struct msghdr *mh)
{
	struct cmsghdr *c;
	size_t i, n, kept = 0;
	int fd;

	for (c = CMSG_FIRSTHDR(mh); c != NULL; c = CMSG_NXTHDR(mh, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (kept < UT_MSG_FDS && m->fds[kept] == -1)
				m->fds[kept++] = fd;
			else
				close(fd);
		}
	}
	m->nofds |= (mh->msg_flags & MSG_CTRUNC) != 0;
}

static ssize_t
read_head(int s, struct ut_msg *m)
{
	union control control;
	struct msghdr mh;
	struct iovec iov;
	ssize_t n;

	iov.iov_base = (unsigned char *)m + BEGIN + m->have;
	iov.iov_len = HEAD - m->have;
	memset(&mh, 0, sizeof(mh));
	mh.msg_iov = &iov;
	mh.msg_iovlen = 1;
	mh.msg_control = control.buf;
	mh.msg_controllen = sizeof(control.buf);
	n = ut_recvmsg(s, &mh);
	if (n > 0)
		take_fds(m, &mh);
	if (n != -1 || errno != EMSGSIZE)
		return n;
	m->nofds = 1;
	return recv(s, iov.iov_base, iov.iov_len, MSG_DONTWAIT);
}

static int
read_some(int s, struct ut_msg *m, bool bare)
{
	ssize_t n;

	if (m->have == 0)
		m->h.len = HEAD;
	for (;;) {
		if (bare)
			n = ut_recv_bare(s, (unsigned char *)m + BEGIN +
			    m->have, (m->have < HEAD ? HEAD : m->h.len) -
			    m->have);
		else if (m->have < HEAD)
			n = read_head(s, m);
		else
			n = recv(s, m->body + (m->have - HEAD),
			    m->h.len - m->have, MSG_DONTWAIT);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
		if (n == 0) {
			errno = 0;
			return -1;
		}
		m->have += (size_t)n;
		if (m->have < HEAD)
			continue;
		if (m->h.len < HEAD || m->h.len > UT_MSG_MAX ||
		    m->h.nfds > UT_MSG_FDS) {
			errno = EPROTO;
			return -1;
		}
		if (m->have == m->h.len)
			return 1;
	}
}

int
ut_msg_read(int s, struct ut_msg *m)
{
	return read_some(s, m, false);
}

int
ut_msg_read_bare(int s, struct ut_msg *m)
{
	return read_some(s, m, true);
}

int
ut_msg_write(int s, struct ut_msg *m)
{
	union control control;
	struct cmsghdr *c;
	struct msghdr mh;
	struct iovec iov;
	ssize_t n;

	while (m->have < m->h.len) {
		iov.iov_base = (unsigned char *)m + BEGIN + m->have;
		iov.iov_len = m->h.len - m->have;
		memset(&mh, 0, sizeof(mh));
		mh.msg_iov = &iov;
		mh.msg_iovlen = 1;
		if (m->have == 0 && m->h.nfds > 0) {
			memset(&control, 0, sizeof(control));
			mh.msg_control = control.buf;
			mh.msg_controllen = CMSG_SPACE(m->h.nfds * sizeof(int));
			c = CMSG_FIRSTHDR(&mh);
			c->cmsg_level = SOL_SOCKET;
			c->cmsg_type = SCM_RIGHTS;
			c->cmsg_len = CMSG_LEN(m->h.nfds * sizeof(int));
			memcpy(CMSG_DATA(c), m->fds, m->h.nfds * sizeof(int));
		}
		n = sendmsg(s, &mh, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
		m->have += (size_t)n;
	}
	return 1;
}

int64_t
ut_msg_now(void)
{
	struct timespec ts;

	ut_clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Wait for the socket; the caller tries again afterwards. */
static int
wait_for(int s, short events, int64_t deadline)
{
	struct pollfd pfd;
	int64_t left = -1;
	int n;

	if (deadline != -1) {
		left = deadline - ut_msg_now();
		if (left < 0)
			left = 0;
		if (left > 60000)
			left = 60000;
	}
	pfd.fd = s;
	pfd.events = events;
	n = poll(&pfd, 1, (int)left);
	if (n == -1 && errno != EINTR)
		return -1;
	if (n == 0 && deadline != -1 && ut_msg_now() >= deadline) {
		errno = ETIMEDOUT;
		return -1;
	}
	return 0;
}

static int
recv_until(int s, struct ut_msg *m, int64_t deadline, bool bare)
{
	int r;

	while ((r = read_some(s, m, bare)) == 0)
		if (wait_for(s, POLLIN, deadline) == -1)
			return -1;
	return r == 1 ? 0 : -1;
}

int
ut_msg_recv(int s, struct ut_msg *m, int64_t deadline)
{
	return recv_until(s, m, deadline, false);
}

int
ut_msg_recv_bare(int s, struct ut_msg *m, int64_t deadline)
{
	return recv_until(s, m, deadline, true);
}

int
ut_msg_send(int s, struct ut_msg *m, int64_t deadline)
{
	int r;

	if (m->bad) {
		errno = EMSGSIZE;
		return -1;
	}
	while ((r = ut_msg_write(s, m)) == 0)
		if (wait_for(s, POLLOUT, deadline) == -1)
			return -1;
	return r == 1 ? 0 : -1;
}

/*
 * Is it the socket of a process that lives?  The BSDs refuse a connection in
 * the same way whether the queue of utd is full or utd is gone.  Of a socket
 * that is not bound any more they say that also to a socket of another type,
 * of one that is bound that the types differ.
 */
static bool
is_bound(const struct sockaddr_un *sun)
{
	int s = ut_socket(SOCK_DGRAM);
	bool bound;

	if (s == -1)
		return false;
	bound = connect(s, (const struct sockaddr *)sun, sizeof(*sun)) == -1 &&
	    errno == EPROTOTYPE;
	close(s);
	return bound;
}

int
ut_msg_connect(const char *rundir, int64_t deadline)
{
	static const struct timespec nap = { 0, 1000000 };
	struct sockaddr_un sun;
	struct stat st;
	int s, n, saved;

	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	n = snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%s", rundir,
	    UT_SOCKET);
	if (n < 0 || (size_t)n >= sizeof(sun.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	/* Without a utd the program sees no descriptor come and go. */
	if (lstat(sun.sun_path, &st) == -1 ||
	    (s = ut_socket(SOCK_STREAM)) == -1)
		return -1;
	while (connect(s, (struct sockaddr *)&sun, sizeof(sun)) == -1) {
		if (errno == EISCONN)
			break;
		if (UT_FULL_REFUSES && errno == ECONNREFUSED && is_bound(&sun))
			errno = EAGAIN;
		if ((errno == EAGAIN || errno == EINTR) &&
		    (deadline == -1 || ut_msg_now() < deadline)) {
			nanosleep(&nap, NULL);
			continue;
		}
		saved = errno;
		close(s);
		errno = saved;
		return -1;
	}
	return s;
}
