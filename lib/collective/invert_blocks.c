/* Transposition by blocks: node (a, b) of a 2^c x 2^c array and node (b, a) swap
 * what they hold.  Row numbers are the high dimensions, column numbers the low.
 *
 * Method: the nodes whose a and b differ in the same k places form a logical
 * k-cube, in which one link is two paths of two hops, a row and a column bit in
 * either order.  Transposing is inversion in it: part r of k crosses logical
 * dimension r + stage.  Half of each part goes by each path, in p packets one
 * behind the other.  No two logical cubes share a directed link.
 * Reference: Stout and Wagar 1990, MATRIX TRANSPOSITION (L.C. INVERSION).
 * Steps: S + 1 of m / (2 S) words, S = k p the same for all k.
 * All ports.  Memory: in place, and a block for packets on their way.
 * Restriction: none; S is a multiple of 1 ... c and at least 2 c, and the count
 * is exact when 2 S divides m.
 */
#include "collective/routing.h"

/* The least S: a packet that arrives is sent on two steps later, so p >= 2. */
static int64_t least(int c) {
  int64_t multiple = hy_common_multiple(c);
  return multiple * hy_max(1, hy_ceil_div(2 * c, multiple));
}

/* S: a multiple of the least one; (S + 1)(tau m / (2 S) + beta) is least, but for what was asked
 * for. */
static int64_t packets(const struct hy_collective *collective) {
  int64_t unit = least(collective->dims / 2);
  struct hy_stage stage = {.each = unit, .once = 1, .parts = 2 * unit};
  return unit * hy_best_groups(collective, collective->blocks.words, &stage, 1);
}

/* Part (r, h, q): rotation r of the k places that differ, path h through each
 * logical link, packet q of p. */
static int path(const struct hy_routing *routing, uint32_t source, int part, struct hy_leg *legs) {
  int c = routing->dims / 2;
  uint32_t differ = (source ^ source >> c) & ((1u << c) - 1);
  int k = hy_popcount(differ);
  if (k == 0) return 0;
  int p = routing->parts / (2 * k);
  int q = part % p, h = part / p % 2, r = part / p / 2;
  for (int stage = 0; stage < k; stage++) {
    uint32_t column = hy_deposit(1u << (r + stage) % k, differ);
    uint32_t row = column << c;
    legs[2 * stage] = (struct hy_leg){stage * p + q, h == 0 ? row : column};
    legs[2 * stage + 1] = (struct hy_leg){stage * p + q + 1, h == 0 ? column : row};
  }
  return 2 * k;
}

static hyla_status build(const struct hy_collective *collective, struct hy_recipe *recipe) {
  int s = (int)packets(collective);
  struct hy_routing routing = {.dims = collective->dims,
                               .parts = 2 * s,
                               .steps = collective->dims > 0 ? s + 1 : 0,
                               .longest = collective->dims,
                               .path = path};
  return hy_push_routing(recipe, &routing);
}

static struct hy_form form(const struct hy_collective *collective) {
  int64_t s = packets(collective);
  if (collective->dims == 0) return (struct hy_form){0, {0, 1}, 0, 2 * s};
  return (struct hy_form){s + 1, {s + 1, 2 * s}, 0, 2 * s};
}

const struct hy_collective_variant hy_permute_transpose = {
    .row = {.name = "transpose",
            .reference = "stout-wagar-1990, MATRIX TRANSPOSITION",
            .applies = hy_is_transposition},
    .task = HY_TASK_PERMUTE,
    .formula = "(S+1)(tau m / (2 S) + beta), at best tau m / 2 + 2 sqrt(beta tau m / 2) + beta",
    .rooms = true,
    .sends = hy_transposed,
    .build = build,
    .form = form,
};
