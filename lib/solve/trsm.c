/* hyla_trsm, hyla_trsm_plan: what the calls check, where the operands lie, the plan. */
#include "solve/trsm.h"
#include "solve/fixed.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* What the user asked for; every member is a global argument. */
struct request {
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  double _Complex alpha;
  const hyla_matrix *a;
  hyla_matrix *b;
  const char *variant;
  bool
      asked; /* for the variant, by its name or by the cube's options; so also where it rehearses */
};

struct plan {
  struct request request;
  struct hy_trsm_task task;
  hyla_matrix *t, *x;     /* workspaces; NULL: the user's matrix serves */
  hyla_operation brought; /* A -> T: the request's op, which the system has not, or NONE */
  bool fixed;             /* the variant */
  hyla_plan *in, *out;
};

/* ------------------------------------------------------------- verdicts -- */

static hyla_status check(hyla_cube *cube, const struct request *r, const char *call) {
  struct hy_base *base = &cube->base;
  CHECK(base,
        r->side <= HYLA_RIGHT && r->triangle <= HYLA_UPPER && r->op <= HYLA_CONJUGATE &&
            r->diagonal <= HYLA_UNIT_DIAGONAL,
        ARGUMENT, "%s: side %d, triangle %d, op %d, diagonal %d; one is not in its list", call,
        (int)r->side, (int)r->triangle, (int)r->op, (int)r->diagonal);
  TRY(hy_matrix_check(cube, r->a, "a"));
  TRY(hy_matrix_check(cube, r->b, "b"));
  CHECK(base, r->a->k == r->b->k, ARGUMENT, "%s: a has type %s, b %s; convert one of them", call,
        r->a->k->name, r->b->k->name);
  CHECK(base, r->a->row.n == r->a->col.n, ARGUMENT, "%s: a is %lld x %lld; it must be square", call,
        (long long)r->a->row.n, (long long)r->a->col.n);
  int64_t order = r->side == HYLA_LEFT ? r->b->row.n : r->b->col.n;
  CHECK(base, r->a->row.n == order, ARGUMENT, "%s: a of order %lld on the %s of b, %lld x %lld",
        call, (long long)r->a->row.n, r->side == HYLA_LEFT ? "left" : "right",
        (long long)r->b->row.n, (long long)r->b->col.n);
  CHECK(base, !hy_matrix_overlap(r->a, r->b), ARGUMENT,
        "%s: a and b share entries; give b a matrix of its own", call);
  int64_t most = hy_max(hy_max(r->b->row.n, r->b->col.n), order);
  CHECK(base, most < INT_MAX / 2, ARGUMENT, "%s: %lld rows or columns; the most is 2^30", call,
        (long long)most);
  return HYLA_OK;
}

static uint64_t fingerprint_of(const struct request *r, const char *variant) {
  const int words[] = {(int)r->side, (int)r->triangle, (int)r->op, (int)r->diagonal};
  uint64_t fingerprint = hy_fingerprint(0, words, sizeof words);
  fingerprint = hy_fingerprint(fingerprint, &r->alpha, sizeof r->alpha);
  if (variant != NULL) fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  return hy_matrix_fingerprint(hy_matrix_fingerprint(fingerprint, r->a), r->b);
}

/* -------------------------------------------------------------- layouts -- */

/* The axis across the solution's: B's own where it lies over these dimensions, else cyclic with
 * a share for each part. */
static struct hy_axis axis_across(const struct hy_axis *own, const struct hy_axis *over) {
  bool whole = own->first == 0 && own->total == own->n;
  if (whole && own->code.dims == over->code.dims && own->code.code == over->code.code &&
      memcmp(own->code.dim, over->code.dim, (size_t)over->code.dims) == 0)
    return *own;
  hyla_axis code = over->code;
  code.storage = HYLA_CYCLIC;
  code.block = hy_max(1, hy_min(hy_ceil_div(own->n, over->parts), hy_max(1, over->block)));
  return hy_axis_make(&code, own->n);
}

/* The same where the number of ranks may not matter. */
static void set_fixed(struct hy_triangular_problem *p, hyla_cube *cube, const struct request *r) {
  int64_t n = r->a->row.n;
  bool left = r->side == HYLA_LEFT;
  int64_t sides = left ? r->b->col.n : r->b->row.n;
  const struct hy_axis across = hy_axis_dealt(cube->dims, hy_fixed_width(sides), sides);
  p->t_row = hy_axis_whole(n);
  p->t_col = hy_axis_dealt(cube->dims, hy_fixed_block(n), n);
  p->x_row = left ? p->t_row : across;
  p->x_col = left ? across : p->t_row;
  p->form.block = hy_square_block(cube, &p->t_row, &p->t_col);
}

/* A variant that is asked for takes A as it lies if it can at all; else A stays where moving it
 * would gain nothing. */
static bool stays(const struct request *r) {
  const int64_t sides = r->side == HYLA_LEFT ? r->b->col.n : r->b->row.n;
  bool serves = r->asked ? hy_triangle_serves(r->a) : hy_triangle_fits(r->a, sides);
  return serves && r->a->row.first == 0 && r->a->col.first == 0;
}

/* Where X lies for a triangle that is given so. */
static void place_x(struct hy_triangular_problem *p, const struct request *r, hyla_operation op) {
  bool left = r->side == HYLA_LEFT, by_rows = left == (op == HYLA_NONE);
  const struct hy_axis *along = by_rows ? &p->t_row : &p->t_col;
  const struct hy_axis *over = by_rows ? &p->t_col : &p->t_row;
  const struct hy_axis across = axis_across(left ? &r->b->col : &r->b->row, over);
  p->x_row = left ? *along : across;
  p->x_col = left ? across : *along;
}

static bool b_serves(const struct hy_triangular_problem *p, const struct request *r) {
  return hy_trsm_lies(r->b, &p->x_row, &p->x_col);
}

/* op(A) is brought in A's place where B can then stay where it lies, and is no smaller: B would go
 * there and back whole, of A half goes one way.  A variant that is asked for solves A as it lies if
 * it can. */
static void turn_triangle(struct plan *plan) {
  const struct request *r = &plan->request;
  struct hy_triangular_problem *p = &plan->task.system;
  const int64_t order = r->a->row.n, sides = r->side == HYLA_LEFT ? r->b->col.n : r->b->row.n;
  const struct hy_triangular_problem as_given = *p;
  if (r->op == HYLA_NONE || (r->asked && stays(r))) return;
  if (b_serves(p, r) || order > HY_SIDES_ENOUGH * sides) return;
  place_x(p, r, HYLA_NONE);
  if (!b_serves(p, r)) {
    *p = as_given;
    return;
  }
  plan->brought = r->op;
  p->form.op = HYLA_NONE;
  p->form.triangle = r->triangle == HYLA_LOWER ? HYLA_UPPER : HYLA_LOWER;
}

/* Where the triangle and X must lie: A as it is where that serves. */
static void set_problem(struct plan *plan, hyla_cube *cube) {
  const struct request *r = &plan->request;
  int64_t n = r->a->row.n;
  const struct hy_axis *own = r->side == HYLA_LEFT ? &r->b->col : &r->b->row;
  hyla_layout layout = stays(r) ? r->a->layout : hy_triangle_layout(cube, n);
  struct hy_triangular_problem *p = &plan->task.system;
  *p = (struct hy_triangular_problem){.cube = cube, .k = r->a->k};
  p->t_row = hy_axis_make(&layout.row, n);
  p->t_col = hy_axis_make(&layout.col, n);
  p->form = (struct hy_triangular){.block = hy_triangle_block(cube, &p->t_row, &p->t_col, own->n),
                                   .side = r->side,
                                   .triangle = r->triangle,
                                   .op = r->op,
                                   .diagonal = r->diagonal};
  place_x(p, r, r->op);
  plan->fixed = hy_choice_fixed(cube, &hy_trsm_family, r->variant) != NULL;
  if (plan->fixed)
    set_fixed(p, cube, r);
  else
    turn_triangle(plan);
}

bool hy_trsm_lies(const hyla_matrix *m, const struct hy_axis *row, const struct hy_axis *col) {
  return m->others == 0 && hy_axis_equal(&m->row, row) && hy_axis_equal(&m->col, col);
}

hyla_status hy_trsm_workspace(hyla_cube *cube, const struct hy_kernels *k,
                              const struct hy_axis *row, const struct hy_axis *col,
                              hyla_matrix **m) {
  const hyla_layout layout = {row->code, col->code, HYLA_REPLICATED};
  return hy_matrix_make(cube, k->type, row->n, col->n, &layout, m);
}

/* ------------------------------------------------------------- the plan -- */

/* The redistributions before and after, both planned; all ranks return the same. */
static hyla_status stage(hyla_plan *made) {
  struct plan *plan = made->state;
  const struct request *r = &plan->request;
  const hyla_triangle part = plan->task.system.form.triangle;
  const enum hy_part triangle = part == HYLA_LOWER ? HY_LOWER_PART : HY_UPPER_PART;
  hyla_transfer transfers[2];
  enum hy_part parts[2];
  int count = 0;
  if (plan->t != NULL) {
    parts[count] = triangle;
    transfers[count++] = (hyla_transfer){plan->brought, 1, r->a, plan->t};
  }
  if (plan->x != NULL) {
    parts[count] = HY_WHOLE;
    transfers[count++] = (hyla_transfer){HYLA_NONE, plan->fixed ? 1 : r->alpha, r->b, plan->x};
  }
  if (count == 0) return HYLA_OK;
  TRY(hy_redistribute_make(made->cube, count, transfers, parts, NULL, &plan->in));
  hy_plan_adopt(made, "operands brought", plan->in);
  if (plan->x == NULL) return HYLA_OK;
  const hyla_transfer back = {HYLA_NONE, 1, plan->x, r->b};
  TRY(hy_redistribute_make(made->cube, 1, &back, NULL, NULL, &plan->out));
  hy_plan_adopt(made, "solution brought back", plan->out);
  return HYLA_OK;
}

hyla_status hy_trsm_check_diagonal(const struct hy_trsm_task *task) {
  const hyla_matrix *t = task->t;
  hyla_cube *cube = task->system.cube;
  struct hy_base *base = &cube->base;
  int64_t n = t->row.n, found = 0; /* columns from the first bad one on, doubled; and 1 if zero */
  bool tests = task->system.form.diagonal == HYLA_ANY_DIAGONAL && !t->k->dry && cube->address >= 0;
  for (int64_t col = 0; tests && col < t->local_cols && found == 0; col++) {
    int64_t j = hyla_matrix_col(t, col);
    if (hy_axis_owner(&t->row, j) != t->row_part) continue;
    double _Complex entry = t->k->get(hy_at(t, hy_axis_before(&t->row, t->row_part, j), col), 0);
    if (entry == 0 || !isfinite(creal(entry)) || !isfinite(cimag(entry)))
      found = 2 * (n - j) + (entry == 0);
  }
  TRY(hy_cube_max(cube, &found, 1));
  int64_t first = n - found / 2 + 1;
  CHECK(base, found % 2 == 0, SINGULAR,
        "the triangle is singular: diagonal entry %lld is exactly zero", (long long)first);
  CHECK(base, found == 0, NOT_FINITE, "diagonal entry %lld of the triangle is NaN or infinite",
        (long long)first);
  return HYLA_OK;
}

/* B := alpha B where it stays; alpha = 0 does not read it. */
static void scale(double _Complex alpha, hyla_matrix *b) {
  if (alpha == 1) return;
  hy_count_copied(b->cube, b->local_rows * b->local_cols);
  for (int64_t col = 0; col < b->local_cols && alpha != 0; col++)
    b->k->scale((int)b->local_rows, alpha, hy_at(b, 0, col), 1);
  if (alpha == 0 && !b->k->dry)
    for (int64_t col = 0; col < b->local_cols; col++)
      memset(hy_at(b, 0, col), 0, (size_t)b->local_rows * b->k->size);
}

/* The same entry by entry: how BLAS rounds a complex product may depend on where in a vector it
 * stands. */
static void scale_each(double _Complex alpha, hyla_matrix *b) {
  if (alpha == 1) return;
  hy_count_copied(b->cube, b->local_rows * b->local_cols);
  for (int64_t col = 0; col < b->local_cols && !b->k->dry; col++)
    for (int64_t row = 0; row < b->local_rows; row++) {
      char *entry = hy_at(b, row, col);
      b->k->set(entry, 0, alpha * b->k->get(entry, 0));
    }
}

static hyla_status run_plan(hyla_plan *made) {
  const struct plan *plan = made->state;
  const struct request *r = &plan->request;
  if (r->alpha == 0) { /* A and B are not read */
    scale(0, r->b);
    return HYLA_OK;
  }
  if (plan->in != NULL) {
    TRY(hy_plan_run(plan->in));
    hy_part(made->cube, "operands brought");
  }
  TRY(hy_trsm_check_diagonal(&plan->task));
  if (plan->fixed)
    scale_each(r->alpha, plan->task.x);
  else if (plan->x == NULL)
    scale(r->alpha, r->b);
  TRY(hy_choice_variant(&made->choice)->run(hy_choice_state(&made->choice)));
  if (plan->out == NULL) return HYLA_OK;
  TRY(hy_plan_run(plan->out));
  hy_part(made->cube, "solution brought back");
  return HYLA_OK;
}

static void explain_plan(const hyla_plan *made, struct hy_text *text) {
  static const char *const ops[] = {"A", "A^T", "A^H"};
  const struct plan *plan = made->state;
  const struct request *r = &plan->request;
  const struct hy_variant *variant = hy_choice_variant(&made->choice);
  char t[HYLA_LAYOUT_TEXT], x[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&plan->task.t->layout, t, sizeof t);
  hyla_layout_format(&plan->task.x->layout, x, sizeof x);
  hy_text_add(text, "  %s%s%s = B, A %s triangular%s, %lld x %lld right-hand sides\n",
              r->side == HYLA_LEFT ? ops[r->op] : "X ", r->side == HYLA_LEFT ? " X" : ops[r->op],
              r->alpha == 1 ? "" : ", scaled", r->triangle == HYLA_LOWER ? "lower" : "upper",
              r->diagonal == HYLA_UNIT_DIAGONAL ? " with ones on the diagonal" : "",
              (long long)r->b->row.n, (long long)r->b->col.n);
  hy_text_add(text, "  %s as %s%s; X as %s%s\n", ops[plan->brought], t,
              plan->t == NULL ? ", where it lies" : "", x, plan->x == NULL ? ", where B lies" : "");
  variant->explain(hy_choice_state(&made->choice), text);
  hy_text_add(text, "  reference: %s\n", variant->reference);
}

static void destroy_plan(hyla_plan *made) {
  struct plan *plan = made->state;
  (void)hyla_matrix_destroy(&plan->t);
  (void)hyla_matrix_destroy(&plan->x);
}

static const struct hy_plan_kind KIND = {
    .size = sizeof(struct plan), .run = run_plan, .explain = explain_plan, .destroy = destroy_plan};

/* What this node spends on the plan as it is, redistributions and workspaces included. */
static void add_moves(hyla_plan *made) {
  const struct plan *plan = made->state;
  const hyla_matrix *const spaces[] = {plan->t, plan->x};
  hyla_cost *cost = &made->choice.candidates[made->choice.chosen].cost;
  *cost = made->choice.candidates[made->choice.chosen].mine;
  for (int i = 0; i < made->children; i++) hy_cost_add(cost, hy_plan_mine(made->child[i].plan));
  for (int i = 0; i < 2; i++)
    if (spaces[i] != NULL)
      cost->memory += spaces[i]->local_rows * spaces[i]->local_cols * (int64_t)spaces[i]->k->size;
}

static hyla_status make(hyla_cube *cube, const struct request *r, hyla_plan **made);

static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *stage) {
  struct request request = *(const struct request *)arg;
  hyla_matrix a, b;
  hyla_plan *plan = NULL;
  request.a = hy_matrix_stage(stage, request.a, &a);
  request.b = hy_matrix_stage(stage, request.b, &b);
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
  TRY(hy_choice_make(cube, &hy_trsm_family, &plan->task, p->k, r->variant, &pricing, choice));
  if (plan->brought != HYLA_NONE || !hy_trsm_lies(r->a, &p->t_row, &p->t_col))
    TRY(hy_trsm_workspace(cube, p->k, &p->t_row, &p->t_col, &plan->t));
  if (!hy_trsm_lies(r->b, &p->x_row, &p->x_col))
    TRY(hy_trsm_workspace(cube, p->k, &p->x_row, &p->x_col, &plan->x));
  plan->task.t = plan->t != NULL ? plan->t : r->a;
  plan->task.x = plan->x != NULL ? plan->x : r->b;
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
  struct request wanted = *r;
  wanted.asked = hy_choice_asked(cube, &hy_trsm_family, r->variant);
  hyla_status status = make(cube, &wanted, plan);
  if (status != HYLA_OK) hyla_plan_destroy(plan);
  return status;
}

/* --------------------------------------------------------------- public -- */

hyla_status hyla_trsm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                           hyla_operation op, hyla_diagonal diagonal, double _Complex alpha,
                           const hyla_matrix *a, hyla_matrix *b, const char *variant,
                           hyla_plan **plan) {
  const struct request r = {side, triangle, op, diagonal, alpha, a, b, variant, false};
  if (plan != NULL) *plan = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  return plan_request(cube, &r, "hyla_trsm_plan", plan);
}

hyla_status hyla_trsm(hyla_cube *cube, hyla_side side, hyla_triangle triangle, hyla_operation op,
                      hyla_diagonal diagonal, double _Complex alpha, const hyla_matrix *a,
                      hyla_matrix *b) {
  const struct request r = {side, triangle, op, diagonal, alpha, a, b, NULL, false};
  hyla_plan *plan = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(plan_request(cube, &r, "hyla_trsm", &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  hyla_plan_destroy(&plan);
  return status;
}
