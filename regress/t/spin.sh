# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The models of a sub-buffer's life in spin/revoke.pml and, where it may be
# dropped, in spin/overwrite.pml, of a region that dozes in spin/doze.pml, of a
# channel's life in spin/level.pml, and of writers that wait for space in
# spin/block.pml: all that can happen is right, and each rule of the protocol
# that is left out shows as an error.
# SPIN_LONG=1 is the long form: three minutes, and 2 GB of memory.

. ./common.sh

need spin
cp spin/revoke.pml spin/doze.pml spin/level.pml spin/overwrite.pml \
    spin/block.pml "$T" && cd "$T" || fail "no model"

# Packed states take half of the memory, and a third more time.
pack=
[ -z "${SPIN_LONG:-}" ] || pack=-DCOLLAPSE

# check FLAGS...: $states and $errors.
check() {
	spin -a "$@" $model >spin.out 2>&1 || fail "spin: $(cat spin.out)"
	$CC $optimize $pack -w -DSAFETY -DMEMLIM=4000 -o pan pan.c ||
	    fail "cannot build pan"
	./pan -m10000 -w22 >pan.out 2>&1
	grep -q 'Search not completed' pan.out && ! grep -q 'pan:1:' pan.out &&
	    fail "$*: $(cat pan.out)"
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.out)
	errors=$(sed -n 's/.*errors: \([0-9]*\)$/\1/p' pan.out)
	echo "$model $*: $states states, $errors errors" \
	    "$(sed -n 's/^pan:1: //p' pan.out)"
	[ -n "$states" ] && [ -n "$errors" ] || fail "$*: $(cat pan.out)"
}

right() {
	optimize=-O1
	check "$@"
	[ "$errors" -eq 0 ] || fail "$model $*: an error"
}

wrong() {
	optimize=-O0
	check "$@"
	[ "$errors" -eq 1 ] || fail "$model $*: no error"
}

model=level.pml
for rule in NO_BARRIER NO_QUIET NO_ZERO LATE_FRAME RELAXED_ON NO_LOOK; do
	wrong -D$rule -DREGIONS=2
done
right -DREGIONS=2

model=doze.pml
for rule in NO_LOOK NO_GRACE EARLY_GRACE NO_BUSY LEFT_FIRST LATE_BUSY NO_RING \
    NO_TIMER; do
	wrong -D$rule
done
wrong -DSWAP_FIRST -DSTOP
wrong -DRELAXED_BUSY -DWEAK
wrong -DDOZE_ON -DDEATH
wrong -DNO_MESSAGE -DMUTE
wrong -DNO_NOTE -DMUTE
right -DEVENTS=2
right -DWEAK -DDEATH -DMUTE
right -DWEAK -DSTOP

model=block.pml
for rule in NO_FENCE_W NO_FENCE_C SAY_LATE NO_COMPARE CLEAR_LATE LATE_FREED \
    FREED_FIRST; do
	wrong -D$rule
done
wrong -DSAY_ONCE -DNW=3
wrong -DNO_WAKE -DDEATH
wrong -DNO_RAISE -DDEATH
right
right -DDEATH
right -DNS=2 -DNW=3 -DEVENTS=1

model=revoke.pml
for rule in NO_BUSY NO_COMMIT_CHECK NO_GRACE EARLY_GRACE LATE_BUSY KEEP; do
	wrong -D$rule
done
wrong -DWEAK -DRELAXED_BUSY
wrong -DWEAK -DRELAXED_PARK -DSHARED -DEVENTS=1
wrong -DWEAK -DRELAXED_OWNER -DSHARED -DEVENTS=1 -DDEATH

right -DNS=1
right -DWEAK -DJUMP
right -DEVENTS=1 -DDEATH -DSTOP -DJUMP -DWEAK
right -DEVENTS=1 -DNS=2 -DWEAK
right -DEVENTS=1 -DSHARED -DWEAK
right -DEVENTS=1 -DSHARED -DDEATH

model=overwrite.pml
for rule in NO_TAKEN NO_PIN LATE_PIN NO_LOOK; do
	wrong -D$rule -DNS=1 -DEVENTS=2
done
wrong -DCOPY -DNO_ROUND -DNS=1 -DEVENTS=2
wrong -DALL_FULL -DEVENTS=2 -DOTHERS=0
wrong -DNO_AGAIN -DJUMP -DNS=1 -DEVENTS=1
wrong -DOLD_WORD -DSHARED -DNS=1 -DEVENTS=2

right -DNS=1 -DEVENTS=1 -DWEAK -DDEATH
right -DNS=1 -DCAP=2 -DJUMP -DOTHERS=0
right -DEVENTS=2 -DOTHERS=0
right -DEVENTS=1
right -DCOPY -DNS=1 -DEVENTS=2
right -DSHARED -DNS=1 -DEVENTS=1 -DWEAK -DDEATH
[ -n "${SPIN_LONG:-}" ] || exit 0
right -DEVENTS=1 -DWEAK
right -DNS=1 -DEVENTS=2
right -DNS=1 -DEVENTS=2 -DWEAK -DDEATH
right -DNS=1 -DEVENTS=1 -DWEAK -DDEATH -DJUMP
right -DCOPY -DNS=1 -DEVENTS=2 -DWEAK
right -DSHARED -DNS=1 -DEVENTS=2 -DOTHERS=2 -DCAP=2
right -DSHARED -DNS=1 -DEVENTS=1 -DJUMP
model=doze.pml
right -DWEAK -DSTOP -DDEATH
right -DEVENTS=2 -DWEAK -DMUTE
right -DEVENTS=3
model=revoke.pml
right -DDEATH -DSTOP -DJUMP
right -DDEATH -DSTOP -DJUMP -DWEAK
right -DNS=2
right -DSHARED
right -DEVENTS=1 -DSHARED -DDEATH -DSTOP -DJUMP -DWEAK
model=level.pml
right -DREGIONS=2 -DJUMP
right -DREGIONS=3
