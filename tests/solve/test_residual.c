/* The residual compared with its definition in long double; scales; entries that are not finite. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
#include "lu_case.h"
#include "tests/harness/draw.h"

/* A uniform number of 20 bits, exact in single precision. */
static double _Complex draw(bool complex_type) {
  double re = (double)harness_draw(-500000, 500000) / 0x80000;
  return complex_type ? hy_complex(re, (double)harness_draw(-500000, 500000) / 0x80000) : re;
}

/* a, x, b, whole on every rank. */
struct system {
  int64_t n, nrhs;
  double _Complex *a, *x, *b;
};

static struct system system_draw(int64_t n, int64_t nrhs, bool complex_type) {
  struct system s = {n, nrhs, NULL, NULL, NULL};
  s.a = calloc((size_t)(n * n + 1), sizeof *s.a);
  s.x = calloc((size_t)(n * nrhs + 1), sizeof *s.x);
  s.b = calloc((size_t)(n * nrhs + 1), sizeof *s.b);
  assert_true(s.a != NULL && s.x != NULL && s.b != NULL);
  for (int64_t i = 0; i < n * n; i++) s.a[i] = draw(complex_type);
  for (int64_t i = 0; i < n * nrhs; i++) s.x[i] = draw(complex_type);
  for (int64_t i = 0; i < n * nrhs; i++) s.b[i] = draw(complex_type);
  return s;
}

static void system_free(struct system *s) {
  free(s->a);
  free(s->x);
  free(s->b);
}

/* |A x - b| / (eps (|A| |x| + |b|) n), for the worst column. */
static double reference(const struct system *s, double epsilon) {
  int64_t n = s->n;
  long double worst = 0, norm = 0;
  for (int64_t i = 0; i < n; i++) {
    long double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += cabsl(s->a[i + j * n]);
    norm = fmaxl(norm, sum);
  }
  for (int64_t c = 0; c < s->nrhs; c++) {
    long double difference = 0, x = 0, b = 0;
    for (int64_t i = 0; i < n; i++) {
      long double _Complex sum = -s->b[i + c * n];
      for (int64_t j = 0; j < n; j++)
        sum += (long double _Complex)s->a[i + j * n] * s->x[j + c * n];
      difference = fmaxl(difference, cabsl(sum));
      x = fmaxl(x, cabsl(s->x[i + c * n]));
      b = fmaxl(b, cabsl(s->b[i + c * n]));
    }
    if (difference > 0)
      worst = fmaxl(worst, difference / (epsilon * (norm * x + b) * (long double)n));
  }
  return (double)worst;
}

/* With drawn layouts; with views of larger matrices if `views'. */
static double residual_of(hyla_cube *cube, int type, const struct system *s, bool views) {
  const double _Complex *entries[] = {s->a, s->x, s->b};
  const int64_t cols[] = {s->n, s->nrhs, s->nrhs};
  hyla_matrix *owner[3], *m[3];
  for (int i = 0; i < 3; i++) {
    hyla_layout layout = draw_on(cube);
    owner[i] = lu_matrix(cube, type, s->n + (views ? 5 : 0), cols[i] + (views ? 4 : 0), &layout);
    m[i] = owner[i];
    if (views) assert_int_equal(hyla_matrix_view(owner[i], 2, 3, s->n, cols[i], &m[i]), HYLA_OK);
    lu_put(m[i], entries[i]);
  }
  double found = -1;
  int64_t before = cube->base.bytes_now;
  lu_assert_status(cube, hyla_residual(cube, m[0], m[1], m[2], &found), HYLA_OK);
  assert_int_equal(cube->base.bytes_now, before);
  for (int i = 0; i < 3; i++) {
    if (views) hyla_matrix_destroy(&m[i]);
    hyla_matrix_destroy(&owner[i]);
  }
  return found;
}

static void it_is_what_hpl_defines(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t sizes[HARNESS_SIZES];
  int count = harness_sizes(cube->nodes, sizes);
  for (int i = 0; i < count * TYPES; i++) {
    int type = i % TYPES;
    int64_t n = sizes[i / TYPES], nrhs = harness_draw(0, 5);
    double epsilon = hy_kernels_of((hyla_type)type)->epsilon;
    struct system s = system_draw(n, nrhs, type >= HYLA_COMPLEX);
    double expected = reference(&s, epsilon);
    double found = residual_of(cube, type, &s, i % 3 == 0);
    harness_note("n = %lld, nrhs = %lld, type %d: %g, expected %g", (long long)n, (long long)nrhs,
                 type, found, expected);
    assert_true(fabs(found - expected) <= 1 + 1e-3 * expected);
    system_free(&s);
  }
  cube_close(&cube);
}

/* Powers of two on A, x and b change nothing, however large or small they are. */
static void scales_do_not_matter(void **state) {
  (void)state;
  static const int powers[][2] = {{900, -800}, {-900, 700}, {1020, -1020}, {-1000, 1000},
                                  {1020, 0},   {0, 1020},   {-1000, 0},    {500, 500}};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    struct system s = system_draw(23, 3, false);
    double plain = residual_of(cube, HYLA_DOUBLE, &s, false);
    for (int64_t k = 0; k < 23 * 23; k++) s.a[k] = ldexp(creal(s.a[k]), powers[i][0]);
    for (int64_t k = 0; k < 23 * 3; k++) {
      s.x[k] = ldexp(creal(s.x[k]), powers[i][1]);
      s.b[k] = ldexp(creal(s.b[k]), powers[i][0] + powers[i][1]);
    }
    double scaled = residual_of(cube, HYLA_DOUBLE, &s, false);
    harness_note("2^%d, 2^%d: %g, plain %g", powers[i][0], powers[i][1], scaled, plain);
    assert_true(fabs(scaled - plain) <= 1 + 1e-9 * plain);
    system_free(&s);
  }
  cube_close(&cube);
}

/* The norm of A is larger than any number of its type, and so is A x. */
static void sums_do_not_overflow(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int type = 0; type < 2; type++) {
    double huge = type == HYLA_FLOAT ? 0x1.8p127 : 0x1.8p1023;
    struct system s = system_draw(9, 1, false);
    for (int64_t i = 0; i < 81; i++) s.a[i] = huge;
    for (int64_t i = 0; i < 9; i++) s.x[i] = i % 2 == 0 ? 0.5 : -0.5;
    for (int64_t i = 0; i < 9; i++) s.b[i] = huge / 2;
    assert_true(residual_of(cube, type, &s, false) == 0);
    /* x is half wrong: |A x - b| = huge / 4, |A| |x| + |b| = 9 huge / 2 + 3 huge / 4. */
    for (int64_t i = 0; i < 9; i++) s.b[i] = huge / 4;
    double expected = 0.25 / (hy_kernels_of((hyla_type)type)->epsilon * (4.5 + 0.25) * 9);
    double found = residual_of(cube, type, &s, false);
    assert_true(fabs(found - expected) <= 1e-6 * expected);
    system_free(&s);
  }
  cube_close(&cube);
}

static void zeros_have_none_and_a_lost_column_shows(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct system s = system_draw(12, 3, false);
  memset(s.x, 0, 36 * sizeof *s.x);
  memset(s.b, 0, 36 * sizeof *s.b);
  assert_true(residual_of(cube, HYLA_DOUBLE, &s, false) == 0);
  memset(s.a, 0, 144 * sizeof *s.a);
  assert_true(residual_of(cube, HYLA_DOUBLE, &s, false) == 0);
  s.b[30] = 0x1p-1060; /* 0 x = b: |b| / (eps |b| n) */
  double found = residual_of(cube, HYLA_DOUBLE, &s, false);
  assert_true(fabs(found - 0x1p53 / 12) <= 1e-6 * found);
  s.x[30] = 0x1p1000;
  assert_true(residual_of(cube, HYLA_DOUBLE, &s, false) == found);
  system_free(&s);
  cube_close(&cube);
}

static void what_is_not_finite_has_no_residual(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 27; i++) {
    int type = i % TYPES;
    struct system s = system_draw(11, 3, type >= HYLA_COMPLEX);
    double _Complex *where[] = {s.a, s.x, s.b};
    int64_t count = i % 3 == 0 ? 121 : 33;
    where[i % 3][harness_draw(0, count - 1)] =
        type >= HYLA_COMPLEX ? hy_complex(0, bad[i / 9]) : bad[i / 9];
    assert_true(isnan(residual_of(cube, type, &s, false)));
    system_free(&s);
  }
  cube_close(&cube);
}

/* Every argument, wrong on all ranks and on one. */
static void wrong_arguments_are_told_to_all(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false), *other = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 6, 6, NULL);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, 6, 2, NULL);
  hyla_matrix *wide = lu_matrix(cube, HYLA_DOUBLE, 6, 3, NULL);
  hyla_matrix *flat = lu_matrix(cube, HYLA_DOUBLE, 5, 2, NULL);
  hyla_matrix *single = lu_matrix(cube, HYLA_FLOAT, 6, 2, NULL);
  hyla_matrix *foreign = lu_matrix(other, HYLA_DOUBLE, 6, 2, NULL);
  hyla_matrix *const bad[][3] = {{NULL, x, x},   {a, NULL, x},   {a, x, NULL},    {wide, x, x},
                                 {a, flat, x},   {a, x, flat},   {a, wide, x},    {a, x, wide},
                                 {a, single, x}, {a, x, single}, {a, foreign, x}, {a, x, foreign}};
  double residual = 0;
  for (int one = 0; one < 2; one++)
    for (int i = 0; i < 13; i++) {
      bool mine = !one || harness_rank() == i % harness_ranks();
      hyla_matrix *const good[] = {a, x, x};
      hyla_matrix *const *m = mine && i < 12 ? bad[i] : good;
      hyla_status status =
          hyla_residual(cube, m[0], m[1], m[2], mine && i == 12 ? NULL : &residual);
      harness_note("case %d on %s", i, one ? "one rank" : "all ranks");
      lu_assert_status(cube, status, HYLA_ARGUMENT);
      assert_true(hyla_cube_message(cube)[0] != '\0');
    }
  if (harness_ranks() > 1) { /* both are good, but they differ */
    hyla_matrix *both = harness_rank() == 0 ? x : wide;
    lu_assert_status(cube, hyla_residual(cube, a, both, both, &residual), HYLA_MISMATCH);
  }
  assert_int_equal(hyla_residual(NULL, a, x, x, &residual), HYLA_ARGUMENT);
  hyla_matrix *all[] = {a, x, wide, flat, single, foreign};
  for (int i = 0; i < 6; i++) hyla_matrix_destroy(&all[i]);
  cube_close(&other);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_what_hpl_defines),
      cmocka_unit_test(scales_do_not_matter),
      cmocka_unit_test(sums_do_not_overflow),
      cmocka_unit_test(zeros_have_none_and_a_lost_column_shows),
      cmocka_unit_test(what_is_not_finite_has_no_residual),
      cmocka_unit_test(wrong_arguments_are_told_to_all),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
