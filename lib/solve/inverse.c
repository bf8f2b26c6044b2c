/* hyla_factor_inverse, hyla_invert: A^-1 as a matrix.
 *
 * Gauss-Jordan's factors are the inverse: they are copied, or lie in X already.  By the other
 * methods A X = I is solved in X's place, as many columns at a time as the factorization was made
 * for. */
#include "solve/solve.h"

static bool is_inverse(const struct hyla_factor *factor) {
  const struct hy_substitutions *steps = hy_choice_variant(&factor->plan->choice)->traits;
  return steps->multiply != NULL;
}

static struct hyla_matrix columns_at(const hyla_matrix *x, int64_t first, int64_t count) {
  struct hyla_matrix strip = *x;
  int64_t begin = hy_axis_before(&x->col, x->col_part, first);
  strip.owner = false;
  strip.local_cols = hy_axis_before(&x->col, x->col_part, first + count) - begin;
  if (strip.local_rows > 0 && strip.local_cols > 0) strip.local = hy_at(x, 0, begin);
  strip.col = hy_axis_range(&x->col, first, count);
  return strip;
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
  if (is_inverse(factor)) return hy_staged_run(factor->plan, &factor->x, factor->factors.a, x);
  set_identity(x);
  if (factor->problem.nrhs >= n) return hy_factor_solve(factor, HYLA_NONE, x, x);
  for (int64_t first = 0; first < n; first += factor->problem.nrhs) {
    struct hyla_matrix strip = columns_at(x, first, hy_min(factor->problem.nrhs, n - first));
    TRY(hy_factor_solve(factor, HYLA_NONE, &strip, &strip));
  }
  return HYLA_OK;
}

/* --------------------------------------------------------------- public -- */

static hyla_status check_factor(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *x) {
  TRY(hy_factor_check_computed(cube, factor));
  CHECK(&cube->base, is_inverse(factor) || factor->problem.nrhs > 0, ARGUMENT,
        "hyla_factor_inverse: the factorization was made for no right-hand side; make it for one "
        "or more");
  return hy_factor_check_matrix(factor, x, factor->problem.n, "x");
}

hyla_status hyla_factor_inverse(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *x) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_factor(cube, factor, x);
  uint64_t fingerprint = hy_matrix_fingerprint(0, x);
  if (mine == HYLA_OK) fingerprint = hy_factor_fingerprint(fingerprint, factor);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_inverse"));
  return invert(hy_factor_workspace(factor), x);
}

static hyla_status check_invert(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                                hyla_matrix *x, struct hy_factorization *wanted) {
  struct hy_base *base = &cube->base;
  TRY(hy_matrix_check(cube, a, "a"));
  TRY(hy_matrix_check(cube, x, "x"));
  CHECK(base, a->k == x->k, ARGUMENT, "hyla_invert: a has type %s, x %s; convert one of them",
        a->k->name, x->k->name);
  int64_t n = a->row.n;
  CHECK(base, a->col.n == n && x->row.n == n && x->col.n == n, ARGUMENT,
        "hyla_invert: a is %lld x %lld, x %lld x %lld; give square ones of one size", (long long)n,
        (long long)a->col.n, (long long)x->row.n, (long long)x->col.n);
  CHECK(base, a == x || !hy_matrix_overlap(a, x), ARGUMENT,
        "hyla_invert: a and x share entries; give x a matrix of its own, or a itself");
  bool in_place = method == HYLA_GAUSS_JORDAN;
  const hyla_matrix *good = in_place ? x : a;
  TRY(hy_factor_want(cube, method, a->k->type, n, in_place ? 0 : n,
                     hy_factor_fits(good) ? &good->layout : NULL, wanted));
  if (in_place && hy_factor_fits(x)) wanted->given = x;
  if (!in_place) {
    wanted->from_a = a;
    wanted->from_b = wanted->to_x = x;
  }
  return hy_need_data(cube, "hyla_invert");
}

/* Factors a, or, where the factors lie in x, a's copy there. */
static hyla_status compute(struct hyla_factor *factor, const hyla_matrix *a, hyla_matrix *x) {
  if (factor->problem.given == NULL || factor->factors.a->owner)
    return hy_factor_compute(factor, a, NULL);
  if (a != x) TRY(hy_staged_once(a, x));
  return hy_factor_compute(factor, x, NULL);
}

hyla_status hyla_invert(hyla_cube *cube, hyla_method method, const hyla_matrix *a, hyla_matrix *x,
                        int64_t *pivot) {
  struct hy_factorization wanted;
  struct hyla_factor *factor = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (pivot != NULL) *pivot = 0;
  hyla_status mine = check_invert(cube, method, a, x, &wanted);
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, a), x);
  fingerprint = hy_fingerprint(fingerprint, &method, sizeof method);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_invert"));
  TRY(hy_factor_make(cube, &wanted, NULL, &factor));
  hyla_status status = compute(factor, a, x);
  if (pivot != NULL) *pivot = factor->factors.pivot;
  if (status == HYLA_OK) status = invert(factor, x);
  (void)hyla_factor_destroy(&factor); /* cannot fail for a factor that was made */
  return status;
}
