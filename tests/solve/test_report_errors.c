/* Solutions with a report in faulty cases: singular systems, NaN and infinities, lack of memory,
 * factors for fewer columns. */
// ranks: 1 3 4 5 8
// sample: 1 3 4
// limit: 120
#include "report_case.h"

static void singular_systems_have_their_pivot(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < TYPES; i++) {
    struct report_system s = report_draw(i, 11, 2);
    int64_t column = harness_draw(0, 10);
    for (int64_t r = 0; r < s.n; r++) s.a[r + column * s.n] = 0;
    hyla_solve_report report;
    double _Complex *y = NULL;
    report_note(&s, "singular");
    lu_assert_status(cube, report_solve(cube, &s, HYLA_REFINE_FIXED, &report, &y), HYLA_SINGULAR);
    assert_int_equal(report.pivot, column + 1);
    assert_true(!report.reliable && isnan(report.rcond) && isnan(report.backward_error));
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

static void what_is_not_finite_is_never_reliable(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  static const hyla_refinement REFINEMENTS[] = {HYLA_REFINE_NONE, HYLA_REFINE_FIXED,
                                                HYLA_REFINE_EXTENDED};
  for (int i = 0; i < 12; i++) {
    struct report_system s = report_draw(i % TYPES, 12, 2);
    double _Complex *where = i % 2 ? s.a : s.b;
    where[harness_draw(0, i % 2 ? 143 : 23)] = bad[i / 4];
    hyla_solve_report report;
    double _Complex *y = NULL;
    report_note(&s, i % 2 ? "bad a" : "bad b");
    hyla_status status = report_solve(cube, &s, REFINEMENTS[i % 4 / 2 + i / 4 % 2], &report, &y);
    if (i % 2 == 0) lu_assert_status(cube, status, HYLA_UNRELIABLE);
    assert_true(status == HYLA_UNRELIABLE || status == HYLA_NOT_FINITE);
    assert_false(report.reliable);
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

/* -------------------------------------------------------------- contract -- */

static void cholesky_reports_too(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE_COMPLEX, 33, 33, NULL);
  hyla_matrix *b = lu_matrix(cube, HYLA_DOUBLE_COMPLEX, 33, 2, NULL);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE_COMPLEX, 33, 2, NULL);
  const hyla_solve_options options = {.method = HYLA_CHOLESKY, .refinement = HYLA_REFINE_FIXED};
  hyla_solve_report report;
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_HERMITIAN, 3), HYLA_OK);
  for (int64_t i = 0; i < 33; i++)
    assert_int_equal(hyla_matrix_set(cube, a, i, i, 70), HYLA_OK); /* dominant: definite */
  assert_int_equal(hyla_matrix_generate(cube, b, HYLA_RANDOM, 4), HYLA_OK);
  lu_assert_status(cube, hyla_solve_expert(cube, &options, a, b, x, &report), HYLA_OK);
  assert_true(report.method == HYLA_CHOLESKY && report.reliable && report.growth == 1);
  assert_string_equal(report.variant, "right-looking");
  assert_true(report.componentwise_error <= 10 * a->k->epsilon);
  assert_int_equal(hyla_matrix_set(cube, a, 5, 5, -1), HYLA_OK);
  lu_assert_status(cube, hyla_solve_expert(cube, &options, a, b, x, &report), HYLA_INDEFINITE);
  assert_true(report.pivot == 6 && !report.reliable);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

/* Factors that were made for fewer columns. */
static void factors_for_fewer_columns_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 6, 6, NULL),
              *b = lu_matrix(cube, HYLA_DOUBLE, 6, 2, NULL);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, 6, 2, NULL);
  hyla_factor *factor = NULL, *narrow = NULL;
  hyla_solve_report report;
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_IDENTITY, 0), HYLA_OK);
  assert_int_equal(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 6, 2, NULL, NULL, &factor), 0);
  assert_int_equal(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 6, 1, NULL, NULL, &narrow), 0);
  assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_OK);
  assert_int_equal(hyla_factor_compute(cube, narrow, a), HYLA_OK);
  for (int where = -1; where < harness_ranks(); where++) {
    bool here = where < 0 || where == harness_rank();
    assert_int_equal(hyla_factor_check(cube, here ? narrow : factor, a, b, 0, x, &report),
                     HYLA_ARGUMENT);
  }
  hyla_factor_destroy(&narrow);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct report_system s = report_draw(HYLA_DOUBLE, 21, 2);
  struct report_placed placed = report_place(cube, &s);
  const hyla_solve_options options = {.refinement = HYLA_REFINE_FIXED};
  report_memory_runs_out(&placed, &options, 3, 200);
  report_leave(&placed);
  report_free(&s);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(singular_systems_have_their_pivot),
      cmocka_unit_test(what_is_not_finite_is_never_reliable),
      cmocka_unit_test(cholesky_reports_too),
      cmocka_unit_test(factors_for_fewer_columns_are_refused),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
