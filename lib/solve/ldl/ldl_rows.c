/* L D L^H: rows that move, and D^-1.
 *
 * Rows that move are summed, in batches, over the ranks that share a matrix' columns, with zeros
 * for the other ranks' rows; each rank then takes the rows that come to it.  If the two rows of a
 * block of D are on two ranks, both ranks solve with the block. */
#include "solve/ldl/ldl.h"

#include <complex.h>
#include <string.h>

static bool has(const struct hyla_matrix *m, int64_t row) {
  return hy_axis_owner(&m->row, row) == m->row_part;
}

static char *row_at(const struct hyla_matrix *m, int64_t row) {
  return hy_at(m, hy_axis_before(&m->row, m->row_part, row), 0);
}

/* Gathers `count' rows of m in `columns' columns: rows[i] becomes row i of f->moved. */
static hyla_status gather(const struct hy_ldl *f, const struct hy_subcube_op *group,
                          const struct hyla_matrix *m, int64_t columns, const int64_t *rows,
                          int64_t count) {
  const struct hy_kernels *k = f->k;
  hy_count_copied(f->cube, count * columns);
  if (!k->dry) {
    memset(f->moved, 0, (size_t)(count * columns) * k->size);
    for (int64_t i = 0; i < count; i++)
      if (has(m, rows[i]))
        k->copy(HYLA_NONE, 1, (int)columns, 1, row_at(m, rows[i]), (int)m->ld,
                hy_ldl_entry(f, f->moved, i), (int)count);
  }
  return group->what.dims == 0
             ? HYLA_OK
             : hy_subcube_allreduce(group, f->moved, count * columns, hy_solve_sum, k);
}

/* ------------------------------------------------------------------ swaps -- */

/* The place in the list of the row that comes to `row'; adds the row if it is not listed. */
static int64_t place_of(int64_t *from, int64_t *to, int64_t *count, int64_t row) {
  for (int64_t i = 0; i < *count; i++)
    if (to[i] == row) return i;
  from[*count] = to[*count] = row;
  return (*count)++;
}

/* Row to[i] becomes row from[i]: the effect of all swaps on the rows that they touch. */
static int64_t list_moves(const struct hy_ldl *f, int64_t first, int64_t end, bool backwards) {
  int64_t *from = f->rows, *to = f->rows + HY_LDL_ROWS, count = 0;
  for (int64_t step = 0; step < end - first; step++) {
    int64_t i = backwards ? end - 1 - step : first + step, row = f->problem->factors->swaps[i];
    if (row == i) continue;
    int64_t a = place_of(from, to, &count, i), b = place_of(from, to, &count, row);
    hy_swap_numbers(&from[a], &from[b]);
  }
  return count;
}

hyla_status hy_ldl_move(const struct hy_ldl *f, const struct hy_subcube_op *group,
                        const struct hyla_matrix *m, int64_t count, int64_t first, int64_t end,
                        bool backwards) {
  const struct hy_kernels *k = f->k;
  int64_t rows =
      k->dry ? hy_min(2 * (end - first), f->n - first) : list_moves(f, first, end, backwards);
  if (rows == 0 || count == 0) return HYLA_OK;
  TRY(gather(f, group, m, count, f->rows, rows));
  hy_count_copied(f->cube, rows * count);
  for (int64_t i = 0; i < rows && !k->dry; i++) {
    int64_t to = f->rows[HY_LDL_ROWS + i];
    if (has(m, to))
      k->copy(HYLA_NONE, 1, (int)count, 1, hy_ldl_entry(f, f->moved, i), (int)rows, row_at(m, to),
              (int)m->ld);
  }
  return HYLA_OK;
}

hyla_status hy_ldl_permute(const struct hy_ldl *f, const struct hy_subcube_op *group,
                           const struct hyla_matrix *x, bool backwards) {
  int64_t count = hy_ceil_div(f->n, HY_LDL_PANEL);
  for (int64_t step = 0; step < count; step++) {
    int64_t first = (backwards ? count - 1 - step : step) * HY_LDL_PANEL;
    TRY(hy_ldl_move(f, group, x, x->local_cols, first, hy_min(f->n, first + HY_LDL_PANEL),
                    backwards));
  }
  return HYLA_OK;
}

/* --------------------------------------------------------------------- D -- */

/* Divides two rows of x by the block of D at row `row', in all columns. */
static void divide_pair(const struct hy_ldl *f, int64_t row, int64_t columns, char *x, int64_t ld_x,
                        char *y, int64_t ld_y) {
  const struct hy_kernels *k = f->k;
  double _Complex c = f->below[row], first = f->diagonal[row + 1] / c,
                  second = f->diagonal[row] / conj(c);
  double scale = 1 / (creal(first * second) - 1);
  for (int64_t j = 0; j < columns; j++) {
    double _Complex u = k->get(x, j * ld_x) / conj(c), v = k->get(y, j * ld_y) / c;
    k->set(x, j * ld_x, scale * (first * u - v));
    k->set(y, j * ld_y, scale * (second * v - u));
  }
}

/* Divides the pairs of rows on two ranks, listed in f->rows. */
static hyla_status divide_split(const struct hy_ldl *f, const struct hyla_matrix *x,
                                int64_t count) {
  int64_t columns = x->local_cols;
  if (count == 0 || columns == 0) return HYLA_OK;
  TRY(gather(f, &f->rows_down, x, columns, f->rows, count));
  for (int64_t i = 0; i < count && !f->k->dry; i += 2) {
    char *pair = hy_ldl_entry(f, f->moved, i);
    divide_pair(f, f->rows[i], columns, pair, count, hy_ldl_entry(f, pair, 1), count);
    for (int64_t j = i; j < i + 2; j++)
      if (has(x, f->rows[j]))
        f->k->copy(HYLA_NONE, 1, (int)columns, 1, hy_ldl_entry(f, f->moved, j), (int)count,
                   row_at(x, f->rows[j]), (int)x->ld);
  }
  return HYLA_OK;
}

/* Divides by the block of D that begins with a row, if its rows are on one rank; *split: they are
 * on two.  Without data, counts a split wherever one is possible. */
static int64_t divide_block(const struct hy_ldl *f, const struct hyla_matrix *x, int64_t row,
                            bool *split) {
  const struct hy_kernels *k = f->k;
  bool pair = k->dry ? row + 1 < f->n : f->below[row] != 0;
  *split = pair && hy_axis_owner(&x->row, row) != hy_axis_owner(&x->row, row + 1);
  int order = *split || (pair && !k->dry) ? 2 : 1;
  if (*split || k->dry || !has(x, row)) return order;
  if (order == 1)
    k->divide((int)x->local_cols, f->diagonal[row], row_at(x, row), (int)x->ld);
  else
    divide_pair(f, row, x->local_cols, row_at(x, row), x->ld, row_at(x, row + 1), x->ld);
  return order;
}

hyla_status hy_ldl_divide(const struct hy_ldl *f, const struct hyla_matrix *x) {
  int64_t count = 0;
  hy_compute(f->cube, 3 * x->local_rows * x->local_cols, f->k->size, f->k->complex_type);
  for (int64_t row = 0; row < f->n;) {
    bool split = false;
    int64_t order = divide_block(f, x, row, &split);
    if (split) {
      f->rows[count++] = row;
      f->rows[count++] = row + 1;
    }
    if (count == HY_LDL_ROWS) {
      TRY(divide_split(f, x, count));
      count = 0;
    }
    row += order;
  }
  return divide_split(f, x, count);
}
