/* Isotropic tasks: exchanges that look the same from every node.  Private to this room and its
 * tests.  (Varvarigos 1992, chapter 2)
 *
 * Every node starts with a message for each of a set of tags.  A message's tag is its source XOR
 * its destination.  In each step all nodes do the same with their messages of the same tag.  So a
 * node always holds one message of each tag, and that message has a fixed place: slot x of node s,
 * which is block x of its buffer, starts with the message for x and ends with the message from x.
 * A message that leaves the slot makes room for the one that comes.
 *
 * 4 nodes, tag 3, first over dimension 0: node 0 sends slot 3, its message for 3, to node 1 and
 * receives node 1's message for 2 into slot 3.  Over dimension 1 it sends that on to node 2 and
 * receives node 3's message for 0. */
#ifndef HY_ISOTROPIC_H
#define HY_ISOTROPIC_H 1

#include "collective/variant.h"

/* In a step the parts from ... to of all messages whose tags agree with `tag' outside the mask
 * `free' cross the dimensions `across', which `tag' has. */
struct hy_hop {
  int step;
  uint32_t across;
  uint32_t tag;
  uint32_t free;
  uint32_t from;
  uint32_t to;
  uint32_t done; /* dimensions that these parts have crossed, where rooms need it */
};

/* The whole exchange, the same for every node. */
struct hy_hops {
  int steps;
  uint32_t parts;
  bool batch;
  bool ragged; /* blocks are not full; the pieces tell whose words they hold, by `done' */
  int64_t count;
  int64_t capacity;
  struct hy_hop hops[];
};

hyla_status hy_hops_create(struct hy_base *base, int64_t capacity, uint32_t parts, bool batch,
                           struct hy_hops **hops);
void hy_hops_add(struct hy_hops *hops, int step, uint32_t across, uint32_t tag, uint32_t free,
                 uint32_t from, uint32_t to);
/* Gives the hops to the recipe, as the table of a generator. */
hyla_status hy_push_hops(const struct hy_collective *collective, struct hy_recipe *recipe,
                         struct hy_hops *hops);

/* The table with the fewest steps, by colouring the bipartite graph of tags and dimensions. */
hyla_status hy_hops_colour(struct hy_base *base, int dims, const uint32_t *tags, int64_t count,
                           struct hy_hops **hops);

#endif
