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
 * What utd reads that another has left: the files `state' and `programs' of
 * the run directory.  The first byte of the input says whether the rest is
 * the first of them as it is, or what to make both of.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parent.h"

#define RAW		1
#define NO_BEGIN	2
#define NO_END		4
#define PROGRAMS_MAX	8
#define STATE_MAX	(1 << 20)

static unsigned char file[STATE_MAX];
static size_t filled;
static struct ut_msg message;

static void
put(const struct ut_msg *m)
{
	const size_t n = m->h.len - sizeof(m->h);

	if (filled + m->h.len > sizeof(file))
		return;
	memcpy(file + filled, &m->h, sizeof(m->h));
	memcpy(file + filled + sizeof(m->h), m->body, n);
	filled += m->h.len;
}

static void
write_programs(struct input *in)
{
	static struct state_program programs[PROGRAMS_MAX];
	const size_t n = input_u8(in) % (PROGRAMS_MAX + 1);
	size_t i;

	memset(programs, 0, sizeof(programs));
	for (i = 0; i < n; i++) {
		programs[i].owner = input_u8(in);
		programs[i].uid = input_u8(in);
		programs[i].pid = input_u32(in);
		programs[i].bits = input_u8(in);
		input_bytes(in, programs[i].name, sizeof(programs[i].name) / 4);
	}
	fuzz_file("old-programs", programs, n * sizeof(programs[0]));
}

static void
write_state(struct input *in, int how)
{
	filled = 0;
	ut_msg_init(&message, STATE_BEGIN, state_ops.version, 0);
	if (!(how & NO_BEGIN))
		put(&message);
	while (in->n > 0) {
		input_message(in, &message, input_u8(in) % 16, 0);
		if (message.h.type == STATE_BEGIN)
			message.h.a %= state_ops.version + 1;
		put(&message);
	}
	ut_msg_init(&message, STATE_END, 0, 0);
	if (!(how & NO_END))
		put(&message);
	fuzz_file("old-state", file, filled);
}

/*
 * Write the input as it is, but with this version: the state of an older utd is
 * not read, and that of a newer one ends this program, as it has to.
 */
static void
write_raw(const struct input *in)
{
	struct ut_msghdr h;

	filled = in->n < sizeof(file) ? in->n : sizeof(file);
	memcpy(file, in->p, filled);
	if (filled >= sizeof(h)) {
		memcpy(&h, file, sizeof(h));
		h.a = state_ops.version;
		memcpy(file, &h, sizeof(h));
	}
	fuzz_file("old-programs", "", 0);
	fuzz_file("old-state", file, filled);
}

/* Each is what its number says, and can be there. */
static void
check(const struct session *s)
{
	const struct channel *ch;
	const struct region *r;
	const struct trace *t;
	char why[160];

	if (s->dying != s->lingers)
		fuzz_die("a session that nobody sees");
	for (t = s->traces; t != NULL; t = t->next)
		if (trace_by_id(t->id) != t)
			fuzz_die("two directories of one number");
	for (ch = s->channels; ch != NULL; ch = ch->next) {
		if (channel_by_id(ch->id) != ch)
			fuzz_die("two channels of one number");
		if (!channel_possible(&ch->attrs, why, sizeof(why)))
			fuzz_die(why);
		for (r = ch->regions; r != NULL; r = r->next)
			if (region_by_id(r->id) != r)
				fuzz_die("two regions of one number");
	}
}

static void
load(void)
{
	char state[128], programs[128], kept[160];
	const struct session *s;

	snprintf(state, sizeof(state), "%s/old-state", fuzz_dir());
	snprintf(programs, sizeof(programs), "%s/old-programs", fuzz_dir());
	snprintf(kept, sizeof(kept), "%s.kept-1", state);
	state_load(state, programs);
	(void)unlink(kept);
	for (s = sessions; s != NULL; s = s->next)
		check(s);
	state_resume();
	parent_run();
}

static void
ask(int type)
{
	ut_msg_init(&message, type, UT_MSG_VERSION, 0);
	ut_msg_str(&message, "");
	peer_message(0, &message);
	parent_wait(3100);
}

/* What was taken up is used. */
static void
use(void)
{
	static const int requests[] = { UT_CTL_HELLO, UT_CTL_LIST,
		UT_CTL_START, UT_CTL_STOP, UT_CTL_START, UT_CTL_DESTROY };
	size_t i;

	peer_open(0, 0, 1);
	peer_open(1, 0, 2);
	peer_behave(1, 3);
	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		ask(requests[i]);
	consumer_kill(0);
	parent_run();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	int how = input_u8(&in);

	parent_begin();
	if (how & RAW) {
		write_raw(&in);
	} else {
		write_programs(&in);
		write_state(&in, how);
	}
	load();
	use();
	parent_reset();
	return 0;
}
