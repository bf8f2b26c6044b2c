/* LU with pivots on the diagonal: what a factorization takes: its schedule, its words, the
 * substitutions with its factors; what it costs. */
#include "solve/lu_diagonal.h"

/* --------------------------------------------------------------- create -- */

/* L X = B or U X = B; op of these with X's rows along A's columns. */
static struct hy_triangular_problem system_of(const struct hy_diagonal_lu *d,
                                              hyla_triangle triangle, bool opposite) {
  const struct hy_factorization *problem = d->problem;
  struct hy_triangular_problem system = {.cube = d->cube,
                                         .k = d->k,
                                         .t_row = problem->row,
                                         .t_col = problem->col,
                                         .x_row = opposite ? problem->turned_row : problem->row,
                                         .x_col = opposite ? problem->turned_col : problem->x_col,
                                         .many = problem->nrhs > HY_FEW_SIDES};
  system.form = (struct hy_triangular){.block = 1,
                                       .triangle = triangle,
                                       .diagonal = triangle == HYLA_LOWER ? HYLA_UNIT_DIAGONAL
                                                                          : HYLA_ANY_DIAGONAL,
                                       .op = opposite ? HYLA_TRANSPOSE : HYLA_NONE};
  return system;
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
  hyla_cost lower = {0}, upper = {0};
  TRY(count(d, &d->cost));
  d->cost.memory += words_bytes(d);
  TRY(hy_groups_memory(groups, 1, &d->cost.memory));
  if (d->problem->nrhs == 0) return HYLA_OK;
  TRY(hy_triangular_cost(&d->lower, &lower));
  TRY(hy_triangular_cost(&d->upper, &upper));
  hy_cost_add(&d->cost, lower);
  hy_cost_add(&d->cost, upper);
  return HYLA_OK;
}

static hyla_status make_pipeline(struct hy_diagonal_lu *d) {
  const struct hy_factorization *problem = d->problem;
  struct hy_base *base = &d->cube->base;
  struct hy_generator generator = {
      .make = hy_pipeline_make, .dims = d->cube->dims, .numbered = true, .table = &d->pipeline};
  TRY(hy_alloc(base, problem->n, sizeof *d->start, &d->start));
  TRY(hy_alloc(base, problem->n, sizeof *d->element_at, &d->element_at));
  TRY(hy_alloc(base, problem->n, sizeof *d->factor_at, &d->factor_at));
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
  hyla_cube *cube = problem->cube;
  struct hy_diagonal_lu *d = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *d, &d));
  *state = d;
  d->problem = problem;
  d->cube = cube;
  d->k = problem->k;
  TRY(make_pipeline(d));
  TRY(hy_group_make(cube, hy_axis_mask(&problem->row.code) | hy_axis_mask(&problem->col.code),
                    HY_TASK_ALLREDUCE, 1, sizeof d->failure, &d->failures));
  const struct hy_triangular_problem lower = system_of(d, HYLA_LOWER, false),
                                     upper = system_of(d, HYLA_UPPER, false);
  TRY(hy_triangular_create(&lower, &d->lower));
  TRY(hy_triangular_create(&upper, &d->upper));
  return cube->address < 0 ? HYLA_OK : count_all(d);
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
  TRY(hy_triangular_take(&d->lower, d->a));
  return hy_triangular_take(&d->upper, d->a);
}

static void free_opposite(struct hy_diagonal_lu *d) {
  hy_triangular_free(&d->opposite_lower);
  hy_triangular_free(&d->opposite_upper);
  d->opposite_lower = d->opposite_upper = (struct hy_triangular_system){.problem = {.cube = NULL}};
}

static hyla_status create_opposite(struct hy_diagonal_lu *d) {
  const struct hy_triangular_problem lower = system_of(d, HYLA_LOWER, true),
                                     upper = system_of(d, HYLA_UPPER, true);
  TRY(hy_triangular_create(&lower, &d->opposite_lower));
  return hy_triangular_create(&upper, &d->opposite_upper);
}

static hyla_status take_opposite(struct hy_diagonal_lu *d) {
  TRY(hy_agree(d->cube, create_opposite(d)));
  TRY(hy_triangular_take(&d->opposite_lower, d->a));
  return hy_triangular_take(&d->opposite_upper, d->a);
}

hyla_status hy_diagonal_take_opposite(struct hy_diagonal_lu *d) {
  if (d->opposite_taken) return HYLA_OK;
  hyla_status status = take_opposite(d);
  if (status != HYLA_OK) free_opposite(d);
  d->opposite_taken = status == HYLA_OK;
  return status;
}

void hy_diagonal_destroy(void **state) {
  struct hy_diagonal_lu *d = *state;
  if (d == NULL) return;
  struct hy_base *base = &d->cube->base;
  free_opposite(d);
  hy_triangular_free(&d->upper);
  hy_triangular_free(&d->lower);
  hy_group_free(&d->failures);
  hy_free(base, &d->words);
  hy_schedule_free(&d->schedule);
  hy_free(base, &d->offsets);
  hy_free(base, &d->factor_at);
  hy_free(base, &d->element_at);
  hy_free(base, &d->start);
  hy_free(base, state);
}
