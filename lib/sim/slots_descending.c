/* Packets that take the dimensions in descending order, through small buffers (Varvarigos 1992, 5.2
 * to 5.4).
 *
 * A node has d queues.  Queue i holds packets that look at bit i of their tags.  It has a forward
 * buffer, for packets with a 1, which go to the neighbour over dimension i, and an internal buffer,
 * for those with a 0, which stay.  Both feed queue i - 1 (mod d).  A packet begins at any queue and
 * ends after d transmissions.  At most two packets come to a queue in a slot.  If both want one
 * buffer, one is sent, and the other waits if there is room, or is dropped.  If none wants it, the
 * first of those that wait is sent; if none waits, a new packet may enter.
 *
 * simple: chance decides which of two is sent.
 * priority: the one that has been sent more often, chance between equals. */
#include "machine/machine.h"
#include "sim/slots.h"

/* The place of a buffer: side 1 is the forward one. */
static inline uint32_t place_of(int dims, uint32_t node, int queue, int side) {
  return (node * (uint32_t)dims + (uint32_t)queue) * 2 + (uint32_t)side;
}

static int links(const hyla_traffic *traffic) { return 2 * traffic->dims; }

static void enter(struct hy_slots *slots, uint32_t node, int queue, int side, uint32_t draw,
                  struct hy_slot_packet *out) {
  const uint32_t tags = (UINT32_C(1) << slots->dims) - 1, bit = UINT32_C(1) << queue;
  *out = (struct hy_slot_packet){
      .tag = side ? (draw & tags) | bit : draw & tags & ~bit, .born = slots->slot, .there = 1};
  hy_slot_entered(slots, node);
}

/* Sends a packet of a buffer: one of those that came for it (0 to 2), the first that waits, or a
 * new one. */
static inline void serve(struct hy_slots *slots, uint32_t node, int queue, int side, uint32_t place,
                         const struct hy_slot_packet *came[2], int count) {
  struct hy_slot_packet *out = &slots->now[place];
  if (count > 0) {
    *out = *came[0];
    if (count > 1) (void)hy_slot_wait(slots, place, came[1]);
  } else if (slots->queue[place].count > 0) {
    *out = hy_slot_next(slots, place);
  } else {
    const uint64_t draw = hy_slot_draw(&slots->random);
    out->there = 0;
    if (draw >> 32 >= slots->access) return;
    enter(slots, node, queue, side, (uint32_t)draw, out);
  }
  out->tag &= ~(UINT32_C(1) << queue);
  slots->sums.at[slots->dims - out->links++]++;
}

/* The queue's part of a slot. */
static inline void serve_queue(struct hy_slots *slots, uint32_t node, int queue, bool priority) {
  const int dims = slots->dims, above = queue + 1 < dims ? queue + 1 : 0;
  const struct hy_slot_packet *feeds[2] = {
      &slots->before[place_of(dims, node, above, 0)],
      &slots->before[place_of(dims, node ^ (UINT32_C(1) << above), above, 1)]};
  const struct hy_slot_packet *came[2][2];
  int count[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    if (!feeds[i]->there) continue;
    if (feeds[i]->links == dims) {
      hy_slot_arrive(slots, feeds[i]);
      continue;
    }
    const int side = feeds[i]->tag >> queue & 1;
    came[side][count[side]++] = feeds[i];
  }
  for (int side = 0; side < 2; side++) {
    if (count[side] == 2) {
      const struct hy_slot_packet *first = came[side][0], *second = came[side][1];
      const bool equal = !priority || first->links == second->links;
      if (equal ? hy_slot_draw(&slots->random) >> 63 : second->links > first->links)
        came[side][0] = second, came[side][1] = first;
    }
    serve(slots, node, queue, side, place_of(dims, node, queue, side), came[side], count[side]);
  }
}

static void simple_node(struct hy_slots *slots, uint32_t node) {
  for (int i = 0; i < slots->dims; i++) serve_queue(slots, node, i, false);
}

static void priority_node(struct hy_slots *slots, uint32_t node) {
  for (int i = 0; i < slots->dims; i++) serve_queue(slots, node, i, true);
}

/* Packets on their i-th transmission have dims - i + 1 to go. */
static void set_formula(int dims, const struct hy_traffic_flow *flow, hyla_traffic_result *result) {
  result->formula_throughput = 2 * dims * flow->arriving;
  result->formula_entered = 2 * dims * flow->entering;
  for (int i = 1; i <= dims && dims <= HYLA_TRAFFIC_BINS; i++)
    result->formula_histogram[dims - i + 1] = flow->share[i];
}

static hyla_status simple_formula(struct hy_base *base, const hyla_traffic *traffic,
                                  hyla_traffic_result *result) {
  (void)base;
  struct hy_traffic_flow flow;
  hy_traffic_simple(traffic->dims, traffic->buffers, traffic->access, &flow);
  if (traffic->buffers != HYLA_TRAFFIC_ENDLESS)
    hy_traffic_law(traffic->buffers, &result->law_factor, &result->law_power);
  set_formula(traffic->dims, &flow, result);
  return HYLA_OK;
}

static hyla_status priority_formula(struct hy_base *base, const hyla_traffic *traffic,
                                    hyla_traffic_result *result) {
  (void)base;
  struct hy_traffic_flow flow;
  hy_traffic_priority(traffic->dims, traffic->buffers, traffic->access, &flow);
  set_formula(traffic->dims, &flow, result);
  return HYLA_OK;
}

const struct hy_scheme hy_scheme_simple = {
    .name = "simple",
    .reference = "varvarigos-1992, 5.3",
    .takes = HY_TAKES_BUFFERS | HY_TAKES_ACCESS,
    .formula = simple_formula,
    .links = links,
    .node = simple_node,
};

const struct hy_scheme hy_scheme_priority = {
    .name = "priority",
    .reference = "varvarigos-1992, 5.4",
    .takes = HY_TAKES_BUFFERS | HY_TAKES_ACCESS,
    .formula = priority_formula,
    .links = links,
    .node = priority_node,
};
