/* Sparse graphs and block-diagonal matrices on the cube (Varvarigos 1992, 2.8 and 2.9): graphs of
 * known bandwidth with shuffled vertices, random graphs, and blocks of any sizes. */
#include "sparse.h"

#include "address/address.h"
#include "hyla_collective.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <stdlib.h>

enum { VERTICES = 1 << 10, EDGES = 4 * VERTICES, BLOCKS = 256, BLOCK_DIMS = 8 };

/* Edges as drawn, then in the form that the call takes. */
static int32_t ends[EDGES][2], neighbour[2 * EDGES], node[VERTICES], work[VERTICES];
static int64_t start[VERTICES + 1];
static int edges;

static void add_edge(int32_t u, int32_t v) {
  assert_true(edges < EDGES);
  ends[edges][0] = u;
  ends[edges++][1] = v;
}

static void shuffle(int32_t vertices) {
  int32_t to[VERTICES];
  for (int32_t v = 0; v < vertices; v++) to[v] = v;
  for (int32_t v = vertices - 1; v > 0; v--) {
    int32_t other = (int32_t)harness_draw(0, v), kept = to[v];
    to[v] = to[other];
    to[other] = kept;
  }
  for (int i = 0; i < edges; i++)
    for (int e = 0; e < 2; e++) ends[i][e] = to[ends[i][e]];
}

static hyla_graph graph_of(int32_t vertices) {
  int64_t place[VERTICES];
  for (int32_t v = 0; v <= vertices; v++) start[v] = 0;
  for (int i = 0; i < edges; i++)
    for (int e = 0; e < 2; e++) start[ends[i][e] + 1]++;
  for (int32_t v = 0; v < vertices; v++) start[v + 1] += start[v];
  for (int32_t v = 0; v < vertices; v++) place[v] = start[v];
  for (int i = 0; i < edges; i++)
    for (int e = 0; e < 2; e++) neighbour[place[ends[i][e]]++] = ends[i][1 - e];
  return (hyla_graph){.vertices = vertices, .start = start, .neighbour = neighbour};
}

/* Puts vertices on nodes of their own; the figures must be those of the edges. */
static hyla_graph embed(int32_t vertices) {
  static bool taken[VERTICES];
  hyla_graph g = graph_of(vertices);
  int64_t given = 0, bandwidth = 0;
  int dilation = 0;
  assert_int_equal(hyla_embed_graph(&g, node, work), HYLA_OK);
  assert_true(INT64_C(1) << g.dims >= vertices && INT64_C(1) << g.dims < 2 * (int64_t)vertices);
  for (int x = 0; x < VERTICES; x++) taken[x] = false;
  for (int32_t v = 0; v < vertices; v++) {
    assert_in_range(node[v], 0, (1 << g.dims) - 1);
    assert_false(taken[node[v]]);
    taken[node[v]] = true;
  }
  for (int i = 0; i < edges; i++) {
    const int32_t u = ends[i][0], v = ends[i][1];
    int column[2] = {hyla_band_column(1 << g.dims, g.b, node[u]),
                     hyla_band_column(1 << g.dims, g.b, node[v])};
    given = hy_max(given, labs(u - v));
    bandwidth = hy_max(bandwidth, labs(column[0] - column[1]));
    dilation = (int)hy_max(dilation, hy_popcount((uint32_t)(node[u] ^ node[v])));
  }
  assert_int_equal(g.given, given);
  assert_int_equal(g.bandwidth, bandwidth);
  assert_int_equal(g.dilation, dilation);
  assert_true(g.bandwidth <= g.given && g.dilation <= g.b + 1);
  bool least = g.b == 0 || INT64_C(1) << (g.b - 1) < bandwidth;
  assert_true(least && (bandwidth <= INT64_C(1) << g.b || g.b == g.dims - 1));
  return g;
}

/* ---------------------------------------------------------------- graphs -- */

static void check_paths(void) {
  for (int32_t n = 1; n <= 70; n++)
    for (int closed = 0; closed < 2; closed++) {
      edges = 0;
      for (int32_t v = 0; v + 1 < n; v++) add_edge(v, v + 1);
      if (closed && n > 2) add_edge(n - 1, 0);
      shuffle(n);
      harness_note("path of %d, closed %d", n, closed);
      hyla_graph g = embed(n);
      assert_int_equal(g.bandwidth, n == 1 ? 0 : closed && n > 2 ? 2 : 1);
      if (!closed) assert_int_equal(g.dilation, n > 1);
    }
}

/* r x c points, r <= c: levels from a corner are diagonals of at most r points, and neighbours are
 * in the same level or in consecutive ones. */
static void check_grids(void) {
  for (int32_t r = 1; r <= 20; r++)
    for (int32_t c = r; c <= 20; c++) {
      edges = 0;
      for (int32_t i = 0; i < r; i++)
        for (int32_t j = 0; j < c; j++) {
          if (i + 1 < r) add_edge(i * c + j, (i + 1) * c + j);
          if (j + 1 < c) add_edge(i * c + j, i * c + j + 1);
        }
      shuffle(r * c);
      harness_note("grid %d x %d", r, c);
      hyla_graph g = embed(r * c);
      assert_in_range(g.bandwidth, 0, 2 * r - 1);
    }
}

/* Random edges, also multiple ones and loops; in parts, and with isolated vertices. */
static void check_random(void) {
  for (int trial = 0; trial < 300; trial++) {
    int32_t n = (int32_t)harness_draw(1, VERTICES);
    int many = (int)harness_draw(0, EDGES), reach = (int)harness_draw(0, n - 1);
    edges = 0;
    for (int i = 0; i < many; i++) {
      int32_t u = (int32_t)harness_draw(0, n - 1);
      add_edge(u, (int32_t)hy_min(n - 1, u + harness_draw(0, reach)));
    }
    harness_note("trial %d: %d vertices, %d edges within %d", trial, n, many, reach);
    if (trial % 2 == 0) shuffle(n);
    (void)embed(n);
  }
}

/* Edges that only one end lists: refused, or on nodes of their own; nothing is written beyond. */
static void check_one_way(void) {
  enum { FEW = 12, GUARD = -7 };
  for (int trial = 0; trial < 2000; trial++) {
    int32_t n = (int32_t)harness_draw(1, FEW), place[FEW + 1], room[FEW + 1];
    int64_t ends_at[FEW + 1] = {0};
    bool taken[2 * FEW] = {false};
    for (int32_t v = 0; v < n; v++) ends_at[v + 1] = ends_at[v] + harness_draw(0, 2);
    for (int64_t i = 0; i < ends_at[n]; i++) neighbour[i] = (int32_t)harness_draw(0, n - 1);
    hyla_graph g = {.vertices = n, .start = ends_at, .neighbour = neighbour};
    place[n] = room[n] = GUARD;
    harness_note("one way, trial %d: %d vertices", trial, n);
    hyla_status status = hyla_embed_graph(&g, place, room);
    assert_true(place[n] == GUARD && room[n] == GUARD);
    assert_true(status == HYLA_OK || status == HYLA_ARGUMENT);
    for (int32_t v = 0; v < n && status == HYLA_OK; v++) {
      assert_false(taken[place[v]]);
      taken[place[v]] = true;
    }
  }
}

static void check_refused(void) {
  edges = 0;
  add_edge(0, 1);
  hyla_graph g = graph_of(2), bad = g;
  assert_int_equal(hyla_embed_graph(NULL, node, work), HYLA_ARGUMENT);
  assert_int_equal(hyla_embed_graph(&g, NULL, work), HYLA_ARGUMENT);
  assert_int_equal(hyla_embed_graph(&g, node, NULL), HYLA_ARGUMENT);
  bad.vertices = 0;
  assert_int_equal(hyla_embed_graph(&bad, node, work), HYLA_ARGUMENT);
  bad = g;
  bad.vertices = 1; /* its neighbour does not exist */
  assert_int_equal(hyla_embed_graph(&bad, node, work), HYLA_ARGUMENT);
  start[1] = 3; /* and its lists end before they begin */
  assert_int_equal(hyla_embed_graph(&g, node, work), HYLA_ARGUMENT);
}

/* ---------------------------------------------------------------- blocks -- */

/* A cube cut in two again and again, with the pieces shuffled, is filled. */
static void check_blocks(void) {
  for (int trial = 0; trial < 300; trial++) {
    int dims[BLOCKS] = {(int)harness_draw(0, BLOCK_DIMS)}, count = 1, whole = dims[0];
    int32_t first[BLOCKS];
    bool taken[1 << BLOCK_DIMS] = {false};
    for (int cuts = (int)harness_draw(0, 60); cuts > 0; cuts--) {
      int i = (int)harness_draw(0, count - 1);
      if (dims[i] == 0) continue;
      dims[count++] = --dims[i];
    }
    harness_note("trial %d: %d blocks on %d dimensions", trial, count, whole);
    assert_int_equal(hyla_embed_blocks(count, dims, first), whole);
    for (int i = 0; i < count; i++) {
      assert_int_equal(first[i] & ((1 << dims[i]) - 1), 0);
      for (int x = 0; x < 1 << dims[i]; x++) {
        assert_false(taken[first[i] + x]);
        taken[first[i] + x] = true;
      }
    }
    for (int x = 0; x < 1 << whole; x++) assert_true(taken[x]);
  }
  const int too_large[] = {HYLA_DIMS_MAX, 0}, negative[] = {1, -1}, few[] = {1, 0};
  int32_t first[2];
  assert_int_equal(hyla_embed_blocks(2, too_large, first), -1);
  assert_int_equal(hyla_embed_blocks(2, negative, first), -1);
  assert_int_equal(hyla_embed_blocks(0, few, first), -1);
  assert_int_equal(hyla_embed_blocks(2, NULL, first), -1);
  assert_int_equal(hyla_embed_blocks(2, few, first), 2);
}

void sparse_check_all(FILE *page) {
  check_paths();
  check_grids();
  check_random();
  check_one_way();
  check_refused();
  check_blocks();
  fprintf(page,
          "| sparse graphs | varvarigos-1992, section 2.8 (V7) | dilation <= b + 1, b the least "
          "with 2^b >= bandwidth | 300 random graphs to %d vertices; shuffled paths, loops, grids "
          "| holds; bandwidth of paths 1, loops 2, grids of r <= c rows 2r - 1 at most |\n"
          "| blocks of 2^l nodes | varvarigos-1992, section 2.9 (V8) | disjoint subcubes of a cube "
          "that they fill | 300 cuts of cubes to d = %d | holds |\n",
          VERTICES, BLOCK_DIMS);
}
