#!/bin/sh
# The command, killed or interrupted at some moment while it works and writes: what was there
# stays or is replaced by what is complete, with the mode that it had, and nothing else is left.
# And --output never replaces an input, unless --force says so.
# limit: 90
set -u
: "${MPIEXEC:=mpiexec}"
export hyla="$PWD/hyla"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

complain() {
  echo "test_killed: $1"
  sed 's/^/  /' text
  failures=$((failures + 1))
}

# header TYPE ROWS COLS: the first 128 bytes of an .npy file.
header() {
  dictionary="{'descr': '$1', 'fortran_order': True, 'shape': ($2, $3), }"
  printf '\223NUMPY\001\000\166\000%-117s\n' "$dictionary"
}

{ header '|u1' 2000 2000; head -c 4000000 /dev/zero; } >a.npy
mkdir out

# stop SIGNAL SECONDS: hyla on two ranks, of which both get a signal after a time.
stop() {
  rm -f pid.* out/x.npy
  echo old >out/x.npy
  chmod 600 out/x.npy
  # shellcheck disable=SC2016
  timeout -k 1 20 "$MPIEXEC" -n 2 sh -c 'echo $$ >pid.$$; exec "$hyla" "$@"' \
    hyla transpose a.npy -o out/x.npy >text 2>&1 </dev/null &
  job=$!
  while [ "$(cat pid.* 2>/dev/null | wc -l)" -lt 2 ]; do sleep 0.02; done
  sleep "$2"
  # One may be gone already.
  # shellcheck disable=SC2046
  kill "-$1" $(cat pid.*) 2>/dev/null
  wait $job
  [ "$(ls -A out)" = x.npy ] || complain "$1 after $2 s: left are $(ls -A out | tr '\n' ' ')"
  [ "$(stat -c %a out/x.npy)" = 600 ] || complain "$1 after $2 s: the mode has changed"
  size=$(stat -c %s out/x.npy)
  [ "$size" -eq 4 ] || [ "$size" -eq 32000128 ] || complain "$1 after $2 s: $size bytes"
}

for signal in KILL TERM INT; do
  for seconds in 0.1 0.25 0.3 0.35 0.4 0.5; do stop $signal $seconds; done
done

printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n5\n' >b.mtx
cp b.mtx before.mtx
ln -s b.mtx link.mtx
"$hyla" transpose b.mtx -o link.mtx >text 2>&1
[ $? -eq 2 ] || complain 'over its input: exit status is not 2'
grep -q '^hyla transpose: --output is link.mtx, which is read; give --force to replace it$' text ||
  complain 'over its input: nothing says so'
cmp -s b.mtx before.mtx || complain 'over its input: it is written'
"$hyla" transpose b.mtx -o link.mtx --force >text 2>&1 || complain '--force: it fails'
[ -L link.mtx ] && ! cmp -s b.mtx before.mtx || complain '--force: it is not written'

exit $((failures > 0))
