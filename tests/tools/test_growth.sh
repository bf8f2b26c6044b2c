#!/bin/sh
# The growth of time and memory: benchmarks/growth measures and simulates a little, and its tables
# are right for numbers whose slopes and efficiencies are known.
# limit: 60
. "$(dirname "$0")/../harness/script.sh"
export MPIEXEC
HYLA=${HYLA:-$PWD/hyla}
export HYLA
growth=$(cd "${srcdir:-.}" && pwd)/benchmarks/growth
need jq gnuplot
cd "$work" || exit 1

"$growth" -o results -d '0 2' -r '8 16' -n '20 40' >out 2>err || complain "exit $?: $(cat err)"
machines=$(ls "${growth%growth}machines/"*.machine | wc -l)
[ "$(jq -s length results/simulated.json)" -eq $((6 * 2 * 2 * machines)) ] ||
  complain "$(jq -s length results/simulated.json) simulations"
[ "$(jq -s length results/measured.json)" -eq 12 ] || complain 'not all was measured'
jq -es 'all(.[]; .key[2] > 0 or .fraction > .2) and all(.[]; .seconds > 0 and .memory > 0)' \
  results/simulated.json >/dev/null || complain "figures of no use: $(cat results/simulated.json)"
for picture in time-1 memory-1 weak-cluster strong-cluster rows-cluster; do
  grep -q '</svg>' "results/growth-$picture.svg" || complain "no picture $picture"
done

# Existing results are not computed again.
cp results/simulated.json before
HYLA=false "$growth" -o results -d '0 2' -r '8 16' -n '20 40' >again 2>err ||
  complain "what was there was run again: $(cat err)"
cmp -s before results/simulated.json || complain 'results have changed'

# Time n^3 and memory n^2; efficiency .5 at 100 rows, .9 at 10000, linear in log n.
mkdir known
for n in 10 100 1000; do
  echo "{\"key\": [\"lu\", 1, $n], \"n\": $n, \"seconds\": $n$n$n, \"memory\": 1}" |
    jq -c '.seconds = pow(.n; 3) | .memory = 7 * pow(.n; 2)'
done >known/measured.json
for rows in 100 10000; do
  echo "{\"key\": [\"m\", \"lu\", 2, $rows], \"n\": $((2 * rows)), \"seconds\": 1, \"fraction\": .5}" |
    jq -c 'if .key[3] == 10000 then .fraction = .9 else . end'
done >known/simulated.json
"$growth" -o known -s tables >out 2>err || complain "tables: $(cat err)"
grep -q '^| lu | 1 | 10 | 1000 | 3 | 2 |' out || complain "slopes: $(grep '^| lu' out)"
grep -q '^| lu | 0.5 | < 100 |$' out || complain "efficiency .5: $(grep '^| lu' out)"
grep -q '^| lu | 0.8 | 3162 |$' out || complain "efficiency .8: $(grep '^| lu' out)"
grep -q '^| lu | 0.9 | 10000 |$' out || complain "efficiency .9: $(grep '^| lu' out)"

"$growth" -o results -d 3 >out 2>err && complain 'three dimensions: exit 0'
grep -q '^growth: 3 dimensions' err || complain "message of three dimensions: $(cat err)"
"$growth" -o results qr >out 2>err && complain 'an operation that is not there: exit 0'
grep -q '^growth: no operation qr' err || complain "message of qr: $(cat err)"
[ "$failures" -eq 0 ]
