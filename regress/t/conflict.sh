# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs with events of one name that are not the same: each is recorded as
# it is, also after utd was replaced, and nobody is warned.

. ./common.sh

build "$T/first" prog/kind.c
build "$T/same" prog/kind.c
build "$T/fields" '-DFIELDS=UT_U64(n)' -DVALUES='(uint64_t)i' prog/kind.c
build "$T/names" '-DFIELDS=UT_INT(m)' -DVALUES=i prog/kind.c
build "$T/level" -DLEVEL=UT_WARNING prog/kind.c

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'kind:*' &&
    utctl start || fail "set-up"
mkfifo "$T/hold" || fail "mkfifo"
"$T/first" 10 <"$T/hold" >"$T/ready" &
CHILDREN="$CHILDREN $!"
exec 5>"$T/hold"
until_ok grep -q done "$T/ready" || fail "first does not run"

# Each is described once, however often it comes.
"$T/fields" 100 </dev/null >/dev/null && "$T/names" 30 </dev/null >/dev/null &&
    "$T/level" 4 </dev/null >/dev/null &&
    "$T/same" 5 </dev/null >/dev/null || fail "others: $?"
kill_utd 0
start_utd
for p in fields names level same; do
	"$T/$p" 1 </dev/null >/dev/null || fail "$p: $?"
done
[ "$(utctl list s | grep 'warning: ' | sed 's/^ *//')" = \
    'warning: utd was killed, and another took over' ] ||
    fail "$(utctl list s)"
[ "$(utctl list s | grep -c 'kind:one (id ')" -eq 4 ] || fail "$(utctl list s)"
expect 0 's destroyed: 153 events, 0 lost, ' utctl destroy
readers_agree "$T/trace"
[ "$(described 'kind:one"' "$T"/trace/ust/uid/*/*/metadata)" -eq 4 ] ||
    fail "not four kind:one in the metadata"

# are N FILTER: so many events pass it, by the fields and levels that they have.
are() {
	[ "$(utctl view -jq -f "$2" "$T/trace" | pick events)" -eq "$1" ] ||
	    fail "$2: $(utctl view -jq -f "$2" "$T/trace")"
}
are 122 'n >= 0'
are 16 'n >= 0 && $program == "first" || n >= 0 && $program == "same"'
are 101 'n >= 0 && $program == "fields"'
are 31 'm >= 0'
utctl stat -j "$T/trace" | grep -q '{"event":"kind:one"},"events":153,' ||
    fail "stat: $(utctl stat -j "$T/trace")"

# A rule for a level takes those of that level.
utctl create -o "$T/new" t >/dev/null &&
    utctl enable-event -l warning 'kind:*' >/dev/null && utctl start ||
    fail "set-up"
"$T/level" 7 </dev/null >/dev/null && "$T/same" 5 </dev/null >/dev/null ||
    fail "level: $?"
expect 0 't destroyed: 7 events' utctl destroy t
stop_utd || fail "utd: status $?"
