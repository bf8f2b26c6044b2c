/* Private to lib/gemm: a block of a matrix of which one triangle counts. */
#ifndef HY_GEMM_TRIANGLE_BLOCK_H
#define HY_GEMM_TRIANGLE_BLOCK_H 1

#include "gemm/panel.h"

/* The rows and columns of a block, by the matrix' indices, and the part of the matrix that may
 * have other entries than 0, or that is wanted; HY_WHOLE: all of it.  In a column those in a
 * triangle stand at one end, from an edge on that never falls from a column to the next. */
struct hy_triangle_block {
  enum hy_part part;
  struct hy_indices rows, cols;
};
/* Entries in the part. */
int64_t hy_triangle_block_entries(const struct hy_triangle_block *block);
/* The rows, the columns that have entries in the part. */
struct hy_reach hy_triangle_block_rows(const struct hy_triangle_block *block);
struct hy_reach hy_triangle_block_cols(const struct hy_triangle_block *block);
/* What is to be cut along the edge, of a part that is a triangle; the caller adds what a
 * rectangle is for.  arg: the block or a structure that begins with it. */
struct hy_stair hy_triangle_block_stair(const struct hy_triangle_block *block, void *arg);
/* Of a block that stands without gaps the part's entries come to its beginning, column by
 * column; they go back, and zeros to where they do not stand. */
void hy_triangle_block_pack(const struct hy_triangle_block *block, const struct hy_kernels *k,
                            char *data);
void hy_triangle_block_unpack(const struct hy_triangle_block *block, const struct hy_kernels *k,
                              char *data);

#endif
