/* Two opposite corners have a message for every node: two scatters at once, in the time of one.
 *
 * Method: DISTRIBUTE 1 from both.  Each uses links away from its own corner only, so none has a
 * link that the other has.  One corner, or both, may have messages.
 * Example on 4 nodes: node 0's message for node 3 goes half by 1, half by 2, while node 3's for
 * node 0 comes by them the other way.
 * Reference: Stout and Wagar 1990, section 5.
 * Time: (2^d - 1) tau m / d + d beta.  Reversed, two gathers.  All ports.
 * Memory: in place; a message waits in its target's block of the node that it passes.
 * Restriction: messages of equal length; exact when 1 ... d divide m. */
#include "collective/papers.h"

static const char *serves(const struct hy_collective *c) {
  const uint32_t all = (1u << c->dims) - 1;
  uint32_t first = 0;
  while (first < all && c->active[first] == 0) first++;
  for (uint32_t node = first + 1; node <= all; node++)
    if (c->active[node] && node != (first ^ all))
      return "nodes other than two opposite corners are active";
  return hy_equal_blocks(c);
}

/* The parts of one corner's message for the node at `target' XOR the corner.  A part goes hop after
 * hop over the set bits, upwards in a circle from its own; all arrive in the last step. */
static hyla_status send(int d, uint32_t corner, uint32_t target, uint32_t node,
                        struct hy_schedule *out) {
  const int weight = hy_popcount(target);
  const uint32_t unit = out->parts / (uint32_t)weight;
  for (int part = 0; part < weight; part++) {
    struct hy_piece piece = {.block = corner ^ target,
                             .run = 1,
                             .from = (uint32_t)part * unit,
                             .to = ((uint32_t)part + 1) * unit};
    uint32_t place = 0;
    for (int hop = 0; hop < weight; hop++) {
      const uint32_t bit = hy_deposit(1u << (part + hop) % weight, target);
      const int step = d - weight + hop;
      if ((corner ^ place) == node) TRY(hy_schedule_add(out, step, bit, HY_OUT, piece));
      place |= bit;
      if (place == target) piece.block = corner;
      if ((corner ^ place) == node) TRY(hy_schedule_add(out, step, bit, HY_IN, piece));
    }
  }
  return HYLA_OK;
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const uint8_t *active = generator->table;
  const int d = generator->dims;
  out->parts = hy_common_multiple(d);
  out->steps = d;
  out->batch = true;
  for (uint32_t corner = 0; corner >> d == 0; corner++)
    for (uint32_t target = 1; active[corner] && target >> d == 0; target++)
      if (((node ^ corner) & ~target) == 0) TRY(send(d, corner, target, node, out));
  return HYLA_OK;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  hy_recipe_add(recipe, c, make, c->active);
  return HYLA_OK;
}

static struct hy_form form(const struct hy_collective *c) {
  const int64_t d = c->dims;
  return (struct hy_form){d, {(INT64_C(1) << d) - 1, hy_max(1, d)}, 0, hy_common_multiple((int)d)};
}

const struct hy_collective_variant hy_partial_exchange_corners = {
    .base = {.name = "corners", .reference = "stout-wagar-1990, section 5"},
    .applies = serves,
    .task = HY_TASK_PARTIAL_EXCHANGE,
    .formula = "(2^d-1)/d tau m + d beta",
    .build = build,
    .form = form,
};
