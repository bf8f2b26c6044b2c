/* Every variant of LU that chooses pivots: factors, solutions, counts, and failures. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
// limit: 120
#include "hyla_lab.h"
#include "lu_case.h"
#include "methods.h"
#include "tests/harness/draw.h"

static hyla_factor *factor_of(hyla_cube *cube, const char *variant, int type, int64_t n,
                              int64_t nrhs, const hyla_layout *layout) {
  hyla_factor *factor = NULL;
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, nrhs, layout, variant, &factor),
      HYLA_OK);
  return factor;
}

/* |P A - L U| is small compared with |L| |U|, entry by entry, and L's entries are of order 1. */
static void check_product(int64_t n, const double _Complex *a, const double _Complex *l,
                          const double _Complex *u, const int64_t *rows, double epsilon) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex sum = 0;
      double size = 0;
      for (int64_t k = 0; k <= hy_min(i, j); k++) {
        sum += l[i + k * n] * u[k + j * n];
        size += cabs(l[i + k * n]) * cabs(u[k + j * n]);
      }
      double found = cabs(a[rows[i] + j * n] - sum);
      double bound = 4 * (double)(n + 1) * epsilon * size;
      if (!(found <= bound))
        fail_msg("|PA - LU| is %g at (%lld, %lld), more than %g", found, (long long)i, (long long)j,
                 bound);
      if (i > j) assert_true(cabs(l[i + j * n]) <= 20);
    }
}

static void check_factors(hyla_cube *cube, const hyla_factor *factor, int type, int64_t n,
                          const double _Complex *a) {
  hyla_matrix *lower = lu_matrix(cube, type, n, n, NULL),
              *upper = lu_matrix(cube, type, n, n, NULL);
  int64_t *rows = calloc((size_t)n + 1, sizeof *rows), seen = 0;
  assert_non_null(rows);
  lu_assert_status(cube, hyla_factor_lower(cube, factor, lower), HYLA_OK);
  lu_assert_status(cube, hyla_factor_upper(cube, factor, upper), HYLA_OK);
  lu_assert_status(cube, hyla_factor_permutation(cube, factor, rows), HYLA_OK);
  for (int64_t i = 0; i < n; i++) seen += rows[i];
  assert_int_equal(seen, n * (n - 1) / 2);
  double _Complex *l = lu_get_all(lower), *u = lu_get_all(upper);
  check_product(n, a, l, u, rows, factor->problem.k->epsilon);
  free(u);
  free(l);
  free(rows);
  hyla_matrix_destroy(&upper);
  hyla_matrix_destroy(&lower);
}

static void check_solution(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *a,
                           int type, int64_t n, int64_t nrhs) {
  hyla_matrix *b = lu_matrix(cube, type, n, nrhs, NULL), *x = lu_matrix(cube, type, n, nrhs, NULL);
  double residual = 0;
  lu_assert_status(cube, hyla_matrix_generate(cube, b, HYLA_RANDOM, 7), HYLA_OK);
  lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b, x), HYLA_OK);
  lu_assert_status(cube, hyla_residual(cube, a, x, b, &residual), HYLA_OK);
  assert_true(residual < 2);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
}

static void one_system(hyla_cube *cube, const char *variant, int type, int64_t n, int64_t nrhs) {
  hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 20));
  harness_note("%s, n = %lld, nrhs = %lld, type %d, %s", variant, (long long)n, (long long)nrhs,
               type, lu_layout_name(&layout));
  hyla_matrix *a = lu_matrix(cube, type, n, n, NULL);
  hyla_factor *factor = factor_of(cube, variant, type, n, nrhs, &layout);
  lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)n), HYLA_OK);
  double _Complex *entries = lu_get_all(a);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  check_factors(cube, factor, type, n, entries);
  check_solution(cube, factor, a, type, n, nrhs);
  free(entries);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
}

static void systems_are_solved(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t p = cube->nodes, sizes[] = {0, 1, p - 1, p, p + 1, 13, 37, 64, 83};
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (int i = 0; i < 18; i++)
      one_system(cube, variant, i % TYPES, sizes[i % 9], i < 9 ? harness_draw(0, 3) : 66);
  cube_close(&cube);
}

/* Factors a matrix in which one column was spoilt; it must fail there. */
static void fail_at(hyla_cube *cube, const char *variant, int type, int64_t n,
                    const double _Complex *entries, hyla_status expected, int64_t column) {
  hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 20));
  hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
  hyla_factor *factor = factor_of(cube, variant, type, n, 1, &layout);
  harness_note("%s, n = %lld, type %d, %s, column %lld", variant, (long long)n, type,
               lu_layout_name(&layout), (long long)column);
  lu_put(a, entries);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), expected);
  assert_int_equal(hyla_factor_pivot(factor), column);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
}

/* A column of zeros, or a NaN or an infinity anywhere in a column. */
static void what_stops_it_is_named(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (int i = 0; i < 24; i++) {
      int type = i % TYPES;
      int64_t n = harness_draw(1, 60), col = 0;
      hyla_status expected = HYLA_OK;
      double _Complex *entries = lu_spoilt(cube, type, n, n, i, &col, &expected);
      fail_at(cube, variant, type, n, entries, expected, col + 1);
      free(entries);
    }
  cube_close(&cube);
}

/* The reciprocals of the pivots overflow; L is finite nevertheless. */
static void tiny_pivots_divide(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (int type = 0; type < TYPES; type++) {
      const int64_t n = 40;
      const bool single = type == HYLA_FLOAT || type == HYLA_COMPLEX;
      hyla_matrix *a = lu_matrix(cube, type, n, n, NULL), *l = lu_matrix(cube, type, n, n, NULL);
      hyla_factor *factor = factor_of(cube, variant, type, n, 1, NULL);
      harness_note("%s, type %d", variant, type);
      lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
      double _Complex *entries = lu_get_all(a);
      for (int64_t k = 0; k < n * n; k++)
        entries[k] =
            k / n < n / 2 ? (k % n == k / n) : entries[k] * (single ? 0x1p-140 : 0x1p-1060);
      lu_put(a, entries);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_lower(cube, factor, l), HYLA_OK);
      free(entries);
      entries = lu_get_all(l);
      for (int64_t k = 0; k < n * n; k++) assert_true(cabs(entries[k]) <= 20);
      free(entries);
      hyla_factor_destroy(&factor);
      hyla_matrix_destroy(&l);
      hyla_matrix_destroy(&a);
    }
  cube_close(&cube);
}

/* The first panel has powers of 1/8 and smaller ones, and underflows as it is eliminated: all its
 * pivots are found before the first column that has none. */
static void fading_pivots_are_found(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t n = 512;
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (int type = HYLA_FLOAT; type <= HYLA_COMPLEX; type += HYLA_COMPLEX - HYLA_FLOAT) {
      hyla_matrix *a = lu_matrix(cube, type, n, n, NULL);
      hyla_factor *factor = factor_of(cube, variant, type, n, 1, NULL);
      harness_note("%s, type %d", variant, type);
      lu_assert_status(cube, hyla_matrix_gallery(cube, a, "vandermonde", 0), HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_SINGULAR);
      assert_int_equal(hyla_factor_pivot(factor), 43);
      hyla_factor_destroy(&factor);
      hyla_matrix_destroy(&a);
    }
  cube_close(&cube);
}

/* Kinds of matrices that show a poor choice of pivots: the growth is that of partial pivoting, or
 * little more. */
static void growth_is_moderate(void **state) {
  (void)state;
  static const char *const kinds[] = {"random", "frank",          "kahan",
                                      "lehmer", "random-unitary", "signs"};
  hyla_cube *cube = cube_open(false);
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 60, 60, NULL);
      double largest = 0, growth = 0;
      harness_note("%s, %s", variant, kinds[i]);
      hyla_factor *factor = factor_of(cube, variant, HYLA_DOUBLE, 60, 1, NULL);
      lu_assert_status(cube, hyla_matrix_gallery(cube, a, kinds[i], 1), HYLA_OK);
      lu_assert_status(cube, hyla_matrix_norm(cube, a, HYLA_NORM_MAX, &largest), HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      lu_assert_status(cube, hyla_factor_growth(cube, factor, largest, &growth), HYLA_OK);
      assert_true(growth < 60);
      hyla_factor_destroy(&factor);
      hyla_matrix_destroy(&a);
    }
  cube_close(&cube);
}

/* ---- virtual cubes ---- */

struct program {
  const char *variant;
  hyla_type type;
  int64_t n, nrhs, block;
  int rows; /* dimensions over which rows are split */
};

/* The steps are as predicted; messages and words are at most as predicted. */
static hyla_status check_counts(hyla_cube *cube, const hyla_factor *factor) {
  hyla_cost most = hyla_plan_cost(hyla_factor_plan(factor));
  hyla_ledger ledger;
  TRY(hyla_cube_ledger(cube, &ledger));
  int64_t messages = ledger.far_messages, bytes = ledger.far_bytes;
  for (int dim = 0; dim < ledger.dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  CHECK(&cube->base,
        ledger.steps <= most.steps && messages <= most.messages &&
            bytes <= most.words * (int64_t)factor->problem.k->size,
        FORMAT, "counted %lld steps, %lld messages, %lld bytes; predicted %lld, %lld, %lld words",
        (long long)ledger.steps, (long long)messages, (long long)bytes, (long long)most.steps,
        (long long)most.messages, (long long)most.words);
  return HYLA_OK;
}

static hyla_status solve(hyla_cube *cube, hyla_factor *factor, hyla_matrix *a, hyla_matrix *b,
                         hyla_matrix *x) {
  double residual = 0;
  TRY(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1));
  TRY(hyla_matrix_generate(cube, b, HYLA_RANDOM, 2));
  TRY(hyla_matrix_copy(cube, b, x));
  TRY(hyla_cube_ledger_clear(cube));
  TRY(hyla_factor_compute(cube, factor, a));
  TRY(hyla_factor_solve(cube, factor, HYLA_NONE, x, x));
  TRY(hy_agree(cube, check_counts(cube, factor)));
  TRY(hyla_residual(cube, a, x, b, &residual));
  CHECK(&cube->base, residual < 2, FORMAT, "residual %g", residual);
  return HYLA_OK;
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_layout layout;
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *b = NULL, *x = NULL;
  char text[80];
  snprintf(text, sizeof text, "gray/cyclic:%lld@%dx%d", (long long)p->block, 1 << p->rows,
           1 << (cube->dims - p->rows));
  TRY(hyla_layout_parse(cube, text, &layout));
  TRY(hyla_factor_create(cube, HYLA_LU, p->type, p->n, p->nrhs, &layout, p->variant, &factor));
  const hyla_layout *sides = &factor->problem.x_layout;
  hyla_status status = hyla_matrix_create(cube, p->type, p->n, p->n, &layout, &a);
  if (!status) status = hyla_matrix_create(cube, p->type, p->n, p->nrhs, sides, &b);
  if (!status) status = hyla_matrix_create(cube, p->type, p->n, p->nrhs, sides, &x);
  if (!status) status = solve(cube, factor, a, b, x);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

static void counts_are_as_predicted(void **state) {
  (void)state;
  const char *variant = NULL;
  if (harness_ranks() > 1) return;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (int dims = 0; dims <= 6; dims++)
      for (int rows = 0; rows <= dims; rows++) {
        struct program p = {.variant = variant,
                            .type = (hyla_type)harness_draw(0, TYPES - 1),
                            .n = harness_draw(0, 75),
                            .nrhs = rows % 2 == 0 ? harness_draw(0, 5) : 66,
                            .block = harness_draw(1, 9),
                            .rows = rows};
        hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
        hyla_report report;
        if (hyla_simulate(&model, run, &p, &report) != HYLA_OK)
          fail_msg("%s: %s, d = %d, rows %d, n = %lld, nrhs = %lld, type %d, block %lld",
                   report.message, variant, dims, rows, (long long)p.n, (long long)p.nrhs,
                   (int)p.type, (long long)p.block);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(systems_are_solved), cmocka_unit_test(what_stops_it_is_named),
      cmocka_unit_test(tiny_pivots_divide), cmocka_unit_test(fading_pivots_are_found),
      cmocka_unit_test(growth_is_moderate), cmocka_unit_test(counts_are_as_predicted),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
