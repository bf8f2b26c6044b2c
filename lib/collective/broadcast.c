/* Broadcast, and reduction as its reverse.
 *
 * Reference: Stout and Wagar 1990, BROADCAST 1, 2, 3A, 3B, 4.
 *   variant   steps      words          method
 *   doubling  d          d m            recursive doubling
 *   sw90-2    d          m              d rotated copies of it, on 1/d each
 *   sw90-3a   d + 1      (d + 1) m / d  d disjoint trees
 *   sw90-3b   d          m              3A, its last stage replaced by a second wave
 *   sw90-4    d + g - 1  (d + g - 1) m / (d g)   3A pipelined, 3B for the last group
 * All ports, except doubling.  Any length, any root.  Memory: the message. */
#include "collective/variant.h"

static struct hy_piece slice(int i) {
  return (struct hy_piece){.run = 1, .from = (uint32_t)i, .to = (uint32_t)i + 1};
}

/* The node with all bits but bit i; 3B serves it by its second wave. */
static uint32_t without(int dims, int tree) { return ((1u << dims) - 1) ^ 1u << tree; }

/* Is the node on the path of packet `tree' in the second wave?  That wave is 3A one stage later
 * with packet Q_j = P_(j+1).  So P_tree runs down the tree of tree - 1, to the one node that the
 * left-out stage would have served. */
static bool on_second_wave(int dims, int tree, uint32_t node) {
  int second = (tree + dims - 1) % dims;
  for (uint32_t place = without(dims, tree); place != 0;
       place = hy_disjoint_parent(dims, second, place))
    if (place == node) return true;
  return false;
}

struct hy_arrival hy_wave_arrival(int dims, bool second_wave, int tree, uint32_t node) {
  if (!second_wave || !on_second_wave(dims, tree, node))
    return (struct hy_arrival){hy_disjoint_parent(dims, tree, node), hy_disjoint_stage(tree, node)};
  int second = (tree + dims - 1) % dims;
  return (struct hy_arrival){hy_disjoint_parent(dims, second, node),
                             hy_disjoint_stage(second, node) + 1};
}

static hyla_status make_waves(const struct hy_generator *generator, uint32_t node, bool second_wave,
                              struct hy_schedule *out) {
  int d = generator->dims;
  out->parts = (uint32_t)hy_max(1, d);
  out->steps = d == 0 ? 0 : second_wave || d == 1 ? d : d + 1;
  for (int tree = 0; tree < d; tree++) {
    if (node != 0) {
      struct hy_arrival mine = hy_wave_arrival(d, second_wave, tree, node);
      TRY(hy_schedule_add(out, mine.stage, mine.parent ^ node, HY_IN, slice(tree)));
    }
    for (int bit = 0; bit < d; bit++) {
      uint32_t child = node ^ 1u << bit;
      struct hy_arrival its = hy_wave_arrival(d, second_wave, tree, child);
      if (child != 0 && its.parent == node)
        TRY(hy_schedule_add(out, its.stage, 1u << bit, HY_OUT, slice(tree)));
    }
  }
  return HYLA_OK;
}

static hyla_status make_3a(const struct hy_generator *generator, uint32_t node,
                           struct hy_schedule *out) {
  return make_waves(generator, node, false, out);
}

static hyla_status make_3b(const struct hy_generator *generator, uint32_t node,
                           struct hy_schedule *out) {
  return make_waves(generator, node, true, out);
}

static hyla_status build_2(const struct hy_collective *c, struct hy_recipe *recipe) {
  hy_recipe_push(recipe, hy_symmetrize(hy_recipe_add(recipe, c, hy_doubling_broadcast, NULL)));
  return HYLA_OK;
}

static struct hy_form form_1(const struct hy_collective *c) {
  int64_t d = c->dims;
  return (struct hy_form){d, {d, 1}, ((int64_t)1 << d) - 1, 1};
}

static struct hy_form form_2(const struct hy_collective *c) {
  int64_t d = c->dims;
  return (struct hy_form){d, {d > 0, 1}, d * (((int64_t)1 << d) - 1), hy_max(1, d)};
}

static struct hy_form form_3a(const struct hy_collective *c) {
  int64_t d = c->dims;
  if (d <= 1) return form_2(c);
  return (struct hy_form){d + 1, {d + 1, d}, d * (((int64_t)1 << d) - 1), d};
}

/* The g for which (d + g - 1)(tau m / (d g) + beta) is least, unless the caller asks for
 * another. */
static int groups_of(const struct hy_collective *c) {
  int64_t d = hy_max(1, c->dims);
  struct hy_stage stage = {.each = 1, .once = d - 1, .parts = d};
  return hy_best_groups(c, hy_contract_words(c), &stage, 1);
}

static struct hy_form form_4(const struct hy_collective *c) {
  const int64_t d = c->dims, g = groups_of(c);
  return (struct hy_form){d + g - 1, {d + g - 1, d * g}, g * d * (((int64_t)1 << d) - 1), d * g};
}

static hyla_status build_4(const struct hy_collective *c, struct hy_recipe *recipe) {
  const struct hy_generator *last = hy_recipe_add(recipe, c, make_3b, NULL);
  const struct hy_generator *others = hy_recipe_add(recipe, c, make_3a, NULL);
  hy_recipe_push(recipe, hy_pipeline(others, groups_of(c), last));
  return HYLA_OK;
}

const struct hy_collective_variant hy_broadcast_doubling = {
    .base = {.name = "doubling", .reference = "stout-wagar-1990, BROADCAST 1"},
    .task = HY_TASK_BROADCAST,
    .formula = "d tau m + d beta",
    .machine = {.one_port = true},
    .ordered = true,
    .make = hy_doubling_broadcast,
    .form = form_1,
    .on_stack = true,
};

const struct hy_collective_variant hy_broadcast_sw90_2 = {
    .base = {.name = "sw90-2", .reference = "stout-wagar-1990, BROADCAST 2"},
    .task = HY_TASK_BROADCAST,
    .formula = "tau m + d beta",
    .build = build_2,
    .form = form_2,
};

const struct hy_collective_variant hy_broadcast_sw90_3a = {
    .base = {.name = "sw90-3a", .reference = "stout-wagar-1990, BROADCAST 3A"},
    .task = HY_TASK_BROADCAST,
    .formula = "(d+1)/d tau m + (d+1) beta, d > 1; tau m + beta, d = 1",
    .make = make_3a,
    .form = form_3a,
};

const struct hy_collective_variant hy_broadcast_sw90_3b = {
    .base = {.name = "sw90-3b", .reference = "stout-wagar-1990, BROADCAST 3B"},
    .task = HY_TASK_BROADCAST,
    .formula = "tau m + d beta",
    .make = make_3b,
    .form = form_2,
};

const struct hy_collective_variant hy_broadcast_sw90_4 = {
    .base = {.name = "sw90-4", .reference = "stout-wagar-1990, BROADCAST 4"},
    .task = HY_TASK_BROADCAST,
    .formula = "(d+g-1)(tau m / (d g) + beta)",
    .build = build_4,
    .form = form_4,
};
