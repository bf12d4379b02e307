# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What is called wrongly says so in one line, usage apart, ends with status 1
# and changes nothing.

. ./common.sh

start_utd
chmod 711 "$T" && mkdir "$T/cwd" "$T/home" || exit 1
HOME=$T/home
TMPDIR=$T/cwd
export HOME TMPDIR
utctl create -o "$T/trace" s >/dev/null && utctl enable-channel c ||
    fail "set-up"
utctl list -j >"$T/before" || fail "list"

bad() {
	expect 1 "$@"
	[ ! -s "$T/out" ] || fail "$*: on stdout: $(cat "$T/out")"
	lines=$(grep -c -v -e '^usage: ' -e '^	' -e '^       utctl' \
	    "$T/err")
	[ "$lines" -le 1 ] || fail "$*: $lines lines: $(cat "$T/err")"
	utctl list -j >"$T/after" || fail "list"
	cmp -s "$T/before" "$T/after" || fail "$* changed $(cat "$T/after")"
}

long=$(printf '%065d' 0)
toolong=$(printf '%0300d' 0)
path=/$(printf '%05000d' 0)

# Commands and options.
bad '^usage: utctl create' utctl
bad "unknown command 'frobnicate'" utctl frobnicate
bad "unknown command '-x'" utctl -x
bad "unknown command ''" utctl ''
for c in create start stop destroy enable-channel disable-channel \
    remove-channel enable-event disable-event track untrack status list \
    events save load \
    record recover view; do
	bad "^usage: utctl $c" utctl $c -Z
	bad "utctl: $c: unknown option -Z" utctl $c -Z
	bad "utctl: $c: unknown option -:" utctl $c -:
	bad "utctl: $c: there are no long options" utctl $c --frob
done
bad '^utctl help lists the commands; to begin: man 7 ut$' utctl
bad '^usage: utctl create' utctl create a b
bad "utctl: create: option -o needs a value" utctl create -o
for c in start stop destroy; do
	bad "^usage: utctl $c" utctl $c a b
done
bad '^usage: utctl enable-channel' utctl enable-channel
bad '^usage: utctl enable-channel' utctl enable-channel a b
bad '^usage: utctl enable-event' utctl enable-event
# What is missing is said.
lacks() {
	want=$1
	shift
	bad "utctl: $1: $want\$" utctl "$@"
}
for c in create start stop clear rotate snapshot; do
	lacks 'name one session' $c a b
done
for c in enable-channel disable-channel remove-channel; do
	lacks 'name one channel' $c -s s
done
lacks 'name one channel' enable-channel -C 1m -W 3
for c in enable-event disable-event; do
	lacks 'name an event, or -a for all' $c -l debug
done
lacks 'name a context' add-context -c c
lacks 'say what with -p, -u or -n' track -s s
lacks 'name an event with -e and an action with -a, or a trigger with -r' \
    trigger -e 'a:b'
bad 'utctl: enable-event: option -l needs a value' utctl enable-event -l
bad '^usage: utctl disable-event' utctl disable-event
for c in enable-event disable-event; do
	bad "^usage: utctl $c" utctl $c -c c -a 'a:b'
	bad 'one level can be given' utctl $c -c c -l info -L info 'a:b'
	bad "^usage: utctl $c" utctl $c -c c -x 'a:b'
done
bad 'a:b is not enabled' utctl disable-event -c c -l info 'a:b'
for c in disable-channel remove-channel; do
	bad "^usage: utctl $c" utctl $c
	bad "^usage: utctl $c" utctl $c a b
	bad 'channel d does not exist' utctl $c d
	bad 'session t does not exist' utctl $c -s t c
done
bad '^usage: utctl list' utctl list a b
bad "pattern 'a': no event" utctl events a
bad '^usage: utctl status' utctl status a
bad '^usage: utctl load' utctl load a b
bad 'utctl: save: option -o needs a value' utctl save -o
bad '^usage: utctl destroy' utctl destroy -a s
bad '^usage: utctl view' utctl view -y
bad 'no/a: No such file or directory' utctl view no/a
bad '^usage: utctl record' utctl record
bad '^usage: utctl record' utctl record -e 'a:*'
bad 'record: name a command, a process with -p, or a time with -T' \
    utctl record -e 'a:*'
bad "time '600h': not 1ms to [0-9]*m, in seconds or with ms, s, m or h" \
    utctl record -T 600h true

# Programs.
bad '^usage: utctl track' utctl track
bad '^usage: utctl track' utctl track -s s
bad "track: 'a' is no option: -n is before" utctl track -p 1 a
bad 'utctl: track: unknown option -a' utctl track -a
bad 'utctl: track: option -n needs a value' utctl track -n
bad '^usage: utctl untrack' utctl untrack
bad '^usage: utctl untrack' utctl untrack -a -p 1
for c in track untrack; do
	bad 'session t does not exist' utctl $c -s t -p 1
	for pid in '' 0 -1 1.5 x 1x 0x10 2147483648 99999999999999999999; do
		bad "process ID '$pid': not a number from 1" utctl $c -p "$pid"
	done
	for user in '' -1 no-such-user 1x 4294967295 99999999999999999999; do
		bad "user '$user': unknown" utctl $c -u "$user"
	done
	bad "pattern '': empty" utctl $c -n ''
	bad "pattern '-p': begins like an option" utctl $c -n -p
	bad "pattern '0*...': longer than" utctl $c -n "$toolong"
	bad 'no program.s name is longer' utctl $c -n "$(printf '%064d' 0)"
	bad 'no program.s name is longer' utctl $c -n "$(printf '%064d*' 0)"
	bad "like '/'" utctl $c -n '/bin/*'
	bad "like '/'" utctl $c -n 'a\\/'
	bad "of '\[/\]'" utctl $c -n '*[/]'
	bad "of '\[b-a\]'" utctl $c -n '[b-a]?'
	bad 'bracket is not closed' utctl $c -n 'a[b'
	bad 'nothing follows the backslash' utctl $c -n 'a\'
done
bad 'pid 1 is given twice' utctl track -p 1 -n x -p 1
bad 'name x is not tracked in session s' utctl untrack -n x
bad 'session s tracks nothing' utctl untrack -a
bad 'more than 256 of -p, -u and -n' utctl track \
    $(i=0; while [ $((i += 1)) -le 257 ]; do echo "-p $i"; done)

# Sizes and numbers.
for size in '' x 4kk 4096x 4k4 -4096 0x1000 1e6 4g 99999999999999999999 \
    99999999999999999999k 17592186044416m; do
	bad "sub-buffer size '$size': not a" utctl enable-channel -b "$size" d
done
for size in 0 1 4095 4097 6k 2k 32m 4096m; do
	bad "sub-buffer size '$size': not a power of two" \
	    utctl enable-channel -b $size d
done
bad "sub-buffer size '3k': not a power" utctl record -b 3k -- \
    touch "$T/ran"
for n in '' x 1.5 -2 5x; do
	bad "number of sub-buffers '$n': not a number" \
	    utctl enable-channel -n "$n" d
done
for n in 0 1 65537 4294967298 18446744073709551616; do
	bad "number of sub-buffers '$n': not" utctl enable-channel -n $n d
done
bad 'number of files 3: only with a file size' utctl enable-channel -W 3 d
bad 'file size 16384: a sub-buffer of 16384 bytes' \
    utctl enable-channel -C 16k d
bad 'file size 131072: a sub-buffer of 131072' \
    utctl record -C 128k -b 128k -- touch "$T/ran"
bad 'more than 4 GB' utctl enable-channel -b 16m -n 65536 d

# Levels.
for l in '' = =info loud 15 -1 99999999999999999999 6x UT_ ==info; do
	bad "level '.*': none of emerg, .* and no number from 0 to 14" utctl enable-event -l "$l" 'a:b'
	bad "level '.*': none of emerg, " utctl enable-event -L "$l" 'a:b'
done

# Names.
for name in '' .a -a a/b 'a b' 'a*' ../a "$long" 'a
b'; do
	case $name in
	-*)	set -- -- "$name" ;;
	*)	set -- "$name" ;;
	esac
	bad 'session name' utctl create "$@"
	bad 'session name' utctl start "$@"
	bad 'session name' utctl list "$@"
	bad 'channel name' utctl enable-channel "$@"
	bad 'session name' utctl enable-channel -s "$name" d
	bad 'session name' utctl enable-event -s "$name" 'a:b'
	bad 'channel name' utctl enable-event -c "$name" 'a:b'
	bad 'channel name' utctl disable-event -c "$name" 'a:b'
done
bad 'metadata is taken' utctl enable-channel metadata
bad 'channel c exists' utctl enable-channel c
bad 'channel d does not exist' utctl enable-event -c d 'a:b'
bad 'channel d does not exist' utctl disable-event -c d 'a:b'
bad 'session t does not exist' utctl enable-event -s t 'a:b'
bad 'a:b is not enabled in channel c' utctl disable-event -c c 'a:b'
bad 'pattern' utctl enable-event -c c ''
bad 'pattern' utctl enable-event -c c -x "$toolong" 'a:b'
bad 'pattern' utctl enable-event -c c "$toolong"

# As many exclusions as there may be, and as long; and more.
# repeated COUNT LENGTH COMMAND...: with so many -x of that length.
repeated() {
	count=$1 length=$2
	shift 2
	while [ "$count" -gt 0 ]; do
		set -- "$@" -x "$(printf 'a%03d:b%0*d' "$count" \
		    $((length - 6)) 0)"
		count=$((count - 1))
	done
	"$@" 'a*:b*'
}
bad '-x: 257 patterns, and there can be 256$' \
    repeated 257 10 utctl enable-event -c c
bad '-x: patterns of 63232 bytes together, and there can be 63000$' \
    repeated 256 247 utctl enable-event -c c
expect 0 '' repeated 256 246 utctl enable-event -c c
expect 0 '' repeated 256 246 utctl disable-event -c c
bad '-x: 257 patterns' repeated 257 10 utctl record -o "$T/new/trace"
bad 'pattern' utctl disable-event -c c "$toolong"
bad 'directory is empty' utctl create -o '' d
bad 'director' utctl create -o "$path" d

# record: the command does not run, and nothing is left.
bad 'pattern' utctl record -o "$T/new/trace" -e '' -- touch "$T/ran"
for w in foo malloc,foo foo,malloc; do
	bad "wrapper 'foo': there are cpu, func, malloc and pthread" \
	    utctl record -w $w -- touch "$T/ran"
done
for w in cpu=0 cpu= cpu=10001 cpu=9x cpu=-1; do
	bad "wrapper '$w': not a number from 1 to 10000" \
	    utctl record -w $w -- touch "$T/ran"
done
bad "wrapper 'func': takes no number" utctl record -w func=1 -- touch "$T/ran"
bad "wrapper ''" utctl record -w malloc, -- touch "$T/ran"
bad 'directory is empty' utctl record -o '' -- touch "$T/ran"
[ ! -e "$T/ran" ] || fail "a command ran"
[ ! -e "$T/new/trace" ] || fail "record left its directory"

# utd.
bad '^usage: utd' utd -x
bad '^usage: utd' utd -r
bad '^usage: utd' utd -d something
bad 'name too long' utd -r "$path"

set -- "$T"/cwd/* "$T"/cwd/.[!.]* "$T"/home/*
for f in "$@"; do
	[ ! -e "$f" ] || fail "left: $f"
done
