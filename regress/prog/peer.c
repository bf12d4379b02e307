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
 * A program that is traced without libut: the program's side of ut_msg(5)
 * and ut_abi(5), written from these pages alone and without a header of this
 * tree, so what they leave out shows here.
 *
 *	peer [-hlmr] [-d where] rounds
 *
 * Each round is one of each of three events.  Prints every message that utd
 * sends, and at the end the numbers of events recorded and lost, of
 * sub-buffers delivered and of times that the bell was rung.
 *
 *	-h	after half of the rounds, say so and wait until stdin ends
 *	-d	after half of the rounds, die by SIGKILL where the argument
 *		says, one of the places of ut_abi(5), Death
 *	-l	after the rounds, one event that fits no sub-buffer
 *	-m	have no bell
 *	-r	after half of the rounds, lose the connection and come back
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ut_msg(5) */
#define VERSION		6
#define MSG_MAX		65536
#define MAXFDS		2

enum {
	HELLO = 1, ACK = 4, NAMES = 6, EVENTS = 7, FAILED = 8,
	MUTE = 9,
	WELCOME = 16, ATTACH = 18, MAP = 19, DETACH = 20, DONE = 21,
	LIST = 22, DESCRIBE = 23
};

enum { INTEGER = 1, FLOATING = 2, STRING = 3, SEQUENCE = 6, ENUMERATION = 7 };

#define IS_SIGNED	1
#define INFO		6

struct msghead {
	uint32_t	len;
	uint16_t	type;
	uint16_t	nfds;
	uint32_t	a;
	uint32_t	b;
};

/* ut_abi(5) */
#define MAGIC		0x75745231
#define ABI_VERSION	4
#define PART		128		/* size of a slot, a sub-buffer */
#define EVENT_HEAD	6
#define TIME_GAP	(UINT64_C(1) << 31)

enum { FREE, OWNED, FULL };

#define STATE(w)	((w) & 7)
#define GENERATION(w)	((w) >> 32 << 32)

struct header {
	uint32_t	 magic;
	uint32_t	 version;
	uint64_t	 size;
	uint64_t	 slots;
	uint64_t	 subs;
	uint64_t	 data;
	uint32_t	 nslots;
	uint32_t	 nsubs;
	uint32_t	 subsize;
	uint32_t	 mode;
	uint32_t	 clock;
	_Alignas(PART) _Atomic uint32_t active;
	_Alignas(PART) _Atomic uint32_t hint;
	_Atomic uint32_t slots_used;
	_Atomic uint32_t freed;
	_Atomic uint32_t delivered;
	_Atomic uint32_t taken;
	_Atomic uint32_t bell;
	_Atomic uint32_t asleep;
	_Atomic uint32_t waiting;
	_Atomic uint32_t toobig;
	_Atomic uint32_t reserved;
	_Atomic uint64_t lost;
	_Atomic uint64_t consumers[2];
	_Atomic uint32_t hints[2];
	_Atomic uint32_t mute;
};

struct slot {
	_Alignas(PART) _Atomic uint64_t owner;
	_Atomic uint32_t busy;
	_Atomic uint32_t tid;
	_Atomic uint64_t lost;
	_Atomic uint64_t seq;
};

struct subbuf {
	_Alignas(PART) _Atomic uint64_t state;
	_Atomic uint64_t commit;
	_Atomic uint64_t consumed;
	_Atomic uint64_t first;
	_Atomic uint64_t last;
	_Atomic uint64_t owner;
	_Atomic uint64_t seq;
	_Atomic uint64_t lost;
	_Atomic uint64_t until;
	_Atomic uint64_t writing;
	_Atomic uint32_t tid;
	_Atomic uint64_t thread[2];
};

_Static_assert(sizeof(struct msghead) == 16, "head of a message");
_Static_assert(sizeof(struct header) == 3 * PART, "header");
_Static_assert(offsetof(struct header, lost) == 296, "header");
_Static_assert(offsetof(struct header, mute) == 328, "header");
_Static_assert(sizeof(struct slot) == PART, "slot");
_Static_assert(sizeof(struct subbuf) == PART, "sub-buffer");

#define GET(p, order)	atomic_load_explicit(p, memory_order_##order)
#define SET(p, v, order) atomic_store_explicit(p, v, memory_order_##order)
#define ADD(p, v, order) atomic_fetch_add_explicit(p, v, memory_order_##order)

/* A row of bytes that grows: a message, or the fields of an event. */
struct row {
	unsigned char	bytes[MSG_MAX];
	size_t		len;
};

#define NEVENTS		3

static const char *const names[NEVENTS] = {
	"peer:number", "peer:text", "peer:choice"
};

struct channel {
	uint32_t	 number;		/* 0: not in use */
	uint32_t	 id[NEVENTS];		/* 0: not recorded */
	/* the region, and its geometry as it was checked */
	struct header	*header;
	size_t		 size;
	struct slot	*slots;
	struct subbuf	*subs;
	unsigned char	*data;
	uint32_t	 nslots;
	uint32_t	 nsubs;
	uint32_t	 subsize;
	void		*bell;
	size_t		 bell_size;		/* 0: it has a name */
	/* what of it is ours */
	struct slot	*slot;
	struct subbuf	*sub;
	uint64_t	 word;			/* state when we claimed it */
	uint64_t	 last;			/* time of the last event there */
	uint32_t	 len;			/* commit */
	uint32_t	 count;
	uint32_t	 freed;			/* when a scan was in vain */
	int		 in_vain;
};

#define NCHANNELS	4

static struct channel channels[NCHANNELS];
static struct row out;
static int sock = -1;
static uint64_t number;			/* of the program, 0 before WELCOME */
static int done;
static const char *death;		/* where to die */
static int mute;			/* ring nothing */
static int may_die;
static unsigned int recorded, lost, delivered, rung;

static void
die_in(const char *where)
{
	if (!may_die || death == NULL || strcmp(where, death) != 0)
		return;
	printf("recorded %u\nlost %u\n", recorded, lost);
	kill(getpid(), SIGKILL);
}

static void
put(struct row *r, const void *p, size_t n)
{
	if (n > sizeof(r->bytes) - r->len)
		errx(1, "too long");
	memcpy(r->bytes + r->len, p, n);
	r->len += n;
}

static void
put8(struct row *r, uint8_t v)
{
	put(r, &v, sizeof(v));
}

static void
put16(struct row *r, uint16_t v)
{
	put(r, &v, sizeof(v));
}

static void
put32(struct row *r, uint32_t v)
{
	put(r, &v, sizeof(v));
}

static void
put64(struct row *r, uint64_t v)
{
	put(r, &v, sizeof(v));
}

static void
put_str(struct row *r, const char *s)
{
	put16(r, (uint16_t)strlen(s));
	put(r, s, strlen(s));
}

/* What the events are. */

static void
put_field(struct row *r, const char *name, int kind, int size, int flags)
{
	put_str(r, name);
	put8(r, (uint8_t)kind);
	put8(r, (uint8_t)size);
	put8(r, (uint8_t)flags);
	put32(r, 0);
}

static void
put_value(struct row *r, const char *label, int low, int high)
{
	put_str(r, label);
	put8(r, low != high);
	put64(r, (uint64_t)low);
	if (low != high)
		put64(r, (uint64_t)high);
}

static void
put_fields(struct row *r, uint32_t event)
{
	put32(r, 2);
	switch (event) {
	case 0:
		put_field(r, "n", INTEGER, 4, IS_SIGNED);
		put_field(r, "big", INTEGER, 8, 0);
		break;
	case 1:
		put_field(r, "string", STRING, 1, 0);
		put_field(r, "words", SEQUENCE, 2, 0);
		break;
	case 2:
		put_field(r, "which", ENUMERATION, 4, IS_SIGNED);
		put_str(r, "peer_choice");
		put32(r, 2);
		put_value(r, "below", -5, -1);
		put_value(r, "one", 1, 1);
		put_field(r, "quarter", FLOATING, 8, IS_SIGNED);
		break;
	}
}

/* FNV-1a of all that LIST and DESCRIBE ask for. */
static uint64_t
fingerprint(void)
{
	static struct row r;
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	uint32_t event;
	size_t i;

	r.len = 0;
	for (event = 0; event < NEVENTS; event++) {
		put_str(&r, names[event]);
		put32(&r, INFO);
		put_fields(&r, event);
	}
	for (i = 0; i < r.len; i++)
		h = (h ^ r.bytes[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* Messages. */

static void
begin(int type, uint32_t a, uint32_t b)
{
	struct msghead h = { 0, (uint16_t)type, 0, a, b };

	out.len = 0;
	put(&out, &h, sizeof(h));
}

static void
finish(void)
{
	uint32_t len = (uint32_t)out.len;
	size_t at = 0;
	ssize_t n;

	memcpy(out.bytes, &len, sizeof(len));
	while (at < out.len) {
		n = send(sock, out.bytes + at, out.len - at, MSG_NOSIGNAL);
		if (n == -1)
			err(1, "send");
		at += (size_t)n;
	}
}

static void
say(int type, uint32_t a, uint32_t b)
{
	begin(type, a, b);
	finish();
}

static void
say_hello(void)
{
	begin(HELLO, VERSION, sizeof(void *) * CHAR_BIT);
	put32(&out, (uint32_t)getpid());
	put_str(&out, "peer");
	put64(&out, number);
	put64(&out, fingerprint());
	put32(&out, NEVENTS);
	finish();
}

static void
tell_names(uint32_t first, uint32_t n)
{
	uint32_t i;

	if (first > NEVENTS || n > NEVENTS - first)
		errx(1, "LIST %u %u", first, n);
	begin(NAMES, first, n);
	for (i = first; i < first + n; i++) {
		put_str(&out, names[i]);
		put32(&out, INFO);
	}
	finish();
}

static uint32_t
item32(const struct row *in, size_t i)
{
	uint32_t v;

	if (in->len < (i + 1) * sizeof(v))
		errx(1, "item %zu is missing", i);
	memcpy(&v, in->bytes + i * sizeof(v), sizeof(v));
	return v;
}

static void
tell_events(uint32_t channel, uint32_t n, const struct row *in)
{
	uint32_t i, event, len;
	size_t at;

	begin(EVENTS, channel, n);
	for (i = 0; i < n; i++) {
		if ((event = item32(in, i)) >= NEVENTS)
			errx(1, "DESCRIBE event %u", event);
		put32(&out, event);
		at = out.len;
		put32(&out, 0);
		put_fields(&out, event);
		len = (uint32_t)(out.len - at - sizeof(len));
		memcpy(out.bytes + at, &len, sizeof(len));
	}
	finish();
}

/* The region. */

static struct channel *
find(uint32_t channel)
{
	int i;

	for (i = 0; i < NCHANNELS; i++)
		if (channels[i].number == channel)
			return &channels[i];
	return NULL;
}

static int
inside(const struct header *h, uint64_t offset, uint64_t each, uint64_t n)
{
	return offset >= sizeof(*h) && offset % PART == 0 &&
	    offset <= h->size && each * n <= h->size - offset;
}

static int
valid(const struct header *h, size_t size)
{
	if (h->magic != MAGIC || h->version != ABI_VERSION || h->mode != 0 ||
	    h->clock != 0 || h->size != size)
		return 0;
	if (h->nslots < 1 || h->nslots > 8192 || h->nsubs < 2 ||
	    h->nsubs > 65536 || h->subsize < 4096 ||
	    h->subsize > 16777216 || (h->subsize & (h->subsize - 1)) != 0)
		return 0;
	return inside(h, h->slots, PART, h->nslots) &&
	    inside(h, h->subs, PART, h->nsubs) &&
	    inside(h, h->data, h->subsize, h->nsubs);
}

static void *
map_all(int fd, size_t *size)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) == -1)
		return NULL;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (p == MAP_FAILED)
		return NULL;
	*size = (size_t)st.st_size;
	return p;
}

static int
map_region(struct channel *c, int fd)
{
	struct header copy;
	unsigned char *p;

	if ((p = map_all(fd, &c->size)) == NULL)
		return errno;
	if (c->size < sizeof(copy))
		return EINVAL;
	memcpy(&copy, p, sizeof(copy));
	if (!valid(&copy, c->size)) {
		(void)munmap(p, c->size);
		return EINVAL;
	}
	c->header = (struct header *)(void *)p;
	c->slots = (struct slot *)(void *)(p + copy.slots);
	c->subs = (struct subbuf *)(void *)(p + copy.subs);
	c->data = p + copy.data;
	c->nslots = copy.nslots;
	c->nsubs = copy.nsubs;
	c->subsize = copy.subsize;
	return 0;
}

#ifdef __linux__
/* In there the bell is a word: store 1, and wake who waits. */
static void
ring_word(void *bell)
{
	atomic_store((_Atomic uint32_t *)bell, 1);
	(void)syscall(SYS_futex, bell, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
}
#define WORD_SIZE	sizeof(uint32_t)
#else
static void
ring_word(void *bell)
{
	(void)sem_post(bell);
}
#define WORD_SIZE	sizeof(sem_t)
#endif

/* It is at the start of the memory of the second descriptor. */
static int
map_bell(struct channel *c, int fd, const struct row *in)
{
	char name[256];
	uint16_t len;

	if (in->len < sizeof(len))
		errx(1, "ATTACH without a name");
	memcpy(&len, in->bytes, sizeof(len));
	if (len >= sizeof(name) || len > in->len - sizeof(len))
		errx(1, "ATTACH: name too long");
	memcpy(name, in->bytes + sizeof(len), len);
	name[len] = '\0';
	if (fd != -1) {
		c->bell = map_all(fd, &c->bell_size);
		if (c->bell == NULL || c->bell_size < WORD_SIZE)
			return EINVAL;
	} else if (len > 0 && !mute &&
	    (c->bell = sem_open(name, 0)) == SEM_FAILED)
		return errno;
	if (c->bell == NULL)
		SET(&c->header->mute, 1, relaxed);
	printf("%s bell\n", c->bell == NULL ? "no" : "a");
	return 0;
}

static void
attach(uint32_t channel, const int *fds, int nfds, const struct row *in)
{
	struct channel *c;
	int error = EINVAL, i;

	if (find(channel) != NULL)
		errx(1, "ATTACH %u twice", channel);
	if ((c = find(0)) == NULL)
		error = EMFILE;
	else if (nfds > 0 && (error = map_region(c, fds[0])) == 0)
		error = map_bell(c, !mute && nfds > 1 ? fds[1] : -1, in);
	for (i = 0; i < nfds; i++)
		close(fds[i]);
	if (error != 0) {
		printf("cannot attach: %s\n", strerror(error));
		say(FAILED, channel, (uint32_t)error);
		return;
	}
	c->number = channel;
	if (c->bell == NULL)
		say(MUTE, channel, 0);
}

static void
map_events(uint32_t channel, uint32_t n, const struct row *in)
{
	struct channel *c = find(channel);
	uint32_t i, event, id;

	for (i = 0; c != NULL && i < n; i++) {
		event = item32(in, 2 * i);
		id = item32(in, 2 * i + 1);
		if (event >= NEVENTS || id > UINT16_MAX)
			errx(1, "MAP %u to %u", event, id);
		c->id[event] = id;
	}
	say(ACK, channel, c == NULL ? ENOENT : 0);
}

/* Slots and sub-buffers. */

static uint64_t
now(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) == -1)
		err(1, "clock_gettime");
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void
raise_to(_Atomic uint32_t *p, uint32_t v)
{
	uint32_t old = GET(p, relaxed);

	while (old < v && !atomic_compare_exchange_weak_explicit(p, &old, v,
	    memory_order_release, memory_order_relaxed))
		continue;
}

/* This is no matter for a thread: there is one. */
static int
claim_slot(struct channel *c)
{
	uint64_t nobody;
	uint32_t i;

	for (i = 0; i < c->nslots; i++) {
		nobody = 0;
		if (GET(&c->slots[i].owner, relaxed) != 0)
			continue;
		raise_to(&c->header->slots_used, i + 1);
		if (!atomic_compare_exchange_strong_explicit(
		    &c->slots[i].owner, &nobody, number, memory_order_acquire,
		    memory_order_relaxed))
			continue;
		c->slot = &c->slots[i];
		SET(&c->slot->tid, (uint32_t)getpid(), relaxed);
		die_in("slot");
		return 1;
	}
	return 0;
}

static void
fill_in(struct channel *c)
{
	const uint64_t seq = GET(&c->slot->seq, relaxed) + 1;

	c->last = now();
	SET(&c->sub->first, c->last, relaxed);
	SET(&c->sub->last, c->last, relaxed);
	SET(&c->sub->owner, number, relaxed);
	SET(&c->sub->seq, seq, relaxed);
	SET(&c->sub->lost, GET(&c->slot->lost, relaxed), relaxed);
	SET(&c->sub->tid, GET(&c->slot->tid, relaxed), relaxed);
	SET(&c->sub->thread[0], 0, relaxed);
	SET(&c->sub->thread[1], 0, relaxed);
	SET(&c->slot->seq, seq, relaxed);
	c->len = c->count = 0;
	die_in("claimed");
}

static int
claim_this(struct channel *c, struct subbuf *s)
{
	uint64_t old = GET(&s->state, relaxed);

	if (STATE(old) != FREE)
		return 0;
	c->word = OWNED | (uint64_t)(c->slot - c->slots) << 8 |
	    (GENERATION(old) + (UINT64_C(1) << 32));
	if (!atomic_compare_exchange_strong_explicit(&s->state, &old, c->word,
	    memory_order_acquire, memory_order_relaxed))
		return 0;
	c->sub = s;
	die_in("claim");
	fill_in(c);
	return 1;
}

/* Those that are not reserved: this program never shares one. */
static uint32_t
claimable(uint32_t n)
{
	uint32_t reserved = n / 16;

	if (reserved < 1)
		reserved = 1;
	if (reserved > 32)
		reserved = 32;
	return n < 4 ? n : n - reserved;
}

static int
claim(struct channel *c)
{
	const uint32_t n = claimable(c->nsubs);
	uint32_t freed = GET(&c->header->freed, acquire);
	uint32_t at, i;

	if (c->in_vain && freed == c->freed)
		return 0;
	at = GET(&c->header->hint, relaxed) % n;
	for (i = 0; i < n; i++, at = (at + 1) % n)
		if (claim_this(c, &c->subs[at])) {
			SET(&c->header->hint, (at + 1) % n, relaxed);
			c->in_vain = 0;
			return 1;
		}
	c->in_vain = 1;
	c->freed = freed;
	return 0;
}

static void
ring_now(struct channel *c)
{
	rung++;
	if (c->bell_size > 0)
		ring_word(c->bell);
	else
		(void)sem_post(c->bell);
}

static void
ring(struct channel *c, uint32_t n)
{
	struct header *h = c->header;

	if (c->bell == NULL ||
	    n - GET(&h->taken, relaxed) < GET(&h->bell, relaxed))
		return;
	atomic_thread_fence(memory_order_seq_cst);
	if (GET(&h->asleep, relaxed) != 1 ||
	    atomic_exchange_explicit(&h->asleep, 0, memory_order_relaxed) != 1)
		return;
	ring_now(c);
}

/* busy is 1: the consumer dozes, or sleeps. */
static void
wake(struct channel *c)
{
	uint32_t dozing = 2;

	if (c->bell != NULL)
		ring_now(c);
	(void)atomic_compare_exchange_strong(&c->header->active, &dozing, 1);
}

/* busy is 1, and the sub-buffer is ours. */
static void
deliver(struct channel *c)
{
	uint32_t n;

	die_in("deliver");
	SET(&c->sub->state, (c->word & ~UINT64_C(7)) | FULL, release);
	die_in("full");
	c->sub = NULL;
	n = ADD(&c->header->delivered, 1, release) + 1;
	delivered++;
	die_in("ring");
	ring(c, n);
}

static int
is_ours(struct channel *c)
{
	if (c->sub != NULL && GET(&c->sub->state, relaxed) != c->word)
		c->sub = NULL;
	return c->sub != NULL;
}

static void
begin_event(struct channel *c)
{
	SET(&c->slot->busy, 1, relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

static void
end_event(struct channel *c)
{
	SET(&c->slot->busy, 0, release);
}

static void
lose(struct channel *c)
{
	SET(&c->slot->lost, GET(&c->slot->lost, relaxed) + 1, relaxed);
	lost++;
}

static int
make_room(struct channel *c, size_t len)
{
	if (len > c->subsize) {
		raise_to(&c->header->toobig, (uint32_t)len);
		return 0;
	}
	if (c->sub != NULL && len > c->subsize - c->len)
		deliver(c);
	return c->sub != NULL || claim(c);
}

static void
write_event(struct channel *c, uint32_t id, uint64_t t,
    const struct row *fields)
{
	unsigned char *p = c->data +
	    (size_t)(c->sub - c->subs) * c->subsize + c->len;
	const uint16_t event = (uint16_t)id;
	const uint32_t low = (uint32_t)t;

	memcpy(p, &event, sizeof(event));
	memcpy(p + sizeof(event), &low, sizeof(low));
	die_in("fields");
	memcpy(p + EVENT_HEAD, fields->bytes, fields->len);
	c->len += (uint32_t)(EVENT_HEAD + fields->len);
	c->count++;
	SET(&c->sub->last, c->last = t, release);
	die_in("last");
	SET(&c->sub->commit, (uint64_t)c->count << 32 | c->len, release);
	recorded++;
	die_in("commit");
}

/* Nothing of it is wanted: as if it had not been claimed. */
static void
give_back(struct channel *c)
{
	SET(&c->slot->seq, GET(&c->slot->seq, relaxed) - 1, relaxed);
	SET(&c->sub->state, GENERATION(c->word) | FREE, release);
	ADD(&c->header->freed, 1, release);
	c->sub = NULL;
}

/* Room, in a sub-buffer whose last event was not too long ago. */
static int
timely_room(struct channel *c, size_t len, uint64_t *t)
{
	while (make_room(c, len)) {
		*t = now();
		if (*t - c->last < TIME_GAP)
			return 1;
		if (c->count > 0)
			deliver(c);
		else
			give_back(c);
	}
	return 0;
}

static void
record_in(struct channel *c, uint32_t id, const struct row *fields)
{
	uint64_t t;

	if (c->slot == NULL && !claim_slot(c)) {
		ADD(&c->header->lost, 1, relaxed);
		lost++;
		return;
	}
	begin_event(c);
	(void)is_ours(c);
	switch (GET(&c->header->active, seq_cst)) {
	case 0:
		end_event(c);
		return;
	case 2:
		wake(c);
		break;
	}
	if (timely_room(c, EVENT_HEAD + fields->len, &t))
		write_event(c, id, t, fields);
	else
		lose(c);
	end_event(c);
}

static void
record(uint32_t event, const struct row *fields)
{
	struct channel *c;

	for (c = channels; c < channels + NCHANNELS; c++)
		if (c->number != 0 && c->id[event] != 0)
			record_in(c, c->id[event], fields);
}

static void
leave(struct channel *c)
{
	if (c->slot == NULL)
		return;
	begin_event(c);
	if (is_ours(c)) {
		if (c->count > 0)
			deliver(c);
		else
			give_back(c);
	}
	end_event(c);
	die_in("leave");
	SET(&c->slot->owner, 0, release);
	ADD(&c->header->freed, 1, release);
	c->slot = NULL;
}

static void
detach(uint32_t channel)
{
	struct channel *c = find(channel);

	if (c == NULL)
		return;
	leave(c);
	(void)munmap(c->header, c->size);
	if (c->bell_size > 0)
		(void)munmap(c->bell, c->bell_size);
	else if (c->bell != NULL)
		(void)sem_close(c->bell);
	memset(c, 0, sizeof(*c));
}

/* What utd says. */

static void
get(void *p, size_t n)
{
	if (n > 0 && recv(sock, p, n, MSG_WAITALL) != (ssize_t)n)
		errx(1, "utd has gone away");
}

/* The descriptors come beside the first byte. */
static int
get_first(unsigned char *byte, int *fds)
{
	union {
		struct cmsghdr	hdr;
		unsigned char	room[CMSG_SPACE(MAXFDS * sizeof(int))];
	} control;
	struct iovec iov = { byte, 1 };
	struct msghdr mh;
	struct cmsghdr *c;
	size_t n = 0;

	memset(&mh, 0, sizeof(mh));
	mh.msg_iov = &iov;
	mh.msg_iovlen = 1;
	mh.msg_control = control.room;
	mh.msg_controllen = sizeof(control.room);
	if (recvmsg(sock, &mh, 0) != 1)
		errx(1, "utd has gone away");
	if ((c = CMSG_FIRSTHDR(&mh)) != NULL && c->cmsg_level == SOL_SOCKET &&
	    c->cmsg_type == SCM_RIGHTS) {
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	}
	return (int)n;
}

static void
welcome(uint32_t version, const struct row *in)
{
	if (version != VERSION)
		errx(1, "utd speaks version %u", version);
	if (in->len < sizeof(number))
		errx(1, "WELCOME without a number");
	memcpy(&number, in->bytes, sizeof(number));
}

static void
obey(const struct msghead *h, const int *fds, int nfds, const struct row *in)
{
	switch (h->type) {
	case WELCOME:
		welcome(h->a, in);
		break;
	case LIST:
		printf("LIST %u %u\n", h->a, h->b);
		tell_names(h->a, h->b);
		break;
	case DESCRIBE:
		printf("DESCRIBE %u\n", h->b);
		tell_events(h->a, h->b, in);
		break;
	case ATTACH:
		printf("ATTACH\n");
		attach(h->a, fds, nfds, in);
		break;
	case MAP:
		printf("MAP %u\n", h->b);
		map_events(h->a, h->b, in);
		break;
	case DETACH:
		printf("DETACH\n");
		detach(h->a);
		break;
	case DONE:
		printf("DONE\n");
		done = 1;
		break;
	default:
		errx(1, "message %u", h->type);
	}
}

static void
hear(void)
{
	static struct row in;
	struct msghead h;
	unsigned char head[sizeof(h)];
	int fds[MAXFDS], nfds;

	nfds = get_first(head, fds);
	get(head + 1, sizeof(head) - 1);
	memcpy(&h, head, sizeof(h));
	if (h.len < sizeof(h) || h.len > MSG_MAX || h.nfds != nfds)
		errx(1, "message %u of %u bytes, %d of %u descriptors",
		    h.type, h.len, nfds, h.nfds);
	in.len = h.len - sizeof(h);
	get(in.bytes, in.len);
	obey(&h, fds, nfds, &in);
}

static void
hear_what_there_is(void)
{
	struct pollfd pfd = { sock, POLLIN, 0 };

	while (poll(&pfd, 1, 0) == 1)
		hear();
}

/* Until stdin ends. */
static void
wait_and_hear(void)
{
	struct pollfd pfds[2] = { { sock, POLLIN, 0 }, { 0, POLLIN, 0 } };
	char c;

	printf("half\n");
	do {
		if (poll(pfds, 2, -1) == -1)
			err(1, "poll");
		if (pfds[0].revents != 0)
			hear();
	} while (pfds[1].revents == 0 || read(0, &c, 1) == 1);
	hear_what_there_is();
}

/* It must be ours, or root's, and so must utd be. */
static void
dial(const char *dir)
{
	struct sockaddr_un sun;
	struct stat st;
#ifdef SO_PEERCRED
	struct ucred peer;
	socklen_t len = sizeof(peer);
#endif

	if (stat(dir, &st) == -1)
		err(1, "%s", dir);
	if ((st.st_uid != 0 && st.st_uid != geteuid()) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		errx(1, "%s: not safe", dir);
	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/sock", dir);
	if ((sock = socket(AF_UNIX, SOCK_STREAM, 0)) == -1 ||
	    connect(sock, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		err(1, "%s", sun.sun_path);
#ifdef SO_PEERCRED
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) == -1 ||
	    (peer.uid != 0 && peer.uid != geteuid()))
		errx(1, "%s: not utd", sun.sun_path);
#endif
}

/* The events. */

static void
number_event(int i)
{
	static struct row r;

	r.len = 0;
	put32(&r, (uint32_t)(i % 2 == 0 ? i : -i));
	put64(&r, UINT64_C(18446744073700000000) + (uint64_t)i);
	record(0, &r);
}

static void
text_event(int i, int nwords)
{
	static struct row r;
	char s[40];
	int k;

	snprintf(s, sizeof(s), "the %dth text", i);
	r.len = 0;
	put(&r, s, strlen(s) + 1);
	put32(&r, (uint32_t)nwords);
	for (k = 0; k < nwords; k++)
		put16(&r, (uint16_t)(65535 - k));
	record(1, &r);
}

static void
choice_event(int i)
{
	static struct row r;
	const double quarter = i / 4.;

	r.len = 0;
	put32(&r, (uint32_t)(i % 3 - 1));
	put(&r, &quarter, sizeof(quarter));
	record(2, &r);
}

static void
rounds(int from, int to)
{
	int i;

	for (i = from; i < to; i++) {
		number_event(i);
		text_event(i, i % 4);
		choice_event(i);
		if (i % 16 == 0)
			hear_what_there_is();
	}
}

static void
start(const char *dir)
{
	dial(dir);
	say_hello();
	for (done = 0; !done;)
		hear();
}

static void
lose_connection(void)
{
	int i;

	for (i = 0; i < NCHANNELS; i++)
		if (channels[i].number != 0)
			detach(channels[i].number);
	close(sock);
}

static void
run(const char *dir, int n, const char *options)
{
	int i;

	/* That is claimed only once. */
	may_die = death != NULL && strcmp(death, "slot") == 0;
	rounds(0, n / 2);
	if (options['h'])
		wait_and_hear();
	if (options['r']) {
		lose_connection();
		start(dir);
	}
	may_die = 1;
	rounds(n / 2, n);
	if (options['l'])
		text_event(n, 30000);
	for (i = 0; i < NCHANNELS; i++)
		leave(&channels[i]);
}

int
main(int argc, char *argv[])
{
	const char *dir = getenv("UT_RUNDIR");
	char options[UCHAR_MAX + 1] = { 0 };
	int ch;

	while ((ch = getopt(argc, argv, "d:hlmr")) != -1) {
		if (ch == '?')
			return 1;
		if (ch == 'd')
			death = optarg;
		options[ch] = 1;
	}
	mute = options['m'];
	if (argc - optind != 1 || dir == NULL)
		errx(1, "UT_RUNDIR=dir peer [-hlmr] [-d where] rounds");
	alarm(120);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("pid %ld\n", (long)getpid());
	start(dir);
	run(dir, atoi(argv[optind]), options);
	printf("recorded %u\nlost %u\ndelivered %u\nrung %u\n", recorded, lost,
	    delivered, rung);
	return 0;
}
