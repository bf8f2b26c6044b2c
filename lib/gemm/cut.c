/* An index cut into panels, and panels brought to where they are wanted.  See cut.h. */
#include "gemm/cut.h"

/* A panel's width, and the length from which a stretch may be a panel of its own:
 * products of that rank run at full speed. */
enum { WIDTH = 256, ENOUGH = 128 };

struct hy_axis hy_cut_like(const hyla_axis *carrier, const struct hy_axis *like) {
  hyla_axis code = *carrier;
  int parts = 1 << code.dims;
  code.storage = HYLA_CYCLIC;
  code.block = like->block;
  /* Blocks that go round more than once serve any number of parts; otherwise
   * all parts shall have a share. */
  if (like->block >= hy_ceil_div(like->n, like->parts))
    code.block = hy_max(1, hy_ceil_div(like->block * like->parts, parts));
  return hy_axis_make(&code, like->n);
}

/* ------------------------------------------------------------- cutting -- */

/* What cutting needs to remember. */
struct cutter {
  struct hy_cut *cut;
  bool long_blocks;
  int64_t *open; /* the panel of a pair of owners that has room; -1: none */
};

/* Adds `length` numbers to a panel. */
static void add_piece(struct hy_cut *cut, struct hy_cut_panel *panel, const int64_t at[2],
                      int64_t length) {
  panel->width += length;
  if (panel->last >= 0) {
    struct hy_cut_piece *last = &cut->pieces[panel->last];
    bool next[2];
    for (int x = 0; x < 2; x++) {
      next[x] = last->at[x] + last->length == at[x];
      panel->whole[x] &= next[x];
    }
    if (next[0] && next[1]) {
      last->length += length;
      return;
    }
    last->next = cut->piece_count;
  } else {
    panel->first = cut->piece_count;
  }
  panel->last = cut->piece_count;
  cut->pieces[cut->piece_count++] = (struct hy_cut_piece){{at[0], at[1]}, length, -1};
}

static struct hy_cut_panel *new_panel(struct hy_cut *cut, const int part[2]) {
  struct hy_cut_panel *panel = &cut->panels[cut->panel_count++];
  *panel = (struct hy_cut_panel){
      .part = {part[0], part[1]}, .first = -1, .last = -1, .whole = {true, true}};
  return panel;
}

/* Numbers i ... i+length-1, which lie next to each other on both axes. */
static void cut_run(struct cutter *cutter, int64_t i, int64_t length) {
  struct hy_cut *cut = cutter->cut;
  int part[2];
  int64_t at[2];
  for (int x = 0; x < 2; x++) {
    part[x] = hy_axis_owner(cut->axis[x], i);
    at[x] = hy_axis_before(cut->axis[x], part[x], i);
  }
  if (cutter->long_blocks && length >= ENOUGH) {
    add_piece(cut, new_panel(cut, part), at, length);
    return;
  }
  int64_t *open = &cutter->open[(int64_t)part[0] * cut->axis[1]->parts + part[1]];
  for (int64_t done = 0, some; done < length; done += some) {
    if (*open < 0) {
      *open = cut->panel_count;
      new_panel(cut, part);
    }
    struct hy_cut_panel *panel = &cut->panels[*open];
    some = hy_min(length - done, WIDTH - panel->width);
    add_piece(cut, panel, (const int64_t[2]){at[0] + done, at[1] + done}, some);
    if (panel->width == WIDTH) *open = -1;
  }
}

/* How far from i on both owners stay the same. */
static int64_t common_run(const struct hy_cut *cut, int64_t i) {
  return hy_min(hy_axis_run(cut->axis[0], i), hy_axis_run(cut->axis[1], i));
}

hyla_status hy_cut_create(struct hy_base *base, const struct hy_axis *first,
                          const struct hy_axis *second, bool long_blocks, struct hy_cut *cut) {
  int64_t n = first->n, pairs = (int64_t)first->parts * second->parts, runs = 0;
  struct cutter cutter = {cut, long_blocks, NULL};
  *cut = (struct hy_cut){.axis = {first, second}};
  for (int64_t i = 0; i < n; i += common_run(cut, i)) runs++;
  /* A run is cut only where a panel is full; a panel is full, long enough, or open. */
  int64_t pieces = runs + n / WIDTH + 1;
  TRY(hy_alloc(base, pieces, sizeof *cut->pieces, &cut->pieces));
  TRY(hy_alloc(base, hy_min(pieces, n / ENOUGH + pairs), sizeof *cut->panels, &cut->panels));
  TRY(hy_alloc(base, pairs, sizeof *cutter.open, &cutter.open));
  for (int64_t pair = 0; pair < pairs; pair++) cutter.open[pair] = -1;
  for (int64_t i = 0, run; i < n; i += run) {
    run = common_run(cut, i);
    cut_run(&cutter, i, run);
  }
  hy_free(base, &cutter.open);
  return HYLA_OK;
}

void hy_cut_destroy(struct hy_base *base, struct hy_cut *cut) {
  hy_free(base, &cut->pieces);
  hy_free(base, &cut->panels);
}

/* ------------------------------------------------------------- feeding -- */

struct hy_feed hy_feed_make(const struct hy_cut *cut, int which, const struct hy_operand *x,
                            bool rows, int node) {
  const struct hy_axis *other = rows ? &x->col : &x->row;
  return (struct hy_feed){.cut = cut,
                          .which = which,
                          .rows = rows,
                          .in_place = x->in_place || cut->axis[which]->parts == 1,
                          .across = hy_held(other, hy_part_of(other, node))};
}

/* The widest panel that must lie in the buffer; 0: none does. */
static int64_t buffer_width(const struct hy_feed *feed) {
  int64_t widest = 0;
  for (int64_t x = 0; x < feed->cut->panel_count; x++) {
    const struct hy_cut_panel *panel = &feed->cut->panels[x];
    if (!feed->in_place || !panel->whole[feed->which]) widest = hy_max(widest, panel->width);
  }
  return widest;
}

hyla_status hy_feed_take(struct hy_feed *feed, const struct hy_gemm_factor *factor) {
  const hyla_matrix *x = factor->matrix;
  bool rows = feed->rows == (factor->op == HYLA_NONE);
  TRY(hy_alloc_data(&x->cube->base, buffer_width(feed) * feed->across, x->k->size, &feed->buffer));
  return feed->in_place ? hy_loans_create(x, rows, &feed->loans) : HYLA_OK;
}

void hy_feed_free(hyla_cube *cube, struct hy_feed *feed) {
  hy_loans_destroy(cube, &feed->loans);
  hy_free(&cube->base, &feed->buffer);
}

hyla_status hy_feed_begin(struct hy_feed *feed) {
  return feed->in_place ? hy_loans_open(feed->loans) : HYLA_OK;
}

hyla_status hy_feed_end(struct hy_feed *feed) {
  return feed->in_place ? hy_loans_close(feed->loans) : HYLA_OK;
}

/* Entry (0, 0) of what begins at the index' place `at` of a block. */
static struct hy_panel from_place(const struct hy_feed *feed, const struct hy_panel *block,
                                  int64_t at, size_t size) {
  return hy_panel_at(block, feed->rows ? at : 0, feed->rows ? 0 : at, size);
}

/* Copies a panel out of its owner's block, without gaps. */
static void gather(const struct hy_feed *feed, const struct hy_cut_panel *panel,
                   const struct hy_panel *block, const struct hy_kernels *k) {
  int64_t ld = hy_max(1, feed->rows ? panel->width : feed->across);
  int64_t done = 0;
  for (int64_t p = panel->first; p >= 0; p = feed->cut->pieces[p].next) {
    const struct hy_cut_piece *piece = &feed->cut->pieces[p];
    struct hy_panel from = from_place(feed, block, piece->at[feed->which], k->size);
    char *into = feed->buffer + done * (feed->rows ? 1 : ld) * (int64_t)k->size;
    int rows = (int)(feed->rows ? piece->length : feed->across);
    int cols = (int)(feed->rows ? feed->across : piece->length);
    k->copy(block->op, rows, cols, 1, from.data, (int)from.ld, into, (int)ld);
    done += piece->length;
  }
}

static hyla_status read_in_place(struct hy_feed *feed, const struct hy_cut_panel *panel,
                                 const struct hy_gemm_factor *factor, struct hy_panel *out) {
  const struct hy_kernels *k = factor->matrix->k;
  struct hy_panel block;
  TRY(hy_loans_block(feed->loans, panel->part[feed->which], &block));
  block.op = factor->op;
  if (panel->whole[feed->which])
    *out = from_place(feed, &block, feed->cut->pieces[panel->first].at[feed->which], k->size);
  else
    gather(feed, panel, &block, k);
  return HYLA_OK;
}

hyla_status hy_feed_panel(struct hy_feed *feed, const struct hy_cut_panel *panel,
                          const struct hy_gemm_factor *factor, struct hy_panel *out) {
  const hyla_matrix *x = factor->matrix;
  const struct hy_axis *axis = feed->cut->axis[feed->which];
  hyla_cube *cube = x->cube;
  int64_t rows = hy_max(1, feed->rows ? panel->width : feed->across);
  int64_t cols = feed->rows ? feed->across : panel->width;
  *out = (struct hy_panel){feed->buffer, rows, HYLA_NONE};
  if (feed->across == 0) return HYLA_OK;
  if (feed->in_place) return read_in_place(feed, panel, factor, out);
  const struct hy_panel block = {x->local, x->ld, factor->op};
  int root = hy_node_along(axis, cube->address, panel->part[feed->which]);
  bool stretch = panel->whole[feed->which] && (x->ld == rows || cols == 1);
  /* The owner sends from where the panel lies if that is one stretch of memory. */
  if (root == cube->address && stretch && factor->op == HYLA_NONE)
    *out = from_place(feed, &block, feed->cut->pieces[panel->first].at[feed->which], x->k->size);
  else if (root == cube->address)
    gather(feed, panel, &block, x->k);
  return hy_broadcast(cube, hy_axis_mask(&axis->code), root, (void *)(uintptr_t)out->data,
                      rows * cols * (int64_t)x->k->size);
}

static void broadcast_cost(const struct hy_feed *feed, int node, hyla_cost *cost) {
  const struct hy_axis *axis = feed->cut->axis[feed->which];
  uint32_t dims = hy_axis_mask(&axis->code);
  if (feed->across == 0) return;
  for (int64_t x = 0; x < feed->cut->panel_count; x++) {
    const struct hy_cut_panel *panel = &feed->cut->panels[x];
    int root = hy_node_along(axis, node, panel->part[feed->which]);
    uint32_t number = hy_extract((uint32_t)(node ^ root), dims);
    /* In recursive doubling a node receives over its lowest bit, and then sends
     * over all below; the root sends over all. */
    int sends = number == 0 ? axis->code.dims : hy_lowest(number);
    cost->steps += sends + (number != 0);
    cost->messages += sends;
    cost->words += sends * panel->width * feed->across;
  }
}

void hy_feed_cost(const struct hy_feed *feed, size_t size, int node, hyla_cost *cost) {
  if (feed->in_place)
    hy_loans_cost(feed->cut->axis[feed->which], feed->across, node, cost);
  else
    broadcast_cost(feed, node, cost);
  cost->memory += buffer_width(feed) * feed->across * (int64_t)size;
}
