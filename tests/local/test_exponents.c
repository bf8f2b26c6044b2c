/* Exponents of entries and scaling by powers of two, bit by bit as by frexp and ldexp. */
#include "tests/harness/harness.h"

#include "local/local.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { MOST = 41 };

/* Numbers of all exponents, subnormal ones included, zeros and numbers that are not finite. */
static double draw_any(const struct hy_kernels *k) {
  static const double odd[] = {0, -0.0, INFINITY, -INFINITY, NAN};
  int range = k->epsilon > 1e-10 ? 149 : 1074;
  int64_t kind = harness_draw(0, 19);
  return kind < 5 ? odd[kind]
                  : ldexp((double)harness_draw(-1000, 1000) / 1000,
                          (int)harness_draw(-range, range / 2 + 50));
}

static int exponent_of(double _Complex x) {
  double size = fmax(fabs(creal(x)), fabs(cimag(x)));
  int exponent = 0;
  (void)frexp(size, &exponent);
  bool none = size == 0 || !isfinite(creal(x)) || !isfinite(cimag(x));
  return none ? HY_NO_EXPONENT : exponent;
}

/* Bit by bit; any NaN equals any NaN. */
static bool same(double a, double b) { return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0; }

static void powers_of_two_are_found_and_applied(void **state) {
  (void)state;
  for (int turn = 0; turn < 200; turn++) {
    const struct hy_kernels *k = hy_kernels_of((hyla_type)(turn % 4));
    int m = (int)harness_draw(0, MOST), more = (int)harness_draw(-60, 60);
    int reach = turn % 8 < 4 ? 900 : 2000;
    char x[MOST * 16] = {0}, was[MOST * 16], entry[16];
    int32_t exponents[MOST + 1], by[MOST];
    for (int i = 0; i < m; i++) {
      k->set(x, i, hy_complex(draw_any(k), draw_any(k)));
      by[i] = (int32_t)harness_draw(-reach, reach);
    }
    memcpy(was, x, sizeof x);
    exponents[m] = 7;
    hy_exponents(k, m, x, exponents);
    hy_scale_powers(k, m, by, more, x);
    for (int i = 0; i < m; i++) {
      double _Complex given = k->get(was, i), found = k->get(x, i);
      assert_int_equal(exponents[i], exponent_of(given));
      k->set(entry, 0,
             hy_complex(ldexp(creal(given), by[i] + more), ldexp(cimag(given), by[i] + more)));
      double _Complex wanted = k->get(entry, 0);
      assert_true(same(creal(found), creal(wanted)) && same(cimag(found), cimag(wanted)));
    }
    assert_int_equal(exponents[m], 7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(powers_of_two_are_found_and_applied)};
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
