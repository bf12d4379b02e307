# libut, utd, utctl: for GNU make and BSD make.

PREFIX =	/usr/local
BINDIR =	$(PREFIX)/bin
SBINDIR =	$(PREFIX)/sbin
LIBDIR =	$(PREFIX)/lib
INCDIR =	$(PREFIX)/include
MANDIR =	$(PREFIX)/$(SHARE_$(OS))man
DATADIR =	$(PREFIX)/share/ut
# Where shells look for what completes the arguments of utctl.
BASHDIR =	$(PREFIX)/share/bash-completion/completions
ZSHDIR =	$(PREFIX)/share/zsh/site-functions
FISHDIR =	$(PREFIX)/share/fish/vendor_completions.d

CC =		cc
AR =		ar
# Some BSD makes begin with -nostdinc and what is below DESTDIR.
CPPFLAGS =
CFLAGS =	-O2 -g
MAJOR =		1
VERSION =	1.0

OS !=		uname -s

WARN =		-Wall -Wextra -Wno-psabi -Wpedantic -Wshadow \
		-Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
		-Wcast-qual -Wwrite-strings
FEATURES_Linux = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
FEATURES_FreeBSD = -D_WITH_DPRINTF
FEATURES_NetBSD = -D_NETBSD_SOURCE
LIBS_Linux =	-pthread
LIBS_FreeBSD =	-pthread -lrt
LIBS_NetBSD =	-pthread -lrt
LIBS_OpenBSD =	-pthread
# NetBSD and OpenBSD look for manuals in /usr/local/man.
SHARE_Linux =	share/
SHARE_FreeBSD =	share/
# What starts utd at boot, its name there, and where the system looks for it,
# wherever utd itself is.
RC_Linux =	systemd
RC_FreeBSD =	freebsd
RC_NetBSD =	netbsd
RC_OpenBSD =	openbsd
RCNAME_Linux =	utd.service
RCNAME_FreeBSD = utd
RCNAME_NetBSD =	utd
RCNAME_OpenBSD = utd
RCDIR_Linux =	/usr/local/lib/systemd/system
RCDIR_FreeBSD =	/usr/local/etc/rc.d
RCDIR_NetBSD =	/etc/rc.d
RCDIR_OpenBSD =	/etc/rc.d
DL_Linux =	-ldl
# No page that is only there so that code and data have none in common.
LINK_Linux =	-Wl,-z,noseparate-code
# Where execve(2) leaves nothing of a CPU timer: see libut/PORTING.
CPU_Linux =	libut/libut-cpu.so
# By directory: nobody but debuggers unwinds the stacks of utd and utctl, and
# those have tables of their own.  Programs' threads are in libut.
TABLES_utd =	-fno-asynchronous-unwind-tables
TABLES_utd/consumer = $(TABLES_utd)
TABLES_utd/consumer/output = $(TABLES_utd)
TABLES_utd/parent = $(TABLES_utd)
TABLES_utd/parent/act = $(TABLES_utd)
TABLES_utd/parent/ask = $(TABLES_utd)
TABLES_utd/parent/link = $(TABLES_utd)
TABLES_utd/parent/store = $(TABLES_utd)
TABLES_utd/parent/talk = $(TABLES_utd)
TABLES_utd/parent/want = $(TABLES_utd)
TABLES_utctl =	-fno-asynchronous-unwind-tables
TABLES_utctl/ctf = $(TABLES_utctl)
TABLES_utctl/ctf/meta = $(TABLES_utctl)
TABLES_utctl/ctl = $(TABLES_utctl)
TABLES_utctl/export = $(TABLES_utctl)
TABLES_utctl/held = $(TABLES_utctl)
TABLES_utctl/rec = $(TABLES_utctl)
TABLES_utctl/report = $(TABLES_utctl)
TABLES_utctl/serve = $(TABLES_utctl)
TABLES_utctl/show = $(TABLES_utctl)
TABLES_utctl/stat = $(TABLES_utctl)
TABLES_utctl/sym = $(TABLES_utctl)
TABLES_utctl/top = $(TABLES_utctl)
# Rules are remembered: what makes them is to be small.
TABLES_libut/unwind = -Os
# pthread_cancel(3) unwinds through what waits for a condition.
TABLES_libut/wrap = -fasynchronous-unwind-tables

ALL_CFLAGS =	-std=c11 $(WARN) $(FEATURES_$(OS)) $(CPPFLAGS) $(CFLAGS) \
		-pthread $(TABLES_$(@D))
LIBS =		$(LIBS_$(OS))
RC =		$(DATADIR)/$(RCNAME_$(OS))
RCDIR =		$(RCDIR_$(OS))

# libut: each object once, position-independent, for libut.so and libut.a.
LIBUT_SRCS =	libut/arena.c libut/callstack.c libut/clock.c \
		libut/code_module.c \
		libut/common/bell.c libut/common/compat.c \
		libut/common/context.c libut/common/gettime.c \
		libut/common/msg.c libut/common/readable.c \
		libut/common/rundir.c libut/common/shm.c libut/common/sock.c \
		libut/common/threads.c libut/conn.c libut/debug.c \
		libut/event.c libut/expr/filter.c libut/expr/range.c \
		libut/expr/verify.c libut/filters.c libut/find.c \
		libut/forked.c libut/late_utd.c libut/listener.c \
		libut/loaded.c libut/lock.c libut/log.c libut/module.c \
		libut/overwrite.c libut/own_context.c libut/phdr.c \
		libut/prefix.c libut/record.c libut/region.c libut/register.c \
		libut/shared.c libut/slot.c libut/spans.c libut/stack.c \
		libut/subbuf.c libut/thread.c libut/unwind/bytes.c \
		libut/unwind/cfi.c libut/unwind/expr.c libut/unwind/frame.c \
		libut/unwind/memory.c libut/unwind/modules.c \
		libut/unwind/regs.c libut/unwind/rule.c libut/unwind/table.c \
		libut/unwind/walk.c libut/wait.c
LIBUT_OBJS =	$(LIBUT_SRCS:.c=.o)
LIBUT_HDRS =	libut/common/attr.h libut/common/clock.h libut/common/compat.h \
		libut/common/context.h libut/common/escape.h \
		libut/common/event_name.h libut/common/hash.h \
		libut/common/msg.h libut/common/rundir.h libut/expr/compile.h \
		libut/expr/compiler.h libut/expr/expr.h libut/expr/filter.h \
		libut/ut.h libut/ut_abi.h libut/ut_code.h libut/ut_conn.h \
		libut/ut_event.h libut/ut_field.h libut/ut_loaded.h \
		libut/ut_msg.h libut/ut_prefix.h libut/ut_priv.h \
		libut/ut_region.h libut/ut_register.h

# What utd and utctl have in common with it.
COMMON_OBJS =	libut/common/attr.o libut/common/bell.o libut/common/compat.o \
		libut/common/confine.o libut/common/context.o \
		libut/common/escape.o libut/common/event_name.o \
		libut/common/gettime.o libut/common/hangup.o \
		libut/common/hash.o libut/common/msg.o libut/common/ntp.o \
		libut/common/orphans.o libut/common/rundir.o \
		libut/common/shm.o libut/common/sock.o libut/common/threads.o \
		libut/common/walk.o \
		libut/expr/compile.o libut/expr/compile_field.o \
		libut/expr/compile_name.o libut/expr/expr.o \
		libut/expr/filter.o libut/expr/range.o libut/expr/verify.o

UTD_SRCS =	utd/boot.c utd/consumer/adopt.c utd/consumer/adopt_files.c \
		utd/consumer/amend.c utd/consumer/batch.c \
		utd/consumer/chunk.c utd/consumer/consumer.c \
		utd/consumer/copy.c utd/consumer/drain.c utd/consumer/gone.c \
		utd/consumer/loss.c utd/consumer/memory.c \
		utd/consumer/names.c utd/consumer/orders.c \
		utd/consumer/orders_later.c utd/consumer/output/bound.c \
		utd/consumer/output/clockfile.c utd/consumer/output/files.c \
		utd/consumer/output/output.c utd/consumer/output/packet.c \
		utd/consumer/output/points.c utd/consumer/output/report.c \
		utd/consumer/pauses.c utd/consumer/piece.c \
		utd/consumer/program_table.c utd/consumer/region_state.c \
		utd/consumer/remove.c utd/consumer/revoke.c \
		utd/consumer/shotdir.c utd/consumer/shottrace.c \
		utd/consumer/shrunk.c utd/consumer/sink.c \
		utd/consumer/sleep.c utd/consumer/tick.c utd/daemon.c \
		utd/instant.c utd/parent/act/client.c \
		utd/parent/act/clock_watch.c utd/parent/act/command.c \
		utd/parent/act/rotate.c utd/parent/act/session_end.c \
		utd/parent/act/shot.c utd/parent/act/shotpart.c \
		utd/parent/act/trigger.c utd/parent/ask/control.c \
		utd/parent/ask/dochannel.c utd/parent/ask/dochunk.c \
		utd/parent/ask/dorule.c utd/parent/ask/dosession.c \
		utd/parent/ask/dotrack.c utd/parent/ask/dotrigger.c \
		utd/parent/ask/list.c utd/parent/journal_load.c \
		utd/parent/link/link.c utd/parent/link/link_map.c \
		utd/parent/link/plan_assign.c utd/parent/link/program.c \
		utd/parent/parent.c utd/parent/restore.c \
		utd/parent/store/bound.c utd/parent/store/consumer_remains.c \
		utd/parent/store/consumers.c utd/parent/store/consumers_end.c \
		utd/parent/store/pause.c utd/parent/store/programs.c \
		utd/parent/store/region.c utd/parent/store/region_close.c \
		utd/parent/store/requests.c utd/parent/store/rotate_carry.c \
		utd/parent/store/rotate_trace.c utd/parent/store/trace.c \
		utd/parent/store/trace_open.c utd/parent/talk/conn.c \
		utd/parent/talk/journal.c utd/parent/talk/listen.c \
		utd/parent/talk/loop.c utd/parent/talk/pollset.c \
		utd/parent/talk/user.c utd/parent/talk/wake.c \
		utd/parent/want/channel.c utd/parent/want/clock.c \
		utd/parent/want/clock_trust.c utd/parent/want/event.c \
		utd/parent/want/metadata.c utd/parent/want/plan.c \
		utd/parent/want/rule.c utd/parent/want/rule_filter.c \
		utd/parent/want/session.c utd/parent/want/state.c \
		utd/parent/want/table.c utd/parent/want/track.c \
		utd/parent/want/warning.c utd/utd.c
UTD_OBJS =	$(UTD_SRCS:.c=.o)
UTD_HDRS =	utd/consumer/consumer.h utd/consumer/output/output.h \
		utd/consumer/output/points.h utd/consumer/piece.h \
		utd/consumer/region.h utd/consumer/sink.h \
		utd/parent/act/client.h utd/parent/act/shot.h \
		utd/parent/act/trigger.h utd/parent/ask/do.h \
		utd/parent/link/program.h utd/parent/parent.h \
		utd/parent/store/consumers.h utd/parent/store/trace.h \
		utd/parent/talk/conn.h utd/parent/talk/journal.h \
		utd/parent/talk/listen.h utd/parent/talk/loop.h \
		utd/parent/talk/user.h utd/parent/want/course.h \
		utd/parent/want/event.h utd/parent/want/rule.h \
		utd/parent/want/session.h utd/utd.h

UTCTL_SRCS =	utctl/child.c utctl/client.c utctl/ctf/ctf_clock.c \
		utctl/ctf/ctf_cores.c utctl/ctf/ctf_cpu.c \
		utctl/ctf/ctf_dates.c utctl/ctf/ctf_field.c \
		utctl/ctf/ctf_filter.c utctl/ctf/ctf_find.c \
		utctl/ctf/ctf_merge.c utctl/ctf/ctf_num.c utctl/ctf/ctf_open.c \
		utctl/ctf/ctf_packet.c utctl/ctf/ctf_points.c \
		utctl/ctf/ctf_read.c utctl/ctf/ctf_row.c utctl/ctf/ctf_run.c \
		utctl/ctf/ctf_slices.c utctl/ctf/ctf_stack.c \
		utctl/ctf/ctf_time.c utctl/ctf/ctf_twice.c \
		utctl/ctf/ctf_walk.c utctl/ctf/ctf_window.c \
		utctl/ctf/meta/ctf_class.c utctl/ctf/meta/ctf_damage.c \
		utctl/ctf/meta/ctf_fclass.c utctl/ctf/meta/ctf_fragment.c \
		utctl/ctf/meta/ctf_json.c utctl/ctf/meta/ctf_label.c \
		utctl/ctf/meta/ctf_lex.c utctl/ctf/meta/ctf_locate.c \
		utctl/ctf/meta/ctf_make.c utctl/ctf/meta/ctf_meta.c \
		utctl/ctf/meta/ctf_scalar.c utctl/ctf/meta/ctf_scope.c \
		utctl/ctf/meta/ctf_text.c utctl/ctf/meta/ctf_type.c \
		utctl/ctf/meta/ctf_value.c utctl/ctf/select.c \
		utctl/ctl/channel.c utctl/ctl/dtrace.c utctl/ctl/event.c \
		utctl/ctl/glob.c utctl/ctl/list.c utctl/ctl/list_json.c \
		utctl/ctl/list_session.c utctl/ctl/load.c utctl/ctl/quote.c \
		utctl/ctl/rotate.c utctl/ctl/save.c utctl/ctl/session.c \
		utctl/ctl/step.c utctl/ctl/track.c utctl/ctl/trigger.c \
		utctl/ctl/why_empty.c utctl/export/chrome_samples.c \
		utctl/export/export.c utctl/export/export_bits.c \
		utctl/export/export_chrome.c utctl/export/export_ctf.c \
		utctl/export/export_dir.c utctl/export/export_folded.c \
		utctl/export/export_otlp.c utctl/export/export_packet.c \
		utctl/export/export_perfetto.c utctl/export/export_pprof.c \
		utctl/export/proto.c utctl/export/timeline.c utctl/held/heap.c \
		utctl/held/heap_spans.c utctl/held/heap_track.c \
		utctl/held/heap_tree.c utctl/held/locks.c \
		utctl/held/locks_state.c utctl/held/locks_track.c \
		utctl/held/outside.c utctl/held/weigh.c utctl/help.c \
		utctl/json.c utctl/map.c utctl/option.c utctl/rec/attach.c \
		utctl/rec/daemon.c utctl/rec/follower.c utctl/rec/procfs.c \
		utctl/rec/record.c utctl/rec/record_dir.c \
		utctl/rec/record_options.c utctl/rec/record_session.c \
		utctl/rec/recover.c utctl/rec/report.c utctl/rec/wrapper.c \
		utctl/regular.c utctl/remove.c utctl/report/page.c \
		utctl/report/page_bytes.c utctl/report/page_flame.c \
		utctl/report/page_grid.c utctl/report/page_heap.c \
		utctl/report/page_locks.c utctl/report/page_pairs.c \
		utctl/report/page_put.c utctl/say.c utctl/serve/serve.c \
		utctl/serve/source.c utctl/serve/viewer.c \
		utctl/serve/vstream.c utctl/show/columns.c \
		utctl/show/compare.c utctl/show/compare_test.c \
		utctl/show/follow.c utctl/show/group.c utctl/show/hist.c \
		utctl/show/indent.c utctl/show/intervals.c utctl/show/live.c \
		utctl/show/pair.c utctl/show/pair_key.c utctl/show/pair_role.c \
		utctl/show/pair_thread.c utctl/show/print_field.c \
		utctl/show/print_out.c utctl/show/print_stack.c \
		utctl/show/print_text.c utctl/show/reread.c \
		utctl/show/rows.c utctl/show/show.c utctl/show/skew.c \
		utctl/show/skew_line.c utctl/show/stacks.c \
		utctl/show/tree.c utctl/show/view.c utctl/show/which.c \
		utctl/stat/clocks.c utctl/stat/durations.c \
		utctl/stat/profile.c utctl/stat/stat.c utctl/stat/stat_cores.c \
		utctl/sym/calls.c utctl/sym/demangle.c utctl/sym/dwarf.c \
		utctl/sym/dwarf_lines.c utctl/sym/dwarf_read.c \
		utctl/sym/dwarf_spans.c utctl/sym/elf.c utctl/sym/elf_debug.c \
		utctl/sym/elf_ranges.c utctl/sym/elf_symbols.c \
		utctl/sym/image.c utctl/sym/inflate.c utctl/sym/process.c \
		utctl/sym/symbols.c utctl/terminal.c utctl/top/top.c \
		utctl/top/top_print.c utctl/top/top_read.c \
		utctl/top/top_screen.c utctl/utctl.c utctl/when.c
UTCTL_OBJS =	$(UTCTL_SRCS:.c=.o)
UTCTL_HDRS =	utctl/client.h utctl/ctf/cores.h utctl/ctf/ctf.h \
		utctl/ctf/ctf_field.h utctl/ctf/ctf_stack.h \
		utctl/ctf/ctf_stream.h utctl/ctf/meta/ctf_json.h \
		utctl/ctf/meta/ctf_parse.h utctl/ctf/meta/ctf_type.h \
		utctl/ctf/reader.h utctl/ctf/select.h utctl/ctl/list.h \
		utctl/export/chrome_samples.h utctl/export/export.h \
		utctl/export/export_packet.h utctl/export/proto.h \
		utctl/export/timeline.h utctl/held/heap.h utctl/held/locks.h \
		utctl/held/weigh.h utctl/json.h utctl/map.h utctl/rec/record.h \
		utctl/regular.h utctl/report/page.h utctl/say.h \
		utctl/serve/source.h utctl/serve/viewer.h utctl/show/compare.h \
		utctl/show/follow.h utctl/show/group.h utctl/show/hist.h \
		utctl/show/intervals.h utctl/show/live.h utctl/show/pair.h \
		utctl/show/pair_role.h utctl/show/print.h \
		utctl/show/reread.h utctl/show/rows.h utctl/show/show.h utctl/show/skew.h utctl/show/stacks.h \
		utctl/stat/stat.h utctl/sym/demangle.h utctl/sym/dwarf.h \
		utctl/sym/dwarf_priv.h utctl/sym/elf.h utctl/sym/image.h \
		utctl/sym/process.h utctl/sym/symbols.h utctl/top/top.h \
		utctl/utctl.h utctl/when.h

WRAP_OBJS =	libut/wrap/choose.o libut/wrap/cpu.o libut/wrap/cpu_signal.o \
		libut/wrap/early.o libut/wrap/func.o libut/wrap/malloc.o \
		libut/wrap/new.o libut/wrap/operator.o libut/wrap/pthread.o \
		libut/wrap/sample.o libut/wrap/unseen.o libut/wrap/wrap.o
WRAP_HDRS =	libut/wrap/alloc.h libut/wrap/choose.h libut/wrap/cpu.h \
		libut/wrap/early.h libut/wrap/new.h libut/wrap/timed.h libut/wrap/wrap.h

# LTTng-UST's macros, and what -llttng-ust is: libut.so, and a function more.
# libut.so.1 is there, too, since CMake takes that directory for the rpath.
LTTNG_HDRS =	libut/lttng/tracef.h libut/lttng/tracelog.h \
		libut/lttng/tracepoint-event.h libut/lttng/tracepoint.h \
		libut/lttng/ust-config.h \
		libut/lttng/ust-fork.h libut/lttng/ust-thread.h \
		libut/lttng/ust-version.h
LTTNG_OBJS =	libut/lttng/ust-thread.o
LTTNG_LIB =	libut/lttng/libut-lttng.a
LTTNG_DIRS =	'$(INCDIR)/ut/lttng/lttng' '$(LIBDIR)/ut/lttng/pkgconfig'

LIBUT_SO =	libut/libut.so.$(MAJOR)
PRELOADS =	$(CPU_$(OS)) libut/libut-func.so libut/libut-malloc.so \
		libut/libut-pthread.so
LIBS_BUILT =	libut/libut.a $(LIBUT_SO) $(PRELOADS) libut/libut-func.o \
		$(LTTNG_LIB)
PROGS =		utd/utd utctl/utctl

MAN1 =		man/utctl.1 man/utctl-record.1 man/utctl-session.1 \
		man/utctl-report.1 man/utctl-stat.1 man/utctl-view.1
MAN3 =		man/ut.3 man/ut_lttng.3 man/ut_sdt.3
MAN5 =		man/ut_abi.5 man/ut_json.5 man/ut_msg.5
MAN7 =		man/ut.7
MAN8 =		man/utd.8

.PHONY: all install install-rc uninstall uninstall-rc clean regress \
	regress-long regress-all progs demo bench soak coverage cross paths-ok \
	rc-ok
.SUFFIXES: .c .o

all: $(LIBS_BUILT) $(PROGS)

.c.o:
	$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden \
	    -DBINDIR='"$(BINDIR)"' -DSBINDIR='"$(SBINDIR)"' \
	    -DLIBDIR='"$(LIBDIR)"' -DVERSION='"$(VERSION)"' -Ilibut -c $< -o $@

$(LIBUT_OBJS) $(COMMON_OBJS) $(WRAP_OBJS): $(LIBUT_HDRS)
$(WRAP_OBJS): $(WRAP_HDRS)
$(UTD_OBJS): $(LIBUT_HDRS) $(UTD_HDRS)
$(UTCTL_OBJS): $(LIBUT_HDRS) $(UTCTL_HDRS)
utctl/rec/wrapper.o utd/boot.o: paths

# The style and the script of a page, as bytes: a string literal of C has 4095.
utctl/report/page_bytes.c: utctl/report/page.css utctl/report/page.js
	{ printf '#include "page.h"\n'; for f in css js; do \
	    printf 'const unsigned char page_%s[] = {\n' $$f && \
	    od -An -v -tx1 utctl/report/page.$$f | \
		sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g' && \
	    printf '};\nconst size_t page_%s_len = sizeof(page_%s);\n' \
		$$f $$f || exit 1; \
	done; } >$@.new
	mv $@.new $@

# The paths that utctl and utd were built for; with others, it is done again.
paths: paths-ok
	@printf '%s\n' '$(BINDIR)' '$(SBINDIR)' '$(LIBDIR)' | cmp -s - $@ || { \
	    rm -f $@ utctl/rec/wrapper.o utctl/utctl utd/boot.o utd/utd && \
	    printf '%s\n' '$(BINDIR)' '$(SBINDIR)' '$(LIBDIR)' >$@; }

libut/libut.a: $(LIBUT_OBJS)
	rm -f $@
	$(AR) rcs $@ $(LIBUT_OBJS)

$(LTTNG_LIB): $(LTTNG_OBJS)
	rm -f $@
	$(AR) rcs $@ $(LTTNG_OBJS)

# Never unloaded: it has a thread, and atfork handlers.
$(LIBUT_SO): $(LIBUT_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libut.so.$(MAJOR) \
	    -Wl,-z,now -Wl,-z,nodelete $(LINK_$(OS)) -o $@ $(LIBUT_OBJS) \
	    $(LIBS)
	ln -sf libut.so.$(MAJOR) libut/libut.so

# What LD_PRELOAD names.
libut/libut-cpu.so: libut/wrap/cpu.o libut/wrap/cpu_signal.o libut/wrap/wrap.o
libut/libut-func.so: libut/wrap/choose.o libut/wrap/func.o libut/wrap/wrap.o
libut/libut-malloc.so: libut/wrap/malloc.o libut/wrap/early.o \
		libut/wrap/new.o libut/wrap/operator.o libut/wrap/sample.o \
		libut/wrap/unseen.o libut/wrap/wrap.o
libut/libut-pthread.so: libut/wrap/pthread.o libut/wrap/wrap.o
PARTS_libut-cpu.so =	libut/wrap/cpu.o libut/wrap/cpu_signal.o
PARTS_libut-func.so =	libut/wrap/choose.o libut/wrap/func.o
PARTS_libut-malloc.so = libut/wrap/malloc.o libut/wrap/early.o \
		libut/wrap/new.o libut/wrap/operator.o libut/wrap/sample.o \
		libut/wrap/unseen.o
PARTS_libut-pthread.so = libut/wrap/pthread.o

$(PRELOADS): $(LIBUT_SO)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,now \
	    -Wl,-rpath,'$$ORIGIN' -o $@ $(PARTS_$(@F)) libut/wrap/wrap.o \
	    $(LIBUT_SO) $(DL_$(OS)) $(LIBS)

libut/libut-func.o: libut/wrap/choose.o libut/wrap/func.o
	$(CC) $(CFLAGS) -r -nostdlib -o $@ libut/wrap/choose.o \
	    libut/wrap/func.o

utd/utd: $(UTD_OBJS) $(COMMON_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) $(LINK_$(OS)) -o $@ $(UTD_OBJS) \
	    $(COMMON_OBJS) $(LIBS)

utctl/utctl: $(UTCTL_OBJS) $(COMMON_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) $(LINK_$(OS)) -o $@ $(UTCTL_OBJS) \
	    $(COMMON_OBJS) $(DL_$(OS)) -lm $(LIBS)

# A small program with threads, recorded and shown.
demo: all
	$(CC) $(CFLAGS) $(CPPFLAGS) -Ilibut $(LDFLAGS) -o regress/demo/demo \
	    regress/demo/demo.c libut/libut.a $(LIBS)
	rm -rf regress/demo/trace
	utctl/utctl record -o regress/demo/trace -- regress/demo/demo 200
	utctl/utctl view regress/demo/trace | tail -n 12

regress regress-long regress-all progs: all
	cd regress && $(MAKE) CC="$(CC)" CFLAGS="$(CFLAGS)" \
	    LDFLAGS="$(LDFLAGS)" LIBS="$(LIBS)" $@

# What it costs, in one table; QUICK=1 is a trial.
bench: all
	cd regress && $(MAKE) CC="$(CC)" CFLAGS="$(CFLAGS)" \
	    LDFLAGS="$(LDFLAGS)" LIBS="$(LIBS)" bench

# Whether anything leaks or gets lost in an hour, or SOAK_MINUTES, then when all
# is killed and ordered about for ten minutes, then when each system call fails.
soak: all
	cd regress && $(MAKE) CC="$(CC)" CFLAGS="$(CFLAGS)" \
	    LDFLAGS="$(LDFLAGS)" LIBS="$(LIBS)" soak-long

# Which branches of what handles events no test takes, in a build of its own.
coverage:
	cd regress && $(MAKE) PARTS="$(PARTS)" coverage

# Whether it is built and runs for other processors, and reads their traces.
cross: all
	cd regress && $(MAKE) CC="$(CC)" CFLAGS="$(CFLAGS)" \
	    LDFLAGS="$(LDFLAGS)" LIBS="$(LIBS)" PROCESSORS="$(PROCESSORS)" \
	    cross

# Refuses paths before anything is made or removed.  The commands below quote
# paths, but rc.subr(8), LD_PRELOAD, systemd and ut.pc cannot quote all, so only
# DESTDIR may have a blank.  Only the environment, where make puts variables of
# the command line, can show a path that ends the quotes.
paths-ok:
	@v="$$DESTDIR$$PREFIX$$BINDIR$$SBINDIR$$LIBDIR$$INCDIR$$MANDIR"; \
	v="$$v$$DATADIR$$RCDIR$$BASHDIR$$ZSHDIR$$FISHDIR"; \
	[ "$$(printf %s "$$v" | tr -d "'\n")" = "$$v" ] || { \
	    echo "A path has a single quote or a newline: not supported" >&2; \
	    exit 1; }
	@case '$(DESTDIR)' in \
	-*)	echo 'DESTDIR=$(DESTDIR): a path that begins with a dash:' \
		    'not supported' >&2; exit 1 ;; \
	esac
	@for v in 'PREFIX=$(PREFIX)/' 'BINDIR=$(BINDIR)' 'SBINDIR=$(SBINDIR)' \
	    'LIBDIR=$(LIBDIR)' 'INCDIR=$(INCDIR)' 'MANDIR=$(MANDIR)' \
	    'DATADIR=$(DATADIR)' 'BASHDIR=$(BASHDIR)' 'ZSHDIR=$(ZSHDIR)' \
	    'FISHDIR=$(FISHDIR)' 'RCDIR=$(RCDIR)/'; do \
		case $$v in \
		*=/*)	[ "$$(printf %s "$$v" | tr -d \
			    '\001-\040\177"\\`$$&;|<>()*?[]{}!#%:')" = \
			    "$$v" ] && continue; \
			why='has a blank or a special character' ;; \
		*)	why='is not absolute' ;; \
		esac; \
		printf '%s: a path that %s: not supported\n' "$${v%/}" \
		    "$$why" >&2; exit 1; \
	done

rc-ok:
	@[ -n '$(RC_$(OS))' ] || { \
	    echo 'No file is known that starts utd at boot on $(OS)' >&2; \
	    exit 1; }

# Creates "$@" and notes in DATADIR/made which directories were not there, those
# below PREFIX as ./NAME, since the tree may be moved.  uninstall removes them.
MKDIRS =	made=$$(for d in "$$@"; do \
		while [ -n "$$d" ] && [ ! -d '$(DESTDIR)'"$$d" ]; do \
			echo "$$d"; \
			d=$${d%/*}; \
		done; \
	done | sort -u | awk -v p='$(PREFIX)' ' \
	    index($$0 "/", p "/") == 1 { \
		$$0 = "." substr($$0, length(p) + 1) } \
	    { print }'); \
	for d in "$$@"; do \
		mkdir -p '$(DESTDIR)'"$$d" || exit 1; \
	done; \
	[ -z "$$made" ] || \
	    printf '%s\n' "$$made" >>'$(DESTDIR)$(DATADIR)/made'

# A make of its own builds all, since no make -j may begin to build before the
# paths are known to be good.  ut.pc finds the rest from where it lies itself,
# so that the tree can be moved; but pkg-config(1) must recognize /usr, which
# compilers search by themselves.
install: paths-ok
	@$(MAKE) all
	@set -- '$(DATADIR)' '$(BINDIR)' '$(SBINDIR)' '$(INCDIR)' \
	    '$(LIBDIR)/pkgconfig' '$(MANDIR)/man1' '$(MANDIR)/man3' \
	    '$(MANDIR)/man5' '$(MANDIR)/man7' '$(MANDIR)/man8' \
	    '$(BASHDIR)' '$(ZSHDIR)' '$(FISHDIR)' '$(INCDIR)/ut/sdt/sys' \
	    $(LTTNG_DIRS); $(MKDIRS)
	install -m 755 utctl/utctl '$(DESTDIR)$(BINDIR)/utctl'
	install -m 755 utd/utd '$(DESTDIR)$(SBINDIR)/utd'
	install -m 644 libut/ut.h libut/ut_field.h '$(DESTDIR)$(INCDIR)/'
	install -m 644 libut/sdt/sys/sdt.h '$(DESTDIR)$(INCDIR)/ut/sdt/sys/'
	echo '#include "../../ut.h"' >'$(DESTDIR)$(INCDIR)/ut/sdt/ut.h'
	case '$(BINDIR),$(LIBDIR)' in \
	'$(PREFIX)/bin,$(PREFIX)/lib') utctl=../../../bin/utctl ;; \
	*)		utctl='$(BINDIR)/utctl' ;; \
	esac; \
	ln -sf "$$utctl" '$(DESTDIR)$(LIBDIR)/ut/lttng/dtrace'
	install -m 644 libut/libut.a '$(DESTDIR)$(LIBDIR)/libut.a'
	install -m 755 $(LIBUT_SO) '$(DESTDIR)$(LIBDIR)/libut.so.$(MAJOR)'
	ln -sf libut.so.$(MAJOR) '$(DESTDIR)$(LIBDIR)/libut.so'
	install -m 755 $(PRELOADS) '$(DESTDIR)$(LIBDIR)/'
	install -m 644 libut/libut-func.o '$(DESTDIR)$(LIBDIR)/libut-func.o'
	install -m 644 libut/valgrind.supp '$(DESTDIR)$(DATADIR)/'
	p='$(PREFIX)' i='$(INCDIR)' l='$(LIBDIR)'; \
	case $$p,$$l in \
	/usr,*)		prefix=/usr ;; \
	*,"$$p"/lib)	prefix='$${pcfiledir}/../..' ;; \
	*)		prefix=$$p ;; \
	esac; \
	case $$i in "$$p"/*) i='$${prefix}'$${i#"$$p"} ;; esac; \
	case $$l in "$$p"/*) l='$${prefix}'$${l#"$$p"} ;; esac; \
	printf '%s\n' "prefix=$$prefix" "includedir=$$i" "libdir=$$l" '' \
	    'Name: libut' 'Description: user-space trace events' \
	    'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
	    'Libs: -L$${libdir} -lut' 'Libs.private: $(LIBS)' \
	    'lttngdir=$${libdir}/ut/lttng' 'sdtdir=$${includedir}/ut/sdt' \
	    >'$(DESTDIR)$(LIBDIR)/pkgconfig/ut.pc' && \
	case $$prefix in *..) prefix=$$prefix/../.. ;; esac; \
	printf '%s\n' "prefix=$$prefix" "includedir=$$i" "libdir=$$l" '' \
	    'Name: lttng-ust' 'Description: libut for LTTng-UST' \
	    'Version: 2.13.0' 'Cflags: -I$${includedir}/ut/lttng' \
	    'Libs: -L$${libdir}/ut/lttng -llttng-ust $(DL_$(OS))' \
	    >'$(DESTDIR)$(LIBDIR)/ut/lttng/pkgconfig/lttng-ust.pc'
	install -m 644 $(LTTNG_HDRS) '$(DESTDIR)$(INCDIR)/ut/lttng/lttng/'
	echo '#include "../../ut.h"' >'$(DESTDIR)$(INCDIR)/ut/lttng/ut.h'
	install -m 644 $(LTTNG_LIB) '$(DESTDIR)$(LIBDIR)/ut/lttng/'
	ln -sf ../../libut.so.$(MAJOR) '$(DESTDIR)$(LIBDIR)/ut/lttng/'
	for l in lttng-ust lttng-ust-common lttng-ust-fork; do \
	    echo 'INPUT(../../libut.so libut-lttng.a)' \
		>'$(DESTDIR)$(LIBDIR)/ut/lttng'/lib$$l.so || exit 1; \
	done
	install -m 644 $(MAN1) '$(DESTDIR)$(MANDIR)/man1/'
	install -m 644 $(MAN3) '$(DESTDIR)$(MANDIR)/man3/'
	install -m 644 $(MAN5) '$(DESTDIR)$(MANDIR)/man5/'
	install -m 644 $(MAN7) '$(DESTDIR)$(MANDIR)/man7/'
	install -m 644 $(MAN8) '$(DESTDIR)$(MANDIR)/man8/'
	install -m 644 utctl/complete/utctl.bash '$(DESTDIR)$(BASHDIR)/utctl'
	install -m 644 utctl/complete/_utctl '$(DESTDIR)$(ZSHDIR)/_utctl'
	install -m 644 utctl/complete/utctl.fish \
	    '$(DESTDIR)$(FISHDIR)/utctl.fish'
	[ -z '$(RC_$(OS))' ] || sed 's:@SBINDIR@:$(SBINDIR):' \
	    utd/rc/$(RC_$(OS)) >'$(DESTDIR)$(RC)'
	[ -z '$(RC_$(OS))' ] || [ $(OS) = Linux ] || \
	    chmod 755 '$(DESTDIR)$(RC)'

# Where the system looks for what it starts at boot; see utd(8).
install-rc: paths-ok rc-ok
	@$(MAKE) install
	@set -- '$(RCDIR)'; $(MKDIRS)
	cp -p '$(DESTDIR)$(RC)' '$(DESTDIR)$(RCDIR)/$(RCNAME_$(OS))'

uninstall-rc: paths-ok rc-ok
	rm -f '$(DESTDIR)$(RCDIR)/$(RCNAME_$(OS))'

uninstall: paths-ok
	rm -f '$(DESTDIR)$(BINDIR)/utctl' '$(DESTDIR)$(SBINDIR)/utd' \
	    '$(DESTDIR)$(INCDIR)/ut.h' '$(DESTDIR)$(INCDIR)/ut_field.h' \
	    '$(DESTDIR)$(INCDIR)/ut/sdt/sys/sdt.h' \
	    '$(DESTDIR)$(INCDIR)/ut/sdt/ut.h' \
	    '$(DESTDIR)$(LIBDIR)/ut/lttng/dtrace' \
	    '$(DESTDIR)$(LIBDIR)/libut.a' \
	    '$(DESTDIR)$(LIBDIR)/libut.so.$(MAJOR)' \
	    '$(DESTDIR)$(LIBDIR)/libut.so' \
	    '$(DESTDIR)$(LIBDIR)/libut-cpu.so' \
	    '$(DESTDIR)$(LIBDIR)/libut-func.so' \
	    '$(DESTDIR)$(LIBDIR)/libut-malloc.so' \
	    '$(DESTDIR)$(LIBDIR)/libut-pthread.so' \
	    '$(DESTDIR)$(LIBDIR)/libut-func.o' \
	    '$(DESTDIR)$(DATADIR)/valgrind.supp' \
	    '$(DESTDIR)$(LIBDIR)/pkgconfig/ut.pc' \
	    '$(DESTDIR)$(BASHDIR)/utctl' '$(DESTDIR)$(ZSHDIR)/_utctl' \
	    '$(DESTDIR)$(FISHDIR)/utctl.fish'
	for f in ut.h $(LTTNG_HDRS); do \
	    rm -f '$(DESTDIR)$(INCDIR)/ut/lttng'/$${f#libut/} || exit 1; \
	done
	for f in libut-lttng.a libut.so.$(MAJOR) liblttng-ust.so \
	    liblttng-ust-common.so liblttng-ust-fork.so \
	    pkgconfig/lttng-ust.pc; do \
	    rm -f '$(DESTDIR)$(LIBDIR)/ut/lttng'/$$f || exit 1; \
	done
	for f in $(MAN1) $(MAN3) $(MAN5) $(MAN7) $(MAN8); do \
	    rm -f '$(DESTDIR)$(MANDIR)'/man$${f##*.}/$${f#man/} || exit 1; \
	done
	[ -z '$(RC_$(OS))' ] || rm -f '$(DESTDIR)$(RC)'
	@[ ! -f '$(DESTDIR)$(DATADIR)/made' ] || { \
	    made=$$(sed 's:^\.:$(PREFIX):' '$(DESTDIR)$(DATADIR)/made' | \
		LC_ALL=C sort -ru); \
	    rm -f '$(DESTDIR)$(DATADIR)/made'; \
	    printf '%s\n' "$$made" | while read -r d; do \
		rmdir '$(DESTDIR)'"$$d" 2>/dev/null || :; \
	    done; }

clean:
	rm -f $(LIBUT_OBJS) $(COMMON_OBJS) $(UTD_OBJS) $(UTCTL_OBJS) \
	    $(WRAP_OBJS) $(LTTNG_OBJS) $(LIBS_BUILT) $(PROGS) \
	    libut/libut.so paths \
	    utctl/report/page_bytes.c \
	    regress/demo/demo
	rm -rf regress/demo/trace
	cd regress && $(MAKE) clean
