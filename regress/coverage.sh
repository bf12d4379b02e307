#!/bin/sh
# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# Prints the branches of libut's data path, of the consumer and of the journal
# that the tests do not take, and fails if they are not those that the file
# unreached lists, each with its reason.  PARTS names other tests, for a look at
# what these take.  The build has a directory of its own.
#
# The counters are clang's, in files that processes map, and so are whole when a
# process is killed or calls _exit(2).  gcov writes its counters at exit(3), and
# most tests kill something.  Not seen: a condition that is nothing but a macro
# of the system's, and that a process was killed in a call that is a condition.

cd "$(dirname "$0")/.." || exit 1
FILES=$(for f in callstack event overwrite own_context prefix record region \
    shared slot subbuf thread wait; do printf 'libut/%s.c ' $f; done
    echo utd/consumer/*.c utd/consumer/output/*.c utd/parent/journal_load.c \
    utd/parent/talk/journal.c)
: "${PARTS:=amend aside astray badutd block blockends carried carriedkill
    channels chaos clear clock clockpoints clones context counterfeit cpu
    cut dropped endmany fakestack filtered forkbusy forkmalloc held hostile
    howto inflated interval intruder journal jump kept lacking living losses
    lossescut lostdir moved nodescriptors nofiles nooutput nothing outdir
    outside overcrowd overwrite owned perpid planted remedy rotate
    rotatefull scribble setuid several shm shrunk slots slowly snapshot
    snapshotnames snapshotusers sparing stackctx stacks starved stopped
    takeup toobig units unsaved warnings}"
for c in clang llvm-profdata llvm-cov; do
	command -v $c >/dev/null || { echo "coverage: no $c here"; exit 0; }
done
dir=$(mktemp -d "${TMPDIR:-/tmp}/ut-coverage-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
# Programs of other users count there, too.
chmod 755 "$dir" && mkdir "$dir/raw" "$dir/tests" && chmod 1777 "$dir/raw" &&
    cp -R Makefile README libut man regress utctl utd "$dir" &&
    cd "$dir" || exit 1
# Whatever has nothing that is counted does not know where to.
printf 'src:%s\n' $FILES 'libut/common/*' >counted
export LLVM_PROFILE_FILE="$dir/raw/%p-%m%c"
count="-fprofile-instr-generate=$LLVM_PROFILE_FILE -fprofile-list=$dir/counted"
build="${MAKE:-make} -s CC=clang"
($build clean && $build CFLAGS="-O1 -g $count -fcoverage-mapping \
    -fprofile-update=atomic -mllvm -runtime-counter-relocation \
    -Wno-unused-command-line-argument" && cd regress &&
    $build CFLAGS="-O1 $count" TOOLS_CFLAGS=-O1 LIBS=-pthread progs &&
    $build -C fuzz CFLAGS=-O1 LIBS="-pthread $count" replay) \
    >log 2>&1 || { tail log >&2; exit 1; }

# merge NAME: what a process left that was killed as it began is no loss.
merge() {
	find raw -type f -size +0 >new
	llvm-profdata merge -sparse -failure-mode=all -f new -o "tests/$1" 2>err
	find raw -type f -exec rm -f {} +
}

failed=0
merge fuzz
for t in $PARTS; do
	CC=clang CFLAGS=-O1 LIBS="-pthread $count" MAKE="${MAKE:-make}" \
	    sh regress/run.sh "$t" >log || { cat log; failed=1; }
	merge "$t"
done
llvm-profdata merge -o counts tests/* && llvm-cov export -skip-functions \
    -skip-expansions -instr-profile=counts utd/utd -object libut/libut.so \
    $(printf "$dir/%s " $FILES) 2>/dev/null | tr '[' '\n' >exported
awk -v FILES="$(echo $FILES)" -f regress/coverage.awk regress/unreached \
    exported >report || failed=1
sort -t: -k1,1 -k2,2n report
exit $failed
