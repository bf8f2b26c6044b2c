/* Permutations on arrays and tori that keep the order of the nodes, and packing.
 *
 * Method: the messages are packed on the first nodes, in the order of their nodes, along the last
 * axis, then the one before it, and so on; then they are unpacked, along the first axis first.
 * Messages move straight, all at once, and end an axis at different nodes, so no two share a link.
 * A message whose target is its own node stays out.  If all targets are the first nodes, packing is
 * all.
 * Example, array:3x3, nodes 1, 5 and 6 to nodes 0, 1 and 2: their points (0, 1), (1, 2) and (2, 0)
 * move along the last axis to (0, 0), (1, 1) and (2, 2), then along the first to (0, 0), (0, 1) and
 * (0, 2).
 * Reference: Varvarigos 1992, 3.3, theorems 3 (packing) and 4 (monotone routing).
 * Steps: the sum of (side - 1) for packing, twice that with unpacking.
 * Restriction: messages of equal length.
 * Memory: blocks for messages that pass through. */
#include "collective/mesh.h"

/* A message under way. */
struct mover {
  uint32_t at, source, target, block;
  uint32_t goal; /* of this half */
  bool moves;    /* in this step, */
  bool up;       /* that way */
};

struct movers {
  struct hy_base *base;
  const struct hy_network *network;
  struct mover *mover;
  int64_t count;
  struct hy_rooms rooms;
  int step;
};

/* One step along an axis: the messages that are not yet at their goals leave, then they come in. */
static void step_along(struct movers *m, int axis) {
  for (int64_t i = 0; i < m->count; i++) {
    struct mover *it = &m->mover[i];
    uint32_t point[HY_NETWORK_AXES], goal[HY_NETWORK_AXES];
    hy_network_point(m->network, it->at, point);
    hy_network_point(m->network, it->goal, goal);
    it->moves = point[axis] != goal[axis];
    it->up = goal[axis] > point[axis];
    if (!it->moves) continue;
    hy_rooms_leave(&m->rooms, it->at, m->step, hy_line_across(m->network, axis, it->up), it->block);
    point[axis] += it->up ? 1 : UINT32_MAX;
    it->at = hy_network_node(m->network, point);
  }
  for (int64_t i = 0; i < m->count; i++) {
    struct mover *it = &m->mover[i];
    if (!it->moves) continue;
    const bool stays = it->at == it->target && it->goal == it->target;
    it->block = hy_rooms_enter(&m->rooms, it->at, m->step,
                               hy_line_across(m->network, axis, !it->up), stays, 0);
  }
  m->step++;
}

static void move_all(struct movers *m) {
  const int axes = m->network->axes;
  bool packed = true;
  for (int64_t i = 0; i < m->count; i++) {
    m->mover[i].goal = (uint32_t)i;
    packed = packed && m->mover[i].target == i;
    hy_rooms_fill(&m->rooms, m->mover[i].source, 0);
  }
  for (int axis = axes; axis-- > 0;)
    for (uint32_t k = 1; k < m->network->side[axis]; k++) step_along(m, axis);
  for (int64_t i = 0; i < m->count; i++) m->mover[i].goal = m->mover[i].target;
  for (int axis = 0; axis < axes && !packed; axis++)
    for (uint32_t k = 1; k < m->network->side[axis]; k++) step_along(m, axis);
  m->rooms.out->found.steps = m->step;
  for (int out = 1; out >= 0; out--)
    for (int64_t i = 0; i < m->count; i++)
      hy_rooms_settle(&m->rooms, m->mover[i].at, out == 1, m->mover[i].block, 0);
}

static hyla_status find(struct hy_base *base, const struct hy_collective *c,
                        struct hy_found **found) {
  const uint32_t nodes = c->network->nodes;
  struct movers m = {.base = base, .network = c->network};
  TRY(hy_alloc(base, nodes, sizeof *m.mover, &m.mover));
  for (uint32_t node = 0; node < nodes; node++)
    if (c->to[node] >= 0 && c->to[node] != (int32_t)node)
      m.mover[m.count++] =
          (struct mover){.at = node, .source = node, .target = (uint32_t)c->to[node]};
  hyla_status status = hy_rooms_create(base, m.mover, nodes, 1, m.count,
                                       2 * m.count * hy_mesh_length(m.network), &m.rooms);
  if (status == HYLA_OK) move_all(&m);
  hy_free(base, &m.mover);
  if (m.rooms.out != NULL) *found = &m.rooms.out->found;
  return status;
}

static const char *serves(const struct hy_collective *c) {
  int32_t last = -1;
  for (uint32_t node = 0; node < c->network->nodes; node++) {
    if (c->to[node] < 0) continue;
    if (c->to[node] <= last) return "it keeps the order of the nodes";
    last = c->to[node];
  }
  return NULL;
}

const struct hy_collective_variant hy_permute_monotone = {
    .base = {.name = "monotone", .reference = "varvarigos-1992, chapter 3, theorems 3 and 4"},
    .applies = serves,
    .task = HY_TASK_PERMUTE,
    .networks = HY_ON_MESHES,
    .formula = "2 L (tau m + beta), L = sum of (p-1); L (tau m + beta) to the first nodes",
    .make = hy_matching_schedule,
    .find = find,
};
