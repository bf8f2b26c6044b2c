#!/bin/sh
# Module hyla: tests/bindings/fortran.f90 and examples/fortran_solve.f90 run; the module's constants are
# those of hyla.h and hyla_lab.h.
# limit: 60
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
[ -f tests/bindings/fortran ] || skip 'configure found no Fortran compiler (apt-get install gfortran)'

variable() { sed -n "s/^$1 = //p" Makefile; }

for p in 1 3 4; do # embeddings want a cube
  HYLA_ARRAY=cube timeout -k 5 $((30 * patience)) "$MPIEXEC" -n $p tests/bindings/fortran </dev/null || complain "on $p ranks: exit status $?"
done
timeout -k 5 $((30 * patience)) "$MPIEXEC" -n 3 tests/bindings/fortran unchecked </dev/null >"$work/stdout" 2>"$work/stderr"
{ [ $? -eq 1 ] && grep -q '^hyla_dgesv: the matrix is singular: pivot 2 is exactly zero$' "$work/stderr" &&
  ! grep -q 'goes on' "$work/stdout"; } || complain "a status that is not looked at: $(cat "$work/stderr")"
timeout -k 5 $((30 * patience)) "$MPIEXEC" -n 4 examples/fortran_solve </dev/null >"$work/stdout"
grep -q '^largest error *[0-9.]*E-1[1-6]$' "$work/stdout" || complain "the example: $(cat "$work/stdout")"

# The program of the page.  The compiler and its flags are words.
sed -n '/^```fortran$/,/^```$/p' "$source/doc/from-fortran.md" | sed '/^```/d' >"$work/page.f90"
# shellcheck disable=SC2046
./libtool --silent --tag=FC --mode=link $(variable FC) -I. "$work/page.f90" -o "$work/page" \
  libhyla_fortran.la libhyla.la || complain 'doc/from-fortran.md: the program is not compiled'
timeout -k 5 $((30 * patience)) "$MPIEXEC" -n 3 "$work/page" </dev/null >"$work/stdout"
[ "$(grep -c '^largest error *[0-9.]*E-[01][0-9]$' "$work/stdout")" -eq 3 ] ||
  complain "doc/from-fortran.md: $(cat "$work/stdout")"

{
  echo '#include <hyla_lab.h>'
  cat "$source/bindings/fortran/hyla_constants.f90" bindings/fortran/hyla_methods.inc |
    grep -o 'HYLA_[A-Z_]* = [0-9]*' |
    sed 's/\(.*\) = \(.*\)/_Static_assert((int)\1 == \2, "\1");/'
} >"$work/constants.c"
[ "$(wc -l <"$work/constants.c")" -gt 40 ] || complain 'found hardly any constants'
# The flags are words.
# shellcheck disable=SC2046,SC2086
$(variable CC) -I"$source/include" -fsyntax-only "$work/constants.c" ||
  complain 'a constant of the module is not that of hyla.h'
exit $((failures > 0))
