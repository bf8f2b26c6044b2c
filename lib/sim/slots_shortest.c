/* Shortest paths through queues that hold any number of packets (Varvarigos 1992, 5.7).
 *
 * A node has a queue for each link.  New packets come to it as a Poisson process, so that links are
 * busy `load' of the time.  A packet joins the queue of a link that leads it nearer to its
 * destination; a link sends the packet at the head of its queue.  Nothing is dropped.
 *
 * shortest: chance picks among the links that serve.
 * shortest-lowest: the lowest dimension first. */
#include "sim/slots.h"

#include <math.h>

/* exp(-mean) of the new packets of a node and slot. */
struct arrivals {
  double none;
};

static int links(const hyla_traffic *traffic) { return traffic->dims; }

static const char *refuses(const hyla_traffic *traffic) {
  return traffic->load > 0 && traffic->load < 1 ? NULL : "its load is between 0 and 1";
}

static hyla_status make(struct hy_slots *slots) {
  struct arrivals *arrivals = NULL;
  TRY(hy_alloc_for(slots->base, slots, 1, sizeof *arrivals, &arrivals));
  arrivals->none = exp(-2 * slots->traffic->load * (slots->nodes - 1.0) / slots->nodes);
  slots->state = arrivals;
  slots->room = UINT32_MAX;
  return HYLA_OK;
}

/* Puts a packet into the queue of its next link. */
static void join(struct hy_slots *slots, uint32_t node, struct hy_slot_packet packet, bool lowest) {
  uint32_t wanted = packet.tag;
  if (!lowest) {
    const uint32_t most = (uint32_t)__builtin_popcount(wanted);
    uint32_t skip = hy_slot_below((uint32_t)(hy_slot_draw(&slots->random) >> 32), most);
    for (; skip > 0; skip--) wanted &= wanted - 1;
  }
  (void)hy_slot_wait(slots, node * (uint32_t)slots->links + (uint32_t)__builtin_ctz(wanted),
                     &packet);
}

/* How many new packets come: a Poisson number, by Knuth's product of random numbers. */
static int drawn_count(struct hy_slots *slots) {
  const struct arrivals *arrivals = slots->state;
  int count = 0;
  double product = ldexp((double)(hy_slot_draw(&slots->random) >> 11), -53);
  for (; product > arrivals->none; count++)
    product *= ldexp((double)(hy_slot_draw(&slots->random) >> 11), -53);
  return count;
}

static void play(struct hy_slots *slots, uint32_t node, bool lowest) {
  const uint32_t dims = (uint32_t)slots->dims;
  struct hy_slot_packet packet;
  for (uint32_t i = 0; i < dims; i++) {
    const struct hy_slot_packet *came = &slots->before[(node ^ (UINT32_C(1) << i)) * dims + i];
    if (came->there && came->tag == 0)
      hy_slot_arrive(slots, came);
    else if (came->there)
      join(slots, node, *came, lowest);
  }
  for (int left = drawn_count(slots); left > 0; left--) {
    hy_slot_new(slots, node, &packet);
    join(slots, node, packet, lowest);
  }
  for (uint32_t i = 0; i < dims; i++) {
    struct hy_slot_packet *out = &slots->now[node * dims + i];
    out->there = 0;
    if (slots->queue[node * dims + i].count == 0) continue;
    *out = hy_slot_next(slots, node * dims + i);
    slots->sums.at[__builtin_popcount(out->tag)]++;
    out->tag &= ~(UINT32_C(1) << i);
    out->links++;
  }
}

static void random_node(struct hy_slots *slots, uint32_t node) { play(slots, node, false); }
static void lowest_node(struct hy_slots *slots, uint32_t node) { play(slots, node, true); }

/* (5.47): a packet at the head of a queue is i links from home with probability
 * sum of m_j over j >= i, divided by the mean distance; m_j: a new packet starts j links from
 * home. */
static void formula(const hyla_traffic *traffic, hyla_traffic_result *result) {
  const int dims = traffic->dims;
  double m[HYLA_DIMS_MAX + 1], mean = 0, above = 0;
  m[0] = 1;
  for (int i = 1; i <= dims; i++) m[i] = m[i - 1] * (dims - i + 1) / i;
  for (int i = 1; i <= dims; i++) mean += i * m[i] / (ldexp(1, dims) - 1);
  for (int i = dims; i > 0; i--) {
    above += m[i] / (ldexp(1, dims) - 1);
    result->formula_histogram[i] = above / mean;
  }
  result->formula_throughput = result->formula_entered = traffic->load * dims / mean;
}

const struct hy_scheme hy_scheme_shortest = {
    .name = "shortest",
    .reference = "varvarigos-1992, 5.7",
    .takes = HY_TAKES_LOAD,
    .refuses = refuses,
    .formula = formula,
    .links = links,
    .make = make,
    .node = random_node,
};

const struct hy_scheme hy_scheme_shortest_lowest = {
    .name = "shortest-lowest",
    .reference = "varvarigos-1992, 5.7",
    .takes = HY_TAKES_LOAD,
    .refuses = refuses,
    .formula = formula,
    .links = links,
    .make = make,
    .node = lowest_node,
};
