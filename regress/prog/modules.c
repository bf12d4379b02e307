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
 * A program that loads and unloads libraries when it is told to: a command a
 * line on stdin, an answer a line on stdout.
 *
 *	maps FILE	copies what the system says is mapped to FILE
 *	load PATH	dlopen(3)
 *	unload		dlclose(3) of what was loaded last
 *	code		an event names the address of that one's function, and
 *			libut is told of the address
 *	gone		libut is told that something was unloaded
 *	fork [FILE]	a child copies that to FILE, and does `code'
 *	held N		so many such children, while a thread has the run-time
 *			linker's lock nearly all the time
 *	exits N		the same, and the children end by exit(3)
 *	locked		`code', and a fork, with a lock that a thread waits for
 *			which has the linker's; a fork in the callback of
 *			dl_iterate_phdr(3), while libut is told that something
 *			was unloaded; 0 where this cannot work
 *	child		a child goes on instead, in which a thread that it does
 *			not have has the linker's lock
 *	heir		a child goes on instead
 *	await		until somebody listens to the event
 *	exec		the program anew
 *	pid		the process
 *
 * Or, modules fork|alone n LIBRARY...: a thread for each loads and unloads its
 * library n times, telling libut of both, while the main thread forks children,
 * or does nothing.  The answer is the number of children.
 */

#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>
#include <ut_code.h>

UT_EVENT(modules, begin, UT_INFO)
UT_EVENT(modules, code, UT_INFO, UT_PTR(addr))

#define LOADED	16
#define THREADS	8

static void *loaded[LOADED];
static int nloaded;
static int times;
static _Atomic int running, holding;

static void
copy_maps(const char *name)
{
	char buf[4096];
	ssize_t n;
	int from, to;

	from = open("/proc/self/maps", O_RDONLY);
	to = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (from == -1 || to == -1)
		err(1, "%s", name);
	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, (size_t)n) != n)
			err(1, "%s", name);
	close(from);
	close(to);
}

static void
code(void *library)
{
	const void *addr = dlsym(library, "module_code");

	if (addr == NULL)
		errx(1, "%s", dlerror());
	errno = 12345;
	ut_code(addr);
	if (errno != 12345)
		errx(1, "ut_code changes errno");
	UT(modules, code, addr);
}

/* A child that hangs is killed. */
static void
await(pid_t pid)
{
	int status = 0, n;
	pid_t got = 0;

	for (n = 0; n < 30000 && got == 0; n++)
		if ((got = waitpid(pid, &status, WNOHANG)) == 0)
			usleep(1000);
	if (got == 0)
		kill(pid, SIGKILL);
	if (got != pid || status != 0)
		errx(1, "a child hangs, or ends with %x",
		    (unsigned int)status);
}

static void
fork_one(const char *file, void *library, bool exits)
{
	pid_t pid;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		if (file != NULL && *file != '\0')
			copy_maps(file);
		if (library != NULL)
			code(library);
		if (exits)
			exit(0);
		_exit(0);
	}
	await(pid);
}

/*
 * Prepares forks after libut does, since it is registered before: time for the
 * holder to get the lock again.
 */
static void
linger(void)
{
	if (holding)
		usleep(3000);
}

static void __attribute__((constructor(101)))
early(void)
{
	if (pthread_atfork(linger, NULL, NULL) != 0)
		errx(1, "pthread_atfork");
}

static int
callback(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	usleep(1000);
	return 1;
}

static void *
holder(void *arg)
{
	while (holding)
		dl_iterate_phdr(callback, NULL);
	return arg;
}

static void
fork_held(int n, void *library, bool exits)
{
	pthread_t thread;

	holding = 1;
	if (pthread_create(&thread, NULL, holder, NULL) != 0)
		errx(1, "pthread_create");
	while (n-- > 0)
		fork_one(NULL, library, exits);
	holding = 0;
	pthread_join(thread, NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int
wait_for_lock(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	holding = 1;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return 1;
}

static void *
locker(void *arg)
{
	dl_iterate_phdr(wait_for_lock, NULL);
	return arg;
}

/* A thread waits for our lock, and has the linker's. */
static pthread_t
lock_begin(void)
{
	pthread_t thread;

	holding = 0;
	pthread_mutex_lock(&lock);
	if (pthread_create(&thread, NULL, locker, NULL) != 0)
		errx(1, "pthread_create");
	while (!holding)
		usleep(1000);
	holding = 0;
	return thread;
}

static void
lock_end(pthread_t thread)
{
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
}

#if defined(DLFO_STRUCT_HAS_EH_DBASE)

static void *
teller(void *arg)
{
	ut_code_gone();
	return arg;
}

static int
fork_inside(struct dl_phdr_info *info, size_t size, void *arg)
{
	pthread_t thread;

	(void)info;
	(void)size;
	(void)arg;
	if (pthread_create(&thread, NULL, teller, NULL) != 0)
		errx(1, "pthread_create");
	pthread_join(thread, NULL);
	fork_one(NULL, NULL, false);
	return 1;
}

static int
locked(void *library)
{
	const pthread_t thread = lock_begin();

	alarm(60);
	code(library);
	fork_one(NULL, NULL, false);
	lock_end(thread);
	dl_iterate_phdr(fork_inside, NULL);
	alarm(1800);
	return 1;
}

#else

static int
locked(void *library)
{
	(void)library;
	return 0;
}

#endif

/* The parent ends as its child does. */
static void
become_child(bool held)
{
	const pthread_t thread = held ? lock_begin() : pthread_self();
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		alarm(60);
		return;
	}
	if (held)
		lock_end(thread);
	if (pid == -1 || waitpid(pid, &status, 0) != pid)
		err(1, "fork");
	_exit(status == 0 ? 0 : 1);
}

static void *
load(const char *path)
{
	void *p = dlopen(path, RTLD_NOW);

	if (p == NULL)
		errx(1, "%s", dlerror());
	return p;
}

static void *
loader(void *arg)
{
	void *p;
	int i;

	for (i = 0; i < times; i++) {
		p = load(arg);
		code(p);
		dlclose(p);
		ut_code_gone();
	}
	running--;
	return NULL;
}

static int
stress(bool forking, int n, char **paths)
{
	pthread_t threads[THREADS];
	int i, forks = 0;

	times = n;
	for (i = 0; i < THREADS && paths[i] != NULL; i++, running++)
		if (pthread_create(&threads[i], NULL, loader, paths[i]) != 0)
			errx(1, "pthread_create");
	for (n = i; running > 0; forks += forking)
		if (forking)
			fork_one(NULL, NULL, false);
		else
			usleep(1000);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", forks);
	return 0;
}

static void
obey(const char *what, const char *arg, char **argv)
{
	if (strcmp(what, "maps") == 0)
		copy_maps(arg);
	else if (strcmp(what, "load") == 0 && nloaded < LOADED)
		loaded[nloaded++] = load(arg);
	else if (strcmp(what, "unload") == 0 && nloaded > 0)
		dlclose(loaded[--nloaded]);
	else if (strcmp(what, "code") == 0 && nloaded > 0)
		code(loaded[nloaded - 1]);
	else if (strcmp(what, "gone") == 0)
		ut_code_gone();
	else if (strcmp(what, "fork") == 0)
		fork_one(arg, nloaded > 0 ? loaded[nloaded - 1] : NULL, false);
	else if ((strcmp(what, "held") == 0 || strcmp(what, "exits") == 0) &&
	    nloaded > 0)
		fork_held(atoi(arg), loaded[nloaded - 1], *what == 'e');
	else if (strcmp(what, "child") == 0 || strcmp(what, "heir") == 0)
		become_child(*what == 'c');
	else if (strcmp(what, "await") == 0)
		while (!UT_ON(modules, code))
			usleep(1000);
	else if (strcmp(what, "exec") == 0)
		execl(argv[0], argv[0], "again", (char *)NULL);
	else if (strcmp(what, "pid") != 0 && strcmp(what, "locked") != 0)
		errx(1, "%s?", what);
}

int
main(int argc, char **argv)
{
	char line[4200], what[16], arg[4096];

	alarm(1800);
	UT(modules, begin);
	if (argc > 3)
		return stress(strcmp(argv[1], "fork") == 0, atoi(argv[2]),
		    argv + 3);
	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2)
		printf("%ld\n", (long)getpid());	/* the answer to exec */
	while (fgets(line, sizeof(line), stdin) != NULL) {
		arg[0] = '\0';
		if (sscanf(line, "%15s %4095s", what, arg) >= 1)
			obey(what, arg, argv);
		if (strcmp(what, "locked") == 0 && nloaded > 0 &&
		    !locked(loaded[nloaded - 1]))
			printf("0\n");
		else
			printf("%ld\n", (long)getpid());
	}
	return 0;
}
