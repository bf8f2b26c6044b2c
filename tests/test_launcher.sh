#!/bin/sh
# The command under another MPI's launcher: status 2, the right launcher's name, and nothing
# written.  A program of one's own, in which node 0 speaks, says the same.
# limit: 60
set -u
: "${MPIEXEC:=mpiexec}"
hyla=${HYLA:-$PWD/hyla} examples=$PWD/examples
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

complain() {
  echo "test_launcher: $1"
  sed 's/^/  /' text
  failures=$((failures + 1))
}

printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n5\n' >a.mtx

# start STATUS COMMAND...: hyla solve, so started, ends with this status.
start() {
  want=$1
  shift
  rm -f x.npy
  timeout 30 "$@" "$hyla" solve a.mtx -o x.npy >text 2>&1 </dev/null
  status=$?
  [ $status -eq "$want" ] || complain "$*: exit status $status instead of $want"
  [ "$want" -eq 2 ] || return
  [ ! -e x.npy ] || complain "$*: x.npy is written"
  grep -q '^hyla solve: the cube cannot be made: .* start them with .*mpiexec' text ||
    complain "$*: the launcher is not named"
}

# What the other kind of launcher sets.
"$hyla" info >text 2>&1
other=mpiexec.openmpi
foreign=OMPI_COMM_WORLD_SIZE
if grep -q 'Open MPI' text; then
  other=mpiexec.mpich
  foreign=PMI_SIZE
fi

start 2 env OMPI_COMM_WORLD_SIZE=4
start 2 env PMI_SIZE=4
# A single process of Open MPI starts a PMIx of its own, which overwrites this.
[ $foreign = PMI_SIZE ] || start 2 env PMIX_RANK=1
start 2 env SLURM_NTASKS=4 SLURM_STEP_ID=0
start 0 env SLURM_NTASKS=4
start 0 "$MPIEXEC" -n 1 env $foreign=4
start 0 "$MPIEXEC" -n 2 env $foreign=4

for example in first_solve capacitance collectives; do
  env $foreign=4 timeout 30 "$examples/$example" >text 2>&1 </dev/null && complain "$example: works"
  grep -q "^$example: .* start them with .*mpiexec" text || complain "$example: names no launcher"
done

# The real one of the other kind, where there is one.
if command -v $other >/dev/null; then
  start 2 $other -n 3
fi

exit $((failures > 0))
