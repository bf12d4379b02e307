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
 * A program that is traced, and writes into its buffers what it likes:
 *
 *	scribble dir what ms [seed]
 *
 * It answers utd as a program should, with one event, hostile:event, and when
 * it is attached it does one thing for so many milliseconds, says so on
 * stdout, and sleeps until stdin ends.
 *
 *	all		any bytes anywhere
 *	fields		any value in any field of header, slots, sub-buffers
 *	state		states and generations, with slots that are not there
 *	commit		positions and counts, also below what is consumed
 *	times		whole packets, each of another time
 *	future		whole packets that end when time does
 *	seq		whole packets in no order, of all slots
 *	header		geometry and counters
 *	lost		counts of what was lost, and of what was too big
 *	claim		a count of overwritten events, and one of lost events,
 *			that no program reaches
 *	recant		these counts are 0
 *	lose		1000 events are lost, as programs count them
 *	unlose		a count of lost events goes back by 1000, or below 0
 *	leap		all counts grow, by 2^60 each time
 *	bare		a packet of bytes without an event
 *	absurd		an event of 2 bytes does not fit, and no process has
 *			children that cannot connect
 *	unheard		children that cannot connect, each of another parent
 *	owner		the numbers of programs in slots and sub-buffers
 *	bell		the bell
 *	shrink		the region has no bytes any more
 *	half		the region ends in the midst of the data
 *	flicker		it shrinks and grows
 *	unring		the bell has no bytes any more
 *	order		packets that are delivered after all that come
 *	fail		utd is told that it could not attach: the error is the
 *			seed
 *	busy		all slots are in the middle of an event
 *	none		nothing
 *
 * After the first four and `order' no sub-buffer makes sense.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <err.h>
#include <limits.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../libut/ut_abi.h"
#include "message.h"

#define NAME	"hostile:event"
#define GARBAGE	20			/* bytes after a header, at most */

static int sock;
static uint32_t channel;
static uint64_t state;
static struct ut_header *h;
static struct ut_slot *slots;
static struct ut_subbuf *subs;
static unsigned char *data, *bell;
static struct ut_header geometry;
static int region_fd, bell_fd = -1;
static size_t bell_size;
static sigjmp_buf gone;

static uint32_t
rnd(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return n == 0 ? 0 : (uint32_t)(state >> 33) % n;
}

/* Numbers that something may stumble over, and others. */
static uint64_t
value(void)
{
	static const uint64_t odd[] = { 0, 1, 2, 3, 5, 6, 7, 8, 127, 4095,
	    4096, 4097, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff,
	    UINT64_C(0x100000000), INT64_MAX, UINT64_C(1) << 63,
	    UINT64_MAX - 1, UINT64_MAX };

	if (rnd(2))
		return odd[rnd(sizeof(odd) / sizeof(odd[0]))];
	return (uint64_t)rnd(UINT32_MAX) << 32 | rnd(UINT32_MAX);
}

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The program's side of the protocol. */

static void
post(void)
{
	uint32_t n = (uint32_t)len;

	memcpy(buf, &n, sizeof(n));
	if (send(sock, buf, len, MSG_NOSIGNAL) != (ssize_t)len)
		err(1, "send");
}

static void
hello(const char *dir)
{
	if ((sock = dial(dir, 0)) == -1)
		err(1, "socket");
	begin(UT_MSG_HELLO, UT_MSG_VERSION, sizeof(void *) * CHAR_BIT);
	put32((uint32_t)getpid());
	put_str("scribble");
	put64(0);
	put64(4711);
	put32(1);
	post();
}

static void *
map(int fd, size_t *size)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) == -1)
		err(1, "fstat");
	if ((*size = (size_t)st.st_size) == 0)
		return NULL;		/* another has cut it off */
	p = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static void
attach(const int *fds, int n)
{
	size_t size;

	if (n < 1)
		errx(1, "no region");
	region_fd = fds[0];
	if ((h = map(region_fd, &size)) == NULL)
		errx(1, "no region");
	geometry = *h;
	slots = (struct ut_slot *)(void *)((char *)h + h->slots);
	subs = (struct ut_subbuf *)(void *)((char *)h + h->subs);
	data = (unsigned char *)h + h->data;
	if (n > 1) {
		bell_fd = fds[1];
		bell = map(bell_fd, &bell_size);
	}
}

static int
hear(void *p, size_t n, int *fds)
{
	union {
		struct cmsghdr	hdr;
		unsigned char	room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec iov = { p, n };
	struct msghdr mh;
	struct cmsghdr *c;
	int k = 0;

	memset(&mh, 0, sizeof(mh));
	mh.msg_iov = &iov;
	mh.msg_iovlen = 1;
	mh.msg_control = control.room;
	mh.msg_controllen = sizeof(control.room);
	if (n > 0 && recvmsg(sock, &mh, MSG_WAITALL) != (ssize_t)n)
		errx(1, "utd has hung up");
	if (n > 0 && (c = CMSG_FIRSTHDR(&mh)) != NULL) {
		k = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(c), (size_t)k * sizeof(int));
	}
	return k;
}

/* Until DONE; false if nobody wanted the event. */
static int
join(void)
{
	static unsigned char body[UT_MSG_MAX];
	struct ut_msghdr head;
	int fds[2], none[2], n;

	for (;;) {
		n = hear(&head, sizeof(head), fds);
		(void)hear(body, head.len - sizeof(head), none);
		switch (head.type) {
		case UT_MSG_LIST:
			begin(UT_MSG_NAMES, 0, 1);
			put_str(NAME);
			put32(6);
			post();
			break;
		case UT_MSG_DESCRIBE:
			begin(UT_MSG_EVENTS, head.a, 1);
			put32(0);
			put32(sizeof(uint32_t));
			put32(0);	/* no fields */
			post();
			break;
		case UT_MSG_ATTACH:
			channel = head.a;
			attach(fds, n);
			break;
		case UT_MSG_MAP:
			begin(UT_MSG_ACK, head.a, 0);
			post();
			break;
		case UT_MSG_DONE:
			return h != NULL;
		}
	}
}

/* What it does. */

static void
any_bytes(void)
{
	unsigned char *p = (unsigned char *)h;
	size_t at = (size_t)rnd((uint32_t)geometry.size - GARBAGE);
	int i;

	/* The data are most of it, and nothing that one could spoil. */
	if (rnd(4))
		at %= geometry.data;
	for (i = 0; i < GARBAGE; i++)
		p[at + (size_t)i] = (unsigned char)rnd(256);
}

static struct ut_subbuf *
any_sub(void)
{
	return &subs[rnd(geometry.nsubs)];
}

static struct ut_slot *
any_slot(void)
{
	return &slots[rnd(geometry.nslots)];
}

static uint64_t
word(uint32_t slot, uint64_t what)
{
	return UT_STATE_WORD(rnd(UINT32_MAX), slot, what);
}

static uint32_t
slot_number(void)
{
	return rnd(8) ? rnd(geometry.nslots) : rnd(0x1000000);
}

static void
header(void)
{
	uint32_t *p = (uint32_t *)(void *)h;

	p[rnd(sizeof(*h) / sizeof(*p))] = (uint32_t)value();
}

static void
any_field(void)
{
	ut_a64 *p;

	switch (rnd(8)) {
	case 0:
		header();
		break;
	case 1:
		p = (ut_a64 *)(void *)any_slot();
		p[rnd(sizeof(struct ut_slot) / sizeof(*p))] = value();
		break;
	default:
		p = (ut_a64 *)(void *)any_sub();
		p[rnd(sizeof(struct ut_subbuf) / sizeof(*p))] = value();
		break;
	}
}

static void
any_state(void)
{
	any_sub()->state = word(slot_number(), rnd(16));
}

static void
any_commit(void)
{
	struct ut_subbuf *s = any_sub();

	s->commit = rnd(2) ? value() :
	    UT_COMMIT_WORD((uint64_t)rnd(5000), rnd(geometry.subsize + 8));
	s->consumed = value();
	s->writing = value();
	if (rnd(2))
		s->state = word(slot_number(), 1 + rnd(3));
}

static uint64_t
any_time(void)
{
	switch (rnd(4)) {
	case 0:
		return value();
	case 1:
		return now_ns() + ((uint64_t)rnd(UINT32_MAX) << rnd(20));
	default:
		return now_ns() - ((uint64_t)rnd(UINT32_MAX) << rnd(10));
	}
}

/* A packet of one event that looks good but for its times, or its place. */
static void
packet(uint32_t slot, uint64_t seq, uint64_t t, uint64_t last)
{
	uint32_t i = rnd(geometry.nsubs);
	struct ut_subbuf *s = &subs[i];

	if (UT_STATE(s->state) != UT_FREE)
		return;
	ut_event_head(data + (size_t)i * geometry.subsize, 1, t);
	s->first = t;
	s->last = last;
	s->seq = seq;
	s->owner = rnd(2);
	s->commit = UT_COMMIT_WORD(UINT64_C(1), UT_EVENT_HEAD);
	atomic_store(&s->state, word(slot, UT_FULL));
	atomic_fetch_add(&h->delivered, 1);
}

static void
any_time_packet(void)
{
	const uint64_t t = any_time();

	packet(rnd(geometry.nslots), 1, t, rnd(8) ? t : any_time());
}

static void
no_end(void)
{
	packet(0, 0, now_ns(), UINT64_MAX);
}

static void
any_order(void)
{
	packet(rnd(3), rnd(2) ? value() : rnd(100), now_ns(), now_ns());
}

static void
any_lost(void)
{
	h->lost = value();
	h->toobig = (uint32_t)value();
	h->slots_used = (uint32_t)value();
	any_slot()->lost = value();
	any_sub()->lost = value();
}

static void
all_busy(void)
{
	uint32_t i;

	for (i = 0; i < geometry.nslots; i++)
		slots[i].busy = 1;
	h->slots_used = geometry.nslots;
}

static void
say_counts(uint64_t n)
{
	h->lost = n;
	h->slots_used = 1;
	slots[0].overwritten = n / 2;
}

static void
claim(void)
{
	say_counts(UINT64_C(1) << 63);
}

static void
recant(void)
{
	say_counts(0);
}

static void
lose(void)
{
	h->lost += 1000;
}

static void
unlose(void)
{
	h->lost -= 1000;
}

static void
leap(void)
{
	const uint64_t n = UINT64_C(1) << 60;

	h->lost += n;
	h->slots_used = 1;
	slots[0].lost += n;
	slots[0].overwritten += n;
	h->waits += n;
	h->waited += n;
	h->longest += n;
}

static void
bare(void)
{
	subs[0].first = subs[0].last = now_ns();
	subs[0].seq = 1;
	subs[0].commit = UT_COMMIT_WORD(UINT64_C(0), UT_EVENT_HEAD);
	h->slots_used = 1;
	atomic_store(&subs[0].state, word(0, UT_FULL));
	atomic_fetch_add(&h->delivered, 1);
}

static void
absurd(void)
{
	h->toobig = 2;
	h->unheard = UINT32_MAX;
}

static void
any_unheard(void)
{
	h->unheard = UINT64_C(1) << 32 | rnd(UINT32_MAX);
}

static void
any_owner(void)
{
	struct ut_slot *s = any_slot();

	s->owner = value();
	s->busy = (uint32_t)value();
	s->tid = (uint32_t)value();
	s->seq = value();
	any_sub()->owner = value();
	h->slots_used = rnd(geometry.nslots);
}

static void
any_bell(void)
{
	if (bell == NULL)
		return;
	bell[rnd((uint32_t)bell_size)] = (unsigned char)rnd(256);
}

static void
resize(int fd, uint64_t size)
{
	if (fd != -1 && ftruncate(fd, (off_t)size) == -1)
		err(1, "ftruncate");
}

static void
shrink(void)
{
	resize(region_fd, 0);
}

static void
half(void)
{
	resize(region_fd, geometry.data + geometry.subsize + 4096);
	any_time_packet();
}

static void
flicker(void)
{
	resize(region_fd, rnd((uint32_t)geometry.size));
	resize(region_fd, geometry.size);
	any_time_packet();
}

static void
unring(void)
{
	resize(bell_fd, 0);
}

static void
nothing(void)
{
}

static void
fail(void)
{
	begin(UT_MSG_FAILED, channel, (uint32_t)state);
	post();
}

/* Slots that are not there. */
static void
spoil(void)
{
	uint32_t i;

	for (i = 0; i < geometry.nsubs; i++)
		subs[i].state = word(UT_NSLOTS_MAX, UT_FULL);
}

/* Nor deliveries that would ever come before theirs. */
static void
spoil_order(void)
{
	const uint32_t delivered = h->delivered;
	uint32_t i;

	for (i = 0; i < geometry.nsubs; i++)
		subs[i].order = delivered + INT32_MAX;
	spoil();
}

static const struct {
	const char	*what;
	void		(*act)(void);
	void		(*last)(void);
} acts[] = {
	{ "all",	any_bytes,	spoil },
	{ "fields",	any_field,	spoil },
	{ "state",	any_state,	spoil },
	{ "commit",	any_commit,	spoil },
	{ "times",	any_time_packet,	nothing },
	{ "future",	no_end,		nothing },
	{ "seq",	any_order,	nothing },
	{ "header",	header,		nothing },
	{ "lost",	any_lost,	nothing },
	{ "claim",	nothing,	claim },
	{ "recant",	nothing,	recant },
	{ "lose",	nothing,	lose },
	{ "unlose",	nothing,	unlose },
	{ "leap",	leap,		nothing },
	{ "bare",	nothing,	bare },
	{ "absurd",	nothing,	absurd },
	{ "unheard",	any_unheard,	nothing },
	{ "owner",	any_owner,	nothing },
	{ "bell",	any_bell,	nothing },
	{ "shrink",	shrink,		nothing },
	{ "half",	half,		nothing },
	{ "flicker",	flicker,	nothing },
	{ "unring",	unring,		nothing },
	{ "order",	nothing,	spoil_order },
	{ "busy",	all_busy,	all_busy },
	{ "fail",	nothing,	fail },
	{ "none",	nothing,	nothing },
};

static void
on_bus(int sig)
{
	(void)sig;
	siglongjmp(gone, 1);
}

/* So that it is looked at more than once a second. */
static void
ring(void)
{
	if (bell == NULL)
		return;
#if defined(__linux__) && defined(SYS_futex)
	*bell = 1;
	(void)syscall(SYS_futex, bell, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
#else
	(void)sem_post((sem_t *)(void *)bell);
#endif
}

static void
act(const char *what, int ms)
{
	const int64_t end = now_ms() + ms;
	volatile size_t i;
	volatile int n;

	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (strcmp(acts[i].what, what) == 0)
			break;
	if (i == sizeof(acts) / sizeof(acts[0]))
		errx(1, "%s?", what);
	while (now_ms() < end) {
		if (sigsetjmp(gone, 1) == 0)
			for (n = 0; n < 100; n++)
				acts[i].act();
		if (sigsetjmp(gone, 1) == 0)
			ring();
	}
	acts[i].last();
}

int
main(int argc, char *argv[])
{
	if (argc < 4)
		errx(1, "scribble dir what ms [seed]");
	alarm(60);
	state = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	signal(SIGBUS, on_bus);
	signal(SIGSEGV, on_bus);	/* older BSDs */
	hello(argv[1]);
	if (!join())
		errx(1, "not wanted");
	act(argv[2], atoi(argv[3]));
	printf("done\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	return 0;
}
