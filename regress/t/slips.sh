# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Slips of the pen: an option behind another argument, or a pattern that no
# event can match, is refused with the reason, and nothing is changed.

. ./common.sh

start_utd
mkdir "$T/cwd" || exit 1
cd "$T/cwd" || exit 1
utctl create -o "$T/t" s >/dev/null && utctl enable-event 'pulse:b' &&
    utctl start || fail "set-up"
utctl list -j >"$T/before" || fail "list"

# REASON command...
refused() {
	complains "$@"
	utctl list -j | cmp -s - "$T/before" ||
	    fail "$*: changed: $(utctl list)"
	[ -z "$(ls -A)" ] || fail "$*: left $(ls -A)"
}

# Options that come late, of every command; -- as well.
refused 'enable-event: -l comes after hello:greet; options come first' \
    utctl enable-event hello:greet -l info
for c in "create n -o" "create n --" "start s -x" "stop s -s" "destroy s -f" \
    "destroy s --" "enable-channel c -b" "enable-channel c -p" \
    "disable-channel c -s" "remove-channel c -s" "enable-event a:b -x" \
    "enable-event a:b c:d -a" "enable-event a:b --" "disable-event a:b -l" \
    "list s -j" "events s -j" "view $T/t -j" "view $T/t -q" \
    "view -j $T/t -q" "recover all -f"; do
	set -- $c
	for last in "$@"; do :; done
	refused "$1: $last comes after [^ ]*; options come first" \
	    utctl "$@" value
done
# An argument of an option is none, nor what follows --.
refused 'enable-event: -l comes after a:b' utctl enable-event -x -- a:b -l
refused "session name '-l'" utctl enable-event -s -l info a:b
refused "session name '-j'" utctl list -- -j
refused "session name '-x'" utctl create -- -x
refused "channel name '-p'" utctl enable-channel -- -p
refused ": -j: No such file" utctl view -- -j
refused "directory '--': begins like an option; ./-- does not" \
    utctl create -o -- n
refused "directory '-e': begins like" utctl record -o -e touch ran

# Patterns; as such, as exceptions, and for record.
pattern() {
	refused "pattern '.*': $1" utctl enable-event -- "$2"
	refused "pattern '.*': $1" utctl enable-event -l info -- a:b "$2"
	refused "pattern '.*': $1" utctl enable-event -x "$2" a:b
	refused "pattern '.*': $1" utctl enable-event -x 'pulse:*' -x "$2" -a
	refused "pattern '.*': $1" utctl enable-event -- 'pulse:*' "$2" a:b
	refused "pattern '.*': $1" utctl disable-event -- pulse:b "$2"
	refused "pattern '.*': $1" utctl disable-event -x "$2" pulse:b
	refused "pattern '.*': $1" utctl record -e "$2" touch ran
	refused "pattern '.*': $1" utctl record -e pulse:a -e "$2" -- touch ran
}
# Without --, these are options that there are not, or arguments of others.
refused "pattern '-l': begins like an option" \
    utctl enable-event -x -l info a:b
refused "pattern '--': begins like an option" utctl record -e -- touch ran
n=$(printf '%0250d' 0)
refused "pattern '-': begins like an option" utctl enable-event -
pattern 'empty' ''
pattern 'begins like an option; options come first' '-x:y'
pattern 'no name has a comma; several patterns are given one by one' \
    'pulse:a,pulse:b'
pattern "no name has a character like '{'" 'pulse:{a,b}'
pattern 'no name has a comma' ','
pattern "no name has a character of '\[,\]'" 'pulse:[,]'
pattern "no name has a character of '\[[.]-/\]'" 'pulse:[.-/]'
pattern "no name has a character of '\[^ -~\]'" 'pulse:[^ -~]'
pattern 'a bracket is not closed' 'pulse:[ab'
pattern 'a bracket is not closed' '['
pattern 'a bracket is not closed' 'pulse:[]'
pattern 'a bracket is not closed' 'pulse:[]a'
pattern 'a bracket is not closed' 'pulse:[!]a'
pattern 'a bracket is not closed' 'pulse:[[:alpha:]'
pattern 'a bracket is not closed' 'pulse:[[:alpha'
pattern 'nothing follows the backslash' 'pulse:a\'
pattern "no name has a character like '[.]'" 'pulse:a.b'
pattern "no name has a character like '-'; DTrace's - is __" 'p:query-start'
pattern "no name has a character like ' '" 'pulse:a b'
pattern "no name has a character like ']'" 'pulse:a]'
pattern "no name has a character like '$(printf '\303\251')'" "$(printf 'puls\303\251:a')"
pattern "no name has a character like '.\*'" 'pulse:\*'
for glob in hello 'hello?' '?' '??' 'a:' ':a' ':*' '*:' 'a::b' 'a:b:c' 1a:b \
    a:1b 'a:[0-9]' '[0-9]*:b' 'a[!:]b' '[:]*' '*[:]'; do
	pattern 'no event has such a name; names are provider:event' "$glob"
done
pattern 'longer than 255 bytes' "pulse:$n"

# What can match is taken, and matches.
[ "$(pwd)" = "$T/cwd" ] && cd "$TOP/regress" || exit 1
pulse_start
# Not every fnmatch(3) knows classes of characters, and ] as a member.
mkdir "$T/names" && : >"$T/names/a" && : >"$T/names/]" || exit 1
n=$(($(find "$T/names" -name '[[:alpha:]]' -o -name '[]b]' | wc -l)))
taken() {
	case $n,$1 in
	2,*)	;;
	*'[[:'*|*'[]'*|*'[!]'*)	return 1 ;;
	esac
	return 0
}
for glob in '*' '???' 'hello*' 'pulse*' '*a' '?*?*?' 'puls[e]:a' '*[:]a' \
    'pulse[^a-z]a' '[[:alpha:]]ulse:a' '[]p]ulse:a' '[!]]ulse:a' \
    'p\ulse\:a' '[,p]ulse:[,a]' '[p-]*' 'a_1:_' 'pulse?a' \
    '[:a]*:a' '[]a]*:a' '**' "a:b$(printf '%0248d' 0)"; do
	taken "$glob" || continue
	expect 0 '' utctl enable-event "$glob"
	expect 0 '' utctl disable-event "$glob"
done
for glob in 'pul*[a]' 'puls[e]:a' '[!]]ulse:a' 'p\ulse\:a' '[,p]*[[:alpha:]]'
do
	taken "$glob" || continue
	expect 0 ': [13] events* of 1 program$' utctl enable-event "$glob"
	expect 0 '' utctl disable-event "$glob"
done
expect 0 '' utctl enable-event -- a:b c:d
expect 0 '' utctl disable-event a:b c:d
expect 0 '5 events, 0 lost' utctl record -o "$T/r" -e 'seq:*' \
    sh -c './prog/seq 1 1 5' sh -l
expect 0 '' utctl list -- s
expect 0 '' utctl destroy -- s
stop_utd || fail "utd: status $?"
