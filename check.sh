#!/bin/sh
# check.sh: sets up as quickstart.sh does, then runs all tests: make check,
# make installcheck, and parts of make check-asan and make check-valgrind.
set -eu
cd "$(dirname "$0")"
./setup.sh
cd build
VERBOSE=1
export VERBOSE

make -j "$(nproc)" check TESTS= >check-build.out 2>&1 || { tail -n 40 check-build.out; exit 1; }
make check

echo 'check: a user program against the installed library'
rm -rf stage
make -s install DESTDIR="$PWD/stage" >install.out 2>&1 || { tail -n 40 install.out; exit 1; }
make -s installcheck DESTDIR="$PWD/stage"

# The programs without MPI, and one with.
some=$(cd .. && grep -L '^/[/*] ranks:' tests/test_*.c | sed 's/\.c$//' | tr '\n' ' ')
some="$some tests/test_link"
echo 'check: sanitizers'
make -s check-asan SANITIZED="$some"
if command -v valgrind >/dev/null 2>&1; then
  echo 'check: valgrind'
  make -s check-valgrind SANITIZED="$some"
else
  echo 'check: valgrind is not installed: left out'
fi
