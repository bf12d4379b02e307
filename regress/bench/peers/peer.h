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
 * What the programs of this directory have in common.  Each gives its logger's
 * four functions to peer_main(), and is run as
 *
 *	peer event file bursts events ms
 *
 * event is one (an int) or mix (u64, u32, string, double), file is what the
 * logger writes, and the others are load.c's -b, -n and -p.  What is printed is
 * what `load burst' prints.
 */

#ifndef PEER_H
#define PEER_H

#include <stdint.h>
#include <string.h>

#include "burst.h"

/* A logger without mix has a null pointer there. */
static int
peer_main(int argc, char *argv[], void (*begin)(const char *),
    void (*one)(long), void (*mix)(long), void (*end)(void))
{
	static double ns[MAXBURSTS];
	void (*run)(long);
	long nbursts, events;

	if (argc != 6)
		return 1;
	run = strcmp(argv[1], "one") == 0 ? one : mix;
	nbursts = atol(argv[3]);
	if (run == NULL || nbursts < 1 || nbursts > MAXBURSTS)
		return 1;
	begin(argv[2]);
	events = bursts_run(run, nbursts, atol(argv[4]), atol(argv[5]), ns);
	bursts_print(ns, nbursts, events);
	end();
	return 0;
}

#endif
