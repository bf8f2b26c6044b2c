/* QR: a factorization's workspace, its collectives, and the substitutions with R. */
#include "solve/qr/qr.h"

/* Bytes on this rank. */
struct sizes {
  int64_t slot, triangles, upper, products;
};

/* Room for V^H times a strip, or for the products of HY_QR_BASE columns with a panel and S's
 * columns. */
static int64_t products_of(const struct hy_qr *q, int64_t columns, int64_t sides) {
  int64_t most = hy_min(HY_QR_STRIP, hy_max(columns, sides));
  return q->array.block * hy_max(most, 2 * HY_QR_BASE);
}

static struct sizes sizes_of(const struct hy_qr *q) {
  const struct hy_block_cyclic *array = &q->array;
  int64_t size = (int64_t)q->k->size, block = array->block;
  struct sizes sizes = {0};
  if (q->cube->address < 0) return sizes;
  int64_t rows = hy_held(&array->row, array->row_part),
          cols = hy_held(&array->col, array->col_part);
  int64_t sides = hy_held(&q->problem->x_col, array->col_part);
  int64_t width = hy_min(block, q->problem->n);
  sizes.slot = hy_ceil_div(HY_PANEL_HEADER + (hy_max(1, rows) + width) * width * size, 64) * 64;
  sizes.triangles = cols * block * size;
  sizes.upper = width * width * size;
  sizes.products = products_of(q, cols, sides) * size;
  return sizes;
}

/* --------------------------------------------------------------- create -- */

/* Makes the groups by the longest messages of any rank, so that all ranks choose alike. */
static hyla_status make_groups(struct hy_qr *q) {
  const struct hy_factorization *problem = q->problem;
  const struct hy_block_cyclic *array = &q->array;
  size_t size = q->k->size;
  int64_t header = HY_PANEL_HEADER / (int64_t)size, block = array->block;
  int64_t products = products_of(q, hy_axis_most(&problem->col), hy_axis_most(&problem->x_col));
  TRY(hy_subcube_make_for(q, q->cube, array->col_dims, HY_TASK_BROADCAST,
                          header + (hy_axis_most(&problem->row) + block) * block, size, NULL,
                          &q->shares));
  TRY(hy_subcube_make_for(q, q->cube, array->row_dims, HY_TASK_ALLREDUCE, 1, sizeof q->norm, NULL,
                          &q->norms));
  return hy_subcube_make_for(q, q->cube, array->row_dims, HY_TASK_ALLREDUCE, products, size, NULL,
                             &q->sums);
}

/* Are systems solved? Only square ones are. */
static bool solves(const struct hy_qr *q) { return q->problem->m == q->problem->n; }

/* R X = B, or op(R) X = B. */
static struct hy_triangular form_of(const struct hy_qr *q, hyla_operation op) {
  return (struct hy_triangular){.block = q->array.block, .triangle = HYLA_UPPER, .op = op};
}

hyla_status hy_qr_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct hy_qr *q = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *q, &q));
  *state = q;
  q->problem = problem;
  q->cube = cube;
  q->k = problem->k;
  q->array =
      hy_block_cyclic_at(&problem->row, &problem->col, hy_factor_block(problem), cube->address);
  TRY(make_groups(q));
  if (!solves(q)) return HYLA_OK;
  return hy_triangular_of_factors(q, problem, form_of(q, HYLA_NONE), &q->backward);
}

/* ------------------------------------------------------------ allocate -- */

static hyla_status allocate_arrays(struct hy_qr *q, const struct sizes *sizes) {
  struct hy_base *base = &q->cube->base;
  TRY(hy_alloc_data_for(base, q, sizes->triangles, 1, &q->triangles));
  TRY(hy_alloc_data_for(base, q, sizes->upper, 1, &q->upper));
  TRY(hy_alloc_data_for(base, q, sizes->products, 1, &q->products));
  TRY(hy_subcube_allocate(&q->shares));
  TRY(hy_subcube_allocate(&q->norms));
  return hy_subcube_allocate(&q->sums);
}

hyla_status hy_qr_allocate(void *state) {
  struct hy_qr *q = state;
  const struct sizes sizes = sizes_of(q);
  bool guest = q->cube->address < 0;
  q->a = q->problem->factors->a;
  hy_factor_no_swaps(q->problem);
  TRY(hy_agree(q->cube, guest ? HYLA_OK : allocate_arrays(q, &sizes)));
  TRY(hy_panels_create(q, &q->shares, sizes.slot, &q->panels));
  return solves(q) ? hy_triangular_allocate(&q->backward, q->a) : HYLA_OK;
}

static hyla_status create_transposed(struct hy_qr *q) {
  TRY(hy_alloc_for(&q->cube->base, q, 0, 1, &q->transposed_memory));
  return hy_triangular_of_factors(q->transposed_memory, q->problem, form_of(q, HYLA_CONJUGATE),
                                  &q->transposed);
}

hyla_status hy_qr_allocate_transposed(struct hy_qr *q) {
  if (q->transposed_memory != NULL) return HYLA_OK;
  hyla_status status = hy_agree(q->cube, create_transposed(q));
  if (status == HYLA_OK) status = hy_triangular_allocate(&q->transposed, q->a);
  if (status != HYLA_OK) hy_free(&q->cube->base, &q->transposed_memory);
  return status;
}
