#!/bin/sh
# The suite of benchmarks: runs a list of problems, keeps its results, plots them; and
# says what is wrong with what it is asked.
# limit: 60
set -u
: "${MPIEXEC:=mpiexec}"
export MPIEXEC
HYLA=$PWD/hyla
export HYLA
suite=$(cd "${srcdir:-.}" && pwd)/benchmarks/suite
for tool in jq gnuplot; do
  command -v "$tool" >/dev/null 2>&1 || {
    echo "test_suite: $tool is not installed"
    exit 77
  }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

complain() {
  echo "test_suite: $1"
  failures=$((failures + 1))
}

cat >problems <<'END'
# small ones
size       2  bench gemm --variant all --repeat 2 --size 5
size       2  bench gemm --variant all --repeat 2 --size 10
type       2  bench gemm --repeat 2 --size 7 --type s
letters    1  bench gemm --repeat 2 --size 3 --type z
cube       0  simulate gemm --variant cannon --size 16 --dims 2
broken     1  bench gemm --size none
END

"$suite" -p problems -o results size cube >out 2>err || complain "exit status $?: $(cat err)"
for group in size cube; do
  grep -q '</svg>' "results/$group.svg" || complain "no picture of group $group"
done
curves=$(jq -rs 'map(.variant) | unique | length' results/size.json)
lines=$(jq -rs 'length' results/size.json)
[ "$curves" -gt 2 ] && [ "$lines" -eq $((2 * curves)) ] ||
  complain "$lines results of $curves variants, two sizes"
grep -q cannon results/size.svg || complain 'a curve without a name'
[ ! -e results/type.json ] || complain 'a group ran that was not asked for'

"$suite" -p problems -o results letters >out 2>err || complain "exit status $?: $(cat err)"
mv results/letters.json results/type.json
"${suite%suite}plot" results type >out 2>err || complain "plot of types: $(cat err)"
grep -q '>double complex<' results/type.svg || complain 'a type of two words is not named'

head -c 300 results/size.json >results/cut.json
for group in cut missing; do
  "${suite%suite}plot" results "$group" >out 2>err && complain "plot of $group results: exit 0"
  [ "$(wc -l <err)" -eq 1 ] && grep -q "^plot: .*results/$group.json" err ||
    complain "message of $group results: $(cat err)"
done

"$suite" -p problems -o results none >out 2>err && complain 'a group that is not there: exit 0'
grep -q 'no group none; there are broken cube letters size type' err || complain "message: $(cat err)"
"$suite" -p problems -o results broken >out 2>err && complain 'a failing problem: exit 0'
grep -q 'failed' err || complain "message: $(cat err)"
"$suite" -p nothing >out 2>err && complain 'no list of problems: exit 0'
[ "$failures" -eq 0 ]
