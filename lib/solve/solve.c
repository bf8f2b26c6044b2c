/* hyla_solve and hyla_solve_in_place: make LU, use it and free it in one call. */
#include "solve/solve.h"

struct hy_call hy_solve_call(const char *name, const hyla_matrix *a, const hyla_matrix *b,
                             const hyla_matrix *x) {
  return (struct hy_call){
      .name = name,
      .argument = {{"a", a, .sizes = "nn"}, {"b", b, .sizes = "nr"}, {"x", x, .sizes = "nr"}},
      .needs_data = true};
}

hyla_status hy_solve_want(hyla_cube *cube, const struct hy_call *call, hyla_method method,
                          int64_t least, struct hy_factorization *wanted) {
  TRY(hy_call_check(cube, call));
  const hyla_matrix *a = call->argument[0].matrix, *b = call->argument[1].matrix;
  TRY(hy_factor_want(cube, call->name, method, a->k->type, a->row.n, a->col.n,
                     hy_max(least, b->col.n), hy_factor_layout_of(a), wanted));
  wanted->from_a = a;
  wanted->from_b = b;
  wanted->to_x = call->argument[2].matrix;
  return HYLA_OK;
}

/* given: a if it may be overwritten, else NULL. */
static hyla_status solve(hyla_cube *cube, struct hy_call *call, hyla_matrix *given, hyla_matrix *x,
                         int64_t *pivot) {
  struct hy_factorization wanted;
  struct hyla_factor *factor = NULL;
  if (pivot != NULL) *pivot = 0;
  call->argument[0].result = given;
  call->argument[2].result = x;
  call->argument[2].late = true;
  TRY(hy_call_agree(cube, call, hy_solve_want(cube, call, HYLA_LU, 0, &wanted)));
  wanted.given = given;
  TRY(hy_factor_make(cube, call, &wanted, &factor));
  hyla_status status = hy_factor_compute(factor, wanted.from_a, wanted.from_b);
  if (pivot != NULL) *pivot = factor->factors.pivot;
  if (status == HYLA_OK) status = hy_factor_finish(factor, x);
  (void)hyla_factor_destroy(&factor); /* cannot fail for a factor that was made */
  return status;
}

hyla_status hyla_solve(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                       int64_t *pivot) {
  struct hy_call call = hy_solve_call("hyla_solve", a, b, x);
  return solve(cube, &call, NULL, x, pivot);
}

hyla_status hyla_solve_in_place(hyla_cube *cube, hyla_matrix *a, const hyla_matrix *b,
                                hyla_matrix *x, int64_t *pivot) {
  struct hy_call call = hy_solve_call("hyla_solve_in_place", a, b, x);
  return solve(cube, &call, a, x, pivot);
}
