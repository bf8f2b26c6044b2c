#!/bin/sh
# The command, killed or interrupted while it writes: existing files stay as they were, and no other
# files are left.  A complete file replaces an old one and keeps its mode.  --output never replaces
# an input, unless --force is given.
# limit: 90
. "$(dirname "$0")/../harness/script.sh"
export hyla="${HYLA:-$PWD/hyla}"
cd "$work" || exit 1

show=text

# header TYPE ROWS COLS: the first 128 bytes of an .npy file.
header() {
  dictionary="{'descr': '$1', 'fortran_order': True, 'shape': ($2, $3), }"
  printf '\223NUMPY\001\000\166\000%-117s\n' "$dictionary"
}

{ header '|u1' 2000 2000; head -c 4000000 /dev/zero; } >a.npy
mkdir out

# writes PID: the process has a file of the folder open.
writes() { ls -l "/proc/$1/fd" 2>/dev/null | grep -q "$work/out/"; }

# A text that one rank writes alone is handled in the same way.
text_stays() {
  echo old >out/t.json
  "$hyla" simulate gemm --size 128 --dims 9 --variant cannon --trace out/t.json >text 2>&1 </dev/null &
  job=$!
  while kill -0 $job 2>/dev/null && ! writes $job; do sleep 0.01; done
  sleep "$2"
  kill "-$1" $job || complain "$1 after $2 s of a text: it has ended already"
  wait $job
  what="$1 $2 s after the begin of a text"
  [ "$(ls -A out)" = t.json ] || complain "$what: left are $(ls -A out | tr '\n' ' ')"
  [ "$(cat out/t.json)" = old ] || complain "$what: the old file is gone"
}
for signal in KILL TERM; do text_stays $signal 0; done
rm -rf out
mkdir out

# On hosts of two names the file has a name while it is written.
several=
unshare --uts hostname here >text 2>&1 && several='unshare --uts'

# stop SIGNAL SECONDS [WRAPPER]: hyla on two ranks; both get a signal this long after they began to
# write.
stop() {
  rm -f pid.* out/x.mtx
  echo old >out/x.mtx
  chmod 600 out/x.mtx
  # shellcheck disable=SC2016,SC2086
  timeout -k 1 $((20 * patience)) "$MPIEXEC" -n 2 ${3:-} sh -c 'echo $$ >pid.$$
    [ -z "$1" ] || hostname "host${PMI_RANK:-${PMIX_RANK:-$OMPI_COMM_WORLD_RANK}}"
    shift; exec "$hyla" "$@"' hyla "${3:-}" transpose a.npy -o out/x.mtx >text 2>&1 </dev/null &
  job=$!
  while kill -0 $job 2>/dev/null && [ "$(cat pid.* 2>/dev/null | wc -l)" -lt 2 ]; do sleep 0.02; done
  first=$(cat pid.* | head -n 1)
  while kill -0 $job 2>/dev/null && ! writes "$first"; do sleep 0.01; done
  sleep "$2"
  # shellcheck disable=SC2046
  kill "-$1" $(cat pid.*) || complain "$1 after $2 s: it has ended already"
  wait $job
  what="$1 $2 s after the begin of writing${3:+ on two hosts}"
  [ "$(ls -A out)" = x.mtx ] || complain "$what: left are $(ls -A out | tr '\n' ' ')"
  [ "$(stat -c %a out/x.mtx)" = 600 ] || complain "$what: the mode has changed"
  [ "$(cat out/x.mtx)" = old ] || complain "$what: the old file is gone"
}

for signal in KILL TERM INT; do
  for seconds in 0 0.05 0.2; do stop $signal $seconds; done
done
if [ -n "$several" ]; then
  stop TERM 0.1 "$several"
  stop INT 0.1 "$several"
else
  echo 'test_killed: skipped: hosts of two names'
fi
"$MPIEXEC" -n 1 "$hyla" transpose a.npy -o out/x.mtx >text 2>&1 || complain 'unharmed: it fails'
[ "$(stat -c %a out/x.mtx)" = 600 ] || complain 'unharmed: the mode has changed'
[ "$(wc -l <out/x.mtx)" -eq 4000002 ] || complain 'unharmed: the file is not complete'

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
