/* Drawn programs of a few calls, which a campaign runs on the ranks of a cube. */
#ifndef CAMPAIGN_OPERATIONS_H
#define CAMPAIGN_OPERATIONS_H 1

#include "network.h"

struct trial {
  const char *operation; /* of the registry, or one without variants */
  const char *variant;   /* NULL: the planner chooses */
  hyla_type type;
  int64_t m, n, k; /* small */
  const char *layout[3];
  uint64_t seed;               /* of the entries */
  uint64_t result[RANKS_MOST]; /* a sum over each rank's part of the result */
};

/* A trial by a seed. */
struct trial trial_draw(uint64_t seed);
/* The program; arg is a trial.  The status is that of the first call that fails. */
hyla_status trial_run(hyla_cube *cube, void *arg);

#endif
