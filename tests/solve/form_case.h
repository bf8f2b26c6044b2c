/* A matrix as LAPACK's sytrd and hetrd leave it, multiplied out again. */
#ifndef FORM_CASE_H
#define FORM_CASE_H 1

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

/* |A - Q T Q^H| / |A|, Frobenius norms, 0 if both are 0.  form, given: n x n by columns; only the
 * triangle is read, and only the real parts of the diagonal.  tau: n - 1 numbers. */
double form_residual(int64_t n, bool upper, const double _Complex *form, const double _Complex *tau,
                     const double _Complex *given);

#endif
