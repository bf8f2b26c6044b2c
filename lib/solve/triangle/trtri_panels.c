/* The inverse of a triangle in its place, block by block; its block columns travel.
 *
 * Reference: Du Croz and Higham 1992, section 3 (T X = I by block columns of T).
 * Layout: the triangle block-cyclic on any array.
 * Method (substitution_travelling.c): block column k of the triangle is lent along the rank rows,
 *   the next one ahead.  The ranks with block row k solve for it and broadcast it along the rank
 *   columns.  All ranks subtract its contribution, and block column k of the inverse takes the
 *   place of the block column that has left.
 * Steps, words: c steps a block for the triangle, r for the block row of the inverse; each rank's
 *   part of the triangle's block columns, and of the inverse's block rows.
 * Memory: three block columns, a block row.
 * Restriction: none. */
#include "solve/triangle/triangle.h"

const struct hy_variant hy_trtri_panels = {
    .name = "panels",
    .arrays = true,
    .reference = "ducroz-1992, section 3",
    .traits = &(const struct hy_trsm_traits){.travelling = true},
    HY_TRSM_OPERATIONS,
};
