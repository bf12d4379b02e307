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
 * The parent: what connects those that know nothing of each other.
 */

#include <stddef.h>

#include "parent.h"

static const struct hello hellos[] = {
	{ UT_MSG_HELLO,	app_hello },
	{ UT_CTL_HELLO,	control_hello },
	{ 0,		NULL }
};

static const struct saved_ops saved_ops = {
	state_put, state_rows, state_gone
};

void
parent_open(const char *dir)
{
	users_begin();
	clock_begin();
	uuid_begin();
	consumers_begin(dir);
	journal_begin(&saved_ops);
	regions_begin(links_region);
	listen_open(dir, hellos);
	state_open(dir);
}

void
parent_loop(void)
{
	loop_run(conn_reap);
}

bool
parent_close(void)
{
	bool all;

	consumers_end();
	if ((all = sessions_end())) {
		journal_remove();
		programs_remove();
		consumers_remove();
	} else {
		journal_end();
	}
	listen_close();
	return all;
}
