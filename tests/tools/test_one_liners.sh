#!/bin/sh
# One-liners: files converted from any format to any other and back without a changed bit, standard
# input and output in pipes, and the commands that answer one question about a matrix.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
cd "$work" || exit 1
mkdir spool
TMPDIR=$work/spool
export TMPDIR

# run P ARGUMENT...: hyla on P ranks.
run() {
  p=$1
  shift
  if [ "$p" -eq 1 ]; then timeout $((60 * patience)) "$hyla" "$@"; else timeout $((60 * patience)) "$MPIEXEC" -n "$p" "$hyla" "$@"; fi
}

# says TEXT P ARGUMENT...: the command succeeds and prints a line with this text.
says() {
  text=$1
  shift
  run "$@" >out 2>err </dev/null || complain "$*: exit status $?: $(cat err)"
  grep -q -F -e "$text" out || complain "$*: '$text' is not in: $(cat out)"
}

# refused TEXT ARGUMENT...: exit status 2, one line on standard error, nothing else.
refused() {
  text=$1
  shift
  run 1 "$@" >out 2>err </dev/null
  status=$?
  [ $status -eq 2 ] || complain "$*: exit status $status"
  { [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ]; } || complain "$*: printed $(cat out err)"
  grep -q -F -e "$text" err || complain "$*: '$text' is not in: $(cat err)"
}

run 1 generate random --size 23x5 -o a.npy >out || complain "generate: $(cat out)"
run 1 generate random --size 6 --type z -o z.npy >out || complain "generate: $(cat out)"

# From any format to any, in a circle, real and complex.
for name in a z; do
  before=$name.npy
  for ending in csv mtx txt tsv npy; do
    run 1 convert $before -o ${name}2.$ending >out 2>err || complain "$before to $ending: $(cat err)"
    before=${name}2.$ending
  done
  cmp -s $name.npy ${name}2.npy || complain "$name has changed on its way through the formats"
done
says '23 x 5' 3 convert a2.tsv -o a3.npy --delimiter tab
cmp -s a.npy a3.npy || complain 'three ranks read the table otherwise'
[ "$(head -n 1 a2.csv | tr -cd , | wc -c)" -eq 4 ] || complain 'the .csv has no commas'
run 1 convert a.npy -o bars.csv --delimiter '|' >out || complain 'a delimiter was refused'
grep -q '|' bars.csv || complain 'the delimiter was not taken'
{ echo 'v w x y z'; cat a2.txt; } >named.txt
says '23 x 5' 1 convert named.txt
refused "the option delimiter is \"e\"" convert a.npy --delimiter e

# Pipes.  The report goes to standard error, the matrix alone to standard output.
for p in 1 3; do
  for ending in '' .npy .csv .tsv .txt; do
    run $p convert a.npy -o "-$ending" 2>err >piped || complain "-$ending: $(cat err)"
    grep -q '^convert' err || complain "-$ending: no report on standard error"
    run $p convert - -o a4.npy <piped >out 2>err || complain "read -$ending: $(cat err)"
    cmp -s a.npy a4.npy || complain "a has changed on its way through a pipe as -$ending"
    rm -f a4.npy
  done
  run $p generate minij --size 8 -o - 2>err | run $p solve - -o -.csv >x.csv 2>err2 ||
    complain "a pipe of two commands: $(cat err err2)"
  [ "$(awk '$1 > 0.999 && $1 < 1.001' x.csv | wc -l)" -eq 8 ] || complain "wrong answer: $(cat x.csv)"
done
gzip -c a2.mtx | run 1 convert - -o a5.npy >out 2>err || complain "a gzipped pipe: $(cat err)"
{ echo 'p,q'; echo '1,2'; } | run 1 info - >out 2>err || complain "names in a pipe: $(cat err)"
grep -q '1 x 2' out || complain "names in a pipe: $(cat out)"
refused 'give - once' solve - -
refused 'standard input is empty; expected' info -
refused 'only --output may be standard output' factor z.npy --lower -.npy
refused 'read but not written' solve z.npy -o x.npz:x
run 1 convert a.npy -o - >/dev/full 2>err && complain 'a full disk was not noticed'
grep -q 'No space left' err || complain "a full disk: $(cat err)"
[ -z "$(ls -A spool)" ] || complain "left in TMPDIR: $(ls -A spool)"

# One question, one line.
printf '3 0\n4 -2\n' >s.txt
printf '1 2\n2 4\n' >singular.txt
printf '2 1\n1 2\n' >h.txt
printf '1 nan\n' >bad.txt
for p in 1 3; do
  says 'det       s.txt: -6; sign -1, log of the magnitude 1.79175946922805' $p det s.txt
  says 'cond      s.txt: 7 or more' $p cond s.txt
  says 'norm      s.txt: 1 7, inf 6, fro 5.3851648071345' $p norm s.txt
done
says '"determinant":0' 1 det singular.txt --json
says 'infinite' 1 cond singular.txt
says '"condition":null' 1 cond singular.txt --json
says '"fro":5.38516' 1 norm s.txt --json
says '2 x 2 double, symmetric, finite' 1 info h.txt
says '2 x 2 double, not symmetric, finite, lower triangular' 3 info s.txt
says '1 x 2 double, not square, with NaN or infinite entries' 1 info bad.txt
says '"finite":false' 1 info bad.txt --json
says 'double complex, not Hermitian' 1 info z.npy
refused 'a.npy is 23 x 5; give a square matrix' det a.npy
refused 'give a square matrix' cond a.npy
refused 'cannot read none.npy' norm none.npy

# A matrix drawn: the diagonal of blocks is the largest.
awk 'BEGIN { for (i = 1; i <= 60; i++) for (j = 1; j <= 60; j++)
  printf "%s%s", (i == j ? 1000 : (i > j ? .5 : 0)), (j < 60 ? "," : "\n") }' >d.csv
for p in 1 3; do
  says 'plot      d.csv, 60 x 60 double, the largest magnitude 1e+03' $p plot d.csv -o d$p.svg
  [ "$(wc -L <out)" -le 80 ] || complain 'a drawing is wider than 80 columns'
  [ "$(grep -c '^|' out)" -eq 30 ] || complain "a drawing of $(grep -c '^|' out) lines"
  grep '^|' out | awk '{ if (substr($0, 2 * NR, 2) != "@@") bad = 1 } END { exit bad }' ||
    complain 'the diagonal is not the largest'
  grep '^|' out | tail -n 1 | grep -q '^|[*]*@@|$' || complain 'the lower triangle is no power of ten'
done
cmp -s d1.svg d3.svg || complain 'the picture depends on the ranks'
[ "$(grep -c '<rect' d1.svg)" -ge 1800 ] || complain 'a picture without blocks'
says '"largest":1000' 1 plot d.csv --json
refused 'must end in .svg' plot d.csv -o d.png
refused 'cannot read none.npy' plot none.npy

[ $failures -eq 0 ] && echo 'test_one_liners: all passed'
[ $failures -eq 0 ]
