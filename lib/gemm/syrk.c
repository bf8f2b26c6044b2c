/* Rank-k updates of a triangle: C := alpha A A^T + beta C and its kin.
 *
 * Multiplications whose two factors are one matrix and of which half of C is wanted.
 * Variants that add up C where it stands compute that half alone; blocks that the
 * diagonal crosses are cut by halves into rectangles.
 */
#include "gemm/gemm_plan.h"

/* What the user asked for; the second factor is A with op `other`. */
struct update {
  const char *call;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_operation turned; /* what op may be, beside HYLA_NONE */
  double _Complex alpha, beta;
  const hyla_matrix *a;
  hyla_matrix *c;
  const char *variant;
  bool hermitian;
};

static hyla_status check(hyla_cube *cube, const struct update *x) {
  struct hy_base *base = &cube->base;
  CHECK(base, x->triangle == HYLA_LOWER || x->triangle == HYLA_UPPER, ARGUMENT,
        "%s: triangle %d; there are HYLA_LOWER and HYLA_UPPER", x->call, (int)x->triangle);
  CHECK(base, x->op == HYLA_NONE || x->op == x->turned, ARGUMENT,
        "%s: operation %d; there are HYLA_NONE and %s", x->call, (int)x->op,
        x->hermitian ? "HYLA_CONJUGATE" : "HYLA_TRANSPOSE");
  return HYLA_OK;
}

static struct hy_gemm_request request_of(const struct update *x) {
  return (struct hy_gemm_request){
      .op_a = x->op,
      .op_b = x->op == HYLA_NONE ? x->turned : HYLA_NONE,
      .alpha = x->alpha,
      .beta = x->beta,
      .a = x->a,
      .b = x->a,
      .c = x->c,
      .variant = x->variant,
      .part = x->triangle == HYLA_LOWER ? HY_LOWER_PART : HY_UPPER_PART,
      .hermitian = x->hermitian,
  };
}

static hyla_status make_plan(hyla_cube *cube, const struct update *x, hyla_plan **plan) {
  const struct hy_gemm_request r = request_of(x);
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  return hy_gemm_request_plan(cube, &r, x->call, check(cube, x), plan);
}

static hyla_status update(hyla_cube *cube, const struct update *x) {
  const struct hy_gemm_request r = request_of(x);
  if (cube == NULL) return HYLA_ARGUMENT;
  return hy_gemm_request_run(cube, &r, x->call, check(cube, x));
}

hyla_status hyla_syrk_plan(hyla_cube *cube, hyla_triangle triangle, hyla_operation op,
                           double _Complex alpha, const hyla_matrix *a, double _Complex beta,
                           hyla_matrix *c, const char *variant, hyla_plan **plan) {
  const struct update x = {"hyla_syrk_plan", triangle, op, HYLA_TRANSPOSE, alpha, beta, a, c,
                           variant,          false};
  return make_plan(cube, &x, plan);
}

hyla_status hyla_herk_plan(hyla_cube *cube, hyla_triangle triangle, hyla_operation op, double alpha,
                           const hyla_matrix *a, double beta, hyla_matrix *c, const char *variant,
                           hyla_plan **plan) {
  const struct update x = {"hyla_herk_plan", triangle, op, HYLA_CONJUGATE, alpha, beta, a, c,
                           variant,          true};
  return make_plan(cube, &x, plan);
}

hyla_status hyla_syrk(hyla_cube *cube, hyla_triangle triangle, hyla_operation op,
                      double _Complex alpha, const hyla_matrix *a, double _Complex beta,
                      hyla_matrix *c) {
  const struct update x = {"hyla_syrk", triangle, op, HYLA_TRANSPOSE, alpha,
                           beta,        a,        c,  NULL,           false};
  return update(cube, &x);
}

hyla_status hyla_herk(hyla_cube *cube, hyla_triangle triangle, hyla_operation op, double alpha,
                      const hyla_matrix *a, double beta, hyla_matrix *c) {
  const struct update x = {"hyla_herk", triangle, op, HYLA_CONJUGATE, alpha,
                           beta,        a,        c,  NULL,           true};
  return update(cube, &x);
}
