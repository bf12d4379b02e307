# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# An event that is left as it takes a slot, or gives it back: see prog/slots.c.

. ./common.sh

./prog/slots || fail "slots: $?"
