/* Exchanges, exchanges among some nodes, and permutations on arrays and tori: whole messages on
 * shortest ways, in queues.
 *
 * Method: a message crosses one axis after the other.  A link serves the messages that wait for it
 * in the order in which they came, those that came together by their source's number, and never
 * idles while one waits.  All nodes know who has messages, so the queues are played once for all
 * nodes, and their steps become a schedule.
 *   queued  exchange, exchange among active nodes and its reverse (a gather by active nodes), and
 *           permutation
 * On two axes of length p a rule balances rows and columns in the exchanges.  Let row i have r_i
 * active nodes and column j c_j.  The active node of row i and column j sends along the row first
 * if r_i <= c_j, otherwise along the column.  The links of rows serve the former messages first,
 * those of columns the latter.  On other axes, and in permutations, ways are the network's own
 * (hy_network_port).
 * Reference: Varvarigos 1992, 3.5.
 * Steps: counted; on p x p arrays at most 2 floor(sqrt M) (N - p) + 2 (p - 1) for M active nodes.
 * Restriction: messages of equal length.
 * Memory: blocks for messages that pass through. */
#include "collective/mesh.h"

enum { CLASSES = 2 };

/* A message under way. */
struct way {
  int64_t next; /* the next message in its queue; -1: it is the last */
  uint32_t at, source, target;
  uint32_t block; /* the node's, in which it lies */
  uint32_t to;    /* the target's, in which it ends */
  bool turned;    /* it crosses the first axis first */
};

struct queues {
  struct hy_base *base;
  const struct hy_network *network;
  bool prefers; /* links prefer a class */
  struct way *ways;
  int64_t count, under_way;
  int64_t *queue;  /* [node][port][class][first and last message] */
  int64_t *coming; /* [node][port]: the message that comes in this step; -1: none */
  struct hy_rooms rooms;
};

static int64_t *queue_of(const struct queues *q, uint32_t node, int port, int class) {
  return &q->queue[2 * (((int64_t)node * q->network->ports + port) * CLASSES + class)];
}

/* The next port of a message: that of the network's own way or, if it is turned, that along the
 * first axis on which it is not yet in place. */
static int next_port(const struct hy_network *network, const struct way *way) {
  uint32_t at[HY_NETWORK_AXES], to[HY_NETWORK_AXES];
  if (!way->turned) return hy_network_port(network, way->at, way->target);
  hy_network_point(network, way->at, at);
  hy_network_point(network, way->target, to);
  for (int a = 0; a < network->axes; a++) {
    if (at[a] == to[a]) continue;
    at[a] = to[a];
    return hy_network_port(network, way->at,
                           hy_network_node(network, at)); /* no other axis differs */
  }
  return -1;
}

/* The class of a message in the queue of a port.  Links along the first axis serve turned messages
 * first, links of other axes the others. */
static int class_of(const struct queues *q, const struct way *way, int port) {
  return q->prefers && way->turned != (port / 2 == 0);
}

static void wait_at(struct queues *q, int64_t i) {
  struct way *way = &q->ways[i];
  const int port = next_port(q->network, way);
  int64_t *queue = queue_of(q, way->at, port, class_of(q, way, port));
  way->next = -1;
  if (queue[0] < 0)
    queue[0] = i;
  else
    q->ways[queue[1]].next = i;
  queue[1] = i;
}

/* Sends the first message that waits for a link. */
static void serve(struct queues *q, uint32_t node, int port, int step) {
  for (int class = 0; class < CLASSES; class ++) {
    int64_t *queue = queue_of(q, node, port, class);
    const int64_t i = queue[0];
    if (i < 0) continue;
    struct way *way = &q->ways[i];
    queue[0] = way->next;
    hy_rooms_leave(&q->rooms, node, step, 1u << port, way->block);
    way->at = (uint32_t)hy_network_peer(q->network, node, port);
    q->coming[(int64_t)way->at * q->network->ports + hy_network_back(q->network, node, port)] = i;
    return;
  }
}

/* Takes in what comes to a node, in the order of the sources. */
static void receive(struct queues *q, uint32_t node, int step) {
  const int ports = q->network->ports;
  int64_t *coming = &q->coming[(int64_t)node * ports];
  int order[HY_NETWORK_PORTS], count = 0;
  for (int port = 0; port < ports; port++) {
    if (coming[port] < 0) continue;
    int at = count++;
    for (; at > 0 && q->ways[coming[order[at - 1]]].source > q->ways[coming[port]].source; at--)
      order[at] = order[at - 1];
    order[at] = port;
  }
  for (int k = 0; k < count; k++) {
    const int64_t i = coming[order[k]];
    struct way *way = &q->ways[i];
    const bool stays = node == way->target;
    way->block = hy_rooms_enter(&q->rooms, node, step, 1u << order[k], stays, way->to);
    coming[order[k]] = -1;
    if (stays)
      q->under_way--;
    else
      wait_at(q, i);
  }
}

static void play(struct queues *q) {
  const uint32_t nodes = q->network->nodes;
  int step = 0;
  for (int64_t i = 0; i < q->count; i++)
    if (q->ways[i].source != q->ways[i].target) wait_at(q, i);
  for (; q->under_way > 0; step++) {
    for (uint32_t node = 0; node < nodes; node++)
      for (int port = 0; port < q->network->ports; port++) serve(q, node, port, step);
    for (uint32_t node = 0; node < nodes; node++) receive(q, node, step);
  }
  q->rooms.out->found.steps = step;
  for (int out = 1; out >= 0; out--)
    for (int64_t i = 0; i < q->count; i++)
      if (q->ways[i].source != q->ways[i].target)
        hy_rooms_settle(&q->rooms, q->ways[i].at, out == 1, q->ways[i].block, q->ways[i].to);
}

/* ---------------------------------------------------------- the messages -- */

static void add_messages(const struct hy_collective *c, uint32_t source, bool turned,
                         struct queues *q) {
  const bool one = c->task == HY_TASK_PERMUTE;
  for (uint32_t x = 0; x < (one ? 1 : c->network->nodes); x++) {
    const uint32_t target = one ? (uint32_t)c->to[source] : x;
    struct way *way = &q->ways[q->count++];
    *way = (struct way){.next = -1,
                        .at = source,
                        .source = source,
                        .target = target,
                        .block = one ? 0 : x,
                        .to = one ? 0 : source,
                        .turned = turned};
    q->under_way += source != target;
  }
}

/* The active nodes of each row, and of each column behind them; `ways' owns the numbers. */
static hyla_status count_lines(const struct hy_collective *c, struct queues *q, int64_t **rows) {
  const uint32_t *side = c->network->side;
  TRY(hy_alloc_for(q->base, q->ways, (int64_t)side[0] + side[1], sizeof **rows, rows));
  for (uint32_t node = 0; node < c->network->nodes; node++) {
    if (!hy_sends(c, node)) continue;
    (*rows)[node / side[1]]++;
    (*rows)[side[0] + node % side[1]]++;
  }
  return HYLA_OK;
}

static hyla_status prepare(const struct hy_collective *c, struct queues *q) {
  const int64_t nodes = c->network->nodes, ports = nodes * c->network->ports;
  const uint32_t *side = c->network->side;
  int64_t *rows = NULL, messages = 0, hops = 0;
  for (uint32_t node = 0; node < nodes; node++) messages += hy_sends(c, node);
  if (c->task != HY_TASK_PERMUTE) messages *= nodes;
  TRY(hy_alloc(q->base, messages, sizeof *q->ways, &q->ways));
  TRY(hy_alloc_for(q->base, q->ways, ports, sizeof *q->coming, &q->coming));
  TRY(hy_alloc_for(q->base, q->ways, 2 * CLASSES * ports, sizeof *q->queue, &q->queue));
  for (int64_t i = 0; i < ports; i++) q->coming[i] = -1;
  for (int64_t i = 0; i < 2 * CLASSES * ports; i++) q->queue[i] = -1;
  q->prefers = c->network->axes == 2 && c->task != HY_TASK_PERMUTE;
  if (q->prefers) TRY(count_lines(c, q, &rows));
  for (uint32_t node = 0; node < nodes; node++) {
    const bool turned = q->prefers && rows[node / side[1]] > rows[side[0] + node % side[1]];
    if (hy_sends(c, node)) add_messages(c, node, turned, q);
  }
  for (int64_t i = 0; i < messages; i++)
    hops += hy_network_distance(q->network, q->ways[i].source, q->ways[i].target);
  TRY(hy_rooms_create(q->base, q->ways, (uint32_t)nodes, hy_collective_count(c), messages, hops,
                      &q->rooms));
  for (int64_t i = 0; i < messages; i++)
    if (q->ways[i].source != q->ways[i].target)
      hy_rooms_fill(&q->rooms, q->ways[i].source, q->ways[i].block);
  q->rooms.out->found.packets = hops;
  return HYLA_OK;
}

static hyla_status find_queued(struct hy_base *base, const struct hy_collective *c,
                               struct hy_found **found) {
  struct queues q = {.base = base, .network = c->network};
  hyla_status status = prepare(c, &q);
  if (status == HYLA_OK) play(&q);
  hy_free(base, &q.ways);
  if (q.rooms.out != NULL) *found = &q.rooms.out->found;
  return status;
}

/* On p x p arrays, without the prefix. */
static struct hy_claim claim(const struct hy_collective *c) {
  const struct hy_network *network = c->network;
  const int64_t side = network->side[0], active = hy_active_count(c);
  int64_t root = 0;
  if (network->kind != HY_ARRAY || network->axes != 2 || !hy_mesh_is_square(network))
    return (struct hy_claim){.steps = -1};
  while ((root + 1) * (root + 1) <= active) root++;
  return (struct hy_claim){2 * root * (side * side - side) + 2 * (side - 1),
                           "2 floor(sqrt(M)) (N-p) + 2 (p-1)", "varvarigos-1992, section 3.5"};
}

const struct hy_collective_variant hy_exchange_queued = {
    .base = {.name = "queued", .reference = "varvarigos-1992, section 3.5"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .networks = HY_ON_MESHES,
    .by_message = true,
    .make = hy_matching_schedule,
    .find = find_queued,
};

const struct hy_collective_variant hy_partial_exchange_queued = {
    .base = {.name = "queued", .reference = "varvarigos-1992, section 3.5"},
    .applies = hy_equal_blocks,
    .task = HY_TASK_PARTIAL_EXCHANGE,
    .networks = HY_ON_MESHES,
    .by_message = true,
    .make = hy_matching_schedule,
    .find = find_queued,
    .claim = claim,
    .letters = hy_mesh_letters,
};

const struct hy_collective_variant hy_permute_queued = {
    .base = {.name = "queued", .reference = "varvarigos-1992, section 3.5 (queues)"},
    .task = HY_TASK_PERMUTE,
    .networks = HY_ON_MESHES,
    .make = hy_matching_schedule,
    .find = find_queued,
};
