/* A time limit for calls of MPI that have none.  Starting and ending MPI takes all ranks, and if
 * one is stopped the others wait for ever.  A thread then prints a message and ends this rank,
 * after which the launcher ends the job.  Between these calls it sleeps, because the library has
 * its own limit. */
#include "patience.h"

#include "speaker.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

/* STACK: bytes, for a line of text and the system's own needs.  LONGEST: seconds of the longest
 * wait that clocks can hold. */
enum { STACK = 256 << 10, LONGEST = 1000000000 };

static void *watch(void *arg) {
  struct patience *patience = arg;
  pthread_mutex_lock(&patience->mutex);
  while (!patience->what || tool_clock() < patience->end) {
    struct timespec end = {.tv_sec = (time_t)patience->end};
    end.tv_nsec = (long)((patience->end - (double)end.tv_sec) * 1e9);
    if (patience->what)
      pthread_cond_timedwait(&patience->change, &patience->mutex, &end);
    else
      pthread_cond_wait(&patience->change, &patience->mutex);
  }
  if (take_turn(patience->rank))
    dprintf(STDERR_FILENO,
            "hyla: rank %d waited %g s in %s for the others; are all of them running? HYLA_TIMEOUT "
            "sets the limit\n",
            patience->rank, patience->limit, patience->what);
  let_pass();
  _exit(EXIT_USE);
}

static bool start(struct patience *patience) {
  pthread_attr_t attributes;
  pthread_condattr_t monotonic;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  if (pthread_condattr_init(&monotonic) != 0) return false;
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  bool good = pthread_mutex_init(&patience->mutex, NULL) == 0 &&
              pthread_cond_init(&patience->change, &monotonic) == 0 &&
              pthread_create(&thread, &attributes, watch, patience) == 0;
  pthread_condattr_destroy(&monotonic);
  pthread_attr_destroy(&attributes);
  return good;
}

bool patience_start(struct patience *patience) {
  hyla_options options;
  hyla_options_init(&options);
  const int rank = launched_rank();
  *patience = (struct patience){.limit = options.timeout, .rank = rank > 0 ? rank : 0};
  speaker_prepare();
  if (options.timeout <= 0) return true;
  patience->watches = start(patience);
  return patience->watches;
}

void patience_wait(struct patience *patience, const char *what) {
  if (!patience->watches) return;
  pthread_mutex_lock(&patience->mutex);
  patience->what = what;
  patience->end = tool_clock() + fmin(patience->limit, LONGEST);
  pthread_cond_signal(&patience->change);
  pthread_mutex_unlock(&patience->mutex);
}
