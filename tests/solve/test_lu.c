/* LU: the choice of pivots.  Equal rows, tiny and fading pivots, growth; a pivot near the largest
 * number.  test_methods tests the properties of every method. */
// ranks: 1 4 5 8
// sample: 1 8
// arrays: 3x1
// limit: 120
#include "lu_case.h"
#include "methods.h"
#include "tests/harness/draw.h"

#include <float.h>

enum { BLOCK_COUNT = 4 };
static const int64_t BLOCKS[] = {1, 3, 8, 64};

static hyla_factor *factor_of(hyla_cube *cube, const char *variant, int type, int64_t n,
                              int64_t nrhs, const hyla_layout *layout) {
  hyla_factor *factor = NULL;
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, nrhs, layout, variant, &factor),
      HYLA_OK);
  return factor;
}

/* One factorization that must fail at column `column', counted from 1, alike on all ranks and
 * without changing a. */
static void fail_at(hyla_cube *cube, int type, int64_t n, const double _Complex *entries,
                    hyla_status expected, int64_t column) {
  hyla_layout layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
  hyla_factor *factor = factor_of(cube, "partial", type, n, 0, &layout);
  lu_put(a, entries);
  harness_note("n = %lld, type %d, %s, column %lld", (long long)n, type, lu_layout_name(&layout),
               (long long)column);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), expected);
  assert_int_equal(hyla_factor_pivot(factor), column);
  assert_non_null(strstr(hyla_cube_message(cube), "pivot"));
  hyla_matrix *x = lu_matrix(cube, type, n, 0, NULL);
  lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, x, x), HYLA_ARGUMENT);
  hyla_matrix_destroy(&x);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
}

/* The last row equals another one.  When that one has been the pivot's row (the first of two equal
 * candidates is taken) the last row is exactly zero; the other rows have good pivots in all columns
 * but the last. */
static void equal_rows_are_singular(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    int type = i % TYPES;
    int64_t n = harness_draw(2, 50), one = harness_draw(0, n - 2), last = n - 1;
    struct lu_case x = lu_case_draw(n, type >= HYLA_COMPLEX, last);
    for (int64_t k = 0; k < last; k++) {
      x.l[last + k * n] = x.l[one + k * n];
      x.swaps[k] = harness_draw(k, last - 1);
    }
    lu_case_multiply(&x);
    fail_at(cube, type, n, x.a, HYLA_SINGULAR, n);
    lu_case_free(&x);
  }
  cube_close(&cube);
}

/* The reciprocals of the pivots overflow; L is finite nevertheless. */
static void tiny_pivots_divide(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (int type = 0; type < TYPES; type++) {
      const int64_t n = 40;
      const bool single = type == HYLA_FLOAT || type == HYLA_COMPLEX;
      hyla_matrix *a = lu_matrix(cube, type, n, n, NULL), *l = lu_matrix(cube, type, n, n, NULL);
      hyla_factor *factor = factor_of(cube, variant, type, n, 1, NULL);
      harness_note("%s, type %d", variant, type);
      lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
      double _Complex *entries = lu_get_all(a);
      for (int64_t k = 0; k < n * n; k++)
        entries[k] =
            k / n < n / 2 ? (k % n == k / n) : entries[k] * (single ? 0x1p-140 : 0x1p-1060);
      lu_put(a, entries);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_lower(cube, factor, l), HYLA_OK);
      free(entries);
      entries = lu_get_all(l);
      for (int64_t k = 0; k < n * n; k++) assert_true(cabs(entries[k]) <= 20);
      free(entries);
      hyla_factor_destroy(&factor);
      hyla_matrix_destroy(&l);
      hyla_matrix_destroy(&a);
    }
  cube_close(&cube);
}

/* The first panel has powers of 1/8 and smaller ones, and underflows as it is eliminated: all its
 * pivots are found before the first column that has none. */
static void fading_pivots_are_found(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t n = 512;
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (int type = HYLA_FLOAT; type <= HYLA_COMPLEX; type += HYLA_COMPLEX - HYLA_FLOAT) {
      hyla_matrix *a = lu_matrix(cube, type, n, n, NULL);
      hyla_factor *factor = factor_of(cube, variant, type, n, 1, NULL);
      harness_note("%s, type %d", variant, type);
      lu_assert_status(cube, hyla_matrix_gallery(cube, a, "vandermonde", 0), HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_SINGULAR);
      assert_int_equal(hyla_factor_pivot(factor), 43);
      hyla_factor_destroy(&factor);
      hyla_matrix_destroy(&a);
    }
  cube_close(&cube);
}

/* Kinds of matrices that show a poor choice of pivots: the growth is that of partial pivoting, or
 * little more. */
static void growth_is_moderate(void **state) {
  (void)state;
  static const char *const kinds[] = {"random", "frank",          "kahan",
                                      "lehmer", "random-unitary", "signs"};
  hyla_cube *cube = cube_open(false);
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 60, 60, NULL);
      double largest = 0, growth = 0;
      harness_note("%s, %s", variant, kinds[i]);
      hyla_factor *factor = factor_of(cube, variant, HYLA_DOUBLE, 60, 1, NULL);
      lu_assert_status(cube, hyla_matrix_gallery(cube, a, kinds[i], 1), HYLA_OK);
      lu_assert_status(cube, hyla_matrix_norm(cube, a, HYLA_NORM_MAX, &largest), HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_growth(cube, factor, largest, &growth), HYLA_OK);
      assert_true(growth < 60);
      hyla_factor_destroy(&factor);
      hyla_matrix_destroy(&a);
    }
  cube_close(&cube);
}

/* A pivot is finite even if the sum of its parts overflows.  The variant needs a cube. */
static void a_huge_pivot_is_finite(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const hyla_layout layout = lu_draw_layout(cube, 1);
  if (cube->sides.count > 0) {
    cube_close(&cube);
    return;
  }
  double _Complex entries[25] = {0};
  for (int i = 0; i < 25; i += 6) entries[i] = 1;
  entries[12] = hy_complex(DBL_MAX, DBL_MAX);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE_COMPLEX, 5, 5, &layout);
  hyla_factor *factor = factor_of(cube, "diagonal", HYLA_DOUBLE_COMPLEX, 5, 0, &layout);
  lu_put(a, entries);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hy_agree(cube, lu_check_entries(factor->factors.a, entries, "factor")),
                   HYLA_OK);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_rows_are_singular), cmocka_unit_test(tiny_pivots_divide),
      cmocka_unit_test(fading_pivots_are_found), cmocka_unit_test(growth_is_moderate),
      cmocka_unit_test(a_huge_pivot_is_finite),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
