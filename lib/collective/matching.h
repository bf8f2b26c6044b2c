/* Whole messages on shortest paths, their links chosen step by step, or negotiated for all steps at
 * once.  Private to this room and its tests.
 *
 * Matched: of the messages that wait at a node, as many as can be leave in a step over different
 * links, those with the farthest to go first: a matching of messages and dimensions (Varvarigos
 * 1992, 2.4 and 2.5, which has it for tasks that look the same from all nodes).  Negotiated: see
 * negotiate.c.  So too for blocks that several nodes want: see negotiate_trees.c.
 */
#ifndef HY_MATCHING_H
#define HY_MATCHING_H 1

#include "collective/variant.h"

/* Block `from` of the source becomes block `to` of the target; no two have one target and `to`. */
struct hy_letter {
  uint32_t source, target, from, to;
};

/* A message crosses a dimension, as a mask of one bit. */
struct hy_link_use {
  int32_t step;
  uint32_t across;
};

/* What a node does in a step with one of its blocks; across: as in a packet. */
struct hy_transfer {
  int64_t next; /* of the same node; -1: none */
  uint32_t across;
  uint32_t block;
  int32_t step;
  enum hy_action action;
};

/* What all nodes do. */
struct hy_matching {
  int steps;
  uint32_t scratch; /* blocks that the fullest node has for what passes through */
  int64_t count;
  struct hy_transfer transfer[]; /* the first two of each node: its first one and its last one */
};

/* blocks: of a node's buffer.  crossings: NULL, or each letter's, in their order, one letter behind
 * the other; no two meet.  The caller frees *matching. */
hyla_status hy_matching_create(struct hy_base *base, int dims, uint32_t blocks,
                               const struct hy_letter *letters, int64_t count,
                               const struct hy_link_use *crossings, struct hy_matching **matching);
/* The same with crossings that are negotiated, in fewer steps where that can be (negotiate.c). */
hyla_status hy_matching_negotiate(struct hy_base *base, int dims, uint32_t blocks,
                                  const struct hy_letter *letters, int64_t count,
                                  struct hy_matching **matching);

/* Block `block` of the source becomes that of targets[first] ... targets[first + count - 1], none
 * of which is the source. */
struct hy_demand {
  uint32_t source, block;
  int64_t first, count;
};

/* A block that comes to a node over a dimension, as a mask of one bit: from which block of the
 * neighbour, to which of its own. */
struct hy_coming {
  uint32_t node, across, from, to;
  int32_t step;
};
struct hy_comings {
  int steps;
  uint32_t scratch; /* blocks that the fullest node has for what it only passes on */
  int64_t count;
  struct hy_coming coming[];
};

/* Trees whose links are negotiated, in least steps, or one more, and so on below `most`; blocks: of
 * a node's buffer.  *comings: NULL where there is no agreement; the caller frees it. */
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

/* The generator that has it for its table. */
hyla_status hy_matching_schedule(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out);

#endif
