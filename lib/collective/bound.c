/* Lower bounds: no variant of a collective can take less.
 *
 * Words that must cross a set of links take at least their number divided by that of the links.  A
 * node farther away takes a start for each link.  With whole packets there are at least as many
 * transmissions as the sum of the distances.
 *
 * The sets of links are:
 * - the links of the root, or of any node, for the words it gives or gets;
 * - all links of one dimension, for messages between nodes that differ in it (Varvarigos 1992,
 *   chapter 2, theorem 1);
 * - with one port a node's port, for all words that the average node sends (with circuits without
 *   words that pass through);
 * - if some nodes have messages for all, the links that leave a subcube: the subcube with the most
 *   words for each link counts.
 * Work: 2^d d operations; d within a band; 4^d for subcubes and for several bands.
 * References: Stout and Wagar 1990, section 9; Bertsekas et al. 1991, table 1; Varvarigos 1992,
 * theorem 1 of chapter 2, 3.6, 3.7 and 3.8. */
#include "collective/papers.h"

/* Messages of an exchange or a permutation: over each dimension, over all links together, the most
 * from one node, and the largest distance. */
struct traffic {
  int64_t across[HYLA_DIMS_MAX];
  int64_t hops, most, farthest;
};

static void add_message(struct traffic *t, int dims, uint32_t tag) {
  for (int j = 0; j < dims; j++) t->across[j] += tag >> j & 1u;
  t->hops += hy_popcount(tag);
  t->farthest = hy_max(t->farthest, hy_popcount(tag));
}

/* Messages within a band (exchange_banded.c).  In its own b-cube a node has one partner for each
 * tag.  On the ring it also has one for each tag, except tag 0, which both neighbours have (once if
 * they are one node).  Over a link of the ring all nodes of its place together send 1 + 2 + ... +
 * 2^b messages. */
static struct traffic traffic_of_band(int dims, int b) {
  const int low = dims - b;
  const int64_t nodes = INT64_C(1) << dims, reach = INT64_C(1) << b;
  const bool both = low > 1; /* there are two neighbours */
  struct traffic t = {.most = both ? 2 * reach : nodes - 1, .farthest = b + 1};
  for (int j = 0; j < dims; j++) {
    const int64_t edges = INT64_C(1) << (j + 1 < low ? low - 1 - j : 1); /* of G's loop */
    if (j >= low || !both)
      t.across[j] = nodes * reach;
    else
      t.across[j] = edges * reach * (reach + 1);
    t.hops += t.across[j];
  }
  return t;
}

/* Every node has as many partners as node 0. */
static struct traffic traffic_of_exchange(const struct hy_collective *c) {
  struct traffic t = {{0}, 0, 0, 0};
  const uint32_t nodes = 1u << c->dims;
  for (uint32_t y = 1; y < nodes; y++)
    if (hy_partners(c, 0, y)) {
      add_message(&t, c->dims, y);
      t.most++;
    }
  for (int j = 0; j < c->dims; j++) t.across[j] *= nodes;
  t.hops *= nodes;
  return t;
}

/* For several matrices all pairs of nodes are counted. */
static struct traffic traffic_of_bands(const struct hy_collective *c) {
  struct traffic t = {{0}, 0, 0, 0};
  for (uint32_t x = 0; x >> c->dims == 0; x++) {
    int64_t own = 0;
    for (int j = 0; j < c->matrices; j++)
      for (uint32_t y = 0; y >> c->dims == 0; y++)
        if (x != y && hy_partners_of(c, j, x, y)) {
          add_message(&t, c->dims, x ^ y);
          own++;
        }
    t.most = hy_max(t.most, own);
  }
  return t;
}

static struct traffic traffic_of(const struct hy_collective *c) {
  struct traffic t = {{0}, 0, 0, 0};
  if (c->task == HY_TASK_EXCHANGE && c->band > 0 && c->dims > 0)
    return traffic_of_band(c->dims, c->band - 1);
  if (c->task == HY_TASK_EXCHANGE) return traffic_of_exchange(c);
  if (c->task == HY_TASK_BAND_EXCHANGE) return traffic_of_bands(c);
  for (uint32_t x = 0; x >> c->dims == 0; x++) {
    if (c->to[x] < 0 || c->to[x] == (int32_t)x) continue;
    add_message(&t, c->dims, x ^ (uint32_t)c->to[x]);
    t.most = 1;
  }
  return t;
}

static bool less(struct hy_ratio a, struct hy_ratio b) { return a.num * b.den < b.num * a.den; }

static struct hy_bound bound_of_traffic(const struct hy_collective *c,
                                        const struct hy_paper_machine *machine) {
  const struct traffic t = traffic_of(c);
  int64_t nodes = INT64_C(1) << c->dims;
  struct hy_bound bound = {.words = {t.most, machine->one_port ? 1 : hy_max(1, c->dims)},
                           .farthest = t.farthest,
                           .packets = t.hops,
                           .formula = "(most of a node) tau m / ports + beta",
                           .reference = "stout-wagar-1990, section 9"};
  for (int j = 0; j < c->dims && !machine->one_port; j++)
    if (less(bound.words, (struct hy_ratio){t.across[j], nodes})) {
      bound.words = (struct hy_ratio){t.across[j], nodes};
      bound.formula = "(over a dimension) tau m / 2^d + beta";
      bound.reference = "varvarigos-1992, chapter 2, theorem 1";
    }
  const struct hy_ratio ports = {t.hops, nodes};
  if (machine->one_port && !machine->circuits && less(bound.words, ports)) {
    bound.words = ports;
    bound.formula = "(all distances) tau m / 2^d + beta";
  }
  return bound;
}

/* Above SUBCUBES dimensions only some subcubes are tried: single nodes, halves, and those that the
 * lowest dimensions span.  The bound still holds, but may not be the best. */
enum { SUBCUBES = 10 };

/* Words from the active nodes of a subcube to all nodes outside, divided by the links. */
static struct hy_ratio out_of(const struct hy_collective *c, const struct hy_paper_machine *machine,
                              uint32_t inside, uint32_t place) {
  const int free = hy_popcount(inside);
  const int64_t nodes = INT64_C(1) << c->dims, members = INT64_C(1) << free;
  int64_t active = 0;
  for (uint32_t i = 0; i >> free == 0; i++) active += c->active[hy_deposit(i, inside) | place] != 0;
  return (struct hy_ratio){active * (nodes - members),
                           members * (machine->one_port ? 1 : c->dims - free)};
}

static struct hy_bound bound_of_active(const struct hy_collective *c,
                                       const struct hy_paper_machine *machine) {
  const uint32_t all = (1u << c->dims) - 1;
  const int64_t active = hy_active_count(c);
  struct hy_bound bound = {.words = {0, 1},
                           .farthest = active > 0 ? c->dims : 0,
                           .packets = active * c->dims << c->dims >> 1,
                           .formula = "(out of a subcube) tau m / links + beta",
                           .reference = "varvarigos-1992, section 3.7"};
  for (uint32_t inside = 0; inside < all; inside++) {
    bool few = (inside & (inside + 1)) == 0 || hy_popcount(inside) == c->dims - 1;
    if (c->dims > SUBCUBES && !few) continue;
    for (uint32_t i = 0; i >> (c->dims - hy_popcount(inside)) == 0; i++) {
      struct hy_ratio words = out_of(c, machine, inside, hy_deposit(i, all & ~inside));
      if (less(bound.words, words)) bound.words = words;
    }
  }
  return bound;
}

struct hy_bound hy_collective_bound(const struct hy_collective *c,
                                    const struct hy_paper_machine *machine) {
  int64_t d = c->dims, others = (INT64_C(1) << d) - 1, active = 0;
  struct hy_bound bound = {.words = {1, 1}, .farthest = d};
  switch (c->task) {
  case HY_TASK_BROADCAST:
  case HY_TASK_REDUCE:
  case HY_TASK_ALLREDUCE:
    bound.packets = c->task == HY_TASK_ALLREDUCE ? 0 : others;
    bound.formula = "tau m / ports + beta";
    bound.reference = "stout-wagar-1990, section 9";
    break;
  case HY_TASK_SCATTER:
  case HY_TASK_GATHER:
  case HY_TASK_ALLGATHER:
  case HY_TASK_REDUCE_SCATTER:
    bound.words.num = others;
    bound.packets = c->task <= HY_TASK_GATHER ? (d << d) / 2 : others << d;
    bound.formula = "(2^d-1) tau m / ports + beta";
    bound.reference = "bertsekas-1991, table 1";
    break;
  case HY_TASK_PARTIAL:
    active = hy_active_count(c);
    bound.words.num = hy_min(active, others);
    bound.packets = active * others;
    bound.formula = "min(M, 2^d-1) tau m / ports + beta";
    bound.reference = "varvarigos-1992, section 3.6";
    break;
  case HY_TASK_EXCHANGE:
  case HY_TASK_PERMUTE: return bound_of_traffic(c, machine);
  case HY_TASK_BAND_EXCHANGE: return bound_of_traffic(c, machine);
  case HY_TASK_BAND_BROADCAST: {
    const struct traffic t = traffic_of_bands(c);
    bound.words.num = t.most;
    bound.farthest = t.farthest;
    bound.packets = t.most << c->dims;
    bound.formula = "(most of a node) tau m / ports + beta";
    bound.reference = "varvarigos-1992, section 2.7";
    break;
  }
  case HY_TASK_PARTIAL_EXCHANGE:
  case HY_TASK_PARTIAL_GATHER: return bound_of_active(c, machine);
  case HY_TASK_WINDOW:
    active = INT64_C(1) << c->window;
    bound.words.num = active - 1;
    bound.farthest = c->window;
    bound.packets = active * (active - 1);
    bound.formula = "(2^k-1) tau m / ports + beta";
    bound.reference = "varvarigos-1992, section 3.8";
    break;
  }
  if (!machine->one_port) bound.words.den = hy_max(1, d);
  return d == 0 ? (struct hy_bound){.words = {0, 1},
                                    .formula = bound.formula,
                                    .reference = bound.reference}
                : bound;
}

double hy_bound_time(const struct hy_bound *bound, const struct hy_paper_machine *machine, double m,
                     double tau, double beta) {
  double links = (double)bound->words.num * m * tau / (double)bound->words.den;
  double starts = (double)(machine->circuits ? bound->farthest > 0 : bound->farthest) * beta;
  double first = bound->words.num > 0 && m > 0 ? beta : 0;
  if (m <= 0) return 0;
  return links + first > starts ? links + first : starts;
}
