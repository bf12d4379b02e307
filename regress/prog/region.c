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
 * What is taken in the regions among some files, which may be descriptors of
 * a consumer's: for each, how many slots, by how many programs, how many
 * sub-buffers are OWNED, how many are on their way to the consumer, and how
 * many free slots and sub-buffers are not clean.
 *
 * With -c instead, for each: how many sub-buffers have ever been claimed, of
 * how many, and how often all of them together.
 *
 * With -b instead, for each: how many bytes of events are in sub-buffers, of
 * how many, and how many events were overwritten.
 *
 * With -w instead, for each: how many bytes of the data are said to have
 * their memory, of how many.
 *
 * With -u they become what they were when the consumer had written the last
 * packet of each and had not yet noted that: for one packet of each.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/ut_abi.h"

static struct ut_header *h;

static void
slots_look(void)
{
	struct ut_slot *s = (struct ut_slot *)(void *)((char *)h + h->slots);
	unsigned int taken = 0, programs = 0, dirty = 0;
	uint64_t owner;
	uint32_t i, k;

	for (i = 0; i < h->nslots; i++) {
		if ((owner = atomic_load(&s[i].owner)) == 0) {
			dirty += atomic_load(&s[i].busy) != 0 &&
			    atomic_load(&s[i].owner) == 0;
			continue;
		}
		taken++;
		for (k = 0; k < i && atomic_load(&s[k].owner) != owner; k++)
			continue;
		programs += k == i;
	}
	printf("%u slots %u programs ", taken, programs);
	if (dirty > 0)
		printf("%u free but busy ", dirty);
}

static void
subs_look(void)
{
	struct ut_subbuf *s = (struct ut_subbuf *)(void *)((char *)h +
	    h->subs);
	unsigned int owned = 0, full = 0, dirty = 0;
	uint64_t word;
	uint32_t i;

	for (i = 0; i < h->nsubs; i++) {
		word = atomic_load(&s[i].state);
		if (UT_STATE(word) == UT_FREE)
			dirty += (atomic_load(&s[i].commit) != 0 ||
			    atomic_load(&s[i].consumed) != 0) &&
			    atomic_load(&s[i].state) == word;
		else if (UT_STATE(word) == UT_OWNED)
			owned++;
		else
			full++;
	}
	printf("%u owned %u full", owned, full);
	if (dirty > 0)
		printf(" %u free but not empty", dirty);
	printf("\n");
}

static void
claims_look(void)
{
	struct ut_subbuf *s = (struct ut_subbuf *)(void *)((char *)h +
	    h->subs);
	unsigned int used = 0, claims = 0;
	uint32_t i, gen;

	for (i = 0; i < h->nsubs; i++) {
		gen = UT_STATE_GEN(atomic_load(&s[i].state));
		used += gen != 0;
		claims += gen;
	}
	printf("%u of %u claimed %u times\n", used, h->nsubs, claims);
}

static void
bytes_look(void)
{
	struct ut_subbuf *s = (struct ut_subbuf *)(void *)((char *)h +
	    h->subs);
	struct ut_slot *slots = (struct ut_slot *)(void *)((char *)h +
	    h->slots);
	uint64_t bytes = 0, over = 0;
	uint32_t i;

	for (i = 0; i < h->nsubs; i++)
		bytes += UT_COMMIT_LEN(atomic_load(&s[i].commit));
	for (i = 0; i < h->nslots; i++)
		over += atomic_load(&slots[i].overwritten);
	printf("%llu of %llu bytes, %llu overwritten\n",
	    (unsigned long long)bytes,
	    (unsigned long long)h->nsubs * h->subsize,
	    (unsigned long long)over);
}

static void
warm_look(void)
{
	printf("%llu of %llu bytes warm\n",
	    (unsigned long long)atomic_load(&h->warm),
	    (unsigned long long)h->nsubs * h->subsize);
}

static void
forget_writes(void)
{
	struct ut_subbuf *s = (struct ut_subbuf *)(void *)((char *)h +
	    h->subs);
	uint64_t consumed;
	uint32_t i;

	for (i = 0; i < h->nsubs; i++) {
		if ((consumed = atomic_load(&s[i].consumed)) == 0)
			continue;
		printf("%u events\n", (unsigned int)UT_COMMIT_COUNT(consumed));
		atomic_store(&s[i].writing, consumed);
		atomic_store(&s[i].consumed, 0);
		atomic_fetch_sub(&h->written, UT_COMMIT_COUNT(consumed));
	}
}

int
main(int argc, char *argv[])
{
	const int forget = argc > 1 && strcmp(argv[1], "-u") == 0;
	const int claims = argc > 1 && strcmp(argv[1], "-c") == 0;
	const int bytes = argc > 1 && strcmp(argv[1], "-b") == 0;
	const int warm = argc > 1 && strcmp(argv[1], "-w") == 0;
	struct stat st;
	int i, fd;

	for (i = 1 + forget + claims + bytes + warm; i < argc; i++) {
		if (stat(argv[i], &st) == -1 || !S_ISREG(st.st_mode) ||
		    st.st_size < (off_t)sizeof(*h) ||
		    (fd = open(argv[i], forget ? O_RDWR : O_RDONLY)) == -1)
			continue;
		h = mmap(NULL, (size_t)st.st_size, forget ? PROT_READ |
		    PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
		close(fd);
		if (h == MAP_FAILED)
			err(1, "%s", argv[i]);
		if (h->magic == UT_ABI_MAGIC && forget) {
			forget_writes();
		} else if (h->magic == UT_ABI_MAGIC && claims) {
			claims_look();
		} else if (h->magic == UT_ABI_MAGIC && bytes) {
			bytes_look();
		} else if (h->magic == UT_ABI_MAGIC && warm) {
			warm_look();
		} else if (h->magic == UT_ABI_MAGIC) {
			slots_look();
			subs_look();
		}
		munmap(h, (size_t)st.st_size);
	}
	return 0;
}
