/* Turns of matrices that move every node's whole block to one node: half turns, and quarter turns
 * of matrices in submatrices.
 *
 *   variant        paths (lib/collective/turn_blocks.c)
 *   turn-rings     over one link for each bit that flips and each pair of dimensions
 *   turn-pairs     the same, and on two paths if a pair of dimensions only changes places
 *   turn-permuted  permute.c: any permutation, in two total exchanges
 * Reference: Stout and Wagar 1990, section 10, PERMUTED SEND.
 * Layout: op(source) and target are cut alike, and every node has the same number of indices of
 * each axis; any codes and storage.  On a mirrored axis of p parts, part q goes where part p - 1 -
 * q was: all bits of its number flip in the binary code, the highest one flips in the Gray code.
 * Method: a node mirrors its block, transposes it if needed, and sends all of it in one message,
 * which crosses the cube in packets.
 * Memory: twice the block or more, for packets that pass through. */
#include "redistribute/direct.h"
#include "redistribute/whole_block.h"

/* ------------------------------------------------------ where blocks go -- */

/* Do all parts have the same number of indices, and do parts change at the same indices? */
static bool cut_alike(const struct hy_axis *from, const struct hy_axis *to) {
  int64_t round = from->block * from->parts;
  int64_t shift = from->mirrored ? from->first + from->n + to->first : from->first - to->first;
  if (from->parts != to->parts) return false;
  return from->parts == 1 ||
         (from->block == to->block && from->n % round == 0 && shift % round == 0);
}

/* The part of the target to which this node's part of the source goes. */
static uint32_t part_of(const struct hy_axis *from, int node) {
  uint32_t part = (uint32_t)hy_part_of(from, node);
  return from->mirrored ? (uint32_t)from->parts - 1 - part : part;
}

static uint32_t target_of(const struct hy_operand *from, const struct hy_operand *to, int node) {
  return hy_axis_address(&to->row.code, part_of(&from->row, node)) |
         hy_axis_address(&to->col.code, part_of(&from->col, node));
}

/* How the cube's dimensions move.  alone: a bit flips, or two dimensions change places and one of
 * their bits flips; such a block has one path.  swap: two dimensions change places and both bits
 * flip, or neither; there are two paths.  describe returns false if dimensions neither stay nor
 * change places in pairs. */
struct moves {
  bool alone, swap;
};

static bool describe(const struct hy_operand *from, const struct hy_operand *to, int dims,
                     struct moves *moves) {
  uint32_t flips = target_of(from, to, 0);
  *moves = (struct moves){false, false};
  for (int dim = 0; dim < dims; dim++) {
    uint32_t own = 1u << dim, image = target_of(from, to, 1 << dim) ^ flips;
    if (hy_popcount(image) != 1 || (target_of(from, to, (int)image) ^ flips) != own) return false;
    bool odd = hy_popcount(flips & (own | image)) == 1;
    moves->alone = moves->alone || odd;
    moves->swap = moves->swap || (image != own && !odd);
  }
  return true;
}

/* The reason why the blocks do not stay whole; NULL if they do. */
static const char *why_cut(const struct hy_redistribution *problem) {
  if (problem->count != 1) return "it moves one matrix at a time";
  if (hy_redistribution_cuts(problem)) return "it moves whole matrices";
  const hyla_transfer *t = &problem->transfers[0];
  if (t->op <= HYLA_CONJUGATE) return "it turns";
  if (t->from->unused_dims != 0 || t->to->unused_dims != 0)
    return "it needs every cube dimension to split rows or columns";
  struct hy_operand from = hy_operand_of(t->from, t->op), to = hy_operand_of(t->to, HYLA_NONE);
  if (!cut_alike(&from.row, &to.row) || !cut_alike(&from.col, &to.col))
    return "it needs the turned source and the target cut alike, in as many rows and columns on "
           "every node";
  return NULL;
}

/* The reason why dimensions do not stay or change places in pairs; NULL if they do. */
static const char *why_not(const struct hy_redistribution *problem, struct moves *moves) {
  const char *reason = why_cut(problem);
  if (reason != NULL) return reason;
  const hyla_transfer *t = &problem->transfers[0];
  struct hy_operand from = hy_operand_of(t->from, t->op), to = hy_operand_of(t->to, HYLA_NONE);
  return describe(&from, &to, problem->cube->dims, moves)
             ? NULL
             : "it needs dimensions of the cube to stay or to change places in pairs, and axes "
               "that become each other in one code";
}

static const char *applies_to_rings(const void *given) {
  struct moves moves;
  const char *reason = why_not(given, &moves);
  if (reason != NULL) return reason;
  return moves.swap ? "it needs one flipped bit in each pair of dimensions that change places"
                    : NULL;
}

static const char *applies_to_pairs(const void *given) {
  struct moves moves;
  const char *reason = why_not(given, &moves);
  if (reason != NULL) return reason;
  return moves.swap && !moves.alone ? "it needs a bit that moves over one link" : NULL;
}

static const char *applies_to_all(const void *given) {
  const struct hy_redistribution *problem = given;
  const char *reason = why_cut(problem);
  if (reason != NULL) return reason;
  const hyla_transfer *t = &problem->transfers[0];
  struct hy_operand from = hy_operand_of(t->from, t->op), to = hy_operand_of(t->to, HYLA_NONE);
  bool moves = false;
  for (int node = 0; node < problem->cube->nodes && !moves; node++)
    moves = target_of(&from, &to, node) != (uint32_t)node;
  return hy_whole_block_refuses(problem->cube->nodes, moves);
}

/* ----------------------------------------------------------------- plan -- */

static hyla_status describe_blocks(struct hy_whole_block *whole) {
  const hyla_transfer *t = &whole->problem->transfers[0];
  hyla_cube *cube = whole->problem->cube;
  const struct hy_operand from = hy_operand_of(t->from, t->op),
                          to = hy_operand_of(t->to, HYLA_NONE);
  TRY(hy_alloc_for(&cube->base, whole, cube->nodes, sizeof *whole->to, &whole->to));
  whole->words = hy_axis_most(&from.row) * hy_axis_most(&from.col);
  for (int node = 0; node < cube->nodes; node++) {
    whole->to[node] = (int32_t)target_of(&from, &to, node);
    whole->sources[node] = whole->words;
  }
  whole->tiles = hy_copy_scratch(t->op);
  return HYLA_OK;
}

static hyla_status prepare(void *state, const char *variant) {
  TRY(describe_blocks(state));
  return hy_whole_block_permute(state, false, variant);
}

static hyla_status prepare_alike(void *state, const char *variant) {
  TRY(describe_blocks(state));
  return hy_whole_block_permute(state, true, variant);
}

static hyla_status create(const struct hy_variant *variant, const void *problem, void **state) {
  return hy_whole_block_create(problem, sizeof(struct hy_whole_block), prepare, variant->traits,
                               state);
}

static hyla_status create_alike(const struct hy_variant *variant, const void *problem,
                                void **state) {
  return hy_whole_block_create(problem, sizeof(struct hy_whole_block), prepare_alike,
                               variant->traits, state);
}

/* ------------------------------------------------------------------ run -- */

/* All indices of a block; on a mirrored axis from the last one on. */
static struct hy_progression whole_axis(const struct hy_axis *axis, int64_t n) {
  const int32_t count = (int32_t)n;
  if (axis->mirrored) return (struct hy_progression){1, count, count - 1, -1, 0, 1};
  return (struct hy_progression){count, 1, 0, count, 0, count};
}

static struct hy_positions places_of(const struct hy_progression *all) {
  return (struct hy_positions){.progression = all,
                               .progressions = 1,
                               .entries = (int64_t)all->length * all->count,
                               .from = HY_HERE,
                               .to = HY_PACKED};
}

static void turn(const struct hy_whole_block *whole) {
  const hyla_transfer *t = &whole->problem->transfers[0];
  const struct hy_operand x = hy_operand_of(t->from, t->op);
  bool transposed = hy_transposes(t->op);
  const struct hy_progression row = whole_axis(&x.row, transposed ? t->from->local_cols
                                                                  : t->from->local_rows),
                              col = whole_axis(&x.col, transposed ? t->from->local_rows
                                                                  : t->from->local_cols);
  const struct hy_positions rows = places_of(&row), cols = places_of(&col);
  const struct hy_copy copy = {t->from->k, hy_without_turn(t->op), t->alpha, false, whole->scratch};
  hy_copy_positions(&copy, &rows, &cols, t->from->local, t->from->ld, whole->data, rows.entries);
}

static hyla_status run(void *state) {
  const struct hy_whole_block *whole = state;
  if (whole->problem->cube->address < 0) return HYLA_OK;
  turn(whole);
  TRY(hy_whole_block_run(whole));
  hy_whole_block_put(whole);
  return HYLA_OK;
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_whole_block *whole = state;
  hy_text_add(text, "  a node sends its block, %lld entries, to where it lies when turned\n",
              (long long)whole->words);
}

/* --------------------------------------------------------------- the rows -- */

#define OPERATIONS                                                                                 \
  .cost = hy_whole_block_cost_of_all, .allocate = hy_whole_block_allocate, .run = run,             \
  .explain = explain

const struct hy_variant hy_turn_rings = {
    .name = "turn-rings",
    .reference = "stout-wagar-1990, section 10",
    .traits = "turn-rings", /* the collective */
    .applies = applies_to_rings,
    .create = create,
    OPERATIONS,
};

const struct hy_variant hy_turn_pairs = {
    .name = "turn-pairs",
    .reference = "stout-wagar-1990, section 10",
    .traits = "turn-pairs", /* the collective */
    .applies = applies_to_pairs,
    .create = create,
    OPERATIONS,
};

const struct hy_variant hy_turn_permuted = {
    .name = "turn-permuted",
    .reference = "stout-wagar-1990, PERMUTED SEND",
    .traits = "sw90", /* the collective */
    .applies = applies_to_all,
    .create = create_alike,
    OPERATIONS,
};
