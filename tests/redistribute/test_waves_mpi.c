/* Conversions in waves on ranks: every entry in its place, the messages as predicted, in packets
 * from one element to all. */
// ranks: 2 3 4 5 8
// sample: 3 8
#include "waves_cases.h"

static void check(hyla_cube *cube, const struct redistribute_case *x) {
  static const double starts[] = {0, 1e-6, 1};
  cube->session.machine.alpha = starts[harness_draw(0, 2)];
  cube->session.machine.beta = 1e-6;
  harness_note("%s, alpha %g", redistribute_name(x), cube->session.machine.alpha);
  if (redistribute_check(cube, x) != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
}

static void conversions_on_ranks(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int dims = cube->dims;
  for (int k = 1; k <= dims; k++)
    for (int n = k + 1; n <= k + 4; n++)
      for (int trial = 0; trial < 3; trial++) {
        struct redistribute_case x = draw_one_axis(dims, k, n);
        check(cube, &x);
      }
  for (int rows = 1; rows < dims; rows++)
    for (int trial = 0; trial < 6; trial++) {
      int cols = dims - rows;
      struct redistribute_case x =
          draw_both_axes(rows, cols, rows + 1 + trial % 3, cols + 1 + trial / 3);
      check(cube, &x);
    }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(conversions_on_ranks)};
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
