#!/bin/sh
# The progress line: with --progress it stands on standard error, shows a share that grows and the
# remaining time, and is erased at the end; without --progress there is no line.
# limit: 150
. "$(dirname "$0")/../harness/script.sh"
cd "$work" || exit 1

show=err

# Runs a command; the states of the line, one a line, are in `states'.
run() { OPENBLAS_NUM_THREADS=1 timeout -k 5 $((60 * patience)) "$@" </dev/null >out 2>err || complain "$*: exit status $?"; }

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

# Of work without operations the prediction is shown.  With this library a second takes a millisecond,
# and the command rests whenever it looks at the clock, so that the line is drawn meanwhile.
cat >fast.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock == CLOCK_MONOTONIC && gettid() == getpid()) usleep(20000);
  const long code = syscall(SYS_clock_gettime, clock, now);
  if (clock != CLOCK_MONOTONIC) return (int)code;
  const long long time = (now->tv_sec * 1000000000LL + now->tv_nsec) * 1000;
  *now = (struct timespec){time / 1000000000, time % 1000000000};
  return (int)code;
}
int pthread_cond_timedwait(pthread_cond_t *change, pthread_mutex_t *mutex, const struct timespec *until) {
  (void)change, (void)until;
  pthread_mutex_unlock(mutex);
  usleep(200);
  return pthread_mutex_lock(mutex);
}
END
cc -O2 -shared -fPIC -o fast.so fast.c || complain 'fast.c does not compile'
printf 'name = slow\nalpha = 1\nbeta = 1\ngamma = 1\nrho = 1\n' >slow
run "$hyla" generate random --size 64x64 -o a.npy
run "$hyla" generate random --size 300x300 -o a.mtx
run env HYLA_MACHINE=./slow LD_PRELOAD="$PWD/fast.so" "$hyla" transpose a.npy --progress
tr '\r' '\n' <err | grep -q -E '^transposing \.\.\. [0-9]+ s of about [1-9][0-9]{4,} s' ||
  complain 'the prediction is not shown'

# Files show the share that is read or written.
for output in b.mtx b.csv; do
  run env LD_PRELOAD="$PWD/fast.so" "$hyla" convert a.mtx -o $output --progress
  tr '\r' '\n' <err >states
  for phase in reading writing; do
    grep -q -E "^$phase \.\.\. [0-9]+ % in [0-9]+ s, [0-9]+ s to go" states || complain "$output: $phase shows no share"
  done
done
exit $((failures > 0))
