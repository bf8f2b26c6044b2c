/* Whole messages on shortest paths whose links are negotiated: see papers.h.
 *
 * Method: the number of steps is given.  Each message in turn takes the cheapest way through the
 * links of all steps, over its dimensions in any order; waiting costs nothing.  The way is found by
 * dynamic programming over the dimensions that are crossed.  Several messages may want a link in
 * one step.  Then that link gets dearer for all of them, the more the longer this lasts, and those
 * that meet look for other ways, until no two meet.  The first number of steps is the least that
 * any schedule of shortest paths could take; if no agreement is found it grows by one, up to the
 * steps of the matching.  Costs are whole numbers, so all nodes find the same ways.
 * Reference: McMurchie and Ebeling 1995 (PathFinder: wires on a chip). */
#include "collective/papers.h"

/* ------------------------------------------------------------ agreement -- */

/* Counts overused links and raises their history cost (PathFinder). */
static int64_t meetings(struct hy_link_costs *m) {
  int64_t too_many = 0;
  for (int64_t slot = 0; slot < hy_link_costs_slot(m, m->steps, 0, 0); slot++) {
    if (m->wanted[slot] < 2) continue;
    too_many += m->wanted[slot] - 1;
    m->history[slot] += HY_HISTORY * (m->wanted[slot] - 1);
  }
  return too_many;
}

static bool agree(const struct hy_router *router) {
  struct hy_link_costs *m = router->costs;
  int64_t least = INT64_MAX;
  int idle_rounds = router->idle_rounds;
  m->pressure = HY_PRESSURE;
  for (int round = 0; round < 4 * router->idle_rounds && idle_rounds > 0; round++) {
    for (int64_t i = 0; i < router->count; i++) {
      if (round > 0 && !router->clashes(router->arg, i)) continue;
      if (round > 0) router->leave(router->arg, i);
      if (!router->route(router->arg, i)) return false;
    }
    int64_t too_many = meetings(m);
    if (too_many == 0) return true;
    idle_rounds = too_many < least ? router->idle_rounds : idle_rounds - 1;
    least = hy_min(least, too_many);
    m->pressure = (int32_t)hy_min(m->pressure + m->pressure / 10 + 1, HY_PRESSURE_MOST);
  }
  return false;
}

hyla_status hy_negotiate(struct hy_base *base, const struct hy_router *router, int steps,
                         bool *agreed) {
  struct hy_link_costs *m = router->costs;
  m->steps = steps;
  const int64_t slots = hy_link_costs_slot(m, steps, 0, 0);
  TRY(hy_alloc(base, slots, sizeof *m->wanted, &m->wanted));
  hyla_status status = hy_alloc(base, slots, sizeof *m->history, &m->history);
  if (status == HYLA_OK) *agreed = agree(router);
  hy_free(base, &m->wanted);
  hy_free(base, &m->history);
  return status;
}

/* ---------------------------------------------------------------- paths -- */

struct paths {
  struct hy_base *base;
  struct hy_link_costs costs;
  const struct hy_block_move *block_moves;
  int64_t count;
  struct hy_link_use *crossings; /* crossings of all letters; those of letter i begin at first[i] */
  int64_t *first;
  int64_t *price; /* [step][crossed]: the least cost; the dimension crossed last, -1: none */
  int8_t *last;
};

static int distance(const struct hy_block_move *move) {
  return hy_popcount(move->source ^ move->target);
}

/* Finds the cheapest ways over the tag's dimensions.  `crossed' is a mask of ranks among these
 * dimensions. */
static void find_prices(struct paths *p, uint32_t source, uint32_t tag) {
  const uint32_t all = 1u << hy_popcount(tag);
  for (uint32_t crossed = 0; crossed < all; crossed++) p->price[crossed] = crossed ? INT64_MAX : 0;
  for (int step = 0; step < p->costs.steps; step++) {
    int64_t *now = p->price + step * (int64_t)all, *then = now + all;
    int8_t *last = p->last + (step + 1) * (int64_t)all;
    for (uint32_t crossed = 0; crossed < all; crossed++) {
      then[crossed] = now[crossed];
      last[crossed] = -1;
    }
    for (uint32_t crossed = 0; crossed < all; crossed++) {
      if (now[crossed] == INT64_MAX) continue;
      const uint32_t node = source ^ hy_deposit(crossed, tag);
      uint32_t left = tag;
      for (uint32_t rank = 1; rank < all; rank <<= 1, left &= left - 1) {
        if ((crossed & rank) != 0) continue;
        const int64_t slot = hy_link_costs_slot(&p->costs, step, node, hy_lowest(left));
        const int64_t price = now[crossed] + hy_link_costs_price(&p->costs, slot);
        if (price >= then[crossed | rank]) continue;
        then[crossed | rank] = price;
        last[crossed | rank] = (int8_t)hy_lowest(left);
      }
    }
  }
}

/* Adds `more' to the uses of the message's links.  Returns the most uses of one of them. */
static int32_t want(struct paths *p, int64_t i, int32_t more) {
  uint32_t node = p->block_moves[i].source;
  int32_t most = 0;
  for (int64_t at = p->first[i]; at < p->first[i + 1]; at++) {
    const struct hy_link_use *crossing = &p->crossings[at];
    const int dim = hy_lowest(crossing->across);
    int32_t *wanted = &p->costs.wanted[hy_link_costs_slot(&p->costs, crossing->step, node, dim)];
    *wanted += more;
    most = (int32_t)hy_max(most, *wanted);
    node ^= crossing->across;
  }
  return most;
}

static bool clashes(void *arg, int64_t i) { return want(arg, i, 0) > 1; }

static void leave(void *arg, int64_t i) { want(arg, i, -1); }

/* Takes the cheapest way, which is read backwards. */
static bool take_cheapest(void *arg, int64_t i) {
  struct paths *p = arg;
  const struct hy_block_move *move = &p->block_moves[i];
  const uint32_t tag = move->source ^ move->target, all = 1u << hy_popcount(tag);
  find_prices(p, move->source, tag);
  uint32_t crossed = all - 1;
  int64_t at = p->first[i] + distance(move);
  for (int step = p->costs.steps; step > 0; step--) {
    int dim = p->last[step * (int64_t)all + crossed];
    if (dim < 0) continue;
    crossed ^= 1u << hy_popcount(tag & ((1u << dim) - 1));
    p->crossings[--at] = (struct hy_link_use){step - 1, 1u << dim};
  }
  want(p, i, 1);
  return true;
}

/* Looks for ways that take `steps' steps. */
static hyla_status negotiate(struct paths *p, int steps, bool *agreed) {
  const struct hy_router router = {.costs = &p->costs,
                                   .arg = p,
                                   .count = p->count,
                                   .idle_rounds = HY_IDLE_ROUNDS,
                                   .clashes = clashes,
                                   .leave = leave,
                                   .route = take_cheapest};
  int farthest = 0;
  for (int64_t i = 0; i < p->count; i++)
    farthest = (int)hy_max(farthest, distance(&p->block_moves[i]));
  const int64_t states = (int64_t)(steps + 1) << farthest;
  hyla_status status = hy_alloc(p->base, states, sizeof *p->price, &p->price);
  if (status == HYLA_OK) status = hy_alloc(p->base, states, sizeof *p->last, &p->last);
  if (status == HYLA_OK) status = hy_negotiate(p->base, &router, steps, agreed);
  hy_free(p->base, &p->price);
  hy_free(p->base, &p->last);
  return status;
}

/* The steps that any schedule of shortest paths takes: for the links of the fullest dimension, for
 * the farthest message, for all messages that a node sends or gets, and for messages of neighbours
 * over one link, which have no other way. */
static hyla_status find_bound(const struct paths *p, int *bound) {
  int64_t most[HYLA_DIMS_MAX] = {0}, *ends = NULL, *links = NULL;
  const int64_t ends_count = 2 * (int64_t)p->costs.nodes,
                links_count = (int64_t)p->costs.nodes * p->costs.dims;
  TRY(hy_alloc(p->base, ends_count + links_count, sizeof *ends, &ends));
  links = ends + ends_count;
  *bound = 0;
  for (int64_t i = 0; i < p->count; i++) {
    const struct hy_block_move *move = &p->block_moves[i];
    const uint32_t tag = move->source ^ move->target;
    *bound = (int)hy_max(*bound, distance(move));
    for (uint32_t left = tag; left != 0; left &= left - 1) most[hy_lowest(left)]++;
    ends[move->source] += tag != 0;
    ends[p->costs.nodes + move->target] += tag != 0;
    if (distance(move) == 1) links[(int64_t)move->source * p->costs.dims + hy_lowest(tag)]++;
  }
  for (int dim = 0; dim < p->costs.dims; dim++)
    *bound = (int)hy_max(*bound, hy_ceil_div(most[dim], p->costs.nodes));
  for (int64_t end = 0; end < ends_count && p->costs.dims > 0; end++)
    *bound = (int)hy_max(*bound, hy_ceil_div(ends[end], p->costs.dims));
  for (int64_t link = 0; link < links_count; link++) *bound = (int)hy_max(*bound, links[link]);
  hy_free(p->base, &ends);
  return HYLA_OK;
}

static hyla_status improve(struct paths *p, uint32_t blocks, struct hy_matching **matching) {
  int steps = 0;
  TRY(hy_alloc(p->base, p->count + 1, sizeof *p->first, &p->first));
  for (int64_t i = 0; i < p->count; i++)
    p->first[i + 1] = p->first[i] + distance(&p->block_moves[i]);
  TRY(hy_alloc(p->base, p->first[p->count], sizeof *p->crossings, &p->crossings));
  TRY(find_bound(p, &steps));
  bool agreed = false;
  for (; steps < (*matching)->found.steps && !agreed; steps++) TRY(negotiate(p, steps, &agreed));
  if (!agreed) return HYLA_OK;
  hy_free(p->base, matching);
  return hy_matching_create(p->base, p->costs.dims, blocks, p->block_moves, p->count, p->crossings,
                            matching);
}

hyla_status hy_matching_negotiate(struct hy_base *base, int dims, uint32_t blocks,
                                  const struct hy_block_move *block_moves, int64_t count,
                                  struct hy_matching **matching) {
  struct paths paths = {.base = base,
                        .costs = {.dims = dims, .nodes = 1u << dims},
                        .block_moves = block_moves,
                        .count = count};
  TRY(hy_matching_create(base, dims, blocks, block_moves, count, NULL, matching));
  hyla_status status = improve(&paths, blocks, matching);
  hy_free(base, &paths.first);
  hy_free(base, &paths.crossings);
  return status;
}
