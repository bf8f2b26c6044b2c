/* Triangular systems by substitution, with the small triangles on the diagonal inverted.
 *
 * Reference: Du Croz and Higham 1992, block methods with inverted diagonal blocks.
 * Layout: as panels (trsm_panels.c).
 * Method: as panels.  But the rank with a diagonal block inverts the tiles on its diagonal once a
 *   run, before the block column is lent.  So the ranks with block k of X multiply by inverses
 *   instead of solving (panels.h).
 * Steps, words: as panels.
 * Memory: as panels, and a block row of X also on one rank row.
 * Restriction: none.  The residual is of order n u |T| |D^-1| |D| |X|, where D are the tiles; that
 *   of substitution is of order n u |T| |X|. */
#include "solve/triangle/triangle.h"

const struct hy_variant hy_trsm_inverted = {
    .name = "inverted",
    .arrays = true,
    .reference = "ducroz-1992, block methods",
    .traits = &(const struct hy_trsm_traits){.travelling = true, .tiled = true},
    HY_TRSM_OPERATIONS,
};
