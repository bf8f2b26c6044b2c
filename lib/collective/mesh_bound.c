/* Lower bounds for collectives on arrays, tori and folded cubes: no variant can take less.
 *
 * Words that must cross a set of links take at least their number divided by that of the links.
 * The sets are the links of each node; all links, for the distances of all messages; on arrays and
 * tori the links out of a slab; and on arrays of two axes those out of a box in a corner.
 * References: Varvarigos 1992, 3.2 (theorem 1), 3.4, 3.5, 7.4; the slabs and boxes of all sizes are
 * ours. */
#include "collective/mesh.h"

static void raise(struct hy_bound *bound, int64_t words, int64_t links, const char *formula) {
  if (links <= 0 || bound->words.num * links >= words * bound->words.den) return;
  bound->words = (struct hy_ratio){words, links};
  bound->formula = formula;
}

static int ports_of(const struct hy_network *network, uint32_t node) {
  int count = 0;
  for (int port = 0; port < network->ports; port++)
    count += hy_network_peer(network, node, port) >= 0;
  return count;
}

/* The words of a node's block, for blocks of one word if all are equal. */
static int64_t block_of(const struct hy_collective *c, uint32_t node) {
  const int64_t *offsets = c->blocks.offsets;
  return offsets != NULL ? offsets[node + 1] - offsets[node] : 1;
}

/* The words that each node gets or gives in broadcasts, scatters and all-gathers. */
static void bound_nodes(const struct hy_collective *c, struct hy_bound *bound) {
  const enum hy_task task = hy_task_forward(c->task);
  const bool gathers = task == HY_TASK_ALLGATHER || task == HY_TASK_PARTIAL;
  const char *formula = gathers                   ? "(blocks of other nodes) tau m / ports + beta"
                        : task == HY_TASK_SCATTER ? "(N-1) tau m / ports + beta"
                                                  : "tau m / ports + beta";
  int64_t all = 0;
  for (uint32_t x = 0; x < c->network->nodes; x++) all += hy_sends(c, x) ? block_of(c, x) : 0;
  for (uint32_t x = 0; x < c->network->nodes; x++) {
    int64_t words = task == HY_TASK_SCATTER ? block_of(c, x) : 1;
    if (gathers) words = all - (hy_sends(c, x) ? block_of(c, x) : 0);
    if (task == HY_TASK_SCATTER && x == c->root) words = all - block_of(c, x);
    raise(bound, words, ports_of(c->network, x), formula);
  }
}

/* Is the node in the box of these lengths at a corner?  Bit a of `corner': at the end of axis a. */
static bool is_inside(const struct hy_network *network, uint32_t node, const uint32_t *length,
                      uint32_t corner) {
  uint32_t point[HY_NETWORK_AXES];
  hy_network_point(network, node, point);
  for (int a = 0; a < network->axes; a++) {
    const uint32_t at = corner >> a & 1u ? network->side[a] - 1 - point[a] : point[a];
    if (at >= length[a]) return false;
  }
  return true;
}

/* Words out of a box, and into it. */
static void bound_box(const struct hy_collective *c, const uint32_t *length, uint32_t corner,
                      struct hy_bound *bound) {
  const struct hy_network *network = c->network;
  int64_t inside = 1, links = 0, senders[2] = {0, 0};
  for (int a = 0; a < network->axes; a++) inside *= length[a];
  for (int a = 0; a < network->axes; a++)
    if (length[a] < network->side[a])
      links += inside / length[a] * (hy_is_ring(network, a) ? 2 : 1);
  for (uint32_t x = 0; x < network->nodes; x++)
    senders[is_inside(network, x, length, corner)] += hy_sends(c, x);
  const int64_t outside = network->nodes - inside;
  raise(bound, senders[1] * outside, links, "(out of a box) tau m / links + beta");
  raise(bound, senders[0] * inside, links, "(into a box) tau m / links + beta");
}

static void bound_boxes(const struct hy_collective *c, struct hy_bound *bound) {
  const struct hy_network *network = c->network;
  uint32_t length[HY_NETWORK_AXES];
  if (network->kind == HY_FOLDED) return;
  for (int a = 0; a < network->axes; a++) length[a] = network->side[a];
  for (int a = 0; a < network->axes; a++) {
    for (uint32_t k = 1; k < network->side[a]; k++) {
      length[a] = k;
      bound_box(c, length, 0, bound);
    }
    length[a] = network->side[a];
  }
  if (network->kind != HY_ARRAY || network->axes != 2) return;
  for (length[0] = 1; length[0] < network->side[0]; length[0]++)
    for (length[1] = 1; length[1] < network->side[1]; length[1]++)
      for (uint32_t corner = 0; corner < 4; corner++) bound_box(c, length, corner, bound);
}

/* Messages for all nodes, or for one. */
static void bound_messages(const struct hy_collective *c, struct hy_bound *bound) {
  const struct hy_network *network = c->network;
  const uint32_t nodes = network->nodes;
  bound->farthest = 0;
  for (uint32_t x = 0; x < nodes; x++) {
    if (!hy_sends(c, x)) continue;
    const bool one = c->task == HY_TASK_PERMUTE;
    for (uint32_t y = one ? (uint32_t)c->to[x] : 0; y < nodes; y++) {
      const int distance = hy_network_distance(network, x, y);
      bound->packets += distance;
      bound->farthest = hy_max(bound->farthest, distance);
      if (one) break;
    }
    if (!one) raise(bound, nodes - 1, ports_of(network, x), "(N-1) tau m / ports + beta");
  }
  raise(bound, bound->packets, hy_network_links(network), "(all distances) tau m / links + beta");
  if (c->task != HY_TASK_PERMUTE) bound_boxes(c, bound);
}

struct hy_bound hy_network_collective_bound(const struct hy_collective *c) {
  const struct hy_network *network = c->network;
  const int64_t others = (int64_t)network->nodes - 1;
  const enum hy_task task = hy_task_forward(c->task);
  struct hy_bound bound = {.words = {0, 1},
                           .formula = "0",
                           .reference = "varvarigos-1992, chapter 3",
                           .farthest = hy_network_diameter(network)};
  if (network->kind == HY_FOLDED) bound.reference = "varvarigos-1992, section 7.4";
  if (others == 0) return bound;
  if (task >= HY_TASK_EXCHANGE) {
    bound_messages(c, &bound);
    return bound;
  }
  bound_nodes(c, &bound);
  if (hy_task_rooted(task)) bound.farthest = 0;
  for (uint32_t x = 0; x < network->nodes && hy_task_rooted(task); x++) {
    const int distance = hy_network_distance(network, c->root, x);
    bound.farthest = hy_max(bound.farthest, distance);
    bound.packets += task == HY_TASK_SCATTER && block_of(c, x) > 0 ? distance : 0;
  }
  if (task == HY_TASK_BROADCAST) bound.packets = others;
  for (uint32_t x = 0; x < network->nodes && task == HY_TASK_ALLGATHER; x++)
    bound.packets += block_of(c, x) > 0 ? others : 0;
  if (task == HY_TASK_PARTIAL) bound.packets = others * hy_active_count(c);
  return bound;
}
