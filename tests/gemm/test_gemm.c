/* Multiplication over MPI compared with long double sums: every variant, in memory that the ranks
 * share and by messages.  The simulator's cases, and cubes of more than 8 nodes, are in
 * test_gemm_simulate.  All cases on up to 16 nodes:
 *   HYLA_TEST_FULL=1 HYLA_TEST_RANKS='1 2 4 8 16' ../tests/run tests/gemm/test_gemm */
// ranks: 1 3 4 8
// sample: 1 8
// arrays: 2x3
#include "gemm_case.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

/* Every variant with every type, operations and ragged shape, in drawn layouts; in a sample more of
 * them on few ranks, where problems are quick.  test_gemm_simulate draws the layouts anew in
 * rounds. */
static void walk(bool private_memory) {
  hyla_cube *cube = cube_open(private_memory);
  struct harness_walk cases = harness_walk(CASES, 4 + 16 / cube->nodes);
  int64_t index;
  while (harness_next(&cases, &index)) {
    struct gemm_case x;
    case_take(&x, cube, index);
    x.cube = cube;
    case_must_hold(&x);
  }
  for (int i = 0; i < 5; i++) {
    struct gemm_case x;
    case_draw(&x, cube);
    if (i < 2)
      case_draw_update(&x);
    else
      case_draw_symm_trmm(&x);
    x.cube = cube;
    case_must_hold(&x);
  }
  /* A lies right and is read as both factors of an update. */
  for (int i = 0; i < 6; i++) {
    struct gemm_case x;
    case_draw(&x, cube);
    case_draw_update(&x);
    x.layout_a = x.layout_c;
    x.k = i < 2 ? 600 + i : x.k;
    x.variant = "summa";
    x.cube = cube;
    case_must_hold(&x);
  }
  cube_close(&cube);
}

static void every_case_in_shared_memory(void **state) {
  (void)state;
  walk(false);
}

static void every_case_by_messages(void **state) {
  (void)state;
  walk(true);
}

/* Blocks wider than a panel, read in place. */
static void wide_inner_sizes(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const char *const layouts[] = {"gray/consecutive", "binary/cyclic:200"};
  for (int i = 0; i < 4; i++) {
    struct gemm_case x = {.cube = cube,
                          .type = HYLA_DOUBLE,
                          .m = 5,
                          .n = 6,
                          .k = 1303,
                          .alpha = 1,
                          .beta = 0,
                          .variant = "summa"};
    x.layout_a = case_parse(cube, layouts[i / 2]);
    x.layout_b = case_parse(cube, layouts[i % 2]);
    x.layout_c = x.layout_b;
    case_must_hold(&x);
  }
  cube_close(&cube);
}

/* Triangles large enough that their zeros are left out, in blocks that are read in place or
 * sent. */
static void large_triangles(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    for (int index = 0; index < CASE_TRIANGLES; index++) {
      struct gemm_case x;
      case_take_triangle(&x, cube, index);
      x.cube = cube;
      case_must_hold(&x);
    }
    cube_close(&cube);
  }
}

/* A NaN in A reaches its whole row of C and nothing else. */
static void nan_goes_where_it_belongs(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(harness_draw(0, 1) == 0);
  for (int v = 0; v < hy_family_count(&hy_gemm_family); v++) {
    struct gemm_case x = {.cube = cube,
                          .type = HYLA_DOUBLE_COMPLEX,
                          .m = 9,
                          .n = 7,
                          .k = 8,
                          .alpha = 1,
                          .beta = 1,
                          .variant = hy_gemm_family.rows[v]->name};
    (void)hyla_layout_default(cube, 9, 9, &x.layout_a);
    x.layout_b = x.layout_c = x.layout_a;
    x.layout_c.row.block = 2;
    assert_int_equal(case_make(&x), HYLA_OK);
    assert_int_equal(case_fill(&x), HYLA_OK);
    int64_t row = harness_draw(0, 8), l = harness_draw(0, 7);
    harness_note("%s, NaN at (%lld, %lld)", x.variant, (long long)row, (long long)l);
    assert_int_equal(hyla_matrix_set(cube, x.a, row, l, NAN), HYLA_OK);
    hyla_plan *plan = NULL;
    hyla_status planned =
        hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, x.a, x.b, 1, x.c, x.variant, &plan);
    if (planned == HYLA_UNSUPPORTED && cube->sides.count > 0) {
      case_free(&x);
      continue;
    }
    assert_int_equal(planned, HYLA_OK);
    assert_int_equal(hyla_plan_run(cube, plan), HYLA_OK);
    hyla_plan_destroy(&plan);
    for (int64_t j = 0; j < x.c->local_cols; j++)
      for (int64_t i = 0; i < x.c->local_rows; i++) {
        double _Complex value = x.c->k->get(hy_at(x.c, i, j), 0);
        bool nan = isnan(creal(value)) || isnan(cimag(value));
        assert_int_equal(nan, hyla_matrix_row(x.c, i) == row);
      }
    case_free(&x);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_in_shared_memory),
      cmocka_unit_test(every_case_by_messages),
      cmocka_unit_test(wide_inner_sizes),
      cmocka_unit_test(large_triangles),
      cmocka_unit_test(nan_goes_where_it_belongs),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
