/* The simulator's network, with virtual clocks that messages carry.
 *
 * Time: see book.c.  A node's clock advances to the end of what it waits for, and by gamma for each
 * operation that the library counts; messages under way travel meanwhile.  Agreement and barriers
 * take no time, because they are no part of the algorithms that are compared.
 *
 * A message carries its number and a checksum of its bytes.  So a message that a planted fault
 * loses, delays or corrupts is reported and never accepted. */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* A transfer as the library sees it. */
struct transfer {
  int from; /* -1: a send, which is done as soon as it starts */
  int tag;
  void *data;
  struct hy_moment end;
};

static struct hy_sim_node *own(struct hy_link *link) { return (struct hy_sim_node *)link; }

/* --------------------------------------------------------------- lanes -- */

/* A node finds the lane of a peer and a stream in a table with open addressing. */

static struct hy_sim_lane *find_lane(struct hy_sim_lane *lanes, int64_t capacity, int64_t key) {
  uint64_t hash = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
  int64_t place = (int64_t)(hash >> 32) & (capacity - 1);
  while (lanes[place].key >= 0 && lanes[place].key != key) place = (place + 1) & (capacity - 1);
  return &lanes[place];
}

static hyla_status grow_lanes(struct hy_sim_node *node) {
  int64_t capacity = node->lane_capacity == 0 ? 16 : 2 * node->lane_capacity;
  struct hy_sim_lane *lanes = malloc((size_t)capacity * sizeof *lanes);
  CHECK(node->link.base, lanes != NULL, MEMORY, "out of memory in the simulator");
  for (int64_t i = 0; i < capacity; i++) lanes[i] = (struct hy_sim_lane){.key = -1};
  for (int64_t i = 0; i < node->lane_capacity; i++)
    if (node->lanes[i].key >= 0) *find_lane(lanes, capacity, node->lanes[i].key) = node->lanes[i];
  free(node->lanes);
  node->lanes = lanes;
  node->lane_capacity = capacity;
  return HYLA_OK;
}

static int64_t lane_key(int peer, int stream) { return (int64_t)peer * HY_STREAMS + stream; }

static hyla_status open_lane(struct hy_sim_node *node, int peer, int tag,
                             struct hy_sim_lane **lane) {
  if (2 * node->lane_count >= node->lane_capacity) TRY(grow_lanes(node));
  int64_t key = lane_key(peer, tag % HY_STREAMS);
  *lane = find_lane(node->lanes, node->lane_capacity, key);
  node->lane_count += (*lane)->key < 0;
  (*lane)->key = key;
  return HYLA_OK;
}

static struct hy_sim_lane *lane_from(struct hy_sim_node *node, int peer, int stream) {
  if (node->lane_capacity == 0) return NULL;
  struct hy_sim_lane *lane = find_lane(node->lanes, node->lane_capacity, lane_key(peer, stream));
  return lane->key < 0 ? NULL : lane;
}

static void put(struct hy_sim_lane *lane, struct hy_sim_message *message) {
  if (lane->first == NULL)
    lane->first = message;
  else
    lane->last->next = message;
  lane->last = message;
}

static struct hy_sim_message *take(struct hy_sim_lane *lane, int tag) {
  struct hy_sim_message *before = NULL, *p = lane->first;
  for (; p != NULL && p->tag != tag; p = p->next) before = p;
  if (p == NULL) return NULL;
  if (before == NULL)
    lane->first = p->next;
  else
    before->next = p->next;
  if (lane->last == p) lane->last = before;
  lane->taken++;
  return p;
}

static void free_lanes(struct hy_sim_node *node) {
  for (int64_t i = 0; i < node->lane_capacity; i++)
    for (struct hy_sim_message *p = node->lanes[i].first, *next; p != NULL; p = next) {
      next = p->next;
      free(p);
    }
  free(node->lanes);
}

/* --------------------------------------------------------------- memory -- */

/* Memory of one message is reused by the next message of any nodes: it is still in the caches. */
static void *take_piece(struct hy_sim_piece **pieces, size_t size) {
  struct hy_sim_piece *piece = *pieces;
  if (piece == NULL) return malloc(size);
  *pieces = piece->next;
  return piece;
}

static void give_piece(struct hy_sim_piece **pieces, void *memory) {
  struct hy_sim_piece *piece = memory;
  piece->next = *pieces;
  *pieces = piece;
}

static struct hy_sim_message *make_parcel(struct hy_simulator *s, size_t loaded) {
  struct hy_sim_message *empty = NULL;
  return loaded > 0 ? malloc(sizeof *empty + loaded) : take_piece(&s->messages, sizeof *empty);
}

static void drop_parcel(struct hy_simulator *s, struct hy_sim_message *p, size_t loaded) {
  if (loaded > 0)
    free(p);
  else
    give_piece(&s->messages, p);
}

/* ------------------------------------------------------------ transfers -- */

/* The bytes that a message really carries. */
static size_t load(const struct hy_sim_node *node, const struct hy_sim_message *p) {
  bool dry = node->simulator->model->dry || node->rehearses > 0;
  return dry && p->tag % HY_STREAMS == HY_DATA ? 0 : (size_t)p->bytes;
}

static uint64_t checksum_of(const struct hy_sim_node *node, const struct hy_sim_message *p) {
  return hy_fingerprint((uint64_t)p->number, p->data, load(node, p));
}

static void deliver(struct hy_sim_node *to, struct hy_sim_lane *lane, struct hy_sim_message *p) {
  put(lane, p);
  if (p->tag == HY_ALARM) to->link.alarms++;
  if (to->state == HY_SIM_WAITING) hy_simulator_make_ready(to);
}

/* Does the message's way, over the lowest dimension first, cross a link on which it is lost? */
static bool meets_lost_link(const struct hy_sim_node *from, int to) {
  const hyla_simulation *model = from->simulator->model;
  for (int i = 0; i < model->lost_count; i++) {
    const hyla_lost_link *lost = &model->lost[i];
    for (int place = from->link.rank, next; place != to; place = next) {
      const int differ = place ^ to;
      next = place ^ (differ & -differ);
      if ((place == lost->node && next == lost->peer) ||
          (place == lost->peer && next == lost->node))
        return true;
    }
  }
  return false;
}

/* Applies the planted fault, if this is its message, and loses it on a lost link; true: it is lost.
 * Messages of rehearsals have no faults. */
static bool plant_fault(const struct hy_sim_node *from, int to, struct hy_sim_message *p) {
  struct hy_simulator *s = from->simulator;
  if (from->rehearses > 0) return false;
  if (p->tag % HY_STREAMS != HY_DATA) return false;
  s->sent++;
  if (meets_lost_link(from, to)) return true;
  if (s->sent != s->model->fault_at) return false;
  if (s->model->fault == HYLA_FAULT_DELAYED) p->end += s->model->fault_delay;
  if (s->model->fault == HYLA_FAULT_CORRUPTED && p->bytes > 0) p->data[p->bytes / 2] ^= 0x10;
  return s->model->fault == HYLA_FAULT_LOST;
}

static hyla_status make_transfer(struct hy_link *link, int from, int tag, void *data,
                                 void **request) {
  struct transfer *t = take_piece(&own(link)->simulator->transfers, sizeof *t);
  CHECK(link->base, t != NULL, MEMORY, "out of memory in the simulator");
  *t = (struct transfer){.from = from, .tag = tag, .data = data};
  *request = t;
  return HYLA_OK;
}

static void cancel(struct hy_link *link, void **request) {
  give_piece(&own(link)->simulator->transfers, *request);
  *request = NULL;
}

/* Sends a message; the transfer ends when the message does. */
static hyla_status send_message(struct hy_link *link, int rank, int tag, const void *data,
                                int64_t bytes, struct transfer *transfer) {
  struct hy_sim_node *node = own(link), *to = &node->simulator->node[rank];
  struct hy_sim_message head = {.from = link->rank, .tag = tag, .bytes = bytes};
  size_t loaded = load(node, &head);
  struct hy_sim_message *p = make_parcel(node->simulator, loaded);
  CHECK(link->base, p != NULL, MEMORY, "out of memory in the simulator");
  *p = head;
  if (loaded > 0) memcpy(p->data, data, loaded);
  struct hy_sim_lane *lane = NULL;
  hyla_status status = open_lane(node, rank, tag, &lane);
  if (status == HYLA_OK) p->number = ++lane->sent;
  if (status == HYLA_OK) status = open_lane(to, link->rank, tag, &lane);
  if (status != HYLA_OK) {
    drop_parcel(node->simulator, p, loaded);
    return status;
  }
  p->checksum = checksum_of(node, p);
  if (tag % HY_STREAMS == HY_DATA && to != node) hy_sim_learn_past(node->simulator, 1);
  status = hy_sim_book(node, to, p);
  if (status != HYLA_OK) {
    drop_parcel(node->simulator, p, loaded);
    return status;
  }
  hy_sim_tell_start(node, rank, p);
  transfer->end = (struct hy_moment){p->end, p->event_id};
  if (plant_fault(node, rank, p))
    drop_parcel(node->simulator, p, loaded);
  else
    deliver(to, lane, p);
  return HYLA_OK;
}

static hyla_status send(struct hy_link *link, int rank, int tag, const void *data, int64_t bytes,
                        void **request) {
  TRY(make_transfer(link, -1, tag, NULL, request));
  if (link->leaves >= 0) own(link)->simulator->timed = true;
  hyla_status status = send_message(link, rank, tag, data, bytes, *request);
  if (status != HYLA_OK) cancel(link, request);
  return status;
}

static hyla_status recv(struct hy_link *link, int rank, int tag, void *data, int64_t bytes,
                        void **request) {
  (void)bytes; /* test gets the size again */
  if (link->leaves >= 0) own(link)->simulator->timed = true;
  return make_transfer(link, rank, tag, data, request);
}

/* number: of the messages taken on its lane so far, this one included. */
static hyla_status check_parcel(struct hy_sim_node *node, const struct hy_sim_message *p,
                                int64_t number, int64_t bytes) {
  double limit = node->simulator->model->limit;
  CHECK(node->link.base, p->number == number, COMMUNICATION,
        "message %lld from node %d to node %d is lost: number %lld came in its place",
        (long long)number, p->from, node->link.rank, (long long)p->number);
  CHECK(node->link.base, p->checksum == checksum_of(node, p), COMMUNICATION,
        "message %lld from node %d to node %d is corrupted", (long long)number, p->from,
        node->link.rank);
  CHECK(node->link.base, p->bytes == bytes, COMMUNICATION,
        "node %d sent %lld bytes where node %d expected %lld", p->from, (long long)p->bytes,
        node->link.rank, (long long)bytes);
  CHECK(node->link.base, limit <= 0 || p->end - node->clock <= limit, TIMEOUT,
        "message %lld from node %d to node %d is delayed: it came %g after the limit of %g",
        (long long)number, p->from, node->link.rank, p->end - node->clock - limit, limit);
  return HYLA_OK;
}

static hyla_status test(struct hy_link *link, void **request, int64_t bytes, bool *done,
                        struct hy_moment *end) {
  struct hy_sim_node *node = own(link);
  struct transfer *t = *request;
  *done = false;
  if (t->from >= 0) {
    struct hy_sim_lane *lane = lane_from(node, t->from, t->tag % HY_STREAMS);
    struct hy_sim_message *p = lane == NULL ? NULL : take(lane, t->tag);
    if (p == NULL) {
      node->missing_from = t->from;
      return HYLA_OK;
    }
    if (t->tag == HY_ALARM) link->alarms--;
    hyla_status status = check_parcel(node, p, lane->taken, bytes);
    if (status == HYLA_OK) status = hy_sim_arrival(node, p, &t->end.when);
    if (status == HYLA_OK) hy_sim_tell_message(node, p, t->end.when);
    t->end.message = p->event_id;
    size_t loaded = load(node, p);
    if (status == HYLA_OK && loaded > 0) memcpy(t->data, p->data, loaded);
    drop_parcel(node->simulator, p, loaded);
    TRY(status);
  }
  *done = true;
  end->when = hy_later(end->when, t->end.when);
  end->message = t->end.message;
  give_piece(&node->simulator->transfers, t);
  *request = NULL;
  return HYLA_OK;
}

/* Nothing can arrive between a poll and this call, since no other node has a turn meanwhile. */
static hyla_status idle(struct hy_link *link, int64_t polls, int from) {
  (void)polls, (void)from;
  struct hy_sim_node *node = own(link);
  struct hy_simulator *s = node->simulator;
  if (link->alarms > 0) return HYLA_OK;
  if (!s->stuck) hy_simulator_wait(node);
  CHECK(link->base, !s->stuck, COMMUNICATION, "%s", s->who_waits);
  return HYLA_OK;
}

/* All waiting nodes are in the meeting.  The last node to come queues up behind them in the order
 * of the nodes, so that the turns do not depend on the history. */
static void end_meeting(struct hy_simulator *s, struct hy_sim_node *last) {
  s->met++;
  s->past = s->meeting[(s->met - 1) % 2].clock;
  s->meeting[s->met % 2].come = 0;
  for (int i = 0; i < s->nodes; i++)
    if (s->node[i].state == HY_SIM_WAITING || &s->node[i] == last)
      hy_simulator_make_ready(&s->node[i]);
  hy_coroutine_yield(&s->coroutines, &last->coroutine);
}

static hyla_status join(struct hy_link *link, const void *mine, int64_t bytes, hy_merge *merge,
                        int64_t *meeting) {
  struct hy_sim_node *node = own(link);
  struct hy_simulator *s = node->simulator;
  struct hy_sim_meeting *m = &s->meeting[s->met % 2];
  bool first = m->come == 0;
  CHECK(link->base, first || (m->bytes == bytes && m->merge == merge), COMMUNICATION,
        "node %d takes part in another agreement than the others: they do different things",
        link->rank);
  if (first) {
    m->bytes = bytes;
    m->merge = merge;
    m->clock = node->clock;
    memcpy(m->merged, mine, (size_t)bytes);
  } else {
    m->clock = hy_later(m->clock, node->clock);
    merge(m->merged, mine, bytes);
  }
  *meeting = s->met;
  if (++m->come == s->nodes) end_meeting(s, node);
  return HYLA_OK;
}

static bool joined(struct hy_link *link, int64_t meeting, void *merged, int64_t bytes) {
  struct hy_sim_node *node = own(link);
  const struct hy_sim_meeting *m = &node->simulator->meeting[meeting % 2];
  node->missing_from = -1;
  if (node->simulator->met == meeting) return false;
  memcpy(merged, m->merged, (size_t)bytes);
  hy_sim_tell(node, &(hyla_event){.kind = HYLA_EVENT_AGREE, .begin = node->clock, .end = m->clock});
  node->clock = m->clock;
  return true;
}

static int64_t probe(struct hy_link *link, int rank, int tag) {
  for (int stream = 0; stream < HY_STREAMS; stream++) {
    const struct hy_sim_lane *lane = lane_from(own(link), rank, stream);
    for (const struct hy_sim_message *p = lane == NULL ? NULL : lane->first; p != NULL; p = p->next)
      if (tag < 0 || p->tag == tag) return p->bytes;
  }
  return -1;
}

/* The clock stands still while a node waits, so that no watchdog wakes; a node that waits for ever
 * is in a deadlock. */
static double clock_now(struct hy_link *link) { return own(link)->clock; }

static void reach(struct hy_link *link, const struct hy_moment *end) {
  struct hy_sim_node *node = own(link);
  double begin = node->clock;
  node->clock = hy_later(begin, end->when);
  hy_sim_tell(node, &(hyla_event){.kind = HYLA_EVENT_WAIT,
                                  .begin = begin,
                                  .end = node->clock,
                                  .message = end->message});
}

static void compute(struct hy_link *link, double operations) {
  struct hy_sim_node *node = own(link);
  double begin = node->clock;
  node->clock += operations * node->simulator->model->gamma;
  hy_sim_tell(node, &(hyla_event){.kind = HYLA_EVENT_COMPUTE,
                                  .begin = begin,
                                  .end = node->clock,
                                  .operations = operations});
}

/* Parts of rehearsals are not reported, because they use other clocks. */
static void part(struct hy_link *link, const char *name) {
  const struct hy_sim_node *node = own(link);
  hyla_report *report = node->simulator->report;
  int i = 0;
  if (node->rehearses > 0) return;
  while (i < report->parts && strcmp(report->part[i].name, name) != 0) i++;
  if (i == HYLA_PARTS_MAX) return;
  if (i == report->parts) report->part[report->parts++] = (hyla_part){.name = name};
  report->part[i].end = hy_later(report->part[i].end, node->clock);
}

static void describe(struct hy_link *link, struct hy_text *text) {
  hy_text_add(text, "simulated: %d nodes, %s\n", link->ranks,
              own(link)->simulator->model->ports == HYLA_ONE_PORT ? "one port" : "all ports");
}

/* The node belongs to the simulator. */
static void destroy(struct hy_link **link, bool broken) {
  (void)broken;
  *link = NULL;
}

static const struct hy_link_kind kind = {
    .send = send,
    .recv = recv,
    .test = test,
    .reach = reach,
    .compute = compute,
    .observe = hy_sim_observe,
    .part = part,
    .cancel = cancel,
    .idle = idle,
    .probe = probe,
    .clock = clock_now,
    .join = join,
    .joined = joined,
    .play = hy_sim_play,
    .rehearses = hy_sim_rehearses,
    .rehearsal_begin = hy_sim_rehearsal_begin,
    .rehearsal_end = hy_sim_rehearsal_end,
    .rehearsed = hy_sim_rehearsed,
    .rehearsal_keep = hy_sim_rehearsal_keep,
    .shared_table = hy_sim_shared_table,
    .shared_table_keep = hy_sim_shared_table_keep,
    .describe = describe,
    .destroy = destroy,
};

void hy_link_sim_init(struct hy_sim_node *node, struct hy_simulator *simulator, int rank) {
  node->simulator = simulator;
  node->books = (struct hy_base){
      .rank = rank, .no_data = simulator->no_data, .no_data_bytes = simulator->no_data_bytes};
  node->link = (struct hy_link){.kind = &kind,
                                .base = &node->books,
                                .ranks = simulator->nodes,
                                .rank = rank,
                                .piece = INT64_MAX,
                                .tags = INT32_MAX,
                                .watchdog = 1,
                                .crowd = simulator->nodes};
}

static void free_pieces(struct hy_sim_piece **pieces) {
  while (*pieces != NULL) free(take_piece(pieces, 0));
}

void hy_link_sim_end(struct hy_simulator *simulator) {
  for (int i = 0; i < simulator->nodes; i++) {
    free_lanes(&simulator->node[i]);
    hy_sim_parties_free(&simulator->node[i]);
    hy_link_times_clear(&simulator->node[i].link_times);
  }
  free_pieces(&simulator->transfers);
  free_pieces(&simulator->messages);
  hy_sim_shared_table_end(simulator);
}
