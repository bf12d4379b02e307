# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# load makes sessions of commands that were written by hand: all, or none if
# anything is wrong with one of the lines, utd refuses one or a signal comes;
# and what is loaded records.

. ./common.sh

HOME=$T/home
export HOME
: >"$T/none"
start_utd

# Other ways to write it, from stdin, and without the names of sessions.
sed "s|@T@|$T|" >"$T/hand" <<'END'
# made by hand
	create -o @T@/'h 1' h1	# with a comment
enable-channel -b 8k  $'\143'\1
enable-event -c "c1" -l"warn"ing "p[\"\$\\\\a\x]:*" '\a'\:b
END
printf 'create -o %s h2\nenable-event -a\nstart\nenable-event -s h1 -a' \
    "$T/h2" >>"$T/hand"
utctl load <"$T/hand" >"$T/out" 2>"$T/err" ||
    fail "by hand: $(cat "$T/err" "$T/hand")"
cat >"$T/want" <<END
create -o '$T/h 1' h1
enable-channel -s h1 -b 8k c1
enable-event -s h1 -c c1 -l warning 'p["\$\\\\a\\x]:*'
enable-event -s h1 -c c1 -l warning '\\a:b'
enable-channel -s h1 channel0
enable-event -s h1 -c channel0 '*'
create -o $T/h2 h2
enable-channel -s h2 channel0
enable-event -s h2 -c channel0 '*'
start h2
END
expect 0 '' utctl save
cmp -s "$T/out" "$T/want" || fail "by hand: $(diff "$T/want" "$T/out")"
expect 0 '' utctl destroy h1

# What is wrong is one line that names the place, and nothing is done.
utctl list -j >"$T/before" || fail "list"
bad() {
	printf "create -o $T/new1 new1\\nstart new1\\n$2\\n" >"$T/bad"
	for n in '' -n; do
		complains "^utctl: $T/bad:${3:-3}: $1" utctl load $n "$T/bad"
	done
	utctl list -j | cmp -s - "$T/before" && [ ! -e "$T/new1" ] ||
	    fail "$2 did something: $(utctl list)"
}
for c in stop destroy remove-channel disable-event untrack list events status \
    save load record recover view; do
	bad "$c: only create" "$c new1"
done
bad 'rotate can be loaded only with options$' 'rotate new1'
for o in '' "-o $T/new2" '-n a' '-c true'; do
	bad 'snapshot can be loaded only with -k$' "snapshot $o new1"
done
bad 'trigger -r cannot be loaded$' 'trigger -r 1 new1'
bad "unknown command 'frob'" frob
bad "unknown command ''" "''"
bad 'usage: create \[-N | \[-S | -M size\] \[-o dir\]\] \[name\]$' 'create x y'
bad 'usage: enable-channel .*-b subbuf-size.* channel$' 'enable-channel'
bad "usage: enable-event .*level\] \[-x glob\]" 'enable-event -s new1'
bad 'create: option -o needs' 'create -o'
bad 'start: unknown option -Z$' 'start -Z'
bad 'start: -Z comes after new1' 'start new1 -Z'
bad 'enable-event: there are no long' 'enable-event --help'
bad "session name 'a/b'" 'create a/b'
bad "channel name '.x'" 'enable-channel .x'
bad "sub-buffer size '3k'" 'enable-channel -b 3k x'
bad "number of sub-buffers '1'" 'enable-channel -n 1 x'
bad "clock x" 'enable-channel -k x x'
bad "level 'loud'" 'enable-event -l loud -a'
bad "pattern 'a,b'" 'enable-event a,b'
bad "pattern 'a\*,'" 'enable-event -x "a*," -a'
bad "pattern ''" 'enable-event ""'
bad 'the name of the directory is empty' "create -o '' x"
bad 'session new1 is created in line 1 already' 'create new1'
bad 'start: without -a: name the session, or none' 'start -a'
bad 'no line above creates session h2' 'start h2'
bad 'no line above creates session 0/new1' 'start 0/new1'
bad 'no line above creates session x' 'enable-event -s x -a\ncreate x'
bad 'a single quote is not closed' "enable-event 'a\\nb'"
bad 'a double quote is not closed' 'enable-event "a\nb"'
bad 'a double quote is not closed' 'enable-event "a\\\\\nb"'
bad 'a single quote is not closed' "enable-event \$'a"
bad 'nothing follows the backslash' 'start new1 \\'
bad 'in double quotes, \$' 'create -o "$HOME/x" x'
bad 'in double quotes' 'enable-event "`a`"'
for c in '$' '~'; do
	bad "$c is not expanded" "create x$c y"
done
bad 'leave out utctl' 'utctl create x'
bad 'the line ends with a carriage return' 'create x\r'
for c in '`' '|' '&' ';' '<' '>' '(' ')'; do
	bad "$c needs quotes" "create x$c y"
done
for e in q 0 000 400 x41 8; do
	bad 'in .*, a backslash is followed by' "enable-event \$'\\\\$e'"
done
bad 'unknown command' '\n\n# x\nfrob' 6
printf 'start\n' >"$T/bad"
complains 'bad:1: no line above creates a session$' utctl load "$T/bad"
printf 'create a\0b\n' >"$T/bad"
complains "^utctl: $T/bad: not a text" utctl load "$T/bad"
complains "^utctl: $T/none/x: Not a dir" utctl load "$T/none/x"
complains "^utctl: $T: Is a directory" utctl load "$T"
[ ! -c /dev/zero ] || complains 'not a text' utctl load /dev/zero
yes '# a comment' | head -c 5000000 >"$T/bad"
complains 'bad: larger than' utctl load "$T/bad"
# The largest text is checked in a moment.
awk 'BEGIN { for (i = 0; i < 200000; i++) print "create -N s" i }' >"$T/bad"
(ulimit -t 20 && utctl load -n "$T/bad") || fail "many sessions: status $?"
i=0
while [ $i -lt 40 ]; do
	dd if=/dev/urandom bs=300 count=1 2>/dev/null |
	    tr '\000-\377' '[create \047\042$\134 -o#;\n\303]*' >"$T/junk"
	{ printf 'create -o /nowhere/x x\nenable-event '; cat "$T/junk"; } \
	    >"$T/bad"
	# It may make sense: then that is what was checked.
	utctl load -n "$T/bad" >"$T/out" 2>"$T/err" ||
	    complains 'bad:[0-9]*: ' utctl load -n "$T/bad"
	[ ! -s "$T/out" ] || fail "load -n: $(cat "$T/out")"
	i=$((i + 1))
done

# A request that utd refuses: what was made before it is gone, with the
# directories that were not there, and h2 is again the session that a command
# without a name means.
refused() {
	where=$1
	printf "$2\\n" >"$T/bad"
	mkdir "$T/there"
	complains "^utctl: $T/bad:$where" utctl load "$T/bad"
	utctl list -j >"$T/after"
	cmp -s "$T/before" "$T/after" ||
	    fail "$2 did something: $(cat "$T/before" "$T/after")"
	rmdir "$T/there/ust" 2>/dev/null
	rmdir "$T/there" || fail "there: $(ls -R "$T/there")"
	for d in "$T/new1" "$T/new2"; do
		[ ! -e "$d" ] || fail "$2: left: $(ls -R "$d")"
	done
}
new="create -o $T/new1 new1\\ncreate -o $T/there there"
new="$new\\ncreate -o $T/new2 new2\\nenable-event -a\\nstart new2"
refused '6: session h2 exists' "$new\\ncreate h2"
refused '1: session h2 exists' "create -o $T/new1 h2\\n$new"
refused '6: session new2 is started already' "$new\\nstart"
refused '6: channel no does not exist' "$new\\nenable-event -c no -a"
refused '6: channel name metadata is taken' "$new\\nenable-channel metadata"
refused '6: channel channel0 exists' "$new\\nenable-channel channel0"
refused '6: \* is enabled already' "$new\\nenable-event -a"
refused "6: $T/new2: another session uses it\$" "$new\\ncreate -o $T/new2 new3"
refused '8: channel c is disabled already' \
    "$new\\nenable-channel c\\ndisable-channel c\\ndisable-channel c"
expect 0 'session h2 stopped' utctl stop
expect 0 'session h2 started' utctl start

# A signal waits for the request, and then for the undoing.
halt $(consumers)
printf "create -o $T/new1 new1\\ncreate -o $T/new2 new2\\n" >"$T/bad"
utctl load "$T/bad" >"$T/out" 2>"$T/err" &
p=$!
sleep 0.5
kill -TERM $p
sleep 0.2
kill -CONT $(consumers)
wait $p
[ $? -eq 143 ] || fail "SIGTERM: status $?"
grep -q 'bad:1: interrupted$' "$T/err" && [ "$(wc -l <"$T/err")" -eq 1 ] &&
    [ ! -s "$T/out" ] || fail "SIGTERM: $(cat "$T/out" "$T/err")"
utctl list -j | cmp -s - "$T/before" && [ ! -e "$T/new1" ] ||
    fail "SIGTERM did something: $(utctl list)"

# A second one ends utctl at once, the same or not.
has_ended() {
	[ "$1" != TERM ] || kill -TERM $p 2>/dev/null
	gone $p
}
# Where nohup(1) runs this, SIGHUP ends nothing.
signals=TERM
[ -n "$(sh -c 'kill -HUP $$; echo ignored' 2>/dev/null)" ] ||
    signals="$signals HUP"
for second in $signals; do
	halt $(consumers)
	echo "create -o $T/$second $second" >"$T/bad"
	utctl load "$T/bad" >"$T/out" 2>"$T/err" &
	p=$!
	sleep 0.5
	kill -TERM $p
	[ $second = TERM ] || kill -$second $p
	until_ok has_ended $second || fail "SIGTERM, SIG$second: not ended"
	wait $p
	[ $? -gt 128 ] && [ ! -s "$T/err" ] ||
	    fail "SIGTERM, SIG$second: $(cat "$T/err")"
	kill -CONT $(consumers)
	until_ok utctl destroy -a || fail "destroy -a"
done

# What is loaded records, beside a program that runs.
pulse_start
pulse_known() {
	utctl events | grep -q pulse:a
}
until_ok pulse_known || fail "pulse has not come"
cat >"$T/real" <<END
create -o $T/real.trace real
enable-channel -s real -b 4k -n 64 sharp
enable-event -s real -c sharp -x pulse:b 'pulse:*'
start real
END
expect 0 '^session real started: 2 events of 1 program$' utctl load "$T/real"
pulse_on a-c- || fail "pulse: $answer"
pulse hit 25
expect 0 'session real destroyed: 50 events, 0 lost' utctl destroy -a
readers_agree "$T/real.trace"
[ "$(grep -c pulse:a "$T/view.out")" -eq 25 ] || fail "$(cat "$T/view.out")"
# The trace is in the way of the same text.
complains 'real:1: .*not empty' utctl load "$T/real"

stop_utd || fail "utd: status $?"
