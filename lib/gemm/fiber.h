/* Private to lib/gemm: fiber groups, the nodes of one line of the array that share a block.
 *
 * Either each member has a share of the block, and the group gathers the shares.  Or each member
 * has a block of summands; the group adds these, and each member keeps a share of the sum
 * (result.h). */
#ifndef HY_GEMM_FIBER_H
#define HY_GEMM_FIBER_H 1

#include "gemm/panel.h"
#include "gemm/step.h"

/* The nodes that differ in `bits' bits of their part of an axis, from bit `low' on.  Each index has
 * `across' entries side by side.  There are two kinds of groups:
 *   by intervals (the lowest bits): the group holds intervals of the axis; member x holds the x-th
 *     stretch, of axis->block indices, of each interval
 *   stacked: the group holds, one after another, everything that each member holds of the axis */
struct hy_fiber {
  const struct hy_axis *axis;
  int low;
  int bits;
  int node;
  int own; /* the node's number in the group */
  bool stacked;
  bool limited; /* only the indices within the limits are shared */
  struct hy_reach limits;
};
struct hy_fiber hy_fiber_make(const struct hy_axis *axis, int bits, int node);
struct hy_fiber hy_fiber_stack(const struct hy_axis *axis, int low, int bits, int node);
/* For a stacked group.  part: member x's part of the axis.  total: the indices of all members. */
int hy_fiber_part(const struct hy_fiber *fiber, int member);
int64_t hy_fiber_total(const struct hy_fiber *fiber);
/* For a group by intervals: start and length of the interval that it holds in round t of the axis'
 * blocks. */
int64_t hy_fiber_from(const struct hy_fiber *fiber, int64_t round);
int64_t hy_fiber_length(const struct hy_fiber *fiber, int64_t round);
/* By intervals: where member x's stretch begins in an interval of `length' indices.  Stacked: where
 * its share begins in the stack. */
int64_t hy_fiber_before(const struct hy_fiber *fiber, int64_t length, int member);

/* Bit `step' divides the 2^(step+1) members that agree in all higher bits into two halves, each
 * with consecutive indices.  This gives the start and the length of the node's own half and of its
 * peer's.  The peer differs from the node in that bit alone. */
struct hy_fiber_halves {
  int peer;
  int64_t mine, mine_length;
  int64_t theirs, theirs_length;
};
struct hy_fiber_halves hy_fiber_halves_at(const struct hy_fiber *fiber, int step, int64_t length);

/* The planned collective by which the members gather their stretches of a panel, or add their
 * panels and keep one stretch each.  It is planned so that the option `collective' can choose its
 * variant. */
struct hy_fiber_group {
  struct hy_subcube_op group;
  int64_t *offsets; /* in entries: where the stretches begin, and the end; NULL: nothing travels */
};
/* Local.  task: all-gather or reduce-scatter of `length' indices with `across' entries of `size'
 * bytes each.  Status: MEMORY; ARGUMENT and UNSUPPORTED for a wrong option.  Free the group also
 * after a failure. */
hyla_status hy_fiber_group_allocate(void *owner, hyla_cube *cube, const struct hy_fiber *fiber,
                                    enum hy_task task, int64_t across, int64_t length, size_t size,
                                    struct hy_fiber_group *group);

/* Step number = 0 ... bits-1 of an all-gather of `data', across x length entries; each member's
 * stretch is in its place before step 0.  No memory beyond `data' is used. */
void hy_fiber_gather(const struct hy_fiber *fiber, int number, int64_t across, int64_t length,
                     size_t size, char *data, struct hy_step *step);

#endif
