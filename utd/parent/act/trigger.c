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
 * Triggers.  The event is recorded once more, into buffers of which nothing is
 * written: see struct trigger.  Their consumer tells when there are more events
 * in them, at most each FLUSH_MS; then it is asked how many, and for each
 * `count' of them the action is due.  One that is being done is not begun
 * again before it is over: however often it was due meanwhile, it is done once
 * more then.  An action that is to come later is put off, from the first match
 * on, as long as the session is active: nothing is recorded after that.
 *
 * What is due is in the saved state before it is done, and no more when it is
 * over; the next utd does it again if it cannot know.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../parent.h"
#include "../link/program.h"
#include "shot.h"
#include "trigger.h"

#define LOOK_MS		20	/* between two looks, at least */
#define ENOUGH_MS	100	/* for consumers to tell how many there are */
#define RETRY_MS	1000	/* after something could not be done */

static void	act(void *);

/* The session that watches has that ID. */
static struct trigger *
trigger_by_id(uint32_t id)
{
	const struct session *s = session_by_id(id);

	return s != NULL ? s->trigger : NULL;
}

struct trigger *
trigger_find(const struct session *s, uint32_t number)
{
	struct trigger *t = s->triggers;

	while (t != NULL && t->number != number)
		t = t->next;
	return t;
}

/* The only rule of its only channel. */
const struct rule *
trigger_rule(const struct trigger *t)
{
	return t->watch->channels->newest;
}

/* Matches since the session started.  Sums wrap: differences are right. */
uint64_t
trigger_matches(const struct trigger *t)
{
	const struct channel *ch = t->watch->channels;
	const struct region *r;
	uint64_t n = t->gone;

	for (r = ch != NULL ? ch->regions : NULL; r != NULL; r = r->next)
		n += r->matched - r->base;
	return n;
}

bool
trigger_over(const struct trigger *t)
{
	return t->count == 0 && t->passed > 0;
}

/* Note that the action is done now; it may be due again meanwhile. */
static void
trigger_begin(struct trigger *t, bool busy)
{
	t->due = false;
	t->busy = busy;
	t->acted++;
	state_changed(&t->watch->saved);
}

/* Give up an action that cannot be done. */
static void
trigger_give_up(struct trigger *t)
{
	t->due = false;
	state_changed(&t->watch->saved);
}

static void
trigger_done(struct trigger *t)
{
	t->busy = false;
	state_changed(&t->watch->saved);
	act(t);
}

/*
 * Actions.  Each begins what it does, or gives it up.
 */
static void
trigger_halted(void *arg)
{
	struct session *s = session_by_id((uint32_t)(uintptr_t)arg);

	if (s != NULL)
		triggers_look(s);
}

static void
act_stop(struct trigger *t)
{
	struct waiter *w;

	if (!t->of->active) {
		trigger_give_up(t);
		return;
	}
	trigger_begin(t, false);
	log_info("session %s: trigger %u stops it", t->of->name, t->number);
	w = wait_new(trigger_halted, id_arg(t->of->id));
	session_halt(t->of, w);
	wait_less(w);
}

static void
trigger_rotated(void *arg)
{
	struct trigger *t = trigger_by_id((uint32_t)(uintptr_t)arg);

	if (t != NULL)
		trigger_done(t);
}

/* If another rotation is on its way, this one comes behind. */
static void
act_rotate(struct trigger *t)
{
	struct rotation *ro = &t->of->rotation;
	struct waiter *w;
	char why[600];

	if (!ro->busy && rotation_refused(t->of, UT_CHUNK_KEEP, why,
	    sizeof(why))) {
		trigger_give_up(t);
		session_warn(t->of, "trigger %u: %s", t->number, why);
		return;
	}
	w = wait_new(trigger_rotated, id_arg(t->watch->id));
	waits_add(&ro->waiters, w);
	if (ro->busy) {
		t->busy = true;
	} else {
		trigger_begin(t, true);
		rotation_begin(t->of, UT_CHUNK_ANY);
	}
	wait_less(w);
}

static void
exec_ended(uint32_t id, int status)
{
	struct trigger *t = trigger_by_id(id);
	char why[64];

	if (t == NULL)
		return;
	if (job_failed(status, why, sizeof(why)))
		session_warn(t->of, "trigger %u: command: %s", t->number, why);
	trigger_done(t);
}

static void
trigger_exec(void *arg)
{
	struct trigger *t = arg;
	const uint64_t n = trigger_matches(t);
	const uint64_t least = t->count != 0 ? t->passed * t->count : 1;
	char matches[24];
	const char *const args[JOB_ARGS] = { t->of->dir, t->of->name,
	    trigger_rule(t)->glob, matches };

	snprintf(matches, sizeof(matches), "%" PRIu64,
	    n > least ? n : least);
	trigger_begin(t, true);
	if (job_run(t->of, t->command, args, exec_ended, t->watch->id) != -1)
		return;
	session_warn(t->of, "trigger %u: command: %s; it is run later",
	    t->number, strerror(errno));
	t->acted--;
	t->busy = false;
	t->due = true;
	state_changed(&t->watch->saved);
	timer_set(&t->again, RETRY_MS, trigger_exec, t);
}

static void
act_exec(struct trigger *t)
{
	const int ms = job_delay(t->of);

	if (ms > 0)
		timer_set(&t->again, ms, trigger_exec, t);
	else
		trigger_exec(t);
}

static void
shot_taken(void *arg)
{
	struct trigger *t = trigger_by_id((uint32_t)(uintptr_t)arg);

	if (t == NULL)
		return;
	if (shot_failed(t->shot) != NULL)
		session_warn(t->of, "trigger %u: snapshot: %s", t->number,
		    shot_failed(t->shot));
	trigger_done(t);
}

static void
act_snapshot(struct trigger *t)
{
	struct waiter *w = wait_new(shot_taken, id_arg(t->watch->id));
	char why[600];

	t->shot = shot_begin(t->of, NULL, NULL, NULL, w, why, sizeof(why));
	if (t->shot != 0) {
		trigger_begin(t, true);
	} else {
		wait_abandon(w);
		trigger_give_up(t);
		session_warn(t->of, "trigger %u: %s", t->number, why);
	}
	wait_less(w);
}

static const char *
no_place(const struct session *s)
{
	return session_placed(s) ? NULL : "has no directory for snapshots";
}

static const struct action {
	uint32_t	 type;
	const char	*name;
	void		(*act)(struct trigger *);
	const char	*(*lacks)(const struct session *);	/* NULL: none */
	bool		 command;	/* runs a command */
	bool		 ending;	/* also for a session that ends */
} actions[] = {
	{ UT_TRIGGER_SNAPSHOT, "snapshot", act_snapshot, no_place, false,
	    false },
	{ UT_TRIGGER_STOP, "stop", act_stop, NULL, false, false },
	{ UT_TRIGGER_ROTATE, "rotate", act_rotate, session_no_output, false,
	    false },
	{ UT_TRIGGER_EXEC, "exec", act_exec, NULL, true, true },
};

static const struct action *
action_find(uint32_t type)
{
	size_t i;

	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (actions[i].type == type)
			return &actions[i];
	return NULL;
}

const char *
trigger_name(uint32_t type)
{
	const struct action *a = action_find(type);

	return a != NULL ? a->name : NULL;
}

bool
trigger_refused(const struct session *s, uint32_t type, const char *command,
    char *why, size_t n)
{
	const struct action *a = action_find(type);
	const char *lack = a != NULL && a->lacks != NULL ? a->lacks(s) : NULL;

	if (a == NULL)
		snprintf(why, n, "trigger: no such action");
	else if (a->command != (command[0] != '\0'))
		snprintf(why, n, "trigger: %s command", a->command ?
		    "exec needs a" : "only exec has a");
	else if (lack != NULL)
		snprintf(why, n, "session %s %s", s->name, lack);
	else
		return false;
	return true;
}

/*
 * The ms until the action is due.  t->at is bounded: a damaged journal may say
 * anything.
 */
int
trigger_rest(const struct trigger *t)
{
	const int64_t now = ut_msg_now();

	if (!t->due || t->at <= now || !t->of->active || t->of->dying)
		return 0;
	return t->at - now < UT_TRIGGER_LATER ? (int)(t->at - now) :
	    UT_TRIGGER_LATER;
}

/* Do what is due, unless it is being done or put off. */
static void
act(void *arg)
{
	struct trigger *t = arg;
	const struct action *a = action_find(t->action);
	const int ms = trigger_rest(t);

	if (!t->due || t->busy || t->again.when != 0)
		return;
	if (t->of->dying && !a->ending)
		trigger_give_up(t);
	else if (ms > 0)
		timer_set(&t->again, ms, act, t);
	else
		a->act(t);
}

/* How often was the count reached, as far as is known? */
static void
trigger_look(struct trigger *t)
{
	struct channel *ch = t->watch->channels;
	uint64_t more = trigger_matches(t) - t->passed * t->count;

	if (more > INT64_MAX) {		/* after a damaged state: go on here */
		t->gone -= more;
		more = 0;
	}
	if (t->count != 0)
		more /= t->count;
	if (more == 0 || trigger_over(t))
		return;
	t->passed += t->count != 0 ? more : 1;
	if (!t->due)
		t->at = ut_msg_now() + t->later;
	t->due = true;
	state_changed(&t->watch->saved);
	/* The first match may be all: programs need not tell of more. */
	if (t->count == 0) {
		channel_enable(ch, false);
		channel_activate(ch, NULL);
		channel_sync(ch, NULL);
	}
	act(t);
}

void
triggers_look(struct session *s)
{
	struct trigger *t;

	for (t = s->triggers; t != NULL; t = t->next)
		trigger_look(t);
	if (!s->active)
		triggers_hurry(s, NULL);
}

void
triggers_hurry(struct session *s, struct waiter *w)
{
	struct trigger *t;

	for (t = s->triggers; t != NULL; t = t->next) {
		if (t->due && t->at > ut_msg_now()) {
			t->at = 0;
			timer_clear(&t->again);
			act(t);
		}
		if (w != NULL && t->busy && t->action == UT_TRIGGER_SNAPSHOT)
			shot_wait(t->shot, w);
	}
}

/* The consumers are to tell when there are more. */
static void
trigger_watch(struct trigger *t)
{
	if (!trigger_over(t))
		channel_watch(t->watch->channels);
}

/* All consumers have told how many there are, or are known not to answer. */
static void
counted(void *arg)
{
	struct trigger *t = trigger_by_id((uint32_t)(uintptr_t)arg);

	if (t == NULL)
		return;
	trigger_look(t);
	act(t);
	trigger_watch(t);
}

/*
 * A user may have stopped a consumer: what the others have told is enough to
 * act on.  What another utd has left to do waits for all.
 */
static void
trigger_enough(void *arg)
{
	trigger_look(arg);
	trigger_watch(arg);
}

static void
trigger_ask(void *arg)
{
	struct trigger *t = arg;
	struct waiter *w;

	t->looked = ut_msg_now();
	if (t->enough.when == 0)
		timer_set(&t->enough, ENOUGH_MS, trigger_enough, t);
	w = wait_new(counted, id_arg(t->watch->id));
	channel_recount(t->watch->channels, w);
	wait_less(w);
}

void
trigger_grew(struct trigger *t)
{
	const int64_t rest = t->looked + LOOK_MS - ut_msg_now();

	if (t->look.when == 0)
		timer_set(&t->look, rest > 0 && rest <= LOOK_MS ? (int)rest : 0,
		    trigger_ask, t);
}

/* The session starts: matches count from now on. */
void
triggers_arm(struct session *s)
{
	struct trigger *t;
	struct region *r;

	for (t = s->triggers; t != NULL; t = t->next) {
		t->gone = t->passed = 0;
		for (r = t->watch->channels->regions; r != NULL; r = r->next) {
			r->base = r->matched;
			state_changed(&r->saved);
		}
		channel_enable(t->watch->channels, true);
		channel_watch(t->watch->channels);
		state_changed(&t->watch->saved);
	}
}

/*
 * Resume triggers after another utd: what was due, or not known to be over, is
 * done when the number of matches is known.
 */
void
triggers_resume(struct session *s)
{
	struct trigger *t;

	for (t = s->triggers; t != NULL; t = t->next)
		if (t->due)
			trigger_ask(t);
}
