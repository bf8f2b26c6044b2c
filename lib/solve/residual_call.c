/* hyla_residual: |A x - b| / (eps (|A| |x| + |b|) n), infinity norms, as HPL defines it; the
 * largest one over the columns. */
#include "solve/solve.h"

#include <math.h>

static hyla_status check(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                         const hyla_matrix *b, const double *residual) {
  struct hy_base *base = &cube->base;
  TRY(hy_matrix_check(cube, a, "a"));
  TRY(hy_matrix_check(cube, x, "x"));
  TRY(hy_matrix_check(cube, b, "b"));
  CHECK(base, residual != NULL, ARGUMENT, "hyla_residual: residual is NULL");
  CHECK(base, a->k == x->k && a->k == b->k, ARGUMENT, "hyla_residual: types %s, %s, %s of a, x, b",
        a->k->name, x->k->name, b->k->name);
  CHECK(base, a->row.n == a->col.n, ARGUMENT, "hyla_residual: a is %lld x %lld, not square",
        (long long)a->row.n, (long long)a->col.n);
  CHECK(base, x->row.n == a->row.n, ARGUMENT, "hyla_residual: a has %lld columns, x %lld rows",
        (long long)a->row.n, (long long)x->row.n);
  CHECK(base, b->row.n == x->row.n && b->col.n == x->col.n, ARGUMENT,
        "hyla_residual: x is %lld x %lld, b %lld x %lld", (long long)x->row.n, (long long)x->col.n,
        (long long)b->row.n, (long long)b->col.n);
  return HYLA_OK;
}

hyla_status hyla_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                          const hyla_matrix *b, double *residual) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check(cube, a, x, b, residual);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_residual");
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, a), x);
  fingerprint = hy_matrix_fingerprint(fingerprint, b);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_residual"));
  struct hy_residual r;
  struct hy_errors errors = {.scaled = NAN};
  hyla_status status = hy_residual_make(cube, a->k, a->row.n, x->col.n, HY_RESIDUAL_NORMS, a, &r);
  if (status == HYLA_OK) status = hy_residual_find(&r, a, x, b, &errors);
  hy_residual_free(&r);
  *residual = errors.scaled;
  return status;
}
