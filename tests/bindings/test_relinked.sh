#!/bin/sh
# The drop-in as users see it: a relinked program, the log of its calls, an unlinked one by
# LD_PRELOAD, the calls that are passed on and why, on grids that no cube has.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
[ -x examples/unchanged_scalapack ] || skip 'configure found no ScaLAPACK (apt-get install libscalapack-mpich-dev)'
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS

# run P N: the example, quietly or with its log in stderr.
run() {
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n "$1" examples/unchanged_scalapack "$2" >"$work/stdout" 2>"$work/stderr" \
    </dev/null || complain "n = $2 on $1 ranks: exit status $?: $(cat "$work/stderr")"
  grep -q 'INFO 0, error below 1e-8' "$work/stdout" || complain "n = $2 on $1 ranks: $(cat "$work/stdout")"
}

# logged WORD: the log's line of pdgesv has these words.
logged() { grep -q -E "^  pdgesv +$1" "$work/stderr" || complain "no '$1' in: $(cat "$work/stderr")"; }

run 2 100
[ -s "$work/stderr" ] && complain "without HYLA_LOG it says: $(cat "$work/stderr")"

HYLA_LOG=1
export HYLA_LOG
for p in 1 2 3 4 9; do
  HYLA_SCALAPACK_FROM=0 run $p 150
  logged '1 +[0-9.]+ +0 +0\.000$'
done
HYLA_SCALAPACK_FROM=151 run 2 150
logged '0 +0\.000 +1 +[0-9.]+  1 small$'
HYLA_SCALAPACK_FROM=0 HYLA_MEMORY=1k run 2 150
logged '0 +0\.000 +1 +[0-9.]+  1 no variant applies$'
HYLA_SCALAPACK_FROM=0 HYLA_MACHINE=nowhere run 2 150
logged '0 +0\.000 +1 +[0-9.]+  1 no cube$'
grep -q 'nowhere' "$work/stderr" || complain "it does not say why there is no cube: $(cat "$work/stderr")"

# A program that was linked without the drop-in: the copy in benchmarks is built on demand only, so
# this one names its own libraries again before ScaLAPACK.
dropin=.libs/libhyla_scalapack.so
[ -f "$dropin" ] || complain "no $dropin"
# The flags are words.
# shellcheck disable=SC2046
variable() { sed -n "s/^$1 = //p" Makefile; }
source=${srcdir:-$(dirname "$0")/../..}

# On 3 x 3 processes hyla gives up on 2 x 4 of them; nine ranks of ScaLAPACK's must not spin.
# shellcheck disable=SC2046
if $(variable CC) -O2 -shared -fPIC -o "$work/yield.so" "$source/tests/bindings/yield.c"; then
  HYLA_SCALAPACK_FROM=0 HYLA_MEMORY=1k LD_PRELOAD=$work/yield.so run 9 150
  logged '0 +0\.000 +1 +[0-9.]+  1 no variant applies$'
  HYLA_SCALAPACK_FROM=0 HYLA_MACHINE=nowhere LD_PRELOAD=$work/yield.so run 9 150
  logged '0 +0\.000 +1 +[0-9.]+  1 no cube$'
else
  complain 'tests/bindings/yield.c does not compile'
fi

# shellcheck disable=SC2046
if $(variable CC) -o "$work/plain" "$source/examples/unchanged_scalapack.c" \
  $(variable SCALAPACK_LIBS) -lm; then
  timeout -k 5 $((60 * patience)) env LD_PRELOAD="$PWD/$dropin" HYLA_SCALAPACK_FROM=0 "$MPIEXEC" -n 4 "$work/plain" 150 \
    >"$work/stdout" 2>"$work/stderr" </dev/null || complain "by LD_PRELOAD: exit status $?"
  grep -q 'INFO 0, error below 1e-8' "$work/stdout" || complain "by LD_PRELOAD: $(cat "$work/stdout")"
  logged '1 +[0-9.]+ +0 +0\.000$'
else
  complain 'the example does not compile without the drop-in'
fi
exit $((failures > 0))
