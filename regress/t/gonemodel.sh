# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Figures of traces that lack packets, at random.  What is told of a pair, a
# block or a lock must be what really was, for the model knows what is missing.

. ./shared/gone.sh

need python3
i=0
while [ $i -lt "${GONE:-30}" ]; do
	i=$((i + 1))
	for mode in all some; do
		[ $mode = some ] || [ $i -le 5 ] || continue
		python3 "$TOP/regress/shared/gone.py" $i $mode - >"$T/packets" ||
		    fail "model $i"
		trace model <"$T/packets"
		python3 "$TOP/regress/shared/gone.py" $i $mode "$T/model" 2>"$T/err" ||
		    fail "model $i, $mode: $(tail -n 1 "$T/err")"
	done
done
