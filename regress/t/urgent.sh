# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that uses SIGURG gets each one that was sent to it, whether it is
# recorded, or there is a utd, or none.  On Linux libut's thread, which listens
# to utd, is woken by that signal, too; no event comes late because of that.

. ./common.sh

# one HOW N command...: it gets all signals.
one() {
	how=$1 n=$2
	shift 2
	"$@" ./prog/urgent "$how" "$n" >"$T/out" 2>"$T/err"
	case $? in
	0)	[ "$(cat "$T/out")" -eq "$n" ] || fail "$how: $(cat "$T/out")" ;;
	77)	return 1 ;;
	*)	fail "$*: $how: $(cat "$T/out" "$T/err")" ;;
	esac
}

# A signal that stays pending does not keep the thread awake.
quiet() {
	"$@" ./prog/urgent pending 2000 >"$T/out" 2>"$T/err" ||
	    fail "$*: pending: $(cat "$T/out" "$T/err")"
	echo "$(cat "$T/out") ms"
	[ "$(cat "$T/out")" -lt 1000 ] || fail "$(cat "$T/out") ms"
}

all() {
	for how in fd wait handler reset back; do
		one $how 500 "$@" || continue
	done
	quiet "$@"
}

all env
start_utd
all env
for how in fd wait handler reset; do
	one $how 500 utctl record -o "$T/$how" -- || continue
	[ "$(utctl view "$T/$how" | wc -l)" -eq 500 ] ||
	    fail "$how: $(utctl view "$T/$how" | wc -l) events"
done
quiet utctl record -o "$T/pending" --
[ "$(utctl view "$T/pending" | wc -l)" -eq 2 ] || fail "pending: not 2 events"
stop_utd || fail "utd: status $?"
