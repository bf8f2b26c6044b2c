#!/bin/sh
# Ranks on two hosts: two network namespaces with their own names, joined by one link.  Nothing is
# shared across the link.  Results and counts are those of one host; a slow link makes runs slow and
# changes nothing else; when the link is cut during a run, the ranks on both sides report it and end
# within the limit.  Runs only if HYLA_TEST_FULL is set, because it waits most of the time.
# limit: 200
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${HYLA_TEST_ALONE:-}" ] || exec "$here/../alone" "$0" "$@"
. "$(dirname "$0")/../harness/script.sh"
[ -n "${HYLA_TEST_FULL:-}" ] || skip 'make check-walks runs it'
need ip unshare jq
"$MPIEXEC" --version 2>/dev/null | grep -q HYDRA || skip 'the launcher is not Hydra'

shim=$PWD/tests/campaign/failing.so flip=$PWD/tests/tools/flip.so
hyla=$PWD/hyla
if [ -x .libs/hyla ]; then
  hyla=$PWD/.libs/hyla
  LD_LIBRARY_PATH=$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi
OPENBLAS_NUM_THREADS=1 HYLA_TIMEOUT=8
export OPENBLAS_NUM_THREADS HYLA_TIMEOUT
first=hyla-$$-a second=hyla-$$-b

# end_in NAMESPACE: its processes, then itself.
end_in() {
  for process in $(ip netns pids "$1" 2>/dev/null); do kill -KILL "$process" 2>/dev/null; done
  ip netns del "$1" 2>/dev/null
}
clean() {
  end_in $first
  end_in $second
  rm -rf "$work"
}
trap clean EXIT
cd "$work" || exit 1
{ ip netns add $first && ip netns add $second &&
  ip link add hy$$a netns $first type veth peer name hy$$b netns $second; } >ip.out 2>&1 ||
  skip "the system gives no network of its own: $(head -n 1 ip.out)"
for side in a b; do
  host=hyla-$$-$side
  ip -n $host addr add 10.77.0.$([ $side = a ] && echo 1 || echo 2)/24 dev hy$$$side
  ip -n $host link set lo up
  ip -n $host link set hy$$$side up
done
# MPI finds a link only when it is up, which takes a moment.
for try in 1 2 3 4 5 6 7 8 9 10; do
  up=$(for host in $first $second; do ip -n $host -br link show type veth; done | grep -c ' UP ')
  [ "$up" -eq 2 ] && break
  sleep 0.5
done
[ "$up" -eq 2 ] || skip 'the link does not come up'

# Hydra calls this in place of a shell on the other host: OPTION... HOST COMMAND...
cat >launch <<END
#!/bin/sh
while [ "\$1" = -x ]; do shift; done
shift
exec ip netns exec $second unshare -u sh -c "hostname other-$$ && exec \$*"
END
chmod +x launch
shell="$work/launch"

# two EACH RANKS COMMAND...: RANKS ranks, EACH of them on each host.  Between processes of one
# kernel MPI would take any transport that it can have; the test gives it only this network.
two() {
  each=$1
  ranks=$2
  shift 2
  UCX_TLS=tcp,self timeout -k 5 $((60 * patience)) ip netns exec $first "$MPIEXEC" -hosts 10.77.0.1,10.77.0.2 -ppn "$each" -n "$ranks" \
    -launcher ssh -launcher-exec "$shell" -iface hy$$a "$@" </dev/null
}
one() { timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$@" </dev/null; }
# MPICH 4.0 over UCX and TCP may wait forever in MPI_Finalize, even in ten lines of MPI alone; the
# command then ends itself, when its work is done.
ended() { grep -q 'in MPI_Finalize' err; }
# ledger NAME: the counts of that run.  If two ranks share a host beside another host, they tell
# each other in messages without words which memory may be read.
ledger() {
  head -n 1 "$1.json" | jq -c "[.words_counted$([ "$each" -gt 1 ] || echo ', .messages_counted')]"
}
carried() { ip netns exec $first cat /sys/class/net/hy$$a/statistics/tx_bytes; }

"$hyla" generate random --size 203 -o a.npy >out || complain 'no matrix can be made'
"$hyla" generate definite --size 203 -o d.npy >out || complain 'no definite matrix can be made'

# Nothing is shared across: a rank alone on its host reads no other rank's memory.
two 1 2 "$hyla" info >out 2>err || ended || complain "info: $(cat err)"
grep -q 'memory  *private' out || complain "two hosts of one rank: $(grep memory out)"

# The results are those of one host, bit for bit if variant and layout are the same; the counts are
# as predicted.  The factors' default layout depends on the cores of a host, and two hosts have
# twice as many.
for ranks in 2 4; do
  each=$((ranks / 2))
  for job in 'multiply a.npy a.npy --variant cannon' 'multiply a.npy a.npy --variant summa' \
    "solve a.npy --variant partial --method lu --layout binary/cyclic:32@1x$ranks" \
    "solve d.npy --method cholesky --layout binary/cyclic:32@1x$ranks" 'transpose a.npy'; do
    rm -f here.npy there.npy
    # Options and names are words.
    # shellcheck disable=SC2086
    one $ranks "$hyla" $job -o here.npy --json >shared.json 2>err || complain "$job on one host: $(cat err)"
    # The messages are the same only if ranks do not read each other's memory.
    # shellcheck disable=SC2086
    HYLA_PRIVATE=1 one $ranks "$hyla" $job --json >here.json 2>err || complain "$job in private memory: $(cat err)"
    before=$(carried)
    # shellcheck disable=SC2086
    two $each $ranks "$hyla" $job -o there.npy --json >there.json 2>err || ended || complain "$job, $each of $ranks: $(cat err)"
    went=$(($(carried) - before))
    cmp -s here.npy there.npy || complain "$job, $each of $ranks: another result than on one host"
    head -n 1 there.json >result.json
    jq -e '.words_counted <= .words_predicted and .messages_counted <= .messages_predicted' result.json >out ||
      complain "$job, $each of $ranks: more is sent than predicted"
    ledger here >one.count
    ledger there >two.count
    cmp -s one.count two.count ||
      complain "$job, $each of $ranks: counted are $(cat two.count), on one host $(cat one.count)"
    # The rank with the most words has at least one neighbour on the other host.
    words=$(jq .words_counted result.json)
    [ "$ranks" -gt 2 ] || [ $went -ge $((8 * words)) ] || complain "$job: $words words, but $went bytes on the link"
  done
done

# When MPI ends, a rank has left no memory, mapping or descriptor.  Each rank writes its number, the
# number of system calls that were counted, and what they have left.
for job in 'multiply a.npy a.npy' 'solve a.npy --method lu'; do
  rm -f report
  # shellcheck disable=SC2086
  two 1 2 env LD_PRELOAD="$shim" HYLA_FAIL_AT=0 HYLA_FAIL_REPORT="$work/report" "$hyla" $job >out 2>err ||
    ended || complain "$job, with its calls counted: $(cat err)"
  awk '$2 > 0 && $3 + $4 + $5 == 0 { good++ } END { exit good != 2 }' report ||
    complain "$job leaves: $(tr '\n' ';' <report)"
done

# A message that changes on the link is reported, if messages are checked.
rm -f flipped.npy
two 1 2 env LD_PRELOAD="$flip" HYLA_FLIP_RANK=1 HYLA_FLIP_AT=1 "$hyla" multiply a.npy a.npy --verify -o flipped.npy >out 2>err &&
  complain 'a message that changed on the link: status 0'
grep -q 'message [0-9]* from rank 1 to rank 0, of [0-9]* bytes, is not what was sent' err ||
  complain "a message that changed on the link: $(cat err)"
[ ! -e flipped.npy ] || complain 'a message that changed on the link: an answer is written'

# A link of 20 Mbit/s, if the kernel can make one.
if ip netns exec $first tc qdisc add dev hy$$a root tbf rate 20mbit burst 20kb latency 400ms >out 2>&1; then
  two 1 2 "$hyla" multiply a.npy a.npy -o slow.npy --json >slow.json 2>err || ended || complain "a slow link: $(cat err)"
  one 2 "$hyla" multiply a.npy a.npy --variant "$(head -n 1 slow.json | jq -r .variant)" -o here.npy >out 2>&1
  cmp -s slow.npy here.npy || complain 'a slow link changes the result'
  ip netns exec $first tc qdisc del dev hy$$a root
else
  echo "test_two_hosts: no slow link: $(head -n 1 out)"
fi

# The link is cut during the run: both sides report that they waited, and end.
limit=4
cat >rank <<END
#!/bin/sh
exec "$hyla" bench lu --size 400 --repeat 100000 2>err.\$PMI_RANK
END
chmod +x rank
HYLA_TIMEOUT=$limit two 1 2 ./rank >cut.out 2>cut.err &
launcher=$!
# During the run: when some 4 MB of the work have crossed the link.
before=$(carried)
for try in $(seq 300); do
  [ $(($(carried) - before)) -lt 4000000 ] || break
  sleep 0.1
done
ip -n $second link set hy$$b down
# Two seconds after the limit, and one more for a machine that has other work; in short steps,
# because a machine that stands still for a while would end a long one without any work done.
left() { for process in $(ip netns pids "$1"); do cat "/proc/$process/comm" 2>/dev/null; done | grep -x -c hyla; }
for step in $(seq $((2 * (limit + 3)))); do sleep 0.5; done
for host in $first $second; do
  [ "$(left $host)" -eq 0 ] || complain "$((limit + 3)) s after the link was cut a rank is left in $host"
done
for rank in 0 1; do
  grep -q "waited $limit s" err.$rank || complain "rank $rank does not say that it waited: $(cat err.$rank)"
done
# Hydra waits for its other half, which it cannot reach.
kill $launcher 2>/dev/null
end_in $first
end_in $second
wait $launcher 2>/dev/null
[ -z "$(find . -name '.hyla-*')" ] || complain "files are left: $(find . -name '.hyla-*')"
exit $((failures > 0))
