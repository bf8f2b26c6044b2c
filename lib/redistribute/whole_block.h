/* Private to this room: redistributions by one collective over the whole cube. A node puts
 * what it sends into a buffer, and finds what it receives there. */
#ifndef HY_WHOLE_BLOCK_H
#define HY_WHOLE_BLOCK_H 1

#include "collective/collective.h"
#include "redistribute/redistribute.h"

/* The first member of such a variant's state. */
struct hy_whole_block {
  const struct hy_redistribution *problem;
  struct hy_collective_plan *plan; /* NULL on guests */
  int64_t *sources, *targets;      /* of each node, for struct hy_blocks */
  int32_t *to;                     /* where each node's block goes as a whole; NULL: it is cut */
  int64_t words;                   /* of the buffer, and */
  int64_t padding;                 /* so many more that are sent but are nobody's */
  int64_t tiles;                   /* entries of scratch for copies */
  char *data;
  char *scratch;
};

/* Local: fills in how entries travel, and plans the collective of that variant. */
typedef hyla_status hy_whole_block_prepare(void *state, const char *variant);
/* Collective over cube and guests; all ranks return the same.  size: of the state. */
hyla_status hy_whole_block_create(const struct hy_redistribution *problem, size_t size,
                                  hy_whole_block_prepare *prepare, const char *variant,
                                  void **state);
/* Plans the collective over all nodes; its blocks are set. */
hyla_status hy_whole_block_plan(struct hy_whole_block *whole, struct hy_collective *collective,
                                const char *variant);
/* On more nodes PERMUTED SEND, which cuts a message into d 2^d pieces, is not planned: of 1024 the
 * schedules take minutes and gigabytes in a simulation. */
enum { HY_PERMUTED_NODES = 512 };
/* The reason why it does not serve a permutation of so many nodes, else NULL.  moves: a block
 * leaves its node, which on a cube of one node none can. */
const char *hy_whole_block_refuses(int nodes, bool moves);
/* Plans the permutation; to, sources and words are set.  alike: all messages are as long as the
 * longest, padded to a multiple of the nodes' number. */
hyla_status hy_whole_block_permute(struct hy_whole_block *whole, bool alike, const char *variant);
/* Frees what is here, but not the state. */
void hy_whole_block_end(struct hy_whole_block *whole);

/* The steps, messages, words and memory. */
hyla_cost hy_whole_block_cost(const struct hy_whole_block *whole);
/* The take of a variant. */
hyla_status hy_whole_block_take(void *state);
/* On a node, once the buffer is filled. */
hyla_status hy_whole_block_run(const struct hy_whole_block *whole);

/* Where every node's block goes to one node: the cost, with the copies into the buffer and out of
 * it; what came, into the targets, one after the other; the destroy of a variant. */
hyla_cost hy_whole_block_cost_of_all(const void *state);
void hy_whole_block_put(const struct hy_whole_block *whole);
void hy_whole_block_destroy(void **state);

#endif
