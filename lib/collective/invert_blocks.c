/* Transposition by blocks: node (a, b) of a square array and node (b, a) swap their words.  It
 * serves any pairs of dimensions that change places, one bit of a and one of b each.
 *
 * Method: the nodes whose a and b differ in the same k places form a logical k-cube.  Each of its
 * links is two paths of two hops, over a row bit and a column bit in either order.  Transposing is
 * inversion in that cube: part r of k crosses logical dimension r + stage.  Half of each part goes
 * by each path, in p packets one behind the other.  No two logical cubes share a directed link.  So
 * each has the p that is best for its k, and packets leave as soon as they can.
 * 4 nodes, a the high bit: nodes 1 and 2 swap (k = 1).  Node 1 sends half by 3, half by 0.
 * transpose-stages is the plain form: in the slowest logical cube, that of all K pairs, a logical
 * dimension is crossed by O.C. SEND 4 in two dimensions, in g groups, and the next one afterwards.
 * Smaller cubes have time enough for the pipeline, in packets no longer than m / (2 K g).
 * Reference: Stout and Wagar 1990, MATRIX TRANSPOSITION (L.C. INVERSION), section 7.2.
 * Time: the longest of (k p + 1) packets of m / (2 k p) words; transpose-stages K (g + 1) packets
 * of m / (2 K g).  All ports.  Memory: in place, and two blocks for packets on their way.
 * Restriction: p is at least 2 for k > 1, because an arriving packet is sent on two steps later;
 * exact when 2 k p divides m for the slowest k; transpose-stages when 2 K g does. */
#include "collective/papers.h"

/* p for nodes that differ in k places. */
static int packets(const struct hy_collective *c, int k) {
  struct hy_stage stage = {.each = k, .once = 1, .parts = 2 * k};
  int least = k > 1 ? 2 : 1;
  int best = hy_best_groups(c, c->blocks.words, &stage, 1);
  if (c->groups > 0) best = (int)hy_ceil_div(c->groups, k);
  return (int)hy_max(least, hy_min(best, HY_GROUPS_MAX / k));
}

static int parts_of(const struct hy_routing *routing, uint32_t source) {
  int k = hy_popcount(hy_pairs_differ(&routing->pairs, source));
  return 2 * k * routing->packets[k];
}

/* Part (r, h, q): rotation r of the k places that differ, path h through each logical link, packet
 * q of p. */
static int path(const struct hy_routing *routing, uint32_t source, int part, struct hy_leg *legs) {
  uint32_t differ = hy_pairs_differ(&routing->pairs, source);
  int k = hy_popcount(differ);
  if (k == 0) return 0;
  int p = routing->packets[k];
  int q = part % p, h = part / p % 2, r = part / p / 2;
  for (int stage = 0; stage < k; stage++) {
    int pair = hy_lowest(hy_deposit(1u << (r + stage) % k, differ));
    uint32_t column = 1u << routing->pairs.low[pair], row = 1u << routing->pairs.high[pair];
    legs[2 * stage] = (struct hy_leg){stage * p + q, h == 0 ? row : column};
    legs[2 * stage + 1] = (struct hy_leg){stage * p + q + 1, h == 0 ? column : row};
  }
  return 2 * k;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_routing routing = {
      .parts_of = parts_of, .direct = true, .path = path, .pairs = hy_pairs_of(c)};
  for (int k = 1; k <= routing.pairs.count; k++) {
    routing.packets[k] = packets(c, k);
    routing.parts = (int)hy_max(routing.parts, 2 * k * routing.packets[k]);
    routing.steps = (int)hy_max(routing.steps, k * routing.packets[k] + 1);
  }
  return hy_push_routing(c, recipe, routing);
}

/* The form of the slowest k. */
static struct hy_form form(const struct hy_collective *c) {
  const int count = hy_pairs_of(c).count;
  struct hy_form slowest = {0, {0, 1}, 0, 1};
  for (int k = 1; k <= count; k++) {
    const int64_t s = k * packets(c, k);
    slowest = hy_form_slower(c, slowest, (struct hy_form){s + 1, {s + 1, 2 * s}, 0, 2 * s});
  }
  return slowest;
}

/* Each j has the p that is best for it. */
static void letters(const struct hy_collective *c, struct hy_text *text) {
  int count = hy_pairs_of(c).count;
  if (c->groups > 0 || count == 0) return;
  hy_text_add(text, ", p =");
  for (int j = 1; j <= count; j++) hy_text_add(text, " %d", packets(c, j));
  hy_text_add(text, " for j = 1 ... k");
}

/* ---------------------------------------------------- without a pipeline -- */

/* The same parts as in `path'.  A logical dimension takes g + 1 steps in the largest cube. */
static int path_in_stages(const struct hy_routing *routing, uint32_t source, int part,
                          struct hy_leg *legs) {
  const int count = path(routing, source, part, legs);
  if (count < 2 * routing->pairs.count) return count;
  for (int leg = 0; leg < count; leg++) legs[leg].step += leg / 2;
  return count;
}

static int groups_of(const struct hy_collective *c, int pairs) {
  const struct hy_stage stage = {.each = pairs, .once = pairs, .parts = 2 * pairs};
  return (int)hy_min(hy_best_groups(c, c->blocks.words, &stage, 1), HY_GROUPS_MAX / pairs);
}

static hyla_status build_stages(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_routing routing = {
      .parts_of = parts_of, .direct = true, .path = path_in_stages, .pairs = hy_pairs_of(c)};
  const int all = routing.pairs.count, g = all > 0 ? groups_of(c, all) : 0;
  for (int k = 1; k <= all; k++) {
    routing.packets[k] = (int)hy_ceil_div((int64_t)all * g, k);
    routing.parts = (int)hy_max(routing.parts, 2 * k * routing.packets[k]);
  }
  routing.steps = all * (g + 1);
  return hy_push_routing(c, recipe, routing);
}

static struct hy_form form_stages(const struct hy_collective *c) {
  const int64_t k = hy_pairs_of(c).count;
  if (k == 0) return (struct hy_form){0, {0, 1}, 0, 1};
  const int64_t g = groups_of(c, (int)k);
  return (struct hy_form){k * (g + 1), {g + 1, 2 * g}, 0, 2 * k * g};
}

const struct hy_collective_variant hy_permute_transpose_stages = {
    .base = {.name = "transpose-stages", .reference = "stout-wagar-1990, section 7.2"},
    .applies = hy_is_transposition,
    .task = HY_TASK_PERMUTE,
    .formula = "(g+1)(tau m / (2 g) + k beta), k > 0",
    .ragged = true,
    .sends = hy_transposed,
    .build = build_stages,
    .form = form_stages,
};

const struct hy_collective_variant hy_permute_transpose = {
    .base = {.name = "transpose", .reference = "stout-wagar-1990, MATRIX TRANSPOSITION"},
    .applies = hy_is_transposition,
    .task = HY_TASK_PERMUTE,
    .formula =
        "max(j = 1 ... k: (j p + 1)(tau m / (2 j p) + beta)), p = max(min(j, 2), ceil(g / j))",
    .ragged = true,
    .asynchronous = true,
    .sends = hy_transposed,
    .build = build,
    .form = form,
    .letters = letters,
};
