/* An index cut into panels.  See panelling.h. */
#include "gemm/panelling.h"

/* WIDTH   the width of panels that travel; products of that rank run at full speed
 * ENOUGH  the shortest run that may be a panel of its own
 * COPY    copying an entry takes as long as a product takes for COPY entries of C */
enum { WIDTH = 256, ENOUGH = 128, COPY = 8 };

struct hy_axis hy_panelling_like(const hyla_axis *carrier, const struct hy_axis *like) {
  hyla_axis code = *carrier;
  int parts = hy_axis_parts(&code);
  code.storage = HYLA_CYCLIC;
  code.block = like->block;
  /* Blocks that go round more than once serve any number of parts.  If they do not, the new blocks
   * are such that every part gets a share. */
  if (like->block >= hy_ceil_div(like->n, like->parts))
    code.block = hy_max(1, hy_ceil_div(like->block * like->parts, parts));
  return hy_axis_make(&code, like->n);
}

/* The state of cutting. */
struct cutter {
  struct hy_panelling *panelling;
  int lead;      /* the axis on which a panel is a stretch; -1: a panel has one owner on each
                  * axis */
  int64_t width; /* upper limit for a panel that is filled by several pieces */
  int64_t *open; /* by owner, or pair of owners: the panel that is not full; -1: none */
};

/* Is the last piece of a panel followed by this one, on an axis? */
static bool follows(const struct hy_panelling *panelling, const struct hy_index_panel *panel,
                    const struct hy_panel_piece *next, int x) {
  const struct hy_panel_piece *last = &panelling->pieces[panel->last];
  return last->part[x] == next->part[x] && last->at[x] + last->length == next->at[x];
}

static void add_piece(struct hy_panelling *panelling, struct hy_index_panel *panel,
                      const struct hy_panel_piece *piece) {
  panel->width += piece->length;
  if (panel->last >= 0) {
    bool next[2];
    for (int x = 0; x < 2; x++) {
      next[x] = follows(panelling, panel, piece, x);
      panel->whole[x] &= next[x];
    }
    if (next[0] && next[1]) {
      panelling->pieces[panel->last].length += piece->length;
      return;
    }
    panelling->pieces[panel->last].next = panelling->piece_count;
  } else {
    panel->first = panelling->piece_count;
  }
  panel->last = panelling->piece_count;
  panelling->pieces[panelling->piece_count++] = *piece;
}

static struct hy_index_panel *new_panel(struct hy_panelling *panelling) {
  struct hy_index_panel *panel = &panelling->panels[panelling->panel_count++];
  *panel = (struct hy_index_panel){.first = -1, .last = -1, .whole = {true, true}};
  return panel;
}

/* Adds a run to the open panel, and to new panels when that one is full. */
static void fill(struct hy_panelling *panelling, int64_t *open, const struct hy_panel_piece *run,
                 int64_t width) {
  for (int64_t done = 0, some; done < run->length; done += some) {
    if (*open < 0) {
      *open = panelling->panel_count;
      new_panel(panelling);
    }
    struct hy_index_panel *panel = &panelling->panels[*open];
    struct hy_panel_piece piece = *run;
    some = hy_min(run->length - done, width - panel->width);
    piece.length = some;
    for (int x = 0; x < 2; x++) piece.at[x] += done;
    add_piece(panelling, panel, &piece);
    if (panel->width >= width) *open = -1;
  }
}

/* The width that cuts everything an owner holds into equal panels, up to rounding. */
static int64_t even_width(int64_t held, int64_t most) {
  int64_t panels = hy_max(1, hy_ceil_div(held, most));
  return hy_min(most, hy_ceil_div(hy_ceil_div(held, panels), 8) * 8);
}

/* Panels in place.  On the leading axis the runs of an owner always follow each other.  A run that
 * is contiguous on both axes and long enough stays a panel of its own. */
static void lead_run(struct cutter *cutter, int64_t *open, const struct hy_panel_piece *run) {
  struct hy_panelling *panelling = cutter->panelling;
  int lead = cutter->lead, part = run->part[lead];
  struct hy_index_panel *panel = *open < 0 ? NULL : &panelling->panels[*open];
  if (panel != NULL && panel->whole[1 - lead] && follows(panelling, panel, run, 1 - lead)) {
    add_piece(panelling, panel, run);
    return;
  }
  if (panel != NULL &&
      (run->length >= ENOUGH || (panel->whole[1 - lead] && panel->width >= ENOUGH)))
    *open = -1;
  if (run->length >= ENOUGH) {
    *open = panelling->panel_count;
    add_piece(panelling, new_panel(panelling), run);
  } else {
    fill(panelling, open, run, even_width(hy_held(panelling->axis[lead], part), cutter->width));
  }
}

/* The length of the run, contiguous on both axes, that begins at i. */
static int64_t run_length(const struct hy_panelling *panelling, int64_t i) {
  return hy_min(hy_axis_run(panelling->axis[0], i), hy_axis_run(panelling->axis[1], i));
}
static struct hy_panel_piece run_at(const struct hy_panelling *panelling, int64_t i) {
  struct hy_panel_piece run = {.length = run_length(panelling, i), .next = -1};
  for (int x = 0; x < 2; x++) {
    run.part[x] = hy_axis_owner(panelling->axis[x], i);
    run.at[x] = hy_axis_before(panelling->axis[x], run.part[x], i);
  }
  return run;
}

static hyla_status create(struct hy_base *base, void *owner, const struct hy_axis *first,
                          const struct hy_axis *second, int lead, int64_t width,
                          struct hy_panelling *panelling) {
  int64_t n = first->n, runs = 0;
  struct cutter cutter = {panelling, lead, width, NULL};
  *panelling = (struct hy_panelling){.axis = {first, second}};
  int64_t owners = lead < 0 ? (int64_t)first->parts * second->parts : panelling->axis[lead]->parts;
  for (int64_t i = 0; i < n; i += run_length(panelling, i)) runs++;
  /* A run is cut only where a panel is full; a panel begins with a run or where a run is cut. */
  int64_t pieces = runs + n / width + 1;
  TRY(hy_alloc_for(base, owner, pieces, sizeof *panelling->pieces, &panelling->pieces));
  TRY(hy_alloc_for(base, owner, pieces, sizeof *panelling->panels, &panelling->panels));
  TRY(hy_alloc_for(base, owner, owners, sizeof *cutter.open, &cutter.open));
  for (int64_t i = 0; i < owners; i++) cutter.open[i] = -1;
  for (int64_t i = 0; i < n;) {
    struct hy_panel_piece run = run_at(panelling, i);
    if (lead < 0)
      fill(panelling, &cutter.open[(int64_t)run.part[0] * second->parts + run.part[1]], &run,
           width);
    else
      lead_run(&cutter, &cutter.open[run.part[lead]], &run);
    i += run.length;
  }
  hy_free(base, &cutter.open);
  return HYLA_OK;
}

hyla_status hy_panelling_create(struct hy_base *base, void *owner, const struct hy_axis *first,
                                const struct hy_axis *second, struct hy_panelling *panelling) {
  return create(base, owner, first, second, -1, WIDTH, panelling);
}

hyla_status hy_panelling_create_even(struct hy_base *base, void *owner, const struct hy_axis *first,
                                     const struct hy_axis *second, int64_t width,
                                     struct hy_panelling *panelling) {
  int64_t n = first->n, count = hy_ceil_div(n, width);
  *panelling = (struct hy_panelling){.axis = {first, second}};
  TRY(hy_alloc_for(base, owner, count, sizeof *panelling->pieces, &panelling->pieces));
  TRY(hy_alloc_for(base, owner, count, sizeof *panelling->panels, &panelling->panels));
  for (int64_t i = 0; i < n; i += width) {
    struct hy_panel_piece run = run_at(panelling, i);
    run.length = hy_min(width, n - i);
    add_piece(panelling, new_panel(panelling), &run);
  }
  return HYLA_OK;
}

/* The work besides the multiplications, in visits of C's entries. */
static int64_t effort(const struct hy_panelling *panelling, const int64_t across[2]) {
  int64_t visits = panelling->panel_count * across[0] * across[1];
  for (int64_t x = 0; x < panelling->panel_count; x++)
    for (int side = 0; side < 2; side++)
      if (!panelling->panels[x].whole[side])
        visits += COPY * panelling->panels[x].width * across[side];
  return visits;
}

hyla_status hy_panelling_create_in_place(struct hy_base *base, void *owner,
                                         const struct hy_axis *first, const struct hy_axis *second,
                                         const int64_t across[2], int64_t width,
                                         struct hy_panelling *panelling) {
  struct hy_panelling other;
  TRY(create(base, owner, first, second, 0, width, panelling));
  TRY(create(base, owner, first, second, 1, width, &other));
  if (effort(&other, across) < effort(panelling, across)) {
    struct hy_panelling worse = *panelling;
    *panelling = other;
    other = worse;
  }
  hy_free(base, &other.panels);
  hy_free(base, &other.pieces);
  return HYLA_OK;
}

hyla_status hy_panelling_list(struct hy_base *base, void *owner, struct hy_panelling *panelling) {
  const struct hy_axis *axis = panelling->axis[0];
  int64_t count = 0;
  TRY(hy_alloc_for(base, owner, axis->n, sizeof *panelling->list, &panelling->list));
  for (int64_t x = 0; x < panelling->panel_count; x++) {
    struct hy_index_panel *panel = &panelling->panels[x];
    panel->listed = count;
    for (int64_t p = panel->first; p >= 0; p = panelling->pieces[p].next)
      for (int64_t i = 0; i < panelling->pieces[p].length; i++)
        panelling->list[count++] =
            hy_axis_index(axis, panelling->pieces[p].part[0], panelling->pieces[p].at[0] + i);
  }
  return HYLA_OK;
}

struct hy_indices hy_panelling_indices(const struct hy_panelling *panelling,
                                       const struct hy_index_panel *panel) {
  return (struct hy_indices){.count = panel->width,
                             .number =
                                 panelling->list == NULL ? NULL : panelling->list + panel->listed};
}
