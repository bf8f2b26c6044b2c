/* Multiplication by a square matrix that is given by one triangle: symmetric, Hermitian or
 * triangular.
 *
 * The call is a product whose factor A is brought to a workspace, even if it lies right.  Only the
 * triangle travels; the rest is completed by the triangle's mirror image or by zeros.  In a
 * triangular product the result replaces the other factor, so that factor is copied to a workspace
 * too. */
#include "gemm/gemm.h"

/* A is the factor on the given side; b is the other one. */
static struct hy_call product(const char *name, hyla_side side, struct hy_argument a,
                              struct hy_argument b, double _Complex alpha, double _Complex beta,
                              hyla_matrix *c, const char *variant) {
  const bool left = side == HYLA_LEFT;
  a.sizes = left ? "mm" : "nn";
  b.sizes = "mn";
  return (struct hy_call){
      .name = name,
      .option = {{"side", (int)side, hy_side_names},
                 {"triangle", (int)a.shape.triangle, hy_triangle_names},
                 {"op", (int)a.op, hy_operation_names}},
      .alpha = alpha,
      .beta = beta,
      .argument = {left ? a : b, left ? b : a, {b.replaced ? "b" : "c", c, HYLA_NONE, "mn", c}},
      .variant = variant};
}

/* ----------------------------------------------- symmetric and Hermitian -- */

static struct hy_call mirrored(const char *name, enum hy_structure form, hyla_side side,
                               hyla_triangle triangle, double _Complex alpha, const hyla_matrix *a,
                               const hyla_matrix *b, double _Complex beta, hyla_matrix *c,
                               const char *variant) {
  const struct hy_argument half = {.name = "a", .matrix = a, .shape = {form, triangle}};
  const struct hy_argument whole = {.name = "b", .matrix = b};
  return product(name, side, half, whole, alpha, beta, c, variant);
}

hyla_status hyla_symm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                           double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                           double _Complex beta, hyla_matrix *c, const char *variant,
                           hyla_plan **plan) {
  const struct hy_call call =
      mirrored("hyla_symm_plan", HY_SYMMETRIC, side, triangle, alpha, a, b, beta, c, variant);
  return hy_job_plan(cube, &hy_gemm, &call, HYLA_OK, plan);
}

hyla_status hyla_hemm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                           double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                           double _Complex beta, hyla_matrix *c, const char *variant,
                           hyla_plan **plan) {
  const struct hy_call call =
      mirrored("hyla_hemm_plan", HY_HERMITIAN, side, triangle, alpha, a, b, beta, c, variant);
  return hy_job_plan(cube, &hy_gemm, &call, HYLA_OK, plan);
}

hyla_status hyla_symm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                      double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                      double _Complex beta, hyla_matrix *c) {
  const struct hy_call call =
      mirrored("hyla_symm", HY_SYMMETRIC, side, triangle, alpha, a, b, beta, c, NULL);
  return hy_job_call(cube, &hy_gemm, &call, HYLA_OK);
}

hyla_status hyla_hemm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                      double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                      double _Complex beta, hyla_matrix *c) {
  const struct hy_call call =
      mirrored("hyla_hemm", HY_HERMITIAN, side, triangle, alpha, a, b, beta, c, NULL);
  return hy_job_call(cube, &hy_gemm, &call, HYLA_OK);
}

/* ------------------------------------------------------------- triangular -- */

static struct hy_call triangular(const char *name, hyla_side side, hyla_triangle triangle,
                                 hyla_operation op, hyla_diagonal diagonal, double _Complex alpha,
                                 const hyla_matrix *a, hyla_matrix *b, const char *variant) {
  const enum hy_structure form =
      diagonal == HYLA_UNIT_DIAGONAL ? HY_UNIT_TRIANGULAR : HY_TRIANGULAR;
  const struct hy_argument half = {.name = "a", .matrix = a, .op = op, .shape = {form, triangle}};
  const struct hy_argument whole = {.name = "b", .matrix = b, .replaced = true};
  struct hy_call call = product(name, side, half, whole, alpha, 0, b, variant);
  call.option[3] = (struct hy_option){"diagonal", (int)diagonal, hy_diagonal_names};
  return call;
}

hyla_status hyla_trmm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                           hyla_operation op, hyla_diagonal diagonal, double _Complex alpha,
                           const hyla_matrix *a, hyla_matrix *b, const char *variant,
                           hyla_plan **plan) {
  const struct hy_call call =
      triangular("hyla_trmm_plan", side, triangle, op, diagonal, alpha, a, b, variant);
  return hy_job_plan(cube, &hy_gemm, &call, HYLA_OK, plan);
}

hyla_status hyla_trmm(hyla_cube *cube, hyla_side side, hyla_triangle triangle, hyla_operation op,
                      hyla_diagonal diagonal, double _Complex alpha, const hyla_matrix *a,
                      hyla_matrix *b) {
  const struct hy_call call =
      triangular("hyla_trmm", side, triangle, op, diagonal, alpha, a, b, NULL);
  return hy_job_call(cube, &hy_gemm, &call, HYLA_OK);
}
