/* The ratios by which LAPACK's tests judge least squares, for arrays by columns of an m x n A, r
 * right-hand sides b and their x.  unit: LAPACK's Epsilon, 2^-53 or 2^-24, or more.  Norms are
 * largest sums of columns; sums are in long double. */
#ifndef LSTSQ_RATIOS_H
#define LSTSQ_RATIOS_H 1

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

struct squares {
  int64_t m, n, r;
  const double _Complex *a, *b, *x;
  double unit;
};

/* dqrt16: the largest |b - A x| / (max(m, n) |A| |x| unit) over the columns, for systems with a
 * solution. */
double ratio_of_system(const struct squares *s);
/* dqrt17 of zero residuals: |(b - A x)^H A| / (max(m, n, r) |A| |b| unit).  long_x: max(|b|, |A|
 * |x|) in place of |b|, since of an ill conditioned A even the best x may be longer. */
double ratio_of_normal(const struct squares *s, bool long_x);
/* dqrt14: the part of x, scaled, outside the span of A's rows, / (max(m, n, r) unit); 0 unless
 * m < n. */
double ratio_of_rows(const struct squares *s);

#endif
