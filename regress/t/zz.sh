. ./common.sh
start_utd
utctl create -o "$T/l" l >/dev/null && utctl enable-channel -b 4k -n ${N:-8} ${A:-} c && utctl enable-event -c c 'seq:*' >/dev/null && utctl start >/dev/null
background ./prog/seq 1 ${TH:-4} 900000000
k=0
while [ $k -lt ${KILLS:-25} ]; do
	k=$((k+1))
	sleep 0.$((k * 37 % 60 + 20))
	kill_consumers
	sleep 0.5
	[ -z "${ROT:-}" ] || utctl rotate l >/dev/null
done
kill -9 $LAST
sleep 1.5
expect 0 '' utctl stop l
counts l
readers_agree "$T/l"
echo "A=${A:-} $(discarded) told of $lost, $events events of $(wc -l <"$T/view.out")"
[ "$(discarded)" -eq $lost ] && [ $events -eq $(wc -l <"$T/view.out") ] || fail "differ"
diff <(sed -n 's/^utctl: \([0-9]* events*\) discarded between .* \([0-9:.]*\) and .* \([0-9:.]*\) in .*/\1 \2 \3/p' $T/view.err | sort) <(sed -n 's/.*Tracer discarded \([0-9]* events*\) between \[\([0-9:.]*\)\] and \[\([0-9:.]*\)\].*/\1 \2 \3/p' $T/bt2.err | sort) | head -3
ls -l $T/l/ust/uid/*/* | wc -l
