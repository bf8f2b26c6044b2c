/* Private to lib/gemm: multiplication by blocks that travel.
 *
 * A, B, C lie in consecutive blocks on a 2^r x 2^c array.  k is cut into
 * K = max(2^r, 2^c) panels; a block of A holds K / 2^c of them, a block of B
 * K / 2^r, and one of the two numbers is 1.  At step t, 0 <= t < K, node (i, j)
 * multiplies panel
 *     kappa = (j K/2^c) + (i K/2^r) + s(t)
 * of its row of A with the same panel of its column of B.  The + is that of a
 * group of K elements, and its inverse -.  A block of A or B moves on when kappa
 * passes its end: from h to h' by h' - h places of the axis, in the same group on
 * fewer elements, so all blocks of an axis change places at once and each is on
 * one node.  Before step 0 they are set up for the first kappa.
 *
 * Steps: 1 to set up, K - 1 turns.
 * Messages and words: each step at most a block of A and a block of B.  The
 *   set-up goes straight to its target, up to r or c links away.
 * Memory: two blocks of A and two of B.
 * In place: where the nodes can read one another's blocks nothing travels or is
 *   copied.  All lend their blocks once, in one step, and the panel that would
 *   have come is read where it lies, in the same order.
 *
 * Subcubes: where A's columns and B's rows are split further, by 2^s, the highest
 * bits of a part number name a subcube, in which all this goes on with its own
 * stretch of k; C's columns are split by 2^s too, their lowest bits among the nodes
 * that stand in the same place of the subcubes, which add what they have.
 */
#ifndef HY_GEMM_TOUR_H
#define HY_GEMM_TOUR_H 1

#include "gemm/team.h"

/* The group, on 0 ... n-1 with n a power of two, and s(t). */
struct hy_tour_way {
  int (*plus)(int x, int y, int n);
  int (*minus)(int x, int y, int n);
  int (*sequence)(int t);
};

/* By one place a step, as Cannon's. */
extern const struct hy_tour_way hy_rotation;

/* The members of a variant; create keeps the way. */
hyla_status hy_tour_create(const struct hy_tour_way *way, const struct hy_gemm_problem *problem,
                           void **state);
hyla_status hy_tour_take(const struct hy_gemm_task *task, void *state);
hyla_status hy_tour_run(const struct hy_gemm_task *task, void *state);
void hy_tour_destroy(hyla_cube *cube, void **state);

#endif
