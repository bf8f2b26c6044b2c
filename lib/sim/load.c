/* hyla_simulate_load: a schedule's messages among packets at random (ours).
 *
 * Method: packets come to all nodes and take shortest ways, as by the scheme `shortest', so that
 * links are busy for a part of the time on average.  A message is sent in packets that wait in the
 * same queues, each when the one before has left; to a node that is no neighbour it goes by
 * self-routing, as a whole over each link.  A node starts the messages of a step, each after the
 * start-up time, when all its messages of steps before have ended, those that it sends and those
 * that it gets.
 *
 * The schedule is played HYLA_TRAFFIC_BATCHES times, with pauses in which the queues come back to
 * what they are without it, and once in the empty network. */
#include "sim/slots.h"

#include <math.h>
#include <string.h>

/* A node: its part of the list of ends, the place in it, and the messages of its step that have not
 * ended. */
struct place {
  int64_t begin, end, at, waiting;
};

/* A schedule in play.
 *   ends      of each node, by steps: 2 m if it sends message m, 2 m + 1 if it gets it
 *   ended     of each message
 *   starting  messages in their start-up time, in the order of their starts; from `started' on
 *   ready     when it is over
 *   left      messages that have not ended
 *   finish    the slot after the last one's end */
struct load {
  const hyla_network_packet *packet;
  int64_t count;
  double start_up; /* in slots */
  int64_t slot_words;
  struct place *place;
  int64_t *ends;
  uint8_t *ended;
  int64_t *starting, starting_count, started;
  double *ready;
  int64_t left;
  uint32_t finish;
};

static inline int node_of(const struct load *load, int64_t end) {
  const hyla_network_packet *packet = &load->packet[end / 2];
  return end % 2 == 0 ? packet->node : packet->peer;
}

/* Sorts the ends of all messages by their nodes; they come by steps. */
static hyla_status sort_ends(struct hy_slots *slots, struct load *load) {
  struct hy_base *base = slots->base;
  int64_t sum = 0;
  TRY(hy_alloc_for(base, slots, slots->nodes, sizeof *load->place, &load->place));
  TRY(hy_alloc_for(base, slots, 2 * load->count, sizeof *load->ends, &load->ends));
  TRY(hy_alloc_for(base, slots, load->count, sizeof *load->starting, &load->starting));
  TRY(hy_alloc_for(base, slots, load->count, sizeof *load->ready, &load->ready));
  TRY(hy_alloc_for(base, slots, load->count, 1, &load->ended));
  for (int64_t i = 0; i < 2 * load->count; i++) load->place[node_of(load, i)].end++;
  for (uint32_t node = 0; node < slots->nodes; node++) {
    load->place[node].begin = sum;
    sum += load->place[node].end;
    load->place[node].end = load->place[node].begin;
  }
  for (int64_t i = 0; i < 2 * load->count; i++) load->ends[load->place[node_of(load, i)].end++] = i;
  return HYLA_OK;
}

static int step_at(const struct load *load, const struct place *place) {
  return load->packet[load->ends[place->at] / 2].step;
}

/* Takes a node to its next step with messages that have not ended, and starts those that it sends.
 */
static void next_step(struct hy_slots *slots, struct load *load, int node) {
  struct place *place = &load->place[node];
  while (place->waiting == 0 && place->at < place->end) {
    const int step = step_at(load, place);
    for (; place->at < place->end && step_at(load, place) == step; place->at++) {
      const int64_t end = load->ends[place->at];
      place->waiting += !load->ended[end / 2];
      if (end % 2 != 0) continue;
      load->ready[load->starting_count] = slots->slot + load->start_up;
      load->starting[load->starting_count++] = end / 2;
    }
  }
}

/* A message has ended for one of its nodes. */
static void pass_end(struct hy_slots *slots, struct load *load, int node, int step) {
  struct place *place = &load->place[node];
  if (place->at == place->begin) return;
  if (load->packet[load->ends[place->at - 1] / 2].step != step) return;
  if (--place->waiting == 0) next_step(slots, load, node);
}

/* Puts a message into the queue of a link. */
static void put(struct hy_slots *slots, const struct load *load, int64_t message, uint32_t node,
                int port) {
  const int64_t words = load->packet[message].words;
  const struct hy_slot_packet packet = {
      .tag = HY_SLOT_GUEST | (uint32_t)message,
      .born = slots->slot,
      .there = (uint32_t)((words + load->slot_words - 1) / load->slot_words)};
  (void)hy_slot_wait(slots, node * (uint32_t)slots->links + (uint32_t)port, &packet);
}

/* A message has crossed a link. */
static void arrive(struct hy_slots *slots, void *arg, uint32_t message, uint32_t node) {
  struct load *load = arg;
  const hyla_network_packet *packet = &load->packet[message];
  if (node != (uint32_t)packet->peer) {
    put(slots, load, message, node, hy_network_port(&slots->network, node, (uint32_t)packet->peer));
    return;
  }
  load->ended[message] = 1;
  load->left--;
  load->finish = slots->slot;
  pass_end(slots, load, packet->node, packet->step);
  pass_end(slots, load, packet->peer, packet->step);
}

static void one_slot(struct hy_slots *slots, struct load *load) {
  hy_shortest_receive(slots);
  for (; load->started < load->starting_count && load->ready[load->started] <= slots->slot;
       load->started++) {
    const hyla_network_packet *packet = &load->packet[load->starting[load->started]];
    put(slots, load, load->starting[load->started], (uint32_t)packet->node, packet->port);
  }
  hy_shortest_send(slots);
  hy_slots_turn(slots);
}

/* Plays the schedule once; returns its slots. */
static double play_once(struct hy_slots *slots, struct load *load) {
  const uint32_t begin = slots->slot;
  memset(load->ended, 0, (size_t)load->count);
  load->starting_count = load->started = 0;
  load->left = load->count;
  for (uint32_t node = 0; node < slots->nodes; node++) {
    struct place *place = &load->place[node];
    place->at = place->begin;
    place->waiting = 0;
  }
  for (uint32_t node = 0; node < slots->nodes; node++) next_step(slots, load, (int)node);
  while (load->left > 0 && !slots->status) one_slot(slots, load);
  return load->finish - begin;
}

static void let_slots_pass(struct hy_slots *slots, struct load *load, double count) {
  for (int64_t left = (int64_t)count; left > 0 && !slots->status; left--) one_slot(slots, load);
}

/* Plays the schedule alone, or HYLA_TRAFFIC_BATCHES times with packets around. */
static hyla_status play_with(struct hy_slots *slots, struct load *load, double alone,
                             struct hy_batches *batches) {
  const double rest = 1 - slots->traffic->load;
  const bool empty = slots->traffic->load == 0;
  TRY(hy_slots_take(slots));
  TRY(hy_shortest_make(slots, false, arrive, load));
  TRY(sort_ends(slots, load));
  const double quiet = empty ? 0 : alone / 4 + 8 * slots->dims / (rest * rest);
  for (int i = 0; i < (empty ? 1 : HYLA_TRAFFIC_BATCHES); i++) {
    let_slots_pass(slots, load, i == 0 ? 2 * quiet : quiet);
    hy_batches_add(batches, play_once(slots, load), 1);
  }
  return slots->status;
}

static hyla_status play(struct hy_base *base, const hyla_traffic *traffic, struct load load,
                        double alone, struct hy_batches *batches) {
  struct hy_slots *slots = NULL;
  *batches = (struct hy_batches){.count = 0};
  TRY(hy_slots_begin(base, &hy_scheme_shortest, traffic, &slots));
  hyla_status status = play_with(slots, &load, alone, batches);
  hy_free(base, &slots);
  return status;
}

static hyla_status check_packets(struct hy_base *base, const struct hy_network *network,
                                 const hyla_network_packet *packet, int64_t count) {
  CHECK(base, count >= 0 && count < HY_SLOT_GUEST && (count == 0 || packet != NULL), ARGUMENT,
        "%lld messages, and where they stand is %s", (long long)count,
        packet == NULL ? "NULL" : "given");
  for (int64_t i = 0; i < count; i++) {
    const hyla_network_packet *p = &packet[i];
    const bool nodes = p->node >= 0 && p->peer >= 0 && p->node != p->peer &&
                       (uint32_t)p->node < network->nodes && (uint32_t)p->peer < network->nodes;
    CHECK(base, nodes && p->port >= 0 && p->port < network->ports, ARGUMENT,
          "message %lld goes from %d over port %d to %d; there is no such way", (long long)i,
          p->node, p->port, p->peer);
    CHECK(base, hy_network_peer(network, (uint32_t)p->node, p->port) >= 0, ARGUMENT,
          "message %lld goes over port %d of node %d, which has no link", (long long)i, p->port,
          p->node);
    CHECK(base, p->words > 0 && (i == 0 || p->step >= p[-1].step), ARGUMENT,
          "message %lld has %lld words, in step %d; give words from 1 on, by ascending steps",
          (long long)i, (long long)p->words, p->step);
  }
  return HYLA_OK;
}

static hyla_status check(struct hy_base *base, const hyla_load *l) {
  struct hy_network network;
  CHECK(base, l->network != NULL, ARGUMENT, "the load has no network; give one, as cube:6");
  const char *why = hy_network_read(&network, l->network);
  CHECK(base, why == NULL, ARGUMENT, "network %s: %s", l->network, why);
  CHECK(base, network.nodes >= 2, ARGUMENT, "network %s has one node; give two or more",
        l->network);
  CHECK(base, l->load >= 0 && l->load < 1, ARGUMENT, "the load is %g; give one from 0, below 1",
        l->load);
  CHECK(base, l->slot_words >= 1, ARGUMENT, "%lld words in a slot; give one or more",
        (long long)l->slot_words);
  CHECK(base, l->beta > 0 && isfinite(l->beta) && l->alpha >= 0 && isfinite(l->alpha), ARGUMENT,
        "alpha is %g and beta %g; give a beta above 0 and an alpha from 0 on, as slots take time",
        l->alpha, l->beta);
  return check_packets(base, &network, l->packet, l->packets);
}

static hyla_status answer(struct hy_base *base, const hyla_load *l, hyla_load_result *result) {
  TRY(check(base, l));
  struct hy_batches batches;
  const double slot = l->beta * (double)l->slot_words;
  const struct load load = {.packet = l->packet,
                            .count = l->packets,
                            .start_up = l->alpha / slot,
                            .slot_words = l->slot_words};
  hyla_traffic traffic = {.network = l->network, .access = 1, .seed = l->seed};
  TRY(play(base, &traffic, load, 0, &batches));
  const double alone = hy_batches_ratio(&batches, &result->interval);
  result->alone = alone * slot;
  traffic.load = l->load;
  if (l->load > 0) {
    hyla_traffic_result bearing;
    TRY(hy_scheme_shortest.formula(base, &traffic, &bearing));
    TRY(play(base, &traffic, load, alone, &batches));
  }
  result->seconds = slot * hy_batches_ratio(&batches, &result->interval);
  result->interval = l->load > 0 ? slot * result->interval : 0;
  return HYLA_OK;
}

hyla_status hyla_simulate_load(const hyla_load *load, hyla_load_result *result) {
  struct hy_base base = {0};
  CHECK(NULL, load != NULL && result != NULL, ARGUMENT, "the load or its result is NULL");
  *result = (hyla_load_result){.seconds = NAN, .interval = NAN, .alone = NAN};
  hyla_status status = answer(&base, load, result);
  memcpy(result->message, base.message, sizeof result->message);
  return status;
}
