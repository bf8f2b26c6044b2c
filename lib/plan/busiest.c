/* Costs, count by count: their sums, and the counts of the busiest node of a cube. */
#include "plan/plan.h"

enum { COUNTS = sizeof(hyla_cost) / sizeof(int64_t), BATCH = 16 }; /* BATCH: candidates at a time */

/* All members of a cost are counts. */
union counts {
  hyla_cost cost;
  int64_t count[COUNTS];
};

void hy_cost_add(hyla_cost *sum, hyla_cost cost) {
  union counts all = {*sum};
  const union counts more = {cost};
  for (int i = 0; i < COUNTS; i++) all.count[i] += more.count[i];
  *sum = all.cost;
}

void hy_cost_subtract(hyla_cost *from, hyla_cost cost) {
  union counts all = {*from};
  const union counts less = {cost};
  for (int i = 0; i < COUNTS; i++) all.count[i] -= less.count[i];
  *from = all.cost;
}

hyla_cost hy_cost_in(hyla_cost cost, size_t from, size_t to) {
  int64_t *const entries[] = {&cost.words,    &cost.lent,      &cost.copied, &cost.touched,
                              &cost.streamed, &cost.scattered, &cost.read};
  for (size_t i = 0; i < sizeof entries / sizeof *entries && from != to; i++)
    *entries[i] = *entries[i] * (int64_t)from / (int64_t)to;
  return cost;
}

static hyla_status busiest_of(hyla_cube *cube, const struct hy_kernels *k,
                              struct hy_candidate *const candidates[], int count) {
  union counts most[BATCH], mean;
  double sums[BATCH][COUNTS];
  for (int x = 0; x < count; x++) most[x].cost = candidates[x]->mine = candidates[x]->cost;
  TRY(hy_cube_max_sum(cube, most[0].count, sums[0], COUNTS * count));
  for (int x = 0; x < count; x++) {
    struct hy_candidate *candidate = candidates[x];
    candidate->cost = most[x].cost;
    if (candidate->rehearsed) continue;
    for (int i = 0; i < COUNTS; i++) mean.count[i] = (int64_t)(sums[x][i] / cube->nodes);
    candidate->seconds = hy_machine_seconds_shared(&cube->session.machine, &candidate->cost,
                                                   &mean.cost, k->size, k->complex_type);
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
