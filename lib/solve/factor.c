/* The factorization as an operation of lib/job, hyla_factor_create and hyla_factor_adopt, and
 * questions to a factorization.
 *
 * The job's task is the factorization.  Its operands, the factors and the right-hand sides, are
 * workspaces.  The caller's matrices come later: the moves of the expected ones are planned here,
 * that of a matrix in another layout at its first use (compute.c).  A plan of an inverse knows its
 * two matrices and is run as a whole. */
#include "solve/guard/guard.h"
#include "solve/panels/panels.h"
#include "solve/solve.h"

#include <limits.h>
#include <string.h>

/* ----------------------------------------------------------------- make -- */

/* Rows of right-hand sides lie as the matrix' rows; their columns lie over the dimensions of its
 * columns, in blocks that give every rank some. */
static hyla_layout layout_of_x(const struct hy_factorization *problem, const struct hy_axis *rows,
                               const struct hy_axis *cols) {
  hyla_layout layout = {.row = rows->code, .col = cols->code, .rest = problem->layout.rest};
  int64_t share = hy_ceil_div(problem->nrhs, cols->parts);
  layout.col.storage = HYLA_CYCLIC;
  layout.col.block = hy_max(1, hy_min(share, cols->block));
  return layout;
}

/* Checks that the method takes these sizes. */
static hyla_status check_sizes(const struct hy_factorization *wanted, const char *call) {
  struct hy_base *base = &wanted->cube->base;
  long long m = wanted->m, n = wanted->n, nrhs = wanted->nrhs;
  CHECK(base, m >= 0 && n >= 0 && nrhs >= 0, ARGUMENT,
        "%s: A is %lld x %lld, nrhs %lld; give 0 or more", call, m, n, nrhs);
  CHECK(base, m == n || wanted->method->is.rectangular, ARGUMENT,
        "%s: A is %lld x %lld, and %s takes square matrices; lu and qr take any", call, m, n,
        wanted->method->is.name);
  CHECK(base, m == n || nrhs == 0, ARGUMENT,
        "%s: A is %lld x %lld, and only square systems are solved; give nrhs 0, not %lld", call, m,
        n, nrhs);
  return HYLA_OK;
}

/* Sets the axes of the factorization's matrices, by the layout of the factors. */
static hyla_status set_axes(struct hy_factorization *wanted, const char *call) {
  int64_t m = wanted->m, n = wanted->n, nrhs = wanted->nrhs;
  wanted->row = hy_axis_make(&wanted->layout.row, m);
  wanted->col = hy_axis_make(&wanted->layout.col, n);
  int64_t most = hy_max(hy_axis_most(&wanted->row), hy_axis_most(&wanted->col));
  CHECK(&wanted->cube->base, most < INT_MAX / 2 && nrhs < INT_MAX / 2, ARGUMENT,
        "%s: A of %lld x %lld, nrhs = %lld give a rank more than 2^30 rows or columns", call,
        (long long)m, (long long)n, (long long)nrhs);
  wanted->x_layout = layout_of_x(wanted, &wanted->row, &wanted->col);
  const hyla_layout turned = layout_of_x(wanted, &wanted->col, &wanted->row);
  wanted->x_col = hy_axis_make(&wanted->x_layout.col, nrhs);
  wanted->turned_row = hy_axis_make(&turned.row, n);
  wanted->turned_col = hy_axis_make(&turned.col, nrhs);
  return HYLA_OK;
}

/* Sets the layout that fixed variants need, in place of any other. */
static hyla_status lay_fixed(struct hy_factorization *wanted) {
  int64_t block = hy_fixed_block(hy_factor_order(wanted)), nrhs = wanted->nrhs;
  const hyla_cube *cube = wanted->cube;
  wanted->layout = (hyla_layout){.row = hy_axis_whole(wanted->m).code,
                                 .col = hy_axis_dealt(cube, block, wanted->n).code};
  TRY(set_axes(wanted, wanted->cube->session.call));
  wanted->x_col = hy_axis_dealt(cube, hy_fixed_width(nrhs), nrhs);
  wanted->x_layout.col = wanted->x_col.code;
  return HYLA_OK;
}

hyla_status hy_factor_want_by(hyla_cube *cube, const char *call, const struct hy_method *method,
                              hyla_type type, int64_t m, int64_t n, int64_t nrhs,
                              const hyla_layout *layout, struct hy_factorization *wanted) {
  struct hy_base *base = &cube->base;
  *wanted = (struct hy_factorization){.cube = cube,
                                      .method = method,
                                      .k = hy_cube_kernels(cube, type),
                                      .m = m,
                                      .n = n,
                                      .nrhs = nrhs};
  CHECK(base, wanted->k != NULL, ARGUMENT, "%s: %d is no type", call, (int)type);
  TRY(check_sizes(wanted, call));
  wanted->layout = layout == NULL ? hy_factor_layout(cube, m, n) : *layout;
  TRY(hy_layout_check(cube, &wanted->layout));
  return set_axes(wanted, call);
}

hyla_status hy_factor_want(hyla_cube *cube, const char *call, hyla_method method, hyla_type type,
                           int64_t m, int64_t n, int64_t nrhs, const hyla_layout *layout,
                           struct hy_factorization *wanted) {
  CHECK(&cube->base, (int)method >= 0 && (int)method < hy_method_count, ARGUMENT,
        "%s: %d is no method; hyla_method_at describes methods 0 to %d", call, (int)method,
        hy_method_count - 1);
  return hy_factor_want_by(cube, call, &hy_methods[method], type, m, n, nrhs, layout, wanted);
}

/* ---------------------------------------------------------- the operation -- */

/* Can the matrix given become the factors? */
static bool serves(const struct hy_factorization *problem) {
  const hyla_matrix *given = problem->given;
  return given != NULL && hy_axis_equal(&given->row, &problem->row) &&
         hy_axis_equal(&given->col, &problem->col);
}

/* Does the variant need the matrix `x_along_columns' from the beginning? */
static bool turns(const struct hy_variant *variant) {
  const struct hy_factor_traits *traits = variant->traits;
  bool turned = false;
  for (int i = 0; i < 2; i++)
    turned |= traits->solve[i].at == HY_ALONG_COLUMNS || traits->solve[i].product != NULL;
  return turned;
}

/* Moves the problem to the cube of a rehearsal.  There matrices lie as the factors do, but for an
 * inverse, whose matrices the call has. */
static void move_to(const struct hy_job *job, struct hy_factorization *problem) {
  problem->cube = job->cube;
  problem->k = hy_cube_kernels(job->cube, problem->k->type);
  problem->given = NULL;
  problem->from_a = problem->from_b = problem->to_x = NULL;
  if (problem->inverse == NULL) return;
  problem->inverted = job->call.argument[0].matrix;
  problem->inverse = job->call.argument[1].result;
  hy_factor_aim(problem);
}

static void begin(struct hy_job *job) {
  struct hyla_factor *factor = job->task;
  struct hy_factorization *problem = &factor->problem;
  factor->plan = job->plan;
  *problem = *(const struct hy_factorization *)job->call.subject;
  if (problem->cube != job->cube) move_to(job, problem);
  if (problem->inverse == NULL) job->plan->runs_by = "hyla_factor_compute and hyla_factor_solve";
  job->family = &problem->method->variants;
  job->k = problem->k;
  job->operands = HY_FACTOR_OPERANDS;
  for (int i = 0; i < job->operands; i++)
    job->operand[i] = (struct hy_binding){.unshared = i == HY_FACTOR_A};
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const struct hy_factorization *problem = &((const struct hyla_factor *)job->task)->problem;
  const hyla_rest rest = problem->layout.rest;
  (void)variant; /* all variants work in the same layouts */
  wanted[HY_FACTOR_A] = (struct hy_operand){problem->row, problem->col, false, rest};
  wanted[HY_FACTOR_X] = (struct hy_operand){problem->row, problem->x_col, false, rest};
  wanted[HY_FACTOR_X_ALONG] =
      (struct hy_operand){problem->turned_row, problem->turned_col, false, rest};
}

static bool copies(const struct hy_job *job, const struct hy_variant *variant, int operand) {
  const struct hyla_factor *factor = job->task;
  switch (operand) {
  case HY_FACTOR_A: return !serves(&factor->problem);
  case HY_FACTOR_X: return true;
  default: return turns(variant);
  }
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  struct hyla_factor *factor = task;
  (void)wanted;
  if (task != job->task) {
    factor->problem = ((const struct hyla_factor *)job->task)->problem;
    factor->problem.cube = cube;
    factor->problem.k = hy_cube_kernels(cube, job->k->type);
  }
  factor->problem.factors = &factor->factors;
  factor->factors.a = matrix[HY_FACTOR_A];
  factor->factors.x = matrix[HY_FACTOR_X];
  factor->factors.x_along_columns = matrix[HY_FACTOR_X_ALONG];
}

/* Can this variant be rehearsed without data? LU can, with drawn pivots, but not for an inverse. */
static bool plays(const struct hy_job *job, const struct hy_variant *variant) {
  const struct hy_factorization *problem = &((const struct hyla_factor *)job->task)->problem;
  const struct hy_factor_traits *steps = variant->traits;
  return !problem->method->is.needs_data || (steps->runs_dry && problem->inverse == NULL);
}

static hyla_status cost_of(const struct hy_job *job, const struct hy_variant *variant,
                           hyla_cost *cost) {
  const struct hy_factorization *problem = &((const struct hyla_factor *)job->task)->problem;
  return hy_factor_cost(problem, variant, job->cube->address, false, cost);
}

/* Adds the swaps to the memory of the variant and of the operands. */
static hyla_status spend(const struct hy_job *job, const struct hy_operand *wanted,
                         hyla_cost *cost) {
  const struct hy_factorization *problem = &((const struct hyla_factor *)job->task)->problem;
  (void)wanted;
  cost->memory += hy_factor_order(problem) * (int64_t)sizeof(int64_t);
  return HYLA_OK;
}

/* A matrix that is not known yet takes at least a copy. */
static hyla_cost copy_of(const struct hyla_factor *factor) {
  const hyla_matrix *a = factor->factors.a;
  const int64_t entries = factor->problem.given != NULL ? 0 : a->local_rows * a->local_cols;
  return (hyla_cost){.copied = entries, .streamed = hy_direct_streams(a) ? entries : 0};
}

static void charge(const struct hy_job *job, const struct hy_candidate *candidate,
                   hyla_cost *cost) {
  const struct hyla_factor *factor = job->task;
  hy_cost_add(cost, factor->guards);
  if (!candidate->rehearsed && factor->problem.from_a == NULL) hy_cost_add(cost, copy_of(factor));
}

/* Makes the checksum, for factors that are triangles and stay so. */
static hyla_status take_checksum(struct hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  bool lu = problem->method == &hy_methods[HYLA_LU];
  bool cholesky = problem->method == &hy_methods[HYLA_CHOLESKY];
  if (!problem->cube->session.check_results || !(lu || cholesky) || problem->inverse != NULL)
    return HYLA_OK;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *factor->checksum, &factor->checksum));
  return hy_checksum_make(problem, cholesky, factor->checksum);
}

static hyla_status take_checkpoint(struct hyla_factor *factor) {
  hyla_cube *cube = factor->problem.cube;
  if (!hy_checkpoint_wanted(factor)) return HYLA_OK;
  TRY(hy_agree(cube, hy_alloc(&cube->base, 1, sizeof *factor->checkpoint, &factor->checkpoint)));
  return hy_checkpoint_make(factor, factor->checkpoint);
}

/* A rank takes by itself the factors in the given matrix' memory, the swaps and the checksum. */
static hyla_status take(struct hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  struct hy_factors *factors = &factor->factors;
  if (factors->a == NULL) TRY(hy_matrix_over(problem->given, &problem->layout, &factors->a));
  TRY(hy_alloc_data(&problem->cube->base, hy_factor_order(problem), sizeof *factors->swaps,
                    &factors->swaps));
  return take_checksum(factor);
}

static hyla_status more(hyla_plan *plan) {
  struct hyla_factor *factor = hy_job_of(plan)->task;
  TRY(hy_agree(plan->cube, take(factor)));
  TRY(take_checkpoint(factor));
  return hy_factor_stage(factor);
}

/* Plays one factorization and one solution, of matrices that lie as the factors do. */
static hyla_status rehearse(struct hyla_factor *factor, hyla_matrix *a, hyla_matrix *b) {
  TRY(hy_factor_compute(factor, a, NULL));
  if (factor->problem.m != factor->problem.n) return HYLA_OK;
  return hy_factor_solve(factor, HYLA_NONE, b, b);
}

static hyla_status run(struct hy_job *job) {
  struct hyla_factor *factor = job->task;
  const struct hy_factorization *problem = &factor->problem;
  hyla_matrix *a = NULL, *b = NULL;
  if (problem->inverse != NULL) return hy_factor_invert(factor);
  hyla_status status =
      hy_matrix_make(job->cube, job->k->type, problem->m, problem->n, &problem->layout, &a);
  if (status == HYLA_OK)
    status =
        hy_matrix_make(job->cube, job->k->type, problem->m, problem->nrhs, &problem->layout, &b);
  if (status == HYLA_OK) status = rehearse(factor, a, b);
  (void)hyla_matrix_destroy(&b);
  (void)hyla_matrix_destroy(&a);
  return status;
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_job *job = hy_job_of(plan);
  const struct hyla_factor *factor = job->task;
  int64_t m = factor->problem.m, n = factor->problem.n, nrhs = factor->problem.nrhs;
  if (factor->problem.inverse != NULL)
    hy_text_add(text, "  the inverse of A, of order %lld%s\n", (long long)n,
                factor->factors.a->owner ? "" : ", made in its own memory");
  else if (nrhs == 0)
    hy_text_add(text, "  one factorization, of %lld rows and %lld columns\n", (long long)m,
                (long long)n);
  else
    hy_text_add(text, "  one factorization, one solution of %lld right-hand side%s\n",
                (long long)nrhs, nrhs == 1 ? "" : "s");
  job->variant->explain(job->state, text);
  if (factor->checksum != NULL) hy_text_add(text, "  factors: checked by sums over rows\n");
  if (factor->checkpoint != NULL)
    hy_text_add(text, "  states: one in %g s, in %s\n", plan->cube->session.checkpoint_every,
                plan->cube->session.checkpoint);
}

static void release(struct hy_job *job) {
  struct hy_base *base = &job->cube->base;
  struct hyla_factor *factor = job->task;
  if (job->operand[HY_FACTOR_A].owner == NULL) (void)hyla_matrix_destroy(&factor->factors.a);
  if (factor->adopted) (void)hyla_matrix_destroy(&factor->problem.given);
  if (factor->checksum != NULL) hy_checksum_free(factor->checksum);
  if (factor->checkpoint != NULL) hy_checkpoint_free(factor->checkpoint);
  hy_free(base, &factor->due);
  hy_free(base, &factor->checksum);
  hy_free(base, &factor->checkpoint);
  hy_free(base, &factor->factors.swaps);
}

static const struct hy_operation operation = {.together = true,
                                              .task = sizeof(struct hyla_factor),
                                              .begin = begin,
                                              .want = want,
                                              .set = set,
                                              .copies = copies,
                                              .plays = plays,
                                              .more = more,
                                              .cost = cost_of,
                                              .spend = spend,
                                              .charge = charge,
                                              .run = run,
                                              .explain = explain,
                                              .close = release};

/* Choosing a variant takes time and memory for each column, so matrices that are too large are
 * refused before.  Every variant takes the right-hand sides, the swaps, and the factors unless they
 * use the matrix given.  Small ones are not asked for, because that takes two agreements. */
static hyla_status ask_for_least(const struct hy_factorization *problem) {
  const double entries = (double)problem->m * (double)problem->n, little = 1 << 20;
  const hyla_type type = problem->k->type;
  const struct hy_operand a = {.row = problem->row, .col = problem->col},
                          x = {.row = problem->row, .col = problem->x_col};
  if (entries < little) return HYLA_OK;
  int64_t bytes = hy_binding_memory(problem->cube, &x, type);
  if (!serves(problem)) bytes += hy_binding_memory(problem->cube, &a, type);
  return hy_cube_afford(problem->cube, bytes + hy_factor_order(problem) * (int64_t)sizeof(int64_t));
}

hyla_status hy_factor_make(hyla_cube *cube, const struct hy_call *call,
                           const struct hy_factorization *wanted, struct hyla_factor **factor) {
  struct hy_factorization laid = *wanted;
  struct hy_call made = *call;
  hyla_plan *plan = NULL;
  *factor = NULL;
  made.subject = &laid;
  if (hy_choice_fixed(cube, &wanted->method->variants, call->variant) != NULL)
    TRY(lay_fixed(&laid));
  TRY(ask_for_least(&laid));
  hyla_status status = hy_job_make(cube, &operation, &made, &plan);
  if (status != HYLA_OK) {
    (void)hyla_plan_destroy(&plan);
    return status;
  }
  *factor = hy_job_of(plan)->task;
  (*factor)->problem.from_a = (*factor)->problem.from_b = (*factor)->problem.to_x = NULL;
  return HYLA_OK;
}

int64_t hyla_invert_pivot(const hyla_plan *plan) {
  const struct hy_job *job = hy_job_if(plan, &operation);
  const struct hyla_factor *factor = job == NULL ? NULL : job->task;
  return factor == NULL || factor->problem.inverse == NULL ? 0 : factor->factors.pivot;
}

/* --------------------------------------------------------------- public -- */

void hy_factor_call_wanted(const struct hy_factorization *wanted, const char *variant,
                           struct hy_call *call) {
  const char *method = wanted->method->is.name;
  const struct hyla_matrix like = {
      .k = wanted->k, .layout = wanted->layout, .row = wanted->row, .col = wanted->col};
  call->number[0] = (int64_t)hy_matrix_fingerprint(0, &like);
  call->number[1] = (int64_t)hy_fingerprint(0, method, strlen(method));
  call->number[2] = wanted->nrhs;
  call->variant = variant;
}

static hyla_status create(hyla_cube *cube, const char *name, hyla_method method, hyla_type type,
                          int64_t m, int64_t n, int64_t nrhs, const hyla_layout *layout,
                          const char *variant, hyla_factor **factor) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hy_factorization wanted;
  struct hy_call call = {.name = name, .place = {{"factor", factor, 1}}};
  if (factor != NULL) *factor = NULL;
  hyla_status mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK) mine = hy_factor_want(cube, name, method, type, m, n, nrhs, layout, &wanted);
  if (mine == HYLA_OK) hy_factor_call_wanted(&wanted, variant, &call);
  TRY(hy_call_agree(cube, &call, mine));
  return hy_factor_make(cube, &call, &wanted, factor);
}

hyla_status hyla_factor_create(hyla_cube *cube, hyla_method method, hyla_type type, int64_t n,
                               int64_t nrhs, const hyla_layout *layout, const char *variant,
                               hyla_factor **factor) {
  return create(cube, "hyla_factor_create", method, type, n, n, nrhs, layout, variant, factor);
}

hyla_status hyla_factor_create_rectangular(hyla_cube *cube, hyla_method method, hyla_type type,
                                           int64_t m, int64_t n, int64_t nrhs,
                                           const hyla_layout *layout, const char *variant,
                                           hyla_factor **factor) {
  return create(cube, "hyla_factor_create_rectangular", method, type, m, n, nrhs, layout, variant,
                factor);
}

/* All checks of the call; *wanted is the factorization that it makes. */
static hyla_status check_adopted(hyla_cube *cube, const struct hy_call *call, hyla_method method,
                                 int64_t nrhs, struct hy_factorization *wanted) {
  hyla_matrix *a = call->argument[0].result;
  TRY(hy_call_check(cube, call));
  TRY(hy_factor_want(cube, call->name, method, a->k->type, a->row.n, a->col.n, nrhs,
                     hy_factor_layout_of(a), wanted));
  wanted->given = a;
  wanted->from_a = a;
  return wanted->method->is.needs_data ? hy_need_data(cube, call->name) : HYLA_OK;
}

/* The factorization owns the matrix from now on; if its memory does not become the factors', it is
 * freed after they are made. */
static hyla_status compute_adopted(struct hyla_factor *factor) {
  hyla_matrix **given = &factor->problem.given;
  factor->adopted = true;
  hyla_status status = hy_factor_compute(factor, *given, NULL);
  if (factor->factors.a->owner) (void)hyla_matrix_destroy(given);
  return status;
}

hyla_status hyla_factor_adopt(hyla_cube *cube, hyla_method method, int64_t nrhs,
                              const char *variant, hyla_matrix **a, hyla_factor **factor) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hy_factorization wanted;
  hyla_matrix *given = a != NULL ? *a : NULL;
  struct hy_call call = {.name = "hyla_factor_adopt",
                         .place = {{"factor", factor, 1}, {"the place of matrix a", a, 1}},
                         .argument = {{"a", given, .result = given}}};
  if (factor != NULL) *factor = NULL;
  hyla_status mine = check_adopted(cube, &call, method, nrhs, &wanted);
  if (mine == HYLA_OK) hy_factor_call_wanted(&wanted, variant, &call);
  TRY(hy_call_agree(cube, &call, mine));
  TRY(hy_factor_make(cube, &call, &wanted, factor));
  *a = NULL;
  return compute_adopted(*factor);
}

const hyla_plan *hyla_factor_plan(const hyla_factor *factor) {
  return factor == NULL ? NULL : factor->plan;
}

int64_t hyla_factor_pivot(const hyla_factor *factor) {
  return factor == NULL ? 0 : factor->factors.pivot;
}

const hyla_layout *hyla_factor_layout(const hyla_factor *factor) {
  return factor == NULL ? NULL : &factor->problem.layout;
}

hyla_status hyla_factor_destroy(hyla_factor **factor) {
  if (factor == NULL || *factor == NULL) return HYLA_OK;
  hyla_plan *plan = (*factor)->plan;
  *factor = NULL;
  return hyla_plan_destroy(&plan);
}
