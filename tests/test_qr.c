/* QR: R has A's columns' products, solutions with A, A^T and A^H have small residuals, on real
 * ranks and on virtual cubes; nothing overflows; what stops it; what it counts. */
// ranks: 1 2 3 4 5 8
// limit: 120
#include "draw.h"
#include "hyla_lab.h"
#include "lu_case.h"

enum { SIZE_COUNT = 10, BLOCK_COUNT = 4, SIDES_MOST = 70 };
static const int64_t BLOCKS[] = {1, 3, 20, 64};

/* ------------------------------------------------------------- one case -- */

struct program {
  int64_t n, nrhs;
  hyla_type type;
  hyla_layout layout, given; /* of the factors, of the matrix */
  uint64_t seed;
};

/* Its matrices, in the layout given; c is what sums are made in. */
struct matrices {
  hyla_matrix *a, *r, *c; /* n x n */
  hyla_matrix *b, *x;     /* n x nrhs */
};

static void free_matrices(struct matrices *m) {
  hyla_matrix_destroy(&m->x);
  hyla_matrix_destroy(&m->b);
  hyla_matrix_destroy(&m->c);
  hyla_matrix_destroy(&m->r);
  hyla_matrix_destroy(&m->a);
}

static hyla_status make_matrices(hyla_cube *cube, const struct program *p, struct matrices *m) {
  int64_t n = p->n;
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->given, &m->a));
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->given, &m->r));
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->given, &m->c));
  TRY(hyla_matrix_create(cube, p->type, n, p->nrhs, NULL, &m->b));
  TRY(hyla_matrix_create(cube, p->type, n, p->nrhs, NULL, &m->x));
  TRY(hyla_matrix_generate(cube, m->a, HYLA_RANDOM, p->seed));
  return hyla_matrix_generate(cube, m->b, HYLA_RANDOM, p->seed + 1);
}

/* Is the 1-norm at most `bound', which is not far from what rounding may do? */
static hyla_status check_norm(const hyla_matrix *m, double bound, const char *what) {
  hyla_cube *cube = m->cube;
  double norm = 0;
  TRY(hyla_matrix_norm(cube, m, HYLA_NORM_ONE, &norm));
  hyla_status mine = HYLA_OK;
  if (!(norm <= bound))
    mine = hy_fail(&cube->base, HYLA_FORMAT, "%s: %g, not at most %g", what, norm, bound);
  return hy_agree(cube, mine);
}

static double roundoff(const hyla_matrix *a) {
  return 8 * (double)hy_max(a->row.n, 4) * a->k->epsilon;
}

/* R^H R = A^H A, and zeros below R's diagonal. */
static hyla_status check_upper(const struct matrices *m, hyla_factor *factor) {
  hyla_cube *cube = m->a->cube;
  double one = 0, inf = 0;
  TRY(hyla_factor_upper(cube, factor, m->r));
  TRY(hyla_gemm(cube, HYLA_CONJUGATE, HYLA_NONE, 1, m->a, m->a, 0, m->c));
  TRY(hyla_gemm(cube, HYLA_CONJUGATE, HYLA_NONE, -1, m->r, m->r, 1, m->c));
  TRY(hyla_matrix_norm(cube, m->a, HYLA_NORM_ONE, &one));
  TRY(hyla_matrix_norm(cube, m->a, HYLA_NORM_INF, &inf));
  TRY(check_norm(m->c, roundoff(m->a) * one * inf, "A^H A - R^H R"));
  hyla_status mine = HYLA_OK;
  for (int64_t j = 0; j < m->r->local_cols; j++)
    for (int64_t i = 0; i < m->r->local_rows; i++)
      if (hyla_matrix_row(m->r, i) > hyla_matrix_col(m->r, j) &&
          m->r->k->get(hy_at(m->r, i, j), 0) != 0)
        mine = hy_fail(&cube->base, HYLA_FORMAT, "R has an entry below its diagonal");
  return hy_agree(cube, mine);
}

/* b - op(A) x. */
static hyla_status check_solution(const struct matrices *m, hyla_factor *factor,
                                  hyla_operation op) {
  hyla_cube *cube = m->a->cube;
  hyla_matrix *residual = NULL;
  double a = 0, x = 0, b = 0;
  TRY(hyla_factor_solve(cube, factor, op, m->b, m->x));
  TRY(hyla_matrix_norm(cube, m->a, op == HYLA_NONE ? HYLA_NORM_ONE : HYLA_NORM_INF, &a));
  TRY(hyla_matrix_norm(cube, m->x, HYLA_NORM_ONE, &x));
  TRY(hyla_matrix_norm(cube, m->b, HYLA_NORM_ONE, &b));
  TRY(hyla_matrix_create(cube, m->b->k->type, m->b->row.n, m->b->col.n, NULL, &residual));
  const hyla_transfer copy = {HYLA_NONE, 1, m->b, residual};
  hyla_status status = hyla_redistribute(cube, 1, &copy);
  if (status == HYLA_OK) status = hyla_gemm(cube, op, HYLA_NONE, -1, m->a, m->x, 1, residual);
  if (status == HYLA_OK) status = check_norm(residual, roundoff(m->a) * (a * x + b), "b - op(A) x");
  hyla_matrix_destroy(&residual);
  return status;
}

/* There are no others. */
static hyla_status check_parts(const struct matrices *m, hyla_factor *factor) {
  hyla_cube *cube = m->a->cube;
  int64_t rows[256];
  hyla_status status = hyla_factor_lower(cube, factor, m->r), mine = HYLA_OK;
  if (status != HYLA_UNSUPPORTED || strstr(hyla_cube_message(cube), "take lu") == NULL)
    mine = hy_fail(&cube->base, HYLA_FORMAT, "a lower triangle was given");
  TRY(hy_agree(cube, mine));
  TRY(hyla_factor_permutation(cube, factor, rows));
  for (int64_t i = 0; i < m->a->row.n && mine == HYLA_OK; i++)
    if (rows[i] != i) mine = hy_fail(&cube->base, HYLA_FORMAT, "row %lld moved", (long long)i);
  return hy_agree(cube, mine);
}

/* Counted is what was predicted of a factorization and a solution, exactly. */
static hyla_status check_counts(hyla_cube *cube, const hyla_factor *factor) {
  const hyla_cost cost = hy_plan_mine(factor->plan);
  hyla_cost found;
  hyla_status mine = lu_counted(cube, factor->problem.k->size, &found);
  if (mine == HYLA_OK &&
      (found.steps != cost.steps || found.messages != cost.messages || found.words != cost.words))
    mine = hy_fail(&cube->base, HYLA_FORMAT,
                   "%lld steps, %lld messages, %lld words; predicted %lld, %lld, %lld",
                   (long long)found.steps, (long long)found.messages, (long long)found.words,
                   (long long)cost.steps, (long long)cost.messages, (long long)cost.words);
  return hy_agree(cube, mine);
}

static hyla_status factor_and_solve(hyla_cube *cube, const struct program *p, struct matrices *m) {
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *b = NULL;
  TRY(hyla_factor_create(cube, HYLA_QR, p->type, p->n, p->nrhs, &p->layout, NULL, &factor));
  /* As they are expected, so that no other redistributions are counted. */
  hyla_status status = hyla_matrix_create(cube, p->type, p->n, p->n, &p->layout, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, p->n, p->nrhs, &p->layout, &b);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, p->seed);
  if (status == HYLA_OK) status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, a);
  if (status == HYLA_OK && p->nrhs > 0) status = hyla_factor_solve(cube, factor, HYLA_NONE, b, b);
  if (status == HYLA_OK) status = check_counts(cube, factor);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, m->a);
  if (status == HYLA_OK) status = check_upper(m, factor);
  if (status == HYLA_OK) status = check_parts(m, factor);
  for (int op = HYLA_NONE; op <= HYLA_CONJUGATE && status == HYLA_OK; op++)
    status = check_solution(m, factor, (hyla_operation)op);
  if (status == HYLA_OK) status = check_solution(m, factor, HYLA_NONE); /* after the others */
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  struct matrices m = {0};
  hyla_status status = make_matrices(cube, p, &m);
  if (status == HYLA_OK) status = factor_and_solve(cube, p, &m);
  free_matrices(&m);
  return status;
}

/* ------------------------------------------------------------ real ranks -- */

static void factors_and_solutions_are_good(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[SIZE_COUNT] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 101};
    for (int i = private_memory; i < SIZE_COUNT * BLOCK_COUNT; i += 2) {
      struct program x = {.n = sizes[i / BLOCK_COUNT],
                          .type = (hyla_type)(i % TYPES),
                          .nrhs = i % 3 > 0 ? harness_draw(0, 5) : SIDES_MOST,
                          .layout = lu_draw_layout(cube, BLOCKS[i % BLOCK_COUNT]),
                          .seed = (uint64_t)i + 1};
      x.given = harness_draw(0, 2) > 0 ? x.layout : draw_layout(cube->dims);
      harness_note("n = %lld, nrhs %lld, type %d, %s", (long long)x.n, (long long)x.nrhs,
                   (int)x.type, lu_layout_name(&x.layout));
      lu_assert_status(cube, run(cube, &x), HYLA_OK);
    }
    cube_close(&cube);
  }
}

static hyla_factor *factor_of(hyla_cube *cube, hyla_matrix *a, hyla_status expected) {
  hyla_factor *factor = NULL;
  hyla_layout layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  harness_note("n = %lld, type %d, %s", (long long)a->row.n, (int)a->k->type,
               lu_layout_name(&layout));
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_QR, a->k->type, a->row.n, 1, &layout, NULL, &factor),
      HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), expected);
  return factor;
}

/* A power of two times A and b: the same solution, bit for bit, though squares of the entries leave
 * the range of the type. */
static void powers_of_two_change_nothing(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES; i++) {
    bool single = i % TYPES == HYLA_FLOAT || i % TYPES == HYLA_COMPLEX;
    int power = (single ? 80 : 700) * (i / TYPES % 2 == 0 ? 1 : -1);
    int64_t n = harness_draw(1, 70);
    hyla_layout layout = lu_draw_layout(cube, 7);
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, &layout);
    hyla_matrix *x = lu_matrix(cube, i % TYPES, n, 1, &layout);
    double _Complex *found[2];
    for (int scaled = 0; scaled < 2; scaled++) {
      hyla_factor *factor = NULL;
      assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)i), HYLA_OK);
      assert_int_equal(hyla_matrix_generate(cube, x, HYLA_RANDOM, 99), HYLA_OK);
      double _Complex *entries = lu_get_all(a), *sides = lu_get_all(x);
      for (int64_t e = 0; e < n * n && scaled; e++) entries[e] *= ldexp(1, power);
      for (int64_t e = 0; e < n && scaled; e++) sides[e] *= ldexp(1, power);
      lu_put(a, entries);
      lu_put(x, sides);
      free(entries);
      free(sides);
      lu_assert_status(cube,
                       hyla_factor_create(cube, HYLA_QR, a->k->type, n, 1, &layout, NULL, &factor),
                       HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, x, x), HYLA_OK);
      found[scaled] = lu_get_all(x);
      hyla_factor_destroy(&factor);
    }
    assert_memory_equal(found[0], found[1], (size_t)n * sizeof *found[0]);
    free(found[0]);
    free(found[1]);
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* A column of zeros, a NaN, an infinity: by its column, alike on all ranks. */
static void what_stops_it_is_named(void **state) {
  (void)state;
  static const double bad[] = {0, NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 12 * TYPES; i++) {
    int kind = i / TYPES % 4;
    int64_t n = harness_draw(1, 70), column = i % 3 == 0 ? n - 1 : harness_draw(0, n - 1);
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, NULL);
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)i), HYLA_OK);
    int64_t first = kind == 0 ? 0 : harness_draw(0, n - 1), last = kind == 0 ? n - 1 : first;
    for (int64_t row = first; row <= last; row++)
      assert_int_equal(hyla_matrix_set(cube, a, row, column, bad[kind]), HYLA_OK);
    hyla_factor *factor = factor_of(cube, a, kind == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE);
    assert_int_equal(hyla_factor_pivot(factor), column + 1);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* Of a permutation, and of one times i, exactly but for rounding; as by LU of a random matrix. */
static void determinants_are_those_of_lu(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES; i++) {
    int64_t n = harness_draw(1, 40);
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, NULL);
    double size[2], sign[2][2];
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)i), HYLA_OK);
    for (int method = 0; method < 2; method++) {
      hyla_factor *factor = NULL;
      lu_assert_status(cube,
                       hyla_factor_create(cube, method == 0 ? HYLA_LU : HYLA_QR, a->k->type, n, 1,
                                          NULL, NULL, &factor),
                       HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_determinant(cube, factor, &size[method], sign[method]),
                       HYLA_OK);
      hyla_factor_destroy(&factor);
    }
    double bound = 1e4 * a->k->epsilon * (double)n;
    assert_true(fabs(size[0] - size[1]) <= bound * fmax(1, fabs(size[0])));
    assert_true(fabs(sign[0][0] - sign[1][0]) <= bound && fabs(sign[0][1] - sign[1][1]) <= bound);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

static void good_and_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = dims < 6 ? 0 : 3; rows <= dims; rows += dims < 6 ? 1 : 4) {
      struct program x = {.n = harness_draw(0, dims < 5 ? 75 : 25),
                          .type = (hyla_type)((dims + rows) % TYPES),
                          .nrhs = rows % 2 == 0 || dims > 3 ? harness_draw(0, 5) : 66,
                          .seed = 7};
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
      hyla_report report;
      x.layout = x.given = lu_array_layout(dims, rows, harness_draw(1, 20));
      hyla_status status = hyla_simulate(&model, run, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [dims %d, rows %d, n %lld, nrhs %lld, type %d, block %lld]",
                 hyla_status_name(status), report.message, dims, rows, (long long)x.n,
                 (long long)x.nrhs, (int)x.type, (long long)x.layout.row.block);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_and_solutions_are_good),
      cmocka_unit_test(powers_of_two_change_nothing),
      cmocka_unit_test(what_stops_it_is_named),
      cmocka_unit_test(determinants_are_those_of_lu),
      cmocka_unit_test(good_and_counted_on_every_array),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
