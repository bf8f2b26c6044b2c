/* Singular values and vectors by the method bidiagonal: residual and orthogonality in n ulp, for
 * wide, square and tall matrices in any layouts, of the gallery too; the same bits on all ranks,
 * with vectors and without; scales; NaN; the digits that are certain. */
// ranks: 1 2 3 4 5 6 8
// sample: 1 3 4
#include "svd_case.h"
#include "tests/gallery/generators.h"

#include <float.h>

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 33, 64, 100};
enum { COUNT = sizeof SIZES / sizeof *SIZES };
static const char METHOD[] = "bidiagonal";

static const char *bidiagonal(const struct svd_case *p) {
  (void)p;
  return METHOD;
}

static void any_shape_is_decomposed(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(4 * COUNT * TYPES, 16);
  for (int64_t i; harness_next(&walk, &i);) {
    const int64_t n = SIZES[i / TYPES / 4];
    const int64_t more[] = {0, harness_draw(0, n / 2), harness_draw(n / 2, 2 * n + 3), 0};
    const int64_t m = n + more[i / TYPES % 4];
    struct svd_case p = i / TYPES % 4 == 3 ? svd_open(cube, (int)(i % TYPES), n / 2, n)
                                           : svd_open(cube, (int)(i % TYPES), m, n);
    svd_check(&p, METHOD);
    svd_close(&p);
  }
  cube_close(&cube);
}

/* Vectors of one side are those of both. */
static void one_side_is_enough(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    struct svd_case p = svd_open(cube, i % TYPES, harness_draw(1, 60), harness_draw(1, 60));
    const bool left = i / TYPES == 0;
    hyla_matrix *one = left ? p.left.m : p.right.m;
    lu_assert_status(cube, svd_decompose(&p, METHOD, p.values, p.left.m, p.right.m), HYLA_OK);
    double _Complex *both = lu_get_all(one);
    lu_assert_status(
        cube, svd_decompose(&p, METHOD, p.values, left ? one : NULL, left ? NULL : one), HYLA_OK);
    assert_int_equal(lu_check_entries(one, both, "one side's vectors"), HYLA_OK);
    free(both);
    svd_close(&p);
  }
  cube_close(&cube);
}

/* Every kind, square, tall and wide, each in another type on another number of ranks; of zeros and
 * of the identity the values are known. */
static void the_gallery_is_decomposed(void **state) {
  enum { SHAPES = 4 };
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk((int64_t)kind_count() * SHAPES, 40);
  for (int64_t at; harness_next(&walk, &at);) {
    const char *kind = name_of((int)(at / SHAPES));
    const int shape = (int)(at % SHAPES);
    const int type = (int)((at / SHAPES + at + harness_ranks()) % TYPES);
    const int64_t n = harness_draw(1, 70), more = harness_draw(0, 70);
    struct svd_case p =
        svd_open(cube, type, n + (shape % 2 == 1 ? more : 0), n + (shape == 2 ? more : 0));
    harness_note("%s, %lld x %lld, type %d", kind, (long long)p.m, (long long)p.n, type);
    const bool made = hyla_matrix_gallery(cube, p.a.m, kind, (uint64_t)at) == HYLA_OK;
    if (made) svd_check(&p, METHOD); /* the kind has this shape, and the type holds it */
    const double known = strcmp(kind, "identity") == 0 ? 1 : strcmp(kind, "zero") == 0 ? 0 : NAN;
    for (int64_t i = 0; i < p.count && made && !isnan(known); i++)
      assert_true(p.values[i] == known);
    svd_close(&p);
  }
  cube_close(&cube);
}

static void scales_do_not_matter(void **state) {
  (void)state;
  svd_scales(bidiagonal);
}

static void what_is_not_finite_is_told_everywhere(void **state) {
  (void)state;
  svd_not_finite(bidiagonal);
}

/* The report bounds what rounding may do to a value; who wants more is refused. */
static void certain_digits_are_told(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct svd_case p = svd_open(cube, HYLA_DOUBLE, 50, 30);
  hyla_svd_options accurate = {.method = METHOD, .accurate = true};
  hyla_plan *plan = NULL;
  lu_assert_status(cube, hyla_svd_plan(cube, &accurate, p.a.m, p.values, NULL, NULL, &plan),
                   HYLA_UNSUPPORTED);
  lu_assert_status(cube, svd_decompose(&p, METHOD, p.values, NULL, NULL), HYLA_OK);
  assert_true(p.report.absolute == 30 * DBL_EPSILON / 2 * p.values[0] && p.report.relative == 0 &&
              p.report.sweeps == 0);
  hyla_plan_destroy(&plan);
  svd_close(&p);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_shape_is_decomposed),
      cmocka_unit_test(one_side_is_enough),
      cmocka_unit_test(the_gallery_is_decomposed),
      cmocka_unit_test(scales_do_not_matter),
      cmocka_unit_test(what_is_not_finite_is_told_everywhere),
      cmocka_unit_test(certain_digits_are_told),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
