/* See lstsq_ratios.h. */
#include "lstsq_ratios.h"

#include "tests/harness/harness.h"

#include <math.h>
#include <stdlib.h>

static double _Complex *room(int64_t count) {
  double _Complex *array = calloc((size_t)count + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

static double norm(int64_t m, int64_t n, const double _Complex *a) {
  double most = 0;
  for (int64_t j = 0; j < n; j++) {
    double sum = 0;
    for (int64_t i = 0; i < m; i++) sum += cabs(a[i + j * m]);
    most = fmax(most, sum);
  }
  return most;
}

static double most_of(int64_t a, int64_t b) { return (double)(a > b ? a : b); }

static double quotient(double a, double b) { return a == 0 ? 0 : a / b; }

/* b - A x. */
static double _Complex *rest_of(const struct squares *s) {
  double _Complex *rest = room(s->m * s->r);
  for (int64_t j = 0; j < s->r; j++) {
    for (int64_t i = 0; i < s->m; i++) rest[i + j * s->m] = s->b[i + j * s->m];
    for (int64_t l = 0; l < s->n; l++)
      for (int64_t i = 0; i < s->m; i++)
        rest[i + j * s->m] -= s->a[i + l * s->m] * s->x[l + j * s->n];
  }
  return rest;
}

double ratio_of_system(const struct squares *s) {
  double _Complex *rest = rest_of(s);
  const double unit = most_of(s->m, s->n) * s->ulp,
               found = quotient(norm(s->m, s->r, rest),
                                norm(s->m, s->n, s->a) * norm(s->n, s->r, s->x) * unit);
  free(rest);
  return found;
}

double ratio_of_normal(const struct squares *s) {
  double _Complex *rest = rest_of(s), *product = room(s->r * s->n);
  for (int64_t j = 0; j < s->n; j++)
    for (int64_t k = 0; k < s->r; k++)
      for (int64_t i = 0; i < s->m; i++)
        product[k + j * s->r] += conj(rest[i + k * s->m]) * s->a[i + j * s->m];
  const double unit = fmax(most_of(s->m, s->n), (double)s->r) * s->ulp,
               size = norm(s->m, s->n, s->a),
               sides = fmax(norm(s->m, s->r, s->b), size * norm(s->n, s->r, s->x)),
               found = quotient(norm(s->r, s->n, product), size * sides * unit);
  free(product);
  free(rest);
  return found;
}

/* Takes `count' orthonormal columns from a column, twice; its length. */
static double take(int64_t n, int64_t count, const double _Complex *q, double _Complex *x) {
  double squares = 0;
  for (int again = 0; again < 2; again++)
    for (int64_t k = 0; k < count; k++) {
      double _Complex dot = 0;
      for (int64_t i = 0; i < n; i++) dot += conj(q[i + k * n]) * x[i];
      for (int64_t i = 0; i < n; i++) x[i] -= dot * q[i + k * n];
    }
  for (int64_t i = 0; i < n; i++) squares += pow(cabs(x[i]), 2);
  return sqrt(squares);
}

double ratio_of_rows(const struct squares *s) {
  double _Complex *q = room(s->n * s->m), *x = room(s->n);
  double most = 0, largest = 0;
  for (int64_t k = 0; k < s->m; k++) {
    for (int64_t i = 0; i < s->n; i++) q[i + k * s->n] = conj(s->a[k + i * s->m]);
    const double length = take(s->n, k, q, q + k * s->n);
    for (int64_t i = 0; i < s->n; i++) q[i + k * s->n] /= length;
  }
  for (int64_t e = 0; e < s->n * s->r; e++) largest = fmax(largest, cabs(s->x[e]));
  for (int64_t j = 0; j < s->r; j++) {
    for (int64_t i = 0; i < s->n; i++) x[i] = s->x[i + j * s->n];
    most = fmax(most, take(s->n, s->m, q, x));
  }
  free(x);
  free(q);
  return quotient(most, largest * fmax(most_of(s->m, s->n), (double)s->r) * s->ulp);
}
