/* Networks as data: what the ports, ways and figures promise, by walks over small networks, and
 * texts that name a network. */
#include "tests/harness/harness.h"

#include "address/address.h"
#include "hyla_embedding.h"

#include <string.h>

enum { NODES = 400, HALVES = 16 };

static int32_t distance[NODES];
static uint32_t queue[NODES];

/* The links of the way by self-routing. */
static int route_length(const struct hy_network *network, uint32_t from, uint32_t to) {
  int length = 0;
  for (int port; (port = hy_network_port(network, from, to)) >= 0; length++)
    from = (uint32_t)hy_network_peer(network, from, port);
  return length;
}

static void make(struct hy_network *network, enum hy_network_kind kind, int axes,
                 const uint32_t *side, uint64_t seed) {
  assert_null(hy_network_make(network, kind, axes, side, seed));
  char name[HY_NETWORK_TEXT];
  struct hy_text text = {.text = name, .capacity = sizeof name};
  hy_network_name(network, &text);
  harness_note("%s", name);
  assert_true(text.length < sizeof name);
  struct hy_network again;
  assert_null(hy_network_read(&again, name));
  assert_memory_equal(&again, network, sizeof again);
}

/* Links have other ends; they lead back where they say so; no link leads to its own node. */
static void check_links(const struct hy_network *network) {
  int64_t links = 0;
  int degree = 0;
  bool two_way = true;
  for (uint32_t node = 0; node < network->nodes; node++) {
    int own = 0;
    for (int port = 0; port < network->ports; port++) {
      const int64_t peer = hy_network_peer(network, node, port);
      const int back = hy_network_back(network, node, port);
      if (peer < 0) assert_int_equal(back, -1);
      if (peer < 0) continue;
      assert_in_range(peer, 0, network->nodes - 1);
      assert_int_not_equal(peer, node);
      own++;
      if (back < 0) two_way = false;
      if (back < 0) continue;
      assert_in_range(back, 0, network->ports - 1);
      assert_int_equal(hy_network_peer(network, (uint32_t)peer, back), node);
      assert_int_equal(hy_network_back(network, (uint32_t)peer, back), port);
    }
    links += own;
    degree = own > degree ? own : degree;
  }
  assert_int_equal(links, hy_network_links(network));
  if (network->kind != HY_ENHANCED) assert_int_equal(degree, hy_network_degree(network));
  const bool small = network->kind == HY_ENHANCED && network->axes == 1; /* may lack drawn links */
  if (links > 0 && !small) assert_int_equal(two_way, hy_network_is_two_way(network));
}

/* Self-routing arrives, on a shortest way unless drawn, and after each link the rest is the way of
 * the node in between. */
static void check_ways(const struct hy_network *network) {
  const bool drawn = hy_network_is_drawn(network);
  int64_t sum = 0;
  int diameter = 0;
  for (uint32_t from = 0; from < network->nodes; from++) {
    const int farthest = hy_network_search(network, from, distance, queue);
    diameter = farthest > diameter ? farthest : diameter;
    for (uint32_t to = 0; to < network->nodes; to++) {
      const int port = hy_network_port(network, from, to);
      const int length = route_length(network, from, to);
      assert_int_equal(port < 0, from == to);
      assert_true(distance[to] >= 0);
      sum += distance[to];
      assert_int_equal(hy_network_distance(network, from, to), drawn ? -1 : distance[to]);
      if (drawn) assert_in_range(length, distance[to], network->axes);
      if (!drawn) assert_int_equal(length, distance[to]);
      if (port < 0) continue;
      const int64_t peer = hy_network_peer(network, from, port);
      assert_true(peer >= 0);
      assert_int_equal(route_length(network, (uint32_t)peer, to), length - 1);
    }
  }
  assert_int_equal(hy_network_diameter(network), drawn ? -1 : diameter);
  assert_int_equal(hy_network_distances(network), drawn ? -1 : sum);
}

/* The links between a set of nodes and the others, in both directions. */
static int64_t links_between(const struct hy_network *network, uint32_t set) {
  int64_t links = 0;
  for (uint32_t node = 0; node < network->nodes; node++)
    for (int port = 0; port < network->ports; port++) {
      const int64_t peer = hy_network_peer(network, node, port);
      links += peer >= 0 && ((set >> node ^ set >> peer) & 1);
    }
  return links;
}

/* No two equal halves have fewer links between them than the bisection, and some have as many. */
static void check_bisection(const struct hy_network *network) {
  const int half = (int)network->nodes / 2;
  int64_t least = INT64_MAX;
  if (network->nodes > HALVES) return;
  for (uint32_t set = 0; set >> network->nodes == 0; set++)
    if (hy_popcount(set) == half) least = hy_min(least, links_between(network, set));
  if (hy_network_is_drawn(network)) {
    assert_int_equal(hy_network_bisection(network), -1);
    assert_true(least <= hy_network_cut(network));
  } else {
    assert_int_equal(hy_network_bisection(network), least);
  }
  if (network->nodes > 1 && !hy_network_is_mesh(network))
    assert_int_equal(hy_network_cut(network), links_between(network, (UINT32_C(1) << half) - 1));
}

static void check(const struct hy_network *network) {
  check_links(network);
  check_ways(network);
  check_bisection(network);
}

static void meshes_are_what_their_sides_say(void **state) {
  (void)state;
  static const uint32_t sides[][4] = {
      {1},          {2},          {3},         {5},       {13},      {16},      {97},
      {1, 1},       {2, 2},       {2, 3},      {3, 2},    {1, 7},    {7, 1},    {3, 3},
      {4, 3},       {3, 5},       {5, 2},      {2, 7},    {8, 2},    {4, 4},    {11, 13},
      {2, 2, 2},    {3, 1, 4},    {2, 2, 3},   {3, 2, 2}, {2, 1, 5}, {4, 2, 2}, {5, 3, 7},
      {2, 2, 2, 2}, {3, 3, 2, 4}, {1, 2, 1, 3}};
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
    for (int torus = 0; torus < 2; torus++) {
      struct hy_network network;
      int axes = 0;
      while (axes < 4 && sides[i][axes] > 0) axes++;
      make(&network, torus ? HY_TORUS : HY_ARRAY, axes, sides[i], 7);
      check(&network);
      for (uint32_t node = 0; node < network.nodes; node++) {
        uint32_t point[HY_NETWORK_AXES];
        hy_network_point(&network, node, point);
        assert_int_equal(hy_network_node(&network, point), node);
        for (int a = 0; a < axes; a++) assert_in_range(point[a], 0, sides[i][a] - 1);
      }
    }
}

static void cubes_are_what_their_bits_say(void **state) {
  (void)state;
  for (int dims = 0; dims <= 7; dims++)
    for (int kind = 0; kind < HY_NETWORK_KINDS; kind++)
      for (uint64_t seed = 1; seed <= (kind >= HY_PSEUDO ? 3 : 1); seed++) {
        struct hy_network network;
        if (kind == HY_ARRAY || kind == HY_TORUS) continue;
        if (dims == 0 && (kind == HY_FOLDED || kind >= HY_ENHANCED)) continue;
        make(&network, (enum hy_network_kind)kind, dims, NULL, seed);
        check(&network);
      }
}

/* A port i of these flips bit i and keeps the higher bits; of PERMUTATION and SYMMETRIC_CUBE, one
 * leads to each node.  PSEUDO has no such luck. */
static void drawn_links_keep_to_their_class(void **state) {
  (void)state;
  for (int kind = HY_PSEUDO; kind <= HY_SYMMETRIC_CUBE; kind++) {
    struct hy_network network;
    int missed = 0;
    make(&network, (enum hy_network_kind)kind, 8, NULL, 5);
    for (int port = 0; port < 8; port++) {
      bool met[256] = {false};
      for (uint32_t node = 0; node < 256; node++) {
        const uint32_t peer = (uint32_t)hy_network_peer(&network, node, port);
        assert_int_equal(peer >> port, (node >> port) ^ 1);
        met[peer] = true;
      }
      for (int node = 0; node < 256; node++) missed += !met[node];
    }
    if (kind == HY_PSEUDO) assert_true(missed > 400);
    if (kind != HY_PSEUDO) assert_int_equal(missed, 0);
  }
}

/* Over 2400 seeds each of the 24 permutations of two bits comes 100 times, within five standard
 * deviations, and a drawn link of ENHANCED reaches each of 16 nodes 150 times. */
static void draws_are_even(void **state) {
  (void)state;
  int permutations[256] = {0}, reached[16] = {0}, different = 0;
  for (uint64_t seed = 0; seed < 2400; seed++) {
    struct hy_network network;
    unsigned code = 0;
    assert_null(hy_network_make(&network, HY_SYMMETRIC_CUBE, 3, NULL, seed));
    for (uint32_t node = 0; node < 4; node++)
      code = code << 2 | ((unsigned)hy_network_peer(&network, node, 2) & 3);
    permutations[code]++;
    assert_null(hy_network_make(&network, HY_ENHANCED, 4, NULL, seed));
    const int64_t peer = hy_network_peer(&network, 6, 4);
    reached[peer < 0 ? 6 : peer]++;
  }
  for (int code = 0; code < 256; code++) {
    if (permutations[code] == 0) continue;
    different++;
    assert_in_range(permutations[code], 50, 150);
  }
  assert_int_equal(different, 24);
  for (int node = 0; node < 16; node++) assert_in_range(reached[node], 90, 210);
}

/* A torus of sides 2 is a cube. */
static void a_torus_of_twos_is_a_cube(void **state) {
  (void)state;
  struct hy_network torus, cube;
  make(&torus, HY_TORUS, 5, (const uint32_t[]){2, 2, 2, 2, 2}, 0);
  make(&cube, HY_CUBE, 5, NULL, 0);
  for (uint32_t node = 0; node < 32; node++)
    for (int bit = 0; bit < 5; bit++)
      assert_int_equal(hy_network_peer(&torus, node, 2 * (4 - bit)),
                       hy_network_peer(&cube, node, bit));
  assert_int_equal(hy_network_links(&torus), hy_network_links(&cube));
  assert_int_equal(hy_network_bisection(&torus), hy_network_bisection(&cube));
}

/* The forms of the largest networks stay inside 64 bits: sums by other forms, as floating numbers.
 */
static void large_networks_have_figures(void **state) {
  (void)state;
  static const char *const text[] = {"line:1048576", "ring:1048576",    "cube:20",
                                     "folded:20",    "array:1024x1024", "torus:1021x1013"};
  static const double mean[] = {349525.333333, 262144, 10, 8.649931, 682.666, 508.499};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    struct hy_network network;
    harness_note("%s", text[i]);
    assert_null(hy_network_read(&network, text[i]));
    const double pairs = (double)network.nodes * network.nodes;
    const double found = (double)hy_network_distances(&network) / pairs;
    assert_true(found > mean[i] * 0.99999 && found < mean[i] * 1.00001);
  }
}

static void texts_that_name_no_network_get_a_reason(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"", "a kind, a colon"},
      {"torus", "a kind, a colon"},
      {"4x6", "a kind, a colon"},
      {":4", "before the colon stands"},
      {"tor:4", "before the colon stands"},
      {"toruses:4", "before the colon stands"},
      {"torus:", "numbers joined by x"},
      {"torus:4x", "numbers joined by x"},
      {"torus:x4", "numbers joined by x"},
      {"torus:-4", "numbers joined by x"},
      {"torus: 4", "numbers joined by x"},
      {"torus:4 x6", "nothing stands behind"},
      {"torus:4x6/3", "nothing stands behind"},
      {"cube:5/3", "nothing stands behind"},
      {"torus:4x0", "a side is 0"},
      {"ring:0", "a side is 0"},
      {"line:4x6", "one number behind its colon"},
      {"cube:2x2", "one number behind its colon"},
      {"enhanced:2x2", "one number behind its colon"},
      {"torus:1024x1025", "more than 2^20"},
      {"array:1048577", "more than 2^20"},
      {"array:65536x65536", "more than 2^20"},
      {"array:4294967296x1", "more than 2^20"},
      {"array:99999999999999999999999", "more than 2^20"},
      {"cube:21", "more than 2^20"},
      {"cube:18446744073709551616", "more than 2^20"},
      {"folded:0", "needs a dimension"},
      {"enhanced:0", "needs a dimension"},
      {"enhanced:4/", "stands a seed"},
      {"enhanced:4/-1", "stands a seed"},
      {"enhanced:4/18446744073709551616", "larger than 2^64"},
      {"enhanced:4/1x", "a slash and a seed"},
      {"pseudo:4,3", "a slash and a seed"},
      {"array:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x1", "at most 16 sides"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct hy_network network;
    harness_note("\"%s\"", bad[i][0]);
    const char *reason = hy_network_read(&network, bad[i][0]);
    assert_non_null(reason);
    if (strstr(reason, bad[i][1]) == NULL) fail_msg("%s", reason);
  }
  struct hy_network network;
  assert_non_null(hy_network_make(&network, HY_TORUS, 0, NULL, 0));
  assert_non_null(hy_network_make(&network, HY_CUBE, -1, NULL, 0));
  assert_null(hy_network_read(&network, "enhanced:4/18446744073709551615"));
  assert_true(network.seed == UINT64_MAX);
  assert_null(hy_network_read(&network, "enhanced:4"));
  assert_true(network.seed == 1);
  assert_null(hy_network_read(&network, "array:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2"));
  assert_int_equal(network.ports, HY_NETWORK_PORTS);
}

/* ---------------------------------------------------------------- public -- */

static void the_public_calls_say_the_same(void **state) {
  (void)state;
  static const char *const names[] = {"torus:4x6", "array:3x5",     "line:7",
                                      "folded:4",  "symmetric:4/9", "matched:5/2"};
  static int32_t work[NODES * 12];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct hy_network network;
    hyla_topology n;
    hyla_topology_ways ways;
    harness_note("%s", names[i]);
    assert_null(hy_network_read(&network, names[i]));
    assert_int_equal(hyla_topology_read(&n, names[i]), HYLA_OK);
    assert_string_equal(n.name, names[i]);
    assert_string_equal(n.message, "");
    assert_int_equal(hyla_topology_measure(&n, n.nodes, work, &ways), HYLA_OK);
    assert_int_equal(ways.pairs, n.nodes * n.nodes);
    if (!n.drawn) assert_int_equal(ways.shortest, n.distances);
    if (!n.drawn) assert_int_equal(ways.farthest, n.diameter);
    int64_t routed = 0;
    for (int node = 0; node < n.nodes; node++) {
      for (int port = 0; port < n.ports; port++) {
        assert_int_equal(hyla_topology_peer(&n, node, port),
                         hy_network_peer(&network, (uint32_t)node, port));
        assert_int_equal(hyla_topology_back(&n, node, port),
                         hy_network_back(&network, (uint32_t)node, port));
      }
      for (int to = 0; to < n.nodes; to++) {
        routed += route_length(&network, (uint32_t)node, (uint32_t)to);
        assert_int_equal(hyla_topology_port(&n, node, to),
                         hy_network_port(&network, (uint32_t)node, (uint32_t)to));
      }
    }
    assert_int_equal(ways.routed, routed);
  }
}

/* Packets wait for each other where they share a link, and then in the order that was asked for: of
 * three from node 0 of a line, one may have further to go than the others. */
static void packets_share_links(void **state) {
  (void)state;
  static int32_t work[1000];
  const int32_t zero[] = {0, 0, 0}, near[] = {1, 1, 3}, around[] = {4, 2, 0};
  hyla_topology line, ring, cube;
  assert_int_equal(hyla_topology_read(&line, "line:4"), HYLA_OK);
  assert_int_equal(hyla_topology_read(&ring, "ring:5"), HYLA_OK);
  assert_int_equal(hyla_topology_read(&cube, "folded:3"), HYLA_OK);
  assert_int_equal(hyla_topology_play(&line, HYLA_WAY_SELF, false, 3, zero, near, work), 5);
  assert_int_equal(hyla_topology_play(&line, HYLA_WAY_SELF, true, 3, zero, near, work), 3);
  assert_int_equal(hyla_topology_play(&ring, HYLA_WAY_SELF, false, 3, zero, around, work), 2);
  assert_int_equal(hyla_topology_play(&ring, HYLA_WAY_SELF, false, 0, zero, around, work), 0);
  const int32_t seven[] = {7}, six[] = {6};
  assert_int_equal(hyla_topology_play(&cube, HYLA_WAY_SELF, false, 1, zero, seven, work), 1);
  assert_int_equal(hyla_topology_play(&cube, HYLA_WAY_CUBE, false, 1, zero, seven, work), 3);
  assert_int_equal(hyla_topology_play(&cube, HYLA_WAY_FAR, false, 1, zero, six, work), 2);
  assert_int_equal(hyla_topology_play(&ring, HYLA_WAY_CUBE, false, 1, zero, near, work), -1);
  assert_int_equal(hyla_topology_play(&ring, HYLA_WAY_SELF, false, 1, zero, seven, work), -1);
  assert_int_equal(hyla_topology_play(&ring, HYLA_WAY_SELF, false, 1, NULL, seven, work), -1);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  hyla_topology n, none = {.nodes = 0};
  hyla_topology_ways ways;
  int32_t work[100];
  assert_int_equal(hyla_topology_read(NULL, "line:3"), HYLA_ARGUMENT);
  assert_int_equal(hyla_topology_read(&n, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_topology_read(&n, "line:3x"), HYLA_ARGUMENT);
  assert_non_null(strstr(n.message, "network line:3x: sides"));
  assert_int_equal(hyla_topology_peer(&n, 0, 0), -1);
  assert_int_equal(hyla_topology_read(&n, "line:3"), HYLA_OK);
  assert_int_equal(hyla_topology_peer(&n, 3, 0), -1);
  assert_int_equal(hyla_topology_peer(&n, 0, 2), -1);
  assert_int_equal(hyla_topology_back(&n, -1, 0), -1);
  assert_int_equal(hyla_topology_port(&n, 0, 3), -1);
  assert_int_equal(hyla_topology_port(NULL, 0, 1), -1);
  assert_int_equal(hyla_topology_measure(&n, 4, work, &ways), HYLA_ARGUMENT);
  assert_int_equal(hyla_topology_measure(&n, 0, work, &ways), HYLA_ARGUMENT);
  assert_int_equal(hyla_topology_measure(&none, 1, work, &ways), HYLA_ARGUMENT);
  assert_true(hyla_topology_greedy(-1) < 0 && hyla_topology_greedy(HYLA_DIMS_MAX + 1) < 0);
  assert_true(hyla_topology_greedy(0) == 0 && hyla_topology_greedy(1) == 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_are_what_their_sides_say),
      cmocka_unit_test(cubes_are_what_their_bits_say),
      cmocka_unit_test(drawn_links_keep_to_their_class),
      cmocka_unit_test(draws_are_even),
      cmocka_unit_test(a_torus_of_twos_is_a_cube),
      cmocka_unit_test(large_networks_have_figures),
      cmocka_unit_test(texts_that_name_no_network_get_a_reason),
      cmocka_unit_test(the_public_calls_say_the_same),
      cmocka_unit_test(packets_share_links),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
