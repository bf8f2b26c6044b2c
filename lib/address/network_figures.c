/* Figures of whole networks, as closed forms: links, diameter, sum of distances, bisection.
 *
 * Bisection.  The nodes in the order of their coordinates, one axis slowest, are cut in the middle.
 * An axis of even side s that is slowest is cut through: m N/s links, where m = 2 on a torus axis
 * of side 3 or more and 1 elsewhere.  An odd side leaves its middle layer, which is cut in the same
 * way along the axis that is next: m N/s more links for the layer's N' = N/s nodes, and so on to
 * the first even side.  Axes in the order of falling s/m give the least such cut.
 *
 * No halves have fewer links if the first of these axes has an even side: send a message from each
 * node to each along the shortest ways, half of those between opposite points of a ring either way.
 * Then a link in one direction carries at most N s/(4 m) messages, N^2/2 messages go from one half
 * to the other, and so these halves have at least 2 m N/s links.  (For odd first sides the test
 * tries all halves of small networks.)
 *
 * FOLDED: the Laplacian's least eigenvalue above 0 is 4, so halves have at least 4 N/4 links that
 * go both ways; the nodes with and without one bit have N. */
#include "address/address.h"

/* The ports d of ENHANCED that lead somewhere. */
static int64_t drawn_links(const struct hy_network *network) {
  int64_t links = 0;
  for (uint32_t node = 0; node < network->nodes; node++)
    links += hy_network_peer(network, node, network->axes) >= 0;
  return links;
}

int64_t hy_network_links(const struct hy_network *network) {
  const int64_t nodes = network->nodes;
  int64_t links = 0;
  if (network->kind == HY_ENHANCED) return nodes * network->axes + drawn_links(network);
  if (!hy_network_is_mesh(network)) return nodes * network->ports;
  for (int a = 0; a < network->axes; a++) {
    const int64_t side = network->side[a];
    const bool ring = network->kind == HY_TORUS && side > 2;
    links += nodes / side * 2 * (ring ? side : side - 1);
  }
  return links;
}

int hy_network_diameter(const struct hy_network *network) {
  int64_t diameter = 0;
  if (hy_network_is_drawn(network)) return -1;
  if (network->kind == HY_CUBE) return network->axes;
  if (network->kind == HY_FOLDED) return (network->axes + 1) / 2;
  for (int a = 0; a < network->axes; a++)
    diameter += network->kind == HY_TORUS ? network->side[a] / 2 : network->side[a] - 1;
  return (int)diameter;
}

static int64_t folded_distances(const struct hy_network *network) {
  const int64_t dims = network->axes;
  int64_t sum = 0, choose = 1; /* dims over k */
  for (int64_t k = 0; k <= dims; k++) {
    sum += choose * hy_min(k, dims + 1 - k);
    choose = choose * (dims - k) / (k + 1);
  }
  return sum * network->nodes;
}

int64_t hy_network_distances(const struct hy_network *network) {
  const int64_t nodes = network->nodes;
  int64_t sum = 0;
  if (hy_network_is_drawn(network)) return -1;
  if (network->kind == HY_CUBE) return nodes * nodes / 2 * network->axes;
  if (network->kind == HY_FOLDED) return folded_distances(network);
  for (int a = 0; a < network->axes; a++) {
    const int64_t side = network->side[a], others = nodes / side;
    const int64_t pairs =
        network->kind == HY_TORUS ? side * (side * side / 4) : side * (side * side - 1) / 3;
    sum += others * others * pairs;
  }
  return sum;
}

/* s/m of an axis, doubled. */
static int64_t length_of(const struct hy_network *network, int axis) {
  const int64_t side = network->side[axis];
  return network->kind == HY_TORUS && side > 2 ? side : 2 * side;
}

static int64_t mesh_bisection(const struct hy_network *network) {
  int64_t links = 0, layer = network->nodes;
  uint32_t done = 0;
  for (;;) {
    int axis = -1;
    for (int a = 0; a < network->axes; a++)
      if (!(done >> a & 1) && network->side[a] > 1 &&
          (axis < 0 || length_of(network, a) > length_of(network, axis)))
        axis = a;
    if (axis < 0) return links;
    done |= UINT32_C(1) << axis;
    const int64_t side = network->side[axis];
    layer /= side;
    links += layer * (4 * side / length_of(network, axis));
    if (side % 2 == 0) return links;
  }
}

int64_t hy_network_bisection(const struct hy_network *network) {
  if (hy_network_is_drawn(network)) return -1;
  if (hy_network_is_mesh(network)) return mesh_bisection(network);
  return network->axes == 0 ? 0 : hy_network_cut(network);
}

int64_t hy_network_cut(const struct hy_network *network) {
  const int64_t nodes = network->nodes;
  if (network->axes == 0 || hy_network_is_mesh(network)) return 0;
  if (network->ports == network->axes) return nodes;
  if (network->kind == HY_FOLDED) return 2 * nodes;
  int64_t cut = nodes;
  for (uint32_t node = 0; node < network->nodes; node++) {
    const int64_t peer = hy_network_peer(network, node, network->axes);
    cut += peer >= 0 && ((uint32_t)peer ^ node) >> (network->axes - 1);
  }
  return cut;
}
