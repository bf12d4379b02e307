# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record -r, interrupted at each system call, or killed: then there is the
# old trace, or a new one and the old one as DIR.old, and nothing else.  With
# FEWER, interrupted at half of the calls that move nothing.

. ./common.sh
need strace
not_sanitized
strace -o "$T/calls" true 2>/dev/null || skip "strace cannot trace here"

utctl record -o "$T/ref" -- ./prog/seq 7 1 7 2>/dev/null || fail "record"
background ./prog/seq -p 1000 1 1 9000000 "$T/progress"
until_ok test -s "$T/progress" || fail "seq does not begin"

# The old trace is the one that begins with the writer 7.
is_old() {
	utctl view "$1" 2>/dev/null | head -n 1 | grep -q 'writer = 7168,'
}

# The session of one that was killed ends a little later.
prepare() {
	[ $sig != KILL ] || until_ok eval 'utctl list | grep -q "^no sessions"' ||
	    fail "a session is left"
	rm -rf "$T/in"
	mkdir "$T/in" && cp -R "$T/ref" "$T/in/D" || fail "cp"
	[ $sig = KILL ] || cp -R "$T/ref" "$T/in/D.old" || fail "cp"
}

# interrupted WHERE: what is there now.
interrupted() {
	case $(ls "$T/in" | tr '\n' ' ') in
	'D D.old ')
		is_old "$T/in/D.old" ||
		    fail "$1: the old one is gone: $(cat "$T/err")" ;;
	'D ')	is_old "$T/in/D" && [ $sig = KILL ] ||
		    fail "$1: only D: $(cat "$T/err")" ;;
	*)	fail "$1: there are $(ls "$T/in"): $(cat "$T/err")" ;;
	esac
	if is_old "$T/in/D"; then
		old=$((old + 1))
		return
	fi
	new=$((new + 1))
	[ $sig = KILL ] || grep -q 'events, 0 lost\|interrupted while' \
	    "$T/err" || fail "$1: nothing told: $(cat "$T/err")"
}

# sweep SIGNAL CALLS option...: send it the signal at each one of these calls.
sweep() {
	sig=$1 calls=$2 old=0 new=0
	shift 2
	prepare
	strace -o "$T/calls" utctl record -r -o "$T/in/D" "$@" 2>"$T/err" \
	    >"$T/out" || fail "record: $(cat "$T/err")"
	sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$T/calls" | grep -x -e "$calls" |
	    sort | uniq -c >"$T/counts"
	while read -r n call; do
		by=1
		case $sig$call in
		*rename*|*mkdir*|KILL*)	;;
		*)	[ -z "${FEWER:-}" ] || by=2 ;;
		esac
		draw $by
		[ "$n" -eq 1 ] || n=$((n - r))
		while [ "$n" -gt 0 ]; do
			prepare
			strace -o "$T/calls" \
			    -e "inject=$call:signal=$sig:when=$n" \
			    ./prog/asuser - utctl record -r -o "$T/in/D" "$@" \
			    2>"$T/err" >"$T/out" </dev/null
			interrupted "$call $n"
			n=$((n - by))
		done
	done <"$T/counts"
	[ $old -ge 1 ] && [ $new -ge 1 ] ||
	    fail "$old times the old one, $new times a new one"
}
sweep INT '.*' -- ./prog/seq 1 1 10
# A system may have other calls for the same.
moves='rename\(at2*\)*\|mkdir\(at\)*'
sweep INT "$moves\|pipe2*" -T 50ms -p $LAST
start_utd
sweep INT "$moves\|sendmsg\|pselect6\(_time64\)*" -T 50ms -p $LAST
sweep KILL 'sendmsg\|recvmsg' -T 50ms -p $LAST
stop_utd || fail "utd: status $?"
exit 0
