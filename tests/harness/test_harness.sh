#!/bin/sh
# The harness under test: it must report each planted failure, with its rank and line if it has one,
# within its limit.
# limit: 90
set -u
here=$(dirname "$0")
source=$here/planted.c
failures=0
HYLA_TEST_GRACE=1 HYLA_TEST_LIMIT=4 MPIEXEC_TIMEOUT=15 HYLA_TEST_RANKS=4
export HYLA_TEST_GRACE HYLA_TEST_LIMIT MPIEXEC_TIMEOUT HYLA_TEST_RANKS
unset HYLA_TEST_ONLY HYLA_TEST_WRAPPER HYLA_SEED

complain() {
  echo "test_harness: $1"
  failures=$((failures + 1))
}

# expect CASE STATUS TEXT...: the case ends with this status, in time, and prints each text once.
expect() {
  name=$1
  wanted=$2
  shift 2
  begin=$(date +%s)
  output=$("$here/../run" tests/harness/planted "$name" 2>&1)
  status=$?
  took=$(($(date +%s) - begin))
  [ $status -eq "$wanted" ] || complain "$name: exit status $status instead of $wanted"
  [ $took -le 20 ] || complain "$name: took $took s"
  for text; do
    times=$(printf '%s\n' "$output" | grep -c -F -e "$text")
    [ "$times" -eq 1 ] || complain "$name: '$text' is there $times times in: $output"
  done
}

# line MARK: the line of the planted assertion with this mark.
line() { grep -n -F "planted: $1 " "$source" | cut -d : -f 1; }

expect passes 0 '4 ranks: 3 passed, 0 failed, 0 skipped (seed 1)'
expect skips 0 '4 ranks: 2 passed, 0 failed, 1 skipped'
expect fails_on_first 1 'rank 0: ' "planted.c:$(line first): " '[n = 7]' '2 passed, 1 failed'
expect fails_on_last_before_collective 1 'rank 3: ' "planted.c:$(line last): " 'FAILED planted: 4'
expect fails_everywhere 1 'rank 0 1 2 3: ' "planted.c:$(line all): " '2 passed, 1 failed'
expect crashes 1 'rank 1: ' 'Segmentation fault'
expect aborts 1 'rank 1: aborts: aborted'
expect leaves 1 'rank 2: leaves: the process left'
expect vanishes 1 'FAILED planted: 4 ranks'
expect hangs 1 'rank 3: hangs: does not end'
expect writes_behind_a_block 1 'rank 1: writes_behind_a_block: a block of 64 bytes was written'
expect writes_behind_shared_memory 1 'rank 1: writes_behind_shared_memory: a block of 1000 bytes'
expect writes_behind_private_memory 1 'rank 1: writes_behind_private_memory: a block of 1000 bytes'
expect halves_are_a_whole 0 '4 ranks: 3 passed'
HYLA_TEST_RANKS='1 2 3 4 6'
expect says_its_half 0 "1 ranks have half \`'" "2 ranks have half \`0'" "3 ranks have half \`1'" \
  "4 ranks have half \`'" "6 ranks have half \`0'"
HYLA_TEST_RANKS=4
HYLA_TEST_LIMIT=60
MPIEXEC_TIMEOUT=3
expect hangs 1 'time limit 3 s'
HYLA_SEED=77
HYLA_TEST_RANKS=2
export HYLA_SEED
expect passes 0 '2 ranks: 3 passed, 0 failed, 0 skipped (seed 77)'
HYLA_TEST_FULL=1
HYLA_TEST_UNTIL=$(($(date +%s) - 1))
export HYLA_TEST_FULL HYLA_TEST_UNTIL
expect passes 0 'planted: samples alone, for want of time' '2 ranks: 3 passed'
HYLA_TEST_UNTIL=$(($(date +%s) + 999))
expect passes 0 '2 ranks: 3 passed'
! echo "$output" | grep -q samples || complain "samples before the time: $output"
exit $((failures > 0))
