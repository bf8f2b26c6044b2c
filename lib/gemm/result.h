/* Private to lib/gemm: a node's part of the product during the run. */
#ifndef HY_GEMM_RESULT_H
#define HY_GEMM_RESULT_H 1

#include "gemm/fiber.h"
#include "gemm/local_product.h"

/* A node's part is C's own block (for a triangle of C the block's entries in it), or a block of
 * summands.  There are two kinds of summands:
 *   the nodes of a fiber group have summands for the same columns: at the end each stretch of
 *     columns is added on the member that owns it;
 *   nodes outside the face of C have summands too: they are added on the face. */
struct hy_result {
  void *owner;
  struct hy_fiber fiber; /* along C's columns; 0 bits: one node */
  uint32_t along;        /* dimensions that lead to the face; 0: none; the variant may set it */
  int node;
  struct hy_indices rows, cols; /* rows and columns of the block */
  /* Set for a run: */
  const struct hy_gemm_task *task;
  int64_t begun;                /* columns that have been added to already */
  char *data;                   /* summands; NULL where C's own block serves */
  struct hy_fiber_group shares; /* brings summands to the owners of the shares */
  struct hy_subcube_op group;   /* brings summands to the face */
  int64_t wanted;               /* entries of the block in the computed triangle of C */
};
/* bits: size of the fiber group, as a logarithm. */
struct hy_result hy_result_make(void *owner, const struct hy_gemm_problem *problem, int bits,
                                int node);
hyla_status hy_result_allocate(struct hy_result *result, const struct hy_gemm_task *task);
/* Local, on a counting cube, instead of allocate.  Plans nothing and takes no memory, so there is
 * nothing to free.  finish then counts shares as if they were added by recursive halving. */
hyla_status hy_result_sketch(struct hy_result *result, const struct hy_gemm_task *task);

void hy_result_begin(struct hy_result *result);
/* C += alpha A B, the first time C := alpha A B + beta C.  a and b are the panels for the numbers
 * `inner' of k. */
void hy_result_add(struct hy_result *result, const struct hy_panel *a, const struct hy_panel *b,
                   const struct hy_indices *inner);
/* The same for columns from ... to-1 of the block and of B's panel. */
void hy_result_add_columns(struct hy_result *result, int64_t from, int64_t to,
                           const struct hy_panel *a, const struct hy_panel *b,
                           const struct hy_indices *inner);
/* Collective over the nodes that have summands.  Adds them, shares by a reduce-scatter and on the
 * face by a reduction, and sets C := beta C + sum. */
hyla_status hy_result_finish(struct hy_result *result);

/* Adds `count' entries: into += from.  arg: the problem. */
void hy_result_combine(void *into, const void *from, int64_t count, const void *arg);
/* Local.  Says how sums travel, if they do. */
void hy_result_explain(const struct hy_result *result, struct hy_text *text);

#endif
