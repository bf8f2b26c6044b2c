/* HDF5 files opened on one rank, and HDF5's errors turned into messages.
 *
 * HDF5 reads and writes a file that hyla has open by a driver of our own, which uses the
 * descriptor, so that the file needs no name.  A failed write, as on a full disk, is not reported
 * to HDF5: version 1.10 crashes at the end of the program after such a failure.  The caller looks
 * at `error' after the file is closed. */
#include "io/hdf5_file.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the driver -- */

/* The driver's parameters; HDF5 makes copies of them. */
struct info {
  struct hy_hdf5_driver *driver;
};

static struct hy_hdf5_driver *own(H5FD_t *file) { return (struct hy_hdf5_driver *)(void *)file; }
static const struct hy_hdf5_driver *own_const(const H5FD_t *file) {
  return (const struct hy_hdf5_driver *)(const void *)file;
}

static H5FD_t *open_descriptor(const char *name, unsigned flags, hid_t how, haddr_t most) {
  (void)name, (void)flags, (void)most;
  struct stat about;
  struct hy_hdf5_library lib;
  const struct info *info = hy_hdf5_load(&lib) == NULL ? lib.H5Pget_driver_info(how) : NULL;
  if (info == NULL || fstat(info->driver->fd, &about) != 0) return NULL;
  info->driver->end = (haddr_t)about.st_size;
  return &info->driver->file;
}

/* Closes nothing: the descriptor stays open. */
static herr_t close_nothing(H5FD_t *file) {
  (void)file;
  return 0;
}

static haddr_t get_allocated(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return own_const(file)->allocated;
}

static herr_t set_allocated(H5FD_t *file, H5FD_mem_t type, haddr_t address) {
  (void)type;
  own(file)->allocated = address;
  return 0;
}

static haddr_t get_end(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return own_const(file)->end;
}

/* Bytes beyond the end of the file are zeros. */
static herr_t get_bytes(H5FD_t *file, H5FD_mem_t type, hid_t how, haddr_t at, size_t bytes,
                        void *to) {
  (void)type, (void)how;
  const struct hy_hdf5_driver *driver = own(file);
  char *next = to;
  while (bytes > 0) {
    ssize_t got = pread(driver->fd, next, bytes, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {
      memset(next, 0, bytes);
      return 0;
    }
    next += got;
    bytes -= (size_t)got;
    at += (haddr_t)got;
  }
  return 0;
}

static herr_t put_bytes(H5FD_t *file, H5FD_mem_t type, hid_t how, haddr_t at, size_t bytes,
                        const void *from) {
  (void)type, (void)how;
  struct hy_hdf5_driver *driver = own(file);
  const char *next = from;
  while (bytes > 0 && driver->error == 0) {
    ssize_t put = pwrite(driver->fd, next, bytes, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) driver->error = errno;
    if (put <= 0) break;
    next += put;
    bytes -= (size_t)put;
    at += (haddr_t)put;
  }
  if (at + bytes > driver->end) driver->end = at + bytes;
  return 0;
}

/* Extends the file to the allocated length, for entries that are written later. */
static herr_t set_length(H5FD_t *file, hid_t how, hbool_t closing) {
  (void)how, (void)closing;
  struct hy_hdf5_driver *driver = own(file);
  if (driver->end == driver->allocated || driver->error != 0) return 0;
  if (ftruncate(driver->fd, (off_t)driver->allocated) != 0) driver->error = errno;
  driver->end = driver->allocated;
  return 0;
}

static const H5FD_class_t descriptors = {
#if H5_VERSION_GE(1, 13, 2)
    .version = H5FD_CLASS_VERSION,
    .value = 600, /* 512 and above are free for drivers outside HDF5 */
#endif
    .name = "hyla",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct info),
    .open = open_descriptor,
    .close = close_nothing,
    .get_eoa = get_allocated,
    .set_eoa = set_allocated,
    .get_eof = get_end,
    .read = get_bytes,
    .write = put_bytes,
    .truncate = set_length,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Makes the properties by which HDF5 opens the descriptor; < 0 on failure.  *kind is the driver's
 * number, or < 0.  The caller releases both; the driver must live until then. */
static hid_t make_driver(const struct hy_hdf5_library *lib, struct hy_hdf5_driver *driver, int fd,
                         hid_t *kind) {
  const struct info info = {driver};
  *driver = (struct hy_hdf5_driver){.fd = fd};
  *kind = lib->H5FDregister(&descriptors);
  hid_t how = lib->H5Pcreate(HY_HDF5_PROPERTIES(lib, FILE_ACCESS));
  if (*kind >= 0 && how >= 0 && lib->H5Pset_driver(how, *kind, &info) >= 0) return how;
  hy_hdf5_close(lib, how);
  return -1;
}

/* ------------------------------------------------------------------- the file -- */

enum { FILTER_TEXT = 128 };

hyla_status hy_hdf5_begin(struct hy_hdf5 *h, const struct hy_io_file *file) {
  *h = (struct hy_hdf5){.file = file, .kind = -1, .in = -1, .set = -1};
  const char *missing = hy_hdf5_load(&h->lib);
  CHECK(file->base, missing == NULL, FILE, "cannot open %s: HDF5 cannot be loaded: %s; install it",
        hy_path_shown(file->path), missing);
  CHECK(file->base,
        h->lib.H5open() >= 0 && h->lib.H5Eget_auto2(H5E_DEFAULT, &h->say, &h->say_to) >= 0, MEMORY,
        "out of memory: HDF5 does not start, for %s", hy_path_shown(file->path));
  (void)h->lib.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return HYLA_OK;
}

void hy_hdf5_end(struct hy_hdf5 *h) {
  hy_hdf5_close(&h->lib, h->set);
  hy_hdf5_close(&h->lib, h->in);
  if (h->kind >= 0) (void)h->lib.H5FDunregister(h->kind);
  h->set = h->in = h->kind = -1;
  (void)h->lib.H5Eclear2(H5E_DEFAULT);
  (void)h->lib.H5Eset_auto2(H5E_DEFAULT, h->say, h->say_to);
}

/* Takes the text of the innermost error, which comes first. */
static herr_t take_first(unsigned n, const H5E_error2_t *error, void *text) {
  if (n == 0 && error->desc != NULL) snprintf(text, HY_MESSAGE_MAX / 2, "%s", error->desc);
  return 0;
}

int64_t hy_hdf5_keep(struct hy_hdf5 *h, int64_t result) {
  if (result < 0) (void)h->lib.H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, h->reason);
  return result;
}

/* Finds a filter of the dataset's chunks that this HDF5 does not have; "" if it has all. */
static void find_missing_filter(const struct hy_hdf5_library *lib, hid_t set,
                                char text[FILTER_TEXT]) {
  text[0] = '\0';
  hid_t made = lib->H5Dget_create_plist(set);
  const int filters = made < 0 ? 0 : lib->H5Pget_nfilters(made);
  for (int i = 0; i < filters && *text == '\0'; i++) {
    char name[FILTER_TEXT / 2] = "";
    size_t values = 0;
    H5Z_filter_t id =
        lib->H5Pget_filter2(made, (unsigned)i, NULL, &values, NULL, sizeof name, name, NULL);
    if (id >= 0 && lib->H5Zfilter_avail(id) <= 0)
      snprintf(text, FILTER_TEXT, "%s (filter %d)", *name != '\0' ? name : "a filter", (int)id);
  }
  hy_hdf5_close(lib, made);
}

hyla_status hy_hdf5_fail(const struct hy_hdf5 *h, const char *doing) {
  char reason[sizeof h->reason] = "", filter[FILTER_TEXT] = "";
  (void)h->lib.H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, reason);
  if (reason[0] == '\0') strcpy(reason, h->reason);
  const char *name = h->dataset != NULL ? h->dataset : "";
  if (h->set >= 0) find_missing_filter(&h->lib, h->set, filter);
  CHECK(
      h->file->base, filter[0] == '\0', FILE,
      "cannot %s %s:%s: its chunks are packed by %s, which this HDF5 library lacks; write it again "
      "with gzip",
      doing, hy_path_shown(h->file->path), hy_path_shown(name), hy_path_shown(filter));
  return hy_fail(h->file->base, HYLA_FILE, "cannot %s %s%s%s: HDF5: %s", doing,
                 hy_path_shown(h->file->path), *name != '\0' ? ":" : "", hy_path_shown(name),
                 reason[0] != '\0' ? reason : "no reason is given");
}

hyla_status hy_hdf5_open(struct hy_hdf5 *h, int fd, enum hy_hdf5_mode mode) {
  const char *doing = mode == HY_HDF5_READ ? "read" : "write", *path = h->file->path;
  hid_t how = make_driver(&h->lib, &h->driver, fd, &h->kind);
  HDF5_TRY(h, doing, how);
  hid_t layout = h->lib.H5Pcreate(HY_HDF5_PROPERTIES(&h->lib, FILE_CREATE));
  bool ready = layout >= 0;
  if (h->file->name.matlab) ready = ready && h->lib.H5Pset_userblock(layout, HY_MATLAB_HEAD) >= 0;
  if (mode != HY_HDF5_CREATE)
    h->in = h->lib.H5Fopen(path, mode == HY_HDF5_CHANGE ? H5F_ACC_RDWR : H5F_ACC_RDONLY, how);
  else if (ready)
    h->in = h->lib.H5Fcreate(path, H5F_ACC_TRUNC, layout, how);
  (void)hy_hdf5_keep(h, h->in);
  hy_hdf5_close(&h->lib, layout);
  hy_hdf5_close(&h->lib, how);
  HDF5_TRY(h, doing, h->in);
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
  hid_t how = h->lib.H5Pcreate(HY_HDF5_PROPERTIES(&h->lib, LINK_ACCESS));
  if (how < 0 || h->lib.H5Pset_elink_cb(how, refuse_link, &h->elsewhere) < 0) {
    hy_hdf5_close(&h->lib, how);
    return kind;
  }
  hid_t object = h->lib.H5Oopen(h->in, name, how);
  if (object >= 0) {
    H5I_type_t what = h->lib.H5Iget_type(object);
    kind = what == H5I_DATASET ? HY_HDF5_DATASET
           : what == H5I_GROUP ? HY_HDF5_GROUP
                               : HY_HDF5_OTHER;
    hy_hdf5_close(&h->lib, object);
  }
  hy_hdf5_close(&h->lib, how);
  return kind;
}

hyla_status hy_hdf5_open_dataset(struct hy_hdf5 *h, int64_t chunk) {
  hid_t how = h->lib.H5Pcreate(HY_HDF5_PROPERTIES(&h->lib, DATASET_ACCESS));
  HDF5_TRY(h, "read", how);
  bool ready = h->lib.H5Pset_elink_cb(how, refuse_link, &h->elsewhere) >= 0;
  /* A chunk that is read in several boxes stays in the cache until the last one. */
  if (chunk > 0) ready = ready && h->lib.H5Pset_chunk_cache(how, 1, (size_t)chunk, 1) >= 0;
  if (ready) h->set = h->lib.H5Dopen2(h->in, h->dataset, how);
  (void)hy_hdf5_keep(h, h->set);
  hy_hdf5_close(&h->lib, how);
  HDF5_TRY(h, "read", h->set);
  return HYLA_OK;
}
