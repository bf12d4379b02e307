# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What utctl export has in memory does not grow with the trace.

. ./shared/export.sh

not_sanitized
[ -r /proc/self/status ] || skip "nothing says what is in memory"
recorded -b 64k -n 512 -- ./prog/pairs 12000
for format in chrome perfetto otlp; do
	python3 - "$T/trace" $format >"$T/out" 2>&1 <<'E' ||
import subprocess, sys
args = ["utctl", "export", "-F", sys.argv[2], sys.argv[1]]
size = len(subprocess.run(args, stdout=subprocess.PIPE).stdout)
assert size > 3 << 20, size
p = subprocess.Popen(args, stdout=subprocess.PIPE)
def most():
    for l in open("/proc/%d/status" % p.pid):
        if l.startswith("VmHWM:"):
            return int(l.split()[1])
left = size - len(p.stdout.read(2 << 20))
begin = most()
p.stdout.read(left - (1 << 20))
end = most()
p.stdout.read()
assert p.wait() == 0
print(size, begin, end)
assert end - begin < 256, "grows"
E
	    fail "$format: $(cat "$T/out")"
	cat "$T/out"
done
