#!/bin/sh
# The command in a control group with little memory, as in a container: a problem that does not fit
# is reported in one line, with status 2, before the system would kill the ranks; one that fits is
# solved.  test_available has groups of both versions as trees of files.
# limit: 120
. "$(dirname "$0")/../harness/script.sh"
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
group=
clean() {
  [ -z "$group" ] || rmdir "$group/inner" "$group" 2>/dev/null
  rm -rf "$work"
}
trap clean EXIT
cd "$work" || exit 1
show=text

limit=419430400 # 400 MiB
# Makes a group with this limit, of version 1 or 2, below the present one.  The limit also holds in
# its inner group, which has none of its own.
make_group() {
  root=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
  file=memory.limit_in_bytes
  if [ ! -e "$root/$file" ]; then
    root=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
    # A group that has processes of its own gives no memory to those below it.
    [ -w "$root/cgroup.subtree_control" ] || return 1
    grep -q -w memory "$root/cgroup.subtree_control" || root=${root%/*}
    file=memory.max
  fi
  mkdir "$root/hyla-$$" 2>/dev/null || return 1
  group=$root/hyla-$$
  (echo $limit >"$group/$file") 2>/dev/null && mkdir "$group/inner" || return 1
  for place in "$group" "$group/inner"; do
    # shellcheck disable=SC2016
    sh -c 'echo $$ >"$1/cgroup.procs"' sh "$place" 2>/dev/null || return 1
  done
}
make_group || skip 'no group with a limit of memory can be made'

# within GROUP RANKS ARGUMENT...: hyla in this group.
within() {
  # The arguments are words.
  # shellcheck disable=SC2016,SC2086
  timeout -k 5 $((60 * patience)) sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$1" \
    "$MPIEXEC" -n "$2" "$hyla" $3 >text 2>&1 </dev/null
}

# 512 MB in all, and 32 MB.
for p in 1 2; do
  for place in "$group" "$group/inner"; do
    within "$place" $p 'generate random --size 8000 -o large.npy'
    status=$?
    [ $status -eq 2 ] || complain "what is too large, $p ranks: exit status $status"
    [ "$(wc -l <text)" -eq 1 ] || complain "what is too large, $p ranks: not one line"
    there=$(sed -n 's/^hyla generate: out of memory: .*, and \([0-9]*\) are available .*/\1/p' text)
    [ "${there:-0}" -gt 0 ] && [ "$there" -lt $limit ] ||
      complain "what is too large, $p ranks: the group's limit is not told"
    [ ! -e large.npy ] || complain "what is too large, $p ranks: a file is written"
    rm -f fits.npy
    within "$place" $p 'generate random --size 2000 -o fits.npy' || complain "what fits, $p ranks: fails"
  done
done
# If the system killed a rank, it is counted here, or there.
grep -h '^oom_kill [1-9]' "$group/memory.oom_control" "$group/memory.events" >text 2>/dev/null &&
  complain 'the system killed a rank for memory'
exit $((failures > 0))
