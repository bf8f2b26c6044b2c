/* Private to lib/gemm: multiplication by blocks that change places; what Cannon's, Dekel's,
 * Berntsen's and Ho's algorithms have in common.
 *
 * A, B, C lie in consecutive blocks on a 2^r x 2^c array.  k is cut into K = max(2^r, 2^c)
 * panels, the numbers 0 ... K-1 of a group; a block of A holds K / 2^c of them, a block of B
 * K / 2^r, and one of the two numbers is 1.  Node (i, j) multiplies at step t panel
 *     kappa = (j K/2^c) + (i K/2^r) + s(t)
 * of its row of A with the same panel of its column of B, + being that of the group.  So at
 * any time each block of A is with one node of its row and each of B with one of its column.
 *
 * Steps: 1 to set up, K - 1 rotations.
 * Messages and words: each step at most a block of A and a block of B.  The set-up goes
 *   straight to its target, up to r or c links away.
 * Packets: on a machine whose nodes are joined by the links of a cube, all used at once, a block
 *   is set up in P packets if these take less time; it goes from neighbour to neighbour, on ways
 *   that share no link (spread.h), in P + max(r, c) - 1 steps.
 * Memory: two blocks of A and two of B; with packets two of each block that passes a node.
 * In place: no set-up and no rotations; the panel that would have come is read where it lies,
 *   in the same order.
 * Cyclic storage: on a square array blocks may be what each part has of cyclic axes; panel kappa
 *   is what part kappa has.
 *
 * Subcubes: where A's columns and B's rows are split further, by 2^s, the highest bits of a
 * part number name a subcube, in which all this goes on with its own stretch of k; C's columns
 * are split by 2^s too, their lowest bits among the nodes that stand in the same place of the
 * subcubes, which add what they have.
 */
#ifndef HY_GEMM_ROTATION_H
#define HY_GEMM_ROTATION_H 1

#include "gemm/result.h"
#include "gemm/spread.h"

struct hy_rotation {
  const struct hy_gemm_task *task;
  int panels;  /* K */
  int parts;   /* of a panel that are multiplied one by one; 1 if the variant says nothing */
  int packets; /* of a block that is set up over links; 1: all go straight to their targets */
  struct hy_message *messages; /* of a step of such a set-up */
  struct hy_spread *a, *b;
  struct hy_result c;
};

/* The members of a variant; all take a struct hy_rotation. */
hyla_status hy_rotation_create(const struct hy_variant *variant, const void *given, void **state);
hyla_status hy_rotation_take(void *state);
void hy_rotation_destroy(void **state);
void hy_rotation_explain(const void *state, struct hy_text *text);
/* Cannon's loop, in gemm_cannon.c. */
hyla_status hy_cannon_run(void *state);

/* Local, after create: how the variant's blocks are set up, where the machine is such that packets
 * gain.  exchange: by the bits of their places, else they are rotated. */
hyla_status hy_rotation_plan_set_up(struct hy_rotation *rotation, bool exchange);
/* The set-up that was planned. */
hyla_status hy_rotation_set_up(struct hy_rotation *rotation);

/* Before and after the loop. */
hyla_status hy_rotation_begin(struct hy_rotation *rotation);
hyla_status hy_rotation_end(struct hy_rotation *rotation);

/* Panel kappa of A and of B, which are here. */
struct hy_rotation_panels {
  struct hy_panel a, b;
  struct hy_indices k;
};
hyla_status hy_rotation_here(struct hy_rotation *rotation, struct hy_rotation_panels *here);
/* C += A(i, kappa) B(kappa, j) */
void hy_rotation_multiply(struct hy_rotation *rotation, const struct hy_rotation_panels *here);

#endif
