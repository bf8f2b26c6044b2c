/* Explicit inverses by every method: A X = I and X A = I, in place and not, by existing factors;
 * matrices that stop it; refusals. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x2
// limit: 120
#include "lu_case.h"
#include "methods.h"
#include "tests/harness/draw.h"

/* A matrix of a kind, in a drawn layout. */
static hyla_matrix *draw_kind(hyla_cube *cube, const char *kind, int type, int64_t n) {
  hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 20));
  hyla_matrix *a = lu_matrix(cube, type, n, n, harness_draw(0, 2) > 0 ? &layout : NULL);
  lu_assert_status(cube, hyla_matrix_gallery(cube, a, kind, (uint64_t)n), HYLA_OK);
  return a;
}

/* A kind that all methods take. */
static hyla_matrix *draw_matrix(hyla_cube *cube, int type, int64_t n) {
  return draw_kind(cube, "definite", type, n);
}

/* The largest entry of A B - I, in multiples of u |A|_max |B|_max n. */
static double distance(int64_t n, const double _Complex *a, const double _Complex *b) {
  double most = 0, largest_a = 0, largest_b = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex sum = i == j ? -1 : 0;
      for (int64_t k = 0; k < n; k++) sum += a[i + k * n] * b[k + j * n];
      most = fmax(most, cabs(sum));
      largest_a = fmax(largest_a, cabs(a[i + j * n]));
      largest_b = fmax(largest_b, cabs(b[i + j * n]));
    }
  return n == 0 ? 0 : most / (largest_a * largest_b * (double)n);
}

static void check_within(const hyla_matrix *x, int64_t n, const double _Complex *a, double most) {
  double u = x->k->epsilon;
  double _Complex *inverse = lu_get_all(x);
  double right = distance(n, a, inverse) / u, left = distance(n, inverse, a) / u;
  if (!(right <= most && left <= most)) fail_msg("A X - I is %g, X A - I is %g", right, left);
  free(inverse);
}

static void check_inverse(const hyla_matrix *x, int64_t n, const double _Complex *a) {
  check_within(x, n, a, 8);
}

static void one_call(hyla_cube *cube, int method, int type, int64_t n, bool in_place) {
  hyla_matrix *a = draw_matrix(cube, type, n), *x = in_place ? a : draw_matrix(cube, type, n);
  double _Complex *entries = lu_get_all(a);
  int64_t pivot = -1;
  harness_note("%s, n = %lld, type %d%s", hyla_method_at(method)->name, (long long)n, type,
               in_place ? ", in place" : "");
  lu_assert_status(cube, hyla_invert(cube, (hyla_method)method, a, x, &pivot), HYLA_OK);
  assert_int_equal(pivot, 0);
  check_inverse(x, n, entries);
  free(entries);
  if (!in_place) hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&a);
}

static void inverses_are_inverse(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t p = cube->nodes, sizes[] = {0, 1, p - 1, p, p + 1, 13, 37, 64, 83};
  int64_t before = cube->base.bytes_now;
  for (int method = 0; hyla_method_at(method) != NULL; method++)
    for (int i = 0; i < 18; i++) one_call(cube, method, i % TYPES, sizes[i % 9], i >= 9);
  assert_int_equal(cube->base.bytes_now, before);
  cube_close(&cube);
}

/* Kinds whose rows are swapped, and one whose rows are not.  The error of Gauss-Jordan grows with
 * the condition, which is near n^2 for the last kind, and with the pivots, which are nearly tied
 * for hartley. */
static void swapped_rows_become_columns(void **state) {
  (void)state;
  static const hyla_method methods[] = {HYLA_LU, HYLA_GAUSS_JORDAN};
  static const struct {
    const char *name;
    int methods;
  } kinds[] = {{"hartley", 2}, {"random", 2}, {"dominant", 2}, {"fiedler", 1}};
  hyla_cube *cube = cube_open(false);
  const int64_t sizes[] = {2, 24, 38, 64, 98};
  for (int kind = 0; kind < 4; kind++)
    for (int method = 0; method < kinds[kind].methods; method++)
      for (int i = 0; i < 5; i++) {
        int type = (i + kind + method) % TYPES;
        int64_t n = sizes[i];
        hyla_matrix *a = draw_kind(cube, kinds[kind].name, type, n);
        hyla_matrix *x = i % 2 == 0 ? a : draw_kind(cube, "random", type, n);
        double _Complex *entries = lu_get_all(a);
        harness_note("%s, %s, n = %lld, type %d", kinds[kind].name,
                     hyla_method_at((int)methods[method])->name, (long long)n, type);
        lu_assert_status(cube, hyla_invert(cube, methods[method], a, x, NULL), HYLA_OK);
        check_within(x, n, entries, methods[method] == HYLA_GAUSS_JORDAN ? 16 : 8);
        free(entries);
        if (x != a) hyla_matrix_destroy(&x);
        hyla_matrix_destroy(&a);
      }
  cube_close(&cube);
}

/* Factors solve for as many columns at a time as they were made for. */
static void factors_give_inverses(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t n = 29, sides[] = {1, 3, 29, 40};
  for (int method = 0; hyla_method_at(method) != NULL; method++)
    for (int i = 0; i < 4; i++) {
      int type = i % TYPES;
      hyla_matrix *a = draw_matrix(cube, type, n), *x = draw_matrix(cube, type, n);
      double _Complex *entries = lu_get_all(a);
      hyla_factor *factor = NULL;
      harness_note("%s, %lld at a time, type %d", hyla_method_at(method)->name, (long long)sides[i],
                   type);
      lu_assert_status(cube,
                       hyla_factor_create(cube, (hyla_method)method, (hyla_type)type, n, sides[i],
                                          NULL, NULL, &factor),
                       HYLA_OK);
      lu_assert_status(cube, hyla_factor_inverse(cube, factor, x), HYLA_ARGUMENT);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      for (int again = 0; again < 2; again++) {
        lu_assert_status(cube, hyla_factor_inverse(cube, factor, x), HYLA_OK);
        check_inverse(x, n, entries);
      }
      hyla_factor_destroy(&factor);
      free(entries);
      hyla_matrix_destroy(&x);
      hyla_matrix_destroy(&a);
    }
  cube_close(&cube);
}

/* Every variant's plan is run again after A has changed. */
static void plans_are_run_again(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t p = cube->nodes, sizes[] = {0, 1, p - 1, p + 1, 31, 64, 71};
  int64_t before = cube->base.bytes_now;
  const char *variant = NULL;
  for (int method = 0; hyla_method_at(method) != NULL; method++)
    for (int i = 0; (variant = method_variant(hyla_method_at(method)->name, i)) != NULL; i++)
      for (int s = 0; s < 7; s++) {
        int type = (s + i) % TYPES;
        int64_t n = sizes[s];
        hyla_matrix *a = draw_matrix(cube, type, n), *x = draw_matrix(cube, type, n);
        hyla_plan *plan = NULL;
        harness_note("%s, n = %lld, type %d", variant, (long long)n, type);
        lu_assert_status(cube, hyla_invert_plan(cube, (hyla_method)method, a, x, variant, &plan),
                         HYLA_OK);
        assert_string_equal(hyla_plan_variant(plan), variant);
        for (int again = 0; again < 2; again++) {
          lu_assert_status(cube, hyla_matrix_gallery(cube, a, "definite", (uint64_t)(5 + again)),
                           HYLA_OK);
          double _Complex *entries = lu_get_all(a);
          lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_OK);
          check_inverse(x, n, entries);
          free(entries);
        }
        hyla_plan_destroy(&plan);
        hyla_matrix_destroy(&x);
        hyla_matrix_destroy(&a);
      }
  assert_int_equal(cube->base.bytes_now, before);
  cube_close(&cube);
}

/* After a run that fails the plan can be run again; a wrong request makes no plan. */
static void plans_tell_what_stops_them(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t n = 19;
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_plan *plan = NULL;
  for (int method = 0; hyla_method_at(method) != NULL; method++) {
    const hyla_method m = (hyla_method)method;
    lu_assert_status(cube, hyla_matrix_gallery(cube, a, "definite", 1), HYLA_OK);
    double _Complex *entries = lu_get_all(a);
    lu_assert_status(cube, hyla_invert_plan(cube, m, a, x, NULL, &plan), HYLA_OK);
    lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_ZERO, 0), HYLA_OK);
    lu_assert_status(cube, hyla_plan_run(cube, plan), method_row(m)->stops);
    assert_non_null(strchr(hyla_cube_message(cube), '1'));
    assert_int_equal(hyla_invert_pivot(plan), 1);
    lu_put(a, entries);
    lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_OK);
    check_inverse(x, n, entries);
    free(entries);
    hyla_plan_destroy(&plan);
    lu_assert_status(cube, hyla_invert_plan(cube, m, a, x, "sideways", &plan), HYLA_ARGUMENT);
    assert_null(plan);
  }
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

/* A good inverse is reported as good, with its condition; another matrix is not. */
static void checks_tell_good_from_bad(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t p = cube->nodes, sizes[] = {0, 1, p + 1, 37};
  hyla_solve_report report;
  for (int i = 0; i < 16; i++) {
    const int64_t n = sizes[i / TYPES];
    hyla_matrix *a = draw_matrix(cube, i % TYPES, n), *x = draw_matrix(cube, i % TYPES, n);
    double norm = 0, inverse = 0;
    harness_note("n = %lld, type %d", (long long)n, i % TYPES);
    lu_assert_status(cube, hyla_invert(cube, HYLA_CHOLESKY, a, x, NULL), HYLA_OK);
    lu_assert_status(cube, hyla_invert_check(cube, a, x, &report), HYLA_OK);
    lu_assert_status(cube, hyla_matrix_norm(cube, a, HYLA_NORM_ONE, &norm), HYLA_OK);
    lu_assert_status(cube, hyla_matrix_norm(cube, x, HYLA_NORM_ONE, &inverse), HYLA_OK);
    assert_true(report.reliable && report.residual <= 1 && isnan(report.growth));
    assert_true(n == 0 ? report.rcond == 1 : fabs(report.rcond * norm * inverse - 1) < 1e-14);
    lu_assert_status(cube, hyla_matrix_generate(cube, x, HYLA_ONES, 0), HYLA_OK);
    if (n > 1) lu_assert_status(cube, hyla_invert_check(cube, a, x, &report), HYLA_UNRELIABLE);
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

static void what_stops_it_is_named(void **state) {
  (void)state;
  static const hyla_method methods[] = {HYLA_LU, HYLA_GAUSS_JORDAN};
  hyla_cube *cube = cube_open(false);
  const int64_t n = 23;
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_matrix *wide = lu_matrix(cube, HYLA_DOUBLE, n, n + 1, NULL);
  for (int i = 0; i < 2; i++) {
    int64_t pivot = 0;
    lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
    double _Complex *entries = lu_get_all(a);
    for (int64_t k = 0; k < n; k++) entries[k + 17 * n] = 0;
    lu_put(a, entries);
    lu_assert_status(cube, hyla_invert(cube, methods[i], a, x, &pivot), HYLA_SINGULAR);
    assert_int_equal(pivot, 18);
    free(entries);
    lu_assert_status(cube, hyla_invert(cube, methods[i], a, wide, NULL), HYLA_ARGUMENT);
  }
  for (int method = 0; hyla_method_at(method) != NULL; method++) {
    int64_t pivot = 0;
    lu_assert_status(cube, hyla_matrix_gallery(cube, a, "definite", 1), HYLA_OK);
    double _Complex *entries = lu_get_all(a);
    entries[8 + 8 * n] = -entries[8 + 8 * n];
    lu_put(a, entries);
    bool definite = method_row((hyla_method)method)->definite;
    lu_assert_status(cube, hyla_invert(cube, (hyla_method)method, a, x, &pivot),
                     definite ? HYLA_INDEFINITE : HYLA_OK);
    assert_int_equal(pivot, definite ? 9 : 0);
    if (!definite) check_inverse(x, n, entries);
    entries[8 + 8 * n] = NAN;
    lu_put(a, entries);
    lu_assert_status(cube, hyla_invert(cube, (hyla_method)method, a, x, &pivot), HYLA_NOT_FINITE);
    free(entries);
  }
  lu_assert_status(cube, hyla_invert(cube, (hyla_method)77, a, x, NULL), HYLA_ARGUMENT);
  hyla_matrix_destroy(&wide);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverses_are_inverse),       cmocka_unit_test(swapped_rows_become_columns),
      cmocka_unit_test(factors_give_inverses),      cmocka_unit_test(plans_are_run_again),
      cmocka_unit_test(plans_tell_what_stops_them), cmocka_unit_test(what_stops_it_is_named),
      cmocka_unit_test(checks_tell_good_from_bad)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
