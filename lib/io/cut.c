/* How a matrix is cut into pieces and dealt to the nodes for writing. */
#include "io/io.h"

/* PIECE: entries of a piece large enough for a round.  LONG_LINE: entries from which on a line is
 * cut.  ROWS: rows that go into a piece together, because a column's entries are adjacent. */
enum { PIECE = 1 << 14, LONG_LINE = 1 << 17, ROWS = 8 };

struct hy_file_cut hy_cut_make(int dims, int64_t rows, int64_t cols, bool by_rows) {
  const int64_t nodes = (int64_t)1 << dims;
  const int64_t length = by_rows ? cols : rows, lines = by_rows ? rows : cols;
  struct hy_file_cut cut = {.by_rows = by_rows, .whole = lines >= nodes && length <= LONG_LINE};
  int64_t along = cut.whole ? lines : length;
  int64_t wanted = PIECE;
  if (cut.whole) wanted = hy_max(by_rows ? ROWS : 1, hy_ceil_div(PIECE, hy_max(1, length)));
  /* Every node gets its share, even if a piece could hold more. */
  cut.block = hy_max(1, hy_min(wanted, hy_ceil_div(along, nodes)));
  cut.rounds = hy_ceil_div(hy_ceil_div(along, cut.block), nodes);
  cut.most = cut.block;
  if (cut.whole) {
    cut.most *= length;
  } else {
    cut.rounds *= lines;
  }
  bool deal_rows = cut.whole == by_rows;
  cut.layout.row = hy_axis_dealt(deal_rows ? dims : 0, cut.block, rows).code;
  cut.layout.col = hy_axis_dealt(deal_rows ? 0 : dims, cut.block, cols).code;
  return cut;
}

struct hy_file_piece hy_cut_piece(const struct hy_file_cut *cut, const hyla_matrix *matrix,
                                  int64_t round) {
  const struct hy_axis *inner = cut->by_rows ? &matrix->col : &matrix->row;
  const struct hy_axis *outer = cut->by_rows ? &matrix->row : &matrix->col;
  int inner_part = cut->by_rows ? matrix->col_part : matrix->row_part;
  int outer_part = cut->by_rows ? matrix->row_part : matrix->col_part;
  int64_t length = cut->by_rows ? matrix->local_cols : matrix->local_rows;
  int64_t lines = cut->by_rows ? matrix->local_rows : matrix->local_cols;
  int64_t line, first = 0;
  if (cut->whole) {
    line = hy_min(round * cut->block, lines);
    lines = hy_min(cut->block, lines - line);
  } else {
    int64_t rounds = cut->rounds / outer->n; /* for each line */
    line = round / rounds;
    lines = 1;
    first = hy_min(round % rounds * cut->block, length);
    length = hy_min(cut->block, length - first);
  }
  if (length == 0 || lines == 0) return (struct hy_file_piece){0};
  int64_t place =
      hy_axis_index(outer, outer_part, line) * inner->n + hy_axis_index(inner, inner_part, first);
  if (cut->by_rows) return (struct hy_file_piece){line, lines, first, length, place};
  return (struct hy_file_piece){first, length, line, lines, place};
}
