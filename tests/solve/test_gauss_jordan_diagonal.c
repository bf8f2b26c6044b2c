/* Gauss-Jordan in product form: factors and solutions where they are known exactly, on real ranks
 * and on virtual cubes; comparison with the blocked variant; matrices that stop it; counts; it must
 * be asked for.  Its schedules: tests/formulas/eliminations.c. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
// limit: 180
#include "diagonal_case.h"
#include "hyla_lab.h"
#include "jordan_case.h"
#include "lu_case.h"
#include "solve/solve.h"
#include "tests/harness/draw.h"

/* The nodes' program, which they share and only read. */
struct program {
  const struct jordan_case *known;
  hyla_type type;
  hyla_layout layout;
};

static hyla_status make_matrices(hyla_cube *cube, const struct program *p,
                                 struct diagonal_case *m) {
  return diagonal_case_make(cube, HYLA_GAUSS_JORDAN, p->type, p->known->n, p->known->nrhs,
                            &p->layout, m);
}

/* op(A) X = B for some of the right-hand sides; X replaces B. */
static hyla_status solve_some(hyla_cube *cube, const struct program *p,
                              const struct diagonal_case *m, int op, int64_t nrhs) {
  hyla_matrix *x = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->known->n, nrhs, NULL, &x));
  lu_put(x, p->known->b[op]);
  hyla_status status = hyla_factor_solve(cube, m->factor, (hyla_operation)op, x, x);
  if (status == HYLA_OK) status = hy_agree(cube, lu_check_entries(x, p->known->x, "x"));
  hyla_matrix_destroy(&x);
  return status;
}

/* Factors and solves, with counts; by op(A); and with right-hand sides during the factorization. */
static hyla_status factor_and_solve(hyla_cube *cube, const struct program *p,
                                    struct diagonal_case *m) {
  const struct jordan_case *known = p->known;
  lu_put(m->a, known->a);
  lu_put(m->b, known->b[HYLA_NONE]);
  TRY(hyla_cube_ledger_clear(cube));
  hyla_status status = hyla_factor_compute(cube, m->factor, m->a);
  if (status == HYLA_OK && known->nrhs > 0)
    status = hyla_factor_solve(cube, m->factor, HYLA_NONE, m->b, m->x);
  if (status == HYLA_OK && cube->address >= 0) status = lu_check_counts(cube, m->factor);
  TRY(hy_agree(cube, status));
  TRY(hy_agree(cube, lu_check_entries(m->factor->factors.a, known->f, "factor")));
  TRY(hy_agree(cube, lu_check_entries(m->x, known->x, "x")));
  if (known->nrhs == 0) return HYLA_OK;
  for (int op = 0; op < 3; op++)
    TRY(solve_some(cube, p, m, op, op == 0 ? known->nrhs / 2 : known->nrhs));
  TRY(hy_factor_compute(m->factor, m->a, m->b));
  TRY(hy_agree(cube, lu_check_entries(m->factor->factors.a, known->f, "factor")));
  TRY(hy_factor_finish(m->factor, m->x));
  return hy_agree(cube, lu_check_entries(m->x, known->x, "x, with b on the way,"));
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  struct diagonal_case m = {0};
  hyla_status status = hy_agree(cube, make_matrices(cube, p, &m));
  if (status == HYLA_OK) status = factor_and_solve(cube, p, &m);
  diagonal_case_free(&m);
  return status;
}

/* ------------------------------------------------------------ real ranks -- */

static void exact_systems_are_solved(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[] = {0, 1, p - 1, p, p + 1, 2, 13, 67};
    for (int i = private_memory; i < 32; i += 2) {
      struct jordan_case known =
          jordan_case_draw(sizes[i / 4], i % 3 == 2 ? 40 : harness_draw(0, 4), i % TYPES >= 2);
      struct program x = {
          .known = &known, .type = (hyla_type)(i % TYPES), .layout = lu_draw_layout(cube, 1)};
      harness_note("n = %lld, nrhs %lld, type %d, %s", (long long)known.n, (long long)known.nrhs,
                   (int)x.type, lu_layout_name(&x.layout));
      lu_assert_status(cube, run(cube, &x), HYLA_OK);
      jordan_case_free(&known);
    }
    cube_close(&cube);
  }
}

/* The first zero, NaN or infinity among the pivots, on all ranks alike; then all is well again.  A
 * NaN comes to a pivot with its row and its column. */
static void what_stops_it_is_named(void **state) {
  (void)state;
  static const double bad[] = {0, NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES; i++) {
    int kind = i / TYPES % 4;
    int64_t n = harness_draw(1, 20), row = harness_draw(0, n - 1), col = harness_draw(0, n - 1);
    struct jordan_case known = jordan_case_draw(n, 1, i % TYPES >= 2);
    struct program p = {&known, (hyla_type)(i % TYPES), lu_draw_layout(cube, 1)};
    struct diagonal_case m = {0};
    if (kind == 0 || i % 3 == 0) col = row = i % 5 == 0 ? n - 1 : row;
    harness_note("n = %lld, type %d, %g at (%lld, %lld)", (long long)n, i % TYPES, bad[kind],
                 (long long)row, (long long)col);
    lu_assert_status(cube, make_matrices(cube, &p, &m), HYLA_OK);
    double _Complex held = known.a[row + col * n];
    known.a[row + col * n] = kind == 0 ? held - 1 / known.f[row + row * n] : bad[kind];
    lu_put(m.a, known.a);
    lu_assert_status(cube, hyla_factor_compute(cube, m.factor, m.a),
                     kind == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE);
    assert_int_equal(hyla_factor_pivot(m.factor), hy_max(row, col) + 1);
    known.a[row + col * n] = held;
    lu_assert_status(cube, factor_and_solve(cube, &p, &m), HYLA_OK);
    diagonal_case_free(&m);
    jordan_case_free(&known);
  }
  cube_close(&cube);
}

static void it_is_chosen_only_when_asked_for(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  diagonal_case_is_asked_for(cube, HYLA_GAUSS_JORDAN);
  cube_close(&cube);
}

static void there_are_no_triangles_to_give(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct jordan_case known = jordan_case_draw(5, 1, false);
  struct program p = {&known, HYLA_DOUBLE, lu_draw_layout(cube, 1)};
  struct diagonal_case m = {0};
  int64_t rows[5];
  double number[2];
  lu_assert_status(cube, make_matrices(cube, &p, &m), HYLA_OK);
  lu_put(m.a, known.a);
  lu_assert_status(cube, hyla_factor_compute(cube, m.factor, m.a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_lower(cube, m.factor, m.a), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_upper(cube, m.factor, m.a), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_permutation(cube, m.factor, rows), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_determinant(cube, m.factor, number, number), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_growth(cube, m.factor, 1, number), HYLA_OK);
  assert_true(isnan(number[0]));
  diagonal_case_free(&m);
  jordan_case_free(&known);
  cube_close(&cube);
}

/* -------------------------------------------------- as the blocked variant -- */

/* The distance of two matrices relative to the second one, in its 1-norm. */
static double difference(hyla_cube *cube, hyla_matrix *found, const hyla_matrix *expected) {
  double apart = 0, size = 0;
  lu_assert_status(cube, hyla_matrix_norm(cube, expected, HYLA_NORM_ONE, &size), HYLA_OK);
  lu_assert_status(cube, hyla_add(cube, HYLA_NONE, -1, expected, 1, found), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_norm(cube, found, HYLA_NORM_ONE, &apart), HYLA_OK);
  return size == 0 ? apart : apart / size;
}

/* The inverse, by a plan of its own and by factors, and the condition. */
static void inverse_by(hyla_cube *cube, const char *variant, const hyla_matrix *a, hyla_matrix *x,
                       double *rcond) {
  hyla_plan *plan = NULL;
  hyla_factor *factor = NULL;
  int64_t n = a->row.n;
  double norm = 0;
  lu_assert_status(cube, hyla_invert_plan(cube, HYLA_GAUSS_JORDAN, a, x, variant, &plan), HYLA_OK);
  assert_string_equal(hyla_plan_variant(plan), variant);
  lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_OK);
  hyla_plan_destroy(&plan);
  lu_assert_status(
      cube,
      hyla_factor_create(cube, HYLA_GAUSS_JORDAN, a->k->type, n, 3, &a->layout, variant, &factor),
      HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_norm(cube, a, HYLA_NORM_ONE, &norm), HYLA_OK);
  lu_assert_status(cube, hyla_factor_condition(cube, factor, norm, rcond), HYLA_OK);
  hyla_matrix *again = lu_matrix(cube, (int)a->k->type, n, n, &a->layout);
  lu_assert_status(cube, hyla_factor_inverse(cube, factor, again), HYLA_OK);
  assert_true(difference(cube, again, x) <= 4 * (double)(n + 1) * a->k->epsilon);
  hyla_matrix_destroy(&again);
  hyla_factor_destroy(&factor);
}

/* A of small integers with a large diagonal; its condition is below 4. */
static void the_inverse_is_that_of_the_blocked_variant(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * TYPES; i++) {
    int64_t n = harness_draw(0, i < TYPES ? 9 : 70);
    const hyla_layout layout = lu_draw_layout(cube, 1);
    double _Complex *entries = calloc((size_t)(n * n) + 1, sizeof *entries);
    double rcond[2] = {0};
    assert_non_null(entries);
    for (int64_t j = 0; j < n * n; j++)
      entries[j] = jordan_case_unit(i % TYPES >= 2) * (double)(j % (n + 1) == 0 ? 4 * n : 1);
    harness_note("n = %lld, type %d, %s", (long long)n, i % TYPES, lu_layout_name(&layout));
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, &layout),
                *product = lu_matrix(cube, i % TYPES, n, n, &layout),
                *blocked = lu_matrix(cube, i % TYPES, n, n, &layout);
    lu_put(a, entries);
    inverse_by(cube, "diagonal", a, product, &rcond[0]);
    inverse_by(cube, "blocked", a, blocked, &rcond[1]);
    assert_true(difference(cube, product, blocked) <= 16 * (double)(n + 1) * a->k->epsilon);
    /* One of them is an estimate: the inverse may seem smaller than it is. */
    assert_true(rcond[0] >= 0.999 * rcond[1] && rcond[0] <= 10 * rcond[1]);
    hyla_matrix_destroy(&blocked);
    hyla_matrix_destroy(&product);
    hyla_matrix_destroy(&a);
    free(entries);
  }
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

static void exact_and_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++) {
      hyla_type type = (hyla_type)((dims + rows) % TYPES);
      struct jordan_case known =
          jordan_case_draw(harness_draw(1, rows % 3 == 1 ? 70 : 21),
                           rows % 2 == 0 ? harness_draw(0, 5) : 40, type >= HYLA_COMPLEX);
      struct program x = {&known, type, lu_array_layout(dims, rows, 1)};
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
      hyla_report report;
      hyla_status status = hyla_simulate(&model, run, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [dims %d, rows %d, n %lld, nrhs %lld, type %d]", hyla_status_name(status),
                 report.message, dims, rows, (long long)known.n, (long long)known.nrhs, (int)type);
      jordan_case_free(&known);
    }
}

/* The paper's case: 2^k x 2^k elements on as many nodes.  A step takes a time of 1; then all nodes
 * learn whether a pivot failed, in k steps.  Corollary 6.1 has 3 (2^k - 1) + k, and at least the
 * asserted number of operations. */
static hyla_status eliminate(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  struct diagonal_case m = {0};
  int k = cube->dims / 2, side = 1 << k;
  TRY(hy_agree(cube, make_matrices(cube, p, &m)));
  lu_put(m.a, p->known->a);
  TRY(hyla_cube_ledger_clear(cube));
  hyla_status status = hyla_factor_compute(cube, m.factor, m.a);
  if (status == HYLA_OK) status = lu_check_counts(cube, m.factor);
  if (status == HYLA_OK && hy_plan_mine(m.factor->plan).flops > 2 * (side + k - 1))
    status = hy_fail(&cube->base, HYLA_FORMAT, "more operations than in corollary 6.1");
  status = hy_agree(cube, status);
  diagonal_case_free(&m);
  return status;
}

static void the_papers_case_takes_fewer_steps(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int k = 1; k <= 4; k++) {
    int side = 1 << k;
    struct jordan_case known = jordan_case_draw(side, 0, false);
    struct program x = {&known, HYLA_DOUBLE, lu_array_layout(2 * k, k, 1)};
    hyla_simulation model = {.dims = 2 * k, .alpha = 1};
    hyla_report report;
    x.layout.row.code = x.layout.col.code = HYLA_GRAY;
    hyla_status status = hyla_simulate(&model, eliminate, &x, &report);
    if (status != HYLA_OK) fail_msg("%s: %s", hyla_status_name(status), report.message);
    harness_note("k = %d: time %g", k, report.time);
    assert_true(report.time <= 2 * (side - 1) + k + k);
    assert_true(report.time <= 3 * (side - 1) + k);
    jordan_case_free(&known);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_systems_are_solved),
      cmocka_unit_test(what_stops_it_is_named),
      cmocka_unit_test(it_is_chosen_only_when_asked_for),
      cmocka_unit_test(there_are_no_triangles_to_give),
      cmocka_unit_test(the_inverse_is_that_of_the_blocked_variant),
      cmocka_unit_test(exact_and_counted_on_every_array),
      cmocka_unit_test(the_papers_case_takes_fewer_steps),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
