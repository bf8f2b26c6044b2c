/* Several banded matrices at once: each column's block is broadcast within the band of its matrix.
 *
 * Columns lie as in band_matrices.c.
 *   variant     method
 *   wanted      each step matches links and wanted blocks at every node: a link carries a block
 *               that the neighbour holds; as many blocks as possible, with the fewest holders first
 *   negotiated  trees whose links are negotiated for all steps at once (negotiate_trees.c)
 * Reference: Varvarigos 1992, 2.7, remark 2.
 * Steps: counted.  The paper's ceil((2^(b+1) + 1)/b) + 1 does not hold for `wanted' with more than
 * two matrices; the negotiated trees take no more than that (doc/formulas.md).  `wanted' sends a
 * block only to nodes that want it; that suffices, because these nodes are connected.  All ports.
 * Memory: in place; negotiated: also blocks for data that pass through.
 * Restriction: 0 <= b < d, messages of equal length; `negotiated' refuses too many of them. */
#include "collective/papers.h"

/* --------------------------------------------------------------- wanted -- */

struct spreading {
  const struct hy_collective *c;
  uint32_t nodes, blocks;
  int64_t width;     /* the most blocks that a node may want */
  int64_t missing;   /* wanted blocks that have not arrived */
  uint8_t *held;     /* [node][block] */
  uint32_t *wanted;  /* [node][width]: the blocks a node wants */
  int64_t *wants;    /* [node]: their number */
  uint32_t *holders; /* [block]: nodes that hold it */
  struct hy_comings *out;
};

/* A node that looks for links. */
struct seeker {
  const struct spreading *s;
  uint32_t node;
};

/* The links whose other end holds the i-th block that the node wants. */
static uint32_t links_of(const void *arg, int64_t i) {
  const struct seeker *seeker = arg;
  const struct spreading *s = seeker->s;
  const uint32_t block = s->wanted[seeker->node * s->width + i];
  uint32_t links = 0;
  for (int dim = 0; dim < s->c->dims; dim++)
    if (s->held[(int64_t)(seeker->node ^ 1u << dim) * s->blocks + block] != 0) links |= 1u << dim;
  return links;
}

/* Orders the blocks that a node wants by the number of nodes that hold them, fewest first. */
static void sort_wanted(const struct spreading *s, uint32_t node) {
  uint32_t *wanted = &s->wanted[node * s->width];
  for (int64_t i = 1; i < s->wants[node]; i++) {
    uint32_t block = wanted[i];
    int64_t at = i;
    for (; at > 0 && s->holders[wanted[at - 1]] > s->holders[block]; at--)
      wanted[at] = wanted[at - 1];
    wanted[at] = block;
  }
}

static void get_at(struct spreading *s, uint32_t node, int step) {
  const struct seeker seeker = {s, node};
  struct hy_links links = {.links = links_of, .arg = &seeker};
  int matched = 0;
  sort_wanted(s, node);
  for (int64_t i = 0; i < s->wants[node] && matched < s->c->dims; i++)
    matched += hy_links_carry(&links, i);
  for (int dim = 0; dim < s->c->dims; dim++) {
    if (links.carried[dim] == 0) continue;
    const uint32_t block = s->wanted[node * s->width + links.carried[dim] - 1];
    s->out->coming[s->out->count++] = (struct hy_coming){
        .node = node, .across = 1u << dim, .from = block, .to = block, .step = step};
  }
}

/* Blocks that came in this step count as held from the next step on. */
static void settle(struct spreading *s, int64_t first) {
  for (int64_t i = first; i < s->out->count; i++) {
    const struct hy_coming *coming = &s->out->coming[i];
    uint32_t *wanted = &s->wanted[coming->node * s->width];
    int64_t at = 0;
    while (wanted[at] != coming->to) at++;
    wanted[at] = wanted[--s->wants[coming->node]];
    s->held[(int64_t)coming->node * s->blocks + coming->to] = 1;
    s->holders[coming->to]++;
    s->missing--;
  }
}

static void list_wanted(struct spreading *s) {
  for (int j = 0; j < s->c->matrices; j++)
    for (uint32_t x = 0; x < s->nodes; x++) {
      const uint32_t first = (uint32_t)j * s->nodes;
      s->held[(int64_t)x * s->blocks + first + x] = 1;
      s->holders[first + x] = 1;
      for (uint32_t y = 0; y < s->nodes; y++) {
        if (x == y || !hy_partners_of(s->c, j, x, y)) continue;
        s->wanted[x * s->width + s->wants[x]++] = first + y;
        s->missing++;
      }
    }
}

static hyla_status allocate(struct hy_base *base, struct spreading *s) {
  const int64_t nodes = s->nodes;
  TRY(hy_alloc(base, nodes * s->blocks, sizeof *s->held, &s->held));
  TRY(hy_alloc(base, nodes * s->width, sizeof *s->wanted, &s->wanted));
  TRY(hy_alloc(base, nodes, sizeof *s->wants, &s->wants));
  TRY(hy_alloc(base, s->blocks, sizeof *s->holders, &s->holders));
  return hy_alloc(base,
                  (int64_t)sizeof *s->out + nodes * s->width * (int64_t)sizeof(struct hy_coming), 1,
                  &s->out);
}

static hyla_status spread_all(struct hy_base *base, const struct hy_collective *c,
                              struct hy_comings **out) {
  const uint32_t nodes = 1u << c->dims;
  struct spreading s = {.c = c,
                        .nodes = nodes,
                        .blocks = hy_collective_count(c),
                        .width = hy_bands_width(c) * c->matrices};
  hyla_status status = allocate(base, &s);
  if (status == HYLA_OK) list_wanted(&s);
  while (status == HYLA_OK && s.missing > 0) {
    int64_t first = s.out->count;
    for (uint32_t node = 0; node < nodes; node++) get_at(&s, node, s.out->found.steps);
    settle(&s, first);
    s.out->found.steps++;
  }
  hy_free(base, &s.held);
  hy_free(base, &s.wanted);
  hy_free(base, &s.wants);
  hy_free(base, &s.holders);
  *out = s.out;
  return status;
}

/* ----------------------------------------------------------- negotiated -- */

static void list_demand(const struct hy_collective *c, struct hy_demand *demand,
                        uint32_t *targets) {
  const uint32_t nodes = 1u << c->dims;
  int64_t first = 0;
  for (int j = 0; j < c->matrices; j++)
    for (uint32_t x = 0; x < nodes; x++) {
      struct hy_demand *one = demand++;
      *one = (struct hy_demand){.source = x, .block = (uint32_t)j * nodes + x, .first = first};
      for (uint32_t y = 0; y < nodes; y++)
        if (x != y && hy_partners_of(c, j, x, y)) targets[first++] = y;
      one->count = first - one->first;
    }
}

/* The least number of steps: the blocks that a node wants over its d links, or the largest distance
 * that a block has to go. */
static int least_of(const struct hy_collective *c, const struct hy_demand *demand, int64_t count,
                    const uint32_t *targets) {
  const int64_t wants = (hy_bands_width(c) - 1) * c->matrices;
  int64_t least = c->dims > 0 ? hy_ceil_div(wants, c->dims) : 0;
  for (int64_t i = 0; i < count; i++)
    for (int64_t x = 0; x < demand[i].count; x++)
      least = hy_max(least, hy_popcount(demand[i].source ^ targets[demand[i].first + x]));
  return (int)least;
}

/* Replaces *comings, made as in `wanted', by negotiated trees if these take fewer steps. */
static hyla_status improve(struct hy_base *base, const struct hy_collective *c,
                           struct hy_demand *demand, uint32_t *targets,
                           struct hy_comings **comings) {
  const int64_t count = hy_collective_count(c);
  struct hy_comings *better = NULL;
  list_demand(c, demand, targets);
  const struct hy_demands demands = {.dims = c->dims,
                                     .blocks = hy_collective_count(c),
                                     .demand = demand,
                                     .count = count,
                                     .targets = targets,
                                     .least = least_of(c, demand, count, targets),
                                     .most = (*comings)->found.steps};
  hyla_status status = hy_trees_negotiate(base, &demands, &better);
  if (better == NULL) return status;
  hy_free(base, comings);
  *comings = better;
  return status;
}

static hyla_status negotiate_all(struct hy_base *base, const struct hy_collective *c,
                                 struct hy_comings **comings) {
  const int64_t count = hy_collective_count(c);
  struct hy_demand *demand = NULL;
  uint32_t *targets = NULL;
  TRY(spread_all(base, c, comings));
  hyla_status status = hy_alloc(base, count, sizeof *demand, &demand);
  if (status == HYLA_OK)
    status = hy_alloc(base, count * hy_bands_width(c), sizeof *targets, &targets);
  if (status == HYLA_OK) status = improve(base, c, demand, targets, comings);
  hy_free(base, &demand);
  hy_free(base, &targets);
  return status;
}

/* Estimates the work.  Each of the `width' nodes that want a block tries all steps of the ways over
 * the others; there are about `width' steps for each matrix. */
static const char *serves_few(const struct hy_collective *c) {
  const char *reason = hy_bands_refuse(c);
  if (reason != NULL || c->dims == 0) return reason;
  const int64_t width = hy_bands_width(c), most = INT64_C(1) << 28;
  return c->band > 6 || hy_collective_count(c) > most / (width * width * width * c->matrices)
             ? "it has too many blocks for its search for free links"
             : NULL;
}

/* ------------------------------------------------------------- the rows -- */

static hyla_status make_broadcast(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out) {
  const struct hy_comings *comings = generator->table;
  out->steps = comings->found.steps;
  out->scratch = comings->scratch;
  for (int64_t i = 0; i < comings->count; i++) {
    const struct hy_coming *coming = &comings->coming[i];
    bool gets = coming->node == node, gives = (coming->node ^ coming->across) == node;
    if (!gets && !gives) continue;
    const struct hy_piece piece = {
        .block = gets ? coming->to : coming->from, .run = 1, .from = 0, .to = 1};
    TRY(hy_schedule_add(out, coming->step, coming->across, gets ? HY_IN : HY_OUT, piece));
  }
  return HYLA_OK;
}

/* Hands over what was found; each coming is one transmission. */
static hyla_status give(hyla_status status, struct hy_comings *comings, struct hy_found **found) {
  *found = comings == NULL ? NULL : &comings->found;
  if (comings != NULL) comings->found.packets = comings->count;
  return status;
}

static hyla_status find_wanted(struct hy_base *base, const struct hy_collective *c,
                               struct hy_found **found) {
  struct hy_comings *comings = NULL;
  hyla_status status = spread_all(base, c, &comings);
  return give(status, comings, found);
}

static hyla_status find_negotiated(struct hy_base *base, const struct hy_collective *c,
                                   struct hy_found **found) {
  struct hy_comings *comings = NULL;
  hyla_status status = negotiate_all(base, c, &comings);
  return give(status, comings, found);
}

/* The paper's second remark, for at most d / b matrices. */
static struct hy_claim claim(const struct hy_collective *c) {
  const int b = c->band - 1;
  bool fits = c->dims > 0 && b > 0 && c->matrices * b <= c->dims;
  return (struct hy_claim){fits ? hy_ceil_div((INT64_C(2) << b) + 1, b) + 1 : -1,
                           "ceil((2^(b+1)+1)/b) + 1", "varvarigos-1992, section 2.7"};
}

const struct hy_collective_variant hy_band_broadcast_wanted = {
    .base = {.name = "wanted", .reference = "varvarigos-1992, section 2.7"},
    .applies = hy_bands_refuse,
    .task = HY_TASK_BAND_BROADCAST,
    .banded = true,
    .common = true,
    .make = make_broadcast,
    .find = find_wanted,
    .claim = claim,
};

const struct hy_collective_variant hy_band_broadcast_negotiated = {
    .base = {.name = "negotiated", .reference = "varvarigos-1992, section 2.7"},
    .applies = serves_few,
    .task = HY_TASK_BAND_BROADCAST,
    .banded = true,
    .common = true,
    .make = make_broadcast,
    .find = find_negotiated,
    .claim = claim,
};
