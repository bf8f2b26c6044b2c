/* QR: R^H R = A^H A; solutions with A, A^T and A^H have small residuals, on real ranks and on
 * virtual cubes; nothing overflows; failures; counts. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
// limit: 120
#include "qr_case.h"
#include "tests/harness/draw.h"

enum { SIZE_COUNT = 10, BLOCK_COUNT = 4, SIDES_MOST = 70 };
static const int64_t BLOCKS[] = {1, 3, 20, 64};

/* ------------------------------------------------------------ real ranks -- */

static void factors_and_solutions_are_good(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[SIZE_COUNT] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 101};
    for (int i = private_memory; i < SIZE_COUNT * BLOCK_COUNT; i += 2) {
      struct qr_case x = {.n = sizes[i / BLOCK_COUNT],
                          .type = (hyla_type)(i % TYPES),
                          .nrhs = i % 3 > 0 ? harness_draw(0, 5) : SIDES_MOST,
                          .layout = lu_draw_layout(cube, BLOCKS[i % BLOCK_COUNT]),
                          .seed = (uint64_t)i + 1};
      x.given = harness_draw(0, 2) > 0 ? x.layout : draw_layout(cube->dims);
      harness_note("n = %lld, nrhs %lld, type %d, %s", (long long)x.n, (long long)x.nrhs,
                   (int)x.type, lu_layout_name(&x.layout));
      lu_assert_status(cube, qr_case_run(cube, &x), HYLA_OK);
    }
    cube_close(&cube);
  }
}

static hyla_factor *factor_of(hyla_cube *cube, hyla_matrix *a, hyla_status expected) {
  hyla_factor *factor = NULL;
  hyla_layout layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  harness_note("n = %lld, type %d, %s", (long long)a->row.n, (int)a->k->type,
               lu_layout_name(&layout));
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_QR, a->k->type, a->row.n, 1, &layout, NULL, &factor),
      HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), expected);
  return factor;
}

/* If A and b are multiplied by a power of two the solution is the same, bit for bit, though the
 * entries' squares leave the range of the type. */
static void powers_of_two_change_nothing(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES; i++) {
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

/* A column of zeros, a NaN, or an infinity is reported by its column, alike on all ranks. */
static void what_stops_it_is_named(void **state) {
  (void)state;
  static const double bad[] = {0, NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 12 * TYPES; i++) {
    int kind = i / TYPES % 4;
    int64_t n = harness_draw(1, 70), column = i % 3 == 0 ? n - 1 : harness_draw(0, n - 1);
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, NULL);
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)i), HYLA_OK);
    int64_t first = kind == 0 ? 0 : harness_draw(0, n - 1), last = kind == 0 ? n - 1 : first;
    for (int64_t row = first; row <= last; row++)
      assert_int_equal(hyla_matrix_set(cube, a, row, column, bad[kind]), HYLA_OK);
    hyla_factor *factor = factor_of(cube, a, kind == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE);
    assert_int_equal(hyla_factor_pivot(factor), column + 1);
    hyla_factor_destroy(&factor);
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

/* ---------------------------------------------------------- virtual cubes -- */

static void good_and_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = dims < 6 ? 0 : 3; rows <= dims; rows += dims < 6 ? 1 : 4) {
      struct qr_case x = {.n = harness_draw(0, dims < 5 ? 75 : 25),
                          .type = (hyla_type)((dims + rows) % TYPES),
                          .nrhs = rows % 2 == 0 || dims > 3 ? harness_draw(0, 5) : 66,
                          .seed = 7};
      x.layout = x.given = lu_array_layout(dims, rows, harness_draw(1, 20));
      qr_case_simulate(dims, &x);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_and_solutions_are_good),
      cmocka_unit_test(powers_of_two_change_nothing),
      cmocka_unit_test(what_stops_it_is_named),
      cmocka_unit_test(determinants_are_those_of_lu),
      cmocka_unit_test(good_and_counted_on_every_array),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
