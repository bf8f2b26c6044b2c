/* A dataset of an HDF5 file.
 *
 * A contiguous dataset is read like the elements of a .npy file, by all ranks at once.  A chunked
 * dataset, compressed or not, is read in boxes: of each box the rank asks for the smallest
 * rectangle that contains its own entries.  The boxes are dealt to the nodes, so that one node
 * unpacks each chunk; a redistribution then moves the entries to their owners.  For a matrix with
 * copies each rank reads for itself, and unpacks every chunk in which it has an entry.  Where
 * hdf5_chunks.c knows the packing, HDF5 gives the box' chunks as they are in the file, and the
 * rank's threads unpack them and store their entries.
 * Memory: a box, both as it is in the file and as entries, and a chunk within HDF5 or three for
 * each thread; the matrix a second time if it is dealt. */
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

/* A chunk on its way from the file to the matrix. */
struct parcel {
  struct hy_hdf5_packed packed;
  struct span o, i;
  bool bad;
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
  /* Of chunks that threads unpack: */
  bool known;
  struct hy_hdf5_packing packing;
  int64_t room; /* bytes at `box' */
  int threads;
  char *hands; /* of each thread: a chunk's elements twice, its entries */
  struct parcel *parcels;
  int64_t count;
};

static struct span span_of(const struct side *side, int64_t from, int64_t step) {
  int64_t to = hy_min(from + step, side->axis->n);
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
  const hsize_t whole = size[0] * size[1];
  if (r->header->dims > 0)
    HDF5_TRY(
        &r->h, "read",
        r->h.lib.H5Sselect_hyperslab(r->all, H5S_SELECT_SET, two + skip, NULL, size + skip, NULL));
  /* Of the same shape in memory and in the file, or HDF5 goes from entry to entry. */
  hid_t memory = skip == 0 && r->header->dims == 2 ? r->h.lib.H5Screate_simple(2, size, NULL)
                                                   : r->h.lib.H5Screate_simple(1, &whole, NULL);
  HDF5_TRY(&r->h, "read", memory);
  herr_t done = r->h.lib.H5Dread(r->h.set, r->type, memory, r->all, H5P_DEFAULT, r->box);
  (void)hy_hdf5_keep(&r->h, done);
  hy_hdf5_close(&r->h.lib, memory);
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

/* The room that elements need to become entries; none if they are entries. */
static int64_t entry_bytes(const struct reader *r, int64_t count) {
  return hy_npy_is_plain(&r->header->elements.element) ? 0 : count * (int64_t)r->matrix->k->size;
}

/* room: for the box' entries. */
static void store(const struct reader *r, const char *elements, char *room, const struct span *o,
                  const struct span *i) {
  int64_t lines, run, line, at;
  const char *entries = room;
  if (hy_npy_is_plain(&r->header->elements.element))
    entries = elements;
  else
    hy_npy_convert(&r->header->elements.element, elements, o->count * i->count, room);
  for (int64_t l = o->l; l < o->end; l += lines) {
    lines = run_from(&r->outer, o, l, &line);
    for (int64_t k = i->l; k < i->end; k += run) {
      run = run_from(&r->inner, i, k, &at);
      const char *from = entries + (line * i->count + at) * (int64_t)r->matrix->k->size;
      store_rectangle(r, from, (int)i->count, l, (int)lines, k, (int)run);
    }
  }
}

/* ------------------------------------------------- chunks that threads unpack -- */

enum { ALIGN = 64, CHUNK_LEAST = 512 };
static int64_t aligned(int64_t bytes) { return hy_ceil_div(bytes, ALIGN) * ALIGN; }

/* Are boxes whole chunks, worth a parcel each? */
static bool has_parcels(const struct hy_hdf5_header *header,
                        const struct hy_hdf5_packing *packing) {
  return header->chunk >= CHUNK_LEAST && header->box[0] % packing->side[0] == 0 &&
         header->box[1] % packing->side[1] == 0;
}

/* Adds the box' chunk that begins at `at' to the parcels, if the rank has an entry of it. */
static bool take_parcel(struct reader *r, const int64_t at[2], int64_t *used) {
  const int64_t *side = r->packing.side;
  struct parcel *p = &r->parcels[r->count];
  p->o = span_of(&r->outer, at[0], side[0]);
  p->i = span_of(&r->inner, at[1], side[1]);
  if (p->o.l == p->o.end || p->i.l == p->i.end) return true;
  p->o.at = at[0], p->o.count = side[0];
  p->i.at = at[1], p->i.count = side[1];
  if (!hy_hdf5_take_chunk(&r->h.lib, r->h.set, &r->packing, at, r->box + *used, r->room - *used,
                          &p->packed))
    return false;
  *used += aligned(p->packed.bytes);
  r->count++;
  return true;
}

/* Bytes of a thread's own memory: for the chunk after each filter, then for its entries. */
static int64_t filter_bytes(const struct reader *r) {
  return aligned(((r->packing.deflate >= 0) + (r->packing.shuffle >= 0)) * r->header->chunk);
}

static int64_t hand_bytes(const struct reader *r) {
  const int64_t entries = r->packing.side[0] * r->packing.side[1];
  return filter_bytes(r) + aligned(entry_bytes(r, entries));
}

/* Unpacks a chunk and stores its entries; any thread may. */
static void deliver(void *arg, int64_t index, int thread) {
  struct reader *r = arg;
  struct parcel *p = &r->parcels[index];
  const int64_t bytes = r->header->chunk;
  char *own = r->hands + thread * hand_bytes(r);
  const char *elements = hy_hdf5_unpack(&r->packing, &p->packed, bytes, own);
  p->bad = elements == NULL;
  if (!p->bad) store(r, elements, own + filter_bytes(r), &p->o, &p->i);
}

/* Reads a box' chunks; false: HDF5 is to read the box. */
static bool read_parcels(struct reader *r, int64_t down, int64_t along) {
  const int64_t *side = r->packing.side;
  const int64_t bottom = hy_min(down + r->outer.step, r->outer.axis->n),
                end = hy_min(along + r->inner.step, r->inner.axis->n);
  int64_t used = 0;
  r->count = 0;
  for (int64_t line = down; line < bottom; line += side[0])
    for (int64_t at = along; at < end; at += side[1])
      if (!take_parcel(r, (int64_t[]){line, at}, &used)) return false;
  struct hy_work work = {.piece = deliver, .arg = r, .count = r->count, .threads = r->threads};
  hy_team_do(r->matrix->cube->session.team, &work);
  bool good = true;
  for (int64_t p = 0; p < r->count; p++) good = good && !r->parcels[p].bad;
  return good;
}

/* ------------------------------------------------------------------- all boxes -- */

static hyla_status read_boxes(struct reader *r) {
  for (int64_t down = 0; down < r->outer.axis->n; down += r->outer.step) {
    hy_file_step(r->matrix->cube, r->outer.step);
    struct span o = span_of(&r->outer, down, r->outer.step);
    for (int64_t along = 0; o.l < o.end && along < r->inner.axis->n; along += r->inner.step) {
      struct span i = span_of(&r->inner, along, r->inner.step);
      if (i.l == i.end || (r->known && read_parcels(r, down, along))) continue;
      TRY(fetch(r, &o, &i));
      store(r, r->box, r->entries, &o, &i);
    }
  }
  return HYLA_OK;
}

static hyla_status open_all(struct reader *r) {
  struct hy_hdf5 *h = &r->h;
  TRY(hy_hdf5_open(h, h->file->fd, HY_HDF5_READ));
  TRY(hy_hdf5_open_dataset(h, r->header->chunk));
  HDF5_TRY(h, "read", r->all = r->h.lib.H5Dget_space(h->set));
  HDF5_TRY(h, "read", r->type = r->h.lib.H5Dget_type(h->set));
  return HYLA_OK;
}

/* Deflated chunks may be a little longer than their elements. */
static hyla_status take_parcels(struct reader *r) {
  struct hy_base *base = r->h.file->base;
  const int64_t *box = r->header->box, *side = r->packing.side;
  const int64_t most = (box[0] / side[0]) * (box[1] / side[1]);
  struct hy_team *team = r->matrix->cube->session.team;
  r->threads = (int)hy_min(hy_team_threads(team), most);
  r->room += r->room / ALIGN + most * 2 * ALIGN;
  TRY(hy_alloc(base, most, sizeof *r->parcels, &r->parcels));
  return hy_alloc(base, r->threads * hand_bytes(r), 1, &r->hands);
}

static hyla_status take_and_read(struct reader *r) {
  struct hy_base *base = r->h.file->base;
  const int64_t *box = r->header->box;
  TRY(open_all(r));
  r->room = box[0] * box[1] * r->header->elements.element.size;
  r->known =
      hy_hdf5_packing_of(&r->h.lib, r->h.set, &r->packing) && has_parcels(r->header, &r->packing);
  if (r->known) TRY(take_parcels(r));
  TRY(hy_alloc(base, r->room, 1, &r->box));
  TRY(hy_alloc(base, entry_bytes(r, box[0] * box[1]), 1, &r->entries));
  hy_file_begin(r->matrix->cube, r->outer.axis->n);
  hyla_status status = read_boxes(r);
  hy_file_begin(r->matrix->cube, 0);
  return status;
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
  hy_hdf5_close(&r.h.lib, r.type);
  hy_hdf5_close(&r.h.lib, r.all);
  hy_hdf5_end(&r.h);
  hy_free(file->base, &r.hands);
  hy_free(file->base, &r.parcels);
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
