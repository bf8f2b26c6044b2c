/* hyla_invert_check: how good an inverse is.
 *
 * Method: for a few random columns v, y = X v is compared with a solution of A y = v, by the
 * residual and the errors of hyla_factor_check.  The condition is known, because A^-1 is. */
#include "solve/solve.h"

enum { COLUMNS = 4 };

struct check {
  hyla_cube *cube;
  const hyla_matrix *a, *x;
  hyla_matrix *v, *y;
  struct hy_residual residual;
};

static hyla_status multiply(struct check *c) {
  const hyla_matrix *x = c->x;
  int64_t n = x->row.n;
  TRY(hy_matrix_make(c->cube, x->k->type, n, COLUMNS, &x->layout, &c->v));
  TRY(hy_matrix_make(c->cube, x->k->type, n, COLUMNS, &x->layout, &c->y));
  TRY(hyla_matrix_generate(c->cube, c->v, HYLA_RANDOM, 1));
  return hyla_gemm(c->cube, HYLA_NONE, HYLA_NONE, 1, x, c->v, 0, c->y);
}

static hyla_status measure(struct check *c, hyla_solve_report *report) {
  const hyla_matrix *a = c->a;
  struct hy_errors errors;
  struct hy_norm inverse;
  TRY(multiply(c));
  TRY(hy_residual_make(c->cube, a->k, a->row.n, COLUMNS, HY_RESIDUAL_COMPONENTS, a, &c->residual));
  TRY(hy_residual_find(&c->residual, a, c->y, c->v, &errors));
  TRY(hy_norm_find(c->cube, c->x, HYLA_NORM_ONE, &inverse));
  report->rcond = a->row.n == 0 ? 1 : hy_norm_condition(errors.norm, inverse);
  hy_errors_report(&errors, report);
  hyla_status trust = hy_report_judge(&c->residual, HYLA_REFINE_NONE, &errors, report);
  report->reliable = trust == HYLA_OK;
  return hy_agree(c->cube, trust);
}

hyla_status hyla_invert_check(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                              hyla_solve_report *report) {
  struct check c = {.cube = cube, .a = a, .x = x};
  const struct hy_call call = {.name = "hyla_invert_check",
                               .place = {{"report", report, 1}},
                               .argument = {{"a", a, .sizes = "nn"}, {"x", x, .sizes = "nn"}},
                               .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  *report = hy_solve_report_of(NULL);
  hyla_status status = measure(&c, report);
  hy_residual_free(&c.residual);
  (void)hyla_matrix_destroy(&c.y);
  (void)hyla_matrix_destroy(&c.v);
  return status;
}
