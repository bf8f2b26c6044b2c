/* The plan object: what all kinds of plans have in common. */
#include "plan/plan.h"

#include <string.h>

hyla_status hy_plan_create(hyla_cube *cube, const struct hy_plan_kind *kind, hyla_plan **plan) {
  struct hy_base *base = &cube->base;
  *plan = NULL;
  hyla_plan *made = NULL;
  TRY(hy_alloc(base, 1, sizeof *made, &made));
  hyla_status status = hy_alloc(base, 1, kind->size, &made->state);
  if (status != HYLA_OK) {
    hy_free(base, &made);
    return status;
  }
  made->cube = cube;
  made->kind = kind;
  *plan = made;
  return HYLA_OK;
}

enum { COUNTS = 8, BATCH = 16 }; /* members of hyla_cost; candidates at a time */

static void counts_of(const hyla_cost *cost, int64_t counts[COUNTS]) {
  const int64_t all[COUNTS] = {cost->steps,  cost->messages, cost->words,  cost->flops,
                               cost->memory, cost->lent,     cost->copied, cost->touched};
  memcpy(counts, all, sizeof all);
}

static hyla_cost cost_of(const int64_t counts[COUNTS]) {
  return (hyla_cost){counts[0], counts[1], counts[2], counts[3],
                     counts[4], counts[5], counts[6], counts[7]};
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
    for (int i = 0; i < COUNTS; i++) mean[i] = (int64_t)(sums[x][i] / cube->nodes);
    const hyla_cost shared = cost_of(mean);
    candidate->seconds = hy_machine_seconds_shared(&cube->machine, &candidate->cost, &shared,
                                                   k->size, k->complex_type);
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

hyla_status hyla_plan_run(hyla_cube *cube, hyla_plan *plan) {
  if (cube == NULL) return HYLA_ARGUMENT;
  bool fits = plan != NULL && plan->cube == cube;
  hyla_status mine = HYLA_OK;
  if (!fits)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "hyla_plan_run: %s",
                   plan == NULL ? "plan is NULL" : "the plan belongs to another cube");
  TRY(hy_enter(cube, mine, fits ? plan->fingerprint : 0, "hyla_plan_run"));
  return hy_agree(cube, plan->kind->run(plan->state));
}

const char *hyla_plan_variant(const hyla_plan *plan) {
  return plan == NULL ? "" : plan->kind->variant(plan->state);
}

hyla_cost hyla_plan_cost(const hyla_plan *plan) {
  return plan == NULL ? (hyla_cost){0} : plan->kind->cost(plan->state);
}

double hyla_plan_seconds(const hyla_plan *plan) {
  return plan == NULL ? 0 : plan->kind->seconds(plan->state);
}

size_t hyla_plan_explain(const hyla_plan *plan, char *text, size_t capacity) {
  struct hy_text out = {text, capacity, 0};
  if (capacity > 0) text[0] = '\0';
  if (plan != NULL) plan->kind->explain(plan->state, &out);
  return out.length;
}

hyla_status hyla_plan_destroy(hyla_plan **plan) {
  if (plan == NULL || *plan == NULL) return HYLA_OK;
  hyla_plan *p = *plan;
  p->kind->destroy(p->state);
  hy_free(&p->cube->base, &p->state);
  hy_free(&p->cube->base, plan);
  return HYLA_OK;
}
