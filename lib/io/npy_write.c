/* .npy files, by columns: every node writes its pieces where they belong. */
#include "io/io.h"

#include <string.h>

int64_t hy_npy_piece_bytes(const struct hy_kernels *k, int64_t entries) {
  return entries * (int64_t)k->size;
}

hyla_status hy_npy_write(struct hy_writer *writer) {
  const hyla_matrix *m = writer->matrix;
  int64_t size = (int64_t)m->k->size;
  char header[HY_NPY_HEADER_MAX];
  int64_t body = hy_npy_format_header(m->k->type, m->row.n, m->col.n, writer->vector, header);
  if (m->cube->address == 0) TRY(hy_io_put(&writer->file, header, body, 0));
  for (int64_t round = 0; round < writer->cut.rounds; round++) {
    struct hy_file_piece piece = hy_cut_piece(&writer->cut, m, round);
    int64_t column = piece.rows * size;
    for (int64_t j = 0; j < piece.cols; j++)
      memcpy(writer->buffer + j * column, hy_at(m, piece.row, piece.col + j), (size_t)column);
    TRY(hy_io_put(&writer->file, writer->buffer, piece.cols * column, body + piece.place * size));
  }
  return HYLA_OK;
}
