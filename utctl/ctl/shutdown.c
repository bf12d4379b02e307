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
 * utctl shutdown: end utd, in order.
 */

#include <stdio.h>
#include <unistd.h>

#include "../utctl.h"

int
cmd_shutdown(int argc, char **argv)
{
	struct client *c;
	int r;

	if (option(argc, argv, "+") != -1 || argc != optind)
		return usage();
	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	/* utd answers when everything is written, or cannot be. */
	r = client_ask(c, UT_CTL_SHUTDOWN, NULL, NULL);
	if (r == 0)
		client_ended(c);
	r = client_say(c, r);
	client_close(c);
	return r;
}
