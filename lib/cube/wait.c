/* How a rank waits for a message: it keeps its core for a while, then leaves it to others.
 *
 * Ranks with a core each get most messages within microseconds, and a rank that leaves its core to
 * another busy program gets it back milliseconds later.  So a rank keeps its core for as long as
 * leaving took lately, which at most doubles any wait.  A limit, `worth', shortens that: it halves
 * after a wait that outlasted the keeping, and doubles after a long wait that ended within it.  If
 * the core was lost to another program, a rank sleeps for moments instead of yielding, since the
 * system wakes sleepers before it runs programs that compute.
 *
 * Ranks that share a core leave it at once, because the rank that they wait for may need it; a
 * yield that takes long has then been of use.  Ranks that wait for long sleep.  Otherwise they
 * would pass the core among themselves before the rank that computes gets it back. */
#include "cube/link.h"

#include <sched.h>
#include <time.h>

enum { KEEP_LEAST = 50000, KEEP_MOST = 1000000, TRUST = 5000 }; /* ns */
enum { LOST = 1000000, NAPS = 1000 }; /* ns of a yield that lost the core; steps that then sleep */
enum { YIELDS = 5000, YIELDS_CROWDED = 200 };
enum { SHORT_NAP = 20000, LONG_NAP = 50000 };

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void nap(long length) {
  const struct timespec time = {.tv_nsec = length};
  nanosleep(&time, NULL);
}

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
  return hy_max(least, hy_min(value, most));
}

/* Adapts `worth' to the wait before: did it end while the core was kept? */
static void judge(struct hy_wait *wait) {
  const int64_t worth = wait->worth == 0 ? KEEP_MOST : wait->worth;
  if (wait->left)
    wait->worth = hy_max(KEEP_LEAST, wait->keeps > KEEP_LEAST ? worth / 2 : worth);
  else
    wait->worth =
        hy_min(KEEP_MOST, wait->last - wait->began > KEEP_LEAST ? 2 * worth : worth + TRUST);
}

enum hy_leave hy_wait_decide(struct hy_wait *wait, int64_t polls, int64_t now) {
  if (polls == 0) {
    judge(wait);
    wait->began = wait->last = now;
    wait->left = 0;
    wait->keeps = clamp(wait->cost, KEEP_LEAST, wait->worth);
  }
  if (wait->left == 0 && now - wait->began < wait->keeps) {
    wait->last = now;
    return HY_KEEP;
  }
  wait->left++;
  if (wait->left > YIELDS) return HY_SLEEP;
  return wait->naps > 0 ? HY_NAP : HY_YIELD;
}

void hy_wait_left(struct hy_wait *wait, enum hy_leave how, int64_t took) {
  if (how == HY_SLEEP) return;
  wait->cost += (took - wait->cost) / 4;
  if (how == HY_YIELD && took > LOST)
    wait->naps = NAPS;
  else if (how == HY_NAP)
    wait->naps--;
}

static void leave(enum hy_leave how) {
  if (how == HY_YIELD)
    sched_yield();
  else if (how != HY_KEEP)
    nap(how == HY_NAP ? SHORT_NAP : LONG_NAP);
}

void hy_wait_step(struct hy_wait *wait, int64_t polls) {
  const int64_t now = nanoseconds();
  const enum hy_leave how = hy_wait_decide(wait, polls, now);
  if (how == HY_KEEP) return;
  leave(how);
  hy_wait_left(wait, how, nanoseconds() - now);
}

void hy_wait_crowded(int64_t polls) { leave(polls < YIELDS_CROWDED ? HY_YIELD : HY_SLEEP); }
