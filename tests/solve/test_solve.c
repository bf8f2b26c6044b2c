/* hyla_solve and hyla_factor_solve: solutions, any layouts, failures. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
// limit: 120
#include "lu_case.h"
#include "tests/harness/draw.h"

/* ------------------------------------------------------------ solutions -- */

/* b := A x for a drawn x of small integers, whole by columns on every rank. */
static double _Complex *draw_x(const struct lu_case *s, int64_t nrhs, double _Complex **b) {
  int64_t n = s->n;
  double _Complex *x = calloc((size_t)(n * nrhs + 1), sizeof *x);
  *b = calloc((size_t)(n * nrhs + 1), sizeof **b);
  assert_true(x != NULL && *b != NULL);
  for (int64_t i = 0; i < n * nrhs; i++) x[i] = (double)harness_draw(-3, 3);
  for (int64_t c = 0; c < nrhs; c++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) (*b)[i + c * n] += s->a[i + j * n] * x[j + c * n];
  return x;
}

static void assert_entries(const hyla_matrix *a, const double _Complex *expected) {
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      int64_t row = hyla_matrix_row(a, l), col = hyla_matrix_col(a, m);
      double _Complex found = a->k->get(hy_at(a, l, m), 0);
      double _Complex known = expected[row + col * a->row.n];
      if (found != known)
        fail_msg("entry (%lld, %lld) is %g%+gi, not %g%+gi", (long long)row, (long long)col,
                 creal(found), cimag(found), creal(known), cimag(known));
    }
}

static const int64_t NRHS[] = {0, 1, 2, 5, 65, 90};
enum { NRHS_COUNT = 6 };

/* One call, matrices in any layouts; x may be b.  The solution is exact. */
static void one_call(hyla_cube *cube, int type, int64_t n, int64_t nrhs) {
  struct lu_case s = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
  double _Complex *rhs, *known = draw_x(&s, nrhs, &rhs);
  struct lu_place a = lu_place_draw(cube, type, n, n), b = lu_place_draw(cube, type, n, nrhs);
  struct lu_place x = lu_place_draw(cube, type, n, nrhs);
  bool same = harness_draw(0, 2) == 0;
  harness_note("n = %lld, nrhs = %lld, type %d", (long long)n, (long long)nrhs, type);
  lu_put(a.m, s.a);
  lu_put(b.m, rhs);
  int64_t pivot = -1, before = cube->base.bytes_now;
  hyla_status status =
      hyla_solve(cube, a.m, b.m, same ? b.m : x.m, harness_draw(0, 1) ? &pivot : NULL);
  lu_assert_status(cube, status, HYLA_OK);
  assert_int_equal(cube->base.bytes_now, before);
  assert_true(pivot <= 0);
  assert_entries(same ? b.m : x.m, known);
  assert_entries(a.m, s.a);
  if (!same) assert_entries(b.m, rhs);
  lu_place_free(&a);
  lu_place_free(&b);
  lu_place_free(&x);
  free(rhs);
  free(known);
  lu_case_free(&s);
}

static void one_call_solves_wherever_matrices_lie(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = lu_cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 101};
    for (int i = 0; i < 30; i++)
      one_call(cube, i % TYPES, sizes[i % 10], NRHS[harness_draw(0, NRHS_COUNT - 1)]);
    cube_close(&cube);
  }
}

/* Factored once, solved for different numbers of right-hand sides, few and many. */
static void factored_once(hyla_cube *cube, int type, int64_t n, int64_t block) {
  hyla_layout layout = lu_draw_layout(cube, block);
  struct lu_case s = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
  hyla_factor *factor = NULL;
  hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
  lu_put(a, s.a);
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, 90, &layout, NULL, &factor),
      HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  for (int i = 0; i < NRHS_COUNT; i++) {
    double _Complex *rhs, *known = draw_x(&s, NRHS[i], &rhs);
    struct lu_place b = lu_place_draw(cube, type, n, NRHS[i]),
                    x = lu_place_draw(cube, type, n, NRHS[i]);
    lu_put(b.m, rhs);
    harness_note("n = %lld, nrhs = %lld, type %d, %s", (long long)n, (long long)NRHS[i], type,
                 lu_layout_name(&layout));
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b.m, x.m), HYLA_OK);
    assert_entries(x.m, known);
    lu_place_free(&b);
    lu_place_free(&x);
    free(rhs);
    free(known);
  }
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  lu_case_free(&s);
}

static void factors_solve_again_and_again(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  static const int64_t sizes[] = {0, 1, 2, 13, 37, 64, 80}, blocks[] = {1, 3, 8, 64};
  for (int i = 0; i < 14; i++)
    factored_once(cube, i % TYPES, sizes[i % 7], blocks[harness_draw(0, 3)]);
  cube_close(&cube);
}

/* Random and diagonally dominant systems of every type. */
/* b and x lie in private memory, as if the system had no shared memory for them, while the
 * redistributions were planned for shared memory. */
static void right_hand_sides_may_lie_in_private_memory(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int type = 0; type < TYPES; type++) {
    const int64_t n = harness_draw(7, 40), block = harness_draw(1, 5), nrhs = 3;
    const hyla_layout layout = {.row = hy_axis_whole(n).code,
                                .col = hy_axis_dealt(cube, block, n).code};
    struct lu_case s = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
    double _Complex *rhs, *known = draw_x(&s, nrhs, &rhs);
    hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
    hyla_factor *factor = NULL;
    lu_put(a, s.a);
    assert_int_equal(
        hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, nrhs, &layout, "partial", &factor),
        HYLA_OK);
    assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_OK);
    for (int turn = 0; turn < 3; turn++) {
      cube->session.private_memory = turn == 1;
      hyla_matrix *b = lu_matrix(cube, type, n, nrhs, NULL);
      hyla_matrix *x = lu_matrix(cube, type, n, nrhs, NULL);
      lu_put(b, rhs);
      assert_int_equal(hyla_factor_solve(cube, factor, HYLA_NONE, b, x), HYLA_OK);
      assert_entries(x, known);
      hyla_matrix_destroy(&b);
      hyla_matrix_destroy(&x);
    }
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&a);
    free(known);
    free(rhs);
    lu_case_free(&s);
  }
  cube_close(&cube);
}

static void residuals_are_below_one(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  for (int i = 0; i < 24; i++) {
    int type = i % TYPES;
    int64_t n = harness_draw(1, 140), nrhs = NRHS[harness_draw(1, NRHS_COUNT - 1)];
    hyla_layout layout = draw_on(cube);
    hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
    hyla_matrix *b = lu_matrix(cube, type, n, nrhs, NULL),
                *x = lu_matrix(cube, type, n, nrhs, NULL);
    hyla_generator generator = i % 8 < 4 ? HYLA_RANDOM : HYLA_DOMINANT;
    assert_int_equal(hyla_matrix_generate(cube, a, generator, (uint64_t)i), HYLA_OK);
    assert_int_equal(hyla_matrix_generate(cube, b, HYLA_RANDOM, 99), HYLA_OK);
    lu_assert_status(cube, hyla_solve(cube, a, b, x, NULL), HYLA_OK);
    double residual = -1;
    lu_assert_status(cube, hyla_residual(cube, a, x, b, &residual), HYLA_OK);
    harness_note("n = %lld, nrhs = %lld, type %d, %s: residual %g", (long long)n, (long long)nrhs,
                 type, lu_layout_name(&layout), residual);
    assert_true(residual >= 0 && residual < 1);
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* The plan for a foreign layout is made at its first use, and kept. */
static void later_matrices_of_a_shape_allocate_nothing(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  hyla_factor *factor = NULL;
  const hyla_layout layout = cube_layout(cube, "gray/consecutive");
  lu_assert_status(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 30, 2, NULL, NULL, &factor),
                   HYLA_OK);
  struct lu_case s = lu_case_draw(30, false, -1);
  double _Complex *rhs, *known = draw_x(&s, 2, &rhs);
  for (int i = 0; i < 3; i++) { /* new matrices each time */
    hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 30, 30, &layout);
    hyla_matrix *b = lu_matrix(cube, HYLA_DOUBLE, 30, 2, &layout);
    lu_put(a, s.a);
    lu_put(b, rhs);
    int64_t before = cube->base.allocations;
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b, b), HYLA_OK);
    if (i > 0) assert_int_equal(cube->base.allocations, before);
    assert_entries(b, known);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
  }
  free(known);
  free(rhs);
  lu_case_free(&s);
  hyla_factor_destroy(&factor);
  cube_close(&cube);
}

/* The number of times that a text occurs in another one. */
static int occurrences(const char *text, const char *part) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at++) count++;
  return count;
}

/* Plans for expected matrices, and those made at first use for others, are in the explanation from
 * then on, once for each purpose; for a target with another leading dimension, even on one rank
 * alone, a new plan is made. */
static void redistributions_are_children_of_the_plan(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  hyla_factor *factor = NULL;
  char text[8000];
  const hyla_layout layout = cube_layout(cube, "gray/consecutive");
  lu_assert_status(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 90, 2, NULL, NULL, &factor),
                   HYLA_OK);
  hyla_plan_explain(hyla_factor_plan(factor), text, sizeof text);
  int apart = cube->nodes > 1; /* b's columns lie in the matrix' blocks, x's columns one by one */
  assert_null(strstr(text, "  matrix brought:\n"));
  assert_int_equal(occurrences(text, "redistribute: variant "), 2 * apart);
  struct lu_case s = lu_case_draw(90, false, -1);
  double _Complex *rhs, *known = draw_x(&s, 2, &rhs);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 90, 90, &layout);
  hyla_matrix *b = lu_matrix(cube, HYLA_DOUBLE, 90, 2, &layout);
  lu_put(a, s.a);
  lu_put(b, rhs);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  for (int i = 0; i < 4; i++) {
    int64_t rows = 0, cols = 0, ld;
    hyla_matrix *x = NULL;
    assert_int_equal(hyla_layout_local(cube, &layout, 90, 2, &rows, &cols), HYLA_OK);
    ld = rows + (harness_rank() == 0 ? i : 1);
    double *array = calloc((size_t)(ld * cols + 1), sizeof *array);
    assert_non_null(array);
    assert_int_equal(hyla_matrix_wrap(cube, HYLA_DOUBLE, 90, 2, &layout, array, ld, &x), HYLA_OK);
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b, x), HYLA_OK);
    assert_entries(x, known);
    hyla_matrix_destroy(&x);
    free(array);
    assert_true(hyla_plan_explain(hyla_factor_plan(factor), text, sizeof text) < sizeof text);
    assert_int_equal(occurrences(text, "  matrix brought:\n"), apart);
    assert_int_equal(occurrences(text, "  right-hand sides brought:\n"), apart);
    assert_int_equal(occurrences(text, "  solution brought back:\n"), apart);
    assert_int_equal(occurrences(text, "redistribute: variant "), 3 * apart);
  }
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  free(known);
  free(rhs);
  lu_case_free(&s);
  hyla_factor_destroy(&factor);
  cube_close(&cube);
}

/* -------------------------------------------------------------- failures -- */

static void a_failing_pivot_is_told(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  for (int i = 0; i < 12; i++) {
    int type = i % TYPES;
    int64_t n = harness_draw(1, 50), where = harness_draw(0, n - 1), pivot = -1;
    struct lu_case s = lu_case_draw(n, type >= HYLA_COMPLEX, i % 2 == 0 ? where : -1);
    if (i % 2 == 1) s.a[harness_draw(0, n - 1) + where * n] = NAN;
    hyla_matrix *a = lu_matrix(cube, type, n, n, NULL), *x = lu_matrix(cube, type, n, 3, NULL);
    lu_put(a, s.a);
    int64_t before = cube->base.bytes_now;
    hyla_status status = hyla_solve(cube, a, x, x, &pivot);
    lu_assert_status(cube, status, i % 2 == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE);
    assert_int_equal(pivot, where + 1);
    assert_int_equal(cube->base.bytes_now, before);
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&a);
    lu_case_free(&s);
  }
  cube_close(&cube);
}

/* A NaN in b spoils its own column of x, visibly, and no other. */
static void a_nan_in_b_reaches_x(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  for (int i = 0; i < 24; i++) {
    int type = i % TYPES;
    int64_t n = harness_draw(1, 50), nrhs = i % 3 == 0 ? 1 : i % 3 == 1 ? 4 : 70;
    int64_t row = i < 6 ? n - 1 : harness_draw(0, n - 1), bad = harness_draw(0, nrhs - 1);
    struct lu_case s = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
    double _Complex *rhs, *known = draw_x(&s, nrhs, &rhs);
    hyla_matrix *a = lu_matrix(cube, type, n, n, NULL), *b = lu_matrix(cube, type, n, nrhs, NULL);
    hyla_factor *factor = NULL;
    rhs[row + bad * n] = NAN;
    lu_put(a, s.a);
    lu_put(b, rhs);
    harness_note("n = %lld, nrhs = %lld, NaN at (%lld, %lld)", (long long)n, (long long)nrhs,
                 (long long)row, (long long)bad);
    if (i % 2 == 0) {
      lu_assert_status(cube, hyla_solve(cube, a, b, b, NULL), HYLA_OK);
    } else {
      hyla_layout layout = lu_draw_layout(cube, 5);
      lu_assert_status(
          cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, nrhs, &layout, NULL, &factor),
          HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b, b), HYLA_OK);
    }
    double _Complex *x = lu_get_all(b);
    bool seen = false;
    for (int64_t j = 0; j < nrhs; j++)
      for (int64_t k = 0; k < n; k++) {
        double _Complex entry = x[k + j * n];
        if (j == bad)
          seen = seen || isnan(creal(entry)) || isnan(cimag(entry));
        else
          assert_true(entry == known[k + j * n]);
      }
    assert_true(seen);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
    free(x);
    free(rhs);
    free(known);
    lu_case_free(&s);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_call_solves_wherever_matrices_lie),
      cmocka_unit_test(factors_solve_again_and_again),
      cmocka_unit_test(right_hand_sides_may_lie_in_private_memory),
      cmocka_unit_test(residuals_are_below_one),
      cmocka_unit_test(later_matrices_of_a_shape_allocate_nothing),
      cmocka_unit_test(redistributions_are_children_of_the_plan),
      cmocka_unit_test(a_failing_pivot_is_told),
      cmocka_unit_test(a_nan_in_b_reaches_x),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
