/* One node sends to another one over more than one path.
 *
 * To the opposite corner, node 0 to 2^d - 1; K = sum of 1 / C(d-1, k), k < d:
 *   variant      steps      words                  method
 *   corner-1     d          d m                    one path
 *   corner-2     d          m                      d disjoint paths
 *   corner-3     d          K m / d                fan out, fan in
 *   corner-4     g + d - 1  (g + K - 1) m / (d g)  pipelined; packets leave when they can
 * To a node at distance n (send_far.c):
 *   arbitrary-1  corner-4 in the subcube of the n dimensions
 *   arbitrary-2  those packets of BROADCAST 4 that reach the node: s + g steps of
 *                m / (d g) words, s = min(n + 1, d - 1)
 *   arbitrary-2b the same with s = min(n, d - 1), for n >= d / 2
 *   arbitrary-3  n m / d by corner-4, m / d through each of the d - n parallel
 *                subcubes; the longer of both; packets leave when they can
 * Reference: Stout and Wagar 1990, O.C. SEND 1-4, ARBITRARY SEND 1-3, X.O.C. SEND 2.
 * All these but arbitrary-2 use links in one direction only.  So two nodes can send to each other
 * in the time of one send (sections 3 and 4), by the same links in the other direction.
 * All ports, except corner-1.  Any length.  Memory: the message, on every node; twice as much for
 * two nodes that send to each other. */
#include "collective/papers.h"

/* The one node that sends, or the first of two that send to each other; -1 if others send. */
static int64_t source_of(const struct hy_collective *c) {
  int64_t found = -1;
  for (int64_t node = 0; c->to != NULL && node >> c->dims == 0; node++) {
    if (c->to[node] < 0) continue;
    if (found >= 0 && (c->to[node] != found || c->to[found] != node)) return -1;
    if (found < 0) found = node;
  }
  return found;
}

uint32_t hy_send_root(const struct hy_collective *c) { return (uint32_t)source_of(c); }

uint32_t hy_send_target(const struct hy_collective *c) {
  int64_t from = source_of(c);
  return (uint32_t)(c->to[from] ^ (int32_t)from);
}

const char *hy_send_applies(const struct hy_collective *c) {
  return source_of(c) < 0 ? "it sends from one node, or between two nodes, only" : NULL;
}

int hy_send_messages(const struct hy_collective *c) {
  const int32_t target = c->to[source_of(c)];
  return target != source_of(c) && c->to[target] >= 0 ? 2 : 1;
}

const char *hy_send_single(const struct hy_collective *c) {
  if (source_of(c) < 0 || hy_send_messages(c) > 1) return "it sends from one node only";
  return NULL;
}

/* The second message passes through scratch, since on its way it meets the first.  The target,
 * whose number is the generator's root, takes the part of node 0 in it. */
static hyla_status make_mutual(const struct hy_generator *generator, uint32_t node,
                               struct hy_schedule *out) {
  const uint32_t target = generator->root;
  const bool ends = node == 0 || node == target;
  const struct hy_relabel there = {.dims = generator->dims};
  const struct hy_relabel back = {.dims = generator->dims, .flip = !ends};
  TRY(hy_generate_slice(generator->inner, node, there, 0, 1, out));
  TRY(hy_generate_slice(generator->inner, node ^ target, back, 0, 1, out));
  out->scratch = 1;
  return HYLA_OK;
}

void hy_push_mutual(const struct hy_collective *c, struct hy_recipe *recipe) {
  if (hy_send_messages(c) == 1) return;
  hy_recipe_push(recipe, (struct hy_generator){.make = make_mutual,
                                               .dims = c->dims,
                                               .inner = hy_recipe_top(recipe),
                                               .root = hy_send_target(c)});
}

static const char *is_corner(const struct hy_collective *c) {
  const char *reason = hy_send_applies(c);
  if (reason != NULL) return reason;
  bool corner = hy_send_target(c) == (1u << c->dims) - 1;
  return corner ? NULL : "it sends to the opposite corner only";
}

static hyla_status make_path(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  struct hy_piece whole = {.run = 1, .from = 0, .to = 1};
  for (int step = 0; step < generator->dims; step++) {
    uint32_t place = (1u << step) - 1;
    if (node == place) TRY(hy_schedule_add(out, step, 1u << step, HY_OUT, whole));
    if (node == (place | 1u << step)) TRY(hy_schedule_add(out, step, 1u << step, HY_IN, whole));
  }
  out->steps = generator->dims;
  return HYLA_OK;
}

static int64_t choose(int n, int k) {
  int64_t c = 1;
  for (int i = 0; i < k; i++) c = c * (n - i) / (i + 1);
  return c;
}

/* O.C. SEND 3 in the i-cube.  Packet 2^i + x of `lists' has the pieces that node x of the i-cube
 * holds at its stage: the pieces from its neighbours nearer to 0, in their order.  Adds the pieces
 * that node `from' sends over `bit'. */
static hyla_status add_share(const struct hy_schedule *lists, int i, uint32_t from, uint32_t bit,
                             struct hy_schedule *out, int step, uint32_t across,
                             enum hy_action action) {
  const struct hy_packet list = lists->packets[(1u << i) + from]; /* a copy: out may be lists */
  uint32_t share = lists->parts / (uint32_t)(i * choose(i - 1, hy_popcount(from)));
  uint32_t turn = (uint32_t)hy_popcount(~from & (bit - 1)); /* rank of the bit among the zeros */
  uint32_t skip = turn * share;
  uint32_t left = share;
  for (int64_t j = 0; j < list.count && left > 0; j++) {
    struct hy_piece piece = lists->pieces[list.first + j];
    uint32_t jump = (uint32_t)hy_min(piece.to - piece.from, skip);
    skip -= jump;
    piece.from += jump;
    if (piece.to - piece.from > left) piece.to = piece.from + left;
    left -= piece.to - piece.from;
    TRY(hy_schedule_add(out, step, across, action, piece));
  }
  return HYLA_OK;
}

/* Fills the lists of all cubes up to n dimensions. */
static hyla_status fill_lists(int n, struct hy_schedule *lists) {
  lists->parts = hy_common_multiple(n);
  struct hy_piece whole = {.run = 1, .from = 0, .to = lists->parts};
  TRY(hy_schedule_open(lists, 0, 0, HY_OUT)); /* fills the unused place of packet 0 */
  for (int i = 0; i <= n; i++) {
    TRY(hy_schedule_add(lists, 1 << i, 0, HY_OUT, whole));
    for (uint32_t node = 1; node >> i == 0; node++)
      for (uint32_t bit = 1; bit <= node; bit <<= 1)
        if (node & bit)
          TRY(add_share(lists, i, node ^ bit, bit, lists, (1 << i) + (int)node, 0, HY_OUT));
  }
  return HYLA_OK;
}

hyla_status hy_make_fan(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct hy_schedule *lists = generator->table;
  int d = generator->dims;
  int weight = hy_popcount(node);
  out->parts = lists->parts;
  out->steps = d;
  for (uint32_t bit = 1; bit >> d == 0; bit <<= 1) {
    bool upper = (node & bit) != 0;
    uint32_t from = upper ? node ^ bit : node;
    TRY(add_share(lists, d, from, bit, out, upper ? weight - 1 : weight, bit,
                  upper ? HY_IN : HY_OUT));
  }
  return HYLA_OK;
}

hyla_status hy_fan_lists(struct hy_recipe *recipe, int n, struct hy_schedule **lists) {
  struct hy_schedule filling;
  TRY(hy_recipe_table(recipe, 1, sizeof **lists, lists));
  hy_schedule_init(&filling, recipe->base);
  hyla_status status = fill_lists(n, &filling);
  **lists = filling;
  hy_recipe_keep(recipe, filling.packets);
  hy_recipe_keep(recipe, filling.pieces);
  return status;
}

hyla_status hy_push_fan(struct hy_recipe *recipe, int n) {
  struct hy_schedule *lists = NULL;
  TRY(hy_fan_lists(recipe, n, &lists));
  hy_recipe_push(recipe, (struct hy_generator){hy_make_fan, .dims = n, .table = lists});
  return HYLA_OK;
}

/* K_n = sum over k <= n of 1 / C(n, k). */
struct hy_ratio hy_inverse_sum(int n) {
  int64_t den = (int64_t)hy_common_multiple(n + 1) / (n + 1);
  int64_t num = 0;
  for (int k = 0; k <= n; k++) num += den / choose(n, k);
  return (struct hy_ratio){num, den};
}

/* A node in stage k gets the packets of k others, each in as many pieces as a node in stage k - 1
 * holds. */
int hy_fan_groups(const struct hy_collective *c, int n, int64_t shares, struct hy_stage first) {
  struct hy_stage stages[HYLA_DIMS_MAX + 1] = {first};
  int64_t unit = (int64_t)hy_common_multiple(n) / n, pieces = 1;
  for (int k = 0; k < n; k++) {
    int64_t packets = choose(n - 1, k);
    if (pieces < unit) pieces *= hy_max(1, k);
    stages[k + 1] = (struct hy_stage){.once = 1,
                                      .parts = shares * packets,
                                      .pieces = hy_min(pieces, unit / packets),
                                      .divisor = shares * unit};
  }
  return hy_best_groups(c, c->blocks.words, stages, n + 1);
}

/* A group starts when the first packet of the group before, its longest, has left. */
int hy_corner_groups(const struct hy_collective *c, int n, int shares) {
  if (n == 0) return 1;
  return hy_fan_groups(c, n, shares, (struct hy_stage){.each = 1, .once = -1, .parts = shares});
}

static struct hy_form form_1(const struct hy_collective *c) {
  int64_t d = c->dims;
  return (struct hy_form){d, {d, 1}, d * hy_send_messages(c), 1};
}

static struct hy_form form_2(const struct hy_collective *c) {
  int64_t d = c->dims;
  return (struct hy_form){d, {d > 0, 1}, d * d * hy_send_messages(c), hy_max(1, d)};
}

static struct hy_form form_3(const struct hy_collective *c) {
  int d = c->dims;
  struct hy_ratio k = hy_inverse_sum(d - 1);
  const int64_t packets = (int64_t)d << (d - 1);
  return (struct hy_form){
      d, {k.num, k.den * d}, packets * hy_send_messages(c), hy_common_multiple(d)};
}

/* The form of pipelining a message m in an n-cube: (g + K - 1) m / (n g) words, g + n - 1
 * starts. */
struct hy_form hy_corner_form(int n, int64_t g) {
  if (n == 0) return (struct hy_form){0, {0, 1}, 0, 1};
  struct hy_ratio k = hy_inverse_sum(n - 1);
  return (struct hy_form){
      g + n - 1, {(g - 1) * k.den + k.num, k.den * n * g}, 0, (int64_t)hy_common_multiple(n) * g};
}

static struct hy_form form_4(const struct hy_collective *c) {
  return hy_corner_form(c->dims, hy_corner_groups(c, c->dims, c->dims));
}

static hyla_status build_1(const struct hy_collective *c, struct hy_recipe *recipe) {
  hy_recipe_add(recipe, c, make_path, NULL);
  hy_push_mutual(c, recipe);
  return HYLA_OK;
}

static hyla_status build_2(const struct hy_collective *c, struct hy_recipe *recipe) {
  hy_recipe_push(recipe, hy_symmetrize(hy_recipe_add(recipe, c, make_path, NULL)));
  hy_push_mutual(c, recipe);
  return HYLA_OK;
}

static hyla_status build_3(const struct hy_collective *c, struct hy_recipe *recipe) {
  TRY(hy_push_fan(recipe, c->dims));
  hy_push_mutual(c, recipe);
  return HYLA_OK;
}

static hyla_status build_4(const struct hy_collective *c, struct hy_recipe *recipe) {
  int d = c->dims;
  TRY(hy_push_fan(recipe, d));
  hy_recipe_push(recipe, hy_pipeline(hy_recipe_top(recipe), hy_corner_groups(c, d, d), NULL));
  hy_push_mutual(c, recipe);
  return HYLA_OK;
}

const struct hy_collective_variant hy_permute_corner_1 = {
    .base = {.name = "corner-1", .reference = "stout-wagar-1990, O.C. SEND 1"},
    .applies = is_corner,
    .task = HY_TASK_PERMUTE,
    .formula = "d tau m + d beta",
    .machine = {.one_port = true},
    .root = hy_send_root,
    .build = build_1,
    .form = form_1,
};

const struct hy_collective_variant hy_permute_corner_2 = {
    .base = {.name = "corner-2", .reference = "stout-wagar-1990, O.C. SEND 2"},
    .applies = is_corner,
    .task = HY_TASK_PERMUTE,
    .formula = "tau m + d beta",
    .root = hy_send_root,
    .build = build_2,
    .form = form_2,
};

const struct hy_collective_variant hy_permute_corner_3 = {
    .base = {.name = "corner-3", .reference = "stout-wagar-1990, O.C. SEND 3"},
    .applies = is_corner,
    .task = HY_TASK_PERMUTE,
    .formula = "K(d-1) tau m / d + d beta, K(x) = sum(j = 0 ... x: 1/C(x,j))",
    .root = hy_send_root,
    .build = build_3,
    .form = form_3,
};

const struct hy_collective_variant hy_permute_corner_4 = {
    .base = {.name = "corner-4", .reference = "stout-wagar-1990, O.C. SEND 4"},
    .applies = is_corner,
    .task = HY_TASK_PERMUTE,
    .formula = "(g+K(d-1)-1)/(d g) tau m + (g+d-1) beta, "
               "K(x) = sum(j = 0 ... x: 1/C(x,j))",
    .asynchronous = true,
    .root = hy_send_root,
    .build = build_4,
    .form = form_4,
};
