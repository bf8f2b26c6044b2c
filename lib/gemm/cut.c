/* An index cut into panels.  See cut.h. */
#include "gemm/cut.h"

/* WIDTH   the width of panels that travel; products of that rank run at full speed
 * ENOUGH  the shortest run that may be a panel of its own
 * COPY    copying an entry takes as long as a product takes for COPY entries of C */
enum { WIDTH = 256, ENOUGH = 128, COPY = 8 };

struct hy_axis hy_cut_like(const hyla_axis *carrier, const struct hy_axis *like) {
  hyla_axis code = *carrier;
  int parts = 1 << code.dims;
  code.storage = HYLA_CYCLIC;
  code.block = like->block;
  /* Blocks that go round more than once serve any number of parts.  If they do not, the new blocks
   * are such that every part gets a share. */
  if (like->block >= hy_ceil_div(like->n, like->parts))
    code.block = hy_max(1, hy_ceil_div(like->block * like->parts, parts));
  return hy_axis_make(&code, like->n);
}

/* ------------------------------------------------------------- cutting -- */

/* The state of cutting. */
struct cutter {
  struct hy_cut *cut;
  int lead;      /* the axis on which a panel is a stretch; -1: a panel has one owner on each
                  * axis */
  int64_t width; /* upper limit for a panel that is filled by several pieces */
  int64_t *open; /* by owner, or pair of owners: the panel that is not full; -1: none */
};

/* Is the last piece of a panel followed by this one, on an axis? */
static bool follows(const struct hy_cut *cut, const struct hy_cut_panel *panel,
                    const struct hy_cut_piece *next, int x) {
  const struct hy_cut_piece *last = &cut->pieces[panel->last];
  return last->part[x] == next->part[x] && last->at[x] + last->length == next->at[x];
}

static void add_piece(struct hy_cut *cut, struct hy_cut_panel *panel,
                      const struct hy_cut_piece *piece) {
  panel->width += piece->length;
  if (panel->last >= 0) {
    bool next[2];
    for (int x = 0; x < 2; x++) {
      next[x] = follows(cut, panel, piece, x);
      panel->whole[x] &= next[x];
    }
    if (next[0] && next[1]) {
      cut->pieces[panel->last].length += piece->length;
      return;
    }
    cut->pieces[panel->last].next = cut->piece_count;
  } else {
    panel->first = cut->piece_count;
  }
  panel->last = cut->piece_count;
  cut->pieces[cut->piece_count++] = *piece;
}

static struct hy_cut_panel *new_panel(struct hy_cut *cut) {
  struct hy_cut_panel *panel = &cut->panels[cut->panel_count++];
  *panel = (struct hy_cut_panel){.first = -1, .last = -1, .whole = {true, true}};
  return panel;
}

/* Adds a run to the open panel, and to new panels when that one is full. */
static void fill(struct hy_cut *cut, int64_t *open, const struct hy_cut_piece *run, int64_t width) {
  for (int64_t done = 0, some; done < run->length; done += some) {
    if (*open < 0) {
      *open = cut->panel_count;
      new_panel(cut);
    }
    struct hy_cut_panel *panel = &cut->panels[*open];
    struct hy_cut_piece piece = *run;
    some = hy_min(run->length - done, width - panel->width);
    piece.length = some;
    for (int x = 0; x < 2; x++) piece.at[x] += done;
    add_piece(cut, panel, &piece);
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
static void lead_run(struct cutter *cutter, int64_t *open, const struct hy_cut_piece *run) {
  struct hy_cut *cut = cutter->cut;
  int lead = cutter->lead, part = run->part[lead];
  struct hy_cut_panel *panel = *open < 0 ? NULL : &cut->panels[*open];
  if (panel != NULL && panel->whole[1 - lead] && follows(cut, panel, run, 1 - lead)) {
    add_piece(cut, panel, run);
    return;
  }
  if (panel != NULL &&
      (run->length >= ENOUGH || (panel->whole[1 - lead] && panel->width >= ENOUGH)))
    *open = -1;
  if (run->length >= ENOUGH) {
    *open = cut->panel_count;
    add_piece(cut, new_panel(cut), run);
  } else {
    fill(cut, open, run, even_width(hy_held(cut->axis[lead], part), cutter->width));
  }
}

/* The length of the run, contiguous on both axes, that begins at i. */
static int64_t run_length(const struct hy_cut *cut, int64_t i) {
  return hy_min(hy_axis_run(cut->axis[0], i), hy_axis_run(cut->axis[1], i));
}
static struct hy_cut_piece run_at(const struct hy_cut *cut, int64_t i) {
  struct hy_cut_piece run = {.length = run_length(cut, i), .next = -1};
  for (int x = 0; x < 2; x++) {
    run.part[x] = hy_axis_owner(cut->axis[x], i);
    run.at[x] = hy_axis_before(cut->axis[x], run.part[x], i);
  }
  return run;
}

static hyla_status create(struct hy_base *base, void *owner, const struct hy_axis *first,
                          const struct hy_axis *second, int lead, int64_t width,
                          struct hy_cut *cut) {
  int64_t n = first->n, runs = 0;
  struct cutter cutter = {cut, lead, width, NULL};
  *cut = (struct hy_cut){.axis = {first, second}};
  int64_t owners = lead < 0 ? (int64_t)first->parts * second->parts : cut->axis[lead]->parts;
  for (int64_t i = 0; i < n; i += run_length(cut, i)) runs++;
  /* A run is cut only where a panel is full; a panel begins with a run or where a run is cut. */
  int64_t pieces = runs + n / width + 1;
  TRY(hy_alloc_for(base, owner, pieces, sizeof *cut->pieces, &cut->pieces));
  TRY(hy_alloc_for(base, owner, pieces, sizeof *cut->panels, &cut->panels));
  TRY(hy_alloc_for(base, owner, owners, sizeof *cutter.open, &cutter.open));
  for (int64_t i = 0; i < owners; i++) cutter.open[i] = -1;
  for (int64_t i = 0; i < n;) {
    struct hy_cut_piece run = run_at(cut, i);
    if (lead < 0)
      fill(cut, &cutter.open[(int64_t)run.part[0] * second->parts + run.part[1]], &run, width);
    else
      lead_run(&cutter, &cutter.open[run.part[lead]], &run);
    i += run.length;
  }
  hy_free(base, &cutter.open);
  return HYLA_OK;
}

hyla_status hy_cut_create(struct hy_base *base, void *owner, const struct hy_axis *first,
                          const struct hy_axis *second, struct hy_cut *cut) {
  return create(base, owner, first, second, -1, WIDTH, cut);
}

hyla_status hy_cut_create_even(struct hy_base *base, void *owner, const struct hy_axis *first,
                               const struct hy_axis *second, int64_t width, struct hy_cut *cut) {
  int64_t n = first->n, count = hy_ceil_div(n, width);
  *cut = (struct hy_cut){.axis = {first, second}};
  TRY(hy_alloc_for(base, owner, count, sizeof *cut->pieces, &cut->pieces));
  TRY(hy_alloc_for(base, owner, count, sizeof *cut->panels, &cut->panels));
  for (int64_t i = 0; i < n; i += width) {
    struct hy_cut_piece run = run_at(cut, i);
    run.length = hy_min(width, n - i);
    add_piece(cut, new_panel(cut), &run);
  }
  return HYLA_OK;
}

/* The work besides the multiplications, in visits of C's entries. */
static int64_t effort(const struct hy_cut *cut, const int64_t across[2]) {
  int64_t visits = cut->panel_count * across[0] * across[1];
  for (int64_t x = 0; x < cut->panel_count; x++)
    for (int side = 0; side < 2; side++)
      if (!cut->panels[x].whole[side]) visits += COPY * cut->panels[x].width * across[side];
  return visits;
}

hyla_status hy_cut_create_in_place(struct hy_base *base, void *owner, const struct hy_axis *first,
                                   const struct hy_axis *second, const int64_t across[2],
                                   int64_t width, struct hy_cut *cut) {
  struct hy_cut other;
  TRY(create(base, owner, first, second, 0, width, cut));
  TRY(create(base, owner, first, second, 1, width, &other));
  if (effort(&other, across) < effort(cut, across)) {
    struct hy_cut worse = *cut;
    *cut = other;
    other = worse;
  }
  hy_free(base, &other.panels);
  hy_free(base, &other.pieces);
  return HYLA_OK;
}

hyla_status hy_cut_list(struct hy_base *base, void *owner, struct hy_cut *cut) {
  const struct hy_axis *axis = cut->axis[0];
  int64_t count = 0;
  TRY(hy_alloc_for(base, owner, axis->n, sizeof *cut->list, &cut->list));
  for (int64_t x = 0; x < cut->panel_count; x++) {
    struct hy_cut_panel *panel = &cut->panels[x];
    panel->listed = count;
    for (int64_t p = panel->first; p >= 0; p = cut->pieces[p].next)
      for (int64_t i = 0; i < cut->pieces[p].length; i++)
        cut->list[count++] = hy_axis_index(axis, cut->pieces[p].part[0], cut->pieces[p].at[0] + i);
  }
  return HYLA_OK;
}

struct hy_indices hy_cut_indices(const struct hy_cut *cut, const struct hy_cut_panel *panel) {
  return (struct hy_indices){.count = panel->width,
                             .number = cut->list == NULL ? NULL : cut->list + panel->listed};
}
