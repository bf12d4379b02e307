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
 * The daemon and its consumers need these alike: messages, memory or the end,
 * becoming another user, UUIDs, names of chunks and snapshots, and a check of
 * counts.
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../libut/common/escape.h"
#include "utd.h"

#define PEER_LINES	20		/* in a minute */
#define PEER_MS		60000
#define COUNT_MOST	(UINT64_C(1) << 48)	/* between two looks */

static int random_fd = -1;
static bool to_stderr = true;
static bool stays;			/* messages stay on stderr */
static bool verbose;

void
log_init(bool s, bool v)
{
	stays = s;
	verbose = v;
}

/*
 * Let go of the standard input and output, and of the standard error unless
 * messages stay there: whoever started us may wait for their end.
 */
void
log_detach(void)
{
	int fd;

	if ((fd = open("/dev/null", O_RDWR)) == -1)
		fatal("/dev/null");
	(void)dup2(fd, 0);
	(void)dup2(fd, 1);
	if (!stays) {
		(void)dup2(fd, 2);
		to_stderr = false;
		openlog("utd", LOG_PID, LOG_DAEMON);
	}
	if (fd > 2)
		close(fd);
}

/* Programs and users choose names: see escape.h. */
static void
log_line(int level, int error, const char *fmt, va_list ap)
{
	char text[1024], line[2 * sizeof(text)];
	size_t n;

	vsnprintf(text, sizeof(text), fmt, ap);
	n = strlen(text);
	if (error != 0)
		snprintf(text + n, sizeof(text) - n, ": %s", strerror(error));
	escape(line, sizeof(line), text, ESCAPE_NAME);
	if (to_stderr)
		fprintf(stderr, "utd: %s\n", line);
	else
		syslog(level, "%s", line);
}

/* With the text of an error that is not 0. */
void
log_say(int level, int error, const char *fmt, ...)
{
	va_list ap;

	if (!verbose && (level == LOG_DEBUG ||
	    (level == LOG_INFO && to_stderr)))
		return;
	va_start(ap, fmt);
	log_line(level, error, fmt, ap);
	va_end(ap);
}

/* The first ones of each minute; how many others there were, the next says. */
bool
log_may(void)
{
	static int64_t since;
	static unsigned int n;
	int64_t now = ut_msg_now();

	if (n == 0 || now - since >= PEER_MS) {
		if (n > PEER_LINES)
			log_warnx("%u more complaints about programs",
			    n - PEER_LINES);
		since = now;
		n = 0;
	}
	return ++n <= PEER_LINES;
}

void
fatal(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_ERR, error, fmt, ap);
	va_end(ap);
	exit(1);
}

void *
xcalloc(size_t n, size_t size)
{
	void *p;

	if ((p = calloc(n, size)) == NULL)
		fatal("calloc");
	return p;
}

void *
xrealloc(void *p, size_t size)
{
	if ((p = realloc(p, size)) == NULL)
		fatal("realloc");
	return p;
}

char *
xstrdup(const char *s)
{
	char *p;

	if ((p = strdup(s)) == NULL)
		fatal("strdup");
	return p;
}

void
catch_signal(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = flags;
	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

/* The path of a file in a directory; it is fatal if there is no room. */
void
make_path(char *path, size_t size, const char *dir, const char *file)
{
	int n = snprintf(path, size, "%s/%s", dir, file);

	if (n < 0 || (size_t)n >= size) {
		errno = ENAMETOOLONG;
		fatal("%s/%s", dir, file);
	}
}

/* Become the user for good.  True if there was anything to give up. */
bool
become(uid_t uid, gid_t gid)
{
	if (geteuid() != 0 || uid == 0)
		return false;
	if (ut_become(uid, gid) == -1)
		fatal("uid %lu", (unsigned long)uid);
	return true;
}

/*
 * Counts that somebody tells us who may lie.
 *
 * Counts only grow: of events, packets, bytes, and microseconds that threads
 * wait.  COUNT_MOST events are eight hours of a hundred processors
 * that do nothing else, an event each 10 ns; as microseconds it is a month of a
 * hundred threads that wait.  We look each second, or, if a consumer or utd has
 * stopped, when it goes on.  So a count that has grown by more, or that goes
 * back, was not counted.
 *
 * All the same, one can grow by almost that each time.  So a sum stops at the
 * end of the numbers, and what others add there is never taken away again.
 *
 * Take over what a count is now; if that is nonsense, the last one stands.
 */
bool
count_grew(uint64_t *n, uint64_t now)
{
	if (now - *n > COUNT_MOST)
		return false;
	*n = now;
	return true;
}

void
count_add(uint64_t *sum, uint64_t n)
{
	*sum = n < UINT64_MAX - *sum ? *sum + n : UINT64_MAX;
}

/* 36 characters: RFC 9562. */
void
uuid_text(char *s, const unsigned char *uuid)
{
	int i;

	for (i = 0; i < UUID_LEN; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*s++ = '-';
		s += snprintf(s, 3, "%02x", uuid[i]);
	}
}

/* Opened early, while there surely is a descriptor for it. */
void
uuid_begin(void)
{
	random_fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (random_fd == -1)
		fatal("/dev/urandom");
}

void
random_bytes(void *p, size_t n)
{
	if (read(random_fd, p, n) != (ssize_t)n)
		fatal("/dev/urandom");
}

/* RFC 9562, version 4. */
void
uuid_make(unsigned char *uuid, char *s)
{
	random_bytes(uuid, UUID_LEN);
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
	uuid_text(s, uuid);
}

void
name_time(char *s, size_t n, int64_t when)
{
	const time_t t = (time_t)when;
	const size_t len = strlen(s);
	struct tm tm;

	if (localtime_r(&t, &tm) == NULL || strftime(s + len, n - len,
	    "%Y%m%dT%H%M%S%z-", &tm) == 0)
		s[len] = '\0';
}

/* Is that a time of name_time()?  No digit is above the one here. */
static bool
is_time(const char *s)
{
	const char *most;

	for (most = "99991939T295969+2959-"; *most != '\0'; most++, s++)
		if (*s != *most && !(*most == '+' && *s == '-') &&
		    !(isdigit((unsigned char)*most) && *s >= '0' && *s < *most))
			return false;
	return true;
}

uint32_t
name_number(const char *s)
{
	const char *end = s;
	char text[24];
	unsigned long n;

	while (is_time(end))
		end += sizeof("20261123T101500+0000-") - 1;
	n = strtoul(end, NULL, 10);
	snprintf(text, sizeof(text), "%lu", n);
	return end != s && strcmp(text, end) == 0 && n < UINT32_MAX ?
	    (uint32_t)n : 0;
}
