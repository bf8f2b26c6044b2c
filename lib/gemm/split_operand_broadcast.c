/* Panels of an operand go from their owners to all nodes along its axis; and panels of C, where all
 * nodes along its axis add their summands on the panels' owners.  See split_operand.h.
 *
 * A panel that is one stretch of its owner's block is sent from where it lies; any other panel is
 * copied together first.  A triangular factor sends the entries in its triangle, column by column.
 * In place, each node copies together the panels that are not one stretch. */
#include "gemm/result.h"
#include "gemm/split_operand_body.h"

/* The width of the widest panel that must lie in the workspace; 0: no panel must. */
static int64_t room_width(const struct hy_split_operand *s) {
  int64_t widest = 0;
  for (int64_t x = 0; x < s->panelling->panel_count; x++) {
    const struct hy_index_panel *panel = &s->panelling->panels[x];
    if (!s->in_place || !panel->whole[s->which]) widest = hy_max(widest, panel->width);
  }
  return widest;
}

/* Makes and takes the group of all nodes along the axis. */
static hyla_status allocate_group(struct hy_split_operand *s, enum hy_task task) {
  TRY(hy_subcube_make_for(s->owner, s->factor.matrix->cube, hy_axis_mask(&s->axis->code), task,
                          s->entries, s->problem->kernels->size, NULL, &s->group));
  return hy_subcube_allocate(&s->group);
}
static hyla_status allocate_broadcast(struct hy_split_operand *s) {
  return allocate_group(s, HY_TASK_BROADCAST);
}
static hyla_status allocate_reduce(struct hy_split_operand *s) {
  return allocate_group(s, HY_TASK_REDUCE);
}

static const struct hy_split_operand_use PANELS = {.allocate = allocate_broadcast};
static const struct hy_split_operand_use SUMS = {.allocate = allocate_reduce};

void hy_split_operand_in_panels(struct hy_split_operand *s, const struct hy_panelling *panelling,
                                int which) {
  s->use = &PANELS;
  s->panelling = panelling;
  s->which = which;
  s->in_place = s->operand->in_place || s->axis->parts == 1;
  s->rooms = 1;
  s->entries = room_width(s) * s->beside.count;
}

static int owner_of(const struct hy_split_operand *s, const struct hy_index_panel *panel) {
  return hy_node_along(s->axis, s->node, hy_panelling_owner(s->panelling, panel, s->which));
}

struct hy_reach hy_split_operand_reach(const struct hy_split_operand *s,
                                       const struct hy_index_panel *panel) {
  const struct hy_indices list = hy_panelling_indices(s->panelling, panel);
  return hy_split_operand_block_reach(s, &list);
}

/* A panel in the workspace, without gaps. */
static struct hy_panel in_room(const struct hy_split_operand *s,
                               const struct hy_index_panel *panel) {
  int64_t rows = s->rows ? panel->width : s->beside.count;
  return (struct hy_panel){s->room[0], hy_max(1, rows), HYLA_NONE};
}

/* A panel that is one stretch of a block. */
static struct hy_panel in_block(const struct hy_split_operand *s,
                                const struct hy_index_panel *panel, const struct hy_panel *block) {
  return hy_split_operand_at(s, block, s->panelling->pieces[panel->first].at[s->which]);
}

/* Copies a panel together in the workspace, within its reach: from this node's block or, in place,
 * from the blocks that have its pieces. */
static hyla_status copy_together(struct hy_split_operand *s, const struct hy_index_panel *panel) {
  const struct hy_reach reach = hy_split_operand_reach(s, panel);
  const struct hy_panel room = in_room(s, panel);
  const struct hy_kernels *k = s->problem->kernels;
  int64_t done = 0;
  for (int64_t p = panel->first; p >= 0 && reach.count > 0 && !k->dry;
       p = s->panelling->pieces[p].next) {
    const struct hy_panel_piece *piece = &s->panelling->pieces[p];
    struct hy_panel block = hy_panel_own(&s->factor);
    if (s->in_place) TRY(hy_block_access_block(s->access, piece->part[s->which], &block));
    const struct hy_panel from = hy_split_operand_at(s, &block, piece->at[s->which]);
    const struct hy_panel to = hy_split_operand_at(s, &room, done);
    hy_split_operand_copy(s, &from, piece->length, &reach, (char *)(uintptr_t)to.data, room.ld);
    done += piece->length;
  }
  return HYLA_OK;
}

/* Sends from the owner to all. */
static hyla_status send(const struct hy_split_operand *s, const struct hy_index_panel *panel,
                        const char *data, int64_t entries) {
  return hy_subcube_broadcast(&s->group, owner_of(s, panel), (void *)(uintptr_t)data, entries);
}

/* Does a panel lie in its owner's block as in the workspace, without gaps? */
static bool is_without_gaps(const struct hy_split_operand *s, const struct hy_index_panel *panel) {
  const struct hy_panel own = hy_panel_own(&s->factor);
  int64_t cols = s->rows ? s->beside.count : panel->width;
  return panel->whole[s->which] && own.op == HYLA_NONE &&
         (own.ld == in_room(s, panel).ld || cols == 1);
}

/* The owner sends the panel from where it lies if that is one stretch of memory. */
static hyla_status send_whole(struct hy_split_operand *s, const struct hy_index_panel *panel,
                              struct hy_panel *out) {
  const struct hy_panel own = hy_panel_own(&s->factor);
  bool owner = owner_of(s, panel) == s->node, stretch = is_without_gaps(s, panel);
  int64_t entries = panel->width * s->beside.count;
  if (owner && stretch) *out = in_block(s, panel, &own);
  if (owner && !stretch) TRY(copy_together(s, panel));
  return send(s, panel, out->data, entries);
}

/* Only the entries of the triangle travel; the owner reads its own block. */
static hyla_status send_triangle(struct hy_split_operand *s, const struct hy_index_panel *panel,
                                 struct hy_panel *out) {
  const struct hy_kernels *k = s->problem->kernels;
  const struct hy_panel own = hy_panel_own(&s->factor);
  const struct hy_indices list = hy_panelling_indices(s->panelling, panel);
  const struct hy_triangle_block block = hy_split_operand_block(s, &list);
  bool owner = owner_of(s, panel) == s->node;
  if (owner) TRY(copy_together(s, panel));
  if (owner) hy_triangle_block_pack(&block, k, s->room[0]);
  TRY(send(s, panel, s->room[0], hy_triangle_block_entries(&block)));
  if (owner && panel->whole[s->which])
    *out = in_block(s, panel, &own);
  else
    hy_triangle_block_unpack(&block, k, s->room[0]);
  return HYLA_OK;
}

/* Is a panel copied together?  In place every node copies what is no stretch of its owner's block.
 * Otherwise the owner does, unless it sends the panel from where it lies; a part is packed. */
static bool copies(const struct hy_split_operand *s, const struct hy_index_panel *panel) {
  if (s->in_place) return !panel->whole[s->which];
  return owner_of(s, panel) == s->node && (s->part != HY_WHOLE || !is_without_gaps(s, panel));
}

hyla_status hy_split_operand_broadcast(struct hy_split_operand *s,
                                       const struct hy_index_panel *panel, struct hy_panel *out) {
  *out = in_room(s, panel);
  if (s->beside.count == 0) return HYLA_OK;
  if (copies(s, panel)) hy_count_copied(s->problem->cube, panel->width * s->beside.count);
  if (!s->in_place)
    return s->part == HY_WHOLE ? send_whole(s, panel, out) : send_triangle(s, panel, out);
  if (!panel->whole[s->which]) return copy_together(s, panel);
  struct hy_panel block;
  TRY(hy_block_access_block(s->access, hy_panelling_owner(s->panelling, panel, s->which), &block));
  *out = in_block(s, panel, &block);
  return HYLA_OK;
}

/* ----------------------------------------------------------------- sums -- */

void hy_split_operand_of_sums(struct hy_split_operand *s, const struct hy_panelling *panelling,
                              int which) {
  int64_t widest = 0;
  for (int64_t x = 0; x < panelling->panel_count; x++)
    widest = hy_max(widest, panelling->panels[x].width);
  s->use = &SUMS;
  s->panelling = panelling;
  s->which = which;
  s->rooms = 1;
  s->entries = widest * s->beside.count;
}

char *hy_split_operand_summand(struct hy_split_operand *s) { return s->room[0]; }

/* The panel of this node's block += the sum */
static void put(const struct hy_split_operand *s, const struct hy_index_panel *panel) {
  const hyla_matrix *c = s->factor.matrix;
  const struct hy_panel block = hy_panel_own(&s->factor);
  int64_t rows = s->rows ? panel->width : s->beside.count, done = 0;
  const struct hy_panel sum = {s->room[0], rows, HYLA_NONE};
  for (int64_t p = panel->first; p >= 0; p = s->panelling->pieces[p].next) {
    const struct hy_panel_piece *piece = &s->panelling->pieces[p];
    const struct hy_panel from = hy_split_operand_at(s, &sum, done);
    const struct hy_panel to = hy_split_operand_at(s, &block, piece->at[s->which]);
    c->k->add((int)(s->rows ? piece->length : rows),
              (int)(s->rows ? s->beside.count : piece->length), from.data, (int)from.ld,
              (char *)(uintptr_t)to.data, (int)to.ld);
    done += piece->length;
  }
  hy_count_copied(c->cube, panel->width * s->beside.count);
  hy_compute(c->cube, panel->width * s->beside.count, c->k->size, c->k->complex_type);
}

hyla_status hy_split_operand_reduce(struct hy_split_operand *s,
                                    const struct hy_index_panel *panel) {
  int64_t count = panel->width * s->beside.count;
  int owner = owner_of(s, panel);
  if (count == 0) return HYLA_OK;
  TRY(hy_subcube_reduce(&s->group, owner, s->room[0], count, hy_result_combine, s->problem));
  if (owner == s->node) put(s, panel);
  return HYLA_OK;
}
