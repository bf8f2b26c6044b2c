/* hyla_matrix_read and hyla_matrix_probe: the steps that all formats share. */
#include "collective/collective.h"
#include "io/io.h"

#include <inttypes.h>
#include <string.h>

/* Node 0 finds this at the head of the file and sends it to all others. */
struct head {
  int64_t status;
  char message[HY_MESSAGE_MAX];
  int format;   /* its number in the list */
  int64_t size; /* of the file */
  int64_t rows;
  int64_t cols;
  hyla_type type;
  bool vector; /* the array has one dimension */
  struct hy_mm_header mm;
  struct hy_hdf5_header elements; /* .npy files set the members that both formats have */
};

/* The functions of a format. */
struct format {
  hyla_status (*read_head)(const struct hy_io_file *file, struct head *head);
  /* Collective over nodes and guests. */
  hyla_status (*read_body)(hyla_cube *cube, const struct hy_io_file *file, const struct head *head,
                           int64_t chunk, hyla_matrix *matrix);
};

static hyla_status check_arguments(hyla_cube *cube, const char *path, const hyla_layout *layout,
                                   hyla_matrix **matrix) {
  struct hy_base *base = &cube->base;
  CHECK(base, path != NULL, ARGUMENT, "hyla_matrix_read: path is NULL");
  CHECK(base, matrix != NULL, ARGUMENT, "hyla_matrix_read: matrix is NULL");
  return layout == NULL ? HYLA_OK : hy_layout_check(cube, layout);
}

static uint64_t fingerprint_of(const char *path, const hyla_layout *layout) {
  uint64_t fingerprint = hy_fingerprint(0, path, strlen(path));
  if (layout == NULL) return hy_matrix_fingerprint(fingerprint, NULL);
  /* The size is not known yet, so the fingerprint is of an empty matrix in the layout. */
  const hyla_matrix shape = {.k = hy_kernels_of(HYLA_DOUBLE),
                             .layout = *layout,
                             .row = hy_axis_make(&layout->row, 0),
                             .col = hy_axis_make(&layout->col, 0)};
  return hy_matrix_fingerprint(fingerprint, &shape);
}

static hyla_status read_head_mm(const struct hy_io_file *file, struct head *head) {
  TRY(hy_mm_read_header(file, &head->mm));
  head->rows = head->mm.rows;
  head->cols = head->mm.cols;
  head->type = head->mm.field == HY_MM_COMPLEX ? HYLA_DOUBLE_COMPLEX : HYLA_DOUBLE;
  return HYLA_OK;
}

/* what: a file of a format that has no compressed files. */
static hyla_status refuse_gzip(const struct hy_io_file *file, const char *what) {
  CHECK(file->base, file->gzip == NULL, FORMAT,
        "%s: a %s compressed by gzip; only .mtx files may be compressed; unpack it, as by gunzip",
        hy_path_shown(file->path), what);
  return HYLA_OK;
}

static hyla_status read_head_table(const struct hy_io_file *file, struct head *head) {
  TRY(refuse_gzip(file, "table"));
  TRY(hy_table_read_header(file, &head->mm));
  head->rows = head->mm.rows;
  head->cols = head->mm.cols;
  head->type = HYLA_DOUBLE;
  return HYLA_OK;
}

static void take_elements(struct head *head) {
  const struct hy_npy_header *elements = &head->elements.elements;
  head->rows = elements->rows;
  head->cols = elements->cols;
  head->type = hy_npy_type(&elements->element);
  head->vector = elements->vector;
}

static hyla_status read_head_npy(const struct hy_io_file *file, struct head *head) {
  TRY(refuse_gzip(file, ".npy file"));
  TRY(hy_npy_read_header(file, &head->elements.elements));
  take_elements(head);
  return HYLA_OK;
}

static hyla_status read_head_hdf5(const struct hy_io_file *file, struct head *head) {
  TRY(hy_hdf5_read_header(file, &head->elements));
  take_elements(head);
  return HYLA_OK;
}

/* Entries of a Matrix Market file go to the face; then the face is broadcast to the copies. */
static hyla_status copy_from_face(hyla_matrix *matrix) {
  int64_t entries = matrix->local_rows == 0 ? 0 : matrix->ld * matrix->local_cols;
  struct hy_subcube_op group;
  TRY(hy_subcube_once(matrix->cube, matrix->unused_dims, HY_TASK_BROADCAST, entries,
                      matrix->k->size, NULL, &group));
  hyla_status status = hy_subcube_broadcast(&group, 0, matrix->local, entries);
  hy_subcube_free(&group);
  return status;
}

static hyla_status read_body_mm(hyla_cube *cube, const struct hy_io_file *file,
                                const struct head *head, int64_t chunk, hyla_matrix *matrix) {
  struct hy_mm_reader *reader;
  hyla_status mine = hy_mm_reader_create(file, &head->mm, chunk, matrix, &reader);
  hyla_status status = hy_agree(cube, mine);
  if (status == HYLA_OK && cube->address >= 0) status = hy_mm_reader_run(reader);
  if (hy_matrix_has_copies(matrix)) {
    status = hy_agree(cube, status);
    if (status == HYLA_OK) status = copy_from_face(matrix);
  }
  hy_mm_reader_destroy(&cube->base, &reader);
  return status;
}

static hyla_status read_body_npy(hyla_cube *cube, const struct hy_io_file *file,
                                 const struct head *head, int64_t chunk, hyla_matrix *matrix) {
  (void)cube, (void)chunk;
  return hy_npy_read_body(file, &head->elements.elements, matrix);
}

static hyla_status read_body_hdf5(hyla_cube *cube, const struct hy_io_file *file,
                                  const struct head *head, int64_t chunk, hyla_matrix *matrix) {
  (void)chunk;
  return hy_hdf5_deal_body(cube, file, &head->elements, matrix);
}

enum { MATRIX_MARKET, NPY, HDF5, TABLE };
static const struct format formats[] = {
    [MATRIX_MARKET] = {read_head_mm, read_body_mm},
    [NPY] = {read_head_npy, read_body_npy},
    [HDF5] = {read_head_hdf5, read_body_hdf5},
    [TABLE] = {read_head_table, read_body_mm},
};

/* FORMAT: the file is in none of the formats. */
enum { QUOTED = 6 }; /* of its first bytes, in the message */
static hyla_status reject(const struct hy_io_file *file, const char *start, int64_t length) {
  char quote[HY_IO_QUOTE];
  const char *known = hy_io_known_start(start, length), *path = hy_path_shown(file->path);
  const char *what = file->name.dataset != NULL
                         ? "an HDF5 file"
                         : "%%MatrixMarket, the magic number of .npy, or rows of numbers";
  CHECK(file->base, known == NULL, FORMAT, "%s:1: expected %s, found %s", path, what, known);
  return hy_fail(file->base, HYLA_FORMAT, "%s:1: expected %s, found '%s'", path, what,
                 hy_io_quote(start, hy_min(length, QUOTED), quote));
}

/* Finds the file's format by its first bytes, and reads its header. */
static hyla_status read_head(const struct hy_io_file *file, struct head *head) {
  char start[HY_IO_START];
  int64_t length = hy_min(file->size, (int64_t)sizeof start);
  TRY(hy_io_get(file, start, length, 0));
  bool named = file->name.dataset != NULL, hdf5 = false;
  if (!named && length >= HY_NPY_MAGIC_LENGTH &&
      memcmp(start, HY_NPY_MAGIC, HY_NPY_MAGIC_LENGTH) == 0)
    head->format = NPY;
  else if (!named && length >= 2 && memcmp(start, "%%", 2) == 0)
    head->format = MATRIX_MARKET;
  else {
    TRY(hy_hdf5_known(file, &hdf5));
    const bool table = !hdf5 && !named && hy_io_known_start(start, length) == NULL &&
                       hy_table_known(file, start, length);
    if (!hdf5 && !table) return reject(file, start, length);
    head->format = hdf5 ? HDF5 : TABLE;
  }
  return formats[head->format].read_head(file, head);
}

/* Node 0 reads the head; all ranks get it and return node 0's status. */
static hyla_status share_head(hyla_cube *cube, const struct hy_io_file *file, struct head *head) {
  memset(head, 0, sizeof *head);
  if (cube->address == 0) {
    head->size = file->size;
    head->status = read_head(file, head);
    memcpy(head->message, cube->base.message, sizeof head->message);
  }
  TRY(hy_broadcast(cube, (uint32_t)cube->nodes - 1, 0, head, sizeof *head));
  TRY(hy_tell_guests(cube, head, sizeof *head));
  if (head->status == HYLA_OK) return HYLA_OK;
  return hy_fail(&cube->base, (hyla_status)head->status, "%s", head->message);
}

/* Refuses a matrix that the machine cannot hold before memory is taken: systems that promise more
 * memory than they have would kill the process later. */
static hyla_status check_rank(const hyla_cube *cube, const struct hy_io_file *file,
                              const struct head *head, const hyla_layout *layout) {
  struct hy_base *base = file->base;
  if (cube->address < 0) return HYLA_OK;
  CHECK(base, file->size == head->size, FILE,
        "cannot read %s: it has %" PRId64 " bytes on one rank, %" PRId64 " on another",
        hy_path_shown(file->path), head->size, file->size);
  struct hy_axis row = hy_axis_make(&layout->row, head->rows);
  struct hy_axis col = hy_axis_make(&layout->col, head->cols);
  double entries = (double)hy_axis_most(&row) * (double)hy_axis_most(&col);
  double bytes =
      entries * (double)hy_kernels_of(head->type)->size * (double)hy_max(1, cube->ranks.members);
  CHECK(base, bytes <= (double)hy_memory_probe("").total, MEMORY,
        "out of memory: %s holds a matrix of %" PRId64 " x %" PRId64
        "; this machine's ranks would need %.3g bytes for it; use more machines",
        hy_path_shown(file->path), head->rows, head->cols, bytes);
  return HYLA_OK;
}

/* Reads a matrix from an open file. */
static hyla_status read_file(hyla_cube *cube, const struct hy_io_file *file,
                             const hyla_layout *layout, int64_t chunk, hyla_matrix **matrix) {
  struct head head;
  hyla_layout standard;
  TRY(share_head(cube, file, &head));
  if (layout == NULL) {
    TRY(hyla_layout_default(cube, head.rows, head.cols, &standard));
    layout = &standard;
  }
  TRY(hy_agree(cube, check_rank(cube, file, &head, layout)));
  hyla_matrix *made;
  TRY(hyla_matrix_create(cube, head.type, head.rows, head.cols, layout, &made));
  const struct format *format = &formats[head.format];
  hyla_status status = hy_agree(cube, format->read_body(cube, file, &head, chunk, made));
  if (status != HYLA_OK) {
    (void)hyla_matrix_destroy(&made);
    return status;
  }
  *matrix = made;
  return HYLA_OK;
}

hyla_status hy_io_read(hyla_cube *cube, const char *path, const hyla_layout *layout, int64_t chunk,
                       hyla_matrix **matrix) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (matrix != NULL) *matrix = NULL;
  hyla_status mine = check_arguments(cube, path, layout, matrix);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_matrix_read");
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? fingerprint_of(path, layout) : 0, "hyla_matrix_read"));
  struct hy_io_file file = {.base = &cube->base, .path = path, .fd = -1};
  if (cube->address >= 0) mine = hy_io_open(&cube->base, path, &file);
  hyla_status status = hy_agree(cube, mine);
  if (status == HYLA_OK) status = read_file(cube, &file, layout, chunk, matrix);
  hy_io_close(&file);
  return status;
}

hyla_status hyla_matrix_read(hyla_cube *cube, const char *path, const hyla_layout *layout,
                             hyla_matrix **matrix) {
  return hy_io_read(cube, path, layout, 0, matrix);
}

/* Reads the head of a file, the same on all ranks.  call: the public call's name. */
static hyla_status probe(hyla_cube *cube, const char *path, const char *call, struct head *head) {
  hyla_status mine = HYLA_OK;
  if (path == NULL) mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: path is NULL", call);
  if (mine == HYLA_OK) mine = hy_need_data(cube, call);
  uint64_t fingerprint = mine == HYLA_OK ? hy_fingerprint(0, path, strlen(path)) : 0;
  TRY(hy_enter(cube, mine, fingerprint, call));
  struct hy_io_file file = {.base = &cube->base, .path = path, .fd = -1};
  if (cube->address >= 0) mine = hy_io_open(&cube->base, path, &file);
  hyla_status status = hy_agree(cube, mine);
  if (status == HYLA_OK) status = hy_agree(cube, share_head(cube, &file, head));
  hy_io_close(&file);
  return status;
}

hyla_status hyla_vector_probe(hyla_cube *cube, const char *path, bool *vector) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct head head;
  TRY(probe(cube, path, "hyla_vector_probe", &head));
  if (vector != NULL) *vector = head.vector;
  return HYLA_OK;
}

hyla_status hyla_matrix_probe(hyla_cube *cube, const char *path, hyla_type *type, int64_t *rows,
                              int64_t *cols) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct head head;
  TRY(probe(cube, path, "hyla_matrix_probe", &head));
  if (type != NULL) *type = head.type;
  if (rows != NULL) *rows = head.rows;
  if (cols != NULL) *cols = head.cols;
  return HYLA_OK;
}
