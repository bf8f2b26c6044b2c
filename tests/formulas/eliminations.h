/* The eliminations of Johnsson 1987, sections 6.1 and 6.2, in the paper's own form.
 *
 * Layout: [A B], where A has q 2^k rows and B R right-hand sides, has n = q + r block columns of
 * 2^k, r = ceil(R / 2^k).  It is element-cyclic on a 2^k x 2^k array in Gray code; pivots are on
 * the diagonal.
 *
 * Block step b, for m = 0 ... 2^k - 1:
 *   pivot m goes down rank column m;
 *   each node there makes a factor of each of its elements in block rows b ... q - 1, and the
 *   factors go along its rank row;
 *   the elements of the pivot's row in block columns b ... n - 1 go down their rank columns;
 *   a node with factor and element adds a multiple of the row.  So Gauss-Jordan elimination is done
 *   in the pivot's block row and Gaussian elimination below; with one block this is the product
 *   form of the inverse.
 *
 * Each line, a rank row or column, is a k-cube whose schedule the verifier walks, one element a
 * link and step. */
#ifndef ELIMINATIONS_H
#define ELIMINATIONS_H 1

#include <stdio.h>

/* Verifies the table's figures, and writes it. */
void eliminations_check_all(FILE *page);

#endif
