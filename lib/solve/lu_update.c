/* LU: what a panel does to columns on its right: row swaps, U12 := L11^-1 A12,
 * A22 := A22 - L21 U12.
 *
 * Every member of a rank column computes U12 for itself, so nothing but the
 * swapped rows travels.  L11 is cut into tiles; those on its diagonal are
 * inverted once a panel, so that U12 too is made by matrix products. */
#include "solve/lu.h"

#include <string.h>

static const char *tile_of_l(const struct hy_lu *lu, const struct hy_lu_panel *panel, int i,
                             int j) {
  size_t at = (size_t)i + (size_t)j * (size_t)panel->ld_diagonal;
  return panel->seen + panel->at_diagonal + at * lu->k->size;
}

static char *inverse_of(const struct hy_lu *lu, int i) {
  return lu->inverses + (size_t)i * HY_LU_TILE * lu->k->size;
}

int64_t hy_lu_invert_flops(int64_t width) {
  int64_t flops = 0;
  for (int64_t i = 0; i < width; i += HY_LU_TILE) {
    int64_t order = hy_min(HY_LU_TILE, width - i);
    flops += order * (order - 1) * (order - 2) / 3;
  }
  return flops;
}

/* Products read whole tiles: above the diagonal there must be zeros, on it ones. */
void hy_lu_invert(struct hy_lu *lu, const struct hy_lu_panel *panel) {
  const struct hy_kernels *k = lu->k;
  int width = panel->at.width;
  memset(lu->inverses, 0, (size_t)width * HY_LU_TILE * k->size);
  for (int i = 0; i < width; i += HY_LU_TILE) {
    int order = (int)hy_min(HY_LU_TILE, width - i);
    char *inverse = inverse_of(lu, i);
    for (int j = 0; j < order; j++) {
      char *column = inverse + (size_t)j * HY_LU_TILE * k->size;
      k->set(column, j, 1);
      k->copy(HYLA_NONE, order - j - 1, 1, 1, tile_of_l(lu, panel, i + j + 1, i + j), 1,
              column + (size_t)(j + 1) * k->size, 1);
    }
    k->trtri(HYLA_LOWER, HYLA_UNIT_DIAGONAL, order, inverse, HY_LU_TILE);
  }
  hy_compute(lu->cube, hy_lu_invert_flops(width), k->size, k->complex_type);
}

int64_t hy_lu_u_flops(int64_t width) {
  int64_t flops = 0;
  for (int64_t i = 0; i < width; i += HY_LU_TILE) {
    int64_t order = hy_min(HY_LU_TILE, width - i);
    flops += 2 * order * (width - i);
  }
  return flops;
}

/* lu->u := L11^-1 lu->strip, which is used up. */
static void make_u(struct hy_lu *lu, const struct hy_lu_panel *panel, int count) {
  const struct hy_kernels *k = lu->k;
  int width = panel->at.width;
  for (int i = 0; i < width; i += HY_LU_TILE) {
    int order = (int)hy_min(HY_LU_TILE, width - i), next = i + order;
    char *from = lu->strip + (size_t)i * k->size, *to = lu->u + (size_t)i * k->size;
    k->gemm(HYLA_NONE, HYLA_NONE, order, count, order, 1, inverse_of(lu, i), HY_LU_TILE, from,
            width, 0, to, width);
    if (next == width) break;
    k->gemm(HYLA_NONE, HYLA_NONE, width - next, count, order, -1, tile_of_l(lu, panel, next, i),
            panel->ld_diagonal, to, width, 1, lu->strip + (size_t)next * k->size, width);
  }
}

static void update_strip(struct hy_lu *lu, const struct hy_lu_panel *panel,
                         const struct hyla_matrix *m, int64_t column, int count) {
  const struct hy_kernels *k = lu->k;
  const struct hy_lu_shape *at = &panel->at;
  int above = at->top ? at->width : 0, below = at->rows - above;
  const char *l = panel->seen + panel->at_rows + (size_t)above * k->size;
  make_u(lu, panel, count);
  if (at->top)
    k->copy(HYLA_NONE, at->width, count, 1, lu->u, at->width, hy_at(m, at->row, column),
            (int)m->ld);
  k->gemm(HYLA_NONE, HYLA_NONE, below, count, at->width, -1, l, panel->ld, lu->u, at->width, 1,
          hy_at(m, at->row + above, column), (int)m->ld);
  int64_t flops = hy_lu_u_flops(at->width) + INT64_C(2) * below * at->width;
  hy_compute(lu->cube, flops * count, k->size, k->complex_type);
}

hyla_status hy_lu_update(struct hy_lu *lu, const struct hy_lu_panel *panel,
                         const struct hyla_matrix *m, int64_t first, int64_t count) {
  if (count == 0) return HYLA_OK;
  TRY(hy_lu_swap_gather(lu, m, first, count));
  for (int64_t begin = 0; begin < count; begin += lu->strip_columns) {
    int64_t width = hy_min(lu->strip_columns, count - begin);
    hy_lu_swap_strip(lu, &panel->at, m, first, count, begin, width);
    update_strip(lu, panel, m, first + begin, (int)width);
    TRY(hy_link_poll(lu->cube));
  }
  return HYLA_OK;
}
