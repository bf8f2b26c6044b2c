/* Triangular systems by substitution, block by block; the triangle travels.
 *
 * Reference: Johnsson 1987, section 6.4, block back substitution.
 * Layout: the triangle block-cyclic on any array, the right-hand sides along it (triangle.h).  It
 *   stays where it lies if its blocks are square, of any size.
 * Method (substitution_travelling.c): block column k of the triangle is lent along the rank rows,
 *   the next one ahead.  The ranks with block k of X solve for it and lend it along the rank
 *   columns.  All ranks subtract its contribution.  Those with block k + 1 subtract from that block
 *   first, so that it travels while they subtract from the other rows.
 * Example on 4 nodes, 2 x 2, lower: block column 0 of T goes from rank column 0 to rank column 1;
 *   nodes (0, j) solve for X_0 and lend it to (1, j); these subtract L_10 X_0 from X_1, solve for
 *   it and lend it up, and then all subtract from the rows of blocks 2 and 3.
 * Steps, words: c steps a block for the triangle, r for the block of X; each rank's part of the
 *   triangle's block columns, and its columns of X.
 * Memory: three block columns, on several rank rows three block rows of X; for X op(A) = B a copy
 *   of X.
 * Restriction: none. */
#include "solve/triangle/triangle.h"

const struct hy_variant hy_trsm_panels = {
    .name = "panels",
    .arrays = true,
    .reference = "johnsson-1987, section 6.4",
    .traits = &(const struct hy_trsm_traits){.travelling = true},
    HY_TRSM_OPERATIONS,
};
