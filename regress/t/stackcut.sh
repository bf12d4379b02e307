# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export -F ctf of events with call stacks: the events that are left have
# the stacks that they had, also for babeltrace2, and no packet lacks one.

. ./common.sh
. ./shared/stacks.sh

# A packet for each of two threads, and a shared one; stacks that keep much.
awk 'BEGIN {
	for (p = 1; p <= 3; p++) {
		print p < 3 ? "packet 7 " p : "shared"
		for (i = 1; i <= 40; i++) {
			if (p == 3)
				print "who 7 " i % 3
			k = p < 3 && i % 7 != 1 ? 1 + i % 3 : 0
			if (i % 3 != 0 || k == 0)
				printf "def %d %d 0 %d %d %d\n", p * 100 + i,
				    k, p, i, i * 3
			n = i % 3 != 0 || k == 0 ? i : n
			print "v", p * 100 + n, p * 100 + i
		}
	}
}' >"$T/calls"
stacks <"$T/calls"

# seen DIR: the events with their stacks.
seen() {
	utctl view -N -o epoch,event,fields,stack "$@" 2>"$T/err" || fail "view"
	[ ! -s "$T/err" ] || fail "view $*: $(cat "$T/err")"
}

# cut OPTION...: the same events, with the same stacks.
cut() {
	rm -rf "$T/cut"
	utctl export -F ctf -o "$T/cut" "$@" "$ST" || fail "export $*"
	seen "$@" "$ST" >"$T/want"
	seen "$T/cut" >"$T/got"
	[ -s "$T/got" ] || fail "nothing of $*"
	expected "$*" <"$T/want"
	command -v babeltrace2 >/dev/null 2>&1 || return 0
	babeltrace2 "$T/cut" >"$T/bt2" 2>"$T/err" ||
	    fail "babeltrace2, $*: $(cat "$T/err")"
	[ "$(grep -c ' e:v: ' "$T/bt2")" -eq "$(grep -c ' e:v ' "$T/got")" ] ||
	    fail "babeltrace2, $*: other events"
}

at() {
	utctl view "$ST" | awk -v n="$1" '$0 ~ " n = " n " " {
		print $1 " " $2 }'
}

cut -f 'n == 105 || n == 130 || n == 239'
cut -b "$(at 118)" -u "$(at 226)"
cut -b "$(at 312)"
cut -n 3
cut -n -3
cut -t 2
cut -e e:v -p 7
rm -rf "$T/cut"
utctl export -F ctf -o "$T/cut" "$ST" || fail "export of all"
diff -r "$ST" "$T/cut" || fail "export of all"

# Nothing is written for the sake of what is not: a definition is 17 bytes.
rm -rf "$T/cut"
utctl export -F ctf -o "$T/cut" -f 'n == 102' "$ST" || fail "export"
[ "$(wc -c <"$T/cut/thread")" -lt 250 ] || fail "export: too much"
exit 0
