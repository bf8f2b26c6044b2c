/* Embeddings by the public call: one-to-one, with the reported dilation and expansion, which are
 * measured here edge by edge; refusals. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "address/address.h"

#include <stdlib.h>
#include <string.h>

static bool is_tree(const hyla_embedding *e) { return e->kind >= HYLA_TREE_INORDER; }

static int distance(int a, int b) { return hy_popcount((uint32_t)(a ^ b)); }

/* The longest of a mesh point's edges to the next points along the axes. */
static int longest_edge(const hyla_embedding *e, const int64_t *point) {
  int longest = 0;
  for (int axis = 0; axis < e->axes; axis++) {
    int64_t next[HYLA_EMBED_AXES];
    memcpy(next, point, sizeof next);
    next[axis]++;
    if (next[axis] == e->side[axis] && e->kind != HYLA_TORUS && !e->closed) continue;
    next[axis] %= e->side[axis];
    int length = distance(hyla_embed_node(e, point), hyla_embed_node(e, next));
    if (length > longest) longest = length;
  }
  return longest;
}

/* A point's node; looking up the node finds the point. */
static void take_node(const hyla_embedding *e, const int64_t *point, char *used) {
  int node = hyla_embed_node(e, point);
  int64_t found[HYLA_EMBED_AXES];
  assert_in_range(node, 0, (1 << e->dims) - 1);
  assert_false(used[node]);
  used[node] = 1;
  assert_true(hyla_embed_point(e, node, found));
  for (int i = 0; i < e->axes; i++) assert_int_equal(found[i], point[i]);
}

/* Nodes without a point report none. */
static void check_rest(const hyla_embedding *e, const char *used) {
  int64_t found[HYLA_EMBED_AXES] = {-7};
  for (int node = 0; node >> e->dims == 0; node++)
    assert_true(used[node] || !hyla_embed_point(e, node, found));
  assert_false(hyla_embed_point(e, -1, found));
  assert_false(hyla_embed_point(e, 1 << e->dims, found));
  if (e->points == INT64_C(1) << e->dims) assert_int_equal(found[0], -7);
}

/* A link has as many messages in each direction as edges' images cross it, and none is longer than
 * the dilation.  With dilation 1 each link has one message, on a closed axis of 2 too. */
static void check_congestion(const hyla_embedding *e) {
  int32_t *work = malloc((((size_t)e->dims << e->dims) + 1) * sizeof *work);
  int64_t carried = 0, most = 0;
  assert_non_null(work);
  int congestion = hyla_embed_congestion(e, work);
  for (int64_t i = 0; i < (int64_t)e->dims << e->dims; i++) {
    carried += work[i];
    if (work[i] > most) most = work[i];
  }
  assert_int_equal(congestion, most);
  assert_true((e->dilation == 0) == (carried == 0));
  if (e->dilation == 1) assert_int_equal(congestion, 1);
  assert_true(carried <= 2 * e->points * e->axes * e->dilation);
  assert_int_equal(hyla_embed_congestion(NULL, work), -1);
  assert_int_equal(hyla_embed_congestion(e, NULL), -1);
  free(work);
}

static void check_mesh(const hyla_embedding *e, char *used) {
  int64_t point[HYLA_EMBED_AXES] = {0}, points = 0;
  int longest = 0, axis = 0;
  do {
    take_node(e, point, used);
    int length = longest_edge(e, point);
    if (length > longest) longest = length;
    points++;
    for (axis = e->axes - 1; axis >= 0 && ++point[axis] == e->side[axis]; axis--) point[axis] = 0;
  } while (axis >= 0);
  assert_int_equal(points, e->points);
  assert_int_equal(longest, e->dilation);
  point[0] = e->side[0];
  assert_int_equal(hyla_embed_node(e, point), -1);
  point[0] = -1;
  assert_int_equal(hyla_embed_node(e, point), -1);
  assert_int_equal(hyla_embed_parent(e, 0), -1);
}

/* Every node except the root has a parent, and no node has more than two children. */
static void check_tree(const hyla_embedding *e, char *used) {
  int64_t most = INT64_C(1) << e->side[0], points = 0, roots = 0;
  char *children = calloc((size_t)most, 1);
  int longest = 0;
  assert_non_null(children);
  for (int64_t v = -1; v <= most; v++) {
    int node = hyla_embed_node(e, &v);
    int64_t parent = hyla_embed_parent(e, v);
    if (node < 0) {
      assert_int_equal(parent, -1);
      continue;
    }
    take_node(e, &v, used);
    points++;
    roots += parent < 0;
    if (parent < 0) continue;
    assert_in_range(++children[parent], 1, 2);
    int length = distance(node, hyla_embed_node(e, &parent));
    if (length > longest) longest = length;
  }
  assert_int_equal(roots, 1);
  assert_int_equal(points, e->points);
  assert_int_equal(longest, e->dilation);
  free(children);
}

/* Returns whether the kind serves the sides. */
static bool check(hyla_embedding *e) {
  hyla_status status = hyla_embed(e);
  assert_true((status == HYLA_OK) == (e->message[0] == '\0'));
  if (status != HYLA_OK) {
    const int64_t zero[HYLA_EMBED_AXES] = {0};
    assert_int_equal(status, HYLA_ARGUMENT);
    assert_int_equal(hyla_embed_node(e, zero), -1);
    return false;
  }
  char *used = calloc((size_t)1 << e->dims, 1);
  assert_non_null(used);
  assert_true(e->points <= INT64_C(1) << e->dims);
  if (is_tree(e))
    check_tree(e, used);
  else
    check_mesh(e, used);
  check_rest(e, used);
  check_congestion(e);
  free(used);
  return true;
}

static void meshes_and_tori(void **state) {
  (void)state;
  static const int longest[] = {1, 1, 1, 3, 2};
  for (int kind = HYLA_MESH_NAIVE; kind <= HYLA_MESH_COMPRESSION; kind++) {
    int served = 0;
    for (int round = 0; round < 150; round++) {
      hyla_embedding e = {.kind = (hyla_embedding_kind)kind, .axes = 2};
      e.axes = (int)harness_draw(kind > HYLA_TORUS ? 2 : 1, 4);
      e.closed = harness_draw(0, 1) == 1;
      for (int i = 0; i < e.axes; i++) e.side[i] = harness_draw(1, e.axes > 2 ? 7 : 40);
      harness_note("%s, %d axes, %lld x %lld", hyla_embedding_name(kind), e.axes,
                   (long long)e.side[0], (long long)e.side[1]);
      served += check(&e);
      if (e.points == 0) continue;
      bool closed = e.closed || kind == HYLA_TORUS;
      assert_in_range(e.dilation, 0, longest[kind] << closed);
    }
    assert_in_range(served, 20, 150);
  }
}

static void trees(void **state) {
  (void)state;
  static const int dilation[] = {2, 2, 2, 1, 1};
  for (int kind = HYLA_TREE_INORDER; kind <= HYLA_TREE_HEAP_COMPLEMENT; kind++)
    for (int64_t levels = 1; levels <= 12; levels++) {
      hyla_embedding e = {.kind = (hyla_embedding_kind)kind, .axes = 1, .side = {levels}};
      bool served = kind != HYLA_TREE_CONTRACTED || levels > 1;
      harness_note("%s, %lld levels", hyla_embedding_name(kind), (long long)levels);
      assert_true(check(&e) == served);
      if (!served) continue;
      assert_int_equal(e.dims, levels + (kind >= HYLA_TREE_HEAP));
      if (levels > 3) assert_int_equal(e.dilation, dilation[kind - HYLA_TREE_INORDER]);
    }
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  const hyla_embedding bad[] = {
      {.kind = HYLA_MESH_NAIVE, .axes = 0},
      {.kind = HYLA_MESH_NAIVE, .axes = HYLA_EMBED_AXES + 1},
      {.kind = (hyla_embedding_kind)-1, .axes = 1, .side = {4}},
      {.kind = (hyla_embedding_kind)(HYLA_TREE_HEAP_COMPLEMENT + 1), .axes = 1, .side = {4}},
      {.kind = HYLA_MESH_NAIVE, .axes = 2, .side = {3, 0}},
      {.kind = HYLA_TORUS, .axes = 2, .side = {-3, 4}},
      {.kind = HYLA_MESH_NAIVE, .axes = 2, .side = {1 << 11, 1 << 10}},
      {.kind = HYLA_MESH_NAIVE, .axes = 1, .side = {(1 << 20) + 1}},
      {.kind = HYLA_MESH_NAIVE, .axes = 1, .side = {INT64_MAX}},
      {.kind = HYLA_MESH_FOLD, .axes = 2, .side = {3, 8}},
      {.kind = HYLA_MESH_FOLD, .axes = 3, .side = {3, 5, 2}},
      {.kind = HYLA_MESH_STEP, .axes = 2, .side = {9, 5}},
      {.kind = HYLA_TREE_INORDER, .axes = 1, .side = {21}},
      {.kind = HYLA_TREE_HEAP, .axes = 1, .side = {20}},
      {.kind = HYLA_TREE_HEAP, .axes = 2, .side = {3, 3}},
      {.kind = HYLA_TREE_HEAP, .axes = 1, .side = {3}, .closed = true},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hyla_embedding e = bad[i];
    harness_note("case %d", (int)i);
    assert_false(check(&e));
    assert_null(strchr(e.message, '\n'));
  }
  assert_int_equal(hyla_embed(NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_embed_node(NULL, &(int64_t){0}), -1);
  assert_int_equal(hyla_embed_parent(NULL, 0), -1);
  assert_false(hyla_embed_point(NULL, 0, &(int64_t){0}));
}

static void kinds_have_names_and_references(void **state) {
  (void)state;
  int count = 0;
  while (hyla_embedding_name(count) != NULL) {
    assert_non_null(strstr(hyla_embedding_reference(count), "johnsson-1987, "));
    for (int i = 0; i < count; i++)
      assert_string_not_equal(hyla_embedding_name(i), hyla_embedding_name(count));
    count++;
  }
  assert_int_equal(count, HYLA_TREE_HEAP_COMPLEMENT + 1);
  assert_null(hyla_embedding_name(-1));
  assert_null(hyla_embedding_reference(count));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_and_tori),
      cmocka_unit_test(trees),
      cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(kinds_have_names_and_references),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
