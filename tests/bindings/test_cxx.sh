#!/bin/sh
# The headers in C++17, with every compiler that is installed: no warning with -pedantic-errors;
# examples/first_solve.cpp and tests/bindings/cxx.cpp, built with them, run.
# limit: 60
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)

# variable NAME: the value that configure has set.
variable() { sed -n "s/^$1 = //p" Makefile; }

# build COMPILER FILE: to $work/program.
build() {
  # The flags are words.
  # shellcheck disable=SC2046
  "$1" -std=c++17 -pedantic-errors -Wall -Wextra -Wshadow -Wconversion -Werror -I"$source/include" \
    $(variable MPI_CFLAGS) -c "$source/$2" -o "$work/program.o" &&
    ./libtool --silent --tag=CC --mode=link "$1" "$work/program.o" libhyla.la $(variable MPI_LIBS) \
      -o "$work/program" || complain "$1 does not build $2"
}

# run P: the program's output to $work/stdout.
run() { # Gray codes want a cube
  HYLA_ARRAY=cube timeout -k 5 $((20 * patience)) "$MPIEXEC" -n "$1" "$work/program" >"$work/stdout" </dev/null
}

cat >"$work/shown" <<'END'
error below 1e-10
error below 1e-10
reliable
the matrix is singular: pivot 2 is exactly zero, pivot 2
END

tried=0
for compiler in g++ clang++; do
  command -v $compiler >/dev/null 2>&1 || continue
  tried=$((tried + 1))
  build $compiler examples/first_solve.cpp
  run 4 || complain "$compiler: first_solve on 4 ranks: exit status $?"
  cmp -s "$work/stdout" "$work/shown" || complain "$compiler: first_solve says $(cat "$work/stdout")"
  build $compiler tests/bindings/cxx.cpp
  # The first compiler's program runs on every kind of cube, the others' on one.
  ranks=4
  [ $tried -eq 1 ] && ranks='1 3 4'
  for p in $ranks; do run $p || complain "$compiler: cxx on $p ranks: exit status $?"; done
done
[ $tried -gt 0 ] || skip 'there is no C++ compiler (apt-get install g++)'
exit $((failures > 0))
