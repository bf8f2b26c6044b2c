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
 * The plans know no k: [U11 U12; 0 I], of R's order, has the inverse [U11^-1 -U11^-1 U12; 0 I].
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
  const hyla_matrix *inverse; /* U11^-1 in its leading columns, -U11^-1 U12 behind */
  double *rows;               /* squares of the rows of U11^-1, of the columns of U22, and of U11;
                               * twice */
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

/* Rows k ... of a triangle become those of the identity. */
static void set_identity(const hyla_matrix *m, int64_t k) {
  for (int64_t l = 0; l < m->local_cols && m->local_rows > 0 && !m->k->dry; l++) {
    const int64_t j = hyla_matrix_col(m, l), begin = hy_axis_before(&m->row, m->row_part, k);
    if (begin < m->local_rows)
      memset(hy_at(m, begin, l), 0, (size_t)(m->local_rows - begin) * m->k->size);
    if (j >= k && hy_axis_owner(&m->row, j) == m->row_part)
      m->k->set(hy_at(m, hy_axis_before(&m->row, m->row_part, j), l), 0, 1);
  }
}

/* inverse := U11^-1 and -U11^-1 U12. */
static hyla_status invert(const struct reveal *r) {
  struct hy_lstsq_step *step = r->s->step;
  TRY(hy_lstsq_run(r->s, &step[HY_LSTSQ_COPY]));
  if (r->cube->address >= 0) set_identity(r->inverse, r->k);
  return hy_lstsq_run(r->s, &step[HY_LSTSQ_INVERT]);
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

/* U and Q2 := those of R P without pivots, in U's place. */
static hyla_status factor_again(const struct reveal *r) {
  struct hy_lstsq *s = r->s;
  const hyla_matrix *from = s->columns_of_r, *to = s->permuted;
  double *tau = s->numbers;
  TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_AGAIN]));
  hy_factor_set_rest(s->columns_of_r, HYLA_UPPER, false);
  for (int64_t j = 0; j < r->n && from->local_rows > 0; j++)
    memcpy(hy_at(to, 0, j), hy_at(from, 0, s->columns[j]),
           (size_t)from->local_rows * from->k->size);
  TRY(hy_factor_compute(s->again, s->permuted, NULL));
  TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_PACKED]));
  hy_factor_negate_upper(s->u);
  TRY(hy_factor_gather_reflections(s->again, tau, tau + s->k));
  for (int64_t i = 0; i < s->k; i++) s->tau[i] = tau[i];
  return HYLA_OK;
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

hyla_status hy_lstsq_plan_reveal(struct hy_lstsq *s) {
  const int64_t n = s->k;
  const struct hy_axis rows = hy_axis_dealt(s->cube, hy_pivoted_block(s->cube, n), n),
                       cols = hy_axis_whole(n);
  const hyla_layout whole = {.row = rows.code, .col = cols.code};
  struct hy_lstsq_step *step = s->step;
  TRY(hy_matrix_make(s->cube, s->type, n, n, &s->u->layout, &s->inverse));
  TRY(hy_lstsq_plan_move(s, &step[HY_LSTSQ_COPY], HYLA_NONE, s->u, s->inverse, HY_UPPER_PART));
  TRY(hyla_trtri_plan(s->cube, HYLA_UPPER, HYLA_ANY_DIAGONAL, s->inverse, NULL,
                      &step[HY_LSTSQ_INVERT].plan));
  TRY(hy_matrix_make(s->cube, s->type, n, n, &whole, &s->columns_of_r));
  TRY(hy_matrix_make(s->cube, s->type, n, n, &whole, &s->permuted));
  TRY(hy_lstsq_plan_move(s, &step[HY_LSTSQ_AGAIN], HYLA_NONE, &s->r, s->columns_of_r,
                         HY_UPPER_PART));
  TRY(hy_lstsq_factor_in(s, s->permuted, &s->again));
  return hy_lstsq_plan_move(s, &step[HY_LSTSQ_PACKED], HYLA_NONE, s->again->factors.a, s->u,
                            HY_WHOLE);
}

hyla_status hy_lstsq_reveal(struct hy_lstsq *s) {
  struct reveal r = {.s = s, .cube = s->cube, .n = s->k, .inverse = s->inverse, .rows = s->numbers};
  for (r.k = s->report.rank; r.k > 0; r.k--) {
    TRY(settle(&r));
    if (hy_cube_counts(r.cube) || condition_of(&r) >= s->report.tolerance) break;
  }
  s->report.rank = r.k;
  return HYLA_OK;
}
