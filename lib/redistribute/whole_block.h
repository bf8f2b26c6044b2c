/* Private to this room: redistributions by one collective over the whole cube.  A node puts its
 * outgoing entries into a buffer, and finds the incoming ones there. */
#ifndef HY_WHOLE_BLOCK_H
#define HY_WHOLE_BLOCK_H 1

#include "collective/collective.h"
#include "redistribute/redistribute.h"

/* The state of such a variant begins with this. */
struct hy_whole_block {
  const struct hy_redistribution *problem;
  struct hy_subcube_op op;
  int64_t *sources, *targets; /* words of each node, for struct hy_blocks */
  int64_t room;               /* words in the buffer */
  int64_t words;              /* those that belong to somebody */
  int64_t tiles;              /* entries of `scratch', for copies */
  char *data;
  char *scratch;
};

/* The traits of a row.  prepare, local: describes how entries travel, and plans the collective. */
struct hy_whole_block_traits {
  const char *collective; /* its variant */
  bool alike;  /* all messages are as long as the longest, rounded up to a multiple of the
                * number of nodes */
  bool banded; /* only entries within a band are exchanged */
  size_t size; /* of the state */
  hyla_status (*prepare)(void *state, const struct hy_whole_block_traits *traits);
};

/* The create of a variant. */
hyla_status hy_whole_block_create(const struct hy_variant *variant, const void *problem,
                                  void **state);
/* Local.  Plans the collective over all nodes; its task and blocks are set. */
hyla_status hy_whole_block_plan(struct hy_whole_block *whole, struct hy_collective collective,
                                const struct hy_whole_block_traits *traits);
/* The cost of the collective: steps, messages, words and memory. */
hyla_cost hy_whole_block_cost(const struct hy_whole_block *whole);
/* The allocate of a variant. */
hyla_status hy_whole_block_allocate(void *state);

#endif
