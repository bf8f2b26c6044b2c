/* Broadcast, scatter and all-reduce on arrays and tori of any sides, and their reverses: reduction
 * and gather.
 *
 *   tree      broadcast: along the first axis from the root, from there along the second, and so
 *             on, in g packets one behind the other.  All-reduce: up this tree of the node in the
 *             middle, and down again
 *   balanced  scatter: whole blocks down a tree of shortest ways, those for the farthest nodes
 *             first.  If several ports of the root begin a shortest way to a node, the node takes
 *             the one that serves the fewest nodes so far
 * Example, array:3x3, root 0: `tree' brings a packet to nodes 3 and 6 down the first axis, and
 * from 0, 3 and 6 along each row; node 8 has it after D = 4 links.
 * Reference: the trees are ours; Varvarigos 1992, chapter 3 has none of these operations on meshes.
 * Steps: g + D - 1, D the distance of the node farthest from the root; all-reduce g + 2 D - 1, D
 * the sum of floor(side / 2); scatter the most nodes behind a port of the root.
 * Ports: all.  Restriction: none; blocks may have any lengths.
 * Memory: scatter and gather: each node has room for all blocks. */
#include "collective/mesh.h"

/* ------------------------------------------------------------ broadcast -- */

/* A tree on a mesh: its root, and how far its lines reach from the root's coordinates. */
struct stand {
  const struct hy_network *network;
  uint32_t root[HY_NETWORK_AXES];
  int64_t up[HY_NETWORK_AXES];   /* the nodes of a line that are reached upwards from the root's */
  int64_t down[HY_NETWORK_AXES]; /* and downwards */
  int64_t height;                /* the largest depth */
};

static struct stand stand_of(const struct hy_collective *c) {
  const struct hy_network *network = c->network;
  struct stand s = {.network = network};
  hy_network_point(network, c->root, s.root);
  for (int a = 0; a < network->axes; a++) {
    const int64_t side = network->side[a];
    if (c->task == HY_TASK_ALLREDUCE) s.root[a] = (uint32_t)(side - 1) / 2;
    s.up[a] = hy_is_ring(network, a) ? side / 2 : side - 1 - s.root[a];
    s.down[a] = side - 1 - s.up[a];
    s.height += hy_max(s.up[a], s.down[a]);
  }
  return s;
}

/* Steps upwards from the root's coordinate; negative: downwards. */
static int64_t offset_of(const struct stand *s, const uint32_t *point, int axis) {
  const int64_t away = (int64_t)point[axis] - s->root[axis];
  if (away > s->up[axis]) return away - s->network->side[axis];
  return -away > s->down[axis] ? away + s->network->side[axis] : away;
}

/* A node's links in the tree. */
struct seat {
  int64_t depth;
  uint32_t parent; /* as a packet's `across'; 0: the root */
  uint32_t child[2 * HY_NETWORK_AXES];
  int children;
};

static struct seat seat_of(const struct stand *s, uint32_t node) {
  uint32_t point[HY_NETWORK_AXES];
  struct seat seat = {.depth = 0};
  int last = -1;
  hy_network_point(s->network, node, point);
  for (int a = 0; a < s->network->axes; a++) {
    const int64_t offset = offset_of(s, point, a);
    if (offset == 0) continue;
    seat.depth += offset < 0 ? -offset : offset;
    seat.parent = hy_line_across(s->network, a, offset < 0);
    last = a;
  }
  for (int a = last < 0 ? 0 : last; a < s->network->axes; a++) {
    const int64_t offset = offset_of(s, point, a);
    if (offset >= 0 && offset < s->up[a])
      seat.child[seat.children++] = hy_line_across(s->network, a, true);
    if (offset <= 0 && -offset < s->down[a])
      seat.child[seat.children++] = hy_line_across(s->network, a, false);
  }
  return seat;
}

/* A packet's links at a node: from the parent to the children, or back, with sums. */
static hyla_status pass_down(const struct seat *seat, int64_t start, struct hy_piece piece,
                             struct hy_schedule *out) {
  if (seat->parent != 0)
    TRY(hy_schedule_add(out, (int)(start + seat->depth - 1), seat->parent, HY_IN, piece));
  for (int i = 0; i < seat->children; i++)
    TRY(hy_schedule_add(out, (int)(start + seat->depth), seat->child[i], HY_OUT, piece));
  return HYLA_OK;
}

static hyla_status sum_up(const struct seat *seat, int64_t end, struct hy_piece piece,
                          struct hy_schedule *out) {
  for (int i = 0; i < seat->children; i++)
    TRY(hy_schedule_add(out, (int)(end - 1 - seat->depth), seat->child[i], HY_ADD, piece));
  if (seat->parent == 0) return HYLA_OK;
  return hy_schedule_add(out, (int)(end - seat->depth), seat->parent, HY_OUT, piece);
}

/* up: the steps in which a packet comes up the tree before it goes down. */
struct tree {
  struct stand stand;
  uint32_t packets;
  int64_t up;
};

static hyla_status make_tree(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  const struct tree *tree = generator->table;
  const struct seat seat = seat_of(&tree->stand, node);
  out->parts = tree->packets;
  out->steps = (int)(tree->packets + tree->up + tree->stand.height - 1);
  for (uint32_t i = 0; i < tree->packets; i++) {
    const struct hy_piece piece = {.run = 1, .from = i, .to = i + 1};
    if (tree->up > 0) TRY(sum_up(&seat, i + tree->up, piece, out));
    TRY(pass_down(&seat, i + tree->up, piece, out));
  }
  return HYLA_OK;
}

/* The links that the first packet crosses, one after the other. */
static int64_t length_of(const struct hy_collective *c) {
  const int64_t height = stand_of(c).height;
  return c->task == HY_TASK_ALLREDUCE ? 2 * height : height;
}

static hyla_status build_tree(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct tree *tree = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *tree, &tree));
  tree->stand = stand_of(c);
  tree->packets = tree->stand.height > 0 ? (uint32_t)hy_best_packets(c, length_of(c)) : 1;
  tree->up = length_of(c) - tree->stand.height;
  hy_recipe_add(recipe, c, make_tree, tree);
  return HYLA_OK;
}

static struct hy_form form_tree(const struct hy_collective *c) {
  const int64_t length = length_of(c), others = (int64_t)c->network->nodes - 1;
  const int64_t ways = c->task == HY_TASK_ALLREDUCE ? 2 : 1;
  const int64_t packets = hy_best_packets(c, length);
  return hy_form_packets(packets, length, ways * packets * others);
}

static void letters_tree(const struct hy_collective *c, struct hy_text *text) {
  hy_text_add(text, ", g = %d, D = %lld", hy_best_packets(c, length_of(c)),
              (long long)stand_of(c).height);
}

/* -------------------------------------------------------------- scatter -- */

/* A node's place in the balanced tree. */
struct place {
  int32_t distance; /* from the root */
  int32_t start;    /* the step in which the root sends its block */
  uint32_t across;  /* its port to the parent */
  uint32_t parent;
  uint32_t branch; /* the root's port that serves it */
};

struct balanced {
  struct hy_found found; /* first */
  uint32_t root;
  struct place node[];
};

/* Chooses the parent of a node.  The nodes nearer to the root have theirs. */
static void choose_parent(const struct hy_network *network, uint32_t node, int64_t *served,
                          struct balanced *tree) {
  struct place *it = &tree->node[node];
  int64_t least = INT64_MAX;
  for (int port = 0; port < network->ports; port++) {
    const int64_t parent = hy_network_peer(network, node, port);
    if (parent < 0 || tree->node[parent].distance + 1 != it->distance) continue;
    const uint32_t branch = it->distance == 1 ? (uint32_t)hy_network_back(network, node, port)
                                              : tree->node[parent].branch;
    if (served[branch] >= least) continue;
    least = served[branch];
    it->parent = (uint32_t)parent;
    it->across = 1u << port;
    it->branch = branch;
  }
  served[it->branch]++;
}

static hyla_status plant(struct hy_base *base, const struct hy_collective *c,
                         struct hy_found **found) {
  const struct hy_network *network = c->network;
  const uint32_t nodes = network->nodes;
  int64_t served[HY_NETWORK_PORTS] = {0}, sent[HY_NETWORK_PORTS] = {0};
  struct balanced *tree = NULL;
  int32_t farthest = 0;
  TRY(hy_alloc(base, 1, sizeof *tree + (size_t)nodes * sizeof *tree->node, &tree));
  *found = &tree->found;
  tree->root = c->root;
  for (uint32_t node = 0; node < nodes; node++) {
    tree->node[node].distance = hy_network_distance(network, c->root, node);
    farthest = (int32_t)hy_max(farthest, tree->node[node].distance);
    tree->found.packets += tree->node[node].distance;
  }
  for (int32_t distance = 1; distance <= farthest; distance++)
    for (uint32_t node = 0; node < nodes; node++)
      if (tree->node[node].distance == distance) choose_parent(network, node, served, tree);
  for (int32_t distance = farthest; distance > 0; distance--)
    for (uint32_t node = 0; node < nodes; node++)
      if (tree->node[node].distance == distance)
        tree->node[node].start = (int32_t)sent[tree->node[node].branch]++;
  for (int port = 0; port < network->ports; port++)
    tree->found.steps = (int)hy_max(tree->found.steps, served[port]);
  return HYLA_OK;
}

static hyla_status make_scatter(const struct hy_generator *generator, uint32_t node,
                                struct hy_schedule *out) {
  const struct balanced *tree = generator->table;
  out->steps = tree->found.steps;
  for (uint32_t target = 0; target < generator->network->nodes; target++) {
    const struct hy_piece piece = {.block = target, .run = 1, .from = 0, .to = 1};
    for (uint32_t place = target; place != tree->root; place = tree->node[place].parent) {
      const struct place *it = &tree->node[place];
      const int step = tree->node[target].start + it->distance - 1;
      const uint32_t out_of = hy_packet_back(generator->network, place, it->across);
      if (place == node) TRY(hy_schedule_add(out, step, it->across, HY_IN, piece));
      if (it->parent == node) TRY(hy_schedule_add(out, step, out_of, HY_OUT, piece));
    }
  }
  return HYLA_OK;
}

static void letters_balanced(const struct hy_collective *c, struct hy_text *text) {
  hy_text_add(text, ", B = %lld", (long long)hy_variant_form(&hy_scatter_balanced, c).steps);
}

/* ------------------------------------------------------------------ rows -- */

const struct hy_collective_variant hy_broadcast_tree = {
    .base = {.name = "tree", .reference = "varvarigos-1992, section 1.3 (the tree is ours)"},
    .task = HY_TASK_BROADCAST,
    .networks = HY_ON_MESHES,
    .formula = "(g + D - 1) (tau m / g + beta), D = links from the root to the farthest node",
    .build = build_tree,
    .form = form_tree,
    .letters = letters_tree,
};

const struct hy_collective_variant hy_allreduce_tree = {
    .base = {.name = "tree", .reference = "varvarigos-1992, section 1.3 (the tree is ours)"},
    .task = HY_TASK_ALLREDUCE,
    .networks = HY_ON_MESHES,
    .formula = "(g + 2 D - 1) (tau m / g + beta), D = sum of floor(p/2)",
    .build = build_tree,
    .form = form_tree,
    .letters = letters_tree,
};

const struct hy_collective_variant hy_scatter_balanced = {
    .base = {.name = "balanced", .reference = "varvarigos-1992, section 1.3 (the tree is ours)"},
    .task = HY_TASK_SCATTER,
    .networks = HY_ON_MESHES,
    .formula = "B (tau m + beta), B = most nodes behind one of the root's ports",
    .make = make_scatter,
    .find = plant,
    .letters = letters_balanced,
};
