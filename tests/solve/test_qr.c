/* QR: scales and determinants; by rotations, squares of entries that leave the range.  test_methods
 * tests the properties of every method; schedules of rotations: tests/formulas/eliminations.c. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 5x1
// limit: 120
#include "lu_case.h"
#include "solve/qr/qr.h"
#include "tests/harness/draw.h"

/* If A and b are multiplied by a power of two the solution is the same, bit for bit, though the
 * entries' squares leave the range of the type. */
static void powers_of_two_change_nothing(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES && cube->sides.count == 0; i++) { /* givens needs a cube */
    bool single = i % TYPES == HYLA_FLOAT || i % TYPES == HYLA_COMPLEX;
    int power = (single ? 80 : 700) * (i / TYPES % 2 == 0 ? 1 : -1);
    int64_t n = harness_draw(1, 70);
    hyla_layout layout = lu_draw_layout(cube, 7);
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, &layout);
    hyla_matrix *x = lu_matrix(cube, i % TYPES, n, 1, &layout);
    double _Complex *found[2];
    for (int scaled = 0; scaled < 2; scaled++) {
      hyla_factor *factor = NULL;
      assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)i), HYLA_OK);
      assert_int_equal(hyla_matrix_generate(cube, x, HYLA_RANDOM, 99), HYLA_OK);
      double _Complex *entries = lu_get_all(a), *sides = lu_get_all(x);
      for (int64_t e = 0; e < n * n && scaled; e++) entries[e] *= ldexp(1, power);
      for (int64_t e = 0; e < n && scaled; e++) sides[e] *= ldexp(1, power);
      lu_put(a, entries);
      lu_put(x, sides);
      free(entries);
      free(sides);
      lu_assert_status(cube,
                       hyla_factor_create(cube, HYLA_QR, a->k->type, n, 1, &layout, NULL, &factor),
                       HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, x, x), HYLA_OK);
      found[scaled] = lu_get_all(x);
      hyla_factor_destroy(&factor);
    }
    assert_memory_equal(found[0], found[1], (size_t)n * sizeof *found[0]);
    free(found[0]);
    free(found[1]);
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* Determinants of a permutation, and of a permutation times i, are exact but for rounding; that of
 * a random matrix agrees with LU's. */
static void determinants_are_those_of_lu(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES; i++) {
    int64_t n = harness_draw(1, 40);
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, NULL);
    double size[2], sign[2][2];
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)i), HYLA_OK);
    for (int method = 0; method < 2; method++) {
      hyla_factor *factor = NULL;
      lu_assert_status(cube,
                       hyla_factor_create(cube, method == 0 ? HYLA_LU : HYLA_QR, a->k->type, n, 1,
                                          NULL, NULL, &factor),
                       HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_determinant(cube, factor, &size[method], sign[method]),
                       HYLA_OK);
      hyla_factor_destroy(&factor);
    }
    double bound = 1e4 * a->k->epsilon * (double)n;
    assert_true(fabs(size[0] - size[1]) <= bound * fmax(1, fabs(size[0])));
    assert_true(fabs(sign[0][0] - sign[1][0]) <= bound && fabs(sign[0][1] - sign[1][1]) <= bound);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* --------------------------------------------------------------- rotations -- */

/* Element-cyclic, the rows in Gray code. */
static hyla_layout elements_of(const hyla_cube *cube) {
  hyla_layout layout = lu_draw_layout(cube, 1);
  layout.row.code = HYLA_GRAY;
  layout.row.binary = 0;
  return layout;
}

/* A factorization of entries that every rank holds. */
static hyla_factor *rotated(hyla_cube *cube, int type, int64_t n, const double _Complex *entries) {
  hyla_factor *factor = NULL;
  const hyla_layout layout = elements_of(cube);
  hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
  harness_note("n = %lld, type %d, %s", (long long)n, type, lu_layout_name(&layout));
  lu_put(a, entries);
  lu_assert_status(cube,
                   hyla_factor_create(cube, HYLA_QR, a->k->type, n, 1, &layout, "givens", &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  hyla_matrix_destroy(&a);
  return factor;
}

/* Columns (3, 4) and (4, -3) times a unit near the largest or the smallest numbers give a diagonal
 * of 5 units to rounding; with 0 in place of 3 one of 4 units. */
static void no_square_overflows(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES && cube->sides.count == 0; i++) { /* givens needs a cube */
    bool single = i % TYPES == HYLA_FLOAT || i % TYPES == HYLA_COMPLEX;
    double unit = ldexp(1, (single ? 100 : 1000) * (i / TYPES % 3 - 1));
    double small = i / TYPES < 3 ? 3 : 0; /* 0: the quotient would be infinite */
    const double _Complex entries[4] = {small * unit, 4 * unit, 4 * unit, -small * unit};
    double size = small > 0 ? 5 : 4, bound = 8 * (single ? 0x1p-24 : 0x1p-53);
    hyla_factor *factor = rotated(cube, i % TYPES, 2, entries);
    hyla_matrix *r = lu_matrix(cube, i % TYPES, 2, 2, NULL);
    lu_assert_status(cube, hyla_factor_upper(cube, factor, r), HYLA_OK);
    double _Complex *found = lu_get_all(r);
    assert_true(fabs(cabs(found[0]) / unit - size) <= bound * size);
    assert_true(fabs(cabs(found[3]) / unit - size) <= bound * size);
    assert_true(cabs(found[2]) / unit <= bound * size && found[1] == 0);
    free(found);
    hyla_matrix_destroy(&r);
    hyla_factor_destroy(&factor);
  }
  cube_close(&cube);
}

/* On one rank A is copied into the factors; each panel comes out of them and goes back with S.  V's
 * rows are copied for products if one has enough columns: it has those of the next panel, or those
 * behind. */
static void one_rank_counts_its_copies(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    const int64_t n = i < 4 ? i : harness_draw(2, 200);
    hyla_factor *factor = NULL;
    hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 64));
    lu_assert_status(
        cube, hyla_factor_create(cube, HYLA_QR, HYLA_FLOAT, n, 0, &layout, NULL, &factor), HYLA_OK);
    const int64_t block = hy_factor_block(&factor->problem);
    int64_t copied = n * n;
    for (int64_t first = 0; first < n; first += block) {
      const int64_t width = hy_min(block, n - first);
      const int64_t behind = n - first - width, next = hy_min(block, behind);
      copied += (2 * (n - first) + width) * width;
      if (hy_max(next, behind - next) >= HY_QR_PACKED) copied += (n - first) * width;
    }
    harness_note("n = %lld, block %lld", (long long)n, (long long)block);
    assert_int_equal(hy_plan_mine(factor->plan).copied, copied);
    hyla_factor_destroy(&factor);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powers_of_two_change_nothing),
      cmocka_unit_test(determinants_are_those_of_lu),
      cmocka_unit_test(no_square_overflows),
      cmocka_unit_test(one_rank_counts_its_copies),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
