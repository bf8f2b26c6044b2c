/* All-gather, and reduce-scatter as its reverse.
 *
 *   variant   steps              words            method
 *   doubling  d                  (2^d - 1) m      recursive doubling
 *   sw90      d                  (2^d - 1) m / d  BROADCAST 2 of all nodes at once
 *   b91       ceil((2^d - 1)/d)  steps times m    rotation classes, whole blocks
 *   v92       2 d + M - 1 - popcount(M - 1)       d classes of whole blocks, packed and
 *             with M = ceil(2^d / d)              spread (no more than 2 d + M - 1)
 *   successive 2 (2^d - 1) + d  steps times m    broadcasts along binomial trees from the
 *                                                nodes in the order of the Gray code; one
 *                                                begins every second step
 * References: Stout and Wagar 1990, COMPLETE BROADCAST and HISTOGRAM; Bertsekas et al. 1991,
 * section 2; Varvarigos 1992, 3.6.3; Johnsson 1987, lemma 3.5 (successive: every node gets the
 * blocks in the order in which they begin).
 * All ports, except doubling.  Blocks of any lengths, also unequal (b91, v92, successive: a step is
 * as long as the longest block).  Memory: the result. */
#include "collective/variant.h"

static hyla_status build_sw90(const struct hy_collective *c, struct hy_recipe *recipe) {
  hy_recipe_push(recipe, (struct hy_generator){hy_doubling_broadcast, .dims = c->dims});
  hy_recipe_push(recipe, hy_symmetrize(hy_recipe_top(recipe)));
  hy_recipe_push(recipe, hy_complete(hy_recipe_top(recipe), true));
  return HYLA_OK;
}

/* The broadcast of one node along the rotation order.  The links of a step all have different
 * dimensions, so copies shifted by XOR never meet on a link. */
static hyla_status rotation_broadcast(const struct hy_generator *generator, uint32_t node,
                                      struct hy_schedule *out) {
  const uint32_t *order = generator->table;
  int d = generator->dims;
  struct hy_piece piece = {.run = 1, .from = 0, .to = 1};
  for (uint32_t n = 1; n >> d == 0; n++) {
    uint32_t bit = 1u << (n - 1) % (uint32_t)d;
    int step = (int)((n - 1) / (uint32_t)d);
    out->steps = step + 1;
    if (order[n] == node) TRY(hy_schedule_add(out, step, bit, HY_IN, piece));
    if (order[n] == (node ^ bit)) TRY(hy_schedule_add(out, step, bit, HY_OUT, piece));
  }
  return HYLA_OK;
}

static hyla_status build_b91(const struct hy_collective *c, struct hy_recipe *recipe) {
  int d = c->dims;
  uint32_t *order = NULL;
  TRY(hy_recipe_table(recipe, (int64_t)1 << d, sizeof *order, &order));
  hy_rotation_order(d, order);
  hy_recipe_push(recipe, (struct hy_generator){rotation_broadcast, .dims = d, .table = order});
  hy_recipe_push(recipe, hy_complete(hy_recipe_top(recipe), false));
  return HYLA_OK;
}

static hyla_status build_v92(const struct hy_collective *c, struct hy_recipe *recipe) {
  return hy_push_partial(c, recipe, NULL, false);
}

/* The tree of the i-th root begins in step 2 i.  A node that differs from that root in w bits gets
 * the block over the highest of these bits, w steps later. */
static hyla_status successive(const struct hy_generator *generator, uint32_t node,
                              struct hy_schedule *out) {
  int d = generator->dims;
  for (uint32_t i = 0; i >> d == 0; i++) {
    uint32_t root = hy_gray(i), mine = node ^ root;
    struct hy_piece piece = {.block = root, .run = 1, .from = 0, .to = 1};
    int here = 2 * (int)i + hy_popcount(mine); /* the first step in which the block can leave */
    if (mine != 0)
      TRY(hy_schedule_add(out, here - 1, mine ^ hy_binomial_parent(mine), HY_IN, piece));
    for (uint32_t bit = 1; bit >> d == 0; bit <<= 1)
      if (bit > mine) TRY(hy_schedule_add(out, here, bit, HY_OUT, piece));
    out->steps = 2 * (int)i + d;
  }
  return HYLA_OK;
}

/* On one dimension nothing is sent in the step between the two broadcasts. */
static struct hy_form form_successive(const struct hy_collective *c) {
  int64_t d = c->dims, nodes = (int64_t)1 << d;
  int64_t steps = d == 1 ? 2 : 2 * (nodes - 1) + d;
  return (struct hy_form){steps, {steps, 1}, nodes * (nodes - 1), 1};
}

static struct hy_form form_v92(const struct hy_collective *c) {
  int64_t nodes = (int64_t)1 << c->dims;
  struct hy_ratio time = hy_partial_time(c->dims, 3, (uint32_t)nodes);
  if (c->dims == 1) time.num = 1; /* both nodes are in place */
  return (struct hy_form){time.num, time, nodes * (nodes - 1), 1};
}

static struct hy_form form_doubling(const struct hy_collective *c) {
  int64_t d = c->dims;
  int64_t nodes = (int64_t)1 << d;
  return (struct hy_form){d, {nodes - 1, 1}, nodes * d, 1};
}

static struct hy_form form_sw90(const struct hy_collective *c) {
  int64_t d = c->dims;
  int64_t nodes = (int64_t)1 << d;
  return (struct hy_form){d, {nodes - 1, hy_max(1, d)}, nodes * d * d, hy_max(1, d)};
}

static struct hy_form form_b91(const struct hy_collective *c) {
  int64_t d = c->dims;
  int64_t nodes = (int64_t)1 << d;
  int64_t steps = hy_ceil_div(nodes - 1, d);
  return (struct hy_form){steps, {steps, 1}, nodes * (nodes - 1), 1};
}

const struct hy_collective_variant hy_allgather_doubling = {
    .base = {.name = "doubling",
             .reference = "stout-wagar-1990, section 8 (one dimension at a time)"},
    .task = HY_TASK_ALLGATHER,
    .formula = "(2^d-1) tau m + d beta",
    .machine = {.one_port = true},
    .make = hy_doubling_allgather,
    .form = form_doubling,
    .on_stack = true,
};

const struct hy_collective_variant hy_allgather_sw90 = {
    .base = {.name = "sw90", .reference = "stout-wagar-1990, COMPLETE BROADCAST"},
    .task = HY_TASK_ALLGATHER,
    .formula = "(2^d-1)/d tau m + d beta",
    .build = build_sw90,
    .form = form_sw90,
};

const struct hy_collective_variant hy_allgather_b91 = {
    .base = {.name = "b91", .reference = "bertsekas-1991, section 2"},
    .task = HY_TASK_ALLGATHER,
    .formula = "ceil((2^d-1)/d) (tau m + beta), 2^d (2^d-1) transmissions",
    .build = build_b91,
    .form = form_b91,
};

const struct hy_collective_variant hy_allgather_v92 = {
    .base = {.name = "v92", .reference = "varvarigos-1992, section 3.6.3"},
    .task = HY_TASK_ALLGATHER,
    .formula = "(2d + M-1 - popcount(M-1)) (tau m + beta), d > 1, M = ceil(2^d/d); "
               "tau m + beta, d = 1",
    .build = build_v92,
    .form = form_v92,
};

const struct hy_collective_variant hy_allgather_successive = {
    .base = {.name = "successive", .reference = "johnsson-1987, lemma 3.5"},
    .task = HY_TASK_ALLGATHER,
    .formula = "(2 (2^d-1) + d)(tau m + beta), d > 1; 2 (tau m + beta), d = 1, "
               "2^d (2^d-1) transmissions",
    .make = successive,
    .form = form_successive,
};
