#!/bin/sh
# The progress line: with --progress it stands on standard error, shows a share that grows and the
# remaining time, and is erased at the end; without --progress there is no line.
# limit: 150
set -u
: "${MPIEXEC:=mpiexec}"
hyla=${HYLA:-$PWD/hyla}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

complain() {
  echo "test_progress: $1"
  sed 's/^/  standard error: /' err
  failures=$((failures + 1))
}

# Runs a command; the states of the line, one a line, are in `states'.
run() { OPENBLAS_NUM_THREADS=1 timeout -k 5 60 "$@" </dev/null >out 2>err || complain "$*: exit status $?"; }

# The number of repetitions that take two seconds on this machine.
run "$hyla" bench lu --size 600 --repeat 5 --json
repeat=$(awk -v RS='[,{}]' '/"seconds_min"/ { sub(/.*: */, ""); n = .8 / $0; print int(n < 20 ? 20 : n > 5000 ? 5000 : n) }' out)
[ -s err ] && complain 'a line without --progress'

for p in 1 2; do
  run "$MPIEXEC" -n $p "$hyla" bench lu --size 600 --repeat "${repeat:-200}" --progress
  tr '\r' '\n' <err >states
  grep -q -E '^[a-z-]+ \.\.\. [0-9]+ % in [0-9]+ s, [0-9]+ s to go' states || complain "$p ranks: no share and no time to go"
  sed -n 's/.* \([0-9]*\) % in.*/\1/p' states >shares
  sort -n -c shares 2>/dev/null || complain "$p ranks: the share falls"
  awk '$1 > 100 { exit 1 }' shares || complain "$p ranks: a share above 100"
  # The last thing written erases the line.
  [ "$(tail -c 4 err | od -A n -t x1 | tr -d ' \n')" = 0d1b5b4b ] || complain "$p ranks: the line stays"
done
exit $((failures > 0))
