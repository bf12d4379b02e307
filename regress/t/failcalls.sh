# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# One system call fails, each in turn, in each way that it can: in libut, in
# utctl, in utd, in its consumers.  Programs run on as if nothing had been, utd
# does not end, nothing hangs or crashes or is left, what is lost is counted or
# said in a line, and the next session has all of its events.  The short form
# tries a few calls of each kind.  FAIL_ALL=1 tries all: with each error, or of
# kinds that are called more than 40 times with one each, in turn.

. ./common.sh
not_sanitized
not_cross
[ "$(uname -s)" = Linux ] || skip "only with C libraries of Linux"
need nm
need timeout

# Kinds of calls, the errors, and the functions, with what they return if that
# is not -1.  A star: also with 64 at the end of the name.
calls() {
	cat <<'END'
open	EMFILE EACCES EINTR ENOSPC ENOMEM: open* openat* shm_open opendir/NIL
	scandir* fdopendir/NIL fopen*/NIL fdopen/NIL tmpfile*/NIL sem_open/NIL
read	EIO EINTR EAGAIN short: read/BYTES pread*/BYTES readdir*/NIL
write	ENOSPC EDQUOT EIO EINTR EAGAIN short: write/BYTES pwrite*/BYTES
	writev/BYTES
stdio	EIO: fread/STREAM fwrite/STREAM fflush fclose/AFTER getdelim
size	ENOSPC EIO EINTR: posix_fallocate*/NUMBER ftruncate* truncate*
map	ENOMEM: mmap* munmap madvise
name	ENOSPC EDQUOT EIO EACCES: rename renameat link mkdir mkdirat mkfifo
	mkdtemp/NIL
unlink	EIO EBUSY: unlink unlinkat rmdir shm_unlink sem_unlink
stat	EIO ENOMEM EACCES: stat* lstat* fstat* fstatat* access readlink chdir
	fchdir realpath/NIL getcwd/NIL getpwnam/NIL getpwuid/NIL
send	EAGAIN ENOBUFS EINTR EPIPE ETOOMANYREFS short: send/BYTES
	sendmsg/MESSAGE
recv	EAGAIN ENOMEM EINTR ECONNRESET short: recv/BYTES recvmsg/MESSAGE
accept	EMFILE ECONNABORTED EAGAIN EINTR: accept accept4
socket	EMFILE ENFILE ENOMEM: socket socketpair pipe epoll_create1 epoll_ctl
	signalfd fcntl* dup2 bind listen getsockopt setsockopt getsockname
	inet_ntop/NIL
connect	ECONNREFUSED EINTR EAGAIN EACCES: connect
fork	EAGAIN ENOMEM: fork execl execlp execv execvp pthread_create/NUMBER
wait	EINTR: poll pselect epoll_wait nanosleep waitpid sem_wait
close	EINTR EIO: close/AFTER closedir/AFTER
syscall	ENOSYS EPERM EINTR: syscall
user	EAGAIN EPERM: initgroups setgroups setgid setuid seteuid setsid chmod
	fchmod fchown getrlimit* setrlimit* clock_gettime
END
}

# What cannot fail as it is called, only lacks memory (see nomem), prints (see
# printed), is of terminals or numbers, or has nothing to do with the system.
never='(mem|str|stp|exp|sig|pthread_(at|cond|getcpu|key|mutex|set|sig)|dl).*
.*(printf|scanf|alloc|sort|sqrt|time(_r)?)|sem_(close|post|trywait)|f?put.*
__(errno|ctype|cxa|gmon|libc|prog|tls|sysconf|register|isoc|stack).*|_dl_.*
__(.*printf|mem.*|st[rp].*|fdelt|explicit.*)_chk|_(exit|ITM.*)|(at)?exit|abort
pthread_(self|kill|detach)|get(e?[ug]id|pid|env|auxval|opt|c)|opt.*|std.*|is.*
program_inv.*|_*environ|fnmatch|free|umask|uname|sysconf|prctl|kill|raise|dirfd
sched_.*|tc.*|setitimer|adjtimex|shutdown|(un)?set(env|locale|vbuf)|tolower
(open|sys)log|[fl]seek.*|l?(log|gamma)(1p)?|f?pow|fm(ax|in)|frexp|hypot|ioctl
nl_langinfo|getpgrp|alphasort(64)?|ftello.*|ferror|fileno|ungetc|rewind(dir)?
ceil|gethostname|inet_pton'

# With _FORTIFY_SOURCE, functions have two more names.
calls | awk -F '[ \t:]+' '
    function call(name, how) {
	print "CALL(" name ", " kind - 1 ", " how ")"
	if (how != "STREAM" && name !~ /^__/) {
		call("__" name "_chk", how)
		call("__" name "_2", how)
	}
    }
    {
	kind += $1 != ""
	for (i = 2; i <= NF; i++) {
		split($i "/MINUS", f, "/")
		if ($i ~ /^E/)
			print "ERROR(" $i ")"
		else if ($i != "" && $i != "short") {
			if (sub(/\*/, "", f[1]))
				call(f[1] "64", f[2])
			call(f[1], f[2])
		}
	}
    }' >"$T/calls.h"
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -DCALLS="\"$T/calls.h\"" -fPIC -shared \
    -o "$T/failcall.so" prog/failcall.c $DL 2>"$T/err" ||
    skip "no shared objects: $(head -1 "$T/err")"
sed -n 's/^CALL(\([^,]*\),.*/\1/p' "$T/calls.h" | sort >"$T/known"
for f in libut/libut.so utd/utd utctl/utctl; do
	nm -D --undefined-only "$TOP/$f" >"$T/nm" || fail "nm $f"
	sed 's/@.*//' "$T/nm" | awk '{ print $NF }' | sort |
	    comm -23 - "$T/known" | grep -v -x -E -e "$never" >"$T/unknown" &&
	    fail "$f calls what this test does not know: $(cat "$T/unknown")"
done
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -I"$TOP/libut" -o "$T/seq" prog/seq.c \
    $LINK $LIBS || fail "cannot build seq"
# Root records another user, too, to whom all has to be open.
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 755 "$T/tmp" || exit 1
user=
[ "$(id -u)" -ne 0 ] || user="./prog/asuser 65534"
TMPDIR=$T/tmp FAIL_COUNT=$T/count
export TMPDIR FAIL_COUNT FAIL_NAME FAIL_WHERE FAIL_KIND FAIL_AT FAIL_ERROR
nfailed=0 nsilent=0 nsaid=0 nlost=0 nbad=0 nended=0 nalone=0

bad() {
	nbad=$((nbad + 1))
	echo "BAD: $who, $name $FAIL_AT, $FAIL_ERROR: $*"
}

count() {
	od -An -v -t u8 -j $((FAIL_KIND * 8)) -N 8 "$1" | tr -d ' '
}

failed() {
	[ $FAIL_AT -gt 0 ] && [ "$(count "$T/count")" -ge $FAIL_AT ]
}

# A command that may fail, but says so then.
ask() {
	LD_PRELOAD=$fault timeout 20 utctl "$@" >"$T/out" 2>"$T/err"
	status=$?
	grep -v -e 'are left out' -e '^utctl: 50 events, 0 lost' "$T/err" \
	    >>"$T/said"
	[ $status -ne 124 ] && [ $status -lt 128 ] &&
	    { [ $status -eq 0 ] || [ -s "$T/err" ]; } ||
	    bad "$*: status $status: $(cat "$T/err")"
	return $status
}

# A program that is traced: as it is without that.
trace() {
	said=$(LD_PRELOAD=$fault timeout 20 "$@" 2>&1) && [ -z "$said" ] ||
	    bad "$*: status $?: $said"
}

soon() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || return
		sleep 0.01
	done
}

begun() {
	utctl list || gone $UTD_PID
}

begin() {
	LD_PRELOAD=$fault utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
	UTD_PID=$!
	soon begun || fail "$who, $name: no answer"
}

end() {
	left=$(cat "/proc/$UTD_PID/task/$UTD_PID/children" 2>/dev/null)
	kill $UTD_PID 2>/dev/null
	soon gone $UTD_PID || { bad "utd does not end"; kill -9 $UTD_PID; }
	wait $UTD_PID
	status=$?
	UTD_PID=
	[ $status -eq 0 ] || { [ $status -lt 124 ] && [ -s "$T/utd.log" ]; } ||
	    bad "utd: status $status: $(cat "$T/utd.log")"
	[ $status -eq 0 ] || nended=$((nended + 1))
	cat "$T/utd.log" >>"$T/said"
	for p in $left; do
		[ ! -d /proc/$p ] || until_ok gone $p || bad "$p is left"
	done
}

main() {
	ask create -o "$T/trace" s
	ask enable-channel -b 4k -n 16 c
	ask enable-channel -p -b 4k -n 16 p
	ask enable-event -c c '*'
	ask enable-event -l info -x 'x*' -c p 's*'
	ask start
	trace "$T/seq" -f 1 1 2 50
	ask snapshot s
	ask rotate s
	trace $user "$T/seq" 2 1 50
	ask list s
	grep warning "$T/out" >>"$T/said"
	ask stop s
	ask view "$T/trace"
	ask record -o "$T/rec" -- "$T/seq" 3 1 50
}

# Of so many, are all events in the trace or lost?
total() {
	of=$1 seen=0 events=0
	set -- $(tr -d , <"$T/out")
	[ "${3-}" = destroyed: ] || return
	events=$4 lost=$6
	for d in uid pid; do
		set -- $(find "$T/trace" ! -path '*/snapshots/*' \
		    -path "*/ust/$d")
		[ $# -gt 0 ] || continue
		utctl view "$@" 2>"$T/err" | ./prog/seqcheck >"$T/got" 2>&1 &&
		    ! grep -q -v -e discarded -e 'an empty trace' \
		    -e 'no trace here' "$T/err" ||
		    bad "view: $(cat "$T/err" "$T/got")"
		read -r got writers missing <"$T/got" &&
		    seen=$((seen + got))
	done
	[ "$seen" -eq "$events" ] || bad "$seen events read of $events"
	[ $((events + lost)) -eq "$of" ]
}

# The next commands, and the next session.
again() {
	fault=
	rm -rf "$T/trace"
	ask list && ask create -o "$T/trace" n &&
	    ask enable-event 'seq:*' && ask start &&
	    trace "$T/seq" 2 2 50 && ask destroy && total 100 &&
	    [ $lost -eq 0 ] || bad "the next session: $(cat "$T/out" "$T/err")"
}

# One run: then $hit says whether the call was made.
run() {
	rm -rf "$T/trace" "$T/rec"
	head -c 512 /dev/zero >"$T/count" && chmod 666 "$T/count"
	: >"$T/said"
	fault=$T/failcall.so lost=0
	begin
	pid=$UTD_PID
	if gone $UTD_PID; then
		end
		fault=
		begin
	else
		main
	fi
	! failed || fault=
	! gone $UTD_PID || { bad "utd has ended"; end; begin; }
	ask list
	if grep -q '^session s' "$T/out"; then
		ask destroy s || { fault=; ask destroy s; } ||
		    grep -q 'does not exist' "$T/err" ||
		    bad "destroy: $(cat "$T/err")"
		cat "$T/utd.log" >>"$T/said"
		total 900 || case $who,$FAIL_ERROR in
		libut,EACCES|libut,ECONNREFUSED)
			nalone=$((nalone + 1)) ;;
		*)	[ -s "$T/said" ] ||
			    bad "$events events, $lost lost, not a word" ;;
		esac
		[ $lost -eq 0 ] || nlost=$((nlost + 1))
	fi
	hit=
	! failed || { hit=1; again; }
	end
	[ -n "$hit" ] || ! failed || { hit=1; fault=; begin; again; end; }
	left=$(ls "$UT_RUNDIR" | grep -v '^wake$'
	    ls -A "$T/tmp"; ls -A $SHM | grep "ut-$(printf %x $pid)-")
	# If utctl cannot come back to where it was, it ends.
	[ -z "$left" ] || grep -q -e "$left.* is left" -e 'utctl: fchdir: ' \
	    -e "$left could not be removed" "$T/said" || bad "left: $left"
	rm -rf "$T"/tmp/*
	[ -n "$hit" ] || return
	nfailed=$((nfailed + 1))
	[ -s "$T/said" ] || nsilent=$((nsilent + 1))
}

# Each error of a kind, at calls that are spread over all of them.
each() {
	all=$(count "$T/trial") i=0
	for FAIL_ERROR; do
		i=$((i + 1)) FAIL_AT=$i step=$#
		[ $all -gt 40 ] || FAIL_AT=1 step=1
		if [ -z "${FAIL_ALL-}" ]; then
			FAIL_AT=$((all * i / $#)) step=$all
			[ $(((FAIL_KIND + i + turn) % 2)) -eq 0 ] || continue
		fi
		while [ $FAIL_AT -gt 0 ] && [ $FAIL_AT -le $all ]; do
			run
			[ -n "$hit" ] || break
			FAIL_AT=$((FAIL_AT + step))
		done
	done
}

calls | sed -n 's/^\([a-z]*\)	\([^:]*\):.*/\1 \2/p' >"$T/kinds"
turn=0
for who in ${FAIL_ONLY:-libut utctl utd:parent utd:child}; do
	FAIL_NAME=${who%:*} FAIL_WHERE=${who#*:}
	[ $FAIL_WHERE != $who ] || FAIL_WHERE=
	FAIL_KIND=63 FAIL_AT=0 FAIL_ERROR=short name=trial
	run
	cp "$T/count" "$T/trial"
	FAIL_KIND=0 turn=$((turn + 1))
	while read -r name errors <&5; do
		each $errors
		FAIL_KIND=$((FAIL_KIND + 1))
	done 5<"$T/kinds"
	echo "$who: $nfailed calls failed so far: $nsilent times without a word"
done
echo "SURVIVED: $nfailed calls failed: $nsilent times without a word," \
    "$nlost times events were lost, $nalone times a program found no utd," \
    "$nended times utd ended"
[ $nbad -eq 0 ] || fail "$nbad"
