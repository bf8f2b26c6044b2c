/* Transposition on a torus or mesh of 2^k x 2^k nodes, embedded by a Gray code of the row and the
 * column numbers: node (i, j) and node (j, i) swap their words.  It serves any k pairs of
 * dimensions that change places, one bit of a row and one of a column each.
 *
 *   variant       steps               words each   method
 *   torus         (g + 1) 2^(k-1)     m / g        superdiagonal r <= 2^(k-1), counted round
 *                                                  the torus: r columns down, r rows up;
 *                                                  the subdiagonals r rows down, r columns up
 *   torus-paths   (g + 1) 2^(k-1)     m / (2 g)    half of the words take rows and columns
 *                                                  in the other order
 *   mesh          (g + 1)(2^k - 1)    m / g        as torus, without the links round the end
 * References: Johnsson 1987, theorem 4.4 (g = 1: 2^k steps), corollary 4.2 (g = half the words:
 * (ceil(m/2) + 1) 2^(k-1)), corollary 4.1 (g = 1).  A wave of packets starts when the wave before
 * it has left the links where it starts.
 * All ports; four of them are used.  Memory: in place, and blocks for packets on their way.
 * Restriction: none; exact when the number of packets divides m, or on two paths is m + 1. */
#include "collective/papers.h"

/* Nodes on a side of the array. */
static int side(const struct hy_routing *routing) { return 1 << routing->pairs.count; }

/* The number of a row or a column: the node's bits over these dimensions, in Gray code. */
static uint32_t number_of(const struct hy_routing *routing, const uint8_t *dims, uint32_t node) {
  uint32_t code = 0;
  for (int i = 0; i < routing->pairs.count; i++) code |= (node >> dims[i] & 1u) << i;
  return hy_gray_inverse(code);
}

/* Adds `count' legs along the line of nodes over these dimensions, one for each step from `step'
 * on: from number `place' up or down, round the end. */
static int go(const struct hy_routing *routing, const uint8_t *dims, uint32_t place, bool up,
              int count, int step, struct hy_leg *legs) {
  uint32_t last = (uint32_t)side(routing) - 1;
  for (int leg = 0; leg < count; leg++) {
    uint32_t next = (place + (up ? 1 : last)) & last;
    int dim = dims[hy_lowest(hy_gray(place) ^ hy_gray(next))];
    legs[leg] = (struct hy_leg){step + leg, 1u << dim};
    place = next;
  }
  return count;
}

/* Adds the path of a packet that starts at `step' and goes `away' places along both axes: columns
 * or rows first, the first axis down or up, the second the other way. */
static int turn(const struct hy_routing *routing, uint32_t source, int away, bool columns,
                bool down, int step, struct hy_leg *legs) {
  const uint8_t *low = routing->pairs.low, *high = routing->pairs.high;
  const uint8_t *first = columns ? low : high, *second = columns ? high : low;
  int count = go(routing, first, number_of(routing, first, source), !down, away, step, legs);
  return count + go(routing, second, number_of(routing, second, source), down, away, step + away,
                    legs + count);
}

/* j - i for node (i, j). */
static int diagonal(const struct hy_routing *routing, uint32_t source) {
  return (int)number_of(routing, routing->pairs.low, source) -
         (int)number_of(routing, routing->pairs.high, source);
}

/* On the torus diagonals are at most half a round apart, in either direction. */
static int torus_path(const struct hy_routing *routing, uint32_t source, bool other, int wave,
                      struct hy_leg *legs) {
  int round = side(routing), step = wave * round / 2;
  int r = (diagonal(routing, source) + round) % round;
  bool super = r <= round / 2;
  return turn(routing, source, super ? r : round - r, super != other, !other, step, legs);
}

static int one_path(const struct hy_routing *routing, uint32_t source, int part,
                    struct hy_leg *legs) {
  return torus_path(routing, source, false, part, legs);
}

static int two_paths(const struct hy_routing *routing, uint32_t source, int part,
                     struct hy_leg *legs) {
  return torus_path(routing, source, part % 2 == 1, part / 2, legs);
}

static int mesh_path(const struct hy_routing *routing, uint32_t source, int part,
                     struct hy_leg *legs) {
  int r = diagonal(routing, source);
  return turn(routing, source, r > 0 ? r : -r, r > 0, true, part * (side(routing) - 1), legs);
}

/* The g for which (g + 1)(tau m / g + beta) is least, with m / paths for m, unless the caller asks
 * for another. */
static int waves(const struct hy_collective *c, int paths) {
  struct hy_stage stage = {.each = 1, .once = 1, .parts = paths};
  return hy_best_groups(c, c->blocks.words, &stage, 1);
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe, int paths,
                         int period, struct hy_routing routing) {
  int g = waves(c, paths);
  routing.pairs = hy_pairs_of(c);
  routing.parts = paths * g;
  routing.shapes = paths;
  routing.steps = (g + 1) * period;
  routing.longest = 2 << routing.pairs.count;
  return hy_push_routing(c, recipe, routing);
}

/* The period of the waves on the torus and on the mesh. */
static int half_round(const struct hy_collective *c) { return (1 << hy_pairs_of(c).count) / 2; }

static int line(const struct hy_collective *c) { return (1 << hy_pairs_of(c).count) - 1; }

static hyla_status build_torus(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build(c, recipe, 1, half_round(c), (struct hy_routing){.path = one_path});
}

static hyla_status build_paths(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build(c, recipe, 2, half_round(c), (struct hy_routing){.path = two_paths});
}

static hyla_status build_mesh(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build(c, recipe, 1, line(c), (struct hy_routing){.path = mesh_path});
}

/* On two paths of one-word packets and one empty packet the time is that of full packets. */
static struct hy_form form(const struct hy_collective *c, int paths, int period) {
  int64_t g = waves(c, paths), m = c->blocks.words;
  int64_t steps = (g + 1) * period;
  if (paths == 2 && m > 0 && 2 * g == m + 1) return (struct hy_form){steps, {steps, m}, 0, 1};
  return (struct hy_form){steps, {steps, paths * g}, 0, paths * g};
}

static struct hy_form form_torus(const struct hy_collective *c) {
  return form(c, 1, half_round(c));
}

static struct hy_form form_paths(const struct hy_collective *c) {
  return form(c, 2, half_round(c));
}

static struct hy_form form_mesh(const struct hy_collective *c) { return form(c, 1, line(c)); }

const struct hy_collective_variant hy_permute_torus = {
    .base = {.name = "torus", .reference = "johnsson-1987, theorem 4.4"},
    .applies = hy_is_transposition,
    .task = HY_TASK_PERMUTE,
    .formula = "(g + 1) 2^(k-1) (tau m / g + beta), k > 0",
    .ragged = true,
    .sends = hy_transposed,
    .build = build_torus,
    .form = form_torus,
};

const struct hy_collective_variant hy_permute_torus_paths = {
    .base = {.name = "torus-paths", .reference = "johnsson-1987, corollary 4.2"},
    .applies = hy_is_transposition,
    .task = HY_TASK_PERMUTE,
    .formula = "(g + 1) 2^(k-1) (tau ceil(m/(2g)) + beta), k > 0",
    .ragged = true,
    .sends = hy_transposed,
    .build = build_paths,
    .form = form_paths,
};

const struct hy_collective_variant hy_permute_mesh = {
    .base = {.name = "mesh", .reference = "johnsson-1987, corollary 4.1"},
    .applies = hy_is_transposition,
    .task = HY_TASK_PERMUTE,
    .formula = "(g + 1)(2^k - 1)(tau m / g + beta)",
    .ragged = true,
    .sends = hy_transposed,
    .build = build_mesh,
    .form = form_mesh,
};
