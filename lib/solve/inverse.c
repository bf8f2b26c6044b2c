/* hyla_factor_inverse, hyla_invert, hyla_invert_plan: A^-1 as a matrix.
 *
 * Gauss-Jordan's factors are the inverse, unless as a product; LU and Cholesky, when told so, make
 * the inverse of their factors (lu_inverse.c, cholesky_inverse.c; of a Hermitian one a triangle,
 * which is mirrored): it is copied, or lies in X already.  By the other methods, and by
 * factors that are there, A X = I is solved in X's place, as many columns at a time as the
 * factorization was made for: all of them by the two other calls.  Their plan is a factorization's
 * that knows what it is for, and so is run as a whole. */
#include "solve/solve.h"

#include <string.h>

static bool is_inverse(const struct hyla_factor *factor) {
  const struct hy_substitutions *steps = hy_choice_variant(&factor->plan->choice)->traits;
  return factor->problem.inverse != NULL ? hy_makes_inverse(steps) : steps->multiply != NULL;
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
    return there ? HYLA_OK : hy_staged_run(factor->plan, &factor->x, factor->factors.a, x);
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

static hyla_status check_factor(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *x) {
  TRY(hy_factor_check_square(cube, factor, "hyla_factor_inverse"));
  CHECK(&cube->base, is_inverse(factor) || factor->problem.nrhs > 0, ARGUMENT,
        "hyla_factor_inverse: the factorization was made for no right-hand side; make it for one "
        "or more");
  return hy_factor_check_matrix(factor, x, factor->problem.n, factor->problem.n, "x");
}

hyla_status hyla_factor_inverse(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *x) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_factor(cube, factor, x);
  uint64_t fingerprint = hy_matrix_fingerprint(0, x);
  if (mine == HYLA_OK) fingerprint = hy_factor_fingerprint(fingerprint, factor);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_inverse"));
  return invert(hy_factor_workspace(factor), x);
}

/* What the user asked for; every member is a global argument. */
struct request {
  hyla_method method;
  const hyla_matrix *a;
  hyla_matrix *x;
  const char *variant;
};

static uint64_t fingerprint_of(const struct request *r, const char *variant) {
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, r->a), r->x);
  fingerprint = hy_fingerprint(fingerprint, &r->method, sizeof r->method);
  return variant == NULL ? fingerprint : hy_fingerprint(fingerprint, variant, strlen(variant));
}

/* What is inverted, and where to; factors that are the inverse lie there if they can. */
static void aim(struct hy_factorization *wanted, const hyla_matrix *a, hyla_matrix *x) {
  wanted->inverted = wanted->from_a = a;
  wanted->inverse = x;
  wanted->given = NULL;
  if (wanted->nrhs > 0)
    wanted->from_b = wanted->to_x = x;
  else if (hy_factor_fits(x))
    wanted->given = x;
}

static hyla_status run(struct hyla_factor *factor) {
  TRY(hy_factor_need_data(factor, "hyla_invert"));
  TRY(hy_factor_compute(factor, factor->problem.inverted, NULL));
  return invert(factor, factor->problem.inverse);
}

static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *stage) {
  struct hy_factorization wanted = *(const struct hy_factorization *)arg;
  struct hyla_factor *factor = NULL;
  struct hyla_matrix a, x;
  bool in_place = wanted.inverted == wanted.inverse;
  hyla_matrix *from = hy_matrix_stage(stage, wanted.inverted, &a);
  hyla_matrix *to = in_place ? from : hy_matrix_stage(stage, wanted.inverse, &x);
  wanted.cube = stage;
  wanted.k = hy_cube_kernels(stage, wanted.k->type);
  aim(&wanted, from, to);
  TRY(hy_factor_make(stage, &wanted, variant->name, &factor));
  hyla_status status = hy_plan_run(factor->plan);
  (void)hyla_factor_destroy(&factor);
  return status;
}

/* The variant that is asked for; a name that is none is for the choice to find out. */
static const struct hy_variant *asked_of(const hyla_cube *cube, const struct request *r) {
  if ((int)r->method < 0 || (int)r->method >= hy_method_count) return NULL;
  const struct hy_family *family = &hy_methods[r->method].variants;
  const struct hy_variant *fixed = hy_choice_fixed(cube, family, r->variant);
  return fixed != NULL || r->variant == NULL ? fixed : hy_family_find(family, r->variant);
}

/* Does that variant, or else any that is taken unasked, make the inverse? */
static bool makes_inverse(const struct request *r, const struct hy_variant *asked) {
  if ((int)r->method < 0 || (int)r->method >= hy_method_count) return false;
  const struct hy_variant *first = hy_methods[r->method].variants.rows[0];
  return hy_makes_inverse((asked == NULL ? first : asked)->traits);
}

static hyla_status check_invert(hyla_cube *cube, const struct request *r, const char *call,
                                struct hy_factorization *wanted) {
  struct hy_base *base = &cube->base;
  const hyla_matrix *a = r->a, *x = r->x;
  TRY(hy_matrix_check(cube, a, "a"));
  TRY(hy_matrix_check(cube, x, "x"));
  CHECK(base, a->k == x->k, ARGUMENT, "%s: a has type %s, x %s; convert one of them", call,
        a->k->name, x->k->name);
  int64_t n = a->row.n;
  CHECK(base, a->col.n == n && x->row.n == n && x->col.n == n, ARGUMENT,
        "%s: a is %lld x %lld, x %lld x %lld; give square ones of one size", call, (long long)n,
        (long long)a->col.n, (long long)x->row.n, (long long)x->col.n);
  CHECK(base, a == x || !hy_matrix_overlap(a, x), ARGUMENT,
        "%s: a and x share entries; give x a matrix of its own, or a itself", call);
  const struct hy_variant *asked = asked_of(cube, r);
  bool in_place = makes_inverse(r, asked);
  const hyla_matrix *good = in_place ? x : a;
  /* One that nobody gets unasked wants a layout of its own. */
  bool as_it_lies = asked != NULL && asked->asked != NULL;
  TRY(hy_factor_want(cube, r->method, a->k->type, n, n, in_place ? 0 : n,
                     as_it_lies ? &good->layout : hy_factor_layout_of(good), wanted));
  aim(wanted, a, r->x);
  wanted->invert = run;
  wanted->rehearse = rehearse;
  return HYLA_OK;
}

/* room: there is a place for what is made. */
static hyla_status plan_request(hyla_cube *cube, const struct request *r, const char *call,
                                bool room, struct hyla_factor **factor) {
  struct hy_factorization wanted;
  hyla_status mine = room ? check_invert(cube, r, call, &wanted)
                          : hy_fail(&cube->base, HYLA_ARGUMENT, "%s: plan is NULL", call);
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? fingerprint_of(r, r->variant) : 0, call));
  TRY(hy_factor_make(cube, &wanted, r->variant, factor));
  hyla_plan *plan = (*factor)->plan;
  plan->fingerprint = fingerprint_of(r, hy_choice_variant(&plan->choice)->name);
  return HYLA_OK;
}

hyla_status hyla_invert_plan(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                             hyla_matrix *x, const char *variant, hyla_plan **plan) {
  const struct request r = {method, a, x, variant};
  struct hyla_factor *factor = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (plan != NULL) *plan = NULL;
  TRY(plan_request(cube, &r, "hyla_invert_plan", plan != NULL, &factor));
  *plan = factor->plan;
  return HYLA_OK;
}

hyla_status hyla_invert(hyla_cube *cube, hyla_method method, const hyla_matrix *a, hyla_matrix *x,
                        int64_t *pivot) {
  const struct request r = {method, a, x, NULL};
  struct hyla_factor *factor = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (pivot != NULL) *pivot = 0;
  TRY(plan_request(cube, &r, "hyla_invert", true, &factor));
  hyla_status status = hy_agree(cube, hy_plan_run(factor->plan));
  if (pivot != NULL) *pivot = factor->factors.pivot;
  (void)hyla_factor_destroy(&factor); /* cannot fail for a factor that was made */
  return status;
}
