/* Mixed refinement: as good as full precision if A can be factored in half of it; otherwise the
 * result of full precision, with a reason. */
// ranks: 1 2 3 4
// sample: 1 3 4
// limit: 120
#include "report_case.h"

static const int FULL[] = {HYLA_DOUBLE, HYLA_DOUBLE_COMPLEX};

static hyla_status solve(const struct report_placed *p, hyla_method method,
                         hyla_refinement refinement, hyla_solve_report *report) {
  const hyla_solve_options options = {.method = method, .refinement = refinement};
  int64_t before = p->cube->base.bytes_now;
  hyla_status status = hyla_solve_expert(p->cube, &options, p->a, p->b, p->x, report);
  assert_int_equal(p->cube->base.bytes_now, before);
  report_assert_common(p->cube, report);
  return status;
}

/* ------------------------------------------------------------ it converges -- */

/* Multiplies every entry by a power of two, which changes nothing else. */
static void scale(struct report_system *s, int of_a, int of_x) {
  for (int64_t i = 0; i < s->n * s->n; i++) s->a[i] *= ldexp(1, of_a);
  for (int64_t i = 0; i < s->n * s->nrhs; i++) {
    s->x[i] *= ldexp(1, of_x);
    s->b[i] *= ldexp(1, of_a + of_x);
  }
}

static void assert_as_good(const struct report_system *s, const struct report_placed *p,
                           hyla_method method) {
  hyla_solve_report fixed, mixed;
  lu_assert_status(p->cube, solve(p, method, HYLA_REFINE_FIXED, &fixed), HYLA_OK);
  lu_assert_status(p->cube, solve(p, method, HYLA_REFINE_MIXED, &mixed), HYLA_OK);
  double _Complex *y = lu_get_all(p->x);
  if (mixed.fallback != NULL) fail_msg("falls back, as %s; rcond %g", mixed.fallback, fixed.rcond);
  assert_true(fixed.fallback == NULL && mixed.reliable && mixed.method == method);
  assert_non_null(mixed.variant);
  report_assert_errors(s, y, &mixed);
  assert_true(mixed.componentwise_error <= 10 * s->unit);
  assert_true(mixed.backward_error <= 10 * s->unit);
  assert_true(report_forward_error(s, y) <= 3 * mixed.forward_bound);
  if (mixed.refinements > 10 || (s->n > 4 && mixed.refinements < 1))
    fail_msg("%d steps, rcond %g", mixed.refinements, mixed.rcond);
  assert_true(mixed.rcond >= fixed.rcond / 2 && mixed.rcond <= 2 * fixed.rcond);
  assert_true(isnan(fixed.growth) ? isnan(mixed.growth) : mixed.growth <= 2 * fixed.growth);
  free(y);
}

static void good_systems_are_solved_as_well(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const int exponents[][2] = {{0, 0}, {700, -600}, {-700, 500}};
  const hyla_method methods[] = {HYLA_LU, HYLA_CHOLESKY, HYLA_LDL, HYLA_GAUSS_JORDAN};
  int64_t p = cube->nodes;
  const int64_t sizes[] = {0, 1, p - 1, p, p + 1, 23, 61};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  for (int i = 0; i < 4 * SIZES; i++) {
    hyla_method method = methods[i % 4];
    struct report_system s = report_draw(FULL[i / 4 % 2], sizes[i / 4], i % 3 == 0 ? 5 : 1);
    for (int64_t k = 0; k < s.n * s.nrhs; k++) s.x[k] = report_uniform(s.type);
    report_set_b(&s);
    if (method == HYLA_CHOLESKY || method == HYLA_LDL)
      report_make_hermitian(&s, method == HYLA_CHOLESKY);
    scale(&s, exponents[i % 3][0], exponents[i % 3][1]);
    struct report_placed placed = report_place(cube, &s);
    report_note(&s, hyla_method_at((int)method)->name);
    assert_as_good(&s, &placed, method);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

static void no_right_hand_side_is_fine(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct report_system s = report_draw(HYLA_DOUBLE, 9, 2);
  memset(s.x, 0, (size_t)(s.n * s.nrhs) * sizeof *s.x);
  report_set_b(&s);
  for (int nrhs = 0; nrhs <= 2; nrhs += 2) {
    s.nrhs = nrhs;
    struct report_placed placed = report_place(cube, &s);
    hyla_solve_report report;
    lu_assert_status(cube, solve(&placed, HYLA_LU, HYLA_REFINE_MIXED, &report), HYLA_OK);
    assert_true(report.fallback == NULL && report.refinements == 0 && report.backward_error == 0);
    double _Complex *y = lu_get_all(placed.x);
    for (int64_t i = 0; i < s.n * s.nrhs; i++) assert_true(y[i] == 0);
    free(y);
    report_leave(&placed);
  }
  report_free(&s);
  cube_close(&cube);
}

/* ----------------------------------------------------------- it falls back -- */

/* Both reports say the same, but for the reason; the solutions are equal to the bit. */
static void assert_falls_back(const struct report_system *s, const struct report_placed *p,
                              hyla_method method) {
  hyla_solve_report fixed, mixed;
  hyla_status expected = solve(p, method, HYLA_REFINE_FIXED, &fixed);
  double _Complex *x = lu_get_all(p->x);
  lu_assert_status(p->cube, solve(p, method, HYLA_REFINE_MIXED, &mixed), expected);
  double _Complex *y = lu_get_all(p->x);
  if (mixed.fallback == NULL) fail_msg("no fallback, rcond %g, %g", mixed.rcond, fixed.rcond);
  bool solved = expected == HYLA_OK || expected == HYLA_UNRELIABLE;
  if (solved) assert_memory_equal(x, y, (size_t)(s->n * s->nrhs) * sizeof *x);
  assert_true(mixed.pivot == fixed.pivot && mixed.reliable == fixed.reliable);
  const double one[] = {mixed.rcond, mixed.backward_error, mixed.componentwise_error};
  const double other[] = {fixed.rcond, fixed.backward_error, fixed.componentwise_error};
  if (solved) assert_memory_equal(one, other, sizeof one);
  assert_int_equal(mixed.refinements, fixed.refinements);
  free(y);
  free(x);
}

/* The last column is the sum of the others, plus a small perturbation. */
static void make_nearly_singular(struct report_system *s, double little) {
  int64_t n = s->n;
  for (int64_t i = 0; i < n; i++) {
    double _Complex sum = little * s->a[i + (n - 1) * n];
    for (int64_t j = 0; j < n - 1; j++) sum += s->a[i + j * n];
    s->a[i + (n - 1) * n] = sum;
  }
  report_set_b(s);
}

static void bad_systems_are_solved_in_full_precision(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const double little[] = {1e-9, 1e-10, 1e-12, 1e-15, 0};
  for (int i = 0; i < 10; i++) {
    struct report_system s = report_draw(FULL[i % 2], 12 + i, 2);
    make_nearly_singular(&s, little[i / 2]);
    struct report_placed placed = report_place(cube, &s);
    report_note(&s, "nearly singular");
    assert_falls_back(&s, &placed, i % 4 < 2 ? HYLA_LU : HYLA_GAUSS_JORDAN);
    report_leave(&placed);
    report_free(&s);
  }
  for (int64_t n = 8; n <= 13; n++) {
    struct report_system s = report_draw(FULL[n % 2], n, 1);
    for (int64_t k = 0; k < n * n; k++) s.a[k] = 1 / (double)(k / n + k % n + 1);
    report_set_b(&s);
    struct report_placed placed = report_place(cube, &s);
    report_note(&s, "Hilbert");
    assert_falls_back(&s, &placed, n % 3 == 0 ? HYLA_LDL : n % 3 == 1 ? HYLA_CHOLESKY : HYLA_LU);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

/* The status and pivot are the same as without refinement. */
static void what_has_no_factors_is_told_alike(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    struct report_system s = report_draw(FULL[i % 2], 14, 1);
    hyla_method method = i / 2 == 1 ? HYLA_CHOLESKY : HYLA_LU;
    if (i / 2 == 0)
      for (int64_t k = 0; k < s.n; k++) s.a[k + 5 * s.n] = 0;
    if (i / 2 == 1) report_make_hermitian(&s, true);
    if (i / 2 == 1) s.a[6 + 6 * s.n] = -1;
    if (i / 2 == 2) s.a[harness_draw(0, 14 * 14 - 1)] = NAN;
    if (i / 2 == 3) s.b[harness_draw(0, 13)] = INFINITY;
    struct report_placed placed = report_place(cube, &s);
    hyla_solve_report report;
    report_note(&s, i / 2 == 0 ? "singular" : i / 2 == 1 ? "indefinite" : "not finite");
    static const hyla_status expected[] = {HYLA_SINGULAR, HYLA_INDEFINITE, HYLA_NOT_FINITE,
                                           HYLA_UNRELIABLE};
    lu_assert_status(cube, solve(&placed, method, HYLA_REFINE_MIXED, &report), expected[i / 2]);
    assert_true(!report.reliable && report.fallback != NULL);
    if (i / 2 < 2) assert_int_equal(report.pivot, 6 + i / 2);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

/* -------------------------------------------------------------- contract -- */

static void single_precision_has_no_half(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2; i++) {
    struct report_system s = report_draw(i == 0 ? HYLA_FLOAT : HYLA_COMPLEX, 5, 1);
    struct report_placed placed = report_place(cube, &s);
    hyla_solve_report report;
    hyla_factor *factor = NULL;
    const hyla_solve_options options = {.refinement = HYLA_REFINE_MIXED};
    lu_assert_status(cube, hyla_solve_expert(cube, &options, placed.a, placed.b, placed.x, &report),
                     HYLA_ARGUMENT);
    assert_non_null(strstr(hyla_cube_message(cube), "HYLA_REFINE_FIXED"));
    lu_assert_status(
        cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)s.type, 5, 1, NULL, NULL, &factor),
        HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, placed.a), HYLA_OK);
    lu_assert_status(
        cube,
        hyla_factor_check(cube, factor, placed.a, placed.b, HYLA_REFINE_MIXED, placed.x, &report),
        HYLA_ARGUMENT);
    assert_non_null(strstr(hyla_cube_message(cube), "hyla_solve_expert"));
    hyla_factor_destroy(&factor);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct report_system s = report_draw(HYLA_DOUBLE, 19, 2);
  struct report_placed placed = report_place(cube, &s);
  const hyla_solve_options options = {.refinement = HYLA_REFINE_MIXED};
  report_memory_runs_out(&placed, &options, 5, 240);
  report_leave(&placed);
  report_free(&s);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_systems_are_solved_as_well),
      cmocka_unit_test(no_right_hand_side_is_fine),
      cmocka_unit_test(bad_systems_are_solved_in_full_precision),
      cmocka_unit_test(what_has_no_factors_is_told_alike),
      cmocka_unit_test(single_precision_has_no_half),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
