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
 * Something worse in the place of utd: badutd dir [seed [first]].  Each process
 * that connects gets the next of some hundred talks, from the first on, which
 * are a good one with one thing spoiled, and then some that are made up; it
 * gets the same when it comes again.  What it is is printed first; after the
 * last, "end", and what follows is silence.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/ut_msg.h"
#include "header.h"

#define CHANNEL	7
#define NSLOTS	64
#define NSUBS	4
#define SUBSIZE	4096
#define FDS	200			/* with one message, at most */
#define MADE_UP	60

static const char *dir;
static uint64_t state = 1;
static int sock;
static int talk = -1;			/* number of this one, */
static int turn;			/* and of that being looked for */
static int quiet;			/* all talks are over */

/* A message, and the descriptors beside it. */
static struct {
	struct ut_msghdr h;
	unsigned char	body[4096];
	size_t		len;		/* of all of it */
	int		fds[FDS];
	int		nfds;
} m;

static struct ut_header *region;	/* that which a talk begins with */
static size_t size;
static int region_fd, bell_fd;

static uint32_t
rnd(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33) % n;
}

static uint64_t
odd(unsigned int i)
{
	static const uint64_t odds[] = { 0, 1, 15, 17, 127, 4097, 65536,
	    65537, 0x7fffffff, 0x80000000, 0xffffffff,
	    UINT64_C(0x100000000), UINT64_C(1) << 63, UINT64_MAX };

	return odds[i % 14];
}
#define NODD	14

/* Files that no longer have a name. */
static int
make_file(size_t n)
{
	char name[200];
	int fd;

	snprintf(name, sizeof(name), "/tmp/ut-badutd-XXXXXX");
	if ((fd = mkstemp(name)) == -1 || ftruncate(fd, (off_t)n) == -1)
		err(1, "%s", name);
	unlink(name);
	return fd;
}

static void
make_region(void)
{
	struct ut_header *h, good;

	good_header(&good, NSLOTS, NSUBS, SUBSIZE);
	size = (size_t)good.size;
	region_fd = make_file(size);
	bell_fd = make_file(4096);
	h = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, region_fd, 0);
	if (h == MAP_FAILED)
		err(1, "mmap");
	good_header(h, NSLOTS, NSUBS, SUBSIZE);
	h->bell = 1;
	h->asleep = 1;
	h->active = 1;
	region = h;
}

static void
put(const void *p, size_t n)
{
	memcpy(m.body + m.len - sizeof(m.h), p, n);
	m.len += n;
	m.h.len = (uint32_t)m.len;
}

static void
put32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void
put_str(const char *s)
{
	const uint16_t n = (uint16_t)strlen(s);

	put(&n, sizeof(n));
	put(s, n);
}

static void
begin(int type, uint32_t a, uint32_t b)
{
	memset(&m, 0, sizeof(m));
	m.h.type = (uint16_t)type;
	m.h.a = a;
	m.h.b = b;
	m.len = m.h.len = sizeof(m.h);
}

/* So many bytes of it; what the program has to say is not heard. */
static void
post(size_t n)
{
	static unsigned char buf[UT_MSG_MAX];
	union {
		struct cmsghdr	hdr;
		unsigned char	room[CMSG_SPACE(FDS * sizeof(int))];
	} control;
	struct pollfd pfd = { sock, POLLOUT, 0 };
	struct iovec iov = { &m, n };
	struct msghdr mh;
	struct cmsghdr *c;

	memset(&mh, 0, sizeof(mh));
	mh.msg_iov = &iov;
	mh.msg_iovlen = 1;
	if (m.nfds > 0) {
		memset(&control, 0, sizeof(control));
		mh.msg_control = control.room;
		mh.msg_controllen = CMSG_SPACE((size_t)m.nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN((size_t)m.nfds * sizeof(int));
		memcpy(CMSG_DATA(c), m.fds, (size_t)m.nfds * sizeof(int));
	}
	while (recv(sock, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		continue;
	if (poll(&pfd, 1, 1000) == 1)
		(void)sendmsg(sock, &mh, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The good talk. */

#define NMESSAGES	8

static void
message(int i)
{
	static uint64_t number = 4711;

	switch (i) {
	case 0:
		begin(UT_MSG_WELCOME, UT_MSG_VERSION, 0);
		number++;
		put(&number, sizeof(number));
		break;
	case 1:
		begin(UT_MSG_LIST, 0, 1);
		break;
	case 2:
		begin(UT_MSG_DESCRIBE, CHANNEL, 1);
		put32(0);
		break;
	case 3:
		begin(UT_MSG_ATTACH, CHANNEL, 0);
		put("\0", 2);
		put32(2);			/* contexts */
		put_str("cpu");
		put_str("app_x");
		m.h.nfds = 2;
		m.nfds = 2;
		m.fds[0] = region_fd;
		m.fds[1] = bell_fd;
		break;
	case 4:
		begin(UT_MSG_MAP, CHANNEL, 1);
		put32(0);
		put32(1);
		break;
	case 5:
		begin(UT_MSG_DONE, 0, 0);
		break;
	case 6:
		begin(UT_MSG_MAP, CHANNEL, 1);
		put32(0);
		put32(0);
		break;
	case 7:
		begin(UT_MSG_DETACH, CHANNEL, 0);
		break;
	}
}

static void
say(int i)
{
	message(i);
	post(m.len);
}

static void
say_from(int i, int end)
{
	for (; i < end; i++)
		say(i);
}

/* Is it this one's turn? */
static int
mine(const char *what, int i, unsigned int k)
{
	if (turn++ != talk)
		return 0;
	printf("%d: %s %d %u\n", talk, what, i, k);
	say_from(0, i);
	message(i);
	return 1;
}

/* After what was spoiled, as if it had not been, or nothing. */
static void
go_on(int i)
{
	post(m.len);
	say_from(i + 1, NMESSAGES);
}

/* A header or a body that is wrong. */
static int
heads(int i)
{
	unsigned int k;

	for (k = 0; k < NODD - 3; k++) {
		if (mine("length", i, k)) {
			m.h.len = (uint32_t)odd(k);
			go_on(i);
			return 1;
		}
		if (mine("a", i, k)) {
			m.h.a = (uint32_t)odd(k);
			go_on(i);
			return 1;
		}
		if (mine("b", i, k)) {
			m.h.b = (uint32_t)odd(k);
			go_on(i);
			return 1;
		}
	}
	for (k = 0; k < 4; k++) {
		if (mine("type", i, k)) {
			m.h.type = (uint16_t)(k == 0 ? 0 : k == 1 ? 17 :
			    k == 2 ? 24 : 0xffff);
			go_on(i);
			return 1;
		}
		if (mine("nfds", i, k)) {
			m.h.nfds = (uint16_t)(k == 3 ? 0xffff : k);
			go_on(i);
			return 1;
		}
	}
	return 0;
}

static int
bodies(int i)
{
	unsigned int k;

	message(i);
	for (k = 0; k < m.len; k += k < sizeof(m.h) ? 5 : 1) {
		/* There is no more, and the program cannot know. */
		if (mine("broken off", i, k)) {
			post(k);
			return 1;
		}
		if (mine("short", i, k)) {
			m.h.len = (uint32_t)(m.len = k < sizeof(m.h) ?
			    sizeof(m.h) : k);
			go_on(i);
			return 1;
		}
		message(i);
	}
	for (k = 0; k < 4; k++)
		if (mine("garbage", i, k)) {
			while (m.len < sizeof(m.h) + 16 + k * 100)
				put32(rnd(2) ? rnd(3) : rnd(UINT32_MAX));
			m.h.b = rnd(100);
			go_on(i);
			return 1;
		}
	return 0;
}

static int
orders(int i)
{
	unsigned int k;

	if (mine("missing", i, 0)) {
		say_from(i + 1, NMESSAGES);
		return 1;
	}
	for (k = 2; k <= 1000; k *= 500)
		if (mine("repeated", i, k)) {
			while (--k > 0)
				post(m.len);
			go_on(i);
			return 1;
		}
	if (mine("first", i, 0)) {
		say(i);
		say_from(0, NMESSAGES);
		return 1;
	}
	return 0;
}

static int
other_fd(unsigned int k)
{
	static int pair[2];

	switch (k) {
	case 0:
		return open("/", O_RDONLY);
	case 1:
		return open("/dev/null", O_RDWR);
	case 2:
		return open("/dev/zero", O_RDWR);
	case 3:
		return open("/etc/passwd", O_RDONLY);
	case 4:
		return pipe(pair) == -1 ? -1 : pair[0];
	case 5:
		return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1 ? -1 :
		    pair[0];
	case 6:
		return make_file(0);
	case 7:
		return make_file(100);
	case 8:
		return make_file(size);
	}
	return -1;
}

/* So many that one kept of each would be seen. */
static int
many_fds(void)
{
	unsigned int k;
	int i, fd;

	for (k = 0; k < 2; k++) {
		if (!mine("many descriptors", 3, k))
			continue;
		fd = k == 0 ? make_file(size) : region_fd;
		for (i = 1; i <= 100; i++) {
			message(3);
			m.h.a += (uint32_t)i;
			m.fds[0] = fd;
			post(m.len);
		}
		go_on(3);
		return 1;
	}
	return 0;
}

/* Descriptors that are no region, or no bell. */
static int
fds(void)
{
	unsigned int k;
	int n;

	for (k = 0; k < 9; k++) {
		for (n = 0; n < 2; n++) {
			if (mine("descriptor", 3, 2 * k + (unsigned)n)) {
				m.fds[n] = other_fd(k);
				go_on(3);
				return 1;
			}
		}
	}
	for (n = 0; n <= FDS; n = n < 4 ? n + 1 : n * 50) {
		if (mine("descriptors", 3, (unsigned)n)) {
			for (m.nfds = 0; m.nfds < n; m.nfds++)
				m.fds[m.nfds] = m.nfds % 2 ? bell_fd :
				    region_fd;
			go_on(3);
			return 1;
		}
		if (mine("descriptors with DONE", 5, (unsigned)n)) {
			for (m.nfds = 0; m.nfds < n; m.nfds++)
				m.fds[m.nfds] = region_fd;
			go_on(5);
			return 1;
		}
	}
	return 0;
}

/* The region is other than its header says. */
static int
regions(void)
{
	static const uint8_t offsets[] = {
		offsetof(struct ut_header, magic),
		offsetof(struct ut_header, version),
		offsetof(struct ut_header, size),
		offsetof(struct ut_header, slots),
		offsetof(struct ut_header, subs),
		offsetof(struct ut_header, data),
		offsetof(struct ut_header, nslots),
		offsetof(struct ut_header, nsubs),
		offsetof(struct ut_header, subsize),
		offsetof(struct ut_header, mode),
		offsetof(struct ut_header, clock)
	};
	const uint64_t parts[] = { region->slots, region->subs,
	    region->data, size - SUBSIZE, size - UT_ABI_LINE,
	    region->slots + UT_ABI_LINE };
	unsigned int i, k;
	uint64_t v;

	for (i = 0; i < sizeof(offsets); i++) {
		for (k = 0; k < NODD + 6; k++) {
			if (!mine("field", 3, i * 100 + k))
				continue;
			v = k < NODD ? odd(k) : parts[k - NODD];
			memcpy((char *)region + offsets[i], &v,
			    i >= 2 && i <= 5 ? 8 : 4);
			go_on(3);
			return 1;
		}
	}
	for (k = 0; k < 6; k++) {
		if (mine("size", 3, k)) {
			if (ftruncate(region_fd, k == 0 ? 0 : k == 1 ? 10 :
			    k == 2 ? 384 : k == 3 ? (off_t)parts[1] :
			    k == 4 ? (off_t)size - 1 : (off_t)size + 1) == -1)
				err(1, "ftruncate");
			go_on(3);
			return 1;
		}
	}
	if (mine("bell", 3, 0)) {
		for (k = 0; k < 1000; k++) {
			v = rnd(UINT32_MAX);
			if (pwrite(bell_fd, &v, 4, k * 4) != 4)
				err(1, "pwrite");
		}
		say_from(3, 6);
		usleep(50000);		/* let it ring */
		return 1;
	}
	if (mine("bell cut off", 3, 0)) {
		say_from(3, 6);
		if (ftruncate(bell_fd, 0) == -1)
			err(1, "ftruncate");
		usleep(50000);
		return 1;
	}
	return 0;
}

/* Fields that change under the program's hands. */
static int
changes(void)
{
	struct ut_subbuf *subs;
	unsigned int k, i;

	for (k = 0; k < 4; k++) {
		if (!mine("changes", 0, k))
			continue;
		say_from(0, 6);
		subs = (struct ut_subbuf *)(void *)((char *)region +
		    region->subs);
		for (i = 0; i < 2000000; i++) {
			ut_a64 *p = (ut_a64 *)(void *)((char *)region +
			    UT_ABI_LINE);

			p[rnd((uint32_t)(region->data - UT_ABI_LINE) / 8)] =
			    rnd(2) ? odd(rnd(NODD)) : rnd(UINT32_MAX);
			region->active = 1;
			subs[rnd(NSUBS)].state = rnd(5);
		}
		return 1;
	}
	return 0;
}

/* More than can be answered, and no answer is read. */
static int
deaf(void)
{
	static const int kinds[] = { 1, 2, 4, 7 };
	unsigned int k;
	int i;

	for (k = 0; k < 8; k++) {
		if (!mine(k < 4 ? "deaf" : "deaf at the start", 0, k))
			continue;
		say_from(0, k < 4 ? 6 : 5);
		message(kinds[k % 4]);
		for (i = 0; i < 30000; i++)
			if (send(sock, &m, m.len, MSG_NOSIGNAL) == -1)
				break;
		return 1;
	}
	return 0;
}

/* Messages of any kind, in any order. */
static int
made_up(void)
{
	unsigned int k;
	int i;

	for (k = 0; k < MADE_UP; k++) {
		if (!mine("made up", 0, k))
			continue;
		for (i = 0; i < 40; i++) {
			message((int)rnd(NMESSAGES));
			switch (rnd(8)) {
			case 0:
				m.h.a = (uint32_t)odd(rnd(NODD));
				break;
			case 1:
				m.h.b = (uint32_t)odd(rnd(NODD));
				break;
			case 2:
				((unsigned char *)&m)[rnd((uint32_t)m.len)] =
				    (unsigned char)rnd(256);
				break;
			case 3:
				m.h.a = CHANNEL + rnd(40);
				break;
			}
			post(m.len);
		}
		return 1;
	}
	return 0;
}

/* False after the last. */
static int
one_talk(void)
{
	int i;

	turn = 0;
	if (mine("nothing", 0, 0))
		return 1;
	if (mine("good", 0, 0)) {
		say_from(0, NMESSAGES);
		return 1;
	}
	for (i = 0; i < NMESSAGES; i++)
		if (heads(i) || bodies(i) || orders(i))
			return 1;
	return fds() || many_fds() || regions() || changes() || deaf() ||
	    made_up();
}

static void
meet(int s)
{
	static uint32_t last;
	struct timeval tv = { 10, 0 };
	struct {
		struct ut_msghdr h;
		uint32_t	pid;
	} hello;

	sock = s;
	(void)setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	if (recv(s, &hello, sizeof(hello), MSG_WAITALL) != sizeof(hello))
		return;
	if (hello.pid != last)
		talk++;
	last = hello.pid;
	make_region();
	if (!quiet && !one_talk()) {
		printf("end\n");
		quiet = 1;
	}
	munmap(region, size);
	close(region_fd);
	close(bell_fd);
}

int
main(int argc, char *argv[])
{
	struct sockaddr_un sun;
	char fifo[200];
	int s, c;

	if (argc < 2)
		errx(1, "badutd dir [seed [first]]");
	dir = argv[1];
	if (argc > 2)
		state = strtoull(argv[2], NULL, 10);
	if (argc > 3)
		talk += atoi(argv[3]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%s", dir, UT_SOCKET);
	snprintf(fifo, sizeof(fifo), "%s/%s", dir, UT_FIFO);
	(void)mkfifo(fifo, 0600);
	if (open(fifo, O_RDWR) == -1)
		err(1, "%s", fifo);
	if ((s = socket(AF_UNIX, SOCK_STREAM, 0)) == -1 ||
	    bind(s, (struct sockaddr *)&sun, sizeof(sun)) == -1 ||
	    listen(s, 100) == -1)
		err(1, "%s", sun.sun_path);
	while ((c = accept(s, NULL, NULL)) != -1) {
		meet(c);
		close(c);
	}
	err(1, "accept");
}
