/* hyla_solve_expert in two precisions: A is factored in s if it is of type d, in c if z; x and
 * residuals are in A's own precision or, with extended residuals, in twice of it.
 *
 * Method: refinement from x = 0 (Higham 2002, section 12.2; after Langou et al. 2006).  Its first
 *   step is the solution by the factors; each further step divides the error by about 1 / (cond(A)
 *   u), u of the half precision.  So two or three steps usually give the result of full precision.
 *   The residual's copy of A is rounded and factored; it is scaled to a largest entry in [1/2, 1),
 *   so nothing overflows.
 * Doubts: if A cannot be factored, is singular to half the precision, or the steps do not reach the
 *   result of full precision, the caller is told so and uses full precision.
 * Memory: the residual's copies, two of x; factors and right-hand sides in half the precision;
 *   during the factorization another copy of A in it. */
#include "solve/refine.h"

#include <math.h>

enum { ROUNDS = 30 };

/* The errors that full precision reaches: GOOD u, and sqrt(n) u for the rounding of residuals. */
static const double GOOD = 10;

bool hy_type_half(hyla_type type, hyla_type *half) {
  *half = type == HYLA_DOUBLE_COMPLEX ? HYLA_COMPLEX : HYLA_FLOAT;
  return type == HYLA_DOUBLE || type == HYLA_DOUBLE_COMPLEX;
}

struct mixed {
  struct hy_refining c;
  const struct hy_factorization *wanted; /* in full precision */
  const char *variant;
  hyla_refinement refinement;
  const char *why; /* the reason why full precision is needed; NULL: it is not */
};

/* Is this a numerical failure, which full precision may avoid? */
static bool numerical(hyla_status status) {
  return status == HYLA_SINGULAR || status == HYLA_INDEFINITE || status == HYLA_NOT_FINITE;
}

/* Factors a scaled and rounded copy of A, and deletes the copy. */
static hyla_status factor(struct mixed *m, hyla_type half) {
  struct hy_refining *c = &m->c;
  const hyla_matrix *a = c->residual.a;
  const struct hy_factorization *full = m->wanted;
  struct hy_factorization wanted;
  hyla_matrix *rounded = NULL;
  TRY(hy_agree(c->cube, hy_factor_want_by(c->cube, c->cube->session.call, full->method, half,
                                          full->m, full->n, full->nrhs, &full->layout, &wanted)));
  TRY(hy_matrix_make(c->cube, half, full->n, full->n, &a->layout, &rounded));
  hy_convert(HY_BOTH_PARTS, (int)a->local_rows, (int)a->local_cols, a->k, a->local, (int)a->ld,
             rounded->k, rounded->local, (int)rounded->ld);
  wanted.from_a = rounded;
  const struct hy_call call = {.name = c->cube->session.call, .variant = m->variant};
  hyla_status status = hy_factor_make(c->cube, &call, &wanted, &c->factor);
  if (status == HYLA_OK) status = hy_factor_compute(c->factor, rounded, NULL);
  (void)hyla_matrix_destroy(&rounded);
  return status;
}

/* Sets rcond and growth from the factors. */
static hyla_status ask(struct mixed *m, hyla_solve_report *report) {
  struct hy_refining *c = &m->c;
  struct hy_norm norm = c->errors.norm, largest = c->errors.largest;
  *report = hy_solve_report_of(c->factor);
  norm.exponent -= largest.exponent;
  largest.exponent = 0;
  TRY(hy_factor_condition(c->factor, norm, &report->rcond));
  TRY(hy_factor_growth(c->factor, largest, &report->growth));
  if (!(report->rcond >= c->factor->problem.k->epsilon))
    m->why = "A is singular to half the precision";
  return HYLA_OK;
}

/* Factors and refines, as long as `why' is not set. */
static hyla_status attempt(struct mixed *m, hyla_solve_report *report) {
  struct hy_refining *c = &m->c;
  const struct hy_kernels *k = m->wanted->k;
  hyla_type half;
  int steps = 0;
  (void)hy_type_half(k->type, &half);
  bool extended = hy_refinement_is_extended(m->refinement);
  TRY(hy_refining_make(c, k, c->b->col.n, extended));
  TRY(hy_residual_find(&c->residual, c->a, c->now, c->b, &c->errors));
  if (isnan(c->errors.componentwise)) m->why = "an entry is not finite";
  if (m->why != NULL) return HYLA_OK;
  hyla_status status = factor(m, half);
  if (numerical(status)) m->why = "A has no factors in half the precision";
  if (status != HYLA_OK) return numerical(status) ? HYLA_OK : status;
  TRY(ask(m, report));
  if (m->why != NULL) return HYLA_OK;
  TRY(hy_matrix_make(c->cube, half, m->wanted->n, c->b->col.n, &c->residual.b->layout, &c->half));
  TRY(extended ? hy_refining_extend(c, &steps) : hy_refining_refine(c, ROUNDS, &steps));
  report->refinements = steps > 0 ? steps - 1 : 0;
  if (!(c->errors.guarded <= (GOOD + sqrt((double)m->wanted->n)) * k->epsilon) ||
      (extended && isinf(c->forward)))
    m->why = "refinement by factors in half the precision does not converge";
  return HYLA_OK;
}

static hyla_status solve(struct mixed *m, const struct hy_expert *e) {
  TRY(attempt(m, e->report));
  if (m->why != NULL) return HYLA_OK;
  TRY(hy_move_once(m->c.now, e->x));
  return hy_refining_report(&m->c, m->refinement, e->report);
}

hyla_status hy_mixed_solve(const struct hy_expert *e, const char **why) {
  struct mixed m = {.c = {.cube = e->wanted->cube, .a = e->a, .b = e->b},
                    .wanted = e->wanted,
                    .variant = e->options->variant,
                    .refinement = e->options->refinement};
  hyla_status status = solve(&m, e);
  (void)hyla_factor_destroy(&m.c.factor);
  hy_refining_end(&m.c);
  *why = m.why;
  return status;
}
