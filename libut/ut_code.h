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
 * For libraries that wrap functions of other libraries: their events name
 * addresses of code, and the trace is to say which module each address is in.
 * Calls that they could not record are to be counted.
 */

#ifndef UT_CODE_H
#define UT_CODE_H

#include <stdint.h>

struct ut_event;

/*
 * An event names this address.  If it is in no module that libut knows of,
 * libut records that module.  Costs a few loads where the module is known.
 * Async-signal-safe; keeps errno; never waits for libut's lock, nor, with glibc
 * 2.35 and later, for that of the run-time linker.
 */
void		 ut_code(const void *);

/*
 * A dlclose(3) is over: record what it has unloaded.  Keeps errno.  Waits for
 * libut's lock, and, but for glibc 2.35 and later, for the run-time linker's.
 */
void		 ut_code_gone(void);

/*
 * The event should have been recorded so many times, and could not be: count it
 * as lost, in each session that records it.  Waits for libut's lock.
 */
void		 ut_missed(const struct ut_event *, uint64_t);

/*
 * From now on, the stacks of this thread's events begin where a signal has
 * interrupted it.  The signal's handler, which no other one may interrupt,
 * passes its third argument, and NULL before it returns.  Async-signal-safe.
 */
void		 ut_code_context(const void *);

#endif /* UT_CODE_H */
