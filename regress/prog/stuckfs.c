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
 * A file system in memory that does not answer while it is told so: what
 * users mount by FUSE, and what NFS is without its server.  Who waits for it
 * cannot be killed.
 *
 *	stuckfs dir uid [options]
 *
 * Mounts it there for that user, for root, with options of mount(8).  On the
 * standard input, `stuck' has it take requests and answer none, `go' answer
 * them all, and `not PID' answer none of that process; each is repeated when it
 * is done.  It goes with the end of the input.
 */

#include <sys/types.h>
#ifdef __linux__
#include <sys/mount.h>
#include <linux/fuse.h>
#endif
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef __linux__

int
main(void)
{
	warnx("not on this system");
	return 77;
}

#else

#define NODES		256
#define MAX_WRITE	131072u
#define ROOM		(MAX_WRITE + 65536u)

/* Numbers are one more than places; the first is the root. */
struct node {
	char		 name[256];
	uint64_t	 parent;	/* 0: it is not, or no more */
	uint32_t	 mode, uid, gid;
	unsigned char	*data;
	size_t		 size;
};

/* What has no answer yet. */
struct request {
	struct request	*next;
	unsigned char	 bytes[];
};

static struct node nodes[NODES];
static int dev;
static int stuck;
static uint32_t banned;		/* the process that gets no answer */
static struct request *first, **last = &first;
static union {
	unsigned char		 bytes[ROOM];
	struct fuse_in_header	 h;
} in;

static struct node *
node(uint64_t n)
{
	return &nodes[n - 1];
}

static void
reply(const struct fuse_in_header *h, int error, const void *p, size_t n)
{
	static unsigned char out[ROOM];
	struct fuse_out_header o;

	o.len = (uint32_t)(sizeof(o) + n);
	o.error = -error;
	o.unique = h->unique;
	memcpy(out, &o, sizeof(o));
	if (n > 0)
		memcpy(out + sizeof(o), p, n);
	/* ENOENT: nobody waits for it any more. */
	if (write(dev, out, o.len) == -1 && errno != ENOENT)
		err(1, "/dev/fuse");
}

static void
attr(uint64_t n, struct fuse_attr *a)
{
	const struct node *d = node(n);

	memset(a, 0, sizeof(*a));
	a->ino = n;
	a->size = d->size;
	a->blocks = (d->size + 511) / 512;
	a->mode = d->mode;
	a->nlink = 1;
	a->uid = d->uid;
	a->gid = d->gid;
	a->blksize = 4096;
}

static uint64_t
find(uint64_t parent, const char *name)
{
	uint64_t n;

	for (n = 1; n <= NODES; n++)
		if (node(n)->parent == parent &&
		    strcmp(node(n)->name, name) == 0)
			return n;
	return 0;
}

/* Nothing is remembered by the kernel: each look is a request. */
static void
entry(const struct fuse_in_header *h, uint64_t n, int opened)
{
	struct {
		struct fuse_entry_out	e;
		struct fuse_open_out	o;
	} out;

	memset(&out, 0, sizeof(out));
	out.e.nodeid = n;
	attr(n, &out.e.attr);
	reply(h, 0, &out, opened ? sizeof(out) : sizeof(out.e));
}

static void
make(const struct fuse_in_header *h, const char *name, uint32_t mode,
    int opened)
{
	uint64_t n;

	for (n = 2; n <= NODES && node(n)->mode != 0; n++)
		continue;
	if (find(h->nodeid, name) != 0 || n > NODES) {
		reply(h, n > NODES ? ENOSPC : EEXIST, NULL, 0);
		return;
	}
	snprintf(node(n)->name, sizeof(node(n)->name), "%s", name);
	node(n)->parent = h->nodeid;
	node(n)->mode = mode;
	node(n)->uid = h->uid;
	node(n)->gid = h->gid;
	entry(h, n, opened);
}

static void
resize(struct node *d, size_t size)
{
	if ((d->data = realloc(d->data, size + 1)) == NULL)
		err(1, NULL);
	if (size > d->size)
		memset(d->data + d->size, 0, size - d->size);
	d->size = size;
}

static void
do_setattr(const struct fuse_in_header *h, const struct fuse_setattr_in *s)
{
	struct fuse_attr_out out;
	struct node *d = node(h->nodeid);

	if (s->valid & FATTR_SIZE)
		resize(d, s->size);
	if (s->valid & FATTR_MODE)
		d->mode = (d->mode & S_IFMT) | (s->mode & 07777);
	memset(&out, 0, sizeof(out));
	attr(h->nodeid, &out.attr);
	reply(h, 0, &out, sizeof(out));
}

static void
do_write(const struct fuse_in_header *h, const struct fuse_write_in *w)
{
	struct fuse_write_out out;
	struct node *d = node(h->nodeid);

	if (w->offset + w->size > d->size)
		resize(d, w->offset + w->size);
	memcpy(d->data + w->offset, w + 1, w->size);
	memset(&out, 0, sizeof(out));
	out.size = w->size;
	reply(h, 0, &out, sizeof(out));
}

static void
do_read(const struct fuse_in_header *h, const struct fuse_read_in *r)
{
	const struct node *d = node(h->nodeid);
	size_t n = r->offset < d->size ? d->size - r->offset : 0;

	reply(h, 0, n > 0 ? d->data + r->offset : NULL,
	    n < r->size ? n : r->size);
}

/* From the node with that number on. */
static void
do_readdir(const struct fuse_in_header *h, const struct fuse_read_in *r)
{
	static unsigned char out[65536];
	struct fuse_dirent *e;
	size_t len = 0, n;
	uint64_t i;

	for (i = r->offset + 1; i <= NODES; i++) {
		if (node(i)->parent != h->nodeid)
			continue;
		n = strlen(node(i)->name);
		e = (struct fuse_dirent *)(void *)(out + len);
		if (len + FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + n) > r->size)
			break;
		memset(e, 0, FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + n));
		e->ino = e->off = i;
		e->namelen = (uint32_t)n;
		e->type = node(i)->mode >> 12;
		memcpy(e->name, node(i)->name, n);
		len += FUSE_DIRENT_SIZE(e);
	}
	reply(h, 0, out, len);
}

static void
do_init(const struct fuse_in_header *h, const struct fuse_init_in *i)
{
	struct fuse_init_out out;

	memset(&out, 0, sizeof(out));
	out.major = FUSE_KERNEL_VERSION;
	out.minor = i->minor < FUSE_KERNEL_MINOR_VERSION ? i->minor :
	    FUSE_KERNEL_MINOR_VERSION;
	out.max_readahead = i->max_readahead;
	out.max_write = MAX_WRITE;
	reply(h, 0, &out, sizeof(out));
}

static void
answer(const unsigned char *p)
{
	const struct fuse_in_header *h = (const void *)p;
	const void *arg = h + 1;
	struct fuse_attr_out at;
	struct fuse_open_out open;
	uint64_t n;

	memset(&at, 0, sizeof(at));
	memset(&open, 0, sizeof(open));
	switch (h->opcode) {
	case FUSE_INIT:
		do_init(h, arg);
		break;
	case FUSE_GETATTR:
		attr(h->nodeid, &at.attr);
		reply(h, 0, &at, sizeof(at));
		break;
	case FUSE_SETATTR:
		do_setattr(h, arg);
		break;
	case FUSE_LOOKUP:
		if ((n = find(h->nodeid, arg)) != 0)
			entry(h, n, 0);
		else
			reply(h, ENOENT, NULL, 0);
		break;
	case FUSE_MKDIR:
		make(h, (const char *)((const struct fuse_mkdir_in *)arg + 1),
		    S_IFDIR | ((const struct fuse_mkdir_in *)arg)->mode, 0);
		break;
	case FUSE_CREATE:
		make(h, (const char *)((const struct fuse_create_in *)arg + 1),
		    S_IFREG | (((const struct fuse_create_in *)arg)->mode &
		    07777), 1);
		break;
	case FUSE_UNLINK:
	case FUSE_RMDIR:
		if ((n = find(h->nodeid, arg)) != 0)
			node(n)->parent = 0;
		reply(h, n != 0 ? 0 : ENOENT, NULL, 0);
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		reply(h, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		do_read(h, arg);
		break;
	case FUSE_READDIR:
		do_readdir(h, arg);
		break;
	case FUSE_WRITE:
		do_write(h, arg);
		break;
	case FUSE_FLUSH:
	case FUSE_FSYNC:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		reply(h, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;			/* no answer is wanted */
	default:
		reply(h, ENOSYS, NULL, 0);
		break;
	}
}

/* False when it is unmounted. */
static int
take(void)
{
	struct request *r;
	ssize_t n;

	if ((n = read(dev, in.bytes, sizeof(in.bytes))) == -1)
		return errno == EINTR || errno == EAGAIN || errno == ENOENT;
	if (!stuck && (in.h.pid != banned || banned == 0)) {
		answer(in.bytes);
		return 1;
	}
	if ((r = malloc(sizeof(*r) + (size_t)n)) == NULL)
		err(1, NULL);
	r->next = NULL;
	memcpy(r->bytes, in.bytes, (size_t)n);
	*last = r;
	last = &r->next;
	return 1;
}

static void
go(void)
{
	struct request *r;

	stuck = 0;
	banned = 0;
	while ((r = first) != NULL) {
		first = r->next;
		answer(r->bytes);
		free(r);
	}
	last = &first;
}

/* False when there is no more to come. */
static int
obey(void)
{
	char line[64];
	ssize_t n;

	if ((n = read(0, line, sizeof(line) - 1)) <= 0)
		return 0;
	line[n] = '\0';
	if (strcmp(line, "stuck\n") == 0)
		stuck = 1;
	else if (strcmp(line, "go\n") == 0)
		go();
	else if (strncmp(line, "not ", 4) == 0)
		banned = (uint32_t)strtoul(line + 4, NULL, 10);
	if (write(1, line, (size_t)n) != n)
		err(1, "write");
	return 1;
}

int
main(int argc, char *argv[])
{
	struct pollfd pfds[2];
	char options[128];

	if (argc < 3 || argc > 4)
		errx(1, "stuckfs dir uid [options]");
	signal(SIGPIPE, SIG_IGN);
	if ((dev = open("/dev/fuse", O_RDWR)) == -1) {
		warn("/dev/fuse");
		return 77;
	}
	node(1)->mode = S_IFDIR | 0755;
	node(1)->uid = node(1)->gid = (uint32_t)strtoul(argv[2], NULL, 10);
	snprintf(options, sizeof(options),
	    "fd=%d,rootmode=40000,user_id=%u,group_id=%u%s%s", dev,
	    node(1)->uid, node(1)->gid, argc == 4 ? "," : "",
	    argc == 4 ? argv[3] : "");
	if (mount("stuckfs", argv[1], "fuse", MS_NOSUID | MS_NODEV,
	    options) == -1) {
		warn("mount");
		return 77;
	}
	puts("mounted");
	fflush(stdout);
	pfds[0].fd = dev;
	pfds[1].fd = 0;
	pfds[0].events = pfds[1].events = POLLIN;
	do {
		if (poll(pfds, 2, -1) == -1)
			err(1, "poll");
	} while ((pfds[0].revents == 0 || take()) &&
	    (pfds[1].revents == 0 || obey()));
	(void)umount2(argv[1], MNT_DETACH);
	return 0;
}

#endif
