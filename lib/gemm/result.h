/* Private to lib/gemm: a node's part of the product while it is made. */
#ifndef HY_GEMM_RESULT_H
#define HY_GEMM_RESULT_H 1

#include "gemm/fiber.h"
#include "gemm/local_product.h"

/* C's own block (of a triangle of C what the node has of it).  Or a block of summands, where
 *   the nodes of a fiber group have them of the same columns: each stretch is added at the
 *     end for the member whose share it is;
 *   other nodes than those of C's face have them too: they are added on the face. */
struct hy_result {
  struct hy_fiber fiber; /* along C's columns; 0 bits: of one node */
  uint32_t along;        /* dimensions that lead to the face; 0: none */
  int node;
  struct hy_indices rows, cols; /* of the block */
  /* Of a run: */
  const struct hy_gemm_task *task;
  int64_t begun;                /* columns to which something has been added */
  char *data;                   /* summands; NULL where C's own block serves */
  struct hy_fiber_group shares; /* by which they come to those whose shares they are */
  struct hy_group group;        /* by which they come to the face */
  int64_t wanted;               /* entries of the block that are computed, of a triangle of C */
};
/* bits: of the fiber group. */
struct hy_result hy_result_make(const struct hy_gemm_problem *problem, int bits, int node);
struct hy_result hy_result_onto_face(const struct hy_gemm_problem *problem, uint32_t along,
                                     int node);
hyla_status hy_result_take(struct hy_result *result, const struct hy_gemm_task *task);
/* Local, on a counting cube, instead of take: plans nothing and takes no memory, so nothing is to
 * be freed.  Then finish counts shares as if they were added by recursive halving. */
hyla_status hy_result_sketch(struct hy_result *result, const struct hy_gemm_task *task);
void hy_result_free(hyla_cube *cube, struct hy_result *result);

void hy_result_begin(struct hy_result *result);
/* C += alpha A B, the first time C := alpha A B + beta C: A's and B's panels for some indices
 * of k. */
void hy_result_add(struct hy_result *result, const struct hy_panel *a, const struct hy_panel *b,
                   const struct hy_indices *inner);
/* The same for columns from ... to-1 of the block and of B's panel, from the first on. */
void hy_result_add_columns(struct hy_result *result, int64_t from, int64_t to,
                           const struct hy_panel *a, const struct hy_panel *b,
                           const struct hy_indices *inner);
/* Collective over the nodes that have summands: adds them, shares by a reduce-scatter, on the face
 * by a reduction, and C := beta C + sum. */
hyla_status hy_result_finish(struct hy_result *result);

/* How sums are made of `count` entries: into += from.  arg: the problem. */
void hy_result_combine(void *into, const void *from, int64_t count, const void *arg);
/* Local.  How sums travel, where they do. */
void hy_result_explain(const struct hy_result *result, struct hy_text *text);

#endif
