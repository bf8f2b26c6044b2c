/* A driver by which HDF5 reads and writes a file that hyla has open: it uses the descriptor, so
 * that the file needs no name.
 *
 * A failed write, as on a full disk, is not reported to HDF5: version 1.10 crashes at the end of
 * the program after such a failure.  The caller looks at `error' after the file is closed. */
#include "io/hdf5_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  const struct info *info = H5Pget_driver_info(how);
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

hid_t hy_hdf5_driver_make(struct hy_hdf5_driver *driver, int fd, hid_t *kind) {
  const struct info info = {driver};
  *driver = (struct hy_hdf5_driver){.fd = fd};
  *kind = H5FDregister(&descriptors);
  hid_t how = H5Pcreate(H5P_FILE_ACCESS);
  if (*kind >= 0 && how >= 0 && H5Pset_driver(how, *kind, &info) >= 0) return how;
  if (how >= 0) (void)H5Pclose(how);
  return -1;
}
