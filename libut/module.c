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
 * The modules of the program: itself, and the libraries that have events of
 * their own.  The constructor and the destructor of each (ut.h) call here.
 */

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ut_event.h"
#include "ut_loaded.h"
#include "ut_register.h"

static struct ut_module *modules;

/*
 * Was UT_DISABLE set when the first module was added?  Then we make no system
 * call in the program, and so do not even take the lock.
 */
bool
ut_disabled(void)
{
	enum { UNKNOWN, NO, YES };
	static _Atomic int known = UNKNOWN;
	const char *s;

	if (known == UNKNOWN) {
		s = ut_issetugid() ? NULL : getenv("UT_DISABLE");
		known = s != NULL && *s != '\0' && strcmp(s, "0") != 0 ?
		    YES : NO;
		if (known == YES)
			ut_debug("UT_DISABLE is set: nothing is traced");
	}
	return known == YES;
}

static bool
refused(const struct ut_loaded *l)
{
	ut_debug("%s: not traced, compiled with ut.h of another version",
	    l == NULL || l->name[0] == '\0' ? "a module" : l->name);
	return true;
}

/* A constructor of the program or of a library that it loads. */
UT_EXPORT void
ut_module_add(struct ut_module *m)
{
	struct thread *self;
	struct ut_event *e;
	sigset_t signals;
	bool news = false;

	if (ut_disabled())
		return;
	if (m->version != UT_VERSION || m->size != sizeof(struct ut_event)) {
		(void)(ut_loaded_at(m, refused) || refused(NULL));
		return;
	}
	ut_enter(&signals);
	self = ut_mute();
	if (!m->added) {
		m->added = 1;
		m->next = modules;
		modules = m;
		ut_loaded_init();
		ut_loaded_changed();
		for (e = m->begin; e < m->end; e++)
			news |= ut_event_add(e);
		if (!ut_listen() && news)
			ut_listen_new();
	}
	ut_unmute(self);
	ut_leave(&signals);
}

UT_EXPORT void
ut_module_remove(struct ut_module *m)
{
	struct ut_module **p;
	struct thread *self;
	struct ut_event *e;
	sigset_t signals;

	ut_enter(&signals);
	self = ut_mute();
	ut_loaded_leaves(m);
	for (p = &modules; *p != NULL; p = &(*p)->next) {
		if (*p == m) {
			*p = m->next;
			for (e = m->begin; e < m->end; e++)
				ut_event_remove(e);
			m->added = 0;
			break;
		}
	}
	ut_unmute(self);
	ut_leave(&signals);
}
