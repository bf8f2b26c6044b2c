/* Multiplication by reflection in row 0 and column 0 of the array.
 *
 * Reference: Johnsson 1987, section 5.3, MMC3.
 * Layout: A, B, C in consecutive blocks, Gray-coded on both axes of a 2^r x 2^c
 *   array, so that the next block along a row or a column of the array is a
 *   neighbour's.
 * Method: panel m of A moves to column 0, one place a step, and is there at time m;
 *   from there it goes back to all nodes of its row along a binomial tree.  So do
 *   the panels of B, to row 0 and back.  The way to node 0 uses no link of the tree
 *   in the same direction, and one panel comes to each node a step, in order.  In
 *   row i all is later by the distance of row i from row 0, which B needs to get
 *   there, and in column j likewise.
 * Steps, words, memory, in place: tree_pipeline.h; beside the tree a node passes on what
 *   lies behind it.
 * Restriction: none.
 */
#include "gemm/outer.h"

static int root(int owner) {
  (void)owner;
  return 0;
}

static const struct hy_outer_kind REFLECTION = {
    .way = {root, .gap = 0, .apart = false},
    .theorem = {"5.4", "q 2^k + 2k - 1", "s 2^k + 2k - 1", hy_outer_count}};

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  (void)variant;
  return hy_outer_create(&REFLECTION, given, state);
}

static const struct hy_gemm_traits TRAITS = {.layouts = hy_outer_layouts};

const struct hy_variant hy_gemm_reflect = {
    .name = "reflect",
    .reference = "johnsson-1987, section 5, MMC3",
    .traits = &TRAITS,
    .create = create,
    .take = hy_outer_take,
    .run = hy_outer_run,
    .explain = hy_outer_explain,
    .destroy = hy_outer_destroy,
};
