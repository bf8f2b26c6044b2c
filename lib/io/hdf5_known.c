/* How HDF5 files begin: with a signature at byte 0, 512, 1024, 2048, ..., behind a block that is
 * the writer's own.  Format: HDF5 File Format Specification, II.A. */
#include "io/io.h"

#include <string.h>

hyla_status hy_hdf5_known(const struct hy_io_file *file, bool *known) {
  static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  char start[sizeof signature];
  *known = false;
  /* A gzipped file is not an HDF5 file, and would be slow to search. */
  if (file->gzip != NULL) return HYLA_OK;
  for (int64_t at = 0; !*known && at <= file->size - (int64_t)sizeof start;
       at = at == 0 ? 512 : 2 * at) {
    TRY(hy_io_get(file, start, sizeof start, at));
    *known = memcmp(start, signature, sizeof signature) == 0;
  }
  return HYLA_OK;
}
