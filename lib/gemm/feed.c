/* Panels of a factor brought to where they are wanted.  See cut.h. */
#include "gemm/cut.h"

#include <string.h>

struct hy_feed hy_feed_make(const struct hy_cut *cut, int which, const struct hy_operand *x,
                            enum hy_part part, bool rows, int node) {
  const struct hy_axis *other = rows ? &x->col : &x->row;
  return (struct hy_feed){.cut = cut,
                          .which = which,
                          .operand = x,
                          .part = part,
                          .node = node,
                          .rows = rows,
                          .in_place = x->in_place || cut->axis[which]->parts == 1,
                          .across = hy_held_at(other, node)};
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

/* The block of the factor that a panel is. */
static struct hy_wedge wedge_of(const struct hy_feed *feed, const struct hy_indices *numbers) {
  const struct hy_operand *x = feed->operand;
  struct hy_indices across = hy_indices_of(feed->rows ? &x->col : &x->row, feed->node);
  return (struct hy_wedge){.part = feed->part,
                           .rows = feed->rows ? *numbers : across,
                           .cols = feed->rows ? across : *numbers};
}

struct hy_reach hy_feed_reach(const struct hy_feed *feed, const struct hy_cut_panel *panel) {
  const struct hy_indices numbers = hy_cut_indices(feed->cut, panel);
  const struct hy_wedge wedge = wedge_of(feed, &numbers);
  return feed->rows ? hy_wedge_cols(&wedge) : hy_wedge_rows(&wedge);
}

hyla_status hy_feed_take(struct hy_feed *feed, const struct hy_gemm_factor *factor) {
  const hyla_matrix *x = factor->matrix;
  int64_t longest = buffer_width(feed) * feed->across;
  TRY(hy_alloc_data(&x->cube->base, longest, x->k->size, &feed->buffer));
  if (feed->in_place) return hy_loans_create(factor, feed->rows, feed->part, &feed->loans);
  TRY(hy_group_make(x->cube, hy_axis_mask(&feed->cut->axis[feed->which]->code), HY_TASK_BROADCAST,
                    longest, x->k->size, &feed->group));
  return hy_group_take(&feed->group);
}

void hy_feed_explain(const struct hy_feed *feed, const char *what, struct hy_text *text) {
  hy_group_explain(&feed->group, what, text);
}

void hy_feed_free(hyla_cube *cube, struct hy_feed *feed) {
  hy_group_free(&feed->group);
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

/* Copies what is in reach of a piece out of its owner's block, behind `done` numbers of the
 * panel; zeros where the block has nothing of the triangle, and was not lent. */
static void gather_piece(const struct hy_feed *feed, const struct hy_cut_piece *piece, int64_t done,
                         int64_t ld, const struct hy_reach *reach, const struct hy_panel *block,
                         const struct hy_kernels *k) {
  struct hy_panel from = from_place(feed, block, piece->at[feed->which], k->size);
  from = hy_panel_at(&from, feed->rows ? 0 : reach->from, feed->rows ? reach->from : 0, k->size);
  int64_t at = feed->rows ? done + reach->from * ld : reach->from + done * ld;
  char *into = feed->buffer + at * (int64_t)k->size;
  int64_t rows = feed->rows ? piece->length : reach->count;
  int64_t cols = feed->rows ? reach->count : piece->length;
  if (from.data != NULL)
    k->copy(block->op, (int)rows, (int)cols, 1, from.data, (int)from.ld, into, (int)ld);
  for (int64_t col = 0; col < cols && from.data == NULL && !k->dry; col++)
    memset(into + col * ld * (int64_t)k->size, 0, (size_t)rows * k->size);
}

/* Copies a panel together, without gaps, as far as its reach goes: own, one block that holds
 * it all, or NULL. */
static hyla_status gather(const struct hy_feed *feed, const struct hy_cut_panel *panel,
                          const struct hy_panel *own, hyla_operation op,
                          const struct hy_kernels *k) {
  int64_t ld = hy_max(1, feed->rows ? panel->width : feed->across);
  const struct hy_reach reach = hy_feed_reach(feed, panel);
  int64_t done = 0;
  for (int64_t p = panel->first; p >= 0 && reach.count > 0 && !k->dry;
       p = feed->cut->pieces[p].next) {
    const struct hy_cut_piece *piece = &feed->cut->pieces[p];
    struct hy_panel block;
    if (own == NULL)
      TRY(hy_loans_block(feed->loans, piece->part[feed->which], &block));
    else
      block = *own;
    block.op = op;
    gather_piece(feed, piece, done, ld, &reach, &block, k);
    done += piece->length;
  }
  return HYLA_OK;
}

static hyla_status read_in_place(struct hy_feed *feed, const struct hy_cut_panel *panel,
                                 const struct hy_gemm_factor *factor, struct hy_panel *out) {
  const struct hy_kernels *k = factor->matrix->k;
  const struct hy_cut_piece *first = &feed->cut->pieces[panel->first];
  struct hy_panel block;
  if (!panel->whole[feed->which]) return gather(feed, panel, NULL, factor->op, k);
  TRY(hy_loans_block(feed->loans, first->part[feed->which], &block));
  block.op = factor->op;
  *out = from_place(feed, &block, first->at[feed->which], k->size);
  return HYLA_OK;
}

/* The owner sends from where the panel lies if that is one stretch of memory. */
static hyla_status send_whole(struct hy_feed *feed, const struct hy_cut_panel *panel,
                              const struct hy_gemm_factor *factor, const struct hy_panel *own,
                              int root, struct hy_panel *out) {
  const hyla_matrix *x = factor->matrix;
  int64_t rows = out->ld, cols = feed->rows ? feed->across : panel->width;
  bool stretch = panel->whole[feed->which] && (x->ld == rows || cols == 1);
  if (root == feed->node && stretch && factor->op == HYLA_NONE)
    *out = from_place(feed, own, feed->cut->pieces[panel->first].at[feed->which], x->k->size);
  else if (root == feed->node)
    TRY(gather(feed, panel, own, factor->op, x->k));
  return hy_group_broadcast(&feed->group, root, (void *)(uintptr_t)out->data, rows * cols);
}

/* The entries of the triangle travel without the others; the owner reads its own block. */
static hyla_status send_wedge(struct hy_feed *feed, const struct hy_cut_panel *panel,
                              const struct hy_gemm_factor *factor, const struct hy_panel *own,
                              int root, struct hy_panel *out) {
  const hyla_matrix *x = factor->matrix;
  const struct hy_indices numbers = hy_cut_indices(feed->cut, panel);
  const struct hy_wedge wedge = wedge_of(feed, &numbers);
  int64_t entries = hy_wedge_entries(&wedge);
  bool owner = root == feed->node, stays = owner && panel->whole[feed->which];
  if (owner) TRY(gather(feed, panel, own, factor->op, x->k));
  if (owner) hy_wedge_pack(&wedge, x->k, feed->buffer);
  TRY(hy_group_broadcast(&feed->group, root, feed->buffer, entries));
  if (stays)
    *out = from_place(feed, own, feed->cut->pieces[panel->first].at[feed->which], x->k->size);
  else
    hy_wedge_unpack(&wedge, x->k, feed->buffer);
  return HYLA_OK;
}

/* Is a panel copied together?  In place by every node, else by the owner, which sends one that
 * is a stretch from where it lies, unless a part is packed. */
static bool gathers(const struct hy_feed *feed, const struct hy_cut_panel *panel, int root) {
  bool packs = !feed->in_place && feed->part != HY_WHOLE;
  return (feed->in_place || root == feed->node) && (packs || !panel->whole[feed->which]);
}

hyla_status hy_feed_panel(struct hy_feed *feed, const struct hy_cut_panel *panel,
                          const struct hy_gemm_factor *factor, struct hy_panel *out) {
  const hyla_matrix *x = factor->matrix;
  const struct hy_panel own = {x->local, x->ld, factor->op};
  int root = hy_node_along(feed->cut->axis[feed->which], feed->node,
                           hy_cut_owner(feed->cut, panel, feed->which));
  int64_t rows = hy_max(1, feed->rows ? panel->width : feed->across);
  *out = (struct hy_panel){feed->buffer, rows, HYLA_NONE};
  if (feed->across == 0) return HYLA_OK;
  if (gathers(feed, panel, root)) hy_count_copied(x->cube, panel->width * feed->across);
  if (feed->in_place) return read_in_place(feed, panel, factor, out);
  return feed->part == HY_WHOLE ? send_whole(feed, panel, factor, &own, root, out)
                                : send_wedge(feed, panel, factor, &own, root, out);
}
