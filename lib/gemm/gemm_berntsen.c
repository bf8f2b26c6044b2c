/* Berntsen's algorithm: outer products of subcubes.
 *
 * Reference: Berntsen 1989; compared by Gupta and Sadayappan 1996.
 * Layout: a 2^a x 2^b x 2^c array, cut into 2^c subcubes.  Subcube l holds the l-th stretch of A's
 *   columns and of B's rows, in consecutive blocks, Gray-coded, on its 2^a x 2^b array.  C's
 *   columns are split over the 2^b columns of the array and, finer, over the subcubes.
 * Method: each subcube runs Cannon's loop (gemm_cannon.c) and so computes the product of A's l-th
 *   columns and B's l-th rows, an m x n matrix, on 2^(a+b) nodes.  The nodes in the same place of
 *   the subcubes add their blocks by a reduce-scatter; each keeps 2^-c of the sum.
 * Example on 4 nodes, a = 1, b = 0, c = 1: subcube l is a column of two nodes; it multiplies A(:,
 *   l) by B(l, :), where l is a half of k.  Two nodes in the same place add their blocks of C; each
 *   keeps half.
 * Steps: 1 to set up, max(2^a, 2^b) - 1 rotations, c to add.
 * Words: max(2^a, 2^b) m k / P of A and as many k n / P of B, at most; (2^c - 1) m n / P of C.
 * Memory: two blocks of A and two of B; with c > 0 one block and a half of the subcube's product.
 * In place: if c = 0, as in rotation.h.
 * Sides: a, b and c differ by one at most; the longer loops get more.
 * Restriction: none. */
#include "gemm/rotation.h"

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  struct hy_dims_by_loop dims;
  hy_dims_by_loop_even(given, &dims);
  hy_dims_by_loop_place(given, &dims);
  hy_rotation_layouts(given, &dims, HY_LOOP_K, wanted);
}

const struct hy_variant hy_gemm_berntsen = {
    .name = "berntsen",
    .reference = "berntsen-1989, outer products of subcubes",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts},
    .applies = hy_gemm_whole,
    .create = hy_rotation_create,
    .allocate = hy_rotation_allocate,
    .run = hy_cannon_run,
    .explain = hy_rotation_explain,
};
