/* Redistributions that move every node's whole block to one node: transposition of matrices, above
 * all on square arrays of nodes, where node (a, b) and node (b, a) swap their blocks, so that
 * dimensions of the cube change places in pairs; and half and quarter turns.
 *
 *   variant                paths (lib/collective)
 *   transpose-recursive    transpose_recursive.c: blocks change places, then their quarters
 *   transpose-paths        invert_blocks.c: two paths at once for each pair of bits
 *   transpose-torus        transpose_torus.c: round a torus
 *   transpose-torus-paths  the same on two paths
 *   transpose-mesh         the same without the links round the end
 *   transpose-permuted     permute.c: any permutation, in two total exchanges
 *   turn-rings             turn_blocks.c: one link for each bit that flips and each pair of
 *                          dimensions
 *   turn-pairs             the same, and two paths if a pair of dimensions only changes places
 *   turn-permuted          permute.c
 * References: Johnsson 1987, theorems 4.1, 4.2, 4.4, corollaries 4.1, 4.2; Stout and Wagar 1990,
 * MATRIX TRANSPOSITION, section 10, PERMUTED SEND.
 * Layout: binary or Gray code, any storage, any sizes.  op(source) and target must be cut alike.
 * Except for the permuted variants, each dimension must stay or change places with another one; so
 * arrays of 2^r x 2^c nodes serve too.  transpose-permuted also goes from 4 x 8 nodes to 8 x 4, or
 * to another code; it pads all blocks to the longest one, rounded up to a multiple of 2^d words.
 *   For a turn every node must have the same number of indices of each axis.  On a mirrored axis of
 * p parts, part q goes where part p - 1 - q was: all bits of its number flip in the binary code,
 * the highest one flips in the Gray code.
 * Method: a node transposes or turns its blocks of all matrices into one message, which crosses the
 * cube in packets, and copies the message that arrives to its place.
 * Memory: twice the largest message or more, for packets that pass through. */
#include "redistribute/direct.h"
#include "redistribute/whole_block.h"

/* ------------------------------------------------------ where blocks go -- */

/* A transfer's op(source) and its target. */
struct ends {
  struct hy_operand from, to;
};

static struct ends ends_of(const hyla_transfer *t) {
  return (struct ends){hy_operand_of(t->from, t->op), hy_operand_of(t->to, HYLA_NONE)};
}

/* Are the indices cut into the same parts?  even: all parts must also have the same number. */
static bool cut_alike(const struct hy_axis *from, const struct hy_axis *to, bool even) {
  int64_t round = from->block * from->parts;
  int64_t shift = from->mirrored ? from->first + from->n + to->first : from->first - to->first;
  if (from->parts != to->parts) return false;
  return from->parts == 1 ||
         (from->block == to->block && shift % round == 0 && (!even || from->n % round == 0));
}

/* The node to which a node's block goes. */
static uint32_t target_of(const struct ends *ends, int node) {
  const struct hy_axis *row = &ends->from.row, *col = &ends->from.col;
  int p = hy_part_of(row, node), q = hy_part_of(col, node);
  if (row->mirrored) p = row->parts - 1 - p;
  if (col->mirrored) q = col->parts - 1 - q;
  return hy_axis_address(&ends->to.row.code, (uint32_t)p) |
         hy_axis_address(&ends->to.col.code, (uint32_t)q);
}

/* How the cube's dimensions move.  alone: a bit flips, or two dimensions change places and one of
 * their bits flips; such a block has one path.  swap: two dimensions change places and both bits
 * flip, or neither; there are two paths. */
struct moves {
  bool alone, swap;
};

/* Returns false if dimensions neither stay nor change places in pairs. */
static bool describe_moves(const struct hy_redistribution *problem, struct moves *moves) {
  const struct ends ends = ends_of(&problem->transfers[0]);
  uint32_t flips = target_of(&ends, 0);
  *moves = (struct moves){false, false};
  for (int dim = 0; dim < problem->cube->dims; dim++) {
    uint32_t own = 1u << dim, image = target_of(&ends, 1 << dim) ^ flips;
    if (hy_popcount(image) != 1 || (target_of(&ends, (int)image) ^ flips) != own) return false;
    bool odd = hy_popcount(flips & (own | image)) == 1;
    moves->alone = moves->alone || odd;
    moves->swap = moves->swap || (image != own && !odd);
  }
  return true;
}

/* The reason why the blocks of some matrix do not stay whole, or do not go where the first one's
 * go; NULL if all do.  turns: for turns, otherwise for transpositions. */
static const char *why_cut(const struct hy_redistribution *problem, bool turns) {
  if (problem->count == 0) return "there is nothing to move";
  if (turns && problem->count != 1) return "it moves one matrix at a time";
  if (hy_redistribution_cuts(problem)) return "it moves whole matrices";
  const struct ends first = ends_of(&problem->transfers[0]);
  for (int x = 0; x < problem->count; x++) {
    const hyla_transfer *t = &problem->transfers[x];
    const struct ends ends = ends_of(t);
    if (t->op == HYLA_NONE || turns != (t->op > HYLA_CONJUGATE))
      return turns ? "it turns" : "it transposes";
    if (t->from->unused_dims != 0 || t->to->unused_dims != 0)
      return "it needs every cube dimension to split rows or columns";
    if (!cut_alike(&ends.from.row, &ends.to.row, turns) ||
        !cut_alike(&ends.from.col, &ends.to.col, turns))
      return turns ? "it needs the turned source and the target cut alike, in as many rows and "
                     "columns on every node"
                   : "it needs the target's rows and columns cut as the source's columns and rows";
    for (int node = 0; node < problem->cube->nodes && x > 0; node++)
      if (target_of(&first, node) != target_of(&ends, node))
        return "it needs the blocks of all matrices to go to the same nodes";
  }
  return NULL;
}

static const char *transposes(const void *problem) {
  struct moves moves;
  const char *reason = why_cut(problem, false);
  if (reason != NULL) return reason;
  const int dims = ((const struct hy_redistribution *)problem)->cube->dims;
  return describe_moves(problem, &moves) && (moves.swap || dims == 0)
             ? NULL
             : "it needs dimensions of the cube to change places in pairs, and the target's rows "
               "and columns coded as the source's columns and rows";
}

static const char *why_no_turn(const void *problem, struct moves *moves) {
  const char *reason = why_cut(problem, true);
  if (reason != NULL || describe_moves(problem, moves)) return reason;
  return "it needs dimensions of the cube to stay or to change places in pairs, and axes that "
         "become each other in one code";
}

static const char *turns_in_rings(const void *problem) {
  struct moves moves;
  const char *reason = why_no_turn(problem, &moves);
  if (reason != NULL || !moves.swap) return reason;
  return "it needs one flipped bit in each pair of dimensions that change places";
}

static const char *turns_in_pairs(const void *problem) {
  struct moves moves;
  const char *reason = why_no_turn(problem, &moves);
  if (reason != NULL || !moves.swap || moves.alone) return reason;
  return "it needs a bit that moves over one link";
}

static const char *permutes(const struct hy_redistribution *problem, bool turns) {
  /* PERMUTED SEND cuts a message into d 2^d pieces; with 1024 nodes its schedules take minutes and
   * gigabytes in a simulation. */
  enum { MOST_NODES = 512 };
  const char *reason = why_cut(problem, turns);
  if (reason != NULL) return reason;
  const struct ends ends = ends_of(&problem->transfers[0]);
  int nodes = problem->cube->nodes;
  bool leaves = nodes == 1;
  for (int node = 0; node < nodes && !leaves; node++)
    leaves = target_of(&ends, node) != (uint32_t)node;
  if (!leaves) return "no block leaves its node";
  return nodes > MOST_NODES ? "it serves 512 nodes at most" : NULL;
}

static const char *permutes_transposed(const void *problem) { return permutes(problem, false); }
static const char *permutes_turned(const void *problem) { return permutes(problem, true); }

/* ------------------------------------------------------------ plan, run -- */

static hyla_status prepare(void *state, const struct hy_whole_block_traits *traits) {
  struct hy_whole_block *whole = state;
  const struct hy_redistribution *problem = whole->problem;
  hyla_cube *cube = problem->cube;
  const hyla_transfer *first = &problem->transfers[0];
  const struct ends ends = ends_of(first);
  int32_t *to = NULL;
  TRY(hy_alloc_for(&cube->base, whole, cube->nodes, sizeof *to, &to));
  for (int node = 0; node < cube->nodes; node++) {
    to[node] = (int32_t)target_of(&ends, node);
    for (int x = 0; x < problem->count; x++) {
      const hyla_matrix *from = problem->transfers[x].from;
      whole->sources[node] += hy_held_at(&from->row, node) * hy_held_at(&from->col, node);
    }
    whole->words = hy_max(whole->words, whole->sources[node]);
  }
  whole->room = whole->words;
  if (traits->alike) whole->room = hy_ceil_div(whole->words, cube->nodes) * cube->nodes;
  if (first->op > HYLA_CONJUGATE) whole->tiles = hy_copy_scratch(first->op);
  const struct hy_collective permute = {
      .task = HY_TASK_PERMUTE,
      .blocks = {.words = whole->room, .sources = traits->alike ? NULL : whole->sources},
      .to = to};
  return hy_whole_block_plan(whole, permute, traits);
}

/* The cost with the copies into the buffer and out of it. */
static hyla_cost cost(const void *state) {
  const struct hy_whole_block *whole = state;
  hyla_cost cost = hy_whole_block_cost(whole);
  if (whole->problem->cube->address >= 0) cost.copied += 2 * whole->words;
  return cost;
}

/* All indices of a block; on a mirrored axis from the last one on. */
static struct hy_progression whole_axis(const struct hy_axis *axis, int count) {
  if (axis->mirrored) return (struct hy_progression){1, count, count - 1, -1, 0, 1};
  return (struct hy_progression){count, 1, 0, count, 0, count};
}

static struct hy_positions positions_of(const struct hy_progression *all) {
  return (struct hy_positions){.progression = all,
                               .progressions = 1,
                               .entries = (int64_t)all->length * all->count,
                               .from = HY_HERE,
                               .to = HY_PACKED};
}

/* Copies a block of `rows' rows and `cols' columns, after op and alpha, into the buffer. */
static void turn(const struct hy_whole_block *whole, const hyla_transfer *t, int rows, int cols,
                 char *data) {
  const hyla_matrix *from = t->from;
  if (t->op <= HYLA_CONJUGATE) {
    from->k->copy(t->op, rows, cols, t->alpha, from->local, (int)from->ld, data, rows);
    return;
  }
  const struct hy_operand x = hy_operand_of(from, t->op);
  const struct hy_progression row = whole_axis(&x.row, rows), col = whole_axis(&x.col, cols);
  const struct hy_positions down = positions_of(&row), across = positions_of(&col);
  const struct hy_copy copy = {from->k, hy_without_turn(t->op), t->alpha, false, whole->scratch};
  hy_copy_positions(&copy, &down, &across, from->local, from->ld, data, rows);
}

static hyla_status run(void *state) {
  const struct hy_whole_block *whole = state;
  const struct hy_redistribution *problem = whole->problem;
  const struct hy_kernels *k = problem->k;
  char *data = whole->data;
  if (problem->cube->address < 0) return HYLA_OK;
  for (int x = 0; x < problem->count; x++) {
    const hyla_transfer *t = &problem->transfers[x];
    bool transposed = hy_transposes(t->op);
    int rows = (int)(transposed ? t->from->local_cols : t->from->local_rows);
    int cols = (int)(transposed ? t->from->local_rows : t->from->local_cols);
    if (rows == 0 || cols == 0) continue;
    turn(whole, t, rows, cols, data);
    data += (size_t)rows * (size_t)cols * k->size;
  }
  TRY(hy_subcube_run(&whole->op, whole->data));
  data = whole->data;
  for (int x = 0; x < problem->count; x++) {
    const hyla_matrix *to = problem->transfers[x].to;
    int rows = (int)to->local_rows, cols = (int)to->local_cols;
    if (rows == 0 || cols == 0) continue;
    k->copy(HYLA_NONE, rows, cols, 1, data, rows, to->local, (int)to->ld);
    data += (size_t)rows * (size_t)cols * k->size;
  }
  return HYLA_OK;
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_whole_block *whole = state;
  bool turns = whole->problem->transfers[0].op > HYLA_CONJUGATE;
  hy_text_add(text, "  a node sends its block, %lld entries%s\n", (long long)whole->words,
              turns ? ", to where it lies when turned" : " at most, to one node");
}

/* --------------------------------------------------------------- the rows -- */

/* The common members, with the collective whose name is given. */
#define BLOCKS_BY(collective, alike)                                                               \
  .traits = &(const struct hy_whole_block_traits){collective, alike, false,                        \
                                                  sizeof(struct hy_whole_block), prepare},         \
  .create = hy_whole_block_create, .cost = cost, .allocate = hy_whole_block_allocate, .run = run,  \
  .explain = explain

const struct hy_variant hy_transpose_recursive = {
    .name = "transpose-recursive",
    .reference = "johnsson-1987, theorems 4.1 and 4.2",
    .applies = transposes,
    BLOCKS_BY("recursive", false),
};

const struct hy_variant hy_transpose_paths = {
    .name = "transpose-paths",
    .reference = "stout-wagar-1990, MATRIX TRANSPOSITION",
    .applies = transposes,
    BLOCKS_BY("transpose", false),
};

const struct hy_variant hy_transpose_torus = {
    .name = "transpose-torus",
    .reference = "johnsson-1987, theorem 4.4",
    .applies = transposes,
    BLOCKS_BY("torus", false),
};

const struct hy_variant hy_transpose_torus_paths = {
    .name = "transpose-torus-paths",
    .reference = "johnsson-1987, corollary 4.2",
    .applies = transposes,
    BLOCKS_BY("torus-paths", false),
};

const struct hy_variant hy_transpose_mesh = {
    .name = "transpose-mesh",
    .reference = "johnsson-1987, corollary 4.1",
    .applies = transposes,
    BLOCKS_BY("mesh", false),
};

const struct hy_variant hy_transpose_permuted = {
    .name = "transpose-permuted",
    .reference = "stout-wagar-1990, PERMUTED SEND",
    .applies = permutes_transposed,
    BLOCKS_BY("sw90", true),
};

const struct hy_variant hy_turn_rings = {
    .name = "turn-rings",
    .reference = "stout-wagar-1990, section 10",
    .applies = turns_in_rings,
    BLOCKS_BY("turn-rings", false),
};

const struct hy_variant hy_turn_pairs = {
    .name = "turn-pairs",
    .reference = "stout-wagar-1990, section 10",
    .applies = turns_in_pairs,
    BLOCKS_BY("turn-pairs", false),
};

const struct hy_variant hy_turn_permuted = {
    .name = "turn-permuted",
    .reference = "stout-wagar-1990, PERMUTED SEND",
    .applies = permutes_turned,
    BLOCKS_BY("sw90", true),
};
