/* Sends one node's status and message to all. */
#include "collective/collective.h"
#include "io/io.h"

#include <string.h>

hyla_status hy_io_share_status(hyla_cube *cube, int root, hyla_status mine) {
  struct {
    int64_t status;
    char message[HY_MESSAGE_MAX];
  } shared;
  memset(&shared, 0, sizeof shared);
  shared.status = mine;
  memcpy(shared.message, cube->base.message, sizeof shared.message);
  TRY(hy_broadcast(cube, (uint32_t)cube->nodes - 1, root, &shared, sizeof shared));
  if (shared.status == HYLA_OK) return HYLA_OK;
  return hy_fail(&cube->base, (hyla_status)shared.status, "%s", shared.message);
}
