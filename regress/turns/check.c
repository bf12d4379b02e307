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
 * The files in the end, and the counts: what has become of each event.
 */

#include <stdio.h>
#include <string.h>

#include "../../utd/consumer/sink.h"
#include "turns.h"

/* Events that files tell of as lost, and gaps where others are missing. */
static uint64_t told;
static unsigned int gaps;

/* Check the event at p, of at most n bytes; returns its length. */
static size_t
check_event(const unsigned char *p, size_t n, const struct packet *pk,
    uint64_t *time, unsigned int *last)
{
	const size_t whole = pk->shared ? 8 + sizeof(NAME) : 0;
	const unsigned char *q = p + UT_EVENT_HEAD + whole;
	unsigned int actor, k, depth;
	uint16_t id;

	memcpy(&id, p, sizeof(id));
	if (n < UT_EVENT_HEAD + whole + EVENT_LEN || id != EVENT_ID)
		wrong("whole events: garbage in a packet");
	actor = q[0], k = q[1], depth = q[2];
	if (q[3] != EVENT_MAGIC || actor >= NWRITERS || (q[4] ^ q[0]) != 0xff ||
	    (q[5] ^ q[1]) != 0xff || (q[6] ^ q[2]) != 0xff || depth > 4 ||
	    k >= T->logs[actor].n)
		wrong("whole events: an event is not what was written");
	*time = ut_event_time(p, *time);
	if (T->verbose)
		printf("file: event %u of actor %u at %llx, from %llx to %llx\n",
		    k, actor, (unsigned long long)*time, (unsigned long long)
		    T->logs[actor].events[k].from, (unsigned long long)
		    T->logs[actor].events[k].to);
	if (*time < T->logs[actor].events[k].from ||
	    (T->logs[actor].events[k].fate != BEGUN &&
	    *time > T->logs[actor].events[k].to))
		wrong("times: event %u of actor %u is dated %llx", k, actor,
		    (unsigned long long)*time);
	if (T->logs[actor].events[k].found)
		wrong("once: event %u of actor %u is there twice", k, actor);
	T->logs[actor].events[k].found = true;
	if (last[actor * 5 + depth] > k)
		wrong("order: event %u of actor %u comes late", k, actor);
	last[actor * 5 + depth] = k;
	return UT_EVENT_HEAD + whole + EVENT_LEN;
}

static void
check_packet(const unsigned char *p, const struct packet *pk,
    unsigned int *last)
{
	uint64_t time = pk->begin;
	size_t at;

	for (at = 0; at < pk->len;)
		at += check_event(p + at, pk->len - at, pk, &time, last);
	if (pk->len > 0 && (at != pk->len || time > pk->end))
		wrong("times: a packet ends before its last event");
}

static void
check_file(const unsigned char *p, size_t size)
{
	unsigned int last[NWRITERS * 5] = { 0 };
	uint64_t end = 0, seq = 0;
	struct packet pk = { .discarded = 0 };
	size_t at, head;

	for (at = 0; at < size; at += head + pk.len) {
		head = packet_read(p + at, size - at, &pk);
		if (head == 0 || pk.len > size - at - head)
			wrong("files: no packet");
		if (pk.begin < end || pk.end < pk.begin)
			wrong("files: packets overlap");
		if (pk.seq < seq)
			wrong("files: packets out of order");
		if (T->verbose)
			printf("packet %llu: %llu bytes, %llx to %llx, "
			    "discarded %llu\n", (unsigned long long)pk.seq,
			    (unsigned long long)pk.len,
			    (unsigned long long)pk.begin,
			    (unsigned long long)pk.end,
			    (unsigned long long)pk.discarded);
		gaps += pk.seq > seq;
		seq = pk.seq + 1;
		end = pk.end;
		check_packet(p + at + head, &pk, last);
	}
	told += pk.discarded;
}

/*
 * Is there a sub-buffer that a thread was about to drop when the session ended?
 * Its events are counted, and no packet tells of them.
 */
static bool
any_taken(void)
{
	unsigned int i;

	for (i = 0; i < T->memory->header.nsubs; i++)
		if (UT_STATE(atomic_load(&T->memory->subs[i].state)) ==
		    UT_TAKEN)
			return true;
	return false;
}

/* Events that are not in the files are counted, and no more than these. */
static void
check_counts(const uint64_t *n, uint64_t missing)
{
	const uint64_t open = n[BEGUN] + n[LATE], lost = lost_now();
	const uint64_t over = overwritten_now();
	/* An event with a filter may find late that there is no room. */
	const uint64_t late = T->filtered && lost > n[LOST] ? lost - n[LOST] :
	    0;

	if (missing > over + late)
		wrong("every event: %d are neither in files nor counted",
		    (int)(missing - over));
	if (over > missing + open)
		wrong("every event: too many are counted as overwritten");
	if (missing > late && gaps == 0 && T->mode == OVERWRITE && !any_taken())
		wrong("every event: no gap tells of what was overwritten");
	if (gaps > 0 && !T->dropped)
		wrong("every event: a gap tells of nothing");
	if (lost < n[LOST] || lost > n[LOST] + open + n[REFUSED] +
	    (T->filtered ? missing : 0))
		wrong("losses: %d counted, %d lost", (int)lost, (int)n[LOST]);
	if (told < T->lost_at_stop || told > lost)
		wrong("losses: files tell of %d, lost %d", (int)told,
		    (int)T->lost_at_stop);
}

void
check_end(void)
{
	uint64_t n[LATE + 1] = { 0 }, missing = 0;
	unsigned int i, k;
	bool found;

	told = gaps = 0;
	files_each(check_file);
	for (i = 0; i < NWRITERS; i++) {
		for (k = 0; k < T->logs[i].n; k++) {
			found = T->logs[i].events[k].found;
			n[T->logs[i].events[k].fate]++;
			missing += T->logs[i].events[k].fate == RECORDED &&
			    !found;
			if (T->verbose && !found)
				printf("event %u of actor %u: %d\n", k, i,
				    T->logs[i].events[k].fate);
			if (found && (T->logs[i].events[k].fate == LOST ||
			    T->logs[i].events[k].fate == REFUSED))
				wrong("every event: %u of actor %u is there, "
				    "and was not recorded", k, i);
		}
	}
	check_counts(n, missing);
	check_programs();
}
