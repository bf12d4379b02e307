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
 * dtrace: what builds want of dtrace(1), so that the probes of a D file are
 * events.  Of a type only that matters which the event needs: is it text, an
 * address, or a value, whose type the compiler is left to know.
 */

#include <sys/types.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../map.h"
#include "../utctl.h"

#define ARGS_MAX	16		/* fields that an event has */
#define NAME_LEN	255		/* bytes of provider:probe */
#define ARGV_MAX	256		/* arguments of the C compiler */

struct arg {
	char	 type[128];
	char	*name;
	int	 stars;			/* pointers and arrays */
	int	 whole;			/* a structure */
	size_t	 length;		/* the argument that says it, or 0 */
};

struct probe {
	char		*provider, *name, *macro;
	struct arg	 args[ARGS_MAX + 1];
	size_t		 nargs;
	struct probe	*next;
};

/* The file's text, and the token, with `rest' behind it. */
static const char	*file, *token, *rest;
static unsigned int	 line = 1;
static size_t		 len;		/* 0: the end */
static int		 preprocessed;	/* -C: by the C preprocessor */
static struct probe	*probes, **last = &probes;
static struct map	 macros;	/* the probes, by macro */

static void	bad(const char *, const char *) __attribute__((noreturn));

static void
bad(const char *why, const char *what)
{
	say_place(file, line);
	if (len == 0)
		die("the file ends: %s%s", why, what);
	die("at '%.*s': %s%s", len > 64 ? 64 : (int)len, token, why, what);
}

/* Step over a line with #: the preprocessor's say which the next line is. */
static void
skip_directive(void)
{
	const int marks = preprocessed && rest[1] == ' ' &&
	    isdigit((unsigned char)rest[2]);
	char *end;

	if (marks)
		line = (unsigned int)strtoul(rest + 2, &end, 10) - 1;
	if (marks && strncmp(end, " \"", 2) == 0)
		file = format("%.*s", (int)strcspn(end + 2, "\"\n"), end + 2);
	for (; *rest != '\0' && *rest != '\n'; rest++)
		if (strncmp(rest, "\\\n", 2) == 0) {
			line++;
			rest++;
		}
}

static void
skip_comment(void)
{
	const char *end = strstr(rest + 2, "*/");

	if (end == NULL) {
		len = 0;
		bad("a comment has no end", "");
	}
	for (; rest < end + 2; rest++)
		line += *rest == '\n';
}

static void
skip_space(void)
{
	static int begins = 1;		/* a line */

	for (;;) {
		if (isspace((unsigned char)*rest)) {
			begins |= *rest == '\n';
			line += *rest++ == '\n';
		} else if (begins && *rest == '#') {
			skip_directive();
		} else if (strncmp(rest, "/*", 2) == 0) {
			skip_comment();
		} else if (strncmp(rest, "//", 2) == 0) {
			rest += strcspn(rest, "\n");
		} else
			break;
	}
	begins = 0;
}

/* Read a token: a word, or one character. */
static void
next(void)
{
	skip_space();
	token = rest;
	while (isalnum((unsigned char)*rest) || *rest == '_')
		rest++;
	rest += rest == token && *rest != '\0';
	len = (size_t)(rest - token);
}

/* Is the token one of these words, which have a space on each side? */
static int
is(const char *words)
{
	char word[32];

	return len > 0 && len + 2 < sizeof(word) &&
	    snprintf(word, sizeof(word), " %.*s ", (int)len, token) > 0 &&
	    strstr(words, word) != NULL;
}

static int
take(const char *words)
{
	const int there = is(words);

	if (there)
		next();
	return there;
}

static void
expect(const char *word)
{
	if (!take(word))
		bad("there has to be a ", format("%.*s",
		    (int)strlen(word) - 2, word + 1));
}

static char *
take_name(void)
{
	char *s;

	if ((!isalpha((unsigned char)*token) && *token != '_') ||
	    len > NAME_LEN)
		bad("there has to be a name", "");
	s = format("%.*s", (int)len, token);
	next();
	return s;
}

/* Step over what is in parentheses, brackets or braces. */
static void
skip(const char *open, const char *close)
{
	int depth = 0;

	do {
		if (len == 0)
			expect(close);
		depth += is(open) - is(close);
		next();
	} while (depth > 0);
}

/* A word of the type, or the argument's name. */
static void
read_word(struct arg *a)
{
	const size_t n = strlen(a->type);

	if (n > 0 && a->name == NULL && !is(" void char short int long float "
	    "double signed unsigned string ")) {
		a->name = take_name();
		return;
	}
	if (a->name != NULL || n + len + 2 > sizeof(a->type))
		bad("not part of an argument", "");
	snprintf(a->type + n, sizeof(a->type) - n, "%s%s", n > 0 ? " " : "",
	    take_name());
}

static void
read_type(struct arg *a)
{
	while (!is(" , ) ")) {
		if (take(" const volatile restrict "))
			continue;
		if (take(" * ")) {
			a->stars++;
		} else if (is(" [ ")) {
			a->stars++;
			skip(" [ ", " ] ");
		} else if (is(" ( ")) {		/* a function */
			a->stars += 2;
			skip(" ( ", " ) ");
		} else if (is(" struct union enum ")) {
			a->whole = !is(" enum ");
			snprintf(a->type, sizeof(a->type), "int");
			next();
			free(take_name());
		} else
			read_word(a);
	}
	if (a->type[0] == '\0')
		bad("an argument has no type", "");
	if (strcmp(a->type, "long double") == 0)
		snprintf(a->type, sizeof(a->type), "double");
}

static int
is_text(const struct arg *a)
{
	return a->stars < 2 && !a->whole &&
	    strcmp(a->type, a->stars == 1 ? "char" : "string") == 0;
}

/* Read an argument.  One that follows the text x and is xlen is its length. */
static void
read_arg(struct probe *p)
{
	struct arg *a = p->args + p->nargs, *text;
	size_t i, n;

	read_type(a);
	if (a->stars == 0 && (a->whole || strcmp(a->type, "void") == 0)) {
		if (p->nargs == 0 && !a->whole && is(" ) "))
			return;
		bad("an argument is no number, text or pointer", "");
	}
	if (++p->nargs > ARGS_MAX)
		bad("more than 16 arguments has ", p->name);
	if (a->name == NULL)
		a->name = format("arg%zu", p->nargs);
	for (i = 0; i + 1 < p->nargs; i++)
		if (strcmp(p->args[i].name, a->name) == 0)
			bad("a second argument is called ", a->name);
	if (p->nargs == 1 || a->stars > 0 || is_text(a) || !is_text(a - 1))
		return;
	text = a - 1;
	n = strlen(text->name);
	if (strncmp(a->name, text->name, n) == 0 &&
	    strcmp(a->name + n + (a->name[n] == '_'), "len") == 0)
		text->length = p->nargs;
}

/* PROVIDER_PROBE, where __ in the probe's name is _, as dtrace(1) has it. */
static char *
macro_name(const struct probe *p)
{
	char *s = format("%s_%s", p->provider, p->name), *to = s, *from = s;
	const char *name = s + strlen(p->provider) + 1;

	while ((*to++ = (char)toupper((unsigned char)*from)) != '\0')
		from += from >= name && strncmp(from, "__", 2) == 0 ? 2 : 1;
	return s;
}

static void
read_probe(char *provider)
{
	struct probe *p = xcalloc(1, sizeof(*p)), *same;
	uint64_t key;

	expect(" probe ");
	p->provider = provider;
	p->name = take_name();
	p->macro = macro_name(p);
	if (strlen(p->macro) > NAME_LEN)
		bad("too long a name: ", p->macro);
	key = map_bytes(0, p->macro, strlen(p->macro));
	same = map_get(&macros, key);
	if (same != NULL && strcmp(p->macro, same->macro) == 0)
		bad("a second probe has the macro ", p->macro);
	map_put(&macros, key, p);
	expect(" ( ");
	do {
		if (!is(" ) "))
			read_arg(p);
	} while (take(" , "));
	expect(" ) ");
	if (take(" : "))		/* for D programs */
		skip(" ( ", " ) ");
	expect(" ; ");
	*last = p;
	last = &p->next;
}

static void
read_providers(void)
{
	char *provider;

	for (next(); len > 0;) {
		if (is(" typedef struct union enum ")) {
			while (!is(" ; ") && len > 0)
				if (is(" { "))
					skip(" { ", " } ");
				else
					next();
		} else if (take(" provider ")) {
			provider = take_name();
			expect(" { ");
			while (!take(" } "))
				read_probe(provider);
		} else
			expect(" ; ");
	}
	if (probes == NULL)
		bad("there is no probe", "");
}

static void
write_field(FILE *f, const struct arg *a, size_t n)
{
	fprintf(f, ",\n    ");
	if (a->length != 0)
		fprintf(f, "(ut_sized, ut_a%zu, \"%s\", ut_a%zu)", n, a->name,
		    a->length);
	else if (is_text(a))
		fprintf(f, "(ut_str, ut_a%zu, \"%s\")", n, a->name);
	else if (a->stars > 0)
		fprintf(f, "UT_NUM(ut_a%zu, \"%s\", uintptr_t, uintptr_t, "
		    "UT_KIND_INT, UT_F_HEX)", n, a->name);
	else
		fprintf(f, "UT_TYPED(ut_a%zu, \"%s\", %s)", n, a->name,
		    a->type);
}

/* Builds edit this: no "char *", and a macro's name once in a line. */
static void
write_probe(FILE *f, const struct probe *p)
{
	const struct arg *a;
	size_t i;

	fprintf(f, "\nUT_EVENT(%s, %s, UT_INFO", p->provider, p->name);
	for (i = 0; i < p->nargs; i++)
		write_field(f, &p->args[i], i + 1);
	fprintf(f, ");\n#define %s_ENABLED()\tUT_ON(%s, %s)\n#define %s(",
	    p->macro, p->provider, p->name, p->macro);
	for (i = 0; i < p->nargs; i++)
		fprintf(f, "%sa%zu", i == 0 ? "" : ", ", i + 1);
	fprintf(f, ") \\\n\tUT(%s, %s", p->provider, p->name);
	for (i = 0, a = p->args; i < p->nargs; i++, a++)
		fprintf(f, ", (%s)(a%zu)", is_text(a) ? "char const *" :
		    a->stars > 0 ? "uintptr_t" : a->type, i + 1);
	fprintf(f, ")\n");
}

static void
write_header(FILE *f)
{
	const struct probe *p;

	fprintf(f, "/* Made by `utctl dtrace -h'. */\n#pragma once\n"
	    "#include <sys/sdt.h>\n#pragma GCC system_header\n");
	for (p = probes; p != NULL; p = p->next)
		write_probe(f, p);
}

static void
redirect(const void *out)
{
	dup2(*(const int *)out, STDOUT_FILENO);
}

/* Run the C compiler so, on that file, with its own options: 0 if it works. */
static int
compile(const char *how, const char *name, char **options, int out)
{
	const char *cc = getenv("CC");
	char *argv[ARGV_MAX], *words, *word;
	size_t n = 0;
	int status;
	pid_t pid;

	words = format("%s %s", cc == NULL || *cc == '\0' ? "cc" : cc, how);
	for (word = strtok(words, " "); word != NULL && n < ARGV_MAX / 2;
	    word = strtok(NULL, " "))
		argv[n++] = word;
	argv[n++] = format("%s%s", *name == '-' ? "./" : "", name);
	do {
		argv[n++] = *options;
	} while (*options++ != NULL);
	if ((pid = child_spawn(argv, redirect, &out)) == -1) {
		say_errno("%s", argv[0]);
		return 1;
	}
	while (waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			die_errno("waitpid");
	if (status != 0)
		say("%s: %s failed", file, argv[0]);
	return status != 0;
}

static void
read_file(char **options)
{
	FILE *f = fopen(file, "r"), *out;
	char *s = NULL;
	size_t size = 0;
	ssize_t n;

	if (f == NULL)
		die_errno("%s", file);
	if (preprocessed) {
		if ((out = tmpfile()) == NULL)
			die_errno("tmpfile");
		/* By c11, a name like unix is no macro. */
		if (compile("-E -w -std=c11 -xc", file, options, fileno(out)))
			exit(1);
		rewind(out);
		fclose(f);
		f = out;
	}
	if ((n = getdelim(&s, &size, '\0', f)) == -1 && ferror(f))
		die_errno("%s", file);
	fclose(f);
	rest = n == -1 ? "" : s;
	read_providers();
}

/* Compile nothing, where nobody else can write: the object, without a name. */
static FILE *
make_object(char **options)
{
	char dir[] = "/tmp/ut-XXXXXX";
	char *name;
	FILE *f;
	int bad;

	if (mkdtemp(dir) == NULL)
		die_errno("%s", dir);
	name = format("%s/o", dir);
	bad = compile("-c -xc /dev/null -o", name, options, STDOUT_FILENO);
	f = fopen(name, "r");
	(void)unlink(name);
	(void)rmdir(dir);
	if (!bad && f == NULL)
		say("%s: not made", name);
	if (bad || f == NULL)
		exit(1);
	return f;
}

/* Write the object, or a header, to a new file that takes the name of `to'. */
static void
write_output(const char *to, FILE *object)
{
	char *temporary = format("%s.%ld", to, (long)getpid());
	const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	    0666);
	FILE *f;
	int ch, failed;

	if (fd == -1 || (f = fdopen(fd, "w")) == NULL)
		die_errno("%s", temporary);
	if (object == NULL)
		write_header(f);
	else
		while ((ch = getc(object)) != EOF)
			putc(ch, f);
	failed = ferror(f);
	if (fclose(f) == 0 && !failed && rename(temporary, to) == 0)
		return;
	say_errno("%s", to);
	(void)unlink(temporary);
	exit(1);
}

/* The name of the D file, in this directory, with the other ending. */
static char *
default_output(char ending)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash == NULL ? file : slash + 1;
	const char *dot = strrchr(base, '.');

	return format("%.*s.%c", dot == NULL ? (int)strlen(base) :
	    (int)(dot - base), base, ending);
}

static int
make(int what, const char *to, char **options)
{
	struct stat st, in;

	if (to == NULL)
		to = default_output(what == 'h' ? 'h' : 'o');
	if (lstat(to, &st) == 0 && (!S_ISREG(st.st_mode) ||
	    (stat(file, &in) == 0 && st.st_dev == in.st_dev &&
	    st.st_ino == in.st_ino)))
		die("%s: the D file itself, or no regular file: not written",
		    to);
	read_file(options);
	write_output(to, what == 'h' ? NULL : make_object(options));
	return 0;
}

/* Options come in any place, between objects that are of no interest. */
static int
dtrace_main(int argc, char **argv)
{
	char *options[ARGV_MAX / 2] = { NULL }, *to = NULL;
	int ch, n = 0, what = 0;

	while (optind < argc && n < ARGV_MAX / 2 - 1) {
		if (strcmp(argv[optind], "-32") == 0 ||
		    strcmp(argv[optind], "-64") == 0) {
			options[n++] = format("-m%s", argv[optind++] + 1);
			continue;
		}
		switch (ch = option_first(argc, argv)) {
		case -1:
			optind++;
			break;
		case 'C':
			preprocessed = 1;
			break;
		case 'h':
		case 'G':
			what = ch;
			break;
		case 's':
			file = optarg;
			break;
		case 'o':
			to = optarg;
			break;
		case 'D':
		case 'I':
			options[n++] = format("-%c%s", ch, optarg);
			break;
		case '?':
			return usage();
		}
	}
	if (file == NULL && what == 'h')
		return help(utctl_command);
	if (file == NULL || what == 0 || optind < argc)
		return usage();
	return make(what, to, options);
}

const struct command cmd_dtrace = {
	.name = "dtrace", .page = "utctl",
	.line = "make a header of the probes of a D file, as dtrace(1)",
	.usage = "-h | -G [-CZ] [-I dir] [-D name] [-x option] -s file "
	    "[-o file] [object ...]",
	.options = {
	    "-h\ta header, with a macro for each probe",
	    "-G\tan object file, with nothing in it, for builds that want one",
	    "-C\tthe C preprocessor reads the file first",
	    "-I dir\tfor the C preprocessor",
	    "-D name\tfor the C preprocessor",
	    "-x option\tno effect",
	    "-Z\tno effect",
	    "-s file\tthe D file",
	    "-o file\twhere it goes (default: the D file's name, .h or .o)"
	},
	.run = dtrace_main
};
