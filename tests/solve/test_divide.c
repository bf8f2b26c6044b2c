/* Divide and conquer on tridiagonal matrices: residual and orthogonality, known spectra, the place
 * of each value; the same bits with and without vectors, on any number of ranks, scaled by powers
 * of 2; some vectors; NaNs; a value that does not converge; counted costs. */
// ranks: 1 3 4 8
// sample: 1 3 4
// arrays: 2x3
#include "divide_case.h"

/* --------------------------------------------------------------- matrices -- */

enum kind {
  ONE_TWO_ONE,
  CLEMENT,
  WILKINSON,
  GLUED,
  RANDOM,
  HERMITE,
  IDENTITY,
  ZERO,
  GRADED,
  CLUSTERS,
  PARTS,
  KINDS
};

static double normal(void) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += divide_uniform();
  return sum / 2;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Copies of W21+, joined by `glue'. */
static void wilkinson(struct band *t, int64_t order, double glue) {
  for (int64_t i = 0; i < t->n; i++) {
    t->d[i] = fabs((double)(order / 2 - i % order));
    t->e[i] = i % order == order - 1 ? glue : 1;
  }
}

static void set_entry(struct band *t, int kind, int64_t i) {
  const double n = (double)t->n, x = (double)i;
  switch (kind) {
  case ONE_TWO_ONE: t->d[i] = 2, t->e[i] = 1; break;
  case CLEMENT: t->d[i] = 0, t->e[i] = sqrt((x + 1) * (n - 1 - x)); break;
  case RANDOM: t->d[i] = divide_uniform(), t->e[i] = divide_uniform(); break;
  /* As the reduction of a random matrix has them: about sqrt(n - i) off the diagonal. */
  case HERMITE: t->d[i] = normal() * sqrt(2), t->e[i] = sqrt(n - x) + normal() / 2; break;
  case IDENTITY: t->d[i] = 1, t->e[i] = 0; break;
  case GRADED: t->d[i] = exp2(-x), t->e[i] = exp2(-x - 1) * divide_uniform(); break;
  case CLUSTERS: t->d[i] = 1 + divide_uniform() * 1e-14, t->e[i] = divide_uniform() * 1e-12; break;
  case PARTS:
    t->d[i] = divide_uniform() * (i % 40 < 20 ? 1e-30 : 1);
    t->e[i] = i % 20 == 19 ? 0 : i % 40 < 20 ? 1e-30 : -1;
    break;
  default: t->d[i] = t->e[i] = 0;
  }
}

static struct band make(int kind, int64_t n) {
  const double pi = acos(-1);
  struct band t = divide_band(n);
  for (int64_t i = 0; i < n; i++) set_entry(&t, kind, i);
  if (kind == WILKINSON) wilkinson(&t, n, 0);
  if (kind == GLUED) wilkinson(&t, 21, pow(10, -(double)harness_draw(2, 14)));
  if (kind != ONE_TWO_ONE && kind != CLEMENT && kind != IDENTITY && kind != ZERO) return t;
  t.values = calloc((size_t)n + 1, sizeof *t.values);
  for (int64_t i = 0; i < n; i++)
    t.values[i] = kind == ONE_TWO_ONE ? 2 - 2 * cos((double)(i + 1) * pi / (double)(n + 1))
                  : kind == CLEMENT   ? (double)(2 * i + 1 - n)
                                      : t.d[i];
  qsort(t.values, (size_t)n, sizeof *t.values, ascending);
  return t;
}

static double size_of(const struct band *t) {
  double size = 0;
  for (int64_t i = 0; i < t->n; i++)
    size = fmax(size, fabs(t->d[i]) + (i > 0 ? fabs(t->e[i - 1]) : 0) +
                          (i + 1 < t->n ? fabs(t->e[i]) : 0));
  return size;
}

/* The sum of column j of |T Z - Z L|. */
static double residual(const struct band *t, const struct solved *r, int64_t j) {
  const double *v = r->z + j * t->n;
  double sum = 0;
  for (int64_t i = 0; i < t->n; i++) {
    double entry = (t->d[i] - r->values[j]) * v[i];
    if (i > 0) entry += t->e[i - 1] * v[i - 1];
    if (i + 1 < t->n) entry += t->e[i] * v[i + 1];
    sum += fabs(entry);
  }
  return sum;
}

/* The number of values below x, by the signs of pivots. */
static int64_t below(const struct band *t, double x) {
  int64_t count = 0;
  double pivot = 1;
  for (int64_t i = 0; i < t->n; i++) {
    const double off = i > 0 ? t->e[i - 1] : 0;
    pivot = t->d[i] - x - (off == 0 ? 0 : off * (off / pivot));
    if (pivot == 0) pivot = -DBL_MIN;
    if (pivot < 0) count++;
  }
  return count;
}

static const struct divide_case CASE = {.kinds = KINDS,
                                        .whole = HERMITE,
                                        .close = CLUSTERS,
                                        .random = RANDOM,
                                        .glued = GLUED,
                                        .make = make,
                                        .size = size_of,
                                        .below = below,
                                        .residual = residual};

/* ------------------------------------------------------------- properties -- */

static void vectors_and_values_are_right(void **state) {
  const int64_t sizes[] = {1, 2, 3, 5, 17, 33, 64, 100, 257};
  (void)state;
  divide_walk(&CASE, sizes, sizeof sizes / sizeof *sizes, 20 * 21);
}

static void products_by_blas_are_right(void **state) {
  (void)state;
  divide_by_blas(&CASE);
}

static void threads_find_the_same_bits(void **state) {
  (void)state;
  divide_threads(&CASE);
}

static void powers_of_2_change_nothing(void **state) {
  (void)state;
  divide_powers(&CASE);
}

/* The wanted columns are those of all vectors; the values are all there. */
static void some_vectors_are_those_of_all(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const int64_t ranges[][2] = {{0, 1}, {99, 100}, {30, 71}, {50, 50}, {0, 100}};
  for (int kind = RANDOM; kind <= IDENTITY; kind++) {
    struct band t = make(kind, 100);
    struct solved all = divide_solve(&CASE, cube, HYLA_DOUBLE, &t, true);
    for (int r = 0; r < 5; r++) {
      const int64_t first = ranges[r][0], end = ranges[r][1];
      harness_note("kind %d, vectors %lld to %lld", kind, (long long)first, (long long)end);
      const struct way way = {.some = true, .first = first, .end = end};
      struct solved some = divide_solve_by(&CASE, cube, HYLA_DOUBLE, &t, true, way);
      assert_memory_equal(some.values, all.values, (size_t)t.n * sizeof *all.values);
      assert_memory_equal(some.z + first * t.n, all.z + first * t.n,
                          (size_t)((end - first) * t.n) * sizeof *all.z);
      divide_release(&some);
    }
    divide_release(&all);
    divide_drop(&t);
  }
  cube_close(&cube);
}

static void what_is_not_finite_is_told(void **state) {
  (void)state;
  divide_not_finite(&CASE);
}

/* Without QL steps the leaves of one part of T do not converge. */
static void a_value_that_does_not_converge_is_told(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct band t = make(IDENTITY, 150);
  t.e[harness_draw(0, 148)] = .5;
  assert_int_equal(divide_status(&CASE, cube, &t, -1), HYLA_OK);
  t.e[100] = t.e[101] = t.e[102] = .5;
  assert_int_equal(divide_status(&CASE, cube, &t, 0), HYLA_UNRELIABLE);
  assert_non_null(strstr(hyla_cube_message(cube), "did not converge"));
  divide_drop(&t);
  cube_close(&cube);
}

static void costs_are_counted(void **state) {
  (void)state;
  struct band most = make(ONE_TWO_ONE, 150);
  for (int64_t i = 0; i < most.n; i++) most.d[i] += 1e-3 * divide_uniform();
  divide_costs(&CASE, &most);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_and_values_are_right),
                                     cmocka_unit_test(products_by_blas_are_right),
                                     cmocka_unit_test(threads_find_the_same_bits),
                                     cmocka_unit_test(powers_of_2_change_nothing),
                                     cmocka_unit_test(some_vectors_are_those_of_all),
                                     cmocka_unit_test(what_is_not_finite_is_told),
                                     cmocka_unit_test(a_value_that_does_not_converge_is_told),
                                     cmocka_unit_test(costs_are_counted)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
