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
 * What utd reads: the messages of programs, of utctl and of its consumers,
 * anything else that comes, and in what order.  The input is a row of steps.
 */

#include "parent.h"

static const uid_t uids[] = { 0, 0, 1000, 1001 };

/* All that utd knows, and a few that it does not. */
static const uint16_t types[] = {
	UT_MSG_HELLO, UT_MSG_ACK, UT_MSG_NEW, UT_MSG_NAMES, UT_MSG_EVENTS,
	UT_MSG_FAILED, UT_CTL_HELLO, UT_CTL_OWN, UT_CTL_CREATE,
	UT_CTL_DESTROY, UT_CTL_START, UT_CTL_STOP, UT_CTL_CHANNEL,
	UT_CTL_ENABLE, UT_CTL_DISABLE, UT_CTL_LIST, UT_CTL_EVENTS,
	UT_CTL_CHOFF, UT_CTL_CHREMOVE, UT_C_READY, UT_C_REPLY, UT_C_TROUBLE,
	UT_C_PROGRESS, UT_C_MADE, UT_C_WROTE, UT_C_BURIED, 0, 2, 3,
	UT_CTL_TRACK, UT_CTL_UNTRACK, UT_CTL_STATUS, UT_CTL_ROTATE,
	UT_CTL_CLEAR, UT_CTL_CHUNKS, UT_CTL_CONTEXT,
	UT_CTL_TRIGGER, UT_CTL_UNTRIGGER, UT_CTL_SNAPSHOT
};
static struct ut_msg m;

static int
type(struct input *in)
{
	return types[input_u8(in) % (sizeof(types) / sizeof(types[0]))];
}

static void
step(struct input *in)
{
	static const int times[] = { 0, 2, 100, 1000, 3100, 11000 };
	const uint8_t what = input_u8(in), n = input_u8(in);
	const uint8_t *p;
	size_t len;
	int t;

	switch (what % 12) {
	case 0:
		peer_open(n, uids[n / NPEERS % 4], input_u8(in));
		break;
	case 1:
		if (what < 128)
			peer_close(n);
		else
			peer_deaf(n);
		break;
	case 2:
		len = input_some(in, input_u8(in), &p);
		peer_send(n, p, len);
		break;
	case 3:
		if (!peer_is_open(n))
			peer_open(n, uids[n / NPEERS % 4], n + 1);
		t = input_u8(in);
		peer_behave(n, (uint32_t)(t < 255 ? t : 1500));
		break;
	case 4:
		parent_wait(times[n % 6]);
		break;
	case 5:
		consumers_answer(n % ANSWER_MAX);
		break;
	case 6:
		consumer_kill(n);
		break;
	case 7:
		t = type(in);
		input_message(in, &m, t, what / 64 % 3);
		consumer_say(n, &m);
		break;
	default:
		t = type(in);
		input_message(in, &m, t, what / 64 % 3);
		if (!peer_is_open(n))
			peer_open(n, uids[n / NPEERS % 4], n + 1);
		peer_message(n, &m);
		break;
	}
	if (n < 128)
		parent_run();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	parent_begin();
	while (in.n > 0)
		step(&in);
	parent_reset();
	return 0;
}
