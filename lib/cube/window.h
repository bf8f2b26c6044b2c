/* Private to this room: what a window is, and where in it a loan lies. */
#ifndef HY_WINDOW_H
#define HY_WINDOW_H 1

#include "cube/cube.h"

struct hy_window {
  int64_t number;
  int64_t bytes; /* of this rank's part */
  char *data;
  char *map; /* the whole segment, or private memory */
  int64_t map_bytes;
  bool shared;
  int members; /* as the cube's */
  const int *member;
  int64_t part[]; /* where member i's part begins in the segment, and its bytes: 2 each */
};

/* For loans: the number of a window; where a pointer lies in this rank's part, -1 when it
 * lies elsewhere; the size of a peer's part. */
int64_t hy_window_number(const struct hy_window *window);
int64_t hy_window_offset(const struct hy_window *window, const void *data, int64_t bytes);
int64_t hy_window_peer_bytes(const struct hy_window *window, int peer);

#endif
