/* hyla_integers_write: writes a vector of integers that every rank holds as a .npy file, by the
 * steps of hyla_matrix_write (write.c); node 0 alone writes. */
#include "io/output.h"

#include <string.h>

static hyla_status check_arguments(hyla_cube *cube, const int64_t *values, int64_t count,
                                   const char *path) {
  struct hy_base *base = &cube->base;
  CHECK(base, count >= 0, ARGUMENT, "hyla_integers_write: %lld numbers; give 0 or more",
        (long long)count);
  CHECK(base, values != NULL || count == 0, ARGUMENT, "hyla_integers_write: values is NULL");
  CHECK(base, path != NULL, ARGUMENT, "hyla_integers_write: path is NULL");
  size_t length = strlen(path);
  CHECK(base, length >= 4 && strcmp(path + length - 4, ".npy") == 0, ARGUMENT,
        "hyla_integers_write: '%s' does not end in .npy (NumPy), the one format it writes",
        hy_path_shown(path));
  return hy_need_data(cube, "hyla_integers_write");
}

static hyla_status put(struct hy_output *output, const int64_t *values, int64_t count) {
  char header[HY_NPY_HEADER_MAX];
  int64_t body = hy_npy_format_integers(count, header);
  TRY(hy_io_put(output->file, header, body, 0));
  TRY(hy_io_put(output->file, values, count * (int64_t)sizeof *values, body));
  return hy_output_flush(output);
}

static hyla_status write_file(struct hy_output *output, hyla_cube *cube, const int64_t *values,
                              int64_t count) {
  TRY(hy_agree(cube, hy_output_allocate(output, cube)));
  TRY(hy_output_open(output));
  TRY(hy_agree(cube, cube->address == 0 ? put(output, values, count) : HYLA_OK));
  return hy_output_name(output);
}

hyla_status hyla_integers_write(hyla_cube *cube, const int64_t *values, int64_t count,
                                const char *path) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_arguments(cube, values, count, path);
  uint64_t fingerprint = 0;
  if (mine == HYLA_OK) {
    fingerprint = hy_fingerprint(0, path, strlen(path));
    fingerprint = hy_fingerprint(fingerprint, values, (size_t)count * sizeof *values);
  }
  TRY(hy_enter(cube, mine, fingerprint, "hyla_integers_write"));
  struct hy_io_file file = {.base = &cube->base, .path = path, .fd = -1};
  struct hy_output output = {.file = &file};
  hyla_status status = write_file(&output, cube, values, count);
  hy_output_free(&output, cube);
  return status;
}
