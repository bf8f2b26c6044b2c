/* A chunked dataset is dealt to the nodes box by box, so that one node unpacks each chunk; a
 * redistribution then moves the entries to their owners.  Memory: the matrix a second time, as for
 * writing.
 *
 * A dataset in one piece, or for a matrix with copies, is read by each rank for itself. */
#include "io/io.h"

/* Deals lines of the file, unless there are more boxes along a line than lines of boxes. */
static hyla_layout make_layout(int dims, const struct hy_hdf5_header *header) {
  const struct hy_npy_header *e = &header->elements;
  const int64_t length = e->by_columns ? e->rows : e->cols,
                lines = e->by_columns ? e->cols : e->rows;
  const int64_t down = hy_ceil_div(lines, header->box[0]),
                along = hy_ceil_div(length, header->box[1]);
  const bool by_lines = down >= along || down >= (int64_t)1 << dims;
  const bool deal_cols = by_lines == e->by_columns;
  const int64_t block = header->box[by_lines ? 0 : 1];
  return (hyla_layout){.row = hy_axis_dealt(deal_cols ? 0 : dims, block, e->rows).code,
                       .col = hy_axis_dealt(deal_cols ? dims : 0, block, e->cols).code};
}

static hyla_status read_and_move(hyla_cube *cube, const struct hy_io_file *file,
                                 const struct hy_hdf5_header *header, hyla_matrix *dealt,
                                 hyla_matrix *matrix) {
  struct hy_direct *move = NULL;
  const hyla_transfer deal = {HYLA_NONE, 1, dealt, matrix};
  hyla_status status = hy_direct_create(cube, &deal, 1, &move);
  if (status == HYLA_OK) status = hy_hdf5_read_body(file, header, dealt);
  status = hy_agree(cube, status);
  if (status == HYLA_OK) status = hy_direct_run(move);
  hy_direct_destroy(&move);
  return status;
}

hyla_status hy_hdf5_deal_body(hyla_cube *cube, const struct hy_io_file *file,
                              const struct hy_hdf5_header *header, hyla_matrix *matrix) {
  if (header->chunk == 0 || cube->nodes == 1 || hy_matrix_has_copies(matrix))
    return hy_hdf5_read_body(file, header, matrix);
  const hyla_layout layout = make_layout(cube->dims, header);
  hyla_matrix *dealt = NULL;
  TRY(hy_matrix_make(cube, matrix->k->type, matrix->row.n, matrix->col.n, &layout, &dealt));
  hyla_status status = read_and_move(cube, file, header, dealt, matrix);
  (void)hyla_matrix_destroy(&dealt);
  return status;
}
