/* Single entries and generated matrices. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "matrix_cases.h"

static void what_is_set_is_got_by_everyone(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int number = 0; number < case_layouts(cube->dims); number += 5) {
    int type = number % TYPES;
    hyla_layout layout = case_layout_of(cube, number);
    harness_note("%s, type %d", case_name(&layout), type);
    hyla_matrix *a = case_matrix(cube, type, 5, 3, &layout);
    for (int64_t at = 0; at < 15; at++)
      assert_int_equal(
          hyla_matrix_set(cube, a, at / 3, at % 3, case_entry(&(int64_t){3}, at / 3, at % 3)),
          HYLA_OK);
    case_assert_entries(a, case_entry, &(int64_t){3});
    for (int64_t at = 0; at < 15; at += harness_draw(1, 4)) {
      double _Complex value = 99;
      assert_int_equal(hyla_matrix_get(cube, a, at / 3, at % 3, &value), HYLA_OK);
      assert_true(case_same(value, case_rounded(a, case_entry(&(int64_t){3}, at / 3, at % 3))));
    }
    hyla_matrix_destroy(&a);
  }
  hyla_cube_destroy(&cube);
}

static void odd_values_survive(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 5e-324, 1e308};
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE_COMPLEX, 2, 2, NULL);
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    double _Complex value = hy_complex(odd[i], -odd[i]), back = 0;
    assert_int_equal(hyla_matrix_set(cube, a, 1, 0, value), HYLA_OK);
    assert_int_equal(hyla_matrix_get(cube, a, 1, 0, &back), HYLA_OK);
    assert_true(case_same(value, back));
  }
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

/* Makes call fault / 10 with its argument fault % 10 wrong, on ranks with `here'. */
static hyla_status call_badly(hyla_cube *cube, hyla_matrix *a, int fault, bool here) {
  double _Complex value = 1;
  int pick = here ? fault : -1;
  int64_t rows = hyla_matrix_rows(a), cols = hyla_matrix_cols(a);
  hyla_matrix *given = pick == 0 ? NULL : a;
  switch (fault / 10) {
  case 0: {
    int64_t row = pick == 1 ? -1 : pick == 2 ? rows : pick == 3 ? INT64_MAX : 0;
    int64_t col = pick == 4 ? -1 : pick == 5 ? cols : pick == 6 ? INT64_MIN : 0;
    return hyla_matrix_set(cube, given, row, col, value);
  }
  case 1: {
    pick -= 10;
    given = pick == 0 ? NULL : a;
    int64_t row = pick == 1 ? -1 : pick == 2 ? rows : 0;
    int64_t col = pick == 4 ? -1 : pick == 5 ? cols : 0;
    return hyla_matrix_get(cube, given, row, col, pick == 3 ? NULL : &value);
  }
  case 2:
    return hyla_matrix_fill(cube, pick == 20 ? NULL : a, pick == 21 ? NULL : case_entry,
                            &(int64_t){1});
  default: {
    hyla_generator generator = pick == 31    ? (hyla_generator)-1
                               : pick == 32  ? (hyla_generator)6
                               : fault == 33 ? HYLA_HERMITIAN
                                             : HYLA_ONES;
    return hyla_matrix_generate(cube, pick == 30 ? NULL : a, generator, 1);
  }
  }
}

static double _Complex zero_entry(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return 0;
}

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  static const int faults[] = {0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 20, 21, 30, 31, 32, 33};
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = case_matrix(cube, HYLA_FLOAT, 4, 3, NULL);
  int64_t before = cube->base.bytes_now;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    for (int where = -1; where < harness_ranks(); where++) {
      harness_note("fault %d on rank %d", faults[i], where);
      bool here = where < 0 || where == harness_rank();
      assert_int_equal(call_badly(cube, a, faults[i], here), HYLA_ARGUMENT);
      assert_string_not_equal(hyla_cube_message(cube), "");
    }
  assert_int_equal(cube->base.bytes_now, before);
  case_assert_entries(a, zero_entry, NULL); /* nothing was written */
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

static void differing_arguments_are_a_mismatch(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 4, 4, NULL);
  bool last = harness_rank() == harness_ranks() - 1;
  hyla_status expected = harness_ranks() > 1 ? HYLA_MISMATCH : HYLA_OK;
  double _Complex value = 0;
  assert_int_equal(hyla_matrix_set(cube, a, last ? 1 : 0, 0, 1), expected);
  assert_int_equal(hyla_matrix_set(cube, a, 0, last ? 1 : 0, 1), expected);
  assert_int_equal(hyla_matrix_set(cube, a, 0, 0, last ? 1 : 2), expected);
  assert_int_equal(hyla_matrix_get(cube, a, 0, last ? 1 : 0, &value), expected);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, last ? 1 : 0), expected);
  assert_int_equal(hyla_matrix_generate(cube, a, last ? HYLA_ZERO : HYLA_ONES, 0), expected);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

/* The whole matrix on one rank, by columns. */
struct whole {
  hyla_matrix *a;
};

static double _Complex whole_entry(void *arg, int64_t row, int64_t col) {
  const hyla_matrix *a = ((const struct whole *)arg)->a;
  return a->k->get(hy_at(a, row, col), 0);
}

static void the_same_matrix_for_any_ranks_and_layout(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array(), *alone = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_SELF, NULL, &alone), HYLA_OK);
  for (int generator = HYLA_ZERO; generator <= HYLA_DOMINANT; generator++)
    for (int type = 0; type < TYPES; type++) {
      int64_t rows = harness_draw(0, 20);
      int64_t cols = generator == HYLA_HERMITIAN ? rows : harness_draw(0, 20);
      uint64_t seed = (uint64_t)harness_draw(0, INT64_MAX);
      hyla_layout layout = case_layout_of(cube, (int)harness_draw(0, case_layouts(cube->dims) - 1));
      harness_note("generator %d, type %d, %s", generator, type, case_name(&layout));
      struct whole whole = {case_matrix(alone, type, rows, cols, NULL)};
      hyla_matrix *a = case_matrix(cube, type, rows, cols, &layout);
      assert_int_equal(hyla_matrix_generate(alone, whole.a, (hyla_generator)generator, seed),
                       HYLA_OK);
      assert_int_equal(hyla_matrix_generate(cube, a, (hyla_generator)generator, seed), HYLA_OK);
      case_assert_entries(a, whole_entry, &whole);
      hyla_matrix_destroy(&a);
      hyla_matrix_destroy(&whole.a);
    }
  hyla_cube_destroy(&alone);
  hyla_cube_destroy(&cube);
}

static double _Complex generated(hyla_cube *alone, int type, hyla_generator generator,
                                 uint64_t seed, int64_t row, int64_t col) {
  hyla_matrix *a = case_matrix(alone, type, 6, 6, NULL);
  double _Complex value = 0;
  assert_int_equal(hyla_matrix_generate(alone, a, generator, seed), HYLA_OK);
  assert_int_equal(hyla_matrix_get(alone, a, row, col, &value), HYLA_OK);
  hyla_matrix_destroy(&a);
  return value;
}

static void generated_matrices_have_their_properties(void **state) {
  (void)state;
  hyla_cube *alone = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_SELF, NULL, &alone), HYLA_OK);
  /* Philox4x32-10 for counter 0 and key 0, as published by its authors: 6627e8d5 e169c58d bc57ac4c
   * 9b00dbd8. */
  double re = ((double)UINT64_C(0xe169c58d6627e) + 0.5) * 0x1p-52 - 0.5;
  double im = ((double)UINT64_C(0x9b00dbd8bc57a) + 0.5) * 0x1p-52 - 0.5;
  assert_true(
      case_same(generated(alone, HYLA_DOUBLE_COMPLEX, HYLA_RANDOM, 0, 0, 0), hy_complex(re, im)));
  for (int64_t at = 0; at < 36; at++) {
    int64_t i = at / 6, j = at % 6;
    for (int type = 0; type < TYPES; type++) {
      double _Complex random = generated(alone, type, HYLA_RANDOM, 5, i, j);
      double _Complex exact = generated(alone, HYLA_DOUBLE_COMPLEX, HYLA_RANDOM, 5, i, j);
      bool single = type == HYLA_FLOAT || type == HYLA_COMPLEX;
      assert_true(creal(random) == (single ? (double)(float)creal(exact) : creal(exact)));
      bool real = type == HYLA_FLOAT || type == HYLA_DOUBLE;
      double imaginary = real ? 0 : cimag(exact);
      assert_true(cimag(random) == (single ? (double)(float)imaginary : imaginary));
      assert_false(case_same(random, generated(alone, type, HYLA_RANDOM, 6, i, j)));
      double _Complex image = conj(generated(alone, type, HYLA_HERMITIAN, 5, j, i));
      assert_true(generated(alone, type, HYLA_HERMITIAN, 5, i, j) == image);
      if (i >= j) assert_true(image == (i == j ? creal(random) : random));
      double added = creal(generated(alone, type, HYLA_DOMINANT, 5, i, j) - random);
      assert_true(fabs(added - (i == j ? 6 : 0)) < 1e-6);
      assert_true(generated(alone, type, HYLA_IDENTITY, 5, i, j) == (i == j));
      assert_true(generated(alone, type, HYLA_ONES, 5, i, j) == 1);
      assert_true(generated(alone, type, HYLA_ZERO, 5, i, j) == 0);
    }
  }
  hyla_cube_destroy(&alone);
}

static void random_entries_are_uniform_in_the_open_interval(void **state) {
  (void)state;
  hyla_cube *alone = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_SELF, NULL, &alone), HYLA_OK);
  for (int type = 0; type < TYPES; type++) {
    const int64_t n = 300;
    hyla_matrix *a = case_matrix(alone, type, n, n, NULL);
    assert_int_equal(hyla_matrix_generate(alone, a, HYLA_RANDOM, 17), HYLA_OK);
    double sum = 0, squares = 0;
    for (int64_t at = 0; at < n * n; at++) {
      double x = creal(a->k->get(hy_at(a, at % n, at / n), 0));
      assert_true(x > -0.5 && x < 0.5 && x != 0);
      sum += x;
      squares += x * x;
    }
    /* Five standard deviations of a mean of n^2. */
    assert_true(fabs(sum / (double)(n * n)) < 5 * sqrt(1.0 / 12) / (double)n);
    assert_true(fabs(squares / (double)(n * n) - 1.0 / 12) < 5 * sqrt(1.0 / 180) / (double)n);
    hyla_matrix_destroy(&a);
  }
  hyla_cube_destroy(&alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_set_is_got_by_everyone),
      cmocka_unit_test(odd_values_survive),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
      cmocka_unit_test(differing_arguments_are_a_mismatch),
      cmocka_unit_test(the_same_matrix_for_any_ranks_and_layout),
      cmocka_unit_test(generated_matrices_have_their_properties),
      cmocka_unit_test(random_entries_are_uniform_in_the_open_interval),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
