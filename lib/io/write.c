/* hyla_matrix_write: what the formats have in common.
 *
 * The matrix is brought into the layout of the cut, unless it lies so already;
 * node 0 makes a file under another name in the same folder, all write their pieces
 * into it and flush it, and only when all have done so does it get its name. */
#include "collective/collective.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What differs between the formats. */
struct format {
  const char *ending;
  hyla_status (*write)(struct hy_writer *writer);
  int64_t (*piece_bytes)(const struct hy_kernels *k, int64_t entries);
};

static const struct format formats[] = {
    {".mtx", hy_mm_write, hy_mm_piece_bytes},
    {".npy", hy_npy_write, hy_npy_piece_bytes},
};

/* Room for a temporary file's name besides the folder's, and how many names are tried. */
enum { NAME_MOST = 64, TRIES = 100 };

/* Everything that one call holds. */
struct work {
  const struct format *format;
  struct hy_writer writer;
  hyla_matrix *dealt; /* NULL when the matrix lies well as it is */
  struct hy_direct *move;
  char *name; /* of the temporary file */
  int64_t name_bytes;
  struct hy_group group; /* for the name */
  bool made;             /* by this rank */
};

static const struct format *find_format(const char *path) {
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    size_t ending = strlen(formats[i].ending);
    if (length >= ending && strcmp(path + length - ending, formats[i].ending) == 0)
      return &formats[i];
  }
  return NULL;
}

static hyla_status check_arguments(hyla_cube *cube, const hyla_matrix *matrix, const char *path) {
  TRY(hy_matrix_check(cube, matrix, "to write"));
  CHECK(&cube->base, path != NULL, ARGUMENT, "hyla_matrix_write: path is NULL");
  CHECK(&cube->base, find_format(path) != NULL, ARGUMENT,
        "hyla_matrix_write: '%s' has no known ending; use .mtx (Matrix Market) or .npy (NumPy)",
        hy_io_name(path));
  return HYLA_OK;
}

static hyla_status take_buffers(struct work *w, hyla_cube *cube) {
  struct hy_base *base = &cube->base;
  struct hy_writer *writer = &w->writer;
  w->name_bytes = (int64_t)strlen(writer->file.path) + NAME_MOST;
  TRY(hy_alloc(base, w->name_bytes, 1, &w->name));
  int64_t bytes = w->format->piece_bytes(writer->matrix->k, writer->cut.most);
  TRY(hy_alloc(base, cube->address < 0 ? 0 : bytes, 1, &writer->buffer));
  TRY(hy_alloc(base, cube->nodes, sizeof *writer->lengths, &writer->lengths));
  TRY(hy_alloc(base, cube->nodes + 1, sizeof *writer->offsets, &writer->offsets));
  for (int64_t x = 0; x <= cube->nodes; x++) writer->offsets[x] = x;
  uint32_t all = (uint32_t)cube->nodes - 1;
  TRY(hy_group_make(cube, all, HY_TASK_ALLGATHER, cube->nodes, sizeof(int64_t), &writer->group));
  TRY(hy_group_take(&writer->group));
  TRY(hy_group_make(cube, all, HY_TASK_BROADCAST, w->name_bytes, 1, &w->group));
  TRY(hy_group_take(&w->group));
  writer->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  CHECK(base, writer->c_locale != (locale_t)0, MEMORY, "out of memory: no room for a locale");
  return HYLA_OK;
}

/* Takes the memory and brings the matrix into the layout of the cut. */
static hyla_status prepare(struct work *w, hyla_cube *cube, const hyla_matrix *matrix) {
  struct hy_writer *writer = &w->writer;
  int64_t rows = matrix->row.n, cols = matrix->col.n;
  writer->cut = hy_cut_make(cube->dims, rows, cols);
  struct hy_axis row = hy_axis_make(&writer->cut.layout.row, rows);
  struct hy_axis col = hy_axis_make(&writer->cut.layout.col, cols);
  writer->matrix = matrix;
  hyla_status mine = HYLA_OK;
  if (!hy_axis_equal(&row, &matrix->row) || !hy_axis_equal(&col, &matrix->col)) {
    TRY(hy_matrix_make(cube, matrix->k->type, rows, cols, &writer->cut.layout, &w->dealt));
    writer->matrix = w->dealt;
    const hyla_transfer deal = {HYLA_NONE, 1, matrix, w->dealt};
    mine = hy_direct_create(cube, &deal, 1, &w->move);
  }
  if (mine == HYLA_OK) mine = take_buffers(w, cube);
  TRY(hy_agree(cube, mine));
  return w->move != NULL ? hy_direct_run(w->move) : HYLA_OK;
}

static hyla_status fail_to_write(const struct hy_io_file *file) {
  return hy_fail(file->base, HYLA_FILE, "cannot write %s: %s", hy_io_name(file->path),
                 strerror(errno));
}

/* On node 0: a new file in the folder of the path. */
static hyla_status make_file(struct work *w) {
  struct hy_io_file *file = &w->writer.file;
  const char *slash = strrchr(file->path, '/');
  int folder = slash == NULL ? 0 : (int)(slash + 1 - file->path);
  for (int i = 0; i < TRIES && file->fd < 0; i++) {
    snprintf(w->name, (size_t)w->name_bytes, "%.*s.hyla-%ld-%d.tmp", folder, file->path,
             (long)getpid(), i);
    file->fd = open(w->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd < 0 && errno != EEXIST) break;
  }
  w->made = file->fd >= 0;
  return w->made ? HYLA_OK : fail_to_write(file);
}

/* All nodes have the temporary file open, or none. */
static hyla_status open_files(struct work *w, hyla_cube *cube) {
  struct hy_io_file *file = &w->writer.file;
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_io_share_verdict(cube, 0, cube->address == 0 ? make_file(w) : HYLA_OK));
  TRY(hy_group_broadcast(&w->group, 0, w->name, w->name_bytes));
  if (cube->address > 0) file->fd = open(w->name, O_WRONLY | O_CLOEXEC);
  return file->fd >= 0 ? HYLA_OK : fail_to_write(file);
}

/* What was written is on the disk when this has succeeded. */
static hyla_status flush_file(struct hy_io_file *file) {
  bool flushed = fsync(file->fd) == 0;
  hyla_status status = flushed ? HYLA_OK : fail_to_write(file);
  bool closed = close(file->fd) == 0;
  file->fd = -1;
  return status == HYLA_OK && !closed ? fail_to_write(file) : status;
}

/* On node 0: gives the complete file its name. */
static hyla_status name_file(struct work *w) {
  if (!w->made) return HYLA_OK;
  if (rename(w->name, w->writer.file.path) != 0) return fail_to_write(&w->writer.file);
  w->made = false;
  return HYLA_OK;
}

static hyla_status write_file(struct work *w, hyla_cube *cube, const hyla_matrix *matrix) {
  TRY(prepare(w, cube, matrix));
  TRY(hy_agree(cube, open_files(w, cube)));
  hyla_status mine = HYLA_OK;
  if (cube->address >= 0) mine = w->format->write(&w->writer);
  if (cube->address >= 0 && mine == HYLA_OK) mine = flush_file(&w->writer.file);
  TRY(hy_agree(cube, mine));
  mine = name_file(w);
  if (cube->address >= 0) mine = hy_io_share_verdict(cube, 0, mine);
  return hy_agree(cube, mine);
}

static void release(struct work *w, hyla_cube *cube) {
  struct hy_writer *writer = &w->writer;
  hy_io_close(&writer->file);
  if (w->made) unlink(w->name);
  if (writer->c_locale != (locale_t)0) freelocale(writer->c_locale);
  hy_free(&cube->base, &writer->offsets);
  hy_free(&cube->base, &writer->lengths);
  hy_free(&cube->base, &writer->buffer);
  hy_group_free(&writer->group);
  hy_group_free(&w->group);
  hy_free(&cube->base, &w->name);
  hy_direct_destroy(&w->move);
  (void)hyla_matrix_destroy(&w->dealt);
}

hyla_status hyla_matrix_write(hyla_cube *cube, const hyla_matrix *matrix, const char *path) {
  if (cube == NULL) return HYLA_ARGUMENT;
  hyla_status mine = check_arguments(cube, matrix, path);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_matrix_write");
  uint64_t fingerprint = 0;
  if (mine == HYLA_OK)
    fingerprint = hy_matrix_fingerprint(hy_fingerprint(0, path, strlen(path)), matrix);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_matrix_write"));
  struct work w = {.format = find_format(path),
                   .writer.file = {.base = &cube->base, .path = path, .fd = -1}};
  hyla_status status = write_file(&w, cube, matrix);
  release(&w, cube);
  return status;
}
