# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of a kernel, written by hand: of which thread events are by
# sched_switch on their CPU, or by their contexts, and what pairs they are.

. ./common.sh

u32='integer { size = 32; align = 8; }'
u64='integer { size = 64; align = 8; }'
i32='integer { size = 32; align = 8; signed = true; }'
comm='integer { size = 8; align = 8; signed = true; encoding = UTF8; } _%s[16];'

# The events by their numbers: name and fields.
events() {
	cat <<-END
	1 sched_switch $(printf "$comm" prev_comm) $i32 _prev_tid; \
	    $(printf "$comm" next_comm) $i32 _next_tid;
	2 syscall_entry_read $u32 _fd;
	3 syscall_exit_read $i32 _ret;
	4 irq_handler_entry $i32 _irq;
	5 irq_handler_exit $i32 _irq;
	6 sys_open $i32 _fd;
	7 sys_futex $i32 _fd;
	8 exit_syscall $i32 _ret;
	9 mark $i32 _n;
	END
}

# metadata DIR [CONTEXT]
metadata() {
	rm -rf "$1"
	mkdir -p "$1"
	{
		cat <<-END
		/* CTF 1.8 */
		trace { major = 1; minor = 8; byte_order = le;
		    packet.header := struct { $u32 magic; $u32 stream_id; };
		};
		env { domain = "kernel"; tracer_name = "lttng-modules"; };
		clock { name = m; freq = 1000000000; };
		END
		for stream in 0 1; do
			cat <<-END
			stream {
			    id = $stream;
			    event.header := struct { $u32 id; integer {
				size = 64; align = 8; map = clock.m.value;
			    } timestamp; };
			    packet.context := struct { $u64 timestamp_begin;
				$u64 timestamp_end; $u64 content_size;
				$u64 packet_size; $u64 events_discarded;
				$u32 cpu_id; };
			    ${2:+event.context := struct { $2 \};}
			};
			END
			events | while read -r id event fields; do
				echo "event { id = $id; name = \"$event\";
				    stream_id = $stream;
				    fields := struct { $fields }; };"
			done
		done
	} >"$1/metadata"
}

# packet FILE STREAM CPU BEGIN END DISCARDED: with the events on stdin, each a time
# and what `event' takes; or with $context before each one's fields.
packet() {
	{
		printf '32 0xc1fc1fc1\n32 %d\n64 %d\n64 %d\ncontent 64\n' \
		    "$2" "$4" "$5"
		printf 'size 64\n64 %d\n32 %d\n' "$6" "$3"
		while read -r time id a b c d; do
			printf '32 %d\n64 %d\n' "$id" "$time"
			[ -z "${context-}" ] || printf '%s\n' "$context"
			case $id in
			1)	name "$a"
				echo "32 $b"
				name "$c"
				echo "32 $d" ;;
			*)	echo "32 $a" ;;
			esac
		done
		echo end
	} | ./prog/bits le >>"$1" || fail "bits"
}
# name TEXT: sixteen bytes.
name() {
	echo "s $1"
	i=${#1}
	while [ $((i += 1)) -lt 16 ]; do
		echo '8 0'
	done
}

# whose [OPTION...]: time in ns, CPU, thread, its name and event of each.
whose() {
	utctl view -o epoch,cpu,tid,thread,event "$@" "$T/k" 2>"$T/err" |
	    sed 's/^0\.0*//' >"$T/got"
}
# pairs [OPTION...]: how often, how long, in ns, and which.
pairs() {
	utctl stat -d "$@" "$T/k" >"$T/out" 2>"$T/err" || fail "stat -d"
	sed '/^the slowest/,$d' "$T/out" | awk '$1 ~ /^[0-9]+$/ && NF > 8 {
		print $1, $2 * 1000, $3 * 1000, $NF
	}' | sort -k 4 >"$T/got"
}

# Two CPUs; system calls in a channel of their own.  The thread 10 begins to
# read on CPU 0, where it is interrupted, and ends on CPU 1.  CPU 1 is idle
# between, and interrupted.  Before 1000 nobody knows who reads.
metadata "$T/k"
packet "$T/k/sched_0" 0 0 0 1150 0 <<-END
	500 9 1
	600 4 7
	650 5 7
	1000 1 ed 5 cat 10
END
packet "$T/k/sched_0" 0 0 1150 9000 0 <<-END
	1200 4 7
	1300 5 7
	1500 1 cat 10 ed 5
	1600 9 2
END
packet "$T/k/sched_1" 0 1 0 9000 0 <<-END
	1010 1 ed 6 swapper/1 0
	1020 4 7
	1500 5 7
	2000 1 swapper/1 0 cat 10
	2200 9 3
END
packet "$T/k/sched_2" 0 2 0 9000 0 <<-END
	1015 1 ed 7 swapper/2 0
	1030 4 7
	1610 5 7
END
packet "$T/k/calls_0" 1 0 0 9000 0 <<-END
	700 2 3
	800 3 3
	1100 2 3
	1550 2 3
	1700 3 3
END
packet "$T/k/calls_1" 1 1 0 9000 0 <<-END
	2100 3 3
END
whose
expected 'whose' <<-END
	500 0 - - mark
	600 0 - - irq_handler_entry
	650 0 - - irq_handler_exit
	700 0 - - syscall_entry_read
	800 0 - - syscall_exit_read
	1000 0 5 ed sched_switch
	1010 1 6 ed sched_switch
	1015 2 7 ed sched_switch
	1020 1 0 swapper/1 irq_handler_entry
	1030 2 0 swapper/2 irq_handler_entry
	1100 0 10 cat syscall_entry_read
	1200 0 10 cat irq_handler_entry
	1300 0 10 cat irq_handler_exit
	1500 0 10 cat sched_switch
	1500 1 0 swapper/1 irq_handler_exit
	1550 0 5 ed syscall_entry_read
	1600 0 5 ed mark
	1610 2 0 swapper/2 irq_handler_exit
	1700 0 5 ed syscall_exit_read
	2000 1 0 swapper/1 sched_switch
	2100 1 10 cat syscall_exit_read
	2200 1 10 cat mark
END
cp "$T/got" "$T/whole"
for options in '-t 10' '-t cat' '-p cat' '-f $tid==10' '-f $program=="cat"' \
    '-t 10 -n 9' '-t 10 -n -9'; do
	whose $options
	awk '$3 == 10' "$T/whole" >"$T/want"
	expected "whose $options" <"$T/want"
done
whose -t 5 -n -9
awk '$3 == 5' "$T/whole" >"$T/want"
expected 'whose: read twice' <"$T/want"
whose -f '$cpu == 1'
awk '$2 == 1' "$T/whole" >"$T/want"
expected 'whose: a CPU' <"$T/want"
whose -t 10 -n -2
awk '$3 == 10' "$T/whole" | tail -2 >"$T/want"
expected 'whose: the last two' <"$T/want"
whose -b 1970-01-01T00:00:00.0000012Z
awk '$1 >= 1200' "$T/whole" >"$T/want"
expected 'whose: from then on' <"$T/want"
utctl stat -g '$cpu' "$T/k" | awk '$NF ~ /^[0-2]$/ { print $NF, $1 }' | sort \
    >"$T/got"
awk '{ n[$2]++ } END { for (c in n) print c, n[c] }' "$T/whole" | sort \
    >"$T/want"
expected 'by CPU' <"$T/want"
utctl stat -v '$cpu' "$T/k" | awk 'NF == 9 && $1 != "$cpu" {
	print $9, $1, $2, $8 }' | sort >"$T/got"
awk '{ if (!n[$5]++ || $2 < min[$5]) min[$5] = $2; if ($2 > max[$5]) max[$5] = $2 }
    END { for (e in n) print e, n[e], min[e], max[e] + 0 }' "$T/whole" | sort \
    >"$T/want"
expected 'stat -v: a CPU' <"$T/want"
utctl export -F chrome -v '$cpu' "$T/k" | sed -n \
    's/^{"ph":"C",.*"name":"\([^ ]*\) $cpu","args":{"value":\([0-9]*\)}}.*/\1 \2/p' |
    sort >"$T/got"
awk '{ print $5, $2 }' "$T/whole" | sort >"$T/want"
expected 'export -v: a CPU' <"$T/want"
pairs
expected "pairs: $(cat "$T/out")" <<-END
	4 1210 1210 irq_handler
	2 1150 1050 syscall_read
END
grep -q '^utctl: 2 events were left out of pairs' "$T/err" ||
    fail "before the first switch: $(cat "$T/err")"

# Exports have a track for each thread, for the idle one of each CPU, and for
# events of no known thread; none of them is named twice.
if command -v python3 >/dev/null 2>&1; then
	for f in chrome perfetto; do
		utctl export -F $f "$T/k" >"$T/$f" 2>"$T/err" ||
		    fail "export -F $f: $(cat "$T/err")"
		python3 - $f "$T/$f" >"$T/got" <<-'END' || fail "tracks: $f"
		import collections, sys
		sys.path.insert(0, "shared")
		import timeline
		t = getattr(timeline, sys.argv[1])(open(sys.argv[2], "rb").read())
		n = collections.Counter(i[1:3] for i in t.instants)
		bars = collections.Counter(b[2:4] for b in t.bars)
		for who, names in t.names.items():
		    if who[1] is not None:
		        print(*names, n[who], bars[who], sep=",")
		assert set(n) | set(bars) <= set(t.names), (n, bars, t.names)
		END
		LC_ALL=C sort -o "$T/got" "$T/got"
		expected "tracks: $f" <<-END
		cat,2,2
		ed,1,0
		ed,1,0
		ed,2,1
		swapper/1[0],1,1
		swapper/2[0],0,1
		unknown thread,1,1
		END
	done
fi
# So has a report.
utctl report "$T/k" >"$T/page" 2>"$T/err" || fail "report: $(cat "$T/err")"
sed -n 's/.*"tracks":\[\(.*\)\],"ntracks".*/\1/p' "$T/page" |
    sed 's/,"cells":[^]]*\]//g' | tr '}' '\n' |
    sed -n 's/.*"name":"\([^"]*\)".*"tid":0,"events":\([0-9]*\),.*/\1 \2/p' |
    LC_ALL=C sort >"$T/got"
expected "report" <<-END
swapper/1 3
swapper/2 2
END

utctl export -F otlp-logs "$T/k" >"$T/otlp" || fail "export -F otlp-logs"
grep -o '"thread.id","value":{"intValue":"[-0-9]*"' "$T/otlp" |
    sed 's/.*:"//; s/"//' | sort -n | uniq >"$T/got"
expected 'otlp-logs' <<-END
	0
	5
	6
	7
	10
END

# After a loss on a CPU nobody knows, until the next switch.
metadata "$T/k"
packet "$T/k/one" 0 0 0 2000 0 <<-END
	1000 1 ed 5 cat 10
	1100 2 3
END
packet "$T/k/one" 0 0 2000 4000 3 <<-END
	3000 1 ed 5 cat 10
	3100 3 3
END
packet "$T/k/one" 0 0 4000 6000 3 <<-END
	5000 3 3
	5100 1 ed 5 cat 10
	5200 9 1
END
whose
expected 'losses' <<-END
	1000 0 5 ed sched_switch
	1100 0 10 cat syscall_entry_read
	3000 0 - - sched_switch
	3100 0 - - syscall_exit_read
	5000 0 - - syscall_exit_read
	5100 0 5 ed sched_switch
	5200 0 10 cat mark
END

# Kernels that have one event for the ends of all system calls.
metadata "$T/k"
packet "$T/k/one" 0 0 0 9000 0 <<-END
	1000 1 ed 5 cat 10
	1100 6 3
	1200 1 cat 10 ed 5
	1300 7 3
	1500 8 0
	1600 1 ed 5 cat 10
	2100 8 0
	2200 7 0
	2300 8 0
END
pairs
expected "old: $(cat "$T/out")" <<-END
	2 300 300 sys_futex
	1 1000 1000 sys_open
END

# By contexts, and without any switch; what a namespace has does not count.
metadata "$T/k" "$i32 _tid; $i32 _pid; $i32 _vtid; $i32 _vpid;"
for context in '32 10
32 9
32 1
32 1' '32 5
32 5
32 1
32 1'; do
	packet "$T/k/${context%% *}$((${#context}))" 0 0 0 9000 0 <<-END
	1100 2 3
	$((1000 + ${#context} * 100)) 3 3
	END
done
pairs
expected "contexts: $(cat "$T/out")" <<-END
	2 3700 3700 syscall_read
END
expect 0 '^utctl: -g vtid: no field of any event, but there is [$]vtid' \
    utctl stat -g vtid "$T/k"
expect 0 'of malloc(3) .*: only utctl record -w malloc and LTTng-UST record' \
    utctl heap "$T/k"
whose -t 10
[ "$(cat "$T/got" | wc -l)" -eq 2 ] || fail "contexts: $(cat "$T/got")"
whose -f '$vtid == 1 && $ctx.vpid == 1 && $pid == 9'
[ "$(cat "$T/got" | wc -l)" -eq 2 ] || fail "-f, contexts: $(cat "$T/got")"
metadata "$T/k"
sed 's/sched_switch/other/' "$T/k/metadata" >"$T/other" &&
    mv "$T/other" "$T/k/metadata" || exit 1
context=
packet "$T/k/one" 0 0 0 9000 0 <<-END
	1100 2 3
	1200 3 3
END
utctl stat -d "$T/k" 2>&1 >"$T/out" |
    grep -q 'record sched_switch, or lttng add-context -k -t tid' ||
    fail "neither"
! grep -q read "$T/out" || fail "neither: $(cat "$T/out")"
