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
 * What a program reads that utd sends: messages, and regions with anything in
 * them, in which it then records.  The input is a row of steps.  The bell is
 * as it should be: sem_post(3) ends a program that has another.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/ut_conn.h"
#include "../prog/header.h"
#include "fuzz.h"

#define NFILES		4
#define FILE_MAX	65536
#define NSLOTS		2
#define TODAY		254	/* in an input: the version of messages */

UT_ENUMERATION(colour, UT_VALUE("red", 0), UT_RANGE("grey", 10, 20));
UT_EVENT(fuzz, none, UT_INFO)
UT_EVENT(fuzz, number, UT_DEBUG, UT_INT(n))
UT_EVENT(fuzz, all, UT_ERR, UT_U8(a), UT_F64(b), UT_STR(c), UT_TEXT(d, 3),
    UT_ARRAY(uint16_t, e, 2), UT_BYTES(f), UT_ENUM(colour, g))

static const uint16_t types[] = { UT_MSG_WELCOME, UT_MSG_ATTACH, UT_MSG_MAP,
	UT_MSG_DETACH, UT_MSG_DONE, UT_MSG_LIST, UT_MSG_DESCRIBE, 17, 64 };
static struct conn *conn = &ut_conns[0];
static int peer = -1;
static int files[NFILES];
static size_t sizes[NFILES];
static int null_fd, dir_fd, bell_fd;
static struct ut_msg message;

/* Before libut begins: no utd is there, and nobody looks for one. */
static void __attribute__((constructor(101)))
no_utd(void)
{
	unsetenv("UT_DISABLE");
	setenv("UT_RUNDIR", "nowhere", 1);
	setenv("UT_REGISTER_TIMEOUT", "0", 1);
}

static void
lose(void)
{
	if (conn->sock != -1)
		ut_conn_lost(conn);
	if (peer != -1)
		close(peer);
	peer = -1;
}

/* Connected, as after HELLO. */
static void
dial(void)
{
	struct stat st;
	int pair[2];

	lose();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1 ||
	    fstat(pair[0], &st) == -1 || ut_nonblock(pair[1]) == -1)
		fuzz_die("socketpair");
	conn->sock = pair[0];
	conn->dev = st.st_dev;
	conn->ino = st.st_ino;
	conn->asked++;
	peer = pair[1];
}

/* What it says is of no interest. */
static void
hear(void)
{
	static char buf[65536];

	while (peer != -1 && recv(peer, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		continue;
}

static void
obey(void)
{
	int i;

	for (i = 0; i < 8 && conn->sock != -1; i++) {
		if (!ut_conn_obey(conn))
			break;
		hear();
	}
}

static uint64_t
number(struct input *in)
{
	switch (input_u8(in) % 4) {
	case 0:
		return input_u8(in);
	case 1:
		return (uint64_t)input_u8(in) * UT_ABI_LINE;
	case 2:
		return input_u32(in);
	default:
		return input_u64(in);
	}
}

/* A region as it should be, but for a few words of its header. */
static void
make_file(struct input *in, unsigned int i)
{
	struct ut_header h;
	char name[UT_SHM_NAME];
	unsigned int n;
	uint64_t v;

	good_header(&h, NSLOTS, 2 + input_u8(in) % 6, UT_SUBSIZE_MIN);
	h.active = 1;
	h.bell = 1;
	for (n = input_u8(in) % 4; n > 0; n--) {
		v = number(in);
		memcpy((char *)&h + input_u8(in) % (sizeof(h) / 4 - 1) * 4, &v,
		    input_u8(in) % 2 ? 4 : 8);
	}
	if (files[i] != -1)
		close(files[i]);
	sizes[i] = h.size > 0 && h.size < FILE_MAX ? (size_t)h.size :
	    sizeof(h);
	ut_shm_name(name);
	if ((files[i] = ut_shm_create(name, sizes[i])) == -1)
		fuzz_die("no shared memory");
	shm_unlink(name);
	if (pwrite(files[i], &h, sizeof(h) < sizes[i] ? sizeof(h) : sizes[i],
	    0) == -1)
		fuzz_die("pwrite");
}

/* Another program writes there. */
static void
scribble(struct input *in, unsigned int i)
{
	const uint8_t *p;
	uint64_t v;
	size_t at, n;

	if (files[i] == -1 || sizes[i] < 64)
		return;
	at = input_u16(in) * sizeof(v) % (sizes[i] - 63);
	n = input_u8(in) % 64;
	if (n < 32) {
		v = number(in);
		(void)!pwrite(files[i], &v, sizeof(v), (off_t)at);
	} else {
		n = input_some(in, n, &p);
		(void)!pwrite(files[i], p, n, (off_t)at);
	}
}

static int
some_fd(unsigned int i)
{
	const int others[] = { null_fd, dir_fd, -1, bell_fd };

	return i < NFILES ? files[i] : others[i - NFILES];
}

static void
tell(struct input *in)
{
	const int type = types[input_u8(in) % (sizeof(types) /
	    sizeof(types[0]))];
	const uint8_t fds = input_u8(in), *p;
	uint32_t a, b;
	size_t n;
	int fd;

	a = input_u8(in);
	if (a == 255)
		a = input_u32(in);
	else if (a == TODAY)
		a = UT_MSG_VERSION;
	b = input_u8(in);
	if (b == 255)
		b = input_u32(in);
	n = input_some(in, input_u8(in) * (size_t)4, &p);
	ut_msg_init(&message, type, a, b);
	if (n > 0)
		memcpy(message.body, p, n);
	message.h.len += (uint32_t)n;
	if ((fd = some_fd(fds % 8)) != -1)
		ut_msg_fd(&message, fd);
	if (fd != -1 && (fd = some_fd(NFILES + fds / 8 % 4)) != -1)
		ut_msg_fd(&message, fd);
	if (peer != -1)
		(void)ut_msg_write(peer, &message);
	obey();
}

static void
say_bytes(struct input *in)
{
	const uint8_t *p;
	size_t n = input_some(in, input_u8(in), &p);

	if (peer != -1 && n > 0)
		(void)!send(peer, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	obey();
}

static void
record(struct input *in)
{
	static const char text[5000] = "text";
	static const uint16_t two[2] = { 1, 2 };
	int n;

	for (n = input_u8(in) % 32; n > 0; n--) {
		UT(fuzz, none);
		UT(fuzz, number, n);
		UT(fuzz, all, 1, 2.5, text, text, two, text, (size_t)n * 150,
		    0);
	}
}

static void
step(struct input *in)
{
	const uint8_t what = input_u8(in);

	switch (what % 8) {
	case 0:
		make_file(in, what / 8 % NFILES);
		break;
	case 1:
		scribble(in, what / 8 % NFILES);
		break;
	case 2:
		record(in);
		break;
	case 3:
		say_bytes(in);
		break;
	case 4:
		if (what / 8 % 4 == 0)
			dial();
		else if (conn->sock != -1)
			(void)ut_conn_tell(conn);
		hear();
		break;
	default:
		tell(in);
		break;
	}
}

static void
begin(void)
{
	struct ut_bell bell;
	char name[UT_SHM_NAME];
	int i;

	if (ut_nconns > 0)
		return;
	for (i = 0; i < NFILES; i++)
		files[i] = -1;
	if ((null_fd = open("/dev/null", O_RDWR)) == -1 ||
	    (dir_fd = open(fuzz_dir(), O_RDONLY | O_DIRECTORY)) == -1)
		fuzz_die("set-up");
	ut_shm_name(name);
	if (ut_bell_create(&bell, name) == -1)
		fuzz_die("no bell");
	bell_fd = bell.fd;
	ut_bell_remove(name);
	ut_nconns = 1;
	ut_hurry = 0;			/* no send waits */
}

/* Everything that it had from utd goes. */
static void
end(void)
{
	int i;

	lose();
	ut_regions_drop(0, 0);
	(void)ut_region_settle(20);
	for (i = 0; i < UT_REGIONS; i++)
		if (ut_regions[i].used)
			fuzz_die("a region stays");
	for (i = 0; i < NFILES; i++) {
		if (files[i] != -1)
			close(files[i]);
		files[i] = -1;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	sigset_t signals;

	begin();
	ut_enter(&signals);
	ut_conn_reset(conn);
	ut_conn_set_late(conn, false);
	dial();
	while (in.n > 0)
		step(&in);
	end();
	ut_leave(&signals);
	return 0;
}
