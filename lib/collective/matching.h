/* Whole messages on shortest paths, their links chosen step by step, or negotiated for all steps at
 * once.  Private to this room and its tests.
 *
 * Matched: of the messages that wait at a node, as many as can be leave in a step over different
 * links, those with the farthest to go first: a matching of messages and dimensions (Varvarigos
 * 1992, 2.4 and 2.5, which has it for tasks that look the same from all nodes).  Negotiated: see
 * negotiate.c.
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

/* The generator that has it for its table. */
hyla_status hy_matching_schedule(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out);

#endif
