#!/bin/sh
# The command with --checkpoint: killed by KILL at 20 random moments, and started again on another
# number of ranks, it finds the same x up to rounding, and leaves no files, also none in /dev/shm.
# HYLA_SEED: seed of the moments.  Impossible requests are refused in one line.
# limit: 300
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${HYLA_TEST_ALONE:-}" ] || exec "$here/../alone" "$0" "$@"
. "$(dirname "$0")/../harness/script.sh"
seed=${HYLA_SEED:-1}
export hyla
cd "$work" || exit 1

test="$test, seed $seed"
show=text

# draw I HIGH: the I-th random number from 0 to HIGH - 1.
draw() { awk -v seed="$seed" -v i="$1" -v high="$2" 'BEGIN {
  srand(seed * 1000 + i); rand(); print int(rand() * high) }'; }

# start P ARGUMENT...: hyla on P ranks, in the background; $job is the launcher.
start() {
  rm -f pid.*
  p=$1
  shift
  # shellcheck disable=SC2016
  timeout -k 1 $((60 * patience)) "$MPIEXEC" -n "$p" sh -c 'echo $$ >pid.$$; exec "$hyla" "$@"' hyla "$@" \
    >text 2>&1 </dev/null &
  job=$!
}

# differ FILE FILE: the largest difference of two vectors of Matrix Market.
differ() {
  awk '/^%/ { next } FNR == NR { if (n++) x[n] = $1; next } m++ {
    d = $1 - x[m]; if (d < 0) d = -d; if (d > most) most = d } END { print n == m ? most : "none" }' \
    "$1" "$2"
}

mkdir states
"$hyla" generate random --size 600 -o lu.npy >text 2>&1 || complain 'hyla generate: fails'
"$hyla" generate definite --size 900 -o cholesky.npy >text 2>&1 || complain 'hyla generate: fails'
for method in lu cholesky; do
  "$hyla" solve $method.npy --method $method -o $method.mtx >text 2>&1 || complain "$method: fails"
done

kills=0
gone_on=0
for trial in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
  method=lu
  [ $((trial % 3)) -eq 2 ] && method=cholesky
  what="$method, trial $trial"
  ranks=$((1 << $(draw $((3 * trial)) 3)))
  # Some are killed before the first checkpoint.
  first='states/*'
  [ $((trial % 5)) -eq 0 ] && first='pid.*'
  # A run that has ended by then, or no longer needs its checkpoints, is run once more and killed
  # after half of the time: the time of a run depends on the machine.
  rest=$(draw $((3 * trial + 1)) 300)
  while
    start $ranks solve $method.npy --method $method --checkpoint states --every 0 -o x.mtx --force
    # shellcheck disable=SC2086
    while kill -0 $job 2>/dev/null && ! ls $first >/dev/null 2>&1; do sleep 0.01; done
    sleep "0.$(printf %03d "$rest")"
    # If there are several ranks, some may be gone already.
    met=no
    for pid in $(cat pid.* 2>/dev/null); do
      kill -KILL "$pid" 2>/dev/null && met=yes
    done
    wait $job || [ $met = yes ] || complain "$what: it fails without a kill"
    midway=$met
    [ -z "$(find states -type f -perm /177)" ] || complain "$what: others may read $(ls -l states)"
    [ "$first" = 'pid.*' ] || [ -n "$(ls states)" ] || midway=no
    [ $midway = no ] && [ "$rest" -gt 0 ]
  do
    rest=$((rest / 2))
  done
  [ $met = yes ] && kills=$((kills + 1))
  cp text killed
  start $((1 << $(draw $((3 * trial + 2)) 3))) solve $method.npy --method $method \
    --checkpoint states --every 0 -o x.mtx --force --json
  wait $job || complain "$what: it cannot go on"
  case $(cat text) in *'"resumed":1'*) gone_on=$((gone_on + 1)) ;; esac
  far=$(differ $method.mtx x.mtx)
  awk -v far="$far" 'BEGIN { exit !(far != "none" && far < 1e-8) }' ||
    complain "$what: x differs by $far"
  [ -z "$(ls -A states)" ] || complain "$what: left are $(ls -A states | tr '\n' ' ')"
done
echo "test_checkpoint_killed: seed $seed: killed $kills times, gone on $gone_on times"
[ $kills -ge 15 ] || complain "killed $kills times alone"
[ $gone_on -ge 10 ] || complain "gone on $gone_on times alone"

# refused STATUS TEXT ARGUMENT...
refused() {
  wanted=$1 line=$2
  shift 2
  "$hyla" "$@" >text 2>&1
  status=$?
  [ $status -eq "$wanted" ] || complain "hyla $*: exit status $status, not $wanted"
  grep -q -e "$line" text || complain "hyla $*: no word of '$line'"
}
refused 2 'no --checkpoint; give a folder with --checkpoint' solve lu.npy --every 1
refused 2 "cannot write nowhere/lu-d-600x600" factor lu.npy --checkpoint nowhere
refused 2 'a time from 0 on' factor lu.npy --checkpoint states --every soon
HYLA_CHECKPOINT_EVERY=-1 refused 2 'HYLA_CHECKPOINT_EVERY is "-1"' solve lu.npy

# A full disk: it is reported, and nothing else goes wrong.
"$hyla" generate random --size 1200 -o large.npy >text 2>&1 || complain 'hyla generate: fails'
(
  ulimit -f 16000
  "$hyla" factor large.npy --checkpoint states --every 0 >text 2>&1
) || complain 'a full disk: it fails'
grep -q 'states could not be kept, and it went on without: cannot write' text ||
  complain 'a full disk: nothing says so'
[ -z "$(ls -A states)" ] || complain "a full disk: left are $(ls -A states)"

# A result beyond the limit is reported like a full disk.
(ulimit -f 16000 && exec "$hyla" convert large.npy -o beyond.npy) >text 2>&1
status=$?
[ $status -eq 2 ] || complain "a result beyond the limit on files: exit status $status"
grep -q '^hyla convert: cannot write beyond.npy: File too large' text ||
  complain 'a result beyond the limit on files: nothing says so'
[ ! -e beyond.npy ] || complain 'a result beyond the limit on files: part of it is there'

# A checkpoint of another matrix is reported and stays.
: >states/lu-d-600x600-0.state
"$hyla" factor lu.npy --checkpoint states >text 2>&1 || complain "another matrix' state: it fails"
grep -q 'no state of this matrix, but 1 of another of its size, which stays' text ||
  complain "another matrix' state: nothing says so"
[ -e states/lu-d-600x600-0.state ] || complain "another matrix' state: it is gone"

exit $((failures > 0))
