/* The schedule of a torus on the array with the same sides, in exactly two steps for each one.
 *
 * On each axis of side p the ring's node k lies at place 2 k if 2 k < p, otherwise at
 * 2 (p - k) - 1.  Neighbours of the ring are then two links apart, but for those at the line's two
 * ends.  A packet over two links crosses the first link in the first step of two and the second in
 * the second.  A packet over one link goes in the first step if it goes to an end of the line, in
 * the second if it leaves one.  So no two packets share a link, and all links are busy in both
 * steps if all links of the torus are.
 * Example, p = 4: the ring's nodes 0, 1, 2, 3 lie at places 0, 2, 3, 1.  A packet from 1 to 2 goes
 * over the last link in the first step; one from 0 to 1 over two links, from place 0 by 1 to 2.
 *
 * Between its two links a packet lies in blocks behind the schedule's own, which therefore must be
 * of equal length.  A packet that comes to an end in the first step lies there too, if the node has
 * yet to send words that it overwrites.
 * Reference: Varvarigos 1992, 3.2, figure 3.1. */
#include "schedule/run.h"

uint32_t hy_fold_node(const struct hy_network *array, uint32_t node, bool back) {
  uint32_t point[HY_NETWORK_AXES];
  hy_network_point(array, node, point);
  for (int a = 0; a < array->axes; a++) {
    const uint32_t side = array->side[a], x = point[a];
    if (back)
      point[a] = x % 2 == 0 ? x / 2 : side - (x + 1) / 2;
    else
      point[a] = 2 * x < side ? 2 * x : 2 * (side - x) - 1;
  }
  return hy_network_node(array, point);
}

/* The way of a packet on the array: its axis, direction and links. */
struct hop {
  int axis;
  bool up;
  uint32_t links;
  bool late; /* over one link, in the second step */
};

/* One node's schedule while it is made.  sent, got: the ways over each port of the torus' node. */
struct folding {
  const struct hy_network *array, *torus;
  uint32_t node, ring; /* this node of the array, and of the torus */
  bool numbered;
  uint32_t blocks;  /* the collective's own */
  uint32_t scratch; /* further blocks so far */
  struct hop sent[HY_NETWORK_PORTS], got[HY_NETWORK_PORTS];
  struct hy_schedule *out;
};

static struct hop hop_between(const struct hy_network *array, uint32_t from, uint32_t to) {
  uint32_t a[HY_NETWORK_AXES], b[HY_NETWORK_AXES];
  struct hop hop = {.axis = 0};
  hy_network_point(array, from, a);
  hy_network_point(array, to, b);
  while (a[hop.axis] == b[hop.axis]) hop.axis++;
  const uint32_t x = a[hop.axis], y = b[hop.axis];
  hop.up = y > x;
  hop.links = hop.up ? y - x : x - y;
  hop.late = hop.links == 1 && y > 0 && y + 1 < array->side[hop.axis];
  return hop;
}

static void find_hops(struct folding *f) {
  for (int port = 0; port < f->torus->ports; port++) {
    const int64_t peer = hy_network_peer(f->torus, f->ring, port);
    if (peer < 0) continue;
    const uint32_t other = hy_fold_node(f->array, (uint32_t)peer, false);
    f->sent[port] = hop_between(f->array, f->node, other);
    f->got[port] = hop_between(f->array, other, f->node);
  }
}

static uint32_t across_of(const struct hop *hop, bool up) {
  return 1u << (2 * hop->axis + (up ? 0 : 1));
}

/* Adds the packet's pieces, at their places or, from block `room' on, behind the others.  room 0:
 * at their places. */
static hyla_status add(const struct folding *f, const struct hy_schedule *from,
                       const struct hy_packet *packet, int step, uint32_t across,
                       enum hy_action action, uint32_t room) {
  for (int64_t i = packet->first; i < packet->first + packet->count; i++) {
    const struct hy_piece *piece = &from->pieces[i];
    for (uint32_t k = 0; k < piece->run; k++) {
      struct hy_piece one = *piece;
      const bool moves = room == 0 && f->numbered && piece->block + k < f->blocks;
      one.block = room > 0 ? room++ : piece->block + k;
      if (moves) one.block = hy_fold_node(f->array, piece->block + k, false);
      one.run = 1;
      one.from = k == 0 ? piece->from : 0;
      one.to = k + 1 == piece->run ? piece->to : from->parts;
      TRY(hy_schedule_add(f->out, step, across, action, one));
    }
  }
  return HYLA_OK;
}

static uint32_t blocks_of(const struct hy_schedule *schedule, const struct hy_packet *packet) {
  uint32_t count = 0;
  for (int64_t i = packet->first; i < packet->first + packet->count; i++)
    count += schedule->pieces[i].run;
  return count;
}

/* Takes blocks behind the others. */
static uint32_t take(struct folding *f, uint32_t count) {
  f->scratch += count;
  return f->blocks + f->scratch - count;
}

/* Does the node send, after the first step of the two, words that the packet overwrites?  The
 * packets of a step stand together. */
static bool is_needed(const struct folding *f, const struct hy_schedule *own,
                      const struct hy_packet *packet) {
  const struct hy_packet *other = packet, *end = own->packets + own->packet_count;
  while (other > own->packets && other[-1].step == packet->step) other--;
  for (; other < end && other->step == packet->step; other++) {
    if (other->action != HY_OUT) continue;
    const bool late = other->across == 0 || f->sent[hy_lowest(other->across)].late;
    if (late && hy_packets_overlap(own, other, packet)) return true;
  }
  return false;
}

/* Adds one of the node's own packets. */
static hyla_status add_own(struct folding *f, const struct hy_schedule *own,
                           const struct hy_packet *packet) {
  const int step = 2 * packet->step;
  if (packet->across == 0) return add(f, own, packet, step + 1, 0, packet->action, 0);
  if (packet->action == HY_OUT) {
    const struct hop hop = f->sent[hy_lowest(packet->across)];
    return add(f, own, packet, step + hop.late, across_of(&hop, hop.up), HY_OUT, 0);
  }
  const struct hop hop = f->got[hy_lowest(packet->across)];
  const bool late = hop.links == 2 || hop.late;
  const uint32_t across = across_of(&hop, !hop.up);
  if (late || !is_needed(f, own, packet))
    return add(f, own, packet, step + late, across, packet->action, 0);
  const uint32_t room = take(f, blocks_of(own, packet));
  f->out->batch = true; /* such packets of a step go to the node itself as one */
  TRY(add(f, own, packet, step, across, HY_IN, room));
  TRY(add(f, own, packet, step + 1, 0, HY_OUT, room));
  return add(f, own, packet, step + 1, 0, packet->action, 0);
}

/* Adds the packets that pass through the node along an axis, in one direction.  They are ordered
 * with all others at last, so those of the sender need not be. */
static hyla_status add_passing(struct folding *f, const struct hy_generator *inner, int axis,
                               bool up) {
  uint32_t point[HY_NETWORK_AXES];
  struct hy_schedule schedule;
  hy_network_point(f->array, f->node, point);
  const uint32_t here = point[axis], side = f->array->side[axis];
  if (here == 0 || here + 1 >= side) return HYLA_OK;
  point[axis] = up ? here - 1 : here + 1;
  const uint32_t from = hy_network_node(f->array, point);
  point[axis] = up ? here + 1 : here - 1;
  const uint32_t to = hy_fold_node(f->array, hy_network_node(f->array, point), true);
  const uint32_t sender = hy_fold_node(f->array, from, true);
  const struct hop hop = {.axis = axis};
  uint32_t most = 0, towards = 0; /* the sender's ports to that node */
  for (int port = 0; port < f->torus->ports; port++)
    if (hy_network_peer(f->torus, sender, port) == (int64_t)to) towards |= 1u << port;
  hy_schedule_init(&schedule, f->out->base);
  hyla_status status = inner->make(inner, sender, &schedule);
  if (status == HYLA_OK && schedule.batch) status = hy_schedule_finish(&schedule);
  const uint32_t room = f->blocks + f->scratch;
  for (int64_t i = 0; i < schedule.packet_count && status == HYLA_OK; i++) {
    const struct hy_packet *packet = &schedule.packets[i];
    if (packet->action != HY_OUT || (packet->across & towards) == 0) continue;
    const int step = 2 * packet->step;
    most = (uint32_t)hy_max(most, blocks_of(&schedule, packet));
    status = add(f, &schedule, packet, step, across_of(&hop, !up), HY_IN, room);
    if (status == HYLA_OK)
      status = add(f, &schedule, packet, step + 1, across_of(&hop, up), HY_OUT, room);
  }
  hy_schedule_free(&schedule);
  f->scratch += most;
  return status;
}

static hyla_status make_fold(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  const struct hy_generator *inner = generator->inner;
  struct folding f = {.array = generator->network,
                      .torus = inner->network,
                      .node = node,
                      .ring = hy_fold_node(generator->network, node, true),
                      .numbered = generator->numbered,
                      .blocks = generator->numbered ? generator->network->nodes : 1,
                      .out = out};
  struct hy_schedule own;
  find_hops(&f);
  hyla_status status = hy_generate(inner, f.ring, out->base, &own);
  out->parts = own.parts;
  f.scratch = own.scratch;
  for (int64_t i = 0; i < own.packet_count && status == HYLA_OK; i++)
    status = add_own(&f, &own, &own.packets[i]);
  const int steps = 2 * own.steps;
  hy_schedule_free(&own);
  for (int axis = 0; axis < f.array->axes && status == HYLA_OK; axis++)
    for (int down = 0; down < 2 && status == HYLA_OK; down++)
      status = add_passing(&f, inner, axis, down == 0);
  out->scratch = f.scratch;
  out->steps = steps;
  return status;
}

struct hy_generator hy_fold(const struct hy_generator *inner, const struct hy_network *array) {
  return (struct hy_generator){make_fold, inner->dims, inner->numbered, .inner = inner,
                               .network = array};
}
