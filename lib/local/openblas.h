/* Private to this room: code that is tuned to OpenBLAS, and would be wrong or useless for another
 * BLAS.  All of it was measured; see doc/notebook.md.  For another BLAS, let strips be as wide as
 * the matrix, let no tiles pay and let no result be large. */
#ifndef HY_OPENBLAS_H
#define HY_OPENBLAS_H 1

#include "local/local.h"

/* Columns of a product C := alpha op(A) op(B) + beta C (m x n, inner k) to multiply in one call.
 * Entries have `size' bytes, their parts `part' bytes. */
int hy_openblas_strip(int m, int n, size_t size, size_t part);

/* Does it pay to make the product of tiles (double precision, beta = 0)?  The second makes it. */
bool hy_openblas_tiles_pay(hyla_operation op_a, hyla_operation op_b, int m, int n, int k);
void hy_openblas_multiply_tiles(int m, int n, int k, double alpha, const double *a, int lda,
                                const double *b, int ldb, double *c, int ldc);

/* Should the caller clear C, where beta = 0, before BLAS adds to it? */
bool hy_openblas_clear_first(int64_t bytes);

/* use: from now on BLAS uses this number of its threads; 0: unchanged.
 * use_for: uses one thread alone if there are few operations.  Returns the number of threads to
 * give to `use' afterwards, or 0 if it changed nothing.
 * A thread of OpenBLAS that has worked looks for more work for 2^26 cycles; meanwhile it takes half
 * of a core from another thread. */
void hy_openblas_use(int threads);
int hy_openblas_use_for(double flops);
/* The same for work whose time is that of reading `bytes' from memory. */
int hy_openblas_use_for_bytes(double bytes);

#endif
