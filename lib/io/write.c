/* hyla_matrix_write: the steps that all formats share.
 *
 * The matrix is redistributed into the layout of the cut, unless it has that layout already.  Node
 * 0 makes a file (output.c), and all nodes write their pieces into it and flush it.  Once all have
 * done so, the file gets its name. */
#include "collective/collective.h"
#include "io/io.h"
#include "io/output.h"

#include <string.h>

/* The functions of a format. */
struct format {
  const char *ending; /* NULL: the path names a dataset in an HDF5 file */
  bool by_rows;       /* unless the path says otherwise */
  hyla_status (*write)(struct hy_writer *writer);
  int64_t (*piece_bytes)(const struct hy_kernels *k, int64_t entries);
};

static const struct format formats[] = {
    {".mtx", false, hy_mm_write, hy_mm_piece_bytes},
    {".npy", false, hy_npy_write, hy_npy_piece_bytes},
    {NULL, true, hy_hdf5_write, hy_npy_piece_bytes},
};

/* Everything that one call allocates. */
struct work {
  const struct format *format;
  struct hy_writer writer;
  hyla_matrix *dealt; /* NULL if the matrix has the layout of the cut */
  struct hy_direct *move;
  struct hy_output output;
};

static const struct format *find_format(const char *path) {
  const bool named = hy_io_name_of(path).dataset != NULL;
  size_t length = strlen(path);
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
  CHECK(&cube->base, find_format(path) != NULL, ARGUMENT,
        "%s: '%s' has no known ending; use .mtx (Matrix Market), .npy (NumPy), or "
        "FILE.h5:/DATASET (HDF5)",
        call, hy_path_shown(path));
  return HYLA_OK;
}

static hyla_status allocate_buffers(struct work *w, hyla_cube *cube) {
  struct hy_base *base = &cube->base;
  struct hy_writer *writer = &w->writer;
  TRY(hy_output_allocate(&w->output, cube));
  int64_t bytes = w->format->piece_bytes(writer->matrix->k, writer->split.most);
  TRY(hy_alloc(base, cube->address < 0 ? 0 : bytes, 1, &writer->buffer));
  TRY(hy_alloc(base, cube->nodes, sizeof *writer->lengths, &writer->lengths));
  TRY(hy_alloc(base, cube->nodes + 1, sizeof *writer->offsets, &writer->offsets));
  for (int64_t x = 0; x <= cube->nodes; x++) writer->offsets[x] = x;
  uint32_t all = (uint32_t)cube->nodes - 1;
  TRY(hy_subcube_make(cube, all, HY_TASK_ALLGATHER, cube->nodes, sizeof(int64_t), &writer->group));
  TRY(hy_subcube_allocate(&writer->group));
  return hy_c_locale(base, &writer->c_locale);
}

/* Takes the memory and redistributes the matrix into the layout of the cut. */
static hyla_status prepare(struct work *w, hyla_cube *cube, const hyla_matrix *matrix) {
  struct hy_writer *writer = &w->writer;
  int64_t rows = matrix->row.n, cols = matrix->col.n;
  const struct hy_io_name *name = &writer->file.name;
  bool by_rows = w->format->by_rows && !name->matlab && name->order != HY_IO_BY_COLUMNS;
  writer->split = hy_file_split_make(cube->dims, rows, cols, by_rows);
  struct hy_axis row = hy_axis_make(&writer->split.layout.row, rows);
  struct hy_axis col = hy_axis_make(&writer->split.layout.col, cols);
  writer->matrix = matrix;
  hyla_status mine = HYLA_OK;
  if (!hy_axis_equal(&row, &matrix->row) || !hy_axis_equal(&col, &matrix->col)) {
    TRY(hy_matrix_make(cube, matrix->k->type, rows, cols, &writer->split.layout, &w->dealt));
    writer->matrix = w->dealt;
    const hyla_transfer deal = {HYLA_NONE, 1, matrix, w->dealt};
    mine = hy_direct_create(cube, &deal, 1, &w->move);
  }
  if (mine == HYLA_OK) mine = allocate_buffers(w, cube);
  TRY(hy_agree(cube, mine));
  return w->move != NULL ? hy_direct_run(w->move) : HYLA_OK;
}

static hyla_status write_file(struct work *w, hyla_cube *cube, const hyla_matrix *matrix,
                              const char *path) {
  TRY(hy_agree(cube, hy_io_name(&cube->base, path, &w->writer.file)));
  TRY(prepare(w, cube, matrix));
  TRY(hy_output_open(&w->output));
  hyla_status mine = HYLA_OK;
  if (cube->address >= 0) mine = w->format->write(&w->writer);
  if (cube->address >= 0 && mine == HYLA_OK) mine = hy_output_flush(&w->output);
  TRY(hy_agree(cube, mine));
  return hy_output_name(&w->output);
}

static void release(struct work *w, hyla_cube *cube) {
  struct hy_writer *writer = &w->writer;
  hy_output_free(&w->output, cube);
  if (writer->c_locale != (locale_t)0) freelocale(writer->c_locale);
  hy_free(&cube->base, &writer->offsets);
  hy_free(&cube->base, &writer->lengths);
  hy_free(&cube->base, &writer->buffer);
  hy_subcube_free(&writer->group);
  hy_direct_destroy(&w->move);
  (void)hyla_matrix_destroy(&w->dealt);
}

static hyla_status write_matrix(hyla_cube *cube, const struct hy_call *call, bool vector) {
  if (cube == NULL) return HYLA_ARGUMENT;
  const hyla_matrix *matrix = call->argument[0].matrix;
  const char *path = call->text[0];
  TRY(hy_call_enter(cube, call, check_path(cube, path, call->name)));
  struct work w = {.format = find_format(path),
                   .writer.vector = vector,
                   .writer.file = {.base = &cube->base, .path = path, .fd = -1}};
  w.output.file = &w.writer.file;
  hyla_status status = write_file(&w, cube, matrix, path);
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
  struct hy_io_file file;
  struct hy_output_file *target;
  TRY(hy_alloc(&cube->base, 1, sizeof *target, &target));
  hyla_status status = hy_io_name(&cube->base, path, &file);
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
