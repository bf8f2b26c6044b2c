/* hyla_trtri, hyla_trtri_plan: what the calls check, where the triangle lies, the plan.
 *
 * The inverse is the solution of T X = I in T's place, so the variants are triangular systems
 * (trsm.h) of which X is T. */
#include "solve/trsm.h"

#include <limits.h>
#include <string.h>

extern const struct hy_variant hy_trtri_panels;
static const struct hy_variant *const LIST[] = {&hy_trtri_panels, NULL};
const struct hy_family hy_trtri_family = {.name = "trtri", .rows = LIST};

/* What the user asked for; every member is a global argument. */
struct request {
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  hyla_matrix *a;
  const char *variant;
};

struct plan {
  struct request request;
  struct hy_trsm_task task;
  hyla_matrix *t; /* workspace; NULL: the user's matrix serves */
  hyla_plan *in, *out;
};

static hyla_status check(hyla_cube *cube, const struct request *r, const char *call) {
  struct hy_base *base = &cube->base;
  CHECK(base, r->triangle <= HYLA_UPPER && r->diagonal <= HYLA_UNIT_DIAGONAL, ARGUMENT,
        "%s: triangle %d, diagonal %d; one is not in its list", call, (int)r->triangle,
        (int)r->diagonal);
  TRY(hy_matrix_check(cube, r->a, "a"));
  CHECK(base, r->a->row.n == r->a->col.n, ARGUMENT, "%s: a is %lld x %lld; it must be square", call,
        (long long)r->a->row.n, (long long)r->a->col.n);
  CHECK(base, r->a->row.n < INT_MAX / 2, ARGUMENT, "%s: a is of order %lld; the most is 2^30", call,
        (long long)r->a->row.n);
  return HYLA_OK;
}

static uint64_t fingerprint_of(const struct request *r, const char *variant) {
  const int words[] = {(int)r->triangle, (int)r->diagonal};
  uint64_t fingerprint = hy_fingerprint(0, words, sizeof words);
  if (variant != NULL) fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  return hy_matrix_fingerprint(fingerprint, r->a);
}

/* Where the triangle must lie: as it does where that serves. */
static void set_problem(struct plan *plan, hyla_cube *cube) {
  const struct request *r = &plan->request;
  int64_t n = r->a->row.n;
  bool fits = hy_triangle_fits(r->a, 0) && r->a->row.first == 0 && r->a->col.first == 0;
  hyla_layout layout = fits ? r->a->layout : hy_triangle_layout(cube, n);
  struct hy_triangular_problem *p = &plan->task.system;
  *p = (struct hy_triangular_problem){.cube = cube, .k = r->a->k};
  p->t_row = p->x_row = hy_axis_make(&layout.row, n);
  p->t_col = p->x_col = hy_axis_make(&layout.col, n);
  p->form = (struct hy_triangular){.block = hy_triangle_block(cube, &p->t_row, &p->t_col, 0),
                                   .side = HYLA_LEFT,
                                   .triangle = r->triangle,
                                   .op = HYLA_NONE,
                                   .diagonal = r->diagonal,
                                   .inverse = true};
}

/* ------------------------------------------------------------- the plan -- */

/* The triangle brought to the workspace and back; all ranks return the same. */
static hyla_status stage(hyla_plan *made) {
  struct plan *plan = made->state;
  hyla_matrix *a = plan->request.a;
  const enum hy_part part = plan->request.triangle == HYLA_LOWER ? HY_LOWER_PART : HY_UPPER_PART;
  const hyla_transfer in = {HYLA_NONE, 1, a, plan->t}, out = {HYLA_NONE, 1, plan->t, a};
  if (plan->t == NULL) return HYLA_OK;
  TRY(hy_redistribute_make(made->cube, 1, &in, &part, NULL, &plan->in));
  hy_plan_adopt(made, "triangle brought", plan->in);
  TRY(hy_redistribute_make(made->cube, 1, &out, &part, NULL, &plan->out));
  hy_plan_adopt(made, "inverse brought back", plan->out);
  return HYLA_OK;
}

static hyla_status run_plan(hyla_plan *made) {
  const struct plan *plan = made->state;
  if (plan->in != NULL) TRY(hy_plan_run(plan->in));
  TRY(hy_trsm_check_diagonal(&plan->task));
  TRY(hy_choice_variant(&made->choice)->run(hy_choice_state(&made->choice)));
  return plan->out == NULL ? HYLA_OK : hy_plan_run(plan->out);
}

static void explain_plan(const hyla_plan *made, struct hy_text *text) {
  const struct plan *plan = made->state;
  const struct hy_variant *variant = hy_choice_variant(&made->choice);
  char t[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&plan->task.t->layout, t, sizeof t);
  hy_text_add(text, "  the inverse of A, %s triangular%s, of order %lld\n  A as %s%s\n",
              plan->request.triangle == HYLA_LOWER ? "lower" : "upper",
              plan->request.diagonal == HYLA_UNIT_DIAGONAL ? " with ones on the diagonal" : "",
              (long long)plan->request.a->row.n, t, plan->t == NULL ? ", where it lies" : "");
  variant->explain(hy_choice_state(&made->choice), text);
  hy_text_add(text, "  reference: %s\n", variant->reference);
}

static void destroy_plan(hyla_plan *made) {
  struct plan *plan = made->state;
  (void)hyla_matrix_destroy(&plan->t);
}

static const struct hy_plan_kind KIND = {
    .size = sizeof(struct plan), .run = run_plan, .explain = explain_plan, .destroy = destroy_plan};

/* What this node spends on the plan as it is, redistributions and workspace included. */
static void add_moves(hyla_plan *made) {
  const struct plan *plan = made->state;
  const hyla_matrix *t = plan->t;
  hyla_cost *cost = &made->choice.candidates[made->choice.chosen].cost;
  *cost = made->choice.candidates[made->choice.chosen].mine;
  for (int i = 0; i < made->children; i++) hy_cost_add(cost, hy_plan_mine(made->child[i].plan));
  if (t != NULL) cost->memory += t->local_rows * t->local_cols * (int64_t)t->k->size;
}

static hyla_status make(hyla_cube *cube, const struct request *r, hyla_plan **made);

static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *stage) {
  struct request request = *(const struct request *)arg;
  hyla_matrix a;
  hyla_plan *plan = NULL;
  request.a = hy_matrix_stage(stage, request.a, &a);
  request.variant = variant->name;
  hyla_status status = make(stage, &request, &plan);
  if (status == HYLA_OK) status = hy_plan_run(plan);
  (void)hyla_plan_destroy(&plan);
  return status;
}

/* Collective; all ranks return the same. */
static hyla_status make(hyla_cube *cube, const struct request *r, hyla_plan **made) {
  TRY(hy_agree(cube, hy_plan_create(cube, &KIND, made)));
  struct plan *plan = (*made)->state;
  struct hy_choice *choice = &(*made)->choice;
  struct hy_triangular_problem *p = &plan->task.system;
  plan->request = *r;
  set_problem(plan, cube);
  const struct hy_pricing pricing = {.rehearse = rehearse, .arg = &plan->request};
  TRY(hy_choice_make(cube, &hy_trtri_family, &plan->task, p->k, r->variant, &pricing, choice));
  if (!hy_trsm_lies(r->a, &p->t_row, &p->t_col))
    TRY(hy_trsm_workspace(cube, p->k, &p->t_row, &p->t_col, &plan->t));
  plan->task.x = plan->t != NULL ? plan->t : r->a;
  plan->task.t = plan->task.x;
  TRY(stage(*made));
  TRY(hy_choice_variant(choice)->take(hy_choice_state(choice)));
  (*made)->fingerprint = fingerprint_of(r, hy_choice_variant(choice)->name);
  add_moves(*made);
  return hy_plan_busiest(cube, p->k, &choice->candidates[choice->chosen], 1);
}

static hyla_status plan_request(hyla_cube *cube, const struct request *r, const char *call,
                                hyla_plan **plan) {
  hyla_status mine = plan == NULL ? hy_fail(&cube->base, HYLA_ARGUMENT, "%s: plan is NULL", call)
                                  : check(cube, r, call);
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? fingerprint_of(r, r->variant) : 0, call));
  hyla_status status = make(cube, r, plan);
  if (status != HYLA_OK) hyla_plan_destroy(plan);
  return status;
}

/* --------------------------------------------------------------- public -- */

hyla_status hyla_trtri_plan(hyla_cube *cube, hyla_triangle triangle, hyla_diagonal diagonal,
                            hyla_matrix *a, const char *variant, hyla_plan **plan) {
  const struct request r = {triangle, diagonal, a, variant};
  if (plan != NULL) *plan = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  return plan_request(cube, &r, "hyla_trtri_plan", plan);
}

hyla_status hyla_trtri(hyla_cube *cube, hyla_triangle triangle, hyla_diagonal diagonal,
                       hyla_matrix *a) {
  const struct request r = {triangle, diagonal, a, NULL};
  hyla_plan *plan = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(plan_request(cube, &r, "hyla_trtri", &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  hyla_plan_destroy(&plan);
  return status;
}
