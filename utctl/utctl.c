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

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctf/select.h"
#include "map.h"
#include "sym/symbols.h"
#include "utctl.h"

static int
cmd_help(int argc, char **argv)
{
	const struct command *c = NULL;
	const char *letter = NULL;
	int ch;

	while ((ch = option(argc, argv, "+v:")) != -1) {
		if (ch != 'v')
			return usage();
		letter = optarg + (optarg[0] == '-');
	}
	if (argc - optind > 1 || (letter != NULL && (argc == optind ||
	    strlen(letter) != 1)))
		return usage();
	if (argc > optind && (c = command_find(argv[optind])) == NULL)
		return command_unknown(argv[optind]);
	return letter == NULL ? help(c) : values(c, letter[0]);
}

static int
cmd_version(int argc, char **argv)
{
	if (option(argc, argv, "+") != -1 || argc != optind)
		return usage();
	printf("utctl %s\n", VERSION);
	return 0;
}

static const struct command commands[] = {
	{ "create", cmd_create, parse_create, 0,
	    "[-N | [-S] [-o dir]] [name]" },
	{ "start", cmd_start, parse_start, 0, "[name]" },
	{ "stop", cmd_stop, NULL, 0, "[name]" },
	{ "destroy", cmd_destroy, NULL, 0, "[-a | name]" },
	{ "enable-channel", cmd_enable_channel, parse_enable_channel,
	    ATTR_ENABLE, "[-s session] channel" },
	{ "disable-channel", cmd_disable_channel, parse_disable_channel, 0,
	    "[-s session] channel" },
	{ "remove-channel", cmd_remove_channel, NULL, 0,
	    "[-s session] channel" },
	{ "add-context", cmd_add_context, parse_add_context, 0,
	    "[-s session] [-c channel] name ..." },
	{ "enable-event", cmd_enable_event, parse_enable_event, 0,
	    "[-s session] [-c channel] "
	    "[-l level | -L level]\n\t[-x glob] ... [-f filter] "
	    "-a | 'glob' ..." },
	{ "disable-event", cmd_disable_event, NULL, 0,
	    "[-s session] [-c channel] "
	    "[-l level | -L level]\n\t[-x glob] ... [-f filter] "
	    "-a | 'glob' ..." },
	{ "track", cmd_track, parse_track, 0, "[-s session] [-p pid] ... "
	    "[-u user] ... [-n 'glob'] ..." },
	{ "untrack", cmd_untrack, NULL, 0, "[-s session] -a | [-p pid] ... "
	    "[-u user] ...\n\t[-n 'glob'] ..." },
	{ "trigger", cmd_trigger, parse_trigger, 0, "-r number | -e 'glob' "
	    "[-f filter] [-n count]\n\t"
	    "-a snapshot | stop | rotate | 'exec command' [session]" },
	{ "rotate", cmd_rotate, parse_rotate, 0, "[-t time] [-z size] "
	    "[-c command] [session]" },
	{ "clear", cmd_clear, NULL, 0, "[session]" },
	{ "snapshot", cmd_snapshot, NULL, 0, "[-o dir | -n name] [-c command] "
	    "[session]" },
	{ "status", cmd_status, NULL, 0, "[-j]" },
	{ "list", cmd_list, NULL, 0, "[-jv] [session]" },
	{ "events", cmd_events, NULL, 0, "[-jv] [glob ...]" },
	{ "save", cmd_save, NULL, 0, "[-o file] [session ...]" },
	{ "load", cmd_load, NULL, 0, "[-n] [file]" },
	{ "record", cmd_record, NULL, ATTR_RECORD,
	    "\n\t[-F] [-S] [-r] [-T time] [-o dir] [-e glob] ... "
	    "[-l level | -L level]\n\t[-x glob] ... [-f filter] "
	    "[-w wrapper,...] ...\n\t"
	    "[-p pid] ... | [--] command [argument ...]" },
	{ "recover", cmd_recover, NULL, 0, "[-d]" },
	{ "shutdown", cmd_shutdown, NULL, 0, "" },
	{ "view", cmd_view, NULL, 0,
	    "[-Fijq] [-D begin,end[,field]] ... [-o columns]\n\t"
	    SYMBOLS_USAGE " "
	    SELECT_USAGE "\n\t[dir | session] ..." },
	{ "stat", cmd_stat, NULL, 0, "[-cj] [-d] [-D begin,end[,field]] ...\n\t"
	    "[-S count] [-g event | program | thread | field] ...\n\t"
	    "[-v field] "
	    SYMBOLS_USAGE " "
	    SELECT_USAGE "\n\t[dir | session] ..." },
	{ "heap", cmd_heap, NULL, 0, "[-aj] " SYMBOLS_USAGE "\n\t"
	    SELECT_USAGE "\n\t[dir | session] ..." },
	{ "locks", cmd_locks, NULL, 0, "[-aj] " SYMBOLS_USAGE "\n\t"
	    SELECT_USAGE "\n\t[dir | session] ..." },
	{ "export", cmd_export, NULL, 0, "[-F chrome | folded] "
	    SYMBOLS_USAGE "\n\t[-D begin,end[,field]] ... "
	    SELECT_USAGE "\n\t[dir | session] ..." },
	{ "help", cmd_help, NULL, 0,
	    "[command | -v option command]" },
	{ "version", cmd_version, NULL, 0, "" },
	{ NULL, NULL, NULL, 0, NULL }
};

/* Options in the place of a command, as other tools have them. */
static const char *
command_name(const char *s)
{
	if (strcmp(s, "-h") == 0 || strcmp(s, "--help") == 0)
		return "help";
	if (strcmp(s, "-V") == 0 || strcmp(s, "--version") == 0)
		return "version";
	return s;
}

int
main(int argc, char **argv)
{
	const struct command *c;
	int status;

	utctl_path = argv[0];
	map_seed();
	opterr = 0;
	commands_are(commands);
	if (argc < 2) {
		usage_all(stderr);
		return 1;
	}
	if ((c = command_select(command_name(argv[1]))) == NULL)
		return command_unknown(argv[1]);
	status = c->run(argc - 1, argv + 1);
	if (fflush(stdout) == EOF || ferror(stdout)) {
		say_errno("stdout");
		return status == 0 ? 1 : status;
	}
	return status;
}
