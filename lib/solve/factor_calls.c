/* hyla_factor_compute and hyla_factor_solve: check their arguments, and agree on them. */
#include "solve/solve.h"

hyla_status hyla_factor_compute(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *a) {
  struct hy_call call = {.name = "hyla_factor_compute", .argument = {{"a", a, .sizes = "MN"}}};
  hyla_status mine = hy_factor_call(cube, factor, 0, &call);
  if (mine == HYLA_OK) {
    const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
    call.model.written = true;
    call.needs_data = factor->problem.method->is.needs_data && !steps->runs_dry;
  }
  TRY(hy_call_enter(cube, &call, mine));
  return hy_factor_compute(factor, a, NULL);
}

hyla_status hyla_factor_solve(hyla_cube *cube, const hyla_factor *factor, hyla_operation op,
                              const hyla_matrix *b, hyla_matrix *x) {
  struct hy_call call = {
      .name = "hyla_factor_solve",
      .option = {{"op", (int)op, hy_operation_names}},
      .argument = {{"b", b, .sizes = "Nr"}, {"x", x, .sizes = "Nr", .result = x, .late = true}}};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED | HY_SQUARE, &call);
  if (mine == HYLA_OK) mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK && b->col.n > factor->problem.nrhs)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT,
                   "%s: b has %lld columns; the factorization was made for %lld", call.name,
                   (long long)b->col.n, (long long)factor->problem.nrhs);
  TRY(hy_call_agree(cube, &call, mine));
  return hy_factor_solve(hy_factor_workspace(factor), op, b, x);
}
