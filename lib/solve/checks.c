/* hyla_residual, hyla_trsm_check, hyla_invert_check: how good a solution or an inverse is.
 *
 * Residual: |A x - b| / (eps (|A| |x| + |b|) n), infinity norms, as HPL defines it; the largest one
 *   over the columns.
 * Substitution: errors and the estimate of the condition are those of hyla_factor_check; solutions
 *   with A and A^H are substitutions.  Refinement is not needed: each component's backward error is
 *   at most a few times n u (Higham 2002, Theorem 8.5).
 * Inverse: for a few random columns v, y = X v is compared with a solution of A y = v, by the
 *   residual and the errors of hyla_factor_check.  The condition is known, because A^-1 is. */
#include "solve/solve.h"

#include <math.h>

hyla_status hyla_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                          const hyla_matrix *b, double *residual) {
  const struct hy_call call = {
      .name = "hyla_residual",
      .place = {{"residual", residual, 1}},
      .argument = {{"a", a, .sizes = "nn"}, {"x", x, .sizes = "nr"}, {"b", b, .sizes = "nr"}},
      .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  struct hy_residual r;
  struct hy_errors errors = {.scaled = NAN};
  hyla_status status = hy_residual_make(cube, a->k, a->row.n, x->col.n, HY_RESIDUAL_NORMS, a, &r);
  if (status == HYLA_OK) status = hy_residual_find(&r, a, x, b, &errors);
  hy_residual_free(&r);
  *residual = errors.scaled;
  return status;
}

/* ------------------------------------------------------------ substitution -- */

struct triangle {
  hyla_triangle triangle;
  const hyla_matrix *a, *x;
};

static hyla_status substitute(void *arg, hyla_operation op, hyla_matrix *v) {
  const struct triangle *t = arg;
  return hyla_trsm(t->a->cube, HYLA_LEFT, t->triangle, op, HYLA_ANY_DIAGONAL, 1, t->a, v);
}

static hyla_status condition_of_triangle(void *arg, struct hy_norm norm, double *rcond) {
  const struct triangle *t = arg;
  const struct hy_solver solver = {.cube = t->a->cube,
                                   .k = t->a->k,
                                   .n = t->a->row.n,
                                   .layout = &t->x->layout,
                                   .solve = substitute,
                                   .arg = arg};
  return hy_solver_condition(&solver, norm, rcond);
}

hyla_status hyla_trsm_check(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                            const hyla_matrix *b, const hyla_matrix *x, hyla_solve_report *report) {
  struct triangle t = {triangle, a, x};
  struct hy_call call = hy_solve_call("hyla_trsm_check", a, b, x);
  call.option[0] = (struct hy_option){"triangle", (int)triangle, hy_triangle_names};
  call.place[0] = (struct hy_named_place){"report", report, 1};
  struct hy_factorization wanted; /* a system that could be solved so could be solved otherwise */
  TRY(hy_call_agree(cube, &call, hy_solve_want(cube, &call, HYLA_LU, 1, &wanted)));
  *report = hy_solve_report_of(NULL);
  report->growth = 1;
  return hy_solution_measure(a, b, x, HYLA_REFINE_NONE, condition_of_triangle, &t, report);
}

/* ----------------------------------------------------------------- inverse -- */

enum { COLUMNS = 4 };

struct inverse {
  const hyla_matrix *a, *x;
  hyla_matrix *v, *y;
};

static hyla_status condition_of_inverse(void *arg, struct hy_norm norm, double *rcond) {
  const struct inverse *c = arg;
  struct hy_norm inverse;
  TRY(hy_norm_find(c->x->cube, c->x, HYLA_NORM_ONE, &inverse));
  *rcond = c->x->row.n == 0 ? 1 : hy_norm_condition(norm, inverse);
  return HYLA_OK;
}

static hyla_status measure(struct inverse *c, hyla_solve_report *report) {
  const hyla_matrix *x = c->x;
  TRY(hy_matrix_make(x->cube, x->k->type, x->row.n, COLUMNS, &x->layout, &c->v));
  TRY(hy_matrix_make(x->cube, x->k->type, x->row.n, COLUMNS, &x->layout, &c->y));
  TRY(hyla_matrix_generate(x->cube, c->v, HYLA_RANDOM, 1));
  TRY(hyla_gemm(x->cube, HYLA_NONE, HYLA_NONE, 1, x, c->v, 0, c->y));
  return hy_solution_measure(c->a, c->v, c->y, HYLA_REFINE_NONE, condition_of_inverse, c, report);
}

hyla_status hyla_invert_check(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                              hyla_solve_report *report) {
  struct inverse c = {.a = a, .x = x};
  const struct hy_call call = {.name = "hyla_invert_check",
                               .place = {{"report", report, 1}},
                               .argument = {{"a", a, .sizes = "nn"}, {"x", x, .sizes = "nn"}},
                               .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  *report = hy_solve_report_of(NULL);
  hyla_status status = measure(&c, report);
  (void)hyla_matrix_destroy(&c.y);
  (void)hyla_matrix_destroy(&c.v);
  return status;
}
