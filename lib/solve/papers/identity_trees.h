/* Private to solve/papers: systems with identities on the diagonal, what travels by trees
 * (identity_trees.c) and how right-hand sides come to the diagonal before (identity_sides.c). */
#ifndef HY_SOLVE_IDENTITY_TREES_H
#define HY_SOLVE_IDENTITY_TREES_H 1

#include "solve/papers/identity.h"

/* A root's tree as this rank sees it: binomial, over the dimensions in a mask. */
struct hy_tree {
  uint32_t dims, way; /* the mask; this rank's address from the root's */
};

struct hy_trees {
  const struct hy_identity *e;
  const struct hy_kernels *k;
  const struct hyla_matrix *sums;
  int64_t hops, period;        /* of a group: until its sums are there; until it leaves again */
  int64_t begin;               /* when the first group leaves, its right-hand sides being there */
  int64_t columns_in, rows_in; /* blocks of a span in this rank's columns, rows, at most */
  int64_t nearest;             /* of this rank's distances from the roots of its sums */
  int64_t subtracted;          /* spans of which all is subtracted */
};

/* The right-hand sides of a group. */
static inline int64_t hy_tree_first_side(const struct hy_trees *f, int64_t group) {
  return group * f->e->width;
}
static inline int hy_tree_sides_in(const struct hy_trees *f, int64_t group) {
  return (int)hy_min(f->e->width, f->sums->col.n - group * f->e->width);
}

/* The number-th block of a span on an axis' part; false: there is none. */
bool hy_tree_block(const struct hy_trees *f, int64_t step, const struct hy_axis *axis, int part,
                   int64_t number, struct hy_diagonal_block *at);

struct hy_tree hy_tree_of(const struct hy_trees *f, uint32_t dims, int root);
/* This rank's neighbours in a tree: the parent; children, which are bits that follow the rank's
 * highest.  next: the child behind a child, of 0 the first; 0: none. */
int hy_tree_parent(const struct hy_trees *f, const struct hy_tree *tree);
uint32_t hy_tree_next_child(const struct hy_tree *tree, uint32_t child);
/* The rank's distance from the root of the number-th blocks in its rows. */
int hy_tree_row_distance(const struct hy_trees *f, int64_t number);

/* Not agreed.  finish: of a message that may never have been started.
 * add   what neighbours send, in this order, to a group's sums of a block
 * give  a group's sums of a block go to a neighbour, and are 0 here */
hyla_status hy_tree_start(const struct hy_trees *f, struct hy_message *message, enum hy_verb verb,
                          int peer, char *data, int64_t words);
hyla_status hy_tree_finish(const struct hy_trees *f, struct hy_message *message);
hyla_status hy_tree_add(const struct hy_trees *f, const struct hy_diagonal_block *at, int64_t group,
                        const int *peers, int count);
hyla_status hy_tree_give(const struct hy_trees *f, const struct hy_diagonal_block *at,
                         int64_t number, int64_t group, int peer);

/* Right-hand sides of the first span, at a time: those that come to the diagonal, those that pass
 * through this rank. */
hyla_status hy_tree_sides(const struct hy_trees *f, int64_t time);

/* Local.  Do right-hand sides come in the rank row beside theirs, too?  By groups.  Room and
 * messages for them. */
bool hy_tree_beside(const struct hy_identity *e);
int64_t hy_tree_beside_words(const struct hy_identity *e);
int64_t hy_tree_beside_messages(const struct hy_identity *e);

#endif
