# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Which programs a session records: track and untrack beside programs that run
# and programs that come, by their process, their user and their name.

. ./common.sh

U1=$(id -u) U2=$(id -u) U3=$(id -u)
if [ "$U1" -eq 0 ]; then
	U2=65534 U3=65533
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
fi

# Three programs that obey, each with two descriptors: begin N UID NAME.
begin() {
	cp prog/pulse "$T/$3" && mkfifo "$T/to$1" "$T/from$1" || fail "$3"
	[ "$2" -ne "$(id -u)" ] || set -- "$1" - "$3"
	./prog/asuser "$2" "$T/$3" <"$T/to$1" >"$T/from$1" &
	eval "P$1=$!"
	CHILDREN="$CHILDREN $!"
	eval "exec $((2 * $1 + 1))>\"\$T/to$1\" $((2 * $1 + 2))<\"\$T/from$1\""
}

tell() {
	echo "$2" >&$((2 * $1 + 1)) && read -r answer <&$((2 * $1 + 2)) ||
	    fail "program $1 is gone"
}

# Which of them record, at once: y, or - for one that does not.  Each hits as
# often as its number says, and what is recorded of that is counted.
N1=0 N2=0 N3=0
want() {
	who=
	for i in 1 2 3; do
		tell $i on
		case $answer in
		ab--)	who=${who}y ;;
		----)	who=$who- ;;
		*)	fail "program $i: $answer" ;;
		esac
		tell $i "hit $i"
	done
	[ "$who" = "$1" ] || fail "${2-$1}: $who, not $1: $(utctl list s)"
	case $who in y??) N1=$((N1 + 1)) ;; esac
	case $who in ?y?) N2=$((N2 + 2)) ;; esac
	case $who in ??y) N3=$((N3 + 3)) ;; esac
}

# The directories of processes, and of users.
of_pids() {
	(cd "$T/trace/ust/pid" 2>/dev/null && echo *) |
	    tr ' ' '\n' | sed 's/-[0-9]*-[0-9]*$//' | sort | tr '\n' ' '
}

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-channel c &&
    utctl enable-channel -p own &&
    utctl enable-event -c c 'pulse:a' 'seq:*' >/dev/null &&
    utctl enable-event -c own 'pulse:b' >/dev/null || fail "set-up"
begin 1 "$U1" alpha
begin 2 "$U2" beta
begin 3 "$U3" gamma_ray

# Who is not tracked has nothing: neither a directory nor a registry.
expect 0 '^session s tracks only these programs; it is not started$' \
    utctl track -n alpha
expect 0 '^session s started: 2 events of 1 program$' utctl start
want y--
expect 0 '^    tracked: name alpha$' utctl list
expect 0 '"tracked":\[{"kind":"name","value":"alpha"}\]' utctl list -j
[ "$(of_pids)" = "alpha-$P1 " ] || fail "directories of $(of_pids)"
[ "$(ls "$T/trace/ust/uid")" = "$U1" ] || fail "$(ls "$T/trace/ust/uid")"
[ "$(utctl list s | grep -c '(pid.*events')" -eq 1 ] || fail "$(utctl list s)"

# Names.
expect 0 '^session s tracks 2 of 3 programs$' utctl track -n 'b?ta'
want yy-
expect 0 '^session s tracks 1 of 3 programs$' utctl untrack -n alpha
want -y-
expect 0 '^session s tracks 2 of 3 programs$' \
    utctl track -n 'no\*' -n '*[_-]ray'
want -yy
expect 0 '^session s tracks all programs$' utctl untrack -a
want yyy
utctl list s | grep tracked: && fail "still tracked"
expect 0 '"tracked":\[\]' utctl list -j

# Processes.
expect 0 '^session s tracks 2 of 3 programs$' utctl track -p $P1 -p $P3
want y-y
expect 0 '' utctl list -j
grep -q "\"tracked\":\[{\"kind\":\"pid\",\"value\":$P1},{\"kind\":\"pid\"" \
    "$T/out" || fail "$(cat "$T/out")"
# and names: of each kind one.
expect 0 '^session s tracks 1 of 3 programs$' utctl track -n 'a*' -n 'b*'
want y--
expect 0 '^session s tracks 1 of 3 programs$' utctl untrack -p $P3
want y--
expect 0 '^session s tracks 2 of 3 programs$' utctl untrack -p $P1
want yy-
# and users, by number and by name.
if [ "$U1" -eq 0 ]; then
	expect 0 '^session s tracks 1 of 3 programs$' utctl track -u $U2 -u $U3
	want -y-
	expect 0 '^session s tracks 2 of 3 programs$' utctl track -u root
	want yy-
	expect 0 '    tracked: uid 0$' utctl list s
	expect 0 '^session s tracks 0 of 3 programs$' \
	    utctl untrack -u 0 -u $U2
	want ---
	expect 0 '^session s tracks 1 of 3 programs$' \
	    utctl untrack -n 'a*' -n 'b*'
	want --y
	expect 0 '^session s tracks all programs$' utctl untrack -u $U3
else
	expect 0 '^session s tracks 2 of 3 programs$' utctl track -u $U1
	want yy-
	complains "uid 0: session s sees only programs of uid $U1" \
	    utctl track -u 0
	expect 0 '^session s tracks all programs$' utctl untrack -a
fi
want yyy

# What cannot be changes nothing, not even what could be.
expect 0 '' utctl track -n 'a*' -n beta -p 1
expect 0 '' utctl list -j
cp "$T/out" "$T/before"
complains 'name beta is tracked already in session s' \
    utctl track -n new -n beta
complains 'pid 1 is tracked already in session s' utctl track -p 2 -p 1
complains 'name new is given twice' utctl track -n new -p 3 -n new
complains 'pid 7 is not tracked in session s' utctl untrack -p 1 -p 7
complains 'pid 1 is given twice' utctl untrack -p 1 -p 1
complains 'session s can track 256 entries, and has 3' utctl track \
    $(i=1; while [ $((i += 1)) -le 255 ]; do echo "-p $i"; done)
want ---
expect 0 '' utctl list -j
sed 's/,"channels.*"tracked"/,"tracked"/' "$T/before" >"$T/1"
sed 's/,"channels.*"tracked"/,"tracked"/' "$T/out" >"$T/2"
cmp -s "$T/1" "$T/2" || fail "$(cat "$T/out")"
expect 0 '' utctl track $(i=1; while [ $((i += 1)) -le 254 ]; do echo "-p $i"
    done)
complains 'session s can track 256 entries, and has 256' utctl track -p 999
expect 0 '^session s tracks all programs$' utctl untrack -a
complains 'session s tracks nothing: it records all' utctl untrack -a
want yyy

# Programs that come later.
cp prog/seq "$T/later" && cp prog/seq "$T/never" || fail "cp"
later() {
	n=$((n + 20))
	"$T/later" 1 1 20 || fail "later: $?"
	"$T/never" 2 1 30 || fail "never: $?"
	[ "$U1" -ne 0 ] || ./prog/asuser $U2 "$T/never" 3 1 40 || fail "never"
}
n=0
expect 0 '^session s tracks 1 of 3 programs$' utctl track -n later -n 'g*'
later
want --y

# utd is killed, and all of it, and what it knew once more; a rule for nothing
# is there when all programs have come again.
again() {
	kill_utd $1
	start_utd
	! grep damaged "$T/utd.log" || fail "damaged"
	until_ok sh -c "utctl events |
	    grep '^[abg][a-z_]* (pid' | wc -l | grep -q 3" ||
	    fail "programs do not come again: $(utctl events)"
	utctl enable-event -s s -c c "none:x$((none += 1))" >/dev/null ||
	    fail "enable-event"
}
none=0
again 0
want --y
later
again 2
want --y
expect 0 '^    tracked: name later$' utctl list
expect 0 '' utctl untrack -n 'g*'
complains 'name later is tracked already' utctl track -p $P2 -n later
expect 0 '' utctl track -p $P2 -n beta
want -y-
again 1
want -y-
expect 0 '' utctl untrack -p $P2 -n beta
later
expect 0 '^session s tracks all programs$' utctl untrack -a
again 0
utctl list s | grep tracked: && fail "tracked again"
want yyy

# While it is stopped nobody is told, and it holds when it starts.
expect 0 '' utctl stop
expect 0 '^session s tracks only these programs; it is not started$' \
    utctl track -n alpha
want ---
expect 0 '' utctl start
want y--

# All of it is there, and nothing else.
expect 0 's stopped: [0-9]* events, 0 lost' utctl stop
total=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$T/out")
readers_agree "$T/trace"
[ "$(wc -l <"$T/view.out")" -eq "$total" ] ||
    fail "$total events, $(wc -l <"$T/view.out") in the trace"
has() {
	got=$(grep -c -e "$2" "$T/view.out")
	[ "$got" -eq "$1" ] || fail "$got of $2, not $1"
}
for event in a b; do
	has $N1 " alpha\[$P1:[0-9]*\] pulse:$event "
	has $N2 " beta\[$P2:[0-9]*\] pulse:$event "
	has $N3 " gamma_ray\[$P3:[0-9]*\] pulse:$event "
done
has $n ' later\[.*seq:tick '
has $(((N1 + N2 + N3) * 2 + n)) ''
expect 0 '' utctl destroy s

# A user's session on root's utd.
[ "$U1" -eq 0 ] || exit 0
mkdir "$T/two" && chown $U2 "$T/two" || fail "mkdir"
two="./prog/asuser $U2 utctl"
$two create -o "$T/two/t" mine >/dev/null && $two enable-event 'pulse:[ab]' \
    >/dev/null && $two start >/dev/null || fail "set-up"
want -y- "a user's session"
complains "uid 0: session mine sees only programs of uid $U2" $two track -u 0
complains "uid $U3: session mine sees only programs of uid $U2" \
    $two track -n beta -u $U3
expect 0 '^session mine tracks 0 of 1 programs$' $two track -p $P1
want --- "a process of another's"
expect 0 '^session mine tracks 1 of 1 programs$' \
    utctl track -s $U2/mine -u $U2 -p $P2
want -y- "by root"
expect 0 'mine destroyed: 8 events, 0 lost' $two destroy
stop_utd || fail "utd: status $?"
