/* Private to this room: traffic in synchronous slots.
 *
 * In a slot each link carries at most one packet.  A node's rule takes the packets that came over
 * its links in the slot before, ends those that have arrived, and puts at most one packet on each
 * of its links.  So the order of the nodes does not matter, except for the drawing of numbers,
 * which is the same every time.  There are no matrices and no messages. */
#ifndef HY_SLOTS_H
#define HY_SLOTS_H 1

#include "address/address.h"
#include "base/base.h"
#include "hyla_lab.h"

struct hy_slots;

/* A scheme: one file, one row of the list in traffic.c.
 *   reference  where it is written
 *   takes      the parameters that it has
 *   refuses    NULL, or tells why the parameters do not serve; NULL: they do
 *   formula    NULL, or sets the members formula_... of the result, before the run.  ARGUMENT for
 *              what it cannot bear, MEMORY
 *   beside     NULL, or sets those that need what was counted, after it
 *   links      packets that a node may send in a slot; NULL: one over each port of the network
 *   make       NULL, or takes the state's memory, owned by the slots
 *   node       the rule of one node in a slot
 *   slot       NULL, or plays a slot of all nodes in place of `node'
 *   end        NULL, or sets what the scheme itself has counted
 *   run        NULL, or plays the whole traffic in place of slots, and sets the result */
enum {
  HY_TAKES_BUFFERS = 1,
  HY_TAKES_ACCESS = 2,
  HY_TAKES_LOAD = 4,
  HY_TAKES_PATTERN = 8,
  HY_TAKES_NETWORK = 16,
  HY_TAKES_PREFIX = 32, /* whole packets, too */
  HY_TAKES_CONTROL = 64,
  HY_TAKES_RETRY = 128
};
struct hy_scheme {
  const char *name;
  const char *reference;
  unsigned takes;
  const char *(*refuses)(const hyla_traffic *traffic);
  hyla_status (*formula)(struct hy_base *base, const hyla_traffic *traffic,
                         hyla_traffic_result *result);
  void (*beside)(const hyla_traffic *traffic, hyla_traffic_result *result);
  int (*links)(const hyla_traffic *traffic);
  hyla_status (*make)(struct hy_slots *slots);
  void (*node)(struct hy_slots *slots, uint32_t node);
  void (*slot)(struct hy_slots *slots);
  void (*end)(struct hy_slots *slots, hyla_traffic_result *result);
  hyla_status (*run)(struct hy_base *base, const hyla_traffic *traffic,
                     hyla_traffic_result *result);
};

extern const struct hy_scheme hy_scheme_simple, hy_scheme_priority, hy_scheme_deflection,
    hy_scheme_deflection_priority, hy_scheme_csr, hy_scheme_csr_paths, hy_scheme_shortest,
    hy_scheme_shortest_lowest, hy_scheme_broadcasts;

/* A packet on a link or in a queue.
 *   tag        what is left of its way, as the scheme writes it
 *   born       the slot of its entry
 *   links      links so far
 *   deflected  those that led away from its destination */
struct hy_slot_packet {
  uint32_t tag;
  uint32_t born;
  uint16_t links;
  uint16_t deflected;
  uint32_t there; /* 0: no packet */
};

/* The counts of a part of the run.  at: packets on links, by the distance from their end. */
struct hy_slot_sums {
  int64_t arrived, entered, delay, deflected;
  int64_t at[HYLA_TRAFFIC_BINS + 1];
};

/* Packets that wait, in the order in which they came: lists in one pool of cells. */
enum { HY_SLOT_END = UINT32_MAX };
struct hy_slot_queue {
  uint32_t first, last, count;
};
struct hy_slot_cell {
  struct hy_slot_packet packet;
  uint32_t next;
};

/* The state of a run.
 *   network      the cube if the traffic names none
 *   before, now  the packets on the links in the slot before and in this one, node by node
 *   queue        one for each link, of at most `room' packets
 *   by_node      packets that entered, since the warm-up
 *   counting     the warm-up is over
 *   status       of a rule that lacked memory */
struct hy_slots {
  struct hy_base *base;
  const hyla_traffic *traffic;
  struct hy_network network;
  int dims, links;
  uint32_t nodes;
  uint32_t slot;
  bool counting;
  uint64_t random;
  uint64_t access; /* a new packet is there if 32 drawn bits are below it */
  struct hy_slot_packet *before, *now;
  struct hy_slot_queue *queue;
  uint32_t room;
  struct hy_slot_cell *cell;
  uint32_t cells, free_cell;
  struct hy_slot_sums sums;
  int64_t *by_node;
  hyla_status status;
  void *state;
};

/* 64 random bits (splitmix64). */
static inline uint64_t hy_slot_draw(uint64_t *random) {
  uint64_t word = *random += UINT64_C(0x9e3779b97f4a7c15);
  word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
  return word ^ (word >> 31);
}

/* A number below `most', from 32 random bits. */
static inline uint32_t hy_slot_below(uint32_t bits, uint32_t most) {
  return (uint32_t)(((uint64_t)bits * most) >> 32);
}

static inline void hy_slot_entered(struct hy_slots *slots, uint32_t node) {
  slots->sums.entered++;
  slots->by_node[node]++;
}

/* A new packet at a node: its tag has the bits in which its destination differs. */
static inline void hy_slot_new(struct hy_slots *slots, uint32_t node,
                               struct hy_slot_packet *packet) {
  uint32_t tag = slots->nodes - 1;
  if (slots->traffic->pattern == HYLA_TRAFFIC_UNIFORM)
    tag = 1 + hy_slot_below((uint32_t)(hy_slot_draw(&slots->random) >> 32), slots->nodes - 1);
  *packet = (struct hy_slot_packet){.tag = tag, .born = slots->slot, .there = 1};
  hy_slot_entered(slots, node);
}

/* May a new packet enter at the node in this slot, by chance and by the pattern? */
static inline bool hy_slot_access(struct hy_slots *slots, uint32_t node) {
  if (slots->traffic->pattern == HYLA_TRAFFIC_OPPOSITE && slots->slot == 0 &&
      __builtin_popcount(node) % 2 == 1)
    return false;
  return hy_slot_draw(&slots->random) >> 32 < slots->access;
}

static inline void hy_slot_arrive(struct hy_slots *slots, const struct hy_slot_packet *packet) {
  slots->sums.arrived++;
  slots->sums.delay += slots->slot - packet->born;
  slots->sums.deflected += packet->deflected;
}

/* Puts a packet into a queue; false: the queue is full, or there is no memory. */
bool hy_slot_wait(struct hy_slots *slots, uint32_t queue, const struct hy_slot_packet *packet);
/* Takes the first packet of a queue that is not empty. */
struct hy_slot_packet hy_slot_next(struct hy_slots *slots, uint32_t queue);

/* The network of a traffic; returns NULL, or the reason why there is none. */
const char *hy_traffic_network(const hyla_traffic *traffic, struct hy_network *network);

/* ------------------------------------------------------------------ ways -- */

/* Shortest ways on a network.
 *   peer      of node * ports + port; -1: no link.  NULL on a cube
 *   distance  of from * nodes + to; NULL on a cube
 *   pairs     the number of ordered pairs of nodes that are i links apart, by i
 *   links     pairs of a node and a port with a link */
enum { HY_NO_PEER = UINT32_MAX };
struct hy_ways {
  struct hy_network network;
  int32_t *peer;
  uint8_t *distance;
  int diameter;
  double pairs[HYLA_TRAFFIC_BINS + 1];
  double links;
};

static inline int hy_ways_distance(const struct hy_ways *ways, uint32_t from, uint32_t to) {
  if (ways->distance == NULL) return __builtin_popcount(from ^ to);
  return ways->distance[(size_t)from * ways->network.nodes + to];
}

static inline uint32_t hy_ways_peer(const struct hy_ways *ways, uint32_t node, uint32_t port) {
  if (ways->peer == NULL) return node ^ UINT32_C(1) << port;
  return (uint32_t)ways->peer[node * (uint32_t)ways->network.ports + port];
}

/* The ports that lead nearer, as a mask. */
static inline uint32_t hy_ways_ports(const struct hy_ways *ways, uint32_t from, uint32_t to) {
  if (ways->distance == NULL) return from ^ to;
  const int far = hy_ways_distance(ways, from, to);
  uint32_t ports = 0;
  for (uint32_t port = 0; port < (uint32_t)ways->network.ports; port++) {
    const uint32_t peer = hy_ways_peer(ways, from, port);
    if (peer != HY_NO_PEER && hy_ways_distance(ways, peer, to) < far) ports |= UINT32_C(1) << port;
  }
  return ports;
}

/* make     makes the ways, whose arrays are the owner's.  ARGUMENT for a network that is too large,
 *          MEMORY
 * mean     the mean distance between two different nodes
 * busiest  the load of the busiest link over the mean load of all links, if each node sends the
 * same to all others, over all ports that lead nearer or over the lowest one.  MEMORY */
hyla_status hy_ways_make(struct hy_base *base, void *owner, const struct hy_network *network,
                         struct hy_ways *ways);
double hy_ways_mean(const struct hy_ways *ways);
hyla_status hy_ways_busiest(struct hy_base *base, const struct hy_ways *ways, bool lowest,
                            double *factor);

/* -------------------------------------------------------------- messages -- */

/* Messages of a schedule that wait in the queues of `shortest' among its packets (load.c).  A
 * message has this bit in its tag, beside its number; `there' is the number of packets that it has
 * yet to send over a link. */
#define HY_SLOT_GUEST (UINT32_C(1) << 31)
typedef void hy_slot_arrived(struct hy_slots *slots, void *arg, uint32_t message, uint32_t node);
/* arrived: a message has crossed a link, and is at a node.  make: the state of `shortest'; arrived:
 * NULL if there are no messages.  receive, send: the two parts of a slot; first packets come over
 * the links, then new ones enter and each link sends one. */
hyla_status hy_shortest_make(struct hy_slots *slots, bool lowest, hy_slot_arrived *arrived,
                             void *arg);
void hy_shortest_receive(struct hy_slots *slots);
void hy_shortest_send(struct hy_slots *slots);

/* ------------------------------------------------------------------ runs -- */

/* begin: makes the state of a run, which the caller frees.  take: takes the memory of its links and
 * queues.  turn: ends a slot, so that the packets on links are those of the slot before.  MEMORY.
 */
hyla_status hy_slots_begin(struct hy_base *base, const struct hy_scheme *scheme,
                           const hyla_traffic *traffic, struct hy_slots **slots);
hyla_status hy_slots_take(struct hy_slots *slots);
void hy_slots_turn(struct hy_slots *slots);
/* Plays a scheme's traffic in slots.  MEMORY. */
hyla_status hy_slots_play(struct hy_base *base, const struct hy_scheme *scheme,
                          const hyla_traffic *traffic, hyla_traffic_result *result);

/* Means and intervals over successive parts of a run, for schemes with a run of their own too.
 * Add each part once; at most HYLA_TRAFFIC_BATCHES.
 *   mean      of a part's value, with half the interval's width
 *   ratio     of two sums, as delay and packets, with half its interval's width */
struct hy_batches {
  int count;
  double value[HYLA_TRAFFIC_BATCHES], weight[HYLA_TRAFFIC_BATCHES];
};
void hy_batches_add(struct hy_batches *batches, double value, double weight);
double hy_batches_ratio(const struct hy_batches *batches, double *interval);

#endif
