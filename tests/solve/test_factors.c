/* L, U and P for the caller: known exactly, or P A = L U up to rounding, in any layout; their
 * structure to the bit; the contract. */
// ranks: 1 3 4 5 8
// sample: 1 4 5
// limit: 120
#include "lu_case.h"
#include "tests/harness/draw.h"

#include <stdlib.h>

static const int64_t BLOCKS[] = {1, 3, 8, 64};
enum { BLOCK_COUNT = 4, SIZE_COUNT = 8 };

static hyla_factor *factor_of(hyla_cube *cube, int type, int64_t n, const hyla_layout *layout) {
  hyla_factor *factor = NULL;
  hyla_status status =
      hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, 3, layout, NULL, &factor);
  lu_assert_status(cube, status, HYLA_OK);
  return factor;
}

static double _Complex mark(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return 77;
}

/* n x n within a larger matrix of 77s, in a layout of its own. */
struct answer {
  hyla_matrix *owner, *view;
  int64_t row, col;
};

static struct answer answer_make(hyla_cube *cube, int type, int64_t n) {
  struct answer answer = {.row = harness_draw(0, 3), .col = harness_draw(0, 3)};
  hyla_layout layout = draw_on(cube);
  answer.owner = lu_matrix(cube, type, n + answer.row + 1, n + answer.col + 2, &layout);
  assert_int_equal(hyla_matrix_fill(cube, answer.owner, mark, NULL), HYLA_OK);
  assert_int_equal(hyla_matrix_view(answer.owner, answer.row, answer.col, n, n, &answer.view),
                   HYLA_OK);
  return answer;
}

static void answer_free(struct answer *answer) {
  hyla_matrix_destroy(&answer->view);
  hyla_matrix_destroy(&answer->owner);
}

/* Exact zeros on the other side of the diagonal, ones on L's; entries around the view do not
 * change. */
static void assert_structure(const struct answer *answer, bool lower) {
  const hyla_matrix *m = answer->owner;
  int64_t n = answer->view->row.n;
  const double _Complex zero = 0, one = 1;
  for (int64_t c = 0; c < m->local_cols; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r) - answer->row, j = hyla_matrix_col(m, c) - answer->col;
      bool inside = i >= 0 && i < n && j >= 0 && j < n;
      double _Complex found = m->k->get(hy_at(m, r, c), 0);
      if (!inside) assert_true(found == 77);
      if (inside && (lower ? i < j : i > j)) assert_memory_equal(&found, &zero, sizeof zero);
      if (inside && lower && i == j) assert_memory_equal(&found, &one, sizeof one);
    }
}

static void assert_known(const struct answer *answer, const double _Complex *expected) {
  const hyla_matrix *m = answer->view;
  for (int64_t c = 0; c < m->local_cols; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r), j = hyla_matrix_col(m, c);
      if (m->k->get(hy_at(m, r, c), 0) != expected[i + j * m->row.n])
        fail_msg("entry (%lld, %lld) is not the known one", (long long)i, (long long)j);
    }
}

/* rows are in the order that the swaps of a known system give them. */
static void assert_rows(const struct lu_case *x, const int64_t *rows) {
  int64_t expected[128];
  for (int64_t i = 0; i < x->n; i++) expected[i] = i;
  for (int64_t i = 0; i < x->n; i++) {
    int64_t held = expected[i];
    expected[i] = expected[x->swaps[i]];
    expected[x->swaps[i]] = held;
  }
  for (int64_t i = 0; i < x->n; i++) assert_int_equal(rows[i], expected[i]);
}

/* L below the diagonal, U on and above it; entries around the view do not change. */
static void check_packed(hyla_cube *cube, const hyla_factor *factor, int type,
                         const struct lu_case *x) {
  struct answer packed = answer_make(cube, type, x->n);
  double _Complex *expected = malloc((size_t)(x->n * x->n + 1) * sizeof *expected);
  assert_non_null(expected);
  for (int64_t j = 0; j < x->n; j++)
    for (int64_t i = 0; i < x->n; i++)
      expected[i + j * x->n] = i > j ? x->l[i + j * x->n] : x->u[i + j * x->n];
  hyla_triangle triangle = (hyla_triangle)harness_draw(HYLA_LOWER, HYLA_UPPER);
  lu_assert_status(cube, hyla_factor_packed(cube, factor, triangle, packed.view), HYLA_OK);
  assert_known(&packed, expected);
  const hyla_matrix *m = packed.owner;
  for (int64_t c = 0; c < m->local_cols; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r) - packed.row, j = hyla_matrix_col(m, c) - packed.col;
      if (i < 0 || i >= x->n || j < 0 || j >= x->n) assert_true(m->k->get(hy_at(m, r, c), 0) == 77);
    }
  free(expected);
  answer_free(&packed);
}

static void check_exact(hyla_cube *cube, int type, int64_t n, int64_t block) {
  hyla_layout layout = lu_draw_layout(cube, block);
  harness_note("n = %lld, type %d, %s", (long long)n, type, lu_layout_name(&layout));
  struct lu_case x = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
  hyla_matrix *a = lu_matrix(cube, type, n, n, NULL);
  hyla_factor *factor = factor_of(cube, type, n, &layout);
  struct answer l = answer_make(cube, type, n), u = answer_make(cube, type, n);
  int64_t rows[128];
  lu_put(a, x.a);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_lower(cube, factor, l.view), HYLA_OK);
  lu_assert_status(cube, hyla_factor_upper(cube, factor, u.view), HYLA_OK);
  lu_assert_status(cube, hyla_factor_permutation(cube, factor, rows), HYLA_OK);
  assert_structure(&l, true);
  assert_structure(&u, false);
  assert_known(&l, x.l);
  assert_known(&u, x.u);
  assert_rows(&x, rows);
  check_packed(cube, factor, type, &x);
  answer_free(&u);
  answer_free(&l);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  lu_case_free(&x);
}

static void known_factors_come_out(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = lu_cube_open(private_memory);
    int64_t before = cube->base.bytes_now, p = cube->nodes;
    const int64_t sizes[SIZE_COUNT] = {0, 1, p - 1, p, p + 1, 13, 37, 101};
    for (int i = 0; i < SIZE_COUNT * BLOCK_COUNT; i++)
      check_exact(cube, (int)harness_draw(0, TYPES - 1), sizes[i / BLOCK_COUNT],
                  BLOCKS[i % BLOCK_COUNT]);
    assert_int_equal(cube->base.bytes_now, before);
    cube_close(&cube);
  }
}

static double _Complex permutation_entry(void *arg, int64_t row, int64_t col) {
  return ((const int64_t *)arg)[row] == col;
}

/* |P A - L U| <= 4 (n + 1) eps times the largest column sum of |L| |U|; entries of L are at most
 * 1.5. */
static void check_product(hyla_cube *cube, int type, int64_t n) {
  hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 40));
  harness_note("n = %lld, type %d, %s", (long long)n, type, lu_layout_name(&layout));
  hyla_matrix *a = lu_matrix(cube, type, n, n, NULL), *p = lu_matrix(cube, type, n, n, NULL);
  hyla_matrix *product = lu_matrix(cube, type, n, n, NULL);
  hyla_factor *factor = factor_of(cube, type, n, &layout);
  struct answer l = answer_make(cube, type, n), u = answer_make(cube, type, n);
  int64_t rows[128];
  double error = -1, size = -1, largest = -1;
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)n), HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_permutation(cube, factor, rows), HYLA_OK);
  lu_assert_status(cube, hyla_factor_lower(cube, factor, l.view), HYLA_OK);
  lu_assert_status(cube, hyla_factor_upper(cube, factor, u.view), HYLA_OK);
  assert_structure(&l, true);
  assert_structure(&u, false);
  assert_int_equal(hyla_matrix_fill(cube, p, permutation_entry, rows), HYLA_OK);
  assert_int_equal(hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, p, a, 0, product), HYLA_OK);
  assert_int_equal(hyla_gemm(cube, HYLA_NONE, HYLA_NONE, -1, l.view, u.view, 1, product), HYLA_OK);
  assert_int_equal(hyla_matrix_norm(cube, product, HYLA_NORM_MAX, &error), HYLA_OK);
  assert_int_equal(hyla_matrix_norm(cube, u.view, HYLA_NORM_ONE, &size), HYLA_OK);
  assert_int_equal(hyla_matrix_norm(cube, l.view, HYLA_NORM_MAX, &largest), HYLA_OK);
  assert_true(largest >= 1 && largest <= 1.5);
  double bound = 4 * (double)(n + 1) * a->k->epsilon * 1.5 * size;
  if (!(error <= bound)) fail_msg("|PA - LU| is %g, more than %g", error, bound);
  answer_free(&u);
  answer_free(&l);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&product);
  hyla_matrix_destroy(&p);
  hyla_matrix_destroy(&a);
}

static void the_product_is_the_permuted_matrix(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  for (int i = 0; i < 3 * TYPES; i++) check_product(cube, i % TYPES, harness_draw(20, 110));
  cube_close(&cube);
}

/* Asking for the factors does not change the factorization. */
static void solving_goes_on_as_before(void **state) {
  (void)state;
  const int64_t n = 61;
  hyla_cube *cube = lu_cube_open(false);
  hyla_layout layout = lu_draw_layout(cube, 5);
  hyla_factor *factor = factor_of(cube, HYLA_DOUBLE, n, &layout);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_matrix *x[3], *l = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  for (int i = 0; i < 3; i++) x[i] = lu_matrix(cube, HYLA_DOUBLE, n, 3, NULL);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, x[2], HYLA_RANDOM, 2), HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  for (int i = 0; i < 2; i++) {
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, x[2], x[i]), HYLA_OK);
    lu_assert_status(cube, hyla_factor_lower(cube, factor, l), HYLA_OK);
    lu_assert_status(cube, hyla_factor_upper(cube, factor, l), HYLA_OK);
  }
  for (int64_t c = 0; c < x[0]->local_cols; c++)
    assert_memory_equal(hy_at(x[0], 0, c), hy_at(x[1], 0, c), (size_t)x[0]->local_rows * 8);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&x[i]);
  hyla_matrix_destroy(&l);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  cube_close(&cube);
}

static void assert_refused(hyla_cube *cube, hyla_factor *factor, hyla_matrix *m, int64_t *rows) {
  assert_int_equal(hyla_factor_lower(cube, factor, m), HYLA_ARGUMENT);
  assert_int_equal(hyla_factor_upper(cube, factor, m), HYLA_ARGUMENT);
  assert_int_equal(hyla_factor_permutation(cube, factor, rows), HYLA_ARGUMENT);
  assert_string_not_equal(hyla_cube_message(cube), "");
}

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  const int64_t n = 9;
  hyla_cube *cube = lu_cube_open(false);
  hyla_layout layout = lu_draw_layout(cube, 2);
  hyla_factor *factor = factor_of(cube, HYLA_DOUBLE, n, &layout);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_matrix *single = lu_matrix(cube, HYLA_FLOAT, n, n, NULL);
  hyla_matrix *other_size = lu_matrix(cube, HYLA_DOUBLE, n, n + 1, NULL);
  hyla_matrix *const targets[] = {NULL, single, other_size};
  int64_t rows[9];
  assert_refused(cube, factor, a, rows); /* not computed */
  assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_SINGULAR);
  assert_refused(cube, factor, a, rows);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_IDENTITY, 0), HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  int64_t before = cube->base.bytes_now;
  for (int where = -1; where < harness_ranks(); where++) {
    bool here = where < 0 || where == harness_rank();
    harness_note("on rank %d", where);
    for (int i = 0; i < 3; i++)
      assert_refused(cube, factor, here ? targets[i] : a, here ? NULL : rows);
    assert_refused(cube, here ? NULL : factor, a, rows);
  }
  bool last = harness_rank() == harness_ranks() - 1;
  hyla_matrix *view = NULL, *large = lu_matrix(cube, HYLA_DOUBLE, n + 1, n + 1, NULL);
  assert_int_equal(hyla_matrix_view(large, 1, 1, n, n, &view), HYLA_OK);
  if (harness_ranks() > 1)
    assert_int_equal(hyla_factor_lower(cube, factor, last ? view : a), HYLA_MISMATCH);
  hyla_matrix_destroy(&view);
  hyla_matrix_destroy(&large);
  assert_int_equal(hyla_factor_lower(NULL, factor, a), HYLA_ARGUMENT);
  assert_int_equal(hyla_factor_packed(NULL, factor, HYLA_LOWER, a), HYLA_ARGUMENT);
  assert_int_equal(hyla_factor_packed(cube, factor, HYLA_LOWER, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_factor_upper(NULL, factor, a), HYLA_ARGUMENT);
  assert_int_equal(hyla_factor_permutation(NULL, factor, rows), HYLA_ARGUMENT);
  assert_int_equal(cube->base.bytes_now, before);
  hyla_matrix_destroy(&other_size);
  hyla_matrix_destroy(&single);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  cube_close(&cube);
}

/* The n-th allocation fails on one rank, for every n: all ranks learn of it, unless other memory
 * replaces it. */
static void memory_runs_out(void **state) {
  (void)state;
  const int64_t n = 23;
  hyla_cube *cube = lu_cube_open(false);
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1);
  hyla_layout layout = lu_draw_layout(cube, 3);
  hyla_factor *factor = factor_of(cube, HYLA_DOUBLE, n, &layout);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 7), HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  for (int lower = 0; lower < 2; lower++) {
    struct answer answer = answer_make(cube, HYLA_DOUBLE, n);
    int64_t before = base->bytes_now, failed = 0;
    for (int nth = 1; nth <= 40; nth++) {
      harness_note("allocation %d on rank %d", nth, victim);
      if (harness_rank() == victim) base->fail_at = base->allocations + nth;
      hyla_status status = lower ? hyla_factor_lower(cube, factor, answer.view)
                                 : hyla_factor_upper(cube, factor, answer.view);
      base->fail_at = 0;
      assert_int_equal(base->bytes_now, before);
      lu_assert_status(cube, status, status == HYLA_OK ? HYLA_OK : HYLA_MEMORY);
      failed += status == HYLA_MEMORY;
    }
    assert_true(failed > 3);
    lu_assert_status(cube, hyla_factor_lower(cube, factor, answer.view), HYLA_OK);
    assert_structure(&answer, true);
    lu_assert_status(cube, hyla_factor_upper(cube, factor, answer.view), HYLA_OK);
    assert_structure(&answer, false);
    answer_free(&answer);
  }
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_factors_come_out),
      cmocka_unit_test(the_product_is_the_permuted_matrix),
      cmocka_unit_test(solving_goes_on_as_before),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
