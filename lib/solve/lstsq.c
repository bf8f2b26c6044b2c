/* hyla_lstsq: least squares, by QR first and pivoted columns only where these decide.
 *
 * With T the taller of op(A) and op(A)^H, m x k, and T = Q R without pivots:
 *
 *   op(A) = T:    c := Q^H b, y solves R y = c in its first k rows, x = y
 *   op(A) = T^H:  y solves R^H y = b, x = Q [y; 0], of least norm
 *
 * That is all where the estimated condition of R excludes a lower rank.  Otherwise R is factored
 * again, which is as good as A for that: R P = Q2 U, and the rank r is the number of leading
 * diagonal entries of U above the tolerance times the first.  If r < k, U's first r rows are
 * factored from the other side, U_r^H = Q3 S (the complete orthogonal factorization
 * R = Q2 [S^H 0; 0 0] Q3^H P^H), and
 *
 *   R y = c:    y = P Q3 [S^-H (Q2^H c)_r; 0]
 *   R^H y = b:  y = Q2 [S^-1 (Q3^H P^T b)_r; 0]
 *
 * Refinement is in lstsq_refine.c.
 *
 * Reference: Golub 1965; Hanson and Lawson 1969; Higham 2002, chapter 20.  theory.md, lstsq.
 * Memory beside the operands: T, right-hand sides of its rows; with pivots three matrices of order
 * k; with a report the right-hand sides three times. */
#include "solve/lstsq.h"

#include <complex.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Random columns that R's condition is estimated with.  The square of the estimate of |R^-1|_F has
 * at least as many degrees of freedom as there are columns: it is below a hundredth of its mean
 * once in a million times. */
enum { PROBES = 8 };
static const double UNDERESTIMATED = 10;

/* ------------------------------------------------------------------ pieces -- */

/* Right-hand sides that a factor's Q multiplies where they are. */
hyla_status hy_lstsq_sides(const struct hy_lstsq *s, int64_t rows, int64_t count,
                           hyla_matrix **made) {
  const hyla_layout *like = &s->tall->layout;
  hyla_layout layout = *like;
  const struct hy_axis col = hy_axis_make(&like->col, s->k);
  const int64_t share = hy_ceil_div(count, col.parts);
  layout.col.storage = HYLA_CYCLIC;
  layout.col.block = hy_max(1, hy_min(share, like->col.block));
  return hy_matrix_make(s->cube, s->type, rows, count, &layout, made);
}

hyla_status hy_lstsq_move(hyla_cube *cube, hyla_operation op, const hyla_matrix *from,
                          hyla_matrix *to) {
  const hyla_transfer move = {op, 1, from, to};
  const int64_t held = hy_count_held(cube);
  const hyla_status status = hy_redistribute_once(cube, &move, NULL);
  hy_count_drop(cube, held);
  return status;
}

hyla_status hy_lstsq_times_q(const struct hy_lstsq *s, const struct hyla_factor *factor,
                             hyla_operation op, hyla_matrix *x) {
  const int64_t held = hy_count_held(s->cube);
  const hyla_status status = hyla_factor_apply_q(s->cube, factor, HYLA_LEFT, op, x);
  hy_count_drop(s->cube, held);
  return status;
}

hyla_status hy_lstsq_take(const struct hy_lstsq *s, int64_t count, size_t size, void *out) {
  struct hy_base *base = &s->cube->base;
  TRY(hy_agree(s->cube, hy_alloc(base, count, size, out)));
  if (hy_cube_counts(s->cube)) base->nowhere_used += count * (int64_t)size;
  return HYLA_OK;
}

/* Local.  Rows first ... of m become zeros. */
static void clear_rows(hyla_matrix *m, int64_t first) {
  const int64_t begin = m->local_rows == 0 ? 0 : hy_axis_before(&m->row, m->row_part, first);
  for (int64_t j = 0; j < m->local_cols && !m->k->dry; j++)
    if (m->local_rows > begin)
      memset(hy_at(m, begin, j), 0, (size_t)(m->local_rows - begin) * m->k->size);
}

/* T = Q R in place of `matrix', which the factorization uses while it lives. */
static hyla_status factor_in(const struct hy_lstsq *s, hyla_matrix *matrix,
                             struct hyla_factor **factor) {
  struct hy_factorization wanted;
  const struct hy_call call = {.name = s->cube->session.call, .variant = s->options.variant};
  TRY(hy_factor_want(s->cube, call.name, HYLA_QR, s->type, matrix->row.n, matrix->col.n, 0,
                     &matrix->layout, &wanted));
  wanted.given = matrix;
  wanted.from_a = matrix;
  wanted.through = true;
  TRY(hy_factor_make(s->cube, &call, &wanted, factor));
  return hy_factor_compute(*factor, matrix, NULL);
}

/* x := op(R)^-1 x for a leading triangle of `order' rows. */
hyla_status hy_lstsq_substitute(const struct hy_lstsq *s, const hyla_matrix *r, hyla_operation op,
                                int64_t order, const hyla_matrix *x) {
  const hyla_matrix triangle = hy_matrix_part(r, 0, 0, order, order);
  hyla_matrix leading = hy_matrix_part(x, 0, 0, order, x->col.n);
  const int64_t held = hy_count_held(s->cube);
  const hyla_status status =
      hyla_trsm(s->cube, HYLA_LEFT, HYLA_UPPER, op, HYLA_ANY_DIAGONAL, 1, &triangle, &leading);
  hy_count_drop(s->cube, held);
  return status;
}

/* --------------------------------------------------------------- condition -- */

/* The largest and the least entry of R's diagonal, on all ranks. */
static hyla_status find_ends(const struct hy_lstsq *s, double ends[2]) {
  double here[2] = {0, INFINITY}, work[2];
  const hyla_matrix *r = &s->r;
  for (int64_t l = 0; l < r->local_cols && s->cube->address >= 0 && !r->k->dry; l++) {
    const int64_t j = hyla_matrix_col(r, l);
    if (r->local_rows == 0 || hy_axis_owner(&r->row, j) != r->row_part) continue;
    const double size = cabs(r->k->get(hy_at(r, hy_axis_before(&r->row, r->row_part, j), l), 0));
    here[0] = fmax(here[0], size);
    here[1] = fmin(here[1], size);
  }
  here[1] = -here[1];
  TRY(hy_agree(s->cube, hy_allreduce(s->cube, hy_all_dims(s->cube), here, 2, sizeof *here,
                                     hy_lstsq_larger, NULL, work)));
  TRY(hy_agree(s->cube, hy_tell_guests(s->cube, here, sizeof here)));
  ends[0] = here[0];
  ends[1] = -here[1];
  return HYLA_OK;
}

/* |R^-1|_F by random columns g: |R^-1 g|^2 is |R^-1|_F^2 times the variance of an entry, on the
 * average. */
static hyla_status probe(const struct hy_lstsq *s, hyla_matrix *g, struct hy_norm *inverse) {
  const double variance = s->r.k->complex_type ? 1. / 6 : 1. / 12;
  if (!hy_cube_counts(s->cube)) TRY(hyla_matrix_generate(s->cube, g, HYLA_RANDOM, 1));
  TRY(hy_lstsq_substitute(s, &s->r, HYLA_NONE, s->k, g));
  TRY(hy_norm_find(s->cube, g, HYLA_NORM_FRO, inverse));
  inverse->value /= sqrt(PROBES * variance);
  return HYLA_OK;
}

/* 1 / (|T|_F |R^-1|_F). */
static hyla_status find_condition(struct hy_lstsq *s) {
  double ends[2];
  struct hy_norm inverse;
  hyla_matrix *g = NULL;
  s->report.rcond = 1;
  if (s->k == 0) return HYLA_OK;
  TRY(find_ends(s, ends));
  s->report.rcond = 0;
  if (!hy_cube_counts(s->cube) && !(ends[1] > ends[0] * DBL_MIN)) return HYLA_OK;
  const int64_t held = hy_count_held(s->cube);
  TRY(hy_lstsq_sides(s, s->k, PROBES, &g));
  hyla_status status = probe(s, g, &inverse);
  (void)hyla_matrix_destroy(&g);
  hy_count_drop(s->cube, held);
  s->report.rcond = 1;
  if (status == HYLA_OK && !hy_cube_counts(s->cube))
    s->report.rcond = hy_norm_condition(s->norm, hy_norm_fraction(inverse));
  return status;
}

/* Can R's rank be lower than its order, by the tolerance? */
static bool may_be_deficient(const struct hy_lstsq *s) {
  return !(s->report.rcond > UNDERESTIMATED * s->report.tolerance);
}

/* ------------------------------------------------------------------ pivots -- */

/* R P = Q2 U, in a matrix of its own, and the rank. */
static hyla_status pivot(struct hy_lstsq *s) {
  hyla_plan *plan = NULL;
  TRY(hy_lstsq_take(s, s->k, sizeof *s->tau, &s->tau));
  TRY(hy_lstsq_take(s, s->k, sizeof *s->columns, &s->columns));
  TRY(hy_matrix_make(s->cube, s->type, s->k, s->k, &s->r.layout, &s->u));
  const int64_t held = hy_count_held(s->cube);
  TRY(hyla_factor_upper(s->cube, s->factor, s->u));
  TRY(hyla_qr_pivoted_plan(s->cube, s->u, s->tau, s->columns, s->options.pivoting, &plan));
  s->report.pivoting = hy_choice_variant(&plan->choice)->name;
  hyla_status status = hyla_plan_run(s->cube, plan);
  (void)hyla_plan_destroy(&plan);
  hy_count_drop(s->cube, held);
  TRY(status);
  TRY(hy_lstsq_find_rank(s));
  return hy_lstsq_reveal(s);
}

/* Keeps the factors of a factorization in U's place. */
static hyla_status keep_packed(struct hy_lstsq *s, const struct hyla_factor *factor) {
  double *tau = NULL;
  TRY(hyla_factor_packed(s->cube, factor, HYLA_UPPER, s->u));
  TRY(hy_lstsq_take(s, s->k, sizeof *tau, &tau));
  hyla_status status = hyla_factor_reflections(s->cube, factor, tau);
  for (int64_t i = 0; i < s->k && status == HYLA_OK; i++) s->tau[i] = tau[i];
  hy_free(&s->cube->base, &tau);
  return status;
}

hyla_status hy_lstsq_factor_packed(struct hy_lstsq *s, hyla_matrix *matrix) {
  struct hyla_factor *factor = NULL;
  hyla_status status = factor_in(s, matrix, &factor);
  if (status == HYLA_OK) status = keep_packed(s, factor);
  (void)hyla_factor_destroy(&factor);
  return status;
}

/* U_r^H = Q3 S: the columns behind the first r of the matrix are zeros. */
static hyla_status complete(struct hy_lstsq *s) {
  static const enum hy_part lower = HY_LOWER_PART;
  const int64_t rank = s->report.rank;
  TRY(hy_matrix_make(s->cube, s->type, s->k, s->k, &s->r.layout, &s->turned));
  hyla_matrix to = hy_matrix_part(s->turned, 0, 0, s->k, rank);
  const hyla_matrix from = hy_matrix_part(s->u, 0, 0, rank, s->k);
  const hyla_transfer turn = {HYLA_CONJUGATE, 1, &from, &to};
  TRY(hy_redistribute_once(s->cube, &turn, &lower));
  return factor_in(s, s->turned, &s->second);
}

/* Row i of y goes to row columns[i], or back. */
static hyla_status permute(const struct hy_lstsq *s, bool back, hyla_matrix *y) {
  const int64_t k = s->k;
  const struct hy_axis rows = hy_axis_whole(k), cols = hy_axis_dealt(s->cube, 1, y->col.n);
  const hyla_layout whole = {.row = rows.code, .col = cols.code, .rest = HYLA_FACE};
  const int64_t held = hy_count_held(s->cube);
  hyla_matrix *from = NULL, *to = NULL;
  hyla_status status = hy_matrix_make(s->cube, s->type, k, y->col.n, &whole, &from);
  if (status == HYLA_OK) status = hy_matrix_make(s->cube, s->type, k, y->col.n, &whole, &to);
  if (status == HYLA_OK) status = hy_lstsq_move(s->cube, HYLA_NONE, y, from);
  for (int64_t i = 0; i < k && status == HYLA_OK && from->local_cols > 0 && !from->k->dry; i++) {
    const int64_t here = back ? s->columns[i] : i, there = back ? i : s->columns[i];
    from->k->copy(HYLA_NONE, 1, (int)from->local_cols, 1, hy_at(from, here, 0), (int)from->ld,
                  hy_at(to, there, 0), (int)to->ld);
  }
  if (status == HYLA_OK) status = hy_lstsq_move(s->cube, HYLA_NONE, to, y);
  (void)hyla_matrix_destroy(&to);
  (void)hyla_matrix_destroy(&from);
  hy_count_drop(s->cube, held);
  return status;
}

/* The triangle S in `turned', or U if the rank is full: y := S^-H y, or S^-1 y; of U the other way
 * round. */
static hyla_status substitute_rank(const struct hy_lstsq *s, bool adjoint, hyla_matrix *y) {
  const int64_t rank = s->report.rank;
  const bool full = rank == s->k;
  const hyla_operation op = adjoint != full ? HYLA_CONJUGATE : HYLA_NONE;
  if (rank > 0) TRY(hy_lstsq_substitute(s, full ? s->u : s->turned, op, rank, y));
  clear_rows(y, rank);
  return HYLA_OK;
}

static hyla_status times_q2(const struct hy_lstsq *s, hyla_operation op, hyla_matrix *y) {
  const int64_t held = hy_count_held(s->cube);
  const hyla_status status = hyla_packed_apply_q(s->cube, s->u, s->tau, HYLA_LEFT, op, y);
  hy_count_drop(s->cube, held);
  return status;
}

/* y := the solution of least norm of R y = y, or of R^H y = y. */
static hyla_status solve_deficient(const struct hy_lstsq *s, hyla_matrix *y) {
  const bool full = s->report.rank == s->k;
  if (!s->wide) {
    TRY(times_q2(s, HYLA_CONJUGATE, y));
    TRY(substitute_rank(s, true, y));
    if (!full) TRY(hy_lstsq_times_q(s, s->second, HYLA_NONE, y));
    return permute(s, false, y);
  }
  TRY(permute(s, true, y));
  if (!full) TRY(hy_lstsq_times_q(s, s->second, HYLA_CONJUGATE, y));
  TRY(substitute_rank(s, false, y));
  return times_q2(s, HYLA_NONE, y);
}

/* ------------------------------------------------------------------- steps -- */

hyla_status hy_lstsq_bring(const struct hy_lstsq *s, const hyla_matrix *from, hyla_matrix *to) {
  const bool turned = s->options.op != HYLA_NONE;
  TRY(hy_lstsq_move(s->cube, turned == s->wide ? HYLA_NONE : HYLA_CONJUGATE, from, to));
  if (s->options.op == HYLA_TRANSPOSE) hy_conjugate_entries(to);
  return HYLA_OK;
}

hyla_status hy_lstsq_factor(struct hy_lstsq *s) {
  const hyla_layout layout = hy_factor_layout(s->cube, s->rows, s->k);
  TRY(hy_norm_find(s->cube, s->a, HYLA_NORM_FRO, &s->norm));
  TRY(hy_matrix_make(s->cube, s->type, s->rows, s->k, &layout, &s->tall));
  TRY(hy_lstsq_bring(s, s->a, s->tall));
  TRY(factor_in(s, s->tall, &s->factor));
  if (s->plan != NULL) TRY(hy_agree(s->cube, hy_played_choose(s->plan, "lstsq", s->factor->plan)));
  s->r = hy_matrix_part(s->factor->factors.a, 0, 0, s->k, s->k);
  s->report.variant = hy_choice_variant(&s->factor->plan->choice)->name;
  s->report.rank = s->k;
  TRY(find_condition(s));
  const bool always = s->options.method == HYLA_LSTSQ_PIVOTED;
  if (s->options.method == HYLA_LSTSQ_QR || !(always || may_be_deficient(s))) return HYLA_OK;
  TRY(pivot(s));
  return s->report.rank == s->k || s->report.rank == 0 ? HYLA_OK : complete(s);
}

/* c := op(A)^+ b, of as many rows as T. */
static hyla_status solve(const struct hy_lstsq *s, hyla_matrix *c) {
  hyla_matrix y = hy_matrix_part(c, 0, 0, s->k, c->col.n);
  const hyla_operation op = s->wide ? HYLA_CONJUGATE : HYLA_NONE;
  if (!s->wide) TRY(hy_lstsq_times_q(s, s->factor, HYLA_CONJUGATE, c));
  if (s->report.rank == 0)
    clear_rows(&y, 0);
  else if (s->columns == NULL)
    TRY(hy_lstsq_substitute(s, &s->r, op, s->k, &y));
  else
    TRY(solve_deficient(s, &y));
  if (!s->wide) return HYLA_OK;
  clear_rows(c, s->k);
  return hy_lstsq_times_q(s, s->factor, HYLA_NONE, c);
}

hyla_status hy_lstsq_solve(const struct hy_lstsq *s, const hyla_matrix *b, hyla_matrix *x) {
  const int64_t held = hy_count_held(s->cube);
  hyla_matrix *c = NULL;
  TRY(hy_lstsq_sides(s, s->rows, b->col.n, &c));
  hyla_matrix into = hy_matrix_part(c, 0, 0, b->row.n, b->col.n);
  hyla_status status = hy_lstsq_move(s->cube, HYLA_NONE, b, &into);
  if (status == HYLA_OK && s->k > 0) status = solve(s, c);
  hyla_matrix from = hy_matrix_part(c, 0, 0, x->row.n, x->col.n);
  if (s->k == 0) clear_rows(&from, 0);
  if (status == HYLA_OK) status = hy_lstsq_move(s->cube, HYLA_NONE, &from, x);
  (void)hyla_matrix_destroy(&c);
  hy_count_drop(s->cube, held);
  return status;
}

/* c := its coordinates. */
static hyla_status project(const struct hy_lstsq *s, hyla_matrix *c) {
  hyla_matrix y = hy_matrix_part(c, 0, 0, s->k, c->col.n);
  if (!s->wide) TRY(hy_lstsq_times_q(s, s->factor, HYLA_CONJUGATE, c));
  if (s->columns != NULL && s->report.rank > 0) {
    const bool full = s->report.rank == s->k;
    if (s->wide) TRY(permute(s, true, &y));
    if (s->wide && !full) TRY(hy_lstsq_times_q(s, s->second, HYLA_CONJUGATE, &y));
    if (!s->wide) TRY(times_q2(s, HYLA_CONJUGATE, &y));
  }
  clear_rows(c, s->report.rank);
  return HYLA_OK;
}

hyla_status hy_lstsq_project(const struct hy_lstsq *s, const hyla_matrix *r, hyla_matrix **made) {
  TRY(hy_lstsq_sides(s, s->rows, r->col.n, made));
  hyla_matrix into = hy_matrix_part(*made, 0, 0, r->row.n, r->col.n);
  TRY(hy_lstsq_move(s->cube, HYLA_NONE, r, &into));
  return s->k == 0 ? HYLA_OK : project(s, *made);
}

void hy_lstsq_free(struct hy_lstsq *s) {
  struct hy_base *base = &s->cube->base;
  (void)hyla_factor_destroy(&s->second);
  (void)hyla_factor_destroy(&s->factor);
  (void)hyla_matrix_destroy(&s->turned);
  (void)hyla_matrix_destroy(&s->u);
  (void)hyla_matrix_destroy(&s->tall);
  hy_free(base, &s->columns);
  hy_free(base, &s->tau);
}
