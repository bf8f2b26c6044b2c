/* Gauss-Jordan in product form: workspace. */
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

hyla_status hy_diagonal_jordan_create(const struct hy_variant *variant, const void *given,
                                      void **state) {
  const struct hy_factorization *problem = given;
  struct hy_diagonal_jordan *g = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *g, state));
  g = *state;
  *g = (struct hy_diagonal_jordan){.problem = problem, .cube = problem->cube, .k = problem->k};
  TRY(hy_elimination_create(g, problem, HY_ELIMINATE_ALL, &g->elimination));
  if (problem->nrhs == 0) return HYLA_OK;
  TRY(hy_alloc_for(&g->cube->base, g, problem->col.parts + 1, sizeof *g->offsets, &g->offsets));
  return make_groups(g);
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
