/* hyla_factor_create, and questions to a factorization, which is the state of a plan.
 *
 * Create takes all memory for matrices in the factors' layout, and plans their moves.  The move of
 * a matrix in another layout is planned at its first use (compute.c). */
#include "solve/guard/guard.h"
#include "solve/panels/panels.h"
#include "solve/solve.h"

#include <limits.h>
#include <math.h>
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
  wanted->turned_layout = layout_of_x(wanted, &wanted->col, &wanted->row);
  wanted->x_col = hy_axis_make(&wanted->x_layout.col, nrhs);
  wanted->turned_row = hy_axis_make(&wanted->turned_layout.row, n);
  wanted->turned_col = hy_axis_make(&wanted->turned_layout.col, nrhs);
  return HYLA_OK;
}

/* Sets the layout that fixed variants need, in place of any other. */
static hyla_status lay_fixed(struct hy_factorization *wanted) {
  int64_t block = hy_fixed_block(hy_factor_order(wanted)), nrhs = wanted->nrhs;
  int dims = wanted->cube->dims;
  wanted->layout = (hyla_layout){.row = hy_axis_whole(wanted->m).code,
                                 .col = hy_axis_dealt(dims, block, wanted->n).code};
  TRY(set_axes(wanted, wanted->cube->session.call));
  wanted->x_col = hy_axis_dealt(dims, hy_fixed_width(nrhs), nrhs);
  wanted->x_layout.col = wanted->x_col.code;
  return HYLA_OK;
}

hyla_status hy_factor_want(hyla_cube *cube, const char *call, hyla_method method, hyla_type type,
                           int64_t m, int64_t n, int64_t nrhs, const hyla_layout *layout,
                           struct hy_factorization *wanted) {
  struct hy_base *base = &cube->base;
  CHECK(base, (int)method >= 0 && (int)method < hy_method_count, ARGUMENT,
        "%s: %d is no method; hyla_method_at tells of those from 0 to %d", call, (int)method,
        hy_method_count - 1);
  *wanted = (struct hy_factorization){.cube = cube,
                                      .method = &hy_methods[method],
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

/* ------------------------------------------------------------- the plan -- */

static void explain_plan(const hyla_plan *plan, struct hy_text *text) {
  const struct hyla_factor *factor = plan->state;
  int64_t m = factor->problem.m, n = factor->problem.n, nrhs = factor->problem.nrhs;
  if (factor->problem.inverse != NULL)
    hy_text_add(text, "  the inverse of A, of order %lld%s\n", (long long)n,
                factor->factors.a->owner ? "" : ", made where it is to lie");
  else if (nrhs == 0)
    hy_text_add(text, "  one factorization, of %lld rows and %lld columns\n", (long long)m,
                (long long)n);
  else
    hy_text_add(text, "  one factorization, one solution of %lld right-hand side%s\n",
                (long long)nrhs, nrhs == 1 ? "" : "s");
  hy_choice_variant(&plan->choice)->explain(hy_choice_state(&plan->choice), text);
  if (factor->checksum != NULL) hy_text_add(text, "  factors: held against sums of rows\n");
  if (factor->checkpoint != NULL)
    hy_text_add(text, "  states: one in %g s, in %s\n", plan->cube->session.checkpoint_every,
                plan->cube->session.checkpoint);
}

static void destroy_plan(hyla_plan *plan) {
  struct hyla_factor *factor = plan->state;
  (void)hyla_matrix_destroy(&factor->factors.x_along_columns);
  (void)hyla_matrix_destroy(&factor->factors.x);
  (void)hyla_matrix_destroy(&factor->factors.a);
  if (factor->adopted) (void)hyla_matrix_destroy(&factor->problem.given);
  if (factor->checksum != NULL) hy_checksum_free(factor->checksum);
  if (factor->checkpoint != NULL) hy_checkpoint_free(factor->checkpoint);
  hy_free(&plan->cube->base, &factor->due);
  hy_free(&plan->cube->base, &factor->checksum);
  hy_free(&plan->cube->base, &factor->checkpoint);
  hy_free(&plan->cube->base, &factor->factors.swaps);
}

static const struct hy_plan_kind KIND = {
    .size = sizeof(struct hyla_factor),
    .runs_by = "hyla_factor_compute and hyla_factor_solve",
    .explain = explain_plan,
    .destroy = destroy_plan,
};

static hyla_status run_inverse(hyla_plan *plan) {
  struct hyla_factor *factor = plan->state;
  return factor->problem.invert(factor);
}

static const struct hy_plan_kind INVERSE = {
    .size = sizeof(struct hyla_factor),
    .run = run_inverse,
    .explain = explain_plan,
    .destroy = destroy_plan,
};

int64_t hyla_invert_pivot(const hyla_plan *plan) {
  if (plan == NULL || plan->kind != &INVERSE) return 0;
  const struct hyla_factor *factor = plan->state;
  return factor->factors.pivot;
}

/* Can the matrix given become the factors? */
static bool serves(const struct hy_factorization *problem) {
  const hyla_matrix *given = problem->given;
  return given != NULL && hy_axis_equal(&given->row, &problem->row) &&
         hy_axis_equal(&given->col, &problem->col);
}

/* Bytes of this rank's part of one of the factorization's matrices, at most 2^60, which no machine
 * has. */
static int64_t bytes_of(const struct hy_factorization *problem, const struct hy_axis *row,
                        const struct hy_axis *col) {
  const struct hy_operand lies = {.row = *row, .col = *col};
  const hyla_matrix m = hy_matrix_counted(problem->cube, problem->k->type, &lies);
  const double bytes = (double)m.ld * (double)m.local_cols * (double)m.k->size;
  return m.local_rows > 0 ? (int64_t)fmin(bytes, 0x1p60) : 0;
}

/* Bytes that every variant takes: the right-hand sides, the swaps, and the factors unless they use
 * the matrix given. */
static int64_t least_bytes(const struct hy_factorization *problem) {
  int64_t bytes = bytes_of(problem, &problem->row, &problem->x_col);
  if (!serves(problem)) bytes += bytes_of(problem, &problem->row, &problem->col);
  return bytes + hy_factor_order(problem) * (int64_t)sizeof(int64_t);
}

/* The part of the making that may fail on one rank only. */
static hyla_status start(hyla_cube *cube, const struct hy_factorization *wanted, hyla_plan **plan) {
  TRY(hy_plan_create(cube, wanted->inverse != NULL ? &INVERSE : &KIND, plan));
  struct hyla_factor *factor = (*plan)->state;
  factor->plan = *plan;
  factor->problem = *wanted;
  factor->problem.factors = &factor->factors;
  return HYLA_OK;
}

/* Choosing a variant takes time and memory for each column, so matrices that are too large are
 * refused before.  Small ones are not asked for, because that takes two agreements. */
static hyla_status ask_for_least(const struct hy_factorization *problem) {
  const double entries = (double)problem->m * (double)problem->n, little = 1 << 20;
  return entries < little ? HYLA_OK : hy_cube_afford(problem->cube, least_bytes(problem));
}

static hyla_status take_swaps(struct hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  return hy_alloc_data(&problem->cube->base, hy_factor_order(problem),
                       sizeof *factor->factors.swaps, &factor->factors.swaps);
}

/* Takes memory for the factors, or uses that of the matrix given. */
static hyla_status take_matrix(const struct hy_factorization *problem, hyla_matrix **a) {
  const hyla_matrix *given = problem->given;
  if (!serves(problem))
    return hy_matrix_make_private(problem->cube, problem->k->type, problem->m, problem->n,
                                  &problem->layout, a);
  return hy_agree(problem->cube, hy_matrix_over(given, &problem->layout, a));
}

static hyla_status play(struct hyla_factor *factor, hyla_matrix *a, hyla_matrix *b) {
  TRY(hy_factor_compute(factor, a, NULL));
  if (factor->problem.m != factor->problem.n) return HYLA_OK;
  return hy_factor_solve(factor, HYLA_NONE, b, b);
}

/* Does the variant need the matrix `x_along_columns' from the beginning? */
static bool turns(const struct hy_variant *variant) {
  const struct hy_factor_traits *steps = variant->traits;
  return (steps->hermitian && !steps->rhs_in_place) || steps->multiply != NULL;
}

/* Adds memory for factors, right-hand sides and swaps to the variant's own cost. */
static hyla_status price(void *arg, const struct hy_variant *variant, void **state,
                         hyla_cost *cost) {
  const struct hy_factorization *problem = arg;
  TRY(variant->create(variant, problem, state));
  *cost = variant->cost(*state);
  cost->memory += least_bytes(problem);
  if (turns(variant)) cost->memory += bytes_of(problem, &problem->turned_row, &problem->turned_col);
  return HYLA_OK;
}

/* Plays one factorization and one solution, of matrices that lie as the factors do. */
static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *rehearsal) {
  struct hy_factorization wanted = *(const struct hy_factorization *)arg;
  hyla_type type = wanted.k->type;
  struct hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *b = NULL;
  wanted.cube = rehearsal;
  wanted.k = hy_cube_kernels(rehearsal, type);
  wanted.given = NULL;
  wanted.from_a = wanted.from_b = wanted.to_x = NULL;
  TRY(hy_factor_make(rehearsal, &wanted, variant->name, &factor));
  hyla_status status = hy_matrix_make(rehearsal, type, wanted.m, wanted.n, &wanted.layout, &a);
  if (status == HYLA_OK)
    status = hy_matrix_make(rehearsal, type, wanted.m, wanted.nrhs, &wanted.layout, &b);
  if (status == HYLA_OK) status = play(factor, a, b);
  (void)hyla_matrix_destroy(&b);
  (void)hyla_matrix_destroy(&a);
  (void)hyla_factor_destroy(&factor);
  return status;
}

/* Can this variant be rehearsed without data? LU can, with drawn pivots, but not for an inverse. */
static bool plays(const void *arg, const struct hy_variant *variant) {
  const struct hy_factorization *problem = arg;
  const struct hy_factor_traits *steps = variant->traits;
  return !problem->method->is.needs_data || (steps->runs_dry && problem->inverse == NULL);
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

static hyla_status make(hyla_cube *cube, const struct hy_factorization *wanted, const char *variant,
                        hyla_plan **plan) {
  TRY(ask_for_least(wanted));
  TRY(hy_agree(cube, start(cube, wanted, plan)));
  struct hyla_factor *factor = (*plan)->state;
  struct hy_factorization *problem = &factor->problem;
  struct hy_factors *factors = &factor->factors;
  struct hy_choice *choice = &(*plan)->choice;
  hy_rehearse *play_all = problem->rehearse != NULL ? problem->rehearse : rehearse;
  const struct hy_pricing pricing = {
      .price = price, .rehearse = play_all, .arg = problem, .plays = plays};
  TRY(hy_choice_make(cube, &problem->method->variants, problem, problem->k, variant, &pricing,
                     choice));
  hyla_type type = problem->k->type;
  TRY(take_matrix(problem, &factors->a));
  TRY(hy_matrix_make(cube, type, problem->m, problem->nrhs, &problem->x_layout, &factors->x));
  if (turns(hy_choice_variant(choice)))
    TRY(hy_matrix_make(cube, type, problem->n, problem->nrhs, &problem->turned_layout,
                       &factors->x_along_columns));
  hyla_status mine = take_swaps(factor);
  TRY(hy_agree(cube, mine == HYLA_OK ? take_checksum(factor) : mine));
  TRY(take_checkpoint(factor));
  TRY(hy_factor_stage(factor));
  return hy_choice_variant(choice)->allocate(hy_choice_state(choice));
}

hyla_status hy_factor_make(hyla_cube *cube, const struct hy_factorization *wanted,
                           const char *variant, struct hyla_factor **factor) {
  hyla_plan *plan = NULL;
  struct hy_factorization laid = *wanted;
  *factor = NULL;
  if (hy_choice_fixed(cube, &wanted->method->variants, variant) != NULL) TRY(lay_fixed(&laid));
  hyla_status status = make(cube, &laid, variant, &plan);
  if (status != HYLA_OK) hyla_plan_destroy(&plan);
  *factor = plan == NULL ? NULL : plan->state;
  return status;
}

/* --------------------------------------------------------------- public -- */

void hy_factor_call_wanted(const struct hy_factorization *wanted, const char *variant,
                           struct hy_call *call) {
  const struct hyla_matrix like = {
      .k = wanted->k, .layout = wanted->layout, .row = wanted->row, .col = wanted->col};
  call->number[0] = (int64_t)hy_matrix_fingerprint(0, &like);
  call->number[1] = wanted->method - hy_methods;
  call->number[2] = wanted->nrhs;
  call->variant = variant;
}

/* The arguments of the two calls that create; all are global. */
struct request {
  const char *call;
  hyla_method method;
  hyla_type type;
  int64_t m, n, nrhs;
  const hyla_layout *layout;
  const char *variant;
};

static hyla_status create(hyla_cube *cube, const struct request *r, hyla_factor **factor) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hy_factorization wanted;
  struct hy_call call = {.name = r->call, .place = {{"factor", factor, 1}}};
  if (factor != NULL) *factor = NULL;
  hyla_status mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK)
    mine =
        hy_factor_want(cube, r->call, r->method, r->type, r->m, r->n, r->nrhs, r->layout, &wanted);
  if (mine == HYLA_OK) hy_factor_call_wanted(&wanted, r->variant, &call);
  TRY(hy_call_agree(cube, &call, mine));
  return hy_factor_make(cube, &wanted, r->variant, factor);
}

hyla_status hyla_factor_create(hyla_cube *cube, hyla_method method, hyla_type type, int64_t n,
                               int64_t nrhs, const hyla_layout *layout, const char *variant,
                               hyla_factor **factor) {
  const struct request r = {"hyla_factor_create", method, type, n, n, nrhs, layout, variant};
  return create(cube, &r, factor);
}

hyla_status hyla_factor_create_rectangular(hyla_cube *cube, hyla_method method, hyla_type type,
                                           int64_t m, int64_t n, int64_t nrhs,
                                           const hyla_layout *layout, const char *variant,
                                           hyla_factor **factor) {
  const struct request r = {
      "hyla_factor_create_rectangular", method, type, m, n, nrhs, layout, variant};
  return create(cube, &r, factor);
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
