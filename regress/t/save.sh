# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# save prints sessions as commands, and load makes the same sessions of them:
# all, or none if anything is wrong with one of the lines.

. ./common.sh

HOME=$T/home
export HOME
draw 32768
seed=$r

# -n needs no utd, an empty text neither.
printf 'create a\nstart a\n' >"$T/two"
expect 0 '' utctl load -n "$T/two"
[ ! -s "$T/out" ] && [ ! -s "$T/err" ] || fail "-n says something"
printf '# nothing\n\n  \t\n' >"$T/none"
expect 0 '' utctl load "$T/none"
complains 'no utd is running' utctl load "$T/two"
complains 'no utd is running' utctl save
start_utd
expect 0 '' utctl save
[ ! -s "$T/out" ] || fail "sessions: $(cat "$T/out")"

# What it looks like.
cat >"$T/want" <<END
create -o $T/web web
enable-channel -s web -b 4k -n 64 few
enable-event -s web -c few -l warning '*'
enable-event -s web -c few -L err -x 'db:lock*' -x db:x 'db:[a\$"'\\'']*'
enable-channel -s web channel0
enable-event -s web -c channel0 '\\a*'
enable-event -s web -c channel0 -f 'a == "it'\\''s" && !(b & 1)' db:f
enable-channel -s web -b 1m -n 48 -p per
enable-event -s web -c per 'a[\$b]:c'
disable-channel -s web per
enable-channel -s web -n 48 plain
enable-channel -s web -p usual
track -s web -n '[db\$]*' -n db -p 4711 -u $(id -u)
create quiet
enable-channel -s quiet -n 512 -p none
create -N unwritten
enable-channel -s unwritten -i 0 full
enable-channel -s unwritten -b 4k -i 60m rare
enable-channel -s unwritten -i 999ms soon
enable-channel -s unwritten -p -i 2s two
start web
END
utctl create -o "$T/web" web >/dev/null &&
    utctl enable-channel -b 4096 -n 64 -k monotonic few &&
    utctl enable-event -c few -l 4 '*' >/dev/null &&
    utctl enable-event -c few -L UT_ERR -x 'db:lock*' -x 'db:x' \
	"db:[a\$\"']*" >/dev/null &&
    utctl enable-channel -b 16k gone && utctl remove-channel gone &&
    utctl enable-event '\a*' >/dev/null &&
    utctl enable-event -f "a == \"it's\" && !(b & 1)" 'db:f' >/dev/null &&
    utctl enable-channel -p -n 48 -b 1024k per &&
    utctl enable-event -c per 'a[$b]:c' >/dev/null &&
    utctl disable-channel per &&
    utctl enable-channel -n 48 plain && utctl enable-channel -p usual &&
    utctl track -n '[db$]*' -n db -p 4711 -u "$(id -u)" >/dev/null &&
    utctl start web >/dev/null && utctl create quiet >/dev/null &&
    utctl enable-channel -p -n 512 none &&
    utctl create -N unwritten >/dev/null &&
    utctl enable-channel -i 0 full &&
    utctl enable-channel -b 4k -i 3600 rare &&
    utctl enable-channel -i 999ms soon &&
    utctl enable-channel -p -i 2000ms two || fail "set-up"
expect 0 '' utctl save
cmp -s "$T/out" "$T/want" || fail "save: $(diff "$T/want" "$T/out")"
expect 0 '' utctl save quiet web
grep -v '^start' "$T/out" | sed -n '1p;$p' | tr '\n' ' ' |
    grep -q '^create quiet track -s web ' ||
    fail "not in the order of names: $(cat "$T/out")"
expect 0 '' utctl save -o "$T/saved" web
grep -v 'quiet\|unwritten' "$T/want" | cmp -s - "$T/saved" ||
    fail "save -o: $(cat "$T/saved")"
cp "$T/saved" "$T/kept"
complains 'saved: File exists' utctl save -o "$T/saved" quiet
cmp -s "$T/saved" "$T/kept" || fail "a file was overwritten"
complains 'session no does not exist' utctl save -o "$T/new" web no
complains 'two sessions are called web' utctl save -o "$T/new" web web
complains 'session name' utctl save -o "$T/new" 'a b'
complains 'No such file' utctl save -o "$T/no/such" web
[ ! -e "$T/new" ] || fail "a file of a save that failed"
if [ -c /dev/full ]; then
	utctl save >/dev/full 2>"$T/err" && fail "/dev/full: status 0"
fi

# again: destroys what is there, with the traces, and loads it again; and it is
# the same.
again() {
	utctl list -j >"$T/before" && utctl save >"$T/saved" ||
	    fail "$1: list, save"
	expect 0 '' utctl destroy -a
	rm -rf "$T/home" "$T/web" "$T"/dir*
	expect 0 '' utctl load -n "$T/saved"
	expect 0 '^no sessions$' utctl list
	expect 0 '' utctl load "$T/saved"
	[ ! -s "$T/err" ] || fail "$1: load says $(cat "$T/err")"
	utctl list -j >"$T/after" && utctl save >"$T/resaved" ||
	    fail "$1: list, save"
	for f in before after; do
		sed -e 's/[0-9]\{8\}-[0-9]\{6\}/TIME/g' \
		    -e 's/"offset_ns":"[0-9]*"/"offset_ns":""/g' \
		    -e 's/{[^{]*"state":"removed"[^}]*},//g' \
		    "$T/$f" >"$T/$f.timeless"
	done
	cmp -s "$T/before.timeless" "$T/after.timeless" ||
	    fail "$1: $(cat "$T/saved" "$T/before.timeless" "$T/after.timeless")"
	cmp -s "$T/saved" "$T/resaved" ||
	    fail "$1: $(cat "$T/saved" "$T/resaved")"
}
again "the first"
grep -q '^session web started$' "$T/out" && grep -q "^session web: $T/web\$" \
    "$T/out" || fail "load says: $(cat "$T/out")"
expect 0 '' utctl destroy -a

# Names and patterns of characters that mean something to somebody, in brackets
# so that an event can have such a name: octal, for printf %b.
awk -v seed="$seed" '
function pick(n) {
	return int(rand() * n)
}
function odd(   s, i) {
	s = ""
	for (i = pick(7); i >= 0; i--)
		s = s piece[1 + pick(n)]
	return s
}
BEGIN {
	srand(seed)
	n = split("040 047 042 044 140 073 046 174 074 076 050 051 043 176 " \
	    "052 077 173 175 045 075 053 054 072 056 012 011 033 177 " \
	    "303-251 342-200-256 360-237-230-200 377 302 302-205 134-134 " \
	    "015 041 141 061 132", piece, " ")
	for (i = 1; i <= n; i++) {
		gsub("-", "\\0", piece[i])
		piece[i] = "\\0" piece[i]
	}
	levels = split("-lerr -Linfo -ldebug -Lemerg", level, " ")
	for (i = 1; i <= 60; i++) {
		what = i % 6 == 0 ? "session" : "rule"
		which = pick(2) ? "-ldebug" : level[1 + pick(levels)]
		print what, which, odd(), odd(), odd()
	}
}' >"$T/random"
n=0
while read -r what level one two three; do
	if [ $what = session ] || [ $n -eq 0 ]; then
		n=$((n + 1))
		dir=$(printf %b "$T/dir$n $three")x
		utctl create -o "$dir" "s-$n._$n" >/dev/null &&
		    utctl enable-channel -n $((2 + n)) "c$n-." ||
		    fail "session $one"
	fi
	utctl enable-event -c "c$n-." $level -x "$(printf %b "*[a$one]")" \
	    -x "$(printf %b "[a$two]*")" "$(printf %b "[x$three]*:[y$one]")" \
	    "a:n$n*" >"$T/out" 2>&1 || grep -q 'enabled already' "$T/out" ||
	    fail "rule $one $two $three: $(cat "$T/out")"
done <"$T/random"
[ $n -ge 10 ] || fail "$n sessions"
again "at random"
./prog/seemly <"$T/saved" || fail "not fit for a terminal: $(cat "$T/saved")"
[ "$(wc -l <"$T/saved")" -eq "$(grep -c -e '^create ' -e '^enable-' \
    "$T/saved")" ] || fail "a command is not a line: $(cat "$T/saved")"
# sh reads the same in them, where it knows $'...'.
if [ "$(sh -c "printf %s \$'\\101'")" = A ]; then
	expect 0 '' utctl destroy -a
	rm -rf "$T"/dir*
	sed 's/^/utctl /' "$T/saved" >"$T/saved.sh"
	expect 0 '' sh "$T/saved.sh"
	expect 0 '' utctl save
	cmp -s "$T/out" "$T/saved" || fail "sh: $(diff "$T/saved" "$T/out")"
fi
expect 0 '' utctl destroy -a

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
expect 0 '' utctl destroy

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

# Another user's, by name, becomes one's own.
if [ "$(id -u)" -eq 0 ]; then
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir "$T/one" &&
	    chown 65534 "$T/one" || exit 1
	one="./prog/asuser 65534 utctl"
	expect 0 '' $one create -o "$T/one/t" theirs
	expect 0 '' utctl save
	[ ! -s "$T/out" ] || fail "another user's is saved: $(cat "$T/out")"
	expect 0 "^create -o $T/one/t theirs\$" utctl save theirs
	expect 0 "^create -o $T/one/t theirs\$" utctl save 65534/theirs
	expect 0 "^create -o $T/one/t theirs\$" $one save
	# The user's commands would be run by whoever loads the text.
	sneaky="touch '$T/run'
start it"
	expect 0 '' $one trigger -e 'seq:*' -a "exec $sneaky" theirs
	expect 0 '' $one trigger -e 'seq:*' -a stop theirs
	expect 0 '' $one rotate -t 1h -c "$sneaky" theirs
	expect 0 '' $one rotate -c "$sneaky" theirs
	expect 0 '' utctl save theirs
	sed "s/[$]'.*start it'/QUOTED/" "$T/out" >"$T/got"
	expected "another user's commands" <<-END
	create -o $T/one/t theirs
	rotate -t 3600000ms theirs
	# rotate -c QUOTED theirs
	# trigger -e 'seq:*' -a QUOTED theirs
	trigger -e 'seq:*' -a stop theirs
	END
	[ "$(grep -c "session 65534/theirs: uid 65534's command is a comment, \
or whoever loads the text would run it" "$T/err")" -eq 1 ] &&
	    [ "$(wc -l <"$T/err")" -eq 1 ] || fail "theirs: $(cat "$T/err")"
	expect 0 '' $one save
	[ "$(grep -c '^[rt].*start it' "$T/out")" -eq 2 ] && [ ! -s "$T/err" ] ||
	    fail "one's own: $(cat "$T/out" "$T/err")"
	expect 0 '' $one destroy
fi
stop_utd || fail "utd: status $?"
