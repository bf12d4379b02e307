# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Whatever comes and goes, is killed, forks and loads libraries, for some
# seconds: see soak.sh, which `make soak' runs for an hour.

SOAK_SECONDS=${SOAK_SECONDS:-12} exec sh ./soak.sh
