/* How a matrix is cut into pieces and dealt to the nodes for writing. */
#include "io/io.h"

/* PIECE: entries of a piece large enough for a round.  LONG_LINE: entries from which on a line is
 * cut.  ROWS: rows that go into a piece together, because a column's entries are adjacent. */
enum { PIECE = 1 << 14, LONG_LINE = 1 << 17, ROWS = 8 };

struct hy_file_split hy_file_split_make(int dims, int64_t rows, int64_t cols, bool by_rows) {
  const int64_t nodes = (int64_t)1 << dims;
  const int64_t length = by_rows ? cols : rows, lines = by_rows ? rows : cols;
  struct hy_file_split split = {.by_rows = by_rows, .whole = lines >= nodes && length <= LONG_LINE};
  int64_t along = split.whole ? lines : length;
  int64_t wanted = PIECE;
  if (split.whole) wanted = hy_max(by_rows ? ROWS : 1, hy_ceil_div(PIECE, hy_max(1, length)));
  /* Every node gets its share, even if a piece could hold more. */
  split.block = hy_max(1, hy_min(wanted, hy_ceil_div(along, nodes)));
  split.rounds = hy_ceil_div(hy_ceil_div(along, split.block), nodes);
  split.most = split.block;
  if (split.whole) {
    split.most *= length;
  } else {
    split.rounds *= lines;
  }
  bool deal_rows = split.whole == by_rows;
  split.layout.row = hy_axis_dealt(deal_rows ? dims : 0, split.block, rows).code;
  split.layout.col = hy_axis_dealt(deal_rows ? 0 : dims, split.block, cols).code;
  return split;
}

struct hy_file_piece hy_file_split_piece(const struct hy_file_split *split,
                                         const hyla_matrix *matrix, int64_t round) {
  const struct hy_axis *inner = split->by_rows ? &matrix->col : &matrix->row;
  const struct hy_axis *outer = split->by_rows ? &matrix->row : &matrix->col;
  int inner_part = split->by_rows ? matrix->col_part : matrix->row_part;
  int outer_part = split->by_rows ? matrix->row_part : matrix->col_part;
  int64_t length = split->by_rows ? matrix->local_cols : matrix->local_rows;
  int64_t lines = split->by_rows ? matrix->local_rows : matrix->local_cols;
  int64_t line, first = 0;
  if (split->whole) {
    line = hy_min(round * split->block, lines);
    lines = hy_min(split->block, lines - line);
  } else {
    int64_t rounds = split->rounds / outer->n; /* for each line */
    line = round / rounds;
    lines = 1;
    first = hy_min(round % rounds * split->block, length);
    length = hy_min(split->block, length - first);
  }
  if (length == 0 || lines == 0) return (struct hy_file_piece){0};
  int64_t place =
      hy_axis_index(outer, outer_part, line) * inner->n + hy_axis_index(inner, inner_part, first);
  if (split->by_rows) return (struct hy_file_piece){line, lines, first, length, place};
  return (struct hy_file_piece){first, length, line, lines, place};
}
