/* The reciprocal condition number and the growth from a factorization: rcond is between the true
 * value, found from the inverse, and ten times that; the same on all ranks; the contract. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 120
#include "lu_case.h"
#include "tests/harness/draw.h"

/* Entries of matrices with conditions from 2 to 10^10. */
static double _Complex hilbert(void *arg, int64_t i, int64_t j) {
  (void)arg;
  return 1 / (double)(i + j + 1);
}
static double _Complex lehmer(void *arg, int64_t i, int64_t j) {
  (void)arg;
  return (double)(hy_min(i, j) + 1) / (double)(hy_max(i, j) + 1);
}
/* Kahan's triangle, whose diagonal alone says little. */
static double _Complex kahan(void *arg, int64_t i, int64_t j) {
  (void)arg;
  if (i > j) return 0;
  return pow(sin(1.2), (double)i) * (i == j ? 1 : -cos(1.2));
}
static double _Complex tridiagonal(void *arg, int64_t i, int64_t j) {
  (void)arg;
  return i == j ? 2 : i - j == 1 || j - i == 1 ? -1 : 0;
}
/* Rows of sizes from 1 down to 10^-3, dense, with all angles. */
static double _Complex graded(void *arg, int64_t i, int64_t j) {
  int64_t n = *(const int64_t *)arg;
  double size = pow(10, -3 * (double)i / (double)n);
  double turn = sin((double)(1 + 7 * i * i + 3 * j + 11 * i * j));
  return hy_complex(size * turn, size * cos((double)(5 * j * j + i)));
}
/* Minus ones below the diagonal, and a last column that doubles in each step: growth 2^(n-1). */
static double _Complex wilkinson(void *arg, int64_t i, int64_t j) {
  int64_t n = *(const int64_t *)arg;
  return i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
}

typedef double _Complex (*entry_function)(void *arg, int64_t i, int64_t j);
static const struct kind {
  const char *name;
  entry_function entry;
  int64_t most[2]; /* n, in single and in double precision */
  bool definite;
} KINDS[] = {
    {"Hilbert", hilbert, {4, 7}, true},  {"Lehmer", lehmer, {25, 40}, true},
    {"Kahan", kahan, {15, 30}, false},   {"second difference", tridiagonal, {25, 40}, true},
    {"graded", graded, {25, 40}, false}, {"Wilkinson", wilkinson, {15, 30}, false},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

struct given {
  hyla_cube *cube;
  const struct kind *kind;
  hyla_type type;
  int64_t n;
  double norm, largest;
  hyla_matrix *a;
};

static struct given draw_given(hyla_cube *cube, const struct kind *kind, int type, int64_t n) {
  struct given g = {.cube = cube, .kind = kind, .type = (hyla_type)type, .n = n};
  hyla_layout layout = draw_on(cube);
  g.a = lu_matrix(cube, type, n, n, &layout);
  lu_assert_status(cube, hyla_matrix_fill(cube, g.a, kind->entry, &g.n), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_norm(cube, g.a, HYLA_NORM_ONE, &g.norm), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_norm(cube, g.a, HYLA_NORM_MAX, &g.largest), HYLA_OK);
  harness_note("%s, n = %lld, type %d", kind->name, (long long)n, type);
  return g;
}

/* Computed from the inverse. */
static double true_rcond(const struct given *g, hyla_norm kind) {
  hyla_matrix *inverse = lu_matrix(g->cube, (int)g->type, g->n, g->n, NULL);
  double norm = 0, own = 0;
  assert_int_equal(hyla_matrix_generate(g->cube, inverse, HYLA_IDENTITY, 0), HYLA_OK);
  lu_assert_status(g->cube, hyla_solve(g->cube, g->a, inverse, inverse, NULL), HYLA_OK);
  lu_assert_status(g->cube, hyla_matrix_norm(g->cube, inverse, kind, &norm), HYLA_OK);
  lu_assert_status(g->cube, hyla_matrix_norm(g->cube, g->a, kind, &own), HYLA_OK);
  hyla_matrix_destroy(&inverse);
  return 1 / (own * norm);
}

static hyla_factor *factor_of(const struct given *g, hyla_method method, int64_t nrhs) {
  hyla_layout layout = lu_draw_layout(g->cube, harness_draw(1, 9));
  hyla_factor *factor = NULL;
  lu_assert_status(g->cube,
                   hyla_factor_create(g->cube, method, g->type, g->n, nrhs, &layout, NULL, &factor),
                   HYLA_OK);
  lu_assert_status(g->cube, hyla_factor_compute(g->cube, factor, g->a), HYLA_OK);
  return factor;
}

/* A number that must be the same on all ranks, to the bit. */
static void assert_common(hyla_cube *cube, double value) {
  int64_t bits[2];
  memcpy(bits, &value, sizeof value);
  bits[1] = -bits[0];
  int64_t mine = bits[0];
  assert_int_equal(hyla_cube_max(cube, bits, 2), HYLA_OK);
  assert_int_equal(bits[0], mine);
  assert_int_equal(bits[1], -mine);
}

/* By the packed factors, in both norms; for Cholesky by either triangle, with NaN in the other. */
static void check_packed(const struct given *g, const hyla_factor *factor, hyla_method method) {
  hyla_triangle triangle = harness_draw(0, 1) ? HYLA_LOWER : HYLA_UPPER;
  for (hyla_norm kind = HYLA_NORM_ONE; kind <= HYLA_NORM_INF; kind++) {
    struct lu_place packed = lu_place_draw(g->cube, (int)g->type, g->n, g->n);
    double rcond = -1, norm = 0, truth = true_rcond(g, kind);
    lu_assert_status(g->cube, hyla_matrix_norm(g->cube, g->a, kind, &norm), HYLA_OK);
    for (int64_t j = 0; j < packed.m->local_cols; j++)
      for (int64_t i = 0; i < packed.m->local_rows; i++)
        packed.m->k->set(hy_at(packed.m, i, j), 0, (double)NAN);
    lu_assert_status(g->cube, hyla_factor_packed(g->cube, factor, triangle, packed.m), HYLA_OK);
    lu_assert_status(g->cube,
                     hyla_packed_condition(g->cube, method, triangle, packed.m, kind, norm, &rcond),
                     HYLA_OK);
    assert_common(g->cube, rcond);
    if (!(rcond >= .99 * truth && rcond <= 10 * truth))
      fail_msg("packed: rcond %g, true %g, method %d, norm %d", rcond, truth, (int)method,
               (int)kind);
    lu_place_free(&packed);
  }
}

static void check_condition(const struct given *g, hyla_method method) {
  hyla_factor *factor = factor_of(g, method, harness_draw(0, 1) ? 1 : 70);
  double rcond = -1, growth = -1, truth = true_rcond(g, HYLA_NORM_ONE);
  lu_assert_status(g->cube, hyla_factor_condition(g->cube, factor, g->norm, &rcond), HYLA_OK);
  lu_assert_status(g->cube, hyla_factor_growth(g->cube, factor, g->largest, &growth), HYLA_OK);
  assert_common(g->cube, rcond);
  assert_common(g->cube, growth);
  if (!(rcond >= .99 * truth && rcond <= 10 * truth))
    fail_msg("rcond %g, true %g, method %d", rcond, truth, (int)method);
  double expected = g->kind->entry == wilkinson ? ldexp(1, (int)g->n - 1) : growth;
  if (method == HYLA_CHOLESKY) expected = 1;
  if (growth != expected) fail_msg("growth %g, not %g", growth, expected);
  check_packed(g, factor, method);
  hyla_factor_destroy(&factor);
}

static void estimates_are_near_the_truth(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < KIND_COUNT * TYPES; i++) {
    const struct kind *kind = &KINDS[i / TYPES];
    int type = i % TYPES;
    bool single = type == HYLA_FLOAT || type == HYLA_COMPLEX;
    int64_t most = kind->most[single ? 0 : 1];
    struct given g = draw_given(cube, kind, type, i % 5 == 0 ? most : harness_draw(1, most));
    int64_t before = cube->base.bytes_now;
    check_condition(&g, HYLA_LU);
    if (kind->definite) check_condition(&g, HYLA_CHOLESKY);
    assert_int_equal(cube->base.bytes_now, before);
    hyla_matrix_destroy(&g.a);
  }
  cube_close(&cube);
}

/* Far beyond the precision: rcond is at most n u, and above all not good. */
static void hopeless_matrices_are_known(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const struct kind *const kinds[] = {&KINDS[0], &KINDS[2]};
  const int64_t sizes[] = {12, 120};
  for (int i = 0; i < 2; i++) {
    struct given g = draw_given(cube, kinds[i], HYLA_DOUBLE, sizes[i]);
    hyla_factor *factor = factor_of(&g, HYLA_LU, 1);
    double rcond = -1;
    lu_assert_status(cube, hyla_factor_condition(cube, factor, g.norm, &rcond), HYLA_OK);
    if (!(rcond >= 0 && rcond < (double)g.n * g.a->k->epsilon)) fail_msg("rcond %g", rcond);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&g.a);
  }
  cube_close(&cube);
}

/* -------------------------------------------------------------- contract -- */

static void edges(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const struct kind *kind = &KINDS[3];
  struct given none = draw_given(cube, kind, HYLA_DOUBLE, 0);
  struct given some = draw_given(cube, kind, HYLA_DOUBLE, 9);
  hyla_factor *factor = factor_of(&some, HYLA_LU, 1);
  double value = -1;
  for (int method = 0; hyla_method_at(method) != NULL; method++) {
    hyla_factor *empty = factor_of(&none, (hyla_method)method, 1);
    harness_note("%s of order 0", hyla_method_at(method)->name);
    lu_assert_status(cube, hyla_factor_condition(cube, empty, 0, &value), HYLA_OK);
    assert_true(value == 1);
    lu_assert_status(cube, hyla_factor_growth(cube, empty, 0, &value), HYLA_OK);
    assert_true(value == 1);
    hyla_factor_destroy(&empty);
  }
  lu_assert_status(cube, hyla_factor_condition(cube, factor, 0, &value), HYLA_OK);
  assert_true(value == 0);
  lu_assert_status(cube, hyla_factor_condition(cube, factor, INFINITY, &value), HYLA_OK);
  assert_true(value == 0);
  lu_assert_status(cube, hyla_factor_condition(cube, factor, NAN, &value), HYLA_OK);
  assert_true(isnan(value));
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&some.a);
  hyla_matrix_destroy(&none.a);
  cube_close(&cube);
}

static void assert_refused(hyla_cube *cube, const hyla_factor *factor, double size, double *value,
                           hyla_status expected) {
  assert_int_equal(hyla_factor_condition(cube, factor, size, value), expected);
  assert_int_equal(hyla_factor_growth(cube, factor, size, value), expected);
}

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct given g = draw_given(cube, &KINDS[3], HYLA_DOUBLE, 7);
  hyla_factor *factor = factor_of(&g, HYLA_LU, 1), *sideless = factor_of(&g, HYLA_LU, 0),
              *raw = NULL;
  double value = -1;
  assert_int_equal(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 7, 1, NULL, NULL, &raw), HYLA_OK);
  for (int where = -1; where < harness_ranks(); where++) {
    bool here = where < 0 || where == harness_rank();
    assert_refused(cube, here ? NULL : factor, 1, &value, HYLA_ARGUMENT);
    assert_refused(cube, here ? raw : factor, 1, &value, HYLA_ARGUMENT);
    assert_refused(cube, factor, here ? -1 : 1, &value, HYLA_ARGUMENT);
    assert_refused(cube, factor, 1, here ? NULL : &value, HYLA_ARGUMENT);
    assert_int_equal(hyla_factor_condition(cube, here ? sideless : factor, 1, &value),
                     HYLA_ARGUMENT);
  }
  if (harness_ranks() > 1)
    assert_refused(cube, factor, harness_rank() == 0 ? 1 : 2, &value, HYLA_MISMATCH);
  assert_refused(NULL, factor, 1, &value, HYLA_ARGUMENT);
  hyla_factor_destroy(&raw);
  hyla_factor_destroy(&sideless);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&g.a);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(estimates_are_near_the_truth),
      cmocka_unit_test(hopeless_matrices_are_known),
      cmocka_unit_test(edges),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
