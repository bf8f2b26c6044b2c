/* hyla_factor_determinant: a product over the diagonal of the factors, as a logarithm and a sign,
 * because the determinant itself overflows or underflows even for quite small matrices. */
#include "solve/answer/answer.h"

#include <complex.h>
#include <math.h>

/* A product of diagonal entries: the logarithm of its magnitude, and its direction. */
struct product {
  double log_abs;
  double _Complex sign;
};

static void multiply(void *into, const void *from, int64_t count, const void *arg) {
  struct product *a = into;
  const struct product *b = from;
  (void)arg, (void)count; /* count is 1 */
  a->log_abs += b->log_abs;
  a->sign *= b->sign;
}

/* Scaled, so that no square overflows or underflows; the sign of a real entry is exactly 1 or
 * -1. */
static struct product factor_of(double _Complex entry) {
  double scale = fmax(fabs(creal(entry)), fabs(cimag(entry)));
  double re = creal(entry) / scale, im = cimag(entry) / scale, size = hypot(re, im);
  return (struct product){log(scale) + log(size), hy_complex(re / size, im / size)};
}

/* The product of the diagonal entries on this rank. */
static struct product product_here(const hyla_matrix *a) {
  struct product product = {0, 1};
  for (int64_t col = 0; col < a->local_cols && a->local_rows > 0; col++) {
    int64_t j = hyla_matrix_col(a, col);
    int64_t row = hy_axis_before(&a->row, a->row_part, j);
    if (row == a->local_rows || hyla_matrix_row(a, row) != j) continue;
    const struct product factor = factor_of(a->k->get(hy_at(a, row, col), 0));
    multiply(&product, &factor, 1, NULL);
  }
  return product;
}

/* The product over the blocks of D, on nodes.  P stands on both sides of A, so its sign cancels.  A
 * block of order 2 is divided by the entry below its diagonal, the largest of its last column. */
static struct product product_of_blocks(const struct hy_block_diagonal *d, int64_t n) {
  struct product product = {0, 1};
  for (int64_t i = 0; i < n; i++) {
    struct product factor = factor_of(d->diagonal[i]);
    if (d->below[i] != 0) {
      double size = cabs(d->below[i]);
      factor = factor_of((d->diagonal[i] / size) * (d->diagonal[i + 1] / size) - 1);
      factor.log_abs += 2 * log(size);
      i++;
    }
    multiply(&product, &factor, 1, NULL);
  }
  return product;
}

/* The sign of P, on nodes. */
static double sign_of_swaps(const struct hyla_factor *factor) {
  bool odd = false;
  for (int64_t i = 0; i < factor->problem.n; i++) odd ^= factor->factors.swaps[i] != i;
  return odd ? -1 : 1;
}

static hyla_status determinant(const struct hyla_factor *factor, double *log_abs, double sign[2]) {
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  hyla_cube *cube = factor->problem.cube;
  struct product found = product_here(factor->factors.a), work;
  uint32_t all = hy_all_dims(cube);
  TRY(hy_agree(cube, hy_allreduce(cube, all, &found, 1, sizeof found, multiply, NULL, &work)));
  if (steps->diagonal != NULL) {
    const struct hy_block_diagonal *d = steps->diagonal(hy_factor_state(factor));
    if (cube->address >= 0) found = product_of_blocks(d, factor->problem.n);
  } else if (steps->hermitian) { /* L and L^H have the same positive product */
    found.log_abs *= 2;
    found.sign = 1;
  } else if (cube->address >= 0) {
    found.sign *= sign_of_swaps(factor) / cabs(found.sign);
  }
  TRY(hy_agree(cube, hy_tell_guests(cube, &found, sizeof found)));
  *log_abs = found.log_abs;
  sign[0] = creal(found.sign);
  sign[1] = factor->problem.k->complex_type ? cimag(found.sign) : 0;
  return HYLA_OK;
}

hyla_status hyla_factor_determinant(hyla_cube *cube, const hyla_factor *factor, double *log_abs,
                                    double sign[2]) {
  struct hy_call call = {.name = "hyla_factor_determinant",
                         .place = {{"log_abs", log_abs, 1}, {"sign", sign, 2}},
                         .needs_data = true};
  const int required = HY_COMPUTED | HY_SQUARE | HY_WITH_TRIANGLES;
  TRY(hy_call_enter(cube, &call, hy_factor_call(cube, factor, required, &call)));
  return determinant(factor, log_abs, sign);
}
