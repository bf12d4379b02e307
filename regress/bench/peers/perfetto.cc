/*
 * Copyright (c) 2026 The libut authors
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
 * OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */

/*
 * Perfetto's SDK: an instant with arguments, written to a file by the service
 * in the program itself.
 */

#include <fcntl.h>
#include <unistd.h>

#include <perfetto.h>

#include "peer.h"

PERFETTO_DEFINE_CATEGORIES(perfetto::Category("load"));
PERFETTO_TRACK_EVENT_STATIC_STORAGE();

static std::unique_ptr<perfetto::TracingSession> session;
static int fd;

static void
begin(const char *file)
{
	perfetto::TracingInitArgs args;
	perfetto::TraceConfig config;

	args.backends = perfetto::kInProcessBackend;
	args.shmem_size_hint_kb = 32 * 1024;
	perfetto::Tracing::Initialize(args);
	perfetto::TrackEvent::Register();
	config.add_buffers()->set_size_kb(64 * 1024);
	config.set_write_into_file(true);
	config.set_file_write_period_ms(100);
	config.add_data_sources()->mutable_config()->set_name("track_event");
	if ((fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600)) == -1)
		exit(1);
	session = perfetto::Tracing::NewTrace();
	session->Setup(config, fd);
	session->StartBlocking();
}

static void
one(long n)
{
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		TRACE_EVENT_INSTANT("load", "one", "n", i);
	}
}

static void
mix(long n)
{
	const char *s = STRING;
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		FENCE(s);
		TRACE_EVENT_INSTANT("load", "mix",
		    [&](perfetto::EventContext ctx) {
			auto *a = ctx.event()->add_debug_annotations();
			a->set_name("a");
			a->set_uint_value((uint64_t)i);
			a = ctx.event()->add_debug_annotations();
			a->set_name("b");
			a->set_uint_value((uint32_t)i);
			a = ctx.event()->add_debug_annotations();
			a->set_name("s");
			a->set_string_value(s);
			a = ctx.event()->add_debug_annotations();
			a->set_name("d");
			a->set_double_value((double)i);
		});
	}
}

static void
end(void)
{
	perfetto::TrackEvent::Flush();
	session->StopBlocking();
	close(fd);
}

int
main(int argc, char *argv[])
{
	return peer_main(argc, argv, begin, one, mix, end);
}
