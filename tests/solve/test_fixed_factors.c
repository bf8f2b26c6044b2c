/* Variants called fixed, for LU, Cholesky and eigenproblems: a cube for reproducible results has
 * the same bits as one rank alone, for any number of ranks and any layouts, NaN and failing pivots
 * included. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 240
#include "lu_case.h"
#include "tests/gemm/fixed_case.h"

/* --------------------------------------------------------- factorizations -- */

/* One factorization on each cube. */
struct factors {
  hyla_factor *all, *alone;
};

static struct factors make_factors(const struct fixed_cubes *cubes, hyla_method method,
                                   hyla_type type, int64_t m, int64_t n, int64_t nrhs) {
  struct factors f = {NULL, NULL};
  hyla_layout layout = draw_whole_on(cubes->all);
  fixed_must(cubes->all,
             hyla_factor_create_rectangular(cubes->all, method, type, m, n, nrhs,
                                            harness_draw(0, 1) ? &layout : NULL, NULL, &f.all),
             HYLA_OK);
  fixed_must(
      cubes->alone,
      hyla_factor_create_rectangular(cubes->alone, method, type, m, n, nrhs, NULL, NULL, &f.alone),
      HYLA_OK);
  assert_string_equal(hyla_plan_variant(hyla_factor_plan(f.all)), "fixed");
  return f;
}

static void free_factors(struct factors *f) {
  hyla_factor_destroy(&f->all);
  hyla_factor_destroy(&f->alone);
}

static void compare_solutions(const struct fixed_cubes *cubes, const struct factors *f,
                              hyla_type type, int64_t n, int64_t nrhs) {
  for (int op = HYLA_NONE; op <= HYLA_CONJUGATE; op++) {
    struct fixed_pair b = fixed_pair_make(cubes, type, n, nrhs, &FIXED_PLAIN);
    struct fixed_pair x = fixed_pair_make(cubes, type, n, nrhs, &FIXED_PLAIN);
    hyla_operation operation = (hyla_operation)op;
    fixed_must(cubes->all, hyla_factor_solve(cubes->all, f->all, operation, b.all, x.all), HYLA_OK);
    fixed_must(cubes->alone, hyla_factor_solve(cubes->alone, f->alone, operation, b.alone, x.alone),
               HYLA_OK);
    fixed_compare(cubes, &x, op == HYLA_NONE ? "X" : "X of op(A)");
    fixed_pair_free(&b);
    fixed_pair_free(&x);
  }
}

static void compare_factors(const struct fixed_cubes *cubes, const struct factors *f,
                            hyla_type type, int64_t m, int64_t n) {
  struct fixed_pair packed = fixed_pair_make(cubes, type, m, n, &FIXED_PLAIN);
  fixed_must(cubes->all, hyla_factor_packed(cubes->all, f->all, HYLA_LOWER, packed.all), HYLA_OK);
  fixed_must(cubes->alone, hyla_factor_packed(cubes->alone, f->alone, HYLA_LOWER, packed.alone),
             HYLA_OK);
  fixed_compare(cubes, &packed, "factors");
  fixed_pair_free(&packed);
  int64_t *rows = calloc((size_t)(2 * m + 1), sizeof *rows);
  assert_non_null(rows);
  fixed_must(cubes->all, hyla_factor_permutation(cubes->all, f->all, rows), HYLA_OK);
  fixed_must(cubes->alone, hyla_factor_permutation(cubes->alone, f->alone, rows + m), HYLA_OK);
  assert_memory_equal(rows, rows + m, (size_t)m * sizeof *rows);
  free(rows);
}

static void factor(const struct fixed_cubes *cubes, hyla_method method, hyla_type type, int64_t m,
                   int64_t n, const struct fixed_entries *entries) {
  int64_t nrhs = m != n ? 0 : harness_draw(0, 1) ? 1 : fixed_draw_size();
  struct fixed_pair a = fixed_pair_make(cubes, type, m, n, entries);
  struct factors f = make_factors(cubes, method, type, m, n, nrhs);
  harness_note("method %d, %lld x %lld, type %d, %lld right-hand sides", (int)method, (long long)m,
               (long long)n, (int)type, (long long)nrhs);
  hyla_status status = hyla_factor_compute(cubes->alone, f.alone, a.alone);
  fixed_must(cubes->all, hyla_factor_compute(cubes->all, f.all, a.all), status);
  assert_int_equal(hyla_factor_pivot(f.all), hyla_factor_pivot(f.alone));
  bool spoilt = entries->zeros >= 0 || entries->row >= 0;
  assert_int_equal(status == HYLA_OK, !spoilt);
  if (status == HYLA_OK) {
    compare_factors(cubes, &f, type, m, n);
    if (nrhs > 0) compare_solutions(cubes, &f, type, n, nrhs);
    if (nrhs > 0) compare_factors(cubes, &f, type, m, n); /* rows are final by now */
  }
  free_factors(&f);
  fixed_pair_free(&a);
}

static void lu_factorizations(void **state) {
  enum { TURNS = 20 };
  (void)state;
  for (int turn = 0; turn < TURNS; turn++) {
    struct fixed_cubes cubes = fixed_open(turn % 4 == 1);
    int64_t m = fixed_draw_size(), n = turn % 5 == 2 ? fixed_draw_size() : m, order = m < n ? m : n;
    struct fixed_entries entries = FIXED_PLAIN;
    entries.seed = (uint64_t)harness_draw(1, 1 << 30);
    if (turn % 5 == 3) entries.zeros = harness_draw(0, order - 1);
    if (turn % 5 == 4) {
      entries.row = harness_draw(0, m - 1);
      entries.col = harness_draw(0, order - 1);
      entries.spoilt = turn % 2 ? NAN : -INFINITY;
    }
    factor(&cubes, HYLA_LU, fixed_type(turn), m, n, &entries);
    fixed_close(&cubes);
  }
}

static void cholesky_factorizations(void **state) {
  enum { TURNS = 16 };
  (void)state;
  for (int turn = 0; turn < TURNS; turn++) {
    struct fixed_cubes cubes = fixed_open(turn % 4 == 1);
    int64_t n = turn == 0 ? 1 : fixed_draw_size();
    struct fixed_entries entries = FIXED_PLAIN;
    entries.seed = (uint64_t)harness_draw(1, 1 << 30);
    entries.hermitian = true;
    entries.diagonal = (double)n;
    if (turn % 4 >= 2) entries.row = entries.col = harness_draw(0, n - 1);
    if (turn % 4 >= 2) entries.spoilt = turn % 4 == 2 ? -1 : NAN;
    factor(&cubes, HYLA_CHOLESKY, fixed_type(turn / 4 + turn), n, n, &entries);
    fixed_close(&cubes);
  }
}

/* Whether it is reliable depends on the matrix. */
static void equilibrate(hyla_cube *cube, hyla_method method, const hyla_matrix *a,
                        const hyla_matrix *b, hyla_matrix *x) {
  const hyla_solve_options options = {.method = method, .equilibrate = true};
  hyla_solve_report report;
  hyla_status status = hyla_solve_expert(cube, &options, a, b, x, &report);
  if (status != HYLA_UNRELIABLE) fixed_must(cube, status, HYLA_OK);
}

/* Solutions in one call, and inverses. */
static void solutions_and_inverses(void **state) {
  enum { TURNS = 8 };
  (void)state;
  struct fixed_cubes cubes = fixed_open(false);
  for (int turn = 0; turn < TURNS; turn++) {
    hyla_type type = fixed_type(turn);
    hyla_method method = turn % 2 ? HYLA_CHOLESKY : HYLA_LU;
    int64_t n = fixed_draw_size(), nrhs = harness_draw(0, 1) ? 1 : fixed_draw_size(), pivot = 0;
    struct fixed_entries entries = FIXED_PLAIN;
    entries.seed = (uint64_t)harness_draw(1, 1 << 30);
    entries.hermitian = method == HYLA_CHOLESKY;
    entries.diagonal = method == HYLA_CHOLESKY ? (double)n : 0;
    struct fixed_pair a = fixed_pair_make(&cubes, type, n, n, &entries);
    struct fixed_pair b = fixed_pair_make(&cubes, type, n, nrhs, &FIXED_PLAIN);
    struct fixed_pair x = fixed_pair_make(&cubes, type, n, nrhs, &FIXED_PLAIN);
    struct fixed_pair inverse = fixed_pair_make(&cubes, type, n, n, &FIXED_PLAIN);
    harness_note("n %lld, type %d, %lld right-hand sides", (long long)n, (int)type,
                 (long long)nrhs);
    fixed_must(cubes.all, hyla_solve(cubes.all, a.all, b.all, x.all, &pivot), HYLA_OK);
    fixed_must(cubes.alone, hyla_solve(cubes.alone, a.alone, b.alone, x.alone, &pivot), HYLA_OK);
    fixed_compare(&cubes, &x, "X");
    fixed_must(cubes.all, hyla_invert(cubes.all, method, a.all, inverse.all, &pivot), HYLA_OK);
    fixed_must(cubes.alone, hyla_invert(cubes.alone, method, a.alone, inverse.alone, &pivot),
               HYLA_OK);
    fixed_compare(&cubes, &inverse, "A^-1");
    equilibrate(cubes.all, method, a.all, b.all, x.all);
    equilibrate(cubes.alone, method, a.alone, b.alone, x.alone);
    fixed_compare(&cubes, &x, "X, equilibrated");
    fixed_pair_free(&a);
    fixed_pair_free(&b);
    fixed_pair_free(&x);
    fixed_pair_free(&inverse);
  }
  fixed_close(&cubes);
}

/* ----------------------------------------------------------------- costs -- */

/* One run, of matrices that lie as the factors do: the ledger is as predicted; nothing is
 * allocated. */
static void count(hyla_cube *cube, hyla_factor *factor, const struct fixed_entries *entries) {
  const struct hy_factorization *problem = &factor->problem;
  hyla_type type = problem->k->type;
  struct fixed_entries copy = *entries, other = FIXED_PLAIN;
  hyla_matrix *a = lu_matrix(cube, type, problem->m, problem->n, &problem->layout);
  hyla_matrix *b = lu_matrix(cube, type, problem->m, problem->nrhs, &problem->layout);
  fixed_must(cube, hyla_matrix_fill(cube, a, fixed_entry, &copy), HYLA_OK);
  fixed_must(cube, hyla_matrix_fill(cube, b, fixed_entry, &other), HYLA_OK);
  int64_t allocations = cube->base.allocations;
  fixed_must(cube, hyla_cube_ledger_clear(cube), HYLA_OK);
  fixed_must(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  if (problem->nrhs > 0)
    fixed_must(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b, b), HYLA_OK);
  fixed_must(cube, lu_check_counts(cube, factor), HYLA_OK);
  assert_int_equal(cube->base.allocations, allocations);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
}

static void costs_are_counted(void **state) {
  enum { TURNS = 24 };
  (void)state;
  for (int turn = 0; turn < TURNS; turn++) {
    hyla_cube *cube = fixed_cube(MPI_COMM_WORLD, turn % 2 == 0);
    bool cholesky = turn / 2 % 2 == 0;
    int64_t m = fixed_draw_size(), n = !cholesky && turn % 3 == 0 ? fixed_draw_size() : m;
    int64_t nrhs = m != n || harness_draw(0, 2) == 0 ? 0 : fixed_draw_size();
    hyla_factor *factor = NULL;
    struct fixed_entries entries = FIXED_PLAIN;
    entries.hermitian = cholesky;
    entries.diagonal = cholesky ? (double)n : 0;
    harness_note("%s, %lld x %lld, %lld right-hand sides", cholesky ? "cholesky" : "lu",
                 (long long)m, (long long)n, (long long)nrhs);
    fixed_must(cube,
               hyla_factor_create_rectangular(cube, cholesky ? HYLA_CHOLESKY : HYLA_LU,
                                              fixed_type(turn / 4), m, n, nrhs, NULL, NULL,
                                              &factor),
               HYLA_OK);
    count(cube, factor, &entries);
    hyla_factor_destroy(&factor);
    assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  }
}

/* Values and vectors of A x = v x, and of A x = v B x and its like. */
static void solve_both(const struct fixed_cubes *cubes, int turn, int64_t n,
                       const struct fixed_pair m[3], double *values) {
  const hyla_triangle triangle = (hyla_triangle)(turn / 2 % 2);
  const hyla_eigen_pencil kind = (hyla_eigen_pencil)(turn % 3);
  hyla_cube *const cube[] = {cubes->all, cubes->alone};
  for (int i = 0; i < 2; i++, values += n) {
    hyla_matrix *const a = i == 0 ? m[0].all : m[0].alone,
                       *const b = i == 0 ? m[1].all : m[1].alone,
                       *const v = i == 0 ? m[2].all : m[2].alone;
    fixed_must(cube[i],
               turn % 2 == 0
                   ? hyla_eigen(cube[i], triangle, a, values, v)
                   : hyla_eigen_generalized(cube[i], kind, triangle, a, b, values, v, NULL),
               HYLA_OK);
  }
}

static void eigenproblems(void **state) {
  enum { TURNS = 16 };
  (void)state;
  for (int turn = 0; turn < TURNS; turn++) {
    struct fixed_cubes cubes = fixed_open(turn % 4 == 1);
    const int64_t n = turn == 0 ? 1 : fixed_draw_size();
    const hyla_type type = fixed_type(turn);
    struct fixed_entries entries = FIXED_PLAIN;
    entries.seed = (uint64_t)harness_draw(1, 1 << 30);
    entries.hermitian = true;
    struct fixed_pair m[3] = {fixed_pair_make(&cubes, type, n, n, &entries)};
    entries.diagonal = (double)n;
    m[1] = fixed_pair_make(&cubes, type, n, n, &entries);
    m[2] = fixed_pair_make(&cubes, type, n, n, &FIXED_PLAIN);
    double *values = calloc((size_t)(2 * n + 1), sizeof *values);
    assert_non_null(values);
    harness_note("eigenvalues, n = %lld, type %d, turn %d", (long long)n, (int)type, turn);
    solve_both(&cubes, turn, n, m, values);
    assert_memory_equal(values, values + n, (size_t)n * sizeof *values);
    fixed_compare(&cubes, &m[2], "vectors");
    free(values);
    for (int i = 0; i < 3; i++) fixed_pair_free(&m[i]);
    fixed_close(&cubes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eigenproblems), cmocka_unit_test(lu_factorizations),
      cmocka_unit_test(cholesky_factorizations), cmocka_unit_test(solutions_and_inverses),
      cmocka_unit_test(costs_are_counted)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
