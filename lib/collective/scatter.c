/* Scatter, and gather as its reverse.
 *
 *   variant   steps              words              method
 *   doubling  d                  (2^d - 1) m        the far half of the blocks first
 *   sw90-1    d                  (2^d - 1) m / d    far blocks first, over all links
 *   sw90-2    scatter_waves.c
 *   b91       ceil((2^d - 1)/d)  steps times m      whole blocks down the balanced tree
 *   b91-cut   the same           steps times m      whole blocks on the ways that the all-gather of
 *                                                   that paper has between the root and each node
 * References: Stout and Wagar 1990, DISTRIBUTE 1; Bertsekas et al. 1991, section 3.
 * All ports, except doubling.  Blocks of any lengths, also unequal.
 * Memory: each node has room for all blocks; a block that is passed on lies at its own place. */
#include "collective/variant.h"

/* Crosses the highest dimension first, so a node passes on a run of blocks. */
static hyla_status make_doubling(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out) {
  int d = generator->dims;
  for (int step = 0; step < d; step++) {
    uint32_t bit = 1u << (d - 1 - step);
    bool sends = (node & (2 * bit - 1)) == 0;
    bool receives = (node & (2 * bit - 1)) == bit;
    struct hy_piece blocks = {.block = node | bit, .run = bit, .from = 0, .to = 1};
    if (sends || receives) TRY(hy_schedule_add(out, step, bit, sends ? HY_OUT : HY_IN, blocks));
  }
  out->steps = d;
  return HYLA_OK;
}

/* Sends one of the w parts of the block of a node w hops away.  It goes hop after hop over the
 * node's set bits, upwards in a circle from the `part'-th.  (SW90, O.C. SEND 2) */
static hyla_status send_part(int d, uint32_t target, int part, uint32_t node,
                             struct hy_schedule *out) {
  int weight = hy_popcount(target);
  uint32_t unit = out->parts / (uint32_t)weight;
  struct hy_piece piece = {
      .block = target, .run = 1, .from = (uint32_t)part * unit, .to = ((uint32_t)part + 1) * unit};
  uint32_t place = 0;
  for (int hop = 0; hop < weight; hop++) {
    uint32_t bit = hy_deposit(1u << (part + hop) % weight, target);
    int step = d - weight + hop;
    if (place == node) TRY(hy_schedule_add(out, step, bit, HY_OUT, piece));
    place |= bit;
    if (place == node) TRY(hy_schedule_add(out, step, bit, HY_IN, piece));
  }
  return HYLA_OK;
}

static hyla_status make_distribute(const struct hy_generator *generator, uint32_t node,
                                   struct hy_schedule *out) {
  int d = generator->dims;
  out->parts = hy_common_multiple(d);
  out->steps = d;
  out->batch = true;
  for (uint32_t target = 1; target >> d == 0; target++) {
    if ((node & ~target) != 0) continue; /* the hops visit only nodes whose bits the target has */
    for (int part = 0; part < hy_popcount(target); part++)
      TRY(send_part(d, target, part, node, out));
  }
  return HYLA_OK;
}

/* Whole blocks go down the balanced tree.  The table holds the parents, then the steps in which the
 * root sends. */
static hyla_status make_tree(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  const uint32_t *parent = generator->table;
  const uint32_t *start = parent + ((size_t)1 << generator->dims);
  out->steps = (int)hy_ceil_div(((int64_t)1 << generator->dims) - 1, hy_max(1, generator->dims));
  for (uint32_t target = 1; target >> generator->dims == 0; target++) {
    if ((node & ~target) != 0) continue;
    struct hy_piece piece = {.block = target, .run = 1, .from = 0, .to = 1};
    uint32_t place = target;
    /* From the target upwards; hop h, counted from 0 at the root, is in step start + h. */
    for (int hop = hy_popcount(target) - 1; hop >= 0; place = parent[place], hop--) {
      int step = (int)start[target] + hop;
      uint32_t bit = place ^ parent[place];
      if (place == node) TRY(hy_schedule_add(out, step, bit, HY_IN, piece));
      if (parent[place] == node) TRY(hy_schedule_add(out, step, bit, HY_OUT, piece));
    }
  }
  return HYLA_OK;
}

/* The root serves the farthest nodes of each subtree first. */
static void set_starts(int d, const uint8_t *subtree, uint32_t *start) {
  int64_t next[HYLA_DIMS_MAX] = {0};
  for (int weight = d; weight > 0; weight--)
    for (uint32_t node = 1; node >> d == 0; node++)
      if (hy_popcount(node) == weight) start[node] = (uint32_t)next[subtree[node]]++;
}

static struct hy_form form_b91(const struct hy_collective *c) {
  int64_t d = c->dims;
  int64_t others = ((int64_t)1 << d) - 1;
  int64_t steps = hy_ceil_div(others, d);
  return (struct hy_form){steps, {steps, 1}, d << (d - 1), 1};
}

static hyla_status build_b91(const struct hy_collective *c, struct hy_recipe *recipe) {
  int d = c->dims;
  int64_t nodes = (int64_t)1 << d;
  uint32_t *parent = NULL;
  uint8_t *subtree = NULL;
  TRY(hy_recipe_table(recipe, 2 * nodes, sizeof *parent, &parent));
  TRY(hy_alloc(recipe->base, nodes, sizeof *subtree, &subtree));
  hy_balanced_tree(d, parent, subtree);
  set_starts(d, subtree, parent + nodes);
  hy_free(recipe->base, &subtree);
  hy_recipe_add(recipe, c, make_tree, parent);
  return HYLA_OK;
}

/* The all-gather by rotation classes (allgather.c) brings each node's block to the root; with time
 * reversed these ways lead from the root to each node.  A block that goes over the bits b1, b2, ...
 * of the tree's node `target' there goes back over them from the last one, and a step's links over
 * one dimension are at different nodes.  The table holds the tree's order, then each node's place
 * in it.  No way has a detour, since a node's parent in that tree is the node without one of its
 * bits. */
static hyla_status make_cut(const struct hy_generator *generator, uint32_t node,
                            struct hy_schedule *out) {
  const int d = generator->dims;
  const uint32_t nodes = 1u << d;
  const uint32_t *number = (const uint32_t *)generator->table + nodes;
  out->steps = (int)hy_ceil_div((int64_t)nodes - 1, hy_max(1, d));
  for (uint32_t target = 1; target < nodes; target++) {
    if ((node & ~target) != 0) continue;
    const struct hy_piece piece = {.block = target, .run = 1, .from = 0, .to = 1};
    for (uint32_t left = target, place = 0; left != 0;) {
      const uint32_t turn = number[left] - 1, bit = 1u << turn % (uint32_t)d;
      const int step = out->steps - 1 - (int)(turn / (uint32_t)d);
      if (place == node) TRY(hy_schedule_add(out, step, bit, HY_OUT, piece));
      place |= bit;
      left ^= bit;
      if (place == node) TRY(hy_schedule_add(out, step, bit, HY_IN, piece));
    }
  }
  return HYLA_OK;
}

static hyla_status build_cut(const struct hy_collective *c, struct hy_recipe *recipe) {
  const int d = c->dims;
  const uint32_t nodes = 1u << d;
  uint32_t *order = NULL;
  TRY(hy_recipe_table(recipe, 2 * (int64_t)nodes, sizeof *order, &order));
  hy_rotation_order(d, order);
  for (uint32_t n = 0; n < nodes; n++) order[nodes + order[n]] = n;
  hy_recipe_add(recipe, c, make_cut, order);
  return HYLA_OK;
}

static struct hy_form form_doubling(const struct hy_collective *c) {
  int64_t d = c->dims;
  int64_t others = ((int64_t)1 << d) - 1;
  return (struct hy_form){d, {others, 1}, others, 1};
}

static struct hy_form form_sw90_1(const struct hy_collective *c) {
  int64_t d = c->dims;
  return (struct hy_form){d, {((int64_t)1 << d) - 1, hy_max(1, d)}, 0, hy_common_multiple((int)d)};
}

const struct hy_collective_variant hy_scatter_doubling = {
    .base = {.name = "doubling", .reference = "stout-wagar-1990, section 5 (Saad and Schultz)"},
    .task = HY_TASK_SCATTER,
    .formula = "(2^d-1) tau m + d beta",
    .machine = {.one_port = true},
    .make = make_doubling,
    .form = form_doubling,
};

const struct hy_collective_variant hy_scatter_sw90_1 = {
    .base = {.name = "sw90-1", .reference = "stout-wagar-1990, DISTRIBUTE 1"},
    .task = HY_TASK_SCATTER,
    .formula = "(2^d-1)/d tau m + d beta",
    .make = make_distribute,
    .form = form_sw90_1,
};

const struct hy_collective_variant hy_scatter_b91 = {
    .base = {.name = "b91", .reference = "bertsekas-1991, section 3"},
    .task = HY_TASK_SCATTER,
    .formula = "ceil((2^d-1)/d) (tau m + beta), d 2^(d-1) transmissions",
    .build = build_b91,
    .form = form_b91,
};

const struct hy_collective_variant hy_scatter_b91_cut = {
    .base = {.name = "b91-cut",
             .reference = "bertsekas-1991, section 3 (out of the multinode broadcast)"},
    .task = HY_TASK_SCATTER,
    .formula = "ceil((2^d-1)/d) (tau m + beta), d 2^(d-1) transmissions",
    .build = build_cut,
    .form = form_b91,
};
