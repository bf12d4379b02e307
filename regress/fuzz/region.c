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
 * What a consumer reads: a region in which a program has written anything at
 * all, also while it is drained, and stream files that another consumer has
 * left.  The input is a row of steps.  Whatever is in the region, what gets
 * into the files are whole packets that do not overlap.
 */

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../utd/consumer/consumer.h"
#include "../../utd/consumer/region.h"
#include "../../utd/consumer/sink.h"
#include "fuzz.h"

#define NOWNERS		8
#define GEOMETRIES	2
#define FILE_MAX	(64 << 20)

bool parent_gone;

static const uint32_t nsubs[GEOMETRIES] = { 4, 16 };

static struct program programs[NOWNERS];
static int fds[GEOMETRIES] = { -1, -1 };
static struct trace *dir, *shots;
static off_t meta_size;
static struct region *region;
static bool overwrites;
static struct input *mid;		/* steps in the middle of a drain */
static unsigned int nmid;
static int failing;			/* how writev(2) does */
static int64_t later;			/* ms that have passed */

int	 __wrap_nanosleep(const struct timespec *, struct timespec *);
int64_t	 __real_ut_msg_now(void);
int64_t	 __wrap_ut_msg_now(void);
ssize_t	 __real_writev(int, const struct iovec *, int);
ssize_t	 __wrap_writev(int, const struct iovec *, int);

/* Time passes without being waited for. */
int
__wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)left;
	later += t->tv_sec * 1000 + t->tv_nsec / 1000000;
	return 0;
}

int64_t
__wrap_ut_msg_now(void)
{
	return __real_ut_msg_now() + later;
}

/* A disk that is full, or becomes so. */
ssize_t
__wrap_writev(int fd, const struct iovec *iov, int n)
{
	const int how = failing;

	if (how == 1) {
		errno = ENOSPC;
		return -1;
	}
	if (how == 2)
		failing = 1;
	return __real_writev(fd, iov, how == 0 ? n : 1);
}

/*
 * What drain.c wants of consumer.c.
 */
static void	scribble(struct input *);

struct program *
program_find(uint64_t number)
{
	return number >= 1 && number <= NOWNERS ? &programs[number - 1] : NULL;
}

const struct program *
program_of_pid(uint32_t pid)
{
	return program_find(pid);
}

bool
program_dead(uint64_t number)
{
	const struct program *o = program_find(number);

	return o != NULL && o->dead;
}

void
orders_take(void)
{
	for (; nmid > 0 && mid != NULL; nmid--)
		scribble(mid);
}

/* Nobody watches how files grow. */
struct ut_msg *
report_begin(uint16_t type, uint32_t a, uint32_t b)
{
	static struct ut_msg m;

	(void)type;
	(void)a;
	(void)b;
	return &m;
}

void
report_send(void)
{
}

void
report_bytes(uint64_t n)
{
	(void)n;
}

void
report_progress(uint64_t left)
{
	(void)left;
}

void
report_trouble(uint32_t id, uint32_t what, const char *fmt, ...)
{
	(void)id;
	(void)what;
	(void)fmt;
}

int
report_why(const char *path, const char *fmt, ...)
{
	(void)path;
	(void)fmt;
	return -1;
}

int
report_errno(const char *path)
{
	(void)path;
	return -1;
}

void
report_swap(struct reason *other)
{
	(void)other;
}

void
report_try(void)
{
}

const char *
report_reason(int error)
{
	return strerror(error);
}

void
report_made(const struct trace *d)
{
	(void)d;
}

void
report_wrote(const struct trace *d)
{
	(void)d;
}

/* Any number, but mostly such as might matter. */
static uint64_t
number(struct input *in)
{
	switch (input_u8(in) % 6) {
	case 0:
		return input_u8(in);
	case 1:
		return input_u16(in);
	case 2:
		return input_u32(in);
	case 3:
		return (uint64_t)input_u16(in) << 32 | input_u16(in);
	case 4:
		return (uint64_t)(int64_t)(int8_t)input_u8(in);
	default:
		return input_u64(in);
	}
}

/* A sub-buffer as a writer might leave it. */
static void
write_sub(struct input *in)
{
	struct ut_subbuf *sub = &region->subs[input_u8(in) % region->nsubs];
	const uint32_t slot = input_u8(in), state = input_u8(in) & 31;
	const uint64_t first = number(in);

	sub->state = UT_STATE_WORD(input_u8(in), slot, state);
	sub->seq = input_u8(in);
	sub->first = first;
	sub->last = first + input_u16(in);
	sub->owner = input_u8(in) % (NOWNERS + 1);
	sub->lost = input_u8(in);
	sub->commit = UT_COMMIT_WORD(input_u8(in), input_u16(in) % 5000);
	region->slots[slot % region->nslots].owner =
	    input_u8(in) % (NOWNERS + 1);
	if (region->header->slots_used <= slot)
		region->header->slots_used = slot + 1;
}

static void
write_data(struct input *in)
{
	const uint32_t i = input_u8(in) % region->nsubs;
	const uint32_t at = input_u16(in) % region->subsize;
	const uint8_t *p;
	size_t n = input_u8(in);

	if (n > region->subsize - at)
		n = region->subsize - at;
	n = input_some(in, n, &p);
	if (n > 0)
		memcpy(region->data + (size_t)i * region->subsize + at, p, n);
}

static void
write_word(void *where, struct input *in)
{
	const uint64_t v = number(in);

	memcpy((char *)where + input_u8(in) % 16 * sizeof(v), &v, sizeof(v));
}

/* Some program writes somewhere. */
static void
scribble(struct input *in)
{
	struct region *p = region;
	unsigned char *at;
	uint64_t v;

	switch (input_u8(in) % 6) {
	case 0:
		write_sub(in);
		break;
	case 1:
		write_data(in);
		break;
	case 2:
		write_word(&p->subs[input_u8(in) % p->nsubs], in);
		break;
	case 3:
		write_word(&p->slots[input_u8(in) % p->nslots], in);
		break;
	case 4:
		at = (unsigned char *)p->header;
		v = number(in);
		memcpy(at + input_u16(in) * sizeof(v) %
		    (size_t)(p->data - at), &v, sizeof(v));
		break;
	default:
		write_word((char *)p->header + sizeof(*p->header) / 3 *
		    (input_u8(in) % 3), in);
		break;
	}
}

/* One packet after the other, nothing else. */
static void
check_stream(const struct trace *t, const unsigned char *buf, size_t size)
{
	struct packet pk, last;
	size_t at, head;

	memset(&last, 0, sizeof(last));
	for (at = 0; at < size; at += head + pk.len) {
		head = packet_read(buf + at, size - at, &pk);
		if (head == 0 || pk.len > size - at - head)
			fuzz_die("no packet");
		if (memcmp(pk.uuid, t->uuid, UUID_LEN) != 0)
			fuzz_die("a packet of another trace");
		if (pk.end < pk.begin || pk.begin < last.end)
			fuzz_die("packets that overlap");
		if (at > 0 && (overwrites ? pk.seq <= last.seq :
		    pk.seq != last.seq + 1))
			fuzz_die("not the next packet");
		last = pk;
	}
}

static void
check_files(const struct trace *t, bool removed)
{
	static unsigned char buf[FILE_MAX];
	char name[32];
	size_t n;
	ssize_t got;
	uint32_t i;
	int fd;

	for (i = 0;; i++) {
		snprintf(name, sizeof(name), "c_%u", i);
		if ((fd = openat(t->fd, name, O_RDONLY)) == -1)
			break;
		for (n = 0; n < sizeof(buf); n += (size_t)got)
			if ((got = read(fd, buf + n, sizeof(buf) - n)) <= 0)
				break;
		close(fd);
		check_stream(t, buf, n);
		if (removed)
			unlinkat(t->fd, name, 0);
	}
}

static void
drain(struct input *in)
{
	const uint64_t bytes = region->sink->bytes;

	nmid = input_u8(in) % 4;
	mid = in;
	(void)region_drain(region, input_u8(in) % 4);
	mid = NULL;
	while (region_warm(region))
		continue;
	if (region->sink->bytes - bytes > region->nsubs *
	    (uint64_t)(region->subsize + 2 * PACKET_HEAD_MAX) + PACKET_HEAD_MAX)
		fuzz_die("more than there can be");
	if (region->sink->nstreams > 2 * region->nslots)
		fuzz_die("too many files");
}

/* It does not disturb the region, and is whole by itself. */
static void
snapshot(void)
{
	const uint64_t bytes = region->sink->bytes;
	struct region *c;

	if ((c = region_copy(region)) == NULL)
		fuzz_die("no copy");
	c->sink = sink_new(c, shots);
	(void)region_drain(c, DRAIN_LAST);
	sink_free(c->sink);
	region_private_free(c);
	if (region->sink->bytes != bytes)
		fuzz_die("the region was written");
	check_files(shots, true);
}

static void
open_region(uint8_t kind, bool again)
{
	const unsigned int geometry = kind % GEOMETRIES;
	struct region like;

	memset(&like, 0, sizeof(like));
	strcpy(like.name, "c");
	like.attrs.v[ATTR_NSUBS] = nsubs[geometry];
	like.attrs.v[ATTR_SUBSIZE] = UT_SUBSIZE_MIN;
	like.attrs.v[ATTR_CLOCK] = (kind & 2) != 0 ? UT_CLOCK_CYCLES :
	    UT_CLOCK_MONOTONIC;
	overwrites = (kind & 4) != 0;
	like.attrs.v[ATTR_MODE] = overwrites ? UT_MODE_OVERWRITE :
	    UT_MODE_DISCARD;
	ut_shm_name(like.shm);
	if (fds[geometry] == -1) {
		region = region_new(&like, false, -1);
		if (region == NULL || (fds[geometry] = dup(region->fd)) == -1)
			fuzz_die("no region");
		region_free(region);
		(void)shm_unlink(like.shm);
	}
	if ((region = region_new(&like, true, dup(fds[geometry]))) == NULL)
		fuzz_die("no region");
	if (!region_begin(region, dir, again))
		fuzz_die("not adopted");
}

/*
 * Something else stands in the head of a packet that is not the first: a file
 * with nothing of ours would be refused.
 */
static void
spoil_head(struct input *in, int fd)
{
	static const struct spoil {
		off_t	 at;
		size_t	 n;
	} all[] = { { 0, 4 }, { 4, 8 }, { 48, 8 }, { 48, 16 }, { 88, 24 },
		{ 88, 168 } }, *s;
	unsigned char buf[PACKET_HEAD_MAX];
	struct packet pk;
	uint64_t v;
	off_t at = 0;
	size_t head;
	int n;

	s = &all[input_u8(in) % (sizeof(all) / sizeof(all[0]))];
	v = number(in);
	for (n = 1 + input_u8(in) % 3; n > 0; n--) {
		if (pread(fd, buf, sizeof(buf), at) < (ssize_t)sizeof(buf) ||
		    (head = packet_read(buf, sizeof(buf), &pk)) == 0)
			return;
		at += (off_t)(head + pk.len);
	}
	memset(buf, 'x', sizeof(buf));
	if (s->at == 48) {
		memcpy(buf, &v, sizeof(v));
		memcpy(buf + sizeof(v), &v, sizeof(v));
	}
	if (pwrite(fd, buf, s->n, at + s->at) == -1)
		fuzz_die("pwrite");
}

/* The one before died while it wrote a file; or somebody else wrote there. */
static void
cut_file(struct input *in)
{
	static const char zeros[200];
	const uint8_t what = input_u8(in);
	struct stat st;
	char name[32];
	off_t cut;
	int fd;

	snprintf(name, sizeof(name), "c_%u", what % 4);
	if ((fd = openat(dir->fd, name, O_RDWR)) == -1)
		return;
	if (fstat(fd, &st) == -1)
		fuzz_die("fstat");
	cut = st.st_size > 0 ? input_u16(in) % st.st_size : 0;
	/* A file that has nothing but what others wrote would be refused. */
	if (what >= 128)
		spoil_head(in, fd);
	else if (st.st_size > 0 && (cut > 0 ?
	    ftruncate(fd, st.st_size - cut) == -1 :
	    pwrite(fd, zeros, input_u8(in) % sizeof(zeros), st.st_size) == -1))
		fuzz_die("file");
	close(fd);
}

/* Another consumer. */
static void
adopt(struct input *in, uint8_t kind)
{
	/* Without it there is nothing to do. */
	region->header->magic = UT_ABI_MAGIC;
	region_end(region);
	if (input_u8(in) % 2)
		cut_file(in);
	open_region(kind, true);
	check_files(dir, false);
}

static void
metadata(struct input *in)
{
	(void)output_metadata(dir, "text", input_u8(in) % 2 == 0);
}

static void
bury(struct input *in)
{
	const uint8_t mask = input_u8(in);
	int i;

	for (i = 0; i < NOWNERS; i++)
		programs[i].dead = (mask >> i & 1) != 0;
	if (region_bury(region))
		for (i = 0; i < NOWNERS; i++)
			programs[i].dead = false;
}

static struct trace *
open_trace(const struct trace *like, const char *name)
{
	const int fd = open(fuzz_dir(), O_RDONLY | O_DIRECTORY);
	struct trace *t = NULL;

	if (fd == -1 || (t = output_trace(like, fd, name, like->adopted)) == NULL)
		fuzz_die("set-up");
	return t;
}

static void
begin(void)
{
	static const char *const names[] = { "", "a", "b c", "\\\"" };
	struct trace like;
	int i;

	for (i = 0; i < NOWNERS; i++) {
		programs[i].number = (uint64_t)i + 1;
		programs[i].pid = (uint32_t)i;
		snprintf(programs[i].name, sizeof(programs[i].name), "%s",
		    names[i % 4]);
	}
	memset(programs[0].name, 'x', sizeof(programs[0].name) - 1);
	memset(&like, 0, sizeof(like));
	like.limit = NO_LIMIT;
	like.adopted = true;
	memset(like.uuid, 'u', sizeof(like.uuid));
	dir = open_trace(&like, "t");
	like.adopted = false;
	memset(like.uuid, 's', sizeof(like.uuid));
	shots = open_trace(&like, "s");
	dir->behind = false;
	meta_size = dir->meta_size;
}

/* All is as if nothing had been. */
static void
end(void)
{
	region->header->magic = UT_ABI_MAGIC;
	region_end(region);
	region = NULL;
	check_files(dir, true);
	dir->npending = dir->nwhole = 0;
	if (ftruncate(dir->meta, meta_size) == -1)
		fuzz_die("ftruncate");
	dir->meta_size = meta_size;
}

static void
step(struct input *in, uint8_t kind)
{
	switch (input_u8(in) % 12) {
	case 0:
	case 1:
		drain(in);
		break;
	case 2:
		bury(in);
		break;
	case 3:
		later += 1100;
		region_revoke(region);
		break;
	case 4:
		adopt(in, kind);
		break;
	case 5:
		if (input_u8(in) % 2 == 0)
			region_start(region);
		else
			region_finish(region, false);
		break;
	case 6:
		(void)region_sleep(region, input_u8(in) % 2 == 0);
		break;
	case 7:
		failing = input_u8(in) % 3;
		break;
	case 8:
		metadata(in);
		break;
	case 9:
		snapshot();
		break;
	default:
		scribble(in);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t kind;

	if (dir == NULL)
		begin();
	kind = input_u8(&in);
	failing = 0;
	open_region(kind, false);
	memset((char *)region->header + UT_ABI_LINE, 0,
	    region->size - UT_ABI_LINE);
	while (in.n > 0)
		step(&in, kind);
	failing = 0;
	region_finish(region, false);
	end();
	return 0;
}
