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

#include "map.h"
#include "utctl.h"

static int
help_main(int argc, char **argv)
{
	const struct command *c = NULL;
	const char *letter = NULL;
	int ch;

	while ((ch = option(argc, argv)) != -1) {
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

static const struct command cmd_help = {
	.name = "help", .page = "utctl",
	.line = "explain a command, or list them",
	.usage = "[command | -v option command]",
	.options = {
	    "-v option\tthe values that this option may have, for shells"
	},
	.run = help_main
};

static int
version_main(int argc, char **argv)
{
	if (option(argc, argv) != -1 || argc != optind)
		return usage();
	printf("utctl %s\n", VERSION);
	return 0;
}

static const struct command cmd_version = {
	.name = "version", .page = "utctl",
	.line = "print the version",
	.usage = "",
	.run = version_main
};

static const struct command *const commands[] = {
	&cmd_create, &cmd_start, &cmd_stop, &cmd_destroy, &cmd_enable_channel,
	&cmd_disable_channel, &cmd_remove_channel, &cmd_add_context,
	&cmd_enable_event, &cmd_disable_event, &cmd_track, &cmd_untrack,
	&cmd_trigger, &cmd_rotate, &cmd_clear, &cmd_snapshot, &cmd_status,
	&cmd_list, &cmd_events, &cmd_save, &cmd_load, &cmd_record,
	&cmd_recover, &cmd_shutdown, &cmd_view, &cmd_stat, &cmd_heap,
	&cmd_locks, &cmd_skew, &cmd_export, &cmd_report, &cmd_top, &cmd_serve,
	&cmd_dtrace, 	&cmd_help, &cmd_version, NULL
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
	const char *slash = strrchr(argv[0], '/');
	const int dtrace = strcmp(slash == NULL ? argv[0] : slash + 1,
	    cmd_dtrace.name) == 0;
	int status;

	utctl_path = argv[0];
	map_seed();
	opterr = 0;
	commands_are(commands);
	if (argc < 2 && !dtrace) {
		usage_all(stderr);
		return 1;
	}
	c = dtrace ? &cmd_dtrace : command_find(command_name(argv[1]));
	if (c == NULL)
		return command_unknown(argv[1]);
	status = step_run(c, argc - !dtrace, argv + !dtrace);
	if (fflush(stdout) == EOF || ferror(stdout)) {
		say_errno("stdout");
		return status == 0 ? 1 : status;
	}
	return status;
}
