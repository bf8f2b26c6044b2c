/* Private to this room: what a window is, and the place of a loan in it. */
#ifndef HY_WINDOW_H
#define HY_WINDOW_H 1

#include "cube/cube.h"

struct hy_window {
  int64_t number;
  int64_t bytes; /* of this rank's part */
  char *data;
  char *map; /* the whole segment, or private memory; NULL: `data' is small or NULL */
  int64_t map_bytes;
  bool shared;
  bool small;             /* data come from hy_map_small */
  struct hy_window *next; /* the next kept window */
  int members;            /* the cube's members */
  const int *member;
  int64_t part[]; /* for member i, two each: where its part begins in the segment, and its bytes */
};

static inline int64_t hy_window_size(int members) {
  return (int64_t)(sizeof(struct hy_window) + 2 * sizeof(int64_t) * (size_t)members);
}

/* Windows that are kept for the next ones of their sizes (keep.c).
 * keep           local: takes the window over and clears *window, or returns false
 * again_private  local: gives w, with number, bytes and members set, the memory of a kept private
 *                window of the same size; its entries stay as they were
 * again_shared   collective over cube and guests: the same with a shared window that all nodes
 *                kept; *again is the same on all ranks, the status is this rank's
 * kept           local: is there a kept window that may serve for this number of bytes?
 * drop           local: frees all kept windows; relieve: the same, for the books of a cube */
bool hy_window_keep(hyla_cube *cube, struct hy_window **window);
bool hy_window_again_private(hyla_cube *cube, struct hy_window *w);
hyla_status hy_window_again_shared(hyla_cube *cube, struct hy_window *w, bool *again);
bool hy_window_kept(hyla_cube *cube, int64_t bytes);
void hy_windows_drop(hyla_cube *cube);
void hy_windows_relieve(struct hy_base *base);

/* For loans: the number of a window; the offset of a pointer in this rank's part, -1 if it lies
 * elsewhere; the size of a peer's part. */
int64_t hy_window_number(const struct hy_window *window);
int64_t hy_window_offset(const struct hy_window *window, const void *data, int64_t bytes);
int64_t hy_window_peer_bytes(const struct hy_window *window, int peer);

#endif
