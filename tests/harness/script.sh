# shellcheck shell=sh
# What tests that are scripts share.  They begin with
#   . "$(dirname "$0")/../harness/script.sh"
# and have then
#   test      the script's name
#   work      a folder, which goes when the script ends
#   hyla      the command
#   MPIEXEC   the launcher
#   patience  by which a time limit is multiplied (tests/run)
#   show      a file that complaints print too; empty: none
#   failures  the number of complaints: exit $((failures > 0))
set -u
: "${MPIEXEC:=mpiexec}"
hyla=${HYLA:-$PWD/hyla}
patience=${HYLA_TEST_PATIENCE:-1}
test=$(basename "$0" .sh)
show=
failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# complain TEXT: a check failed.
complain() {
  echo "$test: $*"
  [ -z "$show" ] || sed 's/^/  /' "$show"
  failures=$((failures + 1))
}

# skip TEXT: ends the script, which needs something that is not here.
skip() {
  echo "$test: skipped: $*"
  exit 77
}

# need TOOL...: skips the test where one of them is not installed.
need() {
  for tool; do
    command -v "$tool" >/dev/null 2>&1 || skip "there is no $tool"
  done
}
