/* Sends one node's status and message to all. */
#include "collective/collective.h"
#include "io/io.h"

#include <string.h>

hyla_status hy_io_share_verdict(hyla_cube *cube, int root, hyla_status mine) {
  struct {
    int64_t status;
    char message[HY_MESSAGE_MAX];
  } verdict;
  memset(&verdict, 0, sizeof verdict);
  verdict.status = mine;
  memcpy(verdict.message, cube->base.message, sizeof verdict.message);
  TRY(hy_broadcast(cube, (uint32_t)cube->nodes - 1, root, &verdict, sizeof verdict));
  if (verdict.status == HYLA_OK) return HYLA_OK;
  return hy_fail(&cube->base, (hyla_status)verdict.status, "%s", verdict.message);
}
