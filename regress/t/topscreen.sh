# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl top on a terminal: what its keys do, that it fits the screen, and that
# the terminal is as it was before, whatever ends or stops it.

. ./common.sh

need python3
cat >"$T/screen.py" <<'END'
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

class Top:
    """utctl top in a terminal, below a shell that has job control."""
    def __init__(self, *args, rows=12):
        self.out = b''
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ['TERM'] = 'xterm'
            for sig in (signal.SIGPIPE, signal.SIGHUP, signal.SIGINT,
                signal.SIGQUIT):
                signal.signal(sig, signal.SIG_DFL)
            os.execvp('sh', ['sh', '-c', 'ulimit -c 0; trap : INT; set -m; '
                'utctl top "$@"; echo STATUS=$?; sleep 0.1; stty -a; '
                'fg >/dev/null 2>&1 && echo FG=$?', 'sh'] + list(args))
        self.size(rows)
    def size(self, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
            struct.pack('HHHH', rows, 80, 0, 0))
    def read(self, s):
        if select.select([self.fd], [], [], s)[0]:
            try:
                new = os.read(self.fd, 65536)
            except OSError:
                return False
            self.out += new
            return new != b''
        return True
    def until(self, pattern, what):
        """Read until that is in what came since the last time."""
        end = time.time() + 60
        while not re.search(pattern, self.out, re.S):
            if not self.read(0.2) or time.time() > end:
                sys.exit('no %s: %r' % (what, self.out[-2000:]))
        seen, self.out = self.out, b''
        return seen
    def key(self, keys, pattern, what):
        os.write(self.fd, keys)
        return self.until(pattern, what)
    def top(self):
        for p in os.popen('ps -A -o pid= -o ppid= -o comm='):
            pid, ppid, comm = p.split()[:3]
            if int(ppid) == self.pid and comm == 'utctl':
                return int(pid)
        sys.exit('no utctl')
    def end(self, how, status):
        """It has left the screen, and the terminal is as it was."""
        seen = self.until(rb'STATUS=%d\D.*speed.*\n' % status, how)
        while self.read(1):
            pass
        after = seen + self.out
        if after.count(b'\033[?1049l') != after.count(b'\033[?1049h') + 1:
            sys.exit('%s: the screen stays: %r' % (how, after))
        for mode in b'icanon', b'echo':
            if not re.search(rb'STATUS.*[ \r\n]' + mode + rb'[ ;\r]', after,
                re.S):
                sys.exit('%s: not %s: %r' % (how, mode, after))
        os.waitpid(self.pid, 0)

def frame(seen):
    """The rows of the last whole screen."""
    return seen.split(b'\033[H\033[J')[-1].split(b'\033')[0].split(b'\r\n')

top = Top('s')
seen = top.until(rb'\033\[\?1049h.*events/s +bytes/s  event\r.*seq:tick'
    rb'.*q quit', 'events')
if b'\033[7m' in seen:
    sys.exit('a raw name')
top.key(b'p', rb'lost/s  program\r.*\\x1b\[7mb.*q quit', 'programs')
top.key(b's', rb'by bytes\]', 'sort')
top.key(b't', rb'lost/s  thread\r.*\\x1b\[7mb\[\d+:\d+\].*q quit', 'threads')
seen = top.key(b'/nobody\r', rb'filter nobody\]', 'filter')
if b':' in b''.join(frame(seen)[3:]):
    sys.exit('not filtered: %r' % frame(seen))
top.key(b'/\033', rb'by bytes\]', 'no filter')
top.key(b' ', rb'PAUSED', 'pause')
first = top.key(b'e', rb'bytes/s  event\r.*q quit', 'paused')
top.read(1.5)
if top.out:
    sys.exit('drawn while it pauses: %r' % top.out)
top.key(b' d', rb'pairs are read from now on.*by p99\]', 'pairs')
top.until(rb'calls/s .*work.*by p99\]|p99.*  pair.*by p99\]|no pair has ended.*by p99\]', 'pairs')
top.size(5)
os.kill(top.top(), signal.SIGWINCH)
seen = top.until(rb'\033\[4;1H.*q quit', 'small screen')
os.write(top.fd, b'q')
top.end('q', 0)

for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT,
    signal.SIGUSR1, signal.SIGALRM, signal.SIGPIPE, signal.SIGABRT):
    top = Top('-d', 's')
    top.until(rb'\033\[\?1049h.*q quit', 'screen')
    os.kill(top.top(), sig)
    top.end(sig.name, 128 + sig)

# No key stops the screen.  Nobody reads a terminal whose window changes: that
# is no failure, and a signal that wants an end gets it.
top = Top('-i', '100ms', 's')
top.until(rb'\033\[\?1049h.*q quit', 'screen')
top.key(b'\023', rb'q quit.*q quit', 'screen after ^S')
for n in range(60):
    time.sleep(0.05)
    os.kill(top.top(), signal.SIGWINCH)
os.write(top.fd, b'q')
top.end('q after a wait', 0)
top = Top('-i', '100ms', 's')
top.until(rb'\033\[\?1049h.*q quit', 'screen')
pid = top.top()
time.sleep(3)
os.kill(pid, signal.SIGTERM)
for n in range(100):
    time.sleep(0.1)
    if 'utctl' not in os.popen('ps -o comm= -p %d' % pid).read():
        break
else:
    sys.exit('SIGTERM does not end it')

# The shell goes on when it is stopped, and has the terminal as it was.
top = Top('s')
top.until(rb'\033\[\?1049h.*q quit', 'screen')
os.write(top.fd, b'\032')
seen = top.until(rb'\033\[\?1049l.*STATUS=\d+.*speed.*\033\[\?1049h.*q quit',
    'stop and go')
if not re.search(rb'STATUS.*[ \r\n]icanon.*\033\[\?1049h', seen, re.S):
    sys.exit('stopped: %r' % seen)
os.write(top.fd, b'q')
top.until(rb'\033\[\?1049l.*FG=0', 'end after a stop')

# The session goes.
top = Top('s')
top.until(rb'\033\[\?1049h.*q quit', 'screen')
os.system('utctl destroy s >/dev/null')
top.end('destroyed', 0)
END

start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-event '*:*' >/dev/null &&
    utctl start >/dev/null || fail "s"
cp ./prog/seq "$T/$(printf 'a\033[7mb')" || fail "cp"
(
	while :; do
		"$T/$(printf 'a\033[7mb')" 1 1 100
		sleep 0.1
	done
) &
CHILDREN="$CHILDREN $!"
python3 "$T/screen.py" || fail "screen"

# No screen: lines.
TERM=dumb utctl create -o "$T/d" d >/dev/null || fail "d"
env TERM=dumb ./prog/pty utctl top -n 1 d >"$T/out" || fail "dumb"
grep -q '^[-0-9]* [:0-9]*, d: not started' "$T/out" && ! grep -q '\[' "$T/out" ||
    fail "dumb: $(cat -v "$T/out")"
exit 0
