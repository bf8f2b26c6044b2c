/* All-gather on tori in the fewest steps of whole blocks, and on arrays in twice as many.
 *
 * Method: one broadcast tree, moved to every root (Bertsekas et al. 1991, section 2, on cubes).
 * The links of the tree that are used in one step lead in different directions, so its copies never
 * meet on a link.  The tree is grown step by step: a matching gives each direction a node that has
 * not been reached and whose neighbour against that direction has been reached before.  Nearer
 * nodes come first.  On an array the tree is that of the torus, folded (schedule/fold.c).
 *   translated  all-gather
 *   v92-full    partial all-gather: the same, without the blocks of nodes that are not active
 * Example, ring:4: step 0 reaches node 1 upwards and node 3 downwards, step 1 node 2.  Node x's
 * block goes the same way from x: to x + 1 and x - 1, then to x + 2.
 * Reference: Varvarigos 1992, 3.2 (theorem 1, which cites the torus' algorithm without giving it).
 * Steps: ceil((N - 1) / directions) on every torus that was tried, the bound of a node's ports;
 * twice that on an array, which on squares is the bound of a corner.
 * Restriction: blocks of equal length, on arrays.
 * Memory: the result; on arrays also blocks that pass through. */
#include "collective/mesh.h"

/* When and over which link a node is reached from node 0. */
enum { ROOT = -1, NOT_YET = INT32_MAX };
struct reached {
  int32_t step;
  uint32_t across, back; /* the parent's port; the node's port to the parent */
  int64_t child, behind; /* the first child; the parent's next one; -1: none */
};

struct tree {
  struct hy_found found; /* first; on the network that was asked for */
  struct hy_network torus;
  const struct hy_network *array; /* the torus is folded on it; NULL: it is not */
  int steps;                      /* on the torus */
  const uint8_t *active;          /* NULL: all */
  struct reached node[];
};

/* ------------------------------------------------------------- the tree -- */

/* A step of the growing tree. */
struct growth {
  struct tree *tree;
  const uint32_t *order; /* the nodes that are not reached, nearest first */
  int step;
};

/* The directions in which a node can be reached in this step. */
static uint32_t directions_to(const void *arg, int64_t i) {
  const struct growth *g = arg;
  const struct hy_network *torus = &g->tree->torus;
  const uint32_t node = g->order[i];
  uint32_t directions = 0;
  for (int port = 0; port < torus->ports; port++) {
    const int64_t parent = hy_network_peer(torus, node, port);
    if (parent < 0) continue;
    if (g->tree->node[parent].step >= g->step) continue;
    directions |= 1u << hy_network_back(torus, node, port);
  }
  return directions;
}

/* Reaches a node in each direction, if it can; returns the number of nodes. */
static int grow(struct growth *g, int64_t left, int directions) {
  struct tree *tree = g->tree;
  struct hy_links links = {.links = directions_to, .arg = g};
  int matched = 0;
  for (int64_t i = 0; i < left && matched < directions; i++) matched += hy_links_carry(&links, i);
  for (int port = 0; port < tree->torus.ports; port++) {
    if (links.carried[port] == 0) continue;
    const uint32_t node = g->order[links.carried[port] - 1];
    const uint32_t across = 1u << port;
    const uint32_t back = hy_packet_back(&tree->torus, 0, across);
    const int64_t parent = hy_packet_peer(&tree->torus, node, back);
    tree->node[node] = (struct reached){g->step, across, back, -1, tree->node[parent].child};
    tree->node[parent].child = node;
  }
  return matched;
}

/* Orders the nodes but the root by their distance from it. */
static void order_nodes(const struct hy_network *torus, uint32_t *order) {
  uint32_t count = 0;
  for (int distance = 1; count + 1 < torus->nodes; distance++)
    for (uint32_t node = 1; node < torus->nodes; node++)
      if (hy_network_distance(torus, 0, node) == distance) order[count++] = node;
}

static void grow_all(struct tree *tree, uint32_t *order) {
  struct growth g = {.tree = tree, .order = order};
  const int directions = hy_network_degree(&tree->torus);
  for (int64_t left = (int64_t)tree->torus.nodes - 1, kept; left > 0; left = kept, g.step++) {
    grow(&g, left, directions);
    kept = 0;
    for (int64_t i = 0; i < left; i++)
      if (tree->node[order[i]].step == NOT_YET) order[kept++] = order[i];
  }
  tree->steps = g.step;
}

/* The caller frees *found also after a failure. */
static hyla_status plant(struct hy_base *base, const struct hy_collective *c,
                         struct hy_found **found) {
  struct tree *tree = NULL;
  uint32_t *order = NULL;
  const int64_t nodes = c->network->nodes;
  TRY(hy_alloc(base, 1, sizeof *tree + (size_t)nodes * sizeof *tree->node, &tree));
  *found = &tree->found;
  tree->torus = *c->network;
  tree->torus.kind = HY_TORUS;
  tree->array = c->network->kind == HY_ARRAY ? c->network : NULL;
  tree->active = c->task == HY_TASK_PARTIAL ? c->active : NULL;
  TRY(hy_alloc(base, nodes, sizeof *order, &order));
  order_nodes(&tree->torus, order);
  for (int64_t i = 0; i < nodes; i++)
    tree->node[i] = (struct reached){i == 0 ? ROOT : NOT_YET, 0, 0, -1, -1};
  grow_all(tree, order);
  hy_free(base, &order);
  const bool folds = tree->array != NULL;
  const int64_t senders = tree->active != NULL ? hy_active_count(c) : nodes;
  tree->found.steps = folds ? 2 * tree->steps : tree->steps;
  tree->found.packets = folds ? 0 : senders * (nodes - 1);
  return HYLA_OK;
}

/* ------------------------------------------------------- its translations -- */

/* Does a node of the torus have a block for all nodes? */
static bool sends(const struct tree *tree, uint32_t node) {
  if (tree->active == NULL) return true;
  return tree->active[tree->array != NULL ? hy_fold_node(tree->array, node, false) : node] != 0;
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct tree *tree = generator->table;
  const struct hy_network *torus = &tree->torus;
  uint32_t here[HY_NETWORK_AXES], point[HY_NETWORK_AXES];
  out->steps = tree->steps;
  hy_network_point(torus, node, here);
  for (uint32_t source = 0; source < torus->nodes; source++) {
    const struct hy_piece piece = {.block = source, .run = 1, .from = 0, .to = 1};
    if (!sends(tree, source)) continue;
    hy_network_point(torus, source, point);
    for (int a = 0; a < torus->axes; a++)
      point[a] = (here[a] + torus->side[a] - point[a]) % torus->side[a];
    const struct reached *it = &tree->node[hy_network_node(torus, point)];
    if (it->step != ROOT) TRY(hy_schedule_add(out, it->step, it->back, HY_IN, piece));
    for (int64_t child = it->child; child >= 0; child = tree->node[child].behind)
      TRY(hy_schedule_add(out, tree->node[child].step, tree->node[child].across, HY_OUT, piece));
  }
  return HYLA_OK;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_found *found = NULL;
  hyla_status status = plant(recipe->base, c, &found);
  hy_recipe_keep(recipe, found);
  TRY(status);
  recipe->found = found;
  const struct tree *tree = (const struct tree *)found;
  hy_recipe_push(recipe, (struct hy_generator){make, c->dims, .numbered = true, .table = tree,
                                               .network = &tree->torus});
  return HYLA_OK;
}

static const char *serves(const struct hy_collective *c) {
  const bool folds = c->network->kind == HY_ARRAY;
  return folds && c->blocks.offsets != NULL ? "on an array it needs blocks of equal length" : NULL;
}

static const char formula[] = "ceil((N-1)/(2d)) (tau m + beta) on a torus of sides above 2, "
                              "2 ceil((N-1)/(2d)) (tau m + beta) on an array";

const struct hy_collective_variant hy_allgather_translated = {
    .base = {.name = "translated", .reference = "varvarigos-1992, chapter 3, theorem 1"},
    .applies = serves,
    .task = HY_TASK_ALLGATHER,
    .networks = HY_ON_MESHES,
    .folds = true,
    .formula = formula,
    .build = build,
    .find = plant,
    .letters = hy_mesh_letters,
};

const struct hy_collective_variant hy_partial_full = {
    .base = {.name = "v92-full", .reference = "varvarigos-1992, section 3.4"},
    .applies = serves,
    .task = HY_TASK_PARTIAL,
    .networks = HY_ON_MESHES,
    .folds = true,
    .formula = formula,
    .build = build,
    .find = plant,
    .letters = hy_mesh_letters,
};
