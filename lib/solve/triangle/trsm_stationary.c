/* Triangular systems by substitution, block by block; the triangle stays where it lies.
 *
 * Reference: Johnsson 1987, section 6.4.1, sums partly in space, partly in place.
 * Layout: the triangle block-cyclic on any array, the right-hand sides along it (triangle.h).
 * Method (substitution_stationary.c, with an example on 4 nodes): each rank column keeps its
 *   columns' contributions to all right-hand sides.  Block k of X is the sum over a rank row,
 *   solved for on one rank and broadcast along a rank column.
 * Steps, words: c + r steps a block, block x nrhs words each; one reduction of all sums at the end.
 * Memory: sums for all right-hand sides on every rank: n nrhs / 2^r entries, more than the rank's
 *   share of X.
 * Restriction: none. */
#include "solve/triangle/triangle.h"

const struct hy_variant hy_trsm_stationary = {
    .name = "stationary",
    .arrays = true,
    .reference = "johnsson-1987, section 6.4.1",
    .traits = &(const struct hy_trsm_traits){.travelling = false},
    HY_TRSM_OPERATIONS,
};
