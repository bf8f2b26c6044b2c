/* Norms: correct, the same bits on every rank, and NaN if an entry is NaN. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "matrix_cases.h"

static double norm_of(hyla_cube *cube, const hyla_matrix *a, int kind) {
  double value = -1;
  assert_int_equal(hyla_matrix_norm(cube, a, (hyla_norm)kind, &value), HYLA_OK);
  double common = value;
  harness_broadcast(&common, 1, MPI_DOUBLE, 0);
  assert_memory_equal(&common, &value, sizeof value);
  return value;
}

/* The definition, on a matrix that this rank holds whole. */
static double defined(const hyla_matrix *a, int kind) {
  double result = 0, squares = 0;
  bool columns = kind == HYLA_NORM_ONE;
  int64_t outer = columns ? a->col.n : a->row.n, inner = columns ? a->row.n : a->col.n;
  for (int64_t i = 0; i < outer; i++) {
    double sum = 0;
    for (int64_t j = 0; j < inner; j++) {
      double size = cabs(a->k->get(hy_at(a, columns ? j : i, columns ? i : j), 0));
      sum += size;
      squares += size * size;
      if (kind == HYLA_NORM_MAX) result = fmax(result, size);
    }
    if (kind == HYLA_NORM_ONE || kind == HYLA_NORM_INF) result = fmax(result, sum);
  }
  return kind == HYLA_NORM_FRO ? sqrt(squares) : result;
}

static void norms_meet_their_definition(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array(), *alone = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_SELF, NULL, &alone), HYLA_OK);
  int64_t sizes[HARNESS_SIZES];
  int count = harness_sizes(cube->nodes, sizes);
  for (int number = 0; number < case_layouts(cube->dims); number++) {
    int type = (int)harness_draw(0, TYPES - 1);
    int64_t rows = sizes[harness_draw(0, count - 1)], cols = sizes[harness_draw(0, count - 1)];
    hyla_layout layout = case_layout_of(cube, number);
    harness_note("%s, type %d, %d x %d", case_name(&layout), type, (int)rows, (int)cols);
    hyla_matrix *a = case_matrix(cube, type, rows, cols, &layout);
    hyla_matrix *whole = case_matrix(alone, type, rows, cols, NULL);
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 3), HYLA_OK);
    assert_int_equal(hyla_matrix_generate(alone, whole, HYLA_RANDOM, 3), HYLA_OK);
    for (int kind = HYLA_NORM_MAX; kind <= HYLA_NORM_FRO; kind++) {
      double value = norm_of(cube, a, kind), expected = defined(whole, kind);
      assert_true(fabs(value - expected) <= 1e-13 * expected);
      if (rows * cols == 0) assert_true(value == 0 && !signbit(value));
    }
    hyla_matrix_destroy(&a);
    hyla_matrix_destroy(&whole);
  }
  hyla_cube_destroy(&alone);
  hyla_cube_destroy(&cube);
}

static void a_nan_anywhere_makes_every_norm_nan(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int type = 0; type < TYPES; type++)
    for (int round = 0; round < 5; round++) {
      hyla_layout layout = case_layout_of(cube, (int)harness_draw(0, case_layouts(cube->dims) - 1));
      hyla_matrix *a = case_matrix(cube, type, 7, 9, &layout);
      int64_t row = harness_draw(0, 6), col = harness_draw(0, 8);
      harness_note("%s, type %d, NaN at (%d, %d)", case_name(&layout), type, (int)row, (int)col);
      assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 3), HYLA_OK);
      /* A larger magnitude elsewhere must not hide the NaN, nor must the entry's other part. */
      assert_int_equal(hyla_matrix_set(cube, a, (row + 1) % 7, col, INFINITY), HYLA_OK);
      bool real = type == HYLA_FLOAT || type == HYLA_DOUBLE;
      double _Complex nan = real ? NAN : hy_complex(INFINITY, -NAN);
      assert_int_equal(hyla_matrix_set(cube, a, row, col, nan), HYLA_OK);
      for (int kind = HYLA_NORM_MAX; kind <= HYLA_NORM_FRO; kind++)
        assert_true(isnan(norm_of(cube, a, kind)));
      assert_int_equal(hyla_matrix_set(cube, a, row, col, 0), HYLA_OK);
      for (int kind = HYLA_NORM_MAX; kind <= HYLA_NORM_FRO; kind++)
        assert_true(norm_of(cube, a, kind) == INFINITY);
      hyla_matrix_destroy(&a);
    }
  hyla_cube_destroy(&cube);
}

static double _Complex constant(void *arg, int64_t row, int64_t col) {
  (void)row, (void)col;
  return *(const double *)arg;
}

static void squares_neither_overflow_nor_vanish(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const double values[] = {1e307, 0x1p-1074, 3e-320, 2.5e-162, 1e160, 1.5};
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 12, 12, NULL);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    double value = values[i];
    harness_note("%g", value);
    assert_int_equal(hyla_matrix_fill(cube, a, constant, &value), HYLA_OK);
    double norm = norm_of(cube, a, HYLA_NORM_FRO);
    assert_true(fabs(norm / 12 - value) <= 1e-14 * value + 0x1p-1074);
  }
  hyla_matrix_destroy(&a);
  a = case_matrix(cube, HYLA_FLOAT, 12, 12, NULL);
  double value = 0x1p127;
  assert_int_equal(hyla_matrix_fill(cube, a, constant, &value), HYLA_OK);
  assert_true(norm_of(cube, a, HYLA_NORM_FRO) == 12 * value);
  assert_true(norm_of(cube, a, HYLA_NORM_ONE) == 12 * value);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array(), *alone = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_SELF, NULL, &alone), HYLA_OK);
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 4, 4, NULL);
  hyla_matrix *foreign = case_matrix(alone, HYLA_DOUBLE, 4, 4, NULL);
  int64_t before = cube->base.bytes_now;
  for (int fault = 0; fault < 5; fault++)
    for (int where = -1; where < harness_ranks(); where++) {
      harness_note("fault %d on rank %d", fault, where);
      int pick = where < 0 || where == harness_rank() ? fault : -1;
      double value = 7;
      hyla_norm kind = pick == 0 ? (hyla_norm)4 : pick == 1 ? (hyla_norm)-1 : HYLA_NORM_ONE;
      const hyla_matrix *given = pick == 2 ? NULL : pick == 3 ? foreign : a;
      assert_int_equal(hyla_matrix_norm(cube, given, kind, pick == 4 ? NULL : &value),
                       HYLA_ARGUMENT);
      assert_true(value == 7);
      assert_int_equal(cube->base.bytes_now, before);
    }
  double value = 0;
  assert_int_equal(hyla_matrix_norm(NULL, a, HYLA_NORM_ONE, &value), HYLA_ARGUMENT);
  hyla_norm kind = harness_rank() == harness_ranks() - 1 ? HYLA_NORM_ONE : HYLA_NORM_INF;
  assert_int_equal(hyla_matrix_norm(cube, a, kind, &value),
                   harness_ranks() > 1 ? HYLA_MISMATCH : HYLA_OK);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&foreign);
  hyla_cube_destroy(&alone);
  hyla_cube_destroy(&cube);
}

static void a_failing_allocation_is_agreed_upon(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 4, 4, NULL);
  int64_t before = cube->base.bytes_now;
  for (int where = 0; where < harness_ranks(); where++)
    for (int kind = HYLA_NORM_ONE; kind <= HYLA_NORM_INF; kind++) {
      double value = 7;
      if (where == harness_rank()) cube->base.fail_at = cube->base.allocations + 1;
      assert_int_equal(hyla_matrix_norm(cube, a, (hyla_norm)kind, &value), HYLA_MEMORY);
      cube->base.fail_at = 0;
      assert_true(value == 7);
      assert_int_equal(cube->base.bytes_now, before);
    }
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(norms_meet_their_definition),
      cmocka_unit_test(a_nan_anywhere_makes_every_norm_nan),
      cmocka_unit_test(squares_neither_overflow_nor_vanish),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
      cmocka_unit_test(a_failing_allocation_is_agreed_upon),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
