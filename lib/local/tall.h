/* Private to this room: L U of panels, taller than wide, in the instructions of a processor.
 *
 * LAPACK factors these at half to two thirds of a product's speed (OpenBLAS 0.3.21, 30 to 60
 * columns): its columns one after the other are read from memory for each operation, and narrow
 * products copy what they multiply.  Here up to eight columns are eliminated together, and each
 * is read once: what earlier columns do to it, its search and the division of the one before go
 * in one pass.  Products multiply in place. */
#ifndef HY_TALL_H
#define HY_TALL_H 1

#include "local/local.h"

/* Panels of at most so many columns; wider ones are better cut with BLAS' products between. */
enum { HY_TALL_MOST = 128 };

/* P A = L U with partial pivoting of an m x n panel, n <= m, in place: step i < n swaps row i with
 * row pivots[i], from 0: the first one of the largest |re| + |im|, NaNs left out.  Multipliers are
 * quotients, by way of a reciprocal where that is a normal number.  A column without a pivot is
 * left.  Returns 0, else the first of these, from 1. */
typedef int hy_tall_factor(int m, int n, void *a, int lda, int *pivots);

/* By hyla_type, with vectors of so many bytes, 32 or 64; NULL where this processor has none.  What
 * is best, NULL if none is. */
hy_tall_factor *hy_tall_factorer(hyla_type type, int bytes);
hy_tall_factor *hy_tall_best(hyla_type type);

#endif
