/* Rotations of an operand along its axis.  See split_operand.h.
 *
 * The blocks of all nodes of the ring move at once, by the same number of places, so each block is
 * on one node.  A block travels without gaps; of a triangular factor only the rows (for B the
 * columns) that have entries in the triangle. */
#include "gemm/split_operand_body.h"

/* block_of: the place of the block with a panel.  indices_in: the block's indices of the axis. */
static int block_of(const struct hy_split_operand *s, int panel) { return panel / s->ring.each; }
static struct hy_indices indices_in(const struct hy_split_operand *s, int block) {
  return hy_indices_in(s->axis, s->ring.base + block);
}
static struct hy_reach reach_of(const struct hy_split_operand *s, int block) {
  const struct hy_indices list = indices_in(s, block);
  return hy_split_operand_block_reach(s, &list);
}
static int64_t ld_of(const struct hy_split_operand *s, int block) {
  return hy_max(1, s->rows ? indices_in(s, block).count : reach_of(s, block).count);
}

int64_t hy_ring_entries(const struct hy_split_operand *s, int block) {
  return reach_of(s, block).count * indices_in(s, block).count;
}
int64_t hy_ring_first(const struct hy_split_operand *s, int block) {
  return reach_of(s, block).from * (s->rows ? indices_in(s, block).count : 1);
}

int hy_split_operand_first(const struct hy_split_operand *s) { return s->ring.own * s->ring.each; }

static void begin(struct hy_split_operand *s) {
  struct hy_ring *ring = &s->ring;
  const struct hy_panel own = hy_panel_own(&s->factor);
  int64_t ld = ld_of(s, ring->own);
  ring->panel = hy_split_operand_first(s);
  ring->block = own;
  ring->free = 0;
  if (s->rooms == 0 || (own.op == HYLA_NONE && own.ld == ld)) return;
  const struct hy_reach reach = reach_of(s, ring->own);
  hy_split_operand_copy(s, &own, indices_in(s, ring->own).count, &reach, s->room[0], ld);
  ring->block = (struct hy_panel){s->room[0], ld, HYLA_NONE};
  ring->free = 1;
}

static const struct hy_split_operand_use RING = {.allocate = hy_route_allocate, .begin = begin};

void hy_split_operand_on_ring(struct hy_split_operand *s, int places, int panels) {
  struct hy_ring *ring = &s->ring;
  int part = hy_part_of(s->axis, s->node), rings = s->axis->parts / places;
  s->use = &RING;
  ring->places = places;
  ring->own = part % places;
  ring->base = part - ring->own;
  ring->each = panels / places;
  ring->width = hy_ceil_div(s->axis->n, (int64_t)panels * rings);
  ring->from = part / places * panels * ring->width;
  ring->scattered =
      s->axis->code.storage == HYLA_CYCLIC && places == s->axis->parts && panels == places;
  s->in_place = s->operand->in_place && places > 1 && rings == 1;
  s->rooms = s->in_place || places == 1 ? 0 : 2;
  s->entries = s->beside.count * hy_axis_most(s->axis);
}

struct hy_indices hy_split_operand_panel(const struct hy_split_operand *s, int panel) {
  const struct hy_ring *ring = &s->ring;
  if (ring->scattered) return hy_indices_in(s->axis, panel);
  int64_t start = hy_min(s->axis->n, ring->from + panel * ring->width);
  return hy_interval(start, hy_min(s->axis->n - start, ring->width));
}

int64_t hy_ring_place(const struct hy_split_operand *s, int panel) {
  const struct hy_ring *ring = &s->ring;
  if (ring->scattered) return 0;
  int part = ring->base + panel / ring->each;
  return hy_axis_before(s->axis, part, hy_split_operand_panel(s, panel).first);
}

struct hy_indices hy_split_operand_indices(const struct hy_split_operand *s) {
  return hy_split_operand_panel(s, s->ring.panel);
}

hyla_status hy_split_operand_here(struct hy_split_operand *s, struct hy_panel *panel) {
  int block = block_of(s, s->ring.panel);
  struct hy_panel from = s->ring.block;
  if (s->in_place) TRY(hy_block_access_block(s->access, block, &from));
  *panel = hy_split_operand_at(s, &from, hy_ring_place(s, s->ring.panel));
  return HYLA_OK;
}

void hy_ring_put(struct hy_split_operand *s, int panel) {
  struct hy_ring *ring = &s->ring;
  ring->panel = panel;
  ring->block = (struct hy_panel){s->room[ring->free], ld_of(s, block_of(s, panel)), HYLA_NONE};
  ring->free = 1 - ring->free;
}

/* Makes a panel the present one: its block comes from one place, and the block that is here goes to
 * another. */
static void turn(struct hy_split_operand *s, int panel, int from, int to, struct hy_step *step) {
  struct hy_ring *ring = &s->ring;
  int here = block_of(s, ring->panel), next = block_of(s, panel);
  if (s->in_place || here == next) {
    ring->panel = panel;
    return;
  }
  int64_t size = (int64_t)s->problem->kernels->size;
  char *room = s->room[ring->free];
  hy_step_add(step, HY_RECV, hy_node_along(s->axis, s->node, ring->base + from),
              room + hy_ring_first(s, next) * size, hy_ring_entries(s, next) * size);
  hy_step_add(step, HY_SEND, hy_node_along(s->axis, s->node, ring->base + to),
              ring->block.data + hy_ring_first(s, here) * size, hy_ring_entries(s, here) * size);
  hy_ring_put(s, panel);
}

void hy_split_operand_rotate(struct hy_split_operand *s, int by, struct hy_step *step) {
  const struct hy_ring *ring = &s->ring;
  int panel = (ring->panel + by) % (ring->places * ring->each);
  int places = block_of(s, panel) - block_of(s, ring->panel) + ring->places;
  turn(s, panel, (ring->own + places) % ring->places,
       (ring->own - places + 2 * ring->places) % ring->places, step);
}

void hy_split_operand_exchange(struct hy_split_operand *s, int bits, struct hy_step *step) {
  int panel = s->ring.panel ^ bits;
  int peer = s->ring.own ^ block_of(s, panel) ^ block_of(s, s->ring.panel);
  turn(s, panel, peer, peer, step);
}
