/* LU with partial pivoting: factors and pivots, on systems whose factors are known exactly and on
 * random ones; failures. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 8
// limit: 120
#include "lu_case.h"
#include "tests/harness/draw.h"

static const int64_t BLOCKS[] = {1, 3, 8, 64};
enum { BLOCK_COUNT = 4, SIZE_COUNT = 10 };

static void sizes_of(const hyla_cube *cube, int64_t sizes[SIZE_COUNT]) {
  int64_t p = cube->nodes;
  const int64_t all[] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 101};
  memcpy(sizes, all, sizeof all);
}

static hyla_factor *factor_of(hyla_cube *cube, int type, int64_t n, const hyla_layout *layout) {
  hyla_factor *factor = NULL;
  hyla_status status =
      hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, 0, layout, "partial", &factor);
  lu_assert_status(cube, status, HYLA_OK);
  return factor;
}

/* L and U as in textbooks: each panel's L gets the swaps of the later panels. */
static double _Complex *textbook_factors(const hyla_factor *factor) {
  int64_t n = factor->problem.n, block = hy_factor_block(&factor->problem);
  double _Complex *lu = lu_get_all(factor->factors.a);
  for (int64_t i = 0; i < n; i++) {
    int64_t done = i / block * block; /* the columns of earlier panels */
    for (int64_t c = 0; c < done && factor->factors.swaps[i] != i; c++) {
      double _Complex held = lu[i + c * n];
      lu[i + c * n] = lu[factor->factors.swaps[i] + c * n];
      lu[factor->factors.swaps[i] + c * n] = held;
    }
  }
  return lu;
}

static void check_exact(const hyla_factor *factor, const struct lu_case *x) {
  int64_t n = x->n;
  if (factor->problem.cube->address >= 0)
    for (int64_t i = 0; i < n; i++) assert_int_equal(factor->factors.swaps[i], x->swaps[i]);
  double _Complex *found = textbook_factors(factor);
  for (int64_t j = 0; j < n && factor->problem.cube->address >= 0; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex expected = i > j ? x->l[i + j * n] : x->u[i + j * n];
      if (found[i + j * n] != expected)
        fail_msg("factor entry (%lld, %lld) is %g%+gi, not %g%+gi", (long long)i, (long long)j,
                 creal(found[i + j * n]), cimag(found[i + j * n]), creal(expected),
                 cimag(expected));
    }
  free(found);
}

/* The factors and pivots are the same, to the bit, for every number of ranks, layout, block and
 * type. */
static void exact_systems_have_the_known_factors(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t sizes[SIZE_COUNT];
    sizes_of(cube, sizes);
    for (int i = 0; i < SIZE_COUNT * BLOCK_COUNT; i++) {
      int type = (int)harness_draw(0, TYPES - 1);
      int64_t n = sizes[i / BLOCK_COUNT];
      hyla_layout layout = lu_draw_layout(cube, BLOCKS[i % BLOCK_COUNT]);
      hyla_layout given = harness_draw(0, 2) > 0 ? layout : draw_layout(cube->dims);
      harness_note("n = %lld, type %d, %s", (long long)n, type, lu_layout_name(&layout));
      struct lu_case x = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
      hyla_matrix *a = lu_matrix(cube, type, n, n, &given);
      hyla_factor *factor = factor_of(cube, type, n, &layout);
      lu_put(a, x.a);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      assert_int_equal(hyla_factor_pivot(factor), 0);
      check_exact(factor, &x);
      hyla_factor_destroy(&factor);
      hyla_matrix_destroy(&a);
      lu_case_free(&x);
    }
    cube_close(&cube);
  }
}

/* |P A - L U| <= 2 n eps |L| |U| for every entry, and |L| <= 1 (2 for complex types, whose pivots
 * are chosen by |re| + |im|). */
static void check_random(const hyla_factor *factor, double _Complex *a) {
  int64_t n = factor->problem.n;
  double _Complex *lu = textbook_factors(factor);
  for (int64_t i = 0; i < n; i++)
    for (int64_t c = 0; c < n && factor->factors.swaps[i] != i; c++) {
      double _Complex held = a[i + c * n];
      a[i + c * n] = a[factor->factors.swaps[i] + c * n];
      a[factor->factors.swaps[i] + c * n] = held;
    }
  for (int64_t j = 0; j < n && factor->problem.cube->address >= 0; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex sum = 0;
      double size = 0;
      for (int64_t k = 0; k <= hy_min(i, j); k++) {
        double _Complex l = k == i ? 1 : lu[i + k * n];
        sum += l * lu[k + j * n];
        size += cabs(l) * cabs(lu[k + j * n]);
      }
      if (i > j) assert_true(cabs(lu[i + j * n]) <= 1.5);
      double bound = 4 * (double)(n + 1) * factor->problem.k->epsilon * size;
      if (!(cabs(a[i + j * n] - sum) <= bound))
        fail_msg("|PA - LU| is %g at (%lld, %lld), more than %g", cabs(a[i + j * n] - sum),
                 (long long)i, (long long)j, bound);
    }
  free(lu);
}

static void random_systems_have_small_backward_error(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 4 * TYPES; i++) {
    int type = i % TYPES;
    int64_t n = harness_draw(20, 110);
    hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 40));
    harness_note("n = %lld, type %d, %s", (long long)n, type, lu_layout_name(&layout));
    hyla_matrix *a = lu_matrix(cube, type, n, n, NULL);
    hyla_factor *factor = factor_of(cube, type, n, &layout);
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)i), HYLA_OK);
    double _Complex *entries = lu_get_all(a);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    check_random(factor, entries);
    free(entries);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* One factorization that must fail at column `column', counted from 1, alike on all ranks and
 * without changing a. */
static void fail_at(hyla_cube *cube, int type, int64_t n, const double _Complex *entries,
                    hyla_status expected, int64_t column) {
  hyla_layout layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
  hyla_factor *factor = factor_of(cube, type, n, &layout);
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

static void the_first_zero_pivot_is_named(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    int type = i % TYPES;
    int64_t n = harness_draw(1, 70), zero = i < 4 ? 0 : i < 8 ? n - 1 : harness_draw(0, n - 1);
    struct lu_case x = lu_case_draw(n, type >= HYLA_COMPLEX, zero);
    fail_at(cube, type, n, x.a, HYLA_SINGULAR, zero + 1);
    lu_case_free(&x);
  }
  cube_close(&cube);
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

/* Wherever it stands, it is found in its own column: it may hide in a row of U, but then the whole
 * column below it is NaN. */
static void a_nan_or_infinity_is_found_in_its_column(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 60; i++) {
    int type = i % TYPES;
    int64_t n = harness_draw(1, 70), row = harness_draw(0, n - 1), col = harness_draw(0, n - 1);
    if (i < 4) row = col = n - 1;
    if (i >= 4 && i < 12) row = 0, col = n - 1;
    if (i >= 12 && i < 16) row = n - 1, col = 0;
    struct lu_case x = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
    double value = bad[i % 3];
    x.a[row + col * n] =
        type >= HYLA_COMPLEX && harness_draw(0, 1) ? hy_complex(0, value) : hy_complex(value, 0);
    fail_at(cube, type, n, x.a, HYLA_NOT_FINITE, col + 1);
    lu_case_free(&x);
  }
  cube_close(&cube);
}

/* A factorization that failed can be used again. */
static void a_failure_is_forgotten(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct lu_case bad = lu_case_draw(40, false, 22), good = lu_case_draw(40, false, -1);
  hyla_layout layout = lu_draw_layout(cube, 8);
  hyla_factor *factor = factor_of(cube, HYLA_DOUBLE, 40, &layout);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 40, 40, &layout);
  for (int i = 0; i < 4; i++) {
    lu_put(a, i % 2 == 0 ? bad.a : good.a);
    hyla_status status = hyla_factor_compute(cube, factor, a);
    lu_assert_status(cube, status, i % 2 == 0 ? HYLA_SINGULAR : HYLA_OK);
    assert_int_equal(hyla_factor_pivot(factor), i % 2 == 0 ? 23 : 0);
    if (i % 2 == 1) check_exact(factor, &good);
  }
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  lu_case_free(&bad);
  lu_case_free(&good);
  cube_close(&cube);
}

/* Blocks larger than the matrix, axes with one part, and blocks that differ between the axes. */
static void odd_layouts_work(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const char *const codes[] = {"binary/cyclic:1000", "binary/consecutive,gray/cyclic:5@1x%d",
                                      "gray/cyclic:5,binary/cyclic:7@%dx1"};
  for (int i = 0; i < 3; i++) {
    char text[80];
    hyla_layout layout;
    snprintf(text, sizeof text, codes[i], cube->nodes);
    assert_int_equal(hyla_layout_parse(cube, text, &layout), HYLA_OK);
    harness_note("%s", text);
    struct lu_case x = lu_case_draw(45, true, -1);
    hyla_factor *factor = factor_of(cube, HYLA_COMPLEX, 45, &layout);
    hyla_matrix *a = lu_matrix(cube, HYLA_COMPLEX, 45, 45, NULL);
    lu_put(a, x.a);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    check_exact(factor, &x);
    hyla_matrix_destroy(&a);
    hyla_factor_destroy(&factor);
    lu_case_free(&x);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_systems_have_the_known_factors),
      cmocka_unit_test(random_systems_have_small_backward_error),
      cmocka_unit_test(the_first_zero_pivot_is_named),
      cmocka_unit_test(equal_rows_are_singular),
      cmocka_unit_test(a_nan_or_infinity_is_found_in_its_column),
      cmocka_unit_test(a_failure_is_forgotten),
      cmocka_unit_test(odd_layouts_work),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
