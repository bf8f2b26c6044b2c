/* All-gather and partial all-gather on arrays and tori, one axis after the other.
 *
 * Method: the blocks of active nodes are packed on the first nodes, in the order of their nodes,
 * along the last axis, then the one before it, and so on.  Then the axes are crossed from the first
 * to the last, and in each line every node sends all that it holds to all others, in rounds of one
 * block from each.  If all nodes are active, nothing is packed.
 *   axes   all blocks go so
 *   split  with equal sides: each block is cut in d parts, and part c crosses the axes c places
 *          later in their circle, so that all links are busy.  On a torus a part is cut in two
 *          halves, one for each way round
 *   whole  the same with blocks in place of parts: the block of rank r is in class r mod d
 * Example, array:3x3 with nodes 1, 5 and 6 active: their ranks are 0, 1 and 2.  Packing moves their
 * blocks from the points (0, 1), (1, 2) and (2, 0) along the last axis to (0, 0), (1, 1) and
 * (2, 2), along the first to (0, 0), (0, 1) and (0, 2).  One round brings each block to its column,
 * one more to all columns: 4 + 2 + 2 steps.
 * Reference: Varvarigos 1992, 3.3 (theorem 3), 3.4 (lemma 2, theorem 6), 3.4.2.
 * Steps, exact: packing, the sum of (side - 1); and for each axis the rounds, the most blocks that
 * a node holds, times the steps of a round: side - 1 on an array and for halves, floor(side / 2) on
 * a torus.  With equal sides p and M blocks the rounds are S(M) = sum of ceil(M / p^l),
 * l = 1 ... d.
 * Memory: the result. */
#include "collective/mesh.h"

/* The active nodes and their ranks.  In class c digit l of a node's number is its coordinate on
 * axis d - 1 - (l + c) mod d. */
struct partial {
  const struct hy_network *network;
  enum hy_mesh_way way;
  int classes;
  bool packs;
  int64_t longest; /* the largest class */
  int32_t *rank;   /* [class][node]: rank among the class's active nodes, by their digits in the
                    * class; -1: not in the class */
  uint32_t *node;  /* [class][number]: the node with this number in the class's digits */
  uint32_t *digit; /* [class][node][l] */
};

static int axis_of(const struct hy_network *network, int class, int digit) {
  const int d = network->axes;
  return d - 1 - (digit + class) % d;
}

static int64_t place_of(const struct partial *p, int class, uint32_t node) {
  return (int64_t) class * p->network->nodes + node;
}

/* A node's digits in a class, lowest first. */
static const uint32_t *digits_of(const struct partial *p, int class, uint32_t node) {
  return p->digit + place_of(p, class, node) * p->network->axes;
}

/* The node with the number `rank' in the class's digits. */
static uint32_t node_of_rank(const struct partial *p, int class, uint32_t rank) {
  return p->node[place_of(p, class, rank)];
}

static void set_digits(struct partial *p) {
  const int d = p->network->axes;
  for (int class = 0; class < p->classes; class ++)
    for (uint32_t node = 0; node < p->network->nodes; node++) {
      uint32_t point[HY_NETWORK_AXES], number = 0;
      uint32_t *digit = p->digit + place_of(p, class, node) * d;
      hy_network_point(p->network, node, point);
      for (int l = d; l-- > 0;) {
        const int axis = axis_of(p->network, class, l);
        digit[l] = point[axis];
        number = number * p->network->side[axis] + point[axis];
      }
      p->node[place_of(p, class, number)] = node;
    }
}

/* Is there anything to pack?  If all nodes are active, ranks are numbers and all blocks are in
 * place; but a class of `whole' has only some of the nodes. */
static bool packs_for(const struct hy_network *network, enum hy_mesh_way way, int64_t count) {
  return count > 0 && (count < network->nodes || (way == HY_WAY_WHOLE && network->axes > 1));
}

static void set_ranks(const uint8_t *active, struct partial *p) {
  const uint32_t nodes = p->network->nodes;
  int64_t count = 0;
  for (int64_t i = 0; i < p->classes * (int64_t)nodes; i++) p->rank[i] = -1;
  for (uint32_t node = 0; node < nodes; node++) {
    if (active != NULL && active[node] == 0) continue;
    /* Marks the node in its class; the ranks are set below. */
    for (int class = 0; class < p->classes; class ++)
      if (p->way != HY_WAY_WHOLE || count % p->classes == class)
        p->rank[place_of(p, class, node)] = 0;
    count++;
  }
  for (int class = 0; class < p->classes; class ++) {
    uint32_t next = 0;
    for (uint32_t x = 0; x < nodes; x++) {
      int32_t *rank = &p->rank[place_of(p, class, node_of_rank(p, class, x))];
      if (*rank >= 0) *rank = (int32_t)next++;
    }
    p->longest = hy_max(p->longest, next);
  }
  p->packs = packs_for(p->network, p->way, count);
}

/* ----------------------------------------------------------- one packet -- */

/* A block, or a part of it, on its way through a class; `me' is the node whose schedule is made. */
struct packet {
  const struct partial *partial;
  int class;
  const uint32_t *source, *rank, *me; /* digits */
  int64_t number;                     /* the rank as a number */
  struct hy_piece piece;
};

/* Adds the packets that go over the links of `me' along digit l.  `me' stands `steps' links behind
 * the first node, which sends in step `start'; the last node stands `length' links behind it.
 * skips: the packet does not come in, does not go out. */
static hyla_status pass(const struct packet *packet, struct hy_piece piece, int l, bool up,
                        int64_t start, int64_t steps, int64_t length, bool skips[2],
                        struct hy_schedule *out) {
  const struct hy_network *network = packet->partial->network;
  const int axis = axis_of(network, packet->class, l);
  if (steps > 0 && steps <= length && !skips[0])
    TRY(hy_schedule_add(out, (int)(start + steps - 1), hy_line_across(network, axis, !up), HY_IN,
                        piece));
  if (steps < length && !skips[1])
    TRY(hy_schedule_add(out, (int)(start + steps), hy_line_across(network, axis, up), HY_OUT,
                        piece));
  return HYLA_OK;
}

/* Is `me' on the line along which the packet is packed in digit l?  Lower digits are the rank's
 * there, higher ones the source's. */
static bool is_packed_along(const struct packet *packet, const uint32_t *me, int l) {
  const int d = packet->partial->network->axes;
  for (int i = 0; i < d; i++)
    if (i != l && me[i] != (i < l ? packet->rank : packet->source)[i]) return false;
  return true;
}

static bool is_between(int64_t x, int64_t a, int64_t b) {
  return (a <= x && x <= b) || (b <= x && x <= a);
}

/* Brings the packet to the node of its rank. */
static hyla_status pack(const struct packet *packet, struct hy_schedule *out) {
  const struct hy_network *network = packet->partial->network;
  bool skips[2] = {false, false};
  int64_t start = 0;
  for (int l = 0; l < network->axes; l++) {
    const int64_t from = packet->source[l], to = packet->rank[l], me = packet->me[l];
    if (from != to && is_packed_along(packet, packet->me, l) && is_between(me, from, to))
      TRY(pass(packet, packet->piece, l, to > from, start, to > from ? me - from : from - me,
               to > from ? to - from : from - to, skips, out));
    start += network->side[axis_of(network, packet->class, l)] - 1;
  }
  return HYLA_OK;
}

/* Has the packet been at the node on its way to the node of its rank? */
static bool on_path(const struct packet *packet, const uint32_t *me) {
  for (int l = 0; l < packet->partial->network->axes; l++)
    if (is_packed_along(packet, me, l) && is_between(me[l], packet->source[l], packet->rank[l]))
      return true;
  return false;
}

/* The steps of a round in a line, and the nodes that a packet reaches upwards and downwards. */
struct round {
  int64_t steps, reach[2];
};

static struct round round_of(const struct partial *p, int axis, uint32_t at) {
  const int64_t side = p->network->side[axis];
  if (!hy_is_ring(p->network, axis)) return (struct round){side - 1, {side - 1 - at, at}};
  if (p->way == HY_WAY_SPLIT) return (struct round){side - 1, {side - 1, side - 1}};
  return (struct round){side / 2, {side / 2, (side - 1) / 2}};
}

/* Adds the packet's way to all nodes of the line of `me' along digit l, in one direction.  Nodes
 * that had it before are left out, so that each node gets it once. */
static hyla_status spread_along(const struct packet *packet, int l, bool up, int64_t start,
                                int64_t reach, struct hy_schedule *out) {
  const struct partial *p = packet->partial;
  const int axis = axis_of(p->network, packet->class, l);
  const int64_t side = p->network->side[axis];
  const int64_t ahead =
      up ? (int64_t)packet->me[l] - packet->rank[l] : (int64_t)packet->rank[l] - packet->me[l];
  const int64_t steps = ahead < 0 ? ahead + side : ahead;
  struct hy_piece piece = packet->piece;
  if (steps > reach) return HYLA_OK;
  bool skips[2] = {false, false};
  if (p->packs) {
    uint32_t next[HY_NETWORK_AXES];
    for (int i = 0; i < p->network->axes; i++) next[i] = packet->me[i];
    next[l] = (uint32_t)((next[l] + side + (up ? 1 : -1)) % side);
    skips[0] = steps > 0 && on_path(packet, packet->me);
    skips[1] = steps < reach && on_path(packet, next);
  }
  if (p->way == HY_WAY_SPLIT && hy_is_ring(p->network, axis)) {
    const uint32_t middle = (piece.from + piece.to) / 2;
    *(up ? &piece.to : &piece.from) = middle;
  }
  return pass(packet, piece, l, up, start, steps, reach, skips, out);
}

/* When packets begin to cross each digit, and how many ranks go in one round there. */
struct wave {
  int64_t start, below;
};

/* Returns the steps of all. */
static int64_t plan_waves(const struct partial *p, int class, struct wave *waves) {
  int64_t start = p->packs ? hy_mesh_length(p->network) : 0, below = p->network->nodes;
  for (int l = p->network->axes; l-- > 0;) {
    const int axis = axis_of(p->network, class, l);
    waves[l] = (struct wave){start, below};
    start += hy_ceil_div(p->longest, below) * round_of(p, axis, 0).steps;
    below /= p->network->side[axis];
  }
  return start;
}

/* Spreads the packet over each axis, from all nodes that have the rank's digits up to l. */
static hyla_status spread(const struct packet *packet, const struct wave *waves,
                          struct hy_schedule *out) {
  const struct partial *p = packet->partial;
  bool there = true;
  for (int l = 0; l < p->network->axes && there; l++) {
    const struct round round = round_of(p, axis_of(p->network, packet->class, l), packet->rank[l]);
    const int64_t now = waves[l].start + packet->number / waves[l].below * round.steps;
    for (int down = 0; down < 2; down++)
      TRY(spread_along(packet, l, down == 0, now, round.reach[down], out));
    there = packet->me[l] == packet->rank[l];
  }
  return HYLA_OK;
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct partial *p = generator->table;
  const uint32_t nodes = p->network->nodes;
  const uint32_t each = p->network->kind == HY_TORUS ? 2 : 1; /* parts of a packet */
  const bool split = p->way == HY_WAY_SPLIT;
  out->parts = split ? each * (uint32_t)p->classes : 1;
  for (int c = 0; c < p->classes; c++) {
    const uint32_t *me = digits_of(p, c, node);
    struct wave waves[HY_NETWORK_AXES];
    out->steps = (int)hy_max(out->steps, plan_waves(p, c, waves));
    for (uint32_t source = 0; source < nodes; source++) {
      const int32_t rank = p->rank[place_of(p, c, source)];
      const uint32_t from = split ? each * (uint32_t)c : 0;
      if (rank < 0) continue;
      const struct packet packet = {
          p,
          c,
          digits_of(p, c, source),
          digits_of(p, c, node_of_rank(p, c, (uint32_t)rank)),
          me,
          rank,
          {.block = source, .run = 1, .from = from, .to = split ? from + each : 1}};
      if (p->packs) TRY(pack(&packet, out));
      TRY(spread(&packet, waves, out));
    }
  }
  return HYLA_OK;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe,
                         enum hy_mesh_way way, const uint8_t *active) {
  const int classes = way == HY_WAY_AXES ? 1 : c->network->axes;
  const int64_t count = (int64_t)classes * c->network->nodes;
  struct partial *partial = NULL;
  struct hy_base *base = recipe->base;
  TRY(hy_recipe_table(recipe, 1, sizeof *partial, &partial));
  *partial = (struct partial){.network = c->network, .way = way, .classes = classes};
  TRY(hy_alloc_for(base, partial, count, sizeof *partial->rank, &partial->rank));
  TRY(hy_alloc_for(base, partial, count, sizeof *partial->node, &partial->node));
  TRY(hy_alloc_for(base, partial, count * c->network->axes, sizeof *partial->digit,
                   &partial->digit));
  set_digits(partial);
  set_ranks(active, partial);
  hy_recipe_add(recipe, c, make, partial);
  return HYLA_OK;
}

hyla_status hy_mesh_push_allgather(const struct hy_collective *c, struct hy_recipe *recipe,
                                   enum hy_mesh_way way) {
  return build(c, recipe, way, NULL);
}

/* ---------------------------------------------------------------- forms -- */

void hy_mesh_letters(const struct hy_collective *c, struct hy_text *text) {
  const struct hy_network *network = c->network;
  hy_text_add(text, ", N = %u", network->nodes);
  if (hy_mesh_is_square(network)) hy_text_add(text, ", p = %u", network->side[0]);
  hy_text_add(text, ", w = %d", network->kind == HY_TORUS ? 2 : 1);
}

int64_t hy_mesh_length(const struct hy_network *network) {
  int64_t length = 0;
  for (int a = 0; a < network->axes; a++) length += network->side[a] - 1;
  return length;
}

bool hy_mesh_is_square(const struct hy_network *network) {
  for (int a = 1; a < network->axes; a++)
    if (network->side[a] != network->side[0]) return false;
  return true;
}

struct hy_form hy_mesh_partial_form(const struct hy_network *network, enum hy_mesh_way way,
                                    int64_t count) {
  const int d = network->axes;
  const bool split = way == HY_WAY_SPLIT;
  const int64_t longest = way == HY_WAY_WHOLE ? hy_ceil_div(count, d) : count;
  const bool packs = packs_for(network, way, count);
  const int64_t each = split && network->kind == HY_TORUS ? 2 : 1; /* parts of a packet */
  const int64_t packing = packs ? hy_mesh_length(network) : 0;
  int64_t steps = packing, units = packing * each, below = network->nodes;
  for (int l = d - 1; l >= 0; l--) {
    const int axis = d - 1 - l;
    const int64_t side = network->side[axis];
    const bool ring = hy_is_ring(network, axis);
    const int64_t round = ring && !split ? side / 2 : side - 1;
    const int64_t rounds = hy_ceil_div(longest, below);
    steps += rounds * round;
    units += rounds * round * (ring ? 1 : each);
    below /= side;
  }
  const int64_t parts = split ? each * d : 1;
  return (struct hy_form){steps, {units, parts}, 0, parts};
}

static struct hy_form form_of(const struct hy_collective *c, enum hy_mesh_way way) {
  const bool some = c->task == HY_TASK_PARTIAL;
  return hy_mesh_partial_form(c->network, way, some ? hy_active_count(c) : c->network->nodes);
}

static struct hy_form form_axes(const struct hy_collective *c) { return form_of(c, HY_WAY_AXES); }
static struct hy_form form_split(const struct hy_collective *c) { return form_of(c, HY_WAY_SPLIT); }
static struct hy_form form_whole(const struct hy_collective *c) { return form_of(c, HY_WAY_WHOLE); }

static const uint8_t *active_of(const struct hy_collective *c) {
  return c->task == HY_TASK_PARTIAL ? c->active : NULL;
}

static hyla_status build_axes(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build(c, recipe, HY_WAY_AXES, active_of(c));
}
static hyla_status build_split(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build(c, recipe, HY_WAY_SPLIT, active_of(c));
}
static hyla_status build_whole(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build(c, recipe, HY_WAY_WHOLE, active_of(c));
}

static const char *wants_square(const struct hy_collective *c) {
  return hy_mesh_is_square(c->network) ? NULL : "it needs equal sides";
}

const struct hy_collective_variant hy_allgather_axes = {
    .base = {.name = "axes", .reference = "varvarigos-1992, section 3.4.1, lemma 1"},
    .task = HY_TASK_ALLGATHER,
    .networks = HY_ON_MESHES,
    .formula = "R (tau m + beta), R = sum over the axes of ceil((p-1)/w) times the nodes of the "
               "axes crossed before",
    .build = build_axes,
    .form = form_axes,
    .letters = hy_mesh_letters,
};

const struct hy_collective_variant hy_allgather_split = {
    .base = {.name = "split", .reference = "varvarigos-1992, chapter 3, theorem 6"},
    .applies = wants_square,
    .task = HY_TASK_ALLGATHER,
    .networks = HY_ON_MESHES,
    .formula = "(N-1) (tau m / (w d) + beta)",
    .build = build_split,
    .form = form_split,
    .letters = hy_mesh_letters,
};

const struct hy_collective_variant hy_allgather_whole = {
    .base = {.name = "whole", .reference = "varvarigos-1992, section 3.4.2"},
    .applies = wants_square,
    .task = HY_TASK_ALLGATHER,
    .networks = HY_ON_MESHES,
    .formula = "(d (p-1) + ceil((p-1)/w) S) (tau m + beta), d > 1, S = sum of ceil(ceil(N/d)/p^l), "
               "l = 1 ... d; ceil((p-1)/w) (tau m + beta), d = 1",
    .build = build_whole,
    .form = form_whole,
    .letters = hy_mesh_letters,
};

/* The forms of partial all-gathers also count steps in which nothing happens to move: they hold for
 * any placement of the active nodes. */
const struct hy_collective_variant hy_partial_axes = {
    .base = {.name = "axes", .reference = "varvarigos-1992, chapter 3, lemma 2"},
    .task = HY_TASK_PARTIAL,
    .networks = HY_ON_MESHES,
    .formula = "(L + R) (tau m + beta), M < N, L = sum of (p-1), R = sum over the axes of "
               "ceil((p-1)/w) ceil(M / (nodes of this axis and those crossed later)); "
               "R (tau m + beta), M = N",
    .build = build_axes,
    .form = form_axes,
    .letters = hy_mesh_letters,
};

const struct hy_collective_variant hy_partial_split = {
    .base = {.name = "v92-split", .reference = "varvarigos-1992, chapter 3, theorem 6"},
    .applies = wants_square,
    .task = HY_TASK_PARTIAL,
    .networks = HY_ON_MESHES,
    .formula = "(d (p-1) + (p-1) S/w)/d tau m + (d (p-1) + (p-1) S) beta, M < N, "
               "S = sum of ceil(M/p^l), l = 1 ... d; (N-1) (tau m / (w d) + beta), M = N",
    .build = build_split,
    .form = form_split,
    .letters = hy_mesh_letters,
};

const struct hy_collective_variant hy_partial_whole = {
    .base = {.name = "v92-whole", .reference = "varvarigos-1992, section 3.4.2"},
    .applies = wants_square,
    .task = HY_TASK_PARTIAL,
    .networks = HY_ON_MESHES,
    .formula = "(d (p-1) + ceil((p-1)/w) S) (tau m + beta), S = sum of ceil(ceil(M/d)/p^l), "
               "l = 1 ... d",
    .build = build_whole,
    .form = form_whole,
    .letters = hy_mesh_letters,
};
