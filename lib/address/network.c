/* Networks as data: names, ports, peers, ways.  address.h says which port leads where.
 * network_drawn.c computes links that are drawn, network_figures.c figures of a whole network. */
#include "address/address.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- from text -- */

static const struct {
  const char *name;
  enum hy_network_kind kind;
  int least, most; /* numbers behind the name */
} NAMES[] = {
    {"line", HY_ARRAY, 1, 1},
    {"ring", HY_TORUS, 1, 1},
    {"array", HY_ARRAY, 1, HY_NETWORK_PORTS / 2},
    {"torus", HY_TORUS, 1, HY_NETWORK_PORTS / 2},
    {"cube", HY_CUBE, 1, 1},
    {"folded", HY_FOLDED, 1, 1},
    {"pseudo", HY_PSEUDO, 1, 1},
    {"permutation", HY_PERMUTATION, 1, 1},
    {"symmetric", HY_SYMMETRIC_CUBE, 1, 1},
    {"enhanced", HY_ENHANCED, 1, 1},
    {"matched", HY_MATCHED, 1, 1},
};
enum { NAMES_COUNT = sizeof NAMES / sizeof *NAMES };

static const char *make_mesh(struct hy_network *network, const uint32_t *side) {
  if (network->axes > HY_NETWORK_PORTS / 2)
    return "an array or torus has at most 16 sides; cube:D has up to 20 dimensions";
  network->ports = 2 * network->axes;
  for (int a = 0; a < network->axes; a++) {
    if (side[a] == 0) return "a side is 0; sides are numbers from 1";
    if (side[a] > (UINT32_C(1) << HYLA_DIMS_MAX) / network->nodes)
      return "it would have more than 2^20 = 1048576 nodes; make a side shorter";
    network->side[a] = side[a];
    network->nodes *= side[a];
  }
  return NULL;
}

static const char *make_cube(struct hy_network *network) {
  const int dims = network->axes;
  const bool one_more =
      network->kind == HY_FOLDED || network->kind == HY_ENHANCED || network->kind == HY_MATCHED;
  if (dims > HYLA_DIMS_MAX)
    return "it would have more than 2^20 = 1048576 nodes; at most 20 "
           "dimensions";
  if (dims == 0 && one_more) return "its last link needs a dimension; from 1 to 20 dimensions";
  for (int i = 0; i < dims; i++) network->side[i] = 2;
  network->nodes = UINT32_C(1) << dims;
  network->ports = dims + one_more;
  return NULL;
}

const char *hy_network_make(struct hy_network *network, enum hy_network_kind kind, int axes,
                            const uint32_t *side, uint64_t seed) {
  *network = (struct hy_network){.kind = kind, .axes = axes, .nodes = 1};
  if (hy_network_is_drawn(network)) network->seed = seed;
  if (axes < 0 || (axes == 0 && hy_network_is_mesh(network)))
    return "it has no sides; give at least one, as in torus:4x6";
  return hy_network_is_mesh(network) ? make_mesh(network, side) : make_cube(network);
}

/* Reads a number at *at and steps behind it.  False: no digit stands there.  A number of more than
 * 64 bits becomes the largest of 64, and errno ERANGE. */
static bool read_number(const char **at, uint64_t *number) {
  char *end = NULL;
  if (!isdigit((unsigned char)**at)) return false;
  errno = 0;
  *number = strtoull(*at, &end, 10);
  *at = end;
  return true;
}

const char *hy_network_read(struct hy_network *network, const char *text) {
  const char *colon = strchr(text, ':');
  uint32_t side[HY_NETWORK_PORTS / 2] = {0};
  uint64_t number = 0, seed = 1;
  int kind = 0, sides = 0;
  if (colon == NULL)
    return "a network is a kind, a colon and sides or dimensions: torus:4x6, cube:5";
  const size_t length = (size_t)(colon - text);
  while (kind < NAMES_COUNT &&
         (strlen(NAMES[kind].name) != length || strncmp(NAMES[kind].name, text, length) != 0))
    kind++;
  if (kind == NAMES_COUNT)
    return "before the colon stands line, ring, array, torus, cube, folded, pseudo, permutation, "
           "symmetric, enhanced or matched";
  do {
    text = colon + 1;
    if (!read_number(&text, &number))
      return "sides and dimensions are numbers joined by x, as in torus:4x6 and cube:5";
    if (sides == NAMES[kind].most)
      return sides == 1 ? "it has one number behind its colon, as line:7 and cube:5; array and "
                          "torus have more"
                        : "an array or torus has at most 16 sides; cube:D has up to 20 dimensions";
    side[sides++] = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    colon = text;
  } while (*colon == 'x');
  const bool drawn = NAMES[kind].kind >= HY_PSEUDO;
  if (drawn && *text == '/') {
    text++;
    if (!read_number(&text, &seed)) return "behind the slash stands a seed, as in enhanced:8/3";
    if (errno == ERANGE) return "the seed is larger than 2^64 - 1 = 18446744073709551615";
  }
  if (*text != '\0')
    return drawn ? "behind the dimensions stands nothing, or a slash and a seed, as in enhanced:8/3"
                 : "sides and dimensions are numbers joined by x, as in torus:4x6 and cube:5, and "
                   "nothing stands behind them";
  const bool mesh = NAMES[kind].kind == HY_ARRAY || NAMES[kind].kind == HY_TORUS;
  const int axes = mesh ? sides : (int)hy_min(side[0], HYLA_DIMS_MAX + 1);
  return hy_network_make(network, NAMES[kind].kind, axes, side, seed);
}

void hy_network_name(const struct hy_network *network, struct hy_text *text) {
  int kind = network->axes == 1 ? 0 : NAMES_COUNT - 1;
  const int step = kind == 0 ? 1 : -1; /* a line's name stands before an array's */
  while (NAMES[kind].kind != network->kind) kind += step;
  hy_text_add(text, "%s:", NAMES[kind].name);
  if (!hy_network_is_mesh(network)) hy_text_add(text, "%d", network->axes);
  for (int a = 0; a < network->axes && hy_network_is_mesh(network); a++)
    hy_text_add(text, "%s%u", a > 0 ? "x" : "", network->side[a]);
  if (hy_network_is_drawn(network)) hy_text_add(text, "/%llu", (unsigned long long)network->seed);
}

/* ----------------------------------------------------------------- ports -- */

bool hy_network_is_two_way(const struct hy_network *network) {
  return network->kind != HY_PSEUDO && network->kind != HY_PERMUTATION &&
         network->kind != HY_ENHANCED;
}

int hy_network_degree(const struct hy_network *network) {
  int degree = 0;
  if (!hy_network_is_mesh(network)) return network->ports;
  for (int a = 0; a < network->axes; a++)
    degree += network->side[a] > 2 ? 2 : (int)network->side[a] - 1;
  return degree;
}

void hy_network_point(const struct hy_network *network, uint32_t node, uint32_t *point) {
  for (int a = network->axes; a-- > 0; node /= network->side[a]) point[a] = node % network->side[a];
}

uint32_t hy_network_node(const struct hy_network *network, const uint32_t *point) {
  uint32_t node = 0;
  for (int a = 0; a < network->axes; a++) node = node * network->side[a] + point[a];
  return node;
}

/* The difference between the numbers of two neighbours along an axis. */
static uint32_t stride_of(const struct hy_network *network, int axis) {
  uint32_t stride = 1;
  for (int a = network->axes; --a > axis;) stride *= network->side[a];
  return stride;
}

static int64_t mesh_peer(const struct hy_network *network, uint32_t node, int port) {
  const int axis = port / 2;
  const bool down = port % 2 == 1, torus = network->kind == HY_TORUS;
  const uint32_t side = network->side[axis], stride = stride_of(network, axis);
  const uint32_t x = node / stride % side;
  const bool rim = down ? x == 0 : x == side - 1;
  if (side == 1 || (rim && !torus) || (down && torus && side == 2)) return -1;
  const int64_t step = rim ? (int64_t)side - 1 : 1;
  return (int64_t)node + (down == rim ? step : -step) * (int64_t)stride;
}

int64_t hy_network_peer(const struct hy_network *network, uint32_t node, int port) {
  if (hy_network_is_mesh(network)) return mesh_peer(network, node, port);
  const bool last = port == network->axes;
  const uint32_t bit = UINT32_C(1) << port;
  switch (network->kind) {
  case HY_CUBE: return node ^ bit;
  case HY_FOLDED: return node ^ (last ? network->nodes - 1 : bit);
  case HY_ENHANCED:
  case HY_MATCHED:
    if (!last) return node ^ bit;
    break;
  default: break;
  }
  const uint32_t peer = hy_network_draw(network, node, port);
  return peer == node ? -1 : (int64_t)peer;
}

void hy_network_peers(const struct hy_network *network, int32_t *peer) {
  for (uint32_t node = 0; node < network->nodes; node++)
    for (int port = 0; port < network->ports; port++)
      *peer++ = (int32_t)hy_network_peer(network, node, port);
}

int hy_network_back(const struct hy_network *network, uint32_t node, int port) {
  switch (network->kind) {
  case HY_ARRAY:
  case HY_TORUS:
    if (mesh_peer(network, node, port) < 0) return -1;
    return network->kind == HY_TORUS && network->side[port / 2] == 2 ? port : port ^ 1;
  case HY_PSEUDO:
  case HY_PERMUTATION: return -1;
  case HY_ENHANCED: return port == network->axes ? -1 : port;
  default: return port;
  }
}

/* ------------------------------------------------------------------ ways -- */

/* The links between two places of an axis. */
static int axis_distance(const struct hy_network *network, int axis, uint32_t x, uint32_t y) {
  const uint32_t way = x > y ? x - y : y - x, around = network->side[axis] - way;
  return (int)(network->kind == HY_TORUS && around < way ? around : way);
}

static int mesh_port(const struct hy_network *network, uint32_t from, uint32_t to) {
  uint32_t here = from, there = to;
  for (int a = network->axes; a-- > 0; here /= network->side[a], there /= network->side[a]) {
    const uint32_t side = network->side[a], x = here % side, y = there % side;
    if (x == y) continue;
    if (network->kind == HY_ARRAY) return 2 * a + (y < x);
    const uint32_t up = (y + side - x) % side, down = side - up;
    if (side == 2 || up < down) return 2 * a;
    return 2 * a + (up > down || x % 2 == 1);
  }
  return -1;
}

int hy_network_port_by(const struct hy_network *network, uint32_t from, uint32_t to, int64_t far) {
  const uint32_t differ = from ^ to;
  const int bits = hy_popcount(differ), last = network->axes;
  if (differ == 0) return -1;
  switch (network->kind) {
  case HY_ARRAY:
  case HY_TORUS: return mesh_port(network, from, to);
  case HY_CUBE: return hy_lowest(differ);
  case HY_FOLDED: return last - bits + 1 < bits ? last : hy_lowest(differ);
  case HY_PSEUDO:
  case HY_PERMUTATION:
  case HY_SYMMETRIC_CUBE: return hy_log2_floor(differ);
  default:
    if (far >= 0 && hy_popcount((uint32_t)far ^ to) < bits - 1) return last;
    return hy_lowest(differ);
  }
}

int hy_network_port(const struct hy_network *network, uint32_t from, uint32_t to) {
  const bool looks = network->kind >= HY_ENHANCED && from != to;
  return hy_network_port_by(network, from, to,
                            looks ? hy_network_peer(network, from, network->axes) : -1);
}

int hy_network_distance(const struct hy_network *network, uint32_t from, uint32_t to) {
  const int bits = hy_popcount(from ^ to);
  int distance = 0;
  switch (network->kind) {
  case HY_CUBE: return bits;
  case HY_FOLDED: return (int)hy_min(bits, network->axes + 1 - bits);
  case HY_ARRAY:
  case HY_TORUS:
    for (int a = network->axes; a-- > 0; from /= network->side[a], to /= network->side[a])
      distance += axis_distance(network, a, from % network->side[a], to % network->side[a]);
    return distance;
  default: return -1;
  }
}

int hy_network_search(const struct hy_network *network, uint32_t from, int32_t *distance,
                      uint32_t *queue) {
  uint32_t first = 0, behind = 1;
  for (uint32_t i = 0; i < network->nodes; i++) distance[i] = i == from ? 0 : -1;
  queue[0] = from;
  while (first < behind) {
    const uint32_t node = queue[first++];
    for (int port = 0; port < network->ports; port++) {
      const int64_t peer = hy_network_peer(network, node, port);
      if (peer < 0 || distance[peer] >= 0) continue;
      distance[peer] = distance[node] + 1;
      queue[behind++] = (uint32_t)peer;
    }
  }
  return distance[queue[behind - 1]];
}
