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
 * Sockets: what compat.h says of them.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#if defined(__FreeBSD__)
#include <sys/param.h>
#include <sys/ucred.h>
#endif
#if defined(__FreeBSD__) || defined(__NetBSD__)
#include <sys/un.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../ut_msg.h"
#include "compat.h"

#define HIGH_FD	400		/* programs hardly have so many */

int
ut_nonblock(int fd)
{
	int flags;

	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == -1 ||
	    (flags = fcntl(fd, F_GETFL)) == -1)
		return -1;
	return fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* NetBSD's poll(2) tells no POLLHUP of a socket; this works everywhere. */
int
ut_hung_up(int s)
{
	return send(s, "", 0, MSG_NOSIGNAL | MSG_DONTWAIT) == -1 &&
	    errno == EPIPE;
}

/*
 * NetBSD's kernel looks for the socket in the descriptors of the process that
 * is to get SIGIO, and takes no lock for it (kpsignal in sys/kern/kern_sig.c):
 * it falls over when that process closes one meanwhile.
 */
int
ut_signal_end(int fd)
{
#if defined(__linux__) && !defined(UT_POSIX)
	(void)fd;
	return prctl(PR_SET_PDEATHSIG, (unsigned long)SIGIO, 0L, 0L, 0L);
#elif defined(O_ASYNC) && defined(F_SETOWN) && !defined(__NetBSD__) && \
    !defined(UT_POSIX)
	int flags;

	if (fcntl(fd, F_SETOWN, getpid()) == -1 ||
	    (flags = fcntl(fd, F_GETFL)) == -1)
		return -1;
	return fcntl(fd, F_SETFL, flags | O_ASYNC) == -1 ? -1 : 0;
#else
	(void)fd;
	errno = ENOTSUP;
	return -1;
#endif
}

/*
 * exec of NetBSD 8 looks for descriptors to be closed only if a call other than
 * F_DUPFD_CLOEXEC has marked one in this process.
 */
int
ut_high_fd(int fd)
{
	int high = -1, least;

	for (least = HIGH_FD; high == -1 && least > fd; least /= 2)
		high = fcntl(fd, F_DUPFD_CLOEXEC, least);
	if (high == -1)
		high = fd;
	else
		close(fd);
	(void)fcntl(high, F_SETFD, FD_CLOEXEC);
	return high;
}

int
ut_fd_is(int fd, dev_t dev, ino_t ino)
{
	struct stat st;

	return fd != -1 && fstat(fd, &st) == 0 && st.st_dev == dev &&
	    st.st_ino == ino;
}

int
ut_socket(int type)
{
	int s;

#if defined(SOCK_CLOEXEC) && defined(SOCK_NONBLOCK) && !defined(UT_POSIX)
	s = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
	if ((s = socket(AF_UNIX, type, 0)) != -1 &&
	    ut_nonblock(s) == -1) {
		close(s);
		s = -1;
	}
#endif
	return s;
}

int
ut_accept(int listener)
{
	int s;

#if defined(__NetBSD__) && !defined(UT_POSIX)
	/* Older than accept4, which came with NetBSD 8. */
	s = paccept(listener, NULL, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#elif defined(SOCK_CLOEXEC) && defined(SOCK_NONBLOCK) && !defined(UT_POSIX)
	s = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
	int error;

	if ((s = accept(listener, NULL, NULL)) != -1 &&
	    ut_nonblock(s) == -1) {
		error = errno;
		close(s);
		errno = error;
		s = -1;
	}
#endif
	return s;
}

#if defined(__NetBSD__)

/*
 * A process that may not have the descriptors of a message loses descriptor 0,
 * which the system closes in place of one that it has not made: NetBSD 6.99.
 * So see first, with some to spare, for other threads open files, too.
 */
#define SPARE	2

static int
fds_left(int s)
{
	int fds[UT_MSG_FDS + SPARE], n, had = 0;

	for (n = 0; n < UT_MSG_FDS + SPARE; n++)
		if ((fds[n] = fcntl(s, F_DUPFD_CLOEXEC, 0)) != -1)
			had++;
	for (n = 0; n < had; n++)
		close(fds[n]);
	return had == UT_MSG_FDS + SPARE;
}

#else

static int
fds_left(int s)
{
	(void)s;
	return 1;
}

#endif

ssize_t
ut_recvmsg(int s, struct msghdr *mh)
{
	if (!fds_left(s)) {
		errno = EMSGSIZE;
		return -1;
	}
#if defined(MSG_CMSG_CLOEXEC) && !defined(UT_POSIX)
	return recvmsg(s, mh, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
#else
	struct cmsghdr *c;
	ssize_t n = recvmsg(s, mh, MSG_DONTWAIT);
	size_t i;
	int fd;

	if (n <= 0)
		return n;
	for (c = CMSG_FIRSTHDR(mh); c != NULL; c = CMSG_NXTHDR(mh, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (i = 0; CMSG_LEN((i + 1) * sizeof(fd)) <= c->cmsg_len;
		    i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
		}
	}
	return n;
#endif
}

ssize_t
ut_recv_bare(int s, void *p, size_t n)
{
	struct iovec iov = { p, n };
	struct msghdr mh;
	ssize_t there;

	memset(&mh, 0, sizeof(mh));
	mh.msg_iov = &iov;
	mh.msg_iovlen = 1;
	there = recvmsg(s, &mh, MSG_PEEK | MSG_DONTWAIT);
	if (there > 0 && (mh.msg_flags & MSG_CTRUNC) != 0) {
		errno = EBADMSG;
		return -1;
	}
	/* No more than that: a descriptor may have come behind it. */
	return there > 0 ? recv(s, p, (size_t)there, MSG_DONTWAIT) : there;
}

/* Linux 6.16; most architectures have that number. */
#if defined(__linux__) && !defined(SO_PASSRIGHTS) && (defined(__x86_64__) || \
    defined(__i386__) || defined(__aarch64__) || defined(__arm__) || \
    defined(__riscv) || defined(__s390x__))
#define SO_PASSRIGHTS	83
#endif

void
ut_refuse_fds(int s)
{
#if defined(SO_PASSRIGHTS) && !defined(UT_POSIX)
	const int no = 0;

	(void)setsockopt(s, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof(no));
#else
	(void)s;
#endif
}

#if defined(__linux__) || defined(__OpenBSD__)

#if defined(__OpenBSD__)
#define ucred	sockpeercred
#endif

int
ut_peer(int s, uid_t *uid, gid_t *gid, pid_t *pid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(s, SOL_SOCKET, SO_PEERCRED, &cred, &len) == -1)
		return -1;
	*uid = cred.uid;
	*gid = cred.gid;
	*pid = cred.pid;
	return 0;
}

#elif defined(__NetBSD__)

int
ut_peer(int s, uid_t *uid, gid_t *gid, pid_t *pid)
{
	struct unpcbid cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(s, 0, LOCAL_PEEREID, &cred, &len) == -1)
		return -1;
	*uid = cred.unp_euid;
	*gid = cred.unp_egid;
	*pid = cred.unp_pid;
	return 0;
}

#elif defined(__FreeBSD__) && __FreeBSD_version >= 1300030

/* A jail has no number for a process outside. */
int
ut_peer(int s, uid_t *uid, gid_t *gid, pid_t *pid)
{
	struct xucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(s, 0, LOCAL_PEERCRED, &cred, &len) == -1)
		return -1;
	if (cred.cr_version != XUCRED_VERSION) {
		errno = EINVAL;
		return -1;
	}
	*uid = cred.cr_uid;
	*gid = cred.cr_groups[0];
	*pid = kill(cred.cr_pid, 0) == -1 && errno == ESRCH ? 0 : cred.cr_pid;
	return 0;
}

#elif defined(__FreeBSD__) || defined(__DragonFly__) || defined(__APPLE__)

int
ut_peer(int s, uid_t *uid, gid_t *gid, pid_t *pid)
{
	*pid = 0;
	return getpeereid(s, uid, gid);
}

#else
#error "who is at the other end of a UNIX socket on this system?"
#endif

/* Linux 6.5; most architectures have that number. */
#if defined(__linux__) && !defined(SO_PEERPIDFD) && (defined(__x86_64__) || \
    defined(__i386__) || defined(__aarch64__) || defined(__arm__) || \
    defined(__riscv) || defined(__s390x__))
#define SO_PEERPIDFD	77
#endif

#if defined(SO_PEERPIDFD) && !defined(UT_POSIX)

static int
peer_pidfd(int s)
{
	socklen_t len = sizeof(int);
	int fd;

	return getsockopt(s, SOL_SOCKET, SO_PEERPIDFD, &fd, &len) == -1 ?
	    -1 : fd;
}

/* We are not dead: a failure would be that of the system. */
static int
peer_pidfd_works(void)
{
	int pair[2], fd;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1)
		return 0;
	fd = peer_pidfd(pair[0]);
	close(pair[0]);
	close(pair[1]);
	if (fd != -1)
		close(fd);
	return fd != -1;
}

int
ut_peer_life(int s)
{
	int fd, error;

	if ((fd = peer_pidfd(s)) != -1)
		return fd;
	error = errno;
	/* Before Linux 6.16, that its parent has waited for it. */
	if ((error == ESRCH || error == EINVAL) && peer_pidfd_works())
		errno = ESRCH;
	else
		errno = error == ESRCH ? ENOTSUP : error;
	return -1;
}

#else

int
ut_peer_life(int s)
{
	(void)s;
	errno = ENOTSUP;
	return -1;
}

#endif
