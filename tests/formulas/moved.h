/* The predictions of a redistribution's plan before it runs on a simulated cube, and the
 * results. */
#ifndef HY_TESTS_MOVED_H
#define HY_TESTS_MOVED_H 1

#include "hyla.h"

struct moved {
  double seconds, predicted;
  int64_t words; /* words that the busiest node sends */
  hyla_cost cost;
  char variant[64];
};

/* Called by all nodes; `moved' is shared by them, zeros before.  variant: NULL for the planner's
 * choice. */
hyla_status moved_run(hyla_cube *cube, const hyla_transfer *transfer, const char *variant,
                      struct moved *moved);

#endif
