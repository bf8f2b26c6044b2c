/* LU: back substitution with many right-hand sides.
 *
 * The right-hand sides are spread over the rank columns, so all ranks compute:
 * block column k of U travels along the rank rows, p_k solves for block k of x
 * and broadcasts it along the rank columns, and all subtract.  The next block
 * column is on its way meanwhile.  Steps a block: c + r; words: local rows of U
 * x block, block x local right-hand sides.
 * (Forward substitution is what elimination does to columns: lu.c.) */
#include "solve/lu.h"

static hyla_status send_column(struct hy_lu *lu, int64_t index) {
  struct hy_lu_panel *panel = NULL;
  if (index < 0 || !hy_lu_shape(lu, index).mine) return HYLA_OK;
  TRY(hy_lu_open(lu, index, HY_LU_UPPER, &panel));
  hy_lu_load(lu, panel, HY_LU_UPPER);
  return hy_lu_lend(lu, panel);
}

/* Block k of x on every rank of the rank column. */
static hyla_status solve_block(struct hy_lu *lu, const struct hy_lu_panel *panel,
                               const struct hyla_matrix *x, const char **block, int *ld) {
  const struct hy_kernels *k = lu->k;
  const struct hy_lu_shape *at = &panel->at;
  int columns = (int)x->local_cols;
  int64_t w = at->width;
  if (at->top) hy_compute(lu->cube, w * w * columns, k->size, k->complex_type);
  if (at->top)
    k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, at->width, columns, 1,
            panel->seen + at->row * (int64_t)k->size, panel->ld, hy_at(x, at->row, 0), (int)x->ld);
  if (lu->members == 1) {
    *block = hy_at(x, at->row, 0);
    *ld = (int)x->ld;
    return HYLA_OK;
  }
  *block = lu->gathered;
  *ld = at->width;
  if (at->top)
    k->copy(HYLA_NONE, at->width, columns, 1, hy_at(x, at->row, 0), (int)x->ld, lu->gathered, *ld);
  return hy_group_broadcast(&lu->blocks, hy_lu_col_root(lu, at->index), lu->gathered,
                            (int64_t)at->width * columns);
}

hyla_status hy_lu_many_backward(struct hy_lu *lu, struct hyla_matrix *x) {
  const struct hy_kernels *k = lu->k;
  TRY(send_column(lu, lu->panels - 1));
  TRY(hy_lu_expect(lu, lu->panels - 1, HY_LU_UPPER));
  for (int64_t index = lu->panels - 1; index >= 0; index--) {
    struct hy_lu_panel *panel = NULL;
    const char *block = NULL;
    int ld = 0;
    TRY(hy_lu_receive(lu, index, &panel));
    TRY(send_column(lu, index - 1));
    TRY(hy_lu_expect(lu, index - 1, HY_LU_UPPER));
    TRY(solve_block(lu, panel, x, &block, &ld));
    k->gemm(HYLA_NONE, HYLA_NONE, (int)panel->at.row, (int)x->local_cols, panel->at.width, -1,
            panel->seen, panel->ld, block, ld, 1, x->local, (int)x->ld);
    hy_compute(lu->cube, 2 * panel->at.row * panel->at.width * x->local_cols, k->size,
               k->complex_type);
    TRY(hy_lu_close(lu, panel));
  }
  return hy_lu_finish(lu);
}
