/* Isotropic tasks: exchanges that look the same from every node.
 * Private to this room and its tests. (Varvarigos 1992, chapter 2)
 *
 * Every node starts with a message for each of a set of tags, a message's tag
 * being its source XOR its destination, and all nodes do the same with their
 * message of the same tag in the same step.  So a node has one message of each
 * tag at all times, and it stays in one place: slot x of node s, which is block
 * x of its buffer, starts with the message for x and ends with the one from x;
 * what a node sends for tag s XOR x makes room for what it receives. */
#ifndef HY_ISOTROPIC_H
#define HY_ISOTROPIC_H 1

#include "collective/variant.h"

/* In a step the parts from ... to of all messages whose tags agree with `tag`
 * outside the mask `free` cross the dimensions `across` (which `tag` has). */
struct hy_hop {
  int step;
  uint32_t across;
  uint32_t tag;
  uint32_t free;
  uint32_t from;
  uint32_t to;
  uint32_t done; /* dimensions that these parts have crossed, where they need crossing */
};

/* The whole exchange, the same for every node. */
struct hy_hops {
  int steps;
  uint32_t parts;
  bool batch;
  bool rooms; /* blocks are not full: the pieces say whose words they are, by `done` */
  int64_t count;
  int64_t capacity;
  struct hy_hop hops[];
};

hyla_status hy_hops_create(struct hy_base *base, int64_t capacity, uint32_t parts, bool batch,
                           struct hy_hops **hops);
void hy_hops_add(struct hy_hops *hops, int step, uint32_t across, uint32_t tag, uint32_t free,
                 uint32_t from, uint32_t to);
/* Gives the hops to the recipe, as a generator's table. */
hyla_status hy_push_hops(const struct hy_collective *collective, struct hy_recipe *recipe,
                         struct hy_hops *hops);

/* A table with as few steps as can be, by colouring the bipartite graph of tags and
 * dimensions. */
hyla_status hy_hops_colour(struct hy_base *base, int dims, const uint32_t *tags, int64_t count,
                           struct hy_hops **hops);

#endif
