# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Mutexes in traces of LTTng, written by hand: what is told of a call comes when
# it has returned, so that the next thread's acquisition may come before the
# release; and two processes whose threads have other names than the programs.

. ./common.sh
. ./shared/ctf.sh

u32='integer { size = 32; align = 8; }'
u64='integer { size = 64; align = 8; base = 16; }'
i32='integer { size = 32; align = 8; signed = true; }'
cat >"$T_CTF/metadata" <<END
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
env { domain = "ust"; tracer_name = "lttng-ust"; hostname = "h"; };
clock { name = m; freq = 1000000000; };
stream {
    event.header := struct { $u32 id; integer { size = 64; align = 8;
	map = clock.m.value; } timestamp; };
    event.context := struct { $i32 _vpid; $i32 _vtid; string _procname; };
};
$(n=0
for event in lock_req lock_acq trylock unlock; do
	n=$((n + 1))
	echo "event { id = $n; name = \"lttng_ust_pthread:pthread_mutex_$event\";
	    fields := struct { $u64 _mutex; $([ $n -eq 1 ] ||
	    echo "$i32 _status;") }; };"
done)
END

# events: time, process, thread, its name, event, mutex and status of each.
events() {
	while read -r time pid tid name event mutex status; do
		case $event in
		req)	id=1 ;;
		acq)	id=2 ;;
		try)	id=3 ;;
		unlock)	id=4 ;;
		esac
		printf '32 %d\n64 %d\n32 %d\n32 %d\ns %s\n64 %d\n' $id "$time" \
		    "$pid" "$tid" "$name" "$mutex"
		[ $id -eq 1 ] || echo "32 $status"
	done | bits le
}

# locks: process, lock, and of it how often it was acquired, contended and not
# acquired; and how many ns it was waited for, and held.
locks() {
	utctl locks -aN "$T_CTF" >"$T/out" 2>"$T/err" || fail "locks"
	grep -v 'no waits for conditions' "$T/err" && fail "$(cat "$T/err")"
	awk '/^[a-z]+\[[0-9]+\]: /	{ who = $1 }
	/^  .*(released|acquired)/	{ print who, $0 }
	/^acquired/			{ is = / lock, / }
	is && $1 ~ /^[0-9]+$/ && NF > 11 {
		for (i = 12; $i !~ /^0x/; i++)
			;
		print who, $i, $1, $2, $3, $4 * 1000, $8 * 1000
	}
	/^$/				{ is = 0 }' "$T/out" >"$T/got"
}

# The thread 11 releases the mutex at 200, or before: what it says of that comes
# late.  A third one fails to have it; 12 has another one twice, and keeps it.
# The other process has its own mutexes, and names.
events <<-END
	100 9 11 one req 64 0
	110 9 11 one acq 64 0
	150 9 12 two req 64 0
	200 9 12 two acq 64 0
	210 9 11 one unlock 64 0
	230 9 13 three try 64 16
	250 9 12 two unlock 64 0
	300 9 12 two req 80 0
	310 9 12 two acq 80 0
	320 9 12 two try 80 0
	330 9 12 two unlock 80 0
	400 8 8 prog req 64 0
	410 8 9 other req 64 0
	420 8 8 prog acq 64 0
	430 8 8 prog unlock 64 0
	440 8 9 other acq 64 130
	450 8 9 other unlock 64 0
	460 8 8 renamed unlock 64 1
END
locks
sed 's/ at 1970.* from / from /' "$T/got" >"$T/short" && mv "$T/short" "$T/got"
expected locks <<-END
	one[9]:   0x50 not released by thread 12, which acquired it from lttng_ust_pthread:pthread_mutex_lock_acq
	one[9]: 0x40 2 1 1 60 140
	one[9]: 0x50 2 0 0 10 0
	renamed[8]: 0x40 2 1 0 50 20
END

# In a wait for a condition the mutex is acquired by others, and again, with
# nothing said; it counts as held until then.  What was released before the
# trace began is nobody's.
events <<-END
	50 9 12 two unlock 64 0
	100 9 11 one req 64 0
	110 9 11 one acq 64 0
	200 9 12 two req 64 0
	210 9 12 two acq 64 0
	220 9 12 two unlock 64 0
	250 9 13 three req 64 0
	260 9 13 three acq 64 0
	270 9 13 three unlock 64 0
	300 9 11 one unlock 64 0
	310 9 11 one req 64 0
	320 9 11 one acq 64 0
	330 9 11 one unlock 64 0
	340 9 11 one unlock 64 0
END
locks
expected conditions <<-END
	two[9]:   2 released, but not acquired here
	two[9]: 0x40 4 1 0 40 130
END

# LTTng's own thread tells of a module, and of no name: the process has the name
# of the first thread whose events are selected, unless it is the main thread's.
echo "event { id = 5; name = \"lttng_ust_statedump:bin_info\";
    fields := struct { $u64 _baddr; $u64 _memsz; string _path; }; };" \
    >>"$T_CTF/metadata"
module='32 5
64 50
32 9
32 10
s helper
64 4096
64 4096
s /lib/none'
locked() {
	printf '32 1\n64 %d\n%s\n64 64\n32 2\n64 %d\n%s\n64 64\n32 0\n' \
	    "$1" "$3" "$2" "$3"
}
named() {
	utctl locks "$@" "$T_CTF" 2>/dev/null | sed -n 's/^\([^ ]*\): 1 lock.*/\1/p'
}
{
	echo "$module"
	locked 100 110 '32 9
32 12
s worker'
	locked 200 210 '32 9
32 9
s main'
} | bits le
{
	named -t worker
	named -t main
	named
} >"$T/got"
expected names <<-END
	worker[9]
	main[9]
	main[9]
END

# Nobody knows the process: there is a dash, and no member.
sed 's/integer { size = 32; align = 8; signed = true; } _vpid;//' \
    "$T_CTF/metadata" >"$T/short" && mv "$T/short" "$T_CTF/metadata" || exit 1
locked 100 110 '32 12
s worker' | bits le
{
	named
	utctl locks "$T_CTF" 2>&1 | sed -n 's/.*  \(\[-:[^ ]*\).*/\1/p'
	utctl locks -j "$T_CTF" 2>&1 | grep -c '"vtid"'
	utctl locks -j "$T_CTF" 2>&1 | grep -c '"vpid"'
	utctl view -q -p 9 "$T_CTF" 2>&1 >/dev/null
	utctl view -q -p 9 -p nix -t 13 "$T_CTF" 2>&1 >/dev/null | wc -l
	utctl heap "$T_CTF" 2>&1 >/dev/null | grep -c lttng_ust_libc
} >"$T/got"
expected 'no process' <<-END
	worker[-]
	[-:12]
	1
	0
	utctl: -p: the trace does not tell the IDs of programs
	3
	1
END
