/* Private to lib/gemm: fiber groups, nodes of one line of the array that share a block.
 *
 * Each member has a share of the block: they gather it.  Or each has a block of summands: they
 * add them, and each gets a share of the sum (result.h). */
#ifndef HY_GEMM_FIBER_H
#define HY_GEMM_FIBER_H 1

#include "gemm/panel.h"
#include "gemm/step.h"

/* The nodes that differ in `bits` bits of their part of an axis, from bit `low` on.
 * Each index that they hold has `across` entries side by side.  Together they hold,
 *   by intervals (the lowest bits): the indices of an interval, member x the x-th
 *     stretch of axis->block of them
 *   stacked: one after the other all that each member holds of the axis */
struct hy_fiber {
  const struct hy_axis *axis;
  int low;
  int bits;
  int node;
  int own; /* its number */
  bool stacked;
  bool limited; /* only the indices within the limits are shared */
  struct hy_reach limits;
};
struct hy_fiber hy_fiber_make(const struct hy_axis *axis, int bits, int node);
struct hy_fiber hy_fiber_stack(const struct hy_axis *axis, int low, int bits, int node);
/* Of a stacked group: member x's part of the axis; what all hold. */
int hy_fiber_part(const struct hy_fiber *fiber, int member);
int64_t hy_fiber_total(const struct hy_fiber *fiber);
/* What a group by intervals holds in round t of the axis' blocks: from where, how much. */
int64_t hy_fiber_from(const struct hy_fiber *fiber, int64_t round);
int64_t hy_fiber_length(const struct hy_fiber *fiber, int64_t round);
/* Where member x's stretch of so many indices begins, or what it holds in the stack. */
int64_t hy_fiber_before(const struct hy_fiber *fiber, int64_t length, int member);

/* Bit `step` cuts the 2^(step+1) members that agree in all higher bits into two halves, each
 * with indices that follow one another: where the node's own half begins and the peer's, and
 * how much that is.  The peer is the node that differs in the bit alone. */
struct hy_fiber_halves {
  int peer;
  int64_t mine, mine_length;
  int64_t theirs, theirs_length;
};
struct hy_fiber_halves hy_fiber_halves_at(const struct hy_fiber *fiber, int step, int64_t length);

/* The collective by which the members gather their stretches of a panel, or add what all have of
 * it and keep each its own: planned, so that the option `collective` can say how. */
struct hy_fiber_group {
  struct hy_group group;
  int64_t *offsets; /* in entries: where the stretches begin, and the end; NULL: nothing travels */
};
/* Local.  task: all-gather or reduce-scatter; of `length` indices with `across` entries of `size`
 * bytes each.  MEMORY; ARGUMENT and UNSUPPORTED for what the option says.  Free it also after a
 * failure. */
hyla_status hy_fiber_group_take(hyla_cube *cube, const struct hy_fiber *fiber, enum hy_task task,
                                int64_t across, int64_t length, size_t size,
                                struct hy_fiber_group *group);
void hy_fiber_group_free(hyla_cube *cube, struct hy_fiber_group *group);

/* Step 0 ... bits-1 of an all-gather of data, across x length entries, of which each member
 * has its stretch in place; nothing beyond them. */
void hy_fiber_gather(const struct hy_fiber *fiber, int number, int64_t across, int64_t length,
                     size_t size, char *data, struct hy_step *step);

#endif
