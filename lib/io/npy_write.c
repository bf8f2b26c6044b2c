/* .npy files, by columns: every node writes its pieces at their places. */
#include "io/io.h"

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
