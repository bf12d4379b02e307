# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl explains itself: the commands, usage and help agree on what there is, as
# the manuals do in pages, and what was mistyped is told with what was perhaps
# meant.

. ./common.sh

# letters FILE: of options in the usage, with each once.
letters() {
	tr '\n\t' '  ' <"$1" | sed 's/[^a-z]\(-[a-zA-Z]*\)/\
\1\
/g' | sed -n 's/^-\([a-zA-Z]*\)$/\1/p' | fold -w 1 | sort -u | tr -d '\n'
}

# in_help COMMAND: the same, of its explanation.
in_help() {
	utctl help "$1" | sed -n 's/^  -\([a-zA-Z]\).*/\1/p' | sort -u |
	    tr -d '\n'
}

# page_of COMMAND: of the manual, that says more.
page_of() {
	case $1 in
	record|recover)		echo 'utctl-record(1)' ;;
	view|top|serve|export)	echo 'utctl-view(1)' ;;
	stat|heap|locks|skew)	echo 'utctl-stat(1)' ;;
	report)			echo 'utctl-report(1)' ;;
	dtrace|help|version)	echo 'utctl(1)' ;;
	*)			echo 'utctl-session(1)' ;;
	esac
}

expect 0 '^usage: utctl command' utctl help
sed -n 's/^  \([a-z-]*\)  .*/\1/p' "$T/out" >"$T/commands"
utctl 2>&1 | sed -n 's/^.* utctl \([a-z-]*\).*/\1/p' | sort >"$T/usage"
sort "$T/commands" | cmp -s - "$T/usage" ||
    fail "help and usage: $(sort "$T/commands" | diff - "$T/usage")"
[ "$(wc -l <"$T/usage")" -ge 26 ] || fail "$(cat "$T/usage")"

n=0
while read -r c; do
	utctl help "$c" >"$T/out" 2>"$T/err" || fail "help $c: $?"
	[ ! -s "$T/err" ] || fail "help $c: $(cat "$T/err")"
	grep -q "^usage: utctl $c" "$T/out" && grep -q "^$c: [a-z]" "$T/out" ||
	    fail "help $c: $(cat "$T/out")"
	awk 'length > 80' "$T/out" | grep . && fail "help $c: wide"
	[ "$(tail -n 1 "$T/out")" = "See $(page_of "$c")." ] ||
	    fail "help $c: $(tail -n 1 "$T/out")"
	sed '/^$/q' "$T/out" >"$T/head"
	used=$(letters "$T/head")
	[ "$used" = "$(in_help "$c")" ] ||
	    fail "$c: usage has $used, help $(in_help "$c")"
	for h in -h --help; do
		utctl "$c" $h </dev/null >"$T/got" 2>&1 || fail "$c $h: $?"
		cmp -s "$T/got" "$T/out" || fail "$c $h: $(cat "$T/got")"
	done
	n=$((n + $(printf %s "$used" | wc -c)))
done <"$T/commands"
# The defaults of record are not those of enable-channel.
expect 0 'cycles | auto (default: auto, -F: monotonic)$' utctl help record
expect 0 'block (default: discard, -w: block)$' utctl help record
expect 0 'cycles | auto (default: monotonic)$' utctl help enable-channel
expect 0 'block (default: discard)$' utctl help enable-channel
[ $n -ge 80 ] || fail "$n options"
echo "$n options of $(wc -l <"$T/commands") commands"

utctl help >"$T/all"
for h in -h --help; do
	utctl $h | cmp -s - "$T/all" || fail "$h"
done
version=$(sed -n 's/^VERSION =[ 	]*//p' "$TOP/Makefile")
for v in version -V --version; do
	expect 0 "^utctl $version\$" utctl $v
done

# Only in the place of an option.
expect 3 '' utctl record -o "$T/x" sh -c 'exit 3' -h
expect 3 '' utctl record -o "$T/y" -- sh -c '[ "$1" = --help ] && exit 3' sh \
    --help

echo 'create -h' >"$T/text"
expect 1 'create: unknown option -h' utctl load -n "$T/text"

meant() {
	expect 1 "unknown command '$1': did you mean $2[?]" utctl "$1"
}
meant lsit list
meant lists list
meant recrod record
meant enable enable-channel
meant enable-evnt enable-event
meant snap snapshot
meant vieww view
expect 1 "unknown command 'xyzzy': utctl help lists all" utctl xyzzy
expect 1 "unknown command 'x': utctl help lists all" utctl x
expect 1 "unknown command 'lsit': did you mean list" utctl help lsit
long=$(printf %0100d 0)
expect 1 "unknown command '$long': utctl help" utctl "$long"
expect 1 '^usage: utctl help' utctl help a b
expect 1 '^usage: utctl version' utctl version a
expect 1 'utctl: version: unknown option -x' utctl version -x
[ "$(utctl help >/dev/full 2>&1; echo $?)" = 1 ] || [ ! -c /dev/full ] ||
    fail "/dev/full"

# Shells complete the same.
completed() {
	want=$1
	shift
	got=$(PATH=$TOP/utctl:$PATH bash -c '
	. "$0" && COMP_LINE="$*" && COMP_POINT=${#COMP_LINE} && { _utctl || :; } &&
	printf "%s\n" "${COMPREPLY[@]}"' "$TOP/utctl/complete/utctl.bash" "$@" |
	    LC_ALL=C sort | tr '\n' ' ')
	[ "$got" = "$want " ] || fail "$*: $got"
}
if command -v bash >/dev/null 2>&1; then
	completed 'disable-channel disable-event' utctl dis
	completed "$(LC_ALL=C sort "$T/commands" | tr '\n' ' ' | sed 's/ $//')" \
	    utctl ''
	completed 'version view' utctl help v
	completed '-a' utctl destroy -
	completed 'cpu func malloc pthread' utctl record -w ''
	completed 'malloc,cpu malloc,func malloc,malloc malloc,pthread' utctl record \
	    -w malloc,
	completed 'time,pid time,program' utctl view -o time,p
	completed 'warning' utctl view -l warn
	completed 'emerg err' utctl record -L e
	completed 'block discard overwrite' utctl enable-channel -m ''
	completed 'cycles' utctl record -k c
	completed 'chrome ctf folded otlp otlp-logs perfetto pprof' utctl export -F ''
	completed 'caller event function host program stack thread' utctl stat -g ''
	completed $$ utctl record -p $$
	start_utd
	utctl create -o "$T/one" one >/dev/null &&
	    utctl create -o "$T/other" other >/dev/null || fail "create"
	completed 'one other' utctl start ''
	completed 'other' utctl enable-event -s ot
	completed '' utctl enable-event ot
	pulse_start
	until_ok sh -c 'utctl events | grep -q pulse:a' || fail "pulse"
	# The shell replaces what is behind the colon.
	completed 'a' utctl enable-event pulse:a
	completed 'a' utctl record -e pulse:a
	kill -9 $PULSE
	(cd "$T" && completed 'other' utctl destroy ot) || exit 1
	mkdir "$T/dir" || exit 1
	(cd "$T/dir" && mkdir onto && completed 'one onto' utctl view on) ||
	    exit 1
	stop_utd || fail "utd: $?"
fi
for s in bash:utctl.bash zsh:_utctl fish:utctl.fish; do
	! command -v ${s%:*} >/dev/null 2>&1 ||
	    ${s%:*} -n "$TOP/utctl/complete/${s#*:}" || fail "${s#*:}"
done
