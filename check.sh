#!/bin/sh
# check.sh [--all [--within MINUTES]]: sets up as quickstart.sh does, then runs the tests; usage below.
set -eu
cd "$(dirname "$0")"

usage() {
  cat <<'END'
usage: ./check.sh [--all [--within MINUTES]]

Builds in build/, then runs every test (make check, three at a time) and builds a user's
program against the installed library (make installcheck): 7 to 8 minutes on 2 cores.

  --all   runs all cases and rank counts, from which the tests else take samples, and some
          tests under Open MPI, some under sanitizers and under valgrind, and a minute of
          campaigns (make campaign): about 40 minutes on 2 cores (estimated)
  --within MINUTES
          with --all, on a machine that may be slow: a test that has not begun to go through
          all of its cases after four fifths of this time goes through samples; these tests are
          named at the end
  --help  this text

Exit status: 0 all passed, 1 something failed, 2 wrong use.
END
}

# wrong TEXT: wrong use.
wrong() {
  echo "check: $1" >&2
  exit 2
}

begin=$(date +%s)
all=no
HYLA_TEST_UNTIL=
while [ $# -gt 0 ]; do
  case $1 in
    --all) all=yes ;;
    --within)
      shift
      case ${1:-none} in *[!0-9]*) wrong "--within takes a number of minutes, not '${1:-}'" ;; esac
      HYLA_TEST_UNTIL=$((begin + $1 * 48))
      ;;
    --help | -h) usage && exit 0 ;;
    *) wrong "unknown option '$1'; there are --all, --within and --help" ;;
  esac
  shift
done
[ $all = yes ] || [ -z "$HYLA_TEST_UNTIL" ] || wrong '--within goes with --all'

# Packages for tests: the first two for benchmarks, the third for two hosts, the fourth for the
# command, the second line for HDF5, the last one for the drop-in, the rest for other languages.
packages='jq gnuplot-nox iproute2 zsh g++ gfortran python3-numpy python3-pytest
  libhdf5-dev python3-h5py python3-scipy
  libscalapack-mpich-dev scalapack-mpi-test'
[ $all = yes ] && packages="libopenmpi-dev openmpi-bin python3-mpi4py python3-venv mypy clang libclang-rt-dev valgrind \
  libc6-dbg $packages"
# Lines for debuggers, and no more: all else takes a sixth of the time of the compiler.  The names are
# words.
# shellcheck disable=SC2086
CFLAGS=${CFLAGS:--O3 -g1} ./setup.sh $packages
cd build

# stage WORD...: says what comes next, and how long it took to get there.
stage() { echo "check: $* (after $(($(date +%s) - begin)) s)"; }

# quietly NAME COMMAND...: its output, in NAME.out, is shown when it fails.
quietly() {
  name=$1
  shift
  "$@" >"$name.out" 2>&1 && return 0
  # When two are built at a time, the failure is not among the last lines.
  grep -n -i -e 'error' -e '\*\*\*' "$name.out" | head -n 20
  tail -n 40 "$name.out"
  echo "check: '$*' failed; the whole of its output is in build/$name.out"
  exit 1
}

stage 'building the tests'
# One after the other: both link the harness, and side by side each would spoil the other's.  The
# library is built by now.  The tests' own code need not be fast; without data for debuggers it is
# compiled and linked sooner, by gold in half of the time.
linker=$(sed -n 's/^LDFLAGS = //p' Makefile)\ -Wl,-S
! command -v ld.gold >/dev/null 2>&1 || linker="$linker -fuse-ld=gold"
quietly check-build make -j "$(nproc)" check TESTS= CFLAGS=-O1 LDFLAGS="$linker"
quietly check-assistants make -j "$(nproc)" check-assistants CFLAGS=-O1 LDFLAGS="$linker"

# Prints the longest tests since $begun was written.
longest() {
  find . -name 'test_*.log' -newer "$begun" -exec tail -qn 5 {} + |
    sed -n 's/^\(test_[a-z0-9_.]*\): \([0-9]*\) s$/\2 \1/p' | sort -k1,1nr | head -n 6 |
    awk '{ text = text (NR > 1 ? ", " : "check: the longest: ") $2 " " $1 " s" }
      END { if (NR > 0) print text }'
}

# The output of failed tests is printed whole.
VERBOSE=1
export VERBOSE
failed=
not_whole=
found= # what a stage that is no test has to say at the end

# run STAGE COMMAND...: the tests that fail are named once more at the end, where a log that was
# cut still has them.
run() {
  stage "$1"
  begun=stage.begun
  : >$begun
  now=$1
  shift
  passed=yes
  "$@" || passed=no
  longest
  [ $passed = no ] || return 0
  names=$(find . -name '*.trs' -newer $begun -exec grep -l -e 'global-test-result: [FE]' {} + |
    sed 's,.*/\([^/]*\)\.trs$,\1,' | sort -u | tr '\n' ' ')
  failed="$failed
check: failed: $now: ${names:-${*}}$found"
  found=
}

# A user's program with the installed library.
# shellcheck disable=SC2317
installed() {
  rm -rf stage
  quietly install make install DESTDIR="$PWD/stage"
  good=0
  make -s installcheck DESTDIR="$PWD/stage" || good=1
  quietly uninstall make uninstall DESTDIR="$PWD/stage"
  left=$(find stage ! -type d -o -name hyla)
  [ -z "$left" ] || { echo "check: make uninstall leaves $left"; good=1; }
  return "$good"
}

# Is there a second MPI?
other_mpi() { echo '#include <mpi.h>' | mpicc.openmpi -E -x c - >/dev/null 2>&1; }

# The tarball of make dist: it is built and installed with nothing from here, under the other MPI.
# shellcheck disable=SC2317
packed() {
  rm -rf tarball hyla-*.tar.gz
  mkdir tarball
  quietly dist make dist
  tar xzf hyla-*.tar.gz -C tarball || return 1
  unpacked=$(echo "$PWD"/tarball/hyla-*)
  if other_mpi; then
    quietly other-tree make -j "$(nproc)" other-tree OTHER_SOURCE="$unpacked" OTHER_TREE=tarball/build
  else
    mkdir tarball/build
    (cd tarball/build && quietly configure "$unpacked/configure" && quietly make make -j "$(nproc)") || return 1
  fi
  (
    cd tarball/build && unset MPIEXEC || exit 1
    make -s check TESTS=tests/base/test_base check_PROGRAMS=tests/base/test_base || exit 1
    quietly install make install DESTDIR="$PWD/stage"
    make -s installcheck DESTDIR="$PWD/stage"
  )
}

# The package for Python, and its wheel in wheels/, from the tree and from the tarball.
# shellcheck disable=SC2317
wheels() {
  (. ./env.sh && ../tests/bindings/python_package && ../tests/bindings/python_package "$PWD"/tarball/hyla-*)
}

# Whole walks: programs of several ranks after all others, which would slow them down.  The longest
# program and the longest script take as long: side by side.
# shellcheck disable=SC2317
walks() {
  good=0
  export HYLA_TEST_UNTIL # empty: there is no such time
  make -s -j 3 check-walks WHICH='single script' || good=1
  make -s -j 2 check-walks WHICH=ranked || good=1 # one at a time, but for runs on one rank
  sampled=$(find . -name 'test_*.log' -newer "$begun" -exec sed -n 's/: samples alone.*//p' {} + | sort | tr '\n' ' ')
  [ -z "$sampled" ] || not_whole="
check: for want of time these went through samples alone: $sampled"
  return "$good"
}

# What they found is said once more at the end.
# shellcheck disable=SC2317
campaigns() {
  make -s -j "$(nproc)" campaign MINUTES=1 >campaigns.out 2>&1 && good=0 || good=1
  cat campaigns.out
  [ "$good" -eq 0 ] || found=$(echo && grep -v -e 'nothing found' -e '^  [A-Z]' -e ' MB resident' campaigns.out | tail -n 30)
  return "$good"
}

if [ $all = yes ]; then
  # Tests that make check runs in samples are run whole, at the end, and not in samples too.
  run 'tests without samples' make -s -j 3 check-others # some wait most of their time
else
  run 'tests' make -s -j 3 check # some wait most of their time
fi
run "a user's program against the installed library" installed

if [ $all = yes ]; then
  run 'the tarball' packed
  run 'the package for Python' wheels
  if other_mpi; then
    # All of them take an hour with two cores (make check-other-mpi).
    others='tests/cube/test_cube tests/cube/test_link tests/cube/test_agree tests/cube/test_window
      tests/collective/test_collective tests/gemm/test_gemm tests/solve/test_methods tests/solve/test_solve
      tests/redistribute/test_redistribute tests/io/test_io_read tests/tools/test_launcher.sh
      tests/tools/test_stopped.sh tests/bindings/test_python.sh tests/bindings/test_dropin_loaded.sh'
    run 'Open MPI' make -s -j "$(nproc)" check-other-mpi OTHER_TREE=tarball/build \
      OTHER_TESTS="$(echo "$others" | tr -s "\n " " ")"
  else
    echo 'check: Open MPI is not installed: left out'
  fi
  # The programs without MPI, and one with.
  some=$(cd .. && grep -L '^/[/*] ranks:' tests/*/test_*.c | sed 's/\.c$//' | tr '\n' ' ')
  # The closed forms take long, on exact arithmetic alone.
  some="$(echo "$some" | sed 's,tests/formulas/test_formulas ,,') tests/collective/test_collective"
  # Valgrind takes twenty times as long as the program.  It must find data that are read before they
  # are written, which sanitizers do not find.  So it leaves out long programs whose messages carry
  # no data (they are counted, and compared with numbers), and programs that go through the same
  # code as others once more, for every layout; and a program of small spectra, whose long double
  # has 64 bits there.
  slow='test_instruments test_dry test_rehearse test_rehearse_collectives test_trial test_schedule
    test_variants test_embed test_embedding test_redistribute_memory test_redistribute_pairs test_gemm_3d
    test_traffic test_any_array'
  careful=$some
  for name in $slow; do careful=$(echo "$careful" | sed "s,tests/[a-z]*/$name ,,"); done
  run 'sanitizers' make -s -j "$(nproc)" check-asan SANITIZED="$some"
  # What ranks do to each other's arrays, on 4 of them and, in one process, on virtual cubes.
  ranked='tests/solve/test_trsm tests/solve/test_methods tests/gemm/test_gemm
    tests/redistribute/test_redistribute'
  run 'sanitizers on ranks' make -s -j "$(nproc)" check-asan SANITIZED="$(echo $ranked)" SANITIZED_RANKS='1 4'
  run 'campaigns' campaigns
  if command -v valgrind >/dev/null 2>&1; then
    run 'valgrind' make -s -j "$(nproc)" check-valgrind SANITIZED="$careful"
  else
    echo 'check: valgrind is not installed: left out'
  fi
  run 'whole walks' walks
fi
[ -z "$failed" ] && stage "all passed$not_whole" && exit 0
stage "some failed$failed$not_whole"
exit 1
