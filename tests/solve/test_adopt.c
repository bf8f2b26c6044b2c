/* hyla_solve_in_place and hyla_factor_adopt: a matrix that is given away is not copied, and answers
 * are those of the calls that copy. */
// ranks: 1 2 3 4 8
// sample: 1 3
// limit: 120
#include "lu_case.h"
#include "methods.h"

/* Are both the same on this rank, bit for bit? */
static void assert_same(const hyla_matrix *x, const hyla_matrix *y) {
  for (int64_t m = 0; m < x->local_cols; m++)
    if (x->local_rows > 0)
      assert_memory_equal(hy_at(x, 0, m), hy_at(y, 0, m), (size_t)x->local_rows * x->k->size);
}

/* like: a matrix that lies as another one.  copy: with its entries. */
static hyla_matrix *like(const hyla_matrix *x) {
  return lu_matrix(x->cube, x->k->type, x->row.n, x->col.n, &x->layout);
}

static hyla_matrix *copy_of(const hyla_matrix *x) {
  hyla_matrix *copy = like(x);
  lu_assert_status(x->cube, hyla_matrix_copy(x->cube, x, copy), HYLA_OK);
  return copy;
}

static void randomize(hyla_matrix *x, uint64_t seed) {
  lu_assert_status(x->cube, hyla_matrix_generate(x->cube, x, HYLA_RANDOM, seed), HYLA_OK);
}

/* From now on the books' peak is that of the next call. */
static void forget_most(hyla_cube *cube) { cube->base.bytes_peak = cube->base.bytes_now; }

/* ------------------------------------------------------------- one call -- */

/* Matrices in any layouts; x is first set to b. */
static void solve_both_ways(hyla_cube *cube, int type, int64_t n, int64_t nrhs) {
  struct lu_place a = lu_place_draw(cube, type, n, n), b = lu_place_draw(cube, type, n, nrhs);
  struct lu_place x = lu_place_draw(cube, type, n, nrhs);
  bool same = harness_draw(0, 1) == 0;
  harness_note("n = %lld, nrhs = %lld, type %d", (long long)n, (long long)nrhs, type);
  randomize(a.m, 1);
  randomize(b.m, 2);
  hyla_matrix *expected = like(x.m), *found = like(x.m), *kept = copy_of(b.m);
  lu_assert_status(cube, hyla_solve(cube, a.m, b.m, expected, NULL), HYLA_OK);
  int64_t before = cube->base.bytes_now, pivot = -1;
  hyla_matrix *to = same ? b.m : x.m;
  lu_assert_status(cube, hyla_solve_in_place(cube, a.m, b.m, to, &pivot), HYLA_OK);
  assert_int_equal(pivot, 0);
  assert_int_equal(cube->base.bytes_now, before);
  lu_assert_status(cube, hyla_matrix_copy(cube, to, found), HYLA_OK);
  assert_same(expected, found);
  if (!same) {
    hyla_matrix *b_now = copy_of(b.m);
    assert_same(kept, b_now);
    hyla_matrix_destroy(&b_now);
  }
  hyla_matrix_destroy(&kept);
  hyla_matrix_destroy(&found);
  hyla_matrix_destroy(&expected);
  lu_place_free(&x);
  lu_place_free(&b);
  lu_place_free(&a);
}

static void answers_are_those_of_the_call_that_copies(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 131};
    for (int i = 0; i < 20; i++)
      solve_both_ways(cube, i % TYPES, sizes[i % 10], harness_draw(0, 3));
    cube_close(&cube);
  }
}

/* If A lies as its factors, a call saves the memory of A's part, by the books.  Sizes are such that
 * the peak is reached when everything is there, not while variants are priced. */
static void what_is_given_away_is_not_copied(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const int64_t sizes[] = {190, 223, 256};
  for (int i = 0; i < 3 * TYPES; i++) {
    int64_t n = sizes[i / TYPES];
    hyla_layout layout = hy_factor_layout(cube, n, n);
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, &layout);
    hyla_matrix *b = lu_matrix(cube, i % TYPES, n, 1, NULL), *x = like(b);
    randomize(a, 1);
    randomize(b, 2);
    forget_most(cube);
    lu_assert_status(cube, hyla_solve(cube, a, b, x, NULL), HYLA_OK);
    int64_t copying = cube->base.bytes_peak;
    hyla_matrix *kept = copy_of(a);
    hyla_matrix_destroy(&kept);
    forget_most(cube);
    lu_assert_status(cube, hyla_solve_in_place(cube, a, b, x, NULL), HYLA_OK);
    int64_t part = a->local_rows > 0 ? a->ld * a->local_cols * (int64_t)a->k->size : 0;
    harness_note("n = %lld, type %d", (long long)n, i % TYPES);
    assert_true(copying - cube->base.bytes_peak >= part);
    assert_true(copying - cube->base.bytes_peak < part + 1024); /* a window takes some memory too */
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* --------------------------------------------------------------- factors -- */

/* Cholesky reads only one triangle; that of a dominant matrix belongs to a definite one. */
static void factor_both_ways(hyla_cube *cube, hyla_method method, int type, int64_t n) {
  struct lu_place a = lu_place_draw(cube, type, n, n);
  lu_assert_status(
      cube, hyla_matrix_generate(cube, a.m, HYLA_DOMINANT, (uint64_t)harness_draw(1, 99)), HYLA_OK);
  hyla_matrix *b = lu_matrix(cube, type, n, 2, NULL), *expected = like(b), *found = like(b);
  randomize(b, 2);
  hyla_factor *copying = NULL, *adopting = NULL;
  const hyla_layout *layout = hy_factor_layout_of(a.m);
  int64_t before = cube->base.bytes_now;
  harness_note("n = %lld, type %d, method %d", (long long)n, type, (int)method);
  lu_assert_status(cube,
                   hyla_factor_create(cube, method, (hyla_type)type, n, 2, layout, NULL, &copying),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, copying, a.m), HYLA_OK);
  lu_assert_status(cube, hyla_factor_solve(cube, copying, HYLA_NONE, b, expected), HYLA_OK);
  hyla_factor_destroy(&copying);
  lu_assert_status(cube, hyla_factor_adopt(cube, method, 2, NULL, &a.m, &adopting), HYLA_OK);
  assert_null(a.m);
  for (int again = 0; again < 2; again++) {
    lu_assert_status(cube, hyla_factor_solve(cube, adopting, HYLA_NONE, b, found), HYLA_OK);
    assert_same(expected, found);
    /* A matrix of the caller's is copied into the adopted memory. */
    hyla_matrix *other = lu_matrix(cube, type, n, n, NULL);
    lu_assert_status(cube, hyla_matrix_generate(cube, other, HYLA_IDENTITY, 0), HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, adopting, other), HYLA_OK);
    hyla_matrix_destroy(&other);
    hyla_matrix_destroy(&expected);
    expected = copy_of(b);
  }
  hyla_factor_destroy(&adopting);
  assert_true(cube->base.bytes_now <= before);
  hyla_matrix_destroy(&found);
  hyla_matrix_destroy(&expected);
  hyla_matrix_destroy(&b);
  lu_place_free(&a);
}

static void factors_are_those_of_the_calls_that_copy(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const int64_t sizes[] = {0, 1, 2, 13, 37, 64, 131};
  for (int i = 0; i < 28; i++)
    factor_both_ways(cube, i % 2 == 0 ? HYLA_LU : HYLA_CHOLESKY, i / 2 % TYPES, sizes[i % 7]);
  cube_close(&cube);
}

/* The factorization reports where it failed, and owns the matrix nevertheless. */
static void what_fails_is_told_by_the_factorization(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int method = 0; hyla_method_at(method); method++)
    for (int64_t n = 1; n < 80; n += 13) {
      hyla_factor *factor = NULL;
      hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
      int64_t before = cube->base.bytes_now;
      lu_assert_status(cube, hyla_factor_adopt(cube, (hyla_method)method, 1, NULL, &a, &factor),
                       method_row((hyla_method)method)->stops);
      assert_null(a);
      assert_non_null(factor);
      assert_int_equal(hyla_factor_pivot(factor), 1);
      assert_int_equal(hyla_factor_solve(cube, factor, HYLA_NONE, NULL, NULL), HYLA_ARGUMENT);
      hyla_factor_destroy(&factor);
      assert_true(cube->base.bytes_now < before);
    }
  cube_close(&cube);
}

/* ------------------------------------------------------------ refusals -- */

static void what_cannot_be_given_away_is_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t n = 2 * cube->nodes; /* so every rank of a 1 x P array has some columns */
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL), *part = NULL, *none = NULL;
  hyla_matrix *wide = lu_matrix(cube, HYLA_DOUBLE, n, n + 1, NULL);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, n, 1, NULL);
  hyla_factor *factor = NULL;
  assert_int_equal(hyla_matrix_view(a, 0, 0, n, 1, &part), HYLA_OK);
  randomize(a, 1);
  lu_assert_refused(cube, hyla_solve_in_place(cube, a, part, x, NULL), "shares entries");
  lu_assert_refused(cube, hyla_solve_in_place(cube, a, x, part, NULL), "shares entries");
  lu_assert_refused(cube, hyla_solve_in_place(cube, wide, x, x, NULL), "hyla_solve_in_place");
  lu_assert_refused(cube, hyla_solve_in_place(cube, NULL, x, x, NULL), "a is NULL");
  lu_assert_refused(cube, hyla_factor_adopt(cube, HYLA_LU, 1, NULL, &wide, &factor),
                    "square systems");
  lu_assert_refused(cube, hyla_factor_adopt(cube, HYLA_LU, 1, NULL, &none, &factor), "a is NULL");
  lu_assert_refused(cube, hyla_factor_adopt(cube, HYLA_LU, 1, NULL, NULL, &factor),
                    "place of matrix a");
  lu_assert_refused(cube, hyla_factor_adopt(cube, HYLA_LU, 1, NULL, &a, NULL), "factor is NULL");
  lu_assert_refused(cube, hyla_factor_adopt(cube, HYLA_LU, -1, NULL, &a, &factor), "nrhs -1");
  lu_assert_refused(cube, hyla_factor_adopt(cube, (hyla_method)99, 1, NULL, &a, &factor),
                    "no method");
  lu_assert_refused(cube, hyla_factor_adopt(cube, HYLA_LU, 1, "qr", &a, &factor), "qr");
  assert_int_equal(hyla_factor_adopt(NULL, HYLA_LU, 1, NULL, &a, &factor), HYLA_ARGUMENT);
  assert_int_equal(hyla_solve_in_place(NULL, a, x, x, NULL), HYLA_ARGUMENT);
  assert_true(a != NULL && wide != NULL && factor == NULL);
  lu_assert_status(cube, hyla_solve_in_place(cube, a, x, x, NULL), HYLA_OK);
  hyla_matrix_destroy(&part);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&wide);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

/* Allocation 1, 2, ... fails on one rank.  Then either the caller still has the matrix, with its
 * entries, or the factorization has it. */
static void a_matrix_is_the_callers_or_the_factorizations(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(true);
  const hyla_layout foreign = cube_layout(cube, "gray/consecutive");
  int64_t before = cube->base.bytes_now;
  for (int lies = 0; lies < 2; lies++) {
    int failed = 0, where = (int)harness_draw(0, harness_ranks() - 1);
    hyla_status status = HYLA_MEMORY;
    for (int64_t nth = 1; status != HYLA_OK; nth++) {
      hyla_layout good = hy_factor_layout(cube, 40, 40);
      hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 40, 40, lies == 0 ? &good : &foreign);
      hyla_factor *factor = NULL;
      randomize(a, 3);
      hyla_matrix *kept = copy_of(a);
      harness_note("allocation %lld on rank %d", (long long)nth, where);
      if (where == harness_rank()) cube->base.fail_at = cube->base.allocations + nth;
      status = hyla_factor_adopt(cube, HYLA_LU, 1, NULL, &a, &factor);
      cube->base.fail_at = 0;
      lu_assert_status(cube, status, status == HYLA_OK ? HYLA_OK : HYLA_MEMORY);
      assert_true((a == NULL) == (factor != NULL));
      if (a != NULL) assert_same(a, kept);
      failed += status != HYLA_OK;
      assert_in_range(nth, 1, 1000);
      hyla_factor_destroy(&factor);
      hyla_matrix_destroy(&kept);
      hyla_matrix_destroy(&a);
      assert_int_equal(cube->base.bytes_now, before);
    }
    assert_true(failed > 0);
  }
  cube_close(&cube);
}

/* ------------------------------------------------------------- the factors' memory -- */

enum { ORDER = 8, CALLS = 8 };

/* Calls that write x, or, the first one, the factors; b is elsewhere. */
static hyla_status call_with(hyla_cube *cube, int call, hyla_factor *factor, const hyla_matrix *b,
                             hyla_matrix *x) {
  hyla_solve_report report;
  switch (call) {
  case 0: return hyla_factor_compute(cube, factor, x);
  case 1: return hyla_factor_solve(cube, factor, HYLA_NONE, b, x);
  case 2: return hyla_factor_solve(cube, factor, HYLA_TRANSPOSE, x, x);
  case 3: return hyla_factor_lower(cube, factor, x);
  case 4: return hyla_factor_upper(cube, factor, x);
  case 5: return hyla_factor_packed(cube, factor, HYLA_LOWER, x);
  case 6: return hyla_factor_inverse(cube, factor, x);
  default: return hyla_factor_check(cube, factor, b, b, HYLA_REFINE_FIXED, x, &report);
  }
}

static hyla_matrix *wrap_dominant(hyla_cube *cube, const hyla_layout *layout, double *local,
                                  int64_t ld) {
  hyla_matrix *matrix = NULL;
  lu_assert_status(
      cube, hyla_matrix_wrap(cube, HYLA_DOUBLE, ORDER, ORDER, layout, local, ld, &matrix), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_generate(cube, matrix, HYLA_DOMINANT, 1), HYLA_OK);
  return matrix;
}

/* x begins with the last entry of the factors, on the ranks that have any; or lies between their
 * columns. */
static void try_beside_factors(hyla_cube *cube, int call, bool shared) {
  static double memory[4 * ORDER * ORDER], spare[2 * ORDER * ORDER];
  int64_t rows = 0, cols = 0;
  hyla_factor *factor = NULL;
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, ORDER, ORDER, NULL, NULL, &factor),
      HYLA_OK);
  const hyla_layout layout = *hyla_factor_layout(factor);
  hyla_factor_destroy(&factor);
  hyla_layout_local(cube, &layout, ORDER, ORDER, &rows, &cols);
  const int64_t ld = hy_max(1, 2 * rows), last = hy_max(0, (cols - 1) * ld + rows - 1);
  hyla_matrix *b = wrap_dominant(cube, &layout, spare, ld);
  hyla_matrix *x = wrap_dominant(cube, &layout, memory + (shared ? last : rows), ld);
  hyla_matrix *a = wrap_dominant(cube, &layout, memory, ld);
  lu_assert_status(cube, hyla_factor_adopt(cube, HYLA_LU, ORDER, NULL, &a, &factor), HYLA_OK);
  if (rows * cols > 0) assert_ptr_equal(factor->factors.a->local, memory);
  harness_note("call %d, %s", call, shared ? "shared" : "apart");
  hyla_status status = call_with(cube, call, factor, b, x);
  if (shared)
    lu_assert_refused(cube, status, "shares entries with the factors");
  else if (status != HYLA_UNRELIABLE)
    lu_assert_status(cube, status, HYLA_OK);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
}

static void what_is_written_is_apart_from_the_factors(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int call = 0; call < CALLS; call++)
    for (int shared = 0; shared < 2; shared++) try_beside_factors(cube, call, shared == 1);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_those_of_the_call_that_copies),
      cmocka_unit_test(what_is_given_away_is_not_copied),
      cmocka_unit_test(factors_are_those_of_the_calls_that_copy),
      cmocka_unit_test(what_fails_is_told_by_the_factorization),
      cmocka_unit_test(what_cannot_be_given_away_is_refused),
      cmocka_unit_test(a_matrix_is_the_callers_or_the_factorizations),
      cmocka_unit_test(what_is_written_is_apart_from_the_factors),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
