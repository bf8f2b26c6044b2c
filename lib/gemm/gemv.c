/* Matrix-vector operations: public calls and what they check. */
#include "gemm/gemv.h"

#include <string.h>

/* A vector: a matrix of one column, of A's type, with as many entries as the side of A has. */
static hyla_status check_vector(hyla_cube *cube, const struct hy_gemv_request *r,
                                const hyla_matrix *x, const char *name, int64_t length) {
  struct hy_base *base = &cube->base;
  TRY(hy_matrix_check(cube, x, name));
  CHECK(base, x->k == r->a->k, ARGUMENT,
        "%s: %s is of type %s and a of type %s; convert one of them with hyla_matrix_convert",
        r->call, name, x->k->name, r->a->k->name);
  CHECK(base, x->row.n == length && x->col.n == 1, ARGUMENT,
        "%s: %s is %lld x %lld; with a of %lld x %lld it must be %lld x 1%s", r->call, name,
        (long long)x->row.n, (long long)x->col.n, (long long)r->a->row.n, (long long)r->a->col.n,
        (long long)length, x->col.n > 1 ? "; hyla_gemm takes several columns" : "");
  return HYLA_OK;
}

static hyla_status check_operation(hyla_cube *cube, const struct hy_gemv_request *r) {
  struct hy_base *base = &cube->base;
  CHECK(base, !r->update || r->op == HYLA_TRANSPOSE || r->op == HYLA_CONJUGATE, ARGUMENT,
        "%s: operation %d; there are HYLA_TRANSPOSE and HYLA_CONJUGATE", r->call, (int)r->op);
  CHECK(base, r->op <= HYLA_CONJUGATE, ARGUMENT, "%s: operation %d; there are 0, 1 and 2", r->call,
        (int)r->op);
  if (r->shape.form == HY_GENERAL) return HYLA_OK;
  CHECK(base, r->shape.triangle == HYLA_LOWER || r->shape.triangle == HYLA_UPPER, ARGUMENT,
        "%s: triangle %d; there are HYLA_LOWER and HYLA_UPPER", r->call, (int)r->shape.triangle);
  CHECK(base, r->a->row.n == r->a->col.n, ARGUMENT, "%s: a is %lld x %lld; it must be square",
        r->call, (long long)r->a->row.n, (long long)r->a->col.n);
  return HYLA_OK;
}

static hyla_status check_request(hyla_cube *cube, const struct hy_gemv_request *r) {
  struct hy_base *base = &cube->base;
  TRY(hy_matrix_check(cube, r->a, "a"));
  TRY(check_operation(cube, r));
  /* x goes with a's rows in an update and where a is turned, y with its columns. */
  bool turned = r->update || r->op != HYLA_NONE;
  TRY(check_vector(cube, r, r->x, "x", turned ? r->a->row.n : r->a->col.n));
  TRY(check_vector(cube, r, r->y, "y", turned ? r->a->col.n : r->a->row.n));
  const char *result = r->update ? "a" : "y", *other = r->update ? "y" : "a";
  CHECK(base, !hy_matrix_overlap(r->x, r->result), ARGUMENT,
        "%s: %s shares entries with x; give the result a matrix of its own", r->call, result);
  CHECK(base, !hy_matrix_overlap(r->update ? r->y : r->a, r->result), ARGUMENT,
        "%s: %s shares entries with %s; give the result a matrix of its own", r->call, result,
        other);
  return HYLA_OK;
}

static uint64_t fingerprint_request(const struct hy_gemv_request *r) {
  const int ops[] = {r->update, (int)r->op, (int)r->shape.form, (int)r->shape.triangle};
  const double _Complex scalars[] = {r->alpha, r->beta};
  const char *variant = r->variant == NULL ? "" : r->variant;
  uint64_t fingerprint = hy_fingerprint(0, ops, sizeof ops);
  fingerprint = hy_fingerprint(fingerprint, scalars, sizeof scalars);
  fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  fingerprint = hy_matrix_fingerprint(fingerprint, r->a);
  fingerprint = hy_matrix_fingerprint(fingerprint, r->x);
  return hy_matrix_fingerprint(fingerprint, r->y);
}

/* mine: this rank's verdict so far. */
static hyla_status make_plan_if(hyla_cube *cube, const struct hy_gemv_request *r, hyla_status mine,
                                hyla_plan **plan) {
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  if (mine == HYLA_OK && plan == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: plan is NULL", r->call);
  if (mine == HYLA_OK) mine = check_request(cube, r);
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? fingerprint_request(r) : 0, r->call));
  hyla_status status = hy_gemv_plan_make(cube, r, plan);
  if (status != HYLA_OK) hyla_plan_destroy(plan);
  return status;
}

static hyla_status make_plan(hyla_cube *cube, const struct hy_gemv_request *r, hyla_plan **plan) {
  return make_plan_if(cube, r, HYLA_OK, plan);
}

static hyla_status run_once(hyla_cube *cube, const struct hy_gemv_request *r) {
  hyla_plan *plan = NULL;
  TRY(make_plan(cube, r, &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  hyla_plan_destroy(&plan);
  return status;
}

/* ----------------------------------------------------------------- general -- */

static struct hy_gemv_request product(const char *call, hyla_operation op, double _Complex alpha,
                                      const hyla_matrix *a, const hyla_matrix *x,
                                      double _Complex beta, hyla_matrix *y) {
  return (struct hy_gemv_request){
      .call = call, .op = op, .alpha = alpha, .beta = beta, .a = a, .x = x, .y = y, .result = y};
}

hyla_status hyla_gemv_plan(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                           const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                           hyla_matrix *y, const char *variant, hyla_plan **plan) {
  struct hy_gemv_request r = product("hyla_gemv_plan", op, alpha, a, x, beta, y);
  r.variant = variant;
  return make_plan(cube, &r, plan);
}

hyla_status hyla_gemv_plan_by_address(hyla_cube *cube, hyla_operation op, const hyla_scalar *alpha,
                                      const hyla_matrix *a, const hyla_matrix *x,
                                      const hyla_scalar *beta, hyla_matrix *y, const char *variant,
                                      hyla_plan **plan) {
  struct hy_gemv_request r = product("hyla_gemv_plan_by_address", op, alpha != NULL ? *alpha : 0, a,
                                     x, beta != NULL ? *beta : 0, y);
  hyla_status mine = HYLA_OK;
  r.variant = variant;
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  if (alpha == NULL || beta == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: %s is NULL", r.call,
                   alpha == NULL ? "alpha" : "beta");
  return make_plan_if(cube, &r, mine, plan);
}

hyla_status hyla_gemv(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                      const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                      hyla_matrix *y) {
  const struct hy_gemv_request r = product("hyla_gemv", op, alpha, a, x, beta, y);
  return run_once(cube, &r);
}

/* -------------------------------------------------- symmetric and Hermitian -- */

static struct hy_gemv_request mirrored(const char *call, enum hy_structure form,
                                       hyla_triangle triangle, double _Complex alpha,
                                       const hyla_matrix *a, const hyla_matrix *x,
                                       double _Complex beta, hyla_matrix *y) {
  struct hy_gemv_request r = product(call, HYLA_NONE, alpha, a, x, beta, y);
  r.shape = (struct hy_shape){form, triangle};
  return r;
}

hyla_status hyla_symv_plan(hyla_cube *cube, hyla_triangle triangle, double _Complex alpha,
                           const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                           hyla_matrix *y, const char *variant, hyla_plan **plan) {
  struct hy_gemv_request r =
      mirrored("hyla_symv_plan", HY_SYMMETRIC, triangle, alpha, a, x, beta, y);
  r.variant = variant;
  return make_plan(cube, &r, plan);
}

hyla_status hyla_hemv_plan(hyla_cube *cube, hyla_triangle triangle, double _Complex alpha,
                           const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                           hyla_matrix *y, const char *variant, hyla_plan **plan) {
  struct hy_gemv_request r =
      mirrored("hyla_hemv_plan", HY_HERMITIAN, triangle, alpha, a, x, beta, y);
  r.variant = variant;
  return make_plan(cube, &r, plan);
}

hyla_status hyla_symv(hyla_cube *cube, hyla_triangle triangle, double _Complex alpha,
                      const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                      hyla_matrix *y) {
  const struct hy_gemv_request r =
      mirrored("hyla_symv", HY_SYMMETRIC, triangle, alpha, a, x, beta, y);
  return run_once(cube, &r);
}

hyla_status hyla_hemv(hyla_cube *cube, hyla_triangle triangle, double _Complex alpha,
                      const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                      hyla_matrix *y) {
  const struct hy_gemv_request r =
      mirrored("hyla_hemv", HY_HERMITIAN, triangle, alpha, a, x, beta, y);
  return run_once(cube, &r);
}

/* ------------------------------------------------------------------ update -- */

static struct hy_gemv_request update(const char *call, hyla_operation op, double _Complex alpha,
                                     const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a) {
  return (struct hy_gemv_request){.call = call,
                                  .update = true,
                                  .op = op,
                                  .alpha = alpha,
                                  .beta = 1,
                                  .a = a,
                                  .x = x,
                                  .y = y,
                                  .result = a};
}

hyla_status hyla_ger_plan(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                          const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a,
                          const char *variant, hyla_plan **plan) {
  struct hy_gemv_request r = update("hyla_ger_plan", op, alpha, x, y, a);
  r.variant = variant;
  return make_plan(cube, &r, plan);
}

hyla_status hyla_ger(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                     const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a) {
  const struct hy_gemv_request r = update("hyla_ger", op, alpha, x, y, a);
  return run_once(cube, &r);
}
