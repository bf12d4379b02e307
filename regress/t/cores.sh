# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What is read on several cores is what is read on one, byte for byte, and so is
# what is said of it, whatever is wrong with packets, events and their times.  A
# process that reads and is killed is told, and a closed output ends all.

. ./common.sh
. ./shared/rows.sh

seeded
ncores='2 3 7'
kinds='one plain many equal small late losses gone overlap backwards lies huge'
damaged='plain losses.48 overlap.48'
if [ -n "${FEWER:-}" ]; then
	ncores=3 kinds='many late losses overlap lies' damaged=losses.48
fi

# same OPTIONS...: also where output and messages go to one file.
same() {
	command=$1
	shift
	utctl $command -J 1 "$@" "$T/$what" >"$T/out.1" 2>"$T/err.1"
	status=$?
	utctl $command -J 1 "$@" "$T/$what" >"$T/both.1" 2>&1
	for n in $ncores; do
		utctl $command -J $n "$@" "$T/$what" >"$T/out" 2>"$T/err"
		got=$?
		[ $got -eq $status ] || fail "$what: $command -J $n $*:" \
		    "status $got, not $status: $(cat "$T/err")"
		cmp "$T/out.1" "$T/out" &&
		    cmp "$T/err.1" "$T/err" ||
		    fail "$what: $command -J $n $*: $(diff "$T/err.1" \
		    "$T/err" | head -5) $(diff "$T/out.1" "$T/out" | head -5)"
	done
	utctl $command -J 4 "$@" "$T/$what" >"$T/both" 2>&1
	cmp "$T/both.1" "$T/both" ||
	    fail "$what: $command -J 4 $*: order of messages"
}

all_same() {
	same view
	same view -j
	same view -o epoch,relative,event,fields
	same view -e p:end
	same view -e p:end -j -f 'k > 40'
	same view -f 'k == 7'
	same view -e nothing
	same view -b 1970-01-01T00:05 -u +400s
	same stat
	same stat -j -g k
	same stat -v k
	same stat -j -v k -f 'k != 3'
}

# All that is read on one core nevertheless.
one_core() {
	same view -o epoch,delta,fields
	same view -n 100
	same view -n -100
	same view -q
	same view -i -D p:begin,p:end,k
	same stat -d -D p:begin,p:end,k
}

TZ=UTC
export TZ
# Times of 64 bits, which can run backwards in a packet, and of 48, which cannot.
for what in $kinds; do
	packets $what | trace $what
	all_same
	packets $what | trace $what.48
	sed -e 's/ts timestamp; }/ts48 timestamp; u16 rest; }/' \
	    "$T/$what/metadata" >"$T/$what.48/metadata"
	what=$what.48
	all_same
done

# Selected events that are from long before their packets.
awk 'BEGIN {
	for (i = 0; i < 600; i++)
		for (f = 0; f < 2; f++) {
			at = 20000 + 10 * i + f
			line = "c_" f " " f " " at " " at + 9 " " i " 0"
			for (k = 0; k < 20; k++)
				line = line " 0 " at + int(k / 4) " " k
			if (i % 9 == 4)
				line = line " 0 " at - 900 " 77"
			print line
		}
}' | trace before
what=before
same view -f 'k == 77'
same view -f 'k == 7'
same stat -f 'k == 77'

what=losses
one_core

# Damaged files: bits of two are turned, and the end of one is lost.
for what in $damaged; do
	cp -R "$T/$what" "$T/$what.bad"
	what=$what.bad
	for i in 1 2 3 4 5 6 7 8 9; do
		file=$T/$what/c_$((i % 2 + 1))
		awk -v seed="$SEED$i" -v n="$(wc -c <"$file")" '
		    BEGIN { srand(seed); print int(rand() * n) }' >"$T/at"
		prog/packets -x "$(cat "$T/at")" "$file"
	done
	dd if="$T/$what/c_0" of="$T/cut" bs=1 count="$(cat "$T/at")" \
	    2>/dev/null && mv "$T/cut" "$T/$what/c_0" || fail "dd"
	all_same
done

# Processes that wait for somebody to read what they print.
awk 'BEGIN {
	for (i = 0; i < 600; i++) {
		line = "c_0 0 " i * 10 " " i * 10 + 9 " " i " 0"
		for (k = 0; k < 300; k++)
			line = line " 0 " i * 10 + int(k / 40) " " k
		print line
	}
}' | trace long

# Fewer files may be open than there are streams, and fewer sockets than so many
# processes need: if some cannot be had, those that were started wrote nothing.
for what in many long; do
	utctl view -N -J 1 "$T/$what" >"$T/out.1" 2>"$T/err.1" || fail "$what"
	for n in 1 64 64 64 64 64 64; do
		(ulimit -n 24 && exec utctl view -N -J $n "$T/$what") \
		    >"$T/out" 2>"$T/err" || fail "files: $(cat "$T/err")"
		cmp "$T/out.1" "$T/out" && cmp "$T/err.1" "$T/err" ||
		    fail "$what: view -J $n with 24 files: $(cat "$T/err")"
	done
done

mkfifo "$T/fifo" || exit 1
view() {
	utctl view -N -J 2 "$T/long" >"$T/fifo" 2>"$T/err"
	echo $? >"$T/status"
}
cores() {
	ps -A -o pid= -o ppid= -o rss= -o args= | awk -v dir="$T/long" '
	index($0, "utctl view") && index($0, dir) && !/awk/ {
		parent[$1] = $2
		rss[$1] = $3
	}
	END {
		for (p in parent)
			if (parent[p] in parent)
				print p, rss[p]
	}'
}
two() {
	[ "$(cores | wc -l)" -eq 2 ]
}
none() {
	[ "$(cores | wc -l)" -eq 0 ]
}
for which in 1 2; do
	rm -f "$T/status"
	view &
	exec 3<"$T/fifo"
	until_ok two || fail "no two processes"
	cores | sort -n >"$T/cores"
	kill -9 "$(awk -v n=$which 'NR == n { print $1 }' "$T/cores")"
	cat <&3 >/dev/null
	exec 3<&-
	until_ok test -s "$T/status" || fail "killed: it goes on"
	[ "$(cat "$T/status")" -eq 1 ] || fail "killed: $(cat "$T/status")"
	echo 'utctl: a process that reads was killed by signal 9: not all of it was read' |
	    cmp - "$T/err" || fail "killed: $(cat "$T/err")"
	until_ok none || fail "killed: one goes on"
done

# Nobody reads any more.
utctl view -N -J 3 "$T/long" 2>"$T/err" | head -1 >"$T/out"
grep -q 'k = 0' "$T/out" || fail "head: $(cat "$T/out")"
[ ! -s "$T/err" ] || fail "head: $(cat "$T/err")"
until_ok none || fail "head: one goes on"

# What waits for its turn has a queue that is full.
not_sanitized
rm -f "$T/status"
view &
exec 3<"$T/fifo"
full() {
	cores | awk '$2 > most { most = $2 } END { exit most < 4096 }'
}
until_ok full || fail "no full queue: $(cores)"
cores >"$T/cores"
awk '$2 > 8192 { exit 1 }' "$T/cores" || fail "memory: $(cat "$T/cores")"
exec 3<&-
wait
none || fail "the output is closed: one goes on"
exit 0
