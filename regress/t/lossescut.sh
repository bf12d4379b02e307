# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Losses are told where they are, though files are cut and removed, sessions are
# rotated, and consumers and utd are killed: see shared/losses.sh.

. ./shared/losses.sh

start_utd

# Files are cut; then the oldest are removed.
setup cut '-n 8 -C 16k'
losses 3 200
stopped 0.7
kill -CONT $at
sleep 0.5
stopped 0.5
kill -CONT $at
sleep 0.4
finished
oracle 0
durations
setup removed '-n 8 -C 8k -W 12'
losses 2 200
for i in 1 2 3; do
	stopped 0.4
	kill -CONT $at
	sleep 0.2
done
finished cut
echo "removed: $told told of $lost"
[ "$told" -gt 0 ] && [ "$told" -le "$lost" ] ||
    fail "removed: $told told of $lost"

# A session is rotated while events are lost.
setup rotate '-n 8'
losses 3 300
stopped 0.7
kill -CONT $at
expect 0 '' utctl rotate rotate
stopped 0.5
kill -CONT $at
sleep 0.4
finished
oracle 0

# Consumers are killed while events are lost, and so is utd.
setup killed '-n 8'
losses 3 300
for i in 1 2 3; do
	stopped 0.5
	kill -9 $at
	sleep 0.$((i * 2 + 1))
done
finished
oracle 0
setup restart '-n 8'
losses 3 300
stopped 0.5
kill_utd 1
start_utd
sleep 0.3
kill_consumers
sleep 0.2
kill_utd 2
sleep 0.3
start_utd
finished
oracle 0
stop_utd || fail "utd: status $?"
