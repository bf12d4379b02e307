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
 * Contexts of the program's own: it tells us what they are called, and what
 * says what they are worth.
 */

#include <errno.h>
#include <string.h>

#include "common/context.h"
#include "ut_event.h"
#include "ut_prefix.h"

/* With NULL, the program has no such context any more.  0, or -1 with errno. */
UT_EXPORT int
ut_context(const char *name, ut_callback *f)
{
	char full[CONTEXT_NAME] = CONTEXT_APP;
	struct thread *self;
	sigset_t signals;
	int error;

	if (name == NULL || !context_name(name)) {
		errno = EINVAL;
		return -1;
	}
	if (ut_disabled())
		return 0;
	memcpy(full + strlen(full), name, strlen(name) + 1);
	ut_enter(&signals);
	self = ut_mute();
	error = ut_prefix_call(full, f);
	ut_unmute(self);
	ut_leave(&signals);
	if (error == 0)
		return 0;
	errno = error;
	return -1;
}
