#!/bin/sh
# The command with few addresses (ulimit -v): it says that memory is missing, with status 2, or
# works; it never goes on for ever.  MPI may fail before it, in its own way.
# limit: 120
set -u
: "${MPIEXEC:=mpiexec}"
hyla=${HYLA:-$PWD/hyla}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
HYLA_TIMEOUT=3
OPENBLAS_NUM_THREADS=2 # each takes 128 MiB
export HYLA_TIMEOUT OPENBLAS_NUM_THREADS

complain() {
  echo "test_small_memory: $1"
  sed 's/^/  /' text
  failures=$((failures + 1))
}

# A sanitizer needs more addresses than there are bytes.
if ! (ulimit -v 8000000 && "$hyla" info) >text 2>&1; then
  echo 'test_small_memory: skipped: ulimit -v stops hyla itself'
  exit 0
fi

printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n5\n' >a.mtx
missing='out of memory: [0-9]* bytes for OpenBLAS. buffers'
for p in 1 2; do
  short=0
  for kilobytes in 200000 250000 300000 350000 400000 2000000; do
    (ulimit -v $kilobytes && exec timeout -k 1 20 "$MPIEXEC" -n $p "$hyla" solve a.mtx) \
      >text 2>&1 </dev/null
    status=$?
    [ $status -ne 124 ] && [ $status -ne 137 ] || complain "$kilobytes KiB, $p ranks: it does not end"
    if grep -q "$missing" text; then
      short=$((short + 1))
      [ $status -eq 2 ] || complain "$kilobytes KiB, $p ranks: exit status $status"
    fi
  done
  [ $status -eq 0 ] || complain "2000000 KiB, $p ranks: exit status $status"
  [ $short -gt 0 ] || complain "$p ranks: memory was never missing"
done

exit $((failures > 0))
