#!/bin/sh
# A rank that is stopped: a surviving rank says so and the command ends the job, with
# status 2 within the time limit and 2 seconds, whichever rank it is.
# limit: 90
set -u
: "${MPIEXEC:=mpiexec}"
export hyla="$PWD/hyla"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
HYLA_TIMEOUT=2
export HYLA_TIMEOUT

complain() {
  echo "test_stopped: $1"
  sed 's/^/  /' text
  failures=$((failures + 1))
}

milliseconds() { date +%s%3N; }

# stop P RANK ARGUMENT...: hyla on P ranks works without an end; one rank is stopped.
stop() {
  p=$1
  rank=$2
  shift 2
  what="rank $rank of $p stopped in hyla $*"
  rm -f pid.*
  # shellcheck disable=SC2016
  timeout -k 1 20 "$MPIEXEC" -n "$p" sh -c 'echo $$ >pid.${PMI_RANK:-${PMIX_RANK:-$OMPI_COMM_WORLD_RANK}}
    exec "$hyla" "$@"' hyla "$@" >text 2>&1 </dev/null &
  job=$!
  while [ "$(cat pid.* 2>/dev/null | wc -l)" -lt "$p" ]; do sleep 0.1; done
  sleep 1.5
  kill -STOP "$(cat "pid.$rank")" || complain "$what: it is not there"
  begin=$(milliseconds)
  wait $job
  status=$?
  took=$(($(milliseconds) - begin))
  [ $status -eq 2 ] || complain "$what: exit status $status"
  [ $took -le 4000 ] || complain "$what: the job ended after $took ms"
  grep -q "^hyla $1: .* waited 2 s for rank [0-9]* .*; is that rank still running?" text ||
    complain "$what: nobody says so"
}

stop 2 1 bench gemm --size 300 --repeat 1000000
stop 2 0 bench gemm --size 300 --repeat 1000000
stop 4 0 bench lu --size 200 --repeat 1000000
stop 5 4 bench collective --name allgather --variant b91 --repeat 1000000

exit $((failures > 0))
