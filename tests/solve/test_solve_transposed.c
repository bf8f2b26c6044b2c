/* op(A) x = b for every op from one factorization: exact solutions, in any order of the ops, few
 * and many right-hand sides, matrices in any layouts; memory; the contract. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
// limit: 120
#include "lu_case.h"
#include "tests/harness/draw.h"

enum { SIDES_MOST = 70, SIZE_COUNT = 8, BLOCK_COUNT = 4, OPS = 3 };
static const int64_t BLOCKS[] = {1, 3, 8, 64};
static const char *const NAMES[] = {"A", "A^T", "A^H"};

/* Small integers, the same on every rank. */
static double _Complex *draw_sides(int64_t n, int64_t nrhs) {
  double _Complex *x = calloc((size_t)(n * nrhs + 1), sizeof *x);
  assert_non_null(x);
  for (int64_t i = 0; i < n * nrhs; i++) x[i] = (double)harness_draw(-3, 3);
  return x;
}

static double _Complex entry_of(const double _Complex *a, int64_t n, hyla_operation op, int64_t i,
                                int64_t j) {
  if (op == HYLA_NONE) return a[i + j * n];
  return op == HYLA_TRANSPOSE ? a[j + i * n] : conj(a[j + i * n]);
}

/* op(A) x; the caller frees it. */
static double _Complex *product(const double _Complex *a, int64_t n, hyla_operation op,
                                const double _Complex *x, int64_t nrhs) {
  double _Complex *b = calloc((size_t)(n * nrhs + 1), sizeof *b);
  assert_non_null(b);
  for (int64_t c = 0; c < nrhs; c++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) b[i + c * n] += entry_of(a, n, op, i, j) * x[j + c * n];
  return b;
}

static void assert_entries(const hyla_matrix *m, const double _Complex *expected) {
  for (int64_t c = 0; c < m->local_cols; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r), j = hyla_matrix_col(m, c);
      double _Complex found = m->k->get(hy_at(m, r, c), 0), known = expected[i + j * m->row.n];
      if (found != known)
        fail_msg("entry (%lld, %lld) is %g%+gi, not %g%+gi", (long long)i, (long long)j,
                 creal(found), cimag(found), creal(known), cimag(known));
    }
}

/* b and x lie as the factors' right-hand sides, or anywhere; x may be b. */
static void solve_once(hyla_factor *factor, const double _Complex *a, hyla_operation op,
                       int64_t nrhs) {
  hyla_cube *cube = factor->problem.cube;
  int64_t n = factor->problem.n;
  int type = (int)factor->problem.k->type;
  hyla_layout like_b = draw_layout(cube->dims), like_x = draw_layout(cube->dims);
  bool same = harness_draw(0, 2) == 0, near = harness_draw(0, 2) == 0;
  hyla_matrix *b = lu_matrix(cube, type, n, nrhs, near ? &factor->problem.x_layout : &like_b);
  hyla_matrix *x = lu_matrix(cube, type, n, nrhs, &like_x);
  double _Complex *known = draw_sides(n, nrhs), *rhs = product(a, n, op, known, nrhs);
  harness_note("%s, n = %lld, nrhs = %lld, type %d, %s", NAMES[op], (long long)n, (long long)nrhs,
               type, lu_layout_name(&factor->problem.layout));
  lu_put(b, rhs);
  lu_assert_status(cube, hyla_factor_solve(cube, factor, op, b, same ? b : x), HYLA_OK);
  assert_entries(same ? b : x, known);
  if (!same) assert_entries(b, rhs);
  free(rhs);
  free(known);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
}

static void solve_in_any_order(hyla_factor *factor, const double _Complex *a) {
  int64_t most = factor->problem.nrhs;
  for (int i = 0; i < 4; i++)
    solve_once(factor, a, (hyla_operation)harness_draw(0, OPS - 1), harness_draw(0, most));
}

static void assert_lower(hyla_factor *factor, const struct lu_case *s) {
  hyla_cube *cube = factor->problem.cube;
  hyla_layout layout = draw_layout(cube->dims);
  hyla_matrix *l = lu_matrix(cube, (int)factor->problem.k->type, s->n, s->n, &layout);
  lu_assert_status(cube, hyla_factor_lower(cube, factor, l), HYLA_OK);
  assert_entries(l, s->l);
  hyla_matrix_destroy(&l);
}

/* Two matrices, one after the other, in one factorization. */
static void lu_solves_with_every_op(hyla_cube *cube, int type, int64_t n, int64_t block,
                                    int64_t nrhs) {
  hyla_layout layout = lu_draw_layout(cube, block);
  hyla_factor *factor = NULL;
  int64_t before = cube->base.bytes_now;
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, nrhs, &layout, NULL, &factor),
      HYLA_OK);
  for (int i = 0; i < 2; i++) {
    struct lu_case s = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
    hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
    lu_put(a, s.a);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    hyla_matrix_destroy(&a);
    solve_in_any_order(factor, s.a);
    assert_lower(factor, &s);
    lu_case_free(&s);
  }
  hyla_factor_destroy(&factor);
  assert_int_equal(cube->base.bytes_now, before);
}

static void every_op_has_the_known_solution(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = lu_cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[SIZE_COUNT] = {0, 1, p - 1, p, p + 1, 13, 37, 67};
    for (int i = 0; i < SIZE_COUNT; i++)
      lu_solves_with_every_op(cube, i % TYPES, sizes[i], BLOCKS[harness_draw(0, BLOCK_COUNT - 1)],
                              i % 2 != private_memory ? SIDES_MOST : harness_draw(0, 4));
    cube_close(&cube);
  }
}

/* ------------------------------------------------------------- Hermitian -- */

/* L L^H of small integers; the diagonal of L is 1 or 2. */
static double _Complex *draw_hermitian(int64_t n, bool complex_type) {
  double _Complex *l = calloc((size_t)(n * n + 1), sizeof *l), *a = calloc((size_t)(n * n + 1), 16);
  assert_true(l != NULL && a != NULL);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++)
      l[i + j * n] = i == j ? (double)harness_draw(1, 2)
                            : hy_complex((double)harness_draw(-1, 1),
                                         complex_type ? (double)harness_draw(-1, 1) : 0);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t k = 0; k <= hy_min(i, j); k++) a[i + j * n] += l[i + k * n] * conj(l[j + k * n]);
  free(l);
  return a;
}

static void cholesky_solves_with_every_op(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  for (int i = 0; i < 2 * TYPES; i++) {
    int type = i % TYPES;
    int64_t n = harness_draw(0, 40), nrhs = i < TYPES ? 3 : SIDES_MOST;
    hyla_layout layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
    double _Complex *entries = draw_hermitian(n, type >= HYLA_COMPLEX);
    hyla_matrix *a = lu_matrix(cube, type, n, n, NULL);
    hyla_factor *factor = NULL;
    lu_put(a, entries);
    lu_assert_status(
        cube,
        hyla_factor_create(cube, HYLA_CHOLESKY, (hyla_type)type, n, nrhs, &layout, NULL, &factor),
        HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    solve_in_any_order(factor, entries);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&a);
    free(entries);
  }
  cube_close(&cube);
}

/* -------------------------------------------------------------- contract -- */

static hyla_factor *identity(hyla_cube *cube, int64_t n, int64_t nrhs) {
  hyla_layout layout = lu_draw_layout(cube, 3);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_factor *factor = NULL;
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_IDENTITY, 0), HYLA_OK);
  lu_assert_status(cube,
                   hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, nrhs, &layout, NULL, &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  hyla_matrix_destroy(&a);
  return factor;
}

/* The n-th allocation fails on one rank, for every n: all ranks learn of it, and the next solution
 * is right. */
static void memory_runs_out(void **state) {
  (void)state;
  const int64_t n = 23;
  hyla_cube *cube = lu_cube_open(false);
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1), failed = 0;
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, n, 5, NULL);
  for (int nth = 1; nth <= 45; nth += 2) {
    hyla_factor *factor = identity(cube, n, nth % 4 == 1 ? 5 : SIDES_MOST);
    harness_note("allocation %d on rank %d", nth, victim);
    assert_int_equal(hyla_matrix_generate(cube, x, HYLA_ONES, 0), HYLA_OK);
    if (harness_rank() == victim) base->fail_at = base->allocations + nth;
    hyla_status status = hyla_factor_solve(cube, factor, HYLA_TRANSPOSE, x, x);
    base->fail_at = 0;
    lu_assert_status(cube, status, status == HYLA_OK ? HYLA_OK : HYLA_MEMORY);
    failed += status == HYLA_MEMORY;
    assert_int_equal(hyla_matrix_generate(cube, x, HYLA_ONES, 0), HYLA_OK);
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_TRANSPOSE, x, x), HYLA_OK);
    for (int64_t c = 0; c < x->local_cols; c++)
      for (int64_t r = 0; r < x->local_rows; r++) assert_true(x->k->get(hy_at(x, r, c), 0) == 1);
    hyla_factor_destroy(&factor);
  }
  assert_true(failed > 3);
  hyla_matrix_destroy(&x);
  cube_close(&cube);
}

static void a_bad_op_is_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  hyla_factor *factor = identity(cube, 5, 1);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, 5, 1, NULL);
  int ranks = harness_ranks();
  for (int where = -1; where < ranks; where++) {
    bool here = where < 0 || where == harness_rank();
    hyla_operation op = here ? (hyla_operation)3 : HYLA_TRANSPOSE;
    assert_int_equal(hyla_factor_solve(cube, factor, op, x, x), HYLA_ARGUMENT);
    assert_non_null(strstr(hyla_cube_message(cube), "hyla_factor_solve: op is 3"));
  }
  hyla_operation op = harness_rank() == ranks - 1 ? HYLA_NONE : HYLA_TRANSPOSE;
  if (ranks > 1) assert_int_equal(hyla_factor_solve(cube, factor, op, x, x), HYLA_MISMATCH);
  hyla_matrix_destroy(&x);
  hyla_factor_destroy(&factor);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_op_has_the_known_solution),
      cmocka_unit_test(cholesky_solves_with_every_op),
      cmocka_unit_test(memory_runs_out),
      cmocka_unit_test(a_bad_op_is_refused_everywhere),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
