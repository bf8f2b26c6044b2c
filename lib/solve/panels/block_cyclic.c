/* The places of the blocks of a block-cyclic matrix. */
#include "solve/panels/panels.h"

struct hy_block_cyclic hy_block_cyclic_at(const struct hy_axis *row, const struct hy_axis *col,
                                          int64_t block, int node) {
  struct hy_block_cyclic array = {.row = *row, .col = *col, .block = block};
  array.row_dims = hy_axis_mask(&row->code);
  array.col_dims = hy_axis_mask(&col->code);
  array.row_part = array.col_part = -1;
  if (node < 0) return array;
  array.row_part = hy_part_of(row, node);
  array.col_part = hy_part_of(col, node);
  array.rows = hy_held(row, array.row_part);
  array.cols = hy_held(col, array.col_part);
  array.order = hy_min(row->n, col->n);
  array.count = hy_ceil_div(array.order, block);
  return array;
}

struct hy_diagonal_block hy_diagonal_block(const struct hy_block_cyclic *array, int64_t index) {
  const struct hy_axis *row = &array->row, *col = &array->col;
  struct hy_diagonal_block at = {.index = index,
                                 .first = hy_max(index * array->block, array->start)};
  at.width = (int)(hy_min((index + 1) * array->block, array->order) - at.first);
  at.mine = hy_axis_owner(col, at.first) == array->col_part;
  at.top = hy_axis_owner(row, at.first) == array->row_part;
  at.column = hy_axis_before(col, array->col_part, at.first);
  at.row = hy_axis_before(row, array->row_part, at.first);
  at.rows = (int)(array->rows - at.row);
  return at;
}

int64_t hy_columns_behind(const struct hy_block_cyclic *array, const struct hy_diagonal_block *at) {
  return array->cols - at->column - (at->mine ? at->width : 0);
}

static int node_of(const struct hy_block_cyclic *array, int row_part, int col_part) {
  return (int)(hy_axis_address(&array->row.code, (uint32_t)row_part) |
               hy_axis_address(&array->col.code, (uint32_t)col_part));
}

int hy_row_root(const struct hy_block_cyclic *array, int64_t index) {
  return node_of(array, array->row_part, hy_axis_owner(&array->col, index * array->block));
}

int hy_column_root(const struct hy_block_cyclic *array, int64_t index) {
  return node_of(array, hy_axis_owner(&array->row, index * array->block), array->col_part);
}
