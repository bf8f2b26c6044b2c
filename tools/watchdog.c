/* A time limit for calls of MPI that have none.  Starting and ending MPI takes all ranks, and if
 * one is stopped the others wait for ever.  A thread then prints a message and ends this rank,
 * after which the launcher ends the job.  Between these calls it sleeps, because the library has
 * its own limit. */
#include "watchdog.h"

#include "speaker.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

/* STACK: bytes, for a line of text and the system's own needs.  LONGEST: seconds of the longest
 * wait that clocks can hold. */
enum { STACK = 256 << 10, LONGEST = 1000000000 };

static void *watch(void *arg) {
  struct watchdog *watchdog = arg;
  pthread_mutex_lock(&watchdog->mutex);
  while (!watchdog->what || tool_clock() < watchdog->end) {
    struct timespec end = {.tv_sec = (time_t)watchdog->end};
    end.tv_nsec = (long)((watchdog->end - (double)end.tv_sec) * 1e9);
    if (watchdog->what)
      pthread_cond_timedwait(&watchdog->change, &watchdog->mutex, &end);
    else
      pthread_cond_wait(&watchdog->change, &watchdog->mutex);
  }
  if (take_turn(watchdog->rank))
    dprintf(STDERR_FILENO,
            "hyla: rank %d waited %g s in %s for the others; are all of them running? HYLA_TIMEOUT "
            "sets the limit\n",
            watchdog->rank, watchdog->limit, watchdog->what);
  let_pass();
  _exit(EXIT_USE);
}

static bool start(struct watchdog *watchdog) {
  pthread_attr_t attributes;
  pthread_condattr_t monotonic;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  if (pthread_condattr_init(&monotonic) != 0) return false;
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  bool good = pthread_mutex_init(&watchdog->mutex, NULL) == 0 &&
              pthread_cond_init(&watchdog->change, &monotonic) == 0 &&
              pthread_create(&thread, &attributes, watch, watchdog) == 0;
  pthread_condattr_destroy(&monotonic);
  pthread_attr_destroy(&attributes);
  return good;
}

bool watchdog_start(struct watchdog *watchdog) {
  hyla_options options;
  hyla_options_init(&options);
  const int rank = launched_rank();
  *watchdog = (struct watchdog){.limit = options.timeout, .rank = rank > 0 ? rank : 0};
  speaker_prepare();
  if (options.timeout <= 0) return true;
  watchdog->watches = start(watchdog);
  return watchdog->watches;
}

void watchdog_wait(struct watchdog *watchdog, const char *what) {
  if (!watchdog->watches) return;
  pthread_mutex_lock(&watchdog->mutex);
  watchdog->what = what;
  watchdog->end = tool_clock() + fmin(watchdog->limit, LONGEST);
  pthread_cond_signal(&watchdog->change);
  pthread_mutex_unlock(&watchdog->mutex);
}
