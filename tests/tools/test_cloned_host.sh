#!/bin/sh
# Two machines that are taken for one: cloned machines have the same names and numbers, and a
# process number of one may be another process' on the other.  Rank 1 sees the open files of a
# stranger instead of rank 0's: in its own mount namespace /proc/RANK-0 is the stranger's.  The
# output must be correct and whole, and the stranger's files unchanged.
# limit: 60
. "$(dirname "$0")/../harness/script.sh"
stranger=
clean() {
  [ -z "$stranger" ] || kill "$stranger" 2>/dev/null
  rm -rf "$work"
}
trap clean EXIT
cd "$work" || exit 1
show=text
need unshare bash
unshare -m sh -c "mount --bind /proc/$$ /proc/$$" 2>text || skip "no mounts of its own: $(head -n 1 text)"

# Each of the numbers that rank 0's files may have is a file of the stranger's.
awk 'BEGIN { for (i = 0; i < 4000; i++) print "not to be touched" }' >victim
cp victim before
cat >stranger.sh <<'END'
#!/bin/bash
for ((i = 3; i < 250; i++)); do eval "exec $i<>victim"; done
exec sleep 100
END
bash stranger.sh &
stranger=$!
for try in 1 2 3 4 5 6 7 8 9 10; do
  [ -e "/proc/$stranger/fd/249" ] && break
  sleep 0.2
done
[ -e "/proc/$stranger/fd/249" ] || skip 'the stranger cannot open its files'

cat >first <<'END'
#!/bin/sh
echo $$ >process.new
mv process.new process
exec "$@"
END
cat >second <<END
#!/bin/sh
while [ ! -e process ]; do sleep 0.02; done
mount --bind /proc/$stranger /proc/\$(cat process)
exec "\$@"
END
chmod +x first second
# MPI's own shared memory is found by name, not through /proc.
export HYLA_TIMEOUT=20 UCX_POSIX_USE_PROC_LINK=n

# apart NAME WORDS...: hyla on the two hosts; its output must be that of one rank.
apart() {
  name=$1
  shift
  rm -f process "$name" "one-$name"
  "$hyla" "$@" -o "one-$name" >text 2>&1 || complain "hyla $*: fails on one rank"
  "$MPIEXEC" -n 1 ./first "$hyla" "$@" -o "$name" : -n 1 unshare -m ./second "$hyla" "$@" -o "$name" >text 2>&1 ||
    complain "hyla $* on two hosts: fails"
  cmp -s "$name" "one-$name" || complain "hyla $* on two hosts: writes something else"
  cmp -s victim before || complain "hyla $* on two hosts: a stranger's file is changed"
  cp before victim
}
"$hyla" generate random --size 300x200 --seed 5 -o a.npy >text 2>&1 || complain 'no matrix can be made'
apart x.npy convert a.npy
apart x.mtx transpose a.npy
# The test really has this case: rank 1 cannot see rank 0's memory.
rm -f process
"$MPIEXEC" -n 1 ./first "$hyla" info : -n 1 unshare -m ./second "$hyla" info >text 2>&1
grep -q 'is not the memory of the other rank' text || complain 'the two hosts are not taken for one'
exit $((failures > 0))
