/* Divide and conquer on bidiagonal matrices: residual and orthogonality, known values, the place of
 * each value; the same bits with and without vectors, on any number of ranks, scaled by powers of
 * 2; NaNs; counted costs. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
// arrays: 2x3
#include "divide_case.h"

/* --------------------------------------------------------------- matrices -- */

enum kind {
  DIFFERENCES, /* 1 and -1: 2 sin(k pi / (2 (2 n + 1))), k odd */
  RANDOM,
  LAGUERRE,
  IDENTITY,
  ZERO,
  NILPOTENT,
  GRADED_DOWN,
  GRADED_UP,
  CLUSTERS,
  PARTS,
  DEFICIENT,
  SIGNS,
  GLUED,
  KINDS
};

static void set_entry(struct band *b, int kind, int64_t i) {
  const double n = (double)b->n, x = (double)i;
  double *d = &b->d[i], *e = &b->e[i];
  switch (kind) {
  case DIFFERENCES: *d = 1, *e = -1; break;
  case RANDOM: *d = divide_uniform(), *e = divide_uniform(); break;
  /* As the reduction of a random matrix has them. */
  case LAGUERRE:
    *d = sqrt(n - x) + divide_uniform(), *e = -sqrt(n - x - 1) + divide_uniform();
    break;
  case IDENTITY: *d = 1, *e = 0; break;
  case NILPOTENT: *d = 0, *e = i + 1 < b->n ? 1 : 0; break;
  case GRADED_DOWN: *d = exp2(-x), *e = exp2(-x - 1) * divide_uniform(); break;
  case GRADED_UP: *d = exp2(x - n), *e = exp2(x - n) * divide_uniform(); break;
  case CLUSTERS: *d = 1 + divide_uniform() * 1e-14, *e = divide_uniform() * 1e-12; break;
  case PARTS:
    *d = divide_uniform() * (i % 40 < 20 ? 1e-30 : 1);
    *e = i % 20 == 19 ? 0 : i % 40 < 20 ? 1e-30 : -1;
    break;
  case DEFICIENT:
    *d = i % 3 == 1 ? 0 : divide_uniform(), *e = i % 7 == 5 ? 0 : divide_uniform();
    break;
  case SIGNS: *d = i % 2 == 0 ? -1 : 1, *e = i % 5 < 3 ? -2 : 3; break;
  case GLUED: *d = fabs(10. - (double)(i % 21)), *e = i % 21 == 20 ? 1e-8 : 1; break;
  default: *d = *e = 0;
  }
}

static struct band make(int kind, int64_t n) {
  const double pi = acos(-1);
  struct band b = divide_band(n);
  for (int64_t i = 0; i < n; i++) set_entry(&b, kind, i);
  if (kind != DIFFERENCES && kind != IDENTITY && kind != ZERO && kind != NILPOTENT) return b;
  b.values = calloc((size_t)n + 1, sizeof *b.values);
  for (int64_t i = 0; i < n; i++)
    b.values[i] = kind == DIFFERENCES
                      ? 2 * sin((double)(2 * (n - i) - 1) * pi / (double)(4 * n + 2))
                  : kind == NILPOTENT ? i + 1 < n
                                      : b.d[i];
  return b;
}

static double size_of(const struct band *b) {
  double size = 0;
  for (int64_t i = 0; i < b->n; i++)
    size = fmax(size, fabs(b->d[i]) + (i + 1 < b->n ? fabs(b->e[i]) : 0));
  return size;
}

/* The larger of the sums of column j of |B Y - X S| and of |B^T X - Y S|. */
static double residual(const struct band *b, const struct solved *r, int64_t j) {
  const double *x = r->left + j * b->n, *y = r->z + j * b->n;
  double sums[2] = {0};
  for (int64_t i = 0; i < b->n; i++) {
    const double right = i + 1 < b->n ? b->e[i] * y[i + 1] : 0,
                 up = i > 0 ? b->e[i - 1] * x[i - 1] : 0;
    sums[0] += fabs(b->d[i] * y[i] + right - r->values[j] * x[i]);
    sums[1] += fabs(b->d[i] * x[i] + up - r->values[j] * y[i]);
  }
  return isnan(sums[0] + sums[1]) ? NAN : fmax(sums[0], sums[1]);
}

/* The number of singular values below x > 0, by the signs of pivots of the matrix of order 2 n with
 * a zero diagonal, and d and e in turn beside it. */
static int64_t below(const struct band *b, double x) {
  int64_t count = 0;
  double pivot = 1;
  for (int64_t i = 0; i < 2 * b->n; i++) {
    const double off = i == 0 ? 0 : i % 2 == 1 ? b->d[i / 2] : b->e[i / 2 - 1];
    pivot = -x - (off == 0 ? 0 : off * (off / pivot));
    if (pivot == 0) pivot = -DBL_MIN;
    if (pivot < 0) count++;
  }
  return count - b->n;
}

static const struct divide_case CASE = {.singular = true,
                                        .kinds = KINDS,
                                        .whole = LAGUERRE,
                                        .close = CLUSTERS,
                                        .random = RANDOM,
                                        .glued = GLUED,
                                        .make = make,
                                        .size = size_of,
                                        .below = below,
                                        .residual = residual};

/* ------------------------------------------------------------- properties -- */

static void vectors_and_values_are_right(void **state) {
  const int64_t sizes[] = {1, 2, 3, 4, 5, 17, 33, 64, 100, 257};
  (void)state;
  divide_walk(&CASE, sizes, sizeof sizes / sizeof *sizes, 10 * 21);
}

/* Values far below the largest one keep their digits where B's entries fall. */
static void graded_values_keep_their_digits(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct band b = make(GRADED_DOWN, 60);
  struct solved r = divide_solve(&CASE, cube, HYLA_DOUBLE, &b, false);
  for (int64_t i = 0; i < b.n; i++) {
    const double reach = 64 * DBL_EPSILON * r.values[i];
    if (below(&b, r.values[i] - reach) > b.n - 1 - i ||
        below(&b, r.values[i] + reach) <= b.n - 1 - i)
      fail_msg("value %lld, %.17g, is not right to its last digits", (long long)i, r.values[i]);
  }
  divide_release(&r);
  divide_drop(&b);
  cube_close(&cube);
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

static void what_is_not_finite_is_told(void **state) {
  (void)state;
  divide_not_finite(&CASE);
}

static void costs_are_counted(void **state) {
  (void)state;
  struct band most = divide_band(60);
  for (int64_t i = 0; i < most.n; i++) {
    most.d[i] = 2 + divide_uniform() / 8;
    most.e[i] = 1 + divide_uniform() / 8;
  }
  divide_costs(&CASE, &most);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_and_values_are_right),
                                     cmocka_unit_test(graded_values_keep_their_digits),
                                     cmocka_unit_test(products_by_blas_are_right),
                                     cmocka_unit_test(threads_find_the_same_bits),
                                     cmocka_unit_test(powers_of_2_change_nothing),
                                     cmocka_unit_test(what_is_not_finite_is_told),
                                     cmocka_unit_test(costs_are_counted)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
