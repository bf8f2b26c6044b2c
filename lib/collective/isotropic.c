/* Isotropic exchanges from a table of hops, and the table with the fewest steps.
 *
 * Method: an exchange of given tags takes at least h steps, where h is the largest row or column
 * sum of the 0/1 matrix tags x dimensions.  A proper colouring of its ones with h colours always
 * exists and is a schedule of h steps.
 * Reference: Varvarigos 1992, theorems 1 to 5. */
#include "collective/variant.h"

#include <string.h>

hyla_status hy_hops_create(struct hy_base *base, int64_t capacity, uint32_t parts, bool batch,
                           struct hy_hops **hops) {
  int64_t bytes = (int64_t)sizeof **hops + capacity * (int64_t)sizeof(struct hy_hop);
  TRY(hy_alloc(base, bytes, 1, hops));
  (*hops)->parts = parts;
  (*hops)->batch = batch;
  (*hops)->capacity = capacity;
  return HYLA_OK;
}

void hy_hops_add(struct hy_hops *hops, int step, uint32_t across, uint32_t tag, uint32_t free,
                 uint32_t from, uint32_t to) {
  hops->found.steps = (int)hy_max(hops->found.steps, step + 1);
  hops->hops[hops->count++] = (struct hy_hop){step, across, tag, free, from, to, 0};
}

/* Names the source and the target of a piece.  Over every dimension crossed so far the message has
 * changed its node and its slot, so their bits in these dimensions have changed places.  sender:
 * the node that sends this hop. */
static void name_owner(const struct hy_hop *hop, uint32_t sender, struct hy_piece *piece) {
  uint32_t slot = sender ^ hop->tag ^ ((sender ^ hop->tag ^ piece->block) & hop->free);
  piece->source = (slot & hop->done) | (sender & ~hop->done);
  piece->target = (sender & hop->done) | (slot & ~hop->done);
}

static hyla_status add_hop(const struct hy_hop *hop, uint32_t node, enum hy_action action,
                           bool ragged, struct hy_schedule *out) {
  uint32_t fixed = (node ^ hop->tag) & ~hop->free;
  for (uint32_t i = 0; i >> hy_popcount(hop->free) == 0; i++) {
    struct hy_piece piece = {
        .block = fixed | hy_deposit(i, hop->free), .run = 1, .from = hop->from, .to = hop->to};
    if (ragged) name_owner(hop, action == HY_OUT ? node : node ^ hop->across, &piece);
    TRY(hy_schedule_add(out, hop->step, hop->across, action, piece));
  }
  return HYLA_OK;
}

hyla_status hy_hops_schedule(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  const struct hy_hops *hops = generator->table;
  const struct hy_hop *hop = hops->hops;
  out->parts = hops->parts;
  out->batch = hops->batch;
  out->steps = hops->found.steps;
  for (int64_t first = 0, last = 0; first < hops->count; first = last) {
    while (last < hops->count && hop[last].step == hop[first].step &&
           hop[last].across == hop[first].across)
      last++;
    for (int64_t i = first; i < last; i++) TRY(add_hop(&hop[i], node, HY_OUT, hops->ragged, out));
    for (int64_t i = first; i < last; i++) TRY(add_hop(&hop[i], node, HY_IN, hops->ragged, out));
  }
  return HYLA_OK;
}

hyla_status hy_push_hops(const struct hy_collective *c, struct hy_recipe *recipe,
                         struct hy_hops *hops) {
  hy_recipe_keep(recipe, hops);
  hops->ragged = c->blocks.sources != NULL;
  hy_recipe_add(recipe, c, hy_hops_schedule, hops);
  return HYLA_OK;
}

/* seen: dimensions that were tried. */
static bool carry(struct hy_links *links, int64_t i, uint32_t *seen) {
  for (uint32_t left = links->links(links->arg, i) & ~*seen; left != 0; left &= ~*seen) {
    int dim = hy_lowest(left);
    *seen |= 1u << dim;
    if (links->carried[dim] > 0 && !carry(links, links->carried[dim] - 1, seen)) continue;
    links->carried[dim] = i + 1;
    return true;
  }
  return false;
}

bool hy_links_carry(struct hy_links *links, int64_t i) {
  uint32_t seen = 0;
  return carry(links, i, &seen);
}

/* The fewest steps of an isotropic exchange: the largest number of crossings of one port, or by one
 * message. */
static int64_t critical_sum(int ports, const uint32_t *times, int64_t count) {
  int64_t columns[HY_NETWORK_PORTS] = {0};
  int64_t most = 0;
  for (int64_t i = 0; i < count; i++) {
    int64_t row = 0;
    for (int j = 0; j < ports; j++) {
      row += times[i * ports + j];
      columns[j] += times[i * ports + j];
    }
    most = hy_max(most, row);
  }
  for (int j = 0; j < ports; j++) most = hy_max(most, columns[j]);
  return most;
}

/* A colouring under way.  Entries count from 1; 0 means none. */
struct colouring {
  int dims;
  int64_t colours;
  uint8_t *dim_of;  /* [tag][colour]: 1 + the dimension of the tag's entry with that colour */
  uint32_t *tag_of; /* [dimension][colour]: 1 + the tag */
};

static uint8_t *dim_at(const struct colouring *c, int64_t tag, int64_t colour) {
  return &c->dim_of[tag * c->colours + colour];
}

static uint32_t *tag_at(const struct colouring *c, int dim, int64_t colour) {
  return &c->tag_of[dim * c->colours + colour];
}

static void paint(const struct colouring *c, int64_t tag, int dim, int64_t colour) {
  *dim_at(c, tag, colour) = (uint8_t)(dim + 1);
  *tag_at(c, dim, colour) = (uint32_t)(tag + 1);
}

/* Colours one entry with a, a colour that is free at its tag.  If a is taken at its dimension, the
 * path of entries with colours a, b, a, ... from there swaps its colours first. */
static void colour_entry(const struct colouring *c, int64_t tag, int dim) {
  int64_t a = 0;
  int64_t b = 0;
  while (*dim_at(c, tag, a) != 0) a++;
  while (*tag_at(c, dim, b) != 0) b++;
  /* Walk: the entry that blocks colour `now' takes the other colour. */
  int64_t now = a;
  int64_t other = b;
  int64_t to_tag = tag;
  int to_dim = dim;
  bool at_dim = true; /* the end of the new entry where its colour may be taken */
  for (;;) {
    uint32_t blocking_tag = *tag_at(c, to_dim, now);
    uint8_t blocking_dim = *dim_at(c, to_tag, now);
    paint(c, to_tag, to_dim, now);
    if (at_dim && blocking_tag != 0)
      to_tag = (int64_t)blocking_tag - 1;
    else if (!at_dim && blocking_dim != 0)
      to_dim = blocking_dim - 1;
    else
      break;
    /* The displaced entry gives up `now' at its far end and takes `other'. */
    if (at_dim)
      *dim_at(c, to_tag, now) = 0;
    else
      *tag_at(c, to_dim, now) = 0;
    int64_t swap = now;
    now = other;
    other = swap;
    at_dim = !at_dim;
  }
}

hyla_status hy_hops_colour(struct hy_base *base, int dims, const uint32_t *tags, int64_t count,
                           struct hy_hops **hops) {
  return hy_hops_colour_ways(base, dims, tags, tags, count, hops);
}

hyla_status hy_hops_colour_ways(struct hy_base *base, int ports, const uint32_t *ways,
                                const uint32_t *tags, int64_t count, struct hy_hops **hops) {
  uint32_t *times = NULL;
  TRY(hy_alloc(base, count * ports, sizeof *times, &times));
  for (int64_t i = 0; i < count; i++)
    for (int j = 0; j < ports; j++) times[i * ports + j] = ways[i] >> j & 1u;
  const hyla_status status = hy_hops_colour_times(base, ports, times, tags, count, hops);
  hy_free(base, &times);
  return status;
}

hyla_status hy_hops_colour_times(struct hy_base *base, int ports, const uint32_t *times,
                                 const uint32_t *tags, int64_t count, struct hy_hops **hops) {
  struct colouring c = {.dims = ports, .colours = critical_sum(ports, times, count)};
  int64_t ones = 0;
  for (int64_t i = 0; i < count * ports; i++) ones += times[i];
  TRY(hy_hops_create(base, ones, 1, false, hops));
  hyla_status status = hy_alloc(base, count * c.colours, sizeof *c.dim_of, &c.dim_of);
  if (status == HYLA_OK) status = hy_alloc(base, ports * c.colours, sizeof *c.tag_of, &c.tag_of);
  for (int64_t i = 0; i < count && status == HYLA_OK; i++)
    for (int j = 0; j < ports; j++)
      for (uint32_t k = 0; k < times[i * ports + j]; k++) colour_entry(&c, i, j);
  for (int64_t colour = 0; colour < c.colours && status == HYLA_OK; colour++)
    for (int j = 0; j < ports; j++) {
      uint32_t tag = *tag_at(&c, j, colour);
      if (tag != 0) hy_hops_add(*hops, (int)colour, 1u << j, tags[tag - 1], 0, 0, 1);
    }
  hy_free(base, &c.dim_of);
  hy_free(base, &c.tag_of);
  if (status != HYLA_OK) hy_free(base, hops);
  return status;
}

/* The messages that have still to cross each port: waiting[first[j]] ... waiting[last[j] - 1]. */
struct waiting {
  int ports;
  uint32_t *waiting;
  int32_t *step_of; /* of each message, the last step in which it crossed a port */
  int64_t first[32], last[32];
};

static void line_up(const uint32_t *ways, int64_t count, struct waiting *w) {
  int64_t all = 0;
  for (int j = 0; j < w->ports; j++) {
    w->first[j] = all;
    for (int64_t i = 0; i < count; i++)
      if (ways[i] >> j & 1u) w->waiting[all++] = (uint32_t)i;
    w->last[j] = all;
  }
  for (int64_t i = 0; i < count; i++) w->step_of[i] = -1;
}

/* The message that crosses the port in this step; -1: all that wait there cross others. */
static int64_t take(struct waiting *w, int port, int step) {
  uint32_t *const next = &w->waiting[w->first[port]];
  const int64_t left = w->last[port] - w->first[port];
  for (int64_t i = 0; i < left; i++) {
    const uint32_t taken = next[i];
    if (w->step_of[taken] == step) continue;
    next[i] = next[0];
    w->first[port]++;
    w->step_of[taken] = step;
    return taken;
  }
  return -1;
}

hyla_status hy_hops_greedy_ways(struct hy_base *base, int ports, const uint32_t *ways,
                                const uint32_t *tags, int64_t count, struct hy_hops **hops) {
  struct waiting w = {.ports = ports};
  int64_t left = 0;
  for (int64_t i = 0; i < count; i++) left += hy_popcount(ways[i]);
  TRY(hy_hops_create(base, left, 1, false, hops));
  hyla_status status = hy_alloc(base, left, sizeof *w.waiting, &w.waiting);
  if (status == HYLA_OK) status = hy_alloc(base, count, sizeof *w.step_of, &w.step_of);
  if (status == HYLA_OK) line_up(ways, count, &w);
  for (int step = 0; left > 0 && status == HYLA_OK; step++)
    for (int j = 0; j < ports; j++) {
      const int64_t taken = take(&w, j, step);
      if (taken < 0) continue;
      hy_hops_add(*hops, step, 1u << j, tags[taken], 0, 0, 1);
      left--;
    }
  hy_free(base, &w.step_of);
  hy_free(base, &w.waiting);
  if (status != HYLA_OK) hy_free(base, hops);
  return status;
}
