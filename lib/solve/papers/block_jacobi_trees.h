/* Private to solve/papers: systems with identities on the diagonal: the data that travel by trees
 * (block_jacobi_trees.c), and the right-hand sides that come to the diagonal before
 * (block_jacobi_sides.c). */
#ifndef HY_BLOCK_JACOBI_TREES_H
#define HY_BLOCK_JACOBI_TREES_H 1

#include "solve/papers/block_jacobi.h"

/* This rank's view of a root's tree: binomial, over the dimensions of a mask. */
struct hy_tree {
  uint32_t dims, way; /* the mask; this rank's address relative to the root's */
};

struct hy_trees {
  const struct hy_block_jacobi *e;
  const struct hy_kernels *k;
  const struct hyla_matrix *sums;
  int64_t hops, period;        /* for a group: the time until its sums are there; until it leaves
                                * again */
  int64_t begin;               /* the time when the first group leaves, after its right-hand sides
                                * have come */
  int64_t columns_in, rows_in; /* the most blocks of a span in this rank's columns; in its rows */
  int64_t nearest;             /* this rank's smallest distance from the roots of its sums */
  int64_t subtracted;          /* number of spans that are completely subtracted */
};

/* The first right-hand side of a group, and their number. */
static inline int64_t hy_tree_first_side(const struct hy_trees *f, int64_t group) {
  return group * f->e->width;
}
static inline int hy_tree_sides_in(const struct hy_trees *f, int64_t group) {
  return (int)hy_min(f->e->width, f->sums->col.n - group * f->e->width);
}

/* The number-th block of a span on an axis' part; false: no such block. */
bool hy_tree_block(const struct hy_trees *f, int64_t step, const struct hy_axis *axis, int part,
                   int64_t number, struct hy_diagonal_block *at);

struct hy_tree hy_tree_of(const struct hy_trees *f, uint32_t dims, int root);
/* This rank's neighbours in a tree.  parent: the node.  next_child: a child is a bit above the
 * rank's highest one; the child after `child', the first one for 0; 0: no more. */
int hy_tree_parent(const struct hy_trees *f, const struct hy_tree *tree);
uint32_t hy_tree_next_child(const struct hy_tree *tree, uint32_t child);
/* The rank's distance from the root of the number-th blocks in its rows. */
int hy_tree_row_distance(const struct hy_trees *f, int64_t number);

/* Not agreed.  finish: also for a message that was never started.
 *   add   adds the data that neighbours send, in this order, to a group's sums of a block
 *   give  sends a group's sums of a block to a neighbour and clears them here */
hyla_status hy_tree_start(const struct hy_trees *f, struct hy_message *message, enum hy_verb verb,
                          int peer, char *data, int64_t words);
hyla_status hy_tree_finish(const struct hy_trees *f, struct hy_message *message);
hyla_status hy_tree_add(const struct hy_trees *f, const struct hy_diagonal_block *at, int64_t group,
                        const int *peers, int count);
hyla_status hy_tree_give(const struct hy_trees *f, const struct hy_diagonal_block *at,
                         int64_t number, int64_t group, int peer);

/* Right-hand sides of the first span at a time: those that come to the diagonal, and those that
 * pass through this rank. */
hyla_status hy_tree_sides(const struct hy_trees *f, int64_t time);

/* Local.  beside: do right-hand sides, by groups, also travel in the rank row beside theirs?
 * words, messages: the memory and the number of messages for them. */
bool hy_tree_beside(const struct hy_block_jacobi *e);
int64_t hy_tree_beside_words(const struct hy_block_jacobi *e);
int64_t hy_tree_beside_messages(const struct hy_block_jacobi *e);

#endif
