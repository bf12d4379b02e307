#!/bin/sh
# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# hung.sh GROUP: what the processes of that process group are doing, and those
# that descend from one of them, of which there may be many.  What the system
# does for each thread is said where it can be read: on Linux, by root.

processes() {
	ps -A -o pid= -o ppid= -o pgid= | awk -v g="$1" '
	{
		parent[$1] = $2
		if ($3 == g)
			in_it[$1] = 1
	}
	END {
		for (again = 1; again; ) {
			again = 0
			for (p in parent)
				if (!(p in in_it) && parent[p] in in_it)
					again = in_it[p] = 1
		}
		for (p in in_it)
			print p
	}' | sort -n | head -n 20
}

set -- $(processes "$1")
[ $# -gt 0 ] || {
	echo "HUNG: no process is left"
	exit
}
echo "HUNG: what was running, 20 processes at most:"
# Not every ps(1) takes several at once.
for p in "$@"; do
	ps -o pid= -o ppid= -o pgid= -o stat= -o wchan= -o args= -p "$p" |
	    cut -c 1-160
done
for p in "$@"; do
	grep -E '^Sig(Q|Pnd|Blk|Cgt)|^ShdPnd' "/proc/$p/status" |
	    tr '\t\n' '  ' | sed "s/^/$p: /"
	echo
	for t in $(ls "/proc/$p/task" | head -n 5); do
		echo "$p/$t: $(cat "/proc/$p/task/$t/wchan")" \
		    "$(cat "/proc/$p/task/$t/syscall")" \
		    "$(sed 's/^\[<[0-9a-f]*>\] //; s/+.*//' \
		    "/proc/$p/task/$t/stack" | head -n 8 | tr '\n' ' ')"
	done
done 2>/dev/null | grep .
