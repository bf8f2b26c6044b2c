/* Turns of a square array of nodes: node (a, b) sends to node (~b, a), a quarter turn to the left
 * in the binary code.  More generally dimensions change places in pairs, and some bits flip.
 *
 *   variant      steps   words   method
 *   turn-rings   k       m       every pair of bits goes round its ring of four nodes by one link
 *   turn-pairs   2 k     m       some pairs swap, as in transpositions: two links, on two paths
 *
 * Method: a pair in which one bit flips moves over one link, and so does a bit that flips alone.
 * These, and the pairs that swap and differ, are the k logical dimensions of a node's way.  Part r
 * of k crosses logical dimension r + stage, so no two parts meet.  In turn-pairs a stage has two
 * steps: half of a part goes by each path of a pair, and over a link of its own in either step.
 * 4 nodes (a, b), turned to (~b, a): 0 -> 2 -> 3 -> 1 -> 0, one link each.
 * Reference: Stout and Wagar 1990, section 10, which names quarter and half turns; and INVERSION,
 * which turn-rings is when all bits flip.
 * Time: tau m + k beta; turn-pairs tau m + 2 k beta, with the k of the nodes that are farthest from
 * their targets.  In the Gray code one pair is a ring and the others swap.
 * All ports.  Memory: in place, and blocks for packets on their way.
 * Restriction: exact when k (turn-pairs: 2 k) divides m.  turn-pairs needs some bit that moves over
 * one link; without such a bit the permutation is a transposition. */
#include "collective/papers.h"

/* ------------------------------------------------------ the permutation -- */

/* Counts the pairs of dimensions that swap: those in which both bits flip, or neither. */
static int swaps_of(const struct hy_routing *routing) {
  int swaps = 0;
  for (int i = 0; i < routing->pairs.count; i++) {
    uint32_t low = routing->flips >> routing->pairs.low[i];
    uint32_t high = routing->flips >> routing->pairs.high[i];
    swaps += ((low ^ high) & 1u) == 0;
  }
  return swaps;
}

/* The logical dimensions that every node has: rings, and flipping bits outside the pairs. */
static int alone_of(const struct hy_routing *routing) {
  uint32_t single = routing->flips;
  for (int i = 0; i < routing->pairs.count; i++)
    single &= ~(1u << routing->pairs.low[i] | 1u << routing->pairs.high[i]);
  return routing->pairs.count - swaps_of(routing) + hy_popcount(single);
}

static const char *turns(const struct hy_collective *c) {
  struct hy_routing routing;
  return hy_turn_describe(c, &routing) && swaps_of(&routing) == 0
             ? NULL
             : "it swaps pairs of dimensions and flips one bit of each pair, "
               "as from node (a, b) of a square array to node (~b, a)";
}

static const char *turns_pairs(const struct hy_collective *c) {
  struct hy_routing routing;
  return hy_turn_describe(c, &routing) && (swaps_of(&routing) == 0 || alone_of(&routing) > 0)
             ? NULL
             : "it swaps pairs of dimensions and flips a bit without the other of its pair";
}

/* Quarter turns of a square array in the binary and in the Gray code.  A mirrored number differs in
 * its highest bit in Gray code.  With an odd number of dimensions the middle one stays. */
static uint32_t turned(int dims, uint32_t node) {
  int c = dims / 2;
  return hy_transposed(dims, node) ^ ((1u << c) - 1) << (dims - c);
}

static uint32_t turned_gray(int dims, uint32_t node) {
  return hy_transposed(dims, node) ^ (dims < 2 ? 0 : 1u << (dims - 1));
}

/* ------------------------------------------------------------ the paths -- */

/* The links of a logical dimension: one, or the two of a pair. */
struct crossing {
  uint32_t low, high; /* masks; 0: none */
};

/* A node's logical dimensions, in an order that all nodes with the same dimensions share. */
static int crossings_of(const struct hy_routing *routing, uint32_t source, struct crossing *list) {
  uint32_t changed = source ^ hy_turn_target(routing, source);
  int count = 0;
  for (int i = 0; i < routing->pairs.count; i++) {
    const struct crossing pair = {changed & 1u << routing->pairs.low[i],
                                  changed & 1u << routing->pairs.high[i]};
    changed &= ~(pair.low | pair.high);
    if ((pair.low | pair.high) != 0) list[count++] = pair;
  }
  for (; changed != 0; changed &= changed - 1)
    list[count++] = (struct crossing){changed & (~changed + 1), 0};
  return count;
}

static int path(const struct hy_routing *routing, uint32_t source, int part, struct hy_leg *legs) {
  struct crossing list[HYLA_DIMS_MAX];
  int k = crossings_of(routing, source, list);
  for (int stage = 0; stage < k; stage++) {
    const struct crossing *cross = &list[(part + stage) % k];
    legs[stage] = (struct hy_leg){stage, cross->low | cross->high};
  }
  return k;
}

/* Part (r, h): rotation r of k, path h. */
static int path_of_pairs(const struct hy_routing *routing, uint32_t source, int part,
                         struct hy_leg *legs) {
  struct crossing list[HYLA_DIMS_MAX];
  int k = crossings_of(routing, source, list), h = part % 2, count = 0;
  for (int stage = 0; stage < k; stage++) {
    const struct crossing *cross = &list[(part / 2 + stage) % k];
    if (cross->low == 0 || cross->high == 0) {
      legs[count++] = (struct hy_leg){2 * stage + h, cross->low | cross->high};
      continue;
    }
    legs[count++] = (struct hy_leg){2 * stage, h == 0 ? cross->high : cross->low};
    legs[count++] = (struct hy_leg){2 * stage + 1, h == 0 ? cross->low : cross->high};
  }
  return count;
}

static int parts_of(const struct hy_routing *routing, uint32_t source) {
  struct crossing list[HYLA_DIMS_MAX];
  return 2 * crossings_of(routing, source, list);
}

/* ------------------------------------------------------------- the rows -- */

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_routing routing;
  (void)hy_turn_describe(c, &routing);
  routing.direct = true;
  routing.path = path;
  routing.steps = alone_of(&routing);
  routing.parts = (int)hy_max(1, routing.steps);
  return hy_push_routing(c, recipe, routing);
}

static struct hy_form form(const struct hy_collective *c) {
  struct hy_routing routing;
  (void)hy_turn_describe(c, &routing);
  int64_t k = alone_of(&routing);
  return (struct hy_form){k, {k > 0, 1}, k * k << c->dims, hy_max(1, k)};
}

static hyla_status build_pairs(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_routing routing;
  (void)hy_turn_describe(c, &routing);
  routing.direct = true;
  routing.path = path_of_pairs;
  routing.parts_of = parts_of;
  routing.steps = 2 * (alone_of(&routing) + swaps_of(&routing));
  routing.parts = routing.steps;
  return hy_push_routing(c, recipe, routing);
}

/* The form of the slowest k. */
static struct hy_form form_pairs(const struct hy_collective *c) {
  struct hy_routing routing;
  (void)hy_turn_describe(c, &routing);
  const int alone = alone_of(&routing), most = alone + swaps_of(&routing);
  struct hy_form slowest = {0, {0, 1}, 0, 1};
  for (int64_t k = hy_max(1, alone); k <= most; k++)
    slowest = hy_form_slower(c, slowest, (struct hy_form){2 * k, {1, 1}, 0, 2 * k});
  return slowest;
}

const struct hy_collective_variant hy_permute_turn_rings = {
    .base = {.name = "turn-rings", .reference = "stout-wagar-1990, section 10"},
    .applies = turns,
    .task = HY_TASK_PERMUTE,
    .formula = "tau m + k beta, k > 0",
    .ragged = true,
    .sends = turned,
    .build = build,
    .form = form,
};

const struct hy_collective_variant hy_permute_turn_pairs = {
    .base = {.name = "turn-pairs", .reference = "stout-wagar-1990, section 10"},
    .applies = turns_pairs,
    .task = HY_TASK_PERMUTE,
    .formula = "tau m + 2 k beta, k > 0",
    .ragged = true,
    .asynchronous = true,
    .sends = turned_gray,
    .build = build_pairs,
    .form = form_pairs,
};
