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
  int32_t *to;                /* the node to which each block goes; NULL: blocks are cut */
  int64_t words;              /* in the buffer */
  int64_t padding;            /* further words that are sent but belong to nobody */
  int64_t tiles;              /* entries of `scratch', for copies */
  char *data;
  char *scratch;
};

/* Local.  Describes how entries travel, and plans the collective `variant'. */
typedef hyla_status hy_whole_block_prepare(void *state, const char *variant);
/* Collective over cube and guests, with the same status on all ranks.  size: of the state. */
hyla_status hy_whole_block_create(const struct hy_redistribution *problem, size_t size,
                                  hy_whole_block_prepare *prepare, const char *variant,
                                  void **state);
/* Local.  Plans the collective over all nodes; its task and blocks are set. */
hyla_status hy_whole_block_plan(struct hy_whole_block *whole, struct hy_collective collective,
                                const char *variant);
/* The most nodes for which PERMUTED SEND is planned.  It cuts a message into d 2^d pieces; with
 * 1024 nodes its schedules take minutes and gigabytes in a simulation. */
enum { HY_PERMUTED_NODES = 512 };
/* The reason why it does not serve a permutation of `nodes' nodes, else NULL.  moves: some block
 * leaves its node, which is impossible on a cube of one node. */
const char *hy_whole_block_refuses(int nodes, bool moves);
/* Local.  Plans the permutation; to, sources and words are set.  alike: all messages are as long as
 * the longest, rounded up to a multiple of the number of nodes. */
hyla_status hy_whole_block_permute(struct hy_whole_block *whole, bool alike, const char *variant);

/* The cost of the collective: steps, messages, words and memory. */
hyla_cost hy_whole_block_cost(const struct hy_whole_block *whole);
/* The allocate of a variant. */
hyla_status hy_whole_block_allocate(void *state);
/* Collective over the cube's nodes, once the buffer is filled. */
hyla_status hy_whole_block_run(const struct hy_whole_block *whole);

/* For variants that move every node's block to one node.  cost_of_all: the cost with the copies
 * into the buffer and out of it.  put: copies the arrived blocks to the targets, one after the
 * other. */
hyla_cost hy_whole_block_cost_of_all(const void *state);
void hy_whole_block_put(const struct hy_whole_block *whole);

#endif
