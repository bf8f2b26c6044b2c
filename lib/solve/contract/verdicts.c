/* Verdicts that methods and calls share: on a pivot, on a factorization, and on a matrix given with
 * it. */
#include "solve/contract/contract.h"

hyla_status hy_pivot_verdict(const struct hy_factorization *problem, hyla_status run,
                             hyla_status pivot_status, int64_t pivot) {
  struct hy_base *base = &problem->cube->base;
  problem->factors->pivot = pivot;
  TRY(run);
  CHECK(base, pivot_status != HYLA_INDEFINITE, INDEFINITE,
        "the matrix is not positive definite: its leading block of order %lld is not",
        (long long)pivot);
  CHECK(base, pivot_status != HYLA_SINGULAR, SINGULAR,
        "the matrix is singular: pivot %lld is exactly zero", (long long)pivot);
  CHECK(base, pivot_status != HYLA_NOT_FINITE, NOT_FINITE,
        "pivot %lld is infinite or not a number: entries of the matrix are, or products overflow",
        (long long)pivot);
  return HYLA_OK;
}

static hyla_status check_factor(hyla_cube *cube, const hyla_factor *factor, int required,
                                const char *call) {
  struct hy_base *base = &cube->base;
  CHECK(base, factor != NULL, ARGUMENT, "%s: factor is NULL; make it with hyla_factor_create",
        call);
  CHECK(base, factor->plan->cube == cube, ARGUMENT,
        "%s: factor belongs to another cube; make it on this one", call);
  CHECK(base, !(required & HY_COMPUTED) || factor->computed, ARGUMENT,
        "%s: there are no factors yet; call hyla_factor_compute first, with success", call);
  const struct hy_factorization *problem = &factor->problem;
  CHECK(base, !(required & HY_SQUARE) || problem->m == problem->n, ARGUMENT,
        "%s: the factors are of a matrix of %lld x %lld; it takes those of a square one", call,
        (long long)problem->m, (long long)problem->n);
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  CHECK(base, !(required & HY_WITH_TRIANGLES) || steps->form == HY_TRIANGLES, UNSUPPORTED,
        "%s: the method %s makes the inverse, and no triangular factors; take lu for these", call,
        problem->method->is.name);
  return HYLA_OK;
}

hyla_status hy_factor_call(hyla_cube *cube, const hyla_factor *factor, int required,
                           struct hy_call *call) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(check_factor(cube, factor, required, call->name));
  const struct hy_factorization *problem = &factor->problem;
  call->model = (struct hy_model){.name = "the factors",
                                  .k = problem->k,
                                  .m = problem->m,
                                  .n = problem->n,
                                  .number = {problem->nrhs, factor->computed},
                                  .memory = factor->factors.a};
  return HYLA_OK;
}
