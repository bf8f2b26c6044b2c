/* Private to lib/gemm: a block of a matrix that is given by one triangle. */
#ifndef HY_GEMM_TRIANGLE_BLOCK_H
#define HY_GEMM_TRIANGLE_BLOCK_H 1

#include "gemm/panel.h"

/* The rows and columns of a block, by the matrix' indices, and the part of the matrix that may be
 * nonzero or that is wanted; HY_WHOLE: all of it.  In each column the entries of the triangle stand
 * at one end, up to an edge; from column to column the edge never moves up. */
struct hy_triangle_block {
  enum hy_part part;
  struct hy_indices rows, cols;
};
/* Entries in the part. */
int64_t hy_triangle_block_entries(const struct hy_triangle_block *block);
/* The rows, or the columns, that have entries in the part. */
struct hy_reach hy_triangle_block_rows(const struct hy_triangle_block *block);
struct hy_reach hy_triangle_block_cols(const struct hy_triangle_block *block);
/* The stair of pieces along the edge, for a part that is a triangle; the caller adds the function
 * that is called for each rectangle.  arg: the block or a structure that begins with it. */
struct hy_stair hy_triangle_block_stair(const struct hy_triangle_block *block, void *arg);
/* pack: moves the part's entries to the beginning of a block that is stored without gaps, column by
 * column.  unpack: moves them back and writes zeros outside the part. */
void hy_triangle_block_pack(const struct hy_triangle_block *block, const struct hy_kernels *k,
                            char *data);
void hy_triangle_block_unpack(const struct hy_triangle_block *block, const struct hy_kernels *k,
                              char *data);

#endif
