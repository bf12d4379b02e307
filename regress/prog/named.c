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
 * Records the events of modules, functions and callers that the standard input
 * names, a line each; a number may have 0x before it:
 *
 *	module BASE START SIZE PATH [ID]
 *	unload BASE START SIZE
 *	entry ADDR SITE
 *	exit ADDR SITE
 *	caller ADDR
 *	say WORD
 *	fork
 *
 * ID is in hexadecimal digits; a PATH may have %xx in it.  With fork, a child
 * goes on with the rest and the parent waits for it.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(ut, module, UT_DEBUG_MODULE, UT_PTR(base), UT_PTR(start),
    UT_U64(size), UT_STR(path), UT_BYTES(build_id))
UT_EVENT(ut, unload, UT_DEBUG_MODULE, UT_PTR(base), UT_PTR(start),
    UT_U64(size))
UT_EVENT(func, entry, UT_DEBUG_FUNCTION, UT_PTR(addr), UT_PTR(call_site))
UT_EVENT(func, exit, UT_DEBUG_FUNCTION, UT_PTR(addr), UT_PTR(call_site))
UT_EVENT(app, call, UT_INFO, UT_INT(n), UT_PTR(caller), UT_PTR(addr))

static void *
address(const char *s)
{
	return (void *)(uintptr_t)strtoull(s, NULL, 0);
}

static int
hex(const char *s)
{
	const char two[3] = { s[0], s[0] == '\0' ? '\0' : s[1], '\0' };

	return (int)strtoul(two, NULL, 16);
}

static size_t
bytes(const char *s, unsigned char *p)
{
	size_t n = 0;

	for (; s[0] != '\0' && s[1] != '\0'; s += 2)
		p[n++] = (unsigned char)hex(s);
	return n;
}

static void
unquote(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++)
		if (*s == '%' && s[1] != '\0' && s[2] != '\0') {
			*to++ = (char)hex(s + 1);
			s += 2;
		} else
			*to++ = *s;
	*to = '\0';
}

static void
module(char **w)
{
	static unsigned char id[512];
	const size_t n = bytes(w[5], id);

	unquote(w[4]);
	UT(ut, module, address(w[1]), address(w[2]), strtoull(w[3], NULL, 0),
	    w[4], id, n);
}

static void
obey(char **w)
{
	static int calls;

	if (strcmp(w[0], "module") == 0)
		module(w);
	else if (strcmp(w[0], "unload") == 0)
		UT(ut, unload, address(w[1]), address(w[2]),
		    strtoull(w[3], NULL, 0));
	else if (strcmp(w[0], "entry") == 0)
		UT(func, entry, address(w[1]), address(w[2]));
	else if (strcmp(w[0], "exit") == 0)
		UT(func, exit, address(w[1]), address(w[2]));
	else if (strcmp(w[0], "caller") == 0)
		UT(app, call, calls++, address(w[1]), address(w[1]));
	else if (strcmp(w[0], "say") == 0) {
		puts(w[1]);
		fflush(stdout);
	} else
		errx(1, "what is '%s'?", w[0]);
}

static void
go_on_as_child(void)
{
	int status;
	pid_t pid;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0)
		return;
	if (waitpid(pid, &status, 0) == -1)
		err(1, "waitpid");
	exit(status != 0);
}

int
main(void)
{
	static char line[65536];
	char *w[6], *s;
	size_t i;

	setvbuf(stdin, NULL, _IONBF, 0);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		for (i = 0, s = line; i < 6; i++) {
			w[i] = s;
			s += strcspn(s, " ");
			if (*s != '\0')
				*s++ = '\0';
		}
		if (strcmp(w[0], "fork") == 0)
			go_on_as_child();
		else
			obey(w);
	}
	return 0;
}
