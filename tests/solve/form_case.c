#include "tests/solve/form_case.h"

#include "tests/harness/harness.h"

#include <math.h>
#include <stdlib.h>

/* Entry i of the vector of reflection j. */
static double _Complex entry_of(int64_t n, bool upper, const double _Complex *form, int64_t j,
                                int64_t i) {
  const int64_t one = upper ? j : j + 1, column = upper ? j + 1 : j;
  if (i == one) return 1;
  return (upper ? i < one : i > one) ? form[i + column * n] : 0;
}

/* B := Q B. */
static void multiply(int64_t n, bool upper, const double _Complex *form, const double _Complex *tau,
                     double _Complex *b) {
  for (int64_t step = 0; step + 1 < n; step++) {
    const int64_t j = upper ? step : n - 2 - step;
    for (int64_t c = 0; c < n; c++) {
      double _Complex sum = 0;
      for (int64_t i = 0; i < n; i++) sum += conj(entry_of(n, upper, form, j, i)) * b[i + c * n];
      for (int64_t i = 0; i < n; i++) b[i + c * n] -= tau[j] * sum * entry_of(n, upper, form, j, i);
    }
  }
}

static void conjugate_transpose(int64_t n, double _Complex *b) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      const double _Complex held = b[i + j * n];
      b[i + j * n] = conj(b[j + i * n]);
      b[j + i * n] = conj(held);
    }
}

double form_residual(int64_t n, bool upper, const double _Complex *form, const double _Complex *tau,
                     const double _Complex *given) {
  double _Complex *b = calloc((size_t)(n * n + 1), sizeof *b);
  assert_non_null(b);
  for (int64_t i = 0; i < n; i++) {
    b[i + i * n] = creal(form[i + i * n]);
    if (i + 1 == n) break;
    const double beside = creal(upper ? form[i + (i + 1) * n] : form[i + 1 + i * n]);
    b[i + 1 + i * n] = b[i + (i + 1) * n] = beside;
  }
  for (int turn = 0; turn < 2; turn++) { /* Q T, then Q (Q T)^H */
    multiply(n, upper, form, tau, b);
    conjugate_transpose(n, b);
  }
  double apart = 0, all = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) {
      const double _Complex due = i == j ? creal(given[i + j * n]) : given[i + j * n];
      const int times = i == j ? 1 : 2;
      apart += times * cabs(b[i + j * n] - due) * cabs(b[i + j * n] - due);
      all += times * cabs(due) * cabs(due);
    }
  free(b);
  return apart == 0 ? 0 : sqrt(apart / all);
}
