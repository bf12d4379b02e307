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
 * The module of an address that ut_code was given, for whoever has ut_lock.
 *
 * The thread that names an address may have a lock of the program's which
 * another thread waits for that has the run-time linker's: so it does not wait
 * for that.  It writes down what it finds here, since only as long as that
 * thread is in ut_code is the module sure to be there.
 */

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "ut_loaded.h"
#include "ut_priv.h"

enum { FREE, TAKEN, READY };

static struct {
	_Atomic int		 state;
	struct ut_loaded	 module;
	char			 name[UT_PATH];
	unsigned char		 id[UT_BUILD_ID];
} found;

/* False if there is no room.  Else it is there for others, and not ours. */
static bool
module_put(const struct ut_loaded *m)
{
	const size_t len = strlen(m->name);

	if (len >= sizeof(found.name))
		return false;
	found.module = *m;
	found.module.name = memcpy(found.name, m->name, len + 1);
	if (m->idlen > 0)
		found.module.id = memcpy(found.id, m->id, m->idlen);
	atomic_store_explicit(&found.state, READY, memory_order_release);
	return true;
}

/*
 * False if another is there already.  Signals wait: in the child of a handler
 * that forks, nobody is about to write.
 */
bool
ut_found_put(const void *addr)
{
	sigset_t old;
	const int cancel = ut_block(&old);
	int state = FREE;
	bool taken;

	/* Acquire: who read the last one has done so. */
	taken = atomic_compare_exchange_strong_explicit(&found.state, &state,
	    TAKEN, memory_order_acquire, memory_order_relaxed);
	if (taken && !ut_loaded_at(addr, module_put))
		ut_found_done();
	ut_unblock(&old, cancel);
	return taken;
}

const struct ut_loaded *
ut_found(void)
{
	return atomic_load_explicit(&found.state, memory_order_acquire) ==
	    READY ? &found.module : NULL;
}

void
ut_found_done(void)
{
	atomic_store_explicit(&found.state, FREE, memory_order_release);
}
