/* Partial exchange, where each of M active nodes has a message for every node; and partial gather,
 * its reverse, where each of them gets a message from every node.
 *
 *   variant   steps             method
 *   v92       2^(d-1)           the hops of the total exchange, for active nodes' messages only
 *   matched   counted           shortest paths, links matched step by step (matching.c)
 * References: Varvarigos 1992, 3.7, 2.4.
 *
 * The paper's own method ranks the active nodes, brings each message next to the node of its
 * source's rank, scatters from there over balanced trees, and ends with a total exchange of the
 * ranks.  Its lemma 6, that the second phase uses no link twice, does not hold (d = 5, nodes 8 9 10
 * 11 12 20 24 31), so it is not a variant here.  For M >= 2^(d-1) the paper takes the total
 * exchange too.  The better of the two variants has never taken more steps than the paper's method.
 * Restriction: messages of equal length; matched: at most half of the nodes are active.  All ports.
 * Memory: v92 in place; matched: blocks for messages that pass through. */
#include "collective/papers.h"

static const char *serves_few(const struct hy_collective *c) {
  const char *reason = hy_equal_blocks(c);
  if (reason != NULL) return reason;
  const int64_t active = hy_active_count(c);
  bool many = active > 1 && 2 * active > INT64_C(1) << c->dims;
  return many ? "more than half of the nodes are active" : NULL;
}

/* ------------------------------------------------------- total exchange -- */

/* The hops of a total exchange, and which nodes are active. */
struct restricted {
  const struct hy_hops *hops;
  const uint8_t *active;
};

static hyla_status restricted_schedule(const struct hy_generator *generator, uint32_t node,
                                       struct hy_schedule *out) {
  const struct restricted *r = generator->table;
  out->steps = r->hops->found.steps;
  for (int64_t i = 0; i < r->hops->count; i++) {
    const struct hy_hop *hop = &r->hops->hops[i];
    /* The source of the message that this node sends: its dimensions crossed so far undone. */
    const uint32_t source = node ^ (hop->tag & hop->done);
    const struct hy_piece piece = {.block = node ^ hop->tag, .run = 1, .from = 0, .to = 1};
    if (r->active[source]) TRY(hy_schedule_add(out, hop->step, hop->across, HY_OUT, piece));
    if (r->active[source ^ hop->across])
      TRY(hy_schedule_add(out, hop->step, hop->across, HY_IN, piece));
  }
  return HYLA_OK;
}

/* For each hop, the dimensions that its tag's message has crossed before. */
static hyla_status mark_done(struct hy_base *base, int dims, struct hy_hops *hops) {
  uint32_t *done = NULL;
  TRY(hy_alloc(base, INT64_C(1) << dims, sizeof *done, &done));
  for (int64_t i = 0; i < hops->count; i++) {
    struct hy_hop *hop = &hops->hops[i];
    hop->done = done[hop->tag];
    done[hop->tag] |= hop->across;
  }
  hy_free(base, &done);
  return HYLA_OK;
}

static hyla_status build_v92(const struct hy_collective *c, struct hy_recipe *recipe) {
  const int d = c->dims;
  const int64_t nodes = INT64_C(1) << d;
  struct restricted *restricted = NULL;
  uint32_t *tags = NULL;
  struct hy_hops *hops = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *restricted, &restricted));
  TRY(hy_alloc(recipe->base, nodes, sizeof *tags, &tags));
  for (uint32_t tag = 1; tag < nodes; tag++) tags[tag - 1] = tag;
  hyla_status status = hy_hops_colour(recipe->base, d, tags, nodes - 1, &hops);
  hy_free(recipe->base, &tags);
  hy_recipe_keep(recipe, hops);
  TRY(status);
  TRY(mark_done(recipe->base, d, hops));
  *restricted = (struct restricted){hops, c->active};
  hy_recipe_add(recipe, c, restricted_schedule, restricted);
  return HYLA_OK;
}

static struct hy_form form_v92(const struct hy_collective *c) {
  const int64_t steps = (INT64_C(1) << c->dims) / 2;
  return (struct hy_form){steps, {steps, 1}, 0, 1};
}

/* ------------------------------------------------------------- matched -- */

static hyla_status find_matched(struct hy_base *base, const struct hy_collective *c,
                                struct hy_found **found) {
  const uint32_t nodes = 1u << c->dims;
  const int64_t active = hy_active_count(c);
  struct hy_block_move *block_moves = NULL;
  struct hy_matching *matching = NULL;
  int64_t count = 0;
  TRY(hy_alloc(base, active * nodes, sizeof *block_moves, &block_moves));
  for (uint32_t x = 0; x < nodes; x++)
    for (uint32_t y = 0; y < nodes && c->active[x]; y++)
      block_moves[count++] = (struct hy_block_move){x, y, y, x};
  hyla_status status =
      hy_matching_create(base, c->dims, nodes, block_moves, count, NULL, &matching);
  hy_free(base, &block_moves);
  if (matching == NULL) return status;
  matching->found.packets = active * nodes / 2 * c->dims;
  *found = &matching->found;
  return status;
}

/* The paper's own method with 2^k active nodes, without the ranking. */
static struct hy_claim claim(const struct hy_collective *c) {
  static const char reference[] = "varvarigos-1992, section 3.7";
  const int64_t d = c->dims, nodes = INT64_C(1) << d, active = hy_active_count(c);
  const int64_t k = active > 0 ? hy_log2_floor((uint32_t)active) : 0, left = d - k;
  if (d == 0 || active != INT64_C(1) << k) return (struct hy_claim){.steps = -1};
  if (left == 0) return (struct hy_claim){nodes / 2, "2^d/2", reference};
  if (left == 1) return (struct hy_claim){hy_ceil_div(3 * nodes, 4) + d, "3 2^d/4 + d", reference};
  if (left == 2)
    return (struct hy_claim){hy_ceil_div(7 * nodes, 8) + d - 1, "7 2^d/8 + d - 1", reference};
  const int64_t each = (nodes / active - 1 + left - 1) / left;
  const int64_t scattered = hy_ceil_div(nodes / active, left * ((left - 1) / 2));
  return (struct hy_claim){
      hy_ceil_div(active, 2) + active * (each + scattered) + k + 1,
      "2^k/2 + 2^k ceil((2^(d-k)-1)/(d-k)) + 2^k ceil(2^(d-k)/((d-k) floor((d-k-1)/2))) + k + 1",
      reference};
}

const struct hy_collective_variant hy_partial_exchange_v92 = {
    .base = {.name = "v92", .reference = "varvarigos-1992, chapter 2, theorem 5 (total exchange)"},
    .applies = hy_equal_blocks,
    .task = HY_TASK_PARTIAL_EXCHANGE,
    .formula = "2^(d-1) (tau m + beta)",
    .build = build_v92,
    .form = form_v92,
    .claim = claim,
};

const struct hy_collective_variant hy_partial_exchange_matched = {
    .base = {.name = "matched", .reference = "varvarigos-1992, section 3.7"},
    .applies = serves_few,
    .task = HY_TASK_PARTIAL_EXCHANGE,
    .common = true,
    .make = hy_matching_schedule,
    .find = find_matched,
    .claim = claim,
};
