/* LU: swaps of whole panels, after the factorization.
 *
 * L is kept as it was eliminated.  Settled, its rows are where all swaps have put them: the swaps
 * of each panel are applied, one panel after the other, to the columns of all panels before it, as
 * in the factorization itself (lu_swap.c), but to the left.  Then right-hand sides are swapped by
 * all panels at once, before or after a substitution that swaps nothing. */
#include "solve/lu.h"

hyla_status hy_lu_swap_rows(struct hy_lu *lu, const struct hy_diagonal_block *at, bool backwards,
                            const struct hyla_matrix *m, int64_t first, int64_t count) {
  hy_lu_swap_plan(lu, at, backwards);
  TRY(hy_lu_swap_gather(lu, m, first, count));
  for (int64_t begin = 0; begin < count; begin += lu->strip_columns) {
    int64_t width = hy_min(lu->strip_columns, count - begin);
    hy_lu_swap_strip(lu, at, m, first, count, begin, width, lu->strip);
    if (at->top)
      lu->k->copy(HYLA_NONE, at->width, (int)width, 1, lu->strip, at->width,
                  hy_at(m, at->row, first + begin), (int)m->ld);
    TRY(hy_link_poll(lu->cube));
  }
  return HYLA_OK;
}

hyla_status hy_lu_settle(struct hy_lu *lu, struct hyla_matrix *l) {
  for (int64_t index = 1; index < lu->array.count && !lu->settled; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&lu->array, index);
    if (at.column > 0) TRY(hy_lu_swap_rows(lu, &at, false, l, 0, at.column));
  }
  return HYLA_OK;
}

hyla_status hy_lu_settle_factors(struct hy_lu *lu) {
  TRY(hy_lu_settle(lu, lu->problem->factors->a));
  lu->settled = true;
  lu->lower.swaps = NULL;
  return HYLA_OK;
}

hyla_status hy_lu_swap_all(struct hy_lu *lu, bool backwards, const struct hyla_matrix *x) {
  int64_t count = lu->array.count;
  for (int64_t step = 0; step < count && x->local_cols > 0; step++) {
    struct hy_diagonal_block at =
        hy_diagonal_block(&lu->array, backwards ? count - 1 - step : step);
    TRY(hy_lu_swap_rows(lu, &at, backwards, x, 0, x->local_cols));
  }
  return HYLA_OK;
}
