/* What a redistribution's plan told before it ran on a simulated cube, and what came of it. */
#ifndef HY_TESTS_MOVED_H
#define HY_TESTS_MOVED_H 1

#include "hyla.h"

struct moved {
  double seconds, predicted;
  int64_t words; /* that the busiest node sends */
  hyla_cost cost;
  char variant[64];
};

/* By all nodes; `moved' is theirs together, zeros before.  variant: NULL for the planner's choice.
 */
hyla_status moved_run(hyla_cube *cube, const hyla_transfer *transfer, const char *variant,
                      struct moved *moved);

#endif
