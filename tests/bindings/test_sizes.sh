#!/bin/sh
# hyla machine --scalapack writes a table in its time and as its schema says; the drop-in takes and
# passes on calls by such a table, wherever it finds it, as its own report counts them.
# limit: 90
. "$(dirname "$0")/../harness/script.sh"
[ -x examples/unchanged_scalapack ] || skip 'configure found no ScaLAPACK (apt-get install libscalapack-mpich-dev)'
need python3
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
example=$PWD/examples/unchanged_scalapack
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
cd "$work" || exit 1

# sizes P ARGUMENT...: the table of P ranks, in stdout and stderr.
sizes() {
  p=$1
  shift
  what="-n $p hyla machine --scalapack $*"
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$p" "$hyla" machine --scalapack "$@" >stdout 2>stderr </dev/null
  code=$?
}

# Every line has the drop-in's form or is a comment; some case was finished.
sizes 1 --budget 2.5 --type d -o table --progress
[ $code -eq 0 ] || complain "$what: exit status $code: $(cat stderr)"
tr '\r' '\n' <stderr | grep -q -E '^measuring \.\.\. [0-9]+ % in [0-9]+ s, [0-9]+ s to go' ||
  complain "$what: no progress: $(cat stderr)"
grep -q '^written to table' stdout || complain "$what: $(cat stdout)"
grep -q '^mpi [a-z]*$' table || complain "$what: the table does not say for which MPI it is"
[ "$(grep -c -E '^[a-z0-9]+ +d one +[0-3] +(inf|[0-9]+) # 16 [0-9.]+ \([0-9]+\)' table)" -ge 5 ] ||
  complain "$what: $(cat table)"
grep -v -E '^#|^mpi [a-z]*$|^[a-z0-9]+ +d one +[0-3] +(inf|[0-9]+) # ' table >wrong &&
  complain "$what: strange lines: $(cat wrong)"
grep -q 'refused' table && complain "$what: refused: $(grep refused table)"

sizes 2 --budget .5 --json
[ $code -eq 0 ] || complain "$what: exit status $code: $(cat stderr)"
python3 "$source/tests/tools/schema.py" "$source/tools/sizes.schema.json" <stdout >faults ||
  complain "$what: $(head -n 3 faults)"
python3 - stdout <<'PYTHON' || complain "$what: the record is not what was tried"
import json, sys

all = json.load(open(sys.argv[1]))
assert all["ranks"] == 2 and all["budget"] == 0.5, all
assert {c["grid"] for c in all["sizes"]} == {"row", "column"}, all["sizes"]
for case in all["sizes"]:
    assert (case["from"] is not None) == (case["finding"] == "found"), case
    assert (case["finding"] == "not tried") <= (case["tried"] == []), case
    assert case["from"] in [None, 0] + [t["n"] for t in case["tried"]], case
    # A disturbed call of a small matrix does not say that hyla is never faster.
    is_entry = case["routine"] in ("elset", "elget")
    assert case["finding"] != "never" or is_entry or case["tried"][-1]["n"] >= 128, case
PYTHON

for library in nowhere.so libm.so.6; do
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 2 "$hyla" machine --scalapack=$library >stdout 2>stderr </dev/null
  code=$?
  [ $code -eq 2 ] || complain "with $library: exit status $code"
  [ "$(wc -l <stderr)" -eq 1 ] && grep -q "$library" stderr || complain "with $library: $(cat stderr)"
done

# takes WORDS: the drop-in's line of pdgesv, n = 150 on 1 x 2, has these words.
takes() {
  HYLA_LOG=1 timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 2 "$example" 150 >stdout 2>stderr </dev/null ||
    complain "exit status $?: $(cat stderr)"
  grep -q -E "^  pdgesv +$1" stderr || complain "no '$1' with $(cat here): $(cat stderr)"
}
taken='1 +[0-9.]+ +0 +0\.000$'
mpi=$(grep '^mpi ' table)

# here LINE...: the table.
here() { printf '%s\n' "$@" >here; }

HYLA_SCALAPACK_SIZES=here
export HYLA_SCALAPACK_SIZES
here "$mpi" 'gesv d row 0 1'
takes "$taken"
here "$mpi" 'gesv d row 0 1000000'
takes '0 +0\.000 +1 +[0-9.]+  1 small$'
here "$mpi" 'gesv d row 0 inf'
takes '0 +0\.000 +1 +[0-9.]+  1 case$'
here 'mpi telepathy' 'gesv d row 0 1'
takes '0 +0\.000 +1 +[0-9.]+  1 small$'
# Without that variable: beside the machine file.
unset HYLA_SCALAPACK_SIZES
printf 'alpha = 1e-6\nbeta = 1e-10\ngamma = 1e-10\n' >my.machine
HYLA_MACHINE=my.machine
export HYLA_MACHINE
takes '0 +0\.000 +1 +[0-9.]+  1 small$'
here "$mpi" 'gesv d row 0 1'
cp here my.machine.scalapack
takes "$taken"
exit $((failures > 0))
