# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl locks -g: the callers are whole call stacks, of those who wait, of those
# who keep them waiting, and of those who have the lock at the end.

. ./common.sh
. ./shared/stacks.sh

stacks <<'END'
shared
who 7 1
def 1 0 0 0xa1 0xb1 0xc1
request 1 0x10
at 10000
acquired 1 0x10
who 7 2
def 2 0 0 0xa1 0xb2 0xc2
at 20000
request 2 0x10
who 7 1
at 50000
release 1 0x10
who 7 2
at 60000
acquired 2 0x10
END
utctl locks -N -g "$ST" >"$T/locks" || fail "locks -g"
awk '/ caller$/ { on = 1; next } on && NF == 0 { exit } on {
	print $1, $2, NF == 1 ? "" : $4 " " $NF }' "$T/locks" |
    sed 's/ *$//' >"$T/got"
expected callers <<'END'
1 1 40.000 0xa1
0xb2
0xc2
1 0 8.000 0xa1
0xb1
0xc1
END
sed -n '/not released by/,/^ *lock/p' "$T/locks" | sed -n 2,3p |
    tr -d ' ' >"$T/got"
expected held <<'END'
0xb2
0xc2
END
sed -n '/^the longest waits/,/^$/p' "$T/locks" | sed -n '3,8p' |
    sed 's/.* held by/held by/; s/^ *//' >"$T/got"
expected waits <<'END'
held by 1 0xa1
0xb2
0xc2
held by 0xa1
0xb1
0xc1
END
utctl export -N -F folded -w wait "$ST" | sort >"$T/got"
expected "-w wait" <<'END'
-;0xc2;0xb2;0xa1 40000
END
utctl report "$ST" | grep -o '"callers":.*,"ncallers":2,' >"$T/page" ||
    fail "report: no callers"
tr '{' '\n' <"$T/page" | grep '"caller":' |
    sed 's/"program.*"waited"/"waited"/; s/,"hold_ns.*//' >"$T/got"
expected "report's callers" <<'END'
"caller":"0xa1 \u003c 0xb2 \u003c 0xc2","waited":40000
"caller":"0xa1 \u003c 0xb1 \u003c 0xc1","waited":8000
END
utctl locks -N "$ST" | grep -q '^ *2 .* 0xca$' || fail "locks without -g"
exit 0
