/* Private to lib/solve: a matrix in square blocks, cyclic on a 2^r x 2^c array, as one rank sees
 * it.  The last of its diagonal blocks ends with the shorter axis: rows, or columns, of their own
 * may be left over beside it.
 *
 * Rank row p is the ranks that hold row part p, a subcube of c dimensions; rank column q
 * those that hold column part q, of r dimensions.  Block column k lies on rank column q_k,
 * block row k on rank row p_k, the diagonal block on both. */
#ifndef HY_BLOCK_CYCLIC_H
#define HY_BLOCK_CYCLIC_H 1

#include "matrix/matrix.h"

struct hy_block_cyclic {
  struct hy_axis row, col;
  int row_part, col_part; /* this rank's */
  int64_t rows, cols;     /* that it holds */
  int64_t block;
  int64_t order; /* the fewer of rows and columns; 0 on guests */
  int64_t start; /* the block in which this column is begins with it; 0: with its own */
  int64_t count; /* of diagonal blocks; 0 on guests */
  uint32_t row_dims, col_dims; /* cube dimensions that split rows, columns */
};

/* The rank at a node; -1: a guest. */
struct hy_block_cyclic hy_block_cyclic_at(const struct hy_axis *row, const struct hy_axis *col,
                                          int64_t block, int node);

/* Where diagonal block k lies, and what of the matrix lies beside it on the rank. */
struct hy_diagonal_block {
  int64_t index;
  int64_t first; /* global column, and row, that it begins with; none before `start' is asked for */
  int width;     /* rows and columns */
  bool mine;     /* this rank is on rank column q_k */
  bool top;      /* this rank is on rank row p_k */
  int64_t column; /* its first local column, on q_k; elsewhere the first one behind it */
  int64_t row;    /* its first local row; elsewhere the first one behind it */
  int rows;       /* local rows from there on */
};
struct hy_diagonal_block hy_diagonal_block(const struct hy_block_cyclic *array, int64_t index);

/* Local rows, local columns, behind the diagonal block. */
static inline int64_t hy_rows_behind(const struct hy_diagonal_block *at) {
  return at->rows - (at->top ? at->width : 0);
}
int64_t hy_columns_behind(const struct hy_block_cyclic *array, const struct hy_diagonal_block *at);

/* The member of this rank's row on q_k, of its column on p_k, as addresses. */
int hy_row_root(const struct hy_block_cyclic *array, int64_t index);
int hy_column_root(const struct hy_block_cyclic *array, int64_t index);

#endif
