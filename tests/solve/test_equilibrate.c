/* Equilibration: badly scaled systems are solved as well as the same systems scaled well, and the
 * report is about the caller's system. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 120
#include "report_case.h"

static hyla_status solve(const struct report_placed *p, const hyla_solve_options *options,
                         hyla_solve_report *report) {
  int64_t before = p->cube->base.bytes_now;
  hyla_status status = hyla_solve_expert(p->cube, options, p->a, p->b, p->x, report);
  assert_int_equal(p->cube->base.bytes_now, before);
  report_assert_common(p->cube, report);
  return status;
}

/* Exponents that leave products and sums within the type's range. */
static int reach(int type) { return type == HYLA_FLOAT || type == HYLA_COMPLEX ? 20 : 150; }

static int *draw_exponents(int type, int64_t n) {
  int *exponents = calloc((size_t)n + 1, sizeof *exponents);
  assert_non_null(exponents);
  for (int64_t i = 0; i < n; i++) exponents[i] = (int)harness_draw(-reach(type), reach(type));
  if (n > 1) exponents[0] = -reach(type);
  if (n > 1) exponents[n - 1] = reach(type);
  return exponents;
}

/* A := 2^rows A 2^cols; x and b are scaled with it, so that x still solves the system.  NULL: no
 * scaling. */
static void unbalance(struct report_system *s, const int *rows, const int *cols) {
  for (int64_t j = 0; j < s->n; j++)
    for (int64_t i = 0; i < s->n; i++)
      s->a[i + j * s->n] *= ldexp(1, (rows == NULL ? 0 : rows[i]) + (cols == NULL ? 0 : cols[j]));
  for (int64_t k = 0; k < s->n * s->nrhs; k++) {
    s->b[k] *= ldexp(1, rows == NULL ? 0 : rows[k % s->n]);
    s->x[k] *= ldexp(1, cols == NULL ? 0 : -cols[k % s->n]);
  }
}

/* The largest error of y relative to the largest entry, after both are scaled back. */
static double balanced_error(const struct report_system *s, const double _Complex *y,
                             const int *cols) {
  double error = 0, largest = 0;
  for (int64_t k = 0; k < s->n * s->nrhs; k++) {
    error = fmax(error, cabs(ldexp(1, cols[k % s->n]) * (y[k] - s->x[k])));
    largest = fmax(largest, cabs(ldexp(1, cols[k % s->n]) * s->x[k]));
  }
  return largest == 0 ? error : error / largest;
}

/* Without equilibration the result cannot be trusted; with it all is well. */
static void assert_mended(hyla_cube *cube, const struct report_system *s, const int *cols,
                          hyla_method method, hyla_refinement refinement) {
  struct report_placed placed = report_place(cube, s);
  hyla_solve_options options = {.method = method, .refinement = refinement};
  hyla_solve_report report;
  if (s->n > 1) {
    hyla_status plain = solve(&placed, &options, &report);
    assert_true(!report.equilibrated);
    if (plain == HYLA_OK) fail_msg("the plain solution is told to be good, rcond %g", report.rcond);
  }
  options.equilibrate = true;
  lu_assert_status(cube, solve(&placed, &options, &report), HYLA_OK);
  double _Complex *y = lu_get_all(placed.x);
  assert_true(report.reliable && report.method == method);
  if (s->n > 1) assert_true(report.equilibrated);
  report_assert_errors(s, y, &report);
  assert_true(report.rcond > 1e-5);
  double error = balanced_error(s, y, cols);
  if (!(error <= 100 * s->unit / report.rcond)) fail_msg("error %g, rcond %g", error, report.rcond);
  assert_true(report_forward_error(s, y) <= 3 * report.forward_bound);
  if (refinement != HYLA_REFINE_NONE) assert_true(report.componentwise_error <= 10 * s->unit);
  free(y);
  report_leave(&placed);
}

/* Well conditioned: dominated by its diagonal, which is real. */
static struct report_system draw_good(int type, int64_t n, hyla_method method) {
  struct report_system s = report_draw(type, n, 2);
  bool hermitian = method == HYLA_CHOLESKY || method == HYLA_LDL;
  for (int64_t i = 0; i < n && method != HYLA_CHOLESKY; i++)
    s.a[i + i * n] = method == HYLA_LDL && i % 2 == 1 ? -(double)n : (double)n;
  if (hermitian) report_make_hermitian(&s, method == HYLA_CHOLESKY);
  for (int64_t k = 0; k < n * n; k++) s.a[k] = report_rounded(type, s.a[k]);
  for (int64_t k = 0; k < n * s.nrhs; k++) s.x[k] += s.x[k] == 0;
  report_set_b(&s);
  return s;
}

static void bad_scaling_is_mended(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const hyla_method methods[] = {HYLA_LU, HYLA_CHOLESKY, HYLA_LDL, HYLA_GAUSS_JORDAN,
                                        HYLA_QR};
  static const hyla_refinement refinements[] = {HYLA_REFINE_NONE, HYLA_REFINE_FIXED,
                                                HYLA_REFINE_MIXED};
  int64_t p = cube->nodes;
  const int64_t sizes[] = {0, 1, hy_max(2, p - 1), p + 1, 13, 37};
  for (int i = 0; i < 30; i++) {
    int type = (int)harness_draw(0, TYPES - 1), kind = i / 5 % 3;
    bool full = type == HYLA_DOUBLE || type == HYLA_DOUBLE_COMPLEX;
    hyla_method method = methods[i % 5];
    bool hermitian = method == HYLA_CHOLESKY || method == HYLA_LDL;
    struct report_system s = draw_good(type, sizes[i / 5], method);
    int *cols = draw_exponents(type, s.n);
    int *rows = hermitian ? cols : draw_exponents(type, s.n);
    unbalance(&s, rows, cols);
    report_note(&s, hyla_method_at((int)method)->name);
    assert_mended(cube, &s, cols, method, full || kind < 2 ? refinements[kind] : HYLA_REFINE_FIXED);
    if (!hermitian) free(rows);
    free(cols);
    report_free(&s);
  }
  cube_close(&cube);
}

/* With only rows scaled, the factored matrix is always the same. */
static void scaled_rows_change_no_bit(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const hyla_solve_options options = {.equilibrate = true};
  for (int type = 0; type < TYPES; type++) {
    struct report_system s = draw_good(type, 23, HYLA_LU);
    double _Complex *seen[2] = {NULL, NULL};
    for (int turn = 0; turn < 2; turn++) {
      int *rows = draw_exponents(type, s.n);
      unbalance(&s, rows, NULL);
      struct report_placed placed = report_place(cube, &s);
      hyla_solve_report report;
      report_note(&s, "rows scaled");
      lu_assert_status(cube, solve(&placed, &options, &report), HYLA_OK);
      assert_true(report.equilibrated);
      seen[turn] = lu_get_all(placed.x);
      report_leave(&placed);
      for (int64_t i = 0; i < s.n; i++) rows[i] = -rows[i];
      unbalance(&s, rows, NULL);
      free(rows);
    }
    assert_memory_equal(seen[0], seen[1], (size_t)(s.n * s.nrhs) * sizeof *seen[0]);
    free(seen[1]);
    free(seen[0]);
    report_free(&s);
  }
  cube_close(&cube);
}

/* Nothing is scaled, and the answer is that without equilibration. */
static void even_systems_stay(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const hyla_method methods[] = {HYLA_LU, HYLA_CHOLESKY, HYLA_LDL, HYLA_QR};
  for (int i = 0; i < 8; i++) {
    struct report_system s = draw_good(i % TYPES, 17, methods[i / 2]);
    struct report_placed placed = report_place(cube, &s);
    hyla_solve_options options = {.method = methods[i / 2]};
    hyla_solve_report plain, report;
    report_note(&s, "even");
    lu_assert_status(cube, solve(&placed, &options, &plain), HYLA_OK);
    double _Complex *x = lu_get_all(placed.x);
    options.equilibrate = true;
    lu_assert_status(cube, solve(&placed, &options, &report), HYLA_OK);
    double _Complex *y = lu_get_all(placed.x);
    assert_true(!report.equilibrated && report.rcond == plain.rcond);
    assert_memory_equal(x, y, (size_t)(s.n * s.nrhs) * sizeof *x);
    free(y);
    free(x);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

/* The same status and pivot as without equilibration. */
static void what_has_no_factors_is_told_alike(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 16; i++) {
    struct report_system s = draw_good(i % TYPES, 14, HYLA_LU);
    int *rows = draw_exponents(s.type, s.n);
    unbalance(&s, rows, NULL);
    if (i / 4 == 0)
      for (int64_t k = 0; k < s.n; k++) s.a[k + 5 * s.n] = 0;
    if (i / 4 == 1)
      for (int64_t k = 0; k < s.n; k++) s.a[5 + k * s.n] = 0;
    if (i / 4 == 2) s.a[harness_draw(0, 14 * 14 - 1)] = NAN;
    if (i / 4 == 3) s.a[harness_draw(0, 14 * 14 - 1)] = -INFINITY;
    struct report_placed placed = report_place(cube, &s);
    hyla_solve_options options = {.method = HYLA_LU};
    hyla_solve_report plain, report;
    report_note(&s, i < 8 ? "singular" : "not finite");
    hyla_status expected = solve(&placed, &options, &plain);
    options.equilibrate = true;
    lu_assert_status(cube, solve(&placed, &options, &report), expected);
    assert_int_equal(expected, i < 8 ? HYLA_SINGULAR : HYLA_NOT_FINITE);
    assert_true(!report.reliable && report.equilibrated);
    assert_int_equal(report.pivot, plain.pivot);
    free(rows);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct report_system s = draw_good(HYLA_DOUBLE, 19, HYLA_LU);
  int *rows = draw_exponents(s.type, s.n);
  unbalance(&s, rows, NULL);
  struct report_placed placed = report_place(cube, &s);
  const hyla_solve_options options = {.equilibrate = true};
  report_memory_runs_out(&placed, &options, 7, 240);
  free(rows);
  report_leave(&placed);
  report_free(&s);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_scaling_is_mended), cmocka_unit_test(scaled_rows_change_no_bit),
      cmocka_unit_test(even_systems_stay),     cmocka_unit_test(what_has_no_factors_is_told_alike),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
