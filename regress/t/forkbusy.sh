# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A signal handler forks in the middle of an event, while other threads are in
# theirs: these are none of the child's, which goes on to be traced by one
# session after the other, more than it has channels.

. ./common.sh
not_sanitized

start_utd
session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-event -s "$1" 'forkbusy:*' >/dev/null &&
	    utctl start "$1" >/dev/null || fail "set-up of $1"
}
session s0
mkfifo "$T/in" "$T/out" || fail "mkfifo"
./prog/forkbusy <"$T/in" >"$T/out" 2>"$T/err" &
CHILDREN="$CHILDREN $!"
exec 3>"$T/in" 4<"$T/out"
read -r word pid <&4 || fail "no child: $(cat "$T/err")"
[ "$word" = ready ] || fail "no child: $word"
CHILDREN="$CHILDREN $pid"
utctl destroy s0 >/dev/null || fail "destroy"
i=1
while [ $i -le 36 ]; do
	session s$i
	echo go >&3
	read -r word <&4 || fail "the child is gone: $(cat "$T/err")"
	utctl destroy s$i >"$T/destroyed" || fail "destroy s$i"
	n=$(utctl view "$T/s$i" | grep -c 'forkbusy:good')
	[ "$n" -eq 4 ] || fail "session $i: $n events of the child"
	rm -rf "$T/s$i"
	i=$((i + 1))
done
exec 3>&- 4<&-
