/* hyla_matrix_read and hyla_matrix_probe: how a file's format is recognized, and the steps that all
 * formats share. */
#include "collective/collective.h"
#include "io/io.h"
#include "io/output.h"

#include <inttypes.h>
#include <string.h>

enum format { MATRIX_MARKET, NPY, HDF5, MAT, TABLE };

/* Node 0 finds this at the head of the file and sends it to all others. */
struct head {
  int64_t status;
  char message[HY_MESSAGE_MAX];
  enum format format;
  int version;  /* of a MAT file */
  int64_t size; /* of the file */
  int64_t rows, cols;
  hyla_type type;
  bool vector; /* the array has one dimension */
  bool part;   /* the matrix is a part of the file */
  struct hy_io_part where;
  struct hy_mm_header mm;
  struct hy_mat_header mat;
  struct hy_hdf5_header elements; /* .npy files set the members that both formats have */
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

/* what: a file of a format that has no compressed files. */
static hyla_status refuse_gzip(const struct hy_io_file *file, const char *what) {
  CHECK(file->base, file->stream == NULL, FORMAT,
        "%s: a %s compressed by gzip; only .mtx files may be compressed; unpack it, as by gunzip",
        hy_path_shown(file->path), what);
  return HYLA_OK;
}

/* Reads the head of a file in head->format. */
static hyla_status read_head(struct hy_io_file *file, struct head *head) {
  const struct hy_npy_header *elements =
      head->format == MAT ? &head->mat.real : &head->elements.elements;
  const bool text = head->format == MATRIX_MARKET || head->format == TABLE;
  switch (head->format) {
  case MATRIX_MARKET: TRY(hy_mm_read_header(file, &head->mm)); break;
  case TABLE:
    TRY(refuse_gzip(file, "table"));
    TRY(hy_table_read_header(file, &head->mm));
    break;
  case NPY:
    if (!head->part) TRY(refuse_gzip(file, ".npy file"));
    TRY(hy_npy_read_header(file, &head->elements.elements));
    break;
  case HDF5: TRY(hy_hdf5_read_header(file, &head->elements)); break;
  case MAT:
    TRY(hy_mat_read_header(file, head->version, &head->mat));
    head->part = head->mat.part;
    head->where = head->mat.where;
    break;
  }
  head->rows = text ? head->mm.rows : elements->rows;
  head->cols = text ? head->mm.cols : elements->cols;
  head->vector = !text && elements->vector;
  head->type = head->format == MAT               ? hy_mat_type(&head->mat)
               : !text                           ? hy_npy_type(&elements->element)
               : head->mm.field == HY_MM_COMPLEX ? HYLA_DOUBLE_COMPLEX
                                                 : HYLA_DOUBLE;
  return HYLA_OK;
}

/* Collective over nodes and guests. */
static hyla_status read_body(const struct hy_io_file *file, const struct head *head, int64_t chunk,
                             hyla_matrix *matrix) {
  if (head->format == NPY) {
    TRY(hy_npy_read_body(file, &head->elements.elements, matrix));
    return hy_io_finish(file);
  }
  if (head->format == MAT) return hy_mat_read_body(file, &head->mat, matrix);
  if (head->format == HDF5) return hy_hdf5_read_body(file, &head->elements, matrix);
  return hy_mm_read_body(file, &head->mm, chunk, matrix);
}

/* ------------------------------------------------------------- recognition -- */

enum { START = 64 }; /* bytes of a file that are looked at */

/* Recognizes the beginning of a file in a format that hyla cannot read: its name and advice, for a
 * message; NULL if unknown. */
static const char *foreign_format(const char *start, int64_t length) {
  static const struct {
    const char *bytes, *what;
  } starts[] = {
      {"\xef\xbb\xbf", "a byte order mark; save the file without it, as plain ASCII"},
      {"\xff\xfe", "UTF-16 text; save the file as plain ASCII"},
      {"\xfe\xff", "UTF-16 text; save the file as plain ASCII"},
      {"MATLAB", "a damaged MAT file, or one compressed by gzip; unpack it, as by gunzip"},
      {"\x89HDF", "an HDF5 file compressed by gzip; unpack it, as by gunzip"},
      {HY_ZIP_MAGIC, "a ZIP archive compressed by gzip; unpack it, as by gunzip"},
  };
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    size_t bytes = strlen(starts[i].bytes);
    if ((int64_t)bytes <= length && memcmp(start, starts[i].bytes, bytes) == 0)
      return starts[i].what;
  }
  return NULL;
}

/* HDF5 files begin with a signature at byte 0, 512, 1024, 2048, ..., behind a block that is the
 * writer's own.  HDF5 File Format Specification, II.A. */
hyla_status hy_hdf5_known(const struct hy_io_file *file, bool *known) {
  static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  char start[sizeof signature];
  *known = false;
  /* A gzipped file is not an HDF5 file, and would be slow to search. */
  if (file->stream != NULL) return HYLA_OK;
  for (int64_t at = 0; !*known && at <= file->size - (int64_t)sizeof start;
       at = at == 0 ? 512 : 2 * at) {
    TRY(hy_io_get(file, start, sizeof start, at));
    *known = memcmp(start, signature, sizeof signature) == 0;
  }
  return HYLA_OK;
}

/* FORMAT: the file is in none of the formats. */
enum { QUOTED = 6 }; /* of its first bytes, in the message */
static hyla_status reject(const struct hy_io_file *file, const char *start, int64_t length) {
  char quote[HY_IO_QUOTE];
  const char *known = foreign_format(start, length), *path = hy_path_shown(file->path);
  const char *what = file->name.dataset != NULL ? "an HDF5 or MAT file"
                     : file->name.member != NULL
                         ? "a ZIP archive"
                         : "%%MatrixMarket, the magic number of .npy, or rows of numbers";
  CHECK(file->base, length > 0, FORMAT, "%s is empty; expected %s", path, what);
  CHECK(file->base, known == NULL, FORMAT, "%s:1: expected %s, found %s", path, what, known);
  return hy_fail(file->base, HYLA_FORMAT, "%s:1: expected %s, found '%s'", path, what,
                 hy_io_quote(start, hy_min(length, QUOTED), quote));
}

static bool begins(const char *start, int64_t length, const char *magic) {
  const int64_t bytes = (int64_t)strlen(magic);
  return length >= bytes && memcmp(start, magic, (size_t)bytes) == 0;
}

/* Finds the member of an archive, from which on only that is read. */
static hyla_status open_archive(struct hy_io_file *file, struct head *head) {
  char start[HY_NPY_MAGIC_LENGTH];
  TRY(hy_zip_find(file, &head->where));
  TRY(hy_io_enter(file, &head->where));
  head->part = true;
  head->format = NPY;
  const int64_t length = hy_min(file->size, (int64_t)sizeof start);
  TRY(hy_io_get(file, start, length, 0));
  CHECK(file->base, begins(start, length, HY_NPY_MAGIC), FORMAT,
        "%s: its member begins without the magic number of .npy", hy_path_shown(file->path));
  return HYLA_OK;
}

/* Finds the file's format by its first bytes. */
static hyla_status recognize(struct hy_io_file *file, struct head *head) {
  char start[START];
  int64_t length = hy_min(file->size, (int64_t)sizeof start);
  TRY(hy_io_get(file, start, length, 0));
  bool named = file->name.dataset != NULL || file->name.member != NULL, hdf5 = false;
  if (file->stream == NULL && file->name.dataset == NULL &&
      (begins(start, length, HY_ZIP_MAGIC) || begins(start, length, HY_ZIP_MAGIC_EMPTY)))
    return open_archive(file, head);
  if (!named && begins(start, length, HY_NPY_MAGIC))
    head->format = NPY;
  else if (!named && begins(start, length, "%%"))
    head->format = MATRIX_MARKET;
  else {
    if (file->name.member == NULL) TRY(hy_hdf5_known(file, &hdf5));
    if (!hdf5 && file->name.member == NULL) head->version = hy_mat_version(file, start, length);
    head->format = hdf5 ? HDF5 : head->version > 0 ? MAT : TABLE;
    if (head->format != TABLE) return HYLA_OK;
    const bool table =
        !named && foreign_format(start, length) == NULL && hy_table_known(file, start, length);
    if (!table) return reject(file, start, length);
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------- reading -- */

/* Node 0 reads the head; all ranks get it and return node 0's status. */
static hyla_status share_head(hyla_cube *cube, struct hy_io_file *file, struct head *head) {
  memset(head, 0, sizeof *head);
  if (cube->address == 0) {
    head->size = file->size;
    head->status = recognize(file, head);
    if (head->status == HYLA_OK) head->status = read_head(file, head);
    memcpy(head->message, cube->base.message, sizeof head->message);
  }
  TRY(hy_broadcast(cube, hy_all_dims(cube), 0, head, sizeof *head));
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
  CHECK(base, cube->address == 0 || file->size == head->size, FILE,
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

/* Node 0 reads the matrix' part of the file already; the other nodes begin. */
static hyla_status enter_part(const hyla_cube *cube, struct hy_io_file *file,
                              const struct head *head) {
  return head->part && cube->address > 0 ? hy_io_enter(file, &head->where) : HYLA_OK;
}

/* Reads a matrix from an open file. */
static hyla_status read_file(hyla_cube *cube, struct hy_io_file *file, const hyla_layout *layout,
                             int64_t chunk, hyla_matrix **matrix) {
  struct head head;
  hyla_layout standard;
  TRY(share_head(cube, file, &head));
  if (layout == NULL) {
    TRY(hyla_layout_default(cube, head.rows, head.cols, &standard));
    layout = &standard;
  }
  hyla_status mine = check_rank(cube, file, &head, layout);
  if (mine == HYLA_OK) mine = enter_part(cube, file, &head);
  TRY(hy_agree(cube, mine));
  hyla_matrix *made;
  /* Entries that a text does not name are 0. */
  const bool text = head.format == MATRIX_MARKET || head.format == TABLE;
  TRY((text ? hyla_matrix_create : hy_matrix_create_unset)(cube, head.type, head.rows, head.cols,
                                                           layout, &made));
  hyla_status status = hy_agree(cube, read_body(file, &head, chunk, made));
  if (status != HYLA_OK) {
    (void)hyla_matrix_destroy(&made);
    return status;
  }
  *matrix = made;
  return HYLA_OK;
}

/* Collective, agreed upon.  Opens the file on each node. */
static hyla_status open_file(hyla_cube *cube, const char *path, struct hy_io_file *file) {
  const bool standard = strcmp(path, "-") == 0;
  hyla_status mine = HYLA_OK;
  *file = (struct hy_io_file){.base = &cube->base, .path = path, .fd = -1};
  if (standard) TRY(hy_input_ready(cube));
  if (cube->address >= 0)
    mine = standard ? hy_io_open_copy(&cube->base, cube->session.input, file)
                    : hy_io_open(&cube->base, path, file);
  file->delimiter = cube->session.delimiter;
  return hy_agree(cube, mine);
}

hyla_status hy_io_read(hyla_cube *cube, const char *path, const hyla_layout *layout, int64_t chunk,
                       hyla_matrix **matrix) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (matrix != NULL) *matrix = NULL;
  hyla_status mine = check_arguments(cube, path, layout, matrix);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_matrix_read");
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? fingerprint_of(path, layout) : 0, "hyla_matrix_read"));
  struct hy_io_file file;
  hyla_status status = open_file(cube, path, &file);
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
  struct hy_io_file file;
  hyla_status status = open_file(cube, path, &file);
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
