/* hyla_residual: |A x - b| / (eps (|A| |x| + |b|) n), infinity norms, as HPL defines it; the
 * largest one over the columns. */
#include "solve/solve.h"

#include <math.h>

hyla_status hyla_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                          const hyla_matrix *b, double *residual) {
  const struct hy_call call = {
      .name = "hyla_residual",
      .place = {{"residual", residual, 1}},
      .argument = {{"a", a, .sizes = "nn"}, {"x", x, .sizes = "nr"}, {"b", b, .sizes = "nr"}},
      .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  struct hy_residual r;
  struct hy_errors errors = {.scaled = NAN};
  hyla_status status = hy_residual_make(cube, a->k, a->row.n, x->col.n, HY_RESIDUAL_NORMS, a, &r);
  if (status == HYLA_OK) status = hy_residual_find(&r, a, x, b, &errors);
  hy_residual_free(&r);
  *residual = errors.scaled;
  return status;
}
