/* Private to lib/gemm: multiplication by panels that are passed on along trees.
 *
 * A, B, C lie in consecutive blocks on a 2^r x 2^c array.  k is cut into
 * K = max(2^r, 2^c) panels, in whole numbers in A's blocks and in B's.  Every panel
 * of A goes to all nodes of its row of the array, every panel of B to all of its
 * column: along the binomial tree from a root that the variant chooses, or another
 * tree of shortest paths, over one link a step.  If the root is not the owner the panel moves there
 * first, one place of the axis a step.
 *
 * Node (i, j) has panel m of both factors at time
 *     start(m) + |root of A's panel ^ j| + |root of B's panel ^ i|
 * where |x ^ y| counts the bits in which the codes of two parts differ: A's panel
 * leaves its root in row i of the array later by the distance of that row from the
 * root of B's, and the other way round.  So both meet everywhere without waiting.
 * What came in one step is multiplied and passed on in the next, and then given up.
 *
 * Steps: those in which the node sends or receives, of start(K - 1) + r + c.
 * Words: a node passes a panel on to at most r or c others.
 * Memory: a copy of the node's blocks, without gaps; of each factor, for what comes
 *   at one time, two panels (more where several do).
 * Of a triangular factor the rows (of B: the columns) of a panel that have entries in the
 *   triangle travel, none of a panel beyond the diagonal.
 * In place: where the nodes can read one another's blocks nothing travels.  All lend
 *   their blocks once, in one step, and panels are read in the order of their times.
 */
#ifndef HY_GEMM_RELAY_H
#define HY_GEMM_RELAY_H 1

#include "gemm/block_access.h"
#include "gemm/result.h"

struct hy_tree_pipeline_way {
  int (*root)(int owner);  /* the part of the axis where the tree begins, <= owner */
  int (*start)(int panel); /* >= the distance of owner and root in places */
  bool apart; /* what comes to a node at one time comes over links of its own, if it can */
};

/* The members of a variant; create keeps the way and makes the node's timetable. */
hyla_status hy_tree_pipeline_create(const struct hy_tree_pipeline_way *way,
                                    const struct hy_gemm_task *task, void **state);
hyla_status hy_tree_pipeline_take(void *state);
hyla_status hy_tree_pipeline_run(void *state);
void hy_tree_pipeline_destroy(void **state);

/* ------------------------------------------------------- the timetable -- */

/* One panel over one link; for products `part` is not used. */
struct hy_tree_pipeline_leg {
  int32_t step;
  int32_t panel;
  int32_t part; /* the other end's, on the axis along which the panel travels */
};

/* In order of steps, then of panels: so two nodes list what is between them alike. */
struct hy_tree_pipeline_legs {
  struct hy_tree_pipeline_leg *leg;
  int64_t count;
  int64_t most; /* in one step */
};

/* The legs of one step. */
struct hy_tree_pipeline_group {
  const struct hy_tree_pipeline_leg *leg;
  int64_t count;
};

/* One factor. */
struct hy_tree_pipeline_side {
  const struct hy_operand *operand;
  const struct hy_axis *axis; /* k as this factor is split over it */
  enum hy_part part;          /* of op(factor): where it is not 0 */
  int node;
  bool rows; /* k counts rows (of B), else columns (of A) */
  bool in_place;
  int64_t across; /* the node's rows of A, columns of B */
  int own;        /* part */
  int each;       /* panels a block */
  struct hy_tree_pipeline_legs in, out;
  uint8_t *link; /* while the timetable is made: see plan_links in relay_table.c */
  /* Of a run, by messages: */
  char *packed; /* the node's own panels */
  char *slots;
  struct hy_tree_pipeline_group came; /* in the step before */
  /* Of a run, in place: */
  struct hy_block_access *access;
};

struct hy_tree_pipeline {
  const struct hy_gemm_task *task;
  const struct hy_tree_pipeline_way *way;
  int64_t k;
  int panels; /* K */
  int steps;
  struct hy_tree_pipeline_legs products;
  struct hy_tree_pipeline_side a, b;
  struct hy_result c;
  struct hy_message *messages;
};

/* The legs of a step, when those of earlier steps end at *at. */
struct hy_tree_pipeline_group hy_tree_pipeline_legs_at(const struct hy_tree_pipeline_legs *legs,
                                                       int64_t *at, int step);

#endif
