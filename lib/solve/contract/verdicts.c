/* Verdicts that methods and calls share: on a pivot, on a factorization, and on a matrix given with
 * it. */
#include "solve/contract/contract.h"

hyla_status hy_pivot_verdict(struct hy_base *base, hyla_status verdict, int64_t pivot) {
  CHECK(base, verdict != HYLA_SINGULAR, SINGULAR,
        "the matrix is singular: pivot %lld is exactly zero", (long long)pivot);
  CHECK(base, verdict != HYLA_NOT_FINITE, NOT_FINITE,
        "pivot %lld is infinite or not a number: entries of the matrix are, or products overflow",
        (long long)pivot);
  return HYLA_OK;
}

hyla_status hy_factor_check_cube(hyla_cube *cube, const hyla_factor *factor) {
  CHECK(&cube->base, factor != NULL, ARGUMENT, "factor is NULL");
  CHECK(&cube->base, factor->plan->cube == cube, ARGUMENT, "factor belongs to another cube");
  return HYLA_OK;
}

hyla_status hy_factor_check_computed(hyla_cube *cube, const hyla_factor *factor) {
  TRY(hy_factor_check_cube(cube, factor));
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

hyla_status hy_factor_check_triangular(hyla_cube *cube, const hyla_factor *factor,
                                       const char *call) {
  const struct hy_substitutions *steps = hy_choice_variant(&factor->plan->choice)->traits;
  CHECK(&cube->base, hy_has_triangles(steps), UNSUPPORTED,
        "%s: the method %s makes the inverse, and no triangular factors; take lu for these", call,
        factor->problem.method->is.name);
  return HYLA_OK;
}

hyla_status hy_factor_need_data(const hyla_factor *factor, const char *call) {
  const struct hy_factorization *problem = &factor->problem;
  return problem->method->is.needs_data ? hy_need_data(problem->cube, call) : HYLA_OK;
}

uint64_t hy_factor_fingerprint(uint64_t fingerprint, const hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  const int64_t words[] = {problem->m, problem->n, problem->nrhs, (int64_t)problem->k->type,
                           factor->computed};
  return hy_fingerprint(fingerprint, words, sizeof words);
}
