/* Permutations along given paths.  Private to this room and its tests.
 *
 * A routing tells for every part of every node's words which links it crosses, and when.  From that
 * a generator makes any node's schedule: the parts that leave the node, those that come for it, and
 * those that pass through and wait there meanwhile. */
#ifndef HY_ROUTING_H
#define HY_ROUTING_H 1

#include "collective/variant.h"

/* A link of a path: over dimension `bit' (a mask of one bit) in a step. */
struct hy_leg {
  int step;
  uint32_t bit;
};

/* The pairs of dimensions that a transposition swaps: in a square array a bit of the column and one
 * of the row. */
struct hy_pairs {
  int count;
  uint8_t low[HYLA_DIMS_MAX / 2]; /* ascending */
  uint8_t high[HYLA_DIMS_MAX / 2];
};

struct hy_routing {
  int dims;
  int parts; /* equal parts of a node's words, each with its own path; the most, with parts_of */
  /* The number of parts of the source's words; NULL: `parts' for every source. */
  int (*parts_of)(const struct hy_routing *routing, uint32_t source);
  int steps;   /* steps of the whole routing */
  int longest; /* most legs of a path; 0: dims */
  bool batch;  /* parts of several nodes on one link in a step are one packet */
  int shapes;  /* a source's part p crosses the same dimensions as its part p % shapes, in other
                * steps; 0: nothing like that is known */
  /* Writes the legs of a part of source's words, in the order of their steps; returns their
   * number. */
  int (*path)(const struct hy_routing *routing, uint32_t source, int part, struct hy_leg *legs);
  struct hy_pairs pairs;              /* transpositions and turns */
  uint32_t flips;                     /* turns: bits that change besides */
  int packets[HYLA_DIMS_MAX / 2 + 1]; /* packets on a path, by the number of pairs that differ */
  uint32_t places;                    /* rotations */
  const uint8_t *order;               /* rotations with paths that were searched for */
};

/* Gives a routing over the collective's dimensions to the recipe. */
hyla_status hy_push_routing(const struct hy_collective *collective, struct hy_recipe *recipe,
                            struct hy_routing routing);

/* Node (b, a) for node (a, b); with an odd number of dimensions the middle one stays. */
uint32_t hy_transposed(int dims, uint32_t node);
/* is: NULL if the problem, a struct hy_collective, swaps pairs of dimensions, as the transposition
 * of a square array of nodes does; otherwise the reason why not.  of: these pairs. */
const char *hy_is_transposition(const void *problem);
struct hy_pairs hy_pairs_of(const struct hy_collective *collective);
/* The pairs in which a node's two bits differ, one bit for each pair. */
uint32_t hy_pairs_differ(const struct hy_pairs *pairs, uint32_t node);

#endif
