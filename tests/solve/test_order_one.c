/* Systems of order 1, by every variant of the methods that eliminate: x is b / a, rounded once, so
 * |a x - b| <= |a| |x| u. */
// ranks: 1 3 4
#include "lu_case.h"
#include "methods.h"

enum { SIDES_MOST = 70 };

static double draw_fraction(void) { return ldexp((double)harness_draw(1 << 30, 1L << 53), -53); }

static double _Complex fill_one(void *arg, int64_t row, int64_t col) {
  (void)row;
  return ((const double _Complex *)arg)[col];
}

/* |a x - b| / (|a| |x| u) of a drawn system; Hermitian systems have a real, positive a.  By the
 * paths for few right-hand sides and for many. */
static void solve_one(hyla_cube *cube, hyla_method method, const char *variant, int type,
                      int64_t nrhs, double *worst) {
  bool real = method_row(method)->triangle;
  double _Complex given[2][SIDES_MOST];
  for (int64_t j = 0; j < nrhs; j++) {
    given[0][j] = hy_complex(draw_fraction(), real ? 0 : draw_fraction());
    given[1][j] = hy_complex(draw_fraction(), -draw_fraction());
  }
  hyla_factor *factor = NULL;
  hyla_matrix *m[2];
  for (int i = 0; i < 2; i++) {
    m[i] = lu_matrix(cube, type, 1, i == 0 ? 1 : nrhs, NULL);
    lu_assert_status(cube, hyla_matrix_fill(cube, m[i], fill_one, given[i]), HYLA_OK);
  }
  double _Complex *a = lu_get_all(m[0]), *b = lu_get_all(m[1]);
  lu_assert_status(
      cube, hyla_factor_create(cube, method, (hyla_type)type, 1, nrhs, NULL, variant, &factor),
      HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, m[0]), HYLA_OK);
  lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, m[1], m[1]), HYLA_OK);
  double _Complex *x = lu_get_all(m[1]);
  for (int64_t j = 0; j < nrhs; j++) {
    const long double _Complex entry = a[0], side = b[j], answer = x[j];
    long double size = cabsl(entry) * cabsl(answer) * hy_kernels_of((hyla_type)type)->epsilon;
    double residual = (double)(cabsl(entry * answer - side) / size);
    if (!(residual <= 1)) fail_msg("residual %.17g", residual);
    *worst = fmax(*worst, residual);
  }
  free(x);
  free(b);
  free(a);
  hyla_factor_destroy(&factor);
  for (int i = 0; i < 2; i++) hyla_matrix_destroy(&m[i]);
}

static void one_quotient_is_rounded_once(void **state) {
  (void)state;
  static const hyla_method methods[] = {HYLA_LU, HYLA_CHOLESKY, HYLA_LDL};
  hyla_cube *cube = cube_open(false);
  double worst = 0;
  const char *variant = NULL;
  for (int m = 0; m < 3; m++)
    for (int i = 0; (variant = method_variant(hyla_method_at((int)methods[m])->name, i)); i++)
      for (int draw = 0; draw < 2 * TYPES; draw++) {
        harness_note("%s, type %d", variant, draw % TYPES);
        solve_one(cube, methods[m], variant, draw % TYPES, draw < TYPES ? SIDES_MOST : 50, &worst);
      }
  assert_true(worst > .5);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_quotient_is_rounded_once)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
