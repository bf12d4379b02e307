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
 * What `utctl view', stat, heap, locks, skew, report and export read: metadata
 * and streams.  The first byte of the input is the way to print, and what is
 * selected; then come the filter, if there is to be one, the metadata and the
 * streams, with a line of "----" between one and the next.
 */

#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../libut/common/compat.h"
#include "../../libut/expr/expr.h"
#include "../../utctl/utctl.h"
#include "fuzz.h"

#define MARK		"\n----\n"
#define MARKLEN		(sizeof(MARK) - 1)
#define STREAMS_MAX	4

int	 __wrap_nanosleep(const struct timespec *, struct timespec *);
void	 __wrap_demangle_ready(void);
void	 __wrap_ut_confine_reader(int);

/* Nobody goes on writing the files meanwhile. */
int
__wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)t;
	(void)left;
	return 0;
}

/* Another process would be started for each input: see elf.c. */
void
__wrap_demangle_ready(void)
{
}

/* Nor does the fuzzer give up what it needs. */
void
__wrap_ut_confine_reader(int writes)
{
	(void)writes;
}

/* The next part, up to the mark or the end. */
static size_t
part(struct input *in, const uint8_t **p)
{
	const uint8_t *mark = NULL;
	size_t n;

	if (in->n > 0)
		mark = memmem(in->p, in->n, MARK, MARKLEN);
	n = input_some(in, mark != NULL ? (size_t)(mark - in->p) : in->n, p);
	if (mark != NULL) {
		in->p += MARKLEN;
		in->n -= MARKLEN;
	}
	return n;
}

/* What is selected, as bits. */
#define SEL_FILTER	0x04
#define SEL_NAME	0x08
#define SEL_WHO		0x10
#define SEL_SINCE	0x20
#define SEL_UNTIL	0x40
#define SEL_LAST	0x80

/* No trace has more of them than utctl takes, whatever its times are. */
#define INTERVAL	"600h"

struct args {
	char	 text[28][300];
	char	*argv[29];
	int	 n;
};

static void
arg(struct args *a, const char *s)
{
	snprintf(a->text[a->n], sizeof(a->text[0]), "%s", s);
	a->argv[a->n] = a->text[a->n];
	a->argv[++a->n] = NULL;
}

static void
args(struct args *a, const char *option, const char *value)
{
	arg(a, option);
	arg(a, value);
}

/* One that is none would be refused. */
static void
filter_arg(struct args *a, const uint8_t *p, size_t n)
{
	char text[300], why[128];
	struct expr *e;

	if (n > sizeof(text) - 1)
		n = sizeof(text) - 1;
	memcpy(text, p, n);
	text[n] = '\0';
	if ((e = expr_parse(text, why, sizeof(why))) == NULL)
		return;
	expr_free(e);
	args(a, "-f", text);
}

static void
run(const struct command *command, struct args *a)
{
#ifdef __GLIBC__
	optind = 0;
#else
	optind = 1;
#endif
	(void)step_run(command, a->n, a->argv);
}

static void
view(struct args *a, unsigned int how)
{
	static const char *const prints[] = { "", "-j", "-q", "-jq" };
	char dir[128];

	if (how % 4 != 0)
		arg(a, prints[how % 4]);
	if (how & SEL_NAME) {
		args(a, "-x", "*z*");
		args(a, "-l", "14");
		if (how % 4 < 2)
			args(a, "-D", "seq:tick,seq:idle");
	}
	if (how & SEL_WHO && how % 4 == 0)
		args(a, "-o", "relative,delta,utc,epoch,level,host,program,"
		    "pid,tid,thread,cpu,who,event,fields");
	else if (how % 4 < 2)
		args(a, "-o", "stack");
	if (how & SEL_WHO) {
		args(a, "-p", "1");
		args(a, "-p", "*");
		args(a, "-t", "*");
		args(a, "-t", "1");
	}
	if (how & SEL_SINCE)
		args(a, "-b", "+1us");
	else if (how & SEL_UNTIL)
		args(a, "-u", "-1us");
	if (how & SEL_LAST)
		args(a, "-n", how & SEL_UNTIL ? "3" : "-3");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	arg(a, dir);
	run(&cmd_view, a);
}

/* The fields have short names in most of the corpus. */
static void
stat_fields(unsigned int how)
{
	static struct args a;
	char dir[128];

	a.n = 0;
	arg(&a, "stat");
	if (how % 4 != 0)
		arg(&a, "-j");
	args(&a, "-g", "event");
	args(&a, "-g", how & SEL_NAME ? "thread" : "program");
	args(&a, "-g", how & SEL_SINCE ? "n" : "s");
	args(&a, "-g", how & SEL_UNTIL ? "text" : "$cpu");
	args(&a, "-v", how & SEL_LAST ? "n" : "x");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	arg(&a, dir);
	run(&cmd_stat, &a);
}

/* Pairs by name, by a key, and without one. */
static void
stat_pairs(unsigned int how)
{
	static struct args a;
	char dir[128];

	a.n = 0;
	arg(&a, "stat");
	arg(&a, how & SEL_LAST ? "-d" : "-dH");
	if (how % 4 != 0)
		arg(&a, "-j");
	args(&a, "-D", how & SEL_NAME ? "seq:tick,seq:idle" : "a:b,c:d");
	args(&a, "-D", how & SEL_SINCE ? "pulse:a,pulse:c,n" :
	    "x:e,x:f,$cpu");
	args(&a, "-g", how & SEL_UNTIL ? "thread" : "n");
	args(&a, "-S", how & SEL_NAME ? "1" : "1000");
	if (how & SEL_FILTER)
		args(&a, "-f", how & SEL_LAST ? "n > 1" : "$cpu == 0 || s");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	arg(&a, dir);
	run(&cmd_stat, &a);
}

/* The formats, with the same pairs. */
static void
export(unsigned int how, const char *format)
{
	static struct args a;
	char dir[128];

	a.n = 0;
	arg(&a, "export");
	args(&a, "-F", format);
	args(&a, "-D", how & SEL_NAME ? "seq:tick,seq:idle" : "a:b,c:d");
	args(&a, "-D", how & SEL_SINCE ? "pulse:a,pulse:c,n" :
	    "x:e,x:f,$cpu");
	if (strcmp(format, "chrome") == 0 || strcmp(format, "perfetto") == 0)
		args(&a, "-v", "n");
	if (how & SEL_UNTIL)
		args(&a, "-f", "n > 3");
	if (how & SEL_LAST)
		args(&a, "-n", "-20");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	arg(&a, dir);
	run(&cmd_export, &a);
}

/* What the calls of malloc(3), and those of locks, add up to. */
static void
sums(unsigned int how, const char *name, const struct command *command)
{
	static struct args a;
	char dir[128];

	a.n = 0;
	arg(&a, name);
	if (how % 4 != 0)
		arg(&a, "-j");
	if (command == &cmd_heap && how & SEL_SINCE)
		args(&a, "-i", INTERVAL);
	else if (command == &cmd_heap)
		arg(&a, "-g");
	if (how & SEL_NAME)
		arg(&a, "-N");
	if (how & SEL_LAST)
		args(&a, "-n", "-20");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	arg(&a, dir);
	run(command, &a);
}

/* Events and pairs over time. */
static void
intervals(unsigned int how)
{
	static struct args a;
	char dir[128];

	a.n = 0;
	arg(&a, "stat");
	args(&a, "-i", INTERVAL);
	if (how & SEL_SINCE)
		arg(&a, "-d");
	else
		args(&a, "-v", "n");
	if (how % 4 != 0)
		arg(&a, "-j");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	arg(&a, dir);
	run(&cmd_stat, &a);
}

/* All of it, and in three ways of a pair. */
static void
report(unsigned int how)
{
	static struct args a;
	char dir[128];

	a.n = 0;
	arg(&a, "report");
	args(&a, "-D", how & SEL_NAME ? "seq:tick,seq:idle" : "a:b,c:d");
	args(&a, "-D", how & SEL_SINCE ? "pulse:a,pulse:c,n" :
	    "x:e,x:f,$cpu");
	if (how & SEL_UNTIL)
		args(&a, "-f", "n > 3");
	if (how & SEL_LAST)
		args(&a, "-n", "-20");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	arg(&a, dir);
	run(&cmd_report, &a);
}

/* Messages of a trace to itself, with an offset. */
static void
skew(unsigned int how)
{
	static struct args a;
	char dir[128], moved[160];

	a.n = 0;
	arg(&a, "skew");
	if (how % 4 != 0)
		arg(&a, how & SEL_SINCE ? "-j" : "-q");
	args(&a, "-D", "seq:tick,seq:idle,n");
	args(&a, "-D", "pulse:a,pulse:c,n");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	snprintf(moved, sizeof(moved), "%s@%s", dir, how & SEL_NAME ?
	    "-9223372035.9s" : "+1.5ms");
	arg(&a, moved);
	arg(&a, dir);
	run(&cmd_skew, &a);
}

/* What the clocks said. */
static void
points(unsigned int how)
{
	static struct args a;
	char dir[128];

	a.n = 0;
	arg(&a, "stat");
	arg(&a, how & SEL_NAME ? "-cj" : "-c");
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	arg(&a, dir);
	run(&cmd_stat, &a);
}

/* The commands that take call stacks. */
static void
stacks(unsigned int how)
{
	static const char *const weights[] = { "events", "bytes", "time",
	    "wait" };
	static struct args a;
	char dir[128];

	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	a.n = 0;
	arg(&a, "export");
	args(&a, "-F", how & SEL_NAME ? "folded" : "pprof");
	args(&a, "-w", weights[how % 4]);
	arg(&a, dir);
	run(&cmd_export, &a);
	a.n = 0;
	arg(&a, "stat");
	args(&a, "-g", how & SEL_LAST ? "stack" : "function");
	if (how % 4 != 0)
		arg(&a, "-j");
	arg(&a, dir);
	run(&cmd_stat, &a);
}

/* What is printed is of no interest. */
static void
begin(void)
{
	static int begun;
	char path[128];
	int fd;

	if (begun)
		return;
	begun = 1;
	snprintf(path, sizeof(path), "%s/trace", fuzz_dir());
	if (mkdir(path, 0700) == -1 ||
	    (fd = open("/dev/null", O_WRONLY)) == -1 || dup2(fd, 1) == -1)
		fuzz_die("set-up");
	close(fd);
	setenv("TZ", "UTC", 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	static struct args a;
	const uint8_t *p;
	char name[32], path[160];
	unsigned int how;
	size_t n;
	int i;

	begin();
	a.n = 0;
	arg(&a, "view");
	how = input_u8(&in);
	if (how & SEL_FILTER) {
		n = part(&in, &p);
		filter_arg(&a, p, n);
	}
	n = part(&in, &p);
	fuzz_file("trace/metadata", p, n);
	for (i = 0; i < STREAMS_MAX; i++) {
		snprintf(name, sizeof(name), "trace/c_%d", i);
		snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), name);
		if (in.n == 0) {
			unlink(path);
			continue;
		}
		n = part(&in, &p);
		fuzz_file(name, p, n);
	}
	view(&a, how);
	if (how & SEL_WHO) {
		stat_fields(how);
		stat_pairs(how);
		intervals(how);
		points(how);
		sums(how, "heap", &cmd_heap);
		sums(how, "locks", &cmd_locks);
		export(how, "chrome");
		export(how, "perfetto");
		export(how, "otlp");
		export(how, "otlp-logs");
		export(how, "folded");
		stacks(how);
		report(how);
	}
	return 0;
}
