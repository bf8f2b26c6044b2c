/* The report on a solution: errors compared with their definitions in long double, refinement,
 * results that cannot be trusted. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 120
#include "report_case.h"

typedef double (*entry_function)(int64_t n, int64_t i, int64_t j);
static double hilbert(int64_t n, int64_t i, int64_t j) {
  (void)n;
  return 1 / (double)(i + j + 1);
}
/* Elimination doubles the last column at each step. */
static double wilkinson(int64_t n, int64_t i, int64_t j) {
  return i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
}

static struct report_system system_of(int type, int64_t n, entry_function entry) {
  struct report_system s = report_draw(type, n, 1);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) s.a[i + j * n] = report_rounded(type, entry(n, i, j));
  for (int64_t i = 0; i < n; i++) s.x[i] = report_uniform(type);
  report_set_b(&s);
  return s;
}

/* ------------------------------------------------------------------ good -- */

static bool is_variant_of_lu(const char *name) {
  const char *variant = NULL;
  for (int v = 0; (variant = hyla_variant_name("lu", v)) != NULL; v++)
    if (strcmp(variant, name) == 0) return true;
  return false;
}

static void random_systems_are_good_and_described_right(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t p = cube->nodes;
  const int64_t sizes[] = {0, 1, p - 1, p, p + 1, 13, 37, 64};
  for (int i = 0; i < 16; i++) {
    struct report_system s = report_draw(i % TYPES, sizes[i / 2],
                                         i % 3 == 0   ? 5
                                         : i % 3 == 1 ? 1
                                                      : 66);
    hyla_solve_report report;
    double _Complex *y = NULL;
    report_note(&s, i % 2 ? "refined" : "as it is");
    lu_assert_status(
        cube, report_solve(cube, &s, i % 2 ? HYLA_REFINE_FIXED : HYLA_REFINE_NONE, &report, &y),
        HYLA_OK);
    assert_true(report.reliable && report.pivot == 0 && report.method == HYLA_LU);
    assert_true(is_variant_of_lu(report.variant));
    report_assert_common(cube, &report);
    report_assert_errors(&s, y, &report);
    assert_true(report.rcond > 0 && report.rcond <= 1 + 1e-6 && report.growth >= .5);
    assert_true(report_forward_error(&s, y) <= 3 * report.forward_bound);
    if (i % 2 == 0) assert_int_equal(report.refinements, 0);
    if (i % 2 == 1) assert_true(report.componentwise_error <= 10 * s.unit);
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

/* Rows and columns of sizes from 1 to 10^-8: solutions are good in norms, and componentwise once
 * they are refined. */
static void graded_systems_are_refined(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * TYPES; i++) {
    int type = i % TYPES;
    struct report_system s = report_draw(type, 20 + i, 3);
    double range = type == HYLA_FLOAT || type == HYLA_COMPLEX ? -1 : -4;
    for (int64_t r = 0; r < s.n; r++)
      for (int64_t c = 0; c < s.n; c++)
        s.a[r + c * s.n] = report_rounded(
            type, s.a[r + c * s.n] * pow(10, range * (double)(r + c) / (double)(s.n - 1)));
    report_set_b(&s);
    hyla_solve_report report;
    double _Complex *y = NULL;
    report_note(&s, "graded");
    lu_assert_status(cube, report_solve(cube, &s, HYLA_REFINE_FIXED, &report, &y), HYLA_OK);
    report_assert_errors(&s, y, &report);
    if (!(report.componentwise_error <= 10 * s.unit))
      fail_msg("%g u after %d steps, rcond %g", report.componentwise_error / s.unit,
               report.refinements, report.rcond);
    assert_true(report_forward_error(&s, y) <= 3 * report.forward_bound);
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

/* Some rows of A meet only zeros of x.  Elimination, whose pivots lie in other rows, leaves values
 * there that are wrong by their whole size, and yet negligible beside the other entries. */
static void zeros_are_no_fault(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * TYPES; i++) {
    struct report_system s = report_draw(i % TYPES, 30 + 3 * i, 2);
    int64_t zeros = s.n / 3;
    for (int64_t c = 0; c < s.n; c++)
      for (int64_t r = 0; r < zeros; r++) s.a[r + c * s.n] *= c < zeros ? .125 : 0;
    for (int64_t c = 0; c < s.nrhs; c++)
      for (int64_t r = 0; r < zeros; r++) s.x[r + c * s.n] = 0;
    report_set_b(&s);
    hyla_solve_report report;
    double _Complex *y = NULL;
    report_note(&s, "zeros in x");
    lu_assert_status(cube, report_solve(cube, &s, HYLA_REFINE_FIXED, &report, &y), HYLA_OK);
    report_assert_common(cube, &report);
    assert_true(report.reliable && report.refinements > 0);
    report_assert_errors(&s, y, &report);
    assert_true(report.backward_error <= (double)s.n * s.unit);
    assert_true(report_forward_error(&s, y) <= 3 * report.forward_bound);
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

/* The errors of a vector that is no solution at all, at every scale. */
static void errors_are_those_of_any_vector(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const double scales[] = {1, 1e30, 1e-30};
  for (int i = 0; i < 3 * TYPES; i++) {
    struct report_system s = report_draw(i % TYPES, 17, 4);
    hyla_layout layout = lu_draw_layout(cube, 3);
    hyla_factor *factor = NULL;
    hyla_solve_report report;
    for (int64_t j = 0; j < s.n * s.n; j++)
      s.a[j] = report_rounded(s.type, scales[i / TYPES] * s.a[j]);
    report_set_b(&s);
    for (int64_t j = 0; j < s.n * s.nrhs; j++) s.x[j] = report_rounded(s.type, s.x[j] * 1.01);
    hyla_matrix *a = lu_matrix(cube, s.type, s.n, s.n, NULL);
    hyla_matrix *b = lu_matrix(cube, s.type, s.n, s.nrhs, NULL);
    hyla_matrix *x = lu_matrix(cube, s.type, s.n, s.nrhs, NULL);
    lu_put(a, s.a);
    lu_put(b, s.b);
    lu_put(x, s.x);
    report_note(&s, "any vector");
    lu_assert_status(
        cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)s.type, s.n, 4, &layout, NULL, &factor),
        HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    lu_assert_status(cube, hyla_factor_check(cube, factor, a, b, HYLA_REFINE_NONE, x, &report),
                     HYLA_UNRELIABLE);
    assert_non_null(strstr(hyla_cube_message(cube), "backward error"));
    report_assert_errors(&s, s.x, &report);
    lu_assert_status(cube, hyla_factor_check(cube, factor, a, b, HYLA_REFINE_FIXED, x, &report),
                     HYLA_OK);
    assert_true(report.refinements > 0 && report.componentwise_error <= 10 * s.unit);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
    report_free(&s);
  }
  cube_close(&cube);
}

/* By substitution, with either triangle. */
static hyla_status check_triangular(hyla_cube *cube, const struct report_system *s,
                                    hyla_triangle triangle, hyla_solve_report *report,
                                    double _Complex **y) {
  hyla_layout layout = lu_draw_layout(cube, 3);
  hyla_matrix *a = lu_matrix(cube, s->type, s->n, s->n, harness_draw(0, 1) ? &layout : NULL);
  hyla_matrix *b = lu_matrix(cube, s->type, s->n, s->nrhs, &layout);
  hyla_matrix *x = lu_matrix(cube, s->type, s->n, s->nrhs, NULL);
  lu_put(a, s->a);
  lu_put(b, s->b);
  lu_put(x, s->b);
  lu_assert_status(
      cube, hyla_trsm(cube, HYLA_LEFT, triangle, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a, x), HYLA_OK);
  int64_t before = cube->base.bytes_now;
  hyla_status status = hyla_trsm_check(cube, triangle, a, b, x, report);
  assert_int_equal(cube->base.bytes_now, before);
  *y = lu_get_all(x);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* Random triangles are ill-conditioned, unless their diagonals are large. */
static void triangular_systems_are_described_right(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES; i++) {
    const bool good = i / TYPES % 2 == 0;
    hyla_triangle triangle = i / TYPES < 3 ? HYLA_LOWER : HYLA_UPPER;
    struct report_system s = report_draw(i % TYPES, good ? harness_draw(0, 60) : 400, 2);
    for (int64_t c = 0; c < s.n; c++) {
      for (int64_t r = 0; r < s.n; r++)
        if (triangle == HYLA_LOWER ? r < c : r > c) s.a[r + c * s.n] = 0;
      if (good) s.a[c + c * s.n] = (double)s.n;
    }
    report_set_b(&s);
    hyla_solve_report report;
    double _Complex *y = NULL;
    report_note(&s, triangle == HYLA_LOWER ? "lower" : "upper");
    hyla_status status = check_triangular(cube, &s, triangle, &report, &y);
    assert_int_equal(status == HYLA_OK, report.reliable);
    report_assert_common(cube, &report);
    assert_true(report.growth == 1 && report.refinements == 0 && report.pivot == 0);
    if (good) {
      lu_assert_status(cube, status, HYLA_OK);
      report_assert_errors(&s, y, &report);
      assert_true(s.n == 0 || (report.rcond > .01 && report.rcond <= 1 + 1e-6));
      assert_true(report_forward_error(&s, y) <= 3 * report.forward_bound);
    } else {
      lu_assert_status(cube, status, HYLA_UNRELIABLE);
    }
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

/* ----------------------------------------------------- unreliable results -- */

static void hopeless_systems_are_told(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const struct {
    const char *name;
    entry_function entry;
    int64_t n;
    int type;
    const char *why;
  } given[] = {{"Hilbert 12", hilbert, 12, HYLA_DOUBLE, "rcond"},
               {"Hilbert 12", hilbert, 12, HYLA_DOUBLE_COMPLEX, "rcond"},
               {"Hilbert 8", hilbert, 8, HYLA_FLOAT, "rcond"},
               {"Wilkinson 70", wilkinson, 70, HYLA_DOUBLE, "growth factor"}};
  for (int i = 0; i < 8; i++) {
    struct report_system s = system_of(given[i / 2].type, given[i / 2].n, given[i / 2].entry);
    hyla_solve_report report;
    double _Complex *y = NULL;
    report_note(&s, given[i / 2].name);
    hyla_status status =
        report_solve(cube, &s, i % 2 ? HYLA_REFINE_FIXED : HYLA_REFINE_NONE, &report, &y);
    report_assert_common(cube, &report);
    report_assert_errors(&s, y, &report);
    assert_true(report.reliable == (status == HYLA_OK));
    /* Refinement may repair the effect of growth; it repairs no other fault. */
    bool mended = i == 7 && status == HYLA_OK;
    if (mended) assert_true(report.componentwise_error <= 16 * (double)s.n * s.unit);
    if (!mended) lu_assert_status(cube, status, HYLA_UNRELIABLE);
    if (i != 7) assert_non_null(strstr(hyla_cube_message(cube), given[i / 2].why));
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_systems_are_good_and_described_right),
      cmocka_unit_test(graded_systems_are_refined),
      cmocka_unit_test(zeros_are_no_fault),
      cmocka_unit_test(errors_are_those_of_any_vector),
      cmocka_unit_test(triangular_systems_are_described_right),
      cmocka_unit_test(hopeless_systems_are_told),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
