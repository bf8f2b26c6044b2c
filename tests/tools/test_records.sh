#!/bin/sh
# Records of bench: each fits the schema, says when and where it was made, and has the time of every
# run; several sizes in one call; HPL's table.
# limit: 200
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
schema=$source/tools/bench.schema.json

# bench CODE P ARGUMENT...: on P ranks, one without the launcher, with this exit code, into stdout and stderr.
bench() {
  code=$1 p=$2
  shift 2
  what="-n $p hyla bench $*"
  if [ "$p" -eq 1 ]; then launcher=; else launcher="$MPIEXEC -n $p"; fi
  # shellcheck disable=SC2086
  timeout -k 5 $((60 * patience)) $launcher "$hyla" bench "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
  status=$?
  [ $status -eq "$code" ] || complain "$what: exit status $status: $(cat "$work/stderr")"
}

# lines PATTERN COUNT: COUNT lines of the last run match.
lines() {
  count=$(grep -c -e "$1" "$work/stdout")
  [ "$count" -eq "$2" ] || complain "$what: $count lines have $1, not $2"
}

need python3

p=1
for problem in 'gemm --size 20x30x40 --variant all' 'lu --size 40x30' 'solve --size 30,1e1 --nrhs 2' \
  'solve --size 30 --method cholesky --type z' 'convert --size 30 --to gray/cyclic' \
  'transpose --size 20 --type s' 'trsm --size 30x3' 'invert --size 20' \
  'collective --name allreduce --variant all' 'collective --name broadcast --words 10'; do
  p=$((3 - p)) # in turn on two ranks and on one
  # shellcheck disable=SC2086
  bench 0 $p $problem --repeat 3 --json
  python3 "$source/tests/tools/schema.py" "$schema" <"$work/stdout" >"$work/faults" ||
    complain "$what: $(head -n 3 "$work/faults")"
  lines '"context":{"date":"20' "$(wc -l <"$work/stdout")"
  lines '"seconds":\[[^],]*,[^],]*,[^],]*\]' "$(grep -c '"seconds_median"' "$work/stdout")"
done
# The schema really refuses: a record without its context, and a word in place of a number.
for change in 's/"context"/"text"/' 's/"repeat":3/"repeat":"3"/' 's/"num_cpus":[0-9]*/"num_cpus":0/'; do
  sed -e "$change" "$work/stdout" | python3 "$source/tests/tools/schema.py" "$schema" >/dev/null &&
    complain "the schema lets $change pass"
done

# The median, the least and the most are those of the single runs.
bench 0 2 gemm --size 50 --repeat 4 --json
python3 - "$work/stdout" <<'PYTHON' || complain "$what: the figures are not those of the runs"
import json, statistics, sys

one = json.load(open(sys.argv[1]))
each = one["seconds"]
assert len(each) == one["repeat"] == 4, one
assert one["seconds_min"] == min(each) and one["seconds_max"] == max(each), one
assert abs(one["seconds_median"] - statistics.median(each)) < 1e-12, one
assert one["context"]["executable"] == "hyla bench" and one["context"]["ranks"] == 2, one
PYTHON

# Sizes: a list, a range, both, exponents.
bench 0 2 gemm --size 10,20x5x7,3e1 --repeat 1 --json
lines '"m":20,"n":5,"k":7' 1
lines '"m":30,"n":30,"k":30' 1
lines '"op":"gemm"' 3
bench 0 1 syrk --size 10:30:10,40x3 --repeat 1 --json
lines '"n":20,' 1
lines '"op":"syrk"' 4
bench 0 1 gemm --size 10:25:10 --repeat 1
lines '^gemm ' 2
for size in 30:10:10 1: 10,,20 10, ,10 1.5 0 -3 0x10 1e99 x 10x 1:2 1:2:3:4 1x2x3x4 1:100000:1 10,ten; do
  bench 2 1 gemm --size="$size"
  grep -q -F -e "--size is \`$size'; give numbers from 1" "$work/stderr" ||
    complain "$what: $(cat "$work/stderr")"
done
"$hyla" simulate gemm --size 10,20 --dry >/dev/null 2>"$work/stderr" && complain 'simulate takes two sizes'
grep -q -F -e "--size is \`10,20'; give numbers from 1 joined by x, as in 16x16" "$work/stderr" ||
  complain "simulate --size 10,20: $(cat "$work/stderr")"

# On virtual cubes the choice is the fastest variant, and its time is predicted exactly.
if command -v jq >/dev/null 2>&1; then
  PATH=${hyla%/hyla}:$PATH timeout -k 5 $((100 * patience)) "$source/benchmarks/choices" 3 10 >"$work/stdout" 2>"$work/stderr" ||
    complain "choices: $(cat "$work/stderr")"
  what=choices
  lines '| 1 | 1 |$' 54
  PATH=${hyla%/hyla}:$PATH timeout -k 5 $((100 * patience)) "$source/benchmarks/choices" -o '' 3/16/hypercube 2/30/hypercube,cluster,node \
    >"$work/stdout" 2>"$work/stderr" || complain "choices -o: $(cat "$work/stderr")"
  what='choices -o'
  lines '^| [a-z]* | 3 | 16 | [0-9]* | 1 | 1 |  |  |  |  | 1 |$' 7
  lines '^| [a-z]* | 2 | 30 | [0-9]* | 1 | 1 | 1 | 1 | 1 | 1 | 1 |$' 7
  # The second time it uses the kept results.
  for try in 1 2; do
    PATH=${hyla%/hyla}:$PATH timeout -k 5 $((100 * patience)) "$source/benchmarks/choices" -r -k "$work/kept" -o gemm 4/40/hypercube,node \
      >"$work/stdout" 2>"$work/stderr" || complain "choices -r -k: $(cat "$work/stderr")"
    what="choices -r -k, time $try"
    lines '^| gemm | 4 | 40 | [0-9]* | 1 | 1 |  |  | 1 | 1 | 1 |$' 1
  done
  [ "$(find "$work/kept" -type f | wc -l)" -eq 4 ] || complain "$what: $(ls "$work/kept")"
fi

# HPL's table: one head, two lines a system; its count of operations.
bench 0 2 solve --size 30:50:10 --repeat 2
lines '^T/V  *N  *NB  *P  *Q  *Time  *Gflops$' 1
lines '^=====' 1
lines 'PASSED$' 3
lines '^||Ax-b||_oo/(eps\*(||A||_oo\*||x||_oo+||b||_oo)\*N)= ' 3
awk '/^[*] / { n = $3; flops = 2 / 3 * n ^ 3 + 3 / 2 * n ^ 2; error = $7 * $8 * 1e9 / flops - 1; rows++
  if (error > 1e-3 || error < -1e-3 || $5 * $6 != 2) exit 1 } END { exit rows != 3 }' "$work/stdout" ||
  complain "$what: the speed is not that of the time: $(cat "$work/stdout")"
bench 0 1 solve --size 40 --method qr --repeat 1
lines 'PASSED$' 1
bench 2 1 solve --size 40x30
grep -q -F 'solve needs --size N' "$work/stderr" || complain "$what: $(cat "$work/stderr")"

exit $((failures > 0))
