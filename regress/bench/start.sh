# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What it costs to start and to end a program of one event, beside one of
# none: with libut.a, libut.so and LTTng-UST, one at a time and 20 at a time.
# Turns are short, MS (40) milliseconds, and many, ROUNDS (40), so that what
# else goes on here meets all alike.  From regress/, or by `make bench-start'.
#
#	sh bench/start.sh	the table
#	sh bench/start.sh -b	rows of it for bench.sh
#	sh bench/start.sh -l	what utd and its consumer have before and after
#				COUNT (10000) programs

# The daemons are an ordinary user's, and the directories below HOME: root's
# would be the system's.
if [ "$(id -u)" -eq 0 ]; then
	exec ./prog/asuser 65534 sh "$0" "$@"
fi
. ./common.sh
. bench/lttng.sh
unset UT_RUNDIR XDG_RUNTIME_DIR
LT_FORMAT=
LTTNG_HOME=
export LTTNG_HOME
ROUNDS=${ROUNDS:-40}
COUNT=${COUNT:-10000}
MS=${MS:-40}
DAEMONS=

clean_up() {
	for p in $DAEMONS; do
		kill "$p" 2>/dev/null
	done
	wait
	lt_tidy
	rm -rf "$T"
}
trap clean_up EXIT

# daemon DIRECTORY: a utd of its own, for programs with HOME there.
daemon() {
	HOME=$T/$1 utd -d 2>"$T/$1/utd.log" &
	UTD_PID=$!
	DAEMONS="$DAEMONS $UTD_PID"
	HOME=$T/$1 until_ok utctl list || fail "utd: $(cat "$T/$1/utd.log")"
}

# session DIRECTORY [option of enable-channel]: everything is recorded; false
# if enable-channel does not know the option.
session() {
	HOME=$T/$1
	daemon "$1"
	utctl create -o "$T/$1/trace" s >/dev/null || fail "create"
	shift
	utctl enable-channel "$@" c >"$T/err" 2>&1 || return 1
	utctl enable-event -c c '*' && utctl start || fail "set-up"
}

lttng_daemon() {
	lt_look
	LTTNG_HOME=$T/$1
	export LTTNG_HOME
	lttng-sessiond --no-kernel >"$T/$1/sessiond.log" 2>&1 &
	DAEMONS="$DAEMONS $!"
	until_ok lttng -q list ||
	    fail "lttng-sessiond: $(cat "$T/$1/sessiond.log")"
	lt_format
}

lttng_session() {
	lttng_daemon "$1"
	lttng -q create $LT_FORMAT -o "$T/$1/lttng" s &&
	    lttng -q enable-channel -u -s s "$2" c &&
	    lttng -q enable-event -u -s s -c c 'one:*' &&
	    lttng -q start s
}

compile() {
	out=$1
	shift
	$CC $CFLAGS -Ibench -idirafter "$TOP/libut" -o "$T/$out" bench/one.c \
	    "$@" $LIBS
}

# What a process has: kilobytes, and descriptors.
has() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1 kB/p' "/proc/$1/status"
	ls "/proc/$1/fd" | wc -l
}

both_have() {
	echo "utd" $(has "$UTD_PID") descriptors, \
	    "consumer" $(has "$CONSUMER") descriptors
}

$CC $CFLAGS -o "$T/start" bench/start.c || exit 1
compile plain -DPLAIN && compile libut.a "$TOP/libut/libut.a" &&
    compile libut.so -L"$TOP/libut" -lut -Wl,-rpath,"$TOP/libut" || exit 1
for d in none gone idle uid pid; do
	mkdir -m 700 "$T/$d" || exit 1
done
chmod 700 "$T"

# 10,000 in a row.
if [ "${1:-}" = -l ]; then
	session uid
	"$T/start" 100 "$T/libut.a" >/dev/null
	CONSUMER=$(consumers)
	both_have
	left=$COUNT
	while [ "$left" -gt 0 ]; do
		n=$((left < 2500 ? left : 2500))
		set -- $("$T/start" "$n" "$T/libut.a")
		left=$((left - n))
		sleep 1
		echo "$((COUNT - left)) programs, $1 us each:" $(both_have)
	done
	utctl stop
	exit
fi

# A row: its name, the program, the directory.
ROWS="plain:plain:none"
for lib in libut.a libut.so; do
	for d in none gone idle uid pid; do
		ROWS="$ROWS $lib:$lib:$d"
	done
done
not_measured=
daemon gone
kill "$UTD_PID" && wait "$UTD_PID"
daemon idle
session uid
session pid -p || {
	ROWS=$(echo "$ROWS" | sed 's/ libut[^ ]*:pid//g')
	not_measured="$not_measured
libut per-PID: not measured: $(head -1 "$T/err")"
}
if ! lttng_here; then
	not_measured="$not_measured
lttng-ust: not measured: no lttng-sessiond"
elif ! compile lttng -DLTTNG $LTTNG_CC 2>"$T/err"; then
	not_measured="$not_measured
lttng-ust: not measured: $(head -1 "$T/err")"
else
	ROWS="$ROWS lttng-ust:lttng:none lttng-ust:lttng:idle"
	lttng_daemon idle
	for d in uid pid; do
		if lttng_session $d --buffers-$d >"$T/err" 2>&1; then
			ROWS="$ROWS lttng-ust:lttng:$d"
		else
			not_measured="$not_measured
lttng-ust per-$d: not measured: $(head -1 "$T/err")"
		fi
	done
fi

round=0
while [ $round -lt "$ROUNDS" ]; do
	for at_once in 1 20; do
		for row in $ROWS; do
			d=${row##*:} prog=${row#*:} prog=${prog%:*}
			# Seconds: not that often.
			case $row in
			lttng-ust:*:pid)
				[ $((round % 10)) -eq 0 ] || continue ;;
			esac
			HOME=$T/$d LTTNG_HOME=$T/$d "$T/start" -j $at_once \
			    -t "$MS" 100000 "$T/$prog" >"$T/out" || fail "$row"
			echo "$row $at_once $round $(cat "$T/out")"
		done
	done
	round=$((round + 1))
done >"$T/times"

# Did the processes of the sessions record what they should?  A line for each,
# and the rows of those that did not, with words for the table.
: >"$T/checks"
: >"$T/unrecorded"
# check ROWS NAME EVENTS TEXT
check() {
	c_n=$(awk -v rows="$1" '$1 ~ rows { n += $5 }
	    END { print n + 0 }' "$T/times")
	[ "$c_n" -gt 0 ] || return 0
	echo "$2: $c_n processes, $4" >>"$T/checks"
	[ "$3" -eq "$c_n" ] || awk -v rows="$1" -v why="$3 of $c_n recorded" '
	    $1 ~ rows && !seen[$1]++ { print $1, why }' "$T/times" \
	    >>"$T/unrecorded"
}
for d in uid pid; do
	HOME=$T/$d utctl stop >"$T/out" 2>/dev/null || continue
	check "^libut.*:$d\$" "libut per-$d" "$(sed -n \
	    's/.* \([0-9]*\) events,.*/\1/p' "$T/out")" "$(cat "$T/out")"
done
for d in uid pid; do
	[ -d "$T/$d/lttng" ] && command -v babeltrace2 >/dev/null 2>&1 ||
	    continue
	LTTNG_HOME=$T/$d lttng -q stop s
	n=$(lt_count "$T/$d/lttng")
	check "^lttng-ust:lttng:$d\$" "lttng-ust per-$d" "$n" \
	    "$n events in the trace"
done

# The median of the times, and of what is added to the plain program's in
# the same round.
awk -v bench="${1:-}" -v unrecorded="$T/unrecorded" '
function median(v, n,  i, j, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (j = i - 1; j > 0 && v[j] > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
function cell(row, at_once,  i, n, all, more) {
	for (i = 0; i < rounds; i++) {
		if (!((row, at_once, i) in us))
			continue
		all[++n] = us[row, at_once, i]
		more[n] = us[row, at_once, i] - us[plain, at_once, i]
	}
	printf " %9.0f", median(all, n)
	if (row != plain)
		printf " %+9.0f", median(more, n)
	else
		printf " %9s", ""
}
# Milliseconds of all that there are.
function ms(row, at_once,  i, n, all) {
	if (row in why)
		return "not measured: " why[row]
	for (i = 0; i < rounds; i++)
		if ((row, at_once, i) in us)
			all[++n] = us[row, at_once, i]
	return n ? median(all, n) / 1000 : "not measured"
}
function bench_rows(  i, d, at_once, u, l, met) {
	for (i = 1; i <= split("none idle uid pid", d, " "); i++) {
		for (at_once = 1; at_once <= 20; at_once += 19) {
			u = ms("libut.a:libut.a:" d[i], at_once)
			l = ms("lttng-ust:lttng:" d[i], at_once)
			printf "process, %s, at once: %d|ms|%s|%s|%s|", \
			    brief[d[i]], at_once, u, l, ms(plain, at_once)
			p = ms(plain, at_once)
			met = u - p <= most[d[i]] ? "yes" : "no"
			if (u ~ /not measured/ || p ~ /not measured/)
				met = "-"
			printf "<= floor + %s|%s\n", most[d[i]], met
		}
	}
}
BEGIN {
	while ((getline line <unrecorded) > 0) {
		i = index(line, " ")
		why[substr(line, 1, i - 1)] = substr(line, i + 1)
	}
	# What the library may add.
	most["none"] = "0.1"; most["idle"] = most["uid"] = "0.3"
	most["pid"] = "1"
	brief["none"] = "no daemon"; brief["idle"] = "idle daemon"
	brief["uid"] = "per-UID"; brief["pid"] = "per-PID"
	said["none"] = "no daemon"; said["gone"] = "daemon gone"
	said["idle"] = "idle daemon"; said["uid"] = "per-UID session"
	said["pid"] = "per-PID session"; plain = "plain:plain:none"
}
!($1 in seen) { seen[$1] = 1; rows[++nrows] = $1 }
{ us[$1, $2, $3] = $4; if ($3 >= rounds) rounds = $3 + 1 }
END {
	if (bench == "-b") {
		bench_rows()
		exit
	}
	printf "Microseconds for each process, medians of %d rounds\n", rounds
	printf "%-28s %20s %20s\n", "", "1 at a time,   added",
	    "20 at a time,  added"
	for (i = 1; i <= nrows; i++) {
		split(rows[i], f, ":")
		printf "%-11s %-16s", f[1], i == 1 ? "" : said[f[3]]
		cell(rows[i], 1)
		cell(rows[i], 20)
		printf "\n"
	}
}' "$T/times"
[ -z "$not_measured" ] || echo "${not_measured#?}"
cat "$T/checks"
