# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Events of as many fields as there may be, described by hand: readers show
# all, and filters know the last.  What is too much is said, and nothing else
# is lost for it.

. ./common.sh

cat >"$T/fields.c" <<'END'
#include <stdio.h>
#include <ut.h>

static struct ut_field most[130], more[130];
static char names[130][8], label[2000][32];
static struct ut_value values[2000];
static const struct ut_enum large = { "large", values, 2000 };
static const struct ut_field labels[] = {
	{ "e", &large, 0, UT_KIND_ENUM, 8, 0, 0 },
	{ NULL, NULL, 0, 0, 0, 0, 0 }
};
static struct ut_event events[] = {
	{ 0, UT_INFO, "fields:most", most, NULL, NULL, { 0 }, 0, 0, NULL },
	{ 0, UT_INFO, "fields:more", more, NULL, NULL, { 0 }, 0, 0, NULL },
	{ 0, UT_INFO, "fields:labels", labels, NULL, NULL, { 0 }, 0, 0, NULL },
};
static struct ut_module module = {
	UT_VERSION, sizeof(struct ut_event), events, events + 3, NULL, 0
};

static void
trace(struct ut_event *e, uint32_t first, size_t n)
{
	struct ut_record r;
	unsigned char *p;
	uint32_t v;
	size_t i;

	if (!UT_LISTENS(*e))
		return;
	for (p = ut_begin(&r, e, n * 4); p != NULL; p = ut_commit(&r))
		for (i = 0; i < n; i++) {
			v = first + (uint32_t)i;
			p = ut_put(p, &v, sizeof(v));
		}
}

int
main(void)
{
	static const struct ut_field one = { NULL, NULL, 0, UT_KIND_INT, 4, 0,
	    0 };
	int i;

	for (i = 0; i < 129; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		more[i] = one;
		more[i].name = names[i];
		if (i < 128)
			most[i] = more[i];
	}
	for (i = 0; i < 2000; i++) {
		snprintf(label[i], sizeof(label[i]), "a label of 24 bytes %d",
		    i + 1000);
		values[i].name = label[i];
		values[i].low = values[i].high = i;
	}
	ut_module_add(&module);
	trace(&events[0], 0, 128);
	trace(&events[0], 1000, 128);
	trace(&events[1], 0, 129);
	trace(&events[2], 0, 2);
	return 0;
}
END
build "$T/fields" "$T/fields.c"

said() {
	grep -q "event fields:$1 of fields .*: description not valid: $2: not \
recorded" "$T/record.err" || fail "no '$2': $(cat "$T/record.err")"
}

recorded -- "$T/fields"
[ "$events" -eq 2 ] || fail "$(cat "$T/record.err")"
said more '129 fields, more than 128'
said labels 'names and labels of more than a message of 65536 bytes can hold'
readers_agree "$T/trace"
sed 's/.*fields://' "$T/view.out" >"$T/got"
for first in 0 1000; do
	awk -v n=$first 'BEGIN {
		printf "most { "
		for (i = 0; i < 128; i++)
			printf("%sf%d = %d", (i > 0 ? ", " : ""), i, n + i)
		print " }"
	}'
done | expected "utctl view"
utctl stat -g f127 "$T/trace" | grep -q ' 1127$' || fail "stat -g"

# Every field in one filter, in utd and in utctl.
sum=$(awk 'BEGIN {
	for (i = 0; i < 128; i++)
		printf("%sf%d", (i > 0 ? "+" : ""), i)
}')
for f in 'f127 == 1127' "$sum == 136128"; do
	recorded -e 'fields:most' -- "$T/fields"
	[ "$(utctl view -f "$f" "$T/trace" | wc -l)" -eq 1 ] || fail "view -f $f"
	recorded -e 'fields:most' -f "$f" -- "$T/fields"
	[ "$events" -eq 1 ] || fail "record -f $f: $(cat "$T/record.err")"
done
exit 0
