/* L D L^H: a factorization's workspace, its collectives, and the substitutions with its factor. */
#include "solve/ldl/ldl.h"

/* ------------------------------------------------------------------ sizes -- */

/* Bytes on this rank; 0 on spare ranks. */
struct sizes {
  int64_t column, message, part, lower, across, moved, diagonal, below;
};

/* The most columns on a rank of a matrix whose rows move. */
static int64_t columns_here(const struct hy_ldl *f) {
  const struct hy_factorization *problem = f->problem;
  int64_t x = hy_held(&problem->x_col, f->array.col_part);
  int64_t turned = hy_held(&problem->turned_col, f->array.row_part);
  return hy_max(f->local_cols, hy_max(x, turned));
}

static struct sizes sizes_of(const struct hy_ldl *f) {
  int64_t size = (int64_t)f->k->size;
  struct sizes sizes = {0};
  if (f->cube->address < 0) return sizes;
  sizes.column = f->n * size;
  sizes.message = (f->n + 4 * HY_LDL_WIDTH) * size;
  sizes.part = hy_max(f->local_rows, f->local_cols) * size;
  sizes.lower = f->local_rows * HY_LDL_WIDTH * size;
  sizes.across = f->local_cols * HY_LDL_WIDTH * size;
  sizes.moved = hy_min(HY_LDL_ROWS, f->n) * columns_here(f) * size;
  sizes.diagonal = f->n * (int64_t)sizeof *f->diagonal;
  sizes.below = f->n * (int64_t)sizeof *f->below;
  return sizes;
}

/* ----------------------------------------------------------------- create -- */

/* Makes the groups by the longest message of any rank, so that all ranks choose alike. */
static hyla_status make_groups(struct hy_ldl *f) {
  const struct hy_factorization *problem = f->problem;
  const struct hy_block_cyclic *array = &f->array;
  hyla_cube *cube = f->cube;
  size_t size = f->k->size;
  int64_t rows = hy_min(HY_LDL_ROWS, problem->n);
  int64_t down = hy_max(hy_axis_most(&problem->col), hy_axis_most(&problem->x_col));
  TRY(hy_subcube_make_for(f, cube, array->row_dims | array->col_dims, HY_TASK_ALLREDUCE,
                          problem->n + 4 * HY_LDL_WIDTH, size, NULL, &f->columns));
  TRY(hy_subcube_make_for(f, cube, array->row_dims, HY_TASK_ALLREDUCE, rows * down, size, NULL,
                          &f->rows_down));
  return hy_subcube_make_for(f, cube, array->col_dims, HY_TASK_ALLREDUCE,
                             rows * hy_axis_most(&problem->turned_col), size, NULL,
                             &f->rows_across);
}

/* L X = B with X's rows along A's; L^H X = B with X's rows along A's columns. */
static hyla_status make_systems(struct hy_ldl *f) {
  struct hy_triangular form = {
      .block = f->array.block, .triangle = HYLA_LOWER, .diagonal = HYLA_UNIT_DIAGONAL};
  TRY(hy_triangular_of_factors(f, f->problem, form, &f->forward));
  form.op = HYLA_CONJUGATE;
  return hy_triangular_of_factors(f, f->problem, form, &f->backward);
}

/* ------------------------------------------------------------------ state -- */

static hyla_status allocate_indices(struct hy_ldl *f) {
  const struct hy_block_cyclic *array = &f->array;
  TRY(hy_alloc_control_for(&f->cube->base, f, 2 * HY_LDL_ROWS, sizeof *f->rows, &f->rows));
  TRY(hy_alloc_control_for(&f->cube->base, f, f->local_rows + f->local_cols, sizeof *f->row_index,
                           &f->row_index));
  f->col_index = f->row_index + f->local_rows;
  for (int64_t i = 0; i < f->local_rows; i++)
    f->row_index[i] = hy_axis_index(&array->row, array->row_part, i);
  for (int64_t j = 0; j < f->local_cols; j++)
    f->col_index[j] = hy_axis_index(&array->col, array->col_part, j);
  return HYLA_OK;
}

hyla_status hy_ldl_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct hy_ldl *f = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *f, &f));
  *state = f;
  f->problem = problem;
  f->cube = cube;
  f->k = problem->k;
  f->n = problem->n;
  f->array =
      hy_block_cyclic_at(&problem->row, &problem->col, hy_factor_block(problem), cube->address);
  TRY(make_groups(f));
  TRY(make_systems(f));
  if (cube->address < 0) return HYLA_OK;
  f->local_rows = hy_held(&f->array.row, f->array.row_part);
  f->local_cols = hy_held(&f->array.col, f->array.col_part);
  return allocate_indices(f);
}

static hyla_status allocate_arrays(struct hy_ldl *f, const struct sizes *sizes) {
  struct hy_base *base = &f->cube->base;
  for (int i = 0; i < 2; i++) TRY(hy_alloc_data_for(base, f, sizes->column, 1, &f->column[i]));
  TRY(hy_alloc_data_for(base, f, sizes->message, 1, &f->message));
  TRY(hy_alloc_data_for(base, f, sizes->part, 1, &f->part));
  TRY(hy_alloc_data_for(base, f, sizes->lower, 1, &f->lower));
  TRY(hy_alloc_data_for(base, f, sizes->across, 1, &f->across));
  TRY(hy_alloc_data_for(base, f, sizes->moved, 1, &f->moved));
  TRY(hy_alloc_data_for(base, f, sizes->diagonal, 1, &f->diagonal));
  TRY(hy_alloc_data_for(base, f, sizes->below, 1, &f->below));
  f->d = (struct hy_block_diagonal){.diagonal = f->diagonal, .below = f->below};
  TRY(hy_subcube_allocate(&f->columns));
  TRY(hy_subcube_allocate(&f->rows_down));
  return hy_subcube_allocate(&f->rows_across);
}

hyla_status hy_ldl_allocate(void *state) {
  struct hy_ldl *f = state;
  const struct sizes sizes = sizes_of(f);
  bool guest = f->cube->address < 0;
  f->a = f->problem->factors->a;
  TRY(hy_agree(f->cube, guest ? HYLA_OK : allocate_arrays(f, &sizes)));
  TRY(hy_triangular_allocate(&f->forward, f->a));
  return hy_triangular_allocate(&f->backward, f->a);
}
