/* HDF5 files, by rows, or by columns if the path or MATLAB wants that.  Node 0 makes the file with
 * space for the dataset, then every node writes its pieces at their places. */
#include "io/io.h"

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
