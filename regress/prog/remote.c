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
 * A client that asks servers on other hosts, and these: remote ask REQUESTS
 * ADDRESS ..., and remote serve PROGRESS.  Requests are numbered, and the servers
 * asked in turn; one that does not answer any more is asked no more.  A server
 * keeps in PROGRESS how many requests it has recorded, and ends when its client
 * does.
 */

#include <sys/mman.h>
#include <sys/socket.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <arpa/inet.h>

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(remote, sent, UT_INFO, UT_U64(id))
UT_EVENT(remote, received, UT_INFO, UT_U64(id))
UT_EVENT(remote, answered, UT_INFO, UT_U64(id))
UT_EVENT(remote, got, UT_INFO, UT_U64(id))

#define PORT	4711
#define SERVERS	8

static int
tcp(struct sockaddr_in *a, const char *address)
{
	const int one = 1;
	int fd;

	memset(a, 0, sizeof(*a));
	a->sin_family = AF_INET;
	a->sin_port = htons(PORT);
	if (inet_pton(AF_INET, address, &a->sin_addr) != 1)
		errx(1, "%s: no address", address);
	if ((fd = socket(AF_INET, SOCK_STREAM, 0)) == -1)
		err(1, "socket");
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static int
whole(ssize_t n)
{
	return n == (ssize_t)sizeof(uint64_t);
}

static void
serve(const char *file)
{
	volatile uint64_t *done;
	struct sockaddr_in a;
	uint64_t id;
	int fd = tcp(&a, "0.0.0.0"), client;
	const int f = open(file, O_RDWR | O_CREAT, 0600);

	if (f == -1 || ftruncate(f, sizeof(*done)) == -1 ||
	    (done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
	    MAP_SHARED, f, 0)) == MAP_FAILED)
		err(1, "%s", file);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == -1 ||
	    listen(fd, 1) == -1 || (client = accept(fd, NULL, NULL)) == -1)
		err(1, "listen");
	while (whole(recv(client, &id, sizeof(id), MSG_WAITALL))) {
		UT(remote, received, id);
		UT(remote, answered, id);
		++*done;
		if (!whole(send(client, &id, sizeof(id), 0)))
			break;
	}
}

/* The server may still be about to listen. */
static int
connect_to(const char *address)
{
	const struct timespec ts = { 0, 20000000 };
	struct sockaddr_in a;
	int fd, i;

	for (i = 0; i < 500; i++) {
		fd = tcp(&a, address);
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
			return fd;
		close(fd);
		nanosleep(&ts, NULL);
	}
	err(1, "%s", address);
}

int
main(int argc, char **argv)
{
	uint64_t id, back;
	int fds[SERVERS], i, n = argc - 3;

	signal(SIGPIPE, SIG_IGN);
	if (argc == 3 && strcmp(argv[1], "serve") == 0) {
		serve(argv[2]);
		return 0;
	}
	if (argc < 4 || n > SERVERS || strcmp(argv[1], "ask") != 0)
		errx(1, "usage: remote ask REQUESTS ADDRESS ... | serve FILE");
	for (i = 0; i < n; i++)
		fds[i] = connect_to(argv[3 + i]);
	for (id = 1; id <= strtoull(argv[2], NULL, 10); id++) {
		i = (int)(id % (uint64_t)n);
		if (fds[i] == -1)
			continue;
		UT(remote, sent, id);
		if (!whole(send(fds[i], &id, sizeof(id), 0)) ||
		    !whole(recv(fds[i], &back, sizeof(back), MSG_WAITALL))) {
			fds[i] = -1;
			continue;
		}
		UT(remote, got, back);
	}
	return 0;
}
