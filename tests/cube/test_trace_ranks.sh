#!/bin/sh
# HYLA_TRACE on four ranks: the file has the form that trace viewers read, each rank's spans follow
# each other, arrows lead from a send to its receive, and the spans of the measured run add up to
# the printed time.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
need jq
late=$PWD/tests/cube/late.so
cd "$work" || exit 1

# Times are written to a thousandth of a microsecond.
form='
.otherData as $data | .traceEvents as $events
| [$events[] | select(.ph == "X")] as $spans
| [$events[] | select(.ph == "s")] as $starts | [$events[] | select(.ph == "f")] as $ends
| def apart: sort_by(.ts) | . as $s
    | all(range(1; length); $s[.].ts >= $s[. - 1].ts + $s[. - 1].dur - 0.01);
  ($events | all(.[]; (.ph | IN("M", "X", "s", "f")) and has("name") and has("pid") and has("tid")
                      and (.ph == "M" or (.ts | type) == "number")))
  and ($spans | all(.[]; .dur >= 0))
  and ($spans | group_by([.pid, .tid]) | all(.[]; apart))
  and ([$spans[] | select(.tid == 0) | .name] | unique
       | (["agree", "compute", "wait"] - .) == [] and (. - ["agree", "compute", "copy", "local", "wait"]) == [])
  and ([$spans[] | select(.tid > 0)]
       | all(.[]; (.args.to | type) == "number" and .args.bytes > 0
                  and (.args | has("dimension")) == (.tid <= 2)))
  and ($starts | length) > 0 and ([$starts[].id] | sort) == ([$ends[].id] | sort)
  and ($ends | map({(.id): .ts}) | add) as $taken
  | ($starts | all(.[]; .ts <= $taken[.id] + 4 * $data.clock_error_microseconds + 0.01))
  and ([$events[] | select(.name == "process_name")] | length) == $data.nodes
  and $data.nodes == 4 and $data.events_left_out == 0'

# The spans of the last calls after a barrier, which were measured, on the rank where they take
# longest.
sum='
[.traceEvents[] | select(.ph == "X" and .tid == 0)] | group_by(.pid)
| map(sort_by(.ts) | . as $s
      | (last(range(1; length) | select(($s[.].args.call | test($calls))
                                        and $s[. - 1].args.call == "hyla_cube_barrier"))) as $first
      | (first(range($first; length) | select($s[.].args.call | test($calls) | not))) as $behind
      | $s[$first:$behind] | map(.dur) | add)
| max / 1e6'

# see CALLS ARGUMENT...: the arguments of hyla bench.  On a busy machine a rank may stand still
# between its calls.
see() {
  calls=$1
  shift
  for try in 1 2 3; do
    HYLA_TRACE=t.json timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 4 "$hyla" bench "$@" --repeat 1 --json </dev/null >out 2>err ||
      complain "$*: $(cat err)"
    jq -e "$form" t.json >jq.out 2>&1 || complain "$*: the trace is not as it should be: $(cat jq.out)"
    time=$(jq '.seconds[0]' out)
    found=$(jq --arg calls "$calls" "$sum" t.json)
    jq -n -e "($found - $time | fabs) <= 0.02 * $time" >jq.out 2>&1 && return 0
  done
  complain "$*: after $try tries spans of $found s in a run of $time s"
}
see '^hyla_plan_run$' gemm --size 700
see '^hyla_factor_(compute|solve)$' lu --size 500

# A message that arrives while its sender stands still started before it ended.
[ -e "$late" ] || complain "$late is not built"
HYLA_TRACE=t.json timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 4 env LD_PRELOAD="$late" "$hyla" bench lu --size 100 --repeat 1 </dev/null >out 2>err ||
  complain "with late senders: $(cat err)"
jq -e "$form" t.json >jq.out 2>&1 || complain "with late senders: the trace is not as it should be: $(cat jq.out)"

HYLA_TRACE=no/t.json timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 4 "$hyla" bench gemm --size 20 --repeat 1 </dev/null >out 2>err
[ $? -eq 2 ] || complain 'a trace that cannot be written is no failure'
[ "$(grep -c 'cannot write no/t.json' err)" -eq 1 ] || complain "no message, or several: $(cat err)"
exit $((failures > 0))
