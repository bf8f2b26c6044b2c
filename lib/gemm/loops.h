/* Private to lib/gemm: arrays of three dimensions.
 *
 * C(i, j) = sum over k of A(i, k) B(k, j).  Each cube dimension serves one of the
 * three loops, so the nodes are a 2^a x 2^b x 2^c array, and node (i, j, k)
 * multiplies one block of A by one of B.  A block of A is wanted by all 2^b nodes
 * along j, a block of B by all 2^a along i, and the products along k are added.
 */
#ifndef HY_GEMM_LOOPS_H
#define HY_GEMM_LOOPS_H 1

#include "gemm/gemm.h"

enum hy_loop { HY_LOOP_I, HY_LOOP_J, HY_LOOP_K, HY_LOOPS };

/* How many dimensions serve each loop, and which. */
struct hy_loops {
  int count[HY_LOOPS];
  uint8_t dim[HY_LOOPS][HYLA_DIMS_MAX];
};

/* Which dimensions, for given counts: those over which most entries stay where
 * they are when A, B and C lie split over i and jk, i and jk, ki and j. */
void hy_loops_place(const struct hy_gemm_problem *given, struct hy_loops *loops);
/* Sides that differ by one dimension at most; those left over go to the longest loops. */
void hy_loops_even(const struct hy_gemm_problem *given, struct hy_loops *loops);
/* An axis over the dimensions of one loop or of two, the first one's lowest;
 * HY_LOOPS for none. */
hyla_axis hy_loops_axis(const struct hy_loops *loops, hyla_code code, enum hy_loop fine,
                        enum hy_loop coarse);

#endif
