/* Gauss-Jordan: inverses and solutions on real ranks and on virtual cubes; pivots as LU's; matrices
 * that stop it; refusals; counts. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
#include "hyla_lab.h"
#include "lu_case.h"
#include "solve/jordan/jordan.h"
#include "tests/harness/draw.h"

enum { SIZE_COUNT = 10, BLOCK_COUNT = 4, SIDES_MOST = 70 };
static const int64_t BLOCKS[] = {1, 3, 8, 64};

/* A of small integers, with one large entry in each row and column, so that it is well conditioned
 * and pivots are known by magnitude.  In every type A, X and op(A) X are exact. */
struct system {
  int64_t n;
  bool complex_type;
  double _Complex *a, *x; /* n x n; n x SIDES_MOST */
  double _Complex *b[3];  /* op(A) X */
};

static double _Complex draw_entry(bool complex_type) {
  return hy_complex((double)harness_draw(-1, 1), complex_type ? (double)harness_draw(-1, 1) : 0);
}

static double _Complex entry_of(const struct system *s, int op, int64_t i, int64_t j) {
  double _Complex entry = op == HYLA_NONE ? s->a[i + j * s->n] : s->a[j + i * s->n];
  return op == HYLA_CONJUGATE ? conj(entry) : entry;
}

/* rows: the row of the large entry in each column; NULL: on the diagonal. */
static struct system make_system(int64_t n, int64_t nrhs, bool complex_type, const int64_t *rows) {
  size_t square = (size_t)(n * n + 1), sides = (size_t)(n * SIDES_MOST + 1);
  struct system s = {.n = n,
                     .complex_type = complex_type,
                     .a = calloc(square, sizeof *s.a),
                     .x = calloc(sides, sizeof *s.x)};
  assert_true(s.a && s.x);
  for (int64_t i = 0; i < n * n; i++) s.a[i] = draw_entry(complex_type);
  for (int64_t j = 0; j < n; j++) s.a[(rows == NULL ? j : rows[j]) + j * n] = (double)(4 * n);
  for (int64_t i = 0; i < n * SIDES_MOST; i++) s.x[i] = draw_entry(complex_type);
  for (int op = 0; op < 3; op++) {
    s.b[op] = calloc(sides, sizeof *s.b[op]);
    assert_non_null(s.b[op]);
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        double _Complex entry = entry_of(&s, op, i, j);
        for (int64_t c = 0; c < nrhs; c++) s.b[op][i + c * n] += entry * s.x[j + c * n];
      }
  }
  return s;
}

static struct system draw_system(int64_t n, int64_t nrhs, bool complex_type, bool swapped) {
  int64_t rows[256];
  for (int64_t i = 0; i < n; i++) rows[i] = i;
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t j = harness_draw(0, i), row = rows[i];
    rows[i] = rows[j];
    rows[j] = row;
  }
  return make_system(n, nrhs, complex_type, swapped ? rows : NULL);
}

static void free_system(struct system *s) {
  free(s->a);
  free(s->x);
  for (int op = 0; op < 3; op++) free(s->b[op]);
}

/* ------------------------------------------------------------- one case -- */

struct program {
  const struct system *system;
  hyla_type type;
  int64_t nrhs;
  hyla_layout layout, given; /* of the factors; of the matrix */
};

/* |A|_1 |A^-1|_1 is below 4. */
static double tolerance(const struct program *p) {
  return 8 * (double)(p->system->n + 1) * hy_kernels_of(p->type)->epsilon;
}

/* Is x the known solution? */
static hyla_status check_entries(const struct program *p, const hyla_matrix *m) {
  for (int64_t c = 0; c < m->local_cols; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r), j = hyla_matrix_col(m, c);
      double _Complex expected = p->system->x[i + j * m->row.n];
      double _Complex found = m->k->get(hy_at(m, r, c), 0);
      CHECK(&m->cube->base, cabs(found - expected) <= tolerance(p), FORMAT,
            "x(%lld, %lld) is %g%+gi, not %g%+gi", (long long)i, (long long)j, creal(found),
            cimag(found), creal(expected), cimag(expected));
    }
  return HYLA_OK;
}

static hyla_status check_solution(const struct program *p, hyla_factor *factor, hyla_operation op,
                                  int64_t nrhs) {
  hyla_cube *cube = factor->problem.cube;
  hyla_matrix *x = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->system->n, nrhs, NULL, &x));
  lu_put(x, p->system->b[op]);
  hyla_status status = hyla_factor_solve(cube, factor, op, x, x);
  if (status == HYLA_OK) status = hy_agree(cube, check_entries(p, x));
  hyla_matrix_destroy(&x);
  return status;
}

static hyla_status check_identity(const struct program *p, const hyla_matrix *m) {
  for (int64_t c = 0; c < m->local_cols; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r), j = hyla_matrix_col(m, c);
      double _Complex found = m->k->get(hy_at(m, r, c), 0);
      CHECK(&m->cube->base, cabs(found - (i == j)) <= tolerance(p), FORMAT,
            "A^-1 A has %g%+gi at (%lld, %lld)", creal(found), cimag(found), (long long)i,
            (long long)j);
    }
  return HYLA_OK;
}

/* The factors are the inverse itself. */
static hyla_status check_inverse(const struct program *p, hyla_factor *factor, hyla_matrix *a) {
  hyla_cube *cube = factor->problem.cube;
  hyla_matrix *product = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->system->n, p->system->n, NULL, &product));
  hyla_status status = hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, factor->factors.a, a, 0, product);
  if (status == HYLA_OK) status = hy_agree(cube, check_identity(p, product));
  hyla_matrix_destroy(&product);
  return status;
}

/* |A|_1 |A^-1|_1 by the inverse: at least 1, and at most the value that makes these systems
 * good. */
static hyla_status check_condition(const struct program *p, hyla_factor *factor,
                                   const hyla_matrix *a) {
  hyla_cube *cube = factor->problem.cube;
  double norm = 0, rcond = 0;
  if (p->nrhs == 0) return HYLA_OK;
  TRY(hyla_matrix_norm(cube, a, HYLA_NORM_ONE, &norm));
  TRY(hyla_factor_condition(cube, factor, norm, &rcond));
  CHECK(&cube->base, rcond > 0.25 && rcond < 1.001, FORMAT, "the reciprocal condition is %g",
        rcond);
  return HYLA_OK;
}

static hyla_status compute_and_check(const struct program *p, hyla_factor *factor, hyla_matrix *a) {
  lu_put(a, p->system->a);
  TRY(hyla_factor_compute(factor->problem.cube, factor, a));
  TRY(check_inverse(p, factor, a));
  TRY(check_condition(p, factor, a));
  for (int op = HYLA_NONE; op <= HYLA_CONJUGATE; op++)
    TRY(check_solution(p, factor, (hyla_operation)op, p->nrhs));
  return check_solution(p, factor, HYLA_NONE, p->nrhs / 2); /* fewer columns than it was made for */
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  int64_t n = p->system->n;
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL;
  hyla_status status =
      hyla_factor_create(cube, HYLA_GAUSS_JORDAN, p->type, n, p->nrhs, &p->layout, NULL, &factor);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, n, n, &p->given, &a);
  if (status == HYLA_OK) status = compute_and_check(p, factor, a);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

/* ------------------------------------------------------------ real ranks -- */

static void systems_have_their_inverse_and_solutions(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[SIZE_COUNT] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 101};
    for (int i = private_memory; i < SIZE_COUNT * BLOCK_COUNT; i += 2) {
      struct program x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                          .nrhs = i / 2 % 3 < 2 ? harness_draw(0, 5) : SIDES_MOST,
                          .layout = lu_draw_layout(cube, BLOCKS[i % BLOCK_COUNT])};
      x.given = harness_draw(0, 2) > 0 ? x.layout : draw_layout(cube->dims);
      struct system s =
          draw_system(sizes[i / BLOCK_COUNT], x.nrhs, x.type >= HYLA_COMPLEX, i % 4 != 0);
      x.system = &s;
      harness_note("n = %lld, nrhs %lld, type %d, %s", (long long)s.n, (long long)x.nrhs,
                   (int)x.type, lu_layout_name(&x.layout));
      lu_assert_status(cube, run(cube, &x), HYLA_OK);
      free_system(&s);
    }
    cube_close(&cube);
  }
}

/* A method's outcome for a matrix: its status, the pivot where it stops, its swaps. */
struct outcome {
  hyla_status status;
  int64_t pivot, swaps[256];
};

static struct outcome outcome_of(hyla_cube *cube, hyla_method method, const struct program *p) {
  struct outcome found = {.pivot = -1};
  int64_t n = p->system->n;
  hyla_factor *factor = NULL;
  lu_assert_status(cube, hyla_factor_create(cube, method, p->type, n, 1, &p->layout, NULL, &factor),
                   HYLA_OK);
  hyla_matrix *a = lu_matrix(cube, (int)p->type, n, n, &p->given);
  lu_put(a, p->system->a);
  found.status = hyla_factor_compute(cube, factor, a);
  found.pivot = hyla_factor_pivot(factor);
  if (cube->address >= 0)
    memcpy(found.swaps, factor->factors.swaps, (size_t)n * sizeof *found.swaps);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return found;
}

static void as_lu(hyla_cube *cube, struct program *x, hyla_status expected, int64_t pivot) {
  x->layout = x->given = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  harness_note("n = %lld, type %d, %s, pivot %lld", (long long)x->system->n, (int)x->type,
               lu_layout_name(&x->layout), (long long)pivot);
  struct outcome lu = outcome_of(cube, HYLA_LU, x), found = outcome_of(cube, HYLA_GAUSS_JORDAN, x);
  assert_int_equal(lu.status, expected);
  assert_int_equal(found.status, expected);
  assert_int_equal(found.pivot, lu.pivot);
  if (pivot >= 0) assert_int_equal(found.pivot, pivot);
  if (expected == HYLA_OK)
    assert_memory_equal(found.swaps, lu.swaps, (size_t)x->system->n * sizeof *lu.swaps);
}

static void pivots_are_those_of_lu(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    struct program x = {.type = (hyla_type)(i % TYPES)};
    struct system s = draw_system(harness_draw(0, 70), 0, x.type >= HYLA_COMPLEX, true);
    x.system = &s;
    as_lu(cube, &x, HYLA_OK, 0);
    free_system(&s);
  }
  cube_close(&cube);
}

/* It stops at a column of zeros. */
static void a_singular_matrix_stops_where_lu_does(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 36; i++) {
    struct program x = {.type = (hyla_type)(i % TYPES)};
    int64_t n = harness_draw(1, 70), at = i < 4 ? 0 : i < 8 ? n - 1 : harness_draw(0, n - 1);
    struct system s = draw_system(n, 0, x.type >= HYLA_COMPLEX, true);
    for (int64_t row = 0; row < n; row++) s.a[row + at * n] = 0;
    x.system = &s;
    as_lu(cube, &x, HYLA_SINGULAR, at + 1);
    free_system(&s);
  }
  cube_close(&cube);
}

static void a_nan_or_infinity_is_found_where_lu_finds_it(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 36; i++) {
    struct program x = {.type = (hyla_type)(i % TYPES)};
    int64_t n = harness_draw(1, 70);
    int64_t row = harness_draw(0, n - 1), col = harness_draw(0, n - 1);
    struct system s = draw_system(n, 0, x.type >= HYLA_COMPLEX, true);
    s.a[row + col * n] = hy_complex(bad[i % 3], 0);
    x.system = &s;
    as_lu(cube, &x, HYLA_NOT_FINITE, -1);
    free_system(&s);
  }
  cube_close(&cube);
}

static void there_are_no_triangles_to_give(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_factor *factor = NULL;
  int64_t rows[5];
  double number[2];
  struct system s = draw_system(5, 0, false, true);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 5, 5, NULL);
  lu_put(a, s.a);
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_GAUSS_JORDAN, HYLA_DOUBLE, 5, 1, NULL, NULL, &factor),
      HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_lower(cube, factor, a), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_packed(cube, factor, HYLA_LOWER, a), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_upper(cube, factor, a), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_permutation(cube, factor, rows), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_determinant(cube, factor, number, number), HYLA_UNSUPPORTED);
  assert_non_null(strstr(hyla_cube_message(cube), "gauss-jordan makes the inverse"));
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  free_system(&s);
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

/* Moved in and run; the right-hand sides lie as the product wants them. */
static hyla_status run_once(const struct program *p, hyla_factor *factor, hyla_ledger *ledger) {
  hyla_cube *cube = factor->problem.cube;
  lu_put(factor->factors.a, p->system->a);
  TRY(hyla_cube_ledger_clear(cube));
  const struct hy_variant *variant = hy_choice_variant(&factor->plan->choice);
  const struct hy_factor_traits *steps = variant->traits;
  void *state = hy_choice_state(&factor->plan->choice);
  TRY(hy_agree(cube, variant->run(state)));
  if (p->nrhs > 0) {
    TRY(hy_agree(cube, steps->solve[0].product(state, HYLA_NONE, factor->factors.x_along_columns,
                                               factor->factors.x)));
  }
  return hyla_cube_ledger(cube, ledger);
}

/* The ledger's counts on this node are at most as predicted and at least those of a matrix without
 * swaps; for such a matrix exactly those. */
static hyla_status check_counts(const struct program *p, const hyla_factor *factor,
                                const hyla_ledger *ledger, bool swapped) {
  const struct hy_gauss_jordan *g = hy_choice_state(&factor->plan->choice);
  hyla_cost least, most, found = {.steps = ledger->steps};
  int64_t bytes = 0;
  TRY(hy_gauss_jordan_cost_at(g, g->a->row_part, g->a->col_part, &least, &most));
  for (int dim = 0; dim < ledger->dims; dim++) {
    found.messages += ledger->messages[dim];
    bytes += ledger->bytes[dim];
  }
  found.words = bytes / (int64_t)hy_kernels_of(p->type)->size;
  bool within = found.steps <= most.steps && found.messages <= most.messages &&
                found.words <= most.words && found.steps >= least.steps &&
                found.messages >= least.messages && found.words >= least.words;
  bool exact =
      found.steps == least.steps && found.messages == least.messages && found.words == least.words;
  CHECK(&factor->problem.cube->base, swapped ? within : exact, FORMAT,
        "%lld steps, %lld messages, %lld words; predicted %lld to %lld, %lld to %lld, %lld to %lld",
        (long long)found.steps, (long long)found.messages, (long long)found.words,
        (long long)least.steps, (long long)most.steps, (long long)least.messages,
        (long long)most.messages, (long long)least.words, (long long)most.words);
  return HYLA_OK;
}

static hyla_status count(hyla_cube *cube, const struct program *p, bool swapped) {
  hyla_factor *factor = NULL;
  hyla_ledger ledger;
  TRY(hyla_factor_create(cube, HYLA_GAUSS_JORDAN, p->type, p->system->n, p->nrhs, &p->layout, NULL,
                         &factor));
  hyla_status status = run_once(p, factor, &ledger);
  if (status == HYLA_OK) status = hy_agree(cube, check_counts(p, factor, &ledger, swapped));
  hyla_factor_destroy(&factor);
  return status;
}

static hyla_status count_swapped(hyla_cube *cube, void *arg) { return count(cube, arg, true); }
static hyla_status count_settled(hyla_cube *cube, void *arg) { return count(cube, arg, false); }

static void simulate(const struct program *x, hyla_body *body) {
  hyla_simulation model = {
      .dims = x->layout.row.dims + x->layout.col.dims, .alpha = 1, .beta = 0.001};
  hyla_report report;
  hyla_status status = hyla_simulate(&model, body, (void *)(uintptr_t)x, &report);
  if (status != HYLA_OK)
    fail_msg("%s: %s [n %lld, nrhs %lld, type %d, %s]", hyla_status_name(status), report.message,
             (long long)x->system->n, (long long)x->nrhs, (int)x->type, lu_layout_name(&x->layout));
}

static void solved_and_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++) {
      struct program x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                          .nrhs = rows % 2 == 0 ? harness_draw(0, 5) : 66};
      x.layout = x.given = lu_array_layout(dims, rows, harness_draw(1, 9));
      for (int swapped = 0; swapped < 2; swapped++) {
        struct system s =
            draw_system(harness_draw(0, 75), x.nrhs, x.type >= HYLA_COMPLEX, swapped == 1);
        x.system = &s;
        simulate(&x, swapped == 1 ? count_swapped : count_settled);
        if (swapped == 1 && (dims + rows) % 2 == 0) simulate(&x, run);
        free_system(&s);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(systems_have_their_inverse_and_solutions),
      cmocka_unit_test(pivots_are_those_of_lu),
      cmocka_unit_test(a_singular_matrix_stops_where_lu_does),
      cmocka_unit_test(a_nan_or_infinity_is_found_where_lu_finds_it),
      cmocka_unit_test(there_are_no_triangles_to_give),
      cmocka_unit_test(solved_and_counted_on_every_array),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
