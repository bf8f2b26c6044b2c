/* Private to lib/gemm: blocks of other nodes, read where they stand. */
#ifndef HY_GEMM_BLOCK_ACCESS_H
#define HY_GEMM_BLOCK_ACCESS_H 1

#include "gemm/triangle_block.h"

/* The nodes along one axis of a matrix lend one another their blocks.  Along an axis that is
 * not split a node has its own block only, and nothing travels. */
struct hy_block_access;

/* Local.  rows: along op(matrix)'s rows, else along its columns.  part: of op(matrix) what is
 * lent; a block that has nothing of it is not lent. */
hyla_status hy_block_access_create(const struct hy_gemm_factor *factor, bool rows,
                                   enum hy_part part, struct hy_block_access **access);
void hy_block_access_destroy(hyla_cube *cube, struct hy_block_access **access);

/* Lends this node's block. */
hyla_status hy_block_access_open(struct hy_block_access *access);
/* The block of a part, as the factor has it, once its owner has lent it; without data, if it
 * is not lent. */
hyla_status hy_block_access_block(struct hy_block_access *access, int part, struct hy_panel *block);
/* Gives all back and waits until this node's block has come back from all. */
hyla_status hy_block_access_close(struct hy_block_access *access);

#endif
