#!/bin/sh
# configure refuses a BLAS or LAPACK whose integers have 64 bits: it asks the headers, and, if these
# do not tell, OpenBLAS itself.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
variable() { sed -n "s/^$1 = //p" Makefile; }
cc=$(variable CC) # as configure has set it
cd "$work" || exit 1

# refuses TEXT VARIABLE=VALUE...: with these words.
refuses() {
  text=$1
  shift
  "$source/configure" CC="$cc" --disable-probe "$@" >stdout 2>stderr </dev/null
  status=$?
  { [ $status -eq 1 ] && grep -q -F -e "error: $text" stderr &&
    grep -q 'is built for integers of 64 bits, hyla for those of 32' stderr; } || {
    echo "test_configure: $*: exit status $status: $(tail -n 5 stderr)"
    failures=$((failures + 1))
  }
}

mkdir blas lapack
echo 'char *openblas_get_config(void);
void cblas_dscal(const long n, const double alpha, double *x, const long stride);' >blas/cblas.h
echo '#define lapack_int long
lapack_int LAPACKE_zgetrf_work(int order, lapack_int m);' >lapack/lapacke.h
echo 'char *openblas_get_config(void) { return "OpenBLAS 0.3.21 NO_LAPACKE USE64BITINT Haswell"; }' >wide.c
# The compiler's name may have arguments.
# shellcheck disable=SC2086
$cc -shared -fPIC wide.c -o libwide.so || exit 1
refuses 'cblas.h (OPENBLAS_CFLAGS)' OPENBLAS_CFLAGS="-I$work/blas" OPENBLAS_LIBS=-lopenblas
refuses 'lapacke.h (LAPACKE_CFLAGS)' LAPACKE_CFLAGS="-I$work/lapack" LAPACKE_LIBS=-llapacke
refuses 'OpenBLAS (OPENBLAS_LIBS=' OPENBLAS_CFLAGS=' ' \
  OPENBLAS_LIBS="-L$work -lwide -Wl,-rpath,$work -lopenblas"
exit $((failures > 0))
