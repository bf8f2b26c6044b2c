/* hyla_cube_tell: guests learn what the nodes know. */
#include "cube/cube.h"

static hyla_status check_arguments(hyla_cube *cube, const void *data, int64_t bytes) {
  if (cube == NULL) return HYLA_ARGUMENT;
  CHECK(&cube->base, bytes >= 0, ARGUMENT, "hyla_cube_tell: bytes is %lld; give 0 or more",
        (long long)bytes);
  CHECK(&cube->base, data != NULL || bytes == 0, ARGUMENT,
        "hyla_cube_tell: the data are NULL; give room for %lld bytes", (long long)bytes);
  return HYLA_OK;
}

hyla_status hyla_cube_tell(hyla_cube *cube, void *data, int64_t bytes) {
  uint64_t fingerprint = hy_fingerprint(0, &bytes, sizeof bytes);
  TRY(hy_enter(cube, check_arguments(cube, data, bytes), fingerprint, "hyla_cube_tell"));
  return hy_agree(cube, hy_tell_guests(cube, data, bytes));
}
