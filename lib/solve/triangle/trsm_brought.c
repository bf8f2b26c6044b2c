/* Triangular systems by substitution, block by block; the triangle is brought to blocks of a good
 * size first, and then travels.
 *
 * Reference: Johnsson 1987, section 6.4, block back substitution.
 * Layout: the triangle where it lies if its blocks are neither small nor large; else in the default
 *   layout, cyclic in square blocks.  It is brought as op(A) where the right-hand sides then stay
 *   where they lie and are many.  The other variants leave every triangle that is cyclic in square
 *   blocks where it lies.
 * Method, steps, words, memory: trsm_panels.c, and one redistribution of half a matrix.
 * Example on 4 nodes, 2 x 2, blocks of 2, n = 512: the lower triangle goes to blocks of 32, each of
 *   the 16 block columns then travels once, where there would be 256 to send.
 * Restriction: none.  Where the triangle stays, and where every variant has to bring it, it is
 *   trsm_panels.c. */
#include "solve/triangle/triangle.h"

const struct hy_variant hy_trsm_brought = {
    .name = "brought",
    .arrays = true,
    .reference = "johnsson-1987, section 6.4",
    .traits = &(const struct hy_trsm_traits){.place = hy_trsm_place_brought, .travelling = true},
    HY_TRSM_OPERATIONS,
};
