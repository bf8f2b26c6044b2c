/* Triangular systems with identities on the diagonal: the blocks of a span, and where they lie. */
#include "solve/papers/block_jacobi.h"

static struct hy_row_range range(const struct hy_axis *axis, int part, int64_t block, int64_t from,
                                 int64_t to) {
  if (from >= to) return (struct hy_row_range){0, 0};
  int64_t first = hy_axis_before(axis, part, hy_min(axis->n, from * block));
  int64_t last = hy_axis_before(axis, part, hy_min(axis->n, to * block));
  return (struct hy_row_range){first, last - first};
}

struct hy_row_range hy_block_jacobi_rows(const struct hy_block_jacobi *e, int part, int64_t from,
                                         int64_t to) {
  return range(&e->s.array.row, part, e->s.array.block, from, to);
}

struct hy_row_range hy_block_jacobi_columns(const struct hy_block_jacobi *e, int part, int64_t from,
                                            int64_t to) {
  return range(&e->s.array.col, part, e->s.array.block, from, to);
}

struct hy_block_span hy_block_jacobi_span(const struct hy_block_jacobi *e, int64_t step) {
  bool lower = hy_substitution_lower(&e->s);
  int64_t count = e->s.array.count, first = (lower ? step : e->spans - 1 - step) * e->span;
  int64_t end = hy_min(first + e->span, count);
  struct hy_block_span low = {first, end, 0, first, end, count};
  return lower ? low : (struct hy_block_span){first, end, end, count, 0, first};
}
