/* Cannon's algorithm: multiplication by rotation.
 *
 * Reference: Johnsson 1987, section 5.2, MMC2; Cannon 1969.
 * Layout: A, B, C in consecutive blocks, Gray-coded on both axes of a 2^r x 2^c
 *   array, so that the next block along a row or a column of the array is a
 *   neighbour's.
 * Method: the panels of k are the integers modulo K.  At step t node (i, j)
 *   multiplies panel i + j + t (on a square array; tour.h has the others):
 *   blocks of A move one place to the left, blocks of B one place upwards, to
 *   neighbours.  Before, row i of A is rotated by i places and column j of B by
 *   j places.
 * Steps, messages, words, memory, in place: tour.h.
 * Restriction: none.
 */
#include "gemm/tour.h"

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_blocks(given, HYLA_GRAY, wanted);
}

static int plus(int x, int y, int n) { return (x + y) % n; }

static int minus(int x, int y, int n) { return (x - y + n) % n; }

static int sequence(int t) { return t; }

const struct hy_tour_way hy_rotation = {plus, minus, sequence};

static hyla_status create(const struct hy_gemm_problem *problem, void **state) {
  return hy_tour_create(&hy_rotation, problem, state);
}

const struct hy_gemm_variant hy_gemm_cannon = {
    .row = {.name = "cannon",
            .reference = "johnsson-1987, section 5, MMC2",
            .applies = hy_gemm_whole},
    .layouts = layouts,
    .create = create,
    .take = hy_tour_take,
    .run = hy_tour_run,
    .destroy = hy_tour_destroy,
};
