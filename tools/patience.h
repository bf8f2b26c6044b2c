/* HYLA_TIMEOUT where MPI has no limit: when it begins and ends. */
#ifndef PATIENCE_H
#define PATIENCE_H 1

#include "tool.h"

#include <pthread.h>

/* Local; before, between and after MPI's own calls. */
struct patience {
  pthread_mutex_t mutex;
  pthread_cond_t change;
  const char *what; /* MPI does; NULL: nothing that has no limit */
  double limit, end;
  int rank;
  bool watches;
};
/* False where there is no room for its thread.  patience lives as long as the process. */
bool patience_start(struct patience *patience);
/* From now on MPI does this, a static text; NULL: nothing of that kind.  When the limit is over one
 * of the ranks that are left says so, and this one ends with EXIT_USE. */
void patience_wait(struct patience *patience, const char *what);

#endif
