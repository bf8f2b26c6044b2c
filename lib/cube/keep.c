/* Kept windows: their pages serve the next window of the same size, so that it needs no new ones.
 *
 * Keeping and dropping are local.  A shared window serves again if all nodes find that they have
 * kept the same one, with parts of the wanted sizes.  If only some ranks propose a window, they
 * drop it.  So the order in which ranks destroy windows, and what they have dropped since, do not
 * matter.  Nobody may touch a kept window that a caller of hyla has known: a use after destroy is a
 * memory fault, as it is without keeping.  Hyla's own workspaces stay within reach: where a virtual
 * machine keeps its page tables in software, changes of protection took half of a small call. */
#include "cube/link.h"
#include "cube/window.h"

#include <sys/mman.h>

/* A system allows a process some thousands of mappings. */
enum { KEEP_MOST = 64 };

static void forget(hyla_cube *cube, struct hy_window **place) {
  struct hy_window *w = *place;
  *place = w->next;
  cube->session.kept_bytes -= w->bytes;
  cube->base.bytes_now += hy_window_size(w->members); /* hy_free subtracts it again */
}

static void drop(hyla_cube *cube, struct hy_window **place) {
  struct hy_window *w = *place;
  forget(cube, place);
  hy_map_destroy(&w->map, w->map_bytes);
  hy_free(&cube->base, &w);
}

static struct hy_window **oldest(hyla_cube *cube) {
  struct hy_window **found = &cube->session.kept;
  for (struct hy_window **place = found; *place != NULL; place = &(*place)->next)
    if ((*place)->number < (*found)->number) found = place;
  return found;
}

static int count_kept(const hyla_cube *cube) {
  int count = 0;
  for (const struct hy_window *w = cube->session.kept; w != NULL; w = w->next) count++;
  return count;
}

bool hy_window_keep(hyla_cube *cube, struct hy_window **window) {
  struct hy_window *w = *window;
  if (w->map == NULL || cube->session.keep_limit == 0 || w->bytes > cube->session.keep_limit)
    return false;
  if (cube->network.broken) return false;
  w->closed = !w->hidden;
  if (w->closed && mprotect(w->map, (size_t)w->map_bytes, PROT_NONE) != 0) return false;
  while (cube->session.kept_bytes > cube->session.keep_limit - w->bytes ||
         count_kept(cube) >= KEEP_MOST)
    drop(cube, oldest(cube));
  w->next = cube->session.kept;
  cube->session.kept = w;
  cube->session.kept_bytes += w->bytes;
  cube->base.bytes_now -= hy_window_size(w->members);
  *window = NULL;
  return true;
}

/* The newest kept window of that size, or NULL. */
static struct hy_window **find(hyla_cube *cube, const struct hy_window *wanted, bool shared) {
  struct hy_window **found = NULL;
  for (struct hy_window **place = &cube->session.kept; *place != NULL; place = &(*place)->next)
    if ((*place)->shared == shared && (*place)->bytes == wanted->bytes &&
        (found == NULL || (*place)->number > (*found)->number))
      found = place;
  return found;
}

/* Makes the memory of a kept window accessible again. */
static struct hy_window **open_kept(hyla_cube *cube, struct hy_window **place) {
  if (place == NULL) return NULL;
  const struct hy_window *w = *place;
  if (!w->closed || mprotect(w->map, (size_t)w->map_bytes, PROT_READ | PROT_WRITE) == 0)
    return place;
  drop(cube, place);
  return NULL;
}

/* Gives the pages of a kept window to w. */
static void hand_over(hyla_cube *cube, struct hy_window **place, struct hy_window *w) {
  struct hy_window *kept = *place;
  forget(cube, place);
  w->data = kept->data;
  w->map = kept->map;
  w->map_bytes = kept->map_bytes;
  w->shared = kept->shared;
  for (int i = 0; i < 2 * w->members; i++) w->part[i] = kept->part[i];
  hy_free(&cube->base, &kept);
}

bool hy_window_again_private(hyla_cube *cube, struct hy_window *w) {
  struct hy_window **place = open_kept(cube, find(cube, w, false));
  if (place != NULL) hand_over(cube, place, w);
  return place != NULL;
}

hyla_status hy_window_again_shared(hyla_cube *cube, struct hy_window *w, bool *again) {
  *again = false;
  if (cube->session.keep_limit == 0 || cube->nodes == 1) return HYLA_OK;
  struct hy_window **place = open_kept(cube, find(cube, w, w->members > 1));
  int64_t number = place == NULL ? -1 : (*place)->number;
  int64_t most[] = {number, -number}; /* the largest number; the smallest one, negated */
  hyla_status status = hy_cube_max(cube, most, 2);
  *again = status == HYLA_OK && most[0] >= 0 && most[0] == -most[1];
  if (place == NULL) return status;
  if (*again)
    hand_over(cube, place, w);
  else
    drop(cube, place);
  return status;
}

bool hy_window_kept(hyla_cube *cube, int64_t bytes) {
  const struct hy_window wanted = {.bytes = bytes};
  return find(cube, &wanted, false) != NULL || find(cube, &wanted, true) != NULL;
}

void hy_windows_drop(hyla_cube *cube) {
  while (cube->session.kept != NULL) drop(cube, &cube->session.kept);
}

void hy_windows_relieve(struct hy_base *base) {
  _Static_assert(offsetof(struct hyla_cube, base) == 0, "the books are the cube's first member");
  hy_windows_drop((hyla_cube *)base);
}

hyla_status hyla_cube_drop_memory(hyla_cube *cube) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hy_windows_drop(cube);
  return HYLA_OK;
}

int64_t hyla_cube_kept_memory(const hyla_cube *cube) {
  return cube != NULL ? cube->session.kept_bytes : 0;
}
