/* Backward errors by long double sums; see backward.h. */
#include "backward.h"

#include <math.h>
#include <stdlib.h>

#include "tests/harness/harness.h"

struct backward backward_make(int64_t n) {
  struct backward a = {.n = n};
  a.entries = calloc((size_t)(n * n) + 1, sizeof *a.entries);
  a.moduli = calloc((size_t)(n * n) + 1, sizeof *a.moduli);
  assert_true(a.entries != NULL && a.moduli != NULL);
  return a;
}

void backward_weigh(struct backward *a) {
  a->norm = 0;
  for (int64_t j = 0; j < a->n; j++) {
    long double column = 0;
    for (int64_t e = j * a->n; e < (j + 1) * a->n; e++) {
      a->moduli[e] = cabsl((long double _Complex)a->entries[e]);
      column += a->moduli[e];
    }
    a->norm = fmaxl(a->norm, column);
  }
}

void backward_free(struct backward *a) {
  free(a->entries);
  free(a->moduli);
  *a = (struct backward){.n = 0};
}

/* Real and imaginary parts are separate, because products of long double _Complex are slow. */
struct row {
  long double re, im, size;
};

static void add_column(struct row *rows, const struct backward *a, int64_t j, double _Complex x) {
  const double _Complex *entries = a->entries + j * a->n;
  const long double *moduli = a->moduli + j * a->n;
  const long double re = creal(x), im = cimag(x), size = cabsl((long double _Complex)x);
  for (int64_t i = 0; i < a->n; i++) {
    rows[i].re += creal(entries[i]) * re - cimag(entries[i]) * im;
    rows[i].im += creal(entries[i]) * im + cimag(entries[i]) * re;
    rows[i].size += moduli[i] * size;
  }
}

struct backward_errors backward_errors(const struct backward *a, const double _Complex *x,
                                       const double _Complex *b) {
  long double size = 0, rest = 0, componentwise = 0;
  struct row *rows = calloc((size_t)a->n + 1, sizeof *rows);
  assert_non_null(rows);
  for (int64_t i = 0; i < a->n; i++)
    rows[i] = (struct row){-creal(b[i]), -cimag(b[i]), cabsl((long double _Complex)b[i])};
  for (int64_t j = 0; j < a->n; j++) {
    add_column(rows, a, j, x[j]);
    size += cabsl((long double _Complex)x[j]);
  }
  for (int64_t i = 0; i < a->n; i++) {
    long double here = hypotl(rows[i].re, rows[i].im);
    rest += here;
    if (!(here == 0) && !(here / rows[i].size <= componentwise))
      componentwise = here / rows[i].size;
  }
  free(rows);
  return (struct backward_errors){.norm = (double)(rest / (a->norm * size)),
                                  .componentwise = (double)componentwise};
}
