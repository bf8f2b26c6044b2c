/* The plan object: the common part of all kinds of plans. */
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
  made->runs_by = kind->runs_by;
  made->machine = cube->session.machine;
  *plan = made;
  return HYLA_OK;
}

void hy_plan_adopt(hyla_plan *plan, const char *what, hyla_plan *child) {
  int kept = 0;
  for (int i = 0; i < plan->children; i++) {
    if (strcmp(plan->child[i].what, what) == 0)
      (void)hyla_plan_destroy(&plan->child[i].plan);
    else
      plan->child[kept++] = plan->child[i];
  }
  plan->children = kept;
  if (child == NULL) return;
  plan->child[plan->children].what = what;
  plan->child[plan->children++].plan = child;
}

static hyla_status check_run(hyla_cube *cube, const hyla_plan *plan) {
  CHECK(&cube->base, plan != NULL, ARGUMENT, "hyla_plan_run: plan is NULL");
  CHECK(&cube->base, plan->cube == cube, ARGUMENT,
        "hyla_plan_run: the plan belongs to another cube");
  CHECK(&cube->base, plan->runs_by == NULL, ARGUMENT, "hyla_plan_run: such a plan is run by %s",
        plan->runs_by);
  return HYLA_OK;
}

hyla_status hyla_plan_run(hyla_cube *cube, hyla_plan *plan) {
  if (cube == NULL) return HYLA_ARGUMENT;
  hyla_status mine = check_run(cube, plan);
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? plan->fingerprint : 0, "hyla_plan_run"));
  return hy_agree(cube, plan->kind->run(plan));
}

static const struct hy_candidate *chosen_of(const hyla_plan *plan) {
  return &plan->choice.candidates[plan->choice.chosen];
}

const char *hyla_plan_variant(const hyla_plan *plan) {
  return plan == NULL ? "" : chosen_of(plan)->name;
}

hyla_cost hyla_plan_cost(const hyla_plan *plan) {
  return plan == NULL ? (hyla_cost){0} : chosen_of(plan)->cost;
}

double hyla_plan_seconds(const hyla_plan *plan) {
  return plan == NULL ? 0 : chosen_of(plan)->seconds;
}

const char *hyla_plan_operation(const hyla_plan *plan) {
  return plan == NULL ? "" : plan->choice.family->name;
}

bool hyla_plan_candidate(const hyla_plan *plan, int i, hyla_candidate *candidate) {
  if (plan == NULL || candidate == NULL || i < 0 || i >= plan->choice.count) return false;
  *candidate = hy_candidate_shown(&plan->choice, i);
  return true;
}

const hyla_plan *hyla_plan_child(const hyla_plan *plan, int i, const char **what) {
  if (plan == NULL || i < 0 || i >= plan->children) return NULL;
  if (what != NULL) *what = plan->child[i].what;
  return plan->child[i].plan;
}

void hy_plan_explain(const hyla_plan *plan, struct hy_text *text) {
  hy_choice_explain(text, &plan->choice, &plan->machine);
  plan->kind->explain(plan, text);
  for (int i = 0; i < plan->children; i++) {
    hy_text_add(text, "  %s:\n", plan->child[i].what);
    text->indent += 4;
    hy_plan_explain(plan->child[i].plan, text);
    text->indent -= 4;
  }
}

size_t hyla_plan_explain(const hyla_plan *plan, char *text, size_t capacity) {
  struct hy_text out = {.text = text, .capacity = capacity};
  if (capacity > 0) text[0] = '\0';
  if (plan != NULL) hy_plan_explain(plan, &out);
  return out.length;
}

hyla_status hyla_plan_destroy(hyla_plan **plan) {
  if (plan == NULL || *plan == NULL) return HYLA_OK;
  hyla_plan *p = *plan;
  for (int i = 0; i < p->children; i++) (void)hyla_plan_destroy(&p->child[i].plan);
  if (p->choice.base != NULL) hy_choice_free(&p->choice);
  if (p->kind->destroy != NULL) p->kind->destroy(p);
  hy_free(&p->cube->base, &p->state);
  hy_free(&p->cube->base, plan);
  return HYLA_OK;
}
