/* LU of matrices that are not square: sizes, methods and calls that are refused, alike on all ranks
 * and with the reason. */
// ranks: 1 3 4 5 8
// sample: 1 3 4
#include "lu_case.h"

static void sizes_that_a_method_does_not_take_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_factor *factor = NULL;
  for (int method = 0; hyla_method_at(method) != NULL; method++)
    for (int tall = 0; tall < 2; tall++) {
      hyla_status status = hyla_factor_create_rectangular(
          cube, (hyla_method)method, HYLA_DOUBLE, 5 + tall, 6 - tall, 0, NULL, NULL, &factor);
      if (hyla_method_at(method)->rectangular)
        lu_assert_status(cube, status, HYLA_OK);
      else
        lu_assert_refused(cube, status, "takes square matrices");
      hyla_factor_destroy(&factor);
    }
  const hyla_type type = HYLA_DOUBLE;
  const int64_t sizes[][4] = {{5, 6, 1}, {-1, 6, 0}, {5, -6, 0}, {5, 5, -1}};
  static const char *const why[] = {"square systems", "-1 x 6", "5 x -6", "nrhs -1"};
  for (int i = 0; i < 4; i++)
    lu_assert_refused(cube,
                      hyla_factor_create_rectangular(cube, HYLA_LU, type, sizes[i][0], sizes[i][1],
                                                     sizes[i][2], NULL, NULL, &factor),
                      why[i]);
  lu_assert_refused(cube,
                    hyla_factor_create_rectangular(cube, HYLA_LU, type, 5, 6, 0, NULL, NULL, NULL),
                    "hyla_factor_create_rectangular: factor is NULL");
  assert_int_equal(
      hyla_factor_create_rectangular(NULL, HYLA_LU, type, 5, 6, 0, NULL, NULL, &factor),
      HYLA_ARGUMENT);
  hyla_layout elements = lu_draw_layout(cube, 1);
  assert_int_equal(
      hyla_factor_create_rectangular(cube, HYLA_LU, type, 5, 6, 0, &elements, "diagonal", &factor),
      HYLA_UNSUPPORTED);
  if (harness_ranks() > 1)
    assert_int_equal(hyla_factor_create_rectangular(cube, HYLA_LU, type, 5 + harness_rank() % 2, 6,
                                                    0, NULL, NULL, &factor),
                     HYLA_MISMATCH);
  assert_null(factor);
  cube_close(&cube);
}

/* Matrices of other shapes; calls that need a square A. */
static void calls_that_want_other_shapes_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int tall = 0; tall < 2; tall++) {
    const int64_t m = 5 + 4 * tall, n = 9 - 4 * tall;
    hyla_factor *factor = NULL;
    hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, m, n, NULL);
    hyla_matrix *square = lu_matrix(cube, HYLA_DOUBLE, 9, 9, NULL);
    hyla_matrix *turned = lu_matrix(cube, HYLA_DOUBLE, n, m, NULL);
    hyla_solve_report report;
    double number = 0, sign[2];
    lu_assert_status(cube,
                     hyla_factor_create_rectangular(cube, HYLA_LU, HYLA_DOUBLE, m, n, 0, NULL,
                                                    "partial", &factor),
                     HYLA_OK);
    lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
    lu_assert_refused(cube, hyla_factor_compute(cube, factor, square), "9 x 9");
    lu_assert_refused(cube, hyla_factor_compute(cube, factor, turned), "hyla_factor_compute: a is");
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    lu_assert_refused(cube, hyla_factor_lower(cube, factor, square),
                      "hyla_factor_lower: l is 9 x 9");
    lu_assert_refused(cube, hyla_factor_upper(cube, factor, square),
                      "hyla_factor_upper: u is 9 x 9");
    lu_assert_refused(cube, hyla_factor_lower(cube, factor, turned), "hyla_factor_lower: l is");
    lu_assert_refused(cube, hyla_factor_solve(cube, factor, HYLA_NONE, a, a), "a square one");
    lu_assert_refused(cube, hyla_factor_condition(cube, factor, 1, &number), "a square one");
    lu_assert_refused(cube, hyla_factor_determinant(cube, factor, &number, sign), "a square one");
    lu_assert_refused(cube, hyla_factor_inverse(cube, factor, square), "a square one");
    lu_assert_refused(cube,
                      hyla_factor_check(cube, factor, a, a, HYLA_REFINE_NONE, turned, &report),
                      "a square one");
    hyla_matrix_destroy(&turned);
    hyla_matrix_destroy(&square);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_that_a_method_does_not_take_are_refused),
      cmocka_unit_test(calls_that_want_other_shapes_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
