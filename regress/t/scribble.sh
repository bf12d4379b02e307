# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs that write what they like into the buffers that they share with
# the consumer, and cut them off: their own trace may be spoiled, which is said
# once.  Nobody dies, other sessions lose nothing, and neither memory nor files
# nor descriptors pile up.  MS is how long each of them writes; SEEDS="1 2 3"
# is the long form.

. ./common.sh
MS=${MS:-100}

# In a session of its own, whose few buffers are soon full.
scribble() {
	utctl create -o "$T/bad" bad >/dev/null &&
	    utctl enable-channel -s bad -m $mode -n 4 channel0 &&
	    utctl enable-event -s bad 'hostile:*' &&
	    utctl start bad >/dev/null || fail "set-up for $1"
	hold ./prog/scribble "$UT_RUNDIR" $1 $MS $seed
	expect 0 '' utctl list bad
	[ "$(grep -c warning "$T/out")" -le 12 ] ||
	    fail "$1: many warnings: $(cat "$T/out")"
	case $1 in
	all|fields|state|commit|shrink|order)
		until_ok sh -c "utctl list bad |
		    grep -q 'warning: channel channel0: the buffers are damaged'" ||
		    fail "$1: not said" ;;
	esac
	good_goes_on $1
	release || fail "$1: status $?"
	expect 0 '' utctl stop bad
	expect 0 '' utctl destroy bad
	good_goes_on $1
	# The metadata, and files for each thread that there could be, each
	# sub-buffer that could be shared, and losses of nobody's.
	n=$(ls "$T"/bad/ust/uid/*/* 2>/dev/null | wc -l)
	[ $n -le $((2 * (512 + 4 + 1) + 2)) ] || fail "$1: $n files"
	# Times to come are not believed: babeltrace2 reads nothing else either.
	[ $1 != future ] || readers_agree "$T/bad"
	rm -rf "$T/bad"
}

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
start_utd
good_start
before=$(fds)
memory=$(kilobytes)
mode=discard
for seed in ${SEEDS:-1}; do
	for what in all fields state commit times future seq header lost owner bell \
	    shrink half flicker unring; do
		scribble $what
	done
done
mode=overwrite
for seed in ${SEEDS:-1}; do
	for what in all fields state commit seq order; do
		scribble $what
	done
done
until_ok few_fds $((before + 8)) || fail "$before descriptors, then $(fds)"
now=$(kilobytes)
echo "$memory kB, then $now"
not_piled_up "$memory" "$now"
n=$(wc -l <"$T/utd.log")
[ $n -le 200 ] || fail "$n lines in the log: $(tail -5 "$T/utd.log")"
idle "after all"
good_end
