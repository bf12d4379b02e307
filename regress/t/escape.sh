# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Names, paths and strings are anybody's: nothing of what is printed, logged
# or written as JSON makes a terminal do, hide or turn around anything.

. ./common.sh

# Controls, also of two bytes; what turns the text around, ends a line, or is
# not seen; what is no UTF-8: cut, too long, a half of a pair, too large.
odd=$(printf 'a\033[31mb\177c\302\205d\302\233e\330\234f\342\200\216g')$(
    printf '\342\200\256h\342\201\246i\342\200\250j\342\200\251k\357\273\277')$(
    printf 'l\342\200\213m\302\255n\363\240\201\201o\377p\300\200q')$(
    printf '\355\240\200r\364\220\200\200s\342\200t\r')
text='a\x1b[31mb\x7fc\u0085d\u009be\u061cf\u200eg'
text=$text'\u202eh\u2066i\u2028j\u2029k\ufeff'
text=$text'l\u200bm\u00adn\U000e0041o\xffp\xc0\x80q'
text=$text'\xed\xa0\x80r\xf4\x90\x80\x80s\xe2\x80t\x0d'
json='a\u001b[31mb\u007fc\u0085d\u009be\u061cf\u200eg'
json=$json'\u202eh\u2066i\u2028j\u2029k\ufeff'
json=$json'l\u200bm\u00adn\udb40\udc41o\ufffdp\ufffd\ufffdq'
json=$json'\ufffd\ufffd\ufffdr\ufffd\ufffd\ufffd\ufffds\ufffd\ufffdt\u000d'
# And what is to be seen as it is.
good=$(printf '\302\240\303\251\327\220\340\244\205\342\202\254\360\237\230\200')
nl='
'

seemly() {
	what=$1
	shift
	./prog/seemly "$@" 2>"$T/why" || fail "$what: $(cat "$T/why")"
}

# What the command says and prints is fit, whatever its status.
fit() {
	want=$1
	shift
	"$@" >"$T/out" 2>"$T/err" </dev/null
	got=$?
	[ $got -eq "$want" ] || fail "$*: status $got: $(cat "$T/err")"
	cat "$T/out" "$T/err" | seemly "$*" || exit 1
}

has() {
	grep -q -F -e "$1" "$T/out" || fail "no '$1' in: $(cat "$T/out")"
}

is_json() {
	seemly "$1" -j <"$T/out"
	command -v python3 >/dev/null 2>&1 || return 0
	python3 -c 'import json, sys
for line in sys.stdin:
	json.loads(line)' <"$T/out" 2>"$T/json.err" ||
	    fail "$1: $(tail -n 1 "$T/json.err"): $(cat "$T/out")"
}

# Strings.
recorded -- ./prog/quote "$odd" "$good" "q\"b\\n${nl}t	." ''
fit 0 utctl view "$T/trace"
has "quote:string { s = \"$text\" }"
has "quote:text { t = \"a\\x1b[31mb\\x7fc\\u0085d\\u009be\" }"
has "quote:string { s = \"$good\" }"
has 'quote:string { s = "q\"b\\n\nt\t." }'
fit 0 utctl view -j "$T/trace"
has "\"fields\":{\"s\":\"$json\"}"
has "\"fields\":{\"s\":\"$good\"}"
has '"fields":{"s":"q\"b\\n\nt\t."}'
is_json 'view -j'

# Names of programs, directories, patterns, in lists and in the log.
cp prog/quote "$T/$odd" 2>/dev/null && cp prog/pulse "$T/p$odd" ||
    skip "no such names of files here"
start_utd -v
fit 0 utctl create -o "$T/t$odd$nl" s
has "$T/t$text\\n"
fit 0 utctl enable-event "[$odd]:*" '*'
fit 0 utctl start
"$T/$odd" x
pulse_start "$T/p$odd"
pulse hit 1
fit 0 utctl list
has "$T/t$text\\n"
fit 0 utctl list s
has 'program pa\x1b[31mb\x7fc\u0085d\u009be\u061cf\u200eg\u202eh'
has "enabled: [$text]:*"
fit 0 utctl list -j s
has "$T/t$json\\n"
is_json 'list -j'
fit 0 utctl events
has 'pa\x1b[31mb\x7fc\u0085d\u009be\u061cf\u200eg\u202eh'
fit 0 utctl events -j
has '"pa\u001b[31mb\u007fc\u0085d\u009be\u061cf\u200eg\u202eh'
is_json 'events -j'
fit 1 utctl disable-event "[$odd]:x"
fit 0 utctl destroy
fit 0 utctl view "$T/t$odd$nl"
has 'a\x1b[31mb\x7fc\u0085d\u009be\u061cf\u200eg\u202eh'
fit 0 utctl view -j "$T/t$odd$nl"
has '"procname":"a\u001b[31mb\u007fc\u0085d\u009be\u061cf\u200eg\u202eh'
is_json 'view -j'
fit 1 utctl create -o "$T/t$odd$nl" s
stop_utd || fail "utd: status $?"
seemly "utd -dv" <"$T/utd.log"
grep -q -F 'g\u202eh' "$T/utd.log" || fail "not in the log: $(cat "$T/utd.log")"

# Complaints, of what is there and what is not.
for c in create start stop list "enable-channel -s s" "enable-event -c" \
    "enable-event -l" "record -w" "record -k" "enable-channel -b" \
    "enable-channel -n" view "view -x" "record -o $T/none --"; do
	fit "$([ "$c" = "record -o $T/none --" ] && echo 127 || echo 1)" \
	    utctl $c "$odd" x
done
fit 1 utctl "$odd"
fit 1 utd -d -r "$T/none/$odd"
mv "$T/t$odd$nl" "$T/damaged$odd"
find "$T/damaged$odd" -name 'channel0_*' -exec \
    sh -c 'echo garbage that is long enough for a head >>"$1"' sh {} \;
fit 1 utctl view "$T/damaged$odd"
grep -q -F "damaged$text" "$T/err" || fail "not said: $(cat "$T/err")"
fit 0 utctl record -o "$T/rec$odd" -- true
grep -q -F "rec$text" "$T/err" || fail "not said: $(cat "$T/err")"
UT_RUNDIR=$T/no$odd
fit 1 utctl list
fit 1 utctl recover
