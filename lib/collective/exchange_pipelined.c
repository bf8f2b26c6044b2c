/* Total exchange, one dimension after the other, pipelined packet by packet.
 *
 * Method: each message crosses its dimensions in rising order.  A node's messages with bit j in
 * their tag cross dimension j one behind the other, in descending order of the tag without that
 * bit.  So a message's turn in a dimension is no earlier than in those below, and dimension j
 * starts one packet after dimension j - 1.
 * Reference: Johnsson 1987, theorem 3.1 and corollary 3.5: the transposition of a matrix that lies
 * by rows or columns on a linear array of 2^d nodes.
 * Steps: 2^(d-1) g + d - 1, one packet of m / g words each.  With g = m, words that travel one by
 * one, this is the count of the corollary.  All ports.
 * Memory: in place.  Restriction: none; exact when g divides m. */
#include "collective/variant.h"

/* The g for which (2^(d-1) g + d - 1)(tau m / g + beta) is least, unless the caller asks for
 * another. */
static int64_t packets(const struct hy_collective *c) {
  int64_t d = c->dims;
  struct hy_stage stage = {.each = (INT64_C(1) << d) / 2, .once = hy_max(0, d - 1), .parts = 1};
  return hy_best_groups(c, c->blocks.words, &stage, 1);
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_hops *hops = NULL;
  int d = c->dims;
  int64_t g = packets(c);
  int64_t half = d > 0 ? (int64_t)1 << (d - 1) : 0;
  TRY(hy_hops_create(recipe->base, d * half * g, (uint32_t)g, false, &hops));
  for (int j = 0; j < d; j++)
    for (int64_t turn = 0; turn < half * g; turn++) {
      uint32_t rest = (uint32_t)(half - 1 - turn / g);
      uint32_t bit = 1u << j, part = (uint32_t)(turn % g);
      uint32_t tag = hy_deposit(rest, ((1u << d) - 1) & ~bit) | bit;
      hy_hops_add(hops, j + (int)turn, bit, tag, 0, part, part + 1);
      hops->hops[hops->count - 1].done = bit - 1;
    }
  return hy_push_hops(c, recipe, hops);
}

static struct hy_form form(const struct hy_collective *c) {
  int64_t d = c->dims;
  int64_t g = packets(c);
  int64_t steps = ((int64_t)1 << (d - 1)) * g + d - 1;
  return (struct hy_form){steps, {steps, g}, g * d << (2 * d - 1), g};
}

const struct hy_collective_variant hy_exchange_pipelined = {
    .base = {.name = "pipelined", .reference = "johnsson-1987, corollary 3.5"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .formula = "(2^(d-1) g + d - 1)(tau m / g + beta)",
    .ragged = true,
    .build = build,
    .form = form,
};
