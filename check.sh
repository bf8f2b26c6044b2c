#!/bin/sh
# check.sh [--all]: sets up as quickstart.sh does, then runs the tests; usage below.
set -eu
cd "$(dirname "$0")"

usage() {
  cat <<'END'
usage: ./check.sh [--all]

Builds in build/, then runs every test (make check, two at a time) and builds a user's
program against the installed library (make installcheck): 6 to 8 minutes on 2 cores.

  --all   then also the walks through all cases of which the tests take samples, and some
          tests under sanitizers and under valgrind, and a minute of made inputs for the
          readers of files and words: over an hour on 2 cores (estimated)
  --help  this text

Exit status: 0 all passed, 1 something failed, 2 wrong use.
END
}

all=no
for option; do
  case $option in
    --all) all=yes ;;
    --help | -h) usage && exit 0 ;;
    *)
      echo "check: unknown option '$option'; there are --all and --help" >&2
      exit 2
      ;;
  esac
done

begin=$(date +%s)
# The benchmarks' test wants the first two, those of the other languages the rest.
packages='jq gnuplot-nox g++ gfortran python3-numpy python3-pytest'
[ $all = yes ] && packages="clang libclang-rt-dev valgrind libc6-dbg $packages"
# The names are words.
# shellcheck disable=SC2086
./setup.sh $packages
cd build

# stage WORD...: says what comes next, and how long it took to get there.
stage() { echo "check: $* (after $(($(date +%s) - begin)) s)"; }

# quietly NAME COMMAND...: its output, in NAME.out, is shown when it fails.
quietly() {
  name=$1
  shift
  "$@" >"$name.out" 2>&1 && return 0
  # What failed is not among the last lines when two are built at a time.
  grep -n -i -e 'error' -e '\*\*\*' "$name.out" | head -n 20
  tail -n 40 "$name.out"
  echo "check: '$*' failed; the whole of its output is in build/$name.out"
  exit 1
}

stage 'building the tests'
# One after the other: both link the harness, and side by side each would spoil the other's.
quietly check-build make -j "$(nproc)" check TESTS=
quietly check-assistants make -j "$(nproc)" check-assistants

# What failed is printed whole.
VERBOSE=1
export VERBOSE
status=0
stage 'tests'
make -s -j 2 check || status=1

stage "a user's program against the installed library"
rm -rf stage
quietly install make install DESTDIR="$PWD/stage"
make -s installcheck DESTDIR="$PWD/stage" || status=1

if [ $all = yes ]; then
  stage 'whole walks'
  make -s -j 2 check-walks || status=1
  # The programs without MPI, and one with.
  some=$(cd .. && grep -L '^/[/*] ranks:' tests/test_*.c | sed 's/\.c$//' | tr '\n' ' ')
  # The closed forms would take half an hour under valgrind, on exact arithmetic alone.
  some="$(echo "$some" | sed 's,tests/test_formulas ,,') tests/test_collective"
  stage 'sanitizers'
  make -s -j "$(nproc)" check-asan SANITIZED="$some" || status=1
  stage 'campaign of the readers'
  make -s -j "$(nproc)" campaign MINUTES=1 || status=1
  if command -v valgrind >/dev/null 2>&1; then
    stage 'valgrind'
    make -s -j "$(nproc)" check-valgrind SANITIZED="$some" || status=1
  else
    echo 'check: valgrind is not installed: left out'
  fi
fi
stage "$([ $status -eq 0 ] && echo all passed || echo some failed)"
exit $status
