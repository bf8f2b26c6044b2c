/* Writes each node's pieces of a matrix at their places in a file, as they are in memory. */
#include "io/io.h"

#include <string.h>

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
