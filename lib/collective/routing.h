/* Permutations along given paths.  Private to this room and its tests.
 *
 * A routing says for every part of every node's words which links they cross and
 * when.  From it a generator makes any node's schedule: what leaves the node, what
 * comes for it, and what passes through and where that waits meanwhile. */
#ifndef HY_ROUTING_H
#define HY_ROUTING_H 1

#include "collective/variant.h"

/* A link on a path: over dimension `bit` (a mask of one bit) in a step. */
struct hy_leg {
  int step;
  uint32_t bit;
};

struct hy_routing {
  int dims;
  int parts;   /* equal parts of a node's words, each with a path of its own */
  int steps;   /* of the whole routing */
  int longest; /* most legs of a path */
  bool batch;  /* parts of several nodes on one link in a step are one packet */
  /* Writes the legs of a part of source's words, steps ascending; returns how many. */
  int (*path)(const struct hy_routing *routing, uint32_t source, int part, struct hy_leg *legs);
  uint32_t places;      /* of rotations */
  const uint8_t *order; /* of found ones */
};

/* Gives the routing to the recipe, which copies it. */
hyla_status hy_push_routing(struct hy_recipe *recipe, const struct hy_routing *routing);

/* The node (b, a) for node (a, b); of an odd number of dimensions the middle one stays. */
uint32_t hy_transposed(int dims, uint32_t node);
/* NULL when the problem, a struct hy_collective, sends from node (a, b) of a square array,
 * a the high dimensions, to node (b, a), else the reason why not. */
const char *hy_is_transposition(const void *problem);

#endif
