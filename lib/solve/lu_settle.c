/* LU: the rows of L where all swaps have put them.
 *
 * L is kept as it was eliminated.  Here the swaps of each panel are applied, one panel after
 * the other, to the columns of all panels before it: the block column's swaps as in the
 * factorization itself (lu_swap.c), but to the left. */
#include "solve/lu.h"

/* One panel's swaps in the first `count` local columns, which are those of earlier panels. */
static hyla_status swap_before(struct hy_lu *lu, const struct hy_diagonal_block *at,
                               struct hyla_matrix *l, int64_t count) {
  hy_lu_swap_plan(lu, at);
  TRY(hy_lu_swap_gather(lu, l, 0, count));
  for (int64_t begin = 0; begin < count; begin += lu->strip_columns) {
    int64_t width = hy_min(lu->strip_columns, count - begin);
    hy_lu_swap_strip(lu, at, l, 0, count, begin, width, lu->strip);
    if (at->top)
      lu->k->copy(HYLA_NONE, at->width, (int)width, 1, lu->strip, at->width,
                  hy_at(l, at->row, begin), (int)l->ld);
    TRY(hy_link_poll(lu->cube));
  }
  return HYLA_OK;
}

hyla_status hy_lu_settle(struct hy_lu *lu, struct hyla_matrix *l) {
  for (int64_t index = 1; index < lu->array.count; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&lu->array, index);
    if (at.column > 0) TRY(swap_before(lu, &at, l, at.column));
  }
  return HYLA_OK;
}
