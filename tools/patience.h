/* HYLA_TIMEOUT where MPI has no limit: when it begins and ends; and the end of a job. */
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

/* Rank 0 is to speak at once.  Each other rank first leaves those before it the time to do so and
 * to end the job; when its turn comes, none of them has. */
void take_turn(int rank);
/* Ends the job with EXIT_USE, once what was printed has passed; this rank within half a second,
 * also where MPI waits for a launcher that cannot be reached. */
_Noreturn void abort_job(void);

#endif
