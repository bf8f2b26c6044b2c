/* Multiplication by outer products, in order or one started every step.
 *
 * Reference: Johnsson 1987, section 5.4, MMC4.1 and MMC4.2.
 * Layout: A, B, C in consecutive blocks, Gray-coded on both axes of a 2^r x 2^c
 *   array, so that the owners of successive panels are neighbours.
 * Method: C is the sum of the outer products A(:, m) B(m, :), panel by panel in
 *   the order of m.  Each panel goes out from its owner along a binomial tree.
 *   From one panel to the next each of the two distances of a node from its owners
 *   changes by one at most.  So if panels start three steps apart (`outer`) they
 *   come to every node in their order, at most one at a time, which is what a
 *   factorization needs.  If one starts every step (`outer-pipelined`) all is over
 *   in about a third of the steps, but neighbours in the order may overtake one
 *   another, and up to four meet at one node.  Along binomial trees they would meet on
 *   links too; so each node takes what comes at one time from different neighbours, of
 *   those that are nearer to the owners.
 * Steps, words, memory, in place: relay.h.
 * Restriction: none.
 */
#include "gemm/tree_pipeline.h"

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_blocks(given, HYLA_GRAY, wanted);
}

static int root(int owner) { return owner; }

static int every_third_step(int m) { return 3 * m; }

static int every_step(int m) { return m; }

static const struct hy_tree_pipeline_way IN_ORDER = {root, every_third_step, .apart = false};
static const struct hy_tree_pipeline_way PIPELINED = {root, every_step, .apart = true};

static hyla_status create_in_order(const struct hy_variant *variant, const void *given,
                                   void **state) {
  (void)variant;
  return hy_tree_pipeline_create(&IN_ORDER, given, state);
}

static hyla_status create_pipelined(const struct hy_variant *variant, const void *given,
                                    void **state) {
  (void)variant;
  return hy_tree_pipeline_create(&PIPELINED, given, state);
}

static const struct hy_gemm_traits TRAITS = {.layouts = layouts};

const struct hy_variant hy_gemm_outer = {
    .name = "outer",
    .reference = "johnsson-1987, section 5, MMC4.1",
    .traits = &TRAITS,
    .create = create_in_order,
    .take = hy_tree_pipeline_take,
    .run = hy_tree_pipeline_run,
    .destroy = hy_tree_pipeline_destroy,
};

const struct hy_variant hy_gemm_outer_pipelined = {
    .name = "outer-pipelined",
    .reference = "johnsson-1987, section 5, MMC4.2",
    .traits = &TRAITS,
    .create = create_pipelined,
    .take = hy_tree_pipeline_take,
    .run = hy_tree_pipeline_run,
    .destroy = hy_tree_pipeline_destroy,
};
