/* Deflection in a cube of crossbar nodes (Varvarigos 1992, 5.6).
 *
 * No packet waits and none is dropped.  In each slot a node sends all the packets that came, at
 * most d, each over a link of its own.  In some order each takes one of its preferred links that is
 * still free, by chance; those that find none take what is left, and are sent away from their
 * destinations.  A packet that arrives makes room for a new one.
 *
 * deflection: the order is that of chance.
 * deflection-priority: those nearest to their destinations come first, by chance among equals. */
#include "sim/slots.h"

#include <math.h>

static int links(const hyla_traffic *traffic) { return traffic->dims; }

/* The packets of a node in a slot: the order's key, above 32 random bits for the choice. */
struct crowd {
  int count;
  uint64_t key[HYLA_DIMS_MAX];
  struct hy_slot_packet packet[HYLA_DIMS_MAX];
};

/* Puts a packet in its place. */
static void join(struct hy_slots *slots, struct crowd *crowd, const struct hy_slot_packet *packet,
                 bool priority) {
  const uint64_t draw = hy_slot_draw(&slots->random);
  const uint64_t distance = (uint64_t)__builtin_popcount(packet->tag);
  const uint64_t key = priority ? distance << 58 | draw >> 6 : draw;
  int place = crowd->count++;
  for (; place > 0 && crowd->key[place - 1] > key; place--) {
    crowd->key[place] = crowd->key[place - 1];
    crowd->packet[place] = crowd->packet[place - 1];
  }
  crowd->key[place] = key;
  crowd->packet[place] = *packet;
}

/* The bit number `skip', from 0, of a set. */
static uint32_t bit_at(uint32_t set, uint32_t skip) {
  for (; skip > 0; skip--) set &= set - 1;
  return set & -set;
}

static void send(struct hy_slots *slots, uint32_t node, struct hy_slot_packet *packet,
                 uint32_t bit) {
  slots->sums.at[__builtin_popcount(packet->tag)]++;
  packet->tag ^= bit;
  packet->links++;
  slots->now[node * (uint32_t)slots->links + (uint32_t)__builtin_ctz(bit)] = *packet;
}

static void play(struct hy_slots *slots, uint32_t node, bool priority) {
  struct crowd crowd = {.count = 0};
  const int dims = slots->dims;
  for (int i = 0; i < dims; i++) {
    const uint32_t peer = node ^ (UINT32_C(1) << i);
    struct hy_slot_packet packet = slots->before[peer * (uint32_t)dims + (uint32_t)i];
    slots->now[node * (uint32_t)dims + (uint32_t)i].there = 0;
    if (packet.there && packet.tag == 0) {
      hy_slot_arrive(slots, &packet);
      packet.there = 0;
    }
    if (!packet.there && hy_slot_access(slots, node)) hy_slot_new(slots, node, &packet);
    if (packet.there) join(slots, &crowd, &packet, priority);
  }
  uint32_t left[HYLA_DIMS_MAX], free = (UINT32_C(1) << dims) - 1;
  int waiting = 0;
  for (int i = 0; i < crowd.count; i++) {
    const uint32_t wanted = crowd.packet[i].tag & free;
    if (wanted == 0) {
      left[waiting++] = (uint32_t)i;
      continue;
    }
    const uint32_t draw = (uint32_t)(crowd.key[i] * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    const uint32_t most = (uint32_t)__builtin_popcount(wanted);
    const uint32_t bit = bit_at(wanted, hy_slot_below(draw, most));
    send(slots, node, &crowd.packet[i], bit);
    free &= ~bit;
  }
  for (int i = 0; i < waiting; i++) {
    crowd.packet[left[i]].deflected++;
    send(slots, node, &crowd.packet[left[i]], free & -free);
    free &= free - 1;
  }
}

static void simple_node(struct hy_slots *slots, uint32_t node) { play(slots, node, false); }
static void priority_node(struct hy_slots *slots, uint32_t node) { play(slots, node, true); }

/* (5.46) and Little's theorem: a full network of d packets a node passes d / T a slot, with T the
 * mean distance and two more links for each deflection, which are counted. */
static void beside(const hyla_traffic *traffic, hyla_traffic_result *result) {
  if (traffic->access < 1 || traffic->pattern != HYLA_TRAFFIC_UNIFORM) return;
  const double nodes = ldexp(1, traffic->dims);
  result->formula_delay = traffic->dims / 2.0 * nodes / (nodes - 1) + 2 * result->deflections;
  result->formula_throughput = traffic->dims / result->formula_delay;
}

const struct hy_scheme hy_scheme_deflection = {
    .name = "deflection",
    .reference = "varvarigos-1992, 5.6",
    .takes = HY_TAKES_ACCESS | HY_TAKES_PATTERN,
    .beside = beside,
    .links = links,
    .node = simple_node,
};

const struct hy_scheme hy_scheme_deflection_priority = {
    .name = "deflection-priority",
    .reference = "varvarigos-1992, 5.6",
    .takes = HY_TAKES_ACCESS | HY_TAKES_PATTERN,
    .beside = beside,
    .links = links,
    .node = priority_node,
};
