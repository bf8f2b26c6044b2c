#!/bin/sh
# The command with --reproducible: its files have the same bits on any number of ranks and in any
# layout; requests for which this is impossible are refused, with one message.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
cd "$work" || exit 1

show=text

# on P ARGUMENT...: hyla on P ranks.
on() {
  p=$1
  shift
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$p" "$hyla" "$@" >text 2>&1 </dev/null
}

on 1 generate random --size 301 -o a.npy || complain 'hyla generate: fails'
on 1 generate random --size 301x40 --type d --seed 2 -o b.npy || complain 'hyla generate: fails'
on 1 generate definite --size 150 -o d.npy || complain 'hyla generate: fails'

# same NAME: the files written by one rank and by P ranks are equal.
same() {
  cmp -s "one.$1" "many.$1" || complain "$1: other bits on $p ranks"
}

# run PREFIX P LAYOUT: each command once.
run() {
  set -- "$1" "$2" "${3:-}"
  on "$2" multiply a.npy b.npy --reproducible ${3:+--layout "$3"} -o "$1.c.npy" --force ||
    complain "multiply on $2 ranks: fails"
  on "$2" solve a.npy b.npy --reproducible ${3:+--layout "$3"} -o "$1.x.npy" --force ||
    complain "solve on $2 ranks: fails"
  on "$2" factor a.npy --reproducible --lower "$1.l.npy" --upper "$1.u.npy" \
    --pivots "$1.p.npy" --force || complain "factor on $2 ranks: fails"
  on "$2" factor d.npy --method cholesky --reproducible --lower "$1.k.npy" --force ||
    complain "factor --method cholesky on $2 ranks: fails"
  on "$2" trsm "$1.l.npy" b.npy --diagonal unit --reproducible ${3:+--layout "$3"} \
    -o "$1.t.npy" --force || complain "trsm on $2 ranks: fails"
  on "$2" invert d.npy --method cholesky --reproducible -o "$1.i.npy" --force ||
    complain "invert on $2 ranks: fails"
  on "$2" eig d.npy --reproducible ${3:+--layout "$3"} -o "$1.v.npy" --values "$1.w.npy" --force ||
    complain "eig on $2 ranks: fails"
}

run one 1
grep -q 'variant *fixed' text || complain 'invert does not name its variant'
for p in 2 3 4; do
  layout=
  [ "$p" -eq 4 ] && layout=gray/cyclic:7@4x1
  run many $p $layout
  for name in c x l u p k t i v w; do same $name.npy; done
done

# refused TEXT ARGUMENT...: exit status 2, one line with this text, and no file.
refused() {
  wanted=$1
  shift
  on 2 "$@" -o none.npy
  status=$?
  [ $status -eq 2 ] || complain "hyla $*: exit status $status, not 2"
  [ "$(wc -l <text)" -eq 1 ] || complain "hyla $*: not one line"
  grep -q -e "$wanted" text || complain "hyla $*: no word of '$wanted'"
  [ -e none.npy ] && complain "hyla $*: writes a file"
}

refused '--refine sums residuals' solve a.npy --reproducible --refine fixed
refused 'qr: results that do not depend' solve a.npy --reproducible --method qr
refused 'gauss-jordan: results that' invert a.npy --reproducible --method gauss-jordan
refused 'summa of gemm does not apply' multiply a.npy b.npy --reproducible --variant summa
HYLA_THREADS=2 refused 'give 1 thread' multiply a.npy b.npy --reproducible
HYLA_REPRODUCIBLE=much refused 'HYLA_REPRODUCIBLE is "much"' multiply a.npy b.npy
HYLA_REPRODUCIBLE=1 refused '--refine sums residuals' solve a.npy --refine fixed

exit $((failures > 0))
