/* A matrix by a vector, vectors in shares: gathered for A's blocks, sums scattered.
 *
 * Reference: Stout and Wagar 1990, sections 6 and 8, all-gather and its reverse; Johnsson 1987,
 *   6.4.3, sums entirely in place (rows).
 * Layout: any for A, over p x q nodes.  A vector lies over all of them.  The entries of a part
 *   of A's rows (columns) are dealt to the nodes that have this part: each of the axis' blocks is
 *   cut, or whole blocks are dealt in turn.  Along an axis that is not split, any layout over the
 *   nodes will do.
 * Method:
 *   rows     only op(A)'s rows are split: all-gather x, multiply; the sums stay
 *   columns  only its columns are split: multiply, reduce-scatter the sums; x stays
 *   blocks   both are split: all-gather x along the columns of the array, multiply, reduce-scatter
 *            the sums along its rows
 *   Gathered shares that are not in the order of A's entries are put into it, stretch by stretch.
 * Example on 4 nodes, 2 x 2, n = 8, consecutive blocks: node (i, j) needs x(4j : 4j+3) and holds
 *   two of these entries.  It gets the other two from its neighbour in column j, multiplies, and
 *   exchanges two of its four sums with its neighbour in row i.
 * Steps: log2 p to gather along p nodes, log2 q to scatter along q, rounded up, by doubling.
 * Words: (1 - 1/p) of a part of x, (1 - 1/q) of a part of y; no algorithm needs fewer.
 * Memory: one part of each vector; two, if they are put in order.
 * Restriction: the nodes must be able to cut the blocks of a split axis in Gray code evenly, and
 *   their number must be a power of two.  In binary code blocks that they cannot cut are dealt
 *   whole, evenly if there are many. */
#include "gemm/gemv.h"

/* ------------------------------------------------------------------ shares -- */

static bool cuts_blocks(const struct hy_axis *axis, const struct hy_axis *across) {
  return axis->block % across->parts == 0;
}

static void append(hyla_axis *code, const hyla_axis *more) {
  for (int i = 0; i < more->dims; i++) code->dim[code->dims++] = more->dim[i];
}

/* The vector's axis over the dimensions of both axes of A. */
static struct hy_axis shared_axis(const struct hy_sides *sides, const struct hy_axis *axis,
                                  const struct hy_axis *across) {
  struct hy_axis shared = *axis;
  int bits = across->code.dims;
  if (bits == 0) return shared;
  bool cut = cuts_blocks(axis, across);
  shared.code = (hyla_axis){.code = axis->code.code, .storage = HYLA_CYCLIC};
  append(&shared.code, cut ? &across->code : &axis->code);
  append(&shared.code, cut ? &axis->code : &across->code);
  /* In Gray code the shares of a part are numbered in binary. */
  if (cut) shared.code.binary = bits + (axis->code.code == HYLA_GRAY ? axis->code.binary : 0);
  hy_axis_on_sides(sides, &shared.code);
  shared.block = cut ? axis->block / across->parts : axis->block;
  shared.code.block = shared.block;
  shared.parts = axis->parts * across->parts;
  return shared;
}

static void lay_out(const struct hy_gemv_problem *problem, const struct hy_gemv_end *end,
                    struct hy_operand *wanted) {
  const struct hy_axis *axis = hy_gemv_axis(problem, end), *across = hy_gemv_across(problem, end);
  static const hyla_axis none = {.dims = 0};
  bool over_all =
      hy_axis_mask(&wanted->row.code) == hy_axis_mask(&across->code) && wanted->col.code.dims == 0;
  if (axis->parts == 1 && over_all && wanted->rest == problem->a.rest) return;
  if (axis->parts == 1) {
    hyla_axis code = across->code;
    code.storage = HYLA_CONSECUTIVE;
    wanted->row = hy_axis_make(&code, axis->n);
  } else {
    wanted->row = shared_axis(&problem->cube->sides, axis, across);
  }
  wanted->col = hy_axis_make(&none, 1);
  wanted->rest = problem->a.rest;
}

/* The vector's part that is share q of this node's part of A's axis. */
static int part_of_share(const struct hy_carrier *c, int q) {
  int part = hy_part_of(c->axis, c->node);
  bool cut = cuts_blocks(c->axis, c->across);
  return c->axis->parts == 1 ? q : cut ? part * c->across->parts + q : q * c->axis->parts + part;
}

/* Copies all stretches that are contiguous both in a share and in A's order, from the shares into
 * the order or back. */
static void reorder(const struct hy_carrier *c, bool into_order) {
  const struct hy_axis *shares = &c->end->vector.row;
  const struct hy_kernels *k = c->task->problem.kernels;
  int part = hy_part_of(c->axis, c->node);
  hy_count_copied(c->task->problem.cube, c->length);
  for (int q = 0; q < c->across->parts && !k->dry; q++) {
    int64_t held = c->offsets[q + 1] - c->offsets[q], run;
    for (int64_t l = 0; l < held; l += run) {
      int64_t i = hy_axis_index(shares, part_of_share(c, q), l);
      run = hy_min(held - l, hy_min(hy_axis_run(shares, i), hy_axis_run(c->axis, i)));
      char *shared = c->room + (size_t)(c->offsets[q] + l) * k->size;
      char *ordered = c->ordered + (size_t)hy_axis_before(c->axis, part, i) * k->size;
      hy_copy_entries(k, into_order ? ordered : shared, into_order ? shared : ordered, run);
    }
  }
}

/* Are the shares, one after another, in the order of A's entries?  They are if no node has blocks
 * of two rounds. */
static bool in_order(const struct hy_carrier *c) {
  const struct hy_axis *shares = &c->end->vector.row;
  int64_t round = shares->block * shares->parts;
  return shares->first / round == (shares->first + shares->n - 1) / round;
}

/* Numbers the shares in their order; members are numbered by their address. */
static hyla_status allocate(struct hy_carrier *c) {
  const struct hy_gemv_problem *problem = &c->task->problem;
  struct hy_base *base = &problem->cube->base;
  const struct hy_axis *over = &c->end->vector.row;
  const enum hy_task task = c->end->sum ? HY_TASK_REDUCE_SCATTER : HY_TASK_ALLGATHER;
  int shares = c->across->parts;
  uint32_t *place = NULL;
  TRY(hy_alloc_for(base, c->owner, shares + 1, sizeof *c->offsets, &c->offsets));
  TRY(hy_alloc_for(base, c->owner, shares, sizeof *place, &place));
  for (int q = 0; q < shares; q++) {
    uint32_t node = hy_axis_address(&over->code, (uint32_t)part_of_share(c, q));
    c->offsets[q + 1] = c->offsets[q] + hy_held(over, part_of_share(c, q));
    place[hy_member(problem->cube, c->along, (int)node)] = (uint32_t)q;
    if (((uint32_t)c->node & c->along) == (node & c->along)) c->share = q;
  }
  TRY(hy_subcube_make_for(c->owner, problem->cube, c->along, task, c->length,
                          problem->kernels->size, place, &c->group));
  hy_free(base, &place);
  TRY(hy_subcube_allocate_blocks(&c->group, c->offsets));
  if (in_order(c)) return HYLA_OK;
  return hy_alloc_data_for(base, c->owner, c->length, problem->kernels->size, &c->ordered);
}

static char *own_share(const struct hy_carrier *c) {
  return c->room + (size_t)c->offsets[c->share] * c->task->problem.kernels->size;
}
static int64_t own_words(const struct hy_carrier *c) {
  return c->offsets[c->share + 1] - c->offsets[c->share];
}

static hyla_status spread(struct hy_carrier *c) {
  hy_count_copied(c->task->problem.cube, own_words(c));
  hy_copy_entries(c->task->problem.kernels, own_share(c), c->vector->local, own_words(c));
  TRY(hy_subcube_allgather(&c->group, c->room, c->offsets));
  c->data = c->ordered != NULL ? c->ordered : c->room;
  if (c->ordered != NULL) reorder(c, true);
  return HYLA_OK;
}

static hyla_status sum(struct hy_carrier *c) {
  if (c->ordered != NULL) reorder(c, false);
  TRY(hy_subcube_reduce_scatter(&c->group, c->room, c->offsets, hy_carrier_combine, c));
  hy_carrier_put(c, own_share(c), own_words(c));
  return HYLA_OK;
}

/* --------------------------------------------------------------------- rows -- */

static const struct hy_gemv_traits TRAITS = {
    .lay_out = lay_out, .allocate = allocate, .spread = spread, .sum = sum};

static const struct hy_gemv_problem *problem_of(const void *task) {
  return &((const struct hy_gemv_task *)task)->problem;
}

/* The axes of op(A). */
static const struct hy_axis *rows_of(const struct hy_gemv_problem *p) {
  return p->op == HYLA_NONE || p->update ? &p->a.row : &p->a.col;
}
static const struct hy_axis *cols_of(const struct hy_gemv_problem *p) {
  return p->op == HYLA_NONE || p->update ? &p->a.col : &p->a.row;
}

static const char *rows_apply(const void *task) {
  return cols_of(problem_of(task))->parts > 1 ? "the columns of op(a) are split" : NULL;
}

static const char *columns_apply(const void *task) {
  const struct hy_gemv_problem *p = problem_of(task);
  if (rows_of(p)->parts > 1) return "the rows of op(a) are split";
  return cols_of(p)->parts == 1 ? "the columns of op(a) are not split" : NULL;
}

static const char *blocks_apply(const void *task) {
  const struct hy_gemv_problem *p = problem_of(task);
  if (rows_of(p)->parts == 1) return "the rows of op(a) are not split";
  if (cols_of(p)->parts == 1) return "the columns of op(a) are not split";
  /* If blocks cannot be cut, whole blocks are dealt.  Then the part of A's axis is the low bits of
   * the vector's part, which Gray code would change.  And an axis of the vector with a side that is
   * no power of two has no Gray code. */
  for (int i = 0; i < p->ends; i++) {
    const struct hy_axis *axis = hy_gemv_axis(p, &p->end[i]);
    const struct hy_axis *across = hy_gemv_across(p, &p->end[i]);
    if (axis->code.code != HYLA_BINARY && (!cuts_blocks(axis, across) || across->code.parts > 0))
      return "blocks of a in Gray code cannot be cut evenly for the nodes that share them";
  }
  return NULL;
}

const struct hy_variant hy_gemv_rows = {
    .name = "rows",
    .arrays = true,
    .reference = "johnsson-1987, 6.4.3; stout-wagar-1990, sections 6 and 8",
    .traits = &TRAITS,
    .applies = rows_apply,
    HY_GEMV_OPERATIONS,
};

const struct hy_variant hy_gemv_columns = {
    .name = "columns",
    .arrays = true,
    .reference = "stout-wagar-1990, sections 6 and 8",
    .traits = &TRAITS,
    .applies = columns_apply,
    HY_GEMV_OPERATIONS,
};

const struct hy_variant hy_gemv_blocks = {
    .name = "blocks",
    .arrays = true,
    .reference = "stout-wagar-1990, sections 6 and 8",
    .traits = &TRAITS,
    .applies = blocks_apply,
    HY_GEMV_OPERATIONS,
};
