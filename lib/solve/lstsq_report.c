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
  const double *diagonal = s->numbers;
  int64_t rank = 0;
  TRY(gather_diagonal(s, s->numbers));
  while (rank < s->k && diagonal[rank] > s->report.tolerance * diagonal[0]) rank++;
  s->report.rank = hy_cube_counts(s->cube) ? s->k : rank;
  return HYLA_OK;
}

/* ------------------------------------------------------------------ report -- */

/* What is compared, column by column: b, r, A^H r, x, and r's part in A's range. */
enum { OF_B, OF_R, OF_G, OF_X, OF_P, NORMS };

/* The steps: b, b and x to the copies, r := b - op(A) x, r to the problem's c, g := op(A)^H r. */
enum { TO_B, TO_R, TO_X, RESIDUAL, PROJECTED, NORMAL, STEPS };

struct hy_measure {
  struct hy_lstsq_step step[STEPS];
  hyla_matrix *copy[OF_P];    /* whose entries are held once */
  struct hy_squares *squares; /* count of each, and once more for combining */
  int64_t count;
};

static void find_squares(const struct hy_lstsq *s, int which) {
  const struct hy_measure *m = s->measure;
  const hyla_matrix *x = which == OF_P ? s->c : m->copy[which];
  struct hy_squares *squares = m->squares + which * m->count;
  for (int64_t j = 0; j < m->count; j++) squares[j] = hy_squares_of(x->k, 0, 0, NULL, 1);
  for (int64_t l = 0; l < x->local_cols && s->cube->address >= 0 && x->local_rows > 0; l++)
    squares[hyla_matrix_col(x, l)] = hy_squares_of(x->k, x->local_rows, 1, hy_at(x, 0, l), x->ld);
}

/* With op(A) = A^T, complex: conj(A) r = conj(A conj(r)), and r stays conjugated. */
static bool is_conjugated(const struct hy_lstsq *s) {
  return s->options.op == HYLA_TRANSPOSE && s->a->k->complex_type;
}

hyla_status hy_lstsq_plan_measure(struct hy_lstsq *s) {
  const hyla_operation op = s->options.op, adjoint = op == HYLA_NONE ? HYLA_CONJUGATE : HYLA_NONE;
  const int64_t rows[OF_P] = {s->b->row.n, s->b->row.n, s->x->row.n, s->x->row.n};
  hyla_cube *cube = s->cube;
  if (s->measure != NULL) return HYLA_OK;
  TRY(hy_lstsq_take(s, 1, sizeof *s->measure, &s->measure));
  struct hy_measure *m = s->measure;
  hyla_matrix **copy = m->copy;
  m->count = s->b->col.n;
  TRY(hy_lstsq_take(s, 2 * NORMS * m->count, sizeof *m->squares, &m->squares));
  for (int i = 0; i < OF_P; i++)
    TRY(hyla_matrix_create(cube, s->type, rows[i], m->count, NULL, &copy[i]));
  TRY(hy_lstsq_plan_move(s, &m->step[TO_B], HYLA_NONE, s->b, copy[OF_B], HY_WHOLE));
  TRY(hy_lstsq_plan_move(s, &m->step[TO_R], HYLA_NONE, s->b, copy[OF_R], HY_WHOLE));
  TRY(hy_lstsq_plan_move(s, &m->step[TO_X], HYLA_NONE, s->x, copy[OF_X], HY_WHOLE));
  TRY(hyla_gemm_plan(cube, op, HYLA_NONE, -1, s->a, copy[OF_X], 1, copy[OF_R], NULL,
                     &m->step[RESIDUAL].plan));
  const hyla_matrix into = hy_matrix_part(s->c, 0, 0, s->b->row.n, s->b->col.n);
  TRY(hy_lstsq_plan_move(s, &m->step[PROJECTED], HYLA_NONE, copy[OF_R], &into, HY_WHOLE));
  return hyla_gemm_plan(cube, op == HYLA_TRANSPOSE && !is_conjugated(s) ? HYLA_NONE : adjoint,
                        HYLA_NONE, 1, s->a, copy[OF_R], 0, copy[OF_G], NULL, &m->step[NORMAL].plan);
}

static hyla_status compare(struct hy_lstsq *s) {
  struct hy_measure *m = s->measure;
  for (int i = TO_B; i <= PROJECTED; i++) TRY(hy_lstsq_run(s, &m->step[i]));
  hy_lstsq_clear_rows(s->c, s->b->row.n);
  TRY(hy_lstsq_project(s));
  if (is_conjugated(s)) hy_conjugate_entries(m->copy[OF_R]);
  return hy_lstsq_run(s, &m->step[NORMAL]);
}

/* The largest quotients over the columns; NaN if one is NaN. */
static void judge(struct hy_lstsq *s) {
  const struct hy_measure *m = s->measure;
  hyla_lstsq_report *report = &s->report;
  report->residual = report->backward_error = 0;
  for (int64_t j = 0; j < m->count; j++) {
    double size[NORMS];
    for (int i = 0; i < NORMS; i++) {
      const struct hy_squares *found = &m->squares[i * m->count + j];
      size[i] = ldexp(sqrt(found->sum), (int)found->exponent);
    }
    const double r = size[OF_R], x = size[OF_X];
    const double relative = r == 0 ? 0 : r / size[OF_B];
    const double of_squares = r == 0 ? 0 : size[OF_G] / r,
                 of_system = size[OF_P] == 0 ? 0 : size[OF_P] / x;
    const double least = of_system < of_squares ? of_system : of_squares;
    const double error = least == 0 ? 0 : least / ldexp(s->norm.value, s->norm.exponent);
    hy_lstsq_larger(&report->residual, &relative, 1, NULL);
    hy_lstsq_larger(&report->backward_error, &error, 1, NULL);
  }
}

hyla_status hy_lstsq_measure(struct hy_lstsq *s) {
  TRY(hy_lstsq_plan_measure(s));
  struct hy_measure *m = s->measure;
  const int64_t numbers = NORMS * m->count;
  TRY(compare(s));
  for (int i = 0; i < NORMS; i++) find_squares(s, i);
  TRY(hy_agree(s->cube,
               hy_allreduce(s->cube, hy_all_dims(s->cube), m->squares, numbers, sizeof *m->squares,
                            hy_squares_add, NULL, m->squares + numbers)));
  TRY(hy_agree(s->cube,
               hy_tell_guests(s->cube, m->squares, numbers * (int64_t)sizeof *m->squares)));
  judge(s);
  return HYLA_OK;
}

void hy_lstsq_free_measure(struct hy_lstsq *s) {
  struct hy_measure *m = s->measure;
  if (m == NULL) return;
  for (int i = 0; i < STEPS; i++) hy_lstsq_free_step(&m->step[i]);
  for (int i = 0; i < OF_P; i++) (void)hyla_matrix_destroy(&m->copy[i]);
  hy_free(&s->cube->base, &m->squares);
  hy_free(&s->cube->base, &s->measure);
}
