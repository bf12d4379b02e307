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
 * Calls that POSIX lacks, or that only some systems have, one function per
 * need.  With UT_POSIX defined every function takes its plain POSIX way, so
 * that the tests run it too.
 */

#ifndef COMPAT_H
#define COMPAT_H

#include <sys/types.h>
#include <sys/socket.h>

#include <pthread.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * A variable that each thread has of its own, and that is found without a call.
 * A call may need memory, and on NetBSD takes a lock of the run-time linker,
 * which the child of a fork may find taken for ever.  Systems have little room
 * for such variables of libraries that a program opens by dlopen(3); musl has
 * none.  A test that runs threads by itself has its own way.
 */
#if defined(UT_PER_THREAD)
#elif defined(__GLIBC__) || defined(__FreeBSD__) || defined(__NetBSD__)
#define UT_PER_THREAD	__thread __attribute__((tls_model("initial-exec")))
#else
#define UT_PER_THREAD	__thread
#endif

/*
 * Sockets (sock.c).  A UNIX socket of that type that exec closes and that does
 * not block.
 */
int	 ut_socket(int);
/* The next of such that connects to a socket, or -1 with errno. */
int	 ut_accept(int);
/* Exec closes it, and it does not block; 0 or -1 with errno. */
int	 ut_nonblock(int);
/*
 * Move a descriptor out of the way of programs that expect the lowest numbers,
 * if that can be; exec closes it.
 */
int	 ut_high_fd(int);
/*
 * Is that descriptor still this file?  The program may have closed it, and have
 * one of its own in its place.
 */
int	 ut_fd_is(int, dev_t, ino_t);
/* Has the other end of a stream socket closed it?  Nothing is sent. */
int	 ut_hung_up(int);
/*
 * From now on, SIGIO to this process when its parent ends, whose socket that
 * is.  Where the system tells of the socket alone, SIGIO is for all that can
 * be read there, too.  0, or -1 and errno if it tells of neither.  Who was gone
 * before has closed the socket.
 */
int	 ut_signal_end(int);

/*
 * Like recvmsg(2), but it does not wait, and exec closes the descriptors that
 * come.  If the process may not have more descriptors, either the message comes
 * without them and with MSG_CTRUNC, or the result is -1 with EMSGSIZE, and
 * recv(2) gets the message.
 */
ssize_t	 ut_recvmsg(int, struct msghdr *);

/* Is a connection refused when the queue is full? */
#if defined(__linux__) && !defined(UT_POSIX)
#define UT_FULL_REFUSES	0
#else
#define UT_FULL_REFUSES	1
#endif

/* Refuse descriptors from peers that connect, where that can be had. */
void	 ut_refuse_fds(int);
/*
 * Like recv(2) of a socket that does not wait, from a peer who is to send no
 * descriptors: EBADMSG if one comes, which stays where it is.
 */
ssize_t	 ut_recv_bare(int, void *, size_t);
/*
 * Close the connection (hangup.c) of a peer who may have sent descriptors that
 * nobody wants, and do not wait for what that takes.
 */
void	 ut_hang_up(int);

/*
 * Process 1 forks, and goes on in its child.  The parent (orphans.c) waits for
 * all processes that the system gives it, passes on signals, and ends as the
 * child does.  In another process, or if fork(2) fails: nothing.
 */
void	 ut_adopt_orphans(void);

/* Close all descriptors from that one on. */
void	 ut_closefrom(int);

/*
 * The peer at the other end: 0, or -1 with errno.  The pid is 0 if the system
 * does not tell, or if this process has no number for that one, which is in
 * another PID namespace or outside of the jail.
 */
int	 ut_peer(int, uid_t *, gid_t *, pid_t *);

/*
 * A descriptor that poll(2) finds readable once the process at the other end
 * is dead, wherever it is.  -1 and ESRCH if it is dead; any other error is
 * that its death cannot be seen in this way.
 */
int	 ut_peer_life(int);

/*
 * Become that user for good (confine.c): 0, or -1 with errno.  The group is for
 * a user whom nobody knows; others have their own, since that of a program may
 * be one that the user is not in, if the program is set-group-ID.
 */
int	 ut_become(uid_t, gid_t);
gid_t	 ut_user_group(uid_t, gid_t);

/*
 * The PID namespace of this process, as a number that is the same for all
 * processes in there; 0 if it cannot be known.
 */
uint32_t ut_pid_space(void);

#if defined(__linux__) && !defined(UT_POSIX)
/*
 * The beginning of a file of /proc, as a string: how many bytes, or -1.  Of a
 * process by its number there is none where /proc counts otherwise.
 */
ssize_t	 ut_proc_read(const char *, char *, size_t);
#endif

/* The ID of this run of the system, as a string; none: it has no such ID. */
void	 ut_boot_id(char *, size_t);

/*
 * 1 when no process has that pid any more, or only a zombie; 0 when one
 * has, or when the system cannot tell a zombie.
 */
int	 ut_dead(pid_t);
int	 ut_stopped(pid_t);	/* by a signal, or a debugger */

/*
 * Sleep, unless the word, in memory that processes share, has another value
 * than that, until somebody wakes us, but so many milliseconds at most; or for
 * no reason.  Where the system cannot wake, it is a nap.  Async-signal-safe, no
 * cancellation point.
 *
 * Wake so many of those that sleep there.
 */
void	 ut_word_wait(_Atomic uint32_t *, uint32_t, int);
void	 ut_word_wake(_Atomic uint32_t *, uint32_t);

/*
 * Threads (threads.c).  The number of the calling thread, as the system's tools
 * show it.
 */
uint32_t ut_gettid(void);
/*
 * The thread's ID as far as the C library knows it, without a system call: in a
 * child of vfork(2) it is the parent's.  0 if the ID cannot be known, also
 * before ut_own_tid_init.  Async-signal-safe.
 */
uint32_t ut_own_tid(void);
void	 ut_own_tid_init(void);

/*
 * The name of a thread, as the system's tools show it, cut off and padded with
 * NULs; all NULs: none, or unknown.  Of the calling thread, async-signal-safe.
 * On Linux that would be a system call for which the filters of many programs
 * (seccomp(2)) kill them, so the consumer asks: by the process, as we see it
 * and as it sees itself, and the thread.
 */
void	 ut_own_name(char *, size_t);
void	 ut_thread_name(pid_t, pid_t, uint32_t, char *, size_t);
#if defined(__linux__) && !defined(UT_POSIX)
#define UT_OTHERS_NAME	1	/* the second function can tell */
#else
#define UT_OTHERS_NAME	0
#endif

/* The processor that runs us; UINT32_MAX: unknown.  Async-signal-safe. */
uint32_t ut_cpu(void);

/* Like geteuid(2), but the system's word, which fakeroot(1) does not change. */
uid_t	 ut_geteuid(void);

/* The name of the program, at most n bytes with the NUL. */
void	 ut_progname(char *, size_t);

/* Was the program set-user-ID or set-group-ID when it was started? */
int	 ut_issetugid(void);

/*
 * Stacks (stack.c).  Where that of the calling thread begins and ends: 0, or -1
 * if that is not known now.  Async-signal-safe, after ut_stack_init in the
 * process, which is not.
 */
void	 ut_stack_init(void);
/* Call before a fork, in that thread; then ut_stack_init in the child. */
void	 ut_stack_forking(void);
int	 ut_stack(uintptr_t *, uintptr_t *);

/*
 * Can the page that has that address be read (readable.c)?  0 if that is not
 * known, as before the first function, which is told whether valgrind(1) runs
 * us.  The second is async-signal-safe, and keeps errno.
 */
void	 ut_readable_init(int);
int	 ut_readable(const void *);

/*
 * Fresh pages, or NULL.  A child made without our knowledge sees zeros in
 * them, where the system can do that.
 */
void	*ut_wipe_pages(size_t);
void	 ut_wipe_on_fork(void *, size_t, int);	/* 1 or 0 */
/* Could the system do that with all pages so far? */
int	 ut_wipes(void);

/*
 * When it returns, every store that another thread of this process made
 * before its last load that we know of is visible here.
 */
void	 ut_barrier(void);

/*
 * The counter that the system makes its clock of, by the system's name for it:
 * 0, or -1 if the system does not say.
 */
int	 ut_clock_source(char *, size_t);

/*
 * How far this process's CLOCK_MONOTONIC is ahead of the machine's, in
 * nanoseconds: some systems have time namespaces, as containers may be in.
 */
int64_t	 ut_clock_ahead(void);

/*
 * Like clock_gettime(2), but always the system's own time, whatever a preloaded
 * library says (gettime.c); and the function that is fastest for that.  Both
 * are async-signal-safe.
 */
typedef int ut_gettime_fn(clockid_t, struct timespec *);
int	 ut_clock_gettime(clockid_t, struct timespec *);
ut_gettime_fn *ut_system_gettime(void);
ut_gettime_fn *ut_kernel_gettime(void);	/* by a system call; or NULL */
time_t	 ut_time(void);			/* the system's own time(3) */
/* For pthread_cond_timedwait(3) by CLOCK_MONOTONIC: so many ms from now. */
void	 ut_wait_until(struct timespec *, int64_t);

/* CLOCK_MONOTONIC, which goes on while the machine sleeps, if there is one. */
#if defined(CLOCK_BOOTTIME) && !defined(UT_POSIX)
#define UT_CLOCK_BOOT	CLOCK_BOOTTIME
#else
#define UT_CLOCK_BOOT	CLOCK_MONOTONIC
#endif

/* The answer of ntp_adjtime(2) (ntp.c); without one all 0, and the state -1. */
struct ut_ntp {
	int64_t		 offset;	/* ns */
	int64_t		 frequency;	/* parts per million, times 65536 */
	uint64_t	 maximum;	/* ns, of errors */
	uint64_t	 error;		/* ns, as it is estimated */
	int32_t		 state;		/* result of ntp_adjtime(2) */
};
void	 ut_ntp_read(struct ut_ntp *);

/* Name the calling thread, where that can be done. */
void	 ut_name_thread(const char *);

/*
 * A thread that nobody waits for, with a small stack and every signal
 * blocked: 0 or an errno.
 */
int	 ut_thread_start(void *(*)(void *), void *);

/*
 * 1 when the system has no thread of this process any more with that number
 * of ut_gettid: it counts some that have ended, for a while.
 */
int	 ut_thread_gone(uint32_t);

/* The threads of this process; 0: unknown. */
unsigned int ut_thread_count(void);

/*
 * From now on the calling thread has descriptors of its own, and of those that
 * there were only that one, or none if it is -1: 1, or 0 where that cannot be.
 */
int	 ut_own_fds(int);
/* Can it be, as far as is known before it is tried? */
int	 ut_has_own_fds(void);

/*
 * A thread with descriptors of its own can still be woken, by a signal that it
 * blocks, as all threads of ours do.
 */
struct ut_nudge {
	int	 wakes;		/* to poll(2) for input */
	int	 signals;	/* to read the signals from */
};

/* Open the descriptors of the calling thread; -1: it cannot be woken. */
int	 ut_nudge_open(struct ut_nudge *);
void	 ut_nudge_close(struct ut_nudge *);
/* Wake that thread. */
void	 ut_nudge(pthread_t);
/* There is input.  Was ut_nudge called since this was called last? */
void	 ut_nudge_read(const struct ut_nudge *, bool);

/*
 * From now on it starts no processes, and gets no rights that it does not
 * have (confine.c).  With `others', which has what is other users', nobody but
 * root can look into it, nor does it leave a core.  A reader opens files to
 * read them, or with `writes' makes some, too, and does nothing else: by
 * pledge(2), on OpenBSD.  One that is still to start processes of its own gives
 * up the rest before that.
 *
 * utd's processes pass each other directories, which pledge(2) forbids.
 */
void	 ut_confine(int);
void	 ut_confine_reader(int);
void	 ut_confine_readers(void);

/*
 * Go to that absolute path, and stay there (walk.c), where others may write on
 * the way; with what is missing made, if that is wanted, the last with that
 * mode: 0 or -1.
 */
int	 ut_walk(const char *, int, mode_t);
/*
 * A descriptor of where we are, to come back and to look up names there, which
 * takes no more rights than that; or -1 with errno.
 */
int	 ut_here(void);

/*
 * Shared memory (shm.c).  A name that hardly anybody has; an object that is
 * made, all of it; one that is there, if it is our user's alone.  -1 with
 * errno.  POSIX promises names of 14 bytes, and NetBSD takes no more; longer
 * ones are too many for somebody else to take them all.
 */
#define UT_SHM_SHORT	15
#if !defined(UT_POSIX) && (defined(__linux__) || defined(__FreeBSD__))
#define UT_SHM_NAME	32		/* UT_BELL_NAME's size */
#else
#define UT_SHM_NAME	UT_SHM_SHORT
#endif
#define UT_SHM_DIGITS	"0123456789abcdefghijklmnopqrstuv"
void	 ut_shm_name(char *);
int	 ut_shm_create(const char *, size_t);
int	 ut_shm_open(const char *);
/*
 * Have the pages of reserved shared memory filled with zeros, if nobody has
 * touched them, without a change to what others store there.  Mapped for
 * writing; for the rest of a page that is not whole, too.
 */
void	 ut_shm_touch(const unsigned char *, size_t);
/*
 * Say that memory which was mapped privately is about to be written, all of it:
 * a system that has large pages may give these.
 */
void	 ut_large_pages(void *, size_t);
/*
 * The kind of object that has that name, and what fstat(2) says of it; -1 with
 * errno.  Anybody can have made it.  An object of ours is only for its owner,
 * and either a region, which has the size that it says, or not larger than a
 * bell.
 */
#define UT_SHM_OTHER	0
#define UT_SHM_BELL	1
#define UT_SHM_REGION	2
struct stat;
int	 ut_shm_look(const char *, struct stat *);
/* The file system that it is in, to tell people; NULL: none, or unknown. */
const char *ut_shm_where(void);

/*
 * The bell (bell.c), which processes of one UID share, and on which one
 * sleeps.  Any of them may write over it at any time.  It is a word or a
 * semaphore in shared memory, passed as a descriptor, or a semaphore that has
 * a name.
 */
#define UT_BELL_NAME	32
struct ut_bell {
	void	*at;			/* for the system; NULL: none */
	size_t	 size;			/* mapped there; 0: by name */
	int	 fd;			/* for others; -1: by name */
	int	 opening;		/* a thread opens it again */
	char	 name[UT_BELL_NAME];
};
#define UT_BELL_NONE	{ NULL, 0, -1, 0, "" }
/* Can a program of 32 bits ring for a consumer of 64, and the reverse? */
#if defined(__linux__) && !defined(UT_POSIX)
#define UT_BELL_CROSSES	1
#else
#define UT_BELL_CROSSES	0
#endif
int	 ut_bell_create(struct ut_bell *, const char *);
int	 ut_bell_adopt(struct ut_bell *, const char *);
/* For those who ring it; the descriptor, or -1, is closed. */
void	 ut_bell_open(struct ut_bell *, int, const char *);
void	 ut_bell_close(struct ut_bell *);
int	 ut_bell_remove(const char *);	/* by name */
/* Async-signal-safe. */
void	 ut_bell_ring(struct ut_bell *);
/* Ring in a signal handler of the process that sleeps. */
void	 ut_bell_stir(struct ut_bell *);
/*
 * Sleep until it rings, or a signal comes: 1 if somebody else has rung, 0 if
 * nobody has, or -1 if it is no bell any more.  Rings before that are one.
 */
int	 ut_bell_wait(struct ut_bell *);

#endif /* COMPAT_H */
