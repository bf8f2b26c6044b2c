/* The exchange of a banded matrix's columns for its rows: node c has a message for every node
 * within 2^b of it on the circle of all columns.
 *
 * Column (c1, c2), c1 its low b bits, lies on the node whose high b bits are c1 and whose low bits
 * are G(c2).  Nodes with the same c1 form a ring, nodes with the same c2 a b-cube.
 *
 * Method: messages for (x1, c2), part A, stay in the cube.  Messages for (x1, c2 - 1) with x1 >=
 * c1, and for (x1, c2 + 1) with x1 <= c1, part B, first take one step of the ring each, in the
 * order of falling weight of t = c1 ^ x1.  Every node then has one of each t, to go to (c1 ^ t,
 * c2), just as in part A.  So the steps in the cube are the same at all nodes.  In each of them as
 * many dimensions as possible get a message that is there and needs them; messages with the most
 * dimensions left come first.
 *
 * 4 nodes, b = 1: c1 is the node's high bit, c2 its low bit.  Step 0: over the ring t = 1, in the
 * cube t = 1 of part A.  Step 1: over the ring t = 0, in the cube t = 1 of part B.
 * Reference: Varvarigos 1992, 2.5 (chapter 2, theorem 6, the Binary-Gray assignment).
 * Steps: 2^b of m words, the least for this assignment.  All ports.
 * Memory: in place.  Restriction: 0 <= b < d, messages or rooms of equal length. */
#include "collective/variant.h"

/* The message of tag t, in part A or B, crosses dimension `dim' of the cube; `left' has the
 * dimensions that it has not crossed before. */
struct crossing {
  int step;
  int dim;
  uint32_t tag;
  uint32_t left;
  bool from_ring;
};

/* The steps of all nodes.  order: the ring's tags by steps, 2^b of them. */
struct band {
  int dims;
  int b;
  bool ragged; /* blocks are not full; the pieces tell whose words they hold */
  uint32_t *order;
  int64_t crossings;
  struct crossing crossing[];
};

static const char *applies(const struct hy_collective *c) {
  if (c->band < 1 || c->band > c->dims) return "it exchanges within a band of columns";
  if (c->farthest != 0) return "it exchanges within a band, not with some distances";
  if (c->tags != NULL) return "it exchanges within a band, not by some tags";
  return hy_equal_blocks(c);
}

/* The block number of column (high, c2 - 1) or (high, c2 + 1), beside the node on the ring. */
static uint32_t beside(const struct band *band, uint32_t node, uint32_t high, bool up) {
  int low = band->dims - band->b;
  uint32_t mask = (1u << low) - 1;
  uint32_t next = (hy_gray_inverse(node & mask) + (up ? 1 : mask)) & mask;
  return high << low | hy_gray(next);
}

/* The place of tag t's message in the cube.  In part A it is that of the node's own message; in
 * part B it is that of the node's message that left over the ring. */
static uint32_t slot_of(const struct band *band, uint32_t node, uint32_t tag, bool from_ring) {
  uint32_t own = node >> (band->dims - band->b), other = own ^ tag;
  if (!from_ring) return node ^ tag << (band->dims - band->b);
  return beside(band, node, other, other < own);
}

/* The source and the target of crossing words, as seen from the node that sends them. */
struct owner {
  uint32_t source, target;
};

static hyla_status pass(const struct band *band, struct hy_schedule *out, int step, uint32_t across,
                        enum hy_action action, uint32_t slot, struct owner owner) {
  struct hy_piece piece = {.block = slot, .run = 1, .from = 0, .to = 1};
  if (band->ragged) {
    piece.source = owner.source;
    piece.target = owner.target;
  }
  return hy_schedule_add(out, step, across, action, piece);
}

/* On the ring each node sends its own message. */
static struct owner ring_owner(const struct band *band, uint32_t sender, uint32_t tag, bool up) {
  uint32_t own = sender >> (band->dims - band->b);
  return (struct owner){sender, beside(band, sender, own ^ tag, up)};
}

/* In a step of the ring a message goes to one neighbour, and the other neighbour's takes its place.
 * With tag 0, which comes last, neighbours swap two messages. */
static hyla_status ring(const struct band *band, uint32_t node, int step, struct hy_schedule *out) {
  uint32_t own = node >> (band->dims - band->b), tag = band->order[step];
  uint32_t next[] = {beside(band, node, own, false), beside(band, node, own, true)};
  for (int up = 0; up < 2; up++) {
    bool goes = tag == 0 ? up == 1 || next[0] != next[1] : (up == 1) == ((own ^ tag) < own);
    /* A message of tag 0 is for this node and stays in its own block. */
    uint32_t from = next[tag == 0 ? up : !up];
    uint32_t slot = tag == 0 ? next[up] : slot_of(band, node, tag, true);
    if (!goes) continue;
    TRY(pass(band, out, step, node ^ next[up], HY_OUT, slot, ring_owner(band, node, tag, up == 1)));
    struct owner other =
        tag == 0 ? (struct owner){from, node} : ring_owner(band, from, tag, up == 1);
    TRY(pass(band, out, step, node ^ from, HY_IN, slot, other));
  }
  return HYLA_OK;
}

/* A message in the cube has crossed the dimensions that are no longer left.  The node where it
 * entered the cube had made it, or received it over the ring. */
static struct owner cube_owner(const struct band *band, const struct crossing *crossing,
                               uint32_t sender) {
  int low = band->dims - band->b;
  uint32_t begin = sender ^ (crossing->tag & ~crossing->left) << low, own = begin >> low;
  bool up = (own ^ crossing->tag) < own;
  return (struct owner){crossing->from_ring ? beside(band, begin, own, !up) : begin,
                        sender ^ crossing->left << low};
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct band *band = generator->table;
  for (int step = 0; step >> band->b == 0; step++) TRY(ring(band, node, step, out));
  for (int64_t i = 0; i < band->crossings; i++) {
    const struct crossing *crossing = &band->crossing[i];
    uint32_t bit = 1u << (band->dims - band->b + crossing->dim);
    uint32_t slot = slot_of(band, node, crossing->tag, crossing->from_ring);
    TRY(pass(band, out, crossing->step, bit, HY_OUT, slot, cube_owner(band, crossing, node)));
    TRY(pass(band, out, crossing->step, bit, HY_IN, slot, cube_owner(band, crossing, node ^ bit)));
  }
  return HYLA_OK;
}

/* ------------------------------------------------ what crosses when ----- */

/* A message in the cube, the same at every node. */
struct row {
  uint32_t tag;
  uint32_t left; /* dimensions that it still has to cross */
  int from;      /* the first step in which it is in the cube */
};

struct plan {
  int b;
  int rows;
  struct row *row;
  struct hy_links links; /* of this step, with the rows that they carry */
};

static uint32_t left_of(const void *arg, int64_t i) {
  const struct plan *plan = arg;
  return plan->row[i].left;
}

/* Matches rows with dimensions, rows with the most dimensions left first. */
static void match_step(struct plan *plan, int step) {
  int matched = 0;
  plan->links = (struct hy_links){.links = left_of, .arg = plan};
  for (int weight = plan->b; weight > 0; weight--)
    for (int row = 0; row < plan->rows && matched < plan->b; row++) {
      if (plan->row[row].from > step || hy_popcount(plan->row[row].left) != weight) continue;
      matched += hy_links_carry(&plan->links, row);
    }
}

static void list_rows(struct plan *plan, struct band *band) {
  int steps = 0;
  for (int weight = band->b; weight >= 0; weight--)
    for (uint32_t tag = 0; tag >> band->b == 0; tag++)
      if (hy_popcount(tag) == weight) band->order[steps++] = tag;
  for (int step = 0; step + 1 < steps; step++) {
    uint32_t tag = band->order[step];
    plan->row[plan->rows++] = (struct row){tag, tag, 0};
    plan->row[plan->rows++] = (struct row){tag, tag, step + 1};
  }
}

static void cross_cube(struct plan *plan, struct band *band) {
  for (int step = 0; step >> band->b == 0; step++) {
    match_step(plan, step);
    for (int dim = 0; dim < band->b; dim++) {
      if (plan->links.carried[dim] == 0) continue;
      struct row *row = &plan->row[plan->links.carried[dim] - 1];
      band->crossing[band->crossings++] =
          (struct crossing){step, dim, row->tag, row->left, row->from > 0};
      row->left &= ~(1u << dim);
    }
  }
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  int b = c->band - 1;
  int64_t tags = (int64_t)1 << b;
  struct band *band = NULL;
  struct plan plan = {.b = b};
  int64_t bytes = (int64_t)sizeof *band + b * tags * (int64_t)sizeof(struct crossing);
  TRY(hy_recipe_table(recipe, bytes, 1, &band));
  band->dims = c->dims;
  band->b = b;
  band->ragged = c->blocks.sources != NULL;
  TRY(hy_recipe_table(recipe, tags, sizeof *band->order, &band->order));
  TRY(hy_alloc(recipe->base, 2 * tags, sizeof *plan.row, &plan.row));
  list_rows(&plan, band);
  cross_cube(&plan, band);
  hy_free(recipe->base, &plan.row);
  hy_recipe_add(recipe, c, make, band);
  return HYLA_OK;
}

static struct hy_form form(const struct hy_collective *c) {
  int64_t steps = c->band > 0 ? (int64_t)1 << (c->band - 1) : 1;
  return (struct hy_form){steps, {steps, 1}, 0, 1};
}

const struct hy_collective_variant hy_exchange_v92_band = {
    .base = {.name = "v92-band", .reference = "varvarigos-1992, chapter 2, theorem 6"},
    .applies = applies,
    .task = HY_TASK_EXCHANGE,
    .formula = "2^b (tau m + beta), 2^(b+1) + 1 diagonals",
    .banded = true,
    .ragged = true,
    .build = build,
    .form = form,
};
