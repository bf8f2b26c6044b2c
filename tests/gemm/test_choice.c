/* The planner's choices on given machines: the variants that were found to be the fastest where the
 * machines were measured, two and four ranks on two cores (doc/predictions.md). */
// ranks: 2 4
#include "gemm/gemm.h"
#include "tests/harness/harness.h"

static const hyla_machine TWO = {
    .name = "two", .alpha = 8.6e-7, .beta = 4.7e-11, .gamma = 2.05e-11, .rho = 5.4e-11, .share = 1};
static const hyla_machine FOUR = {
    .name = "four", .alpha = 4.5e-6, .beta = 9.4e-11, .gamma = 3.6e-11, .rho = 2.3e-11, .share = 2};

/* Expects the variant for C := A B, with everything in the default layout. */
static void expect(hyla_cube *cube, int64_t m, int64_t n, int64_t k, const char *variant) {
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  harness_note("%lld x %lld x %lld on %d", (long long)m, (long long)n, (long long)k, cube->nodes);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, m, k, NULL, &a), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, k, n, NULL, &b), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, m, n, NULL, &c), HYLA_OK);
  assert_int_equal(hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, a, b, 0, c, NULL, &plan), HYLA_OK);
  assert_string_equal(hyla_plan_variant(plan), variant);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&c);
}

/* A cube with one of the machines.  Skips the test if the ranks cannot read one another's memory,
 * as the machines' could. */
static hyla_cube *cube_make(void) {
  hyla_cube *cube = NULL;
  hyla_matrix *probe = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 1000, 1000, NULL, &probe), HYLA_OK);
  bool in_place = hy_in_place(probe);
  hyla_matrix_destroy(&probe);
  if (!in_place) {
    hyla_cube_destroy(&cube);
    skip();
  }
  cube->session.machine = cube->nodes == 2 ? TWO : FOUR;
  return cube;
}

static void large_ones_stay_where_they_lie(void **state) {
  (void)state;
  hyla_cube *cube = cube_make();
  static const int64_t sizes[] = {300, 500, 750, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    expect(cube, sizes[i], sizes[i], sizes[i], "summa");
  expect(cube, 1000, 1000, 32, "summa");
  expect(cube, 500, 500, 2000, "summa");
  hyla_cube_destroy(&cube);
}

/* If products go over many entries for few operations, all nodes should share the work. */
static void thin_ones_go_over_few_entries(void **state) {
  (void)state;
  hyla_cube *cube = cube_make();
  expect(cube, 1000, 1, 1000, "summa-a");
  expect(cube, 10, 1000, 1000, "summa");
  expect(cube, 100, 1000, 500, "summa");
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_ones_stay_where_they_lie),
      cmocka_unit_test(thin_ones_go_over_few_entries),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
