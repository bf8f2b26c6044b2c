#!/bin/sh
# hyla simulate --trace, --svg and --cube-svg: the file has the form that trace viewers read, a
# node's spans add up to the printed time, the critical path goes from the end back to the start,
# and requests that cannot be shown are refused.
# limit: 60
. "$(dirname "$0")/../harness/script.sh"
shim=$PWD/tests/campaign/failing.so
need jq
cd "$work" || exit 1

# The Trace Event Format: the required fields of each kind of event; spans of one thread are apart;
# each arrow ends where and when a message arrives; the spans of the last node to end fill the time.
check='
def near($a; $b): ($a - $b | fabs) <= 1e-6 * ([$a, $b, 1e-9] | max);
def apart: sort_by(.ts) | . as $spans
  | all(range(1; length); $spans[.].ts >= $spans[. - 1].ts + $spans[. - 1].dur * (1 - 1e-6) - 1e-9);
.traceEvents as $events
| [$events[] | select(.ph == "X")] as $spans
| [$events[] | select(.ph == "s")] as $starts | [$events[] | select(.ph == "f")] as $ends
| ($events | all(.[]; (.ph | IN("M", "X", "s", "f", "b", "e")) and has("name") and has("pid")
                      and has("tid") and (.ph == "M" or (.ts | type) == "number")))
  and ($spans | all(.[]; .dur >= 0))
  and ($spans | group_by([.pid, .tid]) | all(.[]; apart))
  and ($starts | length) == ($ends | length)
  and ([$starts, $ends] | transpose | all(.[]; .[0].id == .[1].id and .[0].ts <= .[1].ts))
  and ([$events[] | select(.name == "process_name")] | length) == .otherData.nodes
  and .otherData.events_left_out == 0
  and ([$spans[] | select(.tid == 0)] | group_by(.pid) | map(map(.dur) | add) | max
       | near(.; $time * $root.otherData.microseconds_a_unit))'

# path FILE: the critical path is drawn without a gap, from the picture left to its right edge.
path() {
  sed -n '/id="critical-path"/,/<\/g>/p' "$1" | sed -n 's/.*d="M\([0-9.]*\) [0-9.]*L\([0-9.]*\) .*/\1 \2/p' |
    awk 'NR == 1 { first = $2 } NR > 1 && $2 - left > .02 || NR > 1 && left - $2 > .02 { bad = 1 }
         { left = $1 } END { exit !(NR > 0 && !bad && first > 1075 && left < 97) }'
}

# labelled FILE: all labels are within the picture, and each node's stands left of its own line.
labelled() {
  awk -F'"' '
    /^<svg / { for (i = 1; i < NF; i++) { if ($i ~ / width=$/) width = $(i + 1)
                                          if ($i ~ / height=$/) height = $(i + 1) } }
    /^<path d="M[0-9]* [0-9.]*H[0-9]*"\/>$/ { split($2, at, /[MH ]/); left = at[2]; line[lines++] = at[3] }
    /^<text / { if ($2 < 0 || $2 > width || $4 < 0 || $4 > height) bad = 1 }
    /^<text .*>[0-9]+  [01]+<\/text>$/ {
      split($NF, words, /[> ]/); away = $4 - line[words[2]]
      if ($2 >= left || away < 0 || away > 6) bad = 1
      nodes++
    }
    END { exit !(nodes == lines && nodes > 0 && !bad) }' "$1"
}

# see ARGUMENT...: the arguments of hyla simulate.
see() {
  "$hyla" simulate "$@" --json --trace t.json --svg t.svg >out 2>err || complain "$*: $(cat err)"
  time=$(jq .time out)
  jq -e --argjson time "$time" ". as \$root | $check" t.json >jq.out 2>&1 ||
    complain "$*: the trace is not as it should be: $(cat jq.out)"
  grep -q '</svg>' t.svg || complain "$*: no picture"
  path t.svg || complain "$*: the critical path has gaps"
  labelled t.svg || complain "$*: labels are out of place"
}

# explained WORDS: the meanings of the last picture's colours, after its nodes' numbers.
explained() {
  found=$(sed -n 's,.*>\([a-z0-9][a-z0-9 ]*\)</text>,\1,p' t.svg |
    sed -n '/^dimension 0$/,/^critical path$/p' | tr '\n' ',')
  [ "$found" = "$1" ] || complain "the picture explains $found"
}

for ports in all one; do
  for dims in 1 3 4; do
    see gemm --size 40 --dims $dims --ports $ports --variant cannon
    [ $dims -ne 3 ] || explained 'dimension 0,1,2,several,computing,critical path,'
    see gemm --size 37 --dims $dims --ports $ports --dry
    see lu --size 50 --nrhs 2 --dims $dims --ports $ports
    see cholesky --size 50 --dims $dims --ports $ports
    see transpose --size 32 --dims $dims --ports $ports --alpha 3 --beta 1
    see collective --name broadcast --words 96 --dims $dims --ports $ports --alpha 2
    [ $dims -ne 3 ] || explained 'dimension 0,1,2,computing,critical path,'
    see collective --name allgather --words 5 --dims $dims --ports $ports --alpha 2
  done
done

# The cube: a line a link; the link with the most words is darkest; the d steps of the broadcast by
# doubling.
"$hyla" simulate collective --name broadcast --variant doubling --dims 4 --cube-svg c.svg >out 2>err ||
  complain "--cube-svg: $(cat err)"
[ "$(grep -c '<circle' c.svg)" -eq 16 ] || complain '--cube-svg: not 16 nodes'
[ "$(sed -n '1,/<circle/p' c.svg | grep -c '^<path')" -eq 32 ] || complain '--cube-svg: not 32 links'
[ "$(grep -c '<animate ' c.svg)" -eq 4 ] || complain '--cube-svg: not 4 steps'
[ "$(grep -c 'marker-end' c.svg)" -eq 15 ] || complain '--cube-svg: not 15 messages'
grep -q '#08306b' c.svg || complain '--cube-svg: no link is the darkest'

# refused WHAT ARGUMENT...: exit status 2, and the message contains WHAT; no file is left.
refused() {
  what=$1
  shift
  rm -f t.json t.svg
  "$hyla" simulate "$@" >out 2>err
  [ $? -eq 2 ] || complain "$*: not refused"
  grep -q -e "$what" err || complain "$*: $(cat err)"
  ls t.* >/dev/null 2>&1 && complain "$*: leaves a file"
}
refused 'one variant' gemm --size 8 --variant all --trace t.json
refused 'one variant' collective --name broadcast --variant all --svg t.svg
refused '5 dimensions' collective --name broadcast --dims 6 --cube-svg t.svg
refused '256 nodes' collective --name broadcast --dims 9 --svg t.svg
refused 'cannot write no/t.json' gemm --size 8 --trace no/t.json

# If memory for events runs out, no partial trace is written: each call of realloc fails once, by
# the stack from which it is made.
if [ -e "$shim" ]; then
  # fail CALL: a simulation in which this call fails; 0: none fails.
  fail() {
    rm -f t.json
    LD_PRELOAD=$shim HYLA_FAIL_AT=$1 HYLA_FAIL_REPORT=report HYLA_FAIL_STACKS=stacks "$hyla" \
      simulate gemm --size 5 --dims 1 --variant cannon --trace t.json >out 2>err
  }
  fail 0 || complain "with its calls counted: $(cat err)"
  cp t.json whole.json
  calls=$(awk '$6 == "realloc" { print $2 }' stacks)
  told=0
  for call in $calls; do
    if fail "$call"; then
      cmp -s t.json whole.json || complain "call $call: the trace is not whole, and the status 0"
    else
      [ ! -e t.json ] || complain "call $call: the trace is written in part"
      [ "$(wc -l <err)" -eq 1 ] || complain "call $call: $(cat err)"
      grep -q -e '--trace: there is no memory for all events' err && told=$((told + 1))
    fi
  done
  [ $told -gt 0 ] || complain "of $(echo "$calls" | wc -w) calls none is of the trace's events"
else
  echo 'test_trace: skipped: failing.so is not built'
fi

[ $failures -eq 0 ]
