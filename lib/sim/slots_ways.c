/* Shortest ways on any network, for traffic that picks among them.
 *
 * On a cube they follow from the bits that differ.  Elsewhere all distances are searched
 * beforehand: a port leads nearer if its peer's distance is smaller by one. */
#include "sim/slots.h"

#include <string.h>

enum { NODES_MOST = 4096 };

/* C(d, i) 2^d pairs of nodes of a cube are i links apart. */
static void count_cube(struct hy_ways *ways) {
  const int dims = ways->network.axes;
  double pairs = ways->network.nodes;
  for (int i = 1; i <= dims; i++) {
    pairs = pairs * (dims - i + 1) / i;
    ways->pairs[i] = pairs;
  }
  ways->diameter = dims;
  ways->links = (double)ways->network.nodes * dims;
}

static void find_peers(struct hy_ways *ways) {
  const struct hy_network *network = &ways->network;
  hy_network_peers(network, ways->peer);
  for (int64_t i = 0; i < (int64_t)network->nodes * network->ports; i++)
    ways->links += ways->peer[i] >= 0;
}

/* Searches the distances from each node.  ARGUMENT if they are too large to be counted one by one.
 */
static hyla_status find_distances(struct hy_base *base, struct hy_ways *ways, int32_t *distance,
                                  uint32_t *queue) {
  const uint32_t nodes = ways->network.nodes;
  for (uint32_t from = 0; from < nodes; from++) {
    const int most = hy_network_search(&ways->network, from, distance, queue);
    CHECK(base, most <= HYLA_TRAFFIC_BINS, ARGUMENT,
          "nodes of this network are %d links apart; give one of at most %d", most,
          HYLA_TRAFFIC_BINS);
    if (most > ways->diameter) ways->diameter = most;
    for (uint32_t to = 0; to < nodes; to++) {
      ways->distance[(size_t)from * nodes + to] = (uint8_t)distance[to];
      if (to != from) ways->pairs[distance[to]]++;
    }
  }
  return HYLA_OK;
}

hyla_status hy_ways_make(struct hy_base *base, void *owner, const struct hy_network *network,
                         struct hy_ways *ways) {
  const int64_t nodes = network->nodes;
  *ways = (struct hy_ways){.network = *network};
  if (network->kind == HY_CUBE) {
    count_cube(ways);
    return HYLA_OK;
  }
  CHECK(base, nodes >= 2 && nodes <= NODES_MOST, ARGUMENT,
        "traffic on %lld nodes; give a network of 2 to %d", (long long)nodes, NODES_MOST);
  int32_t *distance = NULL;
  uint32_t *queue = NULL;
  TRY(hy_alloc_for(base, owner, nodes * network->ports, sizeof *ways->peer, &ways->peer));
  TRY(hy_alloc_for(base, owner, nodes * nodes, sizeof *ways->distance, &ways->distance));
  find_peers(ways);
  hyla_status status = hy_alloc(base, nodes, sizeof *distance, &distance);
  if (status == HYLA_OK) status = hy_alloc(base, nodes, sizeof *queue, &queue);
  if (status == HYLA_OK) status = find_distances(base, ways, distance, queue);
  hy_free(base, &queue);
  hy_free(base, &distance);
  return status;
}

double hy_ways_mean(const struct hy_ways *ways) {
  double pairs = 0, sum = 0;
  for (int i = 1; i <= ways->diameter; i++) pairs += ways->pairs[i], sum += i * ways->pairs[i];
  return sum / pairs;
}

/* Spreads what a node has for `to' over the ports that lead nearer. */
static void pass_on(const struct hy_ways *ways, uint32_t node, uint32_t to, bool lowest,
                    double *amount, double *flow) {
  const uint32_t all = hy_ways_ports(ways, node, to), wanted = lowest ? all & -all : all;
  const double each = amount[node] / __builtin_popcount(wanted);
  for (uint32_t left = wanted; left != 0; left &= left - 1) {
    const uint32_t port = (uint32_t)__builtin_ctz(left);
    flow[node * (uint32_t)ways->network.ports + port] += each;
    amount[hy_ways_peer(ways, node, port)] += each;
  }
}

/* Orders the other nodes by their distance from `to', the farthest first. */
static void sort_by_distance(const struct hy_ways *ways, uint32_t to, uint32_t *order) {
  uint32_t begin[HYLA_TRAFFIC_BINS + 2] = {0};
  const uint32_t nodes = ways->network.nodes;
  for (uint32_t node = 0; node < nodes; node++) begin[hy_ways_distance(ways, node, to)]++;
  for (int far = ways->diameter; far >= 0; far--) begin[far] += begin[far + 1];
  for (uint32_t node = 0; node < nodes; node++)
    order[begin[hy_ways_distance(ways, node, to) + 1]++] = node;
}

hyla_status hy_ways_busiest(struct hy_base *base, const struct hy_ways *ways, bool lowest,
                            double *factor) {
  const uint32_t nodes = ways->network.nodes, links = nodes * (uint32_t)ways->network.ports;
  double *amount = NULL, *flow = NULL, most = 0;
  uint32_t *order = NULL;
  *factor = 1;
  if (ways->network.kind == HY_CUBE) return HYLA_OK;
  hyla_status status = hy_alloc(base, nodes, sizeof *amount, &amount);
  if (status == HYLA_OK) status = hy_alloc(base, links, sizeof *flow, &flow);
  if (status == HYLA_OK) status = hy_alloc(base, nodes, sizeof *order, &order);
  for (uint32_t to = 0; to < nodes && status == HYLA_OK; to++) {
    sort_by_distance(ways, to, order);
    for (uint32_t node = 0; node < nodes; node++) amount[node] = 1;
    for (uint32_t i = 0; i + 1 < nodes; i++) pass_on(ways, order[i], to, lowest, amount, flow);
  }
  for (uint32_t i = 0; i < links && status == HYLA_OK; i++) most = flow[i] > most ? flow[i] : most;
  if (status == HYLA_OK) *factor = most * ways->links / (hy_ways_mean(ways) * nodes * (nodes - 1.));
  hy_free(base, &order);
  hy_free(base, &flow);
  hy_free(base, &amount);
  return status;
}
