/* L D L^H: a pivot's swap.
 *
 * The pivot's columns are on all ranks.  Two things are still to be moved: the column that gives
 * way, before the panel's columns are subtracted, and the two rows in the panel's columns.  One sum
 * over the cube brings both to all ranks; each keeps its own entries. */
#include "solve/ldl/ldl.h"

#include <complex.h>
#include <string.h>

/* The rows in the message behind the column: L's row that gives way and the pivot's, then W's
 * two. */
static char *row_of(const struct hy_ldl *f, int64_t last, int64_t width, int i) {
  return hy_ldl_entry(f, f->message, f->n - last + i * width);
}

static void copy_row(const struct hy_ldl *f, int64_t width, const char *from, int64_t ld, char *to,
                     int64_t ld_to) {
  hy_copy_block(f->cube, f->k, HYLA_NONE, 1, width, from, hy_max(1, ld), to, hy_max(1, ld_to));
}

/* All ranks of a rank row have the same rows of L, all of a rank column the same rows of W; the
 * first rank adds them. */
static void add_rows(const struct hy_ldl *f, int64_t width, int64_t last, int64_t row) {
  const int64_t at[] = {last, row};
  if (width == 0) return;
  if (!f->k->dry) memset(row_of(f, last, width, 0), 0, (size_t)(4 * width) * f->k->size);
  for (int i = 0; i < 2; i++) {
    if (hy_ldl_has_row(f, at[i]) && f->array.col_part == 0)
      copy_row(f, width, hy_ldl_lower(f, hy_ldl_rows_before(f, at[i]), 0), f->local_rows,
               row_of(f, last, width, i), 1);
    if (hy_ldl_has_col(f, at[i]) && f->array.row_part == 0)
      copy_row(f, width, hy_ldl_across(f, hy_ldl_cols_before(f, at[i]), 0), f->local_cols,
               row_of(f, last, width, 2 + i), 1);
  }
}

static void take_rows(const struct hy_ldl *f, int64_t width, int64_t last, int64_t row) {
  const int64_t to[] = {row, last};
  for (int i = 0; i < 2 && width > 0; i++) {
    if (hy_ldl_has_row(f, to[i]))
      copy_row(f, width, row_of(f, last, width, i), 1,
               hy_ldl_lower(f, hy_ldl_rows_before(f, to[i]), 0), f->local_rows);
    if (hy_ldl_has_col(f, to[i]))
      copy_row(f, width, row_of(f, last, width, 2 + i), 1,
               hy_ldl_across(f, hy_ldl_cols_before(f, to[i]), 0), f->local_cols);
  }
}

/* The column that gives way, in the message, becomes row and column `row' of the lower triangle:
 * its entries between the two places go from the column to the row.
 *
 * Example: columns 1 and 4 are swapped in a matrix of order 6.  Entries (2, 1) and (3, 1) of the
 * column become entries (4, 2) and (4, 3) of the row, conjugated; (5, 1) becomes (5, 4); (1, 1)
 * becomes (4, 4). */
static void take_column(const struct hy_ldl *f, int64_t last, int64_t row) {
  const struct hy_kernels *k = f->k;
  int64_t i = hy_ldl_rows_before(f, row), j = hy_ldl_cols_before(f, row);
  int64_t behind = hy_ldl_rows_before(f, row + 1), between = hy_ldl_cols_before(f, last + 1);
  bool has_row = hy_ldl_has_row(f, row), has_col = hy_ldl_has_col(f, row);
  if (has_col) hy_count_copied(f->cube, f->local_rows - i);
  if (has_row) hy_count_copied(f->cube, j - between);
  if (k->dry) return;
  if (has_row && has_col) k->set(hy_at(f->a, i, j), 0, k->get(f->message, 0));
  for (int64_t r = behind; r < f->local_rows && has_col; r++)
    memcpy(hy_at(f->a, r, j), hy_ldl_entry(f, f->message, f->row_index[r] - last), k->size);
  for (int64_t c = between; c < j && has_row; c++)
    k->set(hy_at(f->a, i, c), 0, conj(k->get(f->message, f->col_index[c] - last)));
}

hyla_status hy_ldl_swap(struct hy_ldl *f, const struct hy_ldl_panel *panel,
                        const struct hy_ldl_pivot *pivot) {
  const struct hy_kernels *k = f->k;
  int64_t last = pivot->at + pivot->order - 1, row = pivot->row, width = panel->width;
  if (!k->dry) f->problem->factors->swaps[last] = row;
  if (row == last) return HYLA_OK;
  hy_ldl_add_column(f, last, last, 0, f->message);
  add_rows(f, width, last, row);
  TRY(hy_subcube_allreduce(&f->columns, f->message, f->n - last + 4 * width, hy_solve_sum, k));
  take_rows(f, width, last, row);
  take_column(f, last, row);
  for (int i = 0; i < pivot->order; i++)
    k->swap(1, hy_ldl_entry(f, f->column[i], last - pivot->at), 1,
            hy_ldl_entry(f, f->column[i], row - pivot->at), 1);
  return HYLA_OK;
}
