/* hyla_factor_adopt: a factorization takes over the caller's matrix. */
#include "solve/solve.h"

/* All checks of the call; *wanted is the factorization that it makes. */
static hyla_status check(hyla_cube *cube, const struct hy_call *call, hyla_method method,
                         int64_t nrhs, struct hy_factorization *wanted) {
  hyla_matrix *a = call->argument[0].result;
  TRY(hy_call_check(cube, call));
  TRY(hy_factor_want(cube, call->name, method, a->k->type, a->row.n, a->col.n, nrhs,
                     hy_factor_layout_of(a), wanted));
  wanted->given = a;
  wanted->from_a = a;
  return wanted->method->is.needs_data ? hy_need_data(cube, call->name) : HYLA_OK;
}

/* The factorization owns the matrix from now on; if its memory does not become the factors', it is
 * freed after they are made. */
static hyla_status compute(struct hyla_factor *factor) {
  hyla_matrix **given = &factor->problem.given;
  factor->adopted = true;
  hyla_status status = hy_factor_compute(factor, *given, NULL);
  if (factor->factors.a->owner) (void)hyla_matrix_destroy(given);
  return status;
}

hyla_status hyla_factor_adopt(hyla_cube *cube, hyla_method method, int64_t nrhs,
                              const char *variant, hyla_matrix **a, hyla_factor **factor) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hy_factorization wanted;
  hyla_matrix *given = a != NULL ? *a : NULL;
  struct hy_call call = {.name = "hyla_factor_adopt",
                         .place = {{"factor", factor, 1}, {"the place of matrix a", a, 1}},
                         .argument = {{"a", given, .result = given}}};
  if (factor != NULL) *factor = NULL;
  hyla_status mine = check(cube, &call, method, nrhs, &wanted);
  if (mine == HYLA_OK) hy_factor_call_wanted(&wanted, variant, &call);
  TRY(hy_call_agree(cube, &call, mine));
  TRY(hy_factor_make(cube, &call, &wanted, factor));
  *a = NULL;
  return compute(*factor);
}
