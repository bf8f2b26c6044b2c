/* Loops, meshes and trees on the cube (Johnsson 1987, 3.1, 3.2, 3.3.1, 3.4): dilation, expansion
 * and congestion of a range of embeddings, counted edge by edge by hyla_embed. */
#include "embeddings.h"

#include "address/address.h"
#include "hyla_lab.h"
#include "matrix/matrix.h"
#include "sparse.h"
#include "tests/harness/harness.h"

#include <string.h>

enum { DIMS_MOST = 13, CODES = 16, STRIDES = 12, LOOP_MOST = 1 << 12, LEVELS = 12 };

static int32_t work[DIMS_MOST << DIMS_MOST];

static int distance(uint32_t a, uint32_t b) { return hy_popcount(a ^ b); }

static bool is_power(int64_t n) { return (n & (n - 1)) == 0; }

/* The largest figures of a range. */
struct most {
  int count, dilation, congestion;
};

/* false: the kind does not serve these sides. */
static bool embed(hyla_embedding *e, struct most *most) {
  harness_note("%s, %d axes, %lld x %lld x %lld, closed %d", hyla_embedding_name((int)e->kind),
               e->axes, (long long)e->side[0], (long long)e->side[1], (long long)e->side[2],
               e->closed);
  if (hyla_embed(e) != HYLA_OK) return false;
  assert_in_range(e->dims, 0, DIMS_MOST);
  int congestion = hyla_embed_congestion(e, work);
  most->count++;
  if (e->dilation > most->dilation) most->dilation = e->dilation;
  if (congestion > most->congestion) most->congestion = congestion;
  return true;
}

static void row(FILE *page, const char *what, const char *id, const char *figure, const char *range,
                const char *result) {
  fprintf(page, "| %s | johnsson-1987, %s | %s | %s | %s |\n", what, id, figure, range, result);
}

static void row_of(FILE *page, const char *what, const char *id, const char *figure,
                   const char *range, const struct most *most) {
  char result[100];
  snprintf(result, sizeof result, "equal; congestion %d at most, in %d embeddings",
           most->congestion, most->count);
  row(page, what, id, figure, range, result);
}

/* ----------------------------------------------------------- Gray code -- */

static void check_codes(FILE *page) {
  for (uint32_t i = 0; i >> CODES == 0; i++) {
    assert_int_equal(hy_gray_inverse(hy_gray(i)), i);
    assert_int_equal(distance(hy_gray(i), hy_gray((i + 1) & ((1u << CODES) - 1))), 1);
  }
  row(page, "Gray code", "section 3.1 (J1)", "successive codes differ in 1 bit",
      "n = 16, all codes", "equal");
  for (int n = 1; n <= STRIDES; n++)
    for (int j = 0; j < n; j++)
      for (uint32_t i = 0; i >> n == 0; i++)
        assert_int_equal(distance(hy_gray(i), hy_gray((i + (1u << j)) & ((1u << n) - 1))),
                         j == 0 || n == 1 ? 1 : 2);
  row(page, "strides of 2^j", "lemma 3.3 (J4)",
      "G(i) and G(i + 2^j mod 2^n) differ in 2 bits, j > 0", "n to 12, all i and j",
      "equal; 1 bit for j = 0 and for n = 1");
}

/* The length of the carry of i + 2^k: the bit k, and one more for each 1 of i from there on. */
static int carry(uint32_t i, int k, int n) {
  int length = 1;
  while (k + length < n && (i >> (k + length - 1) & 1u) != 0) length++;
  return length;
}

static void check_binary(FILE *page) {
  for (int n = 1; n <= STRIDES; n++)
    for (int k = 0; k < n; k++) {
      int most = 0;
      for (uint32_t i = 0; i >> n == 0; i++) {
        int apart = distance(i, (i + (1u << k)) & ((1u << n) - 1));
        assert_int_equal(apart, carry(i, k, n));
        if (apart > most) most = apart;
      }
      assert_int_equal(most, n - k);
    }
  row(page, "loops in binary code, strides of 2^k", "section 3.1.1 (J44)",
      "i and i + 2^k differ in the bits of the carry, n at worst", "n to 12, all i and k",
      "equal; n - k at worst");
}

/* ------------------------------------------------------------- paths -- */

/* All pairs of nodes: the paths' lengths, and no inner node on two paths. */
static void check_paths(FILE *page) {
  for (int dims = 1; dims <= 7; dims++)
    for (int from = 0; from >> dims == 0; from++)
      for (int to = 0; to >> dims == 0; to++) {
        bool taken[1 << 7] = {false};
        int node[HYLA_PATH_NODES], k = distance((uint32_t)from, (uint32_t)to);
        for (int path = 0; path < dims && from != to; path++) {
          int links = hyla_disjoint_path(dims, from, to, path, node);
          assert_int_equal(links, path < k ? k : k + 2);
          assert_int_equal(node[0], from);
          assert_int_equal(node[links], to);
          for (int i = 0; i < links; i++) {
            assert_int_equal(distance((uint32_t)node[i], (uint32_t)node[i + 1]), 1);
            assert_false(i > 0 && taken[node[i]]);
            taken[node[i]] = true;
          }
        }
        if (from == to) assert_int_equal(hyla_disjoint_path(dims, from, to, 0, node), -1);
      }
  row(page, "paths that meet nowhere else", "section 2 (J38)",
      "n between two nodes at distance k: k of length k, n - k of length k + 2",
      "n to 7, all pairs", "equal");
}

static void check_loops(FILE *page) {
  struct most even = {0}, odd = {0};
  for (int64_t length = 2; length <= LOOP_MOST; length++) {
    hyla_embedding e = {.kind = HYLA_TORUS, .axes = 1, .side = {length}};
    assert_true(embed(&e, length % 2 == 0 ? &even : &odd));
    assert_int_equal(e.dims, hy_loop_dims((uint32_t)length));
    assert_int_equal(e.dilation, 1 + length % 2);
    int64_t half = length - (length - (INT64_C(1) << (e.dims - 1))) / 2;
    int longer = 0;
    for (int64_t i = 0; i < length; i++) {
      int node = hyla_embed_node(&e, &i), next = hyla_embed_node(&e, &(int64_t){(i + 1) % length});
      longer += distance((uint32_t)node, (uint32_t)next) > 1;
      if (i < half) assert_int_equal(node, hy_gray((uint32_t)i));
    }
    assert_int_equal(longer, length % 2);
  }
  row_of(page, "loops of even length N", "lemma 3.1 (J2)",
         "dilation 1 on ceil(log2 N) dimensions, the first half and more at G(0), G(1), ...",
         "all N to 2^12", &even);
  row_of(page, "loops of odd length N", "lemma 3.2 (J3)", "one edge of length 2, the others of 1",
         "all N to 2^12", &odd);
}

/* -------------------------------------------------------------- meshes -- */

static void check_naive(FILE *page) {
  struct most mesh = {0}, torus = {0};
  for (int64_t shape = 0; shape < 9 * 9 * 9; shape++)
    for (int closed = 0; closed < 2; closed++) {
      hyla_embedding e = {.kind = HYLA_MESH_NAIVE, .axes = 3, .closed = closed};
      int dims = 0;
      bool odd = false;
      for (int64_t i = 0, rest = shape; i < 3; i++, rest /= 9) {
        e.side[i] = rest % 9 + 1;
        dims += hy_loop_dims((uint32_t)e.side[i]);
        odd = odd || (e.side[i] % 2 == 1 && e.side[i] > 1);
      }
      assert_true(embed(&e, closed ? &torus : &mesh));
      assert_int_equal(e.dims, dims);
      assert_int_equal(e.dilation, shape == 0 ? 0 : closed && odd ? 2 : 1);
      assert_true(INT64_C(1) << dims < e.points << 3);
    }
  row_of(page, "meshes N1 x N2 x N3", "section 3.2 (J7)",
         "dilation 1, sum of ceil(log2 Ni) dimensions", "all sides to 9", &mesh);
  row_of(page, "tori", "section 3.2 (J7)",
         "dilation 1, with odd sides 2, sum of ceil(log2 Ni) dimensions", "all sides to 9", &torus);
  row(page, "their expansion", "section 3.2 (J8)", "2^(sum of ceil(log2 Ni)) / (N1 N2 N3) < 2^3",
      "all sides to 9", "holds");
}

/* The paper's figures for a pair of axes N1 x N2 on a host of M2 = 2^m2 columns. */
static void check_pair(const hyla_embedding *e, int64_t m2) {
  int64_t n1 = e->side[0], n2 = e->side[1];
  int m2_dims = hy_loop_dims((uint32_t)m2);
  if (e->kind == HYLA_MESH_FOLD) {
    assert_int_equal(e->dims, hy_loop_dims((uint32_t)n1) + m2_dims + 1);
    assert_int_equal(e->dilation, 1);
  } else if (e->kind == HYLA_MESH_STEP) {
    assert_int_equal(e->dims, m2_dims + hy_loop_dims((uint32_t)(n1 + n2 - m2)));
    assert_in_range(e->dilation, 1, 3);
  } else {
    assert_in_range(e->dilation, 1, 2);
    if (m2 % (n2 - m2) != 0) return;
    int64_t a = m2 / (n2 - m2);
    assert_true(e->dims <= m2_dims + hy_loop_dims((uint32_t)((a + 1) * hy_ceil_div(n1, a))));
  }
}

static struct most check_pairs(hyla_embedding_kind kind, bool closed) {
  struct most most = {0};
  for (int64_t n1 = 1; n1 <= 20; n1++)
    for (int64_t n2 = 3; n2 <= 40; n2++) {
      hyla_embedding e = {.kind = kind, .axes = 2, .side = {n1, n2}, .closed = closed};
      int64_t m2 = INT64_C(1) << hy_log2_floor((uint32_t)n2);
      bool served = embed(&e, &most);
      if (is_power(n2)) assert_false(served);
      if (served && !closed) check_pair(&e, m2);
      if (served && closed) assert_in_range(e.dilation, 1, kind == HYLA_MESH_FOLD ? 2 : 6);
      if (!served) assert_true(kind != HYLA_MESH_FOLD || is_power(n2));
    }
  return most;
}

static void check_folded(FILE *page) {
  static const struct {
    hyla_embedding_kind kind;
    const char *what, *id, *figure;
    int dilation;
  } rows[] = {
      {HYLA_MESH_FOLD, "meshes N1 x N2, folded", "section 3.2 (J9)",
       "host 2 N1 x 2^m2, dimensions as naive", 1},
      {HYLA_MESH_STEP, "meshes, stepped", "section 3.2 (J10)",
       "dilation 3, m2 + ceil(log2(N1 + N2 - M2)) dimensions", 3},
      {HYLA_MESH_COMPRESSION, "meshes, compressed", "section 3.2 (J11)",
       "dilation 2, b ceil(N1/a) rows for a ceil(N2/b) <= M2, b = a + 1 or 2a - 1", 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct most mesh = check_pairs(rows[i].kind, false), torus = check_pairs(rows[i].kind, true);
    char what[80], figure[80];
    assert_int_equal(mesh.dilation, rows[i].dilation);
    assert_in_range(torus.dilation, 2, 2 * rows[i].dilation);
    row_of(page, rows[i].what, rows[i].id, rows[i].figure, "N1 to 20, N2 to 40", &mesh);
    snprintf(what, sizeof what, "%s, closed", rows[i].what);
    snprintf(figure, sizeof figure, "none; dilation at most twice as large, %d", torus.dilation);
    row_of(page, what, rows[i].id, figure, "N1 to 20, N2 to 40", &torus);
  }
}

/* --------------------------------------------------------------- storage -- */

/* The part that has index i of N on 2^k parts. */
static void check_storage(FILE *page) {
  for (int k = 0; k <= 5; k++)
    for (int64_t n = 1; n <= 200; n++)
      for (int storage = 0; storage < 2; storage++) {
        hyla_axis axis = {.dims = k,
                          .code = HYLA_BINARY,
                          .storage = storage == 0 ? HYLA_CONSECUTIVE : HYLA_CYCLIC,
                          .block = 1};
        for (int i = 0; i < k; i++) axis.dim[i] = (uint8_t)i;
        struct hy_axis dealt = hy_axis_make(&axis, n);
        for (int64_t i = 0; i < n; i++) {
          int64_t part = storage == 0 ? i / hy_ceil_div(n, INT64_C(1) << k) : i % (1 << k);
          assert_int_equal(hy_axis_owner(&dealt, i), part);
        }
      }
  row(page, "consecutive and cyclic storage", "section 3.3.1 (J12)",
      "i on part floor(i / ceil(N / 2^k)); on part i mod 2^k", "k to 5, N to 200, all i", "equal");
}

/* ----------------------------------------------------------------- trees -- */

/* For every inner node: the lengths of the edges to both children and between these. */
static void check_children(hyla_embedding_kind kind, int levels) {
  for (int64_t i = 1; i < (INT64_C(1) << levels) - 1; i += 2) {
    uint32_t p = (uint32_t)i, l = (uint32_t)hy_inorder_child(i, false);
    uint32_t r = (uint32_t)hy_inorder_child(i, true);
    bool gray = kind == HYLA_TREE_GRAY, leaf = l % 2 == 0;
    if (gray) p = hy_gray(p), l = hy_gray(l), r = hy_gray(r);
    assert_int_equal(distance(p, l), gray && !leaf ? 2 : 1);
    assert_int_equal(distance(p, r), gray && leaf ? 1 : 2);
    assert_int_equal(distance(l, r), gray ? 2 : 1);
  }
}

/* The tree of dilation 1 and its complement: the nodes that both have. */
static void check_second_tree(FILE *page) {
  static bool taken[1 << (LEVELS + 1)];
  struct most most = {0};
  char result[100];
  int shared = 0;
  for (int levels = 1; levels <= LEVELS; levels++) {
    hyla_embedding e = {.kind = HYLA_TREE_HEAP_COMPLEMENT, .axes = 1, .side = {levels}};
    assert_true(embed(&e, &most));
    assert_int_equal(e.dims, levels + 1);
    shared = 0;
    for (int64_t v = 1; v >> levels == 0; v++) {
      const uint32_t node = hy_heap_node((uint32_t)v);
      assert_int_equal(hyla_embed_node(&e, &v), node ^ ((1u << e.dims) - 1));
      taken[node] = true;
    }
    for (int64_t v = 1; v >> levels == 0; v++) shared += taken[hyla_embed_node(&e, &v)];
    assert_int_equal(shared > 0, levels > 2);
    memset(taken, 0, sizeof taken);
  }
  assert_int_equal(most.dilation, 1);
  snprintf(result, sizeof result, "equal; for n = 12 %d of %d nodes are in both", shared,
           (1 << LEVELS) - 1);
  row(page, "a second such tree, by complements", "section 3.4.2.2 (J43)",
      "dilation 1; not disjoint from the first", "n to 12", result);
}

static void check_trees(FILE *page) {
  static const struct {
    hyla_embedding_kind kind;
    const char *what, *id, *figure;
    int dilation;
  } rows[] = {
      {HYLA_TREE_INORDER, "complete binary trees in order, binary", "theorem 3.4 (J18)",
       "left child at 1, right child at 2, siblings at 1, n dimensions for 2^n - 1 nodes", 2},
      {HYLA_TREE_GRAY, "the same, Gray", "theorem 3.5 (J19)",
       "a leaf at 1 from its parent, other edges 2, siblings at 2", 2},
      {HYLA_TREE_CONTRACTED, "contraction to the interior nodes", "theorem 3.6 (J20)",
       "one exchange over dimension 0; then the tree of 2^(n-1) - 1 nodes under Gray code", 2},
      {HYLA_TREE_HEAP, "trees of dilation 1 on n + 1 dimensions", "theorem 3.7 (J21)", "dilation 1",
       1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct most most = {0};
    for (int levels = rows[i].kind == HYLA_TREE_CONTRACTED ? 2 : 1; levels <= LEVELS; levels++) {
      hyla_embedding e = {.kind = rows[i].kind, .axes = 1, .side = {levels}};
      assert_true(embed(&e, &most));
      assert_int_equal(e.dims, levels + (rows[i].kind == HYLA_TREE_HEAP));
      if (rows[i].kind <= HYLA_TREE_GRAY) check_children(rows[i].kind, levels);
    }
    assert_int_equal(most.dilation, rows[i].dilation);
    row_of(page, rows[i].what, rows[i].id, rows[i].figure, "n to 12", &most);
  }
  check_second_tree(page);
  for (uint32_t i = 1; i >> LEVELS == 0; i += 2) {
    uint32_t node = hy_inorder_contracted(i);
    assert_true((node ^ hy_gray(i)) <= 1 && (node & 1) == 1);
    assert_int_equal(node >> 1, hy_gray(i / 2));
  }
}

void embeddings_check_all(FILE *page) {
  fprintf(page,
          "\n## Loops, meshes and trees on the cube\n\n"
          "All embeddings of the ranges, by hyla_embed, as `hyla layout --embed` shows them.\n"
          "Congestion: the most messages over a directed link when each edge of the guest carries\n"
          "one in either direction, each over the lowest dimension first; the paper counts none.\n"
          "Closed: the axes of a pair are laid double, out and back, which the paper lacks.\n\n"
          "| what | reference | figure | range | result |\n|---|---|---|---|---|\n");
  check_codes(page);
  check_binary(page);
  check_paths(page);
  check_loops(page);
  check_naive(page);
  check_folded(page);
  check_storage(page);
  check_trees(page);
  sparse_check_all(page);
}
