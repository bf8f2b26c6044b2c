/* One line on a terminal: the current phase, its progress, its time.  A thread sleeps on a
 * condition and wakes each second; the main thread only changes the phase, so the work is not
 * slowed down. */
#include "tool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct ticker {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t change;
  const char *phase;
  double since;           /* when the phase began */
  const hyla_cube *files; /* whose files are read and written in any phase */
  const hyla_cube *cube;  /* on which the phase computes; NULL: its progress is not known */
  int64_t before;         /* operations of the cube when the phase began */
  double operations;      /* of the phase; 0: not known */
  double seconds;         /* predicted; 0: not known */
  double share;           /* told; 0: none was */
  bool shown;             /* a line must be erased */
  bool stop;
};

double tool_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Shows the progress by the file that is read or written, by operations done, or by the prediction
 * until the first are counted. */
static void show(struct ticker *ticker, double seconds) {
  double done = (double)(hyla_cube_operations(ticker->cube) - ticker->before);
  double part = hyla_cube_file_share(ticker->files);
  if (ticker->share > 0) part = ticker->share;
  if (part < 0) part = ticker->operations > 0 ? done / ticker->operations : 0;
  fprintf(stderr, "\r%s ... ", ticker->phase);
  if (part > 0 && part < 1)
    fprintf(stderr, "%.0f %% in %.0f s, %.0f s to go", 100 * part, seconds,
            seconds / part - seconds);
  else if (part == 0 && seconds < ticker->seconds)
    fprintf(stderr, "%.0f s of about %.0f s", seconds, ticker->seconds);
  else
    fprintf(stderr, "%.0f s", seconds);
  fprintf(stderr, "\033[K");
  ticker->shown = true;
}

static void *tick(void *arg) {
  struct ticker *ticker = arg;
  pthread_mutex_lock(&ticker->mutex);
  while (!ticker->stop) {
    struct timespec next;
    clock_gettime(CLOCK_REALTIME, &next);
    next.tv_sec++;
    pthread_cond_timedwait(&ticker->change, &ticker->mutex, &next);
    double seconds = tool_clock() - ticker->since;
    if (!ticker->stop && seconds >= 1) show(ticker, seconds);
  }
  if (ticker->shown) fprintf(stderr, "\r\033[K");
  pthread_mutex_unlock(&ticker->mutex);
  return NULL;
}

struct ticker *ticker_start(bool wanted, const hyla_cube *cube) {
  if (!wanted && !isatty(STDERR_FILENO)) return NULL;
  struct ticker *ticker = calloc(1, sizeof *ticker);
  if (!ticker) return NULL;
  pthread_mutex_init(&ticker->mutex, NULL);
  pthread_cond_init(&ticker->change, NULL);
  ticker->phase = "starting";
  ticker->files = cube;
  ticker->since = tool_clock();
  if (pthread_create(&ticker->thread, NULL, tick, ticker) == 0) return ticker;
  pthread_cond_destroy(&ticker->change);
  pthread_mutex_destroy(&ticker->mutex);
  free(ticker);
  return NULL;
}

void ticker_phase(struct ticker *ticker, const char *phase) {
  ticker_work(ticker, phase, NULL, 0, 0);
}

void ticker_work(struct ticker *ticker, const char *phase, const hyla_cube *cube, double operations,
                 double seconds) {
  if (!ticker) return;
  pthread_mutex_lock(&ticker->mutex);
  ticker->phase = phase;
  ticker->since = tool_clock();
  ticker->cube = cube;
  ticker->before = hyla_cube_operations(cube);
  ticker->operations = operations;
  ticker->seconds = seconds;
  ticker->share = 0;
  pthread_mutex_unlock(&ticker->mutex);
}

void ticker_share(struct ticker *ticker, double share) {
  if (!ticker) return;
  pthread_mutex_lock(&ticker->mutex);
  ticker->share = share;
  pthread_mutex_unlock(&ticker->mutex);
}

void ticker_stop(struct ticker **ticker) {
  struct ticker *ending = *ticker;
  if (!ending) return;
  *ticker = NULL;
  pthread_mutex_lock(&ending->mutex);
  ending->stop = true;
  pthread_cond_signal(&ending->change);
  pthread_mutex_unlock(&ending->mutex);
  pthread_join(ending->thread, NULL);
  pthread_cond_destroy(&ending->change);
  pthread_mutex_destroy(&ending->mutex);
  free(ending);
}
