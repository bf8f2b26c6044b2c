/* Partial multinode broadcast: M of the nodes broadcast to all.  Private to this room and its
 * tests.  (Varvarigos 1992, chapter 3.6)
 *
 * Every node knows which nodes are active, so all know the rank of an active node: the number of
 * active nodes before it.  (If they do not know, hyla_active_ranks finds it in d exchanges of a
 * number; the times below are without that.) */
#ifndef HY_PARTIAL_H
#define HY_PARTIAL_H 1

#include "collective/variant.h"

/* The active nodes and their ranks, for one generator. */
struct hy_partial {
  int dims;
  uint32_t count;   /* M */
  uint32_t longest; /* the largest class */
  bool split;       /* packets are cut in d parts, part c in class c; else class = rank mod d */
  int32_t rank[];   /* [class][node]: rank among the class's active nodes, ordered by their
                     * addresses rotated right by the class; -1: not in the class */
};

/* active: 2^dims flags.  The caller frees *partial. */
hyla_status hy_partial_create(struct hy_base *base, int dims, const uint8_t *active, bool split,
                              struct hy_partial **partial);

/* Algorithms II (split) and III; the generator's table is the hy_partial. */
hyla_status hy_partial_classes(const struct hy_generator *generator, uint32_t node,
                               struct hy_schedule *out);
/* Exact times, in units of a packet's time (II: of a d-th of it), without the prefix. */
struct hy_ratio hy_partial_time(int dims, int algorithm, uint32_t count);

#endif
