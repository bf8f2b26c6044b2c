/* hyla_factor_determinant: exact values, for LU and Cholesky, also beyond the range of numbers; the
 * contract.  The permutation vector as a file. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
#include "lu_case.h"

#include <unistd.h>

struct determinant {
  double log_abs, sign[2];
};

static struct determinant determinant_of(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                                         const hyla_layout *layout) {
  struct determinant d = {NAN, {NAN, NAN}};
  hyla_factor *factor = NULL;
  lu_assert_status(cube,
                   hyla_factor_create(cube, method, a->k->type, a->row.n, 1, layout, NULL, &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_determinant(cube, factor, &d.log_abs, d.sign), HYLA_OK);
  hyla_factor_destroy(&factor);
  return d;
}

/* Asserts the same bits on all ranks. */
static void assert_common(const struct determinant *d) {
  double first[3] = {d->log_abs, d->sign[0], d->sign[1]};
  harness_broadcast(first, 3, MPI_DOUBLE, 0);
  assert_memory_equal(&first[0], &d->log_abs, sizeof(double));
  assert_memory_equal(&first[1], d->sign, 2 * sizeof(double));
}

static void assert_near(double found, double expected, double bound) {
  if (!(fabs(found - expected) <= bound))
    fail_msg("%.17g, not %.17g, by more than %g", found, expected, bound);
}

/* Pivots are powers of two, so nothing is rounded before the logarithm. */
static void check_known(hyla_cube *cube, int type, int64_t n, int64_t block) {
  hyla_layout layout = lu_draw_layout(cube, block);
  harness_note("n = %lld, type %d, %s", (long long)n, type, lu_layout_name(&layout));
  struct lu_case x = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
  hyla_matrix *a = lu_matrix(cube, type, n, n, NULL);
  lu_put(a, x.a);
  double log_abs = 0;
  double _Complex sign = 1;
  for (int64_t i = 0; i < n; i++) {
    double _Complex pivot = x.u[i + i * n];
    log_abs += log2(cabs(pivot));
    sign *= pivot / cabs(pivot) * (x.swaps[i] == i ? 1 : -1);
  }
  struct determinant d = determinant_of(cube, HYLA_LU, a, &layout);
  assert_common(&d);
  double rounding = 4 * (double)(n + 1) * 0x1p-53;
  assert_near(d.log_abs, log_abs * log(2), rounding * (1 + fabs(log_abs)) + rounding * (double)n);
  if (type < HYLA_COMPLEX) {
    assert_true(d.sign[0] == creal(sign));
    assert_true(d.sign[1] == 0);
  }
  assert_near(d.sign[0], creal(sign), rounding);
  assert_near(d.sign[1], cimag(sign), rounding);
  assert_near(hypot(d.sign[0], d.sign[1]), 1, 0x1p-51);
  hyla_matrix_destroy(&a);
  lu_case_free(&x);
}

static void known_determinants_come_out(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  int64_t p = cube->nodes;
  const int64_t sizes[] = {0, 1, p - 1, p, p + 1, 13, 37, 101}, blocks[] = {1, 3, 8};
  for (int i = 0; i < 24; i++) check_known(cube, i % TYPES, sizes[i / 3], blocks[i % 3]);
  cube_close(&cube);
}

/* Tridiagonal, 2 on the diagonal, -1 beside it: the determinant is n + 1. */
static double _Complex second_difference(void *arg, int64_t row, int64_t col) {
  (void)arg;
  return row == col ? 2 : row - col == 1 || col - row == 1 ? -1 : 0;
}

static void methods_agree(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  const int64_t sizes[] = {0, 1, 2, 5, 17, 61};
  for (int i = 0; i < 6 * TYPES; i++) {
    int64_t n = sizes[i / TYPES];
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, NULL);
    harness_note("n = %lld, type %d", (long long)n, i % TYPES);
    assert_int_equal(hyla_matrix_fill(cube, a, second_difference, NULL), HYLA_OK);
    double bound = 8 * (double)(n + 1) * a->k->epsilon;
    for (int method = HYLA_LU; method <= HYLA_LDL; method++) {
      hyla_layout layout = lu_draw_layout(cube, 3);
      struct determinant d = determinant_of(cube, (hyla_method)method, a, &layout);
      assert_common(&d);
      assert_near(d.log_abs, log((double)n + 1), bound);
      assert_true(d.sign[0] == 1 && d.sign[1] == 0);
    }
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* Blocks of order 2: the eigenvalues are 2 cos(k pi / (n + 1)), half of them negative. */
static double _Complex path(void *arg, int64_t row, int64_t col) {
  (void)arg;
  return row - col == 1 || col - row == 1;
}

static void blocks_of_order_2_count(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  const int64_t sizes[] = {2, 4, 18, 62};
  for (int i = 0; i < 4 * TYPES; i++) {
    int64_t n = sizes[i / TYPES];
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, NULL);
    hyla_layout layout = lu_draw_layout(cube, 5);
    harness_note("n = %lld, type %d", (long long)n, i % TYPES);
    assert_int_equal(hyla_matrix_fill(cube, a, path, NULL), HYLA_OK);
    struct determinant d = determinant_of(cube, HYLA_LDL, a, &layout);
    assert_common(&d);
    assert_near(d.log_abs, 0, 8 * (double)(n + 1) * a->k->epsilon);
    assert_true(d.sign[0] == (n / 2 % 2 == 0 ? 1 : -1) && d.sign[1] == 0);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* Large numbers, with the rows in reverse order. */
static double _Complex reversed(void *arg, int64_t row, int64_t col) {
  const int64_t n = *(const int64_t *)arg;
  return row + col == n - 1 ? 1e30 : 0;
}

static void large_ones_stay_in_range(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  const int64_t sizes[] = {2, 3, 4, 5, 67};
  for (int i = 0; i < 5 * TYPES; i++) {
    int64_t n = sizes[i / TYPES];
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, NULL);
    assert_int_equal(hyla_matrix_fill(cube, a, reversed, &n), HYLA_OK);
    struct determinant d = determinant_of(cube, HYLA_LU, a, NULL);
    double exact = (double)n * log(1e30);
    assert_near(d.log_abs, exact, (1e-15 * (double)n + 2 * a->k->epsilon) * exact);
    assert_true(d.sign[0] == (n * (n - 1) / 2 % 2 == 0 ? 1 : -1) && d.sign[1] == 0);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  hyla_factor *factor = NULL;
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 9, 9, NULL);
  double log_abs = 0, sign[2];
  lu_assert_status(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 9, 1, NULL, NULL, &factor),
                   HYLA_OK);
  assert_int_equal(hyla_factor_determinant(cube, factor, &log_abs, sign), HYLA_ARGUMENT);
  assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_SINGULAR);
  assert_int_equal(hyla_factor_determinant(cube, factor, &log_abs, sign), HYLA_ARGUMENT);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_IDENTITY, 0), HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  for (int where = 0; where < harness_ranks(); where++) {
    bool here = where == harness_rank();
    assert_int_equal(hyla_factor_determinant(cube, here ? NULL : factor, &log_abs, sign),
                     HYLA_ARGUMENT);
    assert_int_equal(hyla_factor_determinant(cube, factor, here ? NULL : &log_abs, sign),
                     HYLA_ARGUMENT);
    assert_int_equal(hyla_factor_determinant(cube, factor, &log_abs, here ? NULL : sign),
                     HYLA_ARGUMENT);
  }
  assert_int_equal(hyla_factor_determinant(NULL, factor, &log_abs, sign), HYLA_ARGUMENT);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

/* ---- the permutation as a file ---- */

static void integers_come_back(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  const int64_t sizes[] = {0, 1, 7, 101};
  char path[64];
  int process = (int)getpid();
  harness_broadcast(&process, 1, MPI_INT, 0);
  snprintf(path, sizeof path, "test_determinant-%d.npy", process);
  for (int i = 0; i < 4; i++) {
    int64_t values[101];
    for (int64_t j = 0; j < sizes[i]; j++) values[j] = (j * 37 + 11) % 101 - 50;
    lu_assert_status(cube, hyla_integers_write(cube, values, sizes[i], path), HYLA_OK);
    hyla_matrix *back = NULL;
    lu_assert_status(cube, hyla_matrix_read(cube, path, NULL, &back), HYLA_OK);
    assert_int_equal(back->row.n, sizes[i]);
    assert_int_equal(back->col.n, 1);
    for (int64_t l = 0; l < back->local_rows * back->local_cols; l++)
      assert_true(back->k->get(back->local, l) == (double)values[hyla_matrix_row(back, l)]);
    hyla_matrix_destroy(&back);
  }
  if (harness_rank() == 0) unlink(path);
  cube_close(&cube);
}

static void bad_vectors_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  const int64_t values[3] = {1, 2, 3}, others[3] = {1, 2, 4};
  int64_t before = cube->base.bytes_now;
  bool last = harness_rank() == harness_ranks() - 1;
  assert_int_equal(hyla_integers_write(cube, last ? NULL : values, 3, "x.npy"), HYLA_ARGUMENT);
  assert_int_equal(hyla_integers_write(cube, values, last ? -1 : 3, "x.npy"), HYLA_ARGUMENT);
  assert_int_equal(hyla_integers_write(cube, values, 3, last ? NULL : "x.npy"), HYLA_ARGUMENT);
  assert_int_equal(hyla_integers_write(cube, values, 3, "x.mtx"), HYLA_ARGUMENT);
  assert_int_equal(hyla_integers_write(cube, values, 3, "no/such/folder/x.npy"), HYLA_FILE);
  if (harness_ranks() > 1)
    assert_int_equal(hyla_integers_write(cube, last ? others : values, 3, "x.npy"), HYLA_MISMATCH);
  assert_int_equal(hyla_integers_write(NULL, values, 3, "x.npy"), HYLA_ARGUMENT);
  assert_int_equal(access("x.npy", F_OK), -1);
  assert_int_equal(cube->base.bytes_now, before);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_determinants_come_out),
      cmocka_unit_test(methods_agree),
      cmocka_unit_test(blocks_of_order_2_count),
      cmocka_unit_test(large_ones_stay_in_range),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
      cmocka_unit_test(integers_come_back),
      cmocka_unit_test(bad_vectors_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
