/* A = Q B of few columns: Q's columns are orthonormal, B is Q^H A, the error is within the bounds
 * of Halko, Martinsson and Tropp for A's singular values, and the report tells it; a tolerance is
 * reached with no more columns than its blocks need; for all types and layouts. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
// arrays: 3x1
#include "lu_case.h"
#include "tests/harness/peer_lapack.h"

#include <math.h>

enum { MOST = 70 };

/* A and its singular values, and places for Q and B; as every rank has them. */
struct problem {
  hyla_cube *cube;
  int64_t m, n, columns;
  struct lu_place a, q, b;
  double _Complex *entries;
  double values[MOST];
};

static double _Complex *need(int64_t count) {
  double _Complex *array = calloc((size_t)count + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

static double _Complex drawn(bool complex_type) {
  return hy_complex((double)harness_draw(-999, 999) / 999,
                    complex_type ? (double)harness_draw(-999, 999) / 999 : 0);
}

/* The singular values of an m x n array. */
static void find_values(int64_t m, int64_t n, const double _Complex *a, double values[MOST]) {
  const int64_t order = hy_max(1, hy_max(m, n));
  double _Complex *square = need(order * order);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) square[i + j * order] = a[i + j * m];
  lapack_singular_values(HYLA_DOUBLE_COMPLEX, (int)order, square, values);
  free(square);
}

/* A is a sum of products of drawn vectors, each `fall' times the one before. */
static struct problem open_problem(hyla_cube *cube, int type, int64_t m, int64_t n, int64_t columns,
                                   int64_t rank, double fall) {
  struct problem p = {.cube = cube, .m = m, .n = n, .columns = columns};
  const bool complex_type = type == HYLA_COMPLEX || type == HYLA_DOUBLE_COMPLEX;
  p.a = lu_place_draw(cube, type, m, n);
  p.q = lu_place_draw(cube, type, m, columns);
  p.b = lu_place_draw(cube, type, columns, n);
  double _Complex *sum = need(m * n), *left = need(m), *right = need(n);
  for (int64_t k = 0; k < rank; k++) {
    for (int64_t i = 0; i < m; i++) left[i] = pow(fall, (double)k) * drawn(complex_type);
    for (int64_t j = 0; j < n; j++) right[j] = drawn(complex_type);
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < m; i++) sum[i + j * m] += left[i] * right[j];
  }
  lu_put(p.a.m, sum);
  p.entries = lu_get_all(p.a.m); /* rounded to the type */
  find_values(m, n, p.entries, p.values);
  free(right), free(left), free(sum);
  return p;
}

static void close_problem(struct problem *p) {
  free(p->entries);
  lu_place_free(&p->b);
  lu_place_free(&p->q);
  lu_place_free(&p->a);
}

/* What Q B leaves of A: its largest singular value, and its Frobenius norm. */
struct rest {
  double largest, size;
};

/* Q^H Q is the identity of the rank's order, with zeros behind; B is Q^H A. */
static struct rest check_factors(const struct problem *p, int64_t rank) {
  const int64_t m = p->m, n = p->n, k = p->columns;
  const double units = 2 * p->a.m->k->epsilon * (double)hy_max(8, hy_max(m, n));
  double _Complex *q = lu_get_all(p->q.m), *b = lu_get_all(p->b.m), *r = need(m * n);
  double far = 0, values[MOST];
  struct rest rest = {0, 0};
  for (int64_t i = 0; i < k; i++)
    for (int64_t j = 0; j < k; j++) {
      double _Complex dot = i == j && i < rank ? -1 : 0;
      for (int64_t l = 0; l < m; l++) dot += conj(q[l + i * m]) * q[l + j * m];
      far += pow(cabs(dot), 2);
    }
  if (!(sqrt(far) <= units)) fail_msg("Q is orthonormal to %g units", sqrt(far) / units);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < k; i++) {
      double _Complex dot = -b[i + j * k];
      for (int64_t l = 0; l < m; l++) dot += conj(q[l + i * m]) * p->entries[l + j * m];
      if (!(cabs(dot) <= units * p->values[0])) fail_msg("B is off by %g", cabs(dot));
    }
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      r[i + j * m] = p->entries[i + j * m];
      for (int64_t l = 0; l < rank; l++) r[i + j * m] -= q[i + l * m] * b[l + j * k];
      rest.size += pow(cabs(r[i + j * m]), 2);
    }
  rest.size = sqrt(rest.size);
  find_values(m, n, r, values);
  rest.largest = values[0];
  free(r), free(b), free(q);
  return rest;
}

static double size_of(const struct problem *p) {
  double squares = 0;
  for (int64_t i = 0; i < hy_min(p->m, p->n); i++) squares += pow(p->values[i], 2);
  return sqrt(squares);
}

/* The report tells the rest's size, but for rounding. */
static void check_report(const struct problem *p, const hyla_lowrank_report *report,
                         struct rest rest) {
  const double size = size_of(p),
               units = 8 * p->a.m->k->epsilon * (double)hy_max(8, hy_max(p->m, p->n));
  if (size == 0) {
    assert_true(report->error == 0 && report->bound == 0);
    return;
  }
  if (!(rest.largest <= report->bound * size + units * size))
    fail_msg("the rest is %g, at most %g was said", rest.largest / size, report->bound);
  if (!(fabs(log(report->error + units) - log(rest.size / size + units)) <= log(4)))
    fail_msg("the rest is %g, about %g was said", rest.size / size, report->error);
}

static const char *const VARIANTS[] = {NULL, "householder", "tsqr"};

/* k + p columns: the rest is below (1 + 9 sqrt(k + p) sqrt(min(m, n))) s_(k+1) for every k with a p
 * of 4 and more, always; and on the average below (1 + 4 sqrt(k + p) / (p - 1) sqrt(min(m, n)))
 * times that (Halko, Martinsson, Tropp 2011, 1.8 and 1.9). */
static void run_columns(hyla_cube *cube, int type, int64_t m, int64_t n) {
  enum { SEEDS = 3 };
  const int64_t least = hy_min(m, n), columns = harness_draw(0, least);
  struct problem p = open_problem(cube, type, m, n, columns, least, .7);
  const double units = 4 * p.a.m->k->epsilon * (double)hy_max(8, hy_max(m, n)),
               width = sqrt((double)columns * (double)least);
  double mean = 0;
  for (int seed = 0; seed < SEEDS; seed++) {
    const hyla_lowrank_options options = {.seed = (uint64_t)seed,
                                          .power = (int)harness_draw(0, 1),
                                          .variant = VARIANTS[harness_draw(0, 2)]};
    hyla_lowrank_report report;
    harness_note("%lld x %lld, %lld columns, type %d, power %d, %s", (long long)m, (long long)n,
                 (long long)columns, type, options.power,
                 options.variant == NULL ? "any" : options.variant);
    lu_assert_status(cube, hyla_lowrank(cube, &options, p.a.m, p.q.m, p.b.m, &report), HYLA_OK);
    assert_int_equal(report.rank, least == 0 || p.values[0] == 0 ? 0 : columns);
    const struct rest rest = check_factors(&p, report.rank);
    check_report(&p, &report, rest);
    mean += rest.largest / SEEDS;
    for (int64_t k = 0; k + 4 <= columns; k++)
      if (!(rest.largest <= (1 + 9 * width) * p.values[k] + units * p.values[0]))
        fail_msg("the rest is %g, value %lld %g", rest.largest, (long long)k, p.values[k]);
  }
  for (int64_t k = 0; k + 4 <= columns; k++)
    if (!(mean <= (1 + 4 * width / (double)(columns - k - 1)) * p.values[k] + units * p.values[0]))
      fail_msg("the mean rest is %g, value %lld %g", mean, (long long)k, p.values[k]);
  close_problem(&p);
}

static const int64_t SIZES[] = {0, 1, 5, 17, 64};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

static void errors_are_within_the_bounds(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(COUNT * COUNT * TYPES, 8);
  const int64_t before = cube->base.bytes_now;
  for (int64_t i; harness_next(&walk, &i);)
    run_columns(cube, (int)(i % TYPES), SIZES[i / TYPES % COUNT], SIZES[i / TYPES / COUNT]);
  assert_int_equal(cube->base.bytes_now, before);
  cube_close(&cube);
}

/* Blocks of 16 columns end once the rest is below the tolerance; the block before was too few, and
 * so would be half of what it lacks.  With one column less than a block it cannot be reached. */
static void tolerances_are_reached(void **state) {
  (void)state;
  enum { M = 64, N = 50, BLOCK = 16 };
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(TYPES * 3, 3);
  for (int64_t i; harness_next(&walk, &i);) {
    const int type = (int)(i % TYPES);
    const double tolerance = i / TYPES == 0 ? 1e-1 : i / TYPES == 1 ? 1e-3 : 1e-4;
    struct problem p = open_problem(cube, type, M, N, N, N, .6);
    const hyla_lowrank_options options = {.tolerance = tolerance, .seed = (uint64_t)i};
    hyla_lowrank_report report;
    harness_note("type %d, tolerance %g", type, tolerance);
    lu_assert_status(cube, hyla_lowrank(cube, &options, p.a.m, p.q.m, p.b.m, &report), HYLA_OK);
    const struct rest rest = check_factors(&p, report.rank);
    check_report(&p, &report, rest);
    assert_true(report.bound <= tolerance && rest.largest <= tolerance * size_of(&p));
    assert_true(report.rank % BLOCK == 0 && report.rank > 0);
    hyla_matrix *q = NULL, *b = NULL;
    const int64_t less = report.rank - BLOCK;
    assert_int_equal(hyla_matrix_view(p.q.m, 0, 0, M, less, &q), HYLA_OK);
    assert_int_equal(hyla_matrix_view(p.b.m, 0, 0, less, N, &b), HYLA_OK);
    lu_assert_status(cube, hyla_lowrank(cube, &options, p.a.m, q, b, &report), HYLA_UNRELIABLE);
    assert_true(report.rank == less && report.bound > tolerance);
    hyla_matrix_destroy(&b), hyla_matrix_destroy(&q);
    close_problem(&p);
  }
  cube_close(&cube);
}

/* The columns of a rank of 5 are found in one block, to rounding; zeros need none. */
static void low_ranks_end_early(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int type = 0; type < TYPES; type++)
    for (int zero = 0; zero < 2; zero++) {
      struct problem p = open_problem(cube, type, 40, 33, 33, zero ? 0 : 5, .9);
      const hyla_lowrank_options options = {.tolerance = 1e-300};
      hyla_lowrank_report report;
      lu_assert_status(cube, hyla_lowrank(cube, &options, p.a.m, p.q.m, p.b.m, &report), HYLA_OK);
      assert_int_equal(report.rank, zero ? 0 : 16);
      check_report(&p, &report, check_factors(&p, report.rank));
      close_problem(&p);
    }
  cube_close(&cube);
}

/* A run sends what its plan says and takes no more memory: of a number of columns, and with a
 * tolerance that all columns do not reach. */
static void plans_say_what_is_sent(void **state) {
  (void)state;
  enum { OBJECTS = 1 << 18 };
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(TYPES * 3 * 3 * 2, 3);
  for (int64_t i; harness_next(&walk, &i);) {
    const int64_t m = harness_draw(1, 50), n = harness_draw(1, 50);
    const bool tolerant = i / TYPES % 3 == 2;
    const hyla_lowrank_options options = {.tolerance = tolerant ? 1e-300 : 0,
                                          .power = (int)(i / TYPES % 3 == 1),
                                          .variant = VARIANTS[i / TYPES / 3 % 3]};
    const int64_t least = hy_min(m, n), columns = harness_draw(0, tolerant ? least - 1 : least);
    struct problem p = open_problem(cube, (int)(i % TYPES), m, n, columns, least, .9);
    hyla_lowrank_report report;
    hyla_plan *plan = NULL;
    harness_note("%lld x %lld, %lld columns, type %d, %s", (long long)m, (long long)n,
                 (long long)columns, (int)(i % TYPES), tolerant ? "with a tolerance" : "all");
    lu_assert_status(
        cube, hyla_lowrank_plan(cube, &options, p.a.m, p.q.m, i % 2 ? p.b.m : NULL, &report, &plan),
        HYLA_OK);
    const hyla_cost cost = hy_plan_mine(plan);
    const int64_t before = cube->base.bytes_now;
    cube->base.bytes_peak = before;
    assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
    lu_assert_status(cube, hyla_plan_run(cube, plan), tolerant ? HYLA_UNRELIABLE : HYLA_OK);
    const int64_t taken = cube->base.bytes_peak - before;
    const hyla_status status = lu_check_counted(cube, p.a.m->k->size, &cost);
    lu_assert_status(cube, hy_agree(cube, status), HYLA_OK);
    assert_int_equal(report.rank, columns);
    if (taken > cost.memory + OBJECTS)
      fail_msg("%lld bytes taken, %lld planned", (long long)taken, (long long)cost.memory);
    hyla_plan_destroy(&plan);
    close_problem(&p);
  }
  cube_close(&cube);
}

static void check_not_finite(hyla_cube *cube, int type, double entry) {
  const int64_t m = harness_draw(1, 30), n = harness_draw(1, 30);
  struct problem p = open_problem(cube, type, m, n, hy_min(m, n), 2, .5);
  assert_int_equal(hyla_matrix_set(cube, p.a.m, m - 1, n - 1, entry), HYLA_OK);
  lu_assert_status(cube, hyla_lowrank(cube, NULL, p.a.m, p.q.m, NULL, NULL), HYLA_NOT_FINITE);
  close_problem(&p);
}

static void what_is_not_finite_is_told_everywhere(void **state) {
  (void)state;
  lu_each_not_finite(check_not_finite);
}

/* Tolerances and powers that do not exist; more columns than A has; a B that does not fit. */
static void wrong_options_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct problem p = open_problem(cube, HYLA_DOUBLE, 9, 7, 7, 3, .5);
  struct lu_place wide = lu_place_draw(cube, HYLA_DOUBLE, 9, 8);
  const hyla_lowrank_options bad[] = {
      {.tolerance = -1}, {.tolerance = 1}, {.tolerance = NAN}, {.power = -1}, {.variant = "x"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    lu_assert_status(cube, hyla_lowrank(cube, &bad[i], p.a.m, p.q.m, NULL, NULL), HYLA_ARGUMENT);
  lu_assert_status(cube, hyla_lowrank(cube, NULL, p.a.m, wide.m, NULL, NULL), HYLA_ARGUMENT);
  lu_assert_status(cube, hyla_lowrank(cube, NULL, p.a.m, p.q.m, wide.m, NULL), HYLA_ARGUMENT);
  lu_assert_status(cube, hyla_lowrank(cube, NULL, p.a.m, p.q.m, p.q.m, NULL), HYLA_ARGUMENT);
  lu_place_free(&wide);
  close_problem(&p);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_within_the_bounds),
      cmocka_unit_test(tolerances_are_reached),
      cmocka_unit_test(low_ranks_end_early),
      cmocka_unit_test(plans_say_what_is_sent),
      cmocka_unit_test(what_is_not_finite_is_told_everywhere),
      cmocka_unit_test(wrong_options_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
