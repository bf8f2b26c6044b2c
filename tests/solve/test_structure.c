/* The structure found in a matrix: the gallery's properties, which hold bit for bit; one changed
 * entry; the contract. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
#include "lu_case.h"
#include "tests/gallery/generators.h"
#include "tests/harness/draw.h"

static double magnitude(double _Complex entry) {
  return fmax(fabs(creal(entry)), fabs(cimag(entry)));
}

/* The definition of a square matrix' distance from Hermitian, on this rank alone. */
static hyla_asymmetry asymmetry_of(const double _Complex *entries, int64_t n, double u) {
  hyla_asymmetry found = {.positive_diagonal = true};
  double size = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex entry = entries[i + j * n], mirror = conj(entries[j + i * n]);
      double difference = entry == mirror ? 0 : magnitude(entry - mirror);
      if (isnan(creal(entry)) || isnan(creal(mirror))) difference = NAN;
      size = fmax(size, magnitude(entry));
      if (i == j && !(creal(entry) > 0)) found.positive_diagonal = false;
      if (i < j || isnan(found.largest) || difference <= found.largest) continue;
      found.largest = difference;
      found.row = i;
      found.col = j;
    }
  found.rounding = isfinite(size) && found.largest <= 2 * (double)(n + 8) * u * size;
  return found;
}

static void assert_asymmetry(hyla_cube *cube, const hyla_matrix *a) {
  double _Complex *entries = lu_get_all(a);
  hyla_asymmetry found = {.largest = -1};
  hyla_asymmetry expected = asymmetry_of(entries, a->row.n, a->k->epsilon);
  free(entries);
  lu_assert_status(cube, hyla_matrix_asymmetry(cube, a, &found), HYLA_OK);
  assert_true(isnan(expected.largest) ? isnan(found.largest) : found.largest == expected.largest);
  assert_int_equal(found.row, expected.row);
  assert_int_equal(found.col, expected.col);
  assert_int_equal(found.rounding, expected.rounding);
  assert_int_equal(found.positive_diagonal, expected.positive_diagonal);
}

/* The definition, on this rank alone. */
static hyla_structure structure_of(const hyla_matrix *a) {
  int64_t m = a->row.n, n = a->col.n;
  double _Complex *entries = lu_get_all(a);
  hyla_structure found = {.hermitian = m == n, .positive_diagonal = m == n};
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      double _Complex entry = entries[i + j * m];
      if (entry != 0 && i - j > found.lower) found.lower = i - j;
      if (entry != 0 && j - i > found.upper) found.upper = j - i;
      if (m == n && !(entry == conj(entries[j + i * m]))) found.hermitian = false;
      if (i == j && entry == 0 && found.zero == 0) found.zero = i + 1;
      if (i == j && !(cimag(entry) == 0 && creal(entry) > 0)) found.positive_diagonal = false;
    }
  if (m == n && !found.hermitian) {
    hyla_asymmetry asymmetry = asymmetry_of(entries, n, a->k->epsilon);
    found.nearly_hermitian = asymmetry.rounding;
    if (asymmetry.rounding) found.positive_diagonal = asymmetry.positive_diagonal;
  }
  free(entries);
  return found;
}

static void assert_structure(hyla_cube *cube, const hyla_matrix *a) {
  hyla_structure found = {.lower = -1}, expected = structure_of(a);
  int64_t before = cube->base.bytes_now;
  lu_assert_status(cube, hyla_matrix_structure(cube, a, &found), HYLA_OK);
  assert_int_equal(cube->base.bytes_now, before);
  assert_int_equal(found.lower, expected.lower);
  assert_int_equal(found.upper, expected.upper);
  assert_int_equal(found.hermitian, expected.hermitian);
  assert_int_equal(found.nearly_hermitian, expected.nearly_hermitian);
  assert_int_equal(found.positive_diagonal, expected.positive_diagonal);
  assert_int_equal(found.zero, expected.zero);
  if (a->row.n == a->col.n) assert_asymmetry(cube, a);
}

static void the_gallery_is_known(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int kind = 0; kind < kind_count(); kind++) {
    hyla_layout layout = draw_on(cube);
    hyla_properties known;
    hyla_structure found;
    hyla_type type = (hyla_type)(kind % TYPES);
    int64_t n = harness_draw(0, 3) ? harness_draw(2, 30) : harness_draw(0, 1);
    harness_note("%s, n = %lld, type %d", name_of(kind), (long long)n, (int)type);
    hyla_matrix *a = lu_matrix(cube, (int)type, n, n, &layout);
    if (hyla_matrix_gallery(cube, a, name_of(kind), 1) == HYLA_OK) {
      assert_structure(cube, a);
      assert_int_equal(hyla_matrix_structure(cube, a, &found), HYLA_OK);
      assert_int_equal(hyla_kind_properties(name_of(kind), type, n, &known), HYLA_OK);
      if (known.hermitian) assert_true(found.hermitian);
      if (known.definite) assert_true(found.positive_diagonal);
      assert_true(found.lower <= known.lower && found.upper <= known.upper);
    }
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* Hermitian, but for one entry; triangles and bands, but for one. */
static void one_entry_tells(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const double _Complex values[] = {1e-30, -0., NAN, INFINITY};
  static const char *const kinds[] = {"hermitian", "identity", "kahan", "definite"};
  for (int i = 0; i < 64; i++) {
    hyla_layout layout = draw_on(cube);
    int64_t n = i % 8 < 6 ? harness_draw(2, 25) : harness_draw(60, 150);
    hyla_matrix *a = lu_matrix(cube, i / 16, n, n, &layout);
    int64_t row = harness_draw(0, n - 1), col = harness_draw(0, n - 1);
    assert_int_equal(hyla_matrix_gallery(cube, a, kinds[i % 4], (uint64_t)i), HYLA_OK);
    assert_structure(cube, a);
    assert_int_equal(hyla_matrix_set(cube, a, row, col, values[i / 4 % 4]), HYLA_OK);
    harness_note("%s, n = %lld, type %d, value %d at (%lld, %lld)", kinds[i % 4], (long long)n,
                 i / 16, i / 4 % 4, (long long)row, (long long)col);
    assert_structure(cube, a);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* All entries off the diagonal are wrong by rounding, or by more; the diagonal's imaginary parts
 * too. */
static void rounding_is_told(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 32; i++) {
    hyla_layout layout = draw_on(cube);
    int64_t n = harness_draw(2, 25);
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, &layout);
    hyla_structure found;
    bool rounding = i / TYPES % 2;
    double by = (rounding ? 4 : 1024 * (double)(n + 8)) * a->k->epsilon;
    harness_note("n = %lld, type %d, by %g", (long long)n, i % TYPES, by);
    assert_int_equal(hyla_matrix_gallery(cube, a, i % 3 ? "definite" : "hermitian", (uint64_t)i),
                     HYLA_OK);
    double _Complex *entries = lu_get_all(a);
    for (int64_t k = 0; k < n * n; k++) {
      double _Complex entry = entries[k] * (1 + by * (k % n > k / n));
      if (k % n == k / n && a->k->complex_type && i % 5) entry += I * by * creal(entry);
      assert_int_equal(hyla_matrix_set(cube, a, k % n, k / n, entry), HYLA_OK);
    }
    free(entries);
    assert_structure(cube, a);
    assert_int_equal(hyla_matrix_structure(cube, a, &found), HYLA_OK);
    assert_false(found.hermitian);
    assert_int_equal(found.nearly_hermitian, rounding);
    if (rounding && i % 3) assert_true(found.positive_diagonal);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* Rectangles and views. */
static void any_shape_will_do(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 30; i++) {
    struct lu_place place =
        lu_place_draw(cube, i % TYPES, harness_draw(0, 20), harness_draw(0, 20));
    harness_note("%lld x %lld", (long long)place.m->row.n, (long long)place.m->col.n);
    assert_int_equal(hyla_matrix_generate(cube, place.m, i % 2 ? HYLA_RANDOM : HYLA_ONES, 7),
                     HYLA_OK);
    assert_structure(cube, place.m);
    lu_place_free(&place);
  }
  cube_close(&cube);
}

static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 6, 6, NULL);
  hyla_structure found;
  hyla_asymmetry distance;
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_HERMITIAN, 1), HYLA_OK);
  int64_t before = cube->base.bytes_now;
  if (harness_rank() == 0) cube->base.fail_at = cube->base.allocations + 1;
  assert_int_equal(hyla_matrix_structure(cube, a, &found), HYLA_MEMORY);
  if (harness_rank() == 0) cube->base.fail_at = cube->base.allocations + 1;
  assert_int_equal(hyla_matrix_asymmetry(cube, a, &distance), HYLA_MEMORY);
  cube->base.fail_at = 0;
  assert_int_equal(cube->base.bytes_now, before);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gallery_is_known), cmocka_unit_test(one_entry_tells),
      cmocka_unit_test(rounding_is_told),     cmocka_unit_test(any_shape_will_do),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
