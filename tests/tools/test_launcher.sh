#!/bin/sh
# The command under another MPI's launcher: status 2, the right launcher's name, and no output.  A
# user's program, in which node 0 prints, reports the same.
# limit: 60
. "$(dirname "$0")/../harness/script.sh"
hyla=${HYLA:-$PWD/hyla} examples=$PWD/examples
cd "$work" || exit 1

show=text

printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n5\n' >a.mtx

# start STATUS COMMAND...: hyla solve, started by this command, ends with this status.
start() {
  want=$1
  shift
  rm -f x.npy
  timeout $((30 * patience)) "$@" "$hyla" solve a.mtx -o x.npy >text 2>&1 </dev/null
  status=$?
  [ $status -eq "$want" ] || complain "$*: exit status $status instead of $want"
  [ "$want" -eq 2 ] || return
  [ ! -e x.npy ] || complain "$*: x.npy is written"
  grep -q '^hyla solve: the cube cannot be made: .* start them with .*mpiexec' text ||
    complain "$*: the launcher is not named"
}

# The variables that the other kind of launcher sets.
"$hyla" info >text 2>&1
other=mpiexec.openmpi
foreign=OMPI_COMM_WORLD_SIZE
if grep -q 'Open MPI' text; then
  other=mpiexec.mpich
  foreign=PMI_SIZE
fi

start 2 env OMPI_COMM_WORLD_SIZE=4
start 2 env PMI_SIZE=4
# A single process of Open MPI starts its own PMIx, which overwrites this.
[ $foreign = PMI_SIZE ] || start 2 env PMIX_RANK=1
start 2 env SLURM_NTASKS=4 SLURM_STEP_ID=0
start 0 env SLURM_NTASKS=4
start 0 "$MPIEXEC" -n 1 env $foreign=4
start 0 "$MPIEXEC" -n 2 env $foreign=4

for example in first_solve capacitance collectives; do
  env $foreign=4 timeout $((30 * patience)) "$examples/$example" >text 2>&1 </dev/null && complain "$example: works"
  grep -q "^$example: .* start them with .*mpiexec" text || complain "$example: names no launcher"
done

# The real launcher of the other kind, if it is installed.
if command -v $other >/dev/null; then
  start 2 $other -n 3
fi

# Ranks with different command lines: all end at once with one line, and nothing is written or
# printed.  Otherwise one rank would refuse its words, or print and end, and the others would wait.
apart() {
  rm -f x.npy
  HYLA_TIMEOUT=20 timeout 10 "$MPIEXEC" "$@" >out 2>text </dev/null
  status=$?
  [ $status -eq 2 ] || complain "$*: exit status $status instead of 2"
  [ "$(grep -c '^hyla: started with .*; give all ranks the same words (rank [1-9])$' text)" -eq 1 ] ||
    complain "$*: not one line that says so"
  [ ! -s out ] || complain "$*: there is something on standard output"
  [ ! -e x.npy ] || complain "$*: x.npy is written"
}
solve="$hyla solve a.mtx -o x.npy"
for odd in "$solve --nosuch" "$solve --help" "$hyla nosuch" "$hyla --version" "$hyla help solve" "$hyla" \
  "$hyla solve b.mtx -o x.npy" "$hyla completion bash" "$hyla help plot"; do
  # Options and names are words.
  # shellcheck disable=SC2086
  apart -n 1 $solve : -n 1 $odd
done
# shellcheck disable=SC2086
apart -n 1 $solve --usage : -n 2 $solve
grep -q -F "started with \`hyla solve a.mtx -o x.npy', but rank 0 with \`hyla solve a.mtx -o x.npy --usage'" text ||
  complain 'the words are not told'
# The examples that check their words themselves.
together() {
  name=$1
  shift
  HYLA_TIMEOUT=20 timeout 10 "$MPIEXEC" "$@" >out 2>text </dev/null
  status=$?
  [ $status -eq 2 ] || complain "$*: exit status $status instead of 2"
  [ "$(grep -c "^$name: started with .*; give all ranks the same words (rank 1)\$" text)" -eq 1 ] ||
    complain "$*: not one line that says so"
  [ ! -s out ] || complain "$*: there is something on standard output"
}
plate="$examples/capacitance plate 4"
for odd in "$examples/capacitance sphere" "$examples/capacitance" "$plate prefix more" "$examples/capacitance plate 5"; do
  # shellcheck disable=SC2086
  together capacitance -n 1 $plate : -n 1 $odd
done
together layout -n 1 "$examples/layout" : -n 1 "$examples/layout" nosuch
together layout -n 1 "$examples/layout" 'col=code=binary' : -n 1 "$examples/layout"

"$MPIEXEC" -n 2 "$hyla" plot a.json >text 2>&1 </dev/null && complain 'plot runs on two ranks'
grep -q '^hyla: plot needs no ranks; run it without mpiexec$' text || complain 'plot on two ranks: not refused'

exit $((failures > 0))
