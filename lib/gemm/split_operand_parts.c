/* Rotations of an operand in parts.  See split_operand.h.
 *
 * Part p of a block travels by itself, without gaps: its pieces of the block's panels, one after
 * another.  While a part arrives in one workspace, the present part stays in the other. */
#include "gemm/split_operand_body.h"

/* Where part p of a panel of the given width begins. */
static int64_t cut(const struct hy_split_operand *s, int64_t width, int p) {
  return width * p / s->parts.count;
}

static struct hy_indices part_of(const struct hy_split_operand *s, int panel, int p) {
  const struct hy_indices k = hy_split_operand_panel(s, panel);
  int64_t from = cut(s, k.count, p);
  return hy_interval(k.first + from, cut(s, k.count, p + 1) - from);
}

/* The first panel of the block that contains a panel. */
static int block_of(const struct hy_split_operand *s, int panel) { return panel & -s->ring.each; }

/* The entries of part p of the panels first ... last-1. */
static int64_t entries_of(const struct hy_split_operand *s, int first, int last, int p) {
  int64_t sum = 0;
  for (int panel = first; panel < last; panel++) sum += part_of(s, panel, p).count;
  return sum * s->beside.count;
}

/* Part p of a panel of its block, in one of the workspaces. */
static char *place_of(const struct hy_split_operand *s, bool second, int panel, int p) {
  int64_t entries = p * (s->entries / s->parts.count);
  entries += entries_of(s, block_of(s, panel), panel, p);
  return s->room[second] + entries * (int64_t)s->problem->kernels->size;
}

static int64_t ld_of(const struct hy_split_operand *s, int panel, int p) {
  return hy_max(1, s->rows ? part_of(s, panel, p).count : s->beside.count);
}

static bool is_second(const struct hy_split_operand *s, int p) {
  return (s->parts.second >> p & 1) != 0;
}

/* Part p of a panel in the node's own block, with which it begins. */
static struct hy_panel in_own_block(const struct hy_split_operand *s, int panel, int p) {
  const struct hy_panel own = hy_panel_own(&s->factor);
  int part = s->ring.base + s->ring.own;
  return hy_split_operand_at(s, &own, hy_axis_before(s->axis, part, part_of(s, panel, p).first));
}

static void begin(struct hy_split_operand *s) {
  const struct hy_reach all = {0, s->beside.count};
  int first = hy_split_operand_first(s);
  s->parts.second = 0;
  for (int p = 0; p < s->parts.count; p++) {
    s->parts.panel[p] = first;
    for (int panel = first; panel < first + s->ring.each && s->rooms > 0; panel++) {
      const struct hy_panel own = in_own_block(s, panel, p);
      hy_split_operand_copy(s, &own, part_of(s, panel, p).count, &all, place_of(s, false, panel, p),
                            ld_of(s, panel, p));
    }
  }
}

static const struct hy_split_operand_use PARTS = {.begin = begin};

void hy_split_operand_in_parts(struct hy_split_operand *s, int parts) {
  const struct hy_ring *ring = &s->ring;
  s->use = &PARTS;
  s->parts.count = parts;
  s->in_place = false;
  s->rooms = ring->places == 1 ? 0 : 2;
  s->entries = hy_ceil_div(ring->width, parts) * ring->each * s->beside.count * parts;
}

struct hy_indices hy_split_operand_part_indices(const struct hy_split_operand *s, int p) {
  return part_of(s, s->parts.panel[p], p);
}

struct hy_panel hy_split_operand_part_here(const struct hy_split_operand *s, int p) {
  int panel = s->parts.panel[p];
  if (s->rooms == 0) return in_own_block(s, panel, p);
  return (struct hy_panel){place_of(s, is_second(s, p), panel, p), ld_of(s, panel, p), HYLA_NONE};
}

void hy_split_operand_part_exchange(struct hy_split_operand *s, int p, int bits,
                                    struct hy_step *step) {
  const struct hy_ring *ring = &s->ring;
  int panel = s->parts.panel[p] ^ bits;
  int here = block_of(s, s->parts.panel[p]), next = block_of(s, panel);
  s->parts.panel[p] = panel;
  if (here == next) return;
  int64_t size = (int64_t)s->problem->kernels->size;
  int peer = hy_node_along(s->axis, s->node, ring->base + (ring->own ^ (here ^ next) / ring->each));
  bool second = is_second(s, p);
  hy_step_add(step, HY_RECV, peer, place_of(s, !second, next, p),
              entries_of(s, next, next + ring->each, p) * size);
  hy_step_add(step, HY_SEND, peer, place_of(s, second, here, p),
              entries_of(s, here, here + ring->each, p) * size);
  s->parts.second ^= UINT32_C(1) << p;
}
