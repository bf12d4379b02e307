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

#define BUCKETS		1024	/* of owners, whose numbers are in a row */

static struct owner *owners[BUCKETS];
static unsigned int ndead;	/* to be buried */

static struct owner *
find_owner(uint64_t number)
{
	struct owner *o = owners[number % BUCKETS];

	while (o != NULL && o->number != number)
		o = o->next;
	return o;
}

const struct owner *
owner_find(uint64_t number)
{
	return find_owner(number);
}

bool
owner_dead(uint64_t number)
{
	const struct owner *o = find_owner(number);

	return o != NULL && o->dead;
}

/* The program that a message tells of, perhaps for the first time. */
struct owner *
owner_read(struct ut_msg *m)
{
	uint64_t number = ut_msg_get_u64(m);
	struct owner *o;

	if ((o = find_owner(number)) != NULL)
		return o;
	o = xcalloc(1, sizeof(*o));
	o->number = number;
	o->pid = ut_msg_get_u32(m);
	ut_msg_get_str(m, o->name, sizeof(o->name));
	o->next = owners[number % BUCKETS];
	owners[number % BUCKETS] = o;
	return o;
}

/*
 * A program died: UT_C_DEAD.  This consumer may not have heard of the program
 * before.  False if it is known to be dead.
 */
bool
owner_died(struct ut_msg *m)
{
	uint32_t serial = ut_msg_get_u32(m);
	struct owner *o = owner_read(m);

	if (o->dead)
		return false;
	o->dead = true;
	o->serial = serial;
	ndead++;
	return true;
}

/* Is any of the dead not buried yet? */
bool
owners_dead(void)
{
	return ndead > 0;
}

/* Forget the dead, and tell the parent that it may do so, too. */
void
owners_forget(void)
{
	struct owner **op, *o;
	int i;

	for (i = 0; i < BUCKETS && ndead > 0; i++) {
		for (op = &owners[i]; (o = *op) != NULL;) {
			if (!o->dead) {
				op = &o->next;
				continue;
			}
			*op = o->next;
			(void)report_begin(UT_C_REPLY, o->serial, 0);
			report_send();
			free(o);
			ndead--;
		}
	}
}
