/* Triangular systems by a column sweep; the triangle stays where it lies.
 *
 * Reference: Johnsson 1987, section 6.4.1, theorems 6.2 and 6.3, and the transposed forms.
 * Layout: the triangle block-cyclic, the right-hand sides along it (triangle.h).  If
 *   the rank columns are in Gray code, only neighbours communicate.
 * Method (substitution_sweep.c, with the paper's loops and an example on 4 nodes): partial sums go
 *   from one rank column to the next, and each subtracts its own contributions.  Block k of X is
 *   solved for on one rank and broadcast along its rank column.
 * Steps, words: 2 steps a block, with the sums for 2^c - 1 blocks by all right-hand sides; one
 *   reduction of all sums at the end.
 * Memory: sums for all right-hand sides on every rank: n nrhs / 2^r entries, more than the rank's
 *   share of X; messages of sums.
 * Restriction: none. */
#include "solve/triangle/triangle.h"

const struct hy_variant hy_trsm_sweep = {
    .name = "sweep",
    .arrays = true,
    .reference = "johnsson-1987, section 6.4.1, theorems 6.2 and 6.3",
    .traits = &(const struct hy_trsm_traits){.sweep = true},
    HY_TRSM_OPERATIONS,
};
