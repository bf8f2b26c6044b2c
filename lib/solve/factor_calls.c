/* hyla_factor_compute and hyla_factor_solve: arguments checked, and agreed upon. */
#include "solve/solve.h"

static hyla_status check_compute(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *a) {
  TRY(hy_factor_check_cube(cube, factor));
  TRY(hy_factor_check_matrix(factor, a, factor->problem.m, factor->problem.n, "a"));
  const struct hy_substitutions *steps = hy_choice_variant(&factor->plan->choice)->traits;
  if (steps->draws) return HYLA_OK;
  return hy_factor_need_data(factor, "hyla_factor_compute");
}

hyla_status hyla_factor_compute(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *a) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_compute(cube, factor, a);
  uint64_t fingerprint = hy_matrix_fingerprint(0, a);
  if (mine == HYLA_OK) fingerprint = hy_factor_fingerprint(fingerprint, factor);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_compute"));
  return hy_factor_compute(factor, a, NULL);
}

static hyla_status check_solve(hyla_cube *cube, const hyla_factor *factor, hyla_operation op,
                               const hyla_matrix *b, const hyla_matrix *x) {
  struct hy_base *base = &cube->base;
  TRY(hy_factor_check_square(cube, factor, "hyla_factor_solve"));
  CHECK(base, op == HYLA_NONE || op == HYLA_TRANSPOSE || op == HYLA_CONJUGATE, ARGUMENT,
        "hyla_factor_solve: %d is no operation", (int)op);
  TRY(hy_matrix_check(cube, b, "b"));
  CHECK(base, b->col.n <= factor->problem.nrhs, ARGUMENT,
        "b has %lld columns; the factorization was made for %lld", (long long)b->col.n,
        (long long)factor->problem.nrhs);
  TRY(hy_factor_check_matrix(factor, b, factor->problem.n, b->col.n, "b"));
  return hy_factor_check_matrix(factor, x, factor->problem.n, b->col.n, "x");
}

hyla_status hyla_factor_solve(hyla_cube *cube, const hyla_factor *factor, hyla_operation op,
                              const hyla_matrix *b, hyla_matrix *x) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_solve(cube, factor, op, b, x);
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, b), x);
  fingerprint = hy_fingerprint(fingerprint, &op, sizeof op);
  if (mine == HYLA_OK) fingerprint = hy_factor_fingerprint(fingerprint, factor);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_solve"));
  return hy_factor_solve(hy_factor_workspace(factor), op, b, x);
}
