/* The multiply front end: public calls and what they check. */
#include "gemm/gemm_plan.h"

#include <string.h>

/* may_share: the factor is C. */
static hyla_status check_factor(hyla_cube *cube, const struct hy_gemm_request *r,
                                const hyla_matrix *x, const char *name, bool may_share) {
  const char *result = r->replaces ? "b" : "c";
  CHECK(&cube->base, x->k == r->c->k, ARGUMENT,
        "gemm: %s is of type %s and %s of type %s; convert one of them with hyla_matrix_convert",
        name, x->k->name, result, r->c->k->name);
  CHECK(&cube->base, may_share || !hy_matrix_overlap(x, r->c), ARGUMENT,
        "gemm: %s shares entries with %s; give the result a matrix of its own", result, name);
  return HYLA_OK;
}

static hyla_status check_request(hyla_cube *cube, const struct hy_gemm_request *r) {
  struct hy_base *base = &cube->base;
  CHECK(base, r->op_a <= HYLA_CONJUGATE && r->op_b <= HYLA_CONJUGATE, ARGUMENT,
        "gemm: operations %d, %d; there are 0, 1 and 2", (int)r->op_a, (int)r->op_b);
  TRY(hy_matrix_check(cube, r->a, "a"));
  TRY(hy_matrix_check(cube, r->b, "b"));
  TRY(hy_matrix_check(cube, r->c, "c"));
  bool structured_a = r->shape_a.form != HY_GENERAL, structured_b = r->shape_b.form != HY_GENERAL;
  TRY(check_factor(cube, r, r->a, r->turned ? "b" : "a", r->replaces && !structured_a));
  TRY(check_factor(cube, r, r->b, r->turned ? "a" : "b", r->replaces && !structured_b));
  struct hy_operand a = hy_operand_of(r->a, r->op_a), b = hy_operand_of(r->b, r->op_b);
  CHECK(base, a.row.n == r->c->row.n && a.col.n == b.row.n && b.col.n == r->c->col.n, ARGUMENT,
        "gemm: op(a) is %lld x %lld, op(b) %lld x %lld, c %lld x %lld; the inner sizes must be "
        "equal and the outer ones those of c",
        (long long)a.row.n, (long long)a.col.n, (long long)b.row.n, (long long)b.col.n,
        (long long)r->c->row.n, (long long)r->c->col.n);
  return HYLA_OK;
}

static uint64_t fingerprint_request(const struct hy_gemm_request *r) {
  const int ops[] = {(int)r->op_a,         (int)r->op_b,
                     (int)r->part,         r->hermitian,
                     (int)r->shape_a.form, (int)r->shape_a.triangle,
                     (int)r->shape_b.form, (int)r->shape_b.triangle};
  const double _Complex scalars[] = {r->alpha, r->beta};
  const char *variant = r->variant == NULL ? "" : r->variant;
  uint64_t fingerprint = hy_fingerprint(0, ops, sizeof ops);
  fingerprint = hy_fingerprint(fingerprint, scalars, sizeof scalars);
  fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  fingerprint = hy_matrix_fingerprint(fingerprint, r->a);
  fingerprint = hy_matrix_fingerprint(fingerprint, r->b);
  return hy_matrix_fingerprint(fingerprint, r->c);
}

hyla_status hy_gemm_request_plan(hyla_cube *cube, const struct hy_gemm_request *r, const char *call,
                                 hyla_status mine, hyla_plan **plan) {
  if (mine == HYLA_OK && plan == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: plan is NULL", call);
  if (mine == HYLA_OK) mine = check_request(cube, r);
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? fingerprint_request(r) : 0, call));
  hyla_status status = hy_gemm_plan_make(cube, r, plan);
  if (status != HYLA_OK) hyla_plan_destroy(plan);
  return status;
}

hyla_status hy_gemm_request_run(hyla_cube *cube, const struct hy_gemm_request *r, const char *call,
                                hyla_status mine) {
  hyla_plan *plan = NULL;
  TRY(hy_gemm_request_plan(cube, r, call, mine, &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  hyla_plan_destroy(&plan);
  return status;
}

hyla_status hyla_gemm_plan(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                           double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                           double _Complex beta, hyla_matrix *c, const char *variant,
                           hyla_plan **plan) {
  const struct hy_gemm_request r = {.op_a = op_a,
                                    .op_b = op_b,
                                    .alpha = alpha,
                                    .beta = beta,
                                    .a = a,
                                    .b = b,
                                    .c = c,
                                    .variant = variant};
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  return hy_gemm_request_plan(cube, &r, "hyla_gemm_plan", HYLA_OK, plan);
}

hyla_status hyla_gemm_plan_by_address(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                                      const hyla_scalar *alpha, const hyla_matrix *a,
                                      const hyla_matrix *b, const hyla_scalar *beta, hyla_matrix *c,
                                      const char *variant, hyla_plan **plan) {
  const char *call = "hyla_gemm_plan_by_address";
  const struct hy_gemm_request r = {.op_a = op_a,
                                    .op_b = op_b,
                                    .alpha = alpha != NULL ? *alpha : 0,
                                    .beta = beta != NULL ? *beta : 0,
                                    .a = a,
                                    .b = b,
                                    .c = c,
                                    .variant = variant};
  hyla_status mine = HYLA_OK;
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  if (alpha == NULL || beta == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: %s is NULL", call,
                   alpha == NULL ? "alpha" : "beta");
  return hy_gemm_request_plan(cube, &r, call, mine, plan);
}

hyla_status hyla_gemm(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                      double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                      double _Complex beta, hyla_matrix *c) {
  const struct hy_gemm_request r = {
      .op_a = op_a, .op_b = op_b, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = c};
  if (cube == NULL) return HYLA_ARGUMENT;
  return hy_gemm_request_run(cube, &r, "hyla_gemm", HYLA_OK);
}
