/* Gauss-Jordan in product form: workspace and cost. */
#include "solve/papers/gauss_jordan_diagonal.h"

/* Bytes on this rank. */
struct sizes {
  int64_t panel, shared, used;
};

static struct sizes sizes_of(const struct hy_diagonal_jordan *g) {
  const struct hy_factorization *problem = g->problem;
  int64_t size = (int64_t)g->k->size, w = hy_min(HY_JORDAN_PANEL, problem->n);
  struct sizes sizes = {0};
  if (g->cube->address < 0 || problem->nrhs == 0) return sizes;
  int64_t rows = hy_held_at(&problem->row, g->cube->address);
  int64_t sides = hy_held_at(&problem->x_col, g->cube->address);
  sizes.panel = rows * w * size;
  sizes.shared = w * (w + 2 * sides) * size;
  sizes.used = w * sides * size;
  return sizes;
}

/* --------------------------------------------------------------- create -- */

/* Makes the groups by the longest message of any rank, so that all ranks choose alike. */
static hyla_status make_groups(struct hy_diagonal_jordan *g) {
  const struct hy_factorization *problem = g->problem;
  int64_t w = hy_min(HY_JORDAN_PANEL, problem->n), sides = hy_axis_most(&problem->x_col);
  size_t size = g->k->size;
  TRY(hy_subcube_make_for(g, g->cube, hy_axis_mask(&problem->col.code), HY_TASK_ALLGATHER,
                          hy_axis_most(&problem->row) * w, size, NULL, &g->gather));
  return hy_subcube_make_for(g, g->cube, hy_axis_mask(&problem->row.code), HY_TASK_ALLREDUCE,
                             w * (w + 2 * sides), size, NULL, &g->sums);
}

/* The product with nrhs right-hand sides, on a counting cube. */
static hyla_status count_product(const struct hy_diagonal_jordan *g, hyla_cost *cost) {
  const struct hy_factorization *problem = g->problem;
  const struct hy_operand lies = {.row = problem->row, .col = problem->col},
                          sides = {.row = problem->row, .col = problem->x_col};
  struct hy_diagonal_jordan played = *g;
  hyla_cube counting;
  hy_count_begin(g->cube, g->cube->address, &counting);
  hyla_matrix a = hy_matrix_counted(&counting, g->k->type, &lies);
  hyla_matrix x = hy_matrix_counted(&counting, g->k->type, &sides);
  played.cube = &counting;
  played.k = a.k;
  played.a = &a;
  played.gathered = played.panel = played.shared = played.used = counting.base.no_data;
  hy_subcube_counted(&played.gather, &counting);
  hy_subcube_counted(&played.sums, &counting);
  hyla_status status = hy_diagonal_jordan_apply(&played, HYLA_NONE, &x);
  *cost = hy_count_end(g->cube, &counting, g->k->size);
  return status;
}

static hyla_status count_all(struct hy_diagonal_jordan *g) {
  const struct sizes sizes = sizes_of(g);
  const struct hy_subcube_op *const groups[] = {&g->gather, &g->sums};
  hyla_cost product = {0};
  TRY(hy_elimination_cost(&g->elimination, &g->cost));
  if (g->problem->nrhs == 0) return HYLA_OK;
  TRY(count_product(g, &product));
  hy_cost_add(&g->cost, product);
  g->cost.memory += 2 * sizes.panel + sizes.shared + sizes.used;
  return hy_subcube_ops_memory(groups, 2, &g->cost.memory);
}

hyla_status hy_diagonal_jordan_create(const struct hy_variant *variant, const void *given,
                                      void **state) {
  const struct hy_factorization *problem = given;
  struct hy_diagonal_jordan *g = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *g, state));
  g = *state;
  *g = (struct hy_diagonal_jordan){.problem = problem, .cube = problem->cube, .k = problem->k};
  TRY(hy_elimination_create(g, problem, HY_ELIMINATE_ALL, &g->elimination));
  if (problem->nrhs > 0) {
    TRY(hy_alloc_for(&g->cube->base, g, problem->col.parts + 1, sizeof *g->offsets, &g->offsets));
    TRY(make_groups(g));
  }
  return g->cube->address < 0 ? HYLA_OK : count_all(g);
}

/* ------------------------------------------------------------ allocate -- */

static hyla_status take_product(struct hy_diagonal_jordan *g) {
  const struct sizes sizes = sizes_of(g);
  struct hy_base *base = &g->cube->base;
  TRY(hy_alloc_data_for(base, g, sizes.panel, 1, &g->gathered));
  TRY(hy_alloc_data_for(base, g, sizes.panel, 1, &g->panel));
  TRY(hy_alloc_data_for(base, g, sizes.shared, 1, &g->shared));
  TRY(hy_alloc_data_for(base, g, sizes.used, 1, &g->used));
  TRY(hy_subcube_allocate(&g->gather));
  return hy_subcube_allocate(&g->sums);
}

hyla_status hy_diagonal_jordan_allocate(void *state) {
  struct hy_diagonal_jordan *g = state;
  const struct hy_factors *factors = g->problem->factors;
  g->a = factors->a;
  hy_factor_no_swaps(g->problem);
  hyla_status mine = hy_elimination_allocate(&g->elimination, g->a);
  if (mine == HYLA_OK && g->cube->address >= 0 && g->problem->nrhs > 0) mine = take_product(g);
  return hy_agree(g->cube, mine);
}
