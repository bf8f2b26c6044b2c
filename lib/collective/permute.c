/* Permutations: every node sends its words to another node.
 *
 *   variant    steps  words       method
 *   inversion  h      m           to the node that differs in h given bits, as the complement
 *                                 does in all d: 1/h over each of these dimensions at once
 *   sw90       2 d    m           any permutation: two total exchanges of m / 2^d
 * Reference: Stout and Wagar 1990, INVERSION and PERMUTED SEND.  All ports.
 * Restriction: sw90 needs m divisible by 2^d, and is exact if d 2^d divides m.  Otherwise d does
 * not divide a message of the exchanges; the shorter parts then differ from tag to tag, so that all
 * links carry nearly the same.  Memory: in place, and packing space. */
#include "collective/variant.h"

static const char *is_inversion(const struct hy_collective *c) {
  for (int32_t node = 0; node >> c->dims == 0; node++)
    if (c->to == NULL || c->to[0] < 0 || c->to[node] != (node ^ c->to[0]))
      return "it sends from every node to its complement, or to the node that differs in the same "
             "bits as for all others";
  return NULL;
}

static hyla_status make_inversion(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out) {
  (void)node;
  const uint32_t differ = generator->root;
  const int h = hy_popcount(differ);
  out->parts = (uint32_t)hy_max(1, h);
  for (int step = 0; step < h; step++)
    for (int i = 0; i < h; i++) {
      struct hy_piece piece = {.run = 1, .from = (uint32_t)i, .to = (uint32_t)i + 1};
      const uint32_t bit = hy_deposit(1u << (i + step) % h, differ);
      TRY(hy_schedule_add(out, step, bit, HY_OUT, piece));
      TRY(hy_schedule_add(out, step, bit, HY_IN, piece));
    }
  return HYLA_OK;
}

static hyla_status build_inversion(const struct hy_collective *c, struct hy_recipe *recipe) {
  hy_recipe_push(recipe,
                 (struct hy_generator){make_inversion, c->dims, .root = (uint32_t)c->to[0]});
  return HYLA_OK;
}

static struct hy_form form_inversion(const struct hy_collective *c) {
  const int64_t h = hy_popcount((uint32_t)c->to[0]);
  return (struct hy_form){h, {h > 0, 1}, h * h << c->dims, hy_max(1, h)};
}

static const char *is_permutation(const struct hy_collective *c) {
  int64_t nodes = (int64_t)1 << c->dims;
  if (c->to == NULL) return "it needs the permutation";
  if (c->blocks.words % nodes != 0) return "it needs a length that 2^d divides";
  for (int64_t node = 0; node < nodes; node++)
    if (c->to[node] < 0 || c->to[node] >= nodes) return "it needs a target for every node";
  return NULL;
}

/* Sets the rotation of each tag's parts, so that among the tags which cross a dimension each
 * rotation occurs about equally often. */
static void spread_turns(int d, uint32_t *turns) {
  int32_t count[HYLA_DIMS_MAX][HYLA_DIMS_MAX] = {{0}};
  for (uint32_t tag = (1u << d) - 1; tag > 0; tag--) {
    int64_t least = INT64_MAX;
    for (uint32_t turn = 0; turn < (uint32_t)d; turn++) {
      int64_t others = 0;
      for (uint32_t left = tag; left != 0; left &= left - 1) others += count[hy_lowest(left)][turn];
      if (others < least) turns[tag] = turn;
      least = hy_min(least, others);
    }
    for (uint32_t left = tag; left != 0; left &= left - 1) count[hy_lowest(left)][turns[tag]]++;
  }
}

/* inverse: for each node, the node that sends to it.  turns: for each tag, the rotation of its
 * parts. */
struct sending {
  uint32_t *inverse, *turns;
  uint32_t room[];
};

/* A total exchange.  The message for `place' lies in the piece of that number or, if placed, in
 * piece inverse[place].  Part i of every piece crosses dimension i + step. */
static hyla_status exchange(int d, uint32_t node, int start, const struct sending *sending,
                            bool placed, struct hy_schedule *out) {
  for (int step = 0; step < d; step++)
    for (int i = 0; i < d; i++)
      for (int action = HY_OUT; action <= HY_IN; action++)
        for (uint32_t tag = 0; tag >> d == 0; tag++) {
          uint32_t bit = 1u << (i + step) % d;
          if ((tag & bit) == 0) continue;
          uint32_t piece = placed ? sending->inverse[node ^ tag] : node ^ tag;
          uint32_t part = ((uint32_t)i + sending->turns[tag]) % (uint32_t)d;
          uint32_t from = piece * (uint32_t)d + part;
          TRY(hy_schedule_add(out, start + step, bit, (enum hy_action)action,
                              (struct hy_piece){.run = 1, .from = from, .to = from + 1}));
        }
  return HYLA_OK;
}

/* After the first exchange a node holds one piece of every source's words, in slot `source'; the
 * piece goes on to to[source].  After the second exchange the pieces lie in the order of the
 * inverse of `to' and are moved to their places. */
static hyla_status make_permuted(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out) {
  int d = generator->dims;
  const struct sending *sending = generator->table;
  uint32_t unit = (uint32_t)hy_max(1, d);
  out->parts = unit << d;
  out->steps = 2 * d;
  TRY(exchange(d, node, 0, sending, false, out));
  TRY(exchange(d, node, d, sending, true, out));
  for (int action = HY_OUT; action <= HY_IN; action++)
    for (uint32_t x = 0; x >> d == 0; x++) {
      uint32_t from = unit * (action == HY_OUT ? sending->inverse[x] : x);
      struct hy_piece piece = {.run = 1, .from = from, .to = from + unit};
      TRY(hy_schedule_add(out, 2 * d, 0, (enum hy_action)action, piece));
    }
  return HYLA_OK;
}

static hyla_status build_permuted(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct sending *sending = NULL;
  const int64_t nodes = INT64_C(1) << c->dims;
  const size_t size = sizeof *sending + 2 * (size_t)nodes * sizeof *sending->inverse;
  TRY(hy_recipe_table(recipe, 1, size, &sending));
  sending->inverse = sending->room;
  sending->turns = sending->room + nodes;
  for (int64_t node = 0; node < nodes; node++) {
    CHECK(recipe->base, sending->inverse[c->to[node]] == 0, ARGUMENT,
          "no permutation: node %d receives twice", (int)c->to[node]);
    sending->inverse[c->to[node]] = (uint32_t)node + 1;
  }
  for (int64_t node = 0; node < nodes; node++) sending->inverse[node]--;
  spread_turns(c->dims, sending->turns);
  hy_recipe_add(recipe, c, make_permuted, sending);
  return HYLA_OK;
}

static struct hy_form form_permuted(const struct hy_collective *c) {
  int64_t d = c->dims;
  return (struct hy_form){2 * d, {d > 0, 1}, 2 * d * d << d, hy_max(1, d) << d};
}

const struct hy_collective_variant hy_permute_inversion = {
    .base = {.name = "inversion", .reference = "stout-wagar-1990, INVERSION"},
    .applies = is_inversion,
    .task = HY_TASK_PERMUTE,
    .formula = "tau m + h beta, h > 0",
    .build = build_inversion,
    .form = form_inversion,
};

const struct hy_collective_variant hy_permute_sw90 = {
    .base = {.name = "sw90", .reference = "stout-wagar-1990, PERMUTED SEND"},
    .applies = is_permutation,
    .task = HY_TASK_PERMUTE,
    .formula = "tau m + 2d beta",
    .build = build_permuted,
    .form = form_permuted,
};
