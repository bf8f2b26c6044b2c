/* Plans of calls that make other calls: made, chosen and priced. */
#include "solve/played.h"

#include <stdio.h>
#include <string.h>

hyla_status hy_played_make(hyla_cube *cube, const struct hy_plan_kind *kind,
                           const struct hy_call *call, hyla_plan **plan) {
  hyla_status status = hy_agree(cube, hy_plan_create(cube, kind, plan));
  if (status != HYLA_OK) {
    (void)hyla_plan_destroy(plan);
    return status;
  }
  (*plan)->fingerprint = hy_call_fingerprint(call);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ choice -- */

static hyla_status take(struct hy_base *base, const struct hy_choice *from, const char *operation,
                        struct hy_choice *to) {
  TRY(hy_alloc(base, 1, sizeof *to->own, &to->own));
  *to->own = *from->family;
  to->own->name = operation;
  to->family = to->own;
  TRY(hy_alloc(base, from->count, sizeof *to->states, &to->states));
  TRY(hy_alloc(base, from->count, sizeof *to->candidates, &to->candidates));
  memcpy(to->candidates, from->candidates, (size_t)from->count * sizeof *to->candidates);
  to->count = from->count;
  to->chosen = from->chosen;
  to->entry = from->entry;
  to->why = from->why;
  to->wanted = to->forced;
  snprintf(to->forced, sizeof to->forced, "%s", from->wanted);
  return HYLA_OK;
}

hyla_status hy_played_choose(hyla_plan *plan, const char *operation, const hyla_plan *factored) {
  struct hy_choice *choice = &plan->choice;
  if (choice->family != NULL) return HYLA_OK;
  choice->base = &plan->cube->base;
  return take(&factored->cube->base, &factored->choice, operation, choice);
}

const char *hy_played_name(const hyla_plan *plan, const char *asked) {
  const bool any = asked == NULL || asked[0] == '\0' || plan->choice.family == NULL;
  return any ? NULL : hy_choice_variant(&plan->choice)->name;
}

/* ------------------------------------------------------------------- price -- */

/* What a program costs on this node besides the factorization that was chosen is added to all. */
static void charge(struct hy_choice *choice, hyla_cost whole) {
  hy_cost_subtract(&whole, choice->candidates[choice->chosen].mine);
  for (int i = 0; i < choice->count; i++) {
    struct hy_candidate *candidate = &choice->candidates[i];
    candidate->rehearsed = false;
    if (candidate->reason != NULL || candidate->unpriced) continue;
    candidate->cost = candidate->mine;
    hy_cost_add(&candidate->cost, whole);
  }
}

hyla_status hy_played_price(hyla_plan *plan, const struct hy_kernels *k, hy_program *program) {
  hyla_cube *cube = plan->cube;
  struct hy_choice *choice = &plan->choice;
  hyla_cube counting;
  hy_count_together(cube, &counting);
  hyla_status status = program(&counting, plan);
  const hyla_cost cost = hy_count_end(cube, &counting, k->size);
  TRY(hy_agree(cube, status));
  charge(choice, cost);
  return hy_plan_busiest(cube, k, choice->candidates, choice->count);
}
