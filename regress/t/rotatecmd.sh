# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# rotate -c: a command for each chunk, as the user who owns the session, one
# after the other and in order; by time and by size; the chunk is its argument,
# whatever is in the name.  What it returns is told.  It outlives utd, and the
# next one goes on with it.

. ./common.sh

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 777 "$T/got" || exit 1
DIR="$T/got/a b; echo \$1 'x"
OWN=$T/got/own
record='echo "$1" >>'"$T/got/list"'; id -u >>'"$T/got/ids"'
    [ -d "$1/ust" ] && ls "$1/.." | grep -q "^\\." || : whole
    readlink /proc/self/fd/* >'"$T/got/fds"' 2>/dev/null
    ! mkdir '"$T/got/lock"' || { sleep 0.02; rmdir '"$T/got/lock"'; exit 0; }
    echo "two at once" >>'"$T/got/list"

user() {
	as_user env UT_RUNDIR="$UT_RUNDIR" "$@"
}

lines() {
	[ -f "$T/got/list" ] && [ "$(wc -l <"$T/got/list")" -ge "$1" ]
}

start_utd
user utctl create -o "$DIR" s >/dev/null &&
    user utctl enable-event 'seq:*' && user utctl start || fail "set-up"
user utctl rotate -c "$record" s || fail "rotate -c"
expect 0 'rotated: 0 chunks, for each: echo' user utctl list s
user utctl save s >"$T/saved" || fail "save"
[ "$(grep -c '^rotate -c ' "$T/saved")" -ge 1 ] || fail "$(cat "$T/saved")"

# In order, each once, while the next ones come.
i=0
while [ $i -lt 20 ]; do
	user ./prog/seq $i 1 10 || fail "seq: $?"
	user utctl rotate s >/dev/null || fail "rotate"
	i=$((i + 1))
done
until_ok lines 20 || fail "not run for all: $(cat "$T/got/list")"
i=0
while read -r dir; do
	i=$((i + 1))
	case $dir in
	"$DIR"/archives/*-$i)	;;
	*)			fail "chunk $i: $dir" ;;
	esac
	[ -d "$dir/ust" ] || fail "$dir is not there"
done <"$T/got/list"
[ $i -eq 20 ] || fail "$i chunks"
me=$(id -u)
[ "$me" -ne 0 ] || me=65534
[ "$(sort -u "$T/got/ids")" = "$me" ] || fail "run as $(sort -u "$T/got/ids")"
[ ! -s "$T/got/fds" ] || ! grep -v -e '^/dev/null$' -e '^/proc/' \
    -e "^$T/got/fds\$" "$T/got/fds" || fail "more descriptors than its own"

# By size: a chunk that is large by chance does not make the next one larger.
rm "$T/got/list"
user utctl rotate -z 64k s || fail "rotate -z"
for n in 40000 4000 4000; do
	had=$(grep -c . "$T/got/list" 2>/dev/null)
	user ./prog/seq 41 1 $n || fail "seq: $?"
	until_ok lines $((${had:-0} + 1)) || fail "no chunk after $n events"
done

# By size, and by time: chunks as large as that, or a little more.
rm "$T/got/list"
user utctl rotate -z 64k s || fail "rotate -z"
expect 0 'at 65536 bytes' user utctl list s
who=-
[ "$(id -u)" -ne 0 ] || who=65534
background ./prog/asuser $who ./prog/seq -p 50 30 2 90000000
writer=$LAST
until_ok lines 3 || fail "no chunks by size"
user utctl rotate -z 0 s && user utctl rotate -t 200ms s || fail "rotate -t"
n=$(wc -l <"$T/got/list")
until_ok lines $((n + 3)) || fail "no chunks by time"
head -n 3 "$T/got/list" | while read -r dir; do
	n=$(stream_bytes "$dir")
	[ "$n" -ge 65536 ] || fail "$dir: only $n bytes"
done || exit 1
kill -9 $writer
# utd may see that later than we do.
no_seq() {
	user utctl list s >"$T/out" && ! grep -q '^ *program seq' "$T/out"
}
until_ok gone $writer && until_ok no_seq ||
    fail "the writer runs on: $(cat "$T/out")"
# Other options do not put it off, however often they are given.
put_off() {
	user utctl rotate -k 1000 s && user utctl snapshot -k 5 s && lines "$1"
}
user utctl rotate -t 1s s && n=$(wc -l <"$T/got/list") &&
    user ./prog/seq 43 1 10 || fail "rotate -t 1s"
until_ok put_off $((n + 1)) || fail "options put rotate -t off"
user utctl rotate -k 0 s && user utctl snapshot -k 0 s || fail "-k 0"
user utctl rotate -t 0 s || fail "rotate -t 0"
expect 0 'rotated: [0-9]* chunks, for each: echo' user utctl list s

# Where nothing is written there is no chunk, though there are directories for
# the programs of another user.
if [ "$(id -u)" -eq 0 ]; then
	utctl create -o "$T/idle" idle >/dev/null &&
	    utctl enable-event 'seq:*' >/dev/null && utctl start >/dev/null ||
	    fail "set-up of idle"
	utctl rotate -t 50ms idle || fail "rotate -t"
	sleep 0.3
	./prog/asuser 65534 ./prog/seq 70 1 3 || fail "seq: $?"
	until_ok sh -c "ls -d $T/idle/archives/*" || fail "no chunk"
	until_ok sh -c "ls -d $T/idle/chunk-[1-9][0-9]" || fail "not rotated"
	expect 0 'rotated: 1 chunk,' utctl list idle
	expect 0 'destroyed: 3 events' utctl destroy idle
	[ "$(find "$T/idle" -name metadata | wc -l)" -eq 1 ] &&
	    [ "$(ls "$T/idle/archives" | wc -l)" -eq 1 ] ||
	    fail "$(find "$T/idle")"
fi

# What goes wrong is told.
user utctl rotate -c 'exit 3' s && user utctl rotate s >/dev/null ||
    fail "rotate"
until_ok sh -c 'utctl list '"$me"'/s | grep "warning: command for chunks: exit status 3"' ||
    user utctl list s | grep 'warning: command for chunks: exit status 3' ||
    fail "exit status: $(user utctl list s)"

user utctl rotate s >/dev/null && user utctl rotate s >/dev/null ||
    fail "rotate"
logged() {
	[ "$(grep -c 'command for [0-9].*: exit status 3' "$T/utd.log")" -ge 3 ]
}
# A chunk that waited for the command before may be there, too.
until_ok logged || fail "not all in the log: $(cat "$T/utd.log")"
expect 0 '^    warning: command' user utctl list s
[ "$(grep -c 'warning: command' "$T/out")" -eq 1 ] ||
    fail "more than one warning: $(cat "$T/out")"

# The only chunk of a session that is to be rotated, and was not.
user utctl create -o "$T/got/once" once >/dev/null &&
    user utctl enable-event 'seq:*' && user utctl start >/dev/null &&
    user utctl rotate -t 1h && user ./prog/seq 42 1 5 || fail "once"
expect 0 'destroyed: 5 events' user utctl destroy once
[ "$(ls "$T/got/once/archives" | wc -l)" -eq 1 ] ||
    fail "not in archives: $(find "$T/got/once")"

# Killed utd: what runs goes on, and what waits is not forgotten.
rm "$T/got/list"
user utctl rotate -c "sleep 1; $record" s || fail "rotate -c"
user utctl rotate s >/dev/null && user utctl rotate s >/dev/null ||
    fail "rotate"
kill_utd 0
until_ok lines 1 || fail "it died with utd"
start_utd
until_ok lines 3 || fail "forgotten: $(cat "$T/got/list")"
[ "$(sort -u "$T/got/list" | wc -l)" -eq 2 ] || fail "$(cat "$T/got/list")"

# The last chunk, although the session is gone.
user utctl rotate -c "sleep 0.3; $record" s || fail "rotate -c"
n=$(wc -l <"$T/got/list")
user ./prog/seq 40 1 10 || fail "seq: $?"
expect 0 'destroyed' user utctl destroy s
expect 0 '' user utctl create -o "$OWN" s
until_ok lines $((n + 1)) || fail "not run for the last chunk"
tail -n 1 "$T/got/list" | grep -q "^$T/got/a b" || fail "$(cat "$T/got/list")"

# Also if utd is killed then.
user utctl rotate -c 'sleep 1; echo "$1" >>'"$T/got/list" s &&
    user utctl start s >/dev/null || fail "rotate -c"
user utctl rotate s >/dev/null && user utctl rotate s >/dev/null ||
    fail "rotate"
expect 0 'destroyed' user utctl destroy s
kill_utd 0
start_utd
expect 0 '' user utctl create -o "$OWN.2" s
expect 0 's (stopped)' user utctl list s
until_ok grep -q "^$OWN/archives/.*-2\$" "$T/got/list" ||
    fail "forgotten: $(cat "$T/got/list")"

# Another who loads it has the same; an empty one is none.
user utctl rotate -c 'echo "$1"' s && user utctl rotate -c '' s ||
    fail "rotate -c ''"
expect 0 '"rotate_command":""' user utctl list -j s
[ -z "$(grep 'two at once' "$T/got/list")" ] || fail "two at once"
stop_utd || fail "utd: status $?"
