/* hyla_trsm_check: how good a solution by substitution is.
 *
 * Errors and the estimate of the condition are those of hyla_factor_check; solutions with A and A^H
 * are substitutions.  Refinement is not needed: each component's backward error is at most a few
 * times n u (Higham 2002, Theorem 8.5). */
#include "solve/solve.h"

struct check {
  hyla_cube *cube;
  hyla_triangle triangle;
  const hyla_matrix *a, *b, *x;
  struct hy_residual residual;
};

static hyla_status substitute(void *arg, hyla_operation op, hyla_matrix *v) {
  const struct check *c = arg;
  return hyla_trsm(c->cube, HYLA_LEFT, c->triangle, op, HYLA_ANY_DIAGONAL, 1, c->a, v);
}

static hyla_status measure(struct check *c, hyla_solve_report *report) {
  const hyla_matrix *a = c->a, *x = c->x;
  const struct hy_solver solver = {.cube = c->cube,
                                   .k = a->k,
                                   .n = a->row.n,
                                   .layout = &x->layout,
                                   .solve = substitute,
                                   .arg = c};
  struct hy_errors errors;
  TRY(hy_residual_make(c->cube, a->k, a->row.n, x->col.n, HY_RESIDUAL_COMPONENTS, a, &c->residual));
  TRY(hy_residual_find(&c->residual, a, x, c->b, &errors));
  TRY(hy_solver_condition(&solver, errors.norm, &report->rcond));
  hy_errors_report(&errors, report);
  hyla_status trust = hy_report_judge(&c->residual, HYLA_REFINE_NONE, &errors, report);
  report->reliable = trust == HYLA_OK;
  return hy_agree(c->cube, trust);
}

hyla_status hyla_trsm_check(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                            const hyla_matrix *b, const hyla_matrix *x, hyla_solve_report *report) {
  struct check c = {.cube = cube, .triangle = triangle, .a = a, .b = b, .x = x};
  struct hy_call call = hy_solve_call("hyla_trsm_check", a, b, x);
  call.option[0] = (struct hy_option){"triangle", (int)triangle, hy_triangle_names};
  call.place[0] = (struct hy_named_place){"report", report, 1};
  struct hy_factorization wanted; /* a system that could be solved so could be solved otherwise */
  TRY(hy_call_agree(cube, &call, hy_solve_want(cube, &call, HYLA_LU, 1, &wanted)));
  *report = hy_solve_report_of(NULL);
  report->growth = 1;
  hyla_status status = measure(&c, report);
  hy_residual_free(&c.residual);
  return status;
}
