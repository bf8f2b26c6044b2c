/* Extended residuals: x is the given system's solution up to its own rounding, and the report says
 * so, until A is singular to working precision; half the precision serves as far as it can. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
// limit: 120
#include "report_case.h"

static bool is_single(int type) { return type == HYLA_FLOAT || type == HYLA_COMPLEX; }

static hyla_status solve(const struct report_placed *p, hyla_method method,
                         hyla_refinement refinement, hyla_solve_report *report) {
  const hyla_solve_options options = {.method = method, .refinement = refinement};
  int64_t before = p->cube->base.bytes_now;
  hyla_status status = hyla_solve_expert(p->cube, &options, p->a, p->b, p->x, report);
  assert_int_equal(p->cube->base.bytes_now, before);
  report_assert_common(p->cube, report);
  return status;
}

/* --------------------------------------------------------------- systems -- */

static double _Complex draw_integer(int type, int64_t most) {
  double re = (double)harness_draw(-most, most);
  return type >= HYLA_COMPLEX ? hy_complex(re, (double)harness_draw(-most, most)) : re;
}

/* Integers up to 2^bits; the last column is the sum of the others, plus 1 in the last row, which
 * makes rcond about 2^-bits / n^2.  b is exact, so x is known.  Odd numbers on the diagonal and
 * even ones beside it make every leading minor odd, so A is not singular. */
static struct report_system draw_planted(int type, int64_t n, int64_t nrhs, int bits) {
  struct report_system s = report_draw(type, n, nrhs);
  for (int64_t i = 0; i < n; i++) {
    double _Complex sum = i == n - 1;
    for (int64_t j = 0; j < n - 1; j++) {
      s.a[i + j * n] = 2 * draw_integer(type, (INT64_C(1) << (bits - 1)) - 1) + (i == j);
      sum += s.a[i + j * n];
    }
    s.a[i + (n - 1) * n] = sum;
  }
  report_set_b(&s);
  return s;
}

/* The largest number of bits for which b is exact in the type. */
static int most_bits(int type, int64_t n) {
  int bits = (is_single(type) ? 24 : 53) - 3 - (type >= HYLA_COMPLEX ? 2 : 0);
  for (int64_t count = n * n; count > 1; count = (count + 1) / 2) bits--;
  return bits;
}

/* Hilbert's matrix times the least factor that makes all its entries integers. */
static struct report_system hilbert(int type, int64_t n) {
  struct report_system s = report_draw(type, n, 2);
  int64_t multiple = 1;
  for (int64_t i = 2; i < 2 * n; i++) {
    int64_t a = multiple, b = i;
    while (b != 0) {
      int64_t rest = a % b;
      a = b;
      b = rest;
    }
    multiple *= i / a;
  }
  for (int64_t i = 0; i < n * n; i++) s.a[i] = (double)(multiple / (i / n + i % n + 1));
  report_set_b(&s);
  return s;
}

/* ------------------------------------------------------------- is it good -- */

/* Results of the walks: the error of fixed refinement shows that the systems were not easy. */
struct seen {
  double fixed;
  int reliable, unreliable;
};

static void assert_told_right(const struct report_system *s, const struct report_placed *p,
                              const hyla_solve_report *report, struct seen *seen) {
  double _Complex *y = lu_get_all(p->x);
  double error = report_forward_error(s, y) / s->unit, bound = report->forward_bound / s->unit;
  report_assert_errors(s, y, report);
  if (!(error <= 2 && bound <= fmax(10, sqrt((double)s->n)) * (1 + 1e-9)))
    fail_msg("error %g u, bound %g u, rcond %g", error, bound, report->rcond);
  assert_true(error <= bound);
  assert_true(report->componentwise_error <= 10 * s->unit);
  seen->reliable++;
  free(y);
}

/* In full precision, or half of it: exact to rounding, or reported as unreliable if that may be. */
static void assert_exact(const struct report_system *s, const struct report_placed *p,
                         hyla_method method, hyla_refinement refinement, struct seen *seen) {
  hyla_solve_report fixed, report;
  hyla_status status = solve(p, method, HYLA_REFINE_FIXED, &fixed);
  if (status == HYLA_OK || status == HYLA_UNRELIABLE) {
    double _Complex *y = lu_get_all(p->x);
    seen->fixed = fmax(seen->fixed, report_forward_error(s, y) / s->unit);
    free(y);
  }
  status = solve(p, method, refinement, &report);
  if (status == HYLA_OK) {
    assert_true(report.reliable && report.method == method);
    assert_told_right(s, p, &report, seen);
    return;
  }
  seen->unreliable++;
  assert_true(!report.reliable);
  lu_assert_status(p->cube, status, HYLA_UNRELIABLE);
  double least = 4 * (double)s->n * s->unit;
  if (method == HYLA_GAUSS_JORDAN) least = fmax(least, pow(s->unit, .75));
  if (!(report.rcond <= least)) fail_msg("unreliable, rcond %g", report.rcond);
}

static void planted_solutions_are_found(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const hyla_method methods[] = {HYLA_LU, HYLA_GAUSS_JORDAN, HYLA_QR};
  struct seen seen = {0};
  int64_t p = cube->nodes;
  const int64_t sizes[] = {0, 1, p - 1, p, p + 1, 7, 13, 29};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  for (int i = 0; i < 4 * SIZES; i++) {
    int type = i % TYPES;
    int64_t n = sizes[i / 4];
    if (is_single(type) && n > 16) n = 16;
    int bits = (int)harness_draw(3, hy_max(3, most_bits(type, n)));
    struct report_system s = draw_planted(type, n, i % 3 == 0 ? 5 : 1, bits);
    struct report_placed placed = report_place(cube, &s);
    report_note(&s, hyla_method_at((int)methods[i % 3])->name);
    assert_exact(&s, &placed, methods[i % 3], HYLA_REFINE_EXTENDED, &seen);
    report_leave(&placed);
    report_free(&s);
  }
  assert_true(seen.fixed > 100 && seen.reliable > 2 * SIZES);
  cube_close(&cube);
}

/* Up to the order at which rcond is below n u. */
static void hilbert_is_solved_as_far_as_it_can_be(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const hyla_method methods[] = {HYLA_LU, HYLA_CHOLESKY, HYLA_LDL, HYLA_QR};
  for (int type = 0; type < TYPES; type++) {
    int64_t last = is_single(type) ? 5 : 10;
    struct seen seen = {0};
    for (int64_t n = 1; n <= last + 2; n++) {
      struct report_system s = hilbert(type, n);
      struct report_placed placed = report_place(cube, &s);
      hyla_method method = n > last ? HYLA_LU : methods[(n + type) % 4];
      report_note(&s, "Hilbert");
      if (n <= last || n == last + 2)
        assert_exact(&s, &placed, method, HYLA_REFINE_EXTENDED, &seen);
      report_leave(&placed);
      report_free(&s);
    }
    assert_int_equal(seen.reliable, last);
    assert_int_equal(seen.unreliable, 1);
    assert_true(seen.fixed > 100);
  }
  cube_close(&cube);
}

/* Solutions that are not integers, compared with those of the same system in double. */
static void single_is_what_double_rounds_to(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    struct report_system s = draw_planted(i % 2 ? HYLA_COMPLEX : HYLA_FLOAT, 9 + i, 2, 5);
    for (int64_t k = 0; k < s.n * s.nrhs; k++)
      s.b[k] = report_rounded(s.type, report_uniform(s.type));
    struct report_placed placed = report_place(cube, &s);
    hyla_solve_report report;
    report_note(&s, "single");
    lu_assert_status(cube, solve(&placed, HYLA_LU, HYLA_REFINE_EXTENDED, &report), HYLA_OK);
    double _Complex *y = lu_get_all(placed.x);
    report_leave(&placed);
    struct report_system wide = s;
    wide.type += HYLA_DOUBLE - HYLA_FLOAT;
    placed = report_place(cube, &wide);
    lu_assert_status(cube, solve(&placed, HYLA_LU, HYLA_REFINE_EXTENDED, &report), HYLA_OK);
    double _Complex *x = lu_get_all(placed.x);
    memcpy(s.x, x, (size_t)(s.n * s.nrhs) * sizeof *x);
    double error = report_forward_error(&s, y) / s.unit;
    if (!(error <= 2)) fail_msg("error %g u", error);
    free(x);
    free(y);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

/* -------------------------------------------------------------- half of it -- */

/* Factors in half the precision serve while cond(A) is within its range; then full precision
 * does. */
static void half_serves_as_far_as_it_goes(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int served = 0, fallen = 0;
  for (int i = 0; i < 20; i++) {
    int type = i % 2 ? HYLA_DOUBLE_COMPLEX : HYLA_DOUBLE;
    struct report_system s = draw_planted(type, 5 + i, 2, 4 + 2 * (i / 2));
    struct report_placed placed = report_place(cube, &s);
    struct seen seen = {0};
    hyla_solve_report report, full;
    hyla_method method = i % 4 < 2 ? HYLA_LU : HYLA_GAUSS_JORDAN;
    report_note(&s, hyla_method_at((int)method)->name);
    lu_assert_status(cube, solve(&placed, method, HYLA_REFINE_MIXED_EXTENDED, &report), HYLA_OK);
    assert_told_right(&s, &placed, &report, &seen);
    double _Complex *x = lu_get_all(placed.x);
    lu_assert_status(cube, solve(&placed, method, HYLA_REFINE_EXTENDED, &full), HYLA_OK);
    double _Complex *y = lu_get_all(placed.x);
    if (report.fallback != NULL) {
      fallen++;
      assert_true(full.rcond < 1e-5 && report.rcond == full.rcond);
      assert_memory_equal(x, y, (size_t)(s.n * s.nrhs) * sizeof *x);
    } else {
      served++;
      assert_true(full.rcond > 1e-8 && report.refinements > 0);
    }
    free(y);
    free(x);
    report_leave(&placed);
    report_free(&s);
  }
  if (!(served >= 6 && fallen >= 6)) fail_msg("%d served, %d fell back", served, fallen);
  cube_close(&cube);
}

/* -------------------------------------------------------------- contract -- */

/* Powers of two multiply A and x; columns of x are easy, hard, and zero; by all methods. */
static void scales_and_zeros_change_nothing(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const int exponents[][2] = {{0, 0}, {600, 380}, {-600, -380}, {500, -900}};
  for (int i = 0; i < 8; i++) {
    struct report_system s =
        draw_planted(HYLA_DOUBLE + i % 2 * (HYLA_DOUBLE_COMPLEX - HYLA_DOUBLE), 11, 3, 20);
    for (int64_t r = 0; r < s.n; r++) s.x[r + s.n] = 0;
    report_set_b(&s);
    for (int64_t k = 0; k < s.n * s.n; k++) s.a[k] *= ldexp(1, exponents[i / 2][0]);
    for (int64_t k = 0; k < s.n * s.nrhs; k++) {
      s.x[k] *= ldexp(1, exponents[i / 2][1]);
      s.b[k] *= ldexp(1, exponents[i / 2][0] + exponents[i / 2][1]);
    }
    struct report_placed placed = report_place(cube, &s);
    struct seen seen = {0};
    report_note(&s, "scaled");
    for (int mixed = 0; mixed < 2; mixed++)
      assert_exact(&s, &placed, HYLA_LU, mixed ? HYLA_REFINE_MIXED_EXTENDED : HYLA_REFINE_EXTENDED,
                   &seen);
    assert_int_equal(seen.reliable, 2);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

/* The rows' units differ widely: equilibrated, the solutions are as good. */
static void equilibrated_systems_are_refined_too(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 4; i++) {
    struct report_system s = draw_planted(HYLA_DOUBLE, 10 + i, 1, 20);
    for (int64_t r = 0; r < s.n; r++) {
      double unit = ldexp(1, (int)harness_draw(-200, 200));
      for (int64_t c = 0; c < s.n; c++) s.a[r + c * s.n] *= unit;
      s.b[r] *= unit;
    }
    struct report_placed placed = report_place(cube, &s);
    const hyla_solve_options options = {.refinement = HYLA_REFINE_EXTENDED, .equilibrate = true};
    hyla_solve_report report;
    struct seen seen = {0};
    report_note(&s, "equilibrated");
    lu_assert_status(cube, hyla_solve_expert(cube, &options, placed.a, placed.b, placed.x, &report),
                     HYLA_OK);
    assert_true(report.equilibrated);
    assert_told_right(&s, &placed, &report, &seen);
    report_leave(&placed);
    report_free(&s);
  }
  cube_close(&cube);
}

/* Unless asked, solutions by an inverse are refined, others are not. */
static void an_inverse_is_refined_unasked(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int steps = 0;
  for (int i = 0; i < 2 * TYPES; i++) {
    struct report_system s = draw_planted(i % TYPES, 12, 2, is_single(i % TYPES) ? 4 : 20);
    struct report_placed placed = report_place(cube, &s);
    hyla_solve_report report, none, lu;
    report_note(&s, "unasked");
    lu_assert_status(cube, solve(&placed, HYLA_GAUSS_JORDAN, HYLA_REFINE_DEFAULT, &report),
                     HYLA_OK);
    steps += report.refinements;
    assert_true(report.backward_error <= s.unit * (double)s.n);
    solve(&placed, HYLA_GAUSS_JORDAN, HYLA_REFINE_NONE, &none);
    assert_true(none.refinements == 0 && none.backward_error >= report.backward_error);
    lu_assert_status(cube, solve(&placed, HYLA_LU, HYLA_REFINE_DEFAULT, &lu), HYLA_OK);
    assert_int_equal(lu.refinements, 0);
    report_leave(&placed);
    report_free(&s);
  }
  assert_true(steps >= TYPES);
  cube_close(&cube);
}

static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct report_system s = report_draw(HYLA_DOUBLE, 19, 2);
  struct report_placed placed = report_place(cube, &s);
  const hyla_solve_options options = {.refinement = HYLA_REFINE_EXTENDED};
  report_memory_runs_out(&placed, &options, 9, 240);
  report_leave(&placed);
  report_free(&s);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_solutions_are_found),
      cmocka_unit_test(hilbert_is_solved_as_far_as_it_can_be),
      cmocka_unit_test(single_is_what_double_rounds_to),
      cmocka_unit_test(half_serves_as_far_as_it_goes),
      cmocka_unit_test(scales_and_zeros_change_nothing),
      cmocka_unit_test(equilibrated_systems_are_refined_too),
      cmocka_unit_test(an_inverse_is_refined_unasked),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
