# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The time that utd and its consumer need for the start of a program does not
# grow with the programs that live.  It is their own processor time, as the
# machine may have other things to do, and a median, as once a second a
# consumer looks at all regions.  They do not record any event, as to write
# these is another thing.

. ./common.sh

COUNT=400 OF=40
# Where poll(2) tells what is ready, utd looks at all programs.
case "$(uname) $CFLAGS" in
*UT_POSIX*)	parts=consumer ;;
Linux*)		parts="utd consumer" ;;
*)		parts=consumer ;;
esac
[ -r /proc/self/schedstat ] || skip "no /proc/PID/schedstat here"
start_utd
mkfifo "$T/end" || fail "mkfifo"

for how in -p ''; do
	utctl create -o "$T/trace$how" s >/dev/null &&
	    utctl enable-channel $how -b 4k -n 4 c &&
	    utctl enable-event -c c living:none >/dev/null && utctl start ||
	    fail "set-up"
	rm -f "$T/ready"
	./prog/living 1 1 <"$T/end" >"$T/ready" 2>"$T/err" &
	program=$!
	exec 5>"$T/end"
	until_ok test -s "$T/ready" || fail "$(cat "$T/err")"
	./prog/living $COUNT $OF "$UTD_PID" $(consumers) </dev/null >"$T/us" ||
	    fail "programs: $?"
	exec 5>&-
	wait $program || fail "a program failed"
	paste -d ' ' - "$T/us" <<-END >"$T/said"
	time
	utd
	consumer
	END
	cat "$T/said"
	for part in $parts; do
		# Who has next to nothing to do cannot be compared.  If all were
		# looked at, it would be ten times as much and more.
		awk -v part="$part" '
		$1 == part && $3 > 20 && $3 > 4 * $2 { exit 1 }' "$T/said" ||
		    fail "$part: us for the first starts, the last of $COUNT:" \
		    "$(grep "^$part" "$T/said")"
	done
	expect 0 ' 0 events, 0 lost' utctl destroy s
done
