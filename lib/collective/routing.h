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

/* The dimensions that a transposition makes change places: of a square array a column's and a
 * row's bit each. */
struct hy_pairs {
  int count;
  uint8_t low[HYLA_DIMS_MAX / 2]; /* ascending */
  uint8_t high[HYLA_DIMS_MAX / 2];
};

struct hy_routing {
  int dims;
  int parts; /* equal parts of a node's words, each with a path of its own */
  /* NULL: so many of every node's; else of the source's. */
  int (*parts_of)(const struct hy_routing *routing, uint32_t source);
  int steps;   /* of the whole routing */
  int longest; /* most legs of a path */
  bool batch;  /* parts of several nodes on one link in a step are one packet */
  int shapes;  /* a source's part p takes the same dimensions as its part p % shapes, in other
                  steps; 0: nothing of the kind is known */
  /* Writes the legs of a part of source's words, steps ascending; returns how many. */
  int (*path)(const struct hy_routing *routing, uint32_t source, int part, struct hy_leg *legs);
  struct hy_pairs pairs;              /* of transpositions and turns */
  uint32_t flips;                     /* of turns: bits that change besides */
  int packets[HYLA_DIMS_MAX / 2 + 1]; /* of a path, by how many pairs differ */
  uint32_t places;                    /* of rotations */
  const uint8_t *order;               /* of found ones */
};

/* Gives the routing to the recipe, which copies it. */
hyla_status hy_push_routing(struct hy_recipe *recipe, const struct hy_routing *routing);

/* The node (b, a) for node (a, b); of an odd number of dimensions the middle one stays. */
uint32_t hy_transposed(int dims, uint32_t node);
/* NULL when the problem, a struct hy_collective, makes pairs of dimensions change places, as the
 * transposition of a square array of nodes does, else the reason why not.  Which pairs. */
const char *hy_is_transposition(const void *problem);
struct hy_pairs hy_pairs_of(const struct hy_collective *collective);
/* In how many pairs a node's two bits differ, one bit a pair. */
uint32_t hy_pairs_differ(const struct hy_pairs *pairs, uint32_t node);

#endif
