/* X := alpha op(A)^-1 B or alpha B op(A)^-1: the operation, and its public calls. */
#include "solve/trsm.h"
#include "solve/panels/panels.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { A, B };

/* The operation's own data in its job. */
struct own {
  struct hy_triangular_problem system; /* where the triangle and X lie */
  bool fixed;                          /* by variant `fixed' */
};

/* The arguments of the call, by their usual names. */
struct given {
  hyla_cube *cube;
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  const hyla_matrix *a, *b;
  int64_t order, nrhs;
};

static struct given given_of(const struct hy_job *job) {
  const struct hy_call *call = &job->call;
  struct given r = {.cube = job->cube,
                    .side = (hyla_side)call->option[0].value,
                    .triangle = (hyla_triangle)call->option[1].value,
                    .op = call->argument[A].op,
                    .diagonal = (hyla_diagonal)call->option[3].value,
                    .a = call->argument[A].matrix,
                    .b = call->argument[B].matrix};
  r.order = r.a->row.n;
  r.nrhs = r.side == HYLA_LEFT ? r.b->col.n : r.b->row.n;
  return r;
}

/* -------------------------------------------------------------- layouts -- */

/* The axis across the solution's: B's own if it lies over these dimensions, otherwise cyclic with a
 * share for each part. */
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

/* The layout of X that goes with the layout of the triangle. */
static void place_x(struct hy_triangular_problem *p, const struct given *r) {
  bool left = r->side == HYLA_LEFT, by_rows = left == (p->form.op == HYLA_NONE);
  const struct hy_axis *along = by_rows ? &p->t_row : &p->t_col;
  const struct hy_axis *over = by_rows ? &p->t_col : &p->t_row;
  const struct hy_axis across = axis_across(left ? &r->b->col : &r->b->row, over);
  p->x_row = left ? *along : across;
  p->x_col = left ? across : *along;
}

/* The system with its triangle in a layout. */
static struct hy_triangular_problem system_in(const struct given *r, const hyla_layout *layout) {
  struct hy_triangular_problem p = {.cube = r->cube, .k = r->a->k};
  p.t_row = hy_axis_make(&layout->row, r->order);
  p.t_col = hy_axis_make(&layout->col, r->order);
  p.form = (struct hy_triangular){.block = hy_triangle_block(r->cube, &p.t_row, &p.t_col, r->nrhs),
                                  .side = r->side,
                                  .triangle = r->triangle,
                                  .op = r->op,
                                  .diagonal = r->diagonal};
  place_x(&p, r);
  return p;
}

/* The same for the variant whose bits must not depend on the number of ranks. */
static struct hy_triangular_problem fixed_system(const struct given *r) {
  const int64_t n = r->order, width = hy_fixed_width(r->nrhs);
  struct hy_triangular_problem p = system_in(r, &r->a->layout);
  bool left = r->side == HYLA_LEFT;
  const struct hy_axis across = hy_axis_dealt(r->cube->dims, width, r->nrhs);
  p.t_row = hy_axis_whole(n);
  p.t_col = hy_axis_dealt(r->cube->dims, hy_fixed_block(n), n);
  p.x_row = left ? p.t_row : across;
  p.x_col = left ? across : p.t_row;
  p.form.block = hy_square_block(r->cube, &p.t_row, &p.t_col);
  return p;
}

/* Is it no part of another matrix, or one that begins where that does? */
static bool is_whole(const hyla_matrix *a) { return a->row.first == 0 && a->col.first == 0; }

static bool b_serves(const struct hy_triangular_problem *p, const struct given *r) {
  return r->b->unused_dims == 0 && hy_axis_equal(&r->b->row, &p->x_row) &&
         hy_axis_equal(&r->b->col, &p->x_col);
}

/* A is moved as op(A) if B can then keep its layout, and B is not much smaller than A: otherwise B
 * would be moved there and back whole, but only half of A is moved, and once. */
static void turn_triangle(struct hy_triangular_problem *p, const struct given *r) {
  const struct hy_triangular_problem as_given = *p;
  if (r->op == HYLA_NONE || b_serves(p, r) || r->order > HY_NRHS_ENOUGH * r->nrhs) return;
  p->form.op = HYLA_NONE;
  p->form.triangle = r->triangle == HYLA_LOWER ? HYLA_UPPER : HYLA_LOWER;
  place_x(p, r);
  if (!b_serves(p, r)) *p = as_given;
}

/* The system as HY_TRSM_BROUGHT and HY_TRSM_SQUARE want it. */
static struct hy_triangular_problem brought_system(const struct given *r) {
  const bool fits = is_whole(r->a) && hy_triangle_fits(r->a, r->nrhs);
  const hyla_layout layout = fits ? r->a->layout : hy_triangle_layout(r->cube, r->order);
  struct hy_triangular_problem p = system_in(r, &layout);
  turn_triangle(&p, r);
  return p;
}
static struct hy_triangular_problem square_system(const struct given *r) {
  const bool serves = is_whole(r->a) && hy_triangle_serves(r->a);
  return serves ? system_in(r, &r->a->layout) : brought_system(r);
}

/* ------------------------------------------------------------- the operation -- */

/* B is scaled when it is moved to a workspace. */
static void begin(struct hy_job *job) {
  job->operands = 2;
  job->operand[B] = hy_binding_of(&job->call.argument[B]);
}

/* Only the triangle is moved, as op(A) if the system is one without op. */
static void place(struct hy_job *job, const struct hy_variant *variant) {
  static const struct hy_trsm_traits none = {0};
  const struct given r = given_of(job);
  const struct hy_trsm_traits *traits =
      variant != NULL && variant->traits != NULL ? variant->traits : &none;
  struct own *own = job->own;
  struct hy_argument a = job->call.argument[A];
  own->fixed = variant != NULL && variant->fixed;
  own->system = own->fixed                        ? fixed_system(&r)
                : traits->home == HY_TRSM_BROUGHT ? brought_system(&r)
                                                  : square_system(&r);
  if (own->system.form.op != HYLA_NONE) a.op = HYLA_NONE;
  job->operand[A] = hy_binding_of(&a);
  job->operand[A].shape.form = HY_TRIANGULAR;
  job->operand[B].scale = own->fixed ? 1 : job->call.alpha;
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const struct hy_triangular_problem *p = &((const struct own *)job->own)->system;
  (void)variant; /* place has gone by it */
  wanted[A] = (struct hy_operand){p->t_row, p->t_col, wanted[A].in_place, HYLA_REPLICATED};
  wanted[B] = (struct hy_operand){p->x_row, p->x_col, wanted[B].in_place, HYLA_REPLICATED};
}

bool hy_trsm_copies(const struct hy_job *job, const struct hy_variant *variant, int operand) {
  (void)variant;
  return job->operand[operand].op != HYLA_NONE || job->operand[operand].matrix->unused_dims != 0;
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  struct hy_trsm_task *t = task;
  const struct own *own = job->own;
  (void)wanted;
  *t = (struct hy_trsm_task){.system = own->system, .t = matrix[A], .x = matrix[B]};
  t->system.cube = cube;
  t->system.k = hy_cube_kernels(cube, job->k->type);
}

hyla_status hy_trsm_check_diagonal(const struct hy_trsm_task *task) {
  const hyla_matrix *t = task->t;
  hyla_cube *cube = task->system.cube;
  struct hy_base *base = &cube->base;
  int64_t n = t->row.n, found = 0; /* twice the columns from the first bad one on, plus 1 if it is
                                    * zero */
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

/* B := alpha B, if B is not moved; alpha = 0 does not read B. */
static void scale(double _Complex alpha, hyla_matrix *b) {
  if (alpha == 1) return;
  hy_count_copied(b->cube, b->local_rows * b->local_cols);
  for (int64_t col = 0; col < b->local_cols && alpha != 0; col++)
    b->k->scale((int)b->local_rows, alpha, hy_at(b, 0, col), 1);
  if (alpha == 0 && !b->k->dry)
    for (int64_t col = 0; col < b->local_cols; col++)
      memset(hy_at(b, 0, col), 0, (size_t)b->local_rows * b->k->size);
}

/* The same entry by entry: BLAS may round a complex product differently at different places of a
 * vector. */
static void scale_each(double _Complex alpha, hyla_matrix *b) {
  if (alpha == 1) return;
  hy_count_copied(b->cube, b->local_rows * b->local_cols);
  for (int64_t col = 0; col < b->local_cols && !b->k->dry; col++)
    for (int64_t row = 0; row < b->local_rows; row++) {
      char *entry = hy_at(b, row, col);
      b->k->set(entry, 0, alpha * b->k->get(entry, 0));
    }
}

static hyla_status compute(struct hy_job *job) {
  const struct hy_trsm_task *task = job->task;
  const double _Complex alpha = job->call.alpha;
  if (job->in != NULL) hy_part(job->cube, "operands brought");
  TRY(hy_trsm_check_diagonal(task));
  if (((const struct own *)job->own)->fixed)
    scale_each(alpha, task->x);
  else if (job->operand[B].view == NULL)
    scale(alpha, task->x);
  return hy_job_compute(job);
}

static hyla_status run(struct hy_job *job) {
  if (job->call.alpha == 0) { /* A and B are not read */
    scale(0, job->operand[B].result);
    return HYLA_OK;
  }
  TRY(hy_job_once(job));
  if (job->out != NULL) hy_part(job->cube, "solution brought back");
  return HYLA_OK;
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  static const char *const ops[] = {"A", "A^T", "A^H"};
  const struct hy_job *job = hy_job_of(plan);
  const struct hy_trsm_task *task = job->task;
  const struct given r = given_of(job);
  char t[HYLA_LAYOUT_TEXT], x[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&task->t->layout, t, sizeof t);
  hyla_layout_format(&task->x->layout, x, sizeof x);
  hy_text_add(text, "  %s%s%s = B, A %s triangular%s, %lld x %lld right-hand sides\n",
              r.side == HYLA_LEFT ? ops[r.op] : "X ", r.side == HYLA_LEFT ? " X" : ops[r.op],
              job->call.alpha == 1 ? "" : ", scaled", r.triangle == HYLA_LOWER ? "lower" : "upper",
              r.diagonal == HYLA_UNIT_DIAGONAL ? " with ones on the diagonal" : "",
              (long long)r.b->row.n, (long long)r.b->col.n);
  hy_text_add(text, "  %s as %s%s; X as %s%s\n", ops[job->operand[A].op], t,
              job->operand[A].view == NULL ? ", where it lies" : "", x,
              job->operand[B].view == NULL ? ", where B lies" : "");
  job->variant->explain(job->state, text);
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}

static const struct hy_operation operation = {.family = &hy_trsm_family,
                                              .together = true,
                                              .task = sizeof(struct hy_trsm_task),
                                              .own = sizeof(struct own),
                                              .brought = "operands brought",
                                              .returned = "solution brought back",
                                              .begin = begin,
                                              .place = place,
                                              .want = want,
                                              .set = set,
                                              .copies = hy_trsm_copies,
                                              .run = run,
                                              .compute = compute,
                                              .explain = explain};

/* ------------------------------------------------------------------- calls -- */

static struct hy_call system_of(const char *name, hyla_side side, hyla_triangle triangle,
                                hyla_operation op, hyla_diagonal diagonal, double _Complex alpha,
                                const hyla_matrix *a, hyla_matrix *b, const char *variant) {
  const enum hy_structure form =
      diagonal == HYLA_UNIT_DIAGONAL ? HY_UNIT_TRIANGULAR : HY_TRIANGULAR;
  return (struct hy_call){
      .name = name,
      .option = {{"side", (int)side, hy_side_names},
                 {"triangle", (int)triangle, hy_triangle_names},
                 {"op", (int)op, hy_operation_names},
                 {"diagonal", (int)diagonal, hy_diagonal_names}},
      .alpha = alpha,
      .argument = {{"a", a, op, side == HYLA_LEFT ? "mm" : "nn", .shape = {form, triangle}},
                   {"b", b, HYLA_NONE, "mn", b}},
      .variant = variant,
      .most = INT_MAX / 2};
}

hyla_status hyla_trsm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                           hyla_operation op, hyla_diagonal diagonal, double _Complex alpha,
                           const hyla_matrix *a, hyla_matrix *b, const char *variant,
                           hyla_plan **plan) {
  const struct hy_call call =
      system_of("hyla_trsm_plan", side, triangle, op, diagonal, alpha, a, b, variant);
  return hy_job_plan(cube, &operation, &call, HYLA_OK, plan);
}

hyla_status hyla_trsm(hyla_cube *cube, hyla_side side, hyla_triangle triangle, hyla_operation op,
                      hyla_diagonal diagonal, double _Complex alpha, const hyla_matrix *a,
                      hyla_matrix *b) {
  const struct hy_call call =
      system_of("hyla_trsm", side, triangle, op, diagonal, alpha, a, b, NULL);
  return hy_job_call(cube, &operation, &call, HYLA_OK);
}
