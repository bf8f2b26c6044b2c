/* symm, hemm and trmm on virtual cubes: against long double sums, nothing read outside of
 * the named triangle, and what travels as predicted. */
// limit: 120
#include "gemm_case.h"

#include <complex.h>

static void every_variant_and_type(void **state) {
  (void)state;
  for (int v = 0; v < hy_gemm_variant_count(); v++)
    for (int dims = 0; dims <= 5; dims++)
      for (int i = 0; i < 48 >> dims; i++) {
        struct gemm_case x;
        case_draw(&x, dims);
        case_draw_shaped(&x);
        x.variant = hy_gemm_variants()[v]->name;
        x.type = (hyla_type)((i + v) % 4);
        case_simulate(dims, &x);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_and_type),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
