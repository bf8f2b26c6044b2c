/* Gauss-Jordan: workspace and collectives. */
#include "solve/jordan/jordan.h"

/* --------------------------------------------------------------- create -- */

/* An LU factorization without right-hand sides. */
static hyla_status make_elimination(struct hy_gauss_jordan *g) {
  void *lu = NULL;
  g->elimination = *g->problem;
  g->elimination.nrhs = 0;
  g->elimination.inverse = NULL;
  g->elimination.x_col = hy_axis_range(&g->problem->x_col, 0, 0);
  g->elimination.turned_col = hy_axis_range(&g->problem->turned_col, 0, 0);
  hyla_status status = hy_lu_create(&hy_lu_partial, &g->elimination, &lu);
  hy_own(g, lu);
  g->lu = lu;
  return status;
}

/* Makes the groups by the longest message of any rank, so that all ranks choose alike. */
static hyla_status make_groups(struct hy_gauss_jordan *g) {
  const struct hy_factorization *problem = g->problem;
  struct hy_lu *turned = &g->turned;
  uint32_t row_dims = g->lu->array.row_dims, col_dims = g->lu->array.col_dims;
  int64_t rows = hy_axis_most(&problem->row), cols = hy_axis_most(&problem->col);
  int64_t nrhs = problem->nrhs, strip = hy_gauss_jordan_strip(rows);
  size_t size = g->k->size;
  turned->problem = &g->elimination;
  turned->cube = g->cube;
  turned->k = g->k;
  turned->a = &g->turned_a;
  turned->array =
      hy_block_cyclic_at(&problem->col, &problem->row, g->lu->array.block, g->cube->address);
  TRY(hy_subcube_make_for(g, g->cube, col_dims, HY_TASK_ALLGATHER, 2 * g->lu->array.block * strip,
                          size, NULL, &turned->rows));
  TRY(hy_lu_set_gathering(turned));
  for (int other = 0; other < 2; other++) {
    struct hy_inverse_product *product = &g->product[other];
    TRY(hy_subcube_make_for(g, g->cube, other ? col_dims : row_dims, HY_TASK_ALLGATHER,
                            (other ? rows : cols) * nrhs, size, NULL, &product->gather));
    TRY(hy_subcube_make_for(g, g->cube, other ? row_dims : col_dims, HY_TASK_REDUCE,
                            (other ? cols : rows) *
                                hy_axis_most(other ? &problem->turned_col : &problem->x_col),
                            size, NULL, &product->adds));
  }
  return HYLA_OK;
}

hyla_status hy_gauss_jordan_create(const struct hy_variant *variant, const void *given,
                                   void **state) {
  const struct hy_factorization *problem = given;
  struct hy_gauss_jordan *g = NULL;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *g, &g));
  *state = g;
  g->problem = problem;
  g->variant = variant;
  g->cube = problem->cube;
  g->k = problem->k;
  TRY(hy_alloc_for(&g->cube->base, g, hy_max(problem->row.parts, problem->col.parts) + 1,
                   sizeof *g->offsets, &g->offsets));
  TRY(make_elimination(g));
  return make_groups(g);
}

/* ------------------------------------------------------------ allocate -- */

/* Bytes on this rank, without LU's. */
struct sizes {
  int64_t numbers, gathered, top, strip, sides;
};

static struct sizes sizes_of(const struct hy_gauss_jordan *g) {
  const struct hy_factorization *problem = g->problem;
  struct sizes sizes = {0};
  int64_t size = (int64_t)g->k->size, block = hy_factor_block(problem);
  int64_t rows = g->a->local_rows, cols = g->a->local_cols;
  if (g->cube->address < 0) return sizes;
  int64_t strip = hy_gauss_jordan_strip(rows), members = problem->col.parts;
  sizes.numbers = hy_lu_numbers(block, members);
  sizes.gathered = members > 1 ? 2 * block * strip * size : 0;
  sizes.top = block * strip * size;
  sizes.strip = cols * strip * size;
  sizes.sides = hy_max(rows, cols) * problem->nrhs * size;
  return sizes;
}

static hyla_status allocate_arrays(struct hy_gauss_jordan *g, const struct sizes *sizes) {
  struct hy_base *base = &g->cube->base;
  TRY(hy_alloc_control_for(base, g, sizes->numbers, 1, &g->turned.numbers));
  TRY(hy_alloc_data_for(base, g, sizes->gathered, 1, &g->turned.gathered));
  TRY(hy_alloc_data_for(base, g, sizes->top, 1, &g->turned.strip));
  TRY(hy_alloc_data_for(base, g, sizes->strip, 1, &g->strip));
  TRY(hy_alloc_data_for(base, g, sizes->sides, 1, &g->sides[0]));
  TRY(hy_alloc_data_for(base, g, sizes->sides, 1, &g->sides[1]));
  TRY(hy_subcube_allocate(&g->turned.rows));
  for (int other = 0; other < 2; other++) {
    TRY(hy_subcube_allocate(&g->product[other].gather));
    TRY(hy_subcube_allocate(&g->product[other].adds));
  }
  hy_lu_carve(&g->turned);
  return HYLA_OK;
}

hyla_status hy_gauss_jordan_allocate(void *state) {
  struct hy_gauss_jordan *g = state;
  bool guest = g->cube->address < 0;
  g->a = g->problem->factors->a;
  g->turned_a = hy_substitution_transposed(g->a);
  g->turned.swaps = g->problem->factors->swaps;
  g->turned.strip_columns = HY_LU_STRIP;
  const struct sizes sizes = sizes_of(g);
  TRY(hy_lu_allocate(g->lu));
  return hy_agree(g->cube, guest ? HYLA_OK : allocate_arrays(g, &sizes));
}
