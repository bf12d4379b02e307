# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Terminals: how wide tables are, the pager, and how far reading is.

. ./common.sh
. ./shared/rows.sh

need python3
# tty COLUMNS COMMAND...: $T/out is what its terminal gets, $T/err what is in a
# file, unless ERR is tty; the status is the command's, or -signal.
cat >"$T/onpty.py" <<'END'
import fcntl, os, pty, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    for sig in (signal.SIGPIPE, signal.SIGHUP, signal.SIGINT,
        signal.SIGQUIT):
        signal.signal(sig, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSWINSZ,
        struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    attr = termios.tcgetattr(0)
    attr[1] &= ~termios.OPOST
    termios.tcsetattr(0, termios.TCSANOW, attr)
    if os.environ.get("ERR") != "tty":
        os.dup2(os.open(os.environ["T"] + "/err", os.O_WRONLY | os.O_CREAT |
            os.O_TRUNC), 2)
    os.execvp(sys.argv[2], sys.argv[2:])
if "STOP" in os.environ:
    time.sleep(float(os.environ["STOP"]))
    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.6)
    os.kill(pid, signal.SIGCONT)
out = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    out += data
open(os.environ["T"] + "/out", "wb").write(out)
status = os.waitpid(pid, 0)[1]
print(os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status))
END
export T
python3 -c 'import pty, os; os.close(pty.openpty()[0])' 2>/dev/null ||
    skip "no terminals here"
tty() {
	status=$(python3 "$T/onpty.py" "$@") || fail "tty $*"
}
longest() {
	awk 'length > n { n = length } END { print n }' "$T/out"
}

# A name of 150 characters, which is cut where there is a width, and not the
# numbers.
mkdir "$T/long" || exit 1
name=$(printf 'x%.0s' $(awk 'BEGIN { for (i = 0; i < 75; i++) print 10 }'))
{
	rows_metadata
	echo "event { name = \"p:begin_${name}\"; id = 0; stream_id = 0;
		fields := struct { u32 k; }; };"
} >"$T/long/metadata"
rows long <<-END
	c_0 0 0 9 0 0 0 1 1
END
utctl stat "$T/long" >"$T/out" || fail "stat"
whole=$(longest)
[ "$whole" -gt 150 ] || fail "cut in a file: $(cat "$T/out")"
for n in 100 132; do
	COLUMNS=$n utctl stat "$T/long" >"$T/out" || fail "COLUMNS=$n"
	[ "$(longest)" -eq $n ] && grep -q 'x\.\.\.$' "$T/out" ||
	    fail "COLUMNS=$n: $(cat "$T/out")"
	tty $n utctl stat "$T/long"
	[ "$(longest)" -eq $n ] || fail "tty $n: $(cat "$T/out")"
done
# Numbers that leave no room: the line goes on below.
COLUMNS=40 utctl stat "$T/long" >"$T/out" || fail "COLUMNS=40"
[ "$(longest)" -eq 120 ] || fail "COLUMNS=40: $(cat "$T/out")"
for n in 0 x 1e2 -5 ''; do
	COLUMNS=$n utctl stat "$T/long" >"$T/out" || fail "COLUMNS=$n"
	[ "$(longest)" -eq $whole ] || fail "COLUMNS=$n: $(cat "$T/out")"
done

# The pager: whose it is, and when there is none.
paged() {
	grep -q '^P:' "$T/out" || fail "$1: no pager: $(cat "$T/out")"
}
plain() {
	[ -s "$T/out" ] && ! grep -q '^P:' "$T/out" ||
	    fail "$1: a pager: $(cat "$T/out")"
}
unset SUDO_UID DOAS_USER PKEXEC_UID PAGER LESS
P="sed s/^/P:/"
for c in stat view heap locks 'stat -i 1'; do
	UT_PAGER=$P tty 80 utctl $c "$T/long"
	[ "$status" -eq 0 ] || fail "$c: status $status"
	paged "$c"
done
(unset UT_PAGER; PAGER=$P tty 80 utctl stat "$T/long"; paged PAGER) || exit 1
PAGER=$P UT_PAGER= tty 80 utctl stat "$T/long"
plain 'UT_PAGER='
PAGER=$P UT_PAGER=cat tty 80 utctl stat "$T/long"
plain 'UT_PAGER=cat'
for v in SUDO_UID=1000 DOAS_USER=me PKEXEC_UID=1000; do
	UT_PAGER=$P tty 80 env $v utctl stat "$T/long"
	plain $v
done
UT_PAGER=$P tty 80 utctl export "$T/long"
plain export
UT_PAGER=$P utctl stat "$T/long" >"$T/out" || fail "stat"
plain 'in a file'
# Messages go there as well, if they are for the terminal; and are lines below.
(ERR=tty; export ERR; UT_PAGER=$P tty 80 utctl stat -g nix "$T/long")
tail -n 1 "$T/out" | grep -q '^P:utctl: -g nix: no field' ||
    fail "message: $(cat "$T/out")"
# Nothing to show: it does not even run.
UT_PAGER="echo P:" tty 80 utctl stat "$T/nix"
[ "$status" -eq 1 ] && [ ! -s "$T/out" ] || fail "nothing: $(cat "$T/out")"
# The status is that of utctl.
UT_PAGER='cat >/dev/null; exit 3' tty 80 utctl stat "$T/long"
[ "$status" -eq 0 ] || fail "status $status of a good trace"
cp -R "$T/long" "$T/bad" && printf x >>"$T/bad/c_0" || exit 1
UT_PAGER='cat >/dev/null' tty 80 utctl stat "$T/bad"
[ "$status" -eq 1 ] || fail "status $status of a bad trace"
# One that cannot run: a message, and all is shown if it is blank.
for pager in ./nix "$T/long" 'exec ./nix'; do
	UT_PAGER=$pager tty 80 utctl stat "$T/long"
	[ "$status" -eq 1 ] && grep -q '^utctl: the pager cannot run, so ' \
	    "$T/err" || fail "$pager: status $status, $(cat "$T/err")"
done
UT_PAGER=' ' tty 80 utctl stat "$T/long"
plain 'UT_PAGER= '
# A pager that is not there is no reason to print nothing at all.
mkdir "$T/bin" && ln -s "$(command -v cat)" "$T/bin/cat" || exit 1
(unset UT_PAGER; tty 80 env TERM=vt100 PATH="$T/bin" "$(command -v utctl)" stat "$T/long"
grep -q '^1 event' "$T/out" || fail "no less: $(cat "$T/out")") || exit 1

printf '#!/bin/sh\nexec sed "s/^/P:$LESS/"\n' >"$T/bin/less" &&
    chmod 755 "$T/bin/less" || exit 1
PATH=$T/bin:$PATH
unset UT_PAGER
tty 80 env TERM=vt100 utctl stat "$T/long"
grep -q '^P:FRX1 event' "$T/out" || fail "no less: $(cat "$T/out")"
tty 80 env TERM=dumb utctl stat "$T/long"
plain TERM=dumb

# Whoever leaves the pager ends utctl; with ^C, utctl waits for the pager.
recorded -m block -e 'work:*' -- ./prog/pairs 20000
for pager in 'read x; echo P:' \
    'trap "" INT; read x; kill -INT $PPID; cat >/dev/null; echo P:'; do
	UT_PAGER=$pager tty 80 utctl view "$T/trace"
	paged "$pager"
	case $pager in
	read*)	[ "$status" -eq -13 ] || fail "$pager: status $status" ;;
	*)	[ "$status" -eq -2 ] || fail "$pager: status $status" ;;
	esac
done

# Reading that takes long says how far it is, on a terminal, and then no more.
recorded -m block -e 'work:*' -- ./prog/pairs 400000
ERR=tty
export ERR
for STOP in 0.02 0.04 0.06 0.08 0.1 0.15 0.2 0.3 0; do
	export STOP
	tty 80 utctl stat -d "$T/trace"
	grep -q '% read' "$T/out" && break
done
[ "$STOP" != 0 ] || fail "nobody says how far it is"
tr '\r' '\n' <"$T/out" | awk '/% read/ { n = NR } /[^ ]/ && !first { first = NR }
/events, / { events = NR; exit } { last = $0 }
END { exit !(n == events - 2 && last ~ /^ +$/) }' ||
    fail "not gone: $(cat -v "$T/out")"
for STOP in 0.02 0.04 0.06 0.08 0.1 0.15 0.2 0.3 0; do
	export STOP
	tty 80 utctl stat -dC "$T/trace" "$T/trace"
	tr '\r' '\n' <"$T/out" | grep -q 'run [12] of 2: .[0-9] % read' && break
done
[ "$STOP" != 0 ] || fail "-C: nobody says how far it is: $(cat -v "$T/out")"
unset ERR
for STOP in 0.02 0.1 0.2; do
	tty 80 utctl stat -d "$T/trace"
	grep -q '% read' "$T/out" "$T/err" && fail "in a file"
done
exit 0
