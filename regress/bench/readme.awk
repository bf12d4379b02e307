# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# README's table, of the rows that bench.sh has added to the file ROWS.
#
#	awk -f bench/readme.awk rows
#
# The rows beside LTTng as it is installed are the table; those beside a newer
# one, if there are any, make a table of its own.  If a row is there several
# times, the last one counts.

function line(text, u, l, unit) {
	if (u == "")
		u = "?"
	printf "\t%-32s%s\t%s\t%s\n", text, u, l, unit
}
function figure(s, digits) {
	if (s !~ /^-?[0-9][0-9.]*(e[-+]?[0-9]+)?$/)
		return s
	if (s > -0.05 && s < 0.05 && digits < 2)
		return "0.0"
	if (s >= 1000)
		return sprintf("%d,%03d", int((s + 0.5) / 1000),
		    int(s + 0.5) % 1000)
	return sprintf("%.*f", digits, s)
}
# a(NAME, WHO, DIGITS, TIMES): the row's figure of u, l or f, times that.
function a(name, who, digits, times,  s) {
	s = row[now, name, who]
	return s ~ /^[0-9.e+-]+$/ ? figure(s * times, digits) : s
}
function both(text, name, unit, digits, times) {
	line(text, a(name, "u", digits, times), a(name, "l", digits, times),
	    unit)
}
# What is beyond the floor.
function more(text, name, unit,  f, l) {
	f = row[now, name, "f"]
	l = row[now, name, "l"]
	if (l ~ /^[0-9.]+$/)
		l = figure(l - f, l - f < 100 ? 2 : 0)
	line(text, f == "" ? "" : figure(row[now, name, "u"] - f, 2), l, unit)
}
function table(  clock) {
	printf "\t\t\t\t\tlibut\t%s\n", now
	both("event with one int", "event: one int", "ns", 0, 1)
	clock = a("clock_gettime(2)", "f", 0, 1)
	line("    of which the clock is", clock, clock, "ns")
	line("the same, timed in cycles", a("cycles: one int", "u", 0, 1), "",
	    "ns")
	line("    of which the counter is",
	    a("the counter of cycles", "f", 0, 1), "", "ns")
	both("the same, in two sessions", "one int, in two sessions at once",
	    "ns", 0, 1)
	both("event that no session wants", "disabled event, beyond the loop",
	    "ns", 1, 1)
	both("in the trace", "trace: one int", "bytes", 1, 1)
	line("highest rate without loss", " ", "", "")
	both("    1 writer", "none lost, tmpfs, writers: 1", "million/s", 1,
	    0.001)
	both("    2 writers", "none lost, tmpfs, writers: 2", "million/s", 1,
	    0.001)
	both("    2, timed in cycles", "none lost, tmpfs, cycles, writers: 2",
	    "million/s", 1, 0.001)
	line("start and end of a program", " ", "", "")
	line("    without tracing",
	    a("process, no daemon, at once: 1", "f", 2, 1), "", "ms")
	more("    no daemon", "process, no daemon, at once: 1", "ms more")
	more("    a session per user", "process, per-UID, at once: 1",
	    "ms more")
	more("    a session per process", "process, per-PID, at once: 1",
	    "ms more")
	both("a thread's first event, and end",
	    "a thread's first event, and end", "us", 2, 0.001)
	both("enable-event, 1000 programs", "enable-event, programs: 1000",
	    "ms", 0, 1)
	both("daemons, without the buffers", "daemons, resident, no pool", "MB",
	    1, 0.001)
	both("library, stripped", "libraries of a program, stripped", "kB", 0,
	    1)
	both("library, daemon and tool", "library, daemons and tool", "kB", 0,
	    1)
}
BEGIN {
	FS = "|"
	now = "LTTng"
}
$1 == "column" {
	now = $2
	next
}
NF >= 5 {
	if (now ~ /^LTTng/ && !(now in seen)) {
		seen[now] = 1
		tables[++n] = now
	}
	row[now, $1, "u"] = $3
	row[now, $1, "l"] = $4
	row[now, $1, "f"] = $5
}
END {
	for (i = 1; i <= n; i++) {
		now = tables[i]
		table()
	}
}
