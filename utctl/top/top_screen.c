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
 * utctl top: the terminal, its keys, and the signals that matter to it.
 *
 * Only sequences of ECMA-48, and private modes that are as old as xterm, are
 * used: with no wrapping of lines, the terminal itself cuts what is too long.
 * Whatever ends or stops utctl, the terminal is as it was before.
 */

#include <sys/ioctl.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "../say.h"
#include "top.h"

#define ENTER	"\033[?1049h\033[?25l\033[?7l"	/* another screen */
#define LEAVE	"\033[?7h\033[?25h\033[?1049l"
#define HELP	"e event  p program  t thread  d pairs  s sort  / filter  " \
		"space pause  q quit"
#define LINES	24
#define AROUND	6		/* lines that are no rows */

struct top_view		 screen_view = { .filter = "", .most = SIZE_MAX,
    .by = TOP_TABLES };
int			 screen_paused;

static struct termios	 before;
static volatile sig_atomic_t is_on;
static int		 typing;		/* the filter */
static char		 filter[64], note[256];
static volatile sig_atomic_t stopped, resumed, resized;

/*
 * A signal that wants an end gets it at once, wherever utctl is: it may wait
 * for a terminal that takes nothing.
 */
static void
caught(int sig)
{
	const int saved = errno;

	if (sig == SIGTSTP)
		stopped = 1;
	else if (sig == SIGCONT)
		resumed = 1;
	else if (sig == SIGWINCH)
		resized = 1;
	else {
		screen_end();
		(void)signal(sig, SIG_DFL);
		(void)raise(sig);
	}
	errno = saved;
}

/* Writing goes on after a signal, poll does not.  No signal nests. */
static void
catch(int sig)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = caught;
	sa.sa_flags = SA_RESTART;
	sigfillset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

/* All signals but those that are ignored, or another's, as with a sanitizer. */
static void
catch_all(void)
{
	static const int signals[] = { SIGABRT, SIGALRM, SIGBUS, SIGCONT,
	    SIGFPE, SIGHUP, SIGILL, SIGINT, SIGPIPE, SIGPROF, SIGQUIT, SIGSEGV,
	    SIGSYS, SIGTERM, SIGTRAP, SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM,
	    SIGWINCH, SIGXCPU, SIGXFSZ };
	struct sigaction old;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			catch(signals[i]);
}

static void
put_raw(const char *s)
{
	(void)!write(STDOUT_FILENO, s, strlen(s));
}

static void
enter(void)
{
	struct termios raw = before;

	raw.c_iflag &= (tcflag_t)~IXON;		/* no key stops the screen */
	raw.c_lflag &= (tcflag_t)~(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	is_on = 1;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	put_raw(ENTER);
}

/* Also for handlers of signals.  A terminal that takes nothing is not asked. */
void
screen_end(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (!is_on)
		return;
	(void)tcflush(STDOUT_FILENO, TCOFLUSH);
	if (poll(&p, 1, 0) > 0)
		put_raw(LEAVE);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	is_on = 0;
}

/* A message would disturb the screen: it gets a line there. */
static void
note_take(const char *line)
{
	snprintf(note, sizeof(note), "%s", line);
}

int
screen_begin(void)
{
	const char *term = getenv("TERM");

	if (term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0 ||
	    !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &before) == -1)
		return 0;
	catch_all();
	atexit(screen_end);
	say_to(note_take);
	enter();
	return 1;
}

static size_t
lines(void)
{
	struct winsize ws;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row > 0 ?
	    ws.ws_row : LINES;
}

static void
put_keys(void)
{
	char *text = clean(filter);

	if (typing)
		printf("filter: %s_", text);
	else
		printf("%s%s  [by %s%s%s]", screen_paused ? "PAUSED  " : "",
		    HELP, top_column(&screen_view), filter[0] != '\0' ?
		    ", filter " : "", text);
	free(text);
}

void
screen_draw(const struct top_sums *ss, const struct top_session *s)
{
	const size_t n = lines();

	screen_view.most = n > AROUND ? n - AROUND : 1;
	screen_view.filter = filter;
	printf("\033[H\033[J");
	top_print(&screen_view, ss, s);
	printf("\033[%zu;1H%s\n", n > 1 ? n - 1 : 1, note);
	put_keys();
	(void)fflush(stdout);
}

/* In the filter: a character, or the end of it. */
static void
type(char c)
{
	const size_t n = strlen(filter);

	if (c == '\r' || c == '\n')
		typing = 0;
	else if (c == '\033')
		filter[typing = 0] = '\0';
	else if ((c == '\b' || c == 0x7f) && n > 0)
		filter[n - 1] = '\0';
	else if ((unsigned char)c >= ' ' && c != 0x7f &&
	    n < sizeof(filter) - 1)
		filter[n] = c;
}

static int
key(char c)
{
	static const char tables[] = "eptd";
	const char *p;

	if (typing)
		type(c);
	else if (c == 'q' || c == 'Q')
		return SCREEN_QUIT;
	else if (c == 's')
		screen_view.sort = (screen_view.sort + 1) % TOP_SORTS;
	else if (c == '/')
		filter[0] = '\0', typing = 1;
	else if (c == ' ')
		screen_paused = !screen_paused;
	else if (c != '\0' && (p = strchr(tables, c)) != NULL)
		screen_view.by = (enum top_by)(p - tables);
	if (screen_view.by == TOP_PAIR)
		top_read_pairs();
	note[0] = '\0';
	return SCREEN_DRAW;
}

/* Keys come alone; what follows an escape is a key that has no meaning here. */
static int
keys(void)
{
	char buf[64];
	const ssize_t n = read(STDIN_FILENO, buf, sizeof(buf) - 1);
	ssize_t i;
	int seen = 0;

	if (n <= 0)
		return n == 0 ? SCREEN_QUIT : 0;
	if (buf[0] == '\033' && n > 1)
		return 0;
	for (i = 0; i < n; i++)
		seen |= key(buf[i]);
	return seen;
}

/* Stop as a signal wants, and go on when another one says so. */
static void
stop(void)
{
	stopped = 0;
	screen_end();
	(void)signal(SIGTSTP, SIG_DFL);
	(void)raise(SIGTSTP);
	catch(SIGTSTP);
	enter();
	resumed = 0;
}

int
screen_wait(int ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int seen = 0;

	if (poll(&p, 1, ms) > 0)
		seen |= keys();
	if (stopped) {
		stop();
		seen |= SCREEN_DRAW;
	}
	if (resumed && tcgetpgrp(STDIN_FILENO) == getpgrp())
		enter();
	if (resumed || resized)
		seen |= SCREEN_DRAW;
	resumed = resized = 0;
	return seen;
}
