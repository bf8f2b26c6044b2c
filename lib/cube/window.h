/* Private to this room: pages of memory, the struct of a window, and the place of a loan in it. */
#ifndef HY_WINDOW_H
#define HY_WINDOW_H 1

#include "cube/cube.h"

#define HY_HUGE_PAGE ((int64_t)2 << 20)

/* The bytes of a part that are huge pages, 0 if it is too small.  A part that fills at least a
 * quarter of its last huge page takes the whole page: whatever the system does for each page, as
 * when a kept window changes its protection, takes longer than clearing the rest. */
static inline int64_t hy_huge_bytes(int64_t part) {
  return (part + 3 * (HY_HUGE_PAGE / 4)) / HY_HUGE_PAGE * HY_HUGE_PAGE;
}

/* Maps `bytes' of a segment (segment < 0: private memory), advised to use huge pages.  The mapping
 * is aligned to HY_HUGE_PAGE if it is at least that large.  Counts as an allocation.  MEMORY. */
hyla_status hy_map_create(struct hy_base *base, int segment, int64_t bytes, char **map);
void hy_map_destroy(char **map, int64_t bytes);

/* Zeros in whole pages, with room for a guard, from the process' heap, which needs no system call
 * if it has them.  Counts as an allocation.  MEMORY. */
hyla_status hy_map_small(struct hy_base *base, int64_t bytes, char **data);
void hy_map_small_destroy(char **data);

/* For the threads of a team together.  Takes the memory behind part of a mapping now, so that a
 * lack of memory is a status here and no signal later.  offset: where the part begins in the
 * segment, which has room for hy_huge_bytes of the part.  MEMORY. */
hyla_status hy_map_fill(struct hy_base *base, struct hy_team *team, int segment, char *part,
                        int64_t offset, int64_t bytes);

struct hy_window {
  int64_t number;
  int64_t bytes; /* of this rank's part */
  char *data;
  char *map; /* the whole segment, or private memory; NULL: `data' is small or NULL */
  int64_t map_bytes;
  bool shared;
  bool counted;           /* on a counting cube: others are taken to read it in place */
  bool small;             /* data come from hy_map_small */
  bool hidden;            /* no caller of hyla knows where it is */
  bool closed;            /* kept, and out of reach */
  struct hy_window *next; /* the next kept window */
  int members;            /* the cube's members */
  const int *member;
  int64_t part[]; /* for member i, two each: where its part begins in the segment, and its bytes */
};

static inline int64_t hy_window_size(int members) {
  return (int64_t)(sizeof(struct hy_window) + 2 * sizeof(int64_t) * (size_t)members);
}

/* Local.  The free bytes behind this rank's part, where its guard stands. */
int64_t hy_window_guard(const struct hy_window *window);

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

/* For loans: the offset of a pointer in this rank's part, -1 if it lies elsewhere; the size of a
 * peer's part. */
int64_t hy_window_offset(const struct hy_window *window, const void *data, int64_t bytes);
int64_t hy_window_peer_bytes(const struct hy_window *window, int peer);

#endif
