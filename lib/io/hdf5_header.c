/* The head of a dataset in an HDF5 file: its name, its size, its elements, and their place. */
#include "io/hdf5_file.h"
#include "io/names.h"

#include <inttypes.h>
#include <string.h>

/* ------------------------------------------------------------------- names -- */

/* Lists the datasets, for a user who has named none or a wrong one.  A variable of Octave's counts
 * as one. */
/* Limits of the search: nesting of groups, number of links. */
enum { DEEP = 8, LINKS = 4096 };

static const struct hy_io_holder holder = {"an HDF5 file", "dataset"};

struct walk {
  struct hy_hdf5 *h;
  struct hy_io_names *names;
  int left; /* links that may still be visited */
};

static void look_at(struct walk *walk, const char *name, int depth);

/* Visits the members of a group, sorted by name.  prefix: the group's name, "" for the root. */
static void look_into(struct walk *walk, const char *prefix, int depth) {
  H5G_info_t facts;
  const char *group = *prefix == '\0' ? "/" : prefix;
  if (walk->h->lib.H5Gget_info_by_name(walk->h->in, group, &facts, H5P_DEFAULT) < 0) return;
  for (hsize_t i = 0; i < facts.nlinks; i++) {
    char name[HY_IO_NAME];
    size_t length = strlen(prefix);
    if (walk->left-- <= 0 || walk->names->more) {
      walk->names->more = true;
      return;
    }
    memcpy(name, prefix, length);
    name[length++] = '/';
    ssize_t more =
        walk->h->lib.H5Lget_name_by_idx(walk->h->in, group, H5_INDEX_NAME, H5_ITER_INC, i,
                                        name + length, sizeof name - length, H5P_DEFAULT);
    /* MATLAB keeps the contents of cells in groups named #...#. */
    if (more <= 0 || (size_t)more >= sizeof name - length || name[length] == '#') continue;
    look_at(walk, name, depth);
  }
}

static void look_at(struct walk *walk, const char *name, int depth) {
  struct hy_io_names *names = walk->names;
  enum hy_hdf5_kind kind = hy_hdf5_kind_of(walk->h, name);
  char octave[HY_OCTAVE_KIND];
  const bool variable = kind == HY_HDF5_GROUP && hy_octave_kind(walk->h, name, octave);
  /* Soft links can form circles; the depth limits them. */
  if (kind == HY_HDF5_GROUP && !variable && depth < DEEP) look_into(walk, name, depth + 1);
  if (kind != HY_HDF5_DATASET && !variable) return;
  hy_io_names_add(names, name, (int64_t)strlen(name));
}

static void list(struct hy_hdf5 *h, struct hy_io_names *names) {
  struct walk walk = {.h = h, .names = names, .left = LINKS};
  bool elsewhere = h->elsewhere;
  look_into(&walk, "", 0);
  h->elsewhere = elsewhere;
}

/* FORMAT: the dataset does not exist; the message lists those that do. */
static hyla_status refuse_missing(struct hy_hdf5 *h) {
  struct hy_io_names *names;
  TRY(hy_alloc(h->file->base, 1, sizeof *names, &names));
  list(h, names);
  hyla_status status = hy_io_names_missing(h->file, names, &holder, h->dataset);
  hy_free(h->file->base, &names);
  return status;
}

/* Sets h->dataset to the name in the path, or to the only dataset's, kept in `own'.  FORMAT,
 * MEMORY. */
static hyla_status choose_dataset(struct hy_hdf5 *h, char own[HY_IO_NAME]) {
  own[0] = '\0';
  h->dataset = h->file->name.dataset;
  if (h->dataset != NULL) return HYLA_OK;
  struct hy_io_names *names;
  TRY(hy_alloc(h->file->base, 1, sizeof *names, &names));
  list(h, names);
  hyla_status status = hy_io_names_only(h->file, names, &holder, own);
  h->dataset = own;
  hy_free(h->file->base, &names);
  return status;
}

/* -------------------------------------------------------------------- head -- */

enum { BOX = 1 << 22 }; /* bytes that are worth a call of HDF5 */

/* Opens the dataset, or says why it cannot be read. */
static hyla_status open_dataset(struct hy_hdf5 *h) {
  enum hy_hdf5_kind kind = hy_hdf5_kind_of(h, h->dataset);
  HDF5_CHECK(h, !h->elsewhere, "a link to another file, which is not followed%s", "");
  if (kind == HY_HDF5_NOTHING) return refuse_missing(h);
  HDF5_CHECK(h,
             kind != HY_HDF5_GROUP ||
                 h->lib.H5Aexists_by_name(h->in, h->dataset, "MATLAB_sparse", H5P_DEFAULT) <= 0,
             "a sparse matrix of MATLAB's; save full(...) of it%s", "");
  HDF5_CHECK(h, kind != HY_HDF5_GROUP, "a group of datasets, not one of them%s", "");
  HDF5_CHECK(h, kind == HY_HDF5_DATASET, "a datatype, not a dataset%s", "");
  return hy_hdf5_open_dataset(h, 0);
}

/* Refuses elements in other files: a stranger's file must not make hyla open others. */
static hyla_status check_place(const struct hy_hdf5 *h) {
  hid_t made = h->lib.H5Dget_create_plist(h->set);
  HDF5_TRY(h, "read", made);
  bool elsewhere =
      h->lib.H5Pget_layout(made) == H5D_VIRTUAL || h->lib.H5Pget_external_count(made) > 0;
  hy_hdf5_close(&h->lib, made);
  HDF5_CHECK(h, !elsewhere, "its elements are in other files, which are not opened%s", "");
  return HYLA_OK;
}

static hyla_status read_element(const struct hy_hdf5 *h, struct hy_npy_element *element) {
  hid_t type = h->lib.H5Dget_type(h->set);
  HDF5_TRY(h, "read", type);
  bool good = hy_hdf5_element(&h->lib, type, element);
  const char *what = hy_hdf5_class_name(&h->lib, type);
  hy_hdf5_close(&h->lib, type);
  HDF5_CHECK(
      h, good,
      "expected real numbers of half, single or double precision, complex ones of the latter "
      "two, or integers, found %s",
      what);
  return HYLA_OK;
}

static hyla_status read_sizes(const struct hy_hdf5 *h, int *dims, hsize_t size[2]) {
  hid_t all = h->lib.H5Dget_space(h->set);
  HDF5_TRY(h, "read", all);
  H5S_class_t class = h->lib.H5Sget_simple_extent_type(all);
  *dims = h->lib.H5Sget_simple_extent_ndims(all);
  bool good = *dims >= 0 && *dims <= 2 && h->lib.H5Sget_simple_extent_dims(all, size, NULL) >= 0;
  hy_hdf5_close(&h->lib, all);
  HDF5_CHECK(h, class == H5S_SCALAR || class == H5S_SIMPLE, "it holds nothing, not even a size%s",
             "");
  HDF5_CHECK(h, *dims <= 2, "expected at most two dimensions, found %d", *dims);
  HDF5_CHECK(h, good, "its size cannot be read%s", "");
  return HYLA_OK;
}

/* MATLAB's or Octave's attributes of a dataset. */
struct marks {
  bool by_columns;
  bool empty; /* then `size' and `element' describe the variable */
  hsize_t size[2];
  struct hy_npy_element element;
};

static hyla_status read_marks(struct hy_hdf5 *h, struct marks *marks) {
  char class[64];
  struct hy_octave octave;
  TRY(hy_octave_find(h, &octave));
  *marks = (struct marks){.by_columns = octave.marked,
                          .empty = octave.empty,
                          .size = {octave.size[0], octave.size[1]},
                          .element = octave.element};
  if (octave.marked || !hy_matlab_class(&h->lib, h->set, class)) return HYLA_OK;
  HDF5_CHECK(h, strcmp(class, "char") != 0 && strcmp(class, "cell") != 0,
             "expected numbers, found MATLAB's class %s", class);
  marks->by_columns = true;
  marks->empty = hy_matlab_empty(&h->lib, h->set, marks->size);
  marks->element =
      (struct hy_npy_element){.kind = 'f', .size = strcmp(class, "single") == 0 ? 4 : 8};
  return HYLA_OK;
}

/* Reads rows and columns, in the order given by the path or a mark. */
static hyla_status read_shape(const struct hy_hdf5 *h, const struct marks *marks,
                              struct hy_hdf5_header *header) {
  struct hy_npy_header *e = &header->elements;
  hsize_t size[2] = {1, 1};
  TRY(read_sizes(h, &header->dims, size));
  const bool empty = marks->empty;
  if (empty) memcpy(size, marks->size, sizeof size);
  e->by_columns = marks->by_columns || header->dims == 1;
  if (header->dims == 2 && h->file->name.order != HY_IO_AS_MARKED)
    e->by_columns = h->file->name.order == HY_IO_BY_COLUMNS;
  /* The size of an empty variable is stored in its own order. */
  bool reverse = header->dims == 2 && e->by_columns && !empty;
  const int64_t most = INT64_MAX;
  int64_t entries;
  bool fits = size[0] <= (hsize_t)most && size[1] <= (hsize_t)most &&
              !__builtin_mul_overflow((int64_t)size[0], (int64_t)size[1], &entries) &&
              !__builtin_mul_overflow(entries, e->element.size, &entries);
  HDF5_CHECK(h, fits, "%" PRIu64 " x %" PRIu64 " are more entries than can be counted",
             (uint64_t)size[0], (uint64_t)size[1]);
  e->rows = (int64_t)size[reverse];
  e->cols = (int64_t)size[!reverse];
  e->vector = header->dims == 1 && !empty;
  if (empty) e->element = marks->element;
  return HYLA_OK;
}

/* Where the elements begin if they are one piece of this file, of the right length; else -1. */
static int64_t find_piece(const struct hy_hdf5 *h, hid_t made, int64_t bytes) {
  if (h->lib.H5Pget_layout(made) != H5D_CONTIGUOUS) return -1;
  if (bytes == 0 || h->lib.H5Dget_storage_size(h->set) != (hsize_t)bytes) return -1;
  haddr_t start = h->lib.H5Dget_offset(h->set);
  bool inside = start != HADDR_UNDEF && start <= (haddr_t)h->file->size &&
                bytes <= h->file->size - (int64_t)start;
  return inside ? (int64_t)start : -1;
}

/* Boxes of a dataset without chunks: whole lines, or part of one. */
static void take_lines(struct hy_hdf5_header *header, int64_t lines, int64_t length, int64_t size) {
  header->box[1] = hy_max(1, hy_min(length, BOX / size));
  header->box[0] = hy_max(1, hy_min(lines, BOX / (size * header->box[1])));
}

/* Boxes of whole chunks, first side by side, then one above the other; or part of a chunk. */
static void take_chunks(struct hy_hdf5_header *header, const int64_t chunk[2], int64_t lines,
                        int64_t length, int64_t size) {
  if (header->chunk > BOX) {
    take_lines(header, chunk[0], chunk[1], size);
    return;
  }
  int64_t most = BOX / header->chunk; /* chunks */
  int64_t across = hy_max(1, hy_min(most, hy_ceil_div(length, chunk[1])));
  int64_t down = hy_max(1, hy_min(most / across, hy_ceil_div(lines, chunk[0])));
  header->box[1] = across * chunk[1];
  header->box[0] = down * chunk[0];
}

static hyla_status find_box(const struct hy_hdf5 *h, hid_t made, struct hy_hdf5_header *header) {
  const struct hy_npy_header *e = &header->elements;
  const int64_t size = e->element.size;
  const int64_t length = e->by_columns ? e->rows : e->cols,
                lines = e->by_columns ? e->cols : e->rows;
  hsize_t own[2] = {1, 1};
  header->chunk = 0;
  take_lines(header, lines, length, size);
  if (h->lib.H5Pget_layout(made) != H5D_CHUNKED) return HYLA_OK;
  HDF5_TRY(h, "read", h->lib.H5Pget_chunk(made, 2, own));
  const int64_t chunk[2] = {header->dims == 2 ? (int64_t)own[0] : 1,
                            (int64_t)own[header->dims - 1]};
  HDF5_CHECK(h, chunk[0] > 0 && chunk[1] > 0, "its chunks have no size%s", "");
  bool fits = !__builtin_mul_overflow(chunk[0], chunk[1], &header->chunk) &&
              !__builtin_mul_overflow(header->chunk, size, &header->chunk) &&
              header->chunk <= (int64_t)UINT32_MAX;
  HDF5_CHECK(h, fits, "its chunks are longer than the 4 GiB that HDF5 allows%s", "");
  take_chunks(header, chunk, lines, length, size);
  return HYLA_OK;
}

static hyla_status find_elements(const struct hy_hdf5 *h, struct hy_hdf5_header *header) {
  struct hy_npy_header *e = &header->elements;
  hid_t made = h->lib.H5Dget_create_plist(h->set);
  HDF5_TRY(h, "read", made);
  e->body = find_piece(h, made, e->rows * e->cols * e->element.size);
  hyla_status status = find_box(h, made, header);
  hy_hdf5_close(&h->lib, made);
  return status;
}

static hyla_status read_header(struct hy_hdf5 *h, struct hy_hdf5_header *header) {
  struct marks marks;
  TRY(hy_hdf5_lock(h->file));
  TRY(hy_hdf5_open(h, h->file->fd, HY_HDF5_READ));
  TRY(choose_dataset(h, header->dataset));
  TRY(hy_octave_enter(h, header->dataset));
  TRY(open_dataset(h));
  TRY(check_place(h));
  TRY(read_marks(h, &marks));
  TRY(read_element(h, &header->elements.element));
  TRY(read_shape(h, &marks, header));
  return find_elements(h, header);
}

hyla_status hy_hdf5_read_header(const struct hy_io_file *file, struct hy_hdf5_header *header) {
  struct hy_hdf5 h;
  memset(header, 0, sizeof *header);
  TRY(hy_hdf5_begin(&h, file));
  hyla_status status = read_header(&h, header);
  hy_hdf5_end(&h);
  return status;
}
