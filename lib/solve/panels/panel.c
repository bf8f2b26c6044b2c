/* Panels on their way along a subcube: slots, loans, copies that are passed on.
 *
 * Example, 4 ranks: the maker has number 0, the others are numbered by the dimensions in which
 * their addresses differ from the maker's.  The panel travels 0 -> 2 -> 3 and 0 -> 1: rank 0 lends
 * to 2 and 1, rank 2 takes a copy and lends it to 3. */
#include "solve/panels/panels.h"

#include <string.h>

/* ----------------------------------------------------------------- make -- */

static void release(struct hy_release *self) {
  struct hy_panels *panels = (struct hy_panels *)self;
  if (!hy_cube_counts(panels->cube)) hy_window_destroy(panels->cube, &panels->window);
}

/* Room for the slots.  On a counting cube, where no rank takes part, the window is one that can be
 * read in place if that is expected of the node's windows. */
static hyla_status take_slots(struct hy_panels *panels, void *owner, int64_t bytes, char **data) {
  hyla_cube *cube = panels->cube;
  if (hy_cube_counts(cube)) {
    if (hy_in_place_expected(cube)) panels->window = hy_window_counted();
    return hy_alloc_data_for(&cube->base, owner, bytes, 1, data);
  }
  TRY(hy_agree(cube, hy_window_create(cube, bytes, &panels->window)));
  hy_window_hidden(panels->window);
  *data = hy_window_data(panels->window);
  return HYLA_OK;
}

hyla_status hy_panels_create(void *owner, const struct hy_subcube_op *group, int64_t bytes,
                             struct hy_panels *panels) {
  hyla_cube *cube = group->cube;
  const int dims = group->what.dims;
  *panels = (struct hy_panels){.cube = cube, .group = group};
  panels->release.release = release;
  hy_on_free(owner, &panels->release);
  if (dims > 0)
    TRY(hy_agree(cube, hy_alloc_for(&cube->base, owner, HY_PANEL_SLOTS * dims,
                                    sizeof *panels->messages, &panels->messages)));
  char *data = NULL;
  TRY(take_slots(panels, owner, HY_PANEL_SLOTS * bytes, &data));
  for (int i = 0; i < HY_PANEL_SLOTS; i++) {
    if (bytes > 0) panels->slot[i].data = data + i * bytes;
    if (dims > 0) panels->slot[i].message = panels->messages + i * dims;
  }
  return HYLA_OK;
}

bool hy_panels_travel(const struct hy_panels *panels) {
  const hyla_cube *cube = panels->cube;
  if (!hy_panels_lent(panels) || panels->window == NULL) return true;
  const uint32_t members = hy_members(&panels->group->what);
  for (uint32_t number = 1; number < members; number++)
    if (hy_popcount(number) == 1 &&
        hy_window_peer(panels->window, hy_subcube_address(panels->group, cube->address, number)) ==
            NULL)
      return true;
  return false;
}

/* ------------------------------------------------------------------ way -- */

static hyla_status clear(struct hy_panels *panels, struct hy_panel_slot *slot) {
  int messages = slot->messages;
  slot->messages = 0;
  return hy_link_wait(panels->cube, slot->message, messages);
}

/* This rank's number, counted from a root. */
static uint32_t number_of(const struct hy_panels *panels, int root) {
  return hy_subcube_number(panels->group, panels->cube->address, root);
}

static hyla_status take_slot(struct hy_panels *panels, int64_t index, int root, int64_t bytes,
                             struct hy_panel_slot **slot) {
  *slot = &panels->slot[index % HY_PANEL_SLOTS];
  TRY(clear(panels, *slot));
  (*slot)->root = root;
  (*slot)->number = number_of(panels, root);
  (*slot)->bytes = bytes;
  (*slot)->seen = (*slot)->data;
  return HYLA_OK;
}

hyla_status hy_panels_open(struct hy_panels *panels, int64_t index, int64_t bytes,
                           struct hy_panel_slot **slot) {
  return take_slot(panels, index, panels->cube->address, bytes, slot);
}

/* A rank passes a panel on to the members that have one more bit below its lowest one, as many as
 * there are.  The number of these bits. */
static int heirs_of(uint32_t number, int dims) { return number == 0 ? dims : hy_lowest(number); }

/* Does the member of this number, or any of the 2^i members behind it, want a panel? */
static bool wanted(const struct hy_panels *panels, int root, uint32_t number, int i) {
  if (panels->wants == NULL || !hy_panels_lent(panels)) return true;
  const uint32_t members = hy_members(&panels->group->what);
  for (uint32_t behind = 0; behind < UINT32_C(1) << i && (number | behind) < members; behind++)
    if (panels->wants(panels->arg, hy_subcube_address(panels->group, root, number | behind)))
      return true;
  return false;
}

int hy_panels_links(const struct hy_panels *panels, int root, int address) {
  return hy_popcount(hy_subcube_number(panels->group, address, root));
}

bool hy_panels_reach(const struct hy_panels *panels, int root) {
  uint32_t number = number_of(panels, root);
  return number == 0 || wanted(panels, root, number, hy_lowest(number));
}

/* Starts the panel by the group's schedule. */
static hyla_status start(const struct hy_panels *panels, const struct hy_panel_slot *slot) {
  int64_t words = slot->bytes / (int64_t)panels->group->what.size;
  /* On a counting cube nothing is waited for. */
  if (hy_cube_counts(panels->cube))
    return hy_subcube_broadcast(panels->group, slot->root, slot->data, words);
  return hy_subcube_start(panels->group, slot->root, slot->data, words);
}

/* Does the maker serve its next neighbour first? That one makes the next panel, and on a line whose
 * length is no power of two it is always number 1, behind which nobody stands. */
static bool next_comes_first(const struct hy_panels *panels, const struct hy_panel_slot *slot) {
  const uint32_t members = hy_members(&panels->group->what);
  return panels->chained && slot->number == 0 && (members & (members - 1)) != 0;
}

/* The highest dimension comes first, because most ranks are behind it. */
hyla_status hy_panels_lend(struct hy_panels *panels, struct hy_panel_slot *slot) {
  struct hy_message *message = slot->message;
  int count = 0;
  if (!hy_panels_lent(panels)) return start(panels, slot);
  const int heirs = heirs_of(slot->number, panels->group->what.dims);
  const int turned = next_comes_first(panels, slot) ? 1 : 0;
  for (int turn = heirs - 1; turn >= 0; turn--) {
    const int i = (turn + turned) % heirs;
    const uint32_t heir = slot->number | UINT32_C(1) << i;
    if (heir >= hy_members(&panels->group->what)) continue;
    if (!wanted(panels, slot->root, heir, i)) continue;
    message[count++] =
        (struct hy_message){.verb = HY_LEND,
                            .peer = hy_subcube_address(panels->group, slot->root, heir),
                            .bytes = slot->bytes,
                            .data = slot->data,
                            .window = panels->window};
  }
  slot->messages = count;
  return hy_link_start(panels->cube, message, count);
}

hyla_status hy_panels_expect(struct hy_panels *panels, int64_t index, int root, int64_t bytes) {
  struct hy_panel_slot *slot = NULL;
  uint32_t number = number_of(panels, root);
  if (number == 0) return HYLA_OK;
  TRY(take_slot(panels, index, root, bytes, &slot));
  if (!hy_panels_lent(panels)) return start(panels, slot);
  struct hy_message *message = slot->message;
  const uint32_t giver = number & (number - 1);
  slot->borrowed = true;
  *message = (struct hy_message){.verb = HY_BORROW,
                                 .peer = hy_subcube_address(panels->group, root, giver),
                                 .bytes = bytes,
                                 .data = slot->data,
                                 .window = panels->window};
  return hy_link_start(panels->cube, message, 1);
}

bool hy_panels_pass(const struct hy_panels *panels, int64_t index) {
  const uint32_t number = panels->slot[index % HY_PANEL_SLOTS].number;
  return hy_panels_lent(panels) && number % 2 == 0 && number != 0 &&
         number + 1 < hy_members(&panels->group->what);
}

/* Copies the loan into this rank's own slot, so that it can be lent on. */
static hyla_status keep(struct hy_panels *panels, struct hy_panel_slot *slot) {
  if (slot->seen != slot->data) {
    hy_count_copied(panels->cube, slot->bytes / (int64_t)panels->group->what.size);
    if (!hy_cube_dry(panels->cube)) memcpy(slot->data, slot->seen, (size_t)slot->bytes);
  }
  TRY(hy_panels_close(panels, slot));
  slot->seen = slot->data;
  return HYLA_OK;
}

hyla_status hy_panels_receive(struct hy_panels *panels, int64_t index,
                              struct hy_panel_slot **arrived) {
  struct hy_panel_slot *slot = *arrived = &panels->slot[index % HY_PANEL_SLOTS];
  if (!hy_panels_lent(panels))
    return hy_cube_counts(panels->cube) ? HYLA_OK : hy_subcube_complete(panels->group);
  if (slot->number == 0) return HYLA_OK;
  TRY(hy_link_wait(panels->cube, slot->message, 1));
  slot->seen = slot->message->seen;
  if (heirs_of(slot->number, 0) == 0) return HYLA_OK;
  TRY(keep(panels, slot));
  return hy_panels_lend(panels, slot);
}

hyla_status hy_panels_close(struct hy_panels *panels, struct hy_panel_slot *slot) {
  if (!slot->borrowed) return HYLA_OK;
  slot->borrowed = false;
  return hy_link_return(panels->cube, slot->message, 1);
}

hyla_status hy_panels_finish(struct hy_panels *panels) {
  for (int i = 0; i < HY_PANEL_SLOTS; i++) TRY(clear(panels, &panels->slot[i]));
  return HYLA_OK;
}

/* ---------------------------------------------------------- packed rows -- */

/* The work of copying a panel's rows; a piece is some tiles of them. */
struct copying {
  struct hy_packed_rows *rows;
  int m, k, lda;
  const char *a;
};
enum { COPIED_ROWS = 4 * HY_PACKED_ROWS };

static void copy_rows(void *arg, int64_t index, int thread) {
  const struct copying *c = arg;
  const int64_t first = index * COPIED_ROWS;
  (void)thread;
  c->rows->products->pack((int)hy_min(COPIED_ROWS, c->m - first), c->k,
                          c->a + (size_t)first * c->rows->size, c->lda,
                          c->rows->entries + (size_t)(first * c->k) * c->rows->size);
}

const char *hy_packed_rows_of(struct hy_packed_rows *rows, struct hy_team *team, int64_t index,
                              int m, int k, const void *a, int lda) {
  struct copying copying = {.rows = rows, .m = m, .k = k, .lda = lda, .a = a};
  struct hy_work work = {.piece = copy_rows,
                         .arg = &copying,
                         .count = hy_ceil_div(m, COPIED_ROWS),
                         .threads =
                             (int)hy_min(hy_team_threads(team), hy_ceil_div(m, COPIED_ROWS))};
  if (rows->panel == index) return rows->entries;
  rows->panel = index;
  if (work.threads <= 1 || k > HY_PACKED_DEPTH) {
    rows->products->pack(m, k, a, lda, rows->entries);
    return rows->entries;
  }
  hy_team_do(team, &work);
  return rows->entries;
}
