/* The eliminations of Johnsson 1987, sections 6.1 and 6.2, in the paper's own form.
 *
 * [A B], A of q 2^k rows, R right-hand sides, n = q + r block columns of 2^k, r = ceil(R / 2^k), is
 * element-cyclic on a 2^k x 2^k array under Gray code; pivots are on the diagonal.  In block step
 * b, for m = 0 ... 2^k - 1: pivot m goes down rank column m; each node there makes a factor of each
 * of its elements in block rows b ... q - 1, which go along its rank row; the elements of the
 * pivot's row in block columns b ... n - 1 go down their rank columns; where factor and element
 * have come, a multiple of the row is added.  So Gauss-Jordan elimination is done in the pivot's
 * block row, Gaussian elimination below; with one block that is the product form of the inverse.
 *
 * Each line, a rank row or column, is a k-cube whose schedule the verifier walks, one element a
 * link and step. */
#ifndef ELIMINATIONS_H
#define ELIMINATIONS_H 1

#include <stdio.h>

/* Verifies what the table says, and writes it. */
void eliminations_check_all(FILE *page);

#endif
