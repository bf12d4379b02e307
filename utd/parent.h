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
 * The parent: it has the sessions, and talks to programs, utctl and
 * consumers.
 */

#ifndef PARENT_H
#define PARENT_H

#include "utd.h"

#define DEFAULT_NSUBS	512
#define DEFAULT_NSUBS_PID 32		/* of one program */
#define DEFAULT_SUBSIZE	16384
#define DEFAULT_CHANNEL	"channel0"

/*
 * loop.c: descriptors that become ready and times that come.
 */
struct file {
	int		 fd;
	void		(*ready)(void *, short);
	void		*arg;
	unsigned int	 at;		/* in the loop's arrays */
};

struct timer {
	int64_t		 when;		/* ut_msg_now(); 0 is unset */
	void		(*fire)(void *);
	void		*arg;
	struct timer	*next;
};

bool	 file_add(struct file *, int, short, void (*)(void *, short), void *);
void	 file_del(struct file *);
void	 file_events(struct file *, short);	/* of poll(2) */
void	 file_passed(const struct file *);
void	 timer_set(struct timer *, int, void (*)(void *), void *);
void	 timer_clear(struct timer *);
void	 loop_run(void);
void	 loop_stop(void);

/*
 * journal.c: an object that the next utd is to know.
 */
enum saved_kind {
	SAVED_CONSUMER, SAVED_SESSION, SAVED_TRACE, SAVED_CHANNEL,
	SAVED_REGION
};

struct entry;
struct saved {
	enum saved_kind	 kind;
	void		*object;
	bool		 changed;	/* in the list of changed objects */
	bool		 seen;		/* copied to the new journal */
	struct saved	*next, **at;
	struct saved	*next_changed, **changed_at;
	struct {
		bool		 there;
		const struct entry *entry;	/* the last event there */
		uint64_t	 text;	/* bytes of metadata there */
	} in[2];			/* the journal, and its copy */
};

/*
 * user.c: what each user takes of us.
 */
enum quota {
	QUOTA_SESSIONS, QUOTA_CHANNELS,
	QUOTA_RULES,			/* bytes of rules */
	QUOTA_EVENTS,			/* bytes in registries */
	QUOTA_QUEUED,			/* bytes of unread messages */
	QUOTA_TABLES,			/* bytes of programs' events */
	QUOTAS
};

struct user {
	uid_t		 uid;
	unsigned int	 refs;
	unsigned int	 nfiles;	/* connections, sessions, regions */
	size_t		 has[QUOTAS];
	unsigned int	 round;		/* of the loop, that spent is of */
	uint64_t	 spent;		/* ns used for this user in it */
	size_t		 matched;	/* bytes since the clock was read */
	struct user	*next;
};

struct user *user_get(uid_t);		/* or NULL */
void	 user_drop(struct user *);
int	 user_open(struct user *, int, bool);
void	 user_close(struct user *, int);
bool	 user_take(struct user *, enum quota, size_t);
void	 user_give(struct user *, enum quota, size_t);
bool	 user_may(const struct user *, enum quota, size_t);
void	 user_count(struct user *, enum quota, size_t);
bool	 user_spares(uid_t, int);	/* may that descriptor be the user's? */
bool	 user_is_stranger(uid_t);
bool	 user_turn(struct user *);
void	 user_spent(struct user *, uint64_t);
bool	 user_goes_on(struct user *, uint64_t, size_t);

/*
 * conn.c: a socket on which messages go both ways.
 */
struct conn;
struct conn_ops {
	void	(*message)(struct conn *, struct ut_msg *);
	void	(*closed)(struct conn *);
	void	(*sent)(struct conn *);	/* some of the queue; or NULL */
};

struct conn {
	struct file	 file;
	const struct conn_ops *ops;
	void		*arg;		/* whose connection it is */
	struct ut_msg	*in;		/* a message received in part */
	struct out	*out;		/* to be sent */
	struct out	**tail;
	size_t		 queued;	/* bytes in out */
	struct user	*user;		/* NULL: a process of ours */
	uid_t		 uid;
	gid_t		 gid;
	pid_t		 pid;		/* 0: the system does not say */
	struct timer	 patience;	/* until the first message */
	bool		 closing;	/* once out is sent */
	bool		 broken;	/* to be dropped */
	struct conn	*also;		/* the next broken one */
	bool		 dead;
	struct conn	*next;		/* the next dead one */
};

/* NULL and errno, as malloc(3): then the descriptor is still the caller's. */
struct conn *conn_new(int, const struct conn_ops *, void *);
void	 conn_of(struct conn *, struct user *);	/* takes the reference */
void	 conn_read(struct conn *);	/* what is there already */
void	 conn_send(struct conn *, struct ut_msg *);
bool	 conn_behind(const struct conn *);	/* not all is sent */
bool	 conn_ended(const struct conn *);	/* by the other side */
void	 conn_close(struct conn *);	/* after what is queued */
void	 conn_rest(struct conn *);	/* in closed: what it has said */
void	 conn_drop(struct conn *);	/* now */
void	 conn_fail(struct conn *);	/* and say errno */
void	 conn_flush(struct conn *, int);	/* some, in so many ms */
void	 conn_reap(void);		/* free what was dropped */

/* hash.c */
uint32_t hash_bytes(uint32_t, const void *, size_t);

/* What an event looks like, once for all programs that offer it. */
struct desc {
	char		*name;
	uint32_t	 level;
	uint32_t	 hash;
	uint32_t	 refs;
	uint32_t	 len;
	unsigned char	*body;		/* fields, as they came in EVENTS */
	struct desc	*next;
};

struct field {
	char		 name[NAME_MAXLEN];
	uint8_t		 kind;
	uint8_t		 size;
	uint8_t		 flags;
	uint32_t	 count;
	uint32_t	 nvalues;	/* of an enumeration; read them next */
};

/* desc.c: the description of an event. */
bool	 desc_name_valid(const char *, uint32_t);
struct desc *desc_get(const char *, uint32_t, struct ut_msg *);
struct desc *desc_ref(struct desc *);
void	 desc_unref(struct desc *);
void	 desc_open(const struct desc *, struct ut_msg *, uint32_t *);
void	 desc_field(struct ut_msg *, struct field *);
void	 desc_value(struct ut_msg *, char *, int *, int *);
void	 desc_type(const struct field *, char *, size_t);
bool	 desc_same_fields(const struct desc *, const struct desc *);

/* One event of a registry. */
struct entry {
	struct desc	*desc;
	uint32_t	 id;
	uint32_t	 rule;		/* serial of the newest that matched */
	char		 program[64];	/* the first that offered it */
	struct entry	*next;		/* in the bucket */
	struct entry	*after;		/* in the order of IDs */
};

struct registry {
	struct user	*user;		/* whose programs' events they are */
	size_t		 taken;		/* bytes charged to that user */
	size_t		 bytes;		/* of descriptions */
	struct entry	**buckets;
	uint32_t	 nbuckets;
	uint32_t	 nentries;	/* and so the last ID */
	struct entry	*first, **last;
};

/* registry.c */
void	 registry_init(struct registry *, struct user *);
void	 registry_free(struct registry *);
/*
 * The entry, perhaps a new one.  NULL, a text and errno if it is refused:
 * ENOMEM if only for now.
 */
struct entry *registry_get(struct registry *, struct desc *, const char *,
	    bool *, char *, size_t);

/*
 * wait.c: several answers that somebody waits for.  `done' is called when
 * the last has come; then the wait is gone.
 */
struct waiter {
	unsigned int	 pending;
	void		(*done)(void *);
	void		*arg;
	char		 why[512];	/* the first that failed: why; or "" */
};

/* One is pending; NULL and errno, as malloc(3). */
struct waiter *wait_new(void (*)(void *), void *);
void	 wait_more(struct waiter *);
void	 wait_less(struct waiter *);
void	 wait_failed(struct waiter *, const char *);	/* then wait_less */
void	 wait_abandon(struct waiter *);	/* done is not to be called */

/* CLOSING: the consumer has yet to reply with the last counts. */
enum region_state {
	REGION_NEW, REGION_ASKED, REGION_READY, REGION_FAILED, REGION_CLOSING
};

/* The buffers of a channel, one UID and one ABI, or one program. */
struct region {
	uint32_t	 id;
	struct saved	 saved;
	struct trace	*trace;
	struct channel	*channel;
	struct registry	 registry;
	enum region_state state;
	char		*why;		/* why it failed or waits; or NULL */
	const char	*cause;		/* the part of why after the names */
	uint32_t	 serial;	/* of the request for it */
	char		 shm[UT_SHM_NAME];
	bool		 left;		/* by another utd, to be adopted */
	bool		 buried;	/* or about to be: see region_bury */
	int		 fd;
	bool		 described;	/* in the metadata */
	struct counts	 counts;
	struct region	*next;		/* of the channel */
};

struct text {
	char		*s;
	size_t		 len, size;
	size_t		 sent;		/* bytes sent to the consumer */
};

/* A directory of the trace: one UID, one ABI, or one program. */
struct trace {
	uint32_t	 id;
	struct saved	 saved;
	struct session	*session;
	uid_t		 uid;
	gid_t		 gid;
	struct user	*user;		/* that of the programs */
	uint32_t	 bits;
	uint64_t	 owner;		/* the program; 0: all of them */
	pid_t		 pid, vpid;	/* the program's */
	char		 name[64];
	struct consumer	*consumer;
	enum region_state state;	/* READY: made, or on its way */
	char		*path;		/* below the session's directory */
	bool		 made;		/* path is the final one */
	bool		 again;		/* another consumer had it before */
	bool		 over;		/* it cannot be opened again, ever */
	/* After a take-over, the new consumer has yet to */
	bool		 syncing;	/* say how much metadata it found, */
	bool		 behind;	/* and be sent what is missing */
	bool		 left;		/* at the end: buffers not written */
	unsigned char	 uuid[UUID_LEN];
	char		 uuidstr[UUID_TEXT];
	struct text	 text;		/* metadata perhaps not in the file */
	uint64_t	 past;		/* bytes of metadata before text */
	uint64_t	 clock_at;	/* where the counter's clock is, or 0 */
	struct trace	*next;		/* of the session */
};

/* rule.c */
struct rule {
	char		 glob[NAME_MAXLEN];
	uint32_t	 kind;		/* UT_RULE_ */
	uint32_t	 level;
	char		**except;
	uint32_t	 nexcept;
	uint32_t	 serial;	/* unique */
	size_t		 bytes;		/* of patterns */
	struct rule	*next;
	struct rule	*prev;		/* an older one */
};

struct channel;
struct rule *rule_read(struct ut_msg *);
void	 rule_free(struct rule *);
bool	 rule_matches(const struct rule *, const char *, uint32_t);
bool	 rule_add(struct channel *, struct rule *);
bool	 rule_del(struct channel *, const struct rule *);
void	 rules_free(struct channel *);

/* An event as programs of one table have it. */
struct type {
	char		*name;		/* NULL: not told yet */
	uint32_t	 level;
	bool		 refused;	/* it makes no sense */
	struct desc	*desc;		/* NULL: not told yet */
};

/* table.c: the events that a program has. */
struct table {
	struct user	*user;
	uint64_t	 fingerprint;
	uint64_t	 serial;	/* unique */
	unsigned int	 refs;
	uint32_t	 size;
	uint32_t	 known;		/* events whose name is known */
	struct type	*types;
	size_t		 bytes;
	struct table	*next;
};

/* NULL or false on failure; errno is ENOMEM if memory or a quota lacks. */
struct table *table_get(uid_t, uint64_t, uint32_t, const struct table *);
void	 table_drop(struct table *);
bool	 table_names(struct table *, struct ut_msg *);
bool	 table_event(struct table *, uint32_t, struct ut_msg *);

/* plan.c: the IDs of a table's events in a region. */
struct plan {
	uint64_t	 table;		/* its serial number */
	uint32_t	 rules;		/* generation of the rules */
	uint32_t	 newest;	/* serial number of the newest rule */
	struct region	*region;	/* NULL: nothing matches */
	unsigned int	 refs;
	uint32_t	 judged;	/* how many events were, in turn */
	const struct rule *rule;	/* to try next, on the next event */
	uint32_t	 n;
	uint16_t	*ids;		/* of the first n events; 0: none */
	bool		 hit;		/* the newest rule matches an event */
	struct plan	*next;		/* of the channel */
};

struct app;
struct plan *plan_ref(struct plan *);
void	 plan_unref(struct plan *);
struct plan *plan_find(const struct channel *, const struct app *);
struct plan *plan_new(const struct table *);
bool	 plan_judge(struct plan *, const struct channel *,
	    const struct table *);
void	 plan_make(struct plan *, struct channel *, const struct app *);
bool	 plan_lacks(const struct plan *, const struct table *, uint32_t *);
void	 plans_forget(struct channel *, const struct region *);

/* What the regions of a channel are like. */
struct geometry {
	uint32_t	 subsize;
	uint32_t	 nsubs;
	uint32_t	 buffers;	/* UT_BUFFERS_ */
	uint32_t	 clock;		/* UT_CLOCK_ */
};

struct channel {
	char		 name[NAME_MAXLEN];
	uint32_t	 id;		/* for programs */
	uint32_t	 stream;	/* stream_id in the metadata */
	struct saved	 saved;
	struct geometry	 geometry;
	bool		 enabled;
	bool		 removed;	/* only its name and counts are left */
	struct session	*session;
	struct rule	*rules, *newest;
	uint32_t	 generation;	/* of the rules; unique */
	struct plan	*plans;
	struct region	*regions;
	struct counts	 past;		/* of regions that are gone */
	struct channel	*next;		/* of the session */
};

struct warning {
	char		*text;
	struct warning	*next;
};

/* clock.c: the cycle counter against CLOCK_MONOTONIC. */
struct instant {
	uint64_t	 cycles;
	uint64_t	 ns;
};

/* A counter's time, as CTF tells it. */
struct line {
	uint64_t	 freq;
	uint64_t	 offset_s;
	uint64_t	 offset;	/* cycles */
};

extern int64_t clock_ahead;		/* ut_clock_ahead() of ours */
void	 clock_begin(void);
void	 clock_read(struct instant *);
bool	 clock_trusted(char *, size_t);
void	 clock_line(struct line *, const struct instant *, uint64_t);

struct session {
	uint32_t	 id;
	struct saved	 saved;
	char		 name[NAME_MAXLEN];
	char		 dir[PATH_MAX];
	char		 error[512];	/* why it has not recorded all */
	char		 failing[512];	/* why it does not record all now */
	bool		 missed;	/* some program, for some time */
	uid_t		 uid;		/* 0: every UID, if we are root */
	gid_t		 gid;
	struct user	*user;
	int		 dirfd;		/* the directory; -1: not open */
	char		 gone[256];	/* why it cannot be reopened, or "" */
	struct timer	 retry;		/* of opening it */
	int		 patience;	/* ms, the last delay of that */
	uint64_t	 dev, ino;	/* of the directory; 0: not there yet */
	bool		 active;
	bool		 current;	/* the last one its user created */
	bool		 dying;		/* being created or destroyed */
	uint64_t	 offset;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	struct instant	 since;
	int64_t		 created;	/* time_t */
	uint32_t	 nstreams;
	struct channel	*channels;
	struct trace	*traces;
	struct warning	*warnings;
	unsigned int	 nwarnings;
	struct session	*next;
};

extern struct session *sessions;	/* the last one created is the first */
extern bool loop_ending;
extern unsigned int loop_round;		/* of the loop */

/*
 * consumers.c: the parent's side of the consumers.
 */
typedef void consumer_cb(void *, int, struct ut_msg *);	/* errno, reply */
#define DEATHS		20		/* in DEATHS_MS: it is given up */
#define DEATHS_MS	10000

/* The answer is late.  Returns false if nobody waits for it any more. */
typedef bool consumer_late(void *);
#define LATE_MS		10000	/* without an answer */
#define REQUEST_BUCKETS	1024
#define REQUESTS_MAX	(16 * REQUEST_BUCKETS)	/* then its user must wait */

/* What a consumer has not answered yet: see requests.c. */
struct requests {
	struct request	*first, **last;	/* in turn */
	struct request	*buckets[REQUEST_BUCKETS];	/* by serial number */
	struct request	*newest;
	uint32_t	 serial;	/* of the newest */
	unsigned int	 n;
	unsigned int	 awaited;	/* n without UT_C_DEAD */
};

struct app;
struct consumer {
	uid_t		 uid;
	gid_t		 gid;
	struct saved	 saved;
	pid_t		 pid;		/* 0: there is none, and no zombie */
	struct conn	*conn;		/* NULL: dead, or about to be */
	bool		 wake;		/* to be woken: it was sent something */
	int		 bell;		/* descriptor; -1: by name */
	char		 bellname[UT_BELL_NAME];
	bool		 given_up;	/* it died too often or did not start */
	int		 error;		/* why it did not start; or 0 */
	bool		 idle;		/* when we last looked */
	bool		 leaving;	/* it was told to end, being idle */
	int64_t		 deaths[DEATHS];	/* times of the last ones */
	unsigned int	 ndeaths;
	int64_t		 heard;		/* when it last spoke, or was asked */
	bool		 late;		/* it does not answer */
	unsigned int	 nstops;	/* at our end: stops by its user */
	bool		 killed;	/* at our end: it did not end in time */
	bool		 finished;	/* it has ended in order */
	unsigned int	 held;		/* traces to be synced first */
	struct requests	 requests;
	struct consumer	*next;
};

struct consumer *consumer_get(uid_t, gid_t);
void	 consumer_send(struct consumer *, struct ut_msg *);
/* What a reply says of an error. */
void	 consumer_why(struct ut_msg *, int, char *, size_t);
const char *consumer_trouble(const struct consumer *);	/* given up: why */
void	 consumer_watch(struct consumer *);	/* it was asked something */
bool	 consumers_late(uid_t);
bool	 consumers_full(uid_t);		/* too many requests wait for it */
void	 consumers_reap(void);		/* a process has ended */
void	 consumers_tell_dead(struct app *);
void	 consumer_tell_owner(struct consumer *, const struct app *);
void	 consumers_tell_owner(const struct app *);
void	 consumers_each(void (*)(const struct consumer *));
void	 consumer_restore(uid_t, gid_t, const char *);
void	 consumer_remove(const struct consumer *, const char *);	/* a region */
void	 consumer_remove_bell(const struct consumer *);
void	 consumers_end(void);

/* requests.c: what consumers are asked. */
/* The serial number that the request has to begin with. */
uint32_t consumer_expect(struct consumer *, consumer_cb *, void *);
/*
 * Send the request begun by consumer_expect.  The request is kept, and repeated
 * to the next consumer if this one dies.  If the answer is late, consumer_late
 * is called once.
 */
void	 consumer_ask(struct consumer *, struct ut_msg *, consumer_late *);
void	 consumer_hold(struct consumer *);	/* until a trace is synced */
void	 consumer_go_on(struct consumer *);
void	 requests_send(struct consumer *);
void	 requests_reply(struct consumer *, struct ut_msg *);
void	 requests_late(struct consumer *);
void	 requests_fail(struct consumer *);
void	 requests_again(struct consumer *);
void	 requests_tell_dead(struct consumer *);

/* session.c */
struct session *session_find(const char *, uid_t, char *, size_t);
void	 session_make_current(struct session *);
bool	 session_taken(const char *, uid_t);
struct session *session_new(const char *, const char *, uid_t, gid_t);
int	 session_own(struct session *, int, bool);
void	 session_free(struct session *);
bool	 sessions_end(void);		/* false: not all of them */
void	 session_know_dir(struct session *, struct ut_msg *);
void	 session_forget_dir(struct session *);
bool	 session_dir_known(const struct session *, struct ut_msg *);
bool	 session_sees(const struct session *, uid_t);
bool	 session_alone(const struct session *);	/* in its directory */
const char *session_error(const struct session *);	/* "": none */
void	 session_missed(struct session *);	/* it missed a program */
void	 session_keep_error(struct session *);	/* what fails now */
void	 session_lost(struct session *, const char *);	/* events, and why */
void	 session_look(struct session *);	/* set what fails now */
void	 session_warn(struct session *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));
struct channel *channel_find(struct session *, const char *);
struct channel *channel_by_id(uint32_t);
struct session *session_by_id(uint32_t);
struct channel *channel_new(struct session *, const char *,
	    const struct geometry *);
struct channel *channel_restore(struct session *, const char *,
	    const struct geometry *, uint32_t, uint32_t);
bool	 channel_active(const struct channel *);
bool	 geometry_valid(const struct geometry *, char *, size_t);
bool	 name_valid(const char *, const char *);

/* trace.c: directories, as the parent sees them. */
void	 traces_begin(void);
uint32_t new_id(void);
void	 id_taken(uint32_t);		/* by what another utd had */
void	*id_arg(uint32_t);
struct trace *trace_by_id(uint32_t);
struct trace *trace_get(struct session *, const struct app *, bool);
void	 trace_retry(struct trace *);
bool	 trace_flush(struct trace *);
void	 traces_drained(const struct consumer *);
void	 traces_late(const struct consumer *);
bool	 trace_late(const struct trace *);
const struct consumer *session_late(const struct session *);
void	 trace_close(struct trace *);
void	 trace_drop(struct trace *);
void	 trace_channel(struct trace *, const struct channel *);
void	 trace_refine(struct trace *);
void	 traces_orphaned(const struct consumer *);
bool	 traces_need(const struct consumer *);
void	 traces_again(struct consumer *);
void	 trace_made(const struct consumer *, uint32_t, const char *);
void	 trace_wrote(const struct consumer *, uint32_t, uint64_t);
void	 session_open(struct session *, bool, consumer_cb *, void *,
	    consumer_late *);
struct trace *trace_restore(struct session *, uint32_t, uid_t, gid_t);
void	 traces_resume(struct session *);

/* region.c: regions, as the parent sees them. */
struct region *region_find(const struct channel *, const struct app *);
struct region *region_get(struct channel *, const struct app *);
struct region *region_by_id(uint32_t);
void	 region_retry(struct region *);
bool	 region_left(const struct region *);	/* its memory may exist */
void	 region_drop(struct region *);
struct region *region_restore(struct channel *, struct trace *, uint32_t);
void	 region_name_event(struct region *, const struct entry *);
void	 regions_ask(struct trace *);
void	 regions_renew(struct trace *);
void	 regions_failed(struct trace *, const char *);
void	 region_trouble(struct region *, const char *);	/* "": over */
void	 regions_remove(const struct trace *);
void	 regions_bury_lost(struct trace *);
bool	 regions_buried(const struct trace *);
void	 regions_bury(const struct app *);
bool	 regions_hold(const struct app *);	/* may it have any mapped? */
void	 regions_free(struct session *);
void	 regions_gone(const struct consumer *);
void	 channel_activate(struct channel *, struct waiter *);
void	 channel_count(struct channel *, struct waiter *);
void	 channel_counts(const struct channel *, struct counts *);
void	 channel_close(struct channel *);
void	 region_why(const struct region *, char *, size_t);	/* it failed */
bool	 channel_failed(const struct channel *);	/* a region of it */

/* metadata.c: TSDL. */
#define METADATA_EVENT	"\nevent {\n"	/* how the description of one begins */
void	 text_free(struct text *);
void	 text_cut(struct text *, size_t);	/* from the front */
void	 text_add(struct text *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));
void	 metadata_head(struct text *, const struct trace *, const char *);
void	 metadata_channel(struct text *, const struct channel *);
void	 metadata_cycles(struct text *, const struct session *);
void	 metadata_cycles_types(struct text *);
void	 metadata_event(struct text *, const struct channel *,
	    const struct entry *);

/* A program. */
struct app {
	struct conn	*conn;		/* NULL: closed, but it lives */
	uint64_t	 owner;
	char		 name[64];
	uid_t		 uid;
	gid_t		 gid;
	pid_t		 pid;		/* as we see it */
	pid_t		 vpid;		/* as it sees itself */
	uint32_t	 bits;
	bool		 kept;		/* it may be attached already */
	bool		 known;		/* to consumers: it was sent buffers */
	uint32_t	 place;		/* in the table of state.c; 0: none */
	struct table	*table;		/* its events */
	uint32_t	 listed;	/* names told, */
	uint32_t	 listing;	/* of those asked for */
	struct link	*links;
	struct waiter	*start;		/* until DONE; or NULL */
	unsigned int	 dones;		/* HELLO and NEW unanswered */
	bool		 dead;		/* its connection told so */
	int		 life;		/* readable when it is dead; or -1 */
	struct app	*next;
};

extern struct app *apps;

/*
 * journal.c, state.c, restore.c: what the next utd needs to know if this one
 * is killed.  The numbers of messages are not those of the protocol.
 */
#define STATE_VERSION	3
#define STATE_BEGIN	1	/* a version */
#define STATE_END	2	/* of what belongs together */
#define STATE_CONSUMER	3	/* a uid, b gid: str name of the bell */
#define STATE_SESSION	4	/* a id, b these: see put_session */
#define STATE_ACTIVE	1u
#define STATE_MISSED	2u
#define STATE_CURRENT	4u
#define STATE_WARNING	5	/* a session: str */
#define STATE_TRACE	6	/* a id, b session: see put_trace */
#define STATE_TEXT	7	/* a trace: u64 where, str metadata */
#define STATE_CHANNEL	8	/* a id, b session: see put_channel */
#define STATE_RULE	9	/* a channel: as in the protocol */
#define STATE_REGION	10	/* a id, b channel: see put_region */
#define STATE_ENTRY	11	/* a id, b region: u32 level, str name, str
				   program, fields as in EVENTS */
#define STATE_UNRULE	12	/* a channel: as in the protocol */
#define STATE_GONE	13	/* a what, b id: with all that is below it */

/* A place in the table of programs. */
struct state_app {
	uint64_t	 owner;		/* 0: nobody's */
	uint32_t	 uid, gid;
	uint32_t	 pid, vpid;
	uint32_t	 bits;
	char		 name[64];
	uint32_t	 space;		/* of the pid: ut_pid_space */
};

int	 state_lock(uid_t);	/* for a consumer */
void	 state_unlock(uid_t);
void	 state_open(const char *);
void	 state_close(void);
void	 state_save(void);	/* now, what has changed */
void	 state_soon(void);
void	 state_add(struct saved *, enum saved_kind, void *);
void	 state_changed(struct saved *);
void	 state_del(struct saved *);
void	 state_renew(struct trace *);	/* its metadata begin anew */
void	 state_warning(const struct session *, const char *);
void	 state_rule(const struct channel *, const struct rule *, bool);
/* For the journal: false if there are more rows than so many bytes hold. */
bool	 state_put(unsigned int, struct saved *, size_t);
bool	 state_rows(unsigned int, struct saved *, size_t);
void	 state_gone(unsigned int, struct saved *);
size_t	 journal_put(unsigned int, const struct ut_msg *);
void	 journal_open(const char *, const char *);
void	 journal_end(void);
void	 journal_remove(void);
void	 state_app(struct app *);
void	 state_place_free(uint32_t);
uint32_t state_place(void);
void	 state_load(const char *, const char *);
void	 state_resume(void);
void	 session_wait(struct session *);	/* then retry its directory */

/* app.c: programs come, offer events, go. */
void	 app_restore(const struct state_app *);
void	 app_hello(struct conn *, struct ut_msg *);
void	 app_list(struct app *);	/* its names; links_named tells */

/*
 * link.c: a program and a channel, or all that the program offers when the
 * channel is NULL.
 */
enum link_state {
	LINK_IDLE, LINK_NAMES, LINK_TURN, LINK_EVENTS, LINK_REGION,
	LINK_HELD, LINK_MAP
};

struct waiters {
	struct waiter	**w;
	unsigned int	 n;
};

struct link {
	struct app	*app;
	struct channel	*channel;
	struct region	*region;	/* NULL: nothing was mapped yet */
	enum link_state	 state;
	bool		 introduced;	/* the program, to the consumer */
	bool		 attached;	/* to the region */
	bool		 unsure;	/* what it has mapped there */
	bool		 again;		/* something changed meanwhile */
	bool		 failed;	/* the program told of an error */
	uint32_t	 described;	/* events up to that were asked for */
	uint32_t	 answers;	/* to come */
	unsigned int	 acks;		/* to come */
	struct plan	*mapped;	/* what the program has */
	struct plan	*plan;		/* what it shall have */
	struct waiters	 now;		/* for what goes on */
	struct waiters	 later;		/* for what comes after it */
	struct link	*next;		/* of the program */
};

void	 link_sync(struct app *, struct channel *, struct waiter *);
void	 link_described(struct app *, uint32_t, uint32_t);
void	 link_unattached(struct app *, uint32_t, int);
void	 link_acked(struct app *, uint32_t, int);
void	 links_named(struct app *);
void	 links_region(const struct region *);
void	 links_drained(const struct consumer *);
void	 links_late(void);
void	 links_sent(struct app *);
void	 links_free(struct app *);
void	 links_let_go(const struct region *);
void	 links_detach(const struct channel *);
struct link *link_find(const struct app *, const struct channel *);
void	 channel_sync(struct channel *, struct waiter *);

/*
 * client.c: connections of utctl.
 */
/* A connection of utctl; it asks for one thing at a time. */
struct client {
	struct conn	*conn;		/* NULL: gone */
	struct waiter	*wait;		/* for this; NULL: idle */
	void		(*finish)(struct client *);
	struct timer	 timer;
	unsigned int	 late;		/* programs that did not answer */
	char		 why[512];	/* a program cannot have buffers */
	bool		 owner;		/* utd ends when it does */
	bool		 draining;	/* wants to see progress */
	struct session	*session;	/* that the request is about */
	bool		 orphan;	/* and that is gone */
	struct channel	*channel;
	struct rule	*rule;
	struct client	*next, **prev;
};

void	 client_hello(struct conn *, struct ut_msg *);
void	 client_ok(struct client *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));
void	 client_taken(struct client *, uint32_t, const char *, ...)
	    __attribute__((format(printf, 3, 4)));
void	 client_refuse(struct client *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));
struct waiter *client_wait(struct client *, void (*)(struct client *), int);
void	 client_about(struct client *, struct session *);
bool	 client_session_there(const struct client *);
void	 clients_forget(const struct session *);
void	 clients_progress(uid_t, uint64_t);

/* control.c: what utctl asks for. */
bool	 control_request(struct client *, struct ut_msg *);
void	 session_counts(const struct session *, struct counts *);

/* list.c */
void	 list_sessions(struct client *, struct ut_msg *);
void	 list_events(struct client *, struct ut_msg *);

/* listen.c: the run directory. */
void	 listen_open(const char *);
void	 listen_close(void);
bool	 listen_spares(int);
int	 listen_shared(void);	/* the first that no stranger gets */

/* wake.c: the FIFOs that programs sleep on. */
void	 wake_open(const char *);
void	 wake_reap(void);	/* a process has ended */
void	 wake_close(void);

#endif /* PARENT_H */
