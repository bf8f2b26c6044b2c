/* Collectives on folded cubes: d-cubes with a link more from each node to its complement.
 *
 *   v92-folded     all-gather: any d of the d + 1 kinds of links span the cube.  Each block is cut
 *                  in d + 1 parts, and part c is doubled over the links c, c + 1, ..., d of them,
 *                  the complement's being number d
 *   v92-folded     exchange: whole messages on shortest ways, coloured as on the cube (isotropic.c)
 *   greedy-folded  exchange: the same ways, each link taking the first message that waits for it
 *
 * Messages to more than d/2 other bits go over the complement's link and flip the bits that remain.
 * If d is odd, those to (d + 1)/2 bits can go either way.  The tags that are rotations of one
 * another share out evenly over the d dimensions, and there are d of them.  So half of these
 * orbits, rounded down, take the complement's link.
 * Example, d = 2, all-gather: a block has 3 parts; part 0 is doubled over bit 0 and bit 1, part 1
 * over bit 1 and the complement, part 2 over the complement and bit 0.  A link carries one part in
 * the first step and two in the second, a block in all.
 * Reference: Varvarigos 1992, 7.4, which does not say which tags take which way if d is odd.
 * Steps: all-gather d, of (2^d - 1) / (d + 1) blocks in all, the bound of a node's ports; exchange
 * 2^(d-1) - C(d, ceil(d/2))/2, rounded up, the bound of all links; greedy-folded ceil(d/2) - 1
 * more at most.
 * Memory: all-gather the result, exchange in place. */
#include "collective/mesh.h"

/* The bits that flip when a message crosses the link. */
static uint32_t flip_of(int dims, int port) { return port < dims ? 1u << port : (1u << dims) - 1; }

/* ----------------------------------------------------------- all-gather -- */

/* Adds a packet with the class's part of each block that node `at' holds after `known' steps: its
 * own, and those of all nodes that it reaches over some of the first `known' links of the class. */
static hyla_status add_blocks(struct hy_schedule *out, int dims, int class, int known, uint32_t at,
                              uint32_t across, enum hy_action action) {
  for (uint32_t i = 0; i >> known == 0; i++) {
    struct hy_piece piece = {
        .block = at, .run = 1, .from = (uint32_t) class, .to = (uint32_t) class + 1};
    for (int l = 0; l < known; l++)
      if (i >> l & 1u) piece.block ^= flip_of(dims, (class + l) % (dims + 1));
    TRY(hy_schedule_add(out, known, across, action, piece));
  }
  return HYLA_OK;
}

static hyla_status make_allgather(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out) {
  const int d = generator->dims;
  out->parts = (uint32_t)d + 1;
  for (int class = 0; class <= d; class ++)
    for (int step = 0; step < d; step++) {
      const int port = (class + step) % (d + 1);
      TRY(add_blocks(out, d, class, step, node, 1u << port, HY_OUT));
      TRY(add_blocks(out, d, class, step, node ^ flip_of(d, port), 1u << port, HY_IN));
    }
  return HYLA_OK;
}

static struct hy_form form_allgather(const struct hy_collective *c) {
  const int64_t d = c->dims, nodes = INT64_C(1) << d;
  return (struct hy_form){d, {nodes - 1, d + 1}, nodes * d * (d + 1), d + 1};
}

/* ------------------------------------------------------------- exchange -- */

static uint32_t least_rotation(uint32_t tag, int dims) {
  uint32_t least = tag;
  for (int i = 1; i < dims; i++) {
    const uint32_t turned = hy_rotate(tag, i, dims);
    least = turned < least ? turned : least;
  }
  return least;
}

/* Sets the links that the message of each tag crosses: d + 1 bits for each of the tags 1 ... 2^d
 * - 1.
 */
static void set_ways(int dims, uint32_t *ways) {
  const uint32_t last = (1u << dims) - 1, complement = 1u << dims;
  const int half = (dims + 1) / 2;
  int64_t either = 0, over = 0;
  for (uint32_t tag = 1; tag <= last; tag++)
    either += dims % 2 == 1 && hy_popcount(tag) == half && least_rotation(tag, dims) == tag;
  for (uint32_t tag = 1; tag <= last; tag++) {
    const int weight = hy_popcount(tag);
    if (dims % 2 == 1 && weight == half) continue;
    ways[tag - 1] = 2 * weight > dims ? complement | (tag ^ last) : tag;
  }
  for (uint32_t tag = 1; tag <= last; tag++) {
    if (dims % 2 == 0 || hy_popcount(tag) != half || least_rotation(tag, dims) != tag) continue;
    const bool takes = over++ < either / 2;
    for (int i = 0; i < dims; i++) {
      const uint32_t turned = hy_rotate(tag, i, dims);
      ways[turned - 1] = takes ? complement | (turned ^ last) : turned;
    }
  }
}

/* A rule that makes hops for the ways of all tags. */
typedef hyla_status hops_rule(struct hy_base *base, int ports, const uint32_t *ways,
                              const uint32_t *tags, int64_t count, struct hy_hops **hops);

static hyla_status make_hops(struct hy_base *base, int d, hops_rule *rule, struct hy_hops **hops) {
  const int64_t count = (INT64_C(1) << d) - 1;
  uint32_t *ways = NULL, *tags = NULL;
  TRY(hy_alloc(base, count, sizeof *ways, &ways));
  hyla_status status = hy_alloc_for(base, ways, count, sizeof *tags, &tags);
  if (status == HYLA_OK) {
    for (int64_t i = 0; i < count; i++) tags[i] = (uint32_t)i + 1;
    set_ways(d, ways);
    status = rule(base, d + 1, ways, tags, count, hops);
  }
  hy_free(base, &ways);
  return status;
}

static hyla_status build_exchange(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_hops *hops = NULL;
  TRY(make_hops(recipe->base, c->dims, hy_hops_colour_ways, &hops));
  return hy_push_hops(c, recipe, hops);
}

static hyla_status find_greedy(struct hy_base *base, const struct hy_collective *c,
                               struct hy_found **found) {
  struct hy_hops *hops = NULL;
  TRY(make_hops(base, c->dims, hy_hops_greedy_ways, &hops));
  hops->found.packets = hops->count << c->dims;
  *found = &hops->found;
  return HYLA_OK;
}

static struct hy_form form_exchange(const struct hy_collective *c) {
  const int64_t d = c->dims, nodes = INT64_C(1) << d, half = (d + 1) / 2;
  int64_t choose = 1; /* C(d, half) */
  for (int64_t i = 1; i <= half; i++) choose = choose * (d - half + i) / i;
  const int64_t steps = hy_ceil_div(nodes - choose, 2);
  return (struct hy_form){steps, {steps, 1}, hy_network_distances(c->network), 1};
}

/* The claim of 7.4 for rules that are reasonable. */
static struct hy_claim claim_greedy(const struct hy_collective *c) {
  return (struct hy_claim){form_exchange(c).steps + c->dims - 1,
                           "ceil((2^d - C(d, ceil(d/2)))/2) + d - 1",
                           "varvarigos-1992, section 7.4"};
}

const struct hy_collective_variant hy_allgather_folded = {
    .base = {.name = "v92-folded", .reference = "varvarigos-1992, section 7.4"},
    .task = HY_TASK_ALLGATHER,
    .networks = HY_ON_FOLDED,
    .formula = "(2^d-1)/(d+1) tau m + d beta",
    .make = make_allgather,
    .form = form_allgather,
};

const struct hy_collective_variant hy_exchange_folded = {
    .base = {.name = "v92-folded", .reference = "varvarigos-1992, section 7.4"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .networks = HY_ON_FOLDED,
    .formula = "ceil((2^d - C(d, ceil(d/2)))/2) (tau m + beta)",
    .build = build_exchange,
    .form = form_exchange,
};

const struct hy_collective_variant hy_exchange_folded_greedy = {
    .base = {.name = "greedy-folded", .reference = "varvarigos-1992, section 7.4"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .networks = HY_ON_FOLDED,
    .make = hy_hops_schedule,
    .find = find_greedy,
    .claim = claim_greedy,
};
