# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The traces of two hosts that are read together: each event has its host, and
# so has each process, for both hosts have a process with the same name and ID.
# Also what stat and the others say of the clocks of each: whether they are
# synchronized, and when the machine slept.

. ./common.sh

BOOT=5000000000000 DATE=1700000000000000000

# trace NAME HOST: a trace of the lines of the standard input.
trace() {
	mkdir -p "$T/$1" || exit 1
	{
		echo "env $2 s 20260101-000000"
		echo "clock monotonic 1000000000 $DATE"
		echo "start $BOOT $BOOT 1099511627776 2100000000 $DATE $DATE"
		cat
	} | ./prog/dated "$T/$1" || fail "$1: dated"
}

for host in alpha beta; do
	{
		echo point
		[ $host = alpha ] || echo "run 500000000 0"
		i=0
		while [ $((i += 1)) -le 20 ]; do
			echo "run 3000000000 $((i % 3))"
		done
		# The state of the last point: TIME_ERROR.
		[ $host = alpha ] || echo "bad 128 5"
		echo point
	} | trace two/$host $host
done
{
	echo point
	echo "run 1000000000 4"
	echo point
} | trace none none
sed '/hostname/d' "$T/none/metadata" >"$T/meta" &&
    mv "$T/meta" "$T/none/metadata" || fail "metadata"

# The events of each host alone, as they are to come together: by their times.
for host in alpha beta; do
	utctl view "$T/two/$host" >"$T/$host" || fail "view $host"
	utctl view -j "$T/two/$host" >"$T/$host.j" || fail "view -j $host"
	! grep -q $host "$T/$host" || fail "one host is named: $(cat "$T/$host")"
	! grep -q host "$T/$host.j" || fail "one host is named, in JSON"
done
awk 'FNR == 1 { host = host == "" ? "alpha" : "beta" }
{ $2 = $2 " " host; print }' "$T/alpha" "$T/beta" | sort >"$T/want"
utctl view "$T/two" >"$T/got" || fail "view"
[ "$(wc -l <"$T/got")" -eq 42 ] || fail "view: $(cat "$T/got")"
cmp "$T/want" "$T/got" || fail "view: $(cat "$T/got")"
utctl view -o time,host,who,event,fields "$T/two" | cmp - "$T/got" ||
    fail "view -o"
utctl view -o time,who,event,fields "$T/two" | grep -q alpha &&
    fail "-o has another column"
awk 'FNR == 1 { host = host == "" ? "alpha" : "beta" }
{ sub(/"event"/, "\"host\":\"" host "\",&"); print }' \
    "$T/alpha.j" "$T/beta.j" | sort >"$T/want"
utctl view -j "$T/two" | cmp - "$T/want" || fail "view -j"
# A trace that tells no host is no other host, and has none among several.
utctl view "$T/two/alpha" "$T/none" | awk 'NF != 8 { exit 1 }' ||
    fail "a trace without a host is another one"
expect 0 '^[^ ]* [^ ]* - d:e ' utctl view "$T/two" "$T/none"
expect 0 '"host":"-"' utctl view -j "$T/two" "$T/none"

# Groups by hosts.
awk '{ n[$3]++ } END { for (h in n) print n[h], h }' "$T/got" | sort >"$T/want"
utctl stat -g host "$T/two" >"$T/stat" || fail "stat -g host"
awk '$NF == "host" { on = 1; next } on { print $1, $NF }' "$T/stat" |
    sort | cmp - "$T/want" || fail "stat -g host: $(cat "$T/stat")"
expect 0 '  event  host$' utctl stat -g event -g host "$T/two"
expect 0 ' 21 .*  d:e  beta$' utctl stat -g event -g host "$T/two"
expect 0 '"by":{"host":"alpha"},"events":21,' utctl stat -j -g host "$T/two"
expect 0 ' 21 .*  alpha$' utctl stat -g host "$T/two/alpha"
expect 0 ' 4 .*  -$' utctl stat -g host "$T/none"

# The clocks of each.
expect 0 '^host alpha: the clock is synchronized, off by 20\.000 us at most, as NTP tells$' \
    utctl stat "$T/two"
expect 0 '^host beta: no NTP keeps this clock: it may be off by 20\.000 us$' \
    utctl stat "$T/two"
expect 0 '^host beta: no NTP keeps this clock: ' utctl stat "$T/two/beta"
utctl stat "$T/two/alpha" 2>&1 | grep '^host ' && fail "good news of one host"
expect 0 '{"host":"beta","ntp_state":"unsynchronized","ntp_maximum_ns":20000,' \
    utctl stat -j "$T/two"
cp -R "$T/two" "$T/unknown" && rm "$T/unknown/alpha/clock" || fail "cp"
expect 0 '^host alpha: the clock is not known to be synchronized$' \
    utctl stat "$T/unknown"
# Points of another trace date nothing.
cp "$T/two/beta/clock" "$T/unknown/alpha/clock" || fail "cp"
expect 1 'alpha/clock: 2 of its packets are of another trace$' \
    utctl stat "$T/unknown"

# The machine sleeps: every command that reads the trace says so, once.
{
	echo point
	echo "run 1000000000 3"
	echo point
	echo "sleep 3600000000000"
	echo "run 1000000000 3"
	echo point
} | trace slept gamma
# says COMMAND...: on the standard error.
says() {
	"$@" >/dev/null 2>"$T/err" || fail "$*: $(cat "$T/err")"
	[ "$(grep -c "slept/metadata: the machine slept, for 3600\.0000*[0-9]* s \
in all, between 2023-11-14.* and 2023-11-15.*: what began before and \
ended after that time lasts so much longer$" "$T/err")" -eq 1 ] ||
	    fail "$*: $(cat "$T/err")"
}
for command in view 'view -j' 'view -q' stat 'stat -d' 'stat -c' heap locks \
    export 'export -F folded'; do
	says utctl $command "$T/slept"
	utctl $command "$T/two" 2>&1 >/dev/null | grep slept &&
	    fail "$command: it did not sleep"
done

expect 0 '^the machine slept: 3600\.000 s ' utctl stat "$T/slept"
expect 0 '^host gamma: the machine slept: 3600\.000 s ' \
    utctl stat "$T/slept" "$T/two"

# Two copies of a trace of pairs, allocations and locks, the second one with
# another host: there are two of each process, and each has its host.
twins() {
	rm -rf "$T/twins"
	mkdir "$T/twins" && cp -R "$T/trace" "$T/twins/a" &&
	    cp -R "$T/trace" "$T/twins/b" || fail "cp"
	for name in a b; do
		find "$T/twins/$name" -name metadata | while read -r f; do
			sed "s/hostname = \".*\"/hostname = \"h$name\"/" "$f" \
			    >"$T/meta" && cp "$T/meta" "$f" || exit 1
		done || fail "hostname"
	done
}
# both COMMAND...: what is printed of hosts a and b is the same but for them,
# and there is something of each; what is printed of one has no host.
both() {
	"$@" "$T/twins" >"$T/out" 2>"$T/err" || fail "$*: $(cat "$T/err")"
	for name in a b; do
		grep "$NAMED" "$T/out" | sed -n "/h$name$MARK/s/h$name//gp" |
		    sort >"$T/of-$name"
	done
	[ -s "$T/of-a" ] || fail "$*: no host: $(cat "$T/out")"
	"$@" "$T/twins/a" >"$T/alone" 2>"$T/err" || fail "$*: $(cat "$T/err")"
	! grep "ha$MARK" "$T/alone" || fail "$*: one host is named"
}
same() {
	cmp "$T/of-a" "$T/of-b" || fail "$*: not the same of both"
}
printf '%s\n' 'entry 2 1' 'entry 3 1' 'exit 3 1' 'exit 2 1' >"$T/lines"
recorded -m block -e 'func:*' -- sh -c './prog/named <"$1"' sh "$T/lines"
twins
NAMED=named MARK=':named\['
both utctl stat -d -g thread
both utctl stat -g thread
same stat -g thread
MARK='","procname":"named"'
both utctl stat -d -j
MARK=:named
both utctl export
[ "$(grep -c '"process_name","args":{"name":"h[ab]:named' "$T/out")" -eq 2 ] ||
    fail "export: $(cat "$T/out")"
MARK=':named;'
both utctl export -F folded
same export -F folded

cat >"$T/lines" <<'END'
1 malloc 100 0x1000 0xa1
1 free 0x1000 0xf1
1 free 0x1000 0xf1
1 malloc 30 0x2000 0xa1
1 mutex_request 0x100 0xc1
1 mutex_acquired 0x100 0xc1
1 mutex_release 0x100 0xc9
END
recorded -e 'libc:*' -e 'pthread:*' -e calls:thread -e 'ut:*' -- sh -c \
    './prog/calls <"$1"' sh "$T/lines"
twins
NAMED=calls MARK=':calls\['
both utctl heap
same heap
[ "$(grep -c '^h[ab]:calls\[[0-9]*\]: 30 bytes' "$T/out")" -eq 2 ] ||
    fail "heap: $(cat "$T/out")"
MARK='","procname":"calls"'
both utctl heap -j
both utctl locks -j
MARK=':calls\['
both utctl locks
same locks

# Names of any length and of any bytes do no harm.
long=$(awk 'BEGIN { for (i = 0; i < 400; i++) printf "long\\t" }')
sed "s/hostname = \".*\"/hostname = \"$long\"/" "$T/two/beta/metadata" \
    >"$T/meta" && cp "$T/meta" "$T/two/beta/metadata" || fail "long"
for command in view 'view -j' stat heap locks export \
    "stat -g thread -g host -g thread -g thread -g thread -g thread -g thread
    -g thread"; do
	utctl $command "$T/two" >"$T/out" 2>"$T/err" ||
	    fail "$command: $(cat "$T/err")"
	! grep '	' "$T/out" || fail "$command: tabs"
done
