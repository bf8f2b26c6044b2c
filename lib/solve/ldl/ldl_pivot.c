/* L D L^H: the choice of a pivot.
 *
 * In the lower triangle a column of the remaining matrix lies as a row up to its diagonal entry and
 * as a column from there on.  Each rank brings its own entries up to date and sets the others to
 * zero; all are summed over the cube.  So every rank has the whole column, with the same bits, and
 * all choose the same pivot without a further message. */
#include "solve/ldl/ldl.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Bunch and Kaufman's alpha, (1 + sqrt(17)) / 8: two pivots of order 1 then have the same growth
 * bound as one of order 2. */
static const double ALPHA = 0.6403882032022076;

/* ---------------------------------------------------------------- columns -- */

/* Copies the part, in the rows with these global indices, to its places in the sum. */
static void place(const struct hy_ldl *f, const int64_t *index, int64_t count, int64_t first,
                  char *sum) {
  size_t size = f->k->size;
  hy_count_copied(f->cube, 2 * count);
  if (f->k->dry) return;
  for (int64_t i = 0; i < count; i++)
    memcpy(hy_ldl_entry(f, sum, index[i] - first), hy_ldl_entry(f, f->part, i), size);
}

/* part := part - l w^H, for the panel's first `width' columns. */
static void subtract(const struct hy_ldl *f, int64_t count, int64_t width, const char *l,
                     int64_t ld_l, const char *w, int64_t ld_w) {
  if (count == 0 || width == 0) return;
  f->k->gemm(HYLA_NONE, HYLA_CONJUGATE, (int)count, 1, (int)width, -1, l, (int)hy_max(1, ld_l), w,
             (int)hy_max(1, ld_w), 1, f->part, (int)count);
  hy_compute(f->cube, 2 * count * width, f->k->size, f->k->complex_type);
}

void hy_ldl_add_column(const struct hy_ldl *f, int64_t first, int64_t column, int64_t width,
                       char *sum) {
  const struct hy_kernels *k = f->k;
  int64_t row = hy_ldl_rows_before(f, column), col = hy_ldl_cols_before(f, column);
  int ld = (int)f->a->ld;
  if (!k->dry) memset(sum, 0, (size_t)(f->n - first) * k->size);
  if (hy_ldl_has_col(f, column) && row < f->local_rows) {
    int64_t count = f->local_rows - row;
    k->copy(HYLA_NONE, (int)count, 1, 1, hy_at(f->a, row, col), ld, f->part, (int)count);
    subtract(f, count, width, hy_ldl_lower(f, row, 0), f->local_rows, hy_ldl_across(f, col, 0),
             f->local_cols);
    place(f, f->row_index + row, count, first, sum);
  }
  int64_t start = hy_ldl_cols_before(f, first);
  if (hy_ldl_has_row(f, column) && start < col) {
    int64_t count = col - start;
    k->copy(HYLA_CONJUGATE, (int)count, 1, 1, hy_at(f->a, row, start), ld, f->part, (int)count);
    subtract(f, count, width, hy_ldl_across(f, start, 0), f->local_cols, hy_ldl_lower(f, row, 0),
             f->local_rows);
    place(f, f->col_index + start, count, first, sum);
  }
}

static hyla_status gather(const struct hy_ldl *f, const struct hy_ldl_panel *panel, int64_t at,
                          int64_t column, char *sum) {
  hy_ldl_add_column(f, at, column, panel->width, sum);
  TRY(hy_subcube_allreduce(&f->columns, sum, f->n - at, hy_solve_sum, f->k));
  if (!f->k->dry) f->k->set(sum, column - at, creal(f->k->get(sum, column - at)));
  return HYLA_OK;
}

/* ----------------------------------------------------------------- choice -- */

/* The largest |re| + |im| of entries from ... to-1; *where: its index. */
static double largest(const struct hy_ldl *f, char *column, int64_t from, int64_t to,
                      int64_t *where) {
  double value = 0;
  *where = from;
  if (from >= to) return 0;
  struct hy_pivot found = f->k->search((int)(to - from), hy_ldl_entry(f, column, from));
  *where = from + found.index;
  memcpy(&value, &found.key, sizeof value);
  return value;
}

static double diagonal_of(const struct hy_ldl *f, const char *column, int64_t i) {
  return fabs(creal(f->k->get(column, i)));
}

/* The entries of the remaining matrix' column that this rank brings up to date. */
static int64_t entries_of(const struct hy_ldl *f, int64_t at, int64_t column) {
  int64_t count = 0;
  if (hy_ldl_has_col(f, column)) count += f->local_rows - hy_ldl_rows_before(f, column);
  if (hy_ldl_has_row(f, column)) count += hy_ldl_cols_before(f, column) - hy_ldl_cols_before(f, at);
  return count;
}

/* The most entries of any column.  A column whose index is among the rank's columns alone has at
 * most the rank's remaining rows, one among its rows alone at most the columns.  Where one number
 * of parts divides the other, so has a column that is among both.  Otherwise such blocks follow
 * each other at one distance; from one to the next the entries grow by a constant, or fall: the
 * first and the last have the most. */
static int64_t most_entries(const struct hy_ldl *f, int64_t at) {
  const struct hy_axis *row = &f->array.row, *col = &f->array.col;
  const int64_t block = f->array.block, rows = f->local_rows - hy_ldl_rows_before(f, at);
  const int64_t cols = f->local_cols - hy_ldl_cols_before(f, at);
  int64_t most = hy_max(rows, cols), first = at, last = f->n - 1;
  if (row->parts % col->parts == 0 || col->parts % row->parts == 0) return most;
  while (first < f->n && !(hy_ldl_has_row(f, first) && hy_ldl_has_col(f, first)))
    first = (first / block + 1) * block;
  while (last > first && !(hy_ldl_has_row(f, last) && hy_ldl_has_col(f, last)))
    last = last / block * block - 1;
  if (first < f->n) most = hy_max(most, entries_of(f, at, first));
  return last > first ? hy_max(most, entries_of(f, at, last)) : most;
}

/* Without data nothing is known, so this counts the most that a pivot can cost.  The last column
 * has the longest row to copy; the column that costs most differs from rank to rank. */
static hyla_status choose_dry(const struct hy_ldl *f, const struct hy_ldl_panel *panel, int64_t at,
                              struct hy_ldl_pivot *pivot) {
  *pivot = (struct hy_ldl_pivot){at, f->n - 1, 1};
  if (at + 1 == f->n) return HYLA_OK;
  hy_ldl_add_column(f, at, f->n - 1, 0, f->column[1]);
  hy_compute(f->cube, 2 * most_entries(f, at) * panel->width, f->k->size, f->k->complex_type);
  return hy_subcube_allreduce(&f->columns, f->column[1], f->n - at, hy_solve_sum, f->k);
}

/* The diagonal entry is small compared with `below', in row `pivot->row'; that row's column
 * decides. */
static hyla_status choose_by_row(struct hy_ldl *f, const struct hy_ldl_panel *panel, double own,
                                 double below, struct hy_ldl_pivot *pivot,
                                 hyla_status *pivot_status) {
  int64_t at = pivot->at, row = pivot->row - at, where = 0;
  TRY(gather(f, panel, at, pivot->row, f->column[1]));
  double other = diagonal_of(f, f->column[1], row);
  double beside = largest(f, f->column[1], 0, row, &where);
  double behind = largest(f, f->column[1], row + 1, f->n - at, &where);
  if (!isfinite(other) || !isfinite(beside) || !isfinite(behind)) {
    *pivot_status = HYLA_NOT_FINITE;
    return HYLA_OK;
  }
  beside = fmax(beside, behind);
  if (own > 0 && own >= ALPHA * below * (below / beside)) {
    pivot->row = at;
  } else if (other >= ALPHA * beside) {
    char *swapped = f->column[0];
    f->column[0] = f->column[1];
    f->column[1] = swapped;
  } else {
    pivot->order = 2;
  }
  return HYLA_OK;
}

hyla_status hy_ldl_choose(struct hy_ldl *f, const struct hy_ldl_panel *panel, int64_t at,
                          struct hy_ldl_pivot *pivot, hyla_status *pivot_status) {
  int64_t where = 0;
  TRY(gather(f, panel, at, at, f->column[0]));
  if (f->k->dry) return choose_dry(f, panel, at, pivot);
  *pivot = (struct hy_ldl_pivot){at, at, 1};
  double own = diagonal_of(f, f->column[0], 0);
  double below = largest(f, f->column[0], 1, f->n - at, &where);
  if (!isfinite(own) || !isfinite(below)) {
    *pivot_status = HYLA_NOT_FINITE;
  } else if (own == 0 && below == 0) {
    *pivot_status = HYLA_SINGULAR;
  } else if (own < ALPHA * below) {
    pivot->row = at + where;
    TRY(choose_by_row(f, panel, own, below, pivot, pivot_status));
  }
  for (int i = 0; i < pivot->order && *pivot_status == HYLA_OK; i++)
    f->d.largest =
        hy_norm_larger(f->d.largest, hy_norm_largest(f->k, f->n - at, 1, f->column[i], f->n - at));
  return HYLA_OK;
}
