/* hyla_factor_inverse, hyla_invert, hyla_invert_plan: A^-1 as a matrix.
 *
 * Three ways: Gauss-Jordan's factors are the inverse, unless its variant keeps a product.  LU and
 * Cholesky, if the problem asks for it, replace their factors by the inverse (lu_inverse.c,
 * cholesky_inverse.c, which makes one triangle to be mirrored); it then lies in X, or is copied
 * there.  All others, and factors that exist, solve A X = I in X's place, as many columns at a time
 * as the factorization takes; hyla_invert's takes all.  The plan of hyla_invert is a
 * factorization's, with a run of its own. */
#include "solve/solve.h"

static bool is_inverse(const struct hyla_factor *factor) {
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  return factor->problem.inverse != NULL ? hy_makes_inverse(steps) : steps->form == HY_INVERSE;
}

static void set_identity(hyla_matrix *x) {
  const struct hy_kernels *k = x->k;
  if (k->dry) return;
  for (int64_t j = 0; j < x->local_cols; j++) {
    int64_t column = hyla_matrix_col(x, j);
    for (int64_t i = 0; i < x->local_rows; i++)
      k->set(hy_at(x, i, j), 0, hyla_matrix_row(x, i) == column);
  }
}

/* x := A^-1; agreed upon. */
static hyla_status invert(struct hyla_factor *factor, hyla_matrix *x) {
  int64_t n = factor->problem.n;
  bool there = factor->problem.given == x && !factor->factors.a->owner;
  if (is_inverse(factor)) {
    if (factor->mirror != NULL) TRY(hy_agree(factor->plan->cube, hy_plan_run(factor->mirror)));
    return there ? HYLA_OK
                 : hy_move_run(factor->plan, &factor->move[HY_ALONG_ROWS][HY_OUTSIDE],
                               factor->factors.a, x);
  }
  if (n == 0) return HYLA_OK;
  set_identity(x);
  if (factor->problem.nrhs >= n) return hy_factor_solve(factor, HYLA_NONE, x, x);
  for (int64_t first = 0; first < n; first += factor->problem.nrhs) {
    int64_t count = hy_min(factor->problem.nrhs, n - first);
    struct hyla_matrix strip = hy_matrix_part(x, 0, first, n, count);
    TRY(hy_factor_solve(factor, HYLA_NONE, &strip, &strip));
  }
  return HYLA_OK;
}

/* --------------------------------------------------------------- public -- */

hyla_status hyla_factor_inverse(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *x) {
  struct hy_call call = {.name = "hyla_factor_inverse",
                         .argument = {{"x", x, .sizes = "NN", .result = x}}};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED | HY_SQUARE, &call);
  if (mine == HYLA_OK && !is_inverse(factor) && factor->problem.nrhs == 0)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT,
                   "%s: the factorization was made for no right-hand side; make it for one or more",
                   call.name);
  TRY(hy_call_enter(cube, &call, mine));
  return invert(hy_factor_workspace(factor), x);
}

void hy_factor_aim(struct hy_factorization *wanted) {
  wanted->from_a = wanted->inverted;
  wanted->given = NULL;
  if (wanted->nrhs > 0)
    wanted->from_b = wanted->to_x = wanted->inverse;
  else if (hy_factor_fits(wanted->inverse))
    wanted->given = wanted->inverse;
}

hyla_status hy_factor_invert(struct hyla_factor *factor) {
  if (factor->problem.method->is.needs_data) TRY(hy_need_data(factor->problem.cube, "hyla_invert"));
  TRY(hy_factor_compute(factor, factor->problem.inverted, NULL));
  return invert(factor, factor->problem.inverse);
}

/* The variant that is asked for, NULL if none or unknown; the choice reports unknown names. */
static const struct hy_variant *asked_of(const hyla_cube *cube, const struct hy_family *family,
                                         const char *variant) {
  const struct hy_variant *fixed = hy_choice_fixed(cube, family, variant);
  return fixed != NULL || variant == NULL ? fixed : hy_family_find(family, variant);
}

/* The inverse is made by the variant that is asked for or else by the method's first one, or A X =
 * I is solved. */
static hyla_status check(hyla_cube *cube, const struct hy_call *call, hyla_method method,
                         struct hy_factorization *wanted) {
  const hyla_matrix *a = call->argument[0].matrix;
  hyla_matrix *x = call->argument[1].result;
  TRY(hy_call_check(cube, call));
  const int64_t n = a->row.n;
  const struct hy_method *known =
      (int)method >= 0 && (int)method < hy_method_count ? &hy_methods[method] : NULL;
  const struct hy_variant *asked =
      known == NULL ? NULL : asked_of(cube, &known->variants, call->variant);
  bool in_place =
      known != NULL && hy_makes_inverse(asked != NULL ? asked->traits : hy_method_traits(known));
  const hyla_matrix *good = in_place ? x : a;
  /* A variant that is only taken when asked for keeps X's or A's layout. */
  bool as_it_lies = asked != NULL && asked->asked != NULL;
  TRY(hy_factor_want(cube, call->name, method, a->k->type, n, n, in_place ? 0 : n,
                     as_it_lies ? &good->layout : hy_factor_layout_of(good), wanted));
  wanted->inverted = a;
  wanted->inverse = x;
  hy_factor_aim(wanted);
  return HYLA_OK;
}

static struct hy_call call_of(const char *name, hyla_method method, const hyla_matrix *a,
                              hyla_matrix *x, const char *variant) {
  return (struct hy_call){
      .name = name,
      .number = {(int64_t)method},
      .argument = {{"a", a, .sizes = "nn", .replaced = true}, {"x", x, .sizes = "nn", .result = x}},
      .variant = variant};
}

static hyla_status plan_call(hyla_cube *cube, const struct hy_call *call, hyla_method method,
                             struct hyla_factor **factor) {
  struct hy_factorization wanted;
  TRY(hy_call_agree(cube, call, check(cube, call, method, &wanted)));
  return hy_factor_make(cube, call, &wanted, factor);
}

hyla_status hyla_invert_plan(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                             hyla_matrix *x, const char *variant, hyla_plan **plan) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hyla_factor *factor = NULL;
  struct hy_call call = call_of("hyla_invert_plan", method, a, x, variant);
  call.place[0] = (struct hy_named_place){"plan", plan, 1};
  if (plan != NULL) *plan = NULL;
  TRY(plan_call(cube, &call, method, &factor));
  *plan = factor->plan;
  return HYLA_OK;
}

hyla_status hyla_invert(hyla_cube *cube, hyla_method method, const hyla_matrix *a, hyla_matrix *x,
                        int64_t *pivot) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hyla_factor *factor = NULL;
  const struct hy_call call = call_of("hyla_invert", method, a, x, NULL);
  if (pivot != NULL) *pivot = 0;
  TRY(plan_call(cube, &call, method, &factor));
  hyla_status status = hy_agree(cube, hy_plan_run(factor->plan));
  if (pivot != NULL) *pivot = factor->factors.pivot;
  (void)hyla_factor_destroy(&factor); /* cannot fail for a factor that was made */
  return status;
}
