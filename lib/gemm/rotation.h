/* Private to lib/gemm: multiplication by blocks that change places; the common part of Cannon's,
 * Dekel's, Berntsen's and Ho's algorithms.
 *
 * Layout: A, B, C in consecutive blocks on a p x q array.  k is cut into K panels, the numbers
 *   0 ... K-1 of a group; K is the least common multiple of p and q, on a cube the larger one.  A
 *   block of A holds K / q panels, a block of B K / p.
 * Method: at step t node (i, j) multiplies panel
 *       kappa = (j K/q) + (i K/p) + s(t)
 *   of its row of A with the same panel of its column of B, where + is the group's operation.  So
 *   at any time each block of A is with one node of its row, and each block of B with one node of
 *   its column.
 * Example on 4 nodes, 2 x 2, integers modulo 2, s(t) = t:
 *       node      (0, 0)  (0, 1)  (1, 0)  (1, 1)
 *       t = 0       0       1       1       0      panel kappa
 *       t = 1       1       0       0       1
 *   Before t = 0 the nodes of row 1 exchange their blocks of A, and those of column 1 theirs of B.
 * Steps: 1 to set up, K - 1 rotations.
 * Messages and words: each step at most a block of A and a block of B.  The set-up goes straight to
 *   its target, up to r or c links away.
 * Packets: if the nodes are joined by the links of a cube that can all be used at once, and packets
 *   take less time, a block is set up in P packets.  It then goes from neighbour to neighbour, on
 *   ways that share no link (split_operand.h), in P + max(r, c) - 1 steps.
 * Memory: two blocks of A and two of B; with packets also two packets of each block that passes a
 *   node.
 * In place: no set-up and no rotations.  The node reads each panel where it lies, in the same
 *   order.
 * Cyclic storage: on a square array a block may be a part of cyclic axes; panel kappa is then the
 *   indices of part kappa.
 * Subcubes: A's columns and B's rows may be split further, by 2^s.  The highest s bits of a part
 *   number then name a subcube, which does all this with its own stretch of k.  C's columns are
 *   split by 2^s too, by their lowest bits, among the nodes in the same place of the subcubes;
 *   these nodes add their products.
 * Layers: or the subcubes hold copies of A and B, and each multiplies other panels of them.  C's
 *   columns are split, and its products added, in the same way. */
#ifndef HY_GEMM_ROTATION_H
#define HY_GEMM_ROTATION_H 1

#include "gemm/dims_by_loop.h"
#include "gemm/result.h"
#include "gemm/split_operand.h"

struct hy_rotation {
  const struct hy_gemm_task *task;
  int panels;      /* K */
  int from, steps; /* s(t) = from ... from + steps - 1; 0 and K unless the variant sets them */
  int parts;   /* number of parts of a panel, multiplied one by one; 1 unless the variant sets it */
  int packets; /* packets of a block that is set up over links; 1: all go straight to their
                * targets */
  struct hy_message *messages; /* the messages of one step of such a set-up */
  struct hy_split_operand *a, *b;
  struct hy_result c;
  const char *theorem; /* of Johnsson 1987, which counts the steps; NULL: there is none */
};

/* Local.  The layouts of the subcubes, one for each part of the loop k.  coarse: HY_LOOP_K if the
 * subcubes split A's columns and B's rows, HY_LOOPS if they hold copies of A and B. */
void hy_rotation_layouts(const struct hy_gemm_problem *given, const struct hy_dims_by_loop *dims,
                         enum hy_loop coarse, struct hy_gemm_problem *wanted);

/* The functions of a variant; `state' is a struct hy_rotation. */
hyla_status hy_rotation_create(const struct hy_variant *variant, const void *given, void **state);
hyla_status hy_rotation_allocate(void *state);
void hy_rotation_explain(const void *state, struct hy_text *text);
/* Cannon's loop, in gemm_cannon.c. */
hyla_status hy_cannon_run(void *state);

/* Local, after create.  Plans the set-up of the variant's blocks in packets, if the machine is such
 * that packets gain.  exchange: blocks are exchanged by the bits of their places; otherwise they
 * are rotated. */
hyla_status hy_rotation_plan_set_up(struct hy_rotation *rotation, bool exchange);
/* Runs the planned set-up. */
hyla_status hy_rotation_set_up(struct hy_rotation *rotation);

/* Called before and after the loop. */
hyla_status hy_rotation_begin(struct hy_rotation *rotation);
hyla_status hy_rotation_end(struct hy_rotation *rotation);

/* The panels kappa of A and of B that are here. */
struct hy_rotation_panels {
  struct hy_panel a, b;
  struct hy_indices k;
};
hyla_status hy_rotation_here(struct hy_rotation *rotation, struct hy_rotation_panels *here);
/* C += A(i, kappa) B(kappa, j) */
void hy_rotation_multiply(struct hy_rotation *rotation, const struct hy_rotation_panels *here);

#endif
