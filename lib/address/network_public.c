/* hyla_topology_read and the calls on a network that it has read: networks for the laboratory. */
#include "address/address.h"
#include "hyla_embedding.h"

#include <stdio.h>
#include <string.h>

static bool restore(const hyla_topology *network, struct hy_network *n) {
  uint32_t side[HY_NETWORK_AXES];
  if (network == NULL || network->nodes < 1 || network->axes > HY_NETWORK_AXES) return false;
  for (int i = 0; i < network->axes; i++) side[i] = (uint32_t)network->side[i];
  return network->kind >= 0 && network->kind < HY_NETWORK_KINDS &&
         hy_network_make(n, (enum hy_network_kind)network->kind, network->axes, side,
                         network->seed) == NULL;
}

hyla_status hyla_topology_read(hyla_topology *network, const char *text) {
  struct hy_network n;
  if (network == NULL) return HYLA_ARGUMENT;
  *network = (hyla_topology){.nodes = 0};
  const char *reason = text == NULL ? "there is no text" : hy_network_read(&n, text);
  if (reason != NULL) {
    snprintf(network->message, sizeof network->message, "network %.60s: %s",
             text == NULL ? "" : text, reason);
    return HYLA_ARGUMENT;
  }
  struct hy_text name = {.text = network->name, .capacity = sizeof network->name};
  hy_network_name(&n, &name);
  network->mesh = hy_network_is_mesh(&n);
  network->drawn = hy_network_is_drawn(&n);
  network->two_way = hy_network_is_two_way(&n);
  network->kind = (int)n.kind;
  network->axes = n.axes;
  for (int i = 0; i < n.axes; i++) network->side[i] = n.side[i];
  network->seed = n.seed;
  network->nodes = n.nodes;
  network->ports = n.ports;
  network->degree = hy_network_degree(&n);
  network->links = hy_network_links(&n);
  network->diameter = hy_network_diameter(&n);
  network->distances = hy_network_distances(&n);
  network->bisection = hy_network_bisection(&n);
  network->cut = hy_network_cut(&n);
  return HYLA_OK;
}

static bool is_node(const struct hy_network *n, int node) {
  return node >= 0 && (uint32_t)node < n->nodes;
}

int hyla_topology_peer(const hyla_topology *network, int node, int port) {
  struct hy_network n;
  if (!restore(network, &n) || !is_node(&n, node) || port < 0 || port >= n.ports) return -1;
  return (int)hy_network_peer(&n, (uint32_t)node, port);
}

int hyla_topology_back(const hyla_topology *network, int node, int port) {
  struct hy_network n;
  if (!restore(network, &n) || !is_node(&n, node) || port < 0 || port >= n.ports) return -1;
  return hy_network_back(&n, (uint32_t)node, port);
}

int hyla_topology_port(const hyla_topology *network, int from, int to) {
  struct hy_network n;
  if (!restore(network, &n) || !is_node(&n, from) || !is_node(&n, to)) return -1;
  return hy_network_port(&n, (uint32_t)from, (uint32_t)to);
}

/* ------------------------------------------------------------------ ways -- */

/* Finds the distances of all nodes from one; their sum and the largest. */
static void search(const struct hy_network *n, uint32_t from, const int32_t *peer,
                   int32_t *distance, int32_t *queue, hyla_topology_ways *ways) {
  uint32_t first = 0, behind = 1;
  for (uint32_t i = 0; i < n->nodes; i++) distance[i] = -1;
  queue[0] = (int32_t)from;
  distance[from] = 0;
  while (first < behind) {
    const int32_t node = queue[first++];
    ways->shortest += distance[node];
    if (distance[node] > ways->farthest) ways->farthest = distance[node];
    for (int port = 0; port < n->ports; port++) {
      const int32_t next = peer[node * n->ports + port];
      if (next < 0 || distance[next] >= 0) continue;
      distance[next] = distance[node] + 1;
      queue[behind++] = next;
    }
  }
}

static void route(const struct hy_network *n, uint32_t from, uint32_t to, const int32_t *peer,
                  hyla_topology_ways *ways) {
  int length = 0;
  for (; from != to; length++) {
    const int32_t *own = peer + from * (uint32_t)n->ports;
    from = (uint32_t)own[hy_network_port_by(n, from, to, own[n->ports - 1])];
  }
  ways->routed += length;
  if (length > ways->longest) ways->longest = length;
}

hyla_status hyla_topology_measure(const hyla_topology *network, int64_t sources, int32_t *work,
                                  hyla_topology_ways *ways) {
  struct hy_network n;
  if (!restore(network, &n) || work == NULL || ways == NULL || sources < 1 || sources > n.nodes)
    return HYLA_ARGUMENT;
  int32_t *distance = work, *queue = distance + n.nodes, *peer = queue + n.nodes;
  hy_network_peers(&n, peer);
  *ways = (hyla_topology_ways){.pairs = sources * n.nodes};
  for (int64_t i = 0; i < sources; i++) {
    const uint32_t from = (uint32_t)(i * n.nodes / sources);
    search(&n, from, peer, distance, queue, ways);
    for (uint32_t to = 0; to < n.nodes; to++) route(&n, from, to, peer, ways);
  }
  return HYLA_OK;
}

/* --------------------------------------------------------------- packets -- */

/* The packets that wait for each port: queues as lists, -1 ends one. */
struct queues {
  const struct hy_network *n;
  const int32_t *to;
  hyla_topology_way way;
  bool last_first;
  int32_t *next, *first, *last, *sent, *peer;
};

static void wait_for(struct queues *q, int32_t packet, uint32_t node, int port) {
  const uint32_t place = node * (uint32_t)q->n->ports + (uint32_t)port;
  q->next[packet] = -1;
  if (q->first[place] < 0) {
    q->first[place] = q->last[place] = packet;
  } else if (q->last_first) {
    q->next[packet] = q->first[place];
    q->first[place] = packet;
  } else {
    q->next[q->last[place]] = packet;
    q->last[place] = packet;
  }
}

/* The port that a packet takes next; -1: it has arrived. */
static int port_of(const struct queues *q, int32_t packet, uint32_t node, bool begins) {
  const uint32_t to = (uint32_t)q->to[packet];
  const int32_t far = q->peer[node * (uint32_t)q->n->ports + (uint32_t)q->n->ports - 1];
  if (q->way == HYLA_WAY_SELF) return hy_network_port_by(q->n, node, to, far);
  if (begins && q->way == HYLA_WAY_FAR && far >= 0 && node != to) return q->n->axes;
  return hy_lowest(node ^ to);
}

/* Each port sends; then the packets that came join the queues of their next ports.  Returns the
 * number of those that arrived. */
static int64_t play_slot(struct queues *q) {
  const uint32_t places = q->n->nodes * (uint32_t)q->n->ports;
  int64_t arrived = 0;
  for (uint32_t i = 0; i < places; i++) {
    q->sent[i] = q->first[i];
    if (q->sent[i] >= 0) q->first[i] = q->next[q->sent[i]];
  }
  for (uint32_t i = 0; i < places; i++) {
    if (q->sent[i] < 0) continue;
    const uint32_t node = (uint32_t)q->peer[i];
    const int port = port_of(q, q->sent[i], node, false);
    arrived += port < 0;
    if (port >= 0) wait_for(q, q->sent[i], node, port);
  }
  return arrived;
}

int64_t hyla_topology_play(const hyla_topology *network, hyla_topology_way way, bool last_first,
                           int64_t packets, const int32_t *from, const int32_t *to, int32_t *work) {
  struct hy_network n;
  if (!restore(network, &n) || packets < 0 || packets > INT32_MAX || from == NULL || to == NULL ||
      work == NULL || way < HYLA_WAY_SELF || way > HYLA_WAY_FAR)
    return -1;
  const bool extra = n.ports == n.axes + 1 && !hy_network_is_mesh(&n);
  if ((way == HYLA_WAY_FAR && !extra) || (way == HYLA_WAY_CUBE && !extra && n.kind != HY_CUBE))
    return -1;
  const size_t places = (size_t)n.nodes * (size_t)n.ports;
  struct queues q = {&n, to, way, last_first, .next = work};
  q.first = q.next + packets;
  q.last = q.first + places;
  q.sent = q.last + places;
  q.peer = q.sent + places;
  hy_network_peers(&n, q.peer);
  for (size_t i = 0; i < places; i++) q.first[i] = -1;
  int64_t left = 0, slots = 0;
  for (int64_t i = 0; i < packets; i++) {
    if (!is_node(&n, from[i]) || !is_node(&n, to[i])) return -1;
    if (from[i] == to[i]) continue;
    wait_for(&q, (int32_t)i, (uint32_t)from[i], port_of(&q, (int32_t)i, (uint32_t)from[i], true));
    left++;
  }
  for (; left > 0; slots++) left -= play_slot(&q);
  return slots;
}
