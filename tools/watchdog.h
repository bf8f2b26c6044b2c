/* HYLA_TIMEOUT for calls of MPI that have no limit: its beginning and end. */
#ifndef WATCHDOG_H
#define WATCHDOG_H 1

#include "tool.h"

#include <pthread.h>

/* Local; used before, between and after MPI's own calls. */
struct watchdog {
  pthread_mutex_t mutex;
  pthread_cond_t change;
  const char *what; /* the call of MPI that is timed; NULL: none is */
  double limit, end;
  int rank;
  bool watches;
};
/* False if there is no room for its thread.  watchdog must live as long as the process. */
bool watchdog_start(struct watchdog *watchdog);
/* From now on MPI makes this call, a static text; NULL: no such call.  When the limit is over, one
 * of the remaining ranks prints a message, and this rank ends with EXIT_USE. */
void watchdog_wait(struct watchdog *watchdog, const char *what);

#endif
