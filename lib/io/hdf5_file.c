/* HDF5 files opened on one rank, and HDF5's errors turned into messages. */
#include "io/hdf5_file.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>

enum { FILTER_TEXT = 128 };

hyla_status hy_hdf5_begin(struct hy_hdf5 *h, const struct hy_io_file *file) {
  *h = (struct hy_hdf5){.file = file, .kind = -1, .in = -1, .set = -1};
  CHECK(file->base, H5open() >= 0 && H5Eget_auto2(H5E_DEFAULT, &h->say, &h->say_to) >= 0, MEMORY,
        "out of memory: HDF5 does not start, for %s", hy_path_shown(file->path));
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return HYLA_OK;
}

void hy_hdf5_end(struct hy_hdf5 *h) {
  if (h->set >= 0) (void)H5Dclose(h->set);
  if (h->in >= 0) (void)H5Fclose(h->in);
  if (h->kind >= 0) (void)H5FDunregister(h->kind);
  h->set = h->in = h->kind = -1;
  (void)H5Eclear2(H5E_DEFAULT);
  (void)H5Eset_auto2(H5E_DEFAULT, h->say, h->say_to);
}

/* Takes the text of the innermost error, which comes first. */
static herr_t take_first(unsigned n, const H5E_error2_t *error, void *text) {
  if (n == 0 && error->desc != NULL) snprintf(text, HY_MESSAGE_MAX / 2, "%s", error->desc);
  return 0;
}

int64_t hy_hdf5_keep(struct hy_hdf5 *h, int64_t result) {
  if (result < 0) (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, h->reason);
  return result;
}

/* Finds a filter of the dataset's chunks that this HDF5 does not have; "" if it has all. */
static void find_missing_filter(hid_t set, char text[FILTER_TEXT]) {
  text[0] = '\0';
  hid_t made = H5Dget_create_plist(set);
  const int filters = made < 0 ? 0 : H5Pget_nfilters(made);
  for (int i = 0; i < filters && *text == '\0'; i++) {
    char name[FILTER_TEXT / 2] = "";
    size_t values = 0;
    H5Z_filter_t id =
        H5Pget_filter2(made, (unsigned)i, NULL, &values, NULL, sizeof name, name, NULL);
    if (id >= 0 && H5Zfilter_avail(id) <= 0)
      snprintf(text, FILTER_TEXT, "%s (filter %d)", *name != '\0' ? name : "a filter", (int)id);
  }
  if (made >= 0) (void)H5Pclose(made);
}

hyla_status hy_hdf5_fail(const struct hy_hdf5 *h, const char *doing) {
  char reason[sizeof h->reason] = "", filter[FILTER_TEXT] = "";
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, reason);
  if (reason[0] == '\0') strcpy(reason, h->reason);
  const char *name = h->dataset != NULL ? h->dataset : "";
  if (h->set >= 0) find_missing_filter(h->set, filter);
  CHECK(
      h->file->base, filter[0] == '\0', FILE,
      "cannot %s %s:%s: its chunks are packed by %s, which this HDF5 library lacks; write it again "
      "with gzip",
      doing, hy_path_shown(h->file->path), hy_path_shown(name), hy_path_shown(filter));
  return hy_fail(h->file->base, HYLA_FILE, "cannot %s %s%s%s: HDF5: %s", doing,
                 hy_path_shown(h->file->path), *name != '\0' ? ":" : "", hy_path_shown(name),
                 reason[0] != '\0' ? reason : "no reason is given");
}

hyla_status hy_hdf5_open(struct hy_hdf5 *h, int fd, const char *doing) {
  const bool write = strcmp(doing, "write") == 0;
  hid_t how = hy_hdf5_driver_make(&h->driver, fd, &h->kind);
  HDF5_TRY(h, doing, how);
  h->in = H5Fopen(h->file->path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, how);
  (void)hy_hdf5_keep(h, h->in);
  (void)H5Pclose(how);
  HDF5_TRY(h, doing, h->in);
  return HYLA_OK;
}

hyla_status hy_hdf5_create(struct hy_hdf5 *h, int fd) {
  hid_t how = hy_hdf5_driver_make(&h->driver, fd, &h->kind);
  HDF5_TRY(h, "write", how);
  hid_t layout = H5Pcreate(H5P_FILE_CREATE);
  bool ready = layout >= 0;
  if (h->file->name.matlab) ready = ready && H5Pset_userblock(layout, HY_MATLAB_HEAD) >= 0;
  if (ready) h->in = H5Fcreate(h->file->path, H5F_ACC_TRUNC, layout, how);
  (void)hy_hdf5_keep(h, h->in);
  if (layout >= 0) (void)H5Pclose(layout);
  (void)H5Pclose(how);
  HDF5_TRY(h, "write", h->in);
  return HYLA_OK;
}

hyla_status hy_hdf5_lock(const struct hy_io_file *file) {
  bool locked = flock(file->fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  CHECK(file->base, !locked, FILE,
        "cannot read %s: another program is writing to it (has locked it)",
        hy_path_shown(file->path));
  return HYLA_OK;
}

/* HDF5 calls this before it follows a link to another file; failure stops it. */
static herr_t refuse_link(const char *parent_file, const char *parent, const char *file,
                          const char *object, unsigned *flags, hid_t how, void *elsewhere) {
  (void)parent_file, (void)parent, (void)file, (void)object, (void)flags, (void)how;
  *(bool *)elsewhere = true;
  return -1;
}

enum hy_hdf5_kind hy_hdf5_kind_of(struct hy_hdf5 *h, const char *name) {
  enum hy_hdf5_kind kind = HY_HDF5_NOTHING;
  hid_t how = H5Pcreate(H5P_LINK_ACCESS);
  if (how < 0 || H5Pset_elink_cb(how, refuse_link, &h->elsewhere) < 0) {
    if (how >= 0) (void)H5Pclose(how);
    return kind;
  }
  hid_t object = H5Oopen(h->in, name, how);
  if (object >= 0) {
    H5I_type_t what = H5Iget_type(object);
    kind = what == H5I_DATASET ? HY_HDF5_DATASET
           : what == H5I_GROUP ? HY_HDF5_GROUP
                               : HY_HDF5_OTHER;
    (void)H5Oclose(object);
  }
  (void)H5Pclose(how);
  return kind;
}

hyla_status hy_hdf5_open_dataset(struct hy_hdf5 *h, int64_t chunk) {
  hid_t how = H5Pcreate(H5P_DATASET_ACCESS);
  HDF5_TRY(h, "read", how);
  bool ready = H5Pset_elink_cb(how, refuse_link, &h->elsewhere) >= 0;
  /* A chunk that is read in several boxes stays in the cache until the last one. */
  if (chunk > 0) ready = ready && H5Pset_chunk_cache(how, 1, (size_t)chunk, 1) >= 0;
  if (ready) h->set = H5Dopen2(h->in, h->dataset, how);
  (void)hy_hdf5_keep(h, h->set);
  (void)H5Pclose(how);
  HDF5_TRY(h, "read", h->set);
  return HYLA_OK;
}
