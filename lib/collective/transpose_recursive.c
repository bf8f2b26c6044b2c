/* Transposition by recursive exchange of blocks: node (a, b) of a 2^k x 2^k array, with the row
 * number in the high dimensions, and node (b, a) swap their words.
 *
 * Method: in the binary code the antidiagonal blocks of the array change places, then those of its
 * quarters, and so on.  For every place in which a and b differ, from the highest, the row
 * dimension is crossed and then the column dimension.  In the Gray code the same crossings are
 * reflections; some quarters then lie mirrored and swap their diagonal blocks instead.  The
 * addresses are the same, so this one routing is both theorems.  A node's words go in g packets,
 * each a step behind the one before.  Each dimension has its own step in a packet's way, so no two
 * packets meet.  The same holds for any pairs of dimensions that change places.
 * References: Johnsson 1987, theorem 4.1 (binary), theorem 4.2 (Gray).
 * Steps: g + 2k - 1 of m / g words, k pairs; with g = m this is the count of the theorems.
 * All ports.  Memory: in place, and one block for packets on their way.
 * Restriction: none; exact when g divides m. */
#include "collective/papers.h"

static int path(const struct hy_routing *routing, uint32_t source, int part, struct hy_leg *legs) {
  const struct hy_pairs *pairs = &routing->pairs;
  uint32_t differ = hy_pairs_differ(pairs, source);
  int count = 0;
  for (int i = pairs->count - 1, step = part; i >= 0; i--, step += 2) {
    if ((differ >> i & 1u) == 0) continue;
    legs[count++] = (struct hy_leg){step, 1u << pairs->high[i]};
    legs[count++] = (struct hy_leg){step + 1, 1u << pairs->low[i]};
  }
  return count;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  const struct hy_pairs pairs = hy_pairs_of(c);
  const int g = hy_best_packets(c, 2 * pairs.count);
  struct hy_routing routing = {.parts = g,
                               .direct = true,
                               .shapes = 1,
                               .steps = pairs.count > 0 ? g + 2 * pairs.count - 1 : 0,
                               .path = path,
                               .pairs = pairs};
  return hy_push_routing(c, recipe, routing);
}

static struct hy_form form(const struct hy_collective *c) {
  const int64_t k = hy_pairs_of(c).count, g = hy_best_packets(c, 2 * k);
  return hy_form_packets(g, 2 * k, g * k << c->dims);
}

const struct hy_collective_variant hy_permute_recursive = {
    .base = {.name = "recursive", .reference = "johnsson-1987, theorems 4.1 and 4.2"},
    .applies = hy_is_transposition,
    .task = HY_TASK_PERMUTE,
    .formula = "(g + 2k - 1)(tau m / g + beta), k > 0",
    .ragged = true,
    .sends = hy_transposed,
    .build = build,
    .form = form,
};
