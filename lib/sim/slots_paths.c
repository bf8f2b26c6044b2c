/* Conflict sense routing over any ways, with buffers (Varvarigos 1992, 6.2).
 *
 * A new packet stands in the entry buffer of the first link of its way.  In each slot its flit goes
 * over the whole way, one flit after the other, in an order of chance.  At a link it looks, from
 * the slot c in which the packet will be there, for the first slot T in which the link is free and
 * up to which one of its k buffers has room; it reserves the link for T and a buffer for c .. T -
 * 1, and goes on with c = T + 1.  If there is no such T within HORIZON slots it frees what it
 * reserved, and the packet tries again in the next slot.
 *
 * Packets then move by the times that they carry, without looking at reservations.  The run is
 * wrong, and fails, if two want a link, too many wait at one, or one overtakes another between the
 * same nodes.  Ways are those of the network's self-routing.
 *
 * Beside that, single packets go through the empty network, one after the other.  By reservations
 * a packet takes slots, each with a control interval; by circuits one control interval, then a
 * packet's time for each link; by packets that time for each link alone. */
#include "sim/slots.h"

#include <string.h>

enum { HORIZON = 64, MOST_LINKS = 48, NONE = UINT32_MAX };

/* A packet in an entry buffer or on its way.
 *   via, at   links and slots of its way
 *   links     of its way; done: those that it has crossed */
struct trip {
  uint32_t to, next;
  uint32_t via[MOST_LINKS], at[MOST_LINKS];
  int links, done;
  uint32_t from, born;
};

/* A link's reservation list for the next HORIZON slots, by the slot modulo HORIZON. */
struct list {
  uint64_t taken;
  uint8_t waiting[HORIZON];
};

/* entry: of each link, the trip in its entry buffer, or NONE.  order: links whose flits go in this
 * slot.  moving: trips that have entered.  used, stored: of each link, the slot in which it was
 * used latest, counted from 1, and the packets that wait.  last: of each pair of nodes, when the
 * latest packet arrived.  alone: mean delays of single packets. */
struct paths {
  struct hy_network network;
  double alone[3];
  uint32_t links, trips, free_trip, moving_count;
  struct list *list;
  struct trip *trip;
  uint32_t *entry, *order, *moving, *used, *last;
  uint8_t *stored;
};

static hyla_status take(struct hy_slots *slots, struct paths *p) {
  struct hy_base *base = slots->base;
  const int64_t count = p->links;
  TRY(hy_alloc_for(base, slots, count, sizeof *p->list, &p->list));
  TRY(hy_alloc_for(base, slots, p->trips, sizeof *p->trip, &p->trip));
  TRY(hy_alloc_for(base, slots, p->trips, sizeof *p->moving, &p->moving));
  TRY(hy_alloc_for(base, slots, count, sizeof *p->entry, &p->entry));
  TRY(hy_alloc_for(base, slots, count, sizeof *p->order, &p->order));
  TRY(hy_alloc_for(base, slots, count, sizeof *p->used, &p->used));
  TRY(hy_alloc_for(base, slots, count, sizeof *p->stored, &p->stored));
  return hy_alloc_for(base, slots, (int64_t)slots->nodes * slots->nodes, sizeof *p->last, &p->last);
}

/* A new packet comes to the entry buffer of its first link, and is discarded where another one is.
 */
static void arrive(struct hy_slots *slots, struct paths *p, uint32_t node) {
  const uint32_t draw = (uint32_t)(hy_slot_draw(&slots->random) >> 32);
  uint32_t to = hy_slot_below(draw, slots->nodes - 1);
  to += to >= node;
  if (slots->traffic->pattern == HYLA_TRAFFIC_OPPOSITE) to = slots->nodes - 1 - node;
  if (to == node) return; /* the middle of an odd number of nodes */
  const int port = hy_network_port(&p->network, node, to);
  uint32_t *entry = &p->entry[node * (uint32_t)p->network.ports + (uint32_t)port];
  if (*entry != NONE) return;
  *entry = p->free_trip;
  p->free_trip = p->trip[*entry].next;
  p->trip[*entry] = (struct trip){.from = node, .to = to};
}

/* The first slot from c on in which a link is free for a packet that waits there until then; NONE:
 * there is none. */
static uint32_t find_slot(const struct list *list, uint32_t c, uint32_t end, int buffers) {
  for (uint32_t t = c; t < end; t++) {
    if (!(list->taken >> t % HORIZON & 1)) return t;
    if (list->waiting[t % HORIZON] >= buffers) return NONE;
  }
  return NONE;
}

/* Reserves a link and a buffer, or with `sign' -1 frees them. */
static void mark(struct list *list, uint32_t c, uint32_t t, int sign) {
  list->taken ^= UINT64_C(1) << t % HORIZON;
  for (; c < t; c++) list->waiting[c % HORIZON] = (uint8_t)(list->waiting[c % HORIZON] + sign);
}

/* The slot in which a packet is at its i-th link. */
static uint32_t ready(const struct trip *trip, int i) {
  return i == 0 ? trip->born : trip->at[i - 1] + 1;
}

/* A flit's way; false: it is blocked, and has freed all. */
static bool reserve(struct hy_slots *slots, struct paths *p, struct trip *trip) {
  uint32_t node = trip->from;
  trip->born = slots->slot;
  for (trip->links = 0; node != trip->to; trip->links++) {
    const int port = hy_network_port(&p->network, node, trip->to), i = trip->links;
    const uint32_t link = node * (uint32_t)p->network.ports + (uint32_t)port;
    const uint32_t c = ready(trip, i);
    const uint32_t t = find_slot(&p->list[link], c, slots->slot + HORIZON, slots->traffic->buffers);
    if (t == NONE) break;
    mark(&p->list[link], c, t, 1);
    trip->via[i] = link;
    trip->at[i] = t;
    node = (uint32_t)hy_network_peer(&p->network, node, port);
  }
  for (int i = 0; node != trip->to && i < trip->links; i++)
    mark(&p->list[trip->via[i]], ready(trip, i), trip->at[i], -1);
  return node == trip->to;
}

/* Sends a packet from nodes to all other nodes, each when the one before has arrived.  Where there
 * are very many pairs, only some nodes send. */
static void play_alone(struct hy_slots *slots, struct paths *p) {
  enum { PAIRS_MOST = 1 << 20 };
  const uint32_t nodes = slots->nodes,
                 stride = 1 + (uint32_t)((uint64_t)nodes * nodes / PAIRS_MOST);
  const double beta = slots->traffic->beta;
  double packets = 0;
  for (uint32_t from = 0; from < nodes; from += stride)
    for (uint32_t to = 0; to < nodes; to++) {
      struct trip trip = {.from = from, .to = to};
      if (from == to || !reserve(slots, p, &trip)) continue;
      packets++;
      p->alone[0] += trip.links;
      p->alone[1] += beta + trip.links;
      p->alone[2] += (trip.at[trip.links - 1] + 1 - trip.born) * (1 + beta);
      for (int i = 0; i < trip.links; i++)
        mark(&p->list[trip.via[i]], ready(&trip, i), trip.at[i], -1);
    }
  for (int i = 0; i < 3; i++) p->alone[i] /= packets;
}

static hyla_status make(struct hy_slots *slots) {
  enum { NODES_MOST = 4096 };
  struct paths *p = NULL;
  const int buffers = slots->traffic->buffers;
  CHECK(slots->base, slots->nodes <= NODES_MOST, ARGUMENT,
        "csr-paths on %u nodes; give a network of at most %d", (unsigned)slots->nodes, NODES_MOST);
  CHECK(slots->base, buffers >= 0 && buffers < HORIZON, ARGUMENT,
        "csr-paths has from 0 to %d buffers at a link", HORIZON - 1);
  TRY(hy_alloc_for(slots->base, slots, 1, sizeof *p, &p));
  slots->state = p;
  p->network = slots->network;
  CHECK(slots->base, hy_network_diameter(&p->network) <= MOST_LINKS, ARGUMENT,
        "csr-paths has ways of at most %d links, and nodes of this network are %d apart",
        MOST_LINKS, hy_network_diameter(&p->network));
  p->links = slots->nodes * (uint32_t)p->network.ports;
  p->trips = p->links * (uint32_t)(buffers + 2);
  TRY(take(slots, p));
  for (uint32_t i = 0; i < p->trips; i++) p->trip[i].next = i + 1 < p->trips ? i + 1 : NONE;
  for (uint32_t i = 0; i < p->links; i++) p->entry[i] = NONE;
  play_alone(slots, p);
  return HYLA_OK;
}

/* The control interval: all flits, in an order of chance. */
static void control(struct hy_slots *slots, struct paths *p) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->links; i++)
    if (p->entry[i] != NONE) p->order[count++] = i;
  for (; count > 0; count--) {
    const uint32_t draw = (uint32_t)(hy_slot_draw(&slots->random) >> 32);
    const uint32_t place = hy_slot_below(draw, count), link = p->order[place];
    p->order[place] = p->order[count - 1];
    if (!reserve(slots, p, &p->trip[p->entry[link]])) continue;
    hy_slot_entered(slots, p->trip[p->entry[link]].from);
    p->moving[p->moving_count++] = p->entry[link];
    p->entry[link] = NONE;
  }
}

/* Fails unless the run is as the reservations promise. */
static void hold(struct hy_slots *slots, bool sound, const char *what, uint32_t link) {
  if (!sound && slots->status == HYLA_OK)
    slots->status = hy_fail(slots->base, HYLA_DAMAGED, "slot %u, link %u: %s",
                            (unsigned)slots->slot, (unsigned)link, what);
}

/* A packet crosses a link; true: it has arrived. */
static bool cross(struct hy_slots *slots, struct paths *p, struct trip *trip) {
  const uint32_t now = slots->slot, link = trip->via[trip->done];
  hold(slots, p->used[link] != now + 1, "two packets want it", link);
  p->used[link] = now + 1;
  if (ready(trip, trip->done) < now) p->stored[link]--;
  slots->sums.at[trip->links - trip->done]++;
  if (++trip->done < trip->links) return false;
  uint32_t *last = &p->last[(size_t)trip->from * slots->nodes + trip->to];
  hold(slots, *last < now + 1, "a packet overtakes another one", link);
  *last = now + 1;
  slots->sums.arrived++;
  slots->sums.delay += now + 1 - trip->born;
  return true;
}

/* The transmission interval: first all that leave a link's buffers, then all that join them. */
static void transmit(struct hy_slots *slots, struct paths *p) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < p->moving_count; i++) {
    const uint32_t number = p->moving[i];
    struct trip *trip = &p->trip[number];
    p->moving[left++] = number;
    if (trip->at[trip->done] != slots->slot || !cross(slots, p, trip)) continue;
    left--;
    trip->next = p->free_trip;
    p->free_trip = number;
  }
  p->moving_count = left;
  for (uint32_t i = 0; i < left; i++) {
    const struct trip *trip = &p->trip[p->moving[i]];
    if (ready(trip, trip->done) != slots->slot) continue;
    const uint32_t link = trip->via[trip->done];
    hold(slots, ++p->stored[link] <= slots->traffic->buffers, "more packets wait than it has room",
         link);
  }
}

static void slot(struct hy_slots *slots) {
  struct paths *p = slots->state;
  const uint32_t place = slots->slot % HORIZON;
  for (uint32_t node = 0; node < slots->nodes; node++)
    for (int port = 0; port < p->network.ports; port++)
      if (hy_network_peer(&p->network, node, port) >= 0 && hy_slot_access(slots, node))
        arrive(slots, p, node);
  control(slots, p);
  transmit(slots, p);
  for (uint32_t i = 0; i < p->links; i++) {
    p->list[i].taken &= ~(UINT64_C(1) << place);
    p->list[i].waiting[place] = 0;
  }
}

static void end(struct hy_slots *slots, hyla_traffic_result *result) {
  const struct paths *p = slots->state;
  memcpy(result->alone, p->alone, sizeof result->alone);
}

/* 6.2: h links take h by packets, h + beta by circuits, h (1 + beta) by reservations. */
static hyla_status formula(struct hy_base *base, const hyla_traffic *traffic,
                           hyla_traffic_result *result) {
  struct hy_network network;
  (void)base;
  (void)hy_traffic_network(traffic, &network);
  const double nodes = network.nodes, sum = (double)hy_network_distances(&network);
  if (sum < 0) return HYLA_OK; /* it depends on what was drawn */
  const double links = sum / (nodes * (nodes - 1));
  result->formula_alone[0] = links;
  result->formula_alone[1] = links + traffic->beta;
  result->formula_alone[2] = links * (1 + traffic->beta);
  return HYLA_OK;
}

const struct hy_scheme hy_scheme_csr_paths = {
    .name = "csr-paths",
    .reference = "varvarigos-1992, 6.2",
    .takes =
        HY_TAKES_BUFFERS | HY_TAKES_ACCESS | HY_TAKES_PATTERN | HY_TAKES_NETWORK | HY_TAKES_CONTROL,
    .formula = formula,
    .make = make,
    .slot = slot,
    .end = end,
};
