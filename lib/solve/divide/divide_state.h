/* Private to solve/divide: the states of the two problems. */
#ifndef HY_DIVIDE_STATE_H
#define HY_DIVIDE_STATE_H 1

#include "solve/divide/tree.h"

/* Most rows of a leaf of T: one more than 8, so that orders 2^k + 1 take no further level. */
enum { HY_DIVIDE_LEAF = 9 };

struct hy_divide {
  struct hy_divide_tree tree;
  int sweeps;     /* most of a value in a leaf */
  int64_t failed; /* first row of a leaf that did not converge; -1: none */
};

/* B has a last column of zeros here, n + 1 in all; its null vector is the last unit vector, which
 * is never stored. */
struct hy_singular {
  struct hy_divide_tree tree;
};

/* leaf.c, local: T's rows lo ... hi-1, torn off, by QL steps: values, first and last rows, and this
 * node's rows of the vectors.  False: a value took more steps than s->sweeps. */
bool hy_divide_leaf(const struct hy_divide *s, int64_t lo, int64_t hi);

#endif
