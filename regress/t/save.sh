# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# save prints sessions as commands, and load makes the same sessions of them,
# whatever is in their names and patterns; another user's become one's own.

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
