/* Multiplication by reflection in row 0 and column 0 of the array.
 *
 * Reference: Johnsson 1987, section 5.3, MMC3.
 * Layout: A, B, C in consecutive blocks on both axes of a 2^r x 2^c array.  The code is Gray, so
 *   that the next block along a row or a column of the array is on a neighbour; or binary, if C
 *   lies in binary code.
 * Method: panel m of A moves to column 0, one place a step, and is there at time m.  From there it
 *   goes back to all nodes of its row along a binomial tree.  The panels of B do the same, to row 0
 *   and back.  The way to node 0 uses no link of the tree in the same direction, and one panel
 *   comes to each node a step, in order.  In row i everything is later by the distance of row i
 *   from row 0, the time that B needs to get there; in column j likewise.
 *   In binary code (the remark after theorem 5.4) the panels come to column 0 by the exchanges of
 *   `dekel', over the dimension in which G(t) and G(t+1) differ: panel G(m) is the m-th.  Some of
 *   the paper's exchanges use links of the tree.  Only those exchanges are made that bring panels
 *   which have not been at column 0 before, and these use no such link.
 * Example on 4 nodes, a row of A: panel 0 is at column 0 at time 0 and reaches column 1 at time 1,
 *   while panel 1 moves from column 1 to column 0.  Column 1, its owner, multiplies panel 1 at time
 *   2.
 * Steps, words, memory, in place: tree_pipeline.h; besides the tree, a node passes on the panels of
 *   the nodes behind it.
 * Restriction: none. */
#include "gemm/outer.h"

static int root(int owner) {
  (void)owner;
  return 0;
}

static const struct hy_outer_kind IN_GRAY_CODE = {
    .way = {root, .gap = 0, .apart = false},
    .published = {"5.4", "q 2^k + 2k - 1", "s 2^k + 2k - 1", hy_outer_count}};
static const struct hy_outer_kind IN_BINARY_CODE = {
    .way = {root, .exchanges = true, .gap = 0, .apart = false},
    .published = {"5.4", "q 2^k + 2k - 1", "s 2^k + 2k - 1", hy_outer_count}};

/* The code that C lies in; an axis without dimensions has both codes. */
static hyla_code code_of(const struct hy_operand *c) {
  bool gray = (c->row.code.dims > 0 && c->row.code.code == HYLA_GRAY) ||
              (c->col.code.dims > 0 && c->col.code.code == HYLA_GRAY);
  return gray ? HYLA_GRAY : HYLA_BINARY;
}

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_square_blocks(given, code_of(&given->c), wanted);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  bool gray = code_of(&task->problem.c) == HYLA_GRAY;
  (void)variant;
  return hy_outer_create(gray ? &IN_GRAY_CODE : &IN_BINARY_CODE, given, state);
}

const struct hy_variant hy_gemm_reflect = {
    .name = "reflect",
    .reference = "johnsson-1987, section 5, MMC3",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts},
    .create = create,
    .allocate = hy_outer_allocate,
    .run = hy_outer_run,
    .explain = hy_outer_explain,
};
