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
 * The threads of a kernel's trace.  An event is of a CPU, and of the thread
 * that the event sched_switch of that CPU has put there last: before the first
 * one, and after switches may have been lost, nobody knows.  So events have to
 * come here in the order of time.
 */

#include <string.h>

#include "ctf_field.h"

/* Where a switch has the threads: of before, of after. */
struct ctf_switch {
	struct ctf_field_at	 tid[2], comm[2];
};

static struct ctf_switch *
switch_find(struct ctf_trace *tr, const struct ctf_eclass *ev)
{
	const struct ctf_sclass *sc = ctf_sclass(tr, ev->stream);
	struct ctf_switch *new, w;

	if (strcmp(ev->name, "sched_switch") != 0 || sc == NULL ||
	    !ctf_field_find(&w.tid[0], sc, ev, "prev_tid") ||
	    !ctf_field_find(&w.comm[0], sc, ev, "prev_comm") ||
	    !ctf_field_find(&w.tid[1], sc, ev, "next_tid") ||
	    !ctf_field_find(&w.comm[1], sc, ev, "next_comm"))
		return NULL;
	new = ctf_alloc(tr, sizeof(*new));
	*new = w;
	return new;
}

/* Which streams have no other way to tell of whom their events are? */
void
ctf_cpu_trace(struct ctf_trace *tr)
{
	struct ctf_sclass *sc;
	struct ctf_eclass *ev;
	int any = 0;

	for (ev = tr->events; ev != NULL; ev = ev->next)
		any |= (ev->sched = switch_find(tr, ev)) != NULL;
	for (sc = tr->sclasses; any && sc != NULL; sc = sc->next)
		if ((sc->who & 1 << ROLE_CPU) && !(sc->who & 1 << ROLE_VTID))
			sc->bycpu = sc->eventwho = sc->needed = 1;
	if (any && tr->cpus == NULL)
		tr->cpus = ctf_alloc(tr, CTF_CPUS * sizeof(*tr->cpus));
	ctf_cpu_clear(tr);
}

void
ctf_cpu_clear(const struct ctf_trace *tr)
{
	size_t i;

	for (i = 0; tr->cpus != NULL && i < CTF_CPUS; i++) {
		tr->cpus[i].known = 0;
		tr->cpus[i].lossy = INT64_MIN;
	}
}

void
ctf_cpu_switch(const struct ctf_stream *s, int after)
{
	const struct ctf_switch *w = s->event->sched;
	struct ctf_cpu *cpu = ctf_cpu(s);
	uint64_t tid;

	if (cpu == NULL || !ctf_field_bits(&w->tid[after], s, &tid))
		return;
	cpu->known = 1;
	cpu->ns = s->ns;
	cpu->tid = (int64_t)tid;
	cpu->name[ctf_field_text(&w->comm[after], s, cpu->name,
	    sizeof(cpu->name) - 1)] = '\0';
}

void
ctf_cpu_lose(const struct ctf_stream *s)
{
	const int64_t until = ctf_lost_until(s);
	struct ctf_cpu *cpu = ctf_cpu(s);
	size_t i;

	for (i = 0; cpu != NULL && i < s->class->nevents; i++)
		if (s->class->events[i]->sched != NULL && until > cpu->lossy)
			cpu->lossy = until;
}
