/* Least squares: the rank by U's diagonal, and how good a solution is.
 *
 * With r = b - A x and r1 its part in A's range, x solves the least squares problem of A + E for
 * E = -r r^H A / |r|^2 (Stewart 1977) and for E = r1 x^H / |x|^2, which takes r1 from r and leaves
 * the rest orthogonal to A + E.  The smaller of the two norms, |A^H r| / |r| and |r1| / |x|,
 * relative to |A|_F, is the backward error. */
#include "solve/lstsq.h"

#include <complex.h>
#include <math.h>
#include <string.h>

void hy_lstsq_larger(void *into, const void *from, int64_t count, const void *arg) {
  double *a = into;
  const double *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++)
    if (!isnan(a[i]) && !(b[i] <= a[i])) a[i] = b[i];
}

/* -------------------------------------------------------------------- rank -- */

/* The magnitudes of U's diagonal on all ranks. */
static hyla_status gather_diagonal(const struct hy_lstsq *s, double *diagonal) {
  const hyla_matrix *u = s->u;
  memset(diagonal, 0, (size_t)s->k * sizeof *diagonal);
  for (int64_t l = 0; l < u->local_cols && s->cube->address >= 0 && !u->k->dry; l++) {
    const int64_t j = hyla_matrix_col(u, l);
    if (u->local_rows == 0 || hy_axis_owner(&u->row, j) != u->row_part) continue;
    diagonal[j] = cabs(u->k->get(hy_at(u, hy_axis_before(&u->row, u->row_part, j), l), 0));
  }
  TRY(hy_agree(s->cube, hy_allreduce(s->cube, hy_all_dims(s->cube), diagonal, s->k,
                                     sizeof *diagonal, hy_lstsq_larger, NULL, diagonal + s->k)));
  return hy_agree(s->cube, hy_tell_guests(s->cube, diagonal, s->k * (int64_t)sizeof *diagonal));
}

hyla_status hy_lstsq_find_rank(struct hy_lstsq *s) {
  struct hy_base *base = &s->cube->base;
  double *diagonal = NULL;
  int64_t rank = 0;
  const int64_t held = hy_count_held(s->cube);
  hyla_status status = hy_lstsq_take(s, 2 * s->k, sizeof *diagonal, &diagonal);
  if (status == HYLA_OK) status = gather_diagonal(s, diagonal);
  if (status == HYLA_OK)
    while (rank < s->k && diagonal[rank] > s->report.tolerance * diagonal[0]) rank++;
  hy_free(base, &diagonal);
  hy_count_drop(s->cube, held);
  s->report.rank = hy_cube_counts(s->cube) ? s->k : rank;
  return status;
}

/* ------------------------------------------------------------------ report -- */

/* What is compared, column by column: b, r, A^H r, x, and r's part in A's range. */
enum { OF_B, OF_R, OF_G, OF_X, OF_P, NORMS };

struct measure {
  struct hy_lstsq *s;
  const hyla_matrix *b, *x;
  hyla_matrix *copy[NORMS]; /* whose entries are held once */
  int exponent[NORMS];      /* of their largest entries */
  double *squares;          /* count of each, and once more for combining */
  int64_t count;
};

/* Sums of squares of a matrix' columns, times 2^(-2 exponent). */
static hyla_status add_squares(struct measure *m, int which) {
  const hyla_matrix *x = m->copy[which];
  double *squares = m->squares + which * m->count;
  struct hy_norm largest;
  TRY(hy_norm_find(m->s->cube, x, HYLA_NORM_MAX, &largest));
  m->exponent[which] = largest.exponent;
  if (!(largest.value > 0)) m->exponent[which] = 0;
  if (isnan(largest.value) || isinf(largest.value))
    for (int64_t j = 0; j < m->count; j++) squares[j] = NAN;
  else
    for (int64_t l = 0; l < x->local_cols && m->s->cube->address >= 0 && x->local_rows > 0; l++)
      squares[hyla_matrix_col(x, l)] = x->k->squares((int)x->local_rows, 1, hy_at(x, 0, l),
                                                     (int)x->ld, ldexp(1, m->exponent[which]));
  return HYLA_OK;
}

static hyla_status make_copies(struct measure *m) {
  const struct hy_lstsq *s = m->s;
  hyla_cube *cube = s->cube;
  const int64_t rows[NORMS] = {m->b->row.n, m->b->row.n, m->x->row.n, m->x->row.n};
  for (int i = 0; i < OF_P; i++)
    TRY(hyla_matrix_create(cube, s->type, rows[i], m->count, NULL, &m->copy[i]));
  TRY(hyla_matrix_copy(cube, m->b, m->copy[OF_B]));
  TRY(hyla_matrix_copy(cube, m->b, m->copy[OF_R]));
  TRY(hyla_matrix_copy(cube, m->x, m->copy[OF_X]));
  const hyla_operation op = s->options.op;
  TRY(hyla_gemm(cube, op, HYLA_NONE, -1, s->a, m->copy[OF_X], 1, m->copy[OF_R]));
  TRY(hy_lstsq_project(s, m->copy[OF_R], &m->copy[OF_P]));
  if (op == HYLA_NONE || (op == HYLA_TRANSPOSE && !s->a->k->complex_type))
    return hyla_gemm(cube, op == HYLA_NONE ? HYLA_CONJUGATE : HYLA_NONE, HYLA_NONE, 1, s->a,
                     m->copy[OF_R], 0, m->copy[OF_G]);
  /* conj(A) r = conj(A conj(r)) */
  if (op == HYLA_TRANSPOSE) hy_conjugate_entries(m->copy[OF_R]);
  return hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, s->a, m->copy[OF_R], 0, m->copy[OF_G]);
}

static double norm_of(const struct measure *m, int which, int64_t j) {
  return ldexp(sqrt(m->squares[which * m->count + j]), m->exponent[which]);
}

/* The largest over the columns; NaN if one is NaN. */
static void judge(struct measure *m) {
  hyla_lstsq_report *report = &m->s->report;
  const double size = ldexp(m->s->norm.value, m->s->norm.exponent);
  report->residual = report->backward_error = 0;
  for (int64_t j = 0; j < m->count; j++) {
    const double b = norm_of(m, OF_B, j), r = norm_of(m, OF_R, j), g = norm_of(m, OF_G, j),
                 x = norm_of(m, OF_X, j), part = norm_of(m, OF_P, j);
    const double relative = r == 0 ? 0 : r / b;
    const double of_squares = r == 0 ? 0 : g / r, of_system = part == 0 ? 0 : part / x;
    const double least = of_system < of_squares ? of_system : of_squares;
    const double error = least == 0 ? 0 : least / size;
    hy_lstsq_larger(&report->residual, &relative, 1, NULL);
    hy_lstsq_larger(&report->backward_error, &error, 1, NULL);
  }
}

static hyla_status measure(struct measure *m) {
  hyla_cube *cube = m->s->cube;
  const int64_t numbers = NORMS * m->count;
  TRY(hy_agree(cube, hy_alloc(&cube->base, 2 * numbers, sizeof *m->squares, &m->squares)));
  TRY(make_copies(m));
  for (int i = 0; i < NORMS; i++) TRY(add_squares(m, i));
  TRY(hy_agree(cube, hy_allreduce(cube, hy_all_dims(cube), m->squares, numbers, sizeof *m->squares,
                                  hy_residual_add, NULL, m->squares + numbers)));
  TRY(hy_agree(cube, hy_tell_guests(cube, m->squares, numbers * (int64_t)sizeof *m->squares)));
  judge(m);
  return HYLA_OK;
}

hyla_status hy_lstsq_measure(struct hy_lstsq *s, const hyla_matrix *b, const hyla_matrix *x) {
  struct measure m = {.s = s, .b = b, .x = x, .count = b->col.n};
  const int64_t held = hy_count_held(s->cube);
  hyla_status status = measure(&m);
  for (int i = 0; i < NORMS; i++) (void)hyla_matrix_destroy(&m.copy[i]);
  hy_free(&s->cube->base, &m.squares);
  hy_count_drop(s->cube, held);
  return status;
}
