/* hyla_embed: embeddings of meshes and trees in the cube, for experiments. */
#include "address/address.h"
#include "hyla_embedding.h"

#include <stdio.h>

static bool is_tree(const hyla_embedding *e) { return e->kind >= HYLA_TREE_INORDER; }
static bool is_heap(const hyla_embedding *e) { return e->kind >= HYLA_TREE_HEAP; }
static bool is_closed(const hyla_embedding *e) { return e->closed || e->kind == HYLA_TORUS; }

/* ---------------------------------------------------------------- meshes -- */

static struct hy_mesh mesh_of(const hyla_embedding *e, const char **reason) {
  static const enum hy_mesh_kind kinds[] = {HY_MESH_NAIVE, HY_MESH_NAIVE, HY_MESH_FOLD,
                                            HY_MESH_STEP, HY_MESH_COMPRESSION};
  uint32_t side[HY_MESH_AXES];
  struct hy_mesh mesh;
  for (int i = 0; i < e->axes; i++) side[i] = (uint32_t)e->side[i];
  *reason = hy_mesh_make(&mesh, kinds[e->kind], is_closed(e), e->axes, side);
  return mesh;
}

static const char *measure_mesh(hyla_embedding *e) {
  const char *reason;
  struct hy_mesh mesh = mesh_of(e, &reason);
  if (reason != NULL) return reason;
  struct hy_mesh_quality quality = hy_mesh_measure(&mesh);
  e->dims = mesh.dims;
  e->points = (int64_t)quality.points;
  e->dilation = quality.dilation;
  return NULL;
}

/* ----------------------------------------------------------------- trees -- */

/* The numbers of a tree's nodes: from the first to the last, in steps. */
struct numbers {
  int64_t first, last, step;
};

static struct numbers numbers_of(const hyla_embedding *e) {
  int64_t whole = INT64_C(1) << e->side[0];
  if (is_heap(e)) return (struct numbers){1, whole - 1, 1};
  if (e->kind == HYLA_TREE_CONTRACTED) return (struct numbers){1, whole - 3, 2};
  return (struct numbers){0, whole - 2, 1};
}

static uint32_t tree_node(const hyla_embedding *e, int64_t v) {
  switch (e->kind) {
  case HYLA_TREE_GRAY: return hy_gray((uint32_t)v);
  case HYLA_TREE_CONTRACTED: return hy_inorder_contracted(v);
  case HYLA_TREE_HEAP: return hy_heap_node((uint32_t)v);
  case HYLA_TREE_HEAP_COMPLEMENT: return hy_heap_node((uint32_t)v) ^ ((1u << e->dims) - 1);
  default: return (uint32_t)v;
  }
}

static int64_t tree_parent(const hyla_embedding *e, int64_t v) {
  if (is_heap(e)) return v == 1 ? -1 : v / 2;
  return hy_inorder_parent((int)e->side[0], v);
}

static const char *measure_tree(hyla_embedding *e) {
  if (e->axes != 1) return "a tree has one size, the number of its levels";
  if (e->closed) return "a tree has no axes to close";
  int64_t levels = e->side[0];
  if (e->kind == HYLA_TREE_CONTRACTED && levels < 2)
    return "a tree of one level has no interior nodes";
  if (levels + is_heap(e) > HYLA_DIMS_MAX) return "the cube would have more than 2^20 nodes";
  e->dims = (int)levels + is_heap(e);
  struct numbers numbers = numbers_of(e);
  e->points = (numbers.last - numbers.first) / numbers.step + 1;
  for (int64_t v = numbers.first; v <= numbers.last; v += numbers.step) {
    int64_t parent = tree_parent(e, v);
    if (parent < 0) continue;
    int length = hy_popcount(tree_node(e, v) ^ tree_node(e, parent));
    if (length > e->dilation) e->dilation = length;
  }
  return NULL;
}

/* ---------------------------------------------------------------- public -- */

static const struct {
  const char *name, *reference;
} KINDS[] = {
    [HYLA_MESH_NAIVE] = {"naive", "johnsson-1987, section 3.2"},
    [HYLA_TORUS] = {"torus", "johnsson-1987, section 3.2"},
    [HYLA_MESH_FOLD] = {"fold", "johnsson-1987, section 3.2"},
    [HYLA_MESH_STEP] = {"step", "johnsson-1987, section 3.2"},
    [HYLA_MESH_COMPRESSION] = {"compression", "johnsson-1987, section 3.2"},
    [HYLA_TREE_INORDER] = {"inorder", "johnsson-1987, section 3.4.2"},
    [HYLA_TREE_GRAY] = {"inorder-gray", "johnsson-1987, section 3.4.2"},
    [HYLA_TREE_CONTRACTED] = {"contracted", "johnsson-1987, theorem 3.6"},
    [HYLA_TREE_HEAP] = {"heap", "johnsson-1987, theorem 3.7"},
    [HYLA_TREE_HEAP_COMPLEMENT] = {"heap-complement", "johnsson-1987, section 3.4.2.2"},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

const char *hyla_embedding_name(int i) { return i < 0 || i >= KIND_COUNT ? NULL : KINDS[i].name; }

const char *hyla_embedding_reference(int i) {
  return i < 0 || i >= KIND_COUNT ? NULL : KINDS[i].reference;
}

/* "3 x 5 x 2" */
static void format_sides(const hyla_embedding *e, char *text, size_t capacity) {
  struct hy_text out = {.text = text, .capacity = capacity};
  text[0] = '\0';
  for (int i = 0; i < e->axes; i++)
    hy_text_add(&out, "%s%lld", i > 0 ? " x " : "", (long long)e->side[i]);
}

static const char *check_sides(const hyla_embedding *e) {
  for (int i = 0; i < e->axes; i++)
    if (e->side[i] < 1 || e->side[i] > 1 << HYLA_DIMS_MAX)
      return "sides are whole numbers from 1 to 2^20";
  return NULL;
}

hyla_status hyla_embed(hyla_embedding *e) {
  char sides[HYLA_EMBED_AXES * 24];
  CHECK(NULL, e != NULL, ARGUMENT, "embedding is NULL");
  e->dims = e->dilation = 0;
  e->points = 0;
  e->message[0] = '\0';
  if ((int)e->kind < 0 || (int)e->kind >= KIND_COUNT || e->axes < 1 || e->axes > HYLA_EMBED_AXES) {
    snprintf(e->message, sizeof e->message,
             "embedding: kind %d on %d axes; there are kinds 0 to "
             "%d, on 1 to %d axes",
             (int)e->kind, e->axes, KIND_COUNT - 1, HYLA_EMBED_AXES);
    return HYLA_ARGUMENT;
  }
  const char *reason = check_sides(e);
  if (reason == NULL) reason = is_tree(e) ? measure_tree(e) : measure_mesh(e);
  if (reason == NULL) return HYLA_OK;
  format_sides(e, sides, sizeof sides);
  snprintf(e->message, sizeof e->message, "embedding: %s does not serve %s: %s",
           KINDS[e->kind].name, sides, reason);
  return HYLA_ARGUMENT;
}

int hyla_embed_node(const hyla_embedding *e, const int64_t *point) {
  if (e == NULL || point == NULL || e->points == 0) return -1;
  if (is_tree(e)) {
    struct numbers numbers = numbers_of(e);
    bool there = point[0] >= numbers.first && point[0] <= numbers.last;
    if (!there || (point[0] - numbers.first) % numbers.step != 0) return -1;
    return (int)tree_node(e, point[0]);
  }
  uint32_t place[HY_MESH_AXES];
  const char *reason;
  for (int i = 0; i < e->axes; i++) {
    if (point[i] < 0 || point[i] >= e->side[i]) return -1;
    place[i] = (uint32_t)point[i];
  }
  struct hy_mesh mesh = mesh_of(e, &reason);
  return reason == NULL ? (int)hy_mesh_node(&mesh, place) : -1;
}

int64_t hyla_embed_parent(const hyla_embedding *e, int64_t node) {
  if (e == NULL || !is_tree(e) || hyla_embed_node(e, &node) < 0) return -1;
  return tree_parent(e, node);
}

/* The number of the tree node that lies at a cube node. */
static int64_t tree_number(const hyla_embedding *e, uint32_t node) {
  if (e->kind == HYLA_TREE_INORDER) return node;
  if (e->kind == HYLA_TREE_GRAY) return hy_gray_inverse(node);
  if (e->kind == HYLA_TREE_CONTRACTED) return (int64_t)hy_gray_inverse(node >> 1) << 1 | 1;
  struct numbers numbers = numbers_of(e);
  int64_t v = numbers.first;
  while (v <= numbers.last && tree_node(e, v) != node) v += numbers.step;
  return v;
}

bool hyla_embed_point(const hyla_embedding *e, int node, int64_t *point) {
  if (e == NULL || point == NULL || e->points == 0 || node < 0 || node >> e->dims != 0)
    return false;
  if (is_tree(e)) {
    int64_t v = tree_number(e, (uint32_t)node);
    if (hyla_embed_node(e, &v) != node) return false;
    point[0] = v;
    return true;
  }
  uint32_t place[HY_MESH_AXES];
  const char *reason;
  struct hy_mesh mesh = mesh_of(e, &reason);
  if (reason != NULL || !hy_mesh_point(&mesh, (uint32_t)node, place)) return false;
  for (int i = 0; i < e->axes; i++) point[i] = place[i];
  return true;
}

/* ------------------------------------------------------------ congestion -- */

/* Counts one message from node to node, lowest dimension first, on each link that it crosses.
 * Returns the largest count on these links. */
static int32_t book(int32_t *work, int dims, uint32_t from, uint32_t to) {
  int32_t most = 0;
  for (int bit = 0; bit < dims; bit++) {
    if (((from ^ to) >> bit & 1u) == 0) continue;
    int32_t *link = &work[(int64_t)from * dims + bit];
    if (++*link > most) most = *link;
    from ^= UINT32_C(1) << bit;
  }
  return most;
}

static int32_t book_edge(int32_t *work, int dims, int from, int to) {
  int32_t out = book(work, dims, (uint32_t)from, (uint32_t)to);
  int32_t back = book(work, dims, (uint32_t)to, (uint32_t)from);
  return out > back ? out : back;
}

/* Counts the edges from a point to the next point along each axis, or to the tree node's parent. */
static int32_t book_point(const hyla_embedding *e, int32_t *work, int node, const int64_t *point) {
  int32_t most = 0;
  for (int axis = 0; axis < e->axes; axis++) {
    int64_t next[HYLA_EMBED_AXES];
    for (int i = 0; i < e->axes; i++) next[i] = point[i];
    next[axis] = is_tree(e) ? hyla_embed_parent(e, point[0]) : point[axis] + 1;
    if (is_closed(e) && e->side[axis] > 2) next[axis] %= e->side[axis];
    int other = hyla_embed_node(e, next);
    if (other < 0) continue;
    int32_t met = book_edge(work, e->dims, node, other);
    if (met > most) most = met;
  }
  return most;
}

int hyla_embed_congestion(const hyla_embedding *e, int32_t *work) {
  int64_t point[HYLA_EMBED_AXES] = {0};
  int32_t most = 0;
  if (e == NULL || work == NULL || e->points == 0) return -1;
  for (int64_t i = 0; i < (int64_t)e->dims << e->dims; i++) work[i] = 0;
  /* The numbers of all cube nodes; for a tree those of its own nodes. */
  struct numbers numbers = {0, (INT64_C(1) << e->dims) - 1, 1};
  if (is_tree(e)) numbers = numbers_of(e);
  for (int64_t v = numbers.first; v <= numbers.last; v += numbers.step) {
    point[0] = v;
    if (!is_tree(e) && !hyla_embed_point(e, (int)v, point)) continue;
    int32_t met = book_point(e, work, hyla_embed_node(e, point), point);
    if (met > most) most = met;
  }
  return most;
}
