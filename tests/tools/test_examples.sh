#!/bin/sh
# The examples: they run, and the capacitances converge to the published values.  On a sample of the
# numbers of ranks, unless HYLA_TEST_FULL is set.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
here=$PWD
cd "$work" || exit 1
full=${HYLA_TEST_FULL:-}

# run P PROGRAM ARGUMENT...: to the file stdout.
run() {
  p=$1
  program=$2
  shift 2
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$p" "$here/$program" "$@" >stdout </dev/null ||
    complain "$program on $p ranks: exit status $?"
}

for p in 1 ${full:+4} 5; do
  run $p examples/first_solve
  grep -q 'residual 0\.' stdout || complain "first_solve on $p ranks: no residual below 1"
done

# One of each, compared with MPI's.
for p in 1 ${full:+2} 4 ${full:+8 16}; do
  run $p examples/collectives
  [ "$(grep -c ' as MPI$' stdout)" -eq 20 ] || complain "collectives on $p ranks: $(cat stdout)"
done

# Known answers, from rank 0's arrays and back; sizes that no block divides; a spare rank.
for p in 1 ${full:+2} 3 ${full:+4}; do
  for n in 3 101; do
    run $p examples/factor_once $n
    [ "$(grep -c 'error below 1e-9, reliable$' stdout)" -eq 3 ] ||
      complain "factor_once $n on $p ranks: $(cat stdout)"
  done
done

# Grids of all shapes; block and size that do not divide; ranks outside the grid.
for p in 1 ${full:+2 4} 5 ${full:+8}; do
  run $p examples/from_scalapack 101 8
  grep -q 'n = 101 on a [124] x [124] grid, blocks of 8: largest error [0-9.]*e-1' stdout ||
    complain "from_scalapack on $p ranks: $(cat stdout)"
done
run 2 examples/from_scalapack 100 200

# Blocks of 2 dealt out over 2 x 2 nodes; neighbouring columns on neighbouring nodes.
run 4 examples/layout binary/cyclic:2
awk 'NR > 1 { for (j = 0; j < 8; j++)
  if ($(j + 1) != 2 * (int((NR - 2) / 2) % 2) + int(j / 2) % 2) bad = 1 }
  END { exit NR != 9 || bad }' stdout || complain "layout: not binary/cyclic:2"
run 8 examples/layout gray/consecutive@1x8
[ "$(grep -c '^  0  1  3  2  6  7  5  4$' stdout)" -eq 8 ] || complain "layout: not Gray"

# A picture that is turned once, and four times.
for p in 1 ${full:+2 4 8} 3; do
  run $p examples/turn
  [ "$(tr -d '\n' <stdout)" = '+----+|hyla>+----++>+-a--l--y--h-+|++----+|hyla>+----+' ] ||
    complain "turn on $p ranks: $(cat stdout)"
done

# Borders of neighbours; two ranks and a spare rank hold no part.
for p in ${full:+8} 9; do
  run $p examples/halo
  grep -q '^2 x 3 mesh on 8 ranks, neighbours 1 link apart: 0 numbers wrong$' stdout ||
    complain "halo on $p ranks: $(cat stdout)"
done

for variant in cannon summa; do
  run 4 examples/first_multiply $variant
  grep -q "variant $variant, because it was asked for" stdout || complain "first_multiply: no $variant"
  grep -q '^dimension 1: ' stdout || complain "first_multiply: no ledger"
done
timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 3 "$here/examples/first_multiply" strassen >stdout 2>stderr
[ $? -eq 1 ] || complain "first_multiply strassen: exit status is not 1"
grep -q "no variant 'strassen'" stderr || complain "first_multiply strassen: no reason"

# Each table's differences shrink by 2 or more from line to line, the last one is below 2e-4, and
# every residual is below 1.
run 4 examples/capacitance
cat stdout
awk '
  / published / { tables++; last = 0; next }
  $1 + 0 > 0 {
    d = $4 < 0 ? -$4 : $4
    if (last && d > last / 2) { print "the difference does not shrink: " $0; bad = 1 }
    if ($5 >= 1) { print "the residual is not below 1: " $0; bad = 1 }
    last = d; lines++; end[tables] = d
  }
  END {
    for (t = 1; t <= tables; t++) if (end[t] > 2e-4) { print "table " t " ends at " end[t]; bad = 1 }
    if (tables != 2 || lines != 8) { print tables " tables, " lines " lines"; bad = 1 }
    exit bad
  }' stdout || complain "capacitance does not converge"

# The command solves the system of the example: the charges add up to the capacitance.
run 2 examples/capacitance plate 8 plate
value=$(awk '$1 == 8 { print $3 }' stdout)
timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 3 "${HYLA:-$here/hyla}" solve plate-A.mtx plate-b.mtx -o q.mtx >stdout ||
  complain "hyla solve on the plate: exit status $?"
awk -v value="$value" '/^%/ || size++ < 1 { next } { sum += $1 }
  END { d = sum - value; exit !(d < 1e-7 && d > -1e-7) }' q.mtx ||
  complain "the charges do not add up to $value"

timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 2 "$here/examples/capacitance" sphere >stdout 2>&1
[ $? -eq 2 ] || complain "capacitance sphere: exit status is not 2"

exit $((failures > 0))
