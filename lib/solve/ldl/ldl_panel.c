/* L D L^H: a panel, pivot by pivot.
 *
 * The matrix behind the panel stays unchanged until the panel is done.  A column is brought up to
 * date, with the panel's columns before it, when a pivot is looked for. */
#include "solve/ldl/ldl.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Copies the entries of a column in the rows with these global indices.  The column begins with row
 * `at'. */
static void pick(const struct hy_ldl *f, char *column, int64_t at, const int64_t *index,
                 int64_t count, char *to) {
  hy_count_copied(f->cube, count);
  if (f->k->dry) return;
  for (int64_t i = 0; i < count; i++)
    memcpy(hy_ldl_entry(f, to, i), hy_ldl_entry(f, column, index[i] - at), f->k->size);
}

/* [w v] := [w v] D^-1, row by row, for D = [a conj(c); c b].  Divides by c first, which avoids
 * needless overflow (LAPACK's xLAHEF). */
static void divide_rows(const struct hy_kernels *k, int64_t count, char *w, char *v, double a,
                        double b, double _Complex c) {
  double _Complex first = b / c, second = a / conj(c);
  double scale = 1 / (creal(first * second) - 1);
  for (int64_t i = 0; i < count; i++) {
    double _Complex x = k->get(w, i), y = k->get(v, i);
    k->set(w, i, scale * ((first * x - y) / conj(c)));
    k->set(v, i, scale * ((second * y - x) / c));
  }
}

/* L := W D^-1 in the rows behind the pivot.  Without data, each column counts as half of a pivot of
 * order 2. */
static void divide(const struct hy_ldl *f, const struct hy_ldl_pivot *pivot, int64_t row,
                   int64_t column) {
  const struct hy_kernels *k = f->k;
  int64_t at = pivot->at, count = f->local_rows - row;
  int64_t each = k->dry ? 3 : pivot->order == 1 ? 1 : 6;
  hy_compute(f->cube, each * count, k->size, k->complex_type);
  if (k->dry) return;
  if (pivot->order == 1) {
    k->divide((int)count, f->diagonal[at], hy_ldl_lower(f, row, column), 1);
    return;
  }
  if (hy_ldl_has_row(f, at + 1)) k->set(hy_ldl_lower(f, row - 1, column), 0, 0);
  divide_rows(k, count, hy_ldl_lower(f, row, column), hy_ldl_lower(f, row, column + 1),
              f->diagonal[at], f->diagonal[at + 1], f->below[at]);
}

static void keep_diagonal(struct hy_ldl *f, const struct hy_ldl_pivot *pivot) {
  const struct hy_kernels *k = f->k;
  int64_t at = pivot->at;
  if (k->dry) return;
  f->diagonal[at] = creal(k->get(f->column[0], 0));
  f->below[at] = 0;
  if (pivot->order == 1) return;
  f->below[at] = k->get(f->column[0], 1);
  f->below[at + 1] = 0;
  f->diagonal[at + 1] = creal(k->get(f->column[1], 1));
}

/* Adds the pivot's columns to the panel. */
static void append(struct hy_ldl *f, struct hy_ldl_panel *panel, const struct hy_ldl_pivot *pivot) {
  int64_t end = pivot->at + pivot->order;
  int64_t row = hy_ldl_rows_before(f, end), col = hy_ldl_cols_before(f, end);
  keep_diagonal(f, pivot);
  for (int i = 0; i < pivot->order; i++) {
    pick(f, f->column[i], pivot->at, f->row_index + row, f->local_rows - row,
         hy_ldl_lower(f, row, panel->width + i));
    pick(f, f->column[i], pivot->at, f->col_index + col, f->local_cols - col,
         hy_ldl_across(f, col, panel->width + i));
  }
  divide(f, pivot, row, panel->width);
  panel->width += pivot->order;
}

/* Stores L in A, below the diagonal. */
static void store(const struct hy_ldl *f, const struct hy_ldl_panel *panel) {
  for (int64_t j = 0; j < panel->width; j++) {
    int64_t column = panel->first + j, row = hy_ldl_rows_before(f, column + 1);
    if (!hy_ldl_has_col(f, column) || row == f->local_rows) continue;
    int64_t count = f->local_rows - row;
    hy_copy_block(f->cube, f->k, HYLA_NONE, count, 1, hy_ldl_lower(f, row, j), count,
                  hy_at(f->a, row, hy_ldl_cols_before(f, column)), f->a->ld);
  }
}

hyla_status hy_ldl_make_panel(struct hy_ldl *f, struct hy_ldl_panel *panel, int64_t *failed,
                              hyla_status *pivot_status) {
  while (panel->width < HY_LDL_PANEL && panel->first + panel->width < f->n) {
    struct hy_ldl_pivot pivot;
    int64_t at = panel->first + panel->width;
    TRY(hy_ldl_choose(f, panel, at, &pivot, pivot_status));
    if (*pivot_status != HYLA_OK) {
      *failed = at + 1;
      return HYLA_OK;
    }
    if (!f->k->dry) f->problem->factors->swaps[at] = at;
    TRY(hy_ldl_swap(f, panel, &pivot));
    append(f, panel, &pivot);
  }
  store(f, panel);
  return HYLA_OK;
}
