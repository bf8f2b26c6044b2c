/* Costs, count by count: their sums, and the counts of the busiest node of a cube. */
#include "plan/plan.h"

#include <string.h>

enum { COUNTS = 11, BATCH = 16 }; /* members of hyla_cost; candidates that are compared at a time */

static void counts_of(const hyla_cost *cost, int64_t counts[COUNTS]) {
  const int64_t all[COUNTS] = {cost->steps,    cost->messages,  cost->words,  cost->flops,
                               cost->memory,   cost->lent,      cost->copied, cost->touched,
                               cost->streamed, cost->scattered, cost->read};
  memcpy(counts, all, sizeof all);
}

static hyla_cost cost_of(const int64_t counts[COUNTS]) {
  return (hyla_cost){counts[0], counts[1], counts[2], counts[3], counts[4], counts[5],
                     counts[6], counts[7], counts[8], counts[9], counts[10]};
}

void hy_cost_add(hyla_cost *sum, hyla_cost cost) {
  int64_t sums[COUNTS], counts[COUNTS];
  counts_of(sum, sums);
  counts_of(&cost, counts);
  for (int i = 0; i < COUNTS; i++) sums[i] += counts[i];
  *sum = cost_of(sums);
}

static hyla_status busiest_of(hyla_cube *cube, const struct hy_kernels *k,
                              struct hy_candidate *const candidates[], int count) {
  int64_t counts[BATCH][COUNTS], mean[COUNTS];
  double sums[BATCH][COUNTS];
  for (int x = 0; x < count; x++) {
    candidates[x]->mine = candidates[x]->cost;
    counts_of(&candidates[x]->cost, counts[x]);
  }
  TRY(hy_cube_max_sum(cube, counts[0], sums[0], COUNTS * count));
  for (int x = 0; x < count; x++) {
    struct hy_candidate *candidate = candidates[x];
    candidate->cost = cost_of(counts[x]);
    if (candidate->rehearsed) continue;
    for (int i = 0; i < COUNTS; i++) mean[i] = (int64_t)(sums[x][i] / cube->nodes);
    const hyla_cost shared = cost_of(mean);
    candidate->seconds = hy_machine_seconds_shared(&cube->session.machine, &candidate->cost,
                                                   &shared, k->size, k->complex_type);
  }
  return HYLA_OK;
}

hyla_status hy_plan_busiest(hyla_cube *cube, const struct hy_kernels *k,
                            struct hy_candidate *candidates, int count) {
  struct hy_candidate *priced[BATCH];
  for (int x = 0, some = 0; x < count; x++) {
    if (candidates[x].reason == NULL && !candidates[x].unpriced) priced[some++] = &candidates[x];
    if (some < BATCH && x < count - 1) continue;
    TRY(busiest_of(cube, k, priced, some));
    some = 0;
  }
  return HYLA_OK;
}
