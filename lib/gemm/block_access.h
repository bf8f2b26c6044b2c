/* Private to lib/gemm: nodes read blocks of other nodes where these lie. */
#ifndef HY_GEMM_BLOCK_ACCESS_H
#define HY_GEMM_BLOCK_ACCESS_H 1

#include "gemm/triangle_block.h"

/* The nodes along one axis of a matrix lend one another their blocks.  If the axis is not split, a
 * node has its own block only, and nothing travels. */
struct hy_block_access;

/* Local.  rows: along op(matrix)'s rows, otherwise along its columns.  part: the part of op(matrix)
 * that is lent; a block without entries in that part is not lent. */
hyla_status hy_block_access_create(void *owner, const struct hy_gemm_factor *factor, bool rows,
                                   enum hy_part part, struct hy_block_access **access);

/* Lends this node's block. */
hyla_status hy_block_access_open(struct hy_block_access *access);
/* The block of a part, in the factor's form, once its owner has lent it.  It has no data if it is
 * not lent. */
hyla_status hy_block_access_block(struct hy_block_access *access, int part, struct hy_panel *block);
/* Gives all blocks back and waits until all nodes have given this node's block back. */
hyla_status hy_block_access_close(struct hy_block_access *access);

#endif
