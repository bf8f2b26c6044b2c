/* LU with pivots on the diagonal: what a factorization takes: its schedule, its words, the
 * substitutions with its factors; what it costs. */
#include "solve/lu_diagonal.h"

/* --------------------------------------------------------------- create -- */

/* L X = B and U X = B, or with op(L) and op(U). */
static hyla_status create_systems(struct hy_diagonal_lu *d, bool opposite) {
  struct hy_triangular form = {.block = 1,
                               .triangle = HYLA_LOWER,
                               .diagonal = HYLA_UNIT_DIAGONAL,
                               .op = opposite ? HYLA_TRANSPOSE : HYLA_NONE};
  TRY(hy_triangular_of_factors(d->problem, form, &d->system[opposite][0]));
  form.triangle = HYLA_UPPER;
  form.diagonal = HYLA_ANY_DIAGONAL;
  return hy_triangular_of_factors(d->problem, form, &d->system[opposite][1]);
}

static hyla_status take_systems(struct hy_diagonal_lu *d, bool opposite) {
  for (int upper = 0; upper < 2; upper++)
    TRY(hy_triangular_take(&d->system[opposite][upper], d->a));
  return HYLA_OK;
}

static void free_systems(struct hy_diagonal_lu *d, bool opposite) {
  for (int upper = 0; upper < 2; upper++) {
    hy_triangular_free(&d->system[opposite][upper]);
    d->system[opposite][upper] = (struct hy_triangular_system){.problem = {.cube = NULL}};
  }
}

/* The elimination as it runs, on a counting cube. */
static hyla_status count(const struct hy_diagonal_lu *d, hyla_cost *cost) {
  const struct hy_factorization *problem = d->problem;
  const struct hy_operand lies = {.row = problem->row, .col = problem->col};
  struct hy_diagonal_lu played = *d;
  hyla_cube counting;
  hy_count_begin(d->cube, d->cube->address, &counting);
  const hyla_matrix a = hy_matrix_counted(&counting, d->k->type, &lies);
  played.cube = &counting;
  played.k = a.k;
  played.a = &a;
  played.words = counting.base.nowhere;
  hy_group_counted(&played.failures, &counting);
  hyla_status status = hy_diagonal_eliminate(&played, NULL);
  *cost = hy_count_end(d->cube, &counting, d->k->size);
  return status;
}

static int64_t words_bytes(const struct hy_diagonal_lu *d) {
  return d->pipeline.words * (int64_t)d->k->size;
}

/* With a solution of nrhs right-hand sides. */
static hyla_status count_all(struct hy_diagonal_lu *d) {
  const struct hy_group *const groups[] = {&d->failures};
  TRY(count(d, &d->cost));
  d->cost.memory += words_bytes(d);
  TRY(hy_groups_memory(groups, 1, &d->cost.memory));
  for (int upper = 0; upper < 2 && d->problem->nrhs > 0; upper++) {
    hyla_cost cost = {0};
    TRY(hy_triangular_cost(&d->system[0][upper], &cost));
    hy_cost_add(&d->cost, cost);
  }
  return HYLA_OK;
}

static hyla_status make_pipeline(struct hy_diagonal_lu *d) {
  const struct hy_factorization *problem = d->problem;
  struct hy_base *base = &d->cube->base;
  struct hy_generator generator = {
      .make = hy_pipeline_make, .dims = d->cube->dims, .numbered = true, .table = &d->pipeline};
  TRY(hy_alloc(base, 3 * problem->n + 1, sizeof *d->start, &d->start));
  d->element_at = d->start + problem->n;
  d->factor_at = d->element_at + problem->n;
  d->pipeline = hy_pipeline_of(&problem->row, &problem->col, &problem->x_col, d->start);
  TRY(hy_alloc(base, d->pipeline.words + 1, sizeof *d->offsets, &d->offsets));
  CHECK(base, d->pipeline.words <= INT32_MAX, MEMORY,
        "%lld elements and factors come to a rank, which a schedule cannot number",
        (long long)d->pipeline.words);
  if (d->cube->address < 0) return HYLA_OK;
  int64_t element = d->pipeline.rows_at, factor = 0;
  for (int64_t j = 0; j < problem->n; j++) {
    struct hy_pivot_place at = hy_pivot_place(&d->pipeline, (uint32_t)d->cube->address, j);
    d->element_at[j] = element;
    d->factor_at[j] = factor;
    element += at.elements;
    factor += at.factors;
  }
  return hy_generate(&generator, (uint32_t)d->cube->address, base, &d->schedule);
}

hyla_status hy_diagonal_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  uint32_t dims = hy_axis_mask(&problem->row.code) | hy_axis_mask(&problem->col.code);
  struct hy_diagonal_lu *d = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *d, state));
  d = *state;
  *d = (struct hy_diagonal_lu){.problem = problem, .cube = problem->cube, .k = problem->k};
  TRY(make_pipeline(d));
  TRY(hy_group_make(d->cube, dims, HY_TASK_ALLREDUCE, 1, sizeof d->failure, &d->failures));
  TRY(create_systems(d, false));
  return d->cube->address < 0 ? HYLA_OK : count_all(d);
}

/* ----------------------------------------------------------------- take -- */

hyla_status hy_diagonal_take(void *state) {
  struct hy_diagonal_lu *d = state;
  bool guest = d->cube->address < 0;
  d->a = d->problem->factors->a;
  for (int64_t i = 0; i < d->problem->n; i++) d->problem->factors->swaps[i] = i; /* none */
  hyla_status mine = HYLA_OK;
  if (!guest) mine = hy_alloc(&d->cube->base, words_bytes(d), 1, &d->words);
  if (mine == HYLA_OK && !guest) mine = hy_group_take(&d->failures);
  TRY(hy_agree(d->cube, mine));
  return take_systems(d, false);
}

hyla_status hy_diagonal_take_opposite(struct hy_diagonal_lu *d) {
  if (d->opposite_taken) return HYLA_OK;
  hyla_status status = hy_agree(d->cube, create_systems(d, true));
  if (status == HYLA_OK) status = take_systems(d, true);
  if (status != HYLA_OK) free_systems(d, true);
  d->opposite_taken = status == HYLA_OK;
  return status;
}

void hy_diagonal_destroy(void **state) {
  struct hy_diagonal_lu *d = *state;
  if (d == NULL) return;
  struct hy_base *base = &d->cube->base;
  for (int opposite = 0; opposite < 2; opposite++) free_systems(d, opposite != 0);
  hy_group_free(&d->failures);
  hy_schedule_free(&d->schedule);
  hy_free(base, &d->words);
  hy_free(base, &d->offsets);
  hy_free(base, &d->start);
  hy_free(base, state);
}
