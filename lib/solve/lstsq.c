/* hyla_lstsq: least squares, by QR first and pivoted columns only where these decide.
 *
 * With T the taller of op(A) and op(A)^H, m x k, and T = Q R without pivots:
 *
 *   op(A) = T:    c := Q^H b, y solves R y = c in its first k rows, x = y
 *   op(A) = T^H:  y solves R^H y = b, x = Q [y; 0], of least norm
 *
 * That is all where the estimated condition of R excludes a lower rank.  Otherwise R is factored
 * again, which is as good as A for that (lstsq_pivots.c).  Refinement is in lstsq_refine.c.
 *
 * A run goes through steps that are planned once.  hyla_lstsq plans the parts that its run comes
 * to; a plan has them all, so that its run allocates nothing.
 *
 * Reference: Golub 1965; Hanson and Lawson 1969; Higham 2002, chapter 20.  theory.md, lstsq.
 * Memory beside the operands: T, right-hand sides of its rows; with pivots six matrices of order
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

/* ------------------------------------------------------------------- steps -- */

hyla_status hy_lstsq_plan_move(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                               hyla_operation op, const hyla_matrix *from, const hyla_matrix *to,
                               enum hy_part part) {
  step->from = *from;
  step->to = *to;
  const hyla_transfer move = {op, 1, &step->from, &step->to};
  step->copies = op == HYLA_NONE && part == HY_WHOLE && from->layout.rest == to->layout.rest &&
                 hy_move_copies(from, to);
  if (step->copies) return HYLA_OK;
  return hy_redistribute_make(s->cube, 1, &move, part == HY_WHOLE ? NULL : &part, NULL,
                              &step->plan);
}

hyla_status hy_lstsq_plan_bring(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                                const hyla_matrix *from, const hyla_matrix *to) {
  const bool turned = s->options.op != HYLA_NONE;
  return hy_lstsq_plan_move(s, step, turned == s->wide ? HYLA_NONE : HYLA_CONJUGATE, from, to,
                            HY_WHOLE);
}

hyla_status hy_lstsq_plan_by(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                             const hyla_matrix *r, hyla_operation op, int64_t order,
                             const hyla_matrix *x) {
  step->from = hy_matrix_part(r, 0, 0, order, order);
  step->to = hy_matrix_part(x, 0, 0, order, x->col.n);
  return hyla_trsm_plan(s->cube, HYLA_LEFT, HYLA_UPPER, op, HYLA_ANY_DIAGONAL, 1, &step->from,
                        &step->to, NULL, &step->plan);
}

hyla_status hy_lstsq_plan_times(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                                const struct hyla_factor *factor, hyla_operation op,
                                const hyla_matrix *x) {
  (void)s;
  step->to = *x;
  return hy_q_of_factor(factor, HYLA_LEFT, op, &step->to, &step->product);
}

hyla_status hy_lstsq_run(const struct hy_lstsq *s, struct hy_lstsq_step *step) {
  if (step->copies) return hy_move_once(&step->from, &step->to);
  if (step->plan == NULL) return hy_q_run(&step->product);
  return hy_agree(s->cube, hy_plan_run(step->plan));
}

hyla_status hy_lstsq_run_bring(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                               hyla_matrix *to) {
  TRY(hy_lstsq_run(s, step));
  if (s->options.op == HYLA_TRANSPOSE) hy_conjugate_entries(to);
  return HYLA_OK;
}

void hy_lstsq_free_step(struct hy_lstsq_step *step) {
  (void)hyla_plan_destroy(&step->plan);
  hy_q_free(&step->product);
}

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

hyla_status hy_lstsq_take(const struct hy_lstsq *s, int64_t count, size_t size, void *out) {
  return hy_agree(s->cube, hy_alloc(&s->cube->base, count, size, out));
}

void hy_lstsq_clear_rows(hyla_matrix *m, int64_t first) {
  const int64_t begin = m->local_rows == 0 ? 0 : hy_axis_before(&m->row, m->row_part, first);
  for (int64_t j = 0; j < m->local_cols && !m->k->dry; j++)
    if (m->local_rows > begin)
      memset(hy_at(m, begin, j), 0, (size_t)(m->local_rows - begin) * m->k->size);
}

hyla_status hy_lstsq_factor_in(const struct hy_lstsq *s, hyla_matrix *matrix,
                               struct hyla_factor **factor) {
  struct hy_factorization wanted;
  const struct hy_call call = {.name = s->cube->session.call, .variant = s->options.variant};
  TRY(hy_factor_want(s->cube, call.name, HYLA_QR, s->type, matrix->row.n, matrix->col.n, 0,
                     &matrix->layout, &wanted));
  wanted.given = matrix;
  wanted.from_a = matrix;
  wanted.through = true;
  return hy_factor_make(s->cube, &call, &wanted, factor);
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
static hyla_status probe(struct hy_lstsq *s, struct hy_norm *inverse) {
  const double variance = s->r.k->complex_type ? 1. / 6 : 1. / 12;
  if (!hy_cube_counts(s->cube)) TRY(hyla_matrix_generate(s->cube, s->probes, HYLA_RANDOM, 1));
  TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_PROBE]));
  TRY(hy_norm_find(s->cube, s->probes, HYLA_NORM_FRO, inverse));
  inverse->value /= sqrt(PROBES * variance);
  return HYLA_OK;
}

/* 1 / (|T|_F |R^-1|_F). */
static hyla_status find_condition(struct hy_lstsq *s) {
  double ends[2];
  struct hy_norm inverse;
  s->report.rcond = 1;
  if (s->k == 0) return HYLA_OK;
  TRY(find_ends(s, ends));
  s->report.rcond = 0;
  if (!hy_cube_counts(s->cube) && !(ends[1] > ends[0] * DBL_MIN)) return HYLA_OK;
  s->report.rcond = 1;
  TRY(probe(s, &inverse));
  if (!hy_cube_counts(s->cube))
    s->report.rcond = hy_norm_condition(s->norm, hy_norm_fraction(inverse));
  return HYLA_OK;
}

/* Can R's rank be lower than its order, by the tolerance? */
static bool may_be_deficient(const struct hy_lstsq *s) {
  return !(s->report.rcond > UNDERESTIMATED * s->report.tolerance);
}

/* ----------------------------------------------------------- factorization -- */

static hyla_status plan_factor(struct hy_lstsq *s) {
  const hyla_layout layout = hy_factor_layout(s->cube, s->rows, s->k);
  if (s->factor != NULL) return HYLA_OK;
  TRY(hy_matrix_make(s->cube, s->type, s->rows, s->k, &layout, &s->tall));
  TRY(hy_lstsq_plan_bring(s, &s->step[HY_LSTSQ_BRING], s->a, s->tall));
  TRY(hy_lstsq_factor_in(s, s->tall, &s->factor));
  if (s->plan != NULL) TRY(hy_agree(s->cube, hy_played_choose(s->plan, "lstsq", s->factor->plan)));
  s->r = hy_matrix_part(s->factor->factors.a, 0, 0, s->k, s->k);
  if (s->k == 0) return HYLA_OK;
  TRY(hy_lstsq_sides(s, s->k, PROBES, &s->probes));
  return hy_lstsq_plan_by(s, &s->step[HY_LSTSQ_PROBE], &s->r, HYLA_NONE, s->k, s->probes);
}

/* A run begins. */
static void begin(struct hy_lstsq *s) {
  const double tolerance = s->report.tolerance;
  s->pivoted = false;
  s->report = (hyla_lstsq_report){
      .tolerance = tolerance, .rank = s->k, .rcond = NAN, .residual = NAN, .backward_error = NAN};
}

hyla_status hy_lstsq_factor(struct hy_lstsq *s) {
  begin(s);
  TRY(hy_norm_find(s->cube, s->a, HYLA_NORM_FRO, &s->norm));
  TRY(plan_factor(s));
  s->report.variant = hy_choice_variant(&s->factor->plan->choice)->name;
  TRY(hy_lstsq_run_bring(s, &s->step[HY_LSTSQ_BRING], s->tall));
  TRY(hy_factor_compute(s->factor, s->tall, NULL));
  TRY(find_condition(s));
  const bool always = s->options.method == HYLA_LSTSQ_PIVOTED;
  if (s->k == 0 || s->options.method == HYLA_LSTSQ_QR || !(always || may_be_deficient(s)))
    return HYLA_OK;
  return hy_lstsq_pivot(s);
}

/* ---------------------------------------------------------------- solution -- */

static hyla_status plan_solution(struct hy_lstsq *s) {
  const hyla_operation op = s->wide ? HYLA_CONJUGATE : HYLA_NONE,
                       of_q = s->wide ? HYLA_NONE : HYLA_CONJUGATE;
  if (s->c != NULL) return HYLA_OK;
  TRY(hy_lstsq_sides(s, s->rows, s->b->col.n, &s->c));
  const hyla_matrix into = hy_matrix_part(s->c, 0, 0, s->b->row.n, s->b->col.n),
                    from = hy_matrix_part(s->c, 0, 0, s->x->row.n, s->x->col.n);
  TRY(hy_lstsq_plan_move(s, &s->step[HY_LSTSQ_SIDES], HYLA_NONE, s->b, &into, HY_WHOLE));
  TRY(hy_lstsq_plan_move(s, &s->step[HY_LSTSQ_ANSWER], HYLA_NONE, &from, s->x, HY_WHOLE));
  if (s->k == 0) return HYLA_OK;
  TRY(hy_lstsq_plan_times(s, &s->step[HY_LSTSQ_TIMES_Q], s->factor, of_q, s->c));
  return hy_lstsq_plan_by(s, &s->step[HY_LSTSQ_BY_R], &s->r, op, s->k, s->c);
}

/* c := op(A)^+ b, of as many rows as T. */
static hyla_status solve(struct hy_lstsq *s) {
  hyla_matrix *c = s->c, y = hy_matrix_part(c, 0, 0, s->k, c->col.n);
  if (!s->wide) TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_TIMES_Q]));
  if (s->report.rank == 0)
    hy_lstsq_clear_rows(&y, 0);
  else if (!s->pivoted)
    TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_BY_R]));
  else
    TRY(hy_lstsq_solve_pivoted(s, &y));
  if (!s->wide) return HYLA_OK;
  hy_lstsq_clear_rows(c, s->k);
  return hy_lstsq_run(s, &s->step[HY_LSTSQ_TIMES_Q]);
}

hyla_status hy_lstsq_solve(struct hy_lstsq *s) {
  TRY(plan_solution(s));
  TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_SIDES]));
  if (s->k > 0)
    TRY(solve(s));
  else
    hy_lstsq_clear_rows(s->c, 0);
  return hy_lstsq_run(s, &s->step[HY_LSTSQ_ANSWER]);
}

/* The steps are those of a solution, which c was the last for. */
hyla_status hy_lstsq_project(struct hy_lstsq *s) {
  if (s->k == 0) return HYLA_OK;
  if (!s->wide) TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_TIMES_Q]));
  if (s->pivoted && s->report.rank > 0) TRY(hy_lstsq_rotate_pivoted(s));
  hy_lstsq_clear_rows(s->c, s->report.rank);
  return HYLA_OK;
}

/* --------------------------------------------------------------- the whole -- */

hyla_status hy_lstsq_plan_all(struct hy_lstsq *s, bool measured) {
  TRY(plan_factor(s));
  TRY(plan_solution(s));
  if (s->k > 0 && s->options.method != HYLA_LSTSQ_QR) {
    TRY(hy_lstsq_plan_pivots(s));
    TRY(hy_lstsq_plan_solve_pivoted(s));
  }
  if (s->refined) TRY(hy_lstsq_plan_refinement(s));
  return measured ? hy_lstsq_plan_measure(s) : HYLA_OK;
}

void hy_lstsq_free(struct hy_lstsq *s) {
  struct hy_base *base = &s->cube->base;
  hyla_matrix **const all[] = {&s->order[1],     &s->order[0], &s->c, &s->turned, &s->permuted,
                               &s->columns_of_r, &s->inverse,  &s->u, &s->probes, &s->tall};
  hy_lstsq_free_measure(s);
  hy_lstsq_free_refinement(s);
  for (int i = 0; i < HY_LSTSQ_STEPS; i++) hy_lstsq_free_step(&s->step[i]);
  (void)hyla_factor_destroy(&s->second);
  (void)hyla_factor_destroy(&s->again);
  (void)hyla_factor_destroy(&s->factor);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) (void)hyla_matrix_destroy(all[i]);
  hy_free(base, &s->numbers);
  hy_free(base, &s->columns);
  hy_free(base, &s->tau);
}
