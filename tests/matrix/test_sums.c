/* Sums of rows: kernels of all types, and those of op of all parts of a matrix on every layout,
 * compared with sums entry by entry. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "matrix_cases.h"
#include "tests/harness/cube.h"

#include <stdlib.h>

enum { MOST = 40 };

static double _Complex entry(void *arg, int64_t row, int64_t col) {
  (void)arg;
  return (double)((row * 7 + col * 3) % 11 - 5) + I * (double)((row * 5 + col * 2) % 7 - 3);
}

static bool in_part(enum hy_part part, int64_t row, int64_t col) {
  switch (part) {
  case HY_WHOLE: break;
  case HY_LOWER_PART: return row >= col;
  case HY_UPPER_PART: return row <= col;
  case HY_BELOW_PART: return row > col;
  case HY_ABOVE_PART: return row < col;
  }
  return true;
}

/* Entry (row, col) of op of the matrix that a summand stands for. */
static double _Complex meant(const struct hy_summand *s, int64_t row, int64_t col) {
  int64_t i = s->op == HYLA_NONE ? row : col, j = s->op == HYLA_NONE ? col : row;
  double _Complex x = in_part(s->part, i, j) ? entry(NULL, i, j) : 0;
  if (!s->matrix->k->complex_type || (s->real_diagonal && i == j)) x = creal(x);
  if (s->unit && i == j) x = 1;
  return s->op == HYLA_CONJUGATE ? conj(x) : x;
}

static void check_summand(hyla_cube *cube, const struct hy_summand *summand) {
  const hyla_matrix *a = summand->matrix;
  bool plain = summand->op == HYLA_NONE;
  int64_t rows = plain ? a->row.n : a->col.n, cols = plain ? a->col.n : a->row.n;
  struct hy_row_sums sums;
  struct hy_row_sum squares[MOST], weighted[MOST];
  double _Complex x[MOST];
  double weights[MOST];
  for (int64_t j = 0; j < MOST; j++) {
    x[j] = (double)(j % 5) - 2;
    weights[j] = (double)(j % 3);
  }
  const struct hy_summands parts = {1, {*summand}};
  assert_int_equal(hy_row_sums_allocate(cube, a->k, MOST, MOST, NULL, &sums), HYLA_OK);
  if (cube->address >= 0) {
    const struct hy_row_vector first = {x, HY_SIZE_SQUARES, NULL};
    const struct hy_row_vector second = {x, HY_SIZE_WEIGHTED, weights};
    assert_int_equal(hy_row_sums_find(&sums, &parts, false, &first, squares, rows), HYLA_OK);
    assert_int_equal(hy_row_sums_find(&sums, &parts, true, &second, weighted, rows), HYLA_OK);
    for (int64_t i = 0; i < rows; i++) {
      double _Complex value = 0;
      double square = 0, weight = 0;
      for (int64_t j = 0; j < cols; j++) {
        double _Complex here = meant(summand, i, j);
        value += here * x[j];
        square += creal(here) * creal(here) + cimag(here) * cimag(here);
        weight += cabs(here) * weights[j];
      }
      /* If an imaginary diagonal does not count, the estimated sizes may be slightly too large. */
      double more = summand->real_diagonal ? 9 : 0;
      assert_true(cabs(squares[i].value - value) == 0);
      double found = squares[i].size * squares[i].size, rounding = 1e-14 * square;
      assert_true(found >= square - rounding && found <= square + more + rounding);
      if (a->row_part < 0) continue;
      assert_true(cabs(weighted[i].value - value) == 0);
      assert_true(fabs(weighted[i].size - weight) <= 1e-4 * weight + 2 * more);
    }
  }
  hy_row_sums_free(&sums);
}

static void sums_are_those_of_the_entries(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int trial = 0; trial < 60; trial++) {
    hyla_layout layout = case_layout_on(cube);
    hyla_matrix *owner = NULL, *a = NULL;
    int64_t m = harness_draw(1, MOST - 2), n = harness_draw(1, MOST - 2);
    enum hy_part part = (enum hy_part)harness_draw(HY_WHOLE, HY_ABOVE_PART);
    bool strict = part == HY_BELOW_PART || part == HY_ABOVE_PART;
    assert_int_equal(hyla_matrix_create(cube, (hyla_type)harness_draw(0, 3), m, n, &layout, &owner),
                     HYLA_OK);
    assert_int_equal(hyla_matrix_view(owner, 0, 0, m, n, &a), HYLA_OK);
    assert_int_equal(hyla_matrix_fill(cube, a, entry, NULL), HYLA_OK);
    struct hy_summand summand = {a, (hyla_operation)harness_draw(0, 2), part, false, false};
    summand.unit = strict && m == n && harness_draw(0, 1) == 1;
    summand.real_diagonal = part == HY_LOWER_PART;
    harness_note("%s %lld x %lld, op %d, part %d", a->k->name, (long long)m, (long long)n,
                 (int)summand.op, (int)part);
    check_summand(cube, &summand);
    hyla_matrix_destroy(&a);
    hyla_matrix_destroy(&owner);
  }
  cube_close(&cube);
}

static void weights_tell_indices_apart(void **state) {
  (void)state;
  for (int64_t n = 1; n < 5000; n = 2 * n + 1)
    for (int64_t j = 0; j < n; j++) {
      assert_true(hy_row_weight(j, n) >= 1 && hy_row_weight(j, n) < 2);
      assert_true((double)(float)hy_row_weight(j, n) == hy_row_weight(j, n));
      if (j > 0) assert_true(hy_row_weight(j, n) > hy_row_weight(j - 1, n));
    }
  int64_t sum = 0;
  for (int64_t j = 0; j < 10000; j++) sum += (int64_t)hy_row_sign(j);
  assert_true(llabs(sum) < 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_the_entries),
      cmocka_unit_test(weights_tell_indices_apart),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
