/* Private to this room: what is tuned to OpenBLAS, and would be wrong or idle for another
 * BLAS.  All of it was measured; see doc/notebook.md.  To use another BLAS, let strips be as
 * wide as the matrix, no tiles pay and no result be large. */
#ifndef HY_OPENBLAS_H
#define HY_OPENBLAS_H 1

#include "local/local.h"

/* How many columns of a product C := alpha op(A) op(B) + beta C (m x n, inner k) are
 * multiplied in one call; entries of `size` bytes with parts of `part` bytes. */
int hy_openblas_strip(int m, int n, size_t size, size_t part);

/* Does it pay to make the product, in double precision with beta = 0, of tiles?  Makes it. */
bool hy_openblas_tiles_pay(hyla_operation op_a, hyla_operation op_b, int m, int n, int k);
void hy_openblas_multiply_tiles(int m, int n, int k, double alpha, const double *a, int lda,
                                const double *b, int ldb, double *c, int ldc);

/* Is C, to which beta = 0 applies, to be cleared before BLAS adds to it? */
bool hy_openblas_clear_first(int64_t bytes);

/* From now on its calls use so many of the threads that it has; 0: as many as now.  for: one alone
 * for so few operations; returns what undoes that, which leaves alone what somebody else set.  A
 * thread of OpenBLAS' that has worked looks for more work for 2^26 cycles, during which it takes
 * half of somebody's core. */
void hy_openblas_use(int threads);
int hy_openblas_use_for(double flops);
/* The same where what takes time is so much that is read from memory. */
int hy_openblas_use_for_bytes(double bytes);

#endif
