/* Shortest paths through queues that hold any number of packets (Varvarigos 1992, 5.7), on any
 * network.
 *
 * A node has a queue for each link.  New packets come to it as a Poisson process, so that links are
 * busy `load' of the time on average.  A packet joins the queue of a link that leads it nearer to
 * its destination; a link sends the packet at the head of its queue.  Nothing is dropped.  The tag
 * of a packet is its destination.
 *
 * shortest: chance picks among the links that serve.
 * shortest-lowest: the lowest port first.
 *
 * Where links are not alike, as on arrays, some are busier than the average.  A load that one of
 * them cannot bear is refused.
 *
 * Messages of a schedule may wait in the queues, too (load.c). */
#include "sim/slots.h"

#include <math.h>

/* none: exp(-mean) of the new packets of a node and slot.  used: packets that a link has carried.
 * arrived: where messages go that are no packets of the traffic. */
struct shortest {
  struct hy_ways ways;
  double none;
  int64_t *used;
  bool lowest;
  hy_slot_arrived *arrived;
  void *arg;
};

static const char *refuses(const hyla_traffic *traffic) {
  return traffic->load > 0 && traffic->load < 1 ? NULL : "its load is between 0 and 1";
}

/* New packets of a node and slot with which links are busy for a part of the time. */
static double rate_of(const struct hy_ways *ways, double load) {
  return load * ways->links / (ways->network.nodes * hy_ways_mean(ways));
}

hyla_status hy_shortest_make(struct hy_slots *slots, bool lowest, hy_slot_arrived *arrived,
                             void *arg) {
  struct shortest *s = NULL;
  const int64_t links = (int64_t)slots->nodes * slots->links;
  TRY(hy_alloc_for(slots->base, slots, 1, sizeof *s, &s));
  TRY(hy_ways_make(slots->base, slots, &slots->network, &s->ways));
  TRY(hy_alloc_for(slots->base, slots, links, sizeof *s->used, &s->used));
  s->none = exp(-rate_of(&s->ways, slots->traffic->load));
  s->lowest = lowest;
  s->arrived = arrived;
  s->arg = arg;
  slots->state = s;
  slots->room = UINT32_MAX;
  return HYLA_OK;
}

static hyla_status make_random(struct hy_slots *slots) {
  return hy_shortest_make(slots, false, NULL, NULL);
}
static hyla_status make_lowest(struct hy_slots *slots) {
  return hy_shortest_make(slots, true, NULL, NULL);
}

/* Puts a packet into the queue of its next link. */
static void join(struct hy_slots *slots, uint32_t node, const struct hy_slot_packet *packet) {
  const struct shortest *s = slots->state;
  uint32_t wanted = hy_ways_ports(&s->ways, node, packet->tag);
  if (!s->lowest) {
    const uint32_t most = (uint32_t)__builtin_popcount(wanted);
    uint32_t skip = hy_slot_below((uint32_t)(hy_slot_draw(&slots->random) >> 32), most);
    for (; skip > 0; skip--) wanted &= wanted - 1;
  }
  (void)hy_slot_wait(slots, node * (uint32_t)slots->links + (uint32_t)__builtin_ctz(wanted),
                     packet);
}

/* How many new packets come: a Poisson number, by Knuth's product of random numbers. */
static int drawn_count(struct hy_slots *slots) {
  const struct shortest *s = slots->state;
  int count = 0;
  double product = ldexp((double)(hy_slot_draw(&slots->random) >> 11), -53);
  for (; product > s->none; count++)
    product *= ldexp((double)(hy_slot_draw(&slots->random) >> 11), -53);
  return count;
}

/* New packets, whose tags become destinations. */
static void enter(struct hy_slots *slots, uint32_t node) {
  struct hy_slot_packet packet;
  for (int left = drawn_count(slots); left > 0; left--) {
    const uint32_t draw = (uint32_t)(hy_slot_draw(&slots->random) >> 32);
    const uint32_t to = hy_slot_below(draw, slots->nodes - 1);
    packet = (struct hy_slot_packet){.tag = to + (to >= node), .born = slots->slot, .there = 1};
    hy_slot_entered(slots, node);
    join(slots, node, &packet);
  }
}

/* A link sends the first packet of its queue.  A message sends one packet, and waits again with the
 * rest: so it takes a link for 1 / (1 - load) of the slots that it needs. */
static void serve(struct hy_slots *slots, uint32_t node, uint32_t link) {
  struct shortest *s = slots->state;
  struct hy_slot_packet *out = &slots->now[link];
  out->there = 0;
  if (slots->queue[link].count == 0) return;
  *out = hy_slot_next(slots, link);
  if (out->there > 1) {
    out->there--;
    (void)hy_slot_wait(slots, link, out);
    out->there = 0;
    return;
  }
  out->links++;
  if (out->tag >= HY_SLOT_GUEST) return;
  slots->sums.at[hy_ways_distance(&s->ways, node, out->tag)]++;
  s->used[link] += slots->counting;
}

void hy_shortest_receive(struct hy_slots *slots) {
  const struct shortest *s = slots->state;
  const uint32_t ports = (uint32_t)slots->links;
  for (uint32_t node = 0; node < slots->nodes; node++)
    for (uint32_t port = 0; port < ports; port++) {
      const struct hy_slot_packet *came = &slots->before[node * ports + port];
      if (!came->there) continue;
      const uint32_t peer = hy_ways_peer(&s->ways, node, port);
      if (came->tag >= HY_SLOT_GUEST)
        s->arrived(slots, s->arg, came->tag & ~HY_SLOT_GUEST, peer);
      else if (came->tag == peer)
        hy_slot_arrive(slots, came);
      else
        join(slots, peer, came);
    }
}

void hy_shortest_send(struct hy_slots *slots) {
  const uint32_t ports = (uint32_t)slots->links;
  for (uint32_t node = 0; node < slots->nodes; node++) enter(slots, node);
  for (uint32_t node = 0; node < slots->nodes; node++)
    for (uint32_t port = 0; port < ports; port++) serve(slots, node, node * ports + port);
}

static void slot(struct hy_slots *slots) {
  hy_shortest_receive(slots);
  hy_shortest_send(slots);
}

static void end(struct hy_slots *slots, hyla_traffic_result *result) {
  const struct shortest *s = slots->state;
  const int64_t links = (int64_t)slots->nodes * slots->links;
  int64_t most = 0;
  for (int64_t i = 0; i < links; i++) most = hy_max(most, s->used[i]);
  result->busiest = (double)most / (double)slots->traffic->slots;
}

/* (5.47): a packet at the head of a queue is i links from home with probability
 * sum of m_j over j >= i, divided by the mean distance; m_j: a new packet starts j links from
 * home. */
static void set_formula(const struct hy_ways *ways, double load, hyla_traffic_result *result) {
  const double mean = hy_ways_mean(ways), nodes = ways->network.nodes;
  double above = 0;
  for (int i = ways->diameter; i > 0; i--) {
    above += ways->pairs[i] / (nodes * (nodes - 1));
    result->formula_histogram[i] = above / mean;
  }
  result->formula_throughput = result->formula_entered = rate_of(ways, load);
}

static hyla_status ask_formula(struct hy_base *base, void *owner, const hyla_traffic *traffic,
                               bool lowest, hyla_traffic_result *result) {
  struct hy_network network;
  struct hy_ways ways;
  double factor = 1;
  (void)hy_traffic_network(traffic, &network);
  TRY(hy_ways_make(base, owner, &network, &ways));
  TRY(hy_ways_busiest(base, &ways, lowest, &factor));
  CHECK(base, traffic->load * factor < 1, ARGUMENT,
        "the busiest link is %.4g times as busy as links are on average; give a load below %.4g",
        factor, 1 / factor);
  result->formula_busiest = traffic->load * factor;
  set_formula(&ways, traffic->load, result);
  return HYLA_OK;
}

static hyla_status formula(struct hy_base *base, const hyla_traffic *traffic, bool lowest,
                           hyla_traffic_result *result) {
  char *owner = NULL;
  TRY(hy_alloc(base, 1, sizeof *owner, &owner));
  hyla_status status = ask_formula(base, owner, traffic, lowest, result);
  hy_free(base, &owner);
  return status;
}

static hyla_status random_formula(struct hy_base *base, const hyla_traffic *traffic,
                                  hyla_traffic_result *result) {
  return formula(base, traffic, false, result);
}
static hyla_status lowest_formula(struct hy_base *base, const hyla_traffic *traffic,
                                  hyla_traffic_result *result) {
  return formula(base, traffic, true, result);
}

const struct hy_scheme hy_scheme_shortest = {
    .name = "shortest",
    .reference = "varvarigos-1992, 5.7",
    .takes = HY_TAKES_LOAD | HY_TAKES_NETWORK,
    .refuses = refuses,
    .formula = random_formula,
    .make = make_random,
    .slot = slot,
    .end = end,
};

const struct hy_scheme hy_scheme_shortest_lowest = {
    .name = "shortest-lowest",
    .reference = "varvarigos-1992, 5.7",
    .takes = HY_TAKES_LOAD | HY_TAKES_NETWORK,
    .refuses = refuses,
    .formula = lowest_formula,
    .make = make_lowest,
    .slot = slot,
    .end = end,
};
