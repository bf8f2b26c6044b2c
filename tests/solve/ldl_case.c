/* Draws Hermitian indefinite systems of several kinds. */
#include "ldl_case.h"

static double _Complex draw_entry(bool complex_type) {
  return hy_complex((double)harness_draw(-64, 64) / 64,
                    complex_type ? (double)harness_draw(-64, 64) / 64 : 0);
}

/* M S M^H. */
static void set_inertia(struct indefinite *s, bool complex_type) {
  int64_t n = s->n;
  double _Complex *m = calloc((size_t)(n * n + 1), sizeof *m);
  assert_non_null(m);
  s->positive = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) m[i + j * n] = i == j ? 1 : draw_entry(complex_type) / 8;
  for (int64_t k = 0; k < n; k++) {
    double sign = harness_draw(0, 1) ? 1 : -1;
    s->positive += sign > 0;
    for (int64_t j = k; j < n; j++)
      for (int64_t i = k; i < n; i++) s->a[i + j * n] += sign * m[i + k * n] * conj(m[j + k * n]);
  }
  free(m);
}

static double _Complex entry_of(const struct indefinite *s, int64_t i, int64_t j,
                                bool complex_type) {
  int64_t n = s->n, order = n - n / 3; /* of S */
  double _Complex drawn = draw_entry(complex_type);
  switch (s->kind) {
  case HOLLOW: return i == j ? 0 : drawn;
  case SADDLE:
    if (i < order) return i == j ? 1 + fabs(creal(drawn)) : 0;
    return j >= order ? 0 : i - order == j ? 4 : drawn / 8;
  case PAIRS:
    if (i == j) return i == n - 1 && n % 2 == 1;
    return i == j + 1 && j % 2 == 0 ? 1 + creal(drawn) / 2 : 0;
  default: return (i == j ? creal(drawn) : drawn) * pow(10, -8.0 * (double)(i + j) / (double)n / 2);
  }
}

struct indefinite draw_indefinite(int64_t n, enum kind kind, bool complex_type) {
  size_t square = (size_t)(n * n + 1), sides = (size_t)(n * SIDES_MOST + 1);
  struct indefinite s = {n,
                         kind,
                         -1,
                         calloc(square, sizeof *s.a),
                         calloc(square, sizeof *s.a),
                         calloc(sides, sizeof *s.b)};
  assert_true(s.a && s.lower && s.b);
  if (kind == INERTIA) set_inertia(&s, complex_type);
  if (kind == SADDLE) s.positive = n - n / 3;
  if (kind == PAIRS) s.positive = (n + 1) / 2;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      if (kind != INERTIA) s.a[i + j * n] = entry_of(&s, i, j, complex_type);
      double _Complex entry = s.a[i + j * n];
      s.a[j + i * n] = conj(entry);
      s.lower[j + i * n] = hy_complex(NAN, 0);
      s.lower[i + j * n] = i == j ? hy_complex(creal(entry), complex_type ? NAN : 0) : entry;
    }
  for (int64_t i = 0; i < n * SIDES_MOST; i++) s.b[i] = draw_entry(complex_type);
  return s;
}

void free_indefinite(struct indefinite *s) {
  free(s->a);
  free(s->lower);
  free(s->b);
}
