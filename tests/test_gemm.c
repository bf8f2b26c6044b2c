/* Multiplication against long double sums: every variant, types, operations,
 * ragged sizes, layouts, memory shared by the ranks and not. */
// ranks: 1 2 3 4 5 8
#include "gemm_case.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

static const char *const LAYOUTS[] = {"gray/consecutive", "binary/consecutive", "binary/cyclic",
                                      "gray/cyclic:3", "binary/cyclic:64"};

/* Many on few ranks: there a problem is quick. */
static void random_problems(bool private_memory) {
  hyla_cube *cube = case_cube(private_memory);
  int count = 20 + 120 / harness_ranks();
  for (int i = 0; i < count; i++) {
    struct gemm_case x;
    case_draw(&x, cube);
    case_run(&x);
  }
  case_cube_end(&cube);
}

static void random_problems_in_shared_memory(void **state) {
  (void)state;
  random_problems(false);
}

static void random_problems_by_messages(void **state) {
  (void)state;
  random_problems(true);
}

/* Every variant x operations on the layouts people use, each with two types: with
 * the other two on other numbers of ranks. */
static void every_operation_and_type(void **state) {
  (void)state;
  hyla_cube *cube = case_cube(false);
  for (int v = 0; v < hy_gemm_variant_count(); v++)
    for (int op = 0; op < 9; op++)
      for (int type = (op + harness_ranks()) % 2; type < 4; type += 2) {
        struct gemm_case x = {.cube = cube,
                              .type = (hyla_type)type,
                              .op_a = (hyla_operation)(op / 3),
                              .op_b = (hyla_operation)(op % 3),
                              .m = 7,
                              .n = 5,
                              .k = 11,
                              .alpha = 0.5 + 0.25 * I,
                              .beta = op % 2 ? 0 : -2,
                              .variant = hy_gemm_variants()[v]->name};
        const char *layout = LAYOUTS[(op + type) % 5];
        assert_int_equal(hyla_layout_parse(cube, layout, &x.layout_a), HYLA_OK);
        x.layout_b = x.layout_c = x.layout_a;
        case_run(&x);
      }
  case_cube_end(&cube);
}

/* k from 0 to 20 on every array, in Cannon's own layout: k's blocks on A's
 * columns and B's rows must fit whatever k is.  In shared memory, where nothing
 * is rotated, half of them. */
static void every_inner_size_on_every_array(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = case_cube(private_memory);
    for (int r = 0; r <= cube->dims; r++)
      for (int64_t k = 0; k <= 20; k += private_memory ? 1 : 2) {
        char text[64];
        snprintf(text, sizeof text, "gray/consecutive@%dx%d", 1 << r, 1 << (cube->dims - r));
        struct gemm_case x = {.cube = cube,
                              .type = HYLA_DOUBLE,
                              .m = 9,
                              .n = 10,
                              .k = k,
                              .alpha = 1,
                              .beta = 1,
                              .variant = "cannon"};
        assert_int_equal(hyla_layout_parse(cube, text, &x.layout_a), HYLA_OK);
        x.layout_b = x.layout_c = x.layout_a;
        case_run(&x);
      }
    case_cube_end(&cube);
  }
}

/* Blocks wider than a panel, and many that join in one, on rows, squares and
 * columns of nodes. */
static void wide_inner_sizes(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = case_cube(private_memory);
    for (int i = 0; i < 15; i++) {
      struct gemm_case x = {.cube = cube,
                            .type = HYLA_DOUBLE,
                            .m = 5,
                            .n = 6,
                            .k = 1303,
                            .alpha = 1,
                            .beta = 0,
                            .variant = "summa"};
      int rows = 1 << (i / 5 * cube->dims / 2), cols = cube->nodes / rows;
      char text[64];
      snprintf(text, sizeof text, "%s@%dx%d", LAYOUTS[i % 5], rows, cols);
      assert_int_equal(hyla_layout_parse(cube, text, &x.layout_a), HYLA_OK);
      x.layout_b = x.layout_c = x.layout_a;
      case_run(&x);
      if (i % 5 != 0) continue;
      snprintf(text, sizeof text, "binary/cyclic:200@%dx%d", rows, cols);
      assert_int_equal(hyla_layout_parse(cube, text, &x.layout_b), HYLA_OK);
      x.layout_c = x.layout_b;
      case_run(&x);
    }
    case_cube_end(&cube);
  }
}

/* A NaN in A reaches its whole row of C and nothing else. */
static void nan_goes_where_it_belongs(void **state) {
  (void)state;
  hyla_cube *cube = case_cube(harness_draw(0, 1) == 0);
  for (int v = 0; v < hy_gemm_variant_count(); v++) {
    struct gemm_case x = {.cube = cube,
                          .type = HYLA_DOUBLE_COMPLEX,
                          .m = 9,
                          .n = 7,
                          .k = 8,
                          .alpha = 1,
                          .beta = 1,
                          .variant = hy_gemm_variants()[v]->name};
    hyla_layout_default(cube, &x.layout_a);
    x.layout_b = x.layout_c = x.layout_a;
    x.layout_c.row.block = 2;
    case_make(&x);
    case_fill(&x);
    int64_t row = harness_draw(0, 8), l = harness_draw(0, 7);
    harness_note("%s, NaN at (%lld, %lld)", x.variant, (long long)row, (long long)l);
    assert_int_equal(hyla_matrix_set(cube, x.a, row, l, NAN), HYLA_OK);
    assert_int_equal(hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, x.a, x.b, 1, x.c), HYLA_OK);
    for (int64_t j = 0; j < x.c->local_cols; j++)
      for (int64_t i = 0; i < x.c->local_rows; i++) {
        double _Complex value = x.c->k->get(hy_at(x.c, i, j), 0);
        bool nan = isnan(creal(value)) || isnan(cimag(value));
        assert_int_equal(nan, hyla_matrix_row(x.c, i) == row);
      }
    case_free(&x);
  }
  case_cube_end(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems_in_shared_memory),
      cmocka_unit_test(random_problems_by_messages),
      cmocka_unit_test(every_operation_and_type),
      cmocka_unit_test(every_inner_size_on_every_array),
      cmocka_unit_test(wide_inner_sizes),
      cmocka_unit_test(nan_goes_where_it_belongs),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
