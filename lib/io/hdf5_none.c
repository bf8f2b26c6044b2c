/* Replaces the files that call HDF5 in a build without it: HDF5 files are refused. */
#include "io/io.h"

static hyla_status refuse(const struct hy_io_file *file) {
  return hy_fail(file->base, HYLA_FILE,
                 "%s: hyla was built without HDF5; install it (apt-get install libhdf5-dev), run "
                 "configure and make again",
                 hy_path_shown(file->path));
}

hyla_status hy_hdf5_read_header(const struct hy_io_file *file, struct hy_hdf5_header *header) {
  *header = (struct hy_hdf5_header){.dims = 0};
  return refuse(file);
}

hyla_status hy_hdf5_read_body(const struct hy_io_file *file, const struct hy_hdf5_header *header,
                              hyla_matrix *matrix) {
  (void)header, (void)matrix;
  return refuse(file);
}

hyla_status hy_hdf5_check_target(const struct hy_io_file *file) { return refuse(file); }

hyla_status hy_hdf5_prepare(const struct hy_io_file *file, const struct hy_hdf5_dataset *dataset,
                            int64_t *body) {
  (void)dataset;
  *body = 0;
  return refuse(file);
}
