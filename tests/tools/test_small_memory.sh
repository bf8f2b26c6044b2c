#!/bin/sh
# The command with a small address space (ulimit -v): it works, or says that memory is missing, with
# status 2; it never runs forever.  MPI may fail before it, in its own way.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
cd "$work" || exit 1
HYLA_TIMEOUT=3
OPENBLAS_NUM_THREADS=2 # each takes 128 MiB
export HYLA_TIMEOUT OPENBLAS_NUM_THREADS

show=text

# A sanitizer needs more addresses than any machine has bytes.
if ! (ulimit -v 8000000 && "$hyla" info) >text 2>&1; then
  echo 'test_small_memory: skipped: ulimit -v stops hyla itself'
  exit 0
fi

printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n5\n' >a.mtx
missing='out of memory: [0-9]* bytes for OpenBLAS. buffers'
for p in 1 2; do
  short=0
  for kilobytes in 200000 250000 300000 350000 400000 2000000; do
    (ulimit -v $kilobytes && exec timeout -k 1 $((20 * patience)) "$MPIEXEC" -n $p "$hyla" solve a.mtx) \
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

# A small file claims a size that no machine can hold, or one that fits once, but not as often as is
# needed: it is refused before memory is taken.  In two seconds a processor cannot clear 8 GB.
claim() {
  printf '%%%%MatrixMarket matrix coordinate real general\n%s %s 1\n1 1 1\n' "$1" "$2" >"$3"
}
claim 1000000000 1000000000 huge.mtx
claim 1000000000 1 column.mtx
claim 1 1000000000 row.mtx
claim 12000 12000 once.mtx
# refused KILOBYTES COMMAND...: with this address space, status 2 and one line.
refused() {
  kilobytes=$1
  shift
  (ulimit -v "$kilobytes" && ulimit -t 2 && exec timeout -k 1 $((20 * patience)) "$@") >text 2>&1 </dev/null
  status=$?
  [ $status -eq 2 ] || complain "$*: exit status $status instead of 2"
  [ "$(grep -c 'out of memory\|use more ranks' text)" -eq 1 ] || complain "$*: not one line that says so"
}
for words in 'solve huge.mtx' 'solve huge.mtx --method cholesky' 'solve huge.mtx --method triangular' \
  'factor huge.mtx' 'factor huge.mtx --method qr' 'invert huge.mtx' 'trsm huge.mtx huge.mtx' \
  'eig huge.mtx' 'eig huge.mtx --no-vectors' 'eig huge.mtx huge.mtx' 'bench eig --size 1e9' \
  'multiply huge.mtx huge.mtx' 'multiply column.mtx row.mtx' 'multiply huge.mtx --as syrk' \
  'transpose huge.mtx' 'turn huge.mtx' 'convert huge.mtx' 'generate random --size 1e9 -o out.npy' \
  'bench lu --size 1e9' 'bench gemm --size 1e9'; do
  # Words.
  # shellcheck disable=SC2086
  refused unlimited "$hyla" $words
done
refused unlimited "$MPIEXEC" -n 2 "$hyla" factor huge.mtx
HYLA_MEMORY=100M refused unlimited "$hyla" solve huge.mtx
# The largest memory of a process, in kB, if the system can tell.
peak() {
  python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}
for words in 'solve once.mtx' 'factor once.mtx' 'invert once.mtx' 'convert once.mtx' 'transpose once.mtx' \
  'multiply once.mtx once.mtx' 'trsm once.mtx once.mtx' 'turn once.mtx' \
  'eig once.mtx' 'eig once.mtx once.mtx'; do
  # shellcheck disable=SC2086
  refused 2000000 "$hyla" $words
  command -v python3 >/dev/null 2>&1 || continue
  # shellcheck disable=SC2086
  most=$(ulimit -v 2000000 && peak "$hyla" $words)
  [ "$most" -lt 200000 ] || complain "$words: takes $most kB before it is refused"
done

exit $((failures > 0))
