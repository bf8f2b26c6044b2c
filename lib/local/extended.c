/* Sums of products in twice the precision of a type, for residuals.
 *
 * double: the dot product of Ogita, Rump, Oishi 2005, Algorithm 5.3.  Each product is split into
 * its rounded value and the error, by one fused operation or by Dekker's 17 operations (1971).
 * Each sum is split by Knuth's 6 operations.  The errors are added up separately.  The result is as
 * if computed in twice the precision and then rounded to it.  The method needs arithmetic that
 * rounds to double after each operation, as all processors have except x86 without SSE2.  It needs
 * a compiler that keeps the operations as written, so -ffast-math breaks it.
 *
 * float: products are exact in double, and sums are made in double.
 *
 * Rows are processed in strips, so that the sums stay in the first-level cache. */
#include "local/kernels.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Contraction would fuse operations that must round separately.  gcc does none with -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* The high half of x = high + low; each half has 26 bits. */
static inline double high_half(double x) {
  double much = 0x8000001p0 * x;
  return much - (much - x);
}

static inline double dekker_error(double a, double b, double product) {
  double a_high = high_half(a), b_high = high_half(b);
  double a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

#define FOR(name) name##_plain
#define TARGET
#ifdef FP_FAST_FMA
#define PRODUCT_ERROR(a, b, p) fma(a, b, -(p))
#else
#define PRODUCT_ERROR(a, b, p) dekker_error(a, b, p)
#endif
#include "local/extended_body.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HY_FUSED
#define FOR(name) name##_fused
#define TARGET __attribute__((target("avx2,fma")))
#define PRODUCT_ERROR(a, b, p) __builtin_fma(a, b, -(p))
#include "local/extended_body.h"
#endif

const struct hy_extended *hy_extended_of(bool fused) {
#ifdef HY_FUSED
  if (fused)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &extended_fused : NULL;
#else
  if (fused) return NULL;
#endif
  return &extended_plain;
}

int64_t hy_extended_words(const struct hy_kernels *k) { return k->complex_type ? 2 : 1; }

/* A strip of rows: its sums (high + low) and one column of A.  Index 0: real parts, 1: imaginary
 * parts. */
struct strip {
  double high[2][HY_STRIP], low[2][HY_STRIP];
  double parts[2][HY_STRIP];
};

/* Copies a column of A to strip->parts.  In the last strip, parts beyond its rows stay 0. */
static void unpack(const struct hy_kernels *k, int rows, const void *column, struct strip *strip) {
  const bool wide = k->size == sizeof(double) * (k->complex_type ? 2 : 1);
  const int step = k->complex_type ? 2 : 1;
  for (int part = 0; part < step; part++) {
    double *to = strip->parts[part];
    if (wide)
      for (int i = 0; i < rows; i++) to[i] = ((const double *)column)[i * step + part];
    else
      for (int i = 0; i < rows; i++) to[i] = (double)((const float *)column)[i * step + part];
  }
}

static void add_column(const struct hy_kernels *k, hy_extended_step *add, double _Complex x,
                       struct strip *s) {
  double re = creal(x), im = cimag(x);
  add(s->parts[0], re, s->high[0], s->low[0]);
  if (!k->complex_type) return;
  add(s->parts[1], -im, s->high[0], s->low[0]);
  add(s->parts[0], im, s->high[1], s->low[1]);
  add(s->parts[1], re, s->high[1], s->low[1]);
}

/* a + b; *error: the rounding error. */
static inline double sum_of(double a, double b, double *error) {
  double sum = a + b, part = sum - a;
  *error = (a - (sum - part)) + (b - part);
  return sum;
}

static struct hy_double_word add_words(struct hy_double_word a, struct hy_double_word b) {
  double error, sum = sum_of(a.high, b.high, &error);
  error += a.low + b.low;
  struct hy_double_word word = {.high = sum + error};
  word.low = error - (word.high - sum);
  return word;
}

void hy_extended_add(int64_t count, const struct hy_double_word *from,
                     struct hy_double_word *into) {
  for (int64_t i = 0; i < count; i++) into[i] = add_words(into[i], from[i]);
}

/* a b + c d, for numbers below 2. */
static struct hy_double_word two_products(double a, double b, double c, double d) {
  double first = a * b, second = c * d;
  return add_words((struct hy_double_word){first, dekker_error(a, b, first)},
                   (struct hy_double_word){second, dekker_error(c, d, second)});
}

/* a / b, rounded to double. */
static double quotient_of(struct hy_double_word a, struct hy_double_word b) {
  double quotient = a.high / b.high, product = quotient * b.high;
  double rest =
      ((a.high - product) - dekker_error(quotient, b.high, product)) + (a.low - quotient * b.low);
  return quotient + rest / b.high;
}

/* Scales both numbers to between 1 and 2, so that nothing overflows. */
double _Complex hy_extended_quotient(double _Complex b, double _Complex a) {
  double size_a = fmax(fabs(creal(a)), fabs(cimag(a)));
  double size_b = fmax(fabs(creal(b)), fabs(cimag(b)));
  bool special = size_a == 0 || size_b == 0 || !isfinite(creal(a)) || !isfinite(cimag(a)) ||
                 !isfinite(creal(b)) || !isfinite(cimag(b));
  if (special) return b / a;
  int power_a = ilogb(size_a), power_b = ilogb(size_b), power = power_b - power_a;
  double re_a = ldexp(creal(a), -power_a), im_a = ldexp(cimag(a), -power_a);
  double re_b = ldexp(creal(b), -power_b), im_b = ldexp(cimag(b), -power_b);
  struct hy_double_word square = two_products(re_a, re_a, im_a, im_a);
  double re = quotient_of(two_products(re_b, re_a, im_b, im_a), square);
  double im = quotient_of(two_products(im_b, re_a, -re_b, im_a), square);
  return hy_complex(ldexp(re, power), ldexp(im, power));
}

void hy_extended_products(const struct hy_kernels *k, int m, int n, const void *a, int lda,
                          const void *x, struct hy_double_word *words) {
  if (k->dry) return;
  const struct hy_extended *fused = hy_extended_of(true);
  const struct hy_extended *best = fused != NULL ? fused : hy_extended_of(false);
  hy_extended_step *add = k->epsilon > 1e-10 ? best->rounded : best->exact;
  const int step = (int)hy_extended_words(k);
  for (int first = 0; first < m; first += HY_STRIP) {
    const int rows = m - first < HY_STRIP ? m - first : HY_STRIP;
    struct strip strip = {.high = {{0}}};
    for (int j = 0; j < n; j++) {
      unpack(k, rows, (const char *)a + ((int64_t)j * lda + first) * (int64_t)k->size, &strip);
      add_column(k, add, k->get(x, j), &strip);
    }
    struct hy_double_word *word = words + (int64_t)first * step;
    for (int i = 0; i < rows * step; i++)
      word[i] = add_words(word[i], (struct hy_double_word){strip.high[i % step][i / step],
                                                           strip.low[i % step][i / step]});
  }
}

void hy_extended_rest(const struct hy_kernels *k, int m, const void *b,
                      const struct hy_double_word *words, void *r) {
  if (k->dry) return;
  const int64_t step = hy_extended_words(k);
  for (int64_t i = 0; i < m; i++) {
    double _Complex given = k->get(b, i);
    double parts[2] = {creal(given), cimag(given)};
    for (int64_t part = 0; part < step; part++) {
      const struct hy_double_word *word = &words[i * step + part];
      double error, rest = sum_of(parts[part], -word->high, &error);
      parts[part] = rest + (error - word->low);
    }
    k->set(r, i, hy_complex(parts[0], parts[1]));
  }
}
