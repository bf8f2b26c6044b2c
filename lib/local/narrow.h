/* Private to this room: products with few columns, in the instructions of a processor.
 *
 * BLAS copies both factors before it multiplies, which pays if each is used often.  Here the rows
 * of A are read in place, so a product of 64 columns is as fast as one of 1000, and C can be
 * computed in strips that stay in the caches. */
#ifndef HY_NARROW_H
#define HY_NARROW_H 1

#include "local/local.h"

/* C := C - A op(B), C m x n, inner dimension k; op is none or conjugate.  An entry's sum runs in
 * the order of the inner dimension, wherever the entry stands. */
typedef void hy_narrow_product(hyla_operation op, int m, int n, int k, const void *a, int lda,
                               const void *b, int ldb, void *c, int ldc);

/* The products for a hyla_type, with fused operations on vectors of `bytes' bytes, 32 or 64; NULL
 * if this processor lacks them.  packed: with a factor that is copied first (local.h). */
hy_narrow_product *hy_narrow_multiplier(hyla_type type, int bytes);
const struct hy_packed *hy_packed_multiplier(hyla_type type, int bytes);

#endif
