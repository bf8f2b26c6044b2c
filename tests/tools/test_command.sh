#!/bin/sh
# The command `hyla` from its users' side: exit codes, messages, files, JSON, at one and at many
# ranks, also with spare ranks (3, 5).  Starting ranks takes nearly all of the time: most cases run
# on one rank, and a sample on more, unless HYLA_TEST_FULL is set.
# limit: 300
. "$(dirname "$0")/../harness/script.sh"
json=$PWD/tests/tools/json
# The methods of the list, as words and as they appear in a message.
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
methods=$(sed -n 's/^ *METHOD([A-Z_]*, "\([a-z-]*\)".*/\1/p' "$source/include/hyla_methods.h")
names=$(echo $methods | sed 's/ /, /g')
full=${HYLA_TEST_FULL:-}
# Numbers of ranks. `ranks': for results that must be the same everywhere; `odd' and `even': the
# same, in turn, with three ranks (in full also five), one of them spare, and with four (in full
# also two and eight); `some': for work that some ranks do like others; `alone': for calls that are
# refused before ranks matter.
ranks='1 3 4' odd='1 3' even='1 4' some=1 alone=1
[ -n "$full" ] && ranks='1 2 3 4 5 8' odd='1 3 5' even='1 2 4 8' some=4 alone='1 4'
ranks=${HYLA_TEST_RANKS:-$ranks}
[ -n "${HYLA_TEST_RANKS:-}" ] && odd=$ranks even=$ranks
turn=0
cd "$work" || exit 1
checks=0

show=stderr

# few P: true on one rank always, on more every eighth time; in full two of five times, by which
# each number of ranks has its turn in a loop over any of the lists.
few() {
  turn=$((turn + 1))
  [ "$1" -eq 1 ] && return 0
  [ -n "$full" ] || return $((turn % 8 > 0))
  case $((turn % 5)) in 0 | 2) return 0 ;; esac
  return 1
}

# more P: true on one rank always, on more in full alone: for what follows the first runs of a kind.
more() {
  [ "$1" -eq 1 ] || [ -n "$full" ]
}

# expect CODE P ARGUMENT...: hyla on P ranks, one without the launcher, ends with this exit code.
expect() {
  code=$1
  p=$2
  shift 2
  what="-n $p hyla $*"
  checks=$((checks + 1))
  if [ "$p" -eq 1 ]; then
    timeout -k 5 $((60 * patience)) "$hyla" "$@" >stdout 2>stderr </dev/null
  else
    timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$p" "$hyla" "$@" >stdout 2>stderr </dev/null
  fi
  status=$?
  [ $status -eq "$code" ] || complain "$what: exit status $status instead of $code"
}

# refused CODE TEXT P ARGUMENT...: the same, with one line on standard error that holds
# TEXT, nothing on standard output, and no file written.
refused() {
  code=$1
  text=$2
  shift 2
  rm -f out.mtx
  expect "$code" "$@"
  [ "$(wc -l <stderr)" -eq 1 ] || complain "$what: not one line of message"
  grep -q -F -e "$text" stderr || complain "$what: the message does not say '$text'"
  [ -s stdout ] && complain "$what: there is something on standard output"
  [ -z "$(find . -name 'out.mtx*')" ] || complain "$what: a file was written"
}

# wrong TEXT P ARGUMENT...: the command line is refused: exit status 2, nothing on standard output,
# a line that holds TEXT and one that mentions --help.
wrong() {
  text=$1
  shift
  expect 2 "$@"
  [ "$(wc -l <stderr)" -eq 2 ] || complain "$what: not two lines of message"
  grep -q -F -e "$text" stderr || complain "$what: the message does not say '$text'"
  [ -s stdout ] && complain "$what: there is something on standard output"
}

# says TEXT...: the last run printed each text on standard output.
says() {
  for text; do
    grep -q -F -e "$text" stdout || complain "$what: '$text' is not printed"
  done
}

# value KEY: its value in the JSON object that the last run printed.
value() {
  "$json" "$1" <stdout || complain "$what: no JSON"
}

# is KEY VALUE: the last run's JSON has this value.
is() {
  found=$(value "$1")
  [ "$found" = "$2" ] || complain "$what: $1 is $found instead of $2"
}

# below KEY LIMIT: a number in the last run's JSON.
below() {
  found=$(value "$1")
  awk -v x="$found" -v limit="$2" 'BEGIN { exit !(x + 0 == x && x >= 0 && x < limit) }' ||
    complain "$what: $1 is $found, not below $2"
}

# near FILE FILE: two Matrix Market arrays agree up to rounding.
near() {
  awk 'FNR == 1 { file++ } /^%/ { next }
    file == 1 { a[++n] = $1; next }
    { d = $1 - a[++m]; if (d < 0) d = -d; s = a[m] < 0 ? -a[m] : a[m]
      if (d > 1e-10 * (1 + s)) bad++ }
    END { exit !(n == m && n > 2 && !bad) }' "$1" "$2" ||
    complain "$what: $1 and $2 differ by more than rounding"
}

# holds FILE NUMBER...: the numbers of a Matrix Market array, exactly.
holds() {
  file=$1
  shift
  sed -e 1,2d "$file" | tr -s ' ' '\n' | awk -v wanted="$*" 'BEGIN { n = split(wanted, w, " ") }
    $1 + 0 == w[++m] + 0 { good++ } END { exit !(m == n && good == n) }' ||
    complain "$what: $file does not hold $*"
}

# ---- inputs ----

# array ROWS COLS SEED: a Matrix Market array of numbers in (-1/2, 1/2).
array() {
  awk -v m="$1" -v n="$2" -v s="$3" 'BEGIN {
    print "%%MatrixMarket matrix array real general"; print m, n
    for (i = 0; i < m * n; i++) { s = (s * 16807) % 2147483647
      printf "%.17g\n", s / 2147483647 - 0.5 } }'
}
array 61 61 1 >a.mtx
array 61 3 2 >b.mtx
array 7 61 3 >c.mtx
head -n 2000 a.mtx >truncated.mtx
{ cat a.mtx; echo 1; } >oversized.mtx
sed '100s/.*/1.0x/' a.mtx >rubbish.mtx
sed '100s/.*/nan/' a.mtx >nan.mtx
echo 'no matrix' >unknown.mtx
cat >symmetric.mtx <<'END'
%%MatrixMarket matrix coordinate real symmetric
% a comment
4 4 7
1 1 4
2 1 -1
2 2 4
3 2 -1
3 3 4
4 3 -1
4 4 4
END
cat >complex.mtx <<'END'
%%MatrixMarket matrix coordinate complex general
2 2 3
1 1 1 1
2 1 0 -2
2 2 3 0
END
array 2 2 4 >two.mtx
# Elimination meets its first zero pivot in column 3: column 3 = column 1 + column 2.
cat >singular.mtx <<'END'
%%MatrixMarket matrix coordinate integer general
4 4 8
1 1 2
2 2 3
1 3 2
2 3 3
1 4 1
3 4 2
4 4 1
4 2 0
END

# ---- solving: the same answer everywhere ----

for p in $ranks; do
  expect 0 "$p" solve a.mtx b.mtx -o "x$p.mtx" --json
  [ -s stderr ] && complain "$what: there is something on standard error"
  is op solve
  is method lu
  is status HYLA_OK
  is n 61
  is nrhs 3
  is ranks "$p"
  is written "x$p.mtx"
  below residual 1
  near x1.mtx "x$p.mtx"
  refused 1 'singular.mtx is singular: pivot 3 is zero' "$p" solve singular.mtx -o out.mtx
  refused 2 truncated.mtx "$p" solve truncated.mtx -o out.mtx
  refused 2 missing.mtx "$p" solve missing.mtx -o out.mtx
done
[ -z "$(find . -name 'x[0-9]*.mtx?*')" ] || complain "temporary files are left"

# Positive definite; with a leading block of order 2 that is not; with a zero on the diagonal.
printf '%%%%MatrixMarket matrix array real general\n3 3\n4\n2\n0\n2\n5\n1\n0\n1\n3\n' >definite.mtx
printf '%%%%MatrixMarket matrix array real general\n3 3\n4\n2\n0\n2\n1\n1\n0\n1\n3\n' >indefinite.mtx
printf '%%%%MatrixMarket matrix array real general\n3 3\n4\n2\n0\n2\n5\n1\n0\n1\n0\n' >singular3.mtx
printf '%%%%MatrixMarket matrix array complex general\n2 2\n2 0\n1 1\n9 9\n4 0\n' >lower2.mtx
printf '%%%%MatrixMarket matrix array complex general\n2 2\n1 0\n0 0\n0 0\n1 0\n' >identity2.mtx
# The lower triangle of a matrix, and of one with a zero on its diagonal.
for p in $odd; do
  for form in '' '--triangle upper' '--transpose' '--side right'; do
    few "$p" || continue
    # shellcheck disable=SC2086
    expect 0 "$p" trsm definite.mtx definite.mtx $form -o t.mtx --json
    is op trsm
    is product trsm
    is status HYLA_OK
    below residual 1
  done
  refused 1 'diagonal entry 3 is exactly zero' "$p" trsm singular3.mtx definite.mtx
  # Entries (2, 1) and (1, 2) of alpha op(L)^-1, L = (2, 0; 1 + i, 4), worked out by hand.
  for form in 'n:non-unit:1:-0.125 -0.125 0 0' 't:non-unit:1:0 0 -0.125 -0.125' \
    'c:non-unit:1:0 0 -0.125 0.125' 'n:unit:1:-1 -1 0 0' 'c:unit:-2:0 0 2 -2' \
    'n:non-unit:2,-8:-1.25 0.75 0 0'; do
    few "$p" || continue
    IFS=: read -r op diagonal alpha entries <<END
$form
END
    expect 0 "$p" trsm lower2.mtx identity2.mtx --op "$op" --diagonal "$diagonal" \
      --alpha "$alpha" -o t.mtx --json
    is diagonal "$diagonal"
    below residual 1
    found=$(awk '/^%/ { next } ++n == 3 || n == 4 { printf "%s%g %g", s, $1 + 0, $2 + 0; s = " " }' t.mtx)
    [ "$found" = "$entries" ] || complain "$what: entries $found instead of $entries"
  done
  expect 0 "$p" trsm singular3.mtx definite.mtx --diagonal unit --json
  below residual 1
done
wrong 'give n, t or c' 1 trsm definite.mtx definite.mtx --op h
wrong 'give non-unit or unit' 1 trsm definite.mtx definite.mtx --diagonal ones
wrong 'give a number' 1 trsm definite.mtx definite.mtx --alpha 1,
wrong 'give a number' 1 trsm definite.mtx definite.mtx --alpha nan
wrong 'too few arguments: A.mtx B.mtx is needed' 1 trsm definite.mtx

for p in $even; do
  expect 0 "$p" solve definite.mtx --method cholesky --json
  is method cholesky
  is variant right-looking
  is status HYLA_OK
  below residual 1
  refused 1 'indefinite.mtx is not positive definite: its leading block of order 2 is not' "$p" \
    solve indefinite.mtx --method cholesky
done
for p in $odd; do
  expect 0 "$p" solve definite.mtx --method gauss-jordan --refine fixed --json
  is method gauss-jordan
  is variant blocked
  is status HYLA_OK
  is growth null
  below residual 1
  more "$p" || continue
  expect 0 "$p" bench gauss-jordan --size 40 --nrhs 3 --repeat 1 --json
  is op gauss-jordan
  below residual 1
done
wrong "--method is \`svd'; give one of $names" 1 solve definite.mtx --method svd

# Factors: L U is A with its rows in the order of p; determinants that are known. multiplied A: L U,
# from l.npy and u.mtx, is A with its rows in the order of p.npy.
multiplied() {
  expect 0 1 convert p.npy -o p.mtx
  expect 0 1 convert u.mtx -o u.npy
  expect 0 1 multiply l.npy u.npy -o lu.mtx
  awk 'FNR == 1 { file++ } /^%/ { next } !size[file] { size[file] = $0; m = $1; next }
    file == 1 { row[++n] = $1; next } { a[entries++] = $1 }
    END { print "%%MatrixMarket matrix array real general"; print size[2]
      for (j = 0; j < entries / m; j++) for (i = 1; i <= m; i++) print a[row[i] + m * j] }' p.mtx "$1" >pa.mtx
  near pa.mtx lu.mtx
}
for p in $even; do
  expect 0 "$p" factor a.mtx --lower l.npy --upper u.mtx --pivots p.npy --json
  is op factor
  is method lu
  is status HYLA_OK
  is lower l.npy
  is upper u.mtx
  is pivots p.npy
  below rcond 1
  below growth 100
  below seconds 60
  multiplied a.mtx
  for size in 7x61 61x7; do # they have no determinant, and no condition
    expect 0 "$p" generate random --size $size -o shape.mtx
    expect 0 "$p" factor shape.mtx --lower l.npy --upper u.mtx --pivots p.npy --json
    is m ${size%x*}
    is n ${size#*x}
    is log_determinant null
    is sign null
    is rcond null
    below growth 100
    multiplied shape.mtx
  done
  expect 0 "$p" factor shape.mtx
  says 'shape.mtx, 61 x 7 double' 'growth'
  grep -q determinant stdout && complain "$what: it tells of a determinant"
  expect 0 "$p" bench lu --size 90x40 --repeat 1 --json
  is m 90
  is n 40
  below residual 1
  for method in lu cholesky; do # 44
    expect 0 "$p" factor definite.mtx --method $method --json
    is method $method
    is sign 1
    value log_determinant | awk '{ exit !(($1 - log(44))^2 < 1e-20) }' ||
      complain "$what: the determinant is not 44"
  done
  expect 0 "$p" factor indefinite.mtx --json # -4
  is sign -1
  value log_determinant | awk '{ exit !(($1 - log(4))^2 < 1e-20) }' ||
    complain "$what: the determinant is not -4"
  refused 1 'singular.mtx is singular: pivot 3 is zero' "$p" factor singular.mtx --lower out.mtx
  refused 1 'its leading block of order 2 is not' "$p" factor indefinite.mtx --method cholesky
done
# Inverses: A X is the identity, and X is the same by every method; an inverse that cannot be
# trusted is not written.
printf '%s\n' '%%MatrixMarket matrix array real general' '3 3' 1 0 0 0 1 0 0 0 1 >identity.mtx
for p in $odd; do
  for method in $methods; do
    few "$p" || continue
    expect 0 "$p" invert definite.mtx -o inverse.mtx --method $method --json
    is op invert
    is method $method
    is status HYLA_OK
    is written inverse.mtx
    is reliable true
    below residual 1
    below rcond 1.001
    expect 0 "$p" multiply definite.mtx inverse.mtx -o product.mtx
    near identity.mtx product.mtx
  done
  expect 0 "$p" invert complex.mtx
  says 'lu, as A is lower triangular' 'condition' 'residual'
  expect 0 "$p" invert definite.mtx -o inverse.mtx --json
  is method cholesky
  expect 0 "$p" multiply definite.mtx inverse.mtx -o product.mtx
  near identity.mtx product.mtx
  more "$p" || continue
  expect 0 "$p" invert indefinite.mtx --json
  is method lu
  is reliable true
  grep -q 'its leading block of order 2 is not positive definite' stdout ||
    complain "$what: it is not said why lu is taken"
  refused 1 'singular.mtx is singular: pivot 3 is zero' "$p" invert singular.mtx -o out.mtx
  expect 0 "$p" generate hilbert --size 13 -o hilbert.mtx
  rm -f out.mtx
  expect 1 "$p" invert hilbert.mtx -o out.mtx
  grep -q -F 'X is not written (--force writes it)' stderr || complain "$what: it is not said why"
  [ -e out.mtx ] && complain "$what: X was written"
  expect 1 "$p" invert hilbert.mtx -o out.mtx --force
  [ -e out.mtx ] || complain "$what: X was not written"
done
refused 2 'c.mtx is 7 x 61; give a square matrix' 2 invert c.mtx -o out.mtx

# Eigenvalues: those of 2 on the diagonal and -1 beside it are 2 - 2 cos(k pi / 5); vectors of a part.
printf '%s\n' '%%MatrixMarket matrix array real general' '4 4' 2 -1 0 0 9 2 -1 0 9 9 2 -1 9 9 9 2 >chain.mtx
sed 's/^-1$/nan/' chain.mtx >hole.mtx
for p in $odd; do
  expect 0 "$p" eig chain.mtx -o vectors.mtx --values values.npy --json
  is op eig
  is method small
  is reliable true
  below residual .5
  below orthogonality 2
  expect 0 "$p" eig chain.mtx --range 1:2
  says '2, from number 1 on: 1.38197 2.61803'
  expect 0 "$p" eig chain.mtx --interval 1:3 --no-vectors
  says '2, from number 1 on: 1.38197 2.61803'
  says 'by counting, the first value within'
  expect 0 "$p" eig chain.mtx --triangle upper --range 3:3
  says '1, from number 3 on: 29'
  refused 1 'not finite' "$p" eig hole.mtx -o out.mtx
done
# With B = A all values are 1; those of A A are the squares.
for t in 1 2 3; do
  expect 0 2 eig chain.mtx chain.mtx --type $t -o vectors.mtx --json
  is reliable true
  below residual 4
  below orthogonality 4
done
expect 0 2 eig chain.mtx chain.mtx
says '4, from number 0 on: 1 1 1 1'
expect 0 3 eig chain.mtx chain.mtx --type 2 --no-vectors
says '4, from number 0 on: 0.145898 1.90983 6.8541 13.0902'
says 'by counting, the first value within'
# Nothing that was not checked is said to be reliable.
expect 0 2 eig chain.mtx --no-vectors --interval 5: --json
is reliable null
expect 0 2 eig chain.mtx chain.mtx --no-vectors --verify --json
is reliable true
expect 0 2 eig chain.mtx --no-vectors --range 1:2 --reproducible --json
is reliable true
expect 0 2 eig chain.mtx --no-vectors --json
is reliable true
sed 's/^2$/-2/' chain.mtx >negative.mtx
sed 's/^2$/1/; s/^-1$/0/' chain.mtx >identity4.mtx
expect 0 2 bench eig --size 40 --pencil 3 --repeat 1 --json
is pencil 3
below residual 1
wrong '--pencil is no option of lu' 1 bench lu --size 9 --pencil 1
refused 1 'not positive definite' 2 eig chain.mtx negative.mtx -o out.mtx
expect 0 3 eig chain.mtx chain.mtx --type 2 --range 1:2 --verify
says '2, from number 1 on: 1.90983 6.8541'
expect 0 2 eig chain.mtx identity4.mtx --reproducible --interval 1:3
says '2, from number 1 on: 1.38197 2.61803'
refused 2 'finds all vectors, or none' 2 eig chain.mtx chain.mtx --type 3 --range 1:2
refused 2 '--type is for two matrices' 2 eig chain.mtx --type 2
refused 2 'they must be equal' 2 eig chain.mtx identity.mtx -o out.mtx
wrong '--type' 1 eig chain.mtx chain.mtx --type 4
refused 2 'c.mtx is 7 x 61; give a square matrix' 2 eig c.mtx -o out.mtx

# Least squares: the line through three points; a matrix of rank 1, whose least solution is known.
printf '%s\n' '%%MatrixMarket matrix array real general' '3 2' 1 1 1 0 1 2 >points.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '3 1' 1 3 8 >heights.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 3' 1 1 1 1 1 1 >ones.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 3 3 >threes.mtx
for p in $odd; do
  expect 0 "$p" lstsq points.mtx heights.mtx -o line.npy --json
  is op lstsq
  is rank 2
  is pivoting absent
  below residual 1
  expect 0 "$p" lstsq ones.mtx threes.mtx -o out.mtx --json
  is rank 1
  below backward_error 1e-14
  [ "$(sed -n '$=' out.mtx)" = 5 ] || complain "$what: X has not three rows"
  refused 1 'infinite or not a number' "$p" lstsq hole.mtx hole.mtx -o out.mtx
done
# What a plan says is what is sent; explanations need no ranks.
expect 0 2 bench lstsq --size 60x20 --nrhs 2 --repeat 1 --json
is op lstsq
is nrhs 2
below residual 1
for key in steps messages words; do
  [ "$(value ${key}_counted)" = "$(value ${key}_predicted)" ] || complain "$what: $key are not as predicted"
done
expect 0 $some bench lstsq --size 30 --variant all --repeat 1
expect 0 1 explain lstsq --size 1000x50 --ranks 64
says 'least squares, op(A) real, 1000 x 50, 1 right-hand side'
expect 0 1 simulate lstsq --size 30x20 --dims 2
# Singular values: columns at a right angle, the second one 1e-30 of the first, so that rotations
# know its value and a bidiagonal form does not; and columns that depend on each other.
printf '%s\n' '%%MatrixMarket matrix array real general' '3 2' 3 4 0 4e-30 -3e-30 0 >graded.mtx
expect 0 1 generate hilbert --size 30 -o hilbert.npy
for p in $odd; do
  expect 0 "$p" svd graded.mtx --left left.npy --right right.npy --values values.npy --json
  is op svd
  is variant small
  is reliable true
  below residual 1
  below orthogonality 1
  for way in '--method jacobi' '--accuracy high'; do
    expect 0 "$p" svd graded.mtx $way
    says 'jacobi-' 'from number 0 on: 5 5e-30' 'of every value at least 15'
  done
  expect 0 "$p" svd graded.mtx --method bidiagonal
  says 'of the largest value 15, of the last 1 none'
  for way in '--method jacobi' '--variant bidiagonal'; do
    expect 0 "$p" svd hilbert.npy $way
    says 'of the largest value 14, of the last 16 none'
  done
done
wrong "--method is \`qr'; give one of bidiagonal, jacobi" 1 svd graded.mtx --method qr
wrong "--accuracy is \`full'; give normal or high" 1 svd graded.mtx --accuracy full
refused 2 'give it without --method' 2 svd graded.mtx --method jacobi --variant small
refused 2 '--no-vectors finds none' 2 svd graded.mtx --no-vectors --left left.npy
# Low ranks: few columns of a matrix whose singular values fall; a tolerance, and one out of reach.
expect 0 1 generate randsvd-geometric --size 60x40 --seed 3 -o falling.npy
for p in $odd; do
  expect 0 "$p" lowrank falling.npy --rank 12 --left few.npy --right rest.npy --json
  is op lowrank
  is rank 12
  below error 1
  expect 0 "$p" lowrank falling.npy --tolerance 1e-2 --power 1 --json
  below bound 1e-2
  expect 1 "$p" lowrank falling.npy --rank 3 --tolerance 1e-12 --left none.npy
  grep -q 'more columns are needed' stderr || complain "$what: $(cat stderr)"
  [ ! -e none.npy ] || complain 'columns out of reach were written'
done
expect 0 2 multiply few.npy rest.npy -o product.npy
expect 0 2 lowrank ones.mtx --rank 1 --left few.mtx --right rest.mtx
[ "$(sed -n '$=' few.mtx)" = 4 ] || complain 'Q has not two rows'
refused 2 'give --rank, --tolerance, or both' 2 lowrank falling.npy
refused 2 'has no rank above 40' 2 lowrank falling.npy --rank 41
wrong "--tolerance is \`1'; give a number between 0 and 1" 1 lowrank falling.npy --tolerance 1
refused 2 'must be equal' 2 lstsq points.mtx threes.mtx -o out.mtx
wrong "--rcond is \`2'; give a number between 0 and 1" 1 lstsq points.mtx heights.mtx --rcond 2
wrong "--method is \`lu'; give one of auto, qr" 1 lstsq points.mtx heights.mtx --method lu
refused 2 '--output writes vectors' 2 eig chain.mtx --no-vectors -o out.mtx
wrong '--range takes I:J' 1 eig chain.mtx --range 3:1
wrong '--interval takes LO:HI' 1 eig chain.mtx --interval 3
wrong 'give one of --range and --interval' 1 eig chain.mtx --interval 3: --range 1:2
wrong "--method is \`triangular'; give one of $names" 1 invert a.mtx --method triangular

expect 0 2 factor complex.mtx
says 'direction' 'condition' 'growth' 'magnitude'
refused 2 'c.mtx is 7 x 61; give a square matrix, or --method lu or qr' 2 factor c.mtx --method ldl --lower out.mtx
# If the two triangles differ, the lower one is not silently taken for both.
printf '%%%%MatrixMarket matrix array real general\n3 3\n1\n4\n7\n2\n5\n8\n3\n6\n10\n' >general.mtx
printf '%%%%MatrixMarket matrix array complex general\n2 2\n4 0\n0 1\n0 1\n3 0\n' >csymmetric.mtx
printf '%%%%MatrixMarket matrix array real general\n2 2\n4\n1.0000000000000002\n1\n3\n' >nearly.mtx
for job in 'factor general.mtx --lower out.mtx' 'solve general.mtx -o out.mtx' 'invert general.mtx -o out.mtx'; do
  for m in ldl cholesky; do
    # The words are options and names.
    # shellcheck disable=SC2086
    refused 2 'general.mtx is not symmetric: entry (3, 1) differs from that at (1, 3) by 4' $some $job --method $m
  done
done
refused 2 'csymmetric.mtx is not Hermitian: entry (2, 1) differs from the conjugate of that at (1, 2) by 2' 2 \
  factor csymmetric.mtx --method cholesky
for job in factor solve invert; do
  expect 0 $some $job nearly.mtx --method cholesky --json
  case $("$json" method_reason <stdout) in
  *'A is symmetric but for rounding, and its lower triangle is read') ;;
  *) complain "$what: rounding is not told" ;;
  esac
done
expect 0 2 factor nearly.mtx --method ldl
says 'A is symmetric but for rounding'
for job in solve invert; do
  expect 0 2 $job nearly.mtx
  says 'lu, as A is symmetric but for rounding; --method cholesky'
done
refused 2 'the method qr makes no lower triangle' 2 factor c.mtx --method qr --lower out.mtx
expect 0 1 simulate lu --size 40x90 --dims 3 --json
below residual 1
expect 0 1 explain lu --size 40x90
says 'one factorization, of 40 rows and 90 columns'
expect 0 1 explain qr --size 40x90
says 'one factorization, of 40 rows and 90 columns'
refused 2 'cholesky needs --size N, or by lu and qr MxN' 1 explain cholesky --size 40x90
refused 2 "--pivots is \`out.mtx'; the name must end in .npy" 2 factor a.mtx --pivots out.mtx
refused 2 '--lower and --upper are both out.mtx' 2 factor a.mtx --lower out.mtx --upper out.mtx
refused 2 '--upper is a.mtx, which is read; give --force' 2 factor a.mtx --upper a.mtx
refused 2 'no/such/p.npy cannot be written' 2 factor a.mtx --lower out.mtx --pivots no/such/p.npy

# A's structure decides if no option does.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n2 2 5\n3 3 3\n3 1 2\n2 1 1\n' >lower.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 4\n1 2 5\n3 3 3\n' >flat.mtx
for p in $even; do
  expect 0 "$p" solve definite.mtx --json
  is method cholesky
  is method_reason 'A is symmetric with a positive diagonal'
  is reliable true
  expect 0 "$p" solve indefinite.mtx --json
  is method lu
  is method_reason 'A is symmetric with a positive diagonal, but its leading block of order 2 is not positive definite'
  is reliable true
  expect 0 "$p" solve lower.mtx -o l.mtx --json
  is method triangular
  is method_reason 'A is lower triangular'
  is reliable true
  is written l.mtx
  below residual 1
  below forward_error 1e-15
  more "$p" || continue
  expect 0 "$p" solve lower.mtx --method lu --json
  is method lu
  is method_reason 'it was asked for'
  expect 0 "$p" solve definite.mtx --variant partial --json
  is method lu
  expect 0 "$p" solve lower.mtx --method triangular --variant stationary --json
  is variant stationary
  refused 1 'flat.mtx is singular: pivot 2 is zero' "$p" solve flat.mtx
  refused 2 'definite.mtx is not triangular: there are entries 1 below and 1 above' "$p" \
    solve definite.mtx --method triangular
done
wrong "--method is \`svd'; give one of $names, triangular" 1 solve lower.mtx --method svd
expect 0 2 generate tridiagonal --size 40 -o band.mtx
expect 0 2 solve band.mtx
says 'method ' 'it is a band'

# The quality of the answer; an answer that cannot be trusted is written only with --force.
awk 'BEGIN { n = 12; print "%%MatrixMarket matrix array real general"; print n, n
  for (j = 1; j <= n; j++) for (i = 1; i <= n; i++) printf "%.17g\n", 1 / (i + j - 1) }' >hilbert.mtx
for p in $odd; do
  expect 0 "$p" solve a.mtx b.mtx --refine fixed --json
  is reliable true
  below componentwise_error 1.2e-15
  below backward_error 1.2e-15
  below forward_bound 1e-9
  below growth 100
  below refinements 11
  below rcond 1
  expect 1 "$p" solve hilbert.mtx -o out.mtx --json
  is status HYLA_UNRELIABLE
  is reliable false
  is exit 1
  is written absent
  below rcond 1.4e-15
  below backward_error 1e-15
  below residual 1
  [ "$(wc -l <stderr)" -eq 1 ] || complain "$what: not one line of message"
  grep -q 'cannot be trusted: .* rcond .*; X is not written' stderr || complain "$what: no reason"
  [ -e out.mtx ] && complain "$what: a file was written"
  more "$p" || continue
  expect 1 "$p" solve hilbert.mtx --refine fixed -o out.mtx --force --json
  is status HYLA_UNRELIABLE
  is written out.mtx
  [ -e out.mtx ] || complain "$what: no file was written"
  rm -f out.mtx
done
expect 0 $some solve a.mtx --refine fixed --explain
says 'condition ' 'growth ' 'backward ' 'componentwise ' 'forward at most '
expect 0 $some solve a.mtx --json
is refinements 0
is reliable true
# With factors in half the precision.
expect 0 $some solve a.mtx b.mtx --refine mixed --json
is reliable true
is fallback absent
below componentwise_error 1.2e-15
below forward_bound 1e-9
below refinements 11
expect 1 $some solve hilbert.mtx --method lu --refine mixed --json
is status HYLA_UNRELIABLE
is fallback 'A is singular to half the precision'
refused 1 'flat.mtx is singular: pivot 2 is zero' $some solve flat.mtx --method lu --refine mixed
expect 0 $some solve lower.mtx --refine mixed --json
is method triangular
is refinements 0
expect 0 $some solve definite.mtx --refine mixed --json
is method cholesky
is reliable true
expect 0 2 solve a.mtx --refine mixed --explain
says 'refinement' 'componentwise '
expect 1 2 solve hilbert.mtx --method lu --refine mixed --force -o out.mtx
says 'fallback  to full precision, as A is singular to half the precision'
rm -f out.mtx
expect 0 2 generate random --type s --size 9 -o single.npy
refused 2 'single.npy is float, which has no half precision to factor in; take --refine fixed' 2 \
  solve single.npy --refine mixed
refused 2 'single.npy is float, which has no half precision to factor in; take --refine extended' \
  2 solve single.npy --refine mixed-extended
# Residuals in twice the precision: Hilbert's matrix of order 8 times 360360 has integer entries.
awk 'BEGIN { n = 8; print "%%MatrixMarket matrix array real general"; print n, n
  for (j = 1; j <= n; j++) for (i = 1; i <= n; i++) print 360360 / (i + j - 1) }' >exact.mtx
for p in $even; do
  expect 0 "$p" solve exact.mtx --method lu --refine extended --json
  is reliable true
  below forward_bound 1e-14
  below forward_error 3e-16
  more "$p" || continue
  expect 0 "$p" solve exact.mtx --method cholesky --refine fixed --json
  is reliable true
  awk "BEGIN { exit !($(value forward_bound) > 1e-9) }" || complain "$what: it was not hard"
done
expect 0 $some solve exact.mtx --method lu --refine mixed-extended --json
is fallback 'A is singular to half the precision'
below forward_error 3e-16
expect 0 $some solve a.mtx b.mtx --refine mixed-extended --json
is fallback absent
below forward_bound 1e-14
expect 1 2 solve hilbert.mtx --method lu --refine extended --json
is status HYLA_UNRELIABLE
expect 0 $some solve exact.mtx --method gauss-jordan --json
below residual 1
expect 1 $some solve exact.mtx --method gauss-jordan --refine none --json
is refinements 0
is reliable false
# Rows and columns scaled.
awk 'BEGIN { n = 9; print "%%MatrixMarket matrix array real general"; print n, n
  for (j = 1; j <= n; j++) for (i = 1; i <= n; i++)
    printf "%.17g\n", (i == j ? 9 : 1 / (i + j)) * 10 ^ (5 * i - 4 * j) }' >units.mtx
for p in $odd; do
  expect 1 "$p" solve units.mtx --json
  is equilibrated false
  is reliable false
  expect 0 "$p" solve units.mtx --equilibrate --json
  is equilibrated true
  is reliable true
  below componentwise_error 1.2e-15
done
expect 0 $some solve units.mtx --equilibrate --refine mixed --explain
says 'of A with its rows and columns scaled'
expect 0 $some solve a.mtx b.mtx --equilibrate --json
is equilibrated false
is method lu
# The residual alone judges: the report is silent about a matrix that is singular to working
# precision, and a wrong answer is refused as before; phases add up to the elapsed time.
expect 0 $some generate hilbert --size 14 -o h14.npy
expect 1 $some solve h14.npy --json
is reliable false
expect 0 $some solve h14.npy --quick --json
grep -q -e reliable -e rcond stdout && complain "$what: more than the residual judges"
below residual 1
below phases.solve 60
below phases.judge 60
found=$(sed -n 's/.*"phases":{\([^}]*\)}.*/\1/p' stdout | sed 's/"\([a-z]*\)":[^,]*/\1/g')
[ "$found" = start,memory,read,solve,judge,write ] || complain "$what: the phases are '$found'"
expect 0 $some solve h14.npy --quick
grep -q '^phases    start [0-9.]* memory [0-9.]* read [0-9.]* solve [0-9.]* judge [0-9.]* write [0-9.]* s$' \
  stdout || complain "$what: no phases"
expect 1 $some solve units.mtx --explain
says 'phases    start '
# The true condition, also beside --quick, and where bidiagonal form leaves the smallest value uncertain.
expect 0 $some generate hilbert --size 5 -o h5.npy
expect 0 $some solve h5.npy --report full --json
is reliable true
grep -q '"condition":476607\.250' stdout || complain "$what: the condition of Hilbert's matrix is wrong"
expect 0 1 solve h5.npy --report full
says 'condition 4.77e+05 by'
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n1e-3\n1e-30\n1e-29\n' >graded.mtx
expect 0 $some solve graded.mtx --quick --report full --json
grep -q '"condition":1\.0[0-9]*e+\{0,1\}29' stdout || complain "$what: the condition of a graded matrix is wrong"
expect 0 $some solve h5.npy --quick --json
grep -q condition stdout && complain "$what: a condition that was not asked for"
wrong "--report is \`long'; give" 1 solve a.mtx --report long
refused 2 '--quick leaves out steps that --refine and --equilibrate need' 1 solve a.mtx --quick --refine fixed
refused 2 '--quick leaves out steps that --refine and --equilibrate need' 1 solve a.mtx --quick --equilibrate
expect 0 $some solve lower.mtx --quick -o q.npy --json
is method triangular
is written q.npy
expect 0 $some solve lower.mtx --equilibrate --json
is method triangular
is equilibrated false
wrong "--refine is \`double'; give one of default, none, fixed, mixed, extended, mixed-extended" 1 solve a.mtx --refine double

# Pivots decide how many messages and words an LU sends; the prediction is the maximum.
expect 0 $some solve a.mtx --json
for count in steps messages words; do
  below ${count}_counted $(($(value ${count}_predicted) + 1))
done
expect 0 4 solve a.mtx --explain
says 'residual' 'right-hand side' 'variant' 'dimension 1' 'counted'
expect 0 3 solve a.mtx --json
below forward_error 1e-9
# So small a system is predicted to be the fastest on two of them, a larger one on all.
is array 1x2
is nodes 2
expect 0 1 generate random --size 100 --seed 3 -o hundred.npy
expect 0 3 solve hundred.npy
says 'on 3 of 3 ranks as 1x3'
expect 0 1 explain solve --size 1225 --ranks 6 --json
is nodes 6
# Rows are rehearsed by their names, also a row that has the name of its method.
for operation in gemm trsm invert cholesky gauss-jordan qr eig svd lstsq; do
  expect 0 1 explain $operation --size 90 --ranks 3 --json
  is op $operation
done
HYLA_ARRAY=cube
export HYLA_ARRAY
expect 0 3 solve a.mtx --json
is dims 1
is nodes 2
unset HYLA_ARRAY
expect 0 2 solve symmetric.mtx --json --layout gray/cyclic:2@2x1
below residual 1
below forward_error 1e-14
is layout gray/cyclic:2@2x1
is block 2
expect 0 3 solve complex.mtx --json
is type 'double complex'
below residual 1
expect 1 2 solve singular.mtx --json
is status HYLA_SINGULAR
is pivot 3
is exit 1
is residual absent

# ---- refusals ----

for p in 1 5; do # faults in files
  refused 2 oversized.mtx "$p" solve oversized.mtx -o out.mtx
  refused 2 rubbish.mtx:100 "$p" solve rubbish.mtx -o out.mtx
  more "$p" || continue
  refused 2 unknown.mtx "$p" solve unknown.mtx -o out.mtx
  refused 1 nan.mtx "$p" solve nan.mtx -o out.mtx
  expect 1 "$p" multiply nan.mtx nan.mtx -o out.mtx
  grep -q 'the residual is not a number, because the input has NaN .* is not written$' stderr ||
    complain "$what: the message does not explain nan"
  [ -e out.mtx ] && complain "$what: a file was written"
done
for p in $alone; do # faults in the command line
  refused 2 'no-such-layout' "$p" solve a.mtx --layout no-such-layout -o out.mtx
  refused 2 'no-such-variant' "$p" solve a.mtx --variant no-such-variant -o out.mtx
  refused 2 'c.mtx is 7 x 61; give a square matrix' "$p" solve c.mtx -o out.mtx
  refused 2 'must be equal' "$p" solve a.mtx c.mtx -o out.mtx
  refused 2 'must end in .mtx, .npy, .csv' "$p" solve a.mtx -o out.jpg
  refused 2 "--output is \`out.npz:x', in an archive; these are read but not written; use .npy" "$p" solve a.mtx -o out.npz:x
  refused 2 'no/such/folder/out.mtx cannot be written' "$p" solve a.mtx -o no/such/folder/out.mtx
done

# ---- multiplication ----

for p in $even; do
  expect 0 "$p" multiply c.mtx a.mtx -o "y$p.mtx" --json
  is m 7
  is n 61
  is k 61
  below residual 1
  near y1.mtx "y$p.mtx"
  for count in steps messages words; do
    is ${count}_counted "$(value ${count}_predicted)"
  done
done
expect 0 4 info --json
variants=$(value variants | tr '{}' '\n\n' | sed -n 's/.*"op":"gemm","variant":"\([^"]*\)".*/\1/p')
[ "$(echo "$variants" | wc -l)" -ge 10 ] || complain "$what: too few variants of gemm: $variants"
for row in allgather:translated exchange:v92-folded partial:v92-split permute:monotone; do
  value network_variants | grep -q "\"op\":\"${row%:*}\",\"variant\":\"${row#*:}\"" ||
    complain "$what: $row is missing"
done
expect 0 4 info
says 'variants of allgather on arrays, tori or folded cubes' '  axes ' '  v92-folded '
expect 0 1 simulate collective --name allgather --network torus:4x4 --variant translated \
  --words 3 --alpha 0 --beta 1
says 'variant torus:4x4/translated, 3 words, 16 nodes' 'time     12 with' 'formula  12 = '
expect 0 1 simulate collective --name exchange --network folded:4 --variant v92-folded \
  --words 2 --alpha 1 --beta 1
says 'variant folded:4/v92-folded, 2 words, 16 nodes' 'time     15 with' 'formula  15 = '
expect 0 1 simulate collective --name exchange --network folded:3 --variant all --words 1
says 'folded:3/v92-folded' 'folded:3/greedy-folded' 'it needs an array or a torus'
for variant in $variants; do
  few 4 || continue
  expect 0 4 multiply c.mtx a.mtx --variant "$variant" -o "z.mtx" --json
  is variant "$variant"
  near y1.mtx z.mtx
  for count in steps messages words; do
    is ${count}_counted "$(value ${count}_predicted)"
  done
done
refused 2 'must be equal' 4 multiply a.mtx c.mtx -o out.mtx

# Products with a triangle, whatever the file has in the other one.
array 61 61 1 | awk -v n=61 'FNR < 3 || int((FNR - 3) % n) >= int((FNR - 3) / n) { print; next }
  { print "1e9" }' >lower.mtx
for p in $even; do
  for product in symm hemm trmm; do
    few "$p" || continue
    expect 0 "$p" multiply lower.mtx b.mtx --as $product -o $product.mtx --json
    is product $product
    is triangle lower
    is side left
    is m 61
    is n 3
    below residual 1
    for count in steps messages words; do
      is ${count}_counted "$(value ${count}_predicted)"
    done
  done
  near symm.mtx hemm.mtx
  for product in syrk herk; do
    few "$p" || continue
    expect 0 "$p" multiply c.mtx --as $product --transpose --triangle upper -o $product.mtx --json
    is n 61
    is k 7
    is transpose true
    below residual 1
  done
  near syrk.mtx herk.mtx
  more "$p" || continue
  expect 0 "$p" multiply a.mtx c.mtx --as trmm --side right --triangle upper --transpose
  says 'trmm, 7 x 61 x 61, of a.mtx and c.mtx, upper triangle from the right,' '   transposed, double'
done
refused 2 'give A.mtx' 3 multiply a.mtx b.mtx --as syrk -o out.mtx
refused 2 'it must be square' 4 multiply c.mtx a.mtx --as symm -o out.mtx
wrong '--side is no option of syrk' 1 multiply a.mtx --as syrk --side left
wrong '--triangle is no option of gemm' 1 multiply a.mtx b.mtx --triangle lower
wrong "--as is \`lu'; give one of gemm, symm" 1 multiply a.mtx b.mtx --as lu
wrong "--side is \`up'; give left or right" 1 multiply a.mtx b.mtx --as symm --side up

# ---- files of two types: both are read in the type that holds both ----

printf '%%%%MatrixMarket matrix array complex general\n2 2\n0 1\n0 0\n0 0\n2 0\n' >turning.mtx
printf '%%%%MatrixMarket matrix array real general\n2 2\n2\n0\n0\n4\n' >diagonal.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n0.1\n3\n' >sides.mtx
expect 0 1 convert diagonal.mtx --type s -o narrow.npy --json
is type float
expect 0 1 convert turning.mtx --type c --json
is type complex
for p in $odd; do
  expect 0 "$p" solve turning.mtx sides.mtx -o x.mtx --json
  is type 'double complex'
  holds x.mtx 0 -0.1 1.5 0
  expect 0 "$p" solve narrow.npy sides.mtx --refine mixed -o x.mtx --json
  is type double
  holds x.mtx 0.05 0.75
  expect 0 "$p" multiply narrow.npy turning.mtx -o y.mtx --json
  is type 'double complex'
  holds y.mtx 0 2 0 0 0 0 8 0
  more "$p" || continue
  expect 0 "$p" multiply diagonal.mtx turning.mtx --as trmm --triangle upper -o y.mtx
  holds y.mtx 0 2 0 0 0 0 8 0
  expect 0 "$p" trsm narrow.npy sides.mtx --triangle upper -o x.mtx
  holds x.mtx 0.05 0.75
  # To a type that is asked for.
  expect 0 "$p" convert sides.mtx --type z --to gray/cyclic -o x.npy --json
  is type 'double complex'
  is residual 0.0
  expect 0 "$p" convert x.npy --type s -o x.mtx --json
  is type float
  holds x.mtx 0.100000001 3
  expect 0 "$p" convert x.mtx --type d -o x.npy
  refused 2 'turning.mtx has imaginary parts, of up to 1, which --type d would drop; take c or z' \
    "$p" convert turning.mtx --type d -o out.mtx
done
printf '%%%%MatrixMarket matrix array real general\n1 1\n1e300\n' >large.mtx
refused 2 'large.mtx has entries of up to 1e+300, which float does not hold' 3 convert large.mtx \
  --type s -o out.mtx

# ---- conversion and transposition ----

for p in $odd; do
  expect 0 "$p" transpose c.mtx -o "t$p.mtx" --layout gray/cyclic:2 --json
  is op transpose
  is m 7
  is n 61
  expect 0 "$p" transpose "t$p.mtx" -o "tt$p.mtx" --to binary/consecutive --json
  near c.mtx "tt$p.mtx"
  is residual 0.0
  near t1.mtx "t$p.mtx"
done
# Two quarter turns are a half turn, and one to the left undoes one to the right, on any ranks.
for p in $odd; do
  expect 0 "$p" turn c.mtx -o "l$p.mtx" --layout gray/cyclic:2 --json
  is op turn
  is by left
  is m 7
  is n 61
  is residual 0.0
  near l1.mtx "l$p.mtx"
  more "$p" || continue
  expect 0 "$p" turn "l$p.mtx" -o "ll$p.mtx" --to binary/consecutive --json
  expect 0 "$p" turn c.mtx --by half -o "h$p.mtx" --json
  is by half
  near "ll$p.mtx" "h$p.mtx"
  expect 0 "$p" turn "l$p.mtx" --by right -o "r$p.mtx" --json
  is by right
  near c.mtx "r$p.mtx"
done
# The new places of the entries.
printf '%s\n' '%%MatrixMarket matrix array integer general' '2 3' 1 4 2 5 3 6 >steps.mtx
for words in 'left 3x2 3 2 1 6 5 4' 'right 3x2 4 5 6 1 2 3' 'half 2x3 6 3 5 2 4 1'; do
  # shellcheck disable=SC2086
  set -- $words
  expect 0 4 turn steps.mtx --by "$1" -o out.mtx
  says "turn      steps.mtx, 2 x 3, double, by $1"
  shift
  printf '%s\n' '%%MatrixMarket matrix array real general' "$(echo "$1" | tr x ' ')" >wanted.mtx
  shift
  printf '%s\n' "$@" >>wanted.mtx
  near wanted.mtx out.mtx
  rm out.mtx
done
wrong "--by is \`quarter'; give one of left, right, half" 2 turn c.mtx --by quarter
refused 2 'there are: direct moves' 4 turn c.mtx --variant no-such-variant -o out.mtx
wrong '--by is no option of transpose' 1 bench transpose --size 9 --by half
for variant in direct moves multiphase; do
  expect 0 4 convert c.mtx -o z.mtx --layout gray/cyclic:3@4x1 --to binary/consecutive@2x2 \
    --variant "$variant" --json
  is variant "$variant"
  is op convert
  is layout binary/consecutive@2x2
  near c.mtx z.mtx
  for count in steps messages words; do
    is ${count}_counted "$(value ${count}_predicted)"
  done
done
expect 0 4 convert c.mtx --variant moves --to gray/cyclic --explain
says 'convert   c.mtx, 7 x 61, double' 'predicted' 'counted' 'over cube dimension'
refused 2 'no-such-layout' 4 convert c.mtx --to no-such-layout -o out.mtx
refused 2 'there are: direct moves' 4 transpose c.mtx --variant no-such-variant -o out.mtx
printf '%s\n' '%%MatrixMarket matrix array complex general' '1 2' '1 2' '3 -4' >row.mtx
expect 0 3 transpose row.mtx --conjugate -o column.mtx --json
is conjugate true
is m 1
printf '%s\n' '%%MatrixMarket matrix array complex general' '2 1' '1 -2' '3 4' | cmp -s - column.mtx ||
  complain "$what: column.mtx is $(cat column.mtx)"
refused 2 'does not apply' 2 convert c.mtx --variant moves -o out.mtx
# On arrays of nodes, all ranks at work.
HYLA_ARRAY=auto
export HYLA_ARRAY
expect 0 3 bench lu --size 20 --repeat 1 --json
is ranks 3
is nodes 3
expect 0 1 convert c.mtx -o one.npy
expect 0 1 turn c.mtx -o left.npy
for HYLA_ARRAY in 2x3 5x1; do
  export HYLA_ARRAY
  p=$((${HYLA_ARRAY%x*} * ${HYLA_ARRAY#*x}))
  expect 0 $p bench gemm --size 20 --repeat 1 --json
  is nodes "$p"
  is array "$HYLA_ARRAY"
  expect 0 $p generate random --size 13x9 --seed 5 -o "random$p.npy"
  says "cube      $p nodes, layout" "@$HYLA_ARRAY"
  expect 0 $p convert c.mtx -o row.mtx --layout binary/consecutive --to "binary/cyclic:3@${p}x1" --json
  is layout "binary/cyclic:3@${p}x1"
  is variant direct
  for count in steps messages words; do
    is ${count}_counted "$(value ${count}_predicted)"
  done
  expect 0 $p transpose row.mtx -o across.npy
  expect 0 $p transpose across.npy -o back.npy
  cmp -s one.npy back.npy || complain "$what: not every bit is back"
  expect 0 $p turn row.mtx -o turned.npy --to "binary/cyclic@1x$p"
  cmp -s left.npy turned.npy || complain "$what: not as on one node"
  refused 2 'it needs a cube, whose sides are powers of two' $p convert c.mtx --variant moves -o out.mtx
  refused 2 'are no power of two, so there is no Gray code; use binary' $p \
    convert c.mtx --to "gray/cyclic@${p}x1" -o out.mtx
done
unset HYLA_ARRAY
cmp -s random6.npy random5.npy || complain "random matrices differ on 6 and 5 nodes"

# ---- collectives ----

# The time in the simulator is that of the paper's formula.
for words in 'broadcast sw90-4 25200' 'scatter b91 7' 'allgather sw90 60' 'exchange direct 3'; do
  # shellcheck disable=SC2086
  set -- $words
  expect 0 1 simulate collective --name "$1" --variant "$2" --words "$3" --dims 5 --alpha 100 --json
  is variant "$2"
  is time "$(value formula_value)"
  is words_counted "$(value words_predicted)"
done
# All variants of a collective, one line each; the planner's choice is among them.
for run in 'simulate 1 exchange' 'bench 4 allreduce'; do
  # shellcheck disable=SC2086
  set -- $run
  expect 0 "$2" "$1" collective --name "$3" --words 12 --variant all --json
  [ "$(grep -c '"op":"'"$1"'"' stdout)" -gt 1 ] || complain "$what: one line or none"
  [ "$(grep -c '"chosen":true,"plan"' stdout)" -eq 1 ] || complain "$what: not one choice"
  [ "$(grep -c '"status":"HYLA_OK"' stdout)" -ge 1 ] || complain "$what: nothing ran"
done
expect 0 1 simulate collective --name broadcast --words 12 --variant all
says "the planner's choice" 'variant sw90-4'
# All variants of the multiplication on a cube that no machine here has, with data and dry: the
# same.
expect 0 1 simulate gemm --dims 3 --size 24 --variant all --layout gray/consecutive
for variant in cannon summa dns; do
  expect 0 1 simulate gemm --dims 3 --size 24x13x7 --variant $variant --alpha 100 --beta 1 --gamma 1 \
    --ports one --json
  is variant $variant
  is messages_counted "$(value messages_predicted)"
  is words_counted "$(value words_predicted)"
  below residual 1
  time=$(value time)
  expect 0 1 simulate gemm --dims 3 --size 24x13x7 --variant $variant --alpha 100 --beta 1 --gamma 1 \
    --ports one --json --dry
  is time "$time"
  is residual null
done
expect 0 1 simulate gemm --dims 5 --size 4096 --variant all --dry --machine ipsc860
says ' cannon'
expect 0 1 simulate trsm --dims 3 --size 30x7 --variant all --dry
expect 0 1 simulate tridiagonal --dims 3 --size 45x7x3 --variant all
expect 0 1 simulate trtri --dims 3 --size 70 --variant all --dry
expect 0 1 simulate trtri --dims 2 --size 70 --triangle upper --json
below residual 1
expect 0 1 explain trtri --size 90 --ranks 4
says 'trtri: variant panels' 'the inverse of A, lower triangular, of order 90'
says ' panels'
for method in $methods; do
  expect 0 1 bench invert --size 40 --method $method --repeat 1 --json
  is op invert
  is method $method
  below residual 1
  expect 0 1 simulate invert --dims 3 --size 30 --method $method --json
  is method $method
  below residual 1
  expect 0 1 explain invert --ranks 4 --size 30 --method $method
  says "$method: variant" 'the inverse of A, of order 30'
done
expect 0 1 simulate invert --dims 2 --size 30 --variant all
says 'invert 30 x 30 by lu'
expect 0 1 simulate invert --dims 3 --size 30 --method cholesky --dry --json
is time "$(value seconds_predicted)"
is words_counted "$(value words_predicted)"
expect 0 1 explain invert --size 30 --ranks 4 --json
is method lu
refused 2 'a dry simulation has no data' 1 simulate invert --dims 2 --size 30 --dry
wrong '--method is no option of trtri' 1 bench trtri --size 9 --method lu
wrong '--nrhs is no option of invert' 1 bench invert --size 9 --nrhs 3
expect 0 1 simulate cholesky --dims 2 --size 30 --dry --json
is op cholesky
expect 0 1 simulate gauss-jordan --dims 3 --size 30 --json
is op gauss-jordan
below residual 1
expect 0 1 simulate lu --dims 2 --size 30 --json
is op lu
below residual 1
for variant in partial tournament; do
  expect 0 1 simulate lu --dims 4 --size 70 --variant $variant --dry --json
  is pivots drawn
done
# Johnsson 1987, corollary 6.1, with pivots that follow a step sooner; three steps for the verdict.
set -- gauss-jordan --size 8 --nrhs 0 --variant diagonal --layout gray/cyclic:1
expect 0 1 simulate "$@" --dims 6 --alpha 1 --beta 0 --gamma 0 --json
is time 20.0
expect 0 1 explain "$@" --ranks 64
says '8 pivots go through in 17 steps' \
  'published: 24 = 3 (2^k - 1) + k (johnsson-1987, corollary 6.1) steps of one element, k = 3; here 17'
expect 0 1 simulate invert --dims 3 --size 21 --method gauss-jordan --variant diagonal --layout gray/cyclic:1 --json
is variant diagonal
below residual 1
expect 0 1 simulate collective --name allgather --variant doubling --dims 10 --words 7 --dry --json
is time "$(value formula_value)"
expect 0 1 simulate traffic --scheme broadcasts --network torus:8x8 --load 0.271 --prefix 0.1 --json
is stable true
expect 0 1 simulate traffic --scheme broadcasts --network torus:8x8 --load 0.271 --prefix 0.1 --slots 0
says 'limit        0.542169, exactly' 'between 31.7863 and 34.7169' 'light load   20.1961'
# Varvarigos 1992: the stable point of figure 6.4, the three delays of 6.2, and (5.47) on a torus.
expect 0 1 simulate traffic --scheme csr --dims 11 --access 0.05 --retry 1 --beta 0.5 --slots 0 --json
[ "$(value formula_value | cut -c 1-5)" = 0.884 ] || complain "stable throughput: $(value formula_value)"
[ "$(value formula_backlogged | cut -c 1-5)" = 0.195 ] || complain "backlogged: $(value formula_backlogged)"
expect 0 1 simulate traffic --scheme csr-paths --network torus:5x5 --beta 0.5 --slots 320
says 'alone        2.5        formula 2.5' 'circuits   3          formula 3' 'reserved   3.75       formula 3.75'
expect 0 1 simulate traffic --scheme shortest --network torus:5x5 --load 0.5 --slots 320
says 'torus:5x5, 25 nodes' 'formula    0.4000 0.3333 0.2000 0.0667'
wrong '--load is no option of gemm' 1 explain gemm --size 9 --load 0.5
wrong '--retry is no option of collective' 1 simulate collective --name allgather --retry 0.5
refused 2 'give a load below 0.6803' 1 simulate traffic --scheme shortest --network array:5x5 --load 0.7
refused 2 'broadcasts: the sides are not equal' 1 simulate traffic --scheme broadcasts --network torus:4x6 --load 0.1
# Theorems 6.1 to 6.5 by commands: the paper's count, the library's own, and that of a part of a
# run.
words='--dims 8 --layout gray/cyclic:1@16x16 --alpha 0 --beta 1 --gamma 0'
# shellcheck disable=SC2086
{
  expect 0 1 simulate trsm --size 16x1 --variant sweep $words
  says 'published: 30 = 2 (q 2^k - 1) (johnsson-1987, theorem 6.2)' 'time to: solution on the diagonal 30, then'
  expect 0 1 simulate trsm --size 16x1 --variant sweep --json $words
  says '"parts":[{"name":"solution on the diagonal","time":30.0,"end":30.0},' '"moved":[]'
  expect 0 1 simulate trsm --size 32x4 --variant sweep --to gray/cyclic:1,gray/cyclic:4@16x16 $words
  says 'published: 65 = max(2 2^k, 2R) (q - 1) + 2 2^k + R - 3 (johnsson-1987, theorem 6.3)' \
    'k = 4, q = 2, R = 4; here 65 = ' 'time to: solution on the diagonal 65, then'
  expect 0 1 simulate trsm --size 32x4 --variant identity $words
  says 'published: 15 = (q - 1) (2k + R - 1) + k (johnsson-1987, theorem 6.4)' \
    'then solution on the diagonal 15, then solution where B lies'
  expect 0 1 simulate trsm --size 48x4 --variant product $words
  says 'published: 54 = q (q - 1) r 2^(k-1) + max((q - 1)/2, r) q + k - 1 (johnsson-1987, theorem 6.5)' \
    'then solution where B lies 45'
  ! grep -q 'moved:' stdout || complain "$what: something is moved"
  expect 0 1 simulate lu --size 16 --nrhs 0 --variant diagonal $words
  says 'published: 49 = (n^2 - (r+1)^2 + 5n - 3(r+1) + 4)/2 2^k + k - 3 (johnsson-1987, theorem 6.1' \
    'then elimination 30'
  expect 0 1 simulate qr --size 16 --nrhs 0 --variant givens $words
  says 'published: 49 = 3 (2^k - 1) + k (johnsson-1987, section 6.3' 'then elimination 45'
}
# A matrix in another layout is moved, and the plan says so.
expect 0 1 simulate trsm --size 16x1 --dims 4 --variant panels --layout gray/consecutive@4x4
says '    moved: operands brought by' 'solution brought back by' 'time to: operands brought'
# A paper's count stands beside the counted value, not in its place.
expect 0 1 simulate collective --name band-exchange --variant negotiated --distance 3 --dims 6 --words 7
says 'formula  none: the variant'"'"'s steps are counted' \
  'published  72: 2^(b+1) + 1 steps (varvarigos-1992, section 2.7), 9' \
  'letters  d = 6, m = 7, tau = 1, beta = 1, b = 2'
expect 0 1 simulate collective --name partial-exchange --variant matched --active 8 --dims 6 --json
is formula_value null
is published_value 56056.0
expect 0 1 simulate collective --name partial-exchange --variant v92 --active 8 --dims 6
says 'formula  32032 = 2^(d-1) (tau m + beta) (varvarigos-1992, chapter 2, theorem 5 (total exchange))' \
  'steps (varvarigos-1992, section 3.7), 56'
# The letters of a formula are explained.
expect 0 1 simulate collective --name broadcast --variant sw90-4 --dims 9 --words 2835 --alpha 3
says 'formula  516 = (d+g-1)(tau m / (d g) + beta)' 'letters  d = 9, m = 2835, tau = 1, beta = 3, g = 35'
expect 0 1 simulate collective --name scatter --variant sw90-2 --dims 5 --words 960
says ', k = 3, c = 60/29'
# Rotations by any number of places.
expect 0 1 simulate collective --name permute --variant rotate-disjoint --distance 6 --dims 4 --words 12
says 'letters  d = 4, m = 12, tau = 1, beta = 1, g = 6, h = 4, i = 6'
refused 2 'out of memory: 81920000000 bytes on rank 0, 8.389e+13 with the other ranks here' 1 \
  simulate collective --name exchange --dims 10 --words 10000000
refused 2 'a line cannot be rotated by 16 on this cube; give 0 to 15' 1 simulate collective --name permute \
  --variant rotate-powers --distance 16 --dims 4
# Theorem 3.1: the count beside the paper's.
for code in binary gray; do
  expect 0 1 simulate convert --dims 5 --size 8192x1 --layout "$code/consecutive@32x1" \
    --to "$code/cyclic:1@32x1" --variant waves --alpha 0 --beta 1 --json
  is time 132.0
  is steps_counted 132
  case $(value published) in
    '132 = N/2^(k+1) + k - 1 (johnsson-1987'*) ;;
    *) complain "waves: published is $(value published)" ;;
  esac
done
expect 0 1 simulate convert --dims 4 --size 16 --layout binary/consecutive --to binary/cyclic:1 \
  --variant waves --alpha 0 --beta 1
says 'published: 11 = 2^(2(n-k)-1) + 2k - 1 (johnsson-1987, theorem 3.2)'
expect 0 1 explain convert --size 64x64 --ranks 4 --layout binary/consecutive \
  --to binary/cyclic:1 --variant waves
says 'published: 513 = 2^(2(n-k)-1) + 2k - 1'
# The links of the path are taken: among 8 x 8 nodes 4 blocks cross one, 3 links one after the
# other.
expect 0 1 simulate transpose --dims 6 --size 256 --variant direct --alpha 100 --beta 1 --dry --json
is time "$((7 * (100 + 1024))).0"
# Every variant of redistribution: the counts are the predicted ones, dry as with data.
for words in 'convert direct 24x9' 'convert moves 24x9' 'convert multiphase 24x9' \
  'transpose direct 9x24' 'transpose transpose-recursive 24x9' 'transpose transpose-mesh 7x30'; do
  # shellcheck disable=SC2086
  set -- $words
  expect 0 1 simulate "$1" --variant "$2" --size "$3" --dims 4 --layout gray/cyclic:3 \
    --to gray/cyclic:3 --type z --json
  is variant "$2"
  for count in steps messages words; do
    is ${count}_counted "$(value ${count}_predicted)"
  done
  is residual 0.0
  time=$(value time)
  expect 0 1 simulate "$1" --variant "$2" --size "$3" --dims 4 --layout gray/cyclic:3 \
    --to gray/cyclic:3 --type z --json --dry
  is time "$time"
done
# A word a second on each link: theorems 4.1, 4.4, corollaries 4.1, 4.2, MATRIX TRANSPOSITION.
for words in 'recursive 67' 'paths 33' 'torus 130' 'torus-paths 66' 'mesh 195'; do
  expect 0 1 simulate transpose --variant "transpose-${words% *}" --size 32 --dims 4 \
    --layout gray/consecutive --alpha 0 --beta 1 --json
  is time "${words#* }.0"
done
# The same between rows and columns: by rows (SW90), corollary 3.5.
for words in 'rows 160 400' 'pipelined 32 20'; do
  # shellcheck disable=SC2086
  set -- $words
  expect 0 1 simulate transpose --variant "transpose-$1" --size "$2" --dims 5 \
    --layout binary/consecutive@32x1 --alpha 0 --beta 1 --json
  is time "$3.0"
done
# Blocks between other shapes (PERMUTED SEND): 128 words on 32 nodes in parts of whole words; 800
# words, which 5 2^5 divides; and the unasked choice, dry as with data.
for words in '4x8 8x4 5 64 0 130' '2x16 16x2 5 160 10 900' '8x2 2x8 4 64 0 256' '2x8 8x2 4 64 10 336'; do
  # shellcheck disable=SC2086
  set -- $words
  for kind in transpose turn; do
    expect 0 1 simulate $kind --size "$4" --dims "$3" --layout "binary/consecutive@$1" \
      --to "binary/consecutive@$2" --alpha "$5" --beta 1 --json
    is variant "$kind-permuted"
    is time "$6.0"
    is residual 0.0
    is words_counted "$(value words_predicted)"
  done
done
# Turns (SW90, section 10): 64 words a node, a start takes 10; half a turn is inversion.
for words in 'left binary rings 84' 'right gray pairs 104' 'half binary rings 104' 'half gray rings 84'; do
  # shellcheck disable=SC2086
  set -- $words
  expect 0 1 simulate turn --by "$1" --size 32 --dims 4 --layout "$2/consecutive@4x4" \
    --alpha 10 --beta 1 --json
  is variant "turn-$3"
  is time "$4.0"
  is residual 0.0
  is by "$1"
  is words_counted "$(value words_predicted)"
done
expect 0 1 simulate collective --name permute --variant inversion --dims 4 --words 64 --alpha 10 --beta 1 --json
is time 104.0
# Packets that leave as soon as they can: ARBITRARY SEND 3, DISTRIBUTE 2.
for words in '9 648' '10 720'; do
  expect 0 1 simulate collective --name permute --variant arbitrary-3 --distance 2 \
    --dims "${words% *}" --words "${words#* }" --alpha 23 --beta 1 --json
  is time 258.0
  is formula_value 258.0
done
for words in '3 48 226' '5 480 5955' '7 3360 121923'; do
  # shellcheck disable=SC2086
  set -- $words
  expect 0 1 simulate collective --name scatter --variant sw90-2 --dims "$1" --words "$2" \
    --alpha 1 --beta 2 --json
  is time "$3.0"
  is formula_value "$3.0"
done
# Links that are negotiated once for all 256 nodes.
expect 0 1 simulate collective --name band-exchange --variant negotiated --distance 3 --dims 8 \
  --words 8 --alpha 1 --beta 0 --json
is time 9.0
is steps_counted 9
expect 0 1 simulate collective --name band-broadcast --variant negotiated --distance 2 --dims 8 \
  --words 8 --alpha 1 --beta 0 --json
is time 5.0
is steps_counted 5
# A quarter turn by rows is a complete exchange: 160^2 / 2^6 words.
expect 0 1 simulate turn --size 160 --dims 5 --variant transpose-rows \
  --layout binary/consecutive@32x1 --alpha 10 --beta 1 --json
is time 450.0
expect 0 1 simulate turn --size 17x23 --dims 5 --type z --by right --json
is residual 0.0
expect 0 1 explain turn --size 30x40 --by half --layout gray/cyclic --json
is by half
says 'turned half'
expect 0 4 bench turn --size 33x20 --by right --repeat 1 --json
is by right
is residual 0.0
# Dense columns and rows: a partial exchange and a partial gather (Varvarigos 1992, 3.1).
expect 0 1 simulate transpose --size 16 --dims 4 --layout binary/cyclic@1x16 --dense 3,9/1 \
  --variant transpose-dense --alpha 1 --beta 0 --json
is steps_counted 8
wrong 'rising order' 1 simulate transpose --size 16 --dims 4 --dense 9,3/
# A band of 2^(b+1) + 1 in 2^b steps (Varvarigos 1992, chapter 2, theorem 6).
expect 0 1 simulate transpose --variant transpose-band --size 64 --dims 6 --band 8 \
  --layout 'binary-gray:3/cyclic@[]x[2,1,0,5,4,3]' --alpha 0 --beta 1 --json
is time 8.0
is steps_counted 8
is residual 0.0
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 9, 9, 27
  for (i = 0; i < 9; i++) for (j = 8; j <= 10; j++) print i + 1, (i + j) % 9 + 1, i + j / 9 }' >band.mtx
for p in 1 ${full:+2} 4; do
  expect 0 "$p" transpose band.mtx --band 1 --layout gray/consecutive@1x$p -o band-t.mtx
  expect 0 "$p" transpose band-t.mtx --band 1 --to gray/cyclic -o band-tt.mtx
  expect 0 "$p" convert band.mtx -o band-1.mtx
  near band-1.mtx band-tt.mtx
done
refused 2 'must be square' 4 transpose c.mtx --band 3 -o out.mtx
expect 0 1 simulate transpose --size 40 --dims 4 --variant all
says '* ' ' transpose-torus-paths' 'does not apply'
refused 2 'convert needs --size N or MxN, and --to' 1 simulate convert --size 9
refused 2 'a dry simulation has no data' 1 simulate gauss-jordan --dims 2 --size 30 --dry
refused 2 'gemm needs --size' 1 simulate gemm --dims 2
refused 2 "has no variant 'telepathy'" 1 simulate gemm --size 9 --variant telepathy
wrong '--dims is `21' 1 simulate gemm --size 9 --dims 21
for p in $odd; do
  expect 0 "$p" bench collective --name exchange --variant standard --words 5 --repeat 3 --json
  is ranks "$p"
  is messages_counted "$(value messages_predicted)"
  is machine default
  below seconds_predicted 1
done
# All ranks take part, beside MPI's own, unless words ask for a cube's.
for name in allgather permute; do
  expect 0 3 bench collective --name $name --words 5 --repeat 2
  says 'ring:3/' '3 nodes'
done
expect 0 3 bench collective --name allgather --words 5 --repeat 2
says 'mpi ' 'times as long'
expect 0 3 bench collective --name allgather --variant b91 --words 5 --repeat 2
says '2 nodes'
expect 0 3 bench collective --name window --distance 1 --words 5 --repeat 2
says '2 nodes'
for p in $even; do
  expect 0 "$p" bench gemm --size 40x30x20 --type z --repeat 2 --json
  is op gemm
  is chosen true
  is k 20
  is repeat 2
  is words_counted "$(value words_predicted)"
  below fraction 1000
  below residual 1
  more "$p" || continue
  expect 0 "$p" bench trsm --size 40x30 --side right --repeat 1 --json
  is op trsm
  expect 0 "$p" bench cholesky --size 40 --nrhs 3 --repeat 1 --json
  is op cholesky
  expect 0 "$p" bench lu --size 40 --nrhs 3 --repeat 1 --json
  is op lu
  is nrhs 3
  below residual 1
done
for product in symm hemm trmm syrk herk; do
  p=3
  few $p || p=1
  expect 0 $p bench $product --size 40x30 --type c --triangle upper --repeat 2 --json
  is op $product
  is triangle upper
  is words_counted "$(value words_predicted)"
  below residual 1
  expect 0 1 simulate $product --size 40x30 --dims 3 --variant all
  expect 0 1 simulate $product --size 400x300 --dims 3 --dry --json
  is words_counted "$(value words_predicted)"
  expect 0 1 explain $product --size 40x30 --ranks 8
  says '; its lower triangle is '
done
expect 0 4 bench trmm --size 40x30 --side right --transpose --repeat 1 --json
is side right
is k 30
below residual 1
for p in $odd; do
  expect 0 "$p" bench convert --size 40x30 --layout gray/cyclic:3 --to binary/consecutive \
    --type s --repeat 2 --json
  is op convert
  is m 40
  is n 30
  is repeat 2
  is chosen true
  array=$(case $p in 8) echo 2x4 ;; 4 | 5) echo 2x2 ;; 2 | 3) echo 1x2 ;; *) echo 1x1 ;; esac)
  is layout_from "gray/cyclic:3@$array"
  is words_counted "$(value words_predicted)"
  is messages_counted "$(value messages_predicted)"
  is residual 0.0
  below seconds_copy 1
  below ratio 100000
  more "$p" || continue
  expect 0 "$p" bench transpose --size 30x40 --type z --conjugate --repeat 1 --json
  is op transpose
  is conjugate true
  is residual 0.0
done
expect 0 1 simulate transpose --size 30x40 --type c --conjugate --dims 2 --json
is conjugate true
is residual 0.0
expect 0 1 explain transpose --size 30x40 --layout gray/cyclic --conjugate --json
is layout_from gray/cyclic@2x2
expect 0 4 bench transpose --size 33 --layout binary/cyclic:3 --variant all --repeat 1
says 'from binary/cyclic:3@2x2 to binary/cyclic:3@2x2'
for variant in direct moves multiphase transpose-recursive transpose-paths; do
  says " $variant"
done
says 'variant transpose-rows of redistribute does not'
refused 2 'convert needs --size N or MxN, and --to LAYOUT' 2 bench convert --size 9
wrong '--to is no option of gemm' 1 bench gemm --size 9 --to gray/cyclic
wrong '--conjugate is no option of convert' 1 bench convert --size 9 --to gray/cyclic --conjugate
expect 0 4 bench gemm --size 33 --variant all --repeat 1
for variant in $("$hyla" info --json | tr '{}' '\n\n' |
  sed -n 's/.*"op":"gemm","variant":"\([^"]*\)".*/\1/p'); do
  says " $variant"
done
for p in $alone; do
  refused 2 'gemm needs --size N or MxNxK' "$p" bench gemm
  refused 2 'ldl needs --size N' "$p" bench ldl --size 3x4
  for shape in 40x90 90x40; do
    expect 0 "$p" bench qr --size $shape --repeat 1 --type c --json
    below residual 1
  done
  refused 2 "has no variant 'telepathy'" "$p" bench gemm --size 9 --variant telepathy
  wrong "--type is \`q'; give s, d, c or z" "$p" bench gemm --size 9 --type q
  wrong "--size is \`-5'; give numbers from 1" "$p" bench gemm --size -5
  wrong "--size is \`99999999999999999999'" "$p" bench gemm --size 99999999999999999999
  wrong "--repeat is \`0'; give a whole number from 1 to" "$p" bench gemm --size 9 --repeat 0
  wrong '--words is no option of gemm' "$p" bench gemm --size 9 --words 7
  wrong '--nrhs is no option of gemm' "$p" simulate gemm --size 9 --nrhs 7
  wrong '--size is no option of collective' "$p" bench collective --name scatter --size 9
  wrong '--transpose is no option of symm' "$p" bench symm --size 9 --transpose
  wrong '--side is no option of gemm' "$p" simulate gemm --size 9 --side left
  wrong '--measure is no option of lu' "$p" bench lu --size 9 --measure
  wrong '--to is no option of lu' "$p" explain lu --size 9 --to gray/cyclic
  wrong "--alpha is \`nan'; give a time from 0" "$p" simulate gemm --size 9 --alpha nan
  wrong "--ports is \`three'; give one or all" "$p" simulate gemm --size 9 --ports three
  wrong "--ranks is \`5000000'; give a whole number from 1 to" "$p" explain gemm --size 9 \
    --ranks 5000000
  refused 2 'the root is 8; give a node from 0 to 7' "$p" simulate collective --name broadcast \
    --root 8 --dims 3
  refused 2 'more than 2^31 rows or columns; use more ranks' "$p" bench gemm --size 30000000000
  refused 2 'the root is 3; allgather has none' "$p" simulate collective --name allgather --root 3
  refused 2 'the distance is 2; broadcast has none' "$p" simulate collective --name broadcast \
    --distance 2
  refused 2 '5 active nodes are given; gather has all nodes' "$p" simulate collective --name gather \
    --active 5
  refused 2 'no collective' "$p" simulate collective --name gossip
  refused 2 "no collective 'brodcast' (did you mean 'broadcast'?)" "$p" simulate collective --name brodcast
  refused 2 'has no variant' "$p" bench collective --name scatter --variant telepathy
  refused 2 'which collective' "$p" bench collective
  refused 2 'is not known here' "$p" simulate weather --name broadcast
  wrong "--words is \`many'" "$p" simulate collective --name broadcast --words many
done

# ---- machines ----

for p in $odd; do
  expect 0 "$p" machine -o "m$p.machine" --json
  [ -s stderr ] && complain "$what: there is something on standard error"
  is op machine
  is ranks "$p"
  is written "m$p.machine"
  below gamma 1
  grep -q '^alpha = ' "m$p.machine" || complain "$what: no alpha in the file"
  HYLA_MACHINE=m$p.machine
  export HYLA_MACHINE
  expect 0 "$p" info
  says "machine     $(sed -n 's/^name = //p' "m$p.machine"),"
  unset HYLA_MACHINE
done
expect 0 2 machine --repeat 2 --progress
says 'exchange of a long message' 'Gflop/s' 'alpha'
expect 0 1 machine --repeat 2
says 'On one node no message can be measured'
[ -z "$(find . -name '*.machine?*')" ] || complain "temporary files are left"
echo 'alpha = soon' >bad.machine
for p in $alone; do
  refused 2 'cannot write no/such/folder/x: No such file' "$p" machine -o no/such/folder/x
  refused 2 'repetitions; give 1 to 1000' "$p" machine --repeat 1001
  HYLA_MACHINE=bad.machine
  export HYLA_MACHINE
  refused 2 "bad.machine:1: alpha is 'soon'; give seconds" "$p" info
  HYLA_MACHINE=no-such-machine
  refused 2 'cannot read machine file no-such-machine: No such file' "$p" info
  HYLA_MACHINE=hypercub
  refused 2 "hypercub: No such file or directory (did you mean 'hypercube'?)" "$p" info
  unset HYLA_MACHINE
done
# The predicted time is the machine's: an operation a second.
HYLA_MACHINE=unit
export HYLA_MACHINE
expect 0 1 multiply c.mtx a.mtx --json
is machine unit
is seconds_predicted 52094.0
unset HYLA_MACHINE
# If ranks read in place, some variants take no workspace; the check must need none either.
HYLA_MEMORY=1
export HYLA_MEMORY
expect 0 4 info
if grep -q 'memory .* shared by 4 ' stdout; then
  expect 0 4 multiply a.mtx b.mtx --explain
  says 'not summa-a: does not apply: it takes' 'residual'
fi
refused 2 "the limit is 1" 4 multiply c.mtx a.mtx --variant cannon -o out.mtx
unset HYLA_MEMORY

# ---- layout ----

# The cube has the dimensions of --dims, however many ranks there are.
for p in $alone; do
  expect 0 "$p" layout --size 4x5 --dims 3 --layout gray/cyclic
  says 'gray/cyclic@2x4: 4 x 5 entries on a cube of 8 nodes' ' 1 | 4 5 7 6 4' ' 2 | 0 1 3 2 0'
  says '     7  111      1 3                         2'
  expect 0 "$p" layout --size 4x6 --ranks 6 --layout binary/cyclic
  says 'binary/cyclic@2x3: 4 x 6 entries on an array of 2 x 3 nodes' ' 0 | 0 1 2 0 1 2' \
    ' 1 | 3 4 5 3 4 5' '     4  1,1      1 3                         1 4                               4'
  expect 0 "$p" layout --size 7x2 --array 3x5 --layout 'binary/consecutive@[4,3]x[]' --json
  is layout 'binary/consecutive@[4,3]x[]'
  is array 3x5
  is copies 5
  expect 0 "$p" layout --size 8x8 --ranks 8 --json
  is dims 3
  is array ''
  refused 2 "--array takes rows x columns of all --ranks, as 2x3, not \`2x4'" "$p" \
    layout --size 4x4 --ranks 6 --array 2x4
  wrong "--array is \`2by3'; give rows x columns of nodes" "$p" layout --size 4x4 --array 2by3
  refused 2 '--ranks is 1025; layouts are shown on up to 1024 nodes' "$p" layout --size 4x4 --ranks 1025
  expect 0 "$p" layout --size 4x4 --dims 2 --layout 'binary/consecutive@[1]x[]:face' --json
  is op layout
  is layout 'binary/consecutive@[1]x[]:face'
  is dims 2
  is copies 1
  expect 0 "$p" layout --size 16x16 --dims 4 --layout gray/cyclic:2@2x2 --svg out.svg --json
  is copies 4
  # A cell for each entry, and the background; a circle for each node of the cube, with 4 links
  # each.
  [ "$(grep -c '<rect' out.svg)" -eq 257 ] || complain "$what: not 256 cells"
  [ "$(grep -c '<circle' out.svg)" -eq 16 ] || complain "$what: not 16 nodes"
  [ "$(grep -c '<path.*L' out.svg)" -eq 32 ] || complain "$what: not 32 links"
  tail -n 1 out.svg | grep -q '^</svg>$' || complain "$what: the picture is not complete"
  rm -f out.svg
  expect 0 "$p" layout --codes 4
  says '   1100          8      15      12      12' '   1000         15       8       8       8'
  says '      0        4    1.875        1       1' '      2        2      1.5        2       2'
  expect 0 "$p" explain collective --name exchange --phases --ranks 64 --words 4 --machine ipsc860
  says 'exchange on 64 nodes over circuits, machine ipsc860' '         6.3  (3,3)'
  says '32 bytes: (3,3) is the best of all 11 partitions, 0.008774 s'
  says '16    16.77    17.56    18.46    19.45    20.94     25.9  (6)' '5.263    8.774'
  says 'so is the best from 122.4 bytes on, and no longer than the standard one from 35.4 on'
  expect 0 "$p" explain collective --name exchange --phases --ranks 32 --words 4 --machine ipsc860
  says '7.861     8.24    8.631     9.07' 'so is the best from 94.8 bytes on'
  says '; the standard exchange is never the best'
  expect 0 "$p" explain collective --name exchange --phases --ranks 64 --words 4 --machine ipsc860 --json
  is op phases
  is partitions 11
  refused 2 '--phases is for the exchange' "$p" explain collective --name gather --phases
  expect 0 "$p" simulate collective --name exchange --variant multiphase --partition 2,3,1 --dims 6 \
    --words 100 --alpha 50 --beta 1
  says '  counted           11         11        13600' 'formula  14150 = sum(x in phases: '
  says "transmissions of a message: 1 (11 of a node's messages), 2 (31), 3 (21)"
  expect 0 "$p" simulate collective --name exchange --variant multiphase --partition 2,1 --dims 3 \
    --words 4:12:4,20 --json
  [ "$(grep -c '"partition":"2,1"' stdout)" -eq 4 ] || complain "$what: not four lengths"
  for words in 4 8 12 20; do
    grep -q "\"words\":$words,.*\"words_predicted\":$((10 * words))," stdout || complain "$what: no length $words"
  done
  refused 2 '2 phases of 5 dimensions; give each 1 or more, 6 in all' "$p" simulate collective \
    --name exchange --variant multiphase --partition 2,3 --dims 6
  wrong '--partition is `2,,3' "$p" simulate collective --name exchange --variant multiphase \
    --partition 2,,3 --dims 5
  expect 0 "$p" simulate collective --name exchange --distance 2-3 --dims 4 --words 5 --beta 2
  says 'exchange  variant v92, 5 words' 'formula  66 = max(L, sum(i = K ... L: C(d-1, i-1))) (tau m + beta)'
  says 'transmissions of a message: 2 (6 of a node'"'"'s messages), 3 (4)' 'time     66 with'
  expect 0 "$p" simulate collective --name exchange --tags 1,3,7 --dims 3 --words 5 --variant all --json
  [ "$(grep -c '"formula_value":18.0,.*"chosen":true,"tags":"1,3,7"' stdout)" -eq 1 ] || complain "$what: not one"
  grep -q '"transmissions":\[0,1,1,1\]' stdout || complain "$what: transmissions are missing"
  expect 0 "$p" simulate collective --name exchange --distance 2 --dims 4 --words 5
  says 'exchange  variant v92-band' 'formula  12 = 2^b (tau m + beta)'
  refused 2 'it exchanges with all nodes' "$p" simulate collective --name exchange --distance 2 --variant sw90
  refused 2 'distances from 1 to 4; give 1 <= nearest' "$p" simulate collective --name exchange \
    --distance 1-4 --dims 3
  refused 2 'distances are given; only the exchange takes them' "$p" simulate collective --name gather --distance 1-2
  wrong '--distance is `2-1'"'"'; give' "$p" simulate collective --name exchange --distance 2-1
  refused 2 'there is no tag 8 on this cube; give 1 to 7' "$p" simulate collective --name exchange \
    --tags 8 --dims 3
  refused 2 '3 is given twice' "$p" simulate collective --name exchange --tags 3,1,3 --dims 3
  wrong '--tags is `0'"'"'; give up to 1024 numbers from 1' "$p" simulate collective --name exchange --tags 0
  expect 0 "$p" simulate collective --name partial --variant v92-2 --active 7,2,5 --dims 3 --words 6
  says '(tau m / d + beta) (varvarigos-1992, chapter 3, theorem 8), counting steps for which nodes do not wait'
  says 'formula  21 = (2d + M-1 - popcount(M-1)) (tau m / d + beta)'
  refused 2 'active nodes are named; exchange has none' "$p" simulate collective --name exchange \
    --active 1,2
  expect 0 "$p" simulate collective --name active-ranks --active 7,2,5 --dims 3 --alpha 4
  says 'active-ranks  3 of 8 nodes are active' 'time     15 with alpha 4, beta 1 a word' 'formula  15 = d'
  says '       2         0' '       5         1' '       7         2'
  expect 0 "$p" simulate collective --name active-ranks --active 3 --dims 3 --json
  is time 6.0
  refused 2 'there is no node 8 on this cube' "$p" simulate collective --name active-ranks --active 1,8 --dims 3
  expect 0 "$p" simulate collective --name jacobi-sweep --dims 3
  says 'balanced          15        15        15' 'br                15        15        15'
  refused 2 'no more packets than words' "$p" simulate collective --name jacobi-sweep --words 4 --packets 5
  refused 2 'active-ranks takes only --active, --dims' "$p" simulate collective --name active-ranks --words 3
  expect 0 "$p" explain collective --name allgather --ranks 16 --bound --words 15 --alpha 1 --beta 1
  says '(bertsekas-1991, table 1)'
  expect 0 "$p" layout --embed fold --size 3x6
  says '3 x 6 mesh (fold): 18 points on a cube of 32 nodes' 'dilation 1, expansion 1.78'
  says ' 0 |  0  1  3  2  6  7' ' 2 | 24 25 27 26 30 31'
  expect 0 "$p" layout --embed heap --size 3
  says 'tree of 3 levels (heap): 7 points on a cube of 16 nodes'
  says '       5         2      12  1100            1'
  expect 0 "$p" layout --embed torus --size 3x4x2 --json
  is op embed
  is kind torus
  is dims 5
  is points 24
  is dilation 2
  is congestion 2
  expect 0 "$p" layout --embed naive --size 2x3x2x3
  says '2 x 3 x 2 x 3 mesh (naive): 36 points on a cube of 64 nodes' 'first coordinates 1, 2'
  # The most sides that a mesh may have, and one more.
  expect 0 "$p" layout --embed naive --size 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1
  says '1 x 1 mesh (naive): 1 point on a cube of 1 node'
  wrong '1x1'"'"'; give numbers from 1 joined by x' "$p" layout --embed naive \
    --size 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1
  expect 0 "$p" layout --embed mesh:2x2x2x2x2 --svg out.svg
  [ "$(grep -c '<circle' out.svg)" -eq 32 ] || complain "$what: not 32 points"
  expect 0 "$p" layout --embed mesh:5x9x3 --svg out.svg
  [ "$(grep -c '<circle' out.svg)" -eq 135 ] || complain "$what: not 135 points"
  # In planes of 9 x 3, and a key for each dimension.
  [ "$(grep -c '<path' out.svg)" -eq $((5 * (8 * 3 + 9 * 2) + 9)) ] || complain "$what: not all edges"
  grep -q '>4, from before: dimension 8<' out.svg || complain "$what: planes are not joined"
  tail -n 1 out.svg | grep -q '^</svg>$' || complain "$what: the picture is not complete"
  rm -f out.svg
  expect 0 "$p" layout --embed "graph:$source/tests/data/graph.mtx"
  says 'graph of 10 vertices and 15 edges on a cube of 16 nodes' 'dilation 4, at most 4'
  says '       0       0  0000              3         2'
  expect 0 "$p" layout --embed blocks:2,8,4,2
  says '4 blocks on a cube of 16 nodes' '       1       8       0       7  0***' '       3       2      14      15  111*'
  expect 0 "$p" layout --embed blocks:4,2 --json
  is dims 3
  wrong "--embed is \`graph'; give graph:FILE" "$p" layout --embed graph
  wrong "--embed is \`0'; give up to" "$p" layout --embed blocks:0
  refused 2 'block 1 is on 3 nodes; give powers of two' "$p" layout --embed blocks:4,3
  refused 2 "a graph's matrix is square" "$p" layout --embed "graph:$source/tests/data/loads.mtx"
  refused 2 'go with --json alone' "$p" layout --embed blocks:4 --dims 3
  expect 0 "$p" layout --network torus:4x6
  says 'torus:4x6: 24 nodes, at most 4 links from a node' 'links          48, each in both directions'
  says 'diameter       5' 'mean distance  2.5 (over' 'bisection      8, each in both directions'
  says '-- 18 -- 19 -- 20 -- 21 -- 22 -- 23 --'
  expect 0 "$p" layout --network torus:2x3
  says '-- 3 -- 4 -- 5 --' '   |    |    |'
  expect 0 "$p" layout --network array:2x3x4
  says 'coordinate 1' '12 -- 13 -- 14 -- 15' 'planes that follow each other are joined node by node'
  expect 0 "$p" layout --network folded:6 --json
  is op network
  is nodes 64
  is links 448
  is bisection 128
  is diameter 3
  is mean_distance 2.40625
  expect 0 "$p" layout --network enhanced:3/2
  says 'bisection      at most 9, counted one way' '   3  011                   2    1    7    0'
  expect 0 "$p" layout --network enhanced:10 --distances 3 --json
  is op distances
  grep -q '"dims":10,.*"formula_value":4.391' stdout || complain "$what: not the recursion"
  expect 0 "$p" layout --network symmetric:6 --distances 3
  says '   6         3' 'symmetric cubes, 3 of each size, seeds from 1'
  expect 0 "$p" layout --network permutation:6/5 --exchanges 20
  says 'bound N - 1' '       4           3-3           3-3             2            3'
  expect 0 "$p" layout --network ring:6 --exchanges 1 --json
  is op exchanges
  expect 0 "$p" layout --network enhanced:8 --permutations reversal,rotate:85
  says 'in fewer than (K+1)d/2 + 1 = 15 slots, K = 2.501' 'rotate:85 '
  expect 0 "$p" layout --network torus:3x5x2 --svg out.svg
  [ "$(grep -c '<circle' out.svg)" -eq 30 ] || complain "$what: not 30 nodes"
  [ "$(grep -c '<path d="M[^h]*Q' out.svg)" -eq 45 ] || complain "$what: not the links of three planes"
  rm -f out.svg
  refused 2 'network torus:4x: sides and dimensions are numbers joined by x' "$p" layout --network torus:4x
  refused 2 'more than 2^20 = 1048576 nodes' "$p" layout --network torus:99999x99999
  refused 2 'before the colon stands line, ring' "$p" layout --network mesh:3
  refused 2 'the text shows networks of up to 1024 nodes, 32 in a row; line:33 has 33' "$p" layout \
    --network line:33
  refused 2 'a picture shows networks of up to 128 nodes' "$p" layout --network cube:8 --svg out.svg
  refused 2 'is for networks that are drawn' "$p" layout --network cube:8 --distances 3
  refused 2 'up to 14 are played' "$p" layout --network pseudo:15 --distances 3
  refused 2 'exchanges are played on up to 1024' "$p" layout --network array:33x32 --exchanges 1
  refused 2 'is for enhanced cubes' "$p" layout --network cube:8 --permutations reversal
  refused 2 'up to 16 of reversal' "$p" layout --network enhanced:8 --permutations rotate:
  refused 2 '--network is needed' "$p" layout --distances 3
  refused 2 '--network goes with' "$p" layout --network cube:3 --dims 3
  wrong "--distances is \`0'" "$p" layout --network pseudo:3 --distances 0
  expect 0 "$p" layout --embed heap-complement:3
  says '       6         3      12  1100            1'
  expect 0 "$p" layout --embed paths:5,6 --dims 4
  says '2 of 2 links, 2 of 4' '    4  5 1 0 2 6' '    4  5 13 12 14 6'
  expect 0 "$p" layout --embed paths:5,6 --dims 4 --json
  is dims 4
  refused 2 'give two different ones from 0 to 7' "$p" layout --embed paths:5,8 --dims 3
  refused 2 'give two different ones from 0 to 7' "$p" layout --embed paths:5 --dims 3
  expect 0 "$p" simulate collective --name permute --variant paths --distance 2 --lost 0-1 --dims 4 --words 960
  says 'formula  385 = (g+l-1)(tau m / (p g) + beta)' 'g = 32, l = 4, p = 3'
  refused 2 'it does not go round lost links' "$p" simulate collective --name permute --variant corner-2 --lost 0-1
  refused 2 'there is no link 0-3 on this cube' "$p" simulate collective --name permute --variant paths --lost 0-3
  wrong '--lost is `0'"'"'; give links by their two nodes' "$p" simulate collective --name permute --lost 0
  expect 0 "$p" layout --embed compression --size 5x6 --closed
  says '5 x 6 torus (compression): 30 points on a cube of 64 nodes' 'dilation 4'
  wrong "--embed is \`bent'; give one of naive, torus, fold" "$p" layout --embed bent --size 3x4
  refused 2 'fold does not serve 3 x 4: the second side is a power of two already' "$p" \
    layout --embed fold --size 3x4
  refused 2 '--size is needed: the sides of a mesh' "$p" layout --embed naive
  refused 2 'are for matrices' "$p" layout --embed naive --size 3x4 --dims 5
  refused 2 'the text shows up to 4096 points, 64 in a row; this has 195 points' "$p" \
    layout --embed naive --size 3x65
  wrong "--size is \`4y4'" "$p" layout --size 4y4
  wrong "--codes is \`11'; give a whole number from 1 to 10" "$p" layout --codes 11
  refused 2 'the text shows matrices up to 64 x 64, this is 65 x 3; ask for --svg FILE' "$p" \
    layout --size 65x3
  refused 2 'a picture shows matrices up to 256 x 256, this is 3 x 257; a smaller' "$p" \
    layout --size 3x257 --svg out.svg
  refused 2 '--size ROWSxCOLUMNS is needed' "$p" layout --layout gray/cyclic
  refused 2 'up to 10 dimensions' "$p" layout --size 4x4 --dims 11
  refused 2 '"9" at character 14 is no dimension of the cube' "$p" \
    layout --size 4x4 --layout 'gray/cyclic@[9]x[]'
  refused 2 'cannot write no/such/folder/x: No such file' "$p" layout --size 4x4 \
    --svg no/such/folder/x
done

# ---- explanations ----

# Measurements are remembered for later runs on the same number of ranks.
expect 0 2 bench gemm --size 30 --repeat 1 --measure --wisdom here.wisdom --json
grep -q '"hyla wisdom": 1' here.wisdom || complain "$what: no wisdom is written"
expect 0 2 bench gemm --size 30 --repeat 1 --wisdom here.wisdom
says 'gemm 30 x 30'
expect 0 2 bench gemm --size 30 --repeat 1 --wisdom here.wisdom --json
grep -q 'as wisdom has it' stdout || complain "$what: wisdom is not asked"
expect 0 2 bench symm --size 30 --repeat 1 --wisdom here.wisdom --json
grep -q 'predicted to be the fastest' stdout || complain "$what: wisdom of gemm is taken"
echo '{' >bad.wisdom
refused 2 'wisdom bad.wisdom:2: ' 2 bench gemm --size 9 --wisdom bad.wisdom
refused 2 'measuring plans makes it' 2 bench gemm --size 9 --wisdom no.wisdom

expect 0 1 explain gemm --size 100 --ranks 64 --json
is lent_predicted 0
is op gemm
is ranks 64
is dims 6
is machine default
chosen=$(value variant)
seconds=$(value seconds_predicted)
expect 0 1 explain gemm --size 100 --ranks 64 --machine unit --variant "$chosen" --json
is machine unit
below "seconds_predicted" 1e9
[ "$(value seconds_predicted)" = "$seconds" ] && complain "$what: the machine makes no difference"
expect 0 1 explain gemm --size 100x7x30 --ranks 11 --type z
says 'gemm: variant ' 'not ' 'would be idle, as all 11 as' ' of 11 ranks (HYLA_ARRAY=' 'op(A) 100 x 30'
printf 'name = filed\nalpha = 1e-5\nbeta = 1e-9\ngamma = 1e-10\n' >filed.machine
expect 0 3 explain lu --size 50 --ranks 4 --nrhs 2 --machine filed.machine
says 'machine filed' 'lu: variant '
expect 0 1 explain convert --size 40x30 --to gray/cyclic --ranks 8
says 'redistribute: variant' 'machine default' '40 x 30 from'
expect 0 1 explain transpose --size 40x30 --ranks 16 --json
is layout binary/cyclic:8,binary/cyclic:10@4x4
says 'transposed'
# The iPSC/860 exchanges short messages in phases, long ones directly.
expect 0 1 explain collective --name exchange --words 5 --ranks 64 --machine ipsc860 --json
is variant multiphase
expect 0 1 explain collective --name exchange --words 1000 --ranks 64 --machine ipsc860 --json
is variant direct
# On a cube's links the predicted time is that of a run there, by the variant that is fastest there.
for problem in 'gemm --size 100' 'trsm --size 90x5' 'collective --name allgather'; do
  # shellcheck disable=SC2086
  expect 0 1 explain $problem --ranks 16 --machine hypercube --json
  seconds=$(value seconds_predicted)
  chosen=$(value variant)
  value plan | grep -q '"rehearsed":true' || complain "$what: nothing is rehearsed"
  # shellcheck disable=SC2086
  expect 0 1 simulate $problem --dims 4 --machine hypercube --dry --json
  is time "$seconds"
  is variant "$chosen"
  is seconds_predicted "$seconds"
done
expect 0 1 explain collective --name broadcast --words 100 --ranks 16 --machine hypercube --alpha 1 \
  --beta 1 --json
is variant sw90-4
is seconds_predicted 48.0
for machine in hypercube cluster node ipsc860; do
  expect 0 1 simulate collective --name scatter --dims 3 --words 50 --machine $machine --json
  is machine $machine
  is time "$(value seconds_predicted)"
done
is ports one
is switching circuit
printf 'name = mine\nalpha = 1\nbeta = 1\ngamma = 0\nnetwork = cube\nports = one\n' >hypercube
expect 0 1 simulate collective --name scatter --machine ./hypercube --json
is machine mine
is ports one
is switching store
expect 0 1 simulate collective --name scatter --machine hypercube --ports one --json
is machine hypercube
is ports one
# A plan as data: all variants, and the plans that it runs as parts.
expect 0 1 explain gemm --size 60 --ranks 4 --variant cannon --layout binary/cyclic:3 --json
for words in '"operation":"gemm","variant":"cannon"' '"name":"summa"' '"plans":[{"operation":"redistribute"' \
  '"reason":"not asked for, and not priced"' '"words_in_place":0'; do
  value plan | grep -q -F -e "$words" || complain "$what: the plan does not say $words"
done
expect 0 4 multiply a.mtx b.mtx --json
value plan | grep -q -F '"chosen":true' || complain "$what: nothing is chosen"
# Does it fit?  If the fastest variant does not, one with less memory is taken.
expect 0 1 explain solve --size 20000 --ranks 16 --memory 64G
says 'fits: a rank may take 64.0 GiB' 'lu: variant' 'at most'
expect 1 3 explain solve --size 20000 --ranks 16 --memory 64M
says 'does not fit: a rank may take 64.0 MiB'
expect 0 1 explain gemm --size 2000 --ranks 16 --variant cannon --json
is fits absent
much=$(value rank_bytes)
for machine in default hypercube; do
  expect 0 1 explain gemm --size 2000 --ranks 16 --memory $((much - 1)) --machine $machine --json
  is fits true
  is limit_bytes $((much - 1))
  [ "$(value rank_bytes)" -lt "$much" ] || complain "$what: it takes as much"
  [ "$(value variant)" = cannon ] && complain "$what: the limit makes no difference"
  expect 1 1 explain gemm --size 2000 --ranks 16 --memory 6M --machine $machine --json
  is fits false
  [ "$(value total_bytes)" -ge 96000000 ] || complain "$what: the matrices are missing"
done
wrong "--memory is \`much'; give a number of bytes, as in 64G" 1 explain gemm --size 9 --memory much
expect 0 1 explain solve --size 50 --method ldl --ranks 4 --json
is op solve
is method ldl
for p in $alone; do
  refused 2 'bad.machine:1: alpha' "$p" explain gemm --size 9 --machine bad.machine
  refused 2 'gemm needs --size' "$p" explain gemm
  refused 2 'convert needs --size N or MxN, and --to' "$p" explain convert --size 9
  refused 2 'transpose needs --size' "$p" explain transpose
  refused 2 'turn needs --size' "$p" explain turn
  refused 2 'which collective' "$p" explain collective
  refused 2 'is not known here' "$p" explain weather
done

# ---- generate ----

for p in $odd; do
  expect 0 "$p" generate hilbert --size 3 -o hilbert.mtx
  says 'hilbert, 3 x 3 double' 'positive definite' 'written   hilbert.mtx'
  expect 0 "$p" generate randsvd-log --size 23x17 --type z --seed 5 -o "random-$p.npy" --json
  is kind randsvd-log
  is type 'double complex'
  is m 23
  is n 17
  is known null
  is seed 5
  is written "random-$p.npy"
  cmp -s random-1.npy "random-$p.npy" || complain "$what: another matrix than on one rank"
  more "$p" || continue
  expect 0 "$p" generate gfpp --size 20 --json
  is known '{"rectangular":false,"random":false,"symmetric":false,"hermitian":false,"definite":false,"unitary":false,"grows":true,"lower":19,"upper":19,"rank":20,"condition":null,"growth":524288.0}'
  is norm_one 20.0
  refused 2 "there is no kind \`hilbertt' (did you mean \`hilbert'?); --list shows" "$p" generate hilbertt --size 4 -o out.mtx
  refused 2 'KIND is missing' "$p" generate -o out.mtx
  refused 2 '--size is needed: N or MxN' "$p" generate frank -o out.mtx
  refused 2 '--size is needed: N or MxN' "$p" generate frank --size 2x3x4 -o out.mtx
  refused 2 'frank is a kind of square matrices; --size is 4x5' "$p" generate frank --size 4x5 -o out.mtx
  refused 2 'is too large for type s; take a smaller size' "$p" generate invhilb --size 40 --type s \
    -o out.mtx
  wrong 'too many arguments' "$p" generate frank pei --size 3
done
printf '%s\n' '%%MatrixMarket matrix array real general' '3 3' 1 0.5 0.33333333333333331 \
  0.5 0.33333333333333331 0.25 0.33333333333333331 0.25 0.20000000000000001 >expected.mtx
cmp -s hilbert.mtx expected.mtx || complain 'hilbert.mtx is not the Hilbert matrix of order 3'
expect 0 2 generate singular --size 9 -o made.mtx
expect 1 3 solve made.mtx --json
is pivot 8
expect 0 4 generate --list --json
is n 100
for kind in hilbert kahan frank randsvd-geometric gfpp foster wright singular tiny huge; do
  value kinds | grep -q "\"kind\":\"$kind\"" || complain "$what: $kind is not listed"
done

# ---- use ----

for p in $alone; do
  expect 2 "$p"
  wrong "too many arguments: \`c.mtx'" "$p" solve a.mtx b.mtx c.mtx
  wrong "unrecognized option '--no-such-option'" "$p" solve a.mtx --no-such-option
  wrong 'too few arguments' "$p" multiply
  refused 2 'give A.mtx B.mtx' "$p" multiply a.mtx
done
for p in 1 4; do
  wrong 'too few arguments: A.mtx [B.mtx] is needed' "$p" solve
  refused 2 "no subcommand \`sovle'" "$p" sovle
  expect 0 "$p" --version
  says "hyla "
  [ "$(wc -l <stdout)" -eq 1 ] || complain "$what: more than one line"
done
expect 0 4 solve --help
says '--layout' 'A.mtx [B.mtx]' '--json'
expect 0 4 info
says 'variants of gemm' 'variants of lu' 'machines known by name' ' ipsc860 '
grep -q '[a-z]johnsson' stdout && complain "$what: the columns do not stand apart"

# A vector b gives a vector x, and a column gives a column; NumPy's header tells them apart.
printf '%s\n' '%%MatrixMarket matrix array real general' '61 1' >ones.mtx
awk 'BEGIN { for (i = 0; i < 61; i++) print 1 }' >>ones.mtx
expect 0 1 convert ones.mtx -o column.npy
sed "1s/'shape': (61, 1), }/'shape': (61,), }  /" column.npy >vector.npy
for p in $even; do
  expect 0 "$p" solve a.mtx vector.npy -o x.npy
  grep -q -a -F "'shape': (61,)" x.npy || complain "$what: x has not one dimension"
  more "$p" || continue
  expect 0 "$p" solve a.mtx x.npy # is read again
  expect 0 "$p" solve a.mtx column.npy -o x.npy
  grep -q -a -F "'shape': (61, 1)" x.npy || complain "$what: x has not two dimensions"
done

# No subcommand overwrites its input.
cp a.mtx input.mtx
for words in 'solve input.mtx b.mtx' 'invert input.mtx' 'trsm input.mtx b.mtx' \
  'multiply input.mtx a.mtx' 'multiply a.mtx input.mtx' 'transpose input.mtx' 'convert input.mtx'; do
  # shellcheck disable=SC2086
  expect 2 1 $words -o input.mtx
  grep -q -F 'is input.mtx, which is read; give --force' stderr || complain "$what: $(cat stderr)"
  cmp -s a.mtx input.mtx || complain "$what: it was written over"
done

# Suggestions for misspelled words.
wrong "unrecognized option '--metod' (did you mean" 1 solve a.mtx --metod lu
wrong "--method is \`cholesk' (did you mean \`cholesky'?)" 1 solve a.mtx --method cholesk
refused 2 "there is no subcommand \`sovle' (did you mean \`solve'?)" 1 sovle
refused 2 "lu has no variant 'partail' (did you mean 'partial'?)" 1 solve a.mtx --variant partail
refused 2 "\`gem' is not known here (did you mean \`gemm'?)" 1 bench gem --size 9
refused 2 "there is no topic \`file' (did you mean \`files'?)" 1 help file
HYLA_VARIANT=lu:partail
export HYLA_VARIANT
refused 2 "did you mean 'partial'?" 1 info
unset HYLA_VARIANT

# narrow LINES: the last run's output fits in LINES lines of 80 columns.
narrow() {
  awk -v most="$1" 'length > 80 { exit 1 } END { exit NR == 0 || NR > most }' stdout ||
    complain "$what: more than $1 lines of 80 columns"
}
for subcommand in $("$hyla" --help | sed -n 's/^  hyla \([a-z]*\)  .*/\1/p'); do
  expect 0 1 "$subcommand" --help
  narrow 24
  expect 0 1 help "$subcommand"
  says "Usage: hyla $subcommand" '--json'
  narrow 120
done
expect 0 1 --help
narrow 28
expect 0 1 help bench
says 'OPERATION: gemm symm'
refused 2 'did you mean `--layout' 1 help --layuot
refused 2 'did you mean `solve' 1 help slove
expect 0 1 help --side
says 'Where A stands'
for topic in files environment ranks variants; do
  expect 0 1 help $topic
  narrow 24
done
for words in 'solve a.mtx b.mtx -o x.mtx' 'solve a.mtx --refine mixed' 'solve units.mtx --equilibrate' \
  'solve exact.mtx --method lu --refine mixed' 'factor a.mtx' 'invert a.mtx' \
  'trsm lower.mtx b.mtx' 'multiply c.mtx a.mtx' 'multiply a.mtx b.mtx --as hemm' 'transpose a.mtx' \
  'turn a.mtx' \
  'convert a.mtx' 'bench gemm --size 50' 'bench lu --size 50' 'bench transpose --size 50' \
  'bench solve --size 50'; do
  # shellcheck disable=SC2086
  expect 0 1 $words
  narrow 10
done

# completed WORD...: bash's completions of the last word.
completed() {
  bash -c '. "$0"; COMP_WORDS=(hyla "$@"); COMP_CWORD=$#; _hyla; echo "${COMPREPLY[*]}"' \
    "$work/completion" "$@"
}
"$hyla" completion bash >completion || complain 'hyla completion bash: fails'
"$hyla" completion zsh >zcompletion && grep -q '^#compdef hyla$' zcompletion ||
  complain 'hyla completion zsh: is none'
# offered PLACE WORD...: the words that zsh's own functions receive for the word at that place.
offered() {
  zsh -f -c 'compadd() { print -rl -- $*; }; _arguments() { print -rl -- $*; }; CURRENT=$1; shift
    words=(hyla $*); . ./zcompletion' zsh "$@"
}
if command -v zsh >/dev/null 2>&1; then
  offered 2 mult | grep -q -x multiply || complain 'zsh: no multiply'
  offered 3 factor --meth | grep -q '^--method=.*(lu cholesky ldl' || complain 'zsh: no methods'
  offered 3 solve --le | grep -q '^--lower' && complain 'zsh: solve has an option of factor'
fi
while IFS=: read -r words wanted; do
  # shellcheck disable=SC2086
  found=$(completed $words)
  [ "$found" = "$wanted" ] || complain "hyla $words is completed to '$found', not '$wanted'"
done <<'END'
mult:multiply
solve --meth:--method
solve --method chol:cholesky
solve --method = chol:cholesky
trsm --side l:left
bench trs:trsm
generate hilb:hilbert
solve two.m:two.mtx
END

# One rank of a launcher; without a launcher.
timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 1 "$hyla" solve a.mtx --json >stdout 2>stderr </dev/null ||
  complain "$MPIEXEC -n 1 hyla solve: fails"
is ranks 1
for words in --help --version 'info' 'info --json' 'solve --help' 'multiply --help' \
  'convert --help' 'transpose --help' 'turn --help' 'simulate --help' 'bench --help' 'machine --help' \
  'explain --help' 'layout --help' 'layout --size 4x4' 'generate --help' 'generate --list' \
  'simulate collective --name broadcast'; do
  what="hyla $words"
  checks=$((checks + 1))
  # shellcheck disable=SC2086
  timeout -k 5 $((60 * patience)) "$hyla" $words >stdout 2>stderr </dev/null || complain "$what: fails"
  [ -s stdout ] || complain "$what: prints nothing"
done

# Closed streams become /dev/null, not the first file or connection that is opened.
"$hyla" convert a.mtx -o open.npy >stdout 2>stderr || complain 'hyla convert: fails'
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
  rm -f closed.npy
  eval "timeout -k 5 $((60 * patience)) '$hyla' convert a.mtx -o closed.npy $closed" >stdout 2>stderr ||
    complain "hyla convert $closed: exit status $?"
  cmp -s open.npy closed.npy || complain "hyla convert $closed: writes something else"
done
if [ -w /dev/full ]; then
  timeout -k 5 $((60 * patience)) "$hyla" info >/dev/full 2>stderr
  [ $? -eq 2 ] || complain "hyla info to a full disk: exit status is not 2"
fi

echo "test_command: $checks runs, $failures failed"
exit $((failures > 0))
