/* A dataset of an HDF5 file.
 *
 * A contiguous dataset is read like the elements of a .npy file, by all ranks at once.  A chunked
 * dataset, compressed or not, is read in boxes: of each box the rank asks for the smallest
 * rectangle that contains its own entries.  The boxes are dealt to the nodes, so that one node
 * unpacks each chunk; a redistribution then moves the entries to their owners.  For a matrix with
 * copies each rank reads for itself, and unpacks every chunk in which it has an entry.
 * Memory: a box, both as it is in the file and as entries, and a chunk within HDF5; the matrix a
 * second time if it is dealt. */
#include "io/hdf5_file.h"

#include <string.h>

/* One side of the boxes: an axis and the number of its indices in a box. */
struct side {
  const struct hy_axis *axis;
  int part;
  int64_t step;
};

/* The indices of a box that the rank holds: local indices l ... end-1, between positions at and
 * at + count - 1 of the box. */
struct span {
  int64_t l, end, at, count;
};

struct reader {
  struct hy_hdf5 h;
  const struct hy_hdf5_header *header;
  hyla_matrix *matrix;
  struct side outer, inner;
  hid_t all;  /* of the dataset */
  hid_t type; /* of its elements, as they are in the file */
  char *box;
  char *entries; /* the box converted to the matrix' type */
};

static struct span span_of(const struct side *side, int64_t from) {
  int64_t to = hy_min(from + side->step, side->axis->n);
  struct span span = {.l = hy_axis_before(side->axis, side->part, from),
                      .end = hy_axis_before(side->axis, side->part, to)};
  if (span.l == span.end) return span;
  span.at = hy_axis_index(side->axis, side->part, span.l);
  span.count = hy_axis_index(side->axis, side->part, span.end - 1) - span.at + 1;
  return span;
}

static hyla_status fetch(struct reader *r, const struct span *o, const struct span *i) {
  const hsize_t two[2] = {(hsize_t)o->at, (hsize_t)i->at};
  const hsize_t size[2] = {(hsize_t)o->count, (hsize_t)i->count};
  const int skip = r->header->dims == 1;
  hsize_t whole = size[0] * size[1];
  if (r->header->dims > 0)
    HDF5_TRY(&r->h, "read",
             H5Sselect_hyperslab(r->all, H5S_SELECT_SET, two + skip, NULL, size + skip, NULL));
  hid_t memory = H5Screate_simple(1, &whole, NULL);
  HDF5_TRY(&r->h, "read", memory);
  herr_t done = H5Dread(r->h.set, r->type, memory, r->all, H5P_DEFAULT, r->box);
  (void)hy_hdf5_keep(&r->h, done);
  hy_hdf5_close(memory);
  HDF5_TRY(&r->h, "read", done);
  return HYLA_OK;
}

/* Stores entries of a box that are adjacent both in the file and in the local block: `lines' lines
 * of `run' entries, from local indices l and k on. */
static void store_rectangle(const struct reader *r, const char *from, int lda, int64_t l, int lines,
                            int64_t k, int run) {
  const hyla_matrix *m = r->matrix;
  if (r->header->elements.by_columns)
    m->k->copy(HYLA_NONE, run, lines, 1, from, lda, hy_at(m, k, l), (int)m->ld);
  else
    m->k->copy(HYLA_TRANSPOSE, lines, run, 1, from, lda, hy_at(m, l, k), (int)m->ld);
}

static int64_t run_from(const struct side *side, const struct span *span, int64_t l, int64_t *at) {
  int64_t index = hy_axis_index(side->axis, side->part, l);
  *at = index - span->at;
  return hy_min(hy_axis_run(side->axis, index), span->end - l);
}

static void store(const struct reader *r, const struct span *o, const struct span *i) {
  int64_t lines, run, line, at;
  hy_npy_convert(&r->header->elements.element, r->box, o->count * i->count, r->entries);
  for (int64_t l = o->l; l < o->end; l += lines) {
    lines = run_from(&r->outer, o, l, &line);
    for (int64_t k = i->l; k < i->end; k += run) {
      run = run_from(&r->inner, i, k, &at);
      const char *from = r->entries + (line * i->count + at) * (int64_t)r->matrix->k->size;
      store_rectangle(r, from, (int)i->count, l, (int)lines, k, (int)run);
    }
  }
}

static hyla_status read_boxes(struct reader *r) {
  for (int64_t down = 0; down < r->outer.axis->n; down += r->outer.step) {
    struct span o = span_of(&r->outer, down);
    for (int64_t along = 0; o.l < o.end && along < r->inner.axis->n; along += r->inner.step) {
      struct span i = span_of(&r->inner, along);
      if (i.l == i.end) continue;
      TRY(fetch(r, &o, &i));
      store(r, &o, &i);
    }
  }
  return HYLA_OK;
}

static hyla_status open_all(struct reader *r) {
  struct hy_hdf5 *h = &r->h;
  TRY(hy_hdf5_open(h, h->file->fd, HY_HDF5_READ));
  TRY(hy_hdf5_open_dataset(h, r->header->chunk));
  HDF5_TRY(h, "read", r->all = H5Dget_space(h->set));
  HDF5_TRY(h, "read", r->type = H5Dget_type(h->set));
  return HYLA_OK;
}

static hyla_status take_and_read(struct reader *r) {
  struct hy_base *base = r->h.file->base;
  const int64_t *box = r->header->box;
  TRY(hy_alloc(base, box[0] * box[1], (size_t)r->header->elements.element.size, &r->box));
  TRY(hy_alloc(base, box[0] * box[1], r->matrix->k->size, &r->entries));
  TRY(open_all(r));
  return read_boxes(r);
}

/* Reads this rank's part of the matrix. */
static hyla_status read_part(const struct hy_io_file *file, const struct hy_hdf5_header *header,
                             hyla_matrix *matrix) {
  if (header->elements.body >= 0) return hy_npy_read_body(file, &header->elements, matrix);
  if (matrix->local_rows == 0 || matrix->local_cols == 0) return HYLA_OK;
  struct reader r = {.header = header, .matrix = matrix, .all = -1, .type = -1};
  const struct side row = {&matrix->row, matrix->row_part, 0};
  const struct side col = {&matrix->col, matrix->col_part, 0};
  r.outer = header->elements.by_columns ? col : row;
  r.inner = header->elements.by_columns ? row : col;
  r.outer.step = header->box[0];
  r.inner.step = header->box[1];
  TRY(hy_hdf5_begin(&r.h, file));
  r.h.dataset = *header->dataset != '\0' ? header->dataset : file->name.dataset;
  hyla_status status = take_and_read(&r);
  hy_hdf5_close(r.type);
  hy_hdf5_close(r.all);
  hy_hdf5_end(&r.h);
  hy_free(file->base, &r.entries);
  hy_free(file->base, &r.box);
  return status;
}

/* ----------------------------------------------------------------- together -- */

/* Deals lines of the file, unless there are more boxes along a line than lines of boxes. */
static hyla_layout make_layout(const hyla_cube *cube, const struct hy_hdf5_header *header) {
  const struct hy_npy_header *e = &header->elements;
  const int64_t length = e->by_columns ? e->rows : e->cols,
                lines = e->by_columns ? e->cols : e->rows;
  const int64_t down = hy_ceil_div(lines, header->box[0]),
                along = hy_ceil_div(length, header->box[1]);
  const bool by_lines = down >= along || down >= cube->nodes;
  const bool deal_cols = by_lines == e->by_columns;
  const int64_t block = header->box[by_lines ? 0 : 1];
  return (hyla_layout){.row = hy_axis_dealt(deal_cols ? NULL : cube, block, e->rows).code,
                       .col = hy_axis_dealt(deal_cols ? cube : NULL, block, e->cols).code};
}

static hyla_status read_and_move(hyla_cube *cube, const struct hy_io_file *file,
                                 const struct hy_hdf5_header *header, hyla_matrix *dealt,
                                 hyla_matrix *matrix) {
  struct hy_direct *move = NULL;
  const hyla_transfer deal = {HYLA_NONE, 1, dealt, matrix};
  hyla_status status = hy_direct_create(cube, &deal, 1, &move);
  if (status == HYLA_OK) status = read_part(file, header, dealt);
  status = hy_agree(cube, status);
  if (status == HYLA_OK) status = hy_direct_run(move);
  hy_direct_destroy(&move);
  return status;
}

hyla_status hy_hdf5_read_body(const struct hy_io_file *file, const struct hy_hdf5_header *header,
                              hyla_matrix *matrix) {
  hyla_cube *cube = matrix->cube;
  if (header->chunk == 0 || cube->nodes == 1 || hy_matrix_has_copies(matrix))
    return read_part(file, header, matrix);
  const hyla_layout layout = make_layout(cube, header);
  hyla_matrix *dealt = NULL;
  TRY(hy_matrix_make(cube, matrix->k->type, matrix->row.n, matrix->col.n, &layout, &dealt));
  hyla_status status = read_and_move(cube, file, header, dealt, matrix);
  (void)hyla_matrix_destroy(&dealt);
  return status;
}
