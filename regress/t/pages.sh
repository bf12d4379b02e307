# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The manuals of utctl: each command has its heading in one page, with a
# synopsis and all of its options; what a page refers to is there; and
# ut_json(5) has each member that is printed.

. ./common.sh

man=$TOP/man

# section PAGE HEADING: the lines below that heading.
section() {
	awk -v name="$2" '
	/^\.S[sh] / { on = substr($0, 5) == name; next }
	on' "$man/$1"
}

# of_synopsis: the letters of options in the synopsis of a section.
of_synopsis() {
	sed -n '/^\.Bd -ragged/,/^\.Ed/s/^\.//p' | tr ' ' '\n' |
	    awk 'after == "Fl" && /^[a-zA-Z]+$/ { print } { after = $0 }' |
	    fold -w 1
}

# of_list: those that the lists of a section explain.
of_list() {
	awk '
	/^\.It / {
		on = 0
		for (i = 2; i <= NF; i++)
			if ($i == "Fl")
				on = 1
			else if ($i ~ /^[A-Z][a-z]$/)
				on = 0
			else if (on && $i ~ /^[a-zA-Z]$/)
				print $i
	}'
}

letters() {
	sort -u | tr -d '\n'
}

section utctl-view.1 SELECTION | of_list >"$T/selection"
[ "$(letters <"$T/selection")" = 'Lbeflnptux' ] ||
    fail "selection: $(letters <"$T/selection")"
section utctl-session.1 'Names of sessions and channels' | of_list >"$T/names"
[ "$(letters <"$T/names")" = cs ] || fail "names: $(letters <"$T/names")"

n=0
utctl help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' >"$T/commands"
while read -r c; do
	(cd "$man" && grep -l -x "[.]Ss $c" utctl*.1) >"$T/page"
	[ "$(wc -l <"$T/page")" -eq 1 ] || fail "$c: in $(cat "$T/page")"
	page=$(cat "$T/page")
	section "$page" "$c" >"$T/section"
	of_synopsis <"$T/section" >"$T/synopsis"
	of_list <"$T/section" >"$T/list"
	! grep -q -x '[.]Op Ar selection' "$T/section" ||
	    tee -a "$T/list" <"$T/selection" >>"$T/synopsis"
	[ "$page" != utctl-session.1 ] ||
	    grep -x "[-$(letters <"$T/synopsis")]" "$T/names" >>"$T/list"
	utctl help "$c" >"$T/help" || fail "help $c"
	used=$(sed -n 's/^  -\([a-zA-Z]\).*/\1/p' "$T/help" | letters)
	[ "$(letters <"$T/synopsis")" = "$used" ] ||
	    fail "$page: $c: synopsis: $(letters <"$T/synopsis"), not $used"
	[ "$(letters <"$T/list")" = "$used" ] ||
	    fail "$page: $c: explained: $(letters <"$T/list"), not $used"
	see=$(sed -n 's/^[Ss]ee .*\(utctl[a-z-]*\)(1).*/\1.1/p' "$T/help")
	[ -z "$see" ] || [ "$see" = "$page" ] || fail "help $c: see $see"
	n=$((n + $(printf %s "$used" | wc -c)))
done <"$T/commands"
[ $n -ge 100 ] || fail "$n options"
for c in $(sed -n 's/^[.]Ss \([a-z][a-z-]*\)$/\1/p' "$man"/utctl*.1); do
	grep -q -x -e "$c" "$T/commands" || fail "$c: no such command"
done

# What is referred to: a page, a section of the same page, and one of another,
# as "NAMES OF FUNCTIONS in utctl-view(1)", "`Cost and safety' in ..." or, if it
# is a command, "trigger in ...".
(cd "$man" && for page in *.[1-8]; do
	sed -n 's/^[.].*Xr \(ut[a-z_-]*\) \([1-8]\).*/\1.\2/p' "$page" |
	    sort -u | while read -r other; do
		[ -f "$other" ] || echo "$page: no $other"
	done
	sed -n 's/^[.]\(.* \)*Sx \(.*\)/\2/p' "$page" | tr -d '"' |
	    sed 's/ [],.;:)]*$//' | sort -u | while read -r name; do
		grep -q -x "[.]S[sh] \"*$name\"*" "$page" ||
		    echo "$page: no section $name"
	done
	awk -v OFS='|' '
	/^\.Xr ut/ {
		name = ""
		if (last == "in" && before ~ /^\.(Sq|Cm) /) {
			name = substr(before, 5)
			if (before ~ /^\.Cm /)
				sub(/ .*/, "", name)
		} else if (match(last, /[A-Z][A-Z ]* in$/))
			name = substr(last, RSTART, RLENGTH - 3)
		sub(/ [,.;:]*$/, "", name)
		if (name != "" && $2 != "ut_msg")
			print $2 "." $3, name
	}
	{ before = last; last = $0 }' "$page" | while IFS='|' read -r other name
	do
		grep -q -x "[.]S[sh] $name" "$other" ||
		    echo "$page: no section $name in $other"
	done
done) >"$T/missing"
[ ! -s "$T/missing" ] || fail "$(cat "$T/missing")"

# printed [SECTION...]: that the sections of ut_json(5) have each member that
# the last command has printed, but for those that are the user's own.
printed() {
	sed -e 's/"\(fields\|context\|by\)":{[^}]*}/"\1":{}/g' "$T/out" |
	    tr ',{[' '\n\n\n' | sed -n 's/^"\([a-z0-9_.]*\)":.*/\1/p' |
	    sort -u >"$T/members"
	[ "$(wc -l <"$T/members")" -ge 3 ] || fail "$1: $(cat "$T/out")"
	for s; do
		section ut_json.5 "$s"
	done | tr ' ' '\n' | awk '
	/^\.?[A-Z][a-z]$/ { on = $0 ~ /^\.?Va$/; next }
	on && /^[a-z]/' | sort -u >"$T/described"
	comm -23 "$T/members" "$T/described" >"$T/missing"
	[ ! -s "$T/missing" ] || fail "ut_json(5): $1: no $(cat "$T/missing")"
}

start_utd
utctl create -o "$T/trace" s >/dev/null || fail "create"
utctl enable-channel uid && utctl enable-channel -p -m block pid &&
    utctl add-context -c uid uid cpu && utctl enable-event -c pid 'ut:*' &&
    utctl enable-event -c uid -l debug -x pulse:b 'pulse:*' &&
    utctl enable-event -c uid 'calls:*' 'libc:*' 'pthread:*' &&
    utctl track -n pulse -n calls && utctl start &&
    utctl trigger -e pulse:a -f 'n == 1' -a 'exec true' >/dev/null ||
    fail "session"
pulse_start
until_ok sh -c 'utctl events -j | grep -q uint64' || fail "pulse"
pulse a 3
expect 0 '"uid"' utctl list -j
printed 'list -j'
expect 0 '"rundir"' utctl status -j
printed 'status -j' 'list -j'
expect 0 '"uint64"' utctl events -j
printed 'events -j' 'list -j'
pulse off
background utctl top -j -D pthread:mutex_request,pthread:mutex_acquired \
    -i 200ms "$T/trace" >"$T/top"
until_ok [ -s "$T/top" ] || fail "top"
UT_REGISTER_TIMEOUT=60000 ./prog/calls <<'THE END' >/dev/null || fail "calls: $?"
1 malloc 100 0x1000 0xa1
1 free 0x1000 0xa2
1 free 0x1000 0xa3
1 mutex_request 0x10 0xa1
1 mutex_acquired 0x10 0xa1
2 mutex_request 0x10 0xa1
1 mutex_release 0x10 0xa1
2 mutex_acquired 0x10 0xa1
1 malloc 50 0x2000 0xa1
THE END
utctl stop >/dev/null || fail "stop"
until_ok grep -q '"pairs":.{' "$T/top" || fail "top: no pairs"
kill "$LAST"
cp "$T/top" "$T/out"
printed 'top -j'
for o in -j -jq '-ij -D pthread:mutex_request,pthread:mutex_acquired'; do
	expect 0 '"' utctl view $o "$T/trace"
	printed 'view -j'
done
for o in '-j -v cpu' '-dj' '-cj'; do
	expect 0 '"' utctl stat $o "$T/trace"
	printed "stat ${o%% *}"
done
utctl record -g -w malloc -o "$T/stacks" -- ./prog/mallocs >/dev/null 2>&1 ||
    fail "record"
for by in function caller stack; do
	expect 0 '"with_stacks"' utctl stat -j -g $by "$T/stacks"
	printed 'stat -j' 'heap -j'
done
for c in heap locks; do
	expect 0 '"processes":.{' utctl $c -j "$T/trace"
	printed "$c -j"
done
stop_utd || fail "utd: $?"
