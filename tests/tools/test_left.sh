#!/bin/sh
# Commands leave nothing behind: no memory, mapping or descriptor in any rank when MPI ends, no file
# in /dev/shm, and in their folder only the requested files; also with checks of results and of
# messages, with checkpoints, when they resume from one, and with --reproducible.
# limit: 180
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${HYLA_TEST_ALONE:-}" ] || exec "$here/../alone" "$0" "$@"
. "$(dirname "$0")/../harness/script.sh"
shim=$PWD/tests/campaign/failing.so
[ -e "$shim" ] || skip 'failing.so is not built'
export hyla
cd "$work" || exit 1

show=text

# run P ARGUMENT...: hyla on P ranks; each rank reports what it has left.
run() {
  p=$1
  shift
  rm -f report
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$p" env LD_PRELOAD="$shim" HYLA_FAIL_AT=0 \
    HYLA_FAIL_REPORT="$work/report" "$hyla" "$@" >text 2>&1 </dev/null || complain "hyla $*, $p ranks: fails"
  [ "$(wc -l <report)" -eq "$p" ] || complain "hyla $*: not $p ranks report"
  # The rank, its calls, blocks, mappings, descriptors, and the call that failed.
  awk '$2 > 0 && $3 == 0 && $4 == 0 && $5 == 0 { next } { bad = 1 } END { exit bad }' report ||
    complain "hyla $*, $p ranks: left are (blocks, mappings, descriptors) $(cut -d ' ' -f 3-5 report | tr '\n' ';')"
}

mkdir states
"$hyla" generate random --size 97 -o a.npy >text 2>&1 || complain 'hyla generate: fails'
"$hyla" generate definite --size 97 -o d.npy >text 2>&1 || complain 'hyla generate: fails'
"$hyla" generate random --size 700 -o large.npy >text 2>&1 || complain 'hyla generate: fails'

gone_on=0
ranks_tried='1 2 3'
[ -z "${HYLA_TEST_FULL:-}" ] || ranks_tried='1 2 3 4 8'
for ranks in $ranks_tried; do
  run $ranks multiply a.npy a.npy -o x.npy --force
  for option in '' --reproducible; do
    run $ranks multiply a.npy d.npy $option
    run $ranks solve a.npy --method lu $option
    run $ranks solve d.npy --method cholesky $option
  done
  HYLA_CHECK_RESULTS=1 run $ranks multiply a.npy d.npy
  HYLA_CHECK_RESULTS=1 run $ranks solve a.npy --method lu
  HYLA_CHECK_RESULTS=1 run $ranks factor d.npy --method cholesky
  HYLA_CHECK_MESSAGES=1 run $ranks multiply a.npy d.npy
  HYLA_CHECK_MESSAGES=1 run $ranks solve a.npy --method lu
  HYLA_PRIVATE=1 run $ranks solve d.npy --method cholesky
  run $ranks solve a.npy --method lu --checkpoint states --every 0

  # Killed when it has a checkpoint, and started again: it resumes from there.
  # shellcheck disable=SC2016
  timeout -k 1 $((60 * patience)) "$MPIEXEC" -n $ranks sh -c 'echo $$ >>pids; exec "$hyla" "$@"' hyla \
    solve large.npy --checkpoint states --every 0 >text 2>&1 </dev/null &
  while kill -0 $! 2>/dev/null && [ -z "$(ls states)" ]; do sleep 0.01; done
  # Processes that have ended are gone.
  # shellcheck disable=SC2046
  kill -KILL $(cat pids) 2>/dev/null
  wait $!
  rm -f pids
  run $ranks solve large.npy --method lu --checkpoint states --every 0 --json
  grep -q '"resumed":1' text && gone_on=$((gone_on + 1))
done
[ $gone_on -gt 0 ] || complain 'no run went on from a state'
rm -f text report
left=$(find . ! -name a.npy ! -name d.npy ! -name large.npy ! -name x.npy ! -name states ! -name .)
: >text
[ -z "$left" ] || complain "files are left: $left"

exit $((failures > 0))
