/* Threads of one rank that share work; see local.h. */
#include "local/kernels.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

/* How long a thread looks for work before it sleeps.  That is longer than a factorization needs
 * between two works: to wake a thread and move it to another core (avoid) takes a tenth of a
 * millisecond. */
enum { PATIENCE = 2000000 }; /* ns */

/* How long the caller waits for the last pieces of other threads, which are short, before it gives
 * up its core.  Beside another busy program it would get the core back only milliseconds later. */
enum { KEEP = 50000 }; /* ns */

struct helper {
  struct hy_team *team;
  pthread_t thread;
  int number; /* from 1 */
};

struct hy_team {
  int threads;
  pthread_mutex_t mutex;
  pthread_cond_t begins;
  struct hy_work *work;   /* NULL: nothing to do */
  _Atomic int busy;       /* other threads at work */
  int core;               /* the caller's core when the work began */
  _Atomic int64_t starts; /* works begun so far; -1: the end */
  struct helper helper[];
};

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Waits for the next work.  Returns the number of works that have begun; -1: the end. */
static int64_t wait_for_work(struct hy_team *team, int64_t seen) {
  const int64_t end = nanoseconds() + PATIENCE;
  while (atomic_load_explicit(&team->starts, memory_order_acquire) == seen && nanoseconds() < end)
    sched_yield();
  pthread_mutex_lock(&team->mutex);
  while (atomic_load(&team->starts) == seen) pthread_cond_wait(&team->begins, &team->mutex);
  int64_t starts = atomic_load(&team->starts);
  pthread_mutex_unlock(&team->mutex);
  return starts;
}

/* The current work, in which this thread is then busy; NULL if it has ended or wants fewer
 * threads. */
static struct hy_work *join(const struct helper *me) {
  struct hy_team *team = me->team;
  pthread_mutex_lock(&team->mutex);
  struct hy_work *work = team->work;
  if (work != NULL && me->number >= work->threads) work = NULL;
  if (work != NULL) team->busy++;
  pthread_mutex_unlock(&team->mutex);
  return work;
}

/* Moves this thread off `core'.  The kernel puts a thread that wakes up on the core of the thread
 * that woke it, and leaves it there for longer than most works take.  Afterwards the thread may run
 * anywhere again. */
static void avoid(int core) {
  cpu_set_t all, others;
  if (core < 0 || sched_getcpu() != core || sched_getaffinity(0, sizeof all, &all) != 0) return;
  others = all;
  CPU_CLR((size_t)core, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  (void)sched_setaffinity(0, sizeof all, &all); /* the set of cores as before */
}

static int64_t take(struct hy_work *work, int thread) {
  int64_t index = atomic_fetch_add(&work->next, 1);
  if (index >= work->count) return -1;
  work->piece(work->arg, index, thread);
  return index;
}

static void *help(void *arg) {
  const struct helper *me = arg;
  for (int64_t seen = 0; (seen = wait_for_work(me->team, seen)) >= 0;) {
    struct hy_work *work = join(me);
    if (work == NULL) continue;
    avoid(me->team->core);
    while (take(work, me->number) >= 0) continue;
    me->team->busy--;
  }
  return NULL;
}

/* The helpers block all signals, which are for the program's own threads. */
static hyla_status start_helpers(struct hy_base *base, struct hy_team *team, int threads) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = 0;
  while (team->threads < threads && failed == 0) {
    struct helper *helper = &team->helper[team->threads - 1];
    *helper = (struct helper){.team = team, .number = team->threads};
    failed = pthread_create(&helper->thread, NULL, help, helper);
    if (failed == 0) team->threads++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  CHECK(base, failed == 0, MEMORY, "rank %d has no thread number %d; give fewer (HYLA_THREADS)",
        base->rank, team->threads + 1);
  return HYLA_OK;
}

hyla_status hy_team_create(struct hy_base *base, int threads, struct hy_team **team) {
  if (threads <= 1) return HYLA_OK;
  struct hy_team *made = NULL;
  const int64_t bytes = (int64_t)sizeof *made + (threads - 1) * (int64_t)sizeof(struct helper);
  TRY(hy_alloc(base, bytes, 1, &made));
  made->threads = 1;
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->begins, NULL);
  *team = made;
  hyla_status status = start_helpers(base, made, threads);
  if (status != HYLA_OK) hy_team_destroy(base, team);
  return status;
}

int hy_team_threads(const struct hy_team *team) { return team == NULL ? 1 : team->threads; }

static void announce(struct hy_team *team, struct hy_work *work, int64_t starts) {
  pthread_mutex_lock(&team->mutex);
  team->work = work;
  team->core = sched_getcpu();
  atomic_store_explicit(&team->starts, starts, memory_order_release);
  pthread_cond_broadcast(&team->begins);
  pthread_mutex_unlock(&team->mutex);
}

void hy_team_destroy(struct hy_base *base, struct hy_team **team) {
  if (*team == NULL) return;
  announce(*team, NULL, -1);
  for (int i = 0; i + 1 < (*team)->threads; i++) pthread_join((*team)->helper[i].thread, NULL);
  pthread_cond_destroy(&(*team)->begins);
  pthread_mutex_destroy(&(*team)->mutex);
  hy_free(base, team);
}

void hy_team_start(struct hy_team *team, struct hy_work *work) {
  atomic_init(&work->next, work->first);
  if (team == NULL || work->threads <= 1 || work->count == 0) return;
  hy_openblas_use(1);
  announce(team, work, atomic_load(&team->starts) + 1);
}

int64_t hy_work_take(struct hy_work *work) { return take(work, 0); }

void hy_team_finish(struct hy_team *team) {
  if (team == NULL || team->work == NULL) return;
  pthread_mutex_lock(&team->mutex);
  team->work = NULL; /* no thread joins any more */
  pthread_mutex_unlock(&team->mutex);
  const int64_t end = nanoseconds() + KEEP;
  while (atomic_load(&team->busy) > 0)
    if (nanoseconds() >= end) sched_yield();
  hy_openblas_use(team->threads);
}

void hy_team_do(struct hy_team *team, struct hy_work *work) {
  hy_team_start(team, work);
  while (hy_work_take(work) >= 0) continue;
  hy_team_finish(team);
}
