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
/* The option array for these ranks: half of the time "cube", otherwise rows x columns of all of
 * them, or of one less where that is more than half. */
enum { TRIAL_ARRAY = 24 };
void trial_draw_array(int ranks, uint64_t *state, char array[TRIAL_ARRAY]);
/* The program; arg is a trial.  The status is that of the first call that fails. */
hyla_status trial_run(hyla_cube *cube, void *arg);

#endif
