/* Checks the schedules of a whole network, step by step, and times them. */
#include "tests/harness/verify.h"

#include <string.h>

/* A packet on paper. */
struct flight {
  int64_t words;  /* weighted number of words */
  int64_t labels; /* outgoing: place of its first label in paper->flying */
  int64_t arrives;
};

/* The network on paper.  Arrays of words hold those of node 0, then those of node 1, and so on. */
struct paper {
  struct hy_base *base;
  const struct hy_paper_machine *machine;
  const struct hy_blocks *blocks;
  struct hy_verify_report *report;
  const struct hy_network *network; /* NULL: a cube */
  int ports;                        /* of a node; of a cube its dimensions */
  uint32_t nodes;
  int64_t data_words; /* words of the collective; words that pass through lie behind them */
  int64_t words;      /* words of a node */
  struct hy_schedule *schedules;
  int64_t *cursor;        /* for each node, the first packet of the step */
  struct flight *flights; /* of every packet of every node */
  int64_t *flight_base;   /* for each node, its first flight */
  uint64_t *held;         /* the label of every word */
  int64_t *arrival;       /* the time at which every word arrived */
  int *written;           /* the step in which every word was last received; -1: none */
  uint32_t *busy;         /* ports whose links carry a packet out of the node */
  int64_t *link_free;     /* the time at which a directed link is free again */
  int64_t *clock;         /* at the nodes' own pace: when a node takes this step, */
  int64_t *next_clock;    /* when it takes the next one; */
  int64_t *port_free;     /* with one port: when it can receive the next packet */
  uint64_t *flying;       /* labels of all packets of the step */
  int64_t flying_capacity;
  int64_t flying_count;
};

static void count_add(struct hy_count *count, uint32_t across, int64_t words) {
  bool neighbour = hy_popcount(across) == 1;
  int dim = hy_log2_floor(across);
  *(neighbour ? &count->messages[dim] : &count->far_messages) += 1;
  *(neighbour ? &count->words[dim] : &count->far_words) += words;
}

static bool fault(struct paper *paper, enum hy_fault fault, int step, uint32_t node) {
  struct hy_verify_report *report = paper->report;
  if (report->fault == HY_SOUND) {
    report->fault = fault;
    report->step = step;
    report->node = node;
  }
  return false;
}

/* The node's packets of the step: *count packets, from the returned one on. */
static const struct hy_packet *packets_of(const struct paper *paper, uint32_t node, int step,
                                          int64_t *count) {
  const struct hy_schedule *schedule = &paper->schedules[node];
  int64_t first = paper->cursor[node];
  int64_t last = first;
  while (last < schedule->packet_count && schedule->packets[last].step == step) last++;
  *count = last - first;
  return *count > 0 ? &schedule->packets[first] : NULL;
}

/* The packet of `node' over `across': an outgoing or an incoming one.  NULL if there is no such
 * packet. */
static const struct hy_packet *meet(const struct paper *paper, uint32_t node, int step,
                                    uint32_t across, bool out) {
  const struct hy_schedule *schedule = &paper->schedules[node];
  const struct hy_packet *end = schedule->packets + schedule->packet_count;
  for (const struct hy_packet *packet = schedule->packets + paper->cursor[node];
       packet < end && packet->step == step; packet++)
    if (packet->across == across && (packet->action == HY_OUT) == out) return packet;
  return NULL;
}

static struct flight *flight_of(const struct paper *paper, uint32_t node,
                                const struct hy_packet *packet) {
  return &paper->flights[paper->flight_base[node] + (packet - paper->schedules[node].packets)];
}

/* The number of words is stored, because it is needed several times. */
static int64_t words_of(const struct paper *paper, uint32_t node, const struct hy_packet *packet) {
  return flight_of(paper, node, packet)->words;
}

static int64_t count_words(const struct paper *paper, const struct hy_schedule *schedule,
                           const struct hy_packet *packet) {
  const int64_t *weights = paper->machine->weights;
  if (weights == NULL) return hy_packet_words(schedule, paper->blocks, packet);
  int64_t words = 0;
  for (int64_t i = 0; i < packet->count; i++) {
    const struct hy_piece *piece = &schedule->pieces[packet->first + i];
    words += hy_piece_span(schedule, paper->blocks, piece).length * weights[piece->block];
  }
  return words;
}

/* The peer of a packet; -1: there is none. */
static int64_t peer_of(const struct paper *paper, uint32_t node, uint32_t across) {
  const int64_t peer = hy_packet_peer(paper->network, node, across);
  return peer < paper->nodes ? peer : -1;
}

/* Its packet at the other end of the link. */
static const struct hy_packet *meet_peer(const struct paper *paper, uint32_t node, uint32_t peer,
                                         int step, const struct hy_packet *packet, bool out) {
  return meet(paper, peer, step, hy_packet_back(paper->network, node, packet->across), out);
}

/* Takes the links of the packet's path, on a cube lowest dimension first. */
static bool take_links(struct paper *paper, uint32_t node, int step, uint32_t across) {
  if (!paper->machine->circuits && hy_popcount(across) > 1)
    return fault(paper, HY_NOT_NEIGHBOUR, step, node);
  uint32_t place = node;
  for (uint32_t left = across; left != 0; left &= left - 1) {
    uint32_t bit = left & (~left + 1);
    if (paper->busy[place] & bit) return fault(paper, HY_LINK_TAKEN, step, place);
    paper->busy[place] |= bit;
    place ^= bit;
  }
  return true;
}

/* Reads the packet's labels, and the time at which its last word arrived. */
static bool read_packet(struct paper *paper, uint32_t node, int step,
                        const struct hy_packet *packet, int64_t *ready) {
  if (paper->machine->dry) return true;
  const struct hy_schedule *schedule = &paper->schedules[node];
  const uint64_t *held = paper->held + node * paper->words;
  const int64_t *arrival = paper->arrival + node * paper->words;
  for (int64_t i = 0; i < packet->count; i++) {
    struct hy_span span =
        hy_piece_span(schedule, paper->blocks, &schedule->pieces[packet->first + i]);
    for (int64_t word = span.offset; word < span.offset + span.length; word++) {
      if (held[word] == 0) return fault(paper, HY_NOT_HELD, step, node);
      paper->flying[paper->flying_count++] = held[word];
      *ready = hy_max(*ready, arrival[word]);
    }
  }
  return true;
}

/* Adds the packet to the times at the nodes' own pace, and to the counts. */
static void book_packet(struct paper *paper, uint32_t node, uint32_t peer, uint32_t across,
                        int64_t words) {
  const struct hy_paper_machine *machine = paper->machine;
  struct hy_verify_report *report = paper->report;
  int64_t time = machine->beta + words * machine->tau;
  int64_t sent = paper->clock[node] + time;
  int64_t came = machine->one_port ? hy_max(sent, paper->port_free[peer] + time) : sent;
  paper->port_free[peer] = came;
  paper->next_clock[node] = hy_max(paper->next_clock[node], sent);
  paper->next_clock[peer] = hy_max(paper->next_clock[peer], came);
  report->own_pace = hy_max(report->own_pace, came);
  count_add(&report->count, across, words);
}

/* Sends one packet: checks its links and its partner, reads its words and finds its time. */
static bool send_packet(struct paper *paper, uint32_t node, int step,
                        const struct hy_packet *packet) {
  const struct hy_paper_machine *machine = paper->machine;
  int64_t words = words_of(paper, node, packet);
  const int64_t peer = peer_of(paper, node, packet->across);
  if (peer < 0) return fault(paper, HY_NOT_NEIGHBOUR, step, node);
  const struct hy_packet *other = meet_peer(paper, node, (uint32_t)peer, step, packet, false);
  if (other == NULL || words_of(paper, (uint32_t)peer, other) != words)
    return fault(paper, HY_UNMATCHED, step, node);
  int64_t start = 0;
  struct flight *flight = flight_of(paper, node, packet);
  flight->labels = paper->flying_count;
  if (!read_packet(paper, node, step, packet, &start)) return false;
  flight->arrives = start;
  if (packet->across == 0 || words == 0) return true;
  if (!take_links(paper, node, step, packet->across)) return false;
  int64_t *link_free = paper->link_free + node * (uint32_t)paper->ports + hy_lowest(packet->across);
  flight->arrives = hy_max(start, *link_free) + machine->beta + words * machine->tau;
  *link_free = flight->arrives;
  book_packet(paper, node, (uint32_t)peer, packet->across, words);
  int hops = hy_popcount(packet->across);
  paper->report->packets += hops;
  paper->report->carried += hops * words;
  paper->report->makespan = hy_max(paper->report->makespan, flight->arrives);
  return true;
}

/* Puts the labels of a packet in their places. */
static bool receive_packet(struct paper *paper, uint32_t node, int step,
                           const struct hy_packet *packet) {
  if (paper->machine->dry) return true;
  const uint32_t peer = (uint32_t)peer_of(paper, node, packet->across);
  const struct flight *flight =
      flight_of(paper, peer, meet_peer(paper, node, peer, step, packet, true));
  const struct hy_schedule *schedule = &paper->schedules[node];
  int64_t base = node * paper->words;
  const uint64_t *label = paper->flying != NULL ? &paper->flying[flight->labels] : NULL;
  for (int64_t i = 0; i < packet->count; i++) {
    struct hy_span span =
        hy_piece_span(schedule, paper->blocks, &schedule->pieces[packet->first + i]);
    for (int64_t word = base + span.offset; word < base + span.offset + span.length; word++) {
      bool add = packet->action == HY_ADD;
      if (add && paper->held[word] == 0) return fault(paper, HY_NOT_HELD, step, node);
      if (paper->written[word] == step) return fault(paper, HY_OVERWRITTEN, step, node);
      if (!add) paper->written[word] = step;
      paper->held[word] = (add ? paper->held[word] : 0) + *label++;
      paper->arrival[word] = hy_max(add ? paper->arrival[word] : 0, flight->arrives);
    }
  }
  return true;
}

/* With one port a node sends and receives one packet a step.  Each incoming packet must have been
 * sent. */
static bool check_node(struct paper *paper, uint32_t node, int step) {
  int64_t count = 0;
  const struct hy_packet *packets = packets_of(paper, node, step, &count);
  int out = 0;
  int in = 0;
  for (int64_t i = 0; i < count; i++) {
    if (packets[i].action != HY_OUT) {
      const int64_t peer = peer_of(paper, node, packets[i].across);
      if (peer < 0 || meet_peer(paper, node, (uint32_t)peer, step, &packets[i], true) == NULL)
        return fault(paper, HY_UNMATCHED, step, node);
    }
    if (packets[i].across == 0 || words_of(paper, node, &packets[i]) == 0) continue;
    *(packets[i].action == HY_OUT ? &out : &in) += 1;
  }
  if (paper->machine->one_port && (out > 1 || in > 1))
    return fault(paper, HY_PORT_TAKEN, step, node);
  return true;
}

/* Adds the step's longest packet and path to the verdict.  Returns the number of labels that go
 * out, including those of words that stay at their node. */
static int64_t measure_step(struct paper *paper, int step) {
  int64_t total = 0;
  int64_t longest = 0;
  int64_t hops = 0;
  for (uint32_t node = 0; node < paper->nodes; node++) {
    int64_t count = 0;
    const struct hy_packet *packets = packets_of(paper, node, step, &count);
    for (int64_t i = 0; i < count; i++) {
      if (packets[i].action != HY_OUT) continue;
      int64_t words = words_of(paper, node, &packets[i]);
      total += paper->machine->weights == NULL
                   ? words
                   : hy_packet_words(&paper->schedules[node], paper->blocks, &packets[i]);
      if (packets[i].across == 0 || words == 0) continue;
      longest = hy_max(longest, words);
      hops = hy_max(hops, hy_popcount(packets[i].across));
    }
  }
  paper->report->words += longest;
  paper->report->hops += hops;
  if (longest > 0) paper->report->steps++;
  return paper->machine->dry ? 0 : total;
}

/* All packets of the step go out, then all come in. */
static bool run_step(struct paper *paper, int step) {
  paper->flying_count = 0;
  memset(paper->busy, 0, paper->nodes * sizeof *paper->busy);
  for (int receiving = 0; receiving < 2; receiving++)
    for (uint32_t node = 0; node < paper->nodes; node++) {
      int64_t count = 0;
      const struct hy_packet *packets = packets_of(paper, node, step, &count);
      if (!receiving && !check_node(paper, node, step)) return false;
      for (int64_t i = 0; i < count; i++) {
        if ((packets[i].action == HY_OUT) == (receiving == 1)) continue;
        if (!receiving && !send_packet(paper, node, step, &packets[i])) return false;
        if (receiving && !receive_packet(paper, node, step, &packets[i])) return false;
      }
    }
  return true;
}

/* Makes room for the labels that travel in one step. */
static hyla_status make_room(struct paper *paper, int64_t labels) {
  if (labels <= paper->flying_capacity) return HYLA_OK;
  hy_free(paper->base, &paper->flying);
  paper->flying_capacity = 0;
  TRY(hy_alloc_for(paper->base, paper->schedules, labels, sizeof *paper->flying, &paper->flying));
  paper->flying_capacity = labels;
  return HYLA_OK;
}

static hyla_status run_all(struct paper *paper) {
  int steps = 0;
  for (uint32_t node = 0; node < paper->nodes; node++)
    steps = (int)hy_max(steps, paper->schedules[node].steps);
  paper->report->planned = steps;
  for (int step = 0; step < steps; step++) {
    TRY(make_room(paper, measure_step(paper, step)));
    if (!run_step(paper, step)) return HYLA_OK;
    memcpy(paper->clock, paper->next_clock, paper->nodes * sizeof *paper->clock);
    for (uint32_t node = 0; node < paper->nodes; node++) {
      int64_t count = 0;
      packets_of(paper, node, step, &count);
      paper->cursor[node] += count;
    }
  }
  return HYLA_OK;
}

/* Makes the schedules of all nodes, whose block owns the rest; finds the sizes of their buffers. */
static hyla_status generate(struct paper *paper, const struct hy_generator *generator,
                            const struct hy_collective *task) {
  int64_t packets = 0;
  uint32_t scratch = 0;
  TRY(hy_alloc(paper->base, paper->nodes, sizeof *paper->schedules, &paper->schedules));
  TRY(hy_alloc_for(paper->base, paper->schedules, paper->nodes, sizeof *paper->flight_base,
                   &paper->flight_base));
  for (uint32_t node = 0; node < paper->nodes; node++) {
    TRY(hy_generate(generator, node, paper->base, &paper->schedules[node]));
    paper->flight_base[node] = packets;
    packets += paper->schedules[node].packet_count;
    scratch = (uint32_t)hy_max(scratch, paper->schedules[node].scratch);
  }
  if (!paper->machine->dry) {
    paper->data_words = hy_contract_words(task);
    paper->words = paper->data_words + scratch * task->blocks.words;
  }
  TRY(hy_alloc_for(paper->base, paper->schedules, packets, sizeof *paper->flights,
                   &paper->flights));
  for (uint32_t node = 0; node < paper->nodes; node++) {
    const struct hy_schedule *schedule = &paper->schedules[node];
    for (int64_t i = 0; i < schedule->packet_count; i++)
      flight_of(paper, node, &schedule->packets[i])->words =
          count_words(paper, schedule, &schedule->packets[i]);
  }
  return HYLA_OK;
}

static hyla_status set_up(struct paper *paper, const struct hy_collective *task) {
  int64_t nodes = paper->nodes;
  int64_t all = nodes * paper->words;
  TRY(hy_alloc_for(paper->base, paper->schedules, nodes, sizeof *paper->cursor, &paper->cursor));
  TRY(hy_alloc_for(paper->base, paper->schedules, nodes, sizeof *paper->busy, &paper->busy));
  TRY(hy_alloc_for(paper->base, paper->schedules, nodes * paper->ports, sizeof *paper->link_free,
                   &paper->link_free));
  TRY(hy_alloc_for(paper->base, paper->schedules, nodes, sizeof *paper->clock, &paper->clock));
  TRY(hy_alloc_for(paper->base, paper->schedules, nodes, sizeof *paper->next_clock,
                   &paper->next_clock));
  TRY(hy_alloc_for(paper->base, paper->schedules, nodes, sizeof *paper->port_free,
                   &paper->port_free));
  TRY(hy_alloc_for(paper->base, paper->schedules, all, sizeof *paper->held, &paper->held));
  TRY(hy_alloc_for(paper->base, paper->schedules, all, sizeof *paper->arrival, &paper->arrival));
  TRY(hy_alloc_for(paper->base, paper->schedules, all, sizeof *paper->written, &paper->written));
  for (uint32_t node = 0; node < paper->nodes; node++)
    for (int64_t word = 0; word < paper->words; word++) {
      bool data = word < paper->data_words;
      paper->held[node * paper->words + word] = data ? hy_contract_before(task, node, word) : 0;
      paper->written[node * paper->words + word] = -1;
    }
  return HYLA_OK;
}

static void tear_down(struct paper *paper) {
  for (uint32_t node = 0; paper->schedules != NULL && node < paper->nodes; node++)
    if (paper->schedules[node].base != NULL) hy_schedule_free(&paper->schedules[node]);
  hy_free(paper->base, &paper->schedules);
}

/* In an all-reduction a required sum is expensive to find.  So only node 0 is compared with it, and
 * the other nodes with node 0. */
static void check_delivery(struct paper *paper, const struct hy_collective *task) {
  for (uint32_t node = 0; node < paper->nodes; node++) {
    bool alike = task->task == HY_TASK_ALLREDUCE && node > 0;
    int64_t source = hy_contract_source(task, node);
    for (int64_t word = 0; word < paper->data_words; word++) {
      uint64_t wanted = alike ? paper->held[word] : hy_contract_wanted(task, node, source, word);
      if (wanted != 0 && wanted != paper->held[node * paper->words + word])
        fault(paper, HY_NOT_DELIVERED, -1, node);
    }
  }
}

hyla_status hy_verify(const struct hy_generator *generator, const struct hy_collective *task,
                      const struct hy_paper_machine *machine, struct hy_base *base,
                      struct hy_verify_report *report) {
  struct paper paper = {.base = base,
                        .machine = machine,
                        .blocks = &task->blocks,
                        .report = report,
                        .network = generator->network,
                        .ports = generator->network != NULL ? generator->network->ports
                                                            : generator->dims,
                        .nodes = hy_network_members(generator->network, generator->dims)};
  *report = (struct hy_verify_report){.fault = HY_SOUND};
  hyla_status status = generate(&paper, generator, task);
  if (status == HYLA_OK) status = set_up(&paper, task);
  if (status == HYLA_OK) status = run_all(&paper);
  if (status == HYLA_OK && report->fault == HY_SOUND) check_delivery(&paper, task);
  tear_down(&paper);
  return status;
}

const char *hy_fault_text(enum hy_fault fault_met) {
  static const char *const texts[] = {
      [HY_SOUND] = "sound",
      [HY_NOT_NEIGHBOUR] = "a packet goes to a node that is no neighbour",
      [HY_LINK_TAKEN] = "two packets cross one directed link in a step",
      [HY_PORT_TAKEN] = "a node with one port sends or receives two packets in a step",
      [HY_UNMATCHED] = "a packet that is sent is not received as it is, or the other way round",
      [HY_NOT_HELD] = "a word is used that is not there",
      [HY_OVERWRITTEN] = "a word is received twice in a step",
      [HY_NOT_DELIVERED] = "a word is missing or wrong at the end"};
  return texts[fault_met];
}

void hy_schedule_count(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                       struct hy_count *count) {
  memset(count, 0, sizeof *count);
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    int64_t words = hy_packet_words(schedule, blocks, packet);
    if (packet->action != HY_OUT || packet->across == 0 || words == 0) continue;
    count_add(count, packet->across, words);
  }
}

void hy_schedule_print(const struct hy_schedule *schedule, const struct hy_network *network,
                       uint32_t node, struct hy_text *text) {
  static const char *const verbs[] = {
      [HY_OUT] = "sends to", [HY_IN] = "receives from", [HY_ADD] = "adds from"};
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    hy_text_add(text, "step %d: node %u %s %lld:", packet->step, node, verbs[packet->action],
                (long long)hy_packet_peer(network, node, packet->across));
    for (int64_t j = 0; j < packet->count; j++) {
      const struct hy_piece *piece = &schedule->pieces[packet->first + j];
      hy_text_add(text, " %u.%u-%u.%u", piece->block, piece->from, piece->block + piece->run - 1,
                  piece->to);
    }
    hy_text_add(text, " /%u\n", schedule->parts);
  }
}
