#!/bin/sh
# check.sh: sets up as quickstart.sh does, then runs all tests: make check, make
# installcheck, and some of the test programs under sanitizers and valgrind.
set -eu
cd "$(dirname "$0")"
./setup.sh clang libclang-rt-dev valgrind libc6-dbg jq gnuplot-nox
cd build

# quietly NAME COMMAND...: its output, in NAME.out, is shown when it fails.
quietly() {
  name=$1
  shift
  "$@" >"$name.out" 2>&1 && return 0
  tail -n 40 "$name.out"
  echo "check: '$*' failed; the whole of its output is in build/$name.out"
  exit 1
}

echo 'check: building the tests'
quietly check-build make -j "$(nproc)" check TESTS=

# What failed is printed whole.
VERBOSE=1
export VERBOSE
status=0
make check || status=1

echo 'check: a user program against the installed library'
rm -rf stage
quietly install make install DESTDIR="$PWD/stage"
make -s installcheck DESTDIR="$PWD/stage" || status=1

# The programs without MPI, and one with.
some=$(cd .. && grep -L '^/[/*] ranks:' tests/test_*.c | sed 's/\.c$//' | tr '\n' ' ')
some="$some tests/test_collective"
echo 'check: sanitizers'
make -s -j "$(nproc)" check-asan SANITIZED="$some" || status=1
if command -v valgrind >/dev/null 2>&1; then
  echo 'check: valgrind'
  make -s -j "$(nproc)" check-valgrind SANITIZED="$some" || status=1
else
  echo 'check: valgrind is not installed: left out'
fi
exit $status
