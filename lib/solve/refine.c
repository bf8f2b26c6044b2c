/* hyla_factor_check: how good a solution is, refined if asked for, and whether it can be trusted.
 *
 * Method: fixed-precision refinement (Higham 2002, section 12.2, after Skeel): r = b - A x in the
 *   type itself, x := x + A^-1 r.  It stops when the componentwise backward error is at most the
 *   unit roundoff, when a step does not halve it, or after ROUNDS steps; the better one of two
 *   solutions is kept.  Mixed precision takes the same steps with factors in half the precision
 *   (mixed.c); extended residuals take other steps (refine_extended.c).
 * Layout: the residual's copies (answer.h), and x with them.
 * Steps: each costs a solution, a product with A and one with |A|, and moves x from b's layout to
 *   that along A's columns. */
#include "solve/refine.h"

#include <math.h>

enum { ROUNDS = 10 };

/* A backward error above BAD times n u, the roundoff of n operations, is bad. */
static const double BAD = 16;
/* If rcond is below this power of u, refinement by an inverse, whose steps leave about n u / rcond
 * of the error, may not converge. */
static const double BY_INVERSE = .75;
/* A growth factor above this, and above the order, comes from the factors rather than from A. */
static const double GROWN = 16;
/* The normwise backward error that refinement reaches, in u. */
static const double REFINED = 4;

/* -------------------------------------------------------------- refining -- */

/* Takes the memory of extended refinement, on spare ranks too. */
static hyla_status allocate(struct hy_refining *c, int64_t nrhs) {
  struct hy_base *base = &c->cube->base;
  TRY(hy_alloc(base, nrhs, sizeof *c->courses, &c->courses));
  return hy_alloc_for(base, c->courses, 4 * nrhs, sizeof *c->sizes, &c->sizes);
}

hyla_status hy_refining_make(struct hy_refining *c, const struct hy_kernels *k, int64_t nrhs,
                             bool extended) {
  int64_t n = c->a->row.n;
  enum hy_residual_kind kind = extended ? HY_RESIDUAL_EXTENDED : HY_RESIDUAL_COMPONENTS;
  TRY(hy_residual_make(c->cube, k, n, nrhs, kind, c->factor == NULL ? NULL : c->a, &c->residual));
  const hyla_layout *layout = &c->residual.b->layout;
  TRY(hy_matrix_make(c->cube, k->type, n, nrhs, layout, &c->now));
  TRY(hy_matrix_make(c->cube, k->type, n, nrhs, layout, &c->next));
  return extended ? hy_agree(c->cube, allocate(c, nrhs)) : HYLA_OK;
}

void hy_refining_end(struct hy_refining *c) {
  hy_free(&c->cube->base, &c->courses);
  (void)hyla_matrix_destroy(&c->half);
  (void)hyla_matrix_destroy(&c->next);
  (void)hyla_matrix_destroy(&c->now);
  hy_residual_free(&c->residual);
}

/* d := A^-1 r by factors in half the precision, which are those of A as the residual has scaled
 * it. */
static hyla_status solve_half(struct hy_refining *c, hyla_matrix *d) {
  hyla_matrix *half = c->half;
  int rows = (int)d->local_rows, cols = (int)d->local_cols;
  hy_convert(HY_BOTH_PARTS, rows, cols, d->k, d->local, (int)d->ld, half->k, half->local,
             (int)half->ld);
  TRY(hy_factor_solve(c->factor, HYLA_NONE, half, half));
  hy_convert(HY_BOTH_PARTS, rows, cols, half->k, half->local, (int)half->ld, d->k, d->local,
             (int)d->ld);
  return HYLA_OK;
}

hyla_status hy_refining_correct(struct hy_refining *c) {
  const struct hy_kernels *k = c->residual.k;
  hyla_matrix *d = c->residual.b, *next = c->next;
  bool half = c->half != NULL;
  TRY(half ? solve_half(c, d) : hy_factor_solve(c->factor, HYLA_NONE, d, d));
  hy_residual_shift(&c->residual, d, half);
  int rows = (int)next->local_rows, cols = (int)next->local_cols;
  k->copy(HYLA_NONE, rows, cols, 1, c->now->local, (int)c->now->ld, next->local, (int)next->ld);
  k->add(rows, cols, d->local, (int)d->ld, next->local, (int)next->ld);
  return HYLA_OK;
}

/* Is the new error less than the old one divided by `parts'?  If x has zeros, the componentwise
 * error may stay 1 while steps reduce the guarded one; the mean of both shows that.  Otherwise both
 * are the same. */
static bool fell(const struct hy_errors *was, const struct hy_errors *now, double parts) {
  double mean_was = sqrt(was->componentwise * was->guarded);
  double mean_now = sqrt(now->componentwise * now->guarded);
  return parts * now->componentwise < was->componentwise || parts * mean_now < mean_was;
}

hyla_status hy_refining_refine(struct hy_refining *c, int most, int *steps) {
  struct hy_errors errors;
  while (*steps < most && c->errors.componentwise > c->residual.k->epsilon) {
    TRY(hy_refining_correct(c));
    TRY(hy_residual_find(&c->residual, c->a, c->next, c->b, &errors));
    ++*steps;
    if (!fell(&c->errors, &errors, 1)) return HYLA_OK;
    bool halved = fell(&c->errors, &errors, 2);
    hyla_matrix *worse = c->now;
    c->now = c->next;
    c->next = worse;
    c->errors = errors;
    if (!halved) return HYLA_OK;
  }
  return HYLA_OK;
}

static hyla_status find_and_refine(struct hy_refining *c, hyla_refinement refinement,
                                   hyla_matrix *x, hyla_solve_report *report) {
  const struct hy_kernels *k = c->factor->problem.k;
  if (refinement == HYLA_REFINE_NONE) {
    TRY(hy_residual_make(c->cube, k, c->factor->problem.n, x->col.n, HY_RESIDUAL_COMPONENTS, c->a,
                         &c->residual));
    c->residual.seen = c->seen;
    return hy_residual_find(&c->residual, c->a, x, c->b, &c->errors);
  }
  bool extended = hy_refinement_is_extended(refinement);
  TRY(hy_refining_make(c, k, x->col.n, extended));
  c->residual.seen = c->seen;
  TRY(hy_residual_find(&c->residual, c->a, x, c->b, &c->errors));
  if (isnan(c->errors.componentwise)) return HYLA_OK;
  TRY(hy_move_once(x, c->now));
  TRY(extended ? hy_refining_extend(c, &report->refinements)
               : hy_refining_refine(c, ROUNDS, &report->refinements));
  return report->refinements == 0 ? HYLA_OK : hy_move_once(c->now, x);
}

/* --------------------------------------------------------------- judging -- */

static hyla_status judge(const struct hy_residual *r, hyla_refinement refinement,
                         const struct hy_errors *errors, const hyla_solve_report *report) {
  struct hy_base *base = &r->cube->base;
  double roundoff = (double)r->n * r->k->epsilon;
  const char *const what = "the solution cannot be trusted";
  CHECK(base, errors->given_finite, UNRELIABLE,
        "%s: its residual is not a number; look for NaN and infinite entries", what);
  CHECK(base, !isnan(report->backward_error), UNRELIABLE,
        "%s: it overflows, though all entries of A and b are finite", what);
  bool grown = report->growth > fmax(GROWN, (double)r->n);
  CHECK(base, report->rcond >= roundoff || !grown, UNRELIABLE,
        "%s: rcond %.2g is below n u = %.2g, after a growth by %.2g, which the factors may owe it "
        "to alone; factor the matrix by qr",
        what, report->rcond, roundoff, report->growth);
  CHECK(base, report->rcond >= roundoff, UNRELIABLE,
        "%s: the matrix is singular to working precision, rcond %.2g is below n u = %.2g", what,
        report->rcond, roundoff);
  double least = pow(r->k->epsilon, BY_INVERSE);
  CHECK(
      base, !hy_method_by_inverse(&hy_methods[report->method]) || report->rcond >= least,
      UNRELIABLE,
      "%s: it is made with an inverse, which serves down to rcond = %.2g, and this is %.2g; factor "
      "the matrix by lu",
      what, least, report->rcond);
  CHECK(base, report->backward_error <= BAD * roundoff, UNRELIABLE,
        "%s: its backward error %.2g is above 16 n u = %.2g; the growth factor is %.2g", what,
        report->backward_error, BAD * roundoff, report->growth);
  /* The guard is for solutions that are good except in rows that meet zeros. */
  bool guarded = report->backward_error <= REFINED * r->k->epsilon;
  double componentwise = guarded ? errors->guarded : errors->componentwise;
  double refined = fmax(BAD, (double)r->n) * r->k->epsilon;
  CHECK(base, refinement == HYLA_REFINE_NONE || componentwise <= refined, UNRELIABLE,
        "%s: refinement does not converge, the componentwise backward error stays at %.2g", what,
        componentwise);
  return HYLA_OK;
}

static void report_errors(const struct hy_errors *errors, hyla_solve_report *report) {
  report->residual = errors->scaled;
  report->backward_error = errors->normwise;
  report->componentwise_error = errors->componentwise;
  report->forward_bound = 0;
  if (!(errors->spread == 0))
    report->forward_bound = ldexp(errors->spread / errors->norm.value / report->rcond,
                                  errors->exponent - errors->norm.exponent);
}

hyla_status hy_solution_measure(const hyla_matrix *a, const hyla_matrix *b, const hyla_matrix *x,
                                hyla_refinement refinement, hy_condition *condition, void *arg,
                                hyla_solve_report *report) {
  hyla_cube *cube = a->cube;
  struct hy_residual r = {0};
  struct hy_errors errors;
  hyla_status status =
      hy_residual_make(cube, a->k, a->row.n, x->col.n, HY_RESIDUAL_COMPONENTS, a, &r);
  if (status == HYLA_OK) status = hy_residual_find(&r, a, x, b, &errors);
  if (status == HYLA_OK && condition != NULL) status = condition(arg, errors.norm, &report->rcond);
  if (status == HYLA_OK) {
    report_errors(&errors, report);
    status = hy_agree(cube, judge(&r, refinement, &errors, report));
    report->reliable = status == HYLA_OK;
  }
  hy_residual_free(&r);
  return status;
}

static hyla_status judge_course(const struct hy_refining *c) {
  CHECK(&c->cube->base, c->courses == NULL || c->forward < INFINITY, UNRELIABLE,
        "the solution cannot be trusted: refinement with extended residuals does not converge, its "
        "steps do not halve the correction");
  return HYLA_OK;
}

hyla_status hy_refining_report(const struct hy_refining *c, hyla_refinement refinement,
                               hyla_solve_report *report) {
  report_errors(&c->errors, report);
  if (c->courses != NULL)
    report->forward_bound = fmax(hy_refining_good(c), fmin(report->forward_bound, c->forward));
  hyla_status trust = judge(&c->residual, refinement, &c->errors, report);
  if (trust == HYLA_OK) trust = judge_course(c);
  report->reliable = trust == HYLA_OK;
  return hy_agree(c->cube, trust);
}

static hyla_status measure(struct hy_refining *c, hyla_refinement refinement, hyla_matrix *x,
                           hyla_solve_report *report) {
  TRY(find_and_refine(c, refinement, x, report));
  TRY(hy_factor_condition(c->factor, c->errors.norm, &report->rcond));
  TRY(hy_factor_growth(c->factor, c->errors.largest, &report->growth));
  return hy_refining_report(c, refinement, report);
}

hyla_status hy_factor_check(struct hyla_factor *factor, struct hy_seen seen, const hyla_matrix *a,
                            const hyla_matrix *b, hyla_refinement refinement, hyla_matrix *x,
                            hyla_solve_report *report) {
  struct hy_refining c = {
      .factor = factor, .cube = factor->problem.cube, .a = a, .b = b, .seen = seen};
  *report = hy_solve_report_of(factor);
  hyla_status status = measure(&c, refinement, x, report);
  hy_refining_end(&c);
  return status;
}

hyla_solve_report hy_solve_report_of(const struct hyla_factor *factor) {
  hyla_solve_report report = {.rcond = NAN,
                              .growth = NAN,
                              .residual = NAN,
                              .backward_error = NAN,
                              .componentwise_error = NAN,
                              .forward_bound = NAN};
  if (factor == NULL) return report;
  report.method = (hyla_method)(factor->problem.method - hy_methods);
  report.variant = hyla_plan_variant(factor->plan);
  report.pivot = factor->factors.pivot;
  return report;
}

/* --------------------------------------------------------------- public -- */

bool hy_refinement_is_mixed(hyla_refinement refinement) {
  return refinement == HYLA_REFINE_MIXED || refinement == HYLA_REFINE_MIXED_EXTENDED;
}

bool hy_refinement_is_extended(hyla_refinement refinement) {
  return refinement == HYLA_REFINE_EXTENDED || refinement == HYLA_REFINE_MIXED_EXTENDED;
}

bool hy_method_by_inverse(const struct hy_method *method) {
  return hy_method_traits(method)->form == HY_INVERSE;
}

/* An inverse of order 1 and a product with it round more than once, a quotient rounds once;
 * residuals that are rounded themselves do not correct this. */
hyla_refinement hy_refinement_of(hyla_refinement refinement, const struct hy_method *method,
                                 int64_t n) {
  if (refinement != HYLA_REFINE_DEFAULT) return refinement;
  if (!hy_method_by_inverse(method)) return HYLA_REFINE_NONE;
  return n == 1 ? HYLA_REFINE_EXTENDED : HYLA_REFINE_FIXED;
}

hyla_refinement hy_refinement_full(hyla_refinement refinement) {
  return refinement == HYLA_REFINE_MIXED            ? HYLA_REFINE_FIXED
         : refinement == HYLA_REFINE_MIXED_EXTENDED ? HYLA_REFINE_EXTENDED
                                                    : refinement;
}

static const char *const refinement_names[] = {"HYLA_REFINE_DEFAULT",
                                               "HYLA_REFINE_NONE",
                                               "HYLA_REFINE_FIXED",
                                               "HYLA_REFINE_MIXED",
                                               "HYLA_REFINE_EXTENDED",
                                               "HYLA_REFINE_MIXED_EXTENDED",
                                               NULL};

struct hy_option hy_refinement_option(hyla_refinement refinement) {
  return (struct hy_option){"refinement", (int)refinement, refinement_names};
}

hyla_status hy_refinement_check(hyla_cube *cube, hyla_refinement refinement, const char *call) {
  CHECK(&cube->base, !cube->session.reproducible || refinement <= HYLA_REFINE_NONE, UNSUPPORTED,
        "%s: refinement sums residuals over the ranks, and the result may not depend on their "
        "number (reproducible); take HYLA_REFINE_NONE",
        call);
  return HYLA_OK;
}

/* The checks of hyla_factor_check that follow those of its matrices. */
static hyla_status check(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *b,
                         hyla_refinement refinement, const char *call) {
  struct hy_base *base = &cube->base;
  TRY(hy_refinement_check(cube, refinement, call));
  CHECK(base, !hy_refinement_is_mixed(refinement), ARGUMENT,
        "%s: these factors are in A's own precision; refine by HYLA_REFINE_FIXED or _EXTENDED, or "
        "solve by hyla_solve_expert, which makes factors in half of it",
        call);
  CHECK(base, hy_max(1, b->col.n) <= factor->problem.nrhs || factor->problem.n == 0, ARGUMENT,
        "%s: b has %lld columns, and the factorization was made for %lld; make it for as many, and "
        "one at least",
        call, (long long)b->col.n, (long long)factor->problem.nrhs);
  return HYLA_OK;
}

hyla_status hyla_factor_check(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *a,
                              const hyla_matrix *b, hyla_refinement refinement, hyla_matrix *x,
                              hyla_solve_report *report) {
  struct hy_call call = {.name = "hyla_factor_check",
                         .option = {hy_refinement_option(refinement)},
                         .place = {{"report", report, 1}},
                         .argument = {{"a", a, .sizes = "NN"},
                                      {"b", b, .sizes = "Nr"},
                                      {"x", x, .sizes = "Nr", .result = x}}};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED | HY_SQUARE, &call);
  if (mine == HYLA_OK) mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK) mine = check(cube, factor, b, refinement, call.name);
  TRY(hy_call_agree(cube, &call, mine));
  return hy_factor_check(hy_factor_workspace(factor), (struct hy_seen){0}, a, b,
                         hy_refinement_of(refinement, factor->problem.method, factor->problem.n), x,
                         report);
}
