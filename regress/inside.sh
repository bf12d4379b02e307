# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# What a test begins with, before common.sh, that looks at what is in shared
# memory:  . ./inside.sh
#
# It runs again with shared memory of its own, where that can be had;
# UT_TEST_INSIDE says so.

if [ -z "${UT_TEST_INSIDE-}" ]; then
	for how in "unshare -m" "unshare -Urm"; do
		$how mount -t tmpfs tmpfs /dev/shm 2>/dev/null || continue
		UT_TEST_INSIDE=1 exec $how sh "$0"
	done
else
	mount -t tmpfs tmpfs /dev/shm || exit 1
fi
