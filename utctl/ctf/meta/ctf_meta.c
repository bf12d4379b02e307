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
 * TSDL: the blocks.
 *
 * The text of a trace that is still written may stop anywhere: a last
 * statement that is not whole is as if it were not there.  So nothing is made
 * part of the trace before its semicolon was seen.
 */

#include <stdio.h>
#include <string.h>

#include "common/hash.h"
#include "ctf_parse.h"

/* := struct { ... } */
static struct ctf_type *
meta_struct(struct ctf_parse *p)
{
	struct ctf_type *t;

	ctf_expect(p, TOK_ASSIGN, "':='");
	if ((t = ctf_type(p)) != NULL && t->kind != CTF_STRUCT) {
		ctf_error(p, "a struct expected");
		return NULL;
	}
	return t;
}

static uint64_t
meta_number(struct ctf_parse *p)
{
	struct ctf_value v;

	ctf_value(p, &v);
	if (!p->bad && (v.tok != TOK_NUM || v.neg))
		ctf_error(p, "a number expected");
	return v.num;
}

static int64_t
meta_signed(struct ctf_parse *p)
{
	struct ctf_value v;

	ctf_value(p, &v);
	if (!p->bad && (v.tok != TOK_NUM ||
	    v.num > INT64_MAX + (uint64_t)v.neg))
		ctf_error(p, "a number expected");
	if (p->bad)
		return 0;
	return (int64_t)(v.neg ? 0 - v.num : v.num);
}

static const char *
meta_string(struct ctf_parse *p)
{
	struct ctf_value v;

	ctf_value(p, &v);
	if (!p->bad && v.tok == TOK_NUM)
		ctf_error(p, "a string expected");
	return v.str;
}

static void
meta_uuid(struct ctf_parse *p, uint8_t *uuid)
{
	const char *s = meta_string(p);
	int i;

	for (i = 0; i < 16 && !p->bad; i++) {
		if (*s == '-')
			s++;
		if (ctf_digit(s[0]) == 16 || ctf_digit(s[1]) == 16)
			break;
		uuid[i] = (uint8_t)(ctf_digit(s[0]) << 4 | ctf_digit(s[1]));
		s += 2;
	}
	if (!p->bad && (i < 16 || *s != '\0'))
		ctf_error(p, "no UUID");
}

/* A key that means nothing here. */
static void
meta_other(struct ctf_parse *p, const char *key)
{
	struct ctf_value v;

	if (strcmp(key, "typealias") == 0 || strcmp(key, "typedef") == 0)
		ctf_typealias(p, key[4] == 'd');
	else if (ctf_accept(p, TOK_ASSIGN))
		(void)ctf_type(p);
	else
		ctf_value(p, &v);
}

static void
trace_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_trace *tr = arg;
	const char *s;

	if (strcmp(key, "major") == 0 || strcmp(key, "minor") == 0) {
		if (meta_number(p) != (key[1] == 'a' ? 1 : 8) && !p->bad)
			ctf_error(p, "not CTF 1.8");
	} else if (strcmp(key, "uuid") == 0) {
		meta_uuid(p, tr->uuid);
		tr->hasuuid = 1;
	} else if (strcmp(key, "byte_order") == 0) {
		s = meta_string(p);
		if (p->bad)
			return;
		tr->big = strcmp(s, "be") == 0 || strcmp(s, "network") == 0;
		if (!tr->big && strcmp(s, "le") != 0)
			ctf_error(p, "no byte order");
	} else if (strcmp(key, "packet.header") == 0)
		tr->header = meta_struct(p);
	else
		meta_other(p, key);
}

static void
meta_trace(struct ctf_parse *p)
{
	struct ctf_trace *tr = p->trace, got;

	if (tr->hastrace)
		ctf_error(p, "a second trace block");
	memset(&got, 0, sizeof(got));
	ctf_block(p, trace_key, &got);
	ctf_expect(p, ';', "';'");
	if (p->bad)
		return;
	tr->hastrace = 1;
	tr->big = got.big;
	tr->hasuuid = got.hasuuid;
	memcpy(tr->uuid, got.uuid, sizeof(tr->uuid));
	tr->header = got.header;
}

static void
origin_add(struct ctf_trace *tr, const void *from, size_t n)
{
	tr->origin = hash_fnv(tr->origin, from, n);
}

uint64_t
ctf_process(const struct ctf_trace *tr, const struct ctf_who *who)
{
	const uint64_t h = (tr->origin ^ (uint64_t)who->vpid) * FNV_PRIME;

	/* LTTng's names are those of threads. */
	return tr->lttng || tr->kernel ? h :
	    hash_fnv(h, who->name, strlen(who->name));
}

/* Keep what is known of the trace as a whole. */
void
ctf_env(struct ctf_trace *tr, const char *key, const struct ctf_value *v)
{
	struct ctf_who *who = &tr->who;

	origin_add(tr, key, strlen(key) + 1);
	if (v->tok == TOK_STR)
		origin_add(tr, v->str, strlen(v->str) + 1);
	else if (v->tok == TOK_NUM)
		origin_add(tr, &v->num, sizeof(v->num));
	if (strcmp(key, "trace_creation_datetime") == 0)
		tr->hasorigin = 1;
	if (v->tok == TOK_STR && (strcmp(key, "hostname") == 0 ||
	    strcmp(key, "trace_name") == 0 ||
	    strcmp(key, "trace_creation_datetime") == 0))
		tr->session += hash_fnv(hash_fnv(0, key, strlen(key) + 1),
		    v->str, strlen(v->str));
	if (strcmp(key, "vpid") == 0 && v->tok == TOK_NUM) {
		who->vpid = (int64_t)v->num;
		who->has |= 1 << ROLE_VPID;
	} else if (strcmp(key, "procname") == 0 && v->tok == TOK_STR) {
		snprintf(who->name, sizeof(who->name), "%s", v->str);
		who->has |= 1 << ROLE_PROCNAME;
	} else if (strcmp(key, "hostname") == 0 && v->tok == TOK_STR) {
		tr->host = v->str;
	} else if (strcmp(key, "boot_id") == 0 && v->tok == TOK_STR) {
		tr->boot_id = v->str;
	} else if (strcmp(key, "trace_name") == 0 && v->tok == TOK_STR) {
		tr->session_name = v->str;
	} else if (strcmp(key, "tracer_name") == 0 && v->tok == TOK_STR) {
		tr->ours = strcmp(v->str, "libut") == 0;
		tr->lttng = strcmp(v->str, "lttng-ust") == 0;
	} else if (strcmp(key, "domain") == 0 && v->tok == TOK_STR) {
		tr->kernel = strcmp(v->str, "kernel") == 0;
	}
}

static void
env_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_trace *tr = arg;
	struct ctf_value v;
	uint64_t *num;

	ctf_value(p, &v);
	if (p->bad)
		return;
	ctf_env(tr, key, &v);
	if (v.tok != TOK_NUM || v.neg)
		return;
	num = ctf_alloc(tr, sizeof(*num));
	*num = v.num;
	map_put(&tr->env, name_key(key), num);
}

static void
meta_env(struct ctf_parse *p)
{
	ctf_block(p, env_key, p->trace);
	ctf_expect(p, ';', "';'");
}

static void
clock_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_clock *c = arg;

	if (strcmp(key, "name") == 0)
		c->name = meta_string(p);
	else if (strcmp(key, "freq") == 0)
		c->freq = meta_number(p);
	else if (strcmp(key, "precision") == 0)
		c->precision = meta_number(p);
	else if (strcmp(key, "offset_s") == 0)
		c->offset_s = meta_signed(p);
	else if (strcmp(key, "offset") == 0)
		c->offset = meta_signed(p);
	else
		meta_other(p, key);
}

/* Split the offset so that ctf_ns() has little left to do. */
void
ctf_clock_base(struct ctf_parse *p, struct ctf_clock *c)
{
	int64_t freq, s, rest;

	if (c->freq == 0 || c->freq > 1000000000000000000) {
		ctf_error(p, "no frequency of a clock");
		return;
	}
	freq = (int64_t)c->freq;
	s = c->offset / freq;
	rest = c->offset % freq;
	if (rest < 0) {
		s--;
		rest += freq;
	}
	c->rest = (uint64_t)rest;
	if (c->offset_s > CTF_AGE || c->offset_s < -CTF_AGE ||
	    s > CTF_AGE - c->offset_s || s < -CTF_AGE - c->offset_s) {
		ctf_warn(p->trace->file, "%s %lu: no time of this age: times "
		    "are those since the clock's zero", p->trace->unit,
		    p->line);
		c->offset_s = s = 0;
		c->rest = 0;
	}
	c->base = (c->offset_s + s) * 1000000000;
	c->error = (double)c->precision * 1e9 / (double)c->freq;
}

static void
meta_clock(struct ctf_parse *p)
{
	struct ctf_clock *c;

	if (p->trace->nnames++ == CTF_NAMES)
		ctf_error(p, "too many clocks");
	if (p->trace->nclocks++ == CTF_CLOCKS)
		ctf_error(p, "more than %d clocks", CTF_CLOCKS);
	c = ctf_alloc(p->trace, sizeof(*c));
	c->freq = 1000000000;
	c->name = "";
	ctf_block(p, clock_key, c);
	if (!p->bad)
		ctf_clock_base(p, c);
	ctf_expect(p, ';', "';'");
	if (p->bad)
		return;
	c->next = p->trace->clocks;
	p->trace->clocks = c;
}

static void
stream_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_sclass *sc = arg;

	if (strcmp(key, "id") == 0)
		sc->id = meta_number(p);
	else if (strcmp(key, "event.header") == 0)
		sc->header = meta_struct(p);
	else if (strcmp(key, "packet.context") == 0)
		sc->packet = meta_struct(p);
	else if (strcmp(key, "event.context") == 0)
		sc->context = meta_struct(p);
	else
		meta_other(p, key);
}

static void
meta_stream(struct ctf_parse *p)
{
	struct ctf_sclass *sc;

	if (p->trace->nnames++ == CTF_NAMES)
		ctf_error(p, "too many streams");
	sc = ctf_alloc(p->trace, sizeof(*sc));
	sc->line = p->line;
	ctf_block(p, stream_key, sc);
	if (!p->bad && ctf_sclass(p->trace, sc->id) != NULL)
		ctf_error(p, "a second stream %llu",
		    (unsigned long long)sc->id);
	ctf_expect(p, ';', "';'");
	if (p->bad)
		return;
	sc->next = p->trace->sclasses;
	p->trace->sclasses = sc;
	map_put(&p->trace->byid, sc->id, sc);
}

static void
event_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_eclass *ev = arg;

	if (strcmp(key, "name") == 0)
		ev->name = meta_string(p);
	else if (strcmp(key, "id") == 0)
		ev->id = meta_number(p);
	else if (strcmp(key, "stream_id") == 0) {
		ev->stream = meta_number(p);
		ev->hasstream = 1;
	} else if (strcmp(key, "loglevel") == 0) {
		ev->level = meta_signed(p);
		ev->haslevel = 1;
	} else if (strcmp(key, "model.emf.uri") == 0)
		ev->uri = meta_string(p);
	else if (strcmp(key, "context") == 0)
		ev->context = meta_struct(p);
	else if (strcmp(key, "fields") == 0)
		ev->fields = meta_struct(p);
	else
		meta_other(p, key);
}

static void
meta_event(struct ctf_parse *p)
{
	struct ctf_eclass *ev;

	ev = ctf_alloc(p->trace, sizeof(*ev));
	ev->line = p->line;
	ev->name = "";
	ctf_block(p, event_key, ev);
	ctf_expect(p, ';', "';'");
	if (p->bad)
		return;
	ev->next = p->trace->events;
	p->trace->events = ev;
}

static void
meta_type(struct ctf_parse *p)
{
	ctf_type(p);
	ctf_expect(p, ';', "';'");
}

static void
skip_key(struct ctf_parse *p, const char *key, void *arg)
{
	(void)arg;
	meta_other(p, key);
}

/* Where in a program an event is: nobody asks. */
static void
meta_callsite(struct ctf_parse *p)
{
	ctf_block(p, skip_key, NULL);
	ctf_expect(p, ';', "';'");
}

static void
meta_statement(struct ctf_parse *p)
{
	static const struct {
		const char	*name;
		void		(*read)(struct ctf_parse *);
		int		 skip;		/* the name itself */
	} blocks[] = {
		{ "struct", meta_type, 0 },
		{ "enum", meta_type, 0 },
		{ "variant", meta_type, 0 },
		{ "trace", meta_trace, 1 },
		{ "env", meta_env, 1 },
		{ "clock", meta_clock, 1 },
		{ "stream", meta_stream, 1 },
		{ "event", meta_event, 1 },
		{ "callsite", meta_callsite, 1 }
	};
	size_t i;

	if (ctf_typealias_here(p))
		return;
	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (p->tok == TOK_IDENT && strcmp(p->str, blocks[i].name) == 0)
			break;
	if (i == sizeof(blocks) / sizeof(blocks[0])) {
		ctf_error(p, "no statement of TSDL known here");
		return;
	}
	if (blocks[i].skip)
		ctf_next(p);
	blocks[i].read(p);
}

/* All of the text; -1: it was said what is wrong. */
int
ctf_tsdl(struct ctf_trace *tr, const char *text, size_t n)
{
	struct ctf_parse p;

	memset(&p, 0, sizeof(p));
	p.trace = tr;
	p.p = text;
	p.end = text + n;
	p.line = 1;
	ctf_next(&p);
	while (!p.bad && p.tok != TOK_END)
		meta_statement(&p);
	if (p.bad && !p.cut)
		return -1;
	return ctf_finish(tr);
}
