/* The plan object: what all kinds of plans have in common. */
#include "matrix/matrix.h"

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

enum { COUNTS = 7, BATCH = 16 }; /* members of hyla_cost; candidates at a time */

static hyla_status busiest_of(hyla_cube *cube, struct hy_candidate *const candidates[], int count) {
  int64_t counts[BATCH][COUNTS] = {{0}};
  for (int x = 0; x < count; x++) {
    const hyla_cost *cost = &candidates[x]->cost;
    const int64_t mine[COUNTS] = {cost->steps,  cost->messages, cost->words, cost->flops,
                                  cost->memory, cost->lent,     cost->copied};
    memcpy(counts[x], mine, sizeof mine);
    candidates[x]->mine = *cost;
  }
  TRY(hy_cube_max(cube, counts[0], COUNTS * count));
  for (int x = 0; x < count; x++) {
    const int64_t *most = counts[x];
    candidates[x]->cost =
        (hyla_cost){most[0], most[1], most[2], most[3], most[4], most[5], most[6]};
  }
  return HYLA_OK;
}

hyla_status hy_plan_busiest(hyla_cube *cube, const struct hy_kernels *k,
                            struct hy_candidate *candidates, int count) {
  struct hy_candidate *priced[BATCH];
  for (int x = 0, some = 0; x < count; x++) {
    if (candidates[x].reason == NULL && !candidates[x].unpriced) priced[some++] = &candidates[x];
    if (some < BATCH && x < count - 1) continue;
    TRY(busiest_of(cube, priced, some));
    some = 0;
  }
  for (int x = 0; x < count; x++)
    candidates[x].seconds =
        hy_machine_seconds(&cube->machine, &candidates[x].cost, k->size, k->complex_type);
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
