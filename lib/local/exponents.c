/* Exponents of entries, and scaling by powers of two, column by column; equilibration uses both.
 * IEEE 754 numbers without their signs are ordered as their bits are. */
#include "local/kernels.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Bits of the larger part, in magnitude, of entry i, which has `parts' doubles. */
static inline uint64_t double_bits(const void *x, int64_t i, int parts) {
  uint64_t bits[2] = {0, 0};
  memcpy(bits, (const char *)x + i * parts * 8, (size_t)parts * 8);
  bits[0] &= UINT64_MAX >> 1;
  bits[1] &= UINT64_MAX >> 1;
  return bits[0] > bits[1] ? bits[0] : bits[1];
}

static inline uint32_t float_bits(const void *x, int64_t i, int parts) {
  uint32_t bits[2] = {0, 0};
  memcpy(bits, (const char *)x + i * parts * 4, (size_t)parts * 4);
  bits[0] &= UINT32_MAX >> 1;
  bits[1] &= UINT32_MAX >> 1;
  return bits[0] > bits[1] ? bits[0] : bits[1];
}

/* Returns true if some entry is below the normal numbers; its exponent is not found yet. */
static inline bool double_exponents(int m, const void *x, int parts, int32_t *exponents) {
  uint32_t small = 0;
  for (int64_t i = 0; i < m; i++) {
    uint64_t bits = double_bits(x, i, parts);
    int32_t field = (int32_t)(bits >> 52);
    exponents[i] = field == 0 || field == 0x7ff ? HY_NO_EXPONENT : field - 1022;
    small |= (uint32_t)(field == 0) & (uint32_t)(bits != 0);
  }
  return small != 0;
}

static inline bool float_exponents(int m, const void *x, int parts, int32_t *exponents) {
  uint32_t small = 0;
  for (int64_t i = 0; i < m; i++) {
    uint32_t bits = float_bits(x, i, parts);
    int32_t field = (int32_t)(bits >> 23);
    exponents[i] = field == 0 || field == 0xff ? HY_NO_EXPONENT : field - 126;
    small |= (uint32_t)(field == 0) & (uint32_t)(bits != 0);
  }
  return small != 0;
}

static int32_t exponent_of(double _Complex entry) {
  double size = fmax(fabs(creal(entry)), fabs(cimag(entry)));
  if (size == 0 || !isfinite(creal(entry)) || !isfinite(cimag(entry))) return HY_NO_EXPONENT;
  return ilogb(size) + 1;
}

void hy_exponents(const struct hy_kernels *k, int m, const void *x, int32_t *exponents) {
  bool small = false;
  switch (k->type) {
  case HYLA_FLOAT: small = float_exponents(m, x, 1, exponents); break;
  case HYLA_DOUBLE: small = double_exponents(m, x, 1, exponents); break;
  case HYLA_COMPLEX: small = float_exponents(m, x, 2, exponents); break;
  case HYLA_DOUBLE_COMPLEX: small = double_exponents(m, x, 2, exponents); break;
  }
  for (int64_t i = 0; i < m && small; i++) exponents[i] = exponent_of(k->get(x, i));
}

bool hy_exponents_range(const struct hy_kernels *k, int m, int n, const void *a, int lda,
                        struct hy_exponent_range *range) {
  struct hy_magnitudes all = {(double)INFINITY, 0};
  if (!k->dry) all = hy_looks_best()->magnitudes[k->type](m, n, a, lda);
  if (all.most == 0 || isinf(all.most)) return false;
  *range = (struct hy_exponent_range){ilogb(all.least) + 1, ilogb(all.most) + 1};
  return true;
}

/* 2^exponent, for a result that is a normal number. */
static inline double power(int32_t exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline void scale_doubles(int m, const int32_t *exponents, int32_t more, int parts,
                                 double *x) {
  for (int64_t i = 0; i < m; i++)
    for (int part = 0; part < parts; part++) x[i * parts + part] *= power(exponents[i] + more);
}

static inline void scale_floats(int m, const int32_t *exponents, int32_t more, int parts,
                                float *x) {
  for (int64_t i = 0; i < m; i++)
    for (int part = 0; part < parts; part++)
      x[i * parts + part] = (float)(x[i * parts + part] * power(exponents[i] + more));
}

static bool all_normal(int m, const int32_t *exponents, int32_t more) {
  int32_t least = 0, most = 0;
  for (int i = 0; i < m; i++) {
    least = exponents[i] + more < least ? exponents[i] + more : least;
    most = exponents[i] + more > most ? exponents[i] + more : most;
  }
  return least >= -1022 && most <= 1023;
}

void hy_scale_powers(const struct hy_kernels *k, int m, const int32_t *exponents, int32_t more,
                     void *x) {
  if (!all_normal(m, exponents, more)) {
    for (int64_t i = 0; i < m; i++) {
      double _Complex entry = k->get(x, i);
      int by = exponents[i] + more;
      k->set(x, i, hy_complex(ldexp(creal(entry), by), ldexp(cimag(entry), by)));
    }
    return;
  }
  switch (k->type) {
  case HYLA_FLOAT: scale_floats(m, exponents, more, 1, x); break;
  case HYLA_DOUBLE: scale_doubles(m, exponents, more, 1, x); break;
  case HYLA_COMPLEX: scale_floats(m, exponents, more, 2, x); break;
  case HYLA_DOUBLE_COMPLEX: scale_doubles(m, exponents, more, 2, x); break;
  }
}
