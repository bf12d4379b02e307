# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Libraries whose program headers are not in their first page, where some tools
# put them that change libraries.

cat >"$T/room.c" <<'END'
const struct {
	char	before[65536];
	char	room[2048];
} moved_room __attribute__((aligned(64))) = { "", "program headers" };
END
cat >"$T/move.c" <<'END'
#include <link.h>
#include <stdio.h>
#include <string.h>

static union {
	char		bytes[1 << 22];
	ElfW(Ehdr)	head;
} file;

int
main(int argc, char *argv[])
{
	static const char mark[] = "program headers";
	FILE *f = argc == 2 ? fopen(argv[1], "r+") : NULL;
	ElfW(Ehdr) *e = &file.head;
	ElfW(Phdr) p[32];
	size_t n, i, size;

	if (f == NULL)
		return 1;
	n = fread(file.bytes, 1, sizeof(file), f);
	size = e->e_phnum * sizeof(p[0]);
	for (i = 65536; i + 2048 < n; i += 64)
		if (memcmp(file.bytes + i, mark, sizeof(mark)) == 0)
			break;
	if (i + 2048 >= n || size > sizeof(p))
		return 1;
	memcpy(p, file.bytes + e->e_phoff, size);
	memset(file.bytes + e->e_phoff, 0, size);
	e->e_phoff = i;
	for (i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_PHDR)
			p[i].p_type = PT_NULL;
	memcpy(file.bytes + e->e_phoff, p, size);
	rewind(f);
	return fwrite(file.bytes, 1, n, f) != n || fclose(f) != 0;
}
END
$CC $CFLAGS -o "$T/move" "$T/move.c" || fail "cannot build move"

# moved NAME SOURCE option...
moved() {
	lib=$T/$1.so source=$2
	shift 2
	$CC $CFLAGS -fPIC -shared -o "$lib" "$source" "$T/room.c" "$@" &&
	    "$T/move" "$lib" || fail "cannot build $lib"
}
