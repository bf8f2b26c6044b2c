/* Conversion between types: every pair of types, any layouts, views; rounding; the contract. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "tests/matrix/matrix_cases.h"

#include <float.h>

/* Numbers that conversions may get wrong, among others that differ from place to place. */
static double number_at(int64_t row, int64_t col, int salt) {
  static const double odd[] = {NAN,       INFINITY,     -INFINITY, -0.0,    5e-324,  1e-40,
                               1e308,     -1e300,       FLT_MAX,   0x1p128, 1e-46,   1 + 0x1p-24,
                               1 + 3e-16, 0x1.ffffffp0, 3.5e38,    -1e-310, 16777217};
  enum { ODD = sizeof odd / sizeof *odd };
  int64_t which = (3 * row + 5 * col + salt) % (2 * ODD);
  return which < ODD ? odd[which] : (double)(100 * row + col + salt) / 7;
}

static double _Complex strange_entry(void *arg, int64_t row, int64_t col) {
  (void)arg;
  return hy_complex(number_at(row, col, 0), number_at(row, col, 11));
}

static bool same_number(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

typedef hyla_status conversion(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to);
static conversion *const conversions[] = {hyla_matrix_convert, hyla_matrix_real, hyla_matrix_imag};

/* The expected entry (row, col) of the target, from its value in the source's type. */
static double _Complex expected(const hyla_matrix *from, const hyla_matrix *to, int which,
                                int64_t row, int64_t col) {
  double _Complex x = case_rounded(from, strange_entry(NULL, row, col));
  double re = which == 2 ? cimag(x) : creal(x), im = which == 0 ? cimag(x) : 0;
  return case_rounded(to, hy_complex(re, im));
}

static void assert_converted(const hyla_matrix *from, const hyla_matrix *to, int which) {
  for (int64_t m = 0; m < to->local_cols; m++)
    for (int64_t l = 0; l < to->local_rows; l++) {
      int64_t row = hyla_matrix_row(to, l), col = hyla_matrix_col(to, m);
      double _Complex wanted = expected(from, to, which, row, col);
      double _Complex found = to->k->get(hy_at(to, l, m), 0);
      if (!same_number(creal(found), creal(wanted)) || !same_number(cimag(found), cimag(wanted)))
        fail_msg("entry (%lld, %lld) is %g%+gi, not %g%+gi", (long long)row, (long long)col,
                 creal(found), cimag(found), creal(wanted), cimag(wanted));
    }
}

/* Every other time a view into a larger matrix, at a drawn place. */
struct target {
  hyla_matrix *owner, *matrix;
};

static struct target target_make(hyla_cube *cube, int type, int64_t rows, int64_t cols) {
  struct target target = {0};
  hyla_layout layout = case_layout_on(cube);
  int64_t row = 0, col = 0, more = 0;
  if (harness_draw(0, 1)) row = harness_draw(0, 4), col = harness_draw(0, 4), more = 3;
  target.owner = case_matrix(cube, type, rows + row + more, cols + col + more, &layout);
  assert_int_equal(hyla_matrix_view(target.owner, row, col, rows, cols, &target.matrix), HYLA_OK);
  return target;
}

static void target_free(struct target *target) {
  hyla_matrix_destroy(&target->matrix);
  hyla_matrix_destroy(&target->owner);
}

static bool complex_type(int type) { return type == HYLA_COMPLEX || type == HYLA_DOUBLE_COMPLEX; }

static void check_pair(hyla_cube *cube, int from_type, int to_type, int which) {
  int64_t sizes[HARNESS_SIZES];
  int choices = harness_sizes(cube->nodes, sizes);
  int64_t rows = sizes[harness_draw(0, choices - 1)], cols = sizes[harness_draw(0, choices - 1)];
  struct target from = target_make(cube, from_type, rows, cols);
  struct target to = target_make(cube, to_type, rows, cols);
  harness_note("call %d, type %d %s to type %d %s, %lld x %lld", which, from_type,
               case_name(&from.matrix->layout), to_type, case_name(&to.matrix->layout),
               (long long)rows, (long long)cols);
  case_fill_local(from.matrix, strange_entry, NULL);
  bool refused = which == 0 && complex_type(from_type) && !complex_type(to_type);
  hyla_status status = conversions[which](cube, from.matrix, to.matrix);
  if (status != (refused ? HYLA_ARGUMENT : HYLA_OK)) fail_msg("%s", hyla_cube_message(cube));
  if (refused) assert_non_null(strstr(hyla_cube_message(cube), "hyla_matrix_real"));
  if (!refused) assert_converted(from.matrix, to.matrix, which);
  target_free(&to);
  target_free(&from);
}

static void every_type_to_every_other(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int round = 0; round < 3; round++)
    for (int from = 0; from < TYPES; from++)
      for (int to = 0; to < TYPES; to++)
        for (int which = 0; which < 3; which++) check_pair(cube, from, to, which);
  case_cube_end(&cube, before);
}

static double _Complex mark(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return 77;
}

/* Entries around a view do not change. */
static void a_view_alone_is_written(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int type = 0; type < TYPES; type++) {
    hyla_layout layout = case_layout_on(cube);
    hyla_matrix *from = case_matrix(cube, HYLA_FLOAT, 5, 4, NULL), *view = NULL;
    hyla_matrix *to = case_matrix(cube, type, 11, 9, &layout);
    case_fill_local(to, mark, NULL);
    assert_int_equal(hyla_matrix_view(to, 3, 2, 5, 4, &view), HYLA_OK);
    assert_int_equal(hyla_matrix_convert(cube, from, view), HYLA_OK);
    for (int64_t m = 0; m < to->local_cols; m++)
      for (int64_t l = 0; l < to->local_rows; l++) {
        int64_t row = hyla_matrix_row(to, l), col = hyla_matrix_col(to, m);
        bool inside = row >= 3 && row < 8 && col >= 2 && col < 6;
        assert_true(to->k->get(hy_at(to, l, m), 0) == (inside ? 0 : 77));
      }
    hyla_matrix_destroy(&view);
    hyla_matrix_destroy(&to);
    hyla_matrix_destroy(&from);
  }
  hyla_cube_destroy(&cube);
}

/* No other float is nearer; of two equally near ones the even one; too large becomes infinite. */
static void numbers_are_rounded_to_nearest(void **state) {
  (void)state;
  const struct hy_kernels *d = hy_kernels_of(HYLA_DOUBLE), *s = hy_kernels_of(HYLA_FLOAT);
  for (int i = 0; i < 1000; i++) {
    double x = ldexp((double)harness_draw(-(INT64_C(1) << 52), INT64_C(1) << 52),
                     (int)harness_draw(-200, 70));
    float y = 0;
    hy_convert(HY_BOTH_PARTS, 1, 1, d, &x, 1, s, &y, 1);
    double error = fabs(x - (double)y);
    harness_note("%a becomes %a", x, (double)y);
    assert_true(error <= fabs(x - (double)nextafterf(y, INFINITY)));
    assert_true(error <= fabs(x - (double)nextafterf(y, -INFINITY)));
  }
  const double exact[][2] = {{1 + 0x1p-24, 1},
                             {1 + 0x3p-24, 1 + 0x1p-22},
                             {FLT_MAX + 0x1p102, FLT_MAX},
                             {FLT_MAX + 0x1p103, INFINITY},
                             {-1e308, -INFINITY},
                             {0x1p-150, 0},
                             {0x1.8p-149, 0x1p-148}};
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    float y = 0;
    hy_convert(HY_BOTH_PARTS, 1, 1, d, &exact[i][0], 1, s, &y, 1);
    harness_note("%a", exact[i][0]);
    assert_true((double)y == exact[i][1]);
  }
}

/* Imaginary parts are not lost silently. */
static void complex_numbers_do_not_become_real_ones(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *from = case_matrix(cube, HYLA_FLOAT, 6, 5, NULL);
  hyla_matrix *to = case_matrix(cube, HYLA_DOUBLE, 6, 5, NULL);
  hyla_matrix *complex_one = case_matrix(cube, HYLA_COMPLEX, 6, 5, NULL);
  for (int where = -1; where < harness_ranks(); where++) {
    bool here = where < 0 || where == harness_rank();
    harness_note("on rank %d", where);
    assert_int_equal(hyla_matrix_convert(cube, here ? complex_one : from, to), HYLA_ARGUMENT);
    assert_non_null(strstr(hyla_cube_message(cube), "hyla_matrix_real gives the real parts"));
  }
  bool last = harness_rank() == harness_ranks() - 1;
  if (harness_ranks() > 1)
    assert_int_equal(hyla_matrix_convert(cube, from, last ? complex_one : to), HYLA_MISMATCH);
  hyla_matrix_destroy(&complex_one);
  hyla_matrix_destroy(&to);
  hyla_matrix_destroy(&from);
  hyla_cube_destroy(&cube);
}

/* The n-th allocation fails on one rank, for every n, in both orders of work. */
static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1);
  hyla_layout here = case_layout_of(cube, 1), there = case_layout_of(cube, 3);
  for (int turned = 0; turned < 2; turned++) {
    hyla_matrix *from = case_matrix(cube, turned ? HYLA_DOUBLE : HYLA_FLOAT, 6, 9, &here);
    hyla_matrix *to = case_matrix(cube, turned ? HYLA_FLOAT : HYLA_DOUBLE, 6, 9, &there);
    case_fill_local(from, strange_entry, NULL);
    int64_t before = base->bytes_now, n = 0;
    hyla_status status = HYLA_MEMORY;
    while (status == HYLA_MEMORY) {
      harness_note("allocation %lld on rank %d", (long long)++n, victim);
      if (harness_rank() == victim) base->fail_at = base->allocations + n;
      status = hyla_matrix_convert(cube, from, to);
      base->fail_at = 0;
      assert_int_equal(base->bytes_now, before);
    }
    assert_int_equal(status, HYLA_OK);
    assert_true(n > 3 || cube->nodes == 1);
    assert_converted(from, to, 0);
    hyla_matrix_destroy(&to);
    hyla_matrix_destroy(&from);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_to_every_other),
      cmocka_unit_test(a_view_alone_is_written),
      cmocka_unit_test(numbers_are_rounded_to_nearest),
      cmocka_unit_test(complex_numbers_do_not_become_real_ones),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
