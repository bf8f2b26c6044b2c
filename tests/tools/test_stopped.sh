#!/bin/sh
# A rank is stopped: a surviving rank says so and the command ends the job, with status 2 within the
# time limit and 2 seconds, whichever rank it is.
# limit: 180
. "$(dirname "$0")/../harness/script.sh"
export hyla="${HYLA:-$PWD/hyla}"
cd "$work" || exit 1
# Open MPI's launcher asks a rank to end and kills it a second later, which is not hyla's time.
HYLA_TIMEOUT=2 OMPI_MCA_odls_base_sigkill_timeout=0
export HYLA_TIMEOUT OMPI_MCA_odls_base_sigkill_timeout

show=text

milliseconds() { date +%s%3N; }

# stop_once P RANK SECONDS ARGUMENT...: hyla on P ranks works without an end; one rank is stopped
# SECONDS after all have started.  If $goes_on is set it continues when another rank has reported it,
# and the job still ends.  never: it stops while MPI begins, and the status is the launcher's.
# `took' becomes the milliseconds from the signal, or from the start, to the job's end.
stop_once() {
  p=$1
  rank=$2
  seconds=$3
  shift 3
  stopped=
  [ "$seconds" != never ] || stopped=$rank
  rm -f pid.*
  # shellcheck disable=SC2016
  timeout -k 1 $((20 * patience)) "$MPIEXEC" -n "$p" sh -c 'echo $$ >pid.${PMI_RANK:-${PMIX_RANK:-$OMPI_COMM_WORLD_RANK}}
    [ "${PMI_RANK:-${PMIX_RANK:-$OMPI_COMM_WORLD_RANK}}" != "$1" ] || kill -STOP $$
    shift; exec "$hyla" "$@"' hyla "$stopped" "$@" >text 2>&1 </dev/null &
  job=$!
  while [ "$(cat pid.* 2>/dev/null | wc -l)" -lt "$p" ]; do sleep 0.1; done
  if [ "$seconds" != never ]; then
    sleep "$seconds"
    kill -STOP "$(cat "pid.$rank")" || complain "$what: it is not there"
  fi
  begin=$(milliseconds)
  if [ -n "$goes_on" ]; then
    while ! grep -q '^hyla' text && [ $(($(milliseconds) - begin)) -lt 4000 ]; do sleep 0.1; done
    kill -CONT "$(cat "pid.$rank")" 2>/dev/null
  fi
  wait $job
  status=$?
  took=$(($(milliseconds) - begin))
  [ $status -eq 2 ] || { [ "$seconds" = never ] && [ $status -ne 0 ]; } ||
    complain "$what: exit status $status"
  grep -q -e "^hyla $1: .* waited 2 s for rank [0-9]* .*; is that rank still running?" \
    -e '^hyla: rank [0-9]* waited 2 s in MPI_Init for the others; are all of them running?' text ||
    complain "$what: nobody says so"
  [ "$(grep -c '^hyla' text)" -le 1 ] || complain "$what: more than one says so"
}

# stop P RANK SECONDS ARGUMENT...: the same, in time.  On a busy machine the launcher may be late to
# end its job, so there are three tries.
stop() {
  what="rank $2 of $1 stopped in hyla after $3 s:$(shift 3; echo " $*")"
  for try in 1 2 3; do
    stop_once "$@"
    [ $took -gt 4000 ] || return 0
  done
  complain "$what: the job ended after $took ms, in try $try"
}

# Two at a time, each in its own folder: most of the time they wait.
mkdir a b
(
  cd a || exit 1
  goes_on=
  stop 2 1 1.5 bench gemm --size 300 --repeat 1000000
  stop 2 0 1.5 bench gemm --size 300 --repeat 1000000
  stop 4 0 1.5 bench lu --size 200 --repeat 1000000
  stop 2 0 never info
  exit $((failures > 0))
) &
first=$!
(
  cd b || exit 1
  goes_on=
  stop 3 2 never info
  stop 2 1 1.5 bench eig --size 200 --repeat 1000000
  stop 3 1 1.5 bench eig --size 200 --no-vectors --variant band --repeat 1000000
  stop 5 4 1.5 bench collective --name allgather --variant b91 --repeat 1000000
  goes_on=yes
  stop 2 0 1.5 bench gemm --size 300 --repeat 1000000
  exit $((failures > 0))
) &
status=0
wait $! || status=1
wait $first || status=1
exit $status
