/* Blocks that several nodes want, on trees whose links are negotiated: see papers.h.
 *
 * Method: as in negotiate.c, for trees.  A tree grows from the source, to the nearest target first.
 * Each target takes the cheapest way, through the links of all steps, from any node that has the
 * block by then; dynamic programming over the steps finds it.  Ways lead through targets only or,
 * if that gives no agreement, through their neighbours too.  A node that is no target keeps the
 * block apart.  Branches that lead to no target are removed.
 * Reference: McMurchie and Ebeling 1995 (PathFinder: wires on a chip). */
#include "collective/papers.h"

enum { NOT_YET = -1, NOBODY = -1 };

/* A node that is in a tree, or may join it. */
struct place {
  uint32_t node;
  bool target;
  int8_t across;   /* the dimension over which the block comes */
  int16_t arrives; /* steps until the block is there; 0 at the source; NOT_YET */
};

struct grove {
  struct hy_base *base;
  struct hy_link_costs costs;
  const struct hy_demands *demands;
  int64_t *first; /* where each demand's places begin: the source, its targets, their neighbours */
  struct place *places;
  bool around;    /* ways may lead through neighbours too */
  int32_t *index; /* [node]: its place in the present demand; NOBODY */
  int32_t *near;  /* [place][dimension]: the neighbour's place in the same demand */
  int64_t *price; /* [step][place]: the least cost; the dimension crossed last, -1: none */
  int8_t *last;
  bool *leads;      /* [place]: another place gets the block from it */
  uint32_t *block;  /* [place]: the block in its node's buffer */
  uint32_t *passes; /* [node]: blocks behind the task's that were ever used */
};

/* The number of places that ways may lead through. */
static int32_t places_of(const struct grove *g, int64_t i) {
  return (int32_t)(g->around ? g->first[i + 1] - g->first[i] : g->demands->demand[i].count + 1);
}

/* --------------------------------------------------------------- places -- */

static void add_place(struct grove *g, int64_t i, uint32_t node, bool target) {
  if (g->index[node] != NOBODY) return;
  const int64_t at = g->first[i + 1]++;
  g->index[node] = (int32_t)(at - g->first[i]);
  g->places[at] = (struct place){.node = node, .target = target, .arrives = NOT_YET};
}

static void forget_places(struct grove *g, int64_t i) {
  for (int64_t at = g->first[i]; at < g->first[i + 1]; at++) g->index[g->places[at].node] = NOBODY;
}

static void list_places(struct grove *g, int64_t i) {
  const struct hy_demand *one = &g->demands->demand[i];
  const uint32_t *targets = g->demands->targets + one->first;
  g->first[i + 1] = g->first[i];
  add_place(g, i, one->source, false);
  for (int distance = 1; distance <= g->demands->dims; distance++)
    for (int64_t x = 0; x < one->count; x++)
      if (hy_popcount(one->source ^ targets[x]) == distance) add_place(g, i, targets[x], true);
  for (int64_t x = 0; x <= one->count; x++)
    for (int dim = 0; dim < g->demands->dims; dim++)
      add_place(g, i, g->places[g->first[i] + x].node ^ 1u << dim, false);
  forget_places(g, i);
}

/* Finds the neighbours of the demand's places among these places. */
static void find_near(struct grove *g, int64_t i) {
  const struct place *places = g->places + g->first[i];
  const int32_t count = places_of(g, i);
  const int dims = g->demands->dims;
  for (int32_t x = 0; x < count; x++) g->index[places[x].node] = x;
  for (int32_t x = 0; x < count; x++)
    for (int dim = 0; dim < dims; dim++)
      g->near[x * dims + dim] = g->index[places[x].node ^ 1u << dim];
  forget_places(g, i);
}

/* ---------------------------------------------------------------- trees -- */

static bool is_there(const struct place *place, int step) {
  return place->arrives != NOT_YET && place->arrives <= step;
}

/* The cheapest way for a place to have the block one step later: it waits, or a neighbour sends
 * it. */
static void find_price(struct grove *g, const struct place *place, int32_t x, int step,
                       int32_t count) {
  const int dims = g->demands->dims;
  const int64_t *now = g->price + (int64_t)step * count;
  int64_t best = is_there(place, step + 1) ? 0 : now[x];
  int8_t last = NOBODY;
  for (int dim = 0; dim < dims && best > 0; dim++) {
    const int32_t from = g->near[x * dims + dim];
    if (from == NOBODY || now[from] == INT64_MAX) continue;
    const int64_t slot = hy_link_costs_slot(&g->costs, step, place->node, dim);
    const int64_t price = now[from] + hy_link_costs_price(&g->costs, slot);
    if (price >= best) continue;
    best = price;
    last = (int8_t)dim;
  }
  g->price[(int64_t)(step + 1) * count + x] = best;
  g->last[(int64_t)(step + 1) * count + x] = last;
}

/* Adds the cheapest way to a target, which is read backwards.  False: there is no way. */
static bool reach(struct grove *g, struct place *places, int32_t count, int32_t target) {
  const int dims = g->demands->dims, steps = g->costs.steps;
  for (int32_t x = 0; x < count; x++) g->price[x] = places[x].arrives == 0 ? 0 : INT64_MAX;
  for (int step = 0; step < steps; step++)
    for (int32_t x = 0; x < count; x++) find_price(g, &places[x], x, step, count);
  if (g->price[(int64_t)steps * count + target] == INT64_MAX) return false;
  int32_t x = target;
  for (int step = steps; !is_there(&places[x], step); step--) {
    const int8_t last = g->last[(int64_t)step * count + x];
    if (last == NOBODY) continue;
    places[x].arrives = (int16_t)step;
    places[x].across = last;
    x = g->near[x * dims + last];
  }
  return true;
}

/* Removes branches that lead to no target. */
static void prune(struct grove *g, struct place *places, int32_t count) {
  const int dims = g->demands->dims;
  for (bool fell = true; fell;) {
    fell = false;
    for (int32_t x = 0; x < count; x++) g->leads[x] = false;
    for (int32_t x = 1; x < count; x++)
      if (places[x].arrives > 0) g->leads[g->near[x * dims + places[x].across]] = true;
    for (int32_t x = 1; x < count; x++) {
      if (places[x].arrives <= 0 || places[x].target || g->leads[x]) continue;
      places[x].arrives = NOT_YET;
      fell = true;
    }
  }
}

/* Adds `more' to the uses of the tree's links.  Returns the most uses of one of them. */
static int32_t want(struct grove *g, int64_t i, int32_t more) {
  int32_t most = 0;
  for (int64_t at = g->first[i]; at < g->first[i + 1]; at++) {
    const struct place *place = &g->places[at];
    if (place->arrives <= 0) continue;
    const int64_t slot =
        hy_link_costs_slot(&g->costs, place->arrives - 1, place->node, place->across);
    g->costs.wanted[slot] += more;
    most = (int32_t)hy_max(most, g->costs.wanted[slot]);
  }
  return most;
}

static bool clashes(void *arg, int64_t i) { return want(arg, i, 0) > 1; }

static void leave(void *arg, int64_t i) { want(arg, i, -1); }

static bool grow(void *arg, int64_t i) {
  struct grove *g = arg;
  struct place *places = g->places + g->first[i];
  const int32_t count = places_of(g, i);
  find_near(g, i);
  for (int64_t at = g->first[i]; at < g->first[i + 1]; at++) g->places[at].arrives = NOT_YET;
  places[0].arrives = 0;
  for (int32_t x = 1; x < count && places[x].target; x++)
    if (places[x].arrives == NOT_YET && !reach(g, places, count, x)) return false;
  prune(g, places, count);
  want(g, i, 1);
  return true;
}

/* -------------------------------------------------------------- comings -- */

/* Lists the comings of one demand.  A node that is no target keeps the block behind all others. */
static void list_comings(struct grove *g, int64_t i, struct hy_comings *out) {
  const struct place *places = g->places + g->first[i];
  const struct hy_demand *one = &g->demands->demand[i];
  const int32_t count = places_of(g, i);
  find_near(g, i);
  for (int32_t x = 0; x < count; x++) {
    const bool apart = places[x].arrives > 0 && !places[x].target;
    uint32_t *passes = &g->passes[places[x].node];
    g->block[x] = apart ? g->demands->blocks + (*passes)++ : one->block;
    out->scratch = (uint32_t)hy_max(out->scratch, *passes);
  }
  for (int32_t x = 1; x < count; x++) {
    if (places[x].arrives <= 0) continue;
    const int32_t from = g->near[x * g->demands->dims + places[x].across];
    out->coming[out->count++] = (struct hy_coming){.node = places[x].node,
                                                   .across = 1u << places[x].across,
                                                   .from = g->block[from],
                                                   .to = g->block[x],
                                                   .step = places[x].arrives - 1};
  }
}

static hyla_status list_all(struct grove *g, struct hy_comings **comings) {
  int64_t count = 0;
  for (int64_t at = 0; at < g->first[g->demands->count]; at++) count += g->places[at].arrives > 0;
  const size_t size = sizeof **comings + (size_t)count * sizeof(struct hy_coming);
  TRY(hy_alloc(g->base, 1, size, comings));
  (*comings)->found.steps = g->costs.steps;
  for (int64_t i = 0; i < g->demands->count; i++) list_comings(g, i, *comings);
  return HYLA_OK;
}

/* ------------------------------------------------------------- the whole -- */

/* No tree has more places than this. */
static int64_t most_places(const struct hy_demands *demands) {
  int64_t most = 0;
  for (int64_t i = 0; i < demands->count; i++)
    most = hy_max(most, (demands->demand[i].count + 1) * (demands->dims + 1));
  return hy_min(most, INT64_C(1) << demands->dims);
}

/* `first' owns the rest. */
static hyla_status allocate(struct grove *g) {
  const int64_t most = most_places(g->demands), nodes = g->costs.nodes;
  const int64_t states = g->demands->most * most;
  TRY(hy_alloc(g->base, g->demands->count + 1, sizeof *g->first, &g->first));
  TRY(hy_alloc_for(g->base, g->first, g->demands->count * most, sizeof *g->places, &g->places));
  TRY(hy_alloc_for(g->base, g->first, nodes, sizeof *g->index, &g->index));
  TRY(hy_alloc_for(g->base, g->first, most * g->demands->dims, sizeof *g->near, &g->near));
  TRY(hy_alloc_for(g->base, g->first, states, sizeof *g->price, &g->price));
  TRY(hy_alloc_for(g->base, g->first, states, sizeof *g->last, &g->last));
  TRY(hy_alloc_for(g->base, g->first, most, sizeof *g->leads, &g->leads));
  TRY(hy_alloc_for(g->base, g->first, most, sizeof *g->block, &g->block));
  TRY(hy_alloc_for(g->base, g->first, nodes, sizeof *g->passes, &g->passes));
  for (int64_t node = 0; node < nodes; node++) g->index[node] = NOBODY;
  return HYLA_OK;
}

static int64_t wanted_by_all(const struct hy_demands *demands) {
  int64_t wanted = 0;
  for (int64_t i = 0; i < demands->count; i++) wanted += demands->demand[i].count;
  return wanted;
}

/* May ways lead through neighbours?  If many nodes want a block, they offer enough ways among
 * themselves. */
static bool goes_around(const struct hy_demands *demands) {
  return wanted_by_all(demands) <= 2 * demands->dims * demands->count;
}

/* If nearly all links would have to be busy in all steps, the search gives up earlier, and ways
 * lead through targets only. */
static hyla_status negotiate(struct grove *g, struct hy_comings **comings) {
  struct hy_router router = {.costs = &g->costs,
                             .arg = g,
                             .count = g->demands->count,
                             .clashes = clashes,
                             .leave = leave,
                             .route = grow};
  bool agreed = false;
  TRY(allocate(g));
  for (int64_t i = 0; i < g->demands->count; i++) list_places(g, i);
  for (int steps = g->demands->least; steps < g->demands->most && !agreed; steps++) {
    const int64_t links = hy_link_costs_slot(&g->costs, steps, 0, 0);
    const bool tight = 20 * wanted_by_all(g->demands) > 19 * links;
    router.idle_rounds = tight ? HY_IDLE_ROUNDS / 4 : HY_IDLE_ROUNDS;
    for (int around = 0; around < (tight || !goes_around(g->demands) ? 1 : 2) && !agreed;
         around++) {
      g->around = around == 1;
      TRY(hy_negotiate(g->base, &router, steps, &agreed));
    }
  }
  return agreed ? list_all(g, comings) : HYLA_OK;
}

hyla_status hy_trees_negotiate(struct hy_base *base, const struct hy_demands *demands,
                               struct hy_comings **comings) {
  struct grove g = {.base = base,
                    .costs = {.dims = demands->dims, .nodes = 1u << demands->dims},
                    .demands = demands};
  *comings = NULL;
  hyla_status status = negotiate(&g, comings);
  hy_free(base, &g.first);
  return status;
}
