/* The algorithm of Dekel, Nassimi and Sahni: multiplication by exchanges.
 *
 * Reference: Johnsson 1987, section 5.1, MMC1; Dekel, Nassimi and Sahni 1981.
 * Layout: A, B, C in consecutive blocks, binary-coded on both axes of a
 *   2^r x 2^c array.
 * Method: the panels of k are bit strings under exclusive or.  At step t node
 *   (i, j) multiplies panel i ^ j ^ G(t) (on a square array; tour.h has the
 *   others), G the Gray code.  From one step to the next one bit changes, so the
 *   nodes exchange their blocks with neighbours, all over the same dimension of
 *   their row and of their column.  Before, node (i, j) gets A(i, i ^ j) and
 *   B(i ^ j, j): an exchange over the dimensions that are 1 in i and in j, in
 *   which no two blocks cross a link in the same direction when all cross the
 *   dimensions in the same order.
 * Steps, messages, words, memory, in place: tour.h.
 * Restriction: none.
 */
#include "gemm/tour.h"

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_blocks(given, HYLA_BINARY, wanted);
}

/* Its own inverse. */
static int exclusive_or(int x, int y, int n) {
  (void)n;
  return x ^ y;
}

static int sequence(int t) { return (int)hy_gray((uint32_t)t); }

static const struct hy_tour_way EXCHANGES = {exclusive_or, exclusive_or, sequence};

static hyla_status create(const struct hy_gemm_problem *problem, void **state) {
  return hy_tour_create(&EXCHANGES, problem, state);
}

const struct hy_gemm_variant hy_gemm_dekel = {
    .row = {.name = "dekel",
            .reference = "johnsson-1987, section 5, MMC1",
            .applies = hy_gemm_whole},
    .layouts = layouts,
    .create = create,
    .take = hy_tour_take,
    .run = hy_tour_run,
    .destroy = hy_tour_destroy,
};
