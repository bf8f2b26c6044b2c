/* Gauss-Jordan: the columns of the inverse are swapped back.
 *
 * The elimination leaves (P A)^-1 = A^-1 P^T, so A^-1 is that times P: the swaps of all panels are
 * undone in its columns, the last one first.  These columns are the rows of the transposed matrix.
 * Strip by strip, rows of A are transposed, swapped as LU swaps rows (lu_later_swaps.c), and
 * transposed back.  For each panel and strip at most two blocks of columns travel, to all ranks of
 * the rank row. */
#include "solve/jordan/jordan.h"

hyla_status hy_gauss_jordan_swap_columns(struct hy_gauss_jordan *g) {
  const hyla_matrix *a = g->a;
  int64_t step = hy_gauss_jordan_strip(a->local_rows);
  hy_count_copied(g->cube, 2 * a->local_rows * a->local_cols);
  for (int64_t first = 0; first < a->local_rows; first += step) {
    struct hyla_matrix strip = g->turned_a;
    strip.local = g->strip;
    strip.local_cols = hy_min(step, a->local_rows - first);
    int columns = (int)a->local_cols, rows = (int)strip.local_cols;
    g->k->copy(HYLA_TRANSPOSE, columns, rows, 1, hy_at(a, first, 0), (int)a->ld, strip.local,
               (int)strip.ld);
    TRY(hy_lu_swap_all(&g->turned, true, &strip));
    g->k->copy(HYLA_TRANSPOSE, rows, columns, 1, strip.local, (int)strip.ld, hy_at(a, first, 0),
               (int)a->ld);
  }
  return HYLA_OK;
}
