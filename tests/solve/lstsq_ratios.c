/* See lstsq_ratios.h. */
#include "lstsq_ratios.h"

#include "tests/harness/harness.h"

#include <math.h>
#include <stdlib.h>

typedef long double _Complex entry;

static entry *room(int64_t count) {
  entry *array = calloc((size_t)count + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

static long double sum_of(int64_t m, const double _Complex *a) {
  long double sum = 0;
  for (int64_t i = 0; i < m; i++) sum += cabs(a[i]);
  return sum;
}

static long double norm(int64_t m, int64_t n, const double _Complex *a) {
  long double most = 0;
  for (int64_t j = 0; j < n; j++) most = fmaxl(most, sum_of(m, a + j * m));
  return most;
}

static int64_t most_of(int64_t a, int64_t b) { return a > b ? a : b; }

static double quotient(long double a, long double b) { return a == 0 ? 0 : (double)(a / b); }

/* b - A x. */
static entry *rest_of(const struct squares *s) {
  entry *rest = room(s->m * s->r);
  for (int64_t j = 0; j < s->r; j++) {
    for (int64_t i = 0; i < s->m; i++) rest[i + j * s->m] = s->b[i + j * s->m];
    for (int64_t l = 0; l < s->n; l++)
      for (int64_t i = 0; i < s->m; i++)
        rest[i + j * s->m] -= (entry)s->a[i + l * s->m] * s->x[l + j * s->n];
  }
  return rest;
}

double ratio_of_system(const struct squares *s) {
  entry *rest = rest_of(s);
  const long double size = norm(s->m, s->n, s->a) * (long double)most_of(s->m, s->n) * s->unit;
  double most = 0;
  for (int64_t j = 0; j < s->r; j++) {
    long double sum = 0;
    for (int64_t i = 0; i < s->m; i++) sum += cabsl(rest[i + j * s->m]);
    most = fmax(most, quotient(sum, size * sum_of(s->n, s->x + j * s->n)));
  }
  free(rest);
  return most;
}

double ratio_of_normal(const struct squares *s, bool long_x) {
  entry *rest = rest_of(s);
  long double most = 0;
  for (int64_t j = 0; j < s->n; j++) {
    long double sum = 0;
    for (int64_t k = 0; k < s->r; k++) {
      entry product = 0;
      for (int64_t i = 0; i < s->m; i++) product += conjl(rest[i + k * s->m]) * s->a[i + j * s->m];
      sum += cabsl(product);
    }
    most = fmaxl(most, sum);
  }
  free(rest);
  const long double size = norm(s->m, s->n, s->a), longest = size * norm(s->n, s->r, s->x);
  long double sides = norm(s->m, s->r, s->b);
  if (long_x) sides = fmaxl(sides, longest);
  return quotient(most, size * sides * (long double)most_of(most_of(s->m, s->n), s->r) * s->unit);
}

/* Takes `count' orthonormal columns from a column, twice; its length. */
static long double take(int64_t n, int64_t count, const entry *q, entry *x) {
  long double squares = 0;
  for (int again = 0; again < 2; again++)
    for (int64_t k = 0; k < count; k++) {
      entry dot = 0;
      for (int64_t i = 0; i < n; i++) dot += conjl(q[i + k * n]) * x[i];
      for (int64_t i = 0; i < n; i++) x[i] -= dot * q[i + k * n];
    }
  for (int64_t i = 0; i < n; i++) squares += powl(cabsl(x[i]), 2);
  return sqrtl(squares);
}

/* Of rows that depend on those before, rounding is a direction of its own, as in LAPACK. */
double ratio_of_rows(const struct squares *s) {
  entry *q = room(s->n * s->m), *x = room(s->n);
  long double most = 0, largest = 0;
  for (int64_t k = 0; k < s->m && s->m < s->n; k++) {
    for (int64_t i = 0; i < s->n; i++) q[i + k * s->n] = conj(s->a[k + i * s->m]);
    const long double length = take(s->n, k, q, q + k * s->n);
    for (int64_t i = 0; i < s->n && length > 0; i++) q[i + k * s->n] /= length;
  }
  for (int64_t e = 0; e < s->n * s->r; e++) largest = fmaxl(largest, cabs(s->x[e]));
  for (int64_t j = 0; j < s->r && s->m < s->n; j++) {
    for (int64_t i = 0; i < s->n; i++) x[i] = s->x[i + j * s->n];
    most = fmaxl(most, take(s->n, s->m, q, x));
  }
  free(x);
  free(q);
  return quotient(most, largest * (long double)most_of(most_of(s->m, s->n), s->r) * s->unit);
}
