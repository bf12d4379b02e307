# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Contexts: each event of a channel says what it is to say, in files of every
# kind, whoever is killed meanwhile; other channels are as they were; and what
# cannot be is one line and changes nothing.

. ./common.sh

ALL='cpu uid gid euid egid nest caller errno app_request_id'

# What view prints of the contexts agrees with the fields that say the same,
# event by event: how many there are.
agree() {
	awk '
	function get(s, name) {
		if (!match(s, "[ {]" name " = [^,} ]*"))
			return "nothing"
		s = substr(s, RSTART + 1, RLENGTH - 1)
		return substr(s, length(name) + 4)
	}
	# The number that the last five digits of an address say.
	function low(s, i, v) {
		for (i = length(s) - 4; i <= length(s); i++)
			v = v * 16 + \
			    index("0123456789abcdef", substr(s, i, 1)) - 1
		return v
	}
	function same(a, b) {
		if (get(context, a) == get(fields, b))
			return
		print "context " a ", field " b ": " $0
		exit 1
	}
	/ contexts:said / {
		i = index($0, "}, {")
		context = substr($0, 1, i)
		fields = substr($0, i + 2)
		n++
		same("uid", "u"); same("gid", "g"); same("euid", "eu")
		same("egid", "eg"); same("errno", "err"); same("nest", "depth")
		same("app_request_id", "request")
		if (get(context, "cpu") !~ /^(-1|[0-9]+)$/)
			exit 1
		# Wherever the code lies, the call is not far behind the start.
		from = get(fields, "from"); by = get(context, "caller")
		behind = (low(by) - low(from) + 1048576) % 1048576
		if (length(from) != length(by) || behind == 0 || behind > 4096)
			print "called by " by ", not behind " from
	}
	END { print n + 0 }' "$T/view.out" >"$T/agree"
	[ "$(cat "$T/agree")" = "$1" ] ||
	    fail "$2: not $1 events: $(head -3 "$T/agree")"
}

# Told that, the program answers so.
pulse_is() {
	pulse "$1"
	[ "$answer" = "$2" ]
}

# What there is, but for the numbers that change while events are recorded.
there_is() {
	utctl list -j | sed -E 's/"(written|bytes|packets|used)":[0-9]+//g'
}

# One line, and what there is does not change.
changes_nothing() {
	there_is >"$T/before"
	complains "$@"
	there_is >"$T/after"
	cmp -s "$T/before" "$T/after" || fail "$*: something changed"
}

start_utd
utctl create -o "$T/trace" s >/dev/null || fail create
changes_nothing "^utctl: context 'uids': unknown: there are cpu, uid, .*" \
    utctl add-context cpu uids
changes_nothing "^utctl: context 'app_': unknown" utctl add-context app_
changes_nothing "^utctl: context 'app_1': unknown" utctl add-context app_1
changes_nothing "^utctl: context 'app_a b': unknown" utctl add-context 'app_a b'
changes_nothing '^utctl: context uid: named twice$' utctl add-context uid uid
changes_nothing '^utctl: channel x does not exist' \
    utctl add-context -c x uid
changes_nothing '^utctl: add-context: more than 16 contexts$' \
    utctl add-context app_a app_b app_c app_d app_e app_f app_g app_h app_i \
    app_j app_k app_l app_m app_n app_o app_p app_q
expect 1 '^usage: utctl add-context ' utctl add-context -c x
expect 1 '^usage: utctl add-context ' utctl add-context

# To one channel, and to all, or none of them.
utctl enable-channel plain && utctl enable-channel -p own || fail channels
expect 0 '' utctl add-context -c own app_request_id
changes_nothing '^utctl: channel own has context app_request_id already$' \
    utctl add-context cpu app_request_id
utctl remove-channel plain || fail remove-channel
changes_nothing '^utctl: channel plain was removed$' \
    utctl add-context -c plain cpu
expect 0 '' utctl add-context cpu uid
expect 0 '^        contexts: app_request_id, cpu, uid$' utctl list s
expect 0 '' utctl add-context -c own app_a app_b app_c app_d app_e app_f \
    app_g app_h app_i app_j app_k app_l app_m
changes_nothing '^utctl: channel own: more than 16 contexts$' \
    utctl add-context -c own caller
expect 0 '"contexts":\[{"name":"app_request_id"},{"name":"cpu"},' \
    utctl list -j
expect 0 '' utctl destroy s

# Without a channel, the default one is made.
utctl create -o "$T/all" all >/dev/null &&
    utctl add-context $ALL && utctl enable-channel bare ||
    fail "add-context all"
expect 0 '^    channel channel0: ' utctl list all

# Filters know the contexts of their channel, and no others.
changes_nothing '^utctl: filter: channel bare has no context uid$' \
    utctl enable-event -c bare -f '$uid == 0' 'contexts:*'
changes_nothing 'no \$nope: there are' \
    utctl enable-event -f '$nope == 0' 'contexts:*'
expect 0 '' utctl enable-event \
    -f '$app_request_id != 13 && $cpu >= -1 && $errno < 1000' 'contexts:*'
expect 0 '' utctl enable-event -a -c bare
expect 0 '' utctl enable-event ut:log

# They are saved as commands.
utctl save all >"$T/saved" || fail save
grep -q "^add-context -s all -c channel0 $ALL\$" "$T/saved" ||
    fail "saved: $(cat "$T/saved")"
sed "s|$T/all|$T/again|" "$T/saved" >"$T/load"
expect 0 '' utctl start all
pulse_start ./prog/contexts
until_ok pulse_is 'request 0' on || fail "not recorded"
for c in 'say 2' 'know 0' 'request 7' 'say 0' 'repeat 100' 'request 13' \
    'say 1' 'request 14' 'say 0'; do
	pulse "$c"
done
changes_nothing '^utctl: channel channel0 has recorded already: ' \
    utctl add-context -c channel0 app_late
changes_nothing '^utctl: channel channel0 has recorded already: ' \
    utctl add-context app_late

# The callback's own event is recorded, as one within another, and calls none;
# one of a signal handler that interrupts it, too.
pulse traces 1
pulse say 3
pulse traces 0
pulse signals 1
pulse say 4
pulse signals 0
# A callback that does not come back: its event is over when the thread begins
# another, and then a signal handler in that has the value again; and so is one
# that ends its thread.  Where a stack begins and ends POSIX does not tell.
left=2
case $CFLAGS in
*-DUT_POSIX*)	left=0 ;;
esac
pulse jump 5
if [ $left -gt 0 ]; then
	pulse crash 0
	pulse exits 1
	pulse crashes 1
fi
pulse say 6
# An event that begins before it is known that its caller is wanted.
pulse soon 0
pulse say 7
pulse forget 0
pulse say 8
pulse wrong 0
pulse log 9
expect 0 "$BYTES" utctl stop all
readers_agree "$T/all"
grep -v ' contexts:said { u' "$T/view.out" >"$T/with" &&
    mv "$T/with" "$T/view.out"
# The one with request 13 is filtered out, and the one that was left is none.
agree 108 "every kind"
[ "$(grep -c ' contexts:inside { cpu.* nest = 1, .* app_request_id = 0 }, { depth = 1' \
    "$T/view.out")" -eq 2 ] || fail "nested: $(grep inside "$T/view.out")"
[ "$(grep -c ' contexts:inside { cpu.* nest = 1, .* app_request_id = 14 }, ' \
    "$T/view.out")" -eq $left ] ||
    fail "after a callback left: $(grep inside "$T/view.out")"
grep -q 'request = 13' "$T/view.out" && fail "the filter passes all"
grep -q ' ut:log { cpu' "$T/view.out" || fail "no context of ut:log"
utctl view -j "$T/all" >"$T/json"
grep -q '"contexts:text".*,"context":{"cpu":[0-9-]*,"uid":' "$T/json" ||
    fail "view -j"
expect 0 "$BYTES" utctl destroy all

# A program may know many contexts, and sessions may want many others, and more
# with time.
many() {
	echo "create -o '$T/many$1' many"
	for c in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
		echo "enable-channel -b 4k -n 4 c$c"
		echo "add-context -c c$c app_own1" $(for i in 1 2 3 4 5 6 7 \
		    8 9 10 11 12 13 14 15; do echo app_r$1_c${c}_$i; done)
		echo "enable-event -c c$c contexts:inside"
	done
	echo "start many"
}
pulse know 0
pulse most 0
for r in 1 2 3 4; do
	many $r >"$T/many"
	expect 0 '' utctl load "$T/many"
	pulse traced 0
	expect 0 '^session many destroyed: 17 events, 0 lost, [0-9]* bytes in .*$' \
	    utctl destroy many
	utctl view "$T/many$r" >"$T/view.out" || fail "view many$r"
	[ "$(grep -c ' app_own1 = 1, .* = 0 }, { depth = 0 }' \
	    "$T/view.out")" -eq 17 ] || fail "many$r: $(cat "$T/view.out")"
done

# The name that the thread had when the sub-buffer of the packet was claimed, or
# a little before.
utctl create -o "$T/named" named >/dev/null &&
    utctl enable-channel -b 4k -i 100ms c &&
    utctl enable-event -c c contexts:said >/dev/null &&
    utctl start >/dev/null || fail "session named"
until_ok pulse_is 'named 1' on || fail "not recorded by name"
expect 0 "$BYTES" utctl destroy named
readers_agree "$T/named"
utctl view -j "$T/named" >"$T/json"
for n in 'first \\"name\\"' second; do
	case "$(uname) $CFLAGS" in
	*-DUT_POSIX*)	break ;;
	Linux*)		grep -q "\"thread\":\"$n\",\"event\":" "$T/json" ||
			    fail "no thread $n" ;;
	esac
done

# The events of libut itself call no function of the program's.
case $CFLAGS in
*-DUT_POSIX*)	;;
*)	utctl create -o "$T/modules" modules >/dev/null &&
	    utctl add-context -s modules app_request_id &&
	    utctl enable-event -s modules ut:module contexts:said >/dev/null &&
	    utctl start modules >/dev/null || fail "modules"
	pulse say 0
	utctl destroy modules >/dev/null || fail "destroy modules"
	utctl view "$T/modules" >"$T/view.modules" || fail "view modules"
	grep -q ' contexts:said { app_request_id = [1-9]' "$T/view.modules" ||
	    fail "no value beside the modules: $(cat "$T/view.modules")"
	grep ' ut:module ' "$T/view.modules" >"$T/modules.out" ||
	    fail "no modules: $(cat "$T/view.modules")"
	grep -v ' ut:module { app_request_id = 0 }' "$T/modules.out" &&
	    fail "a value for an event of libut"
	;;
esac

# As it was saved; this time as someone else, in buffers per process, whose
# owners are killed, and with threads that share theirs.
expect 0 '' utctl load "$T/load"
utctl enable-channel -s all -p own &&
    utctl add-context -s all -c own $ALL &&
    utctl enable-event -s all -c own 'contexts:*' >/dev/null &&
    utctl enable-channel -s all -n 2 few &&
    utctl add-context -s all -c few app_request_id errno &&
    utctl enable-event -s all -c few contexts:said >/dev/null ||
    fail "more channels"
expect 0 '' utctl start all
until_ok pulse_is 'request 21' on || fail "not recorded again"
pulse know 0
[ "$(id -u)" -ne 0 ] || pulse euid 65534
pulse say 0
pulse repeat 50
[ "$(id -u)" -ne 0 ] || pulse euid 0
pulse threads 40
echo 'kill 0' >&3
until_ok gone $PULSE || fail "not killed"

# utd is killed and goes on with all that; rules that name contexts, too.
kill_utd 2
start_utd
expect 0 "^        contexts: $(echo $ALL | sed 's/ /, /g')\$" utctl list all
changes_nothing '^utctl: channel bare has recorded already: ' \
    utctl add-context -s all -c bare uid
pulse_start ./prog/contexts
until_ok pulse_is 'know 0' on || fail "not recorded after utd was killed"
pulse repeat 30
expect 0 "$BYTES" utctl stop all
expect 0 "$BYTES" utctl destroy all
for d in "$T/again/ust/uid"/* "$T/again/ust/pid"/*; do
	readers_agree "$d"
	grep ' nest = ' "$T/view.out" >"$T/with" && mv "$T/with" "$T/view.out"
	case $d in
	*/uid/*)	agree 120 "$d" ;;
	*)		agree "$(grep -c contexts:said "$T/view.out")" "$d" ;;
	esac
done
utctl view "$T/again" | grep -c ' contexts:said { app_request_id = ' |
    grep -q -x 121 ||
    fail "channel few: $(utctl view "$T/again" | grep -c said)"
