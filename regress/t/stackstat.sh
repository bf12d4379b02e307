# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat -g function and -g stack: what awk counts in the stacks of view.

. ./common.sh
. ./shared/stacks.sh

stacks <<'END'
packet 7 7
def 1 0 0 0xa1 0xb1 0xc1
sample 1
sample 1
def 2 1 0 0xa2
sample 2
def 3 2 2 0xa1 0xa2
v 3 1
sample 0
packet 8 8
def 4 0 0 0xb1 0xa1 0xb1
sample 4
END
utctl view -N -o stack "$ST" | awk '
	/^[0-9]/ { delete seen }
	$1 == "#0" { self[$2]++ }
	/^ *#/ && !seen[$2]++ { total[$2]++ }
	END { for (f in total) print self[f] + 0, total[f], f }' |
    sort -k1,1nr -k2,2nr -k3 >"$T/want"
utctl stat -N -g function "$ST" >"$T/out" || fail "stat"
sed '1,/ function$/d' "$T/out" | awk '{ print $1, $3, $5 }' >"$T/got"
expected function <"$T/want"
grep -q '^5 of them with a call stack$' "$T/out" || fail "with a stack"

# Events that are no samples of the CPU are told of, if there are samples, too.
for by in function caller stack; do
	utctl stat -g $by "$ST" 2>&1 >/dev/null | grep -q -x "utctl: -g $by \
counts 4 samples of the CPU and 1 other events together: -e cpu:sample selects \
the samples alone" || fail "$by: does not tell of other events"
	for e in cpu:sample e:v; do
		! utctl stat -g $by -e $e "$ST" 2>&1 >/dev/null |
		    grep -F 'other events' || fail "$by -e $e"
	done
done

utctl stat -N -g stack "$ST" | sed '1,/ function$/d' |
    awk '{ print $1, $3 substr($0, 41) }' >"$T/got"
expected stack <<'END'
4 0  0xc1
2 1    0xa2
1 0     0xa2
1 1     0xa1
2 0    0xb1
2 2     0xa1
1 0  0xb1
1 0   0xa1
1 1   0xb1
END
exit 0
