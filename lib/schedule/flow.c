/* Runs a node's schedule without steps: a packet leaves as soon as its words are there and its link
 * is free.
 *
 * Packets over one link in one direction keep the order of their steps, one under way at a time;
 * links do not wait for each other.  A packet is received, in place or in its link's part of the
 * workspace, once no packet of an earlier step needs the words that it overwrites.  It is put in
 * its place once no packet of its own step needs them.  So nodes never wait for each other in a
 * circle.
 *
 * Reference: Stout and Wagar 1990, O.C. SEND 4 and DISTRIBUTE 2, which keep no steps. */
#include "schedule/run.h"

#include <string.h>

/* Lanes: packets out and in over each dimension, and from the node to itself. */
enum { SELF = 2 * HYLA_DIMS_MAX, LANES = SELF + 2 };

struct lane {
  int32_t first; /* its first packet; -1: none */
  int64_t room;  /* offset of its part of the workspace, in words */
  int32_t now;   /* in a run: the packet that is under way or comes next */
  bool busy;     /* that packet is under way */
};

struct hy_flow {
  struct hy_base *base;
  const struct hy_schedule *schedule;
  struct hy_order order;
  int32_t *next; /* for each packet, the next one on its lane; -1: none */
  int64_t packets;
  int64_t steps;
  struct lane lanes[LANES];
  /* During a run: */
  int32_t *waits, *staged; /* the counts of `order' that are left */
  double *ready;           /* virtual time at which a packet's words are there */
  int64_t passed;          /* message number of the packet to the node itself */
  int64_t left;            /* packets left */
  struct hy_message messages[SELF];
  struct hy_packet_place places[LANES];
};

static int lane_of(const struct hy_packet *packet) {
  int pair = packet->across == 0 ? SELF : 2 * hy_lowest(packet->across);
  return pair + (packet->action != HY_OUT);
}

/* The words that pass through the workspace at a time on each lane; returns their sum. */
static int64_t find_rooms(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                          int64_t rooms[LANES]) {
  int64_t sum = 0;
  memset(rooms, 0, LANES * sizeof *rooms);
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    if (packet->count < 2 && !packet->staged && packet->across != 0) continue;
    int64_t *room = &rooms[lane_of(packet)];
    *room = hy_max(*room, hy_packet_words(schedule, blocks, packet));
  }
  for (int i = 0; i < LANES; i++) sum += rooms[i];
  return sum;
}

int64_t hy_flow_work(const struct hy_schedule *schedule, const struct hy_blocks *blocks) {
  int64_t rooms[LANES];
  return find_rooms(schedule, blocks, rooms);
}

/* Links the packets of each lane in their order; packets without words are left out. */
static hyla_status fill_lanes(struct hy_flow *flow, const struct hy_blocks *blocks) {
  const struct hy_schedule *schedule = flow->schedule;
  int64_t rooms[LANES], room = 0;
  (void)find_rooms(schedule, blocks, rooms);
  for (int i = 0; i < LANES; room += rooms[i++])
    flow->lanes[i] = (struct lane){-1, room, -1, false};
  for (int64_t i = schedule->packet_count; i-- > 0;) {
    const struct hy_packet *packet = &schedule->packets[i];
    CHECK(flow->base, hy_popcount(packet->across) <= 1 && packet->across >> HYLA_DIMS_MAX == 0,
          UNSUPPORTED, "packets to nodes that are no neighbours keep their steps");
    if (hy_packet_words(schedule, blocks, packet) == 0) continue;
    struct lane *lane = &flow->lanes[lane_of(packet)];
    flow->next[i] = lane->first;
    lane->first = (int32_t)i;
    flow->packets++;
  }
  flow->steps = hy_schedule_cost(schedule, blocks).steps;
  return HYLA_OK;
}

static hyla_status make(struct hy_flow *flow, const struct hy_blocks *blocks) {
  struct hy_base *base = flow->base;
  int64_t packets = flow->schedule->packet_count;
  TRY(hy_alloc_for(base, flow, packets, sizeof *flow->next, &flow->next));
  TRY(hy_alloc_for(base, flow, packets, sizeof *flow->waits, &flow->waits));
  TRY(hy_alloc_for(base, flow, packets, sizeof *flow->staged, &flow->staged));
  TRY(hy_alloc_for(base, flow, packets, sizeof *flow->ready, &flow->ready));
  TRY(fill_lanes(flow, blocks));
  return hy_order_make(flow, flow->schedule, blocks, &flow->order);
}

hyla_status hy_flow_create(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                           struct hy_flow **flow) {
  TRY(hy_alloc(schedule->base, 1, sizeof **flow, flow));
  (*flow)->base = schedule->base;
  (*flow)->schedule = schedule;
  hyla_status status = make(*flow, blocks);
  if (status != HYLA_OK) hy_flow_destroy(flow);
  return status;
}

void hy_flow_destroy(struct hy_flow **flow) {
  if (*flow != NULL) hy_free((*flow)->base, flow);
}

/* The lane's packet has left or arrived at that moment; its followers no longer wait for it. */
static void end_packet(hyla_cube *cube, struct hy_flow *flow, int lane,
                       const struct hy_moment *end) {
  const struct hy_packet *packets = flow->schedule->packets;
  struct hy_order *order = &flow->order;
  int32_t packet = flow->lanes[lane].now;
  for (int64_t i = order->first[packet]; i < order->first[packet + 1]; i++) {
    int32_t follower = order->follows[i];
    bool same = packets[follower].step == packets[packet].step;
    *(same ? &flow->staged[follower] : &flow->waits[follower]) -= 1;
    if (packets[follower].action != HY_OUT) continue;
    if (end->when > flow->ready[follower]) flow->ready[follower] = end->when;
    hy_observe_need(cube, follower, end->message);
  }
  flow->lanes[lane].now = flow->next[packet];
  flow->lanes[lane].busy = false;
  flow->left--;
}

/* The lane's part of the workspace. */
static char *room_of(const struct hy_flow *flow, const struct hy_run *run, int lane) {
  return run->work == NULL ? NULL : (char *)run->work + (size_t)flow->lanes[lane].room * run->size;
}

/* Starts the lane's next packet if it may start. */
static hyla_status start(hyla_cube *cube, struct hy_flow *flow, const struct hy_run *run,
                         int lane) {
  struct lane *it = &flow->lanes[lane];
  if (it->busy || it->now < 0 || flow->waits[it->now] > 0) return HYLA_OK;
  const struct hy_packet *packet = &flow->schedule->packets[it->now];
  char *work = room_of(flow, run, lane);
  int64_t bytes = hy_packet_stow(flow->schedule, run, packet, &work, &flow->places[lane]);
  flow->messages[lane] =
      (struct hy_message){.verb = packet->action == HY_OUT ? HY_SEND : HY_RECV,
                          .peer = hy_packet_address(cube, run, packet->across),
                          .port = hy_packet_port(run, packet->across),
                          .bytes = bytes,
                          .data = flow->places[lane].data,
                          .timed = true, /* receives too: a flow is known from its start */
                          .leaves = flow->ready[it->now],
                          .packet = it->now};
  it->busy = true;
  return hy_link_start_one(cube, &flow->messages[lane]);
}

/* Ends the lane's packet if it has left, or has arrived and may be put in place. */
static void settle(hyla_cube *cube, struct hy_flow *flow, const struct hy_run *run, int lane) {
  struct lane *it = &flow->lanes[lane];
  const struct hy_message *message = &flow->messages[lane];
  if (!it->busy || !hy_message_ended(message)) return;
  if (message->verb == HY_RECV) {
    if (flow->staged[it->now] > 0) return;
    if (flow->places[lane].packed)
      hy_packet_copy(flow->schedule, run, &flow->places[lane],
                     message->peer > hy_packet_own(cube, run));
  }
  end_packet(cube, flow, lane, &message->flight.end);
}

/* Packets from the node to itself go out to the workspace and come in from there. */
static void pass_on(hyla_cube *cube, struct hy_flow *flow, const struct hy_run *run) {
  struct lane *out = &flow->lanes[SELF], *in = &flow->lanes[SELF + 1];
  if (!in->busy && out->now >= 0 && flow->waits[out->now] == 0) {
    char *work = room_of(flow, run, SELF);
    const struct hy_packet *packet = &flow->schedule->packets[out->now];
    int64_t bytes = hy_packet_stow(flow->schedule, run, packet, &work, &flow->places[SELF]);
    flow->passed = hy_observe_pass(cube, out->now, bytes);
    flow->places[SELF + 1] = flow->places[SELF];
    flow->places[SELF + 1].packet = &flow->schedule->packets[in->now];
    flow->ready[in->now] = flow->ready[out->now];
    in->busy = true;
    end_packet(cube, flow, SELF, &(struct hy_moment){0});
  }
  if (in->busy && flow->waits[in->now] == 0 && flow->staged[in->now] == 0) {
    hy_packet_copy(flow->schedule, run, &flow->places[SELF + 1], false);
    end_packet(cube, flow, SELF + 1, &(struct hy_moment){flow->ready[in->now], flow->passed});
  }
}

static void reset(hyla_cube *cube, struct hy_flow *flow) {
  int64_t packets = flow->schedule->packet_count;
  double now = hyla_cube_clock(cube);
  memcpy(flow->waits, flow->order.waits, (size_t)packets * sizeof *flow->waits);
  memcpy(flow->staged, flow->order.staged, (size_t)packets * sizeof *flow->staged);
  for (int64_t i = 0; i < packets; i++) flow->ready[i] = now;
  for (int i = 0; i < LANES; i++) flow->lanes[i].now = flow->lanes[i].first;
  for (int i = 0; i < SELF; i++) flow->messages[i] = (struct hy_message){0};
  flow->left = flow->packets;
}

hyla_status hy_flow_run(hyla_cube *cube, struct hy_flow *flow, const struct hy_run *given) {
  struct hy_run run = *given;
  run.dry = hy_cube_dry(cube);
  reset(cube, flow);
  hy_observe_begin(cube);
  while (flow->left > 0) {
    int64_t before = flow->left;
    bool waits = false;
    for (int lane = 0; lane < SELF; lane++) TRY(start(cube, flow, &run, lane));
    for (int lane = 0; lane < SELF; lane++) settle(cube, flow, &run, lane);
    pass_on(cube, flow, &run);
    for (int lane = 0; lane < SELF; lane++)
      waits = waits || !hy_message_ended(&flow->messages[lane]);
    if (flow->left < before) continue;
    CHECK(&cube->base, waits, ARGUMENT, "packets of a schedule wait for each other");
    TRY(hy_link_wait_any(cube, flow->messages, SELF));
  }
  cube->network.ledger.steps += flow->steps;
  return HYLA_OK;
}
