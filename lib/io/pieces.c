/* How a matrix is cut into pieces and dealt to the nodes for writing, and the two formats in which
 * each node writes its pieces as they are in memory: .npy and HDF5. */
#include "io/io.h"

#include <string.h>

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

/* ------------------------------------------------------------- as in memory -- */

/* Copies a piece into the buffer, line by line. */
static void pack(const struct hy_writer *writer, const struct hy_file_piece *piece) {
  const hyla_matrix *m = writer->matrix;
  const char *from = hy_at(m, piece->row, piece->col);
  if (writer->split.by_rows) {
    m->k->copy(HYLA_TRANSPOSE, (int)piece->cols, (int)piece->rows, 1, from, (int)m->ld,
               writer->buffer, (int)piece->cols);
    return;
  }
  int64_t column = piece->rows * (int64_t)m->k->size;
  for (int64_t j = 0; j < piece->cols; j++)
    memcpy(writer->buffer + j * column, hy_at(m, piece->row, piece->col + j), (size_t)column);
}

hyla_status hy_pieces_put(struct hy_writer *writer, int64_t body) {
  const int64_t size = (int64_t)writer->matrix->k->size;
  for (int64_t round = 0; round < writer->split.rounds; round++) {
    struct hy_file_piece piece = hy_file_split_piece(&writer->split, writer->matrix, round);
    if (piece.rows == 0 || piece.cols == 0) continue;
    pack(writer, &piece);
    TRY(hy_io_put(&writer->file, writer->buffer, piece.rows * piece.cols * size,
                  body + piece.place * size));
  }
  return HYLA_OK;
}

/* By columns. */
int64_t hy_npy_piece_bytes(const struct hy_kernels *k, int64_t entries) {
  return entries * (int64_t)k->size;
}

hyla_status hy_npy_write(struct hy_writer *writer) {
  const hyla_matrix *m = writer->matrix;
  char header[HY_NPY_HEADER_MAX];
  int64_t body = hy_npy_format_header(m->k->type, m->row.n, m->col.n, writer->vector, header);
  if (m->cube->address == 0) TRY(hy_io_put(&writer->file, header, body, 0));
  return hy_pieces_put(writer, body);
}

/* By rows, or by columns if the path or MATLAB wants that.  Node 0 makes the file with space for
 * the dataset. */
hyla_status hy_hdf5_write(struct hy_writer *writer) {
  const hyla_matrix *m = writer->matrix;
  const struct hy_hdf5_dataset dataset = {.k = m->k,
                                          .rows = m->row.n,
                                          .cols = m->col.n,
                                          .vector = writer->vector,
                                          .by_rows = writer->split.by_rows};
  hyla_status mine = HYLA_OK;
  int64_t body = 0;
  if (m->cube->address == 0) mine = hy_hdf5_prepare(&writer->file, &dataset, &body);
  writer->lengths[m->cube->address] = mine == HYLA_OK ? body : -1;
  TRY(hy_subcube_allgather(&writer->group, writer->lengths, writer->offsets));
  if (writer->lengths[0] < 0) return hy_io_share_status(m->cube, 0, mine);
  return hy_pieces_put(writer, writer->lengths[0]);
}
