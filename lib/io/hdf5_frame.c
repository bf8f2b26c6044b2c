/* The frame of an HDF5 file: everything but the entries of a dataset, made by one rank.
 *
 * The dataset is contiguous.  HDF5 allocates space for it without writing there, and says where it
 * begins; the nodes write the entries there without HDF5.  An existing file is copied byte by byte,
 * so that its other datasets, attributes and links are kept.  A dataset of the same name is
 * removed, and its space can be used again. */
#include "io/hdf5_file.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { COPIED_AT_ONCE = 1 << 20, MATLAB_NAME = 63 };

/* FILE unless the dataset can be put into this file.  *there: it replaces one of the same name. */
static hyla_status check_name(struct hy_hdf5 *h, bool *there) {
  struct hy_base *base = h->file->base;
  const char *file = hy_path_shown(h->file->path), *name = hy_path_shown(h->dataset);
  char part[PATH_MAX], octave[HY_OCTAVE_KIND];
  size_t length = strlen(h->dataset);
  while (length > 1 && h->dataset[length - 1] == '/') length--;
  CHECK(base, length < sizeof part, ARGUMENT, "cannot write %s: the dataset's name is too long",
        file);
  for (size_t end = 1; end <= length; end++) {
    if (end < length && h->dataset[end] != '/') continue;
    memcpy(part, h->dataset, end);
    part[end] = '\0';
    *there = h->lib.H5Lexists(h->in, part, H5P_DEFAULT) > 0;
    if (!*there) return HYLA_OK;
    enum hy_hdf5_kind kind = hy_hdf5_kind_of(h, part);
    bool last = end == length;
    CHECK(base, last || kind == HY_HDF5_GROUP, FILE,
          "cannot write %s:%s: %s is there, and no group", file, name, part);
    CHECK(base, last || !hy_octave_kind(h, part, octave), FILE,
          "cannot write %s:%s: %s is a variable of Octave's; take another name", file, name, part);
    CHECK(base, !last || kind == HY_HDF5_DATASET || kind == HY_HDF5_NOTHING, FILE,
          "cannot write %s:%s: %s of that name is there", file, name,
          kind == HY_HDF5_GROUP ? "a group" : "a datatype");
  }
  return HYLA_OK;
}

/* Names of MATLAB's variables have letters, digits and underscores. */
static bool is_variable(const char *name) {
  size_t length = strlen(name);
  if (length < 2 || length > MATLAB_NAME + 1 || isalpha((unsigned char)name[1]) == 0) return false;
  for (const char *c = name + 1; *c != '\0'; c++)
    if (isalnum((unsigned char)*c) == 0 && *c != '_') return false;
  return true;
}

static hyla_status check_words(const struct hy_io_file *file) {
  const char *path = hy_path_shown(file->path), *name = file->name.dataset;
  CHECK(file->base, name != NULL, ARGUMENT, "%s: say which dataset, as in FILE.h5:/x", path);
  CHECK(file->base, name[strspn(name, "/")] != '\0', ARGUMENT, "%s:%s: the dataset has no name",
        path, name);
  if (!file->name.matlab) return HYLA_OK;
  CHECK(file->base, is_variable(name), ARGUMENT,
        "%s:%s: no name for a variable of MATLAB's: give letters, digits and _, after one /", path,
        hy_path_shown(name));
  CHECK(file->base, file->name.order != HY_IO_BY_ROWS, ARGUMENT,
        "%s: MATLAB's arrays go by columns; leave out `rows'", path);
  return HYLA_OK;
}

/* Is there a file that is not empty? */
static bool is_there(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && about.st_size > 0;
}

/* Checks the file that will be replaced; HDF5 only reads it. */
static hyla_status look_into(const struct hy_io_file *file, const struct hy_io_file *old) {
  struct hy_hdf5 h;
  bool known = false, there;
  TRY(hy_hdf5_known(old, &known));
  CHECK(file->base, known, FILE,
        "cannot write %s: the existing file is no HDF5 file; take another name, or remove it",
        hy_path_shown(file->path));
  TRY(hy_hdf5_lock(old));
  TRY(hy_hdf5_begin(&h, file));
  h.dataset = file->name.dataset;
  hyla_status status = hy_hdf5_open(&h, old->fd, HY_HDF5_READ);
  if (status == HYLA_OK) status = check_name(&h, &there);
  hy_hdf5_end(&h);
  return status;
}

static hyla_status check_old(const struct hy_io_file *file) {
  struct hy_io_file old;
  TRY(hy_io_open(file->base, file->path, &old));
  hyla_status status = look_into(file, &old);
  hy_io_close(&old);
  return status;
}

hyla_status hy_hdf5_check_target(const struct hy_io_file *file) {
  TRY(check_words(file));
  return is_there(file->path) ? check_old(file) : HYLA_OK;
}

/* Copies all of the old file into the new one. */
static hyla_status copy_old(const struct hy_io_file *file) {
  struct hy_io_file old;
  char *buffer = NULL;
  TRY(hy_io_open(file->base, file->path, &old));
  hyla_status status = hy_alloc(file->base, COPIED_AT_ONCE, 1, &buffer);
  for (int64_t at = 0; at < old.size && status == HYLA_OK; at += COPIED_AT_ONCE) {
    int64_t bytes = hy_min(COPIED_AT_ONCE, old.size - at);
    status = hy_io_get(&old, buffer, bytes, at);
    if (status == HYLA_OK) status = hy_io_put(file, buffer, bytes, at);
  }
  hy_free(file->base, &buffer);
  hy_io_close(&old);
  return status;
}

/* Makes a contiguous dataset: its space is allocated at once and not written to, and no time is
 * stored, so that equal matrices give equal files. */
static hid_t make_dataset(struct hy_hdf5 *h, hid_t type, hid_t space) {
  hid_t how = h->lib.H5Pcreate(HY_HDF5_PROPERTIES(&h->lib, DATASET_CREATE)),
        links = h->lib.H5Pcreate(HY_HDF5_PROPERTIES(&h->lib, LINK_CREATE)), set = -1;
  if (how >= 0 && links >= 0 && h->lib.H5Pset_layout(how, H5D_CONTIGUOUS) >= 0 &&
      h->lib.H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0 &&
      h->lib.H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0 &&
      h->lib.H5Pset_obj_track_times(how, false) >= 0 &&
      h->lib.H5Pset_create_intermediate_group(links, 1) >= 0)
    set = h->lib.H5Dcreate2(h->in, h->dataset, type, space, links, how, H5P_DEFAULT);
  (void)hy_hdf5_keep(h, set);
  hy_hdf5_close(&h->lib, how);
  hy_hdf5_close(&h->lib, links);
  return set;
}

/* For an empty variable MATLAB stores its size instead of entries. */
static hyla_status put_empty(struct hy_hdf5 *h, const struct hy_hdf5_dataset *d) {
  const uint64_t size[2] = {(uint64_t)d->rows, (uint64_t)d->cols};
  const hsize_t two = 2;
  hid_t space = h->lib.H5Screate_simple(1, &two, NULL);
  HDF5_TRY(h, "write", space);
  h->set = make_dataset(h, HY_HDF5_TYPE(&h->lib, NATIVE_UINT64), space);
  hy_hdf5_close(&h->lib, space);
  HDF5_TRY(h, "write", h->set);
  HDF5_TRY(h, "write",
           h->lib.H5Dwrite(h->set, HY_HDF5_TYPE(&h->lib, NATIVE_UINT64), H5S_ALL, H5S_ALL,
                           H5P_DEFAULT, size));
  return HYLA_OK;
}

static hyla_status put_frame(struct hy_hdf5 *h, const struct hy_hdf5_dataset *d, int64_t *body) {
  const hsize_t lines = (hsize_t)(d->by_rows ? d->rows : d->cols);
  const hsize_t size[2] = {lines, (hsize_t)(d->by_rows ? d->cols : d->rows)},
                count = (hsize_t)d->rows;
  bool one = d->vector && !h->file->name.matlab;
  hid_t space =
      one ? h->lib.H5Screate_simple(1, &count, NULL) : h->lib.H5Screate_simple(2, size, NULL);
  hid_t type = hy_hdf5_type(&h->lib, d->k, h->file->name.matlab);
  if (space >= 0 && type >= 0) h->set = make_dataset(h, type, space);
  hy_hdf5_close(&h->lib, type);
  hy_hdf5_close(&h->lib, space);
  HDF5_TRY(h, "write", h->set);
  haddr_t start = h->lib.H5Dget_offset(h->set);
  CHECK(h->file->base, size[0] * size[1] == 0 || start != HADDR_UNDEF, FILE,
        "cannot write %s: HDF5 gives the dataset no room", hy_path_shown(h->file->path));
  *body = start == HADDR_UNDEF ? 0 : (int64_t)start;
  return HYLA_OK;
}

/* Closes the file, which writes everything, or fails with HDF5's reason. */
static hyla_status close_all(struct hy_hdf5 *h) {
  hid_t set = h->set, in = h->in;
  h->set = h->in = -1;
  herr_t done = h->lib.H5Dclose(set);
  if (h->lib.H5Fclose(in) < 0 || done < 0) return hy_hdf5_fail(h, "write");
  return HYLA_OK;
}

static hyla_status build(struct hy_hdf5 *h, bool replaces, const struct hy_hdf5_dataset *d,
                         int64_t *body) {
  bool there = false, empty = d->rows == 0 || d->cols == 0, matlab = h->file->name.matlab;
  TRY(hy_hdf5_open(h, h->file->fd, replaces ? HY_HDF5_CHANGE : HY_HDF5_CREATE));
  if (replaces) TRY(check_name(h, &there));
  if (there) HDF5_TRY(h, "write", h->lib.H5Ldelete(h->in, h->dataset, H5P_DEFAULT));
  TRY(matlab && empty ? put_empty(h, d) : put_frame(h, d, body));
  if (matlab) HDF5_TRY(h, "write", hy_matlab_mark(&h->lib, h->set, d->k, empty));
  return close_all(h);
}

hyla_status hy_hdf5_prepare(const struct hy_io_file *file, const struct hy_hdf5_dataset *dataset,
                            int64_t *body) {
  struct hy_hdf5 h;
  char head[HY_MATLAB_HEAD];
  *body = 0;
  TRY(hy_hdf5_check_target(file));
  const bool replaces = is_there(file->path);
  if (replaces) TRY(copy_old(file));
  TRY(hy_hdf5_begin(&h, file));
  h.dataset = file->name.dataset;
  hyla_status status = build(&h, replaces, dataset, body);
  hy_hdf5_end(&h);
  errno = h.driver.error;
  if (errno != 0) return hy_fail_to_write(file->base, file->path);
  TRY(status);
  if (replaces || !file->name.matlab) return HYLA_OK;
  hy_matlab_head(head);
  return hy_io_put(file, head, HY_MATLAB_HEAD, 0);
}
