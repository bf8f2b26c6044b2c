/* Backward errors of a system's solution, by long double sums over whole arrays. */
#ifndef BACKWARD_H
#define BACKWARD_H 1

#include <complex.h>
#include <stdint.h>

/* An n x n matrix by columns, the moduli of its entries, and its 1-norm; made once for all
 * solutions that are judged by it. */
struct backward {
  int64_t n;
  double _Complex *entries;
  long double *moduli, norm;
};

/* make: the caller fills the entries in, then has them weighed. */
struct backward backward_make(int64_t n);
void backward_weigh(struct backward *a);
void backward_free(struct backward *a);

struct backward_errors {
  double norm;          /* |A x - b| / (|A| |x|) in the 1-norm */
  double componentwise; /* the largest |A x - b|_i / (|A| |x| + |b|)_i */
};
struct backward_errors backward_errors(const struct backward *a, const double _Complex *x,
                                       const double _Complex *b);

#endif
