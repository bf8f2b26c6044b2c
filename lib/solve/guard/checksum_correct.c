/* Finds the wrong entry of a factor and computes it anew.
 *
 * A wrong entry (p, j) of U makes row p of L U wrong, by d in its sum by signs and by w_j d in its
 * sum by weights; also rows after p, but no row before it.  A wrong entry (p, l) of L makes row p
 * alone wrong, by amounts whose quotient is that of U's l-th sums.  The entry is first set to 0, so
 * nothing of the wrong value is left; the expected sum less the sum found is then the entry's
 * contribution.  The new entry is accepted if all rows then fit by both vectors.  Otherwise the old
 * entry is restored: A changed while it was factored, or more than one entry is wrong.  Cholesky's
 * L is both factors; its diagonal, whose entries occur squared, is not corrected. */
#include "solve/guard/guard.h"

#include <complex.h>
#include <math.h>

/* Columns must be SURE times as far apart as rounding; then other damage seldom looks like one
 * entry's. */
static const double SURE = 32;

/* The column by the quotient of the two differences, which is wrong by at most `error'; -1: none,
 * or uncertain. */
static int64_t column_of_upper(const struct hy_checksum *c, double _Complex quotient, double error,
                               int64_t position) {
  double step = hy_row_weight(1, c->n) - 1, column = (creal(quotient) - 1) / step;
  int64_t least = position + c->hermitian;
  if (!(SURE * error < step) || !(column > (double)least - .5 && column < (double)c->n - .5))
    return -1;
  return (int64_t)floor(column + .5);
}

static int64_t column_of_lower(const struct hy_checksum *c, double _Complex quotient, double error,
                               int64_t position) {
  /* a wrong entry elsewhere may have any quotient */
  double nearest = INFINITY, next = fmax(1, cabs(quotient));
  int64_t column = -1;
  for (int64_t l = 0; l < position && l < hy_factor_order(c->problem); l++) {
    double distance = cabs(c->middle_weighted[l] / c->middle[l] - quotient);
    if (distance < nearest) {
      next = fmin(next, nearest);
      nearest = distance;
      column = l;
    } else if (distance < next) {
      next = distance;
    }
  }
  return nearest <= 2 * error && next > SURE * error ? column : -1;
}

/* Entry (row, col) of the factors' matrix if it is stored on this node; otherwise NULL. */
static char *entry_at(const struct hy_checksum *c, int64_t row, int64_t col) {
  const hyla_matrix *a = c->factors;
  if (row < 0 || col < 0 || hy_axis_owner(&a->row, row) != a->row_part ||
      hy_axis_owner(&a->col, col) != a->col_part)
    return NULL;
  return hy_at(a, hy_axis_before(&a->row, a->row_part, row),
               hy_axis_before(&a->col, a->col_part, col));
}

/* The row of the stored matrix that holds, in this column, L's row of that pivot position; -1:
 * none. */
static int64_t stored_row(const struct hy_checksum *c, int64_t position, int64_t col) {
  int64_t row = 0;
  hy_checksum_place(c, col / c->block * c->block);
  while (row < c->m && c->place[row] != position) row++;
  return row < c->m ? row : -1;
}

/* Brings an entry to all nodes. */
static hyla_status fetch(const struct hy_checksum *c, int64_t row, int64_t col,
                         double _Complex *value) {
  struct hy_row_sum entry = {0, 0};
  const char *here = entry_at(c, row, col);
  if (here != NULL) entry.value = c->k->get(here, 0);
  TRY(hy_row_sums_merge(&c->work, hy_all_dims(c->cube), HY_SIZE_NONE, &entry, 1));
  *value = entry.value;
  return HYLA_OK;
}

static void put(const struct hy_checksum *c, char *entry, double _Complex value) {
  if (entry != NULL) c->k->set(entry, 0, value);
}

static hyla_status sum_both(struct hy_checksum *c) {
  TRY(hy_checksum_sum(c, c->signs, true, c->middle, c->found));
  return hy_checksum_sum(c, c->weighted, false, c->middle_weighted, c->found_weighted);
}

static bool all_fit(const struct hy_checksum *c) {
  for (int64_t i = 0; i < c->m; i++)
    if (!hy_checksum_fits(c, i, false) || !hy_checksum_fits(c, i, true)) return false;
  return true;
}

/* Tries an entry of U or of L.  All nodes take the same steps, even if there is no such entry. */
static hyla_status try_entry(struct hy_checksum *c, struct hy_checksum_suspect *s, bool lower,
                             int64_t col) {
  int64_t position = s->position;
  bool idle = s->corrected || col < 0, transposed = c->hermitian && !lower;
  int64_t row = lower && !idle ? stored_row(c, position, col) : position;
  char *entry = idle ? NULL : transposed ? entry_at(c, col, position) : entry_at(c, row, col);
  double _Complex old = entry != NULL ? c->k->get(entry, 0) : 0, diagonal = 1;
  if (c->hermitian) TRY(fetch(c, position, position, &diagonal));
  put(c, entry, 0);
  TRY(hy_checksum_sum(c, c->signs, true, c->middle, c->found));
  double _Complex rest = c->due[s->row].value - c->found[position].value;
  if (!idle) {
    double _Complex value = lower ? rest / c->middle[col] : rest * creal(c->signs[col]) / diagonal;
    put(c, entry, transposed ? conj(value) : value);
  }
  TRY(sum_both(c));
  if (idle) return HYLA_OK;
  s->corrected = all_fit(c);
  if (s->corrected) {
    s->lower = lower;
    s->col = col;
    s->stored = transposed ? col : row;
  } else {
    put(c, entry, old);
  }
  return HYLA_OK;
}

hyla_status hy_checksum_correct(struct hy_checksum *c, struct hy_checksum_suspect *s) {
  int64_t upper = -1, lower = -1;
  if (s->count > 0) {
    double _Complex once = c->found[s->position].value - c->due[s->row].value;
    double _Complex weighted = c->found_weighted[s->position].value - c->due_weighted[s->row].value;
    double error = hy_checksum_noise(c, s->row) / cabs(once);
    upper = column_of_upper(c, weighted / once, error, s->position);
    if (s->count == 1 && !c->hermitian)
      lower =
          column_of_lower(c, weighted / once, error * fmax(1, cabs(weighted / once)), s->position);
  }
  TRY(try_entry(c, s, false, upper));
  return try_entry(c, s, true, lower);
}
