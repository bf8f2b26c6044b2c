/* Private to lib/gemm: arrays of three dimensions, and the choice among them.
 *
 * C(i, j) = sum over k of A(i, k) B(k, j).  Each cube dimension serves one of the three loops, so
 * the nodes are a 2^a x 2^b x 2^c array, and node (i, j, k) multiplies one block of A by one block
 * of B.  All 2^b nodes along j need the same block of A, and all 2^a nodes along i need the same
 * block of B.  The products along k are added.
 *
 * Example on 4 nodes, a = b = 1 and c = 0: node (i, j) of 2 x 2 needs A(i, :) and B(:, j).  With a
 * = 0, b = 1, c = 1, node (j, k) needs A(:, k) and B(k, j); the two products of the same j are
 * added. */
#ifndef HY_GEMM_DIMS_BY_LOOP_H
#define HY_GEMM_DIMS_BY_LOOP_H 1

#include "gemm/gemm.h"

enum hy_loop { HY_LOOP_I, HY_LOOP_J, HY_LOOP_K, HY_LOOPS };

/* The number of dimensions that serve each loop, and their list. */
struct hy_dims_by_loop {
  int count[HY_LOOPS];
  uint8_t dim[HY_LOOPS][HYLA_DIMS_MAX];
};

/* Assigns dimensions to the loops, for given counts.  It prefers those over which most entries stay
 * where they are when A, B and C are split over i and jk, i and jk, ki and j. */
void hy_dims_by_loop_place(const struct hy_gemm_problem *given, struct hy_dims_by_loop *dims);
/* Sides of the array that differ by one dimension at most; the longest loops get the surplus. */
void hy_dims_by_loop_even(const struct hy_gemm_problem *given, struct hy_dims_by_loop *dims);
/* An axis over the dimensions of one loop or of two, the first loop's lowest; HY_LOOPS: no loop. */
hyla_axis hy_dims_by_loop_axis(const struct hy_dims_by_loop *dims, hyla_code code,
                               enum hy_loop fine, enum hy_loop coarse);

/* One of several layouts that a variant may ask for, as seen by node 0, which has the most work. */
struct hy_layout_trial {
  struct hy_gemm_problem wanted;
  double seconds;
  int64_t memory; /* upper limit in bytes, packing included */
  bool fits;
};
/* Prices the layouts by the cost of the run in them and of the moves to them and back. */
void hy_layout_trial_price(const struct hy_gemm_problem *given, hyla_cost run,
                           struct hy_layout_trial *trial);
/* Layouts that fit the memory go before others; then the faster ones, then those that take less. */
bool hy_layout_trial_better(const struct hy_layout_trial *x, const struct hy_layout_trial *y);

/* Local.  A product on a counting cube, for operands that lie as a variant asked: between begin and
 * end the caller plays any part of its run.  end: the exact cost of that part on one node.  The
 * product adds to C.  The replay must keep its place in memory. */
struct hy_gemm_replay {
  hyla_cube cube;
  hyla_matrix a, b, c;
  struct hy_gemm_task task;
};
void hy_gemm_replay_begin(const struct hy_gemm_problem *problem, int node,
                          struct hy_gemm_replay *replay);
hyla_cost hy_gemm_replay_end(const struct hy_gemm_problem *problem,
                             const struct hy_gemm_replay *replay);

#endif
