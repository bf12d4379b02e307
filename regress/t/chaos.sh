# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Commands of all kinds in any order, while utd, consumers and programs are
# killed, for some seconds: see soak.sh, which `make soak' runs for ten minutes
# in this way.

SOAK_CHAOS=1 SOAK_SECONDS=${SOAK_SECONDS:-20} exec sh ./soak.sh
