#!/bin/sh
# Debian's testers of ScaLAPACK with the drop-in before it: one of each kind and type, small, and
# one on 1 x 3, 3 x 1, 2 x 3, 3 x 2, 1 x 5 and 5 x 1 processes (scalapack_testers has all); then
# every routine of the drop-in must be taken, in these or in our own tests.  Only the whole run has
# xzllt, xdsvd, xdtrd, pencils on these grids, and xslu, which may wait forever without the drop-in
# and is then ended after a while.  Six processes wait for each other in 20,000 small calls of xdtrd:
# beside other tests each wait is a turn of theirs, too.
# alone: 1
# limit: 300
. "$(dirname "$0")/../harness/script.sh"
testers=${srcdir:-$(dirname "$0")/../..}/tests/scalapack_testers
more=
[ -z "${HYLA_TEST_FULL:-}" ] || more='xslu xzllt xdsvd'
# The names are words.
# shellcheck disable=SC2086
"$testers" -l 100 -d small -o "$work" xsls xdinv xclu xcqr $more || exit
"$testers" -l 100 -n 6 -d odd xdlu >"$work/odd" || { cat "$work/odd"; exit 1; }
awk '/^p[sdcz]/ { seen++; if ($3 > 0) bad = 1 } END { exit bad || seen < 6 }' "$work/odd" || {
  echo 'test_dropin_testers: calls on grids of 3, 5 and 6 processes were passed on:'
  cat "$work/odd"
  exit 1
}
[ -z "${HYLA_TEST_FULL:-}" ] || "$testers" -l 100 -n 6 -d odd xdtrd xctrd || exit
[ -z "${HYLA_TEST_FULL:-}" ] || "$testers" -l 100 -n 6 -d pencils xdgsep || exit
"$testers" -r "$work" >"$work/table" || { cat "$work/table"; exit 1; }
# Each in its column: a call that a tester makes, one that none makes, one that does not exist.
for row in 'getrs .* [1-9][0-9]* +[1-9][0-9]*\*$' 'gesv +[1-9][0-9]*\* +' 'herk +- +- +[1-9]'; do
  grep -q -E "^$row" "$work/table" && continue
  echo "test_dropin_testers: no row '$row' in:"
  cat "$work/table"
  exit 1
done
