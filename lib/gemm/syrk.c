/* Rank-k updates of a triangle: C := alpha A A^T + beta C and its kin.
 *
 * The call is a product of a matrix with itself, and only half of C is wanted.  Variants that add
 * up C in place compute that half alone; a block on the diagonal is cut, by halves, into
 * rectangles. */
#include "gemm/gemm.h"

/* The second factor is A with the other one of the two operations NONE and `turned'. */
static struct hy_call update(const char *name, hyla_triangle triangle, hyla_operation op,
                             hyla_operation turned, double _Complex alpha, const hyla_matrix *a,
                             double _Complex beta, hyla_matrix *c, const char *variant) {
  const bool hermitian = turned == HYLA_CONJUGATE;
  const hyla_operation other = op == HYLA_NONE ? turned : HYLA_NONE;
  const struct hy_shape half = {hermitian ? HY_HERMITIAN : HY_SYMMETRIC, triangle};
  return (struct hy_call){
      .name = name,
      .option = {{"triangle", (int)triangle, hy_triangle_names},
                 {"op", (int)op, hermitian ? hy_conjugate_names : hy_transpose_names}},
      .alpha = alpha,
      .beta = beta,
      .argument = {{"a", a, op, "mk"},
                   {"a", a, other, "km"},
                   {"c", c, HYLA_NONE, "mm", c, .shape = half}},
      .variant = variant};
}

hyla_status hyla_syrk_plan(hyla_cube *cube, hyla_triangle triangle, hyla_operation op,
                           double _Complex alpha, const hyla_matrix *a, double _Complex beta,
                           hyla_matrix *c, const char *variant, hyla_plan **plan) {
  const struct hy_call call =
      update("hyla_syrk_plan", triangle, op, HYLA_TRANSPOSE, alpha, a, beta, c, variant);
  return hy_job_plan(cube, &hy_gemm, &call, HYLA_OK, plan);
}

hyla_status hyla_herk_plan(hyla_cube *cube, hyla_triangle triangle, hyla_operation op, double alpha,
                           const hyla_matrix *a, double beta, hyla_matrix *c, const char *variant,
                           hyla_plan **plan) {
  const struct hy_call call =
      update("hyla_herk_plan", triangle, op, HYLA_CONJUGATE, alpha, a, beta, c, variant);
  return hy_job_plan(cube, &hy_gemm, &call, HYLA_OK, plan);
}

hyla_status hyla_syrk(hyla_cube *cube, hyla_triangle triangle, hyla_operation op,
                      double _Complex alpha, const hyla_matrix *a, double _Complex beta,
                      hyla_matrix *c) {
  const struct hy_call call =
      update("hyla_syrk", triangle, op, HYLA_TRANSPOSE, alpha, a, beta, c, NULL);
  return hy_job_call(cube, &hy_gemm, &call, HYLA_OK);
}

hyla_status hyla_herk(hyla_cube *cube, hyla_triangle triangle, hyla_operation op, double alpha,
                      const hyla_matrix *a, double beta, hyla_matrix *c) {
  const struct hy_call call =
      update("hyla_herk", triangle, op, HYLA_CONJUGATE, alpha, a, beta, c, NULL);
  return hy_job_call(cube, &hy_gemm, &call, HYLA_OK);
}
