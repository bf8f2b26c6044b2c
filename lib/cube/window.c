/* Windows in use: a rank's own part and the parts of its peers. */
#include "cube/window.h"

#include <unistd.h>

int64_t hy_window_guard(const struct hy_window *w) {
  if (w->small) return w->data != NULL ? HY_GUARD_MOST : 0;
  if (w->map == NULL || w->bytes == 0) return 0;
  const int64_t page = sysconf(_SC_PAGESIZE);
  return hy_ceil_div(w->bytes, page) * page - w->bytes;
}

void hy_window_destroy(hyla_cube *cube, struct hy_window **window) {
  struct hy_window *w = *window;
  if (w == NULL) return;
  hy_guard_check(&cube->base, w->data, w->bytes, hy_window_guard(w));
  cube->base.bytes_now -= w->bytes;
  if (w->small && !cube->base.stays_mapped) hy_map_small_destroy(&w->data);
  if (hy_window_keep(cube, window)) return;
  if (!cube->base.stays_mapped)
    hy_map_destroy(&w->map, w->map_bytes); /* NULL if there are no data */
  hy_free(&cube->base, window);
}

void hy_window_hidden(struct hy_window *window) { window->hidden = true; }

void *hy_window_data(const struct hy_window *window) { return window->data; }

/* The place of a peer among the members; -1 if its part cannot be read in place. */
static int member_place(const struct hy_window *w, int peer) {
  int low = 0, high = w->shared ? w->members : 0;
  while (low < high) {
    int middle = (low + high) / 2;
    if (w->member[middle] == peer) return middle;
    if (w->member[middle] < peer)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

/* The window of counting cubes, without memory. */
static const struct hy_window COUNTED = {.shared = true};

struct hy_window *hy_window_counted(void) {
  return (struct hy_window *)(uintptr_t)&COUNTED;
}

bool hy_window_shared(const struct hy_window *window) {
  return window != NULL && (window->shared || window->counted);
}

const void *hy_window_peer(const struct hy_window *window, int peer) {
  if (window == &COUNTED || window->counted) return window;
  int place = member_place(window, peer);
  return place < 0 ? NULL : window->map + window->part[2 * place];
}

int64_t hy_window_peer_bytes(const struct hy_window *window, int peer) {
  int place = member_place(window, peer);
  return place < 0 ? 0 : window->part[2 * place + 1];
}

int64_t hy_window_offset(const struct hy_window *window, const void *data, int64_t bytes) {
  int64_t offset = (const char *)data - window->data;
  return offset >= 0 && bytes <= window->bytes - offset ? offset : -1;
}
