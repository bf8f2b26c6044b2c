/* Updates of one triangle, syrk and herk, on virtual cubes: against long double sums,
 * the other triangle untouched, in half the operations. */
// limit: 120
#include "gemm_case.h"

#include <complex.h>

static void every_variant_and_type(void **state) {
  (void)state;
  for (int v = 0; v < hy_gemm_variant_count(); v++)
    for (int dims = 0; dims <= 5 && hy_gemm_variants()[v]->parts; dims++)
      for (int i = 0; i < 32 >> dims; i++) {
        struct gemm_case x;
        case_draw(&x, dims);
        case_draw_update(&x);
        x.variant = hy_gemm_variants()[v]->name;
        x.type = (hyla_type)((i + v) % 4);
        case_simulate(dims, &x);
      }
}

/* The nodes' operations add up to those of the triangle; other variants refuse. */
static hyla_status count_operations(hyla_cube *cube, void *arg) {
  const struct gemm_case *x = arg;
  hyla_layout layout;
  hyla_matrix *a = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  TRY(hyla_layout_parse(cube, "gray/consecutive", &layout));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->m, x->k, &layout, &a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->m, x->m, &layout, &c));
  for (int v = 0; v < hy_gemm_variant_count(); v++) {
    const struct hy_gemm_variant *variant = hy_gemm_variants()[v];
    hyla_status status =
        hyla_syrk_plan(cube, x->triangle, HYLA_NONE, 1, a, 0, c, variant->name, &plan);
    CHECK(&cube->base, status == (variant->parts ? HYLA_OK : HYLA_UNSUPPORTED), FORMAT, "%s: %s",
          variant->name, hyla_status_name(status));
    hyla_plan_destroy(&plan);
  }
  struct hy_gemm_problem problem = {.cube = cube,
                                    .m = x->m,
                                    .n = x->m,
                                    .k = x->k,
                                    .part =
                                        x->triangle == HYLA_LOWER ? HY_LOWER_PART : HY_UPPER_PART,
                                    .c = {.row = c->row, .col = c->col}};
  int64_t flops = 0;
  for (int node = 0; node < cube->nodes; node++) flops += hy_gemm_flops(&problem, node);
  CHECK(&cube->base, flops == x->m * (x->m + 1) * x->k, FORMAT, "%lld operations",
        (long long)flops);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&c);
  return HYLA_OK;
}

static void half_the_operations(void **state) {
  (void)state;
  for (int dims = 0; dims <= 4; dims++)
    for (int i = 0; i < 4; i++) {
      struct gemm_case x = {.m = harness_draw(0, 40),
                            .k = harness_draw(0, 9),
                            .triangle = i % 2 ? HYLA_UPPER : HYLA_LOWER,
                            .variant = "all"};
      case_simulate_body(dims, count_operations, &x);
    }
}

/* In one call; bad arguments. */
static hyla_status calls(hyla_cube *cube, void *arg) {
  (void)arg;
  hyla_matrix *a = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  double _Complex value;
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE_COMPLEX, 3, 2, NULL, &a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE_COMPLEX, 3, 3, NULL, &c));
  for (int64_t i = 0; i < 3; i++) TRY(hyla_matrix_set(cube, a, i, 0, 1 + (double)i * I));
  TRY(hyla_syrk(cube, HYLA_LOWER, HYLA_NONE, 2, a, 0, c));
  TRY(hyla_matrix_get(cube, c, 2, 1, &value));
  CHECK(&cube->base, value == 2 * (1 + 2 * I) * (1 + I), FORMAT, "syrk is wrong");
  TRY(hyla_herk(cube, HYLA_UPPER, HYLA_NONE, 1, a, 0, c));
  TRY(hyla_matrix_get(cube, c, 1, 2, &value));
  CHECK(&cube->base, value == (1 + I) * (1 - 2 * I), FORMAT, "herk is wrong");
  TRY(hyla_matrix_get(cube, c, 2, 1, &value));
  CHECK(&cube->base, value == 2 * (1 + 2 * I) * (1 + I), FORMAT, "the other triangle changed");
  const hyla_status bad[] = {
      hyla_syrk(cube, HYLA_LOWER, HYLA_CONJUGATE, 1, a, 0, c),
      hyla_herk(cube, HYLA_LOWER, HYLA_TRANSPOSE, 1, a, 0, c),
      hyla_syrk(cube, (hyla_triangle)2, HYLA_NONE, 1, a, 0, c),
      hyla_syrk(cube, HYLA_LOWER, HYLA_TRANSPOSE, 1, a, 0, c), /* 2 x 2 */
      hyla_syrk(cube, HYLA_LOWER, HYLA_NONE, 1, c, 0, c),
      hyla_syrk(cube, HYLA_LOWER, HYLA_NONE, 1, NULL, 0, c),
      hyla_syrk(NULL, HYLA_LOWER, HYLA_NONE, 1, a, 0, c),
      hyla_syrk_plan(cube, HYLA_LOWER, HYLA_NONE, 1, a, 0, c, NULL, NULL),
      hyla_herk_plan(cube, HYLA_LOWER, HYLA_NONE, 1, a, 0, c, "strassen", &plan),
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(&cube->base, bad[i] == HYLA_ARGUMENT, FORMAT, "bad call %zu: %s", i,
          hyla_status_name(bad[i]));
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&c);
  return HYLA_OK;
}

static void calls_and_arguments(void **state) {
  (void)state;
  struct gemm_case none = {.variant = "calls"};
  for (int dims = 0; dims <= 2; dims++) case_simulate_body(dims, calls, &none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_and_type),
      cmocka_unit_test(half_the_operations),
      cmocka_unit_test(calls_and_arguments),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
