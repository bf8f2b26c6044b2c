/* The ratios by which LAPACK's tests judge least squares, for arrays by columns of an m x n A, r
 * right-hand sides b and their x.  ulp: 2^-52, or 2^-23.  Norms are largest sums of columns. */
#ifndef LSTSQ_RATIOS_H
#define LSTSQ_RATIOS_H 1

#include <complex.h>
#include <stdint.h>

struct squares {
  int64_t m, n, r;
  const double _Complex *a, *b, *x;
  double ulp;
};

/* |b - A x| / (max(m, n) |A| |x| ulp), as dqrt16: of systems with a solution. */
double ratio_of_system(const struct squares *s);
/* |(b - A x)^H A| / (max(m, n, r) |A| max(|b|, |A| |x|) ulp), as dqrt17, which has |b| there: of an
 * ill conditioned A even the best x may be longer. */
double ratio_of_normal(const struct squares *s);
/* The part of x, scaled, outside the span of A's rows, / (max(m, n, r) ulp), as dqrt14; the rows of
 * A are independent. */
double ratio_of_rows(const struct squares *s);

#endif
