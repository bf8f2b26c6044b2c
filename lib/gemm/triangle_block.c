/* A block of a matrix that is given by one triangle. */
#include "gemm/triangle_block.h"

#include <string.h>

static bool is_lower(const struct hy_triangle_block *block) { return block->part == HY_LOWER_PART; }

/* The first row of a column in a lower triangle; the first row after it in an upper one. */
static int64_t edge(const void *arg, int64_t col) {
  const struct hy_triangle_block *block = arg;
  return hy_indices_below(&block->rows, hy_indices_at(&block->cols, col) + !is_lower(block));
}

struct hy_stair hy_triangle_block_stair(const struct hy_triangle_block *block, void *arg) {
  return (struct hy_stair){.rows = block->rows.count,
                           .cols = block->cols.count,
                           .lower = is_lower(block),
                           .edge = edge,
                           .arg = arg};
}

int64_t hy_triangle_block_entries(const struct hy_triangle_block *block) {
  int64_t all = block->rows.count * block->cols.count;
  if (block->part == HY_WHOLE) return all;
  int64_t above = hy_indices_below_all(&block->rows, &block->cols, !is_lower(block));
  return is_lower(block) ? all - above : above;
}

/* The positions in a list of row (or column) indices on the triangle's side of `index'. */
static struct hy_reach beside(const struct hy_indices *list, int64_t index, bool from_on) {
  int64_t at = hy_indices_below(list, index + !from_on);
  return from_on ? (struct hy_reach){at, list->count - at} : (struct hy_reach){0, at};
}

struct hy_reach hy_triangle_block_rows(const struct hy_triangle_block *block) {
  int64_t cols = block->cols.count;
  if (block->part == HY_WHOLE) return (struct hy_reach){0, block->rows.count};
  if (cols == 0) return (struct hy_reach){0, 0};
  return beside(&block->rows, hy_indices_at(&block->cols, is_lower(block) ? 0 : cols - 1),
                is_lower(block));
}

struct hy_reach hy_triangle_block_cols(const struct hy_triangle_block *block) {
  int64_t rows = block->rows.count;
  if (block->part == HY_WHOLE) return (struct hy_reach){0, block->cols.count};
  if (rows == 0) return (struct hy_reach){0, 0};
  return beside(&block->cols, hy_indices_at(&block->rows, is_lower(block) ? rows - 1 : 0),
                !is_lower(block));
}

/* The rows of a column that are in the triangle. */
static struct hy_reach column(const struct hy_triangle_block *block, int64_t col) {
  int64_t at = edge(block, col), rows = block->rows.count;
  return is_lower(block) ? (struct hy_reach){at, rows - at} : (struct hy_reach){0, at};
}

/* No column moves to a higher address, so none overwrites a column that is still to be moved. */
void hy_triangle_block_pack(const struct hy_triangle_block *block, const struct hy_kernels *k,
                            char *data) {
  int64_t rows = block->rows.count, done = 0;
  size_t size = k->size;
  if (block->part == HY_WHOLE || k->dry) return;
  for (int64_t col = 0; col < block->cols.count; col++) {
    struct hy_reach in = column(block, col);
    memmove(data + (size_t)done * size, data + (size_t)(col * rows + in.from) * size,
            (size_t)in.count * size);
    done += in.count;
  }
}

/* Begins with the last column, for the same reason. */
void hy_triangle_block_unpack(const struct hy_triangle_block *block, const struct hy_kernels *k,
                              char *data) {
  int64_t rows = block->rows.count, left = hy_triangle_block_entries(block);
  size_t size = k->size;
  if (block->part == HY_WHOLE || k->dry) return;
  for (int64_t col = block->cols.count - 1; col >= 0; col--) {
    struct hy_reach in = column(block, col);
    char *top = data + (size_t)(col * rows) * size;
    left -= in.count;
    memmove(top + (size_t)in.from * size, data + (size_t)left * size, (size_t)in.count * size);
    memset(top, 0, (size_t)in.from * size);
    memset(top + (size_t)(in.from + in.count) * size, 0,
           (size_t)(rows - in.from - in.count) * size);
  }
}
