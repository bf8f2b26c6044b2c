/* Systems whose inverse is known as a product. */
#include "jordan_case.h"

#include "solve/solve.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double _Complex *new_entries(int64_t count) {
  double _Complex *entries = calloc((size_t)count + 1, sizeof *entries);
  assert_non_null(entries);
  return entries;
}

double _Complex jordan_case_unit(bool complex_type) {
  double sign = (double)(2 * harness_draw(0, 1) - 1);
  return complex_type && harness_draw(0, 1) == 1 ? hy_complex(0, sign) : sign;
}

static void note(struct jordan_case *s, double _Complex value) {
  double parts[] = {creal(value), cimag(value)};
  for (int i = 0; i < 2; i++)
    if (fabs(parts[i]) > 512 || rint(8 * parts[i]) != 8 * parts[i]) s->exact = false;
}

/* Draws `others' entries beside the diagonal in each column of f; two diagonal entries are not
 * units. */
static void draw_factors(struct jordan_case *s, int others) {
  int64_t n = s->n;
  for (int64_t i = 0; i < n * n; i++) s->f[i] = 0;
  for (int64_t j = 0; j < n; j++) {
    for (int i = 0; i < others; i++)
      s->f[harness_draw(0, n - 1) + j * n] = jordan_case_unit(s->complex_type);
    s->f[j + j * n] = jordan_case_unit(s->complex_type);
  }
  if (n > 0) s->f[harness_draw(0, n - 1) * (n + 1)] *= 2;
  if (n > 0) s->f[harness_draw(0, n - 1) * (n + 1)] /= 2;
}

/* column := (J^j)^-1 column; for an op with its transpose or conjugate transpose. */
static void undo(struct jordan_case *s, int op, int64_t j, double _Complex *column) {
  const double _Complex *f = s->f + j * s->n;
  double _Complex x = column[j];
  if (op == HYLA_NONE) x /= f[j];
  for (int64_t i = 0; i < s->n; i++) {
    double _Complex factor = op == HYLA_CONJUGATE ? conj(f[i]) : f[i];
    if (i == j) continue;
    if (op == HYLA_NONE) {
      column[i] -= factor * x;
      note(s, column[i]);
    } else {
      x -= factor * column[i];
    }
  }
  if (op != HYLA_NONE) x /= op == HYLA_CONJUGATE ? conj(f[j]) : f[j];
  column[j] = x;
  note(s, x);
}

/* column := op(A) column. */
static void multiply(struct jordan_case *s, int op, double _Complex *column) {
  for (int64_t i = 0; i < s->n; i++) undo(s, op, op == HYLA_NONE ? s->n - 1 - i : i, column);
}

static void fill(struct jordan_case *s, int others) {
  int64_t n = s->n, sides = n * s->nrhs;
  s->exact = true;
  draw_factors(s, others);
  for (int64_t i = 0; i < n * n; i++) s->a[i] = i % (n + 1) == 0;
  for (int64_t j = 0; j < n; j++) multiply(s, HYLA_NONE, s->a + j * n);
  for (int64_t i = 0; i < sides; i++) s->x[i] = jordan_case_unit(s->complex_type);
  for (int op = 0; op < 3; op++) {
    memcpy(s->b[op], s->x, (size_t)sides * sizeof *s->x);
    for (int64_t c = 0; c < s->nrhs; c++) multiply(s, op, s->b[op] + c * n);
  }
}

/* With fewer other entries sums grow more slowly. */
struct jordan_case jordan_case_draw(int64_t n, int64_t nrhs, bool complex_type) {
  struct jordan_case s = {.n = n, .nrhs = nrhs, .complex_type = complex_type};
  s.f = new_entries(n * n);
  s.a = new_entries(n * n);
  s.x = new_entries(n * nrhs);
  for (int op = 0; op < 3; op++) s.b[op] = new_entries(n * nrhs);
  for (int trial = 0; !s.exact; trial++) fill(&s, (int)hy_max(0, 8 - trial / 2));
  return s;
}

void jordan_case_free(struct jordan_case *s) {
  free(s->f);
  free(s->a);
  free(s->x);
  for (int op = 0; op < 3; op++) free(s->b[op]);
}
