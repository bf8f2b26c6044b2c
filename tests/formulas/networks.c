/* Folded, pseudo, permutation, symmetric and enhanced cubes (Varvarigos 1992, chapter 7): ways by
 * self-routing, mean distances over seeds beside the figures, total exchanges, permutations. */
#include "networks.h"

#include "formula.h"
#include "hyla_embedding.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <string.h>

enum {
  DIMS = 12,
  PORTS = DIMS + 1,
  SEEDS = 20,
  EXCHANGE_DIMS = 7,
  EXCHANGES = 100,
  PACKETS = 1 << (2 * EXCHANGE_DIMS)
};

static int32_t work[PACKETS + 4 * (PORTS << DIMS)];
static int32_t from[PACKETS], to[PACKETS];
static uint64_t drawn;

static hyla_topology network_of(const char *kind, int dims, int seed) {
  hyla_topology n;
  char text[64];
  snprintf(text, sizeof text, seed > 0 ? "%s:%d/%d" : "%s:%d", kind, dims, seed);
  harness_note("%s", text);
  assert_int_equal(hyla_topology_read(&n, text), HYLA_OK);
  return n;
}

static void row(FILE *page, const char *what, const char *place, const char *figure,
                const char *range, const char *result) {
  fprintf(page, "| %s | varvarigos-1992, %s | %s | %s | %s |\n", what, place, figure, range,
          result);
}

/* ------------------------------------------------------------------ ways -- */

static void check_ways(FILE *page) {
  static const char *const kinds[] = {"pseudo", "permutation", "symmetric", "enhanced", "matched"};
  hyla_topology_ways ways;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (int dims = 1; dims <= 8; dims++)
      for (int seed = 1; seed <= 5; seed++) {
        const hyla_topology n = network_of(kinds[kind], dims, seed);
        assert_int_equal(hyla_topology_measure(&n, n.nodes, work, &ways), HYLA_OK);
        assert_in_range(ways.longest, ways.farthest, dims);
        /* A normal way crosses each subset of the dimensions once, half of them on average. */
        if (kind < 3) assert_int_equal(2 * ways.routed, dims * ways.pairs);
      }
  row(page, "ways by self-routing", "section 7.1 (V29)", "at most d links",
      "d to 8, 5 networks of each kind, all pairs",
      "holds; \"less than d\" is at most d, and on pseudo cubes d/2 on average");
  for (int dims = 1; dims <= DIMS; dims++) {
    struct formula_names names = {0};
    const hyla_topology n = network_of("folded", dims, 0);
    formula_set(&names, "d", dims);
    assert_int_equal(hyla_topology_measure(&n, 1, work, &ways), HYLA_OK);
    assert_int_equal(n.diameter, formula_whole("ceil(d/2)", &names));
    assert_int_equal(ways.farthest, n.diameter);
    assert_int_equal(ways.longest, n.diameter);
    assert_int_equal(ways.shortest * n.nodes, n.distances);
  }
  row(page, "diameter of folded cubes", "section 7.1 (V29)", "ceil(d/2)", "d to 12", "equal");
}

/* ------------------------------------------------------------- distances -- */

struct means {
  double shortest, routed;
};

/* Means over all seeds, from all nodes or from 64. */
static struct means measure(const char *kind, int dims) {
  int64_t shortest = 0, routed = 0, pairs = 0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    const hyla_topology n = network_of(kind, dims, seed);
    hyla_topology_ways ways;
    assert_int_equal(hyla_topology_measure(&n, n.nodes < 64 ? n.nodes : 64, work, &ways), HYLA_OK);
    shortest += ways.shortest;
    routed += ways.routed;
    pairs += ways.pairs;
  }
  return (struct means){(double)shortest / (double)pairs, (double)routed / (double)pairs};
}

static void check_distances(FILE *page) {
  char result[4][200] = {"", "", "", ""};
  for (int dims = 4; dims <= DIMS; dims += 2) {
    const struct means pseudo = measure("pseudo", dims), enhanced = measure("enhanced", dims);
    const struct means symmetric = measure("symmetric", dims);
    const double form = dims / 4.0 + 0.9, greedy = hyla_topology_greedy(dims);
    const double less = 100 - 200 * symmetric.shortest / dims;
    size_t at[4];
    for (int i = 0; i < 4; i++) at[i] = strlen(result[i]);
    assert_true(fabs(pseudo.shortest / form - 1) < 0.05);
    assert_true(enhanced.shortest < dims / 2.0 && enhanced.shortest < enhanced.routed);
    assert_true(dims < 8 || pseudo.shortest < enhanced.shortest);
    assert_true(fabs(enhanced.routed / greedy - 1) < 0.02);
    const char *comma = dims > 4 ? ", " : "";
    snprintf(result[0] + at[0], 200 - at[0], "%s%.2f", comma, pseudo.shortest);
    snprintf(result[1] + at[1], 200 - at[1], "%s%.2f", comma, enhanced.shortest);
    snprintf(result[2] + at[2], 200 - at[2], "%s%.3f for %.3f", comma, enhanced.routed, greedy);
    snprintf(result[3] + at[3], 200 - at[3], "%s%.0f %%", comma, less);
    if (dims == 12) assert_in_range((int)(less + 0.5), 35, 40);
  }
  static const char *const range = "d = 4, 6, ..., 12, 20 networks each";
  row(page, "mean distance of pseudo cubes", "figure 7.1 (V29)", "about d/4 + 0.9", range,
      result[0]);
  row(page, "mean distance of enhanced cubes", "figure 7.2 (V29)",
      "below d/2, and above that of pseudo cubes", range, result[1]);
  row(page, "self-routing on enhanced cubes", "figure 7.3 (V43)",
      "ours, a recursion for the paper's plot: hyla_topology_greedy", range, result[2]);
  row(page, "mean distance of symmetric permutation cubes", "figure 7.4 (V29)",
      "40 % below d/2 for d = 12", range, result[3]);
}

/* ------------------------------------------------------------- exchanges -- */

/* A number below n, the same in each run: results are part of the page. */
static int64_t draw(int64_t n) {
  static const uint64_t step = 6364136223846793005u;
  drawn = drawn * step + 1442695040888963407u;
  return (int64_t)((drawn >> 33) % (uint64_t)n);
}

/* Each node's packets wait in an order that is drawn. */
static int64_t exchange(const hyla_topology *n, bool last_first) {
  const int64_t packets = n->nodes * n->nodes;
  for (int64_t i = 0; i < packets; i++) {
    from[i] = (int32_t)(i / n->nodes);
    to[i] = (int32_t)(i % n->nodes);
  }
  for (int64_t i = 0; i < packets; i++) {
    const int64_t other = i - i % n->nodes + draw(i % n->nodes + 1);
    const int32_t kept = to[i];
    to[i] = to[other];
    to[other] = kept;
  }
  return hyla_topology_play(n, HYLA_WAY_SELF, last_first, packets, from, to, work);
}

/* Lemma 1: the ways from a node to all nodes cross all subsets of the dimensions, each once. */
static void check_addresses(const hyla_topology *n) {
  for (int node = 0; node < n->nodes; node++) {
    bool met[1 << EXCHANGE_DIMS] = {false};
    for (int target = 0; target < n->nodes; target++) {
      int crossed = 0, port = 0;
      for (int at = node; (port = hyla_topology_port(n, at, target)) >= 0;
           at = hyla_topology_peer(n, at, port))
        crossed |= 1 << port;
      assert_false(met[crossed]);
      met[crossed] = true;
    }
  }
}

static void check_exchanges(FILE *page) {
  char result[200] = "";
  for (int dims = 1; dims <= EXCHANGE_DIMS; dims++) {
    struct formula_names names = {0};
    int64_t least = INT64_MAX, most = 0;
    formula_set(&names, "d", dims);
    const int64_t bound = formula_whole("2^d - 1", &names),
                  optimum = formula_whole("2^(d-1)", &names);
    for (int seed = 1; seed <= EXCHANGES; seed++) {
      const hyla_topology n = network_of(seed % 2 == 0 ? "symmetric" : "permutation", dims, seed);
      if (seed <= 2) check_addresses(&n);
      for (int last_first = 0; last_first < 2; last_first++) {
        const int64_t slots = exchange(&n, last_first);
        assert_true(optimum <= slots && slots <= bound);
        least = slots < least ? slots : least;
        most = slots > most ? slots : most;
      }
    }
    const size_t at = strlen(result);
    snprintf(result + at, sizeof result - at, "%s%lld",
             dims > 1 ? ", " : "holds: ", (long long)least);
    const size_t then = strlen(result);
    if (most > least) snprintf(result + then, sizeof result - then, "-%lld", (long long)most);
  }
  row(page, "total exchange on permutation cubes", "section 7.3 (V28)",
      "at most N - 1 slots, by lemma 2's recursion; N/2 at least",
      "d = 1 ... 7, 100 networks, the first or the last packet first", result);
}

/* ---------------------------------------------------------- permutations -- */

/* Bit reversal, halves changed, complement, shuffle, a rotation. */
static int target(int permutation, int dims, int node) {
  const int all = (1 << dims) - 1, half = dims / 2;
  int reversed = 0;
  for (int i = 0; i < dims; i++) reversed |= (node >> i & 1) << (dims - 1 - i);
  switch (permutation) {
  case 0: return reversed;
  case 1: return (node << half | node >> (dims - half)) & all;
  case 2: return node ^ all;
  case 3: return (node << 1 | node >> (dims - 1)) & all;
  default: return (node + all / 3) & all;
  }
}

static int64_t serve(const hyla_topology *n, int permutation, hyla_topology_way way) {
  for (int node = 0; node < n->nodes; node++) {
    from[node] = node;
    to[node] = target(permutation, n->axes, node);
  }
  return hyla_topology_play(n, way, false, n->nodes, from, to, work);
}

/* Five permutations are fewer than 2^-d (2K/e)^(Kd) for any K > 2.5 and d > 1.  A bit reversal on
 * the plain cube, the lowest bit first, has 2^(d/2-1) packets for one link. */
static void check_permutations(FILE *page) {
  char result[200] = "holds; networks that serve all five, of 20: ";
  for (int dims = 4; dims <= DIMS; dims += 2) {
    struct formula_names names = {0};
    int served = 0;
    formula_set(&names, "d", dims);
    assert_true(5 < pow(pow(5 / exp(1), 2.5) / 2, dims));
    const double bound = 3.501 * dims / 2 + 1;
    for (int seed = 1; seed <= SEEDS; seed++) {
      const hyla_topology n = network_of("enhanced", dims, seed);
      bool all = true;
      for (int i = 0; i < 5 && all; i++) all = (double)serve(&n, i, HYLA_WAY_FAR) < bound;
      served += all;
      if (seed == 1) assert_true(serve(&n, 0, HYLA_WAY_CUBE) >= formula_whole("2^(d/2-1)", &names));
    }
    assert_true(served > 0);
    const size_t at = strlen(result);
    snprintf(result + at, sizeof result - at, "%s%d", dims > 4 ? ", " : "", served);
  }
  row(page, "enhanced cubes for given permutations", "section 7.2, corollary 1 (V44)",
      "fewer than (K+1)d/2 + 1 slots, K > 2.5; bit reversal on the cube at least 2^(d/2-1)",
      "d = 4, 6, ..., 12, five permutations", result);
}

/* ----------------------------------------------------------------- links -- */

static void check_links(FILE *page) {
  for (int dims = 1; dims <= DIMS; dims++) {
    struct formula_names names = {0};
    formula_set(&names, "d", dims);
    const hyla_topology cube = network_of("cube", dims, 0), folded = network_of("folded", dims, 0);
    const hyla_topology pseudo = network_of("pseudo", dims, 3);
    assert_int_equal(cube.links, 2 * formula_whole("d 2^(d-1)", &names));
    assert_int_equal(cube.bisection, 2 * formula_whole("2^(d-1)", &names));
    assert_int_equal(folded.links, 2 * formula_whole("(d+1) 2^(d-1)", &names));
    assert_int_equal(folded.bisection, 2 * formula_whole("2^d", &names));
    assert_int_equal(pseudo.links, formula_whole("d 2^d", &names));
    assert_int_equal(pseudo.cut, formula_whole("2^d", &names));
  }
  row(page, "what a layout has to hold", "section 7.5 (V30)",
      "links d N/2, folded (d+1) N/2; bisection N/2, folded N; pseudo cubes d N links one way, N "
      "over the highest bit",
      "d to 12", "equal; the area is no matter of software");
}

void networks_check_all(FILE *page) {
  fprintf(page, "\n## Networks related to the cube\n\n"
                "Drawn networks have the seeds from 1 on.  Means are over all pairs, a node with\n"
                "itself too, from all nodes of small networks and from 64 nodes of others; `hyla\n"
                "layout --network` shows them.\n\n"
                "| what | reference | figure | range | result |\n|---|---|---|---|---|\n");
  check_ways(page);
  check_distances(page);
  check_exchanges(page);
  check_permutations(page);
  check_links(page);
}
