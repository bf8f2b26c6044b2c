/* Least squares: R P = Q2 U whose rank is certain.
 *
 * Pivots by norms may hide small singular values (Kahan 1966).  At rank k, U = [U11 U12; 0 U22],
 *
 *   rho_ij^2 = |U11^-1 U12|_ij^2 + (|U22 e_j| |e_i^T U11^-1|)^2
 *
 * is the square of the factor by which |det U11| grows if columns i and k + j change places.  Where
 * all are at most f,
 *
 *   sigma_i(U11) >= sigma_i(R) / q,  sigma_j(U22) <= sigma_(k+j)(R) q,  q^2 = 1 + f^2 k (n - k)
 *
 * (Gu and Eisenstat 1996, theorem 3.2).  As long as one is above f = 2, the largest one's columns
 * change places, and R P is factored again, without pivots; a determinant that grows by f at each
 * change lets few follow.  Then |U11|_F |U11^-1|_F tells whether U11 is of rank k by the tolerance;
 * if it is not, k falls by one. k begins with the entries of U's diagonal above the tolerance times
 * the first.
 *
 * theory.md, lstsq.  Memory: three matrices of R's order. */
#include "solve/lstsq.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* The factor f, and the most changes at a rank: |det U11| grows by 2^60 before they are used up. */
static const double FACTOR = 2;
enum { CHANGES = 60 };

struct reveal {
  struct hy_lstsq *s;
  hyla_cube *cube;
  int64_t n, k;
  hyla_matrix *inverse; /* U11^-1 in its leading columns, U11^-1 U12 behind */
  double *rows;         /* squares of the rows of U11^-1, and of the columns of U22; twice */
  double size;          /* |U11|_F^2 */
};

/* The largest rho^2. */
struct largest {
  double square;
  int64_t i, j;
};

static void take_larger(void *into, const void *from, int64_t count, const void *arg) {
  struct largest *a = into;
  const struct largest *b = from;
  (void)count; /* count is 1 */
  (void)arg;
  const bool first = b->j < a->j || (b->j == a->j && b->i < a->i);
  if (b->square > a->square || (b->square == a->square && first)) *a = *b;
}

static double square_of(const hyla_matrix *m, int64_t row, int64_t col) {
  const double _Complex entry = m->k->get(hy_at(m, row, col), 0);
  return creal(entry) * creal(entry) + cimag(entry) * cimag(entry);
}

/* inverse := U11^-1 and U11^-1 U12. */
static hyla_status invert(const struct reveal *r) {
  static const enum hy_part upper = HY_UPPER_PART;
  const int64_t k = r->k, n = r->n;
  const hyla_matrix from = hy_matrix_part(r->s->u, 0, 0, k, n);
  hyla_matrix to = hy_matrix_part(r->inverse, 0, 0, k, n);
  hyla_matrix first = hy_matrix_part(r->inverse, 0, 0, k, k);
  hyla_matrix rest = hy_matrix_part(r->inverse, 0, k, k, n - k);
  const hyla_transfer copy = {HYLA_NONE, 1, &from, &to};
  if (!hy_cube_counts(r->cube)) TRY(hyla_matrix_generate(r->cube, r->inverse, HYLA_ZERO, 0));
  TRY(hy_redistribute_once(r->cube, &copy, &upper));
  if (k < n)
    TRY(hyla_trsm(r->cube, HYLA_LEFT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, &first, &rest));
  return hyla_trtri(r->cube, HYLA_UPPER, HYLA_ANY_DIAGONAL, &first);
}

/* Squares of rows, of columns, and of U11, on all ranks. */
static hyla_status add_squares(struct reveal *r) {
  const hyla_matrix *inverse = r->inverse, *u = r->s->u;
  const int64_t n = r->n, k = r->k, count = n + 1;
  memset(r->rows, 0, (size_t)count * sizeof *r->rows);
  const bool mine = r->cube->address >= 0 && !u->k->dry;
  for (int64_t l = 0; l < inverse->local_cols && mine; l++)
    for (int64_t m = 0; m < inverse->local_rows; m++) {
      const int64_t i = hyla_matrix_row(inverse, m), j = hyla_matrix_col(inverse, l);
      if (i <= j && j < k) r->rows[i] += square_of(inverse, m, l);
    }
  for (int64_t l = 0; l < u->local_cols && mine; l++)
    for (int64_t m = 0; m < u->local_rows; m++) {
      const int64_t i = hyla_matrix_row(u, m), j = hyla_matrix_col(u, l);
      if (i <= j && i >= k) r->rows[j] += square_of(u, m, l);
      if (i <= j && j < k) r->rows[n] += square_of(u, m, l);
    }
  TRY(hy_agree(r->cube, hy_allreduce(r->cube, hy_all_dims(r->cube), r->rows, count, sizeof *r->rows,
                                     hy_residual_add, NULL, r->rows + count)));
  return hy_agree(r->cube, hy_tell_guests(r->cube, r->rows, count * (int64_t)sizeof *r->rows));
}

/* The largest rho^2 on all ranks. */
static hyla_status find_largest(const struct reveal *r, struct largest *found) {
  const hyla_matrix *inverse = r->inverse;
  struct largest work;
  *found = (struct largest){.square = -1};
  for (int64_t l = 0; l < inverse->local_cols && r->cube->address >= 0; l++)
    for (int64_t m = 0; m < inverse->local_rows; m++) {
      const int64_t i = hyla_matrix_row(inverse, m), j = hyla_matrix_col(inverse, l);
      if (i >= r->k || j < r->k) continue;
      const struct largest here = {square_of(inverse, m, l) + r->rows[i] * r->rows[j], i, j};
      take_larger(found, &here, 1, NULL);
    }
  TRY(hy_agree(r->cube, hy_allreduce(r->cube, hy_all_dims(r->cube), found, 1, sizeof *found,
                                     take_larger, NULL, &work)));
  return hy_agree(r->cube, hy_tell_guests(r->cube, found, sizeof *found));
}

/* U and Q2 := those of R P without pivots. */
static hyla_status factor_again(const struct reveal *r) {
  struct hy_lstsq *s = r->s;
  const struct hy_axis rows = hy_axis_dealt(s->cube, hy_pivoted_block(s->cube, r->n), r->n),
                       cols = hy_axis_whole(r->n);
  const hyla_layout whole = {.row = rows.code, .col = cols.code};
  hyla_matrix *from = NULL, *to = NULL;
  hyla_status status = hy_matrix_make(s->cube, s->type, r->n, r->n, &whole, &from);
  if (status == HYLA_OK) status = hy_matrix_make(s->cube, s->type, r->n, r->n, &whole, &to);
  if (status == HYLA_OK) status = hyla_factor_upper(s->cube, s->factor, from);
  for (int64_t j = 0; j < r->n && status == HYLA_OK && from->local_rows > 0; j++)
    memcpy(hy_at(to, 0, j), hy_at(from, 0, s->columns[j]),
           (size_t)from->local_rows * from->k->size);
  (void)hyla_matrix_destroy(&from);
  if (status == HYLA_OK) status = hy_lstsq_factor_packed(s, to);
  (void)hyla_matrix_destroy(&to);
  return status;
}

/* Changes columns until all rho are at most the factor. */
static hyla_status settle(struct reveal *r) {
  struct hy_lstsq *s = r->s;
  for (int change = 0; change <= CHANGES; change++) {
    struct largest found = {0};
    TRY(invert(r));
    TRY(add_squares(r));
    if (r->k == r->n) return HYLA_OK;
    TRY(find_largest(r, &found));
    s->report.bound = sqrt(found.square);
    if (!(found.square > FACTOR * FACTOR) || change == CHANGES) return HYLA_OK;
    hy_swap_numbers(&s->columns[found.i], &s->columns[found.j]);
    TRY(factor_again(r));
    s->report.changes++;
  }
  return HYLA_OK;
}

/* 1 / (|U11|_F |U11^-1|_F). */
static double condition_of(const struct reveal *r) {
  double squares = 0;
  for (int64_t i = 0; i < r->k; i++) squares += r->rows[i];
  return 1 / (sqrt(squares) * sqrt(r->rows[r->n]));
}

static hyla_status reveal(struct reveal *r) {
  struct hy_lstsq *s = r->s;
  TRY(hy_matrix_make(r->cube, s->type, r->n, r->n, &s->u->layout, &r->inverse));
  TRY(hy_lstsq_take(s, 2 * (r->n + 1), sizeof *r->rows, &r->rows));
  for (r->k = s->report.rank; r->k > 0; r->k--) {
    TRY(settle(r));
    if (hy_cube_counts(r->cube) || condition_of(r) >= s->report.tolerance) break;
  }
  s->report.rank = r->k;
  return HYLA_OK;
}

hyla_status hy_lstsq_reveal(struct hy_lstsq *s) {
  struct reveal r = {.s = s, .cube = s->cube, .n = s->k};
  const int64_t held = hy_count_held(s->cube);
  hyla_status status = reveal(&r);
  hy_free(&s->cube->base, &r.rows);
  (void)hyla_matrix_destroy(&r.inverse);
  hy_count_drop(s->cube, held);
  return status;
}
