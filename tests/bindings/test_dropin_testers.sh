#!/bin/sh
# Debian's testers of ScaLAPACK with the drop-in before it: one of each kind and type, small, and
# one on 1 x 3, 3 x 1, 2 x 3, 3 x 2, 1 x 5 and 5 x 1 processes (scalapack_testers has all); then every routine of the drop-in must be
# taken, in these or in our own tests.  Only the whole run has xzllt, and xslu, which may wait
# forever without the drop-in and is then ended after a while.
# limit: 300
set -u
testers=${srcdir:-$(dirname "$0")/../..}/tests/scalapack_testers
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
more=
[ -z "${HYLA_TEST_FULL:-}" ] || more='xslu xzllt'
# The names are words.
# shellcheck disable=SC2086
"$testers" -l 100 -d small -o "$work" xsls xdinv xclu xcqr $more || exit
"$testers" -l 100 -n 6 -d odd xdlu >"$work/odd" || { cat "$work/odd"; exit 1; }
grep -q '^in place \([0-9]*\) of \1 calls' "$work/odd" || {
  echo 'test_dropin_testers: calls on grids of 3, 5 and 6 processes were passed on:'
  cat "$work/odd"
  exit 1
}
"$testers" -r "$work" >"$work/table" || { cat "$work/table"; exit 1; }
# Each in its column: a call that a tester makes, one that none makes, one that does not exist.
for row in 'getrs .* [1-9][0-9]* +[1-9][0-9]*\*$' 'gesv +[1-9][0-9]*\* +' 'herk +- +- +[1-9]'; do
  grep -q -E "^$row" "$work/table" && continue
  echo "test_dropin_testers: no row '$row' in:"
  cat "$work/table"
  exit 1
done
