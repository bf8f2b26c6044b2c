/* Private to this room: LU of panels that are taller than wide, in the instructions of a processor.
 *
 * LAPACK factors them at half to two thirds of a product's speed (OpenBLAS 0.3.21, 30 to 60
 * columns).  It reads a column from memory for each operation, and its narrow products copy their
 * factors.  Here up to eight columns are eliminated together, and one pass reads a column once: it
 * updates the column by the earlier ones, finds its pivot and divides the column before.  Products
 * multiply in place. */
#ifndef HY_TALL_H
#define HY_TALL_H 1

#include "local/local.h"

/* Panels have at most this number of columns; wider ones are better cut, with BLAS products between
 * the parts. */
enum { HY_TALL_MOST = 128 };

/* P A = L U with partial pivoting of an m x n panel, n <= m, in place: step i < n swaps row i with
 * row pivots[i], counted from 0.  The pivot is the first entry of largest |re| + |im|, NaNs left
 * out.  Multipliers are products with the pivot's reciprocal if that is a normal number, otherwise
 * quotients.  A column without a pivot stays as it is.  Returns 0, or the first such column, from
 * 1. */
typedef int hy_tall_factor(int m, int n, void *a, int lda, int *pivots);

/* The function for a hyla_type with vectors of `bytes' bytes, 32 or 64; NULL if this processor
 * lacks them.  best: the fastest; NULL if there is no such function. */
hy_tall_factor *hy_tall_factorer(hyla_type type, int bytes);
hy_tall_factor *hy_tall_best(hyla_type type);

#endif
