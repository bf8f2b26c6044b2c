/* hyla_matrix_write, hyla_vector_write and hyla_integers_write.
 *
 * A matrix is redistributed into a layout in which each node holds long runs of the file, unless it
 * has that layout already.  Node 0 makes a file (output.c), and all nodes write their pieces into
 * it and flush it.  Once all have done so, the file gets its name.
 *
 * .npy and HDF5: each node writes its pieces as they are in memory.  Texts: write_text.c.
 * Integers: every rank holds them all, so node 0 alone writes. */
#include "io/write.h"
#include "collective/collective.h"

#include <string.h>

/* --------------------------------------------------------------------- the cut -- */

/* PIECE: entries of a piece large enough for a round.  LONG_LINE: entries from which on a line is
 * cut.  ROWS: rows that go into a piece together, because a column's entries are adjacent. */
enum { PIECE = 1 << 14, LONG_LINE = 1 << 17, ROWS = 8 };

struct hy_file_split hy_file_split_make(const hyla_cube *cube, int64_t rows, int64_t cols,
                                        bool by_rows) {
  const int64_t nodes = cube->nodes;
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
  split.layout.row = hy_axis_dealt(deal_rows ? cube : NULL, split.block, rows).code;
  split.layout.col = hy_axis_dealt(deal_rows ? NULL : cube, split.block, cols).code;
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

/* -------------------------------------------------------------- as in memory -- */

/* Copies a piece into the buffer, line by line. */
static void pack(const struct writer *writer, const struct hy_file_piece *piece) {
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

/* Writes this node's pieces at their places, from byte `body' of the file on. */
static hyla_status put_pieces(struct writer *writer, int64_t body) {
  const int64_t size = (int64_t)writer->matrix->k->size;
  for (int64_t round = 0; round < writer->split.rounds; round++) {
    struct hy_file_piece piece = hy_file_split_piece(&writer->split, writer->matrix, round);
    hy_file_step(writer->matrix->cube, 1);
    if (piece.rows == 0 || piece.cols == 0) continue;
    pack(writer, &piece);
    TRY(hy_io_put(&writer->file, writer->buffer, piece.rows * piece.cols * size,
                  body + piece.place * size));
  }
  return HYLA_OK;
}

static int64_t plain_bytes(const struct hy_kernels *k, int64_t entries) {
  return entries * (int64_t)k->size;
}

static hyla_status write_npy(struct writer *writer) {
  const hyla_matrix *m = writer->matrix;
  char header[HY_NPY_HEADER_MAX];
  int64_t body = hy_npy_format_header(m->k->type, m->row.n, m->col.n, writer->vector, header);
  if (m->cube->address == 0) TRY(hy_io_put(&writer->file, header, body, 0));
  return put_pieces(writer, body);
}

/* By rows, or by columns if the path or MATLAB wants that.  Node 0 makes the file with space for
 * the dataset. */
static hyla_status write_hdf5(struct writer *writer) {
  const hyla_matrix *m = writer->matrix;
  const struct hy_hdf5_dataset dataset = {.k = m->k,
                                          .rows = m->row.n,
                                          .cols = m->col.n,
                                          .vector = writer->vector,
                                          .by_rows = writer->split.by_rows};
  hyla_status mine = HYLA_OK;
  int64_t body = 0;
  if (m->cube->address == 0) mine = hy_hdf5_prepare(&writer->file, &dataset, &body);
  writer->lengths[m->cube->base.rank] = mine == HYLA_OK ? body : -1;
  TRY(hy_subcube_allgather(&writer->group, writer->lengths, writer->offsets));
  if (writer->lengths[0] < 0) return hy_io_share_status(m->cube, 0, mine);
  return put_pieces(writer, writer->lengths[0]);
}

/* ------------------------------------------------------------------- matrices -- */

static const struct format formats[] = {
    {".mtx", false, 0, hy_write_mm, hy_text_bytes},
    {".npy", false, 0, write_npy, plain_bytes},
    {".csv", true, ',', hy_write_table, hy_text_bytes},
    {".tsv", true, '\t', hy_write_table, hy_text_bytes},
    {".txt", true, ' ', hy_write_table, hy_text_bytes},
    {NULL, true, 0, write_hdf5, plain_bytes},
};

static const struct format *find_format(const char *path) {
  const struct hy_io_name name = hy_io_name_of(path);
  const bool named = name.dataset != NULL;
  size_t length = strlen(path);
  if (name.member != NULL) return NULL;
  if (strcmp(path, "-") == 0) return &formats[0];
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    const char *ending = formats[i].ending;
    if (ending == NULL && named) return &formats[i];
    if (ending == NULL || named) continue;
    size_t tail = strlen(ending);
    if (length >= tail && strcmp(path + length - tail, ending) == 0) return &formats[i];
  }
  return NULL;
}

static hyla_status check_path(hyla_cube *cube, const char *path, const char *call) {
  CHECK(&cube->base, path != NULL, ARGUMENT, "%s: path is NULL", call);
  CHECK(&cube->base, hy_io_name_of(path).member == NULL, ARGUMENT,
        "%s: '%s' is in an archive, and these are read but not written; use .npy (NumPy)", call,
        hy_path_shown(path));
  CHECK(&cube->base, find_format(path) != NULL, ARGUMENT,
        "%s: '%s' has no known ending; use .mtx (Matrix Market), .npy (NumPy), .csv, .tsv or .txt "
        "(tables), or FILE.h5:/DATASET (HDF5)",
        call, hy_path_shown(path));
  return HYLA_OK;
}

static hyla_status allocate_buffers(struct writer *w, hyla_cube *cube) {
  struct hy_base *base = &cube->base;
  TRY(hy_output_allocate(&w->output, cube));
  int64_t bytes = w->format->piece_bytes(w->matrix->k, w->split.most);
  TRY(hy_alloc(base, cube->address < 0 ? 0 : bytes, 1, &w->buffer));
  TRY(hy_alloc(base, cube->nodes, sizeof *w->lengths, &w->lengths));
  TRY(hy_alloc(base, cube->nodes + 1, sizeof *w->offsets, &w->offsets));
  for (int64_t x = 0; x <= cube->nodes; x++) w->offsets[x] = x;
  uint32_t all = hy_all_dims(cube);
  TRY(hy_subcube_make(cube, all, HY_TASK_ALLGATHER, cube->nodes, sizeof(int64_t), &w->group));
  TRY(hy_subcube_allocate(&w->group));
  return hy_c_locale(base, &w->c_locale);
}

/* Takes the memory and redistributes the matrix into the layout of the cut. */
static hyla_status prepare(struct writer *w, hyla_cube *cube, const hyla_matrix *matrix) {
  int64_t rows = matrix->row.n, cols = matrix->col.n;
  const struct hy_io_name *name = &w->file.name;
  bool by_rows = w->format->by_rows && !name->matlab && name->order != HY_IO_BY_COLUMNS;
  w->split = hy_file_split_make(cube, rows, cols, by_rows);
  struct hy_axis row = hy_axis_make(&w->split.layout.row, rows);
  struct hy_axis col = hy_axis_make(&w->split.layout.col, cols);
  w->matrix = matrix;
  hyla_status mine = HYLA_OK;
  if (!hy_axis_equal(&row, &matrix->row) || !hy_axis_equal(&col, &matrix->col)) {
    TRY(hy_matrix_make(cube, matrix->k->type, rows, cols, &w->split.layout, &w->dealt));
    w->matrix = w->dealt;
    const hyla_transfer deal = {HYLA_NONE, 1, matrix, w->dealt};
    mine = hy_direct_create(cube, &deal, 1, &w->move);
  }
  if (mine == HYLA_OK) mine = allocate_buffers(w, cube);
  TRY(hy_agree(cube, mine));
  return w->move != NULL ? hy_direct_run(w->move) : HYLA_OK;
}

static hyla_status write_file(struct writer *w, hyla_cube *cube, const hyla_matrix *matrix,
                              const char *path) {
  TRY(hy_agree(cube, hy_io_name(&cube->base, path, &w->file)));
  TRY(prepare(w, cube, matrix));
  TRY(hy_output_open(&w->output));
  hyla_status mine = HYLA_OK;
  hy_file_begin(cube, w->split.rounds);
  if (cube->address >= 0) mine = w->format->write(w);
  hy_file_begin(cube, 0);
  if (cube->address >= 0 && mine == HYLA_OK) mine = hy_output_flush(&w->output);
  TRY(hy_agree(cube, mine));
  return hy_output_name(&w->output);
}

static void release(struct writer *w, hyla_cube *cube) {
  hy_output_free(&w->output, cube);
  if (w->c_locale != (locale_t)0) freelocale(w->c_locale);
  hy_free(&cube->base, &w->offsets);
  hy_free(&cube->base, &w->lengths);
  hy_free(&cube->base, &w->buffer);
  hy_subcube_free(&w->group);
  hy_direct_destroy(&w->move);
  (void)hyla_matrix_destroy(&w->dealt);
}

static hyla_status write_matrix(hyla_cube *cube, const struct hy_call *call, bool vector) {
  if (cube == NULL) return HYLA_ARGUMENT;
  const hyla_matrix *matrix = call->argument[0].matrix;
  const char *path = call->text[0];
  TRY(hy_call_enter(cube, call, check_path(cube, path, call->name)));
  struct writer w = {.format = find_format(path),
                     .vector = vector,
                     .file = {.base = &cube->base, .path = path, .fd = -1}};
  char spool[PATH_MAX];
  w.output.file = &w.file;
  w.output.standard = hy_is_standard(path);
  w.output.secret = w.output.standard;
  w.separator = cube->session.delimiter != '\0' ? cube->session.delimiter : w.format->separator;
  hyla_status status =
      write_file(&w, cube, matrix, w.output.standard ? hy_spool_path(spool) : path);
  release(&w, cube);
  return status;
}

hyla_status hyla_matrix_write(hyla_cube *cube, const hyla_matrix *matrix, const char *path) {
  const struct hy_call call = {.name = "hyla_matrix_write",
                               .text = {path},
                               .argument = {{"matrix", matrix}},
                               .needs_data = true};
  return write_matrix(cube, &call, false);
}

hyla_status hyla_vector_write(hyla_cube *cube, const hyla_matrix *vector, const char *path) {
  const struct hy_call call = {.name = "hyla_vector_write",
                               .text = {path},
                               .argument = {{"vector", vector, .sizes = "n1"}},
                               .needs_data = true};
  return write_matrix(cube, &call, true);
}

/* Node 0 checks the path without making a file. */
static hyla_status look_at_target(hyla_cube *cube, const char *path) {
  char spool[PATH_MAX];
  struct hy_io_file file;
  struct hy_output_file *target;
  TRY(hy_alloc(&cube->base, 1, sizeof *target, &target));
  hyla_status status =
      hy_io_name(&cube->base, hy_is_standard(path) ? hy_spool_path(spool) : path, &file);
  if (status == HYLA_OK) status = hy_output_file_find(&cube->base, file.path, target);
  if (status == HYLA_OK && file.name.dataset != NULL) status = hy_hdf5_check_target(&file);
  hy_io_close(&file);
  hy_free(&cube->base, &target);
  return status;
}

hyla_status hyla_matrix_writable(hyla_cube *cube, const char *path) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_path(cube, path, "hyla_matrix_writable");
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_matrix_writable");
  uint64_t fingerprint = mine == HYLA_OK ? hy_fingerprint(0, path, strlen(path)) : 0;
  TRY(hy_enter(cube, mine, fingerprint, "hyla_matrix_writable"));
  if (cube->address == 0) mine = look_at_target(cube, path);
  if (cube->address >= 0) mine = hy_io_share_status(cube, 0, mine);
  return hy_agree(cube, mine);
}

/* ------------------------------------------------------------------- integers -- */

static hyla_status check_arguments(hyla_cube *cube, const int64_t *values, int64_t count,
                                   const char *path) {
  struct hy_base *base = &cube->base;
  CHECK(base, count >= 0, ARGUMENT, "hyla_integers_write: %lld numbers; give 0 or more",
        (long long)count);
  CHECK(base, values != NULL || count == 0, ARGUMENT, "hyla_integers_write: values is NULL");
  CHECK(base, path != NULL, ARGUMENT, "hyla_integers_write: path is NULL");
  size_t length = strlen(path);
  CHECK(base, length >= 4 && strcmp(path + length - 4, ".npy") == 0, ARGUMENT,
        "hyla_integers_write: '%s' does not end in .npy (NumPy), the one format it writes",
        hy_path_shown(path));
  return hy_need_data(cube, "hyla_integers_write");
}

static hyla_status put_integers(struct hy_output *output, const int64_t *values, int64_t count) {
  char header[HY_NPY_HEADER_MAX];
  int64_t body = hy_npy_format_integers(count, header);
  TRY(hy_io_put(output->file, header, body, 0));
  TRY(hy_io_put(output->file, values, count * (int64_t)sizeof *values, body));
  return hy_output_flush(output);
}

static hyla_status write_integers(struct hy_output *output, hyla_cube *cube, const int64_t *values,
                                  int64_t count) {
  TRY(hy_agree(cube, hy_output_allocate(output, cube)));
  TRY(hy_output_open(output));
  TRY(hy_agree(cube, cube->address == 0 ? put_integers(output, values, count) : HYLA_OK));
  return hy_output_name(output);
}

hyla_status hyla_integers_write(hyla_cube *cube, const int64_t *values, int64_t count,
                                const char *path) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_arguments(cube, values, count, path);
  uint64_t fingerprint = 0;
  if (mine == HYLA_OK) {
    fingerprint = hy_fingerprint(0, path, strlen(path));
    fingerprint = hy_fingerprint(fingerprint, values, (size_t)count * sizeof *values);
  }
  TRY(hy_enter(cube, mine, fingerprint, "hyla_integers_write"));
  struct hy_io_file file = {.base = &cube->base, .path = path, .fd = -1};
  struct hy_output output = {.file = &file};
  hyla_status status = write_integers(&output, cube, values, count);
  hy_output_free(&output, cube);
  return status;
}
