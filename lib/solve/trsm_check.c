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
  hyla_status verdict = hy_report_judge(&c->residual, HYLA_REFINE_NONE, &errors, report);
  report->reliable = verdict == HYLA_OK;
  return hy_agree(c->cube, verdict);
}

static hyla_status check(const struct check *c, const hyla_solve_report *report) {
  struct hy_base *base = &c->cube->base;
  struct hy_factorization wanted;
  TRY(hy_solve_want(c->cube, "hyla_trsm_check", HYLA_LU, c->a, c->b, c->x, 1, &wanted));
  CHECK(base, c->triangle == HYLA_LOWER || c->triangle == HYLA_UPPER, ARGUMENT,
        "hyla_trsm_check: %d is no triangle", (int)c->triangle);
  CHECK(base, report != NULL, ARGUMENT, "hyla_trsm_check: report is NULL");
  return HYLA_OK;
}

hyla_status hyla_trsm_check(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                            const hyla_matrix *b, const hyla_matrix *x, hyla_solve_report *report) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct check c = {.cube = cube, .triangle = triangle, .a = a, .b = b, .x = x};
  hyla_status mine = check(&c, report);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_trsm_check");
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, a), b);
  fingerprint = hy_matrix_fingerprint(fingerprint, x);
  fingerprint = hy_fingerprint(fingerprint, &triangle, sizeof triangle);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_trsm_check"));
  *report = hy_solve_report_of(NULL);
  report->growth = 1;
  hyla_status status = measure(&c, report);
  hy_residual_free(&c.residual);
  return status;
}
