#!/bin/sh
# check.sh refuses unknown arguments before it does anything, and .ci/run counts the tests that ran
# and those that failed.
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
cd "$work" || exit 1

# Without a setup.sh, so that no work can start.
mkdir .ci
cp "$source/check.sh" check.sh
cp "$source/.ci/run" .ci/run

./check.sh --help >out 2>err || complain "--help: exit status $?"
grep -q '^usage: ./check.sh \[--all \[--within MINUTES\]\]$' out || complain "--help prints: $(cat out)"
grep -q '^  --all ' out || complain '--help does not tell of --all'
# wrong TEXT WORD...: wrong use, told in this one line.
wrong() {
  text=$1
  shift
  ./check.sh "$@" >out 2>err
  [ $? -eq 2 ] || complain "'$*': exit status is not 2"
  [ "$(cat out err)" = "check: $text" ] || complain "'$*': message $(cat out err)"
}
wrong "unknown option '--fast'; there are --all, --within and --help" --fast
wrong "unknown option 'more'; there are --all, --within and --help" --all more
wrong "--within takes a number of minutes, not ''" --all --within
wrong "--within takes a number of minutes, not '5m'" --all --within 5m
wrong '--within goes with --all' --within 60

# closes STATUS LINE: .ci/run ends with these.
closes() {
  .ci/run >out 2>&1
  status=$?
  [ $status -eq "$1" ] || complain "'$2': exit status $status instead of $1"
  [ "$(tail -n 1 out)" = "$2" ] || complain "'$2': the last line is $(tail -n 1 out)"
}

# pretend LINE...: a check.sh of these lines, which requires --all, and a time.
pretend() {
  # shellcheck disable=SC2016
  printf '%s\n' '#!/bin/sh' '[ "$*" = "--all --within 85" ] || exit 3' "$@" >check.sh
}

pretend 'echo "# PASS:  70"; echo "# XFAIL: 1"; echo "# FAIL:  0"; echo "# PASS:  4"'
closes 0 '75 passed, 0 failed'
pretend 'echo "# PASS:  70"; echo "# FAIL:  2"; echo "# ERROR: 1"; exit 1'
closes 1 '70 passed, 3 failed'
pretend 'echo "# PASS:  70"; exit 1'
closes 1 '70 passed, 1 failed'
pretend 'exit 0'
closes 1 '0 passed, 1 failed'
[ "$failures" -eq 0 ]
