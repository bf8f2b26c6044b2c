/* LU with pivots on the diagonal: factors and solutions of systems whose answers are known exactly,
 * on real ranks and on virtual cubes; failures; counts; the planner does not choose it unless
 * asked.  Its schedules: tests/formulas/eliminations.c. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
// limit: 120
#include "diagonal_case.h"
#include "hyla_lab.h"
#include "lu_case.h"
#include "solve/solve.h"
#include "tests/harness/draw.h"

#include <float.h>

/* A = L U without swaps, and B = A X of small integers. */
struct known {
  struct lu_case lu;
  int64_t nrhs;
  double _Complex *x, *b;
};

static struct known draw_known(int64_t n, int64_t nrhs, bool complex_type, int64_t zero) {
  struct known s = {lu_case_draw(n, complex_type, zero), nrhs,
                    calloc((size_t)(n * nrhs + 1), sizeof *s.x),
                    calloc((size_t)(n * nrhs + 1), sizeof *s.b)};
  assert_true(s.x != NULL && s.b != NULL);
  for (int64_t i = 0; i < n; i++) s.lu.swaps[i] = i;
  lu_case_multiply(&s.lu);
  for (int64_t i = 0; i < n * nrhs; i++)
    s.x[i] =
        hy_complex((double)harness_draw(-2, 2), complex_type ? (double)harness_draw(-2, 2) : 0);
  for (int64_t c = 0; c < nrhs; c++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) s.b[i + c * n] += s.lu.a[i + j * n] * s.x[j + c * n];
  return s;
}

static void free_known(struct known *s) {
  lu_case_free(&s->lu);
  free(s->x);
  free(s->b);
}

/* The program that the nodes run; they share it and only read it. */
struct program {
  const struct known *known;
  hyla_type type;
  hyla_layout layout;
};

static hyla_status make_matrices(hyla_cube *cube, const struct program *p,
                                 struct diagonal_case *m) {
  return diagonal_case_make(cube, HYLA_LU, p->type, p->known->lu.n, p->known->nrhs, &p->layout, m);
}

static hyla_status check_factors(const struct program *p, const hyla_matrix *found) {
  int64_t n = p->known->lu.n;
  for (int64_t c = 0; c < found->local_cols; c++)
    for (int64_t r = 0; r < found->local_rows; r++) {
      int64_t i = hyla_matrix_row(found, r), j = hyla_matrix_col(found, c);
      const double _Complex *of = i > j ? p->known->lu.l : p->known->lu.u;
      CHECK(&found->cube->base, found->k->get(hy_at(found, r, c), 0) == of[i + j * n], FORMAT,
            "factor (%lld, %lld) is wrong", (long long)i, (long long)j);
    }
  return HYLA_OK;
}

/* Factors and solves, and counts; then with op(A), and with right-hand sides that are eliminated
 * along with A. */
static hyla_status factor_and_solve(hyla_cube *cube, const struct program *p,
                                    struct diagonal_case *m) {
  const struct known *known = p->known;
  lu_put(m->a, known->lu.a);
  lu_put(m->b, known->b);
  TRY(hyla_cube_ledger_clear(cube));
  hyla_status status = hyla_factor_compute(cube, m->factor, m->a);
  if (status == HYLA_OK && known->nrhs > 0)
    status = hyla_factor_solve(cube, m->factor, HYLA_NONE, m->b, m->x);
  if (status == HYLA_OK && cube->address >= 0) status = lu_check_counts(cube, m->factor);
  TRY(hy_agree(cube, status));
  TRY(hy_agree(cube, check_factors(p, m->factor->factors.a)));
  TRY(hy_agree(cube, lu_check_entries(m->x, known->x, "x")));
  if (known->nrhs == 0) return HYLA_OK;
  TRY(hy_factor_compute(m->factor, m->a, m->b));
  TRY(hy_agree(cube, check_factors(p, m->factor->factors.a)));
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
    const int64_t sizes[] = {0, 1, p - 1, p, p + 1, 2, 7, 13};
    for (int i = 0; i < 32; i++) {
      struct known known =
          draw_known(sizes[i % 8], i % 4 == 3 ? 40 : harness_draw(0, 4), i / 8 >= 2, -1);
      struct program x = {
          .known = &known, .type = (hyla_type)(i / 8), .layout = lu_draw_layout(cube, 1)};
      harness_note("n = %lld, nrhs %lld, type %d, %s", (long long)known.lu.n, (long long)known.nrhs,
                   (int)x.type, lu_layout_name(&x.layout));
      lu_assert_status(cube, run(cube, &x), HYLA_OK);
      free_known(&known);
    }
    cube_close(&cube);
  }
}

/* op(A) X = B, op the transpose and its conjugate. */
static void opposite_systems_are_solved(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * TYPES; i++) {
    hyla_operation op = i < TYPES ? HYLA_TRANSPOSE : HYLA_CONJUGATE;
    int64_t n = harness_draw(1, 12), nrhs = harness_draw(1, 3);
    struct known known = draw_known(n, nrhs, i % TYPES >= 2, -1);
    struct program p = {&known, (hyla_type)(i % TYPES), lu_draw_layout(cube, 1)};
    struct diagonal_case m = {0};
    double _Complex *sides = calloc((size_t)(n * nrhs), sizeof *sides);
    for (int64_t c = 0; c < nrhs; c++)
      for (int64_t r = 0; r < n; r++)
        for (int64_t k = 0; k < n; k++) {
          double _Complex entry = known.lu.a[k + r * n];
          sides[r + c * n] += (op == HYLA_CONJUGATE ? conj(entry) : entry) * known.x[k + c * n];
        }
    harness_note("n = %lld, nrhs %lld, type %d", (long long)n, (long long)nrhs, i % TYPES);
    lu_assert_status(cube, make_matrices(cube, &p, &m), HYLA_OK);
    lu_put(m.a, known.lu.a);
    lu_put(m.b, sides);
    lu_assert_status(cube, hyla_factor_compute(cube, m.factor, m.a), HYLA_OK);
    for (int again = 0; again < 2; again++)
      lu_assert_status(cube, hyla_factor_solve(cube, m.factor, op, m.b, m.x), HYLA_OK);
    lu_assert_status(cube, hy_agree(cube, lu_check_entries(m.x, known.x, "x")), HYLA_OK);
    diagonal_case_free(&m);
    free(sides);
    free_known(&known);
  }
  cube_close(&cube);
}

/* The first zero, NaN or infinity among the pivots is reported alike on all ranks; the next run
 * succeeds. */
static void what_stops_it_is_named(void **state) {
  (void)state;
  static const double bad[] = {0, NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 4 * TYPES; i++) {
    int kind = i / TYPES;
    int64_t n = harness_draw(1, 20), column = i % 3 == 0 ? n - 1 : harness_draw(0, n - 1);
    struct known known = draw_known(n, 1, i % TYPES >= 2, kind == 0 ? column : -1);
    struct program p = {&known, (hyla_type)(i % TYPES), lu_draw_layout(cube, 1)};
    struct diagonal_case m = {0};
    harness_note("n = %lld, type %d, %g in column %lld", (long long)n, i % TYPES, bad[kind],
                 (long long)column);
    lu_assert_status(cube, make_matrices(cube, &p, &m), HYLA_OK);
    lu_put(m.a, known.lu.a);
    if (kind > 0)
      lu_assert_status(cube, hyla_matrix_set(cube, m.a, column, column, bad[kind]), HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, m.factor, m.a),
                     kind == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE);
    assert_int_equal(hyla_factor_pivot(m.factor), column + 1);
    free_known(&known);
    known = draw_known(n, 1, i % TYPES >= 2, -1);
    lu_assert_status(cube, factor_and_solve(cube, &p, &m), HYLA_OK);
    diagonal_case_free(&m);
    free_known(&known);
  }
  cube_close(&cube);
}

/* A pivot is finite even if the sum of its parts overflows. */
static void a_huge_pivot_is_finite(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct known known = draw_known(5, 0, true, -1);
  struct program p = {&known, HYLA_DOUBLE_COMPLEX, lu_draw_layout(cube, 1)};
  struct diagonal_case m = {0};
  for (int i = 0; i < 25; i++) known.lu.a[i] = i % 6 == 0;
  known.lu.a[12] = hy_complex(DBL_MAX, DBL_MAX);
  lu_assert_status(cube, make_matrices(cube, &p, &m), HYLA_OK);
  lu_put(m.a, known.lu.a);
  lu_assert_status(cube, hyla_factor_compute(cube, m.factor, m.a), HYLA_OK);
  lu_assert_status(
      cube, hy_agree(cube, lu_check_entries(m.factor->factors.a, known.lu.a, "factor")), HYLA_OK);
  diagonal_case_free(&m);
  free_known(&known);
  cube_close(&cube);
}

static void it_is_chosen_only_when_asked_for(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  diagonal_case_is_asked_for(cube, HYLA_LU);
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

static void exact_and_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++) {
      hyla_type type = (hyla_type)((dims + rows) % TYPES);
      struct known known = draw_known(harness_draw(1, 21), rows % 2 == 0 ? harness_draw(0, 5) : 40,
                                      type == HYLA_COMPLEX || type == HYLA_DOUBLE_COMPLEX, -1);
      struct program x = {&known, type, lu_array_layout(dims, rows, 1)};
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
      hyla_report report;
      hyla_status status = hyla_simulate(&model, run, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [dims %d, rows %d, n %lld, nrhs %lld, type %d]", hyla_status_name(status),
                 report.message, dims, rows, (long long)known.lu.n, (long long)known.nrhs,
                 (int)type);
      free_known(&known);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_systems_are_solved),
      cmocka_unit_test(opposite_systems_are_solved),
      cmocka_unit_test(what_stops_it_is_named),
      cmocka_unit_test(a_huge_pivot_is_finite),
      cmocka_unit_test(it_is_chosen_only_when_asked_for),
      cmocka_unit_test(exact_and_counted_on_every_array),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
