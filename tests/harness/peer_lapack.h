/* LAPACK on whole matrices; results are compared with it. */
#ifndef PEER_LAPACK_H
#define PEER_LAPACK_H 1

#include "hyla.h"

/* All work on n x n arrays by columns, leading dimension n, of a type; the array is overwritten. */

/* The singular values, the largest first. */
void lapack_singular_values(hyla_type type, int n, void *a, double *values);
/* Cholesky's factorization of the lower triangle; returns 0, or the order of a leading block that
 * is not positive definite. */
int lapack_cholesky(hyla_type type, int n, void *a);
/* LU of an m x n array, leading dimension m, with partial pivoting; returns 0, or the first pivot,
 * from 1, that is exactly zero. */
int lapack_lu(hyla_type type, int m, int n, void *a);
/* The same, n x n: the largest magnitude in U, of |re| + |im| for complex types. */
double lapack_largest_pivoted(hyla_type type, int n, void *a);
/* QR of an m x n array with pivoted columns, by geqp3, in place: column j of A P is columns[j]. */
void lapack_pivoted(hyla_type type, int m, int n, void *a, int64_t *columns);
/* OpenBLAS 0.3.21's zgemv for Haswell reads beyond its matrix (its issue 4013), so arrays have this
 * many columns more. */
enum { LAPACK_MARGIN = 8 };

/* The reciprocal condition number in the 1-norm, from the singular value decomposition; 0 if it is
 * not a number; `a' has the margin. */
double lapack_rcond(int n, double _Complex *a);

/* The results of xGESVX, without equilibration, for a system with one right-hand side. */
struct lapack_report {
  int info; /* 0, or n + 1: singular to working precision; the other results are set nevertheless */
  double rcond;
  double componentwise; /* backward error, refined */
  double forward;       /* a bound on the error, relative in the maximum norm */
};
/* By dgesvx or zgesvx; type: a double one.  a and b are not changed; x: n numbers. */
struct lapack_report lapack_expert(hyla_type type, int n, const double _Complex *a,
                                   const double _Complex *b, double _Complex *x);

#endif
