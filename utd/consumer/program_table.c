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
 * Programs, as the parent tells of them: the names in packets, and who died.
 */

#include <stdlib.h>

#include "consumer.h"

#define BUCKETS		1024	/* for programs: their numbers are in a row */

static struct program *programs[BUCKETS];
static unsigned int ndead;	/* to be buried */

struct program *
program_find(uint64_t number)
{
	struct program *p = programs[number % BUCKETS];

	while (p != NULL && p->number != number)
		p = p->next;
	return p;
}

/* The program with that pid in its own PID namespace. */
const struct program *
program_of_pid(uint32_t pid)
{
	const struct program *p;
	int i;

	for (i = 0; i < BUCKETS; i++)
		for (p = programs[i]; p != NULL; p = p->next)
			if (p->pid == pid)
				return p;
	return NULL;
}

bool
program_dead(uint64_t number)
{
	const struct program *p = program_find(number);

	return p != NULL && p->dead;
}

/* The program that a message tells of, perhaps for the first time. */
struct program *
program_read(struct ut_msg *m)
{
	uint64_t number = ut_msg_get_u64(m);
	struct program *p;

	if ((p = program_find(number)) != NULL)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->number = number;
	p->pid = ut_msg_get_u32(m);
	ut_msg_get_str(m, p->name, sizeof(p->name));
	p->outside = ut_msg_get_u32(m);
	p->next = programs[number % BUCKETS];
	programs[number % BUCKETS] = p;
	return p;
}

/*
 * A program died: UT_C_DEAD.  This consumer may not have heard of the program
 * before.
 */
void
program_died(struct ut_msg *m)
{
	program_read(m)->dead = true;
	ndead++;
}

/* Is any of the dead not buried yet? */
bool
programs_dead(void)
{
	return ndead > 0;
}

/* Forget the dead, and tell the parent that it may do so, too. */
void
programs_forget(void)
{
	struct program **op, *p;
	int i;

	(void)report_begin(UT_C_BURIED, ndead, 0);
	report_send();
	ndead = 0;
	for (i = 0; i < BUCKETS; i++) {
		for (op = &programs[i]; (p = *op) != NULL;) {
			if (!p->dead) {
				op = &p->next;
				continue;
			}
			*op = p->next;
			free(p);
		}
	}
}
