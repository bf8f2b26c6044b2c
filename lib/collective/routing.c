/* Makes a node's schedule from the paths of all nodes' words. */
#include "collective/papers.h"

#include <limits.h>

/* A part of a source's words at the node.  It comes in one step (-1: it was there) and goes in a
 * later one (INT_MAX: it stays), over the links of the masks `over' and `on'. */
struct visit {
  uint32_t source;
  int part;
  int parts; /* the number of parts of its source */
  int comes;
  int goes;
  uint32_t over;
  uint32_t on;
  uint32_t block; /* where it waits: 0: the node's own block, otherwise scratch */
  bool placed;
};

/* A source whose paths may pass the node, and the number of its parts. */
struct nearby {
  uint32_t source;
  int parts;
};

struct visits {
  struct nearby *nearby; /* ascending */
  int64_t nearby_count;
  struct visit *list;
  int64_t count;
  struct hy_leg *legs;
  bool *passes; /* by shape and source: does such a path pass the node?  NULL: not known */
};

static int parts_of(const struct hy_routing *routing, uint32_t source) {
  return routing->parts_of != NULL ? routing->parts_of(routing, source) : routing->parts;
}

/* Finds the visits of a path to the node; only counts them while there is no list. */
static void walk(const struct hy_routing *routing, uint32_t node, const struct nearby *from,
                 int part, struct visits *visits) {
  const uint32_t source = from->source;
  int legs = routing->path(routing, source, part, visits->legs);
  uint32_t place = source;
  for (int leg = 0; leg <= legs && legs > 0; leg++) {
    const struct hy_leg *before = leg > 0 ? &visits->legs[leg - 1] : NULL;
    const struct hy_leg *after = leg < legs ? &visits->legs[leg] : NULL;
    if (before != NULL) place ^= before->bit;
    if (place != node) continue;
    if (visits->list != NULL)
      visits->list[visits->count] = (struct visit){.source = source,
                                                   .part = part,
                                                   .parts = from->parts,
                                                   .comes = before != NULL ? before->step : -1,
                                                   .goes = after != NULL ? after->step : INT_MAX,
                                                   .over = before != NULL ? before->bit : 0,
                                                   .on = after != NULL ? after->bit : 0};
    visits->count++;
  }
}

static void walk_all(const struct hy_routing *routing, uint32_t node, struct visits *visits) {
  visits->count = 0;
  for (int part = 0; part < routing->parts; part++) {
    const bool *passes = visits->passes;
    if (passes != NULL) passes += (size_t)(part % routing->shapes) << routing->dims;
    for (int64_t i = 0; i < visits->nearby_count; i++) {
      const struct nearby *from = &visits->nearby[i];
      if (part < from->parts && (passes == NULL || passes[from->source]))
        walk(routing, node, from, part, visits);
    }
  }
}

/* Does the node lie between the source and where its words go?  Direct paths cross each dimension
 * in which these differ once, and no other. */
static bool lies_between(const struct hy_routing *routing, uint32_t node, uint32_t source,
                         struct hy_leg *legs) {
  uint32_t crossed = 0;
  for (int leg = routing->path(routing, source, 0, legs); leg-- > 0;) crossed |= legs[leg].bit;
  return ((node ^ source) & ~crossed) == 0;
}

static hyla_status find_nearby(const struct hy_routing *routing, uint32_t node,
                               struct hy_base *base, struct visits *visits) {
  TRY(hy_alloc(base, INT64_C(1) << routing->dims, sizeof *visits->nearby, &visits->nearby));
  for (uint32_t source = 0; source >> routing->dims == 0; source++)
    if (!routing->direct || lies_between(routing, node, source, visits->legs))
      visits->nearby[visits->nearby_count++] = (struct nearby){source, parts_of(routing, source)};
  return HYLA_OK;
}

/* One part of each shape answers for all parts of that shape. */
static hyla_status find_passes(const struct hy_routing *routing, uint32_t node,
                               struct hy_base *base, struct visits *visits) {
  if (routing->shapes == 0 || routing->shapes >= routing->parts) return HYLA_OK;
  bool *passes = NULL;
  TRY(hy_alloc(base, (int64_t)routing->shapes << routing->dims, sizeof *passes, &passes));
  for (int shape = 0; shape < routing->shapes; shape++)
    for (int64_t i = 0; i < visits->nearby_count; i++) {
      visits->count = 0;
      walk(routing, node, &visits->nearby[i], shape, visits);
      passes[((size_t)shape << routing->dims) + visits->nearby[i].source] = visits->count > 0;
    }
  visits->passes = passes;
  return HYLA_OK;
}

/* Would both be in the same block at once?  In the node's own block, a part that goes makes room in
 * the same step.  In scratch it does not, since packets there are not staged. */
static bool clash(const struct visit *a, const struct visit *b) {
  const struct visit *first = a->comes <= b->comes ? a : b;
  const struct visit *second = first == a ? b : a;
  return a->block == 0 ? first->goes > second->comes : first->goes >= second->comes;
}

/* Places one of `count' visits of a part: in the first block where no visit placed before is in the
 * way.  Visits that start or end here may use the node's own block; visits that pass may not.
 * taken: blocks used by sources with other numbers of parts. */
static void place(const struct visit *visits, int64_t count, uint32_t taken, struct visit *visit) {
  visit->block = visit->comes >= 0 && visit->goes < INT_MAX ? taken + 1 : 0;
  for (int64_t i = 0; i < count; i++) {
    const struct visit *other = &visits[i];
    bool meets = other->placed && other->parts == visit->parts && other->block == visit->block;
    if (!meets || !clash(visit, other)) continue;
    visit->block = (uint32_t)hy_max(visit->block, taken) + 1;
    i = -1;
  }
  visit->placed = true;
}

/* Places the visits of sources with `parts' parts; returns the last block that is taken.  Visits
 * that start here are placed first.  The list keeps its order, in which both ends of a link add the
 * pieces of a packet. */
static uint32_t place_parts(const struct visits *visits, int parts, uint32_t taken) {
  struct visit *list = visits->list;
  uint32_t most = taken;
  for (int64_t first = 0, last = 0; first < visits->count; first = last) {
    while (last < visits->count && list[last].part == list[first].part) last++;
    for (int other = 0; other < 2; other++)
      for (int64_t i = first; i < last; i++) {
        if (list[i].parts != parts || (list[i].comes >= 0) != (other == 1)) continue;
        place(list + first, last - first, taken, &list[i]);
        most = (uint32_t)hy_max(most, list[i].block);
      }
  }
  return most;
}

/* Parts of different sizes do not align, so each size has blocks of its own. */
static void place_all(const struct visits *visits) {
  uint32_t taken = 0;
  for (int parts = 0, next = 0;; parts = next) {
    next = INT_MAX;
    for (int64_t i = 0; i < visits->count; i++)
      if (visits->list[i].parts > parts) next = (int)hy_min(next, visits->list[i].parts);
    if (next == INT_MAX) return;
    taken = place_parts(visits, next, taken);
  }
}

/* The parts of a block when sources have their own numbers of parts: fine enough that every cut of
 * words falls between two parts. */
enum { FINE = 1 << 30 };

static uint32_t cut(const struct hy_routing *routing, const struct visit *visit, int part) {
  if (routing->parts_of == NULL) return (uint32_t)part;
  return (uint32_t)hy_ceil_div((int64_t)part * FINE, visit->parts);
}

static struct hy_piece piece_of(const struct hy_routing *routing, const struct visit *visit,
                                uint32_t block) {
  return (struct hy_piece){.block = block,
                           .run = 1,
                           .from = cut(routing, visit, visit->part),
                           .to = cut(routing, visit, visit->part + 1),
                           .source = visit->source};
}

static hyla_status emit(const struct hy_routing *routing, const struct visits *visits,
                        struct hy_schedule *out) {
  bool moves = false;
  for (int64_t i = 0; i < visits->count; i++) {
    const struct visit *visit = &visits->list[i];
    struct hy_piece piece = piece_of(routing, visit, visit->block);
    out->scratch = (uint32_t)hy_max(out->scratch, visit->block);
    moves = moves || (visit->goes == INT_MAX && visit->block > 0);
    if (visit->comes >= 0) {
      TRY(hy_schedule_open(out, visit->comes, visit->over, HY_IN));
      TRY(hy_schedule_add(out, visit->comes, visit->over, HY_IN, piece));
    }
    if (visit->goes == INT_MAX) continue;
    TRY(hy_schedule_open(out, visit->goes, visit->on, HY_OUT));
    TRY(hy_schedule_add(out, visit->goes, visit->on, HY_OUT, piece));
  }
  out->steps = routing->steps;
  /* Parts that came before the node's own words had gone move to their place at the end. */
  for (int action = HY_OUT; moves && action <= HY_IN; action++)
    for (int64_t i = 0; i < visits->count; i++) {
      const struct visit *visit = &visits->list[i];
      if (visit->goes < INT_MAX || visit->block == 0) continue;
      TRY(hy_schedule_add(out, routing->steps, 0, (enum hy_action)action,
                          piece_of(routing, visit, action == HY_OUT ? visit->block : 0)));
    }
  return HYLA_OK;
}

static hyla_status make(const struct hy_routing *routing, uint32_t node, struct visits *visits,
                        struct hy_schedule *out) {
  TRY(hy_alloc(out->base, routing->longest, sizeof *visits->legs, &visits->legs));
  TRY(find_nearby(routing, node, out->base, visits));
  TRY(find_passes(routing, node, out->base, visits));
  walk_all(routing, node, visits);
  TRY(hy_alloc(out->base, visits->count, sizeof *visits->list, &visits->list));
  walk_all(routing, node, visits);
  place_all(visits);
  return emit(routing, visits, out);
}

/* The generator of a routing; its table is the routing. */
static hyla_status routed(const struct hy_generator *generator, uint32_t node,
                          struct hy_schedule *out) {
  const struct hy_routing *routing = generator->table;
  struct visits visits = {0};
  out->parts = (uint32_t)(routing->parts_of != NULL ? FINE : routing->parts);
  out->batch = routing->batch;
  hyla_status status = make(routing, node, &visits, out);
  hy_free(out->base, &visits.legs);
  hy_free(out->base, &visits.nearby);
  hy_free(out->base, &visits.passes);
  hy_free(out->base, &visits.list);
  return status;
}

hyla_status hy_push_routing(const struct hy_collective *c, struct hy_recipe *recipe,
                            struct hy_routing routing) {
  struct hy_routing *copy = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *copy, &copy));
  *copy = routing;
  copy->dims = c->dims;
  if (copy->longest == 0) copy->longest = copy->dims;
  hy_recipe_add(recipe, c, routed, copy);
  return HYLA_OK;
}

uint32_t hy_transposed(int dims, uint32_t node) {
  int c = dims / 2, high = dims - c;
  uint32_t low = (1u << c) - 1, middle = node & ((1u << high) - (1u << c));
  return node >> high | middle | (node & low) << high;
}

static uint32_t target_of(const struct hy_collective *c, uint32_t node) {
  if (c->to == NULL) return hy_transposed(c->dims, node);
  return (uint32_t)c->to[node];
}

struct hy_pairs hy_pairs_of(const struct hy_collective *c) {
  struct hy_pairs pairs = {0};
  for (int dim = 0; dim < c->dims; dim++) {
    int other = hy_log2_floor(target_of(c, 1u << dim));
    if (other <= dim) continue;
    pairs.low[pairs.count] = (uint8_t)dim;
    pairs.high[pairs.count++] = (uint8_t)other;
  }
  return pairs;
}

uint32_t hy_pairs_differ(const struct hy_pairs *pairs, uint32_t node) {
  uint32_t differ = 0;
  for (int i = 0; i < pairs->count; i++)
    differ |= ((node >> pairs->low[i] ^ node >> pairs->high[i]) & 1u) << i;
  return differ;
}

uint32_t hy_turn_target(const struct hy_routing *routing, uint32_t node) {
  uint32_t target = node ^ routing->flips;
  for (int i = 0; i < routing->pairs.count; i++)
    if ((node >> routing->pairs.low[i] ^ node >> routing->pairs.high[i]) & 1u)
      target ^= 1u << routing->pairs.low[i] | 1u << routing->pairs.high[i];
  return target;
}

bool hy_turn_describe(const struct hy_collective *c, struct hy_routing *routing) {
  int dims = c->dims;
  *routing = (struct hy_routing){.dims = dims, .longest = dims};
  if (c->to == NULL || c->to[0] < 0) return false; /* not all nodes send */
  routing->flips = (uint32_t)c->to[0];
  for (int dim = 0; dim < dims; dim++) {
    uint32_t image = (uint32_t)c->to[1u << dim] ^ routing->flips;
    if (hy_popcount(image) != 1 || image >> dims != 0) return false;
    if (((uint32_t)c->to[image] ^ routing->flips) != 1u << dim) return false;
    if (image >> dim <= 1u) continue;
    routing->pairs.low[routing->pairs.count] = (uint8_t)dim;
    routing->pairs.high[routing->pairs.count++] = (uint8_t)hy_log2_floor(image);
  }
  for (uint32_t node = 0; node >> dims == 0; node++)
    if (c->to[node] != (int32_t)hy_turn_target(routing, node)) return false;
  return true;
}

const char *hy_is_transposition(const struct hy_collective *c) {
  struct hy_routing routing;
  return hy_turn_describe(c, &routing) && routing.flips == 0
             ? NULL
             : "it makes dimensions of the cube change places in pairs, as from node (a, b) of a "
               "square array to node (b, a)";
}
