#!/bin/sh
# The drop-in in programs that were not linked with it: ScaLAPACK comes with a module, by dlopen, as
# in extensions of interpreters; the process has another MPI; the log lists the routines that the
# drop-in lacks; the program of doc/from-scalapack.md.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
[ -x examples/unchanged_scalapack ] || skip 'configure found no ScaLAPACK (apt-get install libscalapack-mpich-dev)'
source=${srcdir:-$(dirname "$0")/../..}
dropin=$PWD/.libs/libhyla_scalapack.so
variable() { sed -n "s/^$1 = //p" Makefile; }

cat >"$work/loader.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  int (*run)(int, char **) = NULL;
  void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *symbol = NULL;
  if (module == NULL || (symbol = dlsym(module, "run")) == NULL) return puts(dlerror()), 1;
  memcpy(&run, &symbol, sizeof run);
  return run(argc - 1, argv + 1);
}
END
cc -o "$work/loader" "$work/loader.c" -ldl || exit 1

# build CC LIBS: the example as a program, and as a module.
# shellcheck disable=SC2086
build() {
  $1 -o "$work/plain" "$source/examples/unchanged_scalapack.c" $2 -lm &&
    $1 -shared -fPIC -Dmain=run -o "$work/module.so" "$source/examples/unchanged_scalapack.c" $2 -lm
}

# run LAUNCHER PROGRAM...: on two ranks, with the drop-in preloaded, its output in stdout and stderr.
# shellcheck disable=SC2086
run() {
  launcher=$1
  shift
  timeout -k 5 $((60 * patience)) $launcher -n 2 env LD_PRELOAD="$dropin" HYLA_LOG=1 HYLA_SCALAPACK_FROM=0 \
    OPENBLAS_NUM_THREADS=1 "$@" 150 >"$work/stdout" 2>"$work/stderr" </dev/null ||
    complain "$*: exit status $?: $(cat "$work/stderr")"
  grep -q 'INFO 0, error below 1e-8' "$work/stdout" || complain "$*: $(cat "$work/stdout")"
}

says() { grep -q -E "$1" "$work/stderr" || complain "no '$1' in: $(cat "$work/stderr")"; }

# ScaLAPACK from a module: hyla takes the call.
build "$(variable CC)" "$(variable SCALAPACK_LIBS)" || complain 'the example does not compile'
run "$MPIEXEC" "$work/loader" "$work/module.so"
says '^  pdgesv +1 +[0-9.]+ +0 +0\.000$'

# A program at a fixed address, which contains the addresses of MPI's data and functions.
cat >"$work/fixed.c" <<'END'
#include <mpi.h>
MPI_Comm world(void) { return MPI_COMM_WORLD; }
MPI_Comm_copy_attr_function *duplicate(void) { return MPI_COMM_DUP_FN; }
END
# shellcheck disable=SC2046
$(variable CC) -no-pie -fno-pie -o "$work/fixed" "$source/examples/unchanged_scalapack.c" "$work/fixed.c" \
  $(variable SCALAPACK_LIBS) -lm || complain 'the program at a fixed place does not compile'
run "$MPIEXEC" "$work/fixed"
says '^  pdgesv +1 +[0-9.]+ +0 +0\.000$'

# The program of doc/from-scalapack.md has the same answer without the drop-in and with it.
if [ -f libhyla_fortran.la ]; then
  sed -n '/^```fortran$/,/^```$/p' "$source/doc/from-scalapack.md" | sed '/^```/d' >"$work/old.f90"
  # shellcheck disable=SC2046
  $(variable FC) "$work/old.f90" -o "$work/old" $(variable SCALAPACK_LIBS) || complain 'the page is not compiled'
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 4 "$work/old" >"$work/answer" 2>&1 </dev/null
  grep -q '^info 0, x(1) = 0\.3111028$' "$work/answer" || complain "the page: $(cat "$work/answer")"
  timeout -k 5 $((60 * patience)) "$MPIEXEC" -n 4 env LD_PRELOAD="$dropin" HYLA_LOG=1 HYLA_SCALAPACK_FROM=0 "$work/old" \
    >"$work/stdout" 2>"$work/stderr" </dev/null
  cmp -s "$work/answer" "$work/stdout" || complain "the page with the drop-in: $(cat "$work/stdout" "$work/stderr")"
  says '^  pdgesv +1 +[0-9.]+ +0 +0\.000$'
fi

# A program imports routines that the drop-in lacks; psolve is not ScaLAPACK's.
cat >"$work/lacking.c" <<'END'
void pdgebrd_(void);
void pdgehrd_(void);
void pdgesv_(void);
void psolve_(void);
void (*use[])(void) = {pdgehrd_, pdgebrd_, pdgesv_, psolve_};
END
echo 'void psolve_(void) {}' >"$work/own.c"
# shellcheck disable=SC2046
{
  $(variable CC) -shared -fPIC -o "$work/liblacking.so" "$work/lacking.c" &&
    $(variable CC) -shared -fPIC -o "$work/libown.so" "$work/own.c"
} || exit 1
dropin=$dropin:$work/liblacking.so:$work/libown.so run "$MPIEXEC" "$work/plain"
says '^hyla_scalapack has not, and the program imports: pdgebrd pdgehrd$'

# Another MPI, and its ScaLAPACK: one line, and ScaLAPACK does the work.
case $(variable CC) in
  *openmpi*) other=mpich ;;
  *) other=openmpi ;;
esac
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
if build "mpicc.$other" "-lscalapack-$other" 2>"$work/words"; then
  for program in "$work/plain" "$work/loader $work/module.so"; do
    # The program and its argument are words.
    # shellcheck disable=SC2086
    run "mpiexec.$other" $program
    says '^hyla_scalapack: all calls go to ScaLAPACK: this library is for .*, the program.s MPI is /'
    [ "$(grep -c '^hyla_scalapack: ' "$work/stderr")" = 1 ] ||
      complain "more than one line: $(cat "$work/stderr")"
    ! grep -q '^  pdgesv' "$work/stderr" || complain "a call was counted: $(cat "$work/stderr")"
  done
else
  echo "test_dropin_loaded: without another MPI (apt-get install libscalapack-$other-dev): $(head -n 1 "$work/words")"
fi
exit $((failures > 0))
