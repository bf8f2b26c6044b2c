/* Redistributions that move every node's whole block: transposition of matrices, above all on
 * square arrays of nodes, where node (a, b) and node (b, a) swap their blocks, so that dimensions
 * of the cube change places in pairs.
 *
 *   variant                paths (lib/collective)
 *   transpose-recursive    transpose_recursive.c: blocks change places, then their quarters
 *   transpose-paths        invert_blocks.c: two paths at once for each pair of bits
 *   transpose-torus        transpose_torus.c: round a torus
 *   transpose-torus-paths  the same on two paths
 *   transpose-mesh         the same without the links round the end
 *   transpose-permuted     permute.c: any permutation, in two total exchanges
 * References: Johnsson 1987, theorems 4.1, 4.2, 4.4, corollaries 4.1, 4.2; Stout and Wagar 1990,
 * MATRIX TRANSPOSITION, PERMUTED SEND.
 * Layout: binary or Gray code, any storage, any sizes.  The target's rows and columns must be cut
 * as the source's columns and rows.  Except for transpose-permuted, the target's columns must be
 * split as the source's rows, through the same code, and each dimension must stay or change places
 * with another one; so arrays of 2^r x 2^c nodes serve too.  transpose-permuted also goes from 4 x
 * 8 nodes to 8 x 4, or to another code; it pads all blocks to the longest one, rounded up to a
 * multiple of 2^d words.
 * Method: a node transposes its blocks of all matrices into one message, which crosses the cube in
 * packets, and copies the message that arrives to its place.
 * Memory: twice the largest message or more, for packets that pass through. */
#include "redistribute/whole_block.h"

/* ------------------------------------------------------ where blocks go -- */

/* Are the indices cut into the same parts? */
static bool cut_alike(const struct hy_axis *a, const struct hy_axis *b) {
  if (a->parts != b->parts) return false;
  int64_t shift = a->first - b->first;
  return a->parts == 1 || (a->block == b->block && shift % (a->block * a->parts) == 0);
}

struct ends {
  struct hy_operand from, to;
};

static struct ends ends_of(const hyla_transfer *t) {
  return (struct ends){hy_operand_of(t->from, t->op), hy_operand_of(t->to, HYLA_NONE)};
}

/* The node to which a node's block goes. */
static uint32_t target_of(const struct ends *ends, int node) {
  const struct hy_operand *from = &ends->from, *to = &ends->to;
  return hy_axis_address(&to->row.code, (uint32_t)hy_part_of(&from->row, node)) |
         hy_axis_address(&to->col.code, (uint32_t)hy_part_of(&from->col, node));
}

/* Do dimensions change places in pairs?  Then every bit of a node's number goes to another place,
 * and that place's bit comes back.  On a cube of one node this holds. */
static bool swaps_dimensions(const struct ends *ends, int dims) {
  uint32_t image[HYLA_DIMS_MAX];
  bool moves = dims == 0;
  for (int dim = 0; dim < dims; dim++) {
    image[dim] = target_of(ends, 1 << dim);
    if (hy_popcount(image[dim]) != 1 || target_of(ends, (int)image[dim]) != 1u << dim) return false;
    moves = moves || image[dim] != 1u << dim;
  }
  for (int node = 0; node >> dims == 0 && moves; node++) {
    uint32_t target = 0;
    for (int dim = 0; dim < dims; dim++)
      if (node >> dim & 1) target |= image[dim];
    if (target_of(ends, node) != target) return false;
  }
  return moves;
}

/* Does a block leave its node? */
static bool leaves(const struct ends *ends, int nodes) {
  for (int node = 0; node < nodes; node++)
    if (target_of(ends, node) != (uint32_t)node) return true;
  return false;
}

/* The reason why a block does not stay whole; NULL if it does. */
static const char *why_cut(const hyla_transfer *t) {
  if (t->op != HYLA_TRANSPOSE && t->op != HYLA_CONJUGATE) return "it transposes";
  if (t->from->unused_dims != 0 || t->to->unused_dims != 0)
    return "it needs every cube dimension to split rows or columns";
  const struct ends ends = ends_of(t);
  return cut_alike(&ends.from.row, &ends.to.row) && cut_alike(&ends.from.col, &ends.to.col)
             ? NULL
             : "it needs the target's rows and columns cut as the source's columns and rows";
}

/* The reason why the blocks of some matrix do not stay whole, or do not go where the first one's
 * go; NULL if all do. */
static const char *why_not(const struct hy_redistribution *problem) {
  if (problem->count == 0) return "there is nothing to move";
  if (hy_redistribution_cuts(problem)) return "it moves whole matrices";
  for (int x = 0; x < problem->count; x++) {
    const char *reason = why_cut(&problem->transfers[x]);
    if (reason != NULL) return reason;
    const struct ends first = ends_of(&problem->transfers[0]),
                      ends = ends_of(&problem->transfers[x]);
    for (int node = 0; node < problem->cube->nodes && x > 0; node++)
      if (target_of(&first, node) != target_of(&ends, node))
        return "it needs the blocks of all matrices to go to the same nodes";
  }
  return NULL;
}

static const char *applies(const void *given) {
  const struct hy_redistribution *problem = given;
  const char *reason = why_not(problem);
  if (reason != NULL) return reason;
  const struct ends ends = ends_of(&problem->transfers[0]);
  return swaps_dimensions(&ends, problem->cube->dims)
             ? NULL
             : "it needs dimensions of the cube to change places in pairs, and the target's rows "
               "and columns coded as the source's columns and rows";
}

static const char *applies_to_all(const void *given) {
  const struct hy_redistribution *problem = given;
  const char *reason = why_not(problem);
  if (reason != NULL) return reason;
  const struct ends ends = ends_of(&problem->transfers[0]);
  int nodes = problem->cube->nodes;
  return hy_whole_block_refuses(nodes, leaves(&ends, nodes));
}

/* ----------------------------------------------------------------- plan -- */

static hyla_status describe(struct hy_whole_block *whole) {
  const struct hy_redistribution *problem = whole->problem;
  hyla_cube *cube = problem->cube;
  const struct ends ends = ends_of(&problem->transfers[0]);
  TRY(hy_alloc_for(&cube->base, whole, cube->nodes, sizeof *whole->to, &whole->to));
  for (int node = 0; node < cube->nodes; node++) {
    whole->to[node] = (int32_t)target_of(&ends, node);
    for (int x = 0; x < problem->count; x++) {
      const hyla_matrix *from = problem->transfers[x].from;
      whole->sources[node] += hy_held_at(&from->row, node) * hy_held_at(&from->col, node);
    }
    whole->words = hy_max(whole->words, whole->sources[node]);
  }
  return HYLA_OK;
}

static hyla_status prepare(void *state, const char *variant) {
  TRY(describe(state));
  return hy_whole_block_permute(state, false, variant);
}

static hyla_status prepare_alike(void *state, const char *variant) {
  TRY(describe(state));
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

static void turn(const struct hy_whole_block *whole) {
  const struct hy_kernels *k = whole->problem->k;
  char *data = whole->data;
  for (int x = 0; x < whole->problem->count; x++) {
    const hyla_transfer *t = &whole->problem->transfers[x];
    int rows = (int)t->from->local_cols, cols = (int)t->from->local_rows;
    if (rows == 0 || cols == 0) continue;
    k->copy(t->op, rows, cols, t->alpha, t->from->local, (int)t->from->ld, data, rows);
    data += (size_t)rows * (size_t)cols * k->size;
  }
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
  hy_text_add(text, "  a node sends its block, %lld entries at most, to one node\n",
              (long long)whole->words);
}

/* --------------------------------------------------------------- the rows -- */

#define OPERATIONS                                                                                 \
  .cost = hy_whole_block_cost_of_all, .allocate = hy_whole_block_allocate, .run = run,             \
  .explain = explain

const struct hy_variant hy_transpose_recursive = {
    .name = "transpose-recursive",
    .reference = "johnsson-1987, theorems 4.1 and 4.2",
    .traits = "recursive", /* the collective */
    .applies = applies,
    .create = create,
    OPERATIONS,
};

const struct hy_variant hy_transpose_paths = {
    .name = "transpose-paths",
    .reference = "stout-wagar-1990, MATRIX TRANSPOSITION",
    .traits = "transpose", /* the collective */
    .applies = applies,
    .create = create,
    OPERATIONS,
};

const struct hy_variant hy_transpose_torus = {
    .name = "transpose-torus",
    .reference = "johnsson-1987, theorem 4.4",
    .traits = "torus", /* the collective */
    .applies = applies,
    .create = create,
    OPERATIONS,
};

const struct hy_variant hy_transpose_torus_paths = {
    .name = "transpose-torus-paths",
    .reference = "johnsson-1987, corollary 4.2",
    .traits = "torus-paths", /* the collective */
    .applies = applies,
    .create = create,
    OPERATIONS,
};

const struct hy_variant hy_transpose_mesh = {
    .name = "transpose-mesh",
    .reference = "johnsson-1987, corollary 4.1",
    .traits = "mesh", /* the collective */
    .applies = applies,
    .create = create,
    OPERATIONS,
};

const struct hy_variant hy_transpose_permuted = {
    .name = "transpose-permuted",
    .reference = "stout-wagar-1990, PERMUTED SEND",
    .traits = "sw90", /* the collective */
    .applies = applies_to_all,
    .create = create_alike,
    OPERATIONS,
};
