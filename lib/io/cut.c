/* How a matrix is dealt to the nodes for writing. */
#include "io/io.h"

/* Entries of a piece that are worth a round; rows from which on a column is cut. */
enum { PIECE = 1 << 14, LONG_COLUMN = 1 << 17 };

static hyla_axis deal(int dims, int64_t block) {
  hyla_axis axis = {.dims = dims, .code = HYLA_BINARY, .storage = HYLA_CYCLIC, .block = block};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)i;
  return axis;
}

struct hy_file_cut hy_cut_make(int dims, int64_t rows, int64_t cols) {
  const int64_t nodes = (int64_t)1 << dims;
  struct hy_file_cut cut = {.by_columns = cols >= nodes && rows <= LONG_COLUMN};
  int64_t along = cut.by_columns ? cols : rows;
  int64_t wanted = cut.by_columns ? hy_ceil_div(PIECE, hy_max(1, rows)) : PIECE;
  /* Every node gets its share even when a piece could hold more. */
  cut.block = hy_max(1, hy_min(wanted, hy_ceil_div(along, nodes)));
  cut.rounds = hy_ceil_div(hy_ceil_div(along, cut.block), nodes);
  cut.most = cut.block;
  if (cut.by_columns) {
    cut.most *= rows;
  } else {
    cut.rounds *= cols;
  }
  cut.layout.row = deal(cut.by_columns ? 0 : dims, cut.block);
  cut.layout.col = deal(cut.by_columns ? dims : 0, cut.block);
  return cut;
}

struct hy_file_piece hy_cut_piece(const struct hy_file_cut *cut, const hyla_matrix *matrix,
                                  int64_t round) {
  struct hy_file_piece piece = {.rows = matrix->local_rows, .cols = matrix->local_cols};
  if (cut->by_columns) {
    piece.col = hy_min(round * cut->block, piece.cols);
    piece.cols = hy_min(cut->block, piece.cols - piece.col);
  } else {
    int64_t rounds = cut->rounds / matrix->col.n; /* of each column */
    piece.col = round / rounds;
    piece.cols = 1;
    piece.row = hy_min(round % rounds * cut->block, piece.rows);
    piece.rows = hy_min(cut->block, piece.rows - piece.row);
  }
  if (piece.rows == 0 || piece.cols == 0) return (struct hy_file_piece){0};
  piece.place = hy_axis_index(&matrix->col, matrix->col_part, piece.col) * matrix->row.n +
                hy_axis_index(&matrix->row, matrix->row_part, piece.row);
  return piece;
}
