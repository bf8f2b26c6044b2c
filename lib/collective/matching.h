/* Whole messages on shortest paths.  Their links are chosen step by step, or negotiated for all
 * steps at once.  Private to this room and its tests.
 *
 * Matched: in each step as many of a node's waiting messages as possible leave over different
 * links, those with the farthest to go first.  That is a matching of messages and dimensions
 * (Varvarigos 1992, 2.4 and 2.5, for tasks that look the same from all nodes).  Negotiated: see
 * negotiate.c, and negotiate_trees.c for blocks that several nodes want. */
#ifndef HY_MATCHING_H
#define HY_MATCHING_H 1

#include "collective/variant.h"

/* Block `from' of the source becomes block `to' of the target.  No two letters have the same target
 * and the same `to'. */
struct hy_block_move {
  uint32_t source, target, from, to;
};

/* A crossing of a dimension, as a mask of one bit, in a step. */
struct hy_link_use {
  int32_t step;
  uint32_t across;
};

/* What a node does in a step with one of its blocks.  across: as in a packet. */
struct hy_transfer {
  int64_t next; /* the next transfer of the same node; -1: none */
  uint32_t across;
  uint32_t block;
  int32_t step;
  enum hy_action action;
};

/* The transfers of all nodes. */
struct hy_matching {
  int steps;
  uint32_t scratch; /* blocks that pass through the fullest node */
  int64_t count;
  struct hy_transfer transfer[]; /* 2 n, 2 n + 1: `next' is node n's first, last */
};

/* blocks: in a node's buffer.  crossings: NULL, or the crossings of each letter, one letter after
 * the other; no two may meet.  The caller frees *matching. */
hyla_status hy_matching_create(struct hy_base *base, int dims, uint32_t blocks,
                               const struct hy_block_move *block_moves, int64_t count,
                               const struct hy_link_use *crossings, struct hy_matching **matching);
/* The same with negotiated crossings, if these take fewer steps (negotiate.c). */
hyla_status hy_matching_negotiate(struct hy_base *base, int dims, uint32_t blocks,
                                  const struct hy_block_move *block_moves, int64_t count,
                                  struct hy_matching **matching);

/* Block `block' of the source goes to the same block of targets[first] ... targets[first + count -
 * 1]; the source is none of them. */
struct hy_demand {
  uint32_t source, block;
  int64_t first, count;
};

/* A block that a node receives over a dimension, as a mask of one bit: from block `from' of the
 * neighbour, into its own block `to'. */
struct hy_coming {
  uint32_t node, across, from, to;
  int32_t step;
};
struct hy_comings {
  int steps;
  uint32_t scratch; /* blocks that the fullest node only passes on */
  int64_t count;
  struct hy_coming coming[];
};

/* Trees whose links are negotiated, in `least' steps, then one more, and so on below `most'.
 * blocks: in a node's buffer.  *comings: NULL if no links were agreed on; the caller frees it. */
struct hy_demands {
  int dims;
  uint32_t blocks;
  const struct hy_demand *demand;
  int64_t count;
  const uint32_t *targets;
  int least, most;
};
hyla_status hy_trees_negotiate(struct hy_base *base, const struct hy_demands *demands,
                               struct hy_comings **comings);

/* The generator whose table is a matching. */
hyla_status hy_matching_schedule(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out);

#endif
