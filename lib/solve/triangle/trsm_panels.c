/* Triangular systems by substitution, block by block, the triangle on its way.
 *
 * Reference: Johnsson 1987, section 6.4, block back substitution.
 * Layout: the triangle block-cyclic on any array, the right-hand sides along it
 *   (triangle.h).
 * Method: block column k of the triangle is lent along the rank rows, the next one ahead; the
 *   ranks that have block k of X solve for it and lend it along the rank columns; all subtract
 *   what it contributes, those that have block k + 1 from that first, so that it is on its way
 *   while they subtract from the rest (substitution_many.c).
 * Steps, words: c steps a block for the triangle, r for the block of X; each rank's part of the
 *   triangle's block columns, and its columns of X.
 * Memory: three block columns, on several rank rows three block rows of X; for X op(A) = B a copy
 *   of X.
 * Restriction: none. */
#include "solve/triangle/triangle.h"

const struct hy_variant hy_trsm_panels = {
    .name = "panels",
    .reference = "johnsson-1987, section 6.4",
    .traits = &(const struct hy_trsm_traits){.many = true},
    HY_TRSM_OPERATIONS,
};
