/* hyla_factor_compute and hyla_factor_solve: arguments checked, and agreed upon. */
#include "solve/solve.h"

static hyla_status check_factor(hyla_cube *cube, const hyla_factor *factor) {
  CHECK(&cube->base, factor != NULL, ARGUMENT, "factor is NULL");
  CHECK(&cube->base, factor->plan->cube == cube, ARGUMENT, "factor belongs to another cube");
  return HYLA_OK;
}

hyla_status hy_factor_check_computed(hyla_cube *cube, const hyla_factor *factor) {
  TRY(check_factor(cube, factor));
  CHECK(&cube->base, factor->computed, ARGUMENT,
        "the factors are not there: call hyla_factor_compute, with success, first");
  return HYLA_OK;
}

hyla_status hy_factor_check_square(hyla_cube *cube, const hyla_factor *factor, const char *call) {
  TRY(hy_factor_check_computed(cube, factor));
  const struct hy_factorization *problem = &factor->problem;
  CHECK(&cube->base, problem->m == problem->n, ARGUMENT,
        "%s: the factors are of a matrix of %lld x %lld; it takes those of a square one", call,
        (long long)problem->m, (long long)problem->n);
  return HYLA_OK;
}

hyla_status hy_factor_check_matrix(const hyla_factor *factor, const hyla_matrix *a, int64_t rows,
                                   int64_t cols, const char *name) {
  const struct hy_factorization *problem = &factor->problem;
  struct hy_base *base = &problem->cube->base;
  TRY(hy_matrix_check(problem->cube, a, name));
  CHECK(base, a->k == problem->k, ARGUMENT, "matrix %s has type %s, the factors have %s", name,
        a->k->name, problem->k->name);
  CHECK(base, a->row.n == rows && a->col.n == cols, ARGUMENT,
        "matrix %s is %lld x %lld, not %lld x %lld", name, (long long)a->row.n, (long long)a->col.n,
        (long long)rows, (long long)cols);
  return HYLA_OK;
}

hyla_status hy_factor_need_data(const hyla_factor *factor, const char *call) {
  const struct hy_factorization *problem = &factor->problem;
  return problem->method->is.needs_data ? hy_need_data(problem->cube, call) : HYLA_OK;
}

static hyla_status check_compute(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *a) {
  TRY(check_factor(cube, factor));
  TRY(hy_factor_check_matrix(factor, a, factor->problem.m, factor->problem.n, "a"));
  const struct hy_substitutions *steps = hy_choice_variant(&factor->plan->choice)->traits;
  if (steps->draws) return HYLA_OK;
  return hy_factor_need_data(factor, "hyla_factor_compute");
}

uint64_t hy_factor_fingerprint(uint64_t fingerprint, const hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  const int64_t words[] = {problem->m, problem->n, problem->nrhs, (int64_t)problem->k->type,
                           factor->computed};
  return hy_fingerprint(fingerprint, words, sizeof words);
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
