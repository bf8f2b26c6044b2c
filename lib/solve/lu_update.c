/* LU: what a panel does to columns on its right: row swaps, U12 := L11^-1 A12,
 * A22 := A22 - L21 U12.
 *
 * Every member of a rank column computes U12 for itself, so nothing but the
 * swapped rows travels. */
#include "solve/lu.h"

/* The next strip of as many columns is fetched meanwhile, if there is one. */
static void update_strip(struct hy_lu *lu, const struct hy_lu_panel *panel,
                         const struct hyla_matrix *m, int64_t column, int count, bool packed,
                         bool next) {
  const struct hy_kernels *k = lu->k;
  const struct hy_diagonal_block *at = &panel->at;
  int above = at->top ? at->width : 0, below = at->rows - above;
  const char *l = panel->slot->seen + panel->at_rows + (size_t)above * k->size;
  char *c = hy_at(m, at->row + above, column);
  k->trsm(HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, at->width, count, 1,
          panel->slot->seen + panel->at_diagonal, panel->ld_diagonal, lu->strip, at->width);
  if (at->top)
    k->copy(HYLA_NONE, at->width, count, 1, lu->strip, at->width, hy_at(m, at->row, column),
            (int)m->ld);
  if (packed)
    lu->packed.products->multiply(
        HYLA_NONE, below, count, at->width,
        hy_packed_rows_of(&lu->packed, at->index, below, at->width, l, panel->ld), 0, lu->strip,
        at->width, c, (int)m->ld, next ? count : 0);
  else
    k->gemm(HYLA_NONE, HYLA_NONE, below, count, at->width, -1, l, panel->ld, lu->strip, at->width,
            1, c, (int)m->ld);
  int64_t flops = at->width * (at->width - 1 + INT64_C(2) * below);
  hy_compute(lu->cube, flops * count, k->size, k->complex_type);
}

/* How many columns go together, from one on. */
static int64_t strip_at(const struct hy_lu *lu, const struct hyla_matrix *m, int64_t column,
                        int64_t left, bool packed) {
  int64_t block = m->col.block;
  int64_t most = lu->pivoting->fixed ? block - column % block : lu->strip_columns;
  return hy_min(packed ? HY_LU_PACKED_STRIP : most, left);
}

hyla_status hy_lu_update(struct hy_lu *lu, const struct hy_lu_panel *panel,
                         const struct hyla_matrix *m, int64_t first, int64_t count) {
  /* Few columns are not worth the copy. */
  bool packed = lu->packed.products != NULL && count >= HY_LU_PACKED_STRIP;
  if (count == 0) return HYLA_OK;
  TRY(hy_lu_swap_gather(lu, m, first, count));
  for (int64_t begin = 0, width = 0; begin < count; begin += width) {
    width = strip_at(lu, m, first + begin, count - begin, packed);
    hy_lu_swap_strip(lu, &panel->at, m, first, count, begin, width, lu->strip);
    update_strip(lu, panel, m, first + begin, (int)width, packed, begin + width < count);
    TRY(hy_link_poll(lu->cube));
  }
  return HYLA_OK;
}
