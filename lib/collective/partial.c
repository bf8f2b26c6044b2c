/* Partial multinode broadcast by packing, and the all-gather that it gives when all nodes are
 * active.
 *
 * Method: packets are packed on the first nodes, in order, over the dimensions upwards.  Then the
 * dimensions are crossed downwards, and every node sends all packets that it holds.  d classes of
 * packets (parts in II, ranks modulo d in III) do this at once with rotated dimensions, so that no
 * two meet.  In I packed packets are first spread to all subcubes of m dimensions, 2^m >= M, and
 * gathered inside each along the rotation order.
 * Reference: Varvarigos 1992, 3.6.1 (I), 3.6.2 (II), 3.6.3 (III).
 * Steps, exact: I   2 d - m + ceil((2^m - 1) / m)
 *               II  (2 d + M - 1 - popcount(M - 1)) / d, in units of a whole packet
 *               III 2 d + M' - 1 - popcount(M' - 1), M' = ceil(M / d)
 * All ports.  Memory: the result. */
#include "collective/variant.h"

/* The active nodes and their ranks. */
struct partial {
  int dims;
  uint32_t count;   /* M */
  uint32_t longest; /* the largest class */
  bool split;       /* packets are cut in d parts, part c in class c; else class = rank mod d */
  int32_t rank[];   /* [class][node]: rank among the class's active nodes, ordered by their
                     * addresses rotated right by the class; -1: not in the class */
};

static void set_ranks(const uint8_t *active, struct partial *p) {
  const uint32_t nodes = 1u << p->dims, classes = (uint32_t)hy_max(1, p->dims);
  for (int64_t i = 0; i < (int64_t)classes * nodes; i++) p->rank[i] = -1;
  for (uint32_t node = 0; node < nodes; node++) {
    if (active != NULL && active[node] == 0) continue;
    /* Marks the node in its class; the ranks are set below. */
    for (uint32_t class = 0; class < classes; class ++)
      if (p->split || p->count % classes == class) p->rank[(int64_t) class * nodes + node] = 0;
    p->count++;
  }
  for (uint32_t class = 0; class < classes; class ++) {
    uint32_t next = 0;
    for (uint32_t x = 0; x < nodes; x++) {
      int32_t *rank = &p->rank[(int64_t) class * nodes + hy_rotate(x, (int)class, p->dims)];
      if (*rank >= 0) *rank = (int32_t)next++;
    }
    p->longest = (uint32_t)hy_max(p->longest, next);
  }
}

/* A packet on its way, in the addresses of its class. */
struct packet {
  const struct partial *partial;
  int class;
  uint32_t source;
  uint32_t rank;
  struct hy_piece piece;
};

/* Sends the packet over `dim' of its class in `step', if `me' is one of the two nodes. */
static hyla_status cross(const struct packet *packet, int step, int dim, uint32_t from, uint32_t me,
                         struct hy_schedule *out) {
  int d = packet->partial->dims;
  uint32_t across = hy_rotate(1u << dim, packet->class, d);
  if (from == me) return hy_schedule_add(out, step, across, HY_OUT, packet->piece);
  if ((from ^ 1u << dim) == me) return hy_schedule_add(out, step, across, HY_IN, packet->piece);
  return HYLA_OK;
}

/* Packs: the packet goes to the node of its rank, over dimension l in step l. */
static hyla_status pack(const struct packet *packet, uint32_t me, struct hy_schedule *out) {
  uint32_t place = packet->source;
  for (int l = 0; l < packet->partial->dims; l++) {
    uint32_t bit = (place ^ packet->rank) & 1u << l;
    if (bit == 0) continue;
    TRY(cross(packet, l, l, place, me, out));
    place ^= bit;
  }
  return HYLA_OK;
}

/* Has the packet passed x on its way to the node of its rank? */
static bool on_path(const struct packet *packet, uint32_t x) {
  for (int l = 0; l <= packet->partial->dims; l++) {
    uint32_t low = (1u << l) - 1;
    if (x == ((packet->source & ~low) | (packet->rank & low))) return true;
  }
  return false;
}

/* Spreads the packet over each dimension, from all nodes that agree with the rank in the bits up to
 * it.  Nodes that already had the packet are left out, so each node gets it once. */
static hyla_status spread(const struct packet *packet, uint32_t me, struct hy_schedule *out) {
  int d = packet->partial->dims;
  int start = d;
  for (int dim = d - 1; dim >= 0; dim--) {
    uint32_t low = (2u << dim) - 1;
    uint32_t bit = 1u << dim;
    uint32_t apart = (me ^ packet->rank) & low;
    uint32_t to = apart == bit ? me : me ^ bit;
    int step = start + (int)(packet->rank >> (dim + 1));
    if ((apart == 0 || apart == bit) && !on_path(packet, to))
      TRY(cross(packet, step, dim, to ^ bit, me, out));
    start += (int)((packet->partial->longest + low) >> (dim + 1));
  }
  out->steps = (int)hy_max(out->steps, start);
  return HYLA_OK;
}

static hyla_status classes(const struct hy_generator *generator, uint32_t node,
                           struct hy_schedule *out) {
  const struct partial *partial = generator->table;
  int d = partial->dims;
  int64_t nodes = (int64_t)1 << d;
  out->parts = partial->split ? (uint32_t)d : 1;
  for (uint32_t source = 0; source < nodes; source++)
    for (int c = 0; c < d; c++) {
      int32_t rank = partial->rank[c * nodes + source];
      if (rank < 0) continue;
      uint32_t from = partial->split ? (uint32_t)c : 0;
      struct packet packet = {partial,
                              c,
                              hy_rotate(source, d - c, d),
                              (uint32_t)rank,
                              {.block = source, .run = 1, .from = from, .to = from + 1}};
      uint32_t me = hy_rotate(node, d - c, d);
      TRY(pack(&packet, me, out));
      TRY(spread(&packet, me, out));
    }
  return HYLA_OK;
}

hyla_status hy_push_partial(const struct hy_collective *c, struct hy_recipe *recipe,
                            const uint8_t *active, bool split) {
  struct partial *partial = NULL;
  int64_t ranks = hy_max(1, c->dims) << c->dims;
  TRY(hy_recipe_table(recipe, 1, sizeof *partial + (size_t)ranks * sizeof *partial->rank,
                      &partial));
  partial->dims = c->dims;
  partial->split = split;
  set_ranks(active, partial);
  hy_recipe_add(recipe, c, classes, partial);
  return HYLA_OK;
}

/* The table of algorithm I. */
struct simple {
  const struct partial *partial; /* its class 0 is used */
  int dims_of_ranks;             /* the least m with 2^m >= M */
  const uint32_t *order;         /* rotation order of the m-cube */
};

/* I: to the nodes of the same rank in all other m-cubes, then inside each. */
static hyla_status spread_one(const struct simple *simple, const struct packet *packet, uint32_t me,
                              struct hy_schedule *out) {
  int d = simple->partial->dims;
  int m = simple->dims_of_ranks;
  uint32_t low = (1u << m) - 1;
  for (int dim = m; dim < d; dim++) {
    uint32_t from = me & ~(1u << dim);
    if ((me & low) == packet->rank && from >> dim == 0)
      TRY(cross(packet, d + dim - m, dim, from, me, out));
  }
  for (uint32_t n = 1; n <= low; n++) {
    int dim = (int)((n - 1) % (uint32_t)m);
    int step = 2 * d - m + (int)((n - 1) / (uint32_t)m);
    uint32_t to = (me & ~low) | (packet->rank ^ simple->order[n]);
    TRY(cross(packet, step, dim, to ^ 1u << dim, me, out));
    out->steps = (int)hy_max(out->steps, step + 1);
  }
  out->steps = (int)hy_max(out->steps, 2 * d - m);
  return HYLA_OK;
}

static hyla_status partial_one(const struct hy_generator *generator, uint32_t node,
                               struct hy_schedule *out) {
  const struct simple *simple = generator->table;
  for (uint32_t source = 0; source >> simple->partial->dims == 0; source++) {
    int32_t rank = simple->partial->rank[source];
    if (rank < 0) continue;
    struct packet packet = {simple->partial,
                            0,
                            source,
                            (uint32_t)rank,
                            {.block = source, .run = 1, .from = 0, .to = 1}};
    TRY(pack(&packet, node, out));
    TRY(spread_one(simple, &packet, node, out));
  }
  return HYLA_OK;
}

struct hy_ratio hy_partial_time(int dims, int algorithm, uint32_t count) {
  int64_t d = dims;
  if (algorithm == 1) {
    int m = count > 1 ? hy_log2_floor(count - 1) + 1 : 0;
    int64_t inside = m > 0 ? hy_ceil_div(((int64_t)1 << m) - 1, m) : 0;
    return (struct hy_ratio){2 * d - m + inside, 1};
  }
  int64_t longest = algorithm == 2 ? count : hy_ceil_div(count, hy_max(1, d));
  int64_t gathering = longest > 0 ? longest - 1 - hy_popcount((uint32_t)longest - 1) + d : 0;
  return (struct hy_ratio){d + gathering, algorithm == 2 ? hy_max(1, d) : 1};
}

static hyla_status build_one(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct simple *simple = NULL;
  uint32_t *order = NULL;
  uint32_t count = (uint32_t)hy_active_count(c);
  int m = count > 1 ? hy_log2_floor(count - 1) + 1 : 0;
  TRY(hy_push_partial(c, recipe, c->active, true)); /* class 0: ranks by address */
  TRY(hy_recipe_table(recipe, 1, sizeof *simple, &simple));
  TRY(hy_recipe_table(recipe, (int64_t)1 << m, sizeof *order, &order));
  hy_rotation_order(m, order);
  *simple = (struct simple){recipe->stage[0].table, m, order};
  recipe->stage[0].make = partial_one;
  recipe->stage[0].table = simple;
  return HYLA_OK;
}

static hyla_status build_two(const struct hy_collective *c, struct hy_recipe *recipe) {
  return hy_push_partial(c, recipe, c->active, true);
}

static hyla_status build_three(const struct hy_collective *c, struct hy_recipe *recipe) {
  return hy_push_partial(c, recipe, c->active, false);
}

static struct hy_form form(const struct hy_collective *c, int algorithm) {
  struct hy_ratio time = hy_partial_time(c->dims, algorithm, (uint32_t)hy_active_count(c));
  return (struct hy_form){time.num, time, 0, time.den};
}

static struct hy_form form_one(const struct hy_collective *c) { return form(c, 1); }

static struct hy_form form_two(const struct hy_collective *c) { return form(c, 2); }

static struct hy_form form_three(const struct hy_collective *c) { return form(c, 3); }

/* The forms also count steps in which nothing happens to move: they hold for any placement of the
 * active nodes. */
const struct hy_collective_variant hy_partial_v92_1 = {
    .base = {.name = "v92-1", .reference = "varvarigos-1992, section 3.6.1"},
    .task = HY_TASK_PARTIAL,
    .formula = "(2d - k + ceil((2^k-1)/k)) (tau m + beta), M > 1, k = ceil(log2 M); "
               "2d (tau m + beta), M = 1",
    .build = build_one,
    .form = form_one,
};

const struct hy_collective_variant hy_partial_v92_2 = {
    .base = {.name = "v92-2", .reference = "varvarigos-1992, chapter 3, theorem 8"},
    .task = HY_TASK_PARTIAL,
    .formula = "(2d + M-1 - popcount(M-1)) (tau m / d + beta)",
    .build = build_two,
    .form = form_two,
};

const struct hy_collective_variant hy_partial_v92_3 = {
    .base = {.name = "v92-3", .reference = "varvarigos-1992, section 3.6.3"},
    .task = HY_TASK_PARTIAL,
    .formula = "(2d + M'-1 - popcount(M'-1)) (tau m + beta), M' = ceil(M/d)",
    .build = build_three,
    .form = form_three,
};
