/* hyla_factor_adopt: a factorization made of the caller's matrix. */
#include "solve/solve.h"

static hyla_status check_adopt(hyla_cube *cube, hyla_method method, int64_t nrhs,
                               hyla_matrix *const *a, const void *factor,
                               struct hy_factorization *wanted) {
  struct hy_base *base = &cube->base;
  CHECK(base, factor != NULL, ARGUMENT, "hyla_factor_adopt: factor is NULL");
  CHECK(base, a != NULL, ARGUMENT, "hyla_factor_adopt: the place of matrix a is NULL");
  TRY(hy_matrix_check(cube, *a, "a"));
  TRY(hy_factor_want(cube, method, (*a)->k->type, (*a)->row.n, (*a)->col.n, nrhs,
                     hy_factor_layout_of(*a), wanted));
  wanted->given = *a;
  wanted->from_a = *a;
  return wanted->method->is.needs_data ? hy_need_data(cube, "hyla_factor_adopt") : HYLA_OK;
}

/* The factorization owns the matrix from now on; one that lies elsewhere is of no more use once
 * it has been factored. */
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
  if (factor != NULL) *factor = NULL;
  hyla_status mine = check_adopt(cube, method, nrhs, a, factor, &wanted);
  uint64_t fingerprint = 0;
  if (mine == HYLA_OK)
    fingerprint =
        hy_matrix_fingerprint(hy_factor_wanted_fingerprint(&wanted, variant), wanted.given);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_adopt"));
  TRY(hy_factor_make(cube, &wanted, variant, factor));
  *a = NULL;
  return compute(*factor);
}
