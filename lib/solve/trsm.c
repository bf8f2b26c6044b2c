/* X := alpha op(A)^-1 B or alpha B op(A)^-1: the operation, and its public calls. */
#include "solve/trsm.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { A, B };

/* The operation's own data in its job: where the triangle and X lie. */
static struct hy_triangular_problem *system_of(const struct hy_job *job) { return job->own; }

static struct hy_trsm_call call_of(const struct hy_job *job) {
  const struct hy_call *call = &job->call;
  struct hy_trsm_call r = {.cube = job->cube,
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

/* ------------------------------------------------------------- the operation -- */

/* B is scaled when it is moved to a workspace. */
static void begin(struct hy_job *job) {
  job->operands = 2;
  job->operand[B] = hy_binding_of(&job->call.argument[B]);
}

/* Only the triangle is moved, as op(A) if the system is one without op. */
static void place(struct hy_job *job, const struct hy_variant *variant) {
  const struct hy_trsm_call r = call_of(job);
  const struct hy_trsm_traits *traits = variant == NULL ? NULL : variant->traits;
  struct hy_argument a = job->call.argument[A];
  struct hy_triangular_problem *p = system_of(job);
  *p = traits == NULL || traits->place == NULL ? hy_trsm_place_square(&r) : traits->place(&r);
  if (p->form.op != HYLA_NONE) a.op = HYLA_NONE;
  job->operand[A] = hy_binding_of(&a);
  job->operand[A].shape.form = HY_TRIANGULAR;
  job->operand[B].scale = variant != NULL && variant->fixed ? 1 : job->call.alpha;
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const struct hy_triangular_problem *p = system_of(job);
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
  (void)wanted;
  *t = (struct hy_trsm_task){.system = *system_of(job), .t = matrix[A], .x = matrix[B]};
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
  if (job->variant->fixed)
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
  const struct hy_trsm_call r = call_of(job);
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
                                              .own = sizeof(struct hy_triangular_problem),
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

static struct hy_call call_on(const char *name, hyla_side side, hyla_triangle triangle,
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
      call_on("hyla_trsm_plan", side, triangle, op, diagonal, alpha, a, b, variant);
  return hy_job_plan(cube, &operation, &call, HYLA_OK, plan);
}

hyla_status hyla_trsm(hyla_cube *cube, hyla_side side, hyla_triangle triangle, hyla_operation op,
                      hyla_diagonal diagonal, double _Complex alpha, const hyla_matrix *a,
                      hyla_matrix *b) {
  const struct hy_call call = call_on("hyla_trsm", side, triangle, op, diagonal, alpha, a, b, NULL);
  return hy_job_call(cube, &operation, &call, HYLA_OK);
}
