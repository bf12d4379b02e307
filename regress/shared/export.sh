# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of utctl export have in common.

. ./common.sh
need python3
PYTHONPATH=$TOP/regress/shared
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# check MODE OPTION...: and what there was of each kind.
check() {
	mode=$1
	shift
	python3 "$TOP/regress/shared/export.py" "$T/trace" "$mode" "$@" \
	    >"$T/counts" 2>"$T/err" || fail "export $*: $(tail -n 3 "$T/err")"
	read -r nview nB nE nb ne nfolded <"$T/counts"
}
