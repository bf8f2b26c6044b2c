/* The gallery: the declared properties of each kind hold; LAPACK judges the properties that bits do
 * not decide. */
// ranks: 1
#include "generators.h"
#include "tests/harness/peer_lapack.h"

#include <stdlib.h>

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 33, 64};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES, MOST = 64 };

/* One kind at one order, whole on this rank. */
struct specimen {
  hyla_type type;
  int64_t n;
  hyla_matrix *a;
  hyla_properties known;
};

static double _Complex at(const struct specimen *x, int64_t i, int64_t j) {
  return x->a->k->get(hy_at(x->a, i, j), 0);
}

static void copy_to(const struct specimen *x, void *array) {
  char *column = array;
  size_t bytes = (size_t)x->n * x->a->k->size;
  for (int64_t j = 0; j < x->n; j++, column += bytes) memcpy(column, hy_at(x->a, 0, j), bytes);
}

/* ----------------------------------------------------- bit for bit -- */

static void check_shape(const struct specimen *x) {
  for (int64_t j = 0; j < x->n; j++)
    for (int64_t i = 0; i < x->n; i++) {
      double _Complex entry = at(x, i, j), image = at(x, j, i);
      assert_true(isfinite(creal(entry)) && isfinite(cimag(entry)));
      if (x->known.symmetric) assert_true(entry == image);
      if (x->known.hermitian) assert_true(entry == conj(image));
      if (i - j > x->known.lower || j - i > x->known.upper) assert_true(entry == 0);
    }
}

/* Which of the two declared widths of the band has an entry on its outermost diagonal. */
static unsigned reached(const struct specimen *x) {
  unsigned sides = 0;
  for (int64_t j = 0; j < x->n; j++)
    for (int64_t i = 0; i < x->n; i++) {
      if (at(x, i, j) == 0) continue;
      if (i - j == x->known.lower) sides |= 1;
      if (j - i == x->known.upper) sides |= 2;
    }
  return sides;
}

/* ------------------------------------------------------- by rounding -- */

/* (A^H A - I)(i, j), summed in double precision. */
static double _Complex defect(const struct specimen *x, int64_t i, int64_t j) {
  double _Complex sum = i == j ? -1 : 0;
  for (int64_t k = 0; k < x->n; k++) sum += conj(at(x, k, i)) * at(x, k, j);
  return sum;
}

static void check_unitary(const struct specimen *x) {
  if (!x->known.unitary) return;
  double bound = (double)(x->n + 10) * x->a->k->epsilon;
  for (int64_t j = 0; j < x->n; j++)
    for (int64_t i = 0; i < x->n; i++)
      if (!(cabs(defect(x, i, j)) <= bound))
        fail_msg("A^H A - I is %g at (%lld, %lld)", cabs(defect(x, i, j)), (long long)i,
                 (long long)j);
}

/* The condition by LAPACK; rank and condition must be as declared.  Singular values have errors of
 * about n u times the largest one. */
static double check_spectrum(const struct specimen *x, void *array) {
  double values[MOST + 1] = {0}, noise = (double)(x->n + 4) * x->a->k->epsilon;
  int64_t rank = x->known.rank, n = x->n;
  copy_to(x, array);
  lapack_singular_values(x->type, (int)n, array, values);
  if (n == 0) return 1;
  double condition = values[0] / values[n - 1], declared = x->known.condition;
  assert_true(rank <= n);
  if (rank >= 0 && rank < n) {
    assert_true(declared == 0 || isinf(declared));
    assert_true(values[rank] <= 8 * noise * values[0]);
    assert_true(rank == 0 || values[rank - 1] > 8 * noise * values[0]);
  }
  bool small = n <= (x->a->k->epsilon > 0x1p-30 ? 2 : 5);
  if (rank == n && (small || declared > 0)) assert_true(values[n - 1] > 8 * noise * values[0]);
  if (declared > 0 && isfinite(declared)) {
    assert_int_equal(rank, n);
    if (!(fabs(condition / declared - 1) <= 4 * noise * declared))
      fail_msg("condition %.10g, declared %.10g", condition, declared);
  }
  return condition;
}

static void check_definite(const struct specimen *x, double condition, void *array) {
  if (!x->known.definite) return;
  assert_true(x->known.hermitian);
  copy_to(x, array);
  /* Cholesky's factorization succeeds if rounding errors are below the smallest eigenvalue. */
  if (condition * 8 * (double)(x->n + 1) * x->a->k->epsilon < 1)
    assert_int_equal(lapack_cholesky(x->type, (int)x->n, array), 0);
  else
    for (int64_t i = 0; i < x->n; i++) assert_true(creal(at(x, i, i)) > 0);
}

static void check_growth(const struct specimen *x, void *array) {
  double largest = 0;
  for (int64_t j = 0; j < x->n; j++)
    for (int64_t i = 0; i < x->n; i++)
      largest = fmax(largest, fabs(creal(at(x, i, j))) + fabs(cimag(at(x, i, j))));
  copy_to(x, array);
  double growth = lapack_largest_pivoted(x->type, (int)x->n, array);
  growth = largest > 0 ? growth / largest : 1;
  if (x->n > 0 && !(growth >= x->known.growth * (1 - 100 * x->a->k->epsilon * (double)x->n)))
    fail_msg("growth %g, declared at least %g", growth, x->known.growth);
  if (!x->known.grows && !(growth <= (double)x->n + 1))
    fail_msg("growth %g, and not declared to grow", growth);
}

/* Integers beyond 10^38. */
static bool is_too_large(const char *name, const struct specimen *x) {
  if (x->a->k->epsilon < 0x1p-30) return false;
  return (strcmp(name, "invhilb") == 0 && x->n > 30) || (strcmp(name, "invol") == 0 && x->n > 60);
}

static void check_all(hyla_cube *cube, const struct specimen *x, hyla_status status, void *array) {
  if (status != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
  check_shape(x);
  check_unitary(x);
  check_definite(x, check_spectrum(x, array), array);
  check_growth(x, array);
}

static void what_is_declared_holds(void **state) {
  (void)state;
  hyla_cube *cube = cube_alone();
  void *array = calloc(MOST * MOST, sizeof(double _Complex));
  assert_non_null(array);
  for (int kind = 0; kind < kind_count(); kind++) {
    unsigned sides = 0; /* of the band, reached at an order that does not cut it off */
    for (int i = 0; i < SIZE_COUNT * TYPES; i++) {
      struct specimen x = {.type = (hyla_type)(i % TYPES), .n = SIZES[i / TYPES]};
      harness_note("%s, n = %lld, type %d", name_of(kind), (long long)x.n, (int)x.type);
      x.a = case_matrix(cube, (int)x.type, x.n, x.n, NULL);
      hyla_status status = hyla_matrix_gallery(cube, x.a, name_of(kind), 7);
      assert_int_equal(hyla_kind_properties(name_of(kind), x.type, x.n, &x.known), HYLA_OK);
      if (is_too_large(name_of(kind), &x))
        assert_int_equal(status, HYLA_ARGUMENT);
      else
        check_all(cube, &x, status, array);
      if (status == HYLA_OK && x.n > 5) sides |= x.known.rank == 0 ? 3 : reached(&x);
      hyla_matrix_destroy(&x.a);
    }
    assert_int_equal(sides, 3);
  }
  free(array);
  hyla_cube_destroy(&cube);
}

/* --------------------------------------------------------------- formulas -- */

/* Entries that are known from elsewhere, row by row. */
static void known_matrices_are_met(void **state) {
  (void)state;
  static const struct {
    const char *kind;
    int n;
    double entries[16];
  } known[] = {
      {"invhilb", 3, {9, -36, 30, -36, 192, -180, 30, -180, 180}},
      {"pascal", 4, {1, 1, 1, 1, 1, 2, 3, 4, 1, 3, 6, 10, 1, 4, 10, 20}},
      {"pascal-triangle", 3, {1, 0, 0, 1, -1, 0, 1, -2, 1}},
      {"frank", 4, {4, 3, 2, 1, 3, 3, 2, 1, 0, 2, 2, 1, 0, 0, 1, 1}},
      {"lehmer", 2, {1, .5, .5, 1}},
      {"moler", 3, {1, -1, -1, -1, 2, 0, -1, 0, 3}},
      {"magic", 3, {8, 1, 6, 3, 5, 7, 4, 9, 2}},
      {"magic", 4, {16, 2, 3, 13, 5, 11, 10, 8, 9, 7, 6, 12, 4, 14, 15, 1}},
      {"redheffer", 4, {1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1}},
      {"riemann", 3, {1, -1, 1, -1, 2, -1, -1, -1, 3}},
      {"grcar", 4, {1, 1, 1, 1, -1, 1, 1, 1, 0, -1, 1, 1, 0, 0, -1, 1}},
      {"gfpp", 4, {1, 0, 0, 1, -1, 1, 0, 1, -1, -1, 1, 1, -1, -1, -1, 1}},
      {"poisson", 4, {4, -1, -1, 0, -1, 4, 0, -1, -1, 0, 4, -1, 0, -1, -1, 4}},
      {"wilkinson", 3, {1, 1, 0, 1, 0, 1, 0, 1, 1}},
      {"dramadah", 4, {1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1}},
      {"hadamard", 2, {1, 1, 1, -1}},
      {"gearmat", 3, {0, 1, 1, 1, 0, 1, -1, 1, 0}},
      {"circulant", 3, {1, 2, 3, 3, 1, 2, 2, 3, 1}},
      {"singular", 4, {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1}},
      {"hanowa", 4, {-1, 0, -1, 0, 0, -1, 0, -2, 1, 0, -1, 0, 0, 2, 0, -1}},
  };
  hyla_cube *cube = cube_alone();
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    int n = known[k].n;
    struct specimen x = {.n = n, .a = case_matrix(cube, HYLA_DOUBLE, n, n, NULL)};
    assert_int_equal(hyla_matrix_gallery(cube, x.a, known[k].kind, 0), HYLA_OK);
    for (int i = 0; i < n * n; i++)
      if (creal(at(&x, i / n, i % n)) != known[k].entries[i])
        fail_msg("%s: entry (%d, %d) is %g, not %g", known[k].kind, i / n, i % n,
                 creal(at(&x, i / n, i % n)), known[k].entries[i]);
    hyla_matrix_destroy(&x.a);
  }
  hyla_cube_destroy(&cube);
}

static void magic_squares_are_magic(void **state) {
  (void)state;
  hyla_cube *cube = cube_alone();
  for (int64_t n = 3; n <= 22; n++) {
    struct specimen x = {.n = n, .a = case_matrix(cube, HYLA_DOUBLE, n, n, NULL)};
    assert_int_equal(hyla_matrix_gallery(cube, x.a, "magic", 0), HYLA_OK);
    bool seen[22 * 22 + 1] = {false};
    double sum = (double)(n * (n * n + 1)) / 2, diagonal = 0, other = 0;
    for (int64_t i = 0; i < n; i++) {
      double row = 0, col = 0;
      for (int64_t j = 0; j < n; j++) {
        row += creal(at(&x, i, j));
        col += creal(at(&x, j, i));
        seen[(int)creal(at(&x, i, j))] = true;
      }
      harness_note("n = %lld, row or column %lld", (long long)n, (long long)i);
      assert_true(row == sum && col == sum);
      diagonal += creal(at(&x, i, i));
      other += creal(at(&x, i, n - 1 - i));
    }
    assert_true(diagonal == sum && other == sum);
    for (int64_t i = 1; i <= n * n; i++) assert_true(seen[i]);
    hyla_matrix_destroy(&x.a);
  }
  hyla_cube_destroy(&cube);
}

/* The largest entry of A B - scale I. */
static double product_defect(const struct specimen *a, const struct specimen *b) {
  double most = 0;
  for (int64_t i = 0; i < a->n; i++)
    for (int64_t j = 0; j < a->n; j++) {
      double _Complex sum = i == j ? -1 : 0;
      for (int64_t k = 0; k < a->n; k++) sum += at(a, i, k) * at(b, k, j);
      most = fmax(most, cabs(sum));
    }
  return most;
}

static void inverses_are_inverses(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"hilbert", "invhilb"}, {"invol", "invol"}, {"pascal-triangle", "pascal-triangle"}};
  hyla_cube *cube = cube_alone();
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    struct specimen x[2];
    for (int s = 0; s < 2; s++) {
      x[s] = (struct specimen){.n = 6, .a = case_matrix(cube, HYLA_DOUBLE, 6, 6, NULL)};
      assert_int_equal(hyla_matrix_gallery(cube, x[s].a, pairs[k][s], 0), HYLA_OK);
    }
    harness_note("%s", pairs[k][0]);
    assert_true(product_defect(&x[0], &x[1]) < 1e-8);
    for (int s = 0; s < 2; s++) hyla_matrix_destroy(&x[s].a);
  }
  hyla_cube_destroy(&cube);
}

static void kinds_are_many_and_named_once(void **state) {
  (void)state;
  int count = kind_count();
  assert_true(count >= 50);
  for (int i = 0; i < count; i++) {
    const hyla_kind *kind = hyla_kind_at(i);
    harness_note("%s", kind->name);
    assert_true(strlen(kind->name) > 0 && strlen(kind->formula) > 0);
    assert_non_null(strchr(kind->reference, ','));
    assert_int_equal(hy_kind_number(kind->name), i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_are_many_and_named_once), cmocka_unit_test(what_is_declared_holds),
      cmocka_unit_test(known_matrices_are_met),        cmocka_unit_test(magic_squares_are_magic),
      cmocka_unit_test(inverses_are_inverses),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
