/* hyla_factor_*: a factorization as an object.
 *
 * Create takes all memory for matrices that lie as the factors do.  A matrix
 * in another layout is redistributed by a plan that is made, and agreed upon,
 * at its first use and kept: the next matrix of that shape allocates nothing. */
#include "solve/solve.h"

#include <limits.h>
#include <string.h>

/* ----------------------------------------------------------------- make -- */

/* So many blocks for each rank row and column keep all ranks busy; blocks are a
 * multiple of the step. */
enum { ROUNDS = 16, BLOCK_STEP = 16, BLOCK_LEAST = 32, BLOCK_MOST = 128 };

hyla_layout hy_factor_layout(const hyla_cube *cube, int64_t n) {
  hyla_layout layout;
  (void)hyla_layout_default(cube, n, n, &layout); /* never fails for a size */
  int64_t parts =
      INT64_C(1) << (layout.col.dims > layout.row.dims ? layout.col.dims : layout.row.dims);
  int64_t block = n / (ROUNDS * parts) / BLOCK_STEP * BLOCK_STEP;
  block = hy_max(BLOCK_LEAST, hy_min(block, BLOCK_MOST));
  layout.row.block = layout.col.block = block;
  return layout;
}

hyla_status hy_factor_want(hyla_cube *cube, hyla_type type, int64_t n, int64_t nrhs,
                           const hyla_layout *layout, struct hyla_factor *wanted) {
  struct hy_base *base = &cube->base;
  *wanted = (struct hyla_factor){.cube = cube, .k = hy_kernels_of(type), .n = n, .nrhs = nrhs};
  CHECK(base, wanted->k != NULL, ARGUMENT, "factorization: %d is no type", (int)type);
  CHECK(base, n >= 0 && nrhs >= 0, ARGUMENT, "factorization: n is %lld, nrhs %lld; give 0 or more",
        (long long)n, (long long)nrhs);
  wanted->layout = layout == NULL ? hy_factor_layout(cube, n) : *layout;
  TRY(hy_layout_check(cube, &wanted->layout));
  wanted->row = hy_axis_make(&wanted->layout.row, n);
  wanted->col = hy_axis_make(&wanted->layout.col, n);
  int64_t most = hy_max(hy_axis_most(&wanted->row), hy_axis_most(&wanted->col));
  CHECK(base, most < INT_MAX / 2 && nrhs < INT_MAX / 2, ARGUMENT,
        "factorization: n = %lld, nrhs = %lld give a rank more than 2^30 rows or columns",
        (long long)n, (long long)nrhs);
  return HYLA_OK;
}

/* Right-hand sides lie with their rows as the matrix', their columns over the
 * same dimensions in blocks that give every rank some. */
static hyla_layout layout_of_x(const struct hyla_factor *factor) {
  hyla_layout layout = factor->layout;
  int64_t share = hy_ceil_div(factor->nrhs, factor->col.parts);
  layout.col.storage = HYLA_CYCLIC;
  layout.col.block = hy_max(1, hy_min(share, factor->col.block));
  return layout;
}

static hyla_status choose(struct hyla_factor *factor, const char *wanted) {
  hyla_cube *cube = factor->cube;
  const struct hy_variant *const *rows = hy_solve_family.rows;
  char forced[64];
  hy_forced_variant(cube->forced, "solve", forced, sizeof forced);
  if (wanted == NULL || wanted[0] == '\0') wanted = forced;
  factor->forced = wanted[0] != '\0';
  for (int i = 0; i < factor->count; i++) {
    struct hy_candidate *candidate = &factor->candidates[i];
    hyla_cost least;
    const struct hy_solve_variant *variant = hy_solve_variant_of(rows[i]);
    candidate->name = rows[i]->name;
    candidate->reason = variant->applies(factor);
    candidate->unpriced = factor->forced && strcmp(rows[i]->name, wanted) != 0;
    if (candidate->reason != NULL || candidate->unpriced) continue;
    variant->cost(factor, &least, &candidate->cost);
    candidate->seconds = hy_machine_seconds(&cube->machine, &candidate->cost, factor->k->size,
                                            factor->k->complex_type);
  }
  TRY(hy_choose(&cube->base, "solve", factor->candidates, factor->count, wanted, &factor->choice));
  factor->variant = hy_solve_variant_of(rows[factor->choice]);
  return HYLA_OK;
}

static hyla_status take(hyla_cube *cube, const struct hyla_factor *wanted,
                        struct hyla_factor **factor) {
  TRY(hy_alloc(&cube->base, 1, sizeof **factor, factor));
  **factor = *wanted;
  (*factor)->x_layout = layout_of_x(wanted);
  (*factor)->x_col = hy_axis_make(&(*factor)->x_layout.col, wanted->nrhs);
  (*factor)->count = hy_family_count(&hy_solve_family);
  TRY(hy_alloc(&cube->base, (*factor)->count, sizeof(struct hy_candidate), &(*factor)->candidates));
  return hy_alloc(&cube->base, wanted->n, sizeof(int64_t), &(*factor)->swaps);
}

static hyla_status build(struct hyla_factor *factor, const char *variant) {
  hyla_cube *cube = factor->cube;
  TRY(hy_agree(cube, choose(factor, variant)));
  TRY(hy_matrix_make_private(cube, factor->k->type, factor->n, factor->n, &factor->layout,
                             &factor->a));
  TRY(hy_matrix_make(cube, factor->k->type, factor->n, factor->nrhs, &factor->x_layout,
                     &factor->x));
  return factor->variant->prepare(factor);
}

hyla_status hy_factor_make(hyla_cube *cube, const struct hyla_factor *wanted, const char *variant,
                           struct hyla_factor **factor) {
  struct hyla_factor *made = NULL;
  hyla_status status = hy_agree(cube, take(cube, wanted, &made));
  if (status == HYLA_OK) status = build(made, variant);
  if (status != HYLA_OK) (void)hyla_factor_destroy(&made);
  *factor = made;
  return status;
}

/* -------------------------------------------------------------- compute -- */

/* Runs the variant; its verdict and the failing pivot become common. */
static hyla_status run(struct hyla_factor *factor, hyla_matrix *x) {
  hyla_cube *cube = factor->cube;
  factor->pivot = 0;
  hyla_status status = hy_agree(cube, factor->variant->factor(factor, x));
  if (cube->broken) return status;
  TRY(hy_agree(cube, hy_tell_guests(cube, &factor->pivot, sizeof factor->pivot)));
  return status;
}

/* The first `columns` columns of x. */
static struct hyla_matrix columns_of(const hyla_matrix *x, int64_t columns) {
  struct hyla_matrix first = *x;
  first.col = hy_axis_range(&x->col, 0, columns);
  first.local_cols = hy_axis_before(&x->col, x->col_part, columns);
  return first;
}

hyla_status hy_factor_compute(struct hyla_factor *factor, const hyla_matrix *a,
                              const hyla_matrix *b) {
  factor->computed = false;
  TRY(hy_staged_run(&factor->move_a, a, factor->a));
  if (b == NULL) {
    TRY(run(factor, NULL));
  } else {
    struct hyla_matrix x = columns_of(factor->x, b->col.n);
    TRY(hy_staged_run(&factor->move_b, b, &x));
    TRY(run(factor, &x));
  }
  factor->computed = true;
  return HYLA_OK;
}

hyla_status hy_factor_finish(struct hyla_factor *factor, hyla_matrix *x) {
  struct hyla_matrix first = columns_of(factor->x, x->col.n);
  TRY(hy_agree(factor->cube, factor->variant->backward(factor, &first)));
  return hy_staged_run(&factor->move_x, &first, x);
}

/* --------------------------------------------------------------- public -- */

static hyla_status check_create(hyla_cube *cube, hyla_type type, int64_t n, int64_t nrhs,
                                const hyla_layout *layout, const void *factor,
                                struct hyla_factor *wanted) {
  CHECK(&cube->base, factor != NULL, ARGUMENT, "hyla_factor_create: factor is NULL");
  return hy_factor_want(cube, type, n, nrhs, layout, wanted);
}

static uint64_t fingerprint_of(const struct hyla_factor *wanted, const char *variant) {
  struct hyla_matrix like = {
      .k = wanted->k, .layout = wanted->layout, .row = wanted->row, .col = wanted->col};
  uint64_t fingerprint = hy_matrix_fingerprint(0, &like);
  fingerprint = hy_fingerprint(fingerprint, &wanted->nrhs, sizeof wanted->nrhs);
  return variant == NULL ? fingerprint : hy_fingerprint(fingerprint, variant, strlen(variant));
}

hyla_status hyla_factor_create(hyla_cube *cube, hyla_type type, int64_t n, int64_t nrhs,
                               const hyla_layout *layout, const char *variant,
                               hyla_factor **factor) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hyla_factor wanted;
  if (factor != NULL) *factor = NULL;
  hyla_status mine = check_create(cube, type, n, nrhs, layout, factor, &wanted);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_factor_create");
  uint64_t fingerprint = mine == HYLA_OK ? fingerprint_of(&wanted, variant) : 0;
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_create"));
  return hy_factor_make(cube, &wanted, variant, factor);
}

static hyla_status check_factor(hyla_cube *cube, const hyla_factor *factor) {
  CHECK(&cube->base, factor != NULL, ARGUMENT, "factor is NULL");
  CHECK(&cube->base, factor->cube == cube, ARGUMENT, "factor belongs to another cube");
  return HYLA_OK;
}

/* A matrix argument: of this cube, of the factors' type, n x cols. */
static hyla_status check_matrix(const hyla_factor *factor, const hyla_matrix *a, int64_t cols,
                                const char *name) {
  struct hy_base *base = &factor->cube->base;
  TRY(hy_matrix_check(factor->cube, a, name));
  CHECK(base, a->k == factor->k, ARGUMENT, "matrix %s has type %s, the factors have %s", name,
        a->k->name, factor->k->name);
  CHECK(base, a->row.n == factor->n && a->col.n == cols, ARGUMENT,
        "matrix %s is %lld x %lld, not %lld x %lld", name, (long long)a->row.n, (long long)a->col.n,
        (long long)factor->n, (long long)cols);
  return HYLA_OK;
}

static hyla_status check_compute(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *a) {
  TRY(check_factor(cube, factor));
  return check_matrix(factor, a, factor->n, "a");
}

static uint64_t add_factor(uint64_t fingerprint, const hyla_factor *factor) {
  const int64_t words[] = {factor->n, factor->nrhs, (int64_t)factor->k->type, factor->computed};
  return hy_fingerprint(fingerprint, words, sizeof words);
}

hyla_status hyla_factor_compute(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *a) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_compute(cube, factor, a);
  uint64_t fingerprint = hy_matrix_fingerprint(0, a);
  if (mine == HYLA_OK) fingerprint = add_factor(fingerprint, factor);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_compute"));
  return hy_factor_compute(factor, a, NULL);
}

static hyla_status check_solve(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *b,
                               const hyla_matrix *x) {
  struct hy_base *base = &cube->base;
  TRY(check_factor(cube, factor));
  CHECK(base, factor->computed, ARGUMENT,
        "the factors are not there: call hyla_factor_compute, with success, first");
  TRY(hy_matrix_check(cube, b, "b"));
  CHECK(base, b->col.n <= factor->nrhs, ARGUMENT,
        "b has %lld columns; the factorization was made for %lld", (long long)b->col.n,
        (long long)factor->nrhs);
  TRY(check_matrix(factor, b, b->col.n, "b"));
  return check_matrix(factor, x, b->col.n, "x");
}

/* The right-hand sides pass through the factorization's own x, which is
 * workspace: to the caller the factors do not change. */
static struct hyla_factor *workspace_of(const hyla_factor *factor) {
  return (struct hyla_factor *)(uintptr_t)factor;
}

hyla_status hyla_factor_solve(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *b,
                              hyla_matrix *x) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_solve(cube, factor, b, x);
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, b), x);
  if (mine == HYLA_OK) fingerprint = add_factor(fingerprint, factor);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_solve"));
  struct hyla_factor *work = workspace_of(factor);
  struct hyla_matrix first = columns_of(factor->x, b->col.n);
  TRY(hy_staged_run(&work->move_b, b, &first));
  TRY(hy_agree(cube, factor->variant->forward(factor, &first)));
  return hy_factor_finish(work, x);
}

int64_t hyla_factor_pivot(const hyla_factor *factor) { return factor == NULL ? 0 : factor->pivot; }

const hyla_layout *hyla_factor_layout(const hyla_factor *factor) {
  return factor == NULL ? NULL : &factor->layout;
}

const char *hyla_factor_variant(const hyla_factor *factor) {
  return factor == NULL ? "" : factor->variant->row.name;
}

hyla_cost hyla_factor_cost(const hyla_factor *factor) {
  return factor == NULL ? (hyla_cost){0} : factor->candidates[factor->choice].cost;
}

double hyla_factor_seconds(const hyla_factor *factor) {
  return factor == NULL ? 0 : factor->candidates[factor->choice].seconds;
}

size_t hyla_factor_explain(const hyla_factor *factor, char *text, size_t capacity) {
  struct hy_text out = {.text = text, .capacity = capacity};
  if (capacity > 0) text[0] = '\0';
  if (factor == NULL) return 0;
  hy_choice_explain(&out, "solve", &factor->cube->machine, factor->candidates, factor->count,
                    factor->choice, factor->forced ? HY_ASKED : HY_PREDICTED);
  hyla_cost least, most;
  factor->variant->cost(factor, &least, &most);
  hy_text_add(&out,
              "  one factorization, one solution of %lld right-hand side%s; where the pivots "
              "decide how much travels, the most: at least %lld steps, %lld messages, %lld words\n",
              (long long)factor->nrhs, factor->nrhs == 1 ? "" : "s", (long long)least.steps,
              (long long)least.messages, (long long)least.words);
  return out.length;
}

hyla_status hyla_factor_destroy(hyla_factor **factor) {
  if (factor == NULL || *factor == NULL) return HYLA_OK;
  struct hyla_factor *f = *factor;
  struct hy_base *base = &f->cube->base;
  if (f->variant != NULL) f->variant->release(f);
  hy_staged_destroy(&f->move_a);
  hy_staged_destroy(&f->move_b);
  hy_staged_destroy(&f->move_x);
  (void)hyla_matrix_destroy(&f->x);
  (void)hyla_matrix_destroy(&f->a);
  hy_free(base, &f->swaps);
  hy_free(base, &f->candidates);
  hy_free(base, factor);
  return HYLA_OK;
}
