/* QR by Givens' rotations: as good as by reflections, on real ranks and on virtual cubes; failures;
 * entries whose squares leave the range; the planner does not choose it unless asked.  Its
 * schedules: tests/formulas/eliminations.c. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
// limit: 120
#include "qr_case.h"
#include "tests/harness/draw.h"

enum { SIDES_MOST = 40 };

/* Element-cyclic, the rows in Gray code. */
static hyla_layout elements_of(const hyla_cube *cube) {
  hyla_layout layout = lu_draw_layout(cube, 1);
  layout.row.code = HYLA_GRAY;
  layout.row.binary = 0;
  return layout;
}

static void rotations_are_as_good(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[] = {0, 1, 2, p - 1, p, p + 1, 13, 37};
    for (int i = private_memory; i < 32; i += 2) {
      struct qr_case x = {.variant = "givens",
                          .n = sizes[i % 8],
                          .type = (hyla_type)(i / 8),
                          .nrhs = i % 3 > 0 ? harness_draw(0, 5) : SIDES_MOST,
                          .layout = elements_of(cube),
                          .seed = (uint64_t)i + 1};
      x.given = harness_draw(0, 2) > 0 ? x.layout : draw_layout(cube->dims);
      harness_note("n = %lld, nrhs %lld, type %d, %s", (long long)x.n, (long long)x.nrhs,
                   (int)x.type, lu_layout_name(&x.layout));
      lu_assert_status(cube, qr_case_run(cube, &x), HYLA_OK);
    }
    cube_close(&cube);
  }
}

/* The planner does not choose them unasked, and they refuse blocks, and rows in binary. */
static void rotations_are_asked_for(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_factor *factor = NULL;
  hyla_layout elements = elements_of(cube), blocks = lu_draw_layout(cube, 4);
  lu_assert_status(cube,
                   hyla_factor_create(cube, HYLA_QR, HYLA_DOUBLE, 9, 1, &elements, NULL, &factor),
                   HYLA_OK);
  assert_string_equal(hyla_plan_variant(hyla_factor_plan(factor)), "householder");
  hyla_factor_destroy(&factor);
  lu_assert_status(cube,
                   hyla_factor_create(cube, HYLA_QR, HYLA_DOUBLE, 9, 1, &blocks, "givens", &factor),
                   HYLA_UNSUPPORTED);
  assert_non_null(strstr(hyla_cube_message(cube), "one element"));
  elements.row.code = HYLA_BINARY;
  bool circle = elements.row.dims < 2;
  lu_assert_status(
      cube, hyla_factor_create(cube, HYLA_QR, HYLA_DOUBLE, 9, 1, &elements, "givens", &factor),
      circle ? HYLA_OK : HYLA_UNSUPPORTED);
  if (!circle) assert_non_null(strstr(hyla_cube_message(cube), "Gray code"));
  hyla_factor_destroy(&factor);
  cube_close(&cube);
}

/* ----------------------------------------------------------------- entries -- */

/* A factorization of entries that every rank holds. */
static hyla_factor *factor_of(hyla_cube *cube, int type, int64_t n, const double _Complex *entries,
                              hyla_status expected) {
  hyla_factor *factor = NULL;
  const hyla_layout layout = elements_of(cube);
  hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
  harness_note("n = %lld, type %d, %s", (long long)n, type, lu_layout_name(&layout));
  lu_put(a, entries);
  lu_assert_status(cube,
                   hyla_factor_create(cube, HYLA_QR, a->k->type, n, 1, &layout, "givens", &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), expected);
  hyla_matrix_destroy(&a);
  return factor;
}

/* A column of zeros, a NaN, or an infinity is reported by its column, alike on all ranks. */
static void what_stops_it_is_named(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8 * TYPES; i++) {
    int64_t n = harness_draw(1, 20), column = 0;
    hyla_status expected = HYLA_OK;
    double _Complex *entries = lu_spoilt(cube, i % TYPES, n, n, i / TYPES, &column, &expected);
    hyla_factor *factor = factor_of(cube, i % TYPES, n, entries, expected);
    assert_int_equal(hyla_factor_pivot(factor), column + 1);
    hyla_factor_destroy(&factor);
    free(entries);
  }
  cube_close(&cube);
}

/* Columns (3, 4) and (4, -3) times a unit near the largest or the smallest numbers give a diagonal
 * of 5 units to rounding; with 0 in place of 3 one of 4 units. */
static void no_square_overflows(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 6 * TYPES; i++) {
    bool single = i % TYPES == HYLA_FLOAT || i % TYPES == HYLA_COMPLEX;
    double unit = ldexp(1, (single ? 100 : 1000) * (i / TYPES % 3 - 1));
    double small = i / TYPES < 3 ? 3 : 0; /* 0: the quotient would be infinite */
    const double _Complex entries[4] = {small * unit, 4 * unit, 4 * unit, -small * unit};
    double size = small > 0 ? 5 : 4, bound = 8 * (single ? 0x1p-24 : 0x1p-53);
    hyla_factor *factor = factor_of(cube, i % TYPES, 2, entries, HYLA_OK);
    hyla_matrix *r = lu_matrix(cube, i % TYPES, 2, 2, NULL);
    lu_assert_status(cube, hyla_factor_upper(cube, factor, r), HYLA_OK);
    double _Complex *found = lu_get_all(r);
    assert_true(fabs(cabs(found[0]) / unit - size) <= bound * size);
    assert_true(fabs(cabs(found[3]) / unit - size) <= bound * size);
    assert_true(cabs(found[2]) / unit <= bound * size && found[1] == 0);
    free(found);
    hyla_matrix_destroy(&r);
    hyla_factor_destroy(&factor);
  }
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

static void good_and_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  enum { DIMS_MOST = 6, ARRAYS = (DIMS_MOST + 1) * (DIMS_MOST + 2) / 2, SOME = 10 };
  struct harness_walk walk = harness_walk(ARRAYS, SOME);
  for (int64_t index = 0; harness_next(&walk, &index);) {
    int dims = 0, rows = (int)index;
    while (rows > dims) rows -= ++dims;
    struct qr_case x = {.variant = "givens",
                        .n = harness_draw(0, 21),
                        .type = (hyla_type)((dims + rows) % TYPES),
                        .nrhs = rows % 2 == 0 ? harness_draw(0, 5) : SIDES_MOST,
                        .seed = 7};
    x.layout = lu_array_layout(dims, rows, 1);
    x.layout.row.code = HYLA_GRAY;
    x.given = x.layout;
    qr_case_simulate(dims, &x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotations_are_as_good),           cmocka_unit_test(rotations_are_asked_for),
      cmocka_unit_test(what_stops_it_is_named),          cmocka_unit_test(no_square_overflows),
      cmocka_unit_test(good_and_counted_on_every_array),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
