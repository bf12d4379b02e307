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
 * The processes of traces, for the commands that keep something of each.
 */

#ifndef PROCESS_H
#define PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/ctf.h"
#include "../ctf/ctf_field.h"
#include "../ctf/reader.h"
#include "../map.h"
#include "image.h"

#define CALL_FIELDS		7
#define CALLER_TEXT		320	/* bytes of a caller as text */
#define PROCESS_CHANNELS	32	/* channels of one call: UT_REGIONS */

/* A row of a table that ends with a name that is NULL. */
struct call_kind {
	const char	*event;
	int		 what;			/* for whoever has the table */
	const char	*fields[CALL_FIELDS];	/* NULL: none */
};

/* The kind of an event in a table, and where its fields are. */
struct call {
	const struct call_kind	*kind;
	struct ctf_field_at	 at[CALL_FIELDS];
};

/* A place of a process that calls: it is known by a small number. */
struct caller {
	struct caller	*older;		/* with the same address */
	uint64_t	 address;
	char		*name;		/* NULL: not known */
	char		*lines;		/* NULL: they are not known */
	struct place	*places;	/* if there are lines */
	size_t		 nplaces;
	unsigned int	 modules;	/* changes that were seen then */
	uint32_t	 id;
};

struct callers {
	struct caller	**v;		/* by number */
	size_t		 n, room;
	struct map	 addresses;	/* to struct caller, the newest */
	struct map	 events;	/* where there are no addresses */
	unsigned int	 modules;	/* so often have modules changed */
	int		 numbers;	/* no names are wanted */
};

/* The last call of a thread, and the channels that have an event of it. */
struct process_call {
	const struct call_kind *kind;
	uint64_t	 fields[CALL_FIELDS];	/* 0: there is no such field */
	uint32_t	 channels[PROCESS_CHANNELS];
	size_t		 nchannels;
};

/*
 * The traces of one origin, such as a user's of a session.  A process has no
 * events elsewhere, so what is lost there is no event of other processes.
 */
struct origin {
	int64_t		 lossy;		/* ns: events were lost until then */
	int		 losses;	/* not only old events are gone */
	struct pair_thread *begun;	/* pair_thread.c's: pairs_cut() */
};

/* A process, as long as it runs one program. */
struct process {
	struct process	*next;		/* in the order of beginning */
	uint64_t	 key;		/* ctf_process() */
	int		 used;		/* an event came lately */
	int		 nameless;	/* an address came before any module */
	struct mapping	*modules;	/* in the order of addresses */
	size_t		 nmodules, room;
	uint64_t	 serial;	/* changes with the modules; not 0 */
	struct origin	*origin;	/* where its traces are from */
	const char	*host;		/* to be shown, or NULL */
	int64_t		 vpid;		/* CTF_NOBODY: not known */
	char		 name[sizeof(((struct ctf_who *)0)->name)];
	int		 named;		/* LTTng's: see note_name() */
	char		*program;	/* path of the first module, or NULL */
	uint64_t	 base;		/* where the program lies */
	const char	*clock;		/* the first call's; NULL: none yet */
	struct map	 calls;		/* struct process_call, by thread */
	struct callers	 callers;
};

struct processes;

/* Things to keep of each process, for which calls.  Functions may be NULL. */
struct process_ops {
	const struct call_kind *calls;
	void		(*call)(struct processes *, struct ctf_stream *);
	size_t		 size;		/* bytes that begin with a process */
	void		(*over)(struct process *);	/* at its exec */
	void		(*release)(struct process *);
};

struct processes {
	const struct process_ops *ops;
	/* Before the first event of traces that are open; or NULL. */
	void		(*opened)(struct processes *, struct reader *);
	uint64_t	 n;		/* calls: whoever counts them */
	int64_t		 begin, end;	/* ns: of all events; or INT64_MIN */
	int		 numbers;	/* no names are wanted */
	int		 kept;		/* pointers to processes are */
	size_t		 fresh;		/* processes, since some were dropped */
	int		 dropped;	/* some were that had modules */
	int		 several;	/* channels have calls */
	uint32_t	 channel;	/* the first with calls */
	uint64_t	 again;		/* events of calls that counted */
	int		 clocks;	/* a process has calls by several */
	int		 unknown;	/* calls are of processes not known */
	struct map	 map;		/* running ones, by their IDs */
	struct map	 origins;	/* by their hashes */
	struct origin	 any;		/* a loss of whatever origin */
	struct process	*first, **last;
	const struct ctf_stream *stream;	/* the last event's */
	uint64_t	 pkt;			/* the packet of process */
	struct process	*process;
};

/* process.c */
void	 processes_init(struct processes *, const struct process_ops *);
/* After ctf_body(). */
struct process *processes_get(struct processes *, const struct ctf_stream *);
struct origin *processes_origin(struct processes *, const struct ctf_stream *);
/* Events were lost: the stream's item tells of them. */
void	 processes_lose(struct processes *, const struct ctf_stream *);
/* May the end of what began then be among what was lost? */
int	 origin_unsure(const struct origin *, int64_t);
/*
 * The process, which has loaded the file of that path at that base: perhaps it
 * executes another program now, and is another process.
 */
struct process *processes_load(struct processes *, const struct ctf_stream *,
	    uint64_t, const char *);
/* A process has loaded that; or no longer has what is between these. */
void	 process_map(struct process *, const struct mapping *);
void	 process_unmap(struct process *, uint64_t, uint64_t);
/* The module that has the address; NULL: none. */
const struct mapping *process_mapping(const struct process *, uint64_t);
/*
 * A text for the terminal, or members: the host, or NULL if there is but one,
 * the program, and the IDs of the process and, unless NULL, the thread.
 */
char	*ids_text(const char *, const char *, int64_t, const int64_t *);
void	 ids_json(const char *, const char *, int64_t, const int64_t *);
char	*process_text(const struct process *);
void	 process_json(const struct process *);
void	 processes_free(struct processes *);

/* calls.c */
/* Each trace, before its events: find those of calls. */
void	 processes_trace(struct processes *, struct ctf_trace *);
/* All events of the traces of a list of directories; NULL: they are open. */
void	 processes_read(struct processes *, struct reader *,
	    struct reader_dir *);
/* Say that the trace has none of these, and what records them: LTTng, we. */
void	 calls_say_none(const struct reader *, const char *, const char *,
	    const char *);
/* Is the event of a call that another channel's event has counted? */
int	 processes_again(struct processes *, const struct ctf_stream *);
/* Say what was left out, and what is not certain if options leave out calls. */
void	 processes_say(const struct processes *, const struct reader *,
	    const char *);
/* After ctf_body(): the integer; false if the event has no such field. */
int	 call_field(const struct call *, size_t, const struct ctf_stream *,
	    uint64_t *);
/* The number of the caller that is this field of the event's call. */
uint32_t process_caller(struct process *, const struct ctf_stream *, size_t);
/* A name, or the address in the buffer of CALLER_TEXT bytes. */
const char *callers_text(const struct callers *, uint32_t, char *);
/* The members of an object that say who it was. */
void	 callers_json(const struct callers *, uint32_t);

#endif /* PROCESS_H */
