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
 * utctl help: what the commands do, and their options, a line for each.
 */

#include <stdio.h>
#include <string.h>

#include "ctf/select.h"
#include "utctl.h"

#define COLUMN	18		/* where the text of an option begins */

#define SESSION	"-s session\tthe session (default: the one created last)"
#define CHANNEL	"-c channel\tthe channel (default: channel0)"
#define RULES \
	SESSION, CHANNEL, \
	"-l level\tevents of this level and more severe ones", \
	"-L level\tevents of this level", \
	"-x glob\tnot those that match; may be repeated", \
	"-f filter\tonly if this is true, as 'status >= 500'", \
	"-a\tall events"
#define SELECTION \
	"-b time\tfrom then on: 14:03, '2026-11-21 14:03:07.5', +1.5s, -2s", \
	"-u time\tup to then", \
	"-e glob\tevents that match; may be repeated", \
	"-x glob\tnot those that match; may be repeated", \
	"-l level\tevents of this level and more severe ones", \
	"-L level\tevents of this level", \
	"-f filter\tonly if this is true, as 'status >= 500'", \
	"-p pid | glob\tof this process or program; may be repeated", \
	"-t tid | glob\tof this thread; may be repeated", \
	"-n count\tonly so many events, the first; with a -, the last"
#define NAMES \
	"-N\taddresses as numbers, not as names", \
	"-R dir\tlook for programs and libraries below dir"

static const struct topic {
	const char	*command;
	const char	*line;
	const char	*options[24];	/* what is left of the tab, and right */
} topics[] = {
	{ "record", "record the events of a command, or of what runs",
	    { "-F\tprint the events, too, on the standard error",
	    "-S\tkeep the newest events; write them if the command fails",
	    "-r\treplace the trace, which becomes DIR.old",
	    "-T time\tstop recording after this time, as 10s or 1.5h",
	    "-p pid\trecord this process, which runs; may be repeated",
	    "-o dir\twhere the trace goes (default: ut-trace-COMMAND-DATE)",
	    "-e glob\tonly events that match; may be repeated",
	    "-x glob\tnot those that match; may be repeated",
	    "-l level\tevents of this level and more severe ones",
	    "-L level\tevents of this level",
	    "-f filter\tonly if this is true, as 'status >= 500'",
	    "-w malloc\talso the calls of malloc(3) and free(3)",
	    "-w pthread\talso what takes and releases locks",
	    "-w func\talso functions, of -finstrument-functions" } },
	{ "view", "print the events of traces, or of sessions",
	    { "-F\tfollow a session until it is stopped",
	    "-i\tindent what pairs enclose, and say how long they took",
	    "-j\tJSON, an object in each line",
	    "-o columns\twhat lines have (default: time,who,event,fields)",
	    "-q\tonly the totals",
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    NAMES, SELECTION } },
	{ "stat", "count the events of traces, and sum up their fields",
	    { "-g name\tby event (the default), program, thread or a field",
	    "-c\tprint what the clocks said, instead of events",
	    "-d\thow long pairs of events took: x_begin and x_end",
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    "-S count\tprint so many of the slowest pairs (default: 10)",
	    "-v field\tits least, mean, greatest value, and percentiles",
	    "-j\tJSON", NAMES, SELECTION } },
	{ "heap", "show what programs have allocated and not freed",
	    { "-a\talso callers of which nothing is left",
	    "-j\tJSON", NAMES, SELECTION } },
	{ "locks", "show how long threads waited for locks, and held them",
	    { "-a\tall of them, not only 20 of a kind", "-j\tJSON",
	    NAMES, SELECTION } },
	{ "export", "write traces for programs that draw time lines, or flames",
	    { "-F chrome\tfor Perfetto, and others (the default)",
	    "-F folded\tthe self time of each stack of pairs",
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    NAMES, SELECTION } },
	{ "create", "make a session, into which events are recorded",
	    { "-o dir\twhere the trace goes (default: ~/ut-traces/NAME-DATE)",
	    "-N\tno output: events are counted, and dropped",
	    "-S\tkeep the newest events in memory, for snapshots" } },
	{ "enable-event", "record events, from now on",
	    { RULES } },
	{ "disable-event", "record events no more", { RULES } },
	{ "start", "begin to record", { NULL } },
	{ "stop", "record no more, and write what there is", { NULL } },
	{ "destroy", "stop a session and delete it; its trace stays",
	    { "-a\tall your sessions" } },
	{ "status", "show utd, and the sessions in short",
	    { "-j\tJSON" } },
	{ "list", "show sessions: channels, rules, numbers, warnings",
	    { "-j\tJSON", "-v\tut:log at each of its levels" } },
	{ "events", "show the programs that run, and their events",
	    { "-j\tJSON", "-v\tut:log at each of its levels" } },
	{ "enable-channel", "make a channel, with buffers of its own",
	    { SESSION } },
	{ "disable-channel", "record nothing into a channel", { SESSION } },
	{ "remove-channel", "write the buffers of a channel, and free them",
	    { SESSION } },
	{ "add-context", "record the processor, the caller and so on with "
	    "events", { SESSION, CHANNEL } },
	{ "track", "record only some programs",
	    { SESSION, "-p pid\tthis process",
	    "-u user\tprograms of this user",
	    "-n glob\tprograms whose names match" } },
	{ "untrack", "no longer record only some programs",
	    { SESSION, "-a\trecord all programs again", "-p pid\tthis process",
	    "-u user\tprograms of this user",
	    "-n glob\tprograms with this pattern" } },
	{ "trigger", "do something when an event is recorded",
	    { "-e glob\tthe event", "-f filter\tonly if this is true",
	    "-n count\teach time that there were so many (default: once)",
	    "-a action\tsnapshot, stop, rotate or 'exec command'",
	    "-r number\tremove this trigger" } },
	{ "rotate", "end a part of the trace, and begin the next",
	    { "-t time\tfrom now on after this time; 0: no more",
	    "-z size\tfrom now on at this size; 0: no more",
	    "-c command\trun it for each part, whose directory is $1" } },
	{ "clear", "remove what was recorded, and go on", { NULL } },
	{ "snapshot", "write what is in the buffers now as a trace",
	    { "-o dir\twhere it goes (default: snapshots/ of the session)",
	    "-n name\tits name in snapshots/",
	    "-c command\trun it then; the directory is $1" } },
	{ "save", "print sessions as commands",
	    { "-o file\tinto a file" } },
	{ "load", "make sessions from the commands that save prints",
	    { "-n\tonly check them" } },
	{ "recover", "write what a utd that was killed has left",
	    { "-d\tremove what cannot be written" } },
	{ "shutdown", "end all sessions, and utd", { NULL } },
	{ "help", "explain a command, or list them",
	    { "-v option\tthe values that this option may have, for shells" } },
	{ "version", "print the version", { NULL } },
};

#define NTOPICS	(sizeof(topics) / sizeof(topics[0]))

static void
print_option(const char *s)
{
	const char *tab = strchr(s, '\t');
	const int n = (int)(tab - s);

	printf("  %.*s%*s%s\n", n, s, n < COLUMN - 1 ? COLUMN - n : 1, "",
	    tab + 1);
}

static void
attr_values(const struct attr *a, char *text, size_t n)
{
	if (a->bytes)
		snprintf(text, n, "%uk to %um", a->min >> 10, a->max >> 20);
	else if (a->time)
		snprintf(text, n, "0 or %ums to %um%s", a->min, a->max / 60000,
		    a->endless ? ", or " ATTR_FOREVER_NAME : "");
	else if (a->words[0] == NULL)
		snprintf(text, n, "%u to %u", a->min, a->max);
	else
		snprintf(text, n, "%s", a->option + 2);
}

static void
attr_usual(const struct attr *a, char *text, size_t n)
{
	if (a->words[0] != NULL)
		snprintf(text, n, " (default: %s)", a->words[0]);
	else if (a->usual == 0)
		text[0] = '\0';
	else if (a->bytes)
		snprintf(text, n, " (default: %uk)", a->usual >> 10);
	else if (a->time)
		snprintf(text, n, " (default: %us)", a->usual / 1000);
	else
		snprintf(text, n, " (default: %u)", a->usual);
}

/* What values an attribute of a channel can have, and has if none is given. */
static void
print_attr(const struct attr *a)
{
	char values[64], usual[48], text[192];

	if (a->option[1] == '\0') {
		snprintf(text, sizeof(text), "-%s\t%s for each process",
		    a->option, a->what);
	} else {
		attr_values(a, values, sizeof(values));
		attr_usual(a, usual, sizeof(usual));
		snprintf(text, sizeof(text), "-%c %s\t%s%s%s%s", a->option[0],
		    a->words[0] != NULL ? a->what : a->option + 2,
		    a->words[0] != NULL ? "" : a->what,
		    a->words[0] != NULL ? "" : ", ", values, usual);
	}
	print_option(text);
}

static int
help_all(void)
{
	size_t i;

	printf("usage: utctl command [argument ...]\n\n");
	for (i = 0; i < NTOPICS; i++)
		printf("  %-16s  %s\n", topics[i].command, topics[i].line);
	printf("\nutctl help command explains one.  How to begin: man 7 ut\n");
	return 0;
}

/* Explain the command; NULL: list all. */
int
help(const struct command *c)
{
	const struct attr *a;
	const char *const *o;
	size_t i;

	if (c == NULL)
		return help_all();
	usage_print(stdout, "usage:", c);
	for (i = 0; i < NTOPICS; i++) {
		if (strcmp(topics[i].command, c->name) != 0)
			continue;
		printf("\n%s: %s\n", c->name, topics[i].line);
		if (c->attrs != 0 || topics[i].options[0] != NULL)
			putchar('\n');
		for (a = attr_table; a < attr_table + ATTRS; a++)
			if ((a->commands & c->attrs) != 0)
				print_attr(a);
		for (o = topics[i].options; *o != NULL; o++)
			print_option(*o);
	}
	return 0;
}
