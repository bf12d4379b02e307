# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces that lack packets.

. ./common.sh
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
. ./shared/rows.sh

# trace NAME: a trace of the packets on the standard input.  The field of an
# event is a thread and 65536 times the key.  If $user is set, the trace is a
# directory of that user's of one session.
user=
trace() {
	name=$1
	rm -rf "${T:?}/$name"
	mkdir "$T/$name" || exit 1
	rows_metadata 'event.context := struct { u16 vtid; };' \
	    >"$T/$name/metadata"
	[ -z "$user" ] || cat >>"$T/$name/metadata" <<-END
	env {
		tracer_buffering_id = $user;
		trace_creation_datetime = "20260101T000000+0000";
	};
	END
	id=0
	for event in p:x_begin p:x_end q:open q:close libc:malloc libc:free \
	    pthread:mutex_request pthread:mutex_acquired pthread:mutex_release
	do
		case $event in
		libc:*)		field=ptr ;;
		pthread:*)	field=lock ;;
		*)		field=k ;;
		esac
		echo "event { name = \"$event\"; id = $id; stream_id = 0;" \
		    "fields := struct { u16 $field; }; };"
		id=$((id + 1))
	done >>"$T/$name/metadata"
	rows "$name"
}

# Of the bars with an end, and of those without.
bars() {
	tr '}' '\n' | grep -c "\"ph\":\"$1\""
}
