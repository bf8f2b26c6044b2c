/* Reports at all scales: a system times a power of two has the same solution, verdict and numbers,
 * to the bit, up to both ends of the type's range, even if A could not be factored there without
 * scaling.  Results that are subnormal or overflow are right, or are reported by a sentence that is
 * true. */
// ranks: 1 3 4 8
// sample: 1 4
// limit: 120
#include "lu_case.h"
#include "methods.h"
#include "report_case.h"

#include <float.h>
#include <limits.h>

static bool is_single(int type) { return type == HYLA_FLOAT || type == HYLA_COMPLEX; }

/* ------------------------------------------------------------ the same report -- */

/* The exponents for which all entries of A and b stay normal numbers. */
static void find_reach(const struct report_system *s, int reach[2]) {
  int least = INT_MAX, most = INT_MIN;
  for (int64_t i = 0; i < s->n * (s->n + s->nrhs); i++) {
    double _Complex entry = i < s->n * s->n ? s->a[i] : s->b[i - s->n * s->n];
    const double parts[] = {creal(entry), cimag(entry)};
    for (int p = 0; p < 2; p++) {
      int exponent = 0;
      (void)frexp(parts[p], &exponent);
      if (parts[p] == 0) continue;
      least = exponent < least ? exponent : least;
      most = exponent > most ? exponent : most;
    }
  }
  reach[0] = (is_single(s->type) ? -125 : -1021) - least;
  reach[1] = (is_single(s->type) ? 128 : 1024) - most;
}

static struct report_system scaled(const struct report_system *s, int exponent) {
  struct report_system t = report_draw(s->type, s->n, s->nrhs);
  const double one = ldexp(1, exponent / 2), two = ldexp(1, exponent - exponent / 2);
  for (int64_t i = 0; i < s->n * s->n; i++) t.a[i] = s->a[i] * one * two;
  for (int64_t i = 0; i < s->n * s->nrhs; i++) t.b[i] = s->b[i] * one * two;
  return t;
}

/* A good system, or one so close to a singular one that any changed bit may turn its verdict. */
static struct report_system draw_system(int type, int64_t n, hyla_method method) {
  struct report_system s = report_draw(type, n, 2);
  if (n > 1 && harness_draw(0, 1) == 0)
    for (int64_t j = 0; j < n; j++)
      s.a[n - 1 + j * n] = report_rounded(type, s.a[j * n] + s.a[n - 1 + j * n] * s.unit *
                                                                 (double)harness_draw(1, 99));
  if (method_row(method)->triangle) report_make_hermitian(&s, method_row(method)->definite);
  for (int64_t i = 0; i < n * n; i++) s.a[i] = report_rounded(type, s.a[i]);
  report_set_b(&s);
  return s;
}

static void assert_same(const char *what, double found, double expected) {
  if (memcmp(&found, &expected, sizeof found) != 0 && !(isnan(found) && isnan(expected)))
    fail_msg("%s is %.17g, not %.17g", what, found, expected);
}

static void assert_same_report(const hyla_solve_report *found, const hyla_solve_report *expected) {
  assert_same("rcond", found->rcond, expected->rcond);
  assert_same("growth", found->growth, expected->growth);
  assert_same("residual", found->residual, expected->residual);
  assert_same("the backward error", found->backward_error, expected->backward_error);
  assert_same("the componentwise error", found->componentwise_error, expected->componentwise_error);
  assert_same("the forward bound", found->forward_bound, expected->forward_bound);
  assert_int_equal(found->refinements, expected->refinements);
  assert_int_equal(found->reliable, expected->reliable);
  assert_int_equal(found->equilibrated, expected->equilibrated);
  assert_true((found->fallback == NULL) == (expected->fallback == NULL));
}

/* *y: the whole solution. */
static hyla_status solve(hyla_cube *cube, const struct report_system *s,
                         const hyla_solve_options *options, hyla_solve_report *report,
                         double _Complex **y) {
  hyla_matrix *a = lu_matrix(cube, s->type, s->n, s->n, NULL);
  hyla_matrix *b = lu_matrix(cube, s->type, s->n, s->nrhs, NULL);
  hyla_matrix *x = lu_matrix(cube, s->type, s->n, s->nrhs, NULL);
  lu_put(a, s->a);
  lu_put(b, s->b);
  hyla_status status = hyla_solve_expert(cube, options, a, b, x, report);
  *y = lu_get_all(x);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* At even exponents square roots are the same but for a power of two. */
static void assert_no_scale_matters(hyla_cube *cube, const struct report_system *s,
                                    const hyla_solve_options *options) {
  int reach[2];
  double _Complex *expected = NULL, *found = NULL;
  hyla_solve_report first, report;
  hyla_status status = solve(cube, s, options, &first, &expected);
  bool solved = status == HYLA_OK || status == HYLA_UNRELIABLE;
  find_reach(s, reach);
  const int exponents[] = {reach[harness_draw(0, 1)], (int)harness_draw(reach[0], reach[1])};
  for (int i = 0; i < 2; i++) {
    int exponent = method_row(options->method)->triangle ? exponents[i] / 2 * 2 : exponents[i];
    struct report_system t = scaled(s, exponent);
    harness_note("%s, %s, refinement %d, n = %lld, type %d, times 2^%d",
                 hyla_method_at((int)options->method)->name,
                 options->variant == NULL ? "any" : options->variant, (int)options->refinement,
                 (long long)s->n, s->type, exponent);
    lu_assert_status(cube, solve(cube, &t, options, &report, &found), status);
    if (solved) {
      assert_same_report(&report, &first);
      for (int64_t e = 0; e < s->n * s->nrhs; e++) assert_true(found[e] == expected[e]);
    }
    free(found);
    report_free(&t);
  }
  free(expected);
}

static void reports_are_the_same_at_all_scales(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const hyla_refinement refinements[] = {HYLA_REFINE_DEFAULT, HYLA_REFINE_FIXED,
                                                HYLA_REFINE_EXTENDED, HYLA_REFINE_MIXED};
  const int64_t sizes[] = {1, 2, 5, 17};
  int turn = 0;
  for (int m = 0; m < hy_method_count; m++) {
    const char *name = hyla_method_at(m)->name;
    for (int v = 0; v == 0 || hyla_variant_name(name, v - 1) != NULL; v++)
      for (int type = 0; type < TYPES; type++, turn++) {
        int kind = is_single(type) ? turn / 4 % 3 : turn / 4 % 4;
        hyla_solve_options options = {.method = (hyla_method)m,
                                      .variant = v == 0 ? NULL : hyla_variant_name(name, v - 1),
                                      .refinement = refinements[kind],
                                      .equilibrate = harness_draw(0, 3) == 0};
        struct report_system s = draw_system(type, sizes[harness_draw(0, 3)], (hyla_method)m);
        assert_no_scale_matters(cube, &s, &options);
        report_free(&s);
      }
  }
  cube_close(&cube);
}

/* ----------------------------------------------------------- factors that are A's -- */

/* Results from factors that were not scaled; they agree as long as no number leaves the range. */
struct told {
  double rcond, growth;
  double packed[2]; /* of packed triangles, in the 1-norm and in the infinity norm */
  hyla_solve_report check, inverse, triangular;
};

/* Estimates from packed triangles, as p?gecon and p?pocon get them. */
static void tell_packed(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                        const hyla_factor *factor, double packed[2]) {
  static const hyla_norm kinds[] = {HYLA_NORM_ONE, HYLA_NORM_INF};
  hyla_matrix *triangles = NULL;
  packed[0] = packed[1] = -1;
  if (method != HYLA_LU && method != HYLA_CHOLESKY) return;
  lu_assert_status(cube, hyla_matrix_create(cube, a->k->type, a->row.n, a->col.n, NULL, &triangles),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_packed(cube, factor, HYLA_LOWER, triangles), HYLA_OK);
  for (int kind = 0; kind < 2; kind++) {
    double norm = 0;
    lu_assert_status(cube, hyla_matrix_norm(cube, a, kinds[kind], &norm), HYLA_OK);
    lu_assert_status(cube,
                     hyla_packed_condition(cube, method, HYLA_LOWER, triangles, kinds[kind], norm,
                                           &packed[kind]),
                     HYLA_OK);
    assert_true(packed[kind] > 0 && packed[kind] <= 1);
  }
  hyla_matrix_destroy(&triangles);
}

static struct told tell(hyla_cube *cube, const struct report_system *s, hyla_method method) {
  struct told told = {.rcond = -1};
  hyla_matrix *a = lu_matrix(cube, s->type, s->n, s->n, NULL);
  hyla_matrix *b = lu_matrix(cube, s->type, s->n, s->nrhs, NULL);
  hyla_matrix *x = lu_matrix(cube, s->type, s->n, s->nrhs, NULL);
  hyla_matrix *inverse = lu_matrix(cube, s->type, s->n, s->n, NULL);
  hyla_factor *factor = NULL;
  double norm = 0, largest = 0;
  lu_put(a, s->a);
  lu_put(b, s->b);
  lu_assert_status(cube, hyla_matrix_norm(cube, a, HYLA_NORM_ONE, &norm), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_norm(cube, a, HYLA_NORM_MAX, &largest), HYLA_OK);
  lu_assert_status(
      cube,
      hyla_factor_create(cube, method, (hyla_type)s->type, s->n, s->nrhs, NULL, NULL, &factor),
      HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_condition(cube, factor, norm, &told.rcond), HYLA_OK);
  lu_assert_status(cube, hyla_factor_growth(cube, factor, largest, &told.growth), HYLA_OK);
  tell_packed(cube, method, a, factor, told.packed);
  lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b, x), HYLA_OK);
  lu_assert_status(cube, hyla_factor_check(cube, factor, a, b, HYLA_REFINE_NONE, x, &told.check),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_inverse(cube, factor, inverse), HYLA_OK);
  lu_assert_status(cube, hyla_invert_check(cube, a, inverse, &told.inverse), HYLA_OK);
  for (int64_t j = 0; j < a->local_cols; j++)
    for (int64_t i = 0; i < a->local_rows; i++)
      if (hyla_matrix_row(a, i) < hyla_matrix_col(a, j)) a->k->set(hy_at(a, i, j), 0, 0);
  lu_assert_status(cube, hyla_matrix_copy(cube, b, x), HYLA_OK);
  lu_assert_status(
      cube, hyla_trsm(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a, x), HYLA_OK);
  lu_assert_status(cube, hyla_trsm_check(cube, HYLA_LOWER, a, b, x, &told.triangular), HYLA_OK);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&inverse);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return told;
}

static void factors_tell_the_same_at_all_scales(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * hy_method_count; i++) {
    int type = (int)harness_draw(0, 1) * 2 + i % 2;
    hyla_method method = (hyla_method)(i / 2);
    struct report_system s = report_draw(type, 11, 2);
    for (int64_t d = 0; d < s.n; d++) s.a[d * (s.n + 1)] += d % 2 ? -8 : 8;
    if (method_row(method)->triangle) report_make_hermitian(&s, method_row(method)->definite);
    for (int64_t e = 0; e < s.n * s.n; e++) s.a[e] = report_rounded(type, s.a[e]);
    report_set_b(&s);
    struct told first = tell(cube, &s, method);
    for (int sign = -1; sign <= 1; sign += 2) {
      struct report_system t = scaled(&s, sign * (is_single(type) ? 20 : 400));
      report_note(&t, hyla_method_at((int)method)->name);
      struct told found = tell(cube, &t, method);
      assert_same("rcond of the factors", found.rcond, first.rcond);
      assert_same("growth of the factors", found.growth, first.growth);
      assert_same("rcond of packed triangles", found.packed[0], first.packed[0]);
      assert_same("that in the infinity norm", found.packed[1], first.packed[1]);
      assert_same_report(&found.check, &first.check);
      assert_same_report(&found.inverse, &first.inverse);
      assert_same_report(&found.triangular, &first.triangular);
      report_free(&t);
    }
    report_free(&s);
  }
  cube_close(&cube);
}

/* -------------------------------------------------------------- the ends themselves -- */

/* A is size [[1, 1/2], [1/2, 1]] and b its first column, so x = e_1; or A is size I of any order
 * and all entries of b are size, so x is ones. */
static void assert_solved(hyla_cube *cube, int type, int64_t n, double size, hyla_method method) {
  bool diagonal = size < 1;
  struct report_system s = report_draw(type, n, 1);
  double _Complex *y = NULL;
  hyla_solve_report report;
  hyla_solve_options options = {.method = method};
  for (int64_t e = 0; e < n * n; e++) s.a[e] = e % (n + 1) == 0 ? size : diagonal ? 0 : size / 2;
  for (int64_t i = 0; i < n; i++) s.b[i] = diagonal ? size : s.a[i];
  report_note(&s, hyla_method_at((int)method)->name);
  lu_assert_status(cube, solve(cube, &s, &options, &report, &y), HYLA_OK);
  for (int64_t i = 0; i < n; i++)
    if (!(cabs(y[i] - (diagonal || i == 0)) <= 4 * s.unit)) fail_msg("x is %g", creal(y[i]));
  double expected = diagonal || n == 1 ? 1 : 1 / 3.;
  if (!(fabs(report.rcond - expected) <= 8 * s.unit)) fail_msg("rcond is %g", report.rcond);
  free(y);
  report_free(&s);
}

static void ends_of_the_range_are_solved(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int m = 0; m < hy_method_count; m++)
    for (int type = 0; type < TYPES; type++) {
      assert_solved(cube, type, 1, is_single(type) ? FLT_MAX : DBL_MAX, (hyla_method)m);
      assert_solved(cube, type, 2, is_single(type) ? FLT_MAX : DBL_MAX, (hyla_method)m);
      assert_solved(cube, type, 1, is_single(type) ? 0x1p-149 : 0x1p-1074, (hyla_method)m);
      assert_solved(cube, type, 7, is_single(type) ? 0x1p-149 : 0x1p-1074, (hyla_method)m);
    }
  cube_close(&cube);
}

/* By substitution, with few right-hand sides and with many. */
static void subnormal_diagonals_are_divided_by(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 4 * TYPES; i++) {
    int type = i % TYPES;
    hyla_triangle triangle = i / TYPES % 2 ? HYLA_LOWER : HYLA_UPPER;
    struct report_system s = report_draw(type, 11, i / TYPES / 2 ? 9 : 1);
    hyla_solve_report report;
    double least = is_single(type) ? 0x1p-149 : 0x1p-1074;
    for (int64_t e = 0; e < s.n * s.n; e++) {
      bool kept = e % s.n == e / s.n || (e % s.n > e / s.n) == (triangle == HYLA_LOWER);
      s.a[e] = !kept ? 0 : e % (s.n + 1) == 0 ? 4 * least : least * (double)harness_draw(-3, 3);
    }
    report_set_b(&s);
    report_note(&s, "subnormal triangle");
    struct report_placed p = report_place(cube, &s);
    hyla_operation op = i % 3 == 0 ? HYLA_NONE : i % 3 == 1 ? HYLA_TRANSPOSE : HYLA_CONJUGATE;
    lu_assert_status(cube, hyla_matrix_copy(cube, p.b, p.x), HYLA_OK);
    lu_assert_status(
        cube, hyla_trsm(cube, HYLA_LEFT, triangle, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, p.a, p.x),
        HYLA_OK);
    double _Complex *y = lu_get_all(p.x);
    if (report_forward_error(&s, y) != 0) fail_msg("error %g", report_forward_error(&s, y));
    lu_assert_status(cube, hyla_trsm_check(cube, triangle, p.a, p.b, p.x, &report), HYLA_OK);
    assert_true(report.rcond > 0 && report.rcond <= 1 && report.forward_bound >= 0);
    lu_assert_status(cube, hyla_trsm(cube, HYLA_LEFT, triangle, op, HYLA_ANY_DIAGONAL, 1, p.a, p.x),
                     HYLA_OK);
    report_leave(&p);
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

/* Entries whose parts are within the type's range and whose magnitudes are not: on the diagonal, or
 * for LDL in a block of order 2. */
static struct report_system draw_large(int type, hyla_method method) {
  const double large = 13; /* over 16 above sqrt(1/2) */
  struct report_system s = report_draw(type, 11, 2);
  for (int64_t e = 0; e < s.n * s.nrhs; e++) s.x[e] /= 8;
  for (int64_t d = 0; d < s.n; d++)
    s.a[d * (s.n + 1)] = d % 2 ? large - large * I : -large + large * I;
  if (method == HYLA_LDL) {
    report_make_hermitian(&s, false);
    s.a[0] = s.a[s.n + 1] = 1;
    s.a[1] = large + large * I;
    s.a[s.n] = large - large * I;
  }
  report_set_b(&s);
  return s;
}

struct large {
  hyla_status computed, checked, inverted;
  double _Complex *y;
  hyla_solve_report check, inverse;
};

static struct large solve_large(hyla_cube *cube, const struct report_system *s, hyla_method method,
                                const char *variant) {
  struct large found = {.checked = HYLA_OK};
  struct report_placed p = report_place(cube, s);
  hyla_matrix *inverse = lu_matrix(cube, s->type, s->n, s->n, NULL);
  hyla_factor *factor = NULL;
  lu_assert_status(
      cube,
      hyla_factor_create(cube, method, (hyla_type)s->type, s->n, s->nrhs, NULL, variant, &factor),
      HYLA_OK);
  found.computed = hyla_factor_compute(cube, factor, p.a);
  if (found.computed == HYLA_OK) {
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, p.b, p.x), HYLA_OK);
    found.checked = hyla_factor_check(cube, factor, p.a, p.b, HYLA_REFINE_NONE, p.x, &found.check);
    found.y = lu_get_all(p.x);
    lu_assert_status(cube, hyla_factor_inverse(cube, factor, inverse), HYLA_OK);
    found.inverted = hyla_invert_check(cube, p.a, inverse, &found.inverse);
  }
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&inverse);
  report_leave(&p);
  return found;
}

/* If reciprocals are subnormal, quotients are used instead, which round differently, and an inverse
 * loses some bits. */
static void assert_close(const char *what, double found, double expected, double unit) {
  if (!(fabs(found - expected) <= 1000 * unit) && !(isnan(found) && isnan(expected)))
    fail_msg("%s is %.17g, not %.17g", what, found, expected);
}

/* The result is right, or the report says that something overflows; a wrong factorization is never
 * passed off as right. */
static void assert_large_is_judged(hyla_cube *cube, const struct report_system *s,
                                   hyla_method method, const char *variant) {
  int reach[2];
  find_reach(s, reach);
  struct large first = solve_large(cube, s, method, variant);
  lu_assert_status(cube, first.checked, HYLA_OK);
  for (int exponent = reach[1] - (int)harness_draw(1, 3); exponent <= reach[1];
       exponent = exponent < reach[1] ? reach[1] : exponent + 1) {
    struct report_system t = scaled(s, exponent);
    harness_note("%s, %s, type %d, times 2^%d", hyla_method_at((int)method)->name,
                 variant == NULL ? "any" : variant, s->type, exponent);
    struct large found = solve_large(cube, &t, method, variant);
    if (found.computed != HYLA_OK) {
      assert_int_equal(method, HYLA_QR);
      lu_assert_status(cube, found.computed, HYLA_NOT_FINITE);
    } else {
      lu_assert_status(cube, found.checked, HYLA_OK);
      lu_assert_status(cube, found.inverted, HYLA_OK);
      assert_close("rcond", found.check.rcond, first.check.rcond, s->unit);
      assert_close("growth", found.check.growth, first.check.growth, s->unit);
      assert_close("the inverse's rcond", found.inverse.rcond, first.inverse.rcond, s->unit);
      for (int64_t e = 0; e < s->n * s->nrhs; e++)
        assert_true(cabs(found.y[e] - first.y[e]) <= 1000 * s->unit);
    }
    free(found.y);
    report_free(&t);
  }
  free(first.y);
}

static void magnitudes_beyond_the_range_are_judged(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int m = 0; m < hy_method_count; m++) {
    const char *name = hyla_method_at(m)->name;
    if (method_row((hyla_method)m)->definite) continue; /* entries are below the diagonal's parts */
    for (int v = 0; method_variant(name, v) != NULL; v++)
      for (int type = HYLA_COMPLEX; type <= HYLA_DOUBLE_COMPLEX; type++) {
        struct report_system s = draw_large(type, (hyla_method)m);
        assert_large_is_judged(cube, &s, (hyla_method)m, method_variant(name, v));
        report_free(&s);
      }
  }
  cube_close(&cube);
}

/* ------------------------------------------------------------------------- sentences -- */

static void put_two(struct report_system *s, double first, double second, double third,
                    double fourth) {
  const double entries[] = {first, second, third, fourth};
  for (int e = 0; e < 4; e++) s->a[e] = entries[e];
}

static bool says(const hyla_cube *cube, const char *words) {
  return strstr(hyla_cube_message(cube), words) != NULL;
}

/* Pivots that overflow although all entries are finite, and entries that are not finite; a solution
 * that overflows. */
static void what_overflows_is_told_from_what_was_given(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int type = 0; type < TYPES; type++) {
    double most = is_single(type) ? FLT_MAX : DBL_MAX;
    struct report_system s = report_draw(type, 2, 1);
    hyla_factor *factor = NULL;
    hyla_solve_report report;
    hyla_solve_options options = {.method = HYLA_LU};
    lu_assert_status(cube,
                     hyla_factor_create(cube, HYLA_LU, (hyla_type)type, 2, 1, NULL, NULL, &factor),
                     HYLA_OK);
    for (int infinite = 0; infinite < 2; infinite++) {
      put_two(&s, most, -most, most, infinite ? (double)INFINITY : most);
      struct report_placed p = report_place(cube, &s);
      assert_int_equal(hyla_factor_compute(cube, factor, p.a), HYLA_NOT_FINITE);
      assert_int_equal(says(cube, "look for such entries"), infinite);
      assert_int_equal(says(cube, "overflows"), !infinite);
      lu_assert_status(cube, hyla_solve_expert(cube, &options, p.a, p.b, p.x, &report),
                       infinite ? HYLA_NOT_FINITE : HYLA_OK);
      report_leave(&p);
    }
    put_two(&s, 1 / most, 0, 0, 1);
    s.b[0] = most;
    s.b[1] = 1;
    struct report_placed p = report_place(cube, &s);
    assert_int_equal(hyla_solve_expert(cube, &options, p.a, p.b, p.x, &report), HYLA_UNRELIABLE);
    assert_true(!says(cube, "look for"));
    report_leave(&p);
    hyla_factor_destroy(&factor);
    report_free(&s);
  }
  cube_close(&cube);
}

/* An entry 2^95 of U makes rcond small, however well A is conditioned. */
static void growth_is_named_where_it_may_have_made_rcond(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * TYPES; i++) {
    bool grown = i >= TYPES;
    struct report_system s = report_draw(i % TYPES, 5, 1);
    hyla_factor *factor = NULL;
    hyla_solve_report report;
    for (int64_t e = 0; e < s.n * s.n; e++) s.a[e] = e % (s.n + 1) == 0;
    if (!grown) s.a[s.n * s.n - 1] = 0x1p-95; /* A itself is nearly singular */
    report_set_b(&s);
    report_note(&s, grown ? "an entry of U" : "an entry of A");
    struct report_placed p = report_place(cube, &s);
    lu_assert_status(
        cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)s.type, s.n, 1, NULL, NULL, &factor),
        HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, p.a), HYLA_OK);
    if (grown)
      lu_assert_status(cube, hyla_matrix_set(cube, factor->factors.a, 0, s.n - 1, 0x1p95), HYLA_OK);
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, p.b, p.x), HYLA_OK);
    assert_int_equal(hyla_factor_check(cube, factor, p.a, p.b, HYLA_REFINE_NONE, p.x, &report),
                     HYLA_UNRELIABLE);
    assert_true(report.growth == (grown ? 0x1p95 : 1) && report.rcond < 1e-20);
    assert_int_equal(says(cube, "after a growth by 4e+28"), grown);
    assert_int_equal(says(cube, "the matrix is singular to working precision"), !grown);
    hyla_factor_destroy(&factor);
    report_leave(&p);
    report_free(&s);
  }
  cube_close(&cube);
}

/* If extended refinement converged, the bound is no less than the promised one. */
static void bounds_are_no_less_than_promised(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const double a[] = {-1, -4, -1, 1, 1, 3, -5, -5, -4};
  for (int i = 0; i < 3 * TYPES; i++) {
    struct report_system s = report_draw(i % TYPES, 3, 1);
    double _Complex *y = NULL;
    hyla_solve_report report;
    hyla_solve_options options = {.refinement = HYLA_REFINE_EXTENDED};
    for (int e = 0; e < 9; e++) s.a[e] = a[e];
    for (int e = 0; e < 3; e++) s.b[e] = e == i / TYPES;
    /* Cramer's rule; the determinant is 33. */
    for (int e = 0; e < 3; e++) {
      int r = (i / TYPES + 1) % 3, t = (i / TYPES + 2) % 3, c = (e + 1) % 3, d = (e + 2) % 3;
      s.x[e] = (a[r + 3 * c] * a[t + 3 * d] - a[r + 3 * d] * a[t + 3 * c]) / 33;
    }
    report_note(&s, "an inverse's column");
    lu_assert_status(cube, solve(cube, &s, &options, &report, &y), HYLA_OK);
    if (!(report.forward_bound >= 10 * s.unit))
      fail_msg("bound %g u", report.forward_bound / s.unit);
    if (!(report.forward_bound >= report_forward_error(&s, y)))
      fail_msg("bound %g, error %g", report.forward_bound, report_forward_error(&s, y));
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reports_are_the_same_at_all_scales),
      cmocka_unit_test(factors_tell_the_same_at_all_scales),
      cmocka_unit_test(ends_of_the_range_are_solved),
      cmocka_unit_test(magnitudes_beyond_the_range_are_judged),
      cmocka_unit_test(subnormal_diagonals_are_divided_by),
      cmocka_unit_test(what_overflows_is_told_from_what_was_given),
      cmocka_unit_test(growth_is_named_where_it_may_have_made_rcond),
      cmocka_unit_test(bounds_are_no_less_than_promised),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
