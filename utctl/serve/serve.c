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
 * utctl serve: a session that records is served to viewers, over TCP.
 *
 * One thread serves all viewers in turn, one request each, and waits for none.
 * It only ever reads.
 */

#include <sys/types.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <netinet/in.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../show/live.h"
#include "../utctl.h"
#include "common/compat.h"
#include "viewer.h"

#define PORT		5344		/* LTTng's */
#define LOOPBACK	"127.0.0.1"
#define VIEWERS		64
#define ROUND		100		/* ms between two looks at the files */
#define SOON		10000		/* ms in which a viewer attaches */
#define LINGER_END	600000		/* ms for viewers that still read */

static int		 last;		/* -l */
static int		 deaf;		/* accept() failed: not now */

static struct viewer	*viewers[VIEWERS];
static size_t		 nviewers;
static unsigned long long left_out;	/* packets, for any viewer */

static void
drop(size_t i)
{
	left_out += viewers[i]->late + viewers[i]->bad + viewers[i]->unread +
	    viewers[i]->full;
	viewer_close(viewers[i]);
	viewers[i] = viewers[--nviewers];
}

/* A trace is another one now, for all viewers. */
static void
trace_again(const struct ctf_trace *old, const struct ctf_trace *new)
{
	size_t i;

	for (i = 0; i < nviewers; i++)
		vstreams_again(viewers[i], old, new);
}

/*
 * The socket.
 */

/* ADDRESS:PORT, in so many bytes. */
static void
address_text(const struct sockaddr_in *a, char *text, size_t size)
{
	char host[INET_ADDRSTRLEN] = "?";

	(void)inet_ntop(AF_INET, &a->sin_addr, host, sizeof(host));
	snprintf(text, size, "%s:%u", host, ntohs(a->sin_port));
}

static void
no_waiting(int fd)
{
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) == -1)
		die_errno("fcntl");
}

static int
listen_on(const char *text, uint32_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port) };
	const int on = 1;
	int fd;

	if (inet_pton(AF_INET, text, &a.sin_addr) != 1)
		die("-b %s: not an IPv4 address such as " LOOPBACK, text);
	if ((fd = socket(AF_INET, SOCK_STREAM, 0)) == -1)
		die_errno("socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	no_waiting(fd);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == -1 ||
	    listen(fd, VIEWERS) == -1) {
		if (errno == EADDRINUSE)
			die("%s:%u is in use: -p 0 takes a port that is free",
			    text, port);
		die_errno("%s:%u", text, port);
	}
	return fd;
}

/* Say what a user may type: elsewhere, if viewers can come from there. */
static void
say_where(int fd)
{
	char where[VIEWER_ADDRESS], host[256] = "";
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	if (getsockname(fd, (struct sockaddr *)&a, &len) == -1)
		die_errno("getsockname");
	(void)gethostname(host, sizeof(host) - 1);
	address_text(&a, where, sizeof(where));
	if (a.sin_addr.s_addr == htonl(INADDR_ANY))
		snprintf(where, sizeof(where), "%.50s:%u", host,
		    ntohs(a.sin_port));
	printf("session %s: babeltrace2 -i lttng-live "
	    "net://%s/host/%s/%s\n", source.name, where, host, source.name);
	if (fflush(stdout) == EOF)
		die_errno("stdout");
}

/* If there is no room, the viewer makes some that is silent for longest. */
static int
make_room(void)
{
	size_t i, first = 0;

	if (nviewers < VIEWERS)
		return 1;
	for (i = 1; i < nviewers; i++)
		if (viewers[i]->heard < viewers[first]->heard)
			first = i;
	if (ut_msg_now() - viewers[first]->heard < SOON)
		return 0;
	say("viewer %s: it was silent, and another one came",
	    viewers[first]->address);
	drop(first);
	return 1;
}

static void
take(int listener)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	const int fd = accept(listener, (struct sockaddr *)&a, &len);

	deaf = fd == -1;
	if (fd == -1)
		return;
	if (!make_room()) {
		close(fd);
		return;
	}
	no_waiting(fd);
	viewers[nviewers] = viewer_new(fd, last);
	address_text(&a, viewers[nviewers]->address, VIEWER_ADDRESS);
	nviewers++;
}

/*
 * The loop.
 */

/* Is the viewer to go: for its time is over, or its connection? */
static int
is_over(struct viewer *v, short events, int64_t now)
{
	const int64_t silent = now - v->heard;

	if (!viewer_attached(v) && silent > SOON)
		return 1;
	if (source.ended && silent > LINGER_END) {
		say("viewer %s: it was silent for too long after the end",
		    v->address);
		left_out++;
		return 1;
	}
	return events != 0 && !viewer_turn(v);
}

static int
any_attached(void)
{
	size_t i;

	for (i = 0; i < nviewers; i++)
		if (viewer_attached(viewers[i]))
			return 1;
	return 0;
}

/* Wait until there is something to do, and do it once for each viewer. */
static void
turn(int listener)
{
	struct pollfd p[VIEWERS + 1];
	const size_t n = nviewers;
	int64_t now;
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = viewers[i]->fd,
		    .events = viewer_writes(viewers[i]) ? POLLOUT : POLLIN };
	p[n] = (struct pollfd){ .fd = listener, .events = deaf ? 0 : POLLIN };
	deaf = 0;
	if (poll(p, (nfds_t)n + 1, ROUND) == -1) {
		if (errno != EINTR)
			die_errno("poll");
		return;
	}
	now = ut_msg_now();
	for (i = n; i-- > 0;)
		if (is_over(viewers[i], p[i].revents, now))
			drop(i);
	if (p[n].revents != 0)
		take(listener);
}

static void
serve(int listener)
{
	int64_t next = 0;

	while (!source.ended || nviewers > 0) {
		if (ut_msg_now() >= next) {
			source_look(any_attached());
			next = ut_msg_now() + ROUND;
		}
		turn(listener);
	}
}

/* Each viewer keeps the files open that it reads. */
static void
more_files(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		lim.rlim_cur = lim.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &lim);
	}
}

static int
serve_main(int argc, char **argv)
{
	const char *address = LOOPBACK;
	struct reader_dir *dirs = NULL;
	uint32_t port = PORT;
	int c, fd;

	while ((c = option(argc, argv)) != -1) {
		if (c == 'b')
			address = optarg;
		else if (c == 'l')
			last = 1;
		else if (c != 'p')
			return usage();
		else if (parse_number(optarg, UINT16_MAX, &port) == -1)
			die("-p %s: not a port", optarg);
	}
	if (argc - optind > 1)
		return usage();
	if (argc > optind)
		dirs = which_traces(argv + optind);
	if (dirs != NULL && ctf_moves(&dirs[0].move))
		die("serve takes no offset: events wait by the clock");
	(void)signal(SIGPIPE, SIG_IGN);
	more_files();
	source_open(dirs == NULL ? NULL : dirs[0].name, trace_again);
	fd = listen_on(address, port);
	/* Traces may be anybody's, but utd may have to be met again. */
	ut_confine(0);
	say_where(fd);
	serve(fd);
	close(fd);
	ctf_damage_say();
	source_close();
	if (dirs != NULL)
		which_free(dirs);
	return left_out > 0 || ctf_damaged() > 0;
}

const struct command cmd_serve = {
	.name = "serve", .page = "utctl-view",
	.line = "let babeltrace2 and others view a session while it records",
	.usage = "[-l] [-b address] [-p port] [dir | session]",
	.options = {
	    "-b address\tof this machine (default: " LOOPBACK ")",
	    "-l\tleave out what was recorded before a viewer came",
	    "-p port\t0: any that is free (default: 5344)"
	},
	.run = serve_main
};
