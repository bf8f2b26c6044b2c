/* LU: swaps of whole panels, after the factorization.
 *
 * L is kept as it was eliminated: the swaps of later panels are not applied to it.  To settle L is
 * to apply them: the swaps of each panel, one panel after the other, to the columns of all panels
 * before it, as in the factorization itself (lu_swap.c), but to the left.  Then right-hand sides
 * are swapped by all panels at once, before or after a substitution that swaps nothing.
 *
 * Example: 3 panels of 2 columns.  The swaps of panel 1 apply to columns 0 and 1, those of panel 2
 * to columns 0 ... 3. */
#include "solve/lu/lu.h"

#include <string.h>

static inline void swap_sized(size_t size, char *column, const int64_t *swaps, int64_t first,
                              int64_t count, bool backwards) {
  char held[16];
  for (int64_t step = 0; step < count; step++) {
    int64_t i = backwards ? first + count - 1 - step : first + step;
    char *one = column + (size_t)i * size, *other = column + (size_t)swaps[i] * size;
    memcpy(held, one, size);
    memcpy(one, other, size);
    memcpy(other, held, size);
  }
}

/* Swaps the entries of a column that a rank holds whole, by `count' swaps from row `first' on; this
 * needs no plan. */
static void swap_column(const struct hy_lu *lu, char *column, int64_t first, int64_t count,
                        bool backwards) {
  if (lu->k->size == 4)
    swap_sized(4, column, lu->swaps, first, count, backwards);
  else if (lu->k->size == 8)
    swap_sized(8, column, lu->swaps, first, count, backwards);
  else
    swap_sized(16, column, lu->swaps, first, count, backwards);
}

hyla_status hy_lu_swap_rows(struct hy_lu *lu, const struct hy_diagonal_block *at, bool backwards,
                            const struct hyla_matrix *m, int64_t first, int64_t count) {
  if (lu->array.row.parts == 1 && !hy_cube_counts(lu->cube)) {
    for (int64_t c = first; c < first + count && !lu->k->dry; c++)
      swap_column(lu, hy_at(m, 0, c), at->first, at->width, backwards);
    return HYLA_OK;
  }
  hy_lu_swap_plan(lu, at, backwards);
  TRY(hy_lu_swap_gather(lu, m, first, count));
  for (int64_t begin = 0; begin < count; begin += lu->strip_columns) {
    int64_t width = hy_min(lu->strip_columns, count - begin);
    hy_lu_swap_strip(lu, at, m, first, count, begin, width, lu->strip);
    if (at->top) {
      hy_copy_block(lu->cube, lu->k, HYLA_NONE, at->width, width, lu->strip, at->width,
                    hy_at(m, at->row, first + begin), m->ld);
    }
    TRY(hy_link_poll(lu->cube));
  }
  return HYLA_OK;
}

/* A rank that holds whole columns takes them one after the other, and applies all later swaps to
 * each while it is in the cache. */
struct columns {
  const struct hy_lu *lu;
  const struct hyla_matrix *l;
};
enum { COLUMNS = 64 }; /* in a thread's piece of work */

static void settle_columns(void *arg, int64_t piece, int thread) {
  const struct columns *c = arg;
  const struct hyla_matrix *l = c->l;
  int64_t end = hy_min(l->local_cols, (piece + 1) * COLUMNS), block = c->lu->array.block;
  const int64_t order = hy_factor_order(c->lu->problem);
  (void)thread;
  for (int64_t col = piece * COLUMNS; col < end; col++) {
    int64_t first = (hyla_matrix_col(l, col) / block + 1) * block;
    swap_column(c->lu, hy_at(l, 0, col), first, order - first, false);
  }
}

hyla_status hy_lu_apply_later_swaps(struct hy_lu *lu, struct hyla_matrix *l) {
  if (lu->array.row.parts == 1 && !lu->rows_final) {
    struct columns columns = {lu, l};
    const int64_t pieces = hy_ceil_div(l->local_cols, COLUMNS);
    if (!lu->k->dry) hy_solve_share(l, settle_columns, &columns, pieces);
    return HYLA_OK;
  }
  for (int64_t index = 1; index < lu->array.count && !lu->rows_final; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&lu->array, index);
    if (at.column > 0) TRY(hy_lu_swap_rows(lu, &at, false, l, 0, at.column));
  }
  return HYLA_OK;
}

hyla_status hy_lu_apply_later_swaps_factors(struct hy_lu *lu) {
  TRY(hy_lu_apply_later_swaps(lu, lu->problem->factors->a));
  lu->rows_final = true;
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
