#!/bin/sh
# A bit flips on the way between two ranks.  Without checks of messages the command's own check at
# the end reports that the answer is wrong; checks of results report and correct it; --verify names
# the message and ends the job.  No wrong result is written.  If the flip makes a definite matrix
# look indefinite, a check says so.  `hyla factor --verify' finds flips in memory after A was read,
# or while its factors are written.  On four ranks too if HYLA_TEST_FULL is set.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
flip=$PWD/tests/tools/flip.so
[ -e "$flip" ] || skip 'flip.so is not built'
json=$PWD/tests/tools/json
# Reads in another rank's memory are no messages.
HYLA_PRIVATE=1 HYLA_TIMEOUT=10
export HYLA_PRIVATE HYLA_TIMEOUT
cd "$work" || exit 1

show=err

# run STATUS RANK AT P ARGUMENT...: hyla on P ranks ends with this status; a bit of this rank's
# message of 16 KB changes, of none if AT is 0.  The answer, if one is written, is x.npy.
run() {
  wanted=$1 rank=$2 at=$3 p=$4
  shift 4
  what="$* on $p ranks, message $at of rank $rank"
  rm -f x.npy
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$p" env LD_PRELOAD="$flip" HYLA_FLIP_RANK="$rank" HYLA_FLIP_AT="$at" \
    "$hyla" "$@" -o x.npy --json >out 2>err </dev/null
  status=$?
  [ $status -eq "$wanted" ] || complain "$what: exit status $status, not $wanted"
  [ -e x.npy ] && written=yes || written=no
}

# meet P: `at' becomes the first message of rank 1 that changes the answer of `job'.  Before a
# factorization by Cholesky A is compared with its mirror image.  A flip in a message of that
# comparison may change its result (status 2), or an entry that it does not read (the answer is
# right.npy).
meet() {
  at=1
  while [ $at -lt 9 ]; do
    rm -f x.npy
    # The words are options and names.
    # shellcheck disable=SC2086
    timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$1" env LD_PRELOAD="$flip" HYLA_FLIP_RANK=1 HYLA_FLIP_AT=$at \
      "$hyla" $job -o x.npy >out 2>err </dev/null
    case $? in
      0) cmp -s x.npy right.npy || return ;;
      2) ;;
      *) return ;;
    esac
    at=$((at + 1))
  done
  complain "$job on $1 ranks: no message of rank 1 changes the answer"
}

# said TEXT: the command prints one line with this text.
said() {
  # If a rank is late, the next one says the same once more.
  [ "$(grep '^hyla' err | sort -u | wc -l)" -eq 1 ] || complain "$what: not one line"
  grep -q -e "$1" err || complain "$what: no word of '$1'"
}

# counts DAMAGED CORRECTED
counts() {
  found=$("$json" faults <out | sed 's/.*"damaged":\([0-9]*\),"corrected":\([0-9]*\).*/\1 \2/')
  [ "$found" = "$1 $2" ] || complain "$what: damaged and corrected are $found, not $1 $2"
}

OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
"$hyla" generate random --size 203 -o a.npy >out 2>err || complain 'hyla generate: fails'
"$hyla" generate definite --size 203 -o d.npy >out 2>err || complain 'hyla generate: fails'

for p in 2 ${HYLA_TEST_FULL:+4}; do
  for job in 'multiply a.npy d.npy --variant summa' 'solve a.npy --method lu' 'solve d.npy --method cholesky'; do
    # The words are options and names.
    # shellcheck disable=SC2086
    set -- $job
    run 0 0 0 $p "$@"
    cp x.npy right.npy
    run 0 0 0 $p "$@" --verify
    counts 0 0
    cmp -s x.npy right.npy || complain "$what: another answer, by checks alone"

    meet $p
    run 1 1 $at $p "$@"
    said 'the answer is wrong'
    [ $written = no ] || complain "$what: a wrong answer is written"

    HYLA_CHECK_RESULTS=1 run 0 1 $at $p "$@"
    counts 1 1
    said 'wrong, and'
    [ $written = yes ] || complain "$what: nothing is written"

    run 2 1 $at $p "$@" --verify
    said 'message [0-9]* from rank 1 to rank [0-9]*, of [0-9]* bytes, is not what was sent'
    [ $written = no ] || complain "$what: a wrong answer is written"
  done
done

run 0 0 0 2 eig a.npy d.npy --verify
counts 0 0
run 2 1 1 2 eig a.npy d.npy --verify
said 'message [0-9]* from rank 1 to rank [0-9]*, of [0-9]* bytes, is not what was sent'
[ $written = no ] || complain "$what: wrong vectors are written"

# An entry of a message becomes so large that the rest of the matrix has no factors.
HYLA_FLIP_BIT=64
export HYLA_FLIP_BIT
job='solve d.npy --method cholesky'
meet 2
run 1 1 $at 2 solve d.npy --method cholesky
said 'is not positive definite\|is NaN or infinite'
HYLA_CHECK_RESULTS=1 run 0 1 $at 2 solve d.npy --method cholesky
counts 1 1
said 'at which the factorization failed: wrong, and right when computed again'

# factored STATUS CALL ARGUMENT...: hyla factor on two ranks; an entry of the matrix changes in the
# first call of this function of the library.
factored() {
  wanted=$1 call=$2
  shift 2
  what="factor $*, $call"
  rm -f l.npy u.npy p.npy
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 2 env LD_PRELOAD="$flip" HYLA_FLIP_CALL="$call" "$hyla" factor "$@" \
    --lower l.npy --upper u.npy --pivots p.npy >out 2>err </dev/null
  status=$?
  [ $status -eq "$wanted" ] || complain "$what: exit status $status, not $wanted"
}

# If the library is not a file of its own, its calls cannot be intercepted.
if ldd "$(dirname "$hyla")/.libs/hyla" 2>/dev/null | grep -q libhyla; then
  "$hyla" generate hermitian --size 203 -o h.npy >out 2>err || complain 'hyla generate: fails'
  for job in 'a.npy --method lu' 'd.npy --method cholesky' 'h.npy --method ldl'; do
    # The words are options and names.
    # shellcheck disable=SC2086
    set -- $job
    factored 0 none "$@" --verify
    grep -q 'product .*of what rounding may' out || complain "$what: no word of the product"
    factored 0 hyla_matrix_write "$@"
    factored 2 hyla_matrix_write "$@" --verify
    said 'the written factors are wrong: .*: row [0-9]* of the product of the factors is not that of A'
    [ "$1" = d.npy ] && continue
    factored 0 hyla_factor_compute "$@"
    factored 2 hyla_factor_compute "$@" --verify
    said 'row [0-9]* of the product of the factors is not that of A'
    [ -e l.npy ] && complain "$what: something is written"
  done
  factored 1 hyla_factor_compute d.npy --method cholesky
  said 'is not positive definite'
  factored 2 hyla_factor_compute d.npy --method cholesky --verify
  said 'd.npy has changed in memory since it was read, and then had no factors (.*definite.*); run it again'
fi

exit $((failures > 0))
