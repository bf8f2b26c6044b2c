/* Norms as a number and an exponent, for matrices whose sums of entries overflow, or the magnitudes
 * of complex entries. */
#include "solve/contract/contract.h"

#include <complex.h>
#include <math.h>

/* 2^-SHIFT brings sums of 2^60 entries, and of magnitudes, back into the range. */
enum { SHIFT = 64 };

struct hy_norm hy_norm_fraction(struct hy_norm norm) {
  int exponent = 0;
  double value = frexp(norm.value, &exponent);
  if (value == 0 || !isfinite(value)) return (struct hy_norm){value, 0};
  return (struct hy_norm){value, norm.exponent + exponent};
}

/* Half of the largest entry; it is finite if all parts are finite.  No entry may be NaN. */
static double half_of_largest(const struct hy_kernels *k, int64_t m, int64_t n, const char *a,
                              int64_t lda) {
  double largest = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      double _Complex entry = k->get(a, i + j * lda);
      largest = fmax(largest, cabs(hy_complex(creal(entry) / 2, cimag(entry) / 2)));
    }
  return largest;
}

struct hy_norm hy_norm_largest(const struct hy_kernels *k, int64_t m, int64_t n, const char *a,
                               int64_t lda) {
  double value = k->largest((int)m, (int)n, a, (int)lda);
  if (!isinf(value)) return hy_norm_fraction((struct hy_norm){value, 0});
  return hy_norm_fraction((struct hy_norm){half_of_largest(k, m, n, a, lda), 1});
}

/* Columns are passed over in pieces, by the rank's threads. */
enum { PIECES = 16 };
struct look {
  const hyla_matrix *a;
  struct hy_norm found[PIECES];
};

static void look_at(void *arg, int64_t piece, int thread) {
  struct look *look = arg;
  const hyla_matrix *a = look->a;
  const int64_t first = piece * a->local_cols / PIECES;
  const int64_t cols = (piece + 1) * a->local_cols / PIECES - first;
  (void)thread;
  if (cols > 0 && a->local_rows > 0)
    look->found[piece] = hy_norm_largest(a->k, a->local_rows, cols, hy_at(a, 0, first), a->ld);
}

struct hy_norm hy_norm_here(const hyla_matrix *a) {
  struct look look = {.a = a};
  struct hy_norm largest = {0, 0};
  hy_solve_share(a, look_at, &look, PIECES);
  for (int i = 0; i < PIECES; i++) largest = hy_norm_larger(largest, look.found[i]);
  return largest;
}

/* Is a above b? The exponents of 0 and of numbers that are not finite mean nothing. */
static bool is_above(struct hy_norm a, struct hy_norm b) {
  if (isnan(a.value) || isnan(b.value)) return !isnan(b.value);
  if (a.value == 0 || b.value == 0 || isinf(a.value) || isinf(b.value)) return a.value > b.value;
  return a.exponent != b.exponent ? a.exponent > b.exponent : a.value > b.value;
}

struct hy_norm hy_norm_larger(struct hy_norm a, struct hy_norm b) {
  return is_above(b, a) ? b : a;
}

void hy_norm_allocate_larger(void *into, const void *from, int64_t count, const void *arg) {
  struct hy_norm *a = into;
  const struct hy_norm *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) a[i] = hy_norm_larger(a[i], b[i]);
}

double hy_norm_quotient(struct hy_norm a, struct hy_norm b) {
  return ldexp(a.value / b.value, a.exponent - b.exponent);
}

double hy_norm_condition(struct hy_norm a, struct hy_norm inverse) {
  if (isnan(a.value) || isnan(inverse.value)) return NAN;
  if (a.value == 0 || inverse.value == 0) return 0;
  return ldexp(1 / inverse.value / a.value, -inverse.exponent - a.exponent);
}

void hy_shift(const struct hy_kernels *k, int64_t rows, int exponent, char *x) {
  const int most = k->epsilon > 1e-10 ? 100 : 1000;
  while (exponent != 0) {
    int step = exponent > most ? most : exponent < -most ? -most : exponent;
    k->scale((int)rows, ldexp(1, step), x, 1);
    exponent -= step;
  }
}

/* The norm of a copy that is scaled down; entries that underflow are smaller than the sums'
 * rounding. */
static hyla_status find_scaled(hyla_cube *cube, const hyla_matrix *m, hyla_norm kind,
                               hyla_matrix *copy, double *value) {
  TRY(hy_move_once(m, copy));
  for (int64_t j = 0; j < copy->local_cols; j++)
    hy_shift(copy->k, copy->local_rows, -SHIFT, hy_at(copy, 0, j));
  return hyla_matrix_norm(cube, copy, kind, value);
}

hyla_status hy_norm_find(hyla_cube *cube, const hyla_matrix *m, hyla_norm kind,
                         struct hy_norm *norm) {
  hyla_matrix *copy = NULL;
  double value = 0;
  int exponent = 0;
  if (kind == HYLA_NORM_FRO) {
    TRY(hy_matrix_frobenius(m, &value, &exponent));
    *norm = hy_norm_fraction((struct hy_norm){value, exponent});
    return HYLA_OK;
  }
  TRY(hyla_matrix_norm(cube, m, kind, &value));
  *norm = hy_norm_fraction((struct hy_norm){value, 0});
  if (!isinf(value)) return HYLA_OK;
  TRY(hy_matrix_make(cube, m->k->type, m->row.n, m->col.n, &m->layout, &copy));
  hyla_status status = find_scaled(cube, m, kind, copy, &value);
  (void)hyla_matrix_destroy(&copy);
  *norm = hy_norm_fraction((struct hy_norm){value, SHIFT});
  return status;
}
