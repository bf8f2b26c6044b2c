#!/bin/sh
# Every command with failing calls of memory and files, a sample of them, on one rank; on two if
# HYLA_TEST_FULL is set.  For generate, number 13 of its 23 command lines, every call fails.
# tests/campaign/failing.py says what each run must do.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
: "${srcdir:=$(dirname "$0")/../..}"
need python3
[ -e tests/campaign/failing.so ] || skip 'failing.so is not built'
status=0
text=$work/text
# run ARGUMENT...: failing.py on this tree.
run() {
  python3 "$srcdir/tests/campaign/failing.py" . "$@" >"$text" 2>&1 || status=1
  cat "$text"
}
for ranks in 1 ${HYLA_TEST_FULL:+2}; do run $ranks 8 "${HYLA_SEED:-1}" time; done
run 1 every 13 23
exit $status
