/* QR of matrices of any shape: the product of R and the reflections, as hyla_factor_packed and
 * hyla_factor_reflections give them, is A, on any array; refusals. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 120
#include "lu_case.h"
#include "tests/harness/draw.h"

enum { SIZES = 12, BLOCK_COUNT = 4 };
static const int64_t BLOCKS[] = {1, 3, 8, 40};

static int64_t size_of(int nodes, int64_t i) {
  const int64_t p = nodes, sizes[SIZES] = {0, 1, p - 1, p, p + 1, 2 * p, 2, 3, 17, 23, 37, 59};
  return sizes[i % SIZES];
}

/* The factors, which every rank holds whole. */
struct factors {
  int64_t m, n, order;
  double _Complex *packed;
  double tau[64];
};

static struct factors factors_of(hyla_cube *cube, const hyla_factor *factor, int type, int64_t m,
                                 int64_t n) {
  struct factors f = {.m = m, .n = n, .order = hy_min(m, n)};
  struct lu_place place = lu_place_draw(cube, type, m, n);
  assert_true(f.order <= 64);
  lu_assert_status(cube, hyla_factor_packed(cube, factor, HYLA_UPPER, place.m), HYLA_OK);
  lu_assert_status(cube, hyla_factor_reflections(cube, factor, f.tau), HYLA_OK);
  f.packed = lu_get_all(place.m);
  lu_place_free(&place);
  return f;
}

/* Entry i of vector k. */
static double _Complex vector(const struct factors *f, int64_t k, int64_t i) {
  return i < k ? 0 : i == k ? 1 : f->packed[i + k * f->m];
}

/* The last row by itself is not reflected, as in LAPACK. */
static bool is_reflected(const struct factors *f, int64_t k) { return k < f->m - 1 || f->m > f->n; }

/* Each reflection is unitary: tau |v|^2 = 2. */
static void check_reflections(const struct factors *f, double epsilon) {
  for (int64_t k = 0; k < f->order; k++) {
    if (!is_reflected(f, k)) assert_true(f->tau[k] == 0);
    if (!is_reflected(f, k)) continue;
    double squares = 0;
    for (int64_t i = k; i < f->m; i++) squares += pow(cabs(vector(f, k, i)), 2);
    assert_true(fabs(f->tau[k] * squares - 2) <= 16 * (double)f->m * epsilon);
  }
}

/* H_0 H_1 ... R, column by column, compared with A; the bound is that of n reflections in norm. */
static void check_product(const struct factors *f, const double _Complex *a, double epsilon) {
  double _Complex *column = calloc((size_t)f->m + 1, sizeof *column);
  assert_non_null(column);
  for (int64_t j = 0; j < f->n; j++) {
    double size = 0, found = 0;
    for (int64_t i = 0; i < f->m; i++) {
      column[i] = i <= j && i < f->order ? f->packed[i + j * f->m] : 0;
      size += pow(cabs(a[i + j * f->m]), 2);
    }
    for (int64_t k = f->order - 1; k >= 0; k--) {
      double _Complex product = 0;
      for (int64_t i = k; i < f->m; i++) product += conj(vector(f, k, i)) * column[i];
      for (int64_t i = k; i < f->m; i++) column[i] -= f->tau[k] * product * vector(f, k, i);
    }
    for (int64_t i = 0; i < f->m; i++) found += pow(cabs(column[i] - a[i + j * f->m]), 2);
    double bound = 8 * (double)(f->m + f->order + 4) * epsilon * sqrt(size);
    if (!(sqrt(found) <= bound))
      fail_msg("column %lld: Q R is off by %g, more than %g", (long long)j, sqrt(found), bound);
  }
  free(column);
}

/* R by itself: the same entries with the other sign, with zeros below the diagonal. */
static void check_upper(hyla_cube *cube, const hyla_factor *factor, int type,
                        const struct factors *f) {
  hyla_matrix *r = lu_matrix(cube, type, f->order, f->n, NULL);
  lu_assert_status(cube, hyla_factor_upper(cube, factor, r), HYLA_OK);
  double _Complex *entries = lu_get_all(r);
  for (int64_t j = 0; j < f->n; j++)
    for (int64_t i = 0; i < f->order; i++) {
      const double sign = is_reflected(f, i) ? -1 : 1;
      double _Complex expected = i <= j ? sign * f->packed[i + j * f->m] : 0;
      assert_true(entries[i + j * f->order] == expected);
    }
  free(entries);
  hyla_matrix_destroy(&r);
}

static void one_matrix(hyla_cube *cube, int type, int64_t m, int64_t n, int64_t block) {
  hyla_layout layout = lu_draw_layout(cube, block), foreign = draw_on(cube);
  hyla_matrix *a = lu_matrix(cube, type, m, n, harness_draw(0, 1) ? &foreign : &layout);
  hyla_factor *factor = NULL;
  harness_note("%lld x %lld, type %d, %s", (long long)m, (long long)n, type,
               lu_layout_name(&layout));
  lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)(m + n)), HYLA_OK);
  double _Complex *entries = lu_get_all(a);
  lu_assert_status(cube,
                   hyla_factor_create_rectangular(cube, HYLA_QR, (hyla_type)type, m, n, 0, &layout,
                                                  NULL, &factor),
                   HYLA_OK);
  for (int again = 0; again < 2; again++) {
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    struct factors f = factors_of(cube, factor, type, m, n);
    check_reflections(&f, a->k->epsilon);
    check_product(&f, entries, a->k->epsilon);
    check_upper(cube, factor, type, &f);
    free(f.packed);
  }
  free(entries);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
}

static void reflections_make_the_matrix(void **state) {
  (void)state;
  enum { CASES = SIZES * SIZES * BLOCK_COUNT };
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t before = cube->base.bytes_now, i = 0;
    for (struct harness_walk walk = harness_walk(CASES, 40); harness_next(&walk, &i);)
      one_matrix(cube, (int)(i % TYPES), size_of(cube->nodes, i), size_of(cube->nodes, i / SIZES),
                 BLOCKS[i / SIZES / SIZES]);
    assert_int_equal(cube->base.bytes_now, before);
    cube_close(&cube);
  }
}

/* A column of zeros, a NaN or an infinity among the pivots' columns. */
static void what_stops_it_is_named(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    int type = i % TYPES;
    int64_t m = harness_draw(1, 60), n = harness_draw(1, 60), col = 0;
    hyla_status expected = HYLA_OK;
    hyla_factor *factor = NULL;
    double _Complex *entries = lu_spoilt(cube, type, m, n, i, &col, &expected);
    hyla_matrix *a = lu_matrix(cube, type, m, n, NULL);
    lu_put(a, entries);
    lu_assert_status(cube,
                     hyla_factor_create_rectangular(cube, HYLA_QR, (hyla_type)type, m, n, 0, NULL,
                                                    NULL, &factor),
                     HYLA_OK);
    bool meets = col < hy_min(m, n);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), meets ? expected : HYLA_OK);
    assert_int_equal(hyla_factor_pivot(factor), meets ? col + 1 : 0);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&a);
    free(entries);
  }
  cube_close(&cube);
}

/* Methods without reflections, and factors that do not exist. */
static void others_have_no_reflections(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 6, 6, NULL);
  hyla_factor *factor = NULL;
  double tau[6];
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
  for (int lu = 0; lu < 2; lu++) {
    lu_assert_status(
        cube,
        hyla_factor_create(cube, lu ? HYLA_LU : HYLA_QR, HYLA_DOUBLE, 6, 0, NULL, NULL, &factor),
        HYLA_OK);
    lu_assert_says(cube, hyla_factor_reflections(cube, factor, tau), HYLA_ARGUMENT,
                   "there are no factors yet");
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    if (lu)
      lu_assert_says(cube, hyla_factor_reflections(cube, factor, tau), HYLA_UNSUPPORTED,
                     "makes none");
    else
      lu_assert_says(cube, hyla_factor_reflections(cube, factor, NULL), HYLA_ARGUMENT,
                     "tau is NULL");
    hyla_factor_destroy(&factor);
  }
  assert_int_equal(hyla_factor_reflections(NULL, factor, tau), HYLA_ARGUMENT);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reflections_make_the_matrix),
      cmocka_unit_test(what_stops_it_is_named),
      cmocka_unit_test(others_have_no_reflections),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
