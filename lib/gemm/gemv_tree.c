/* A matrix by a vector, vectors on one line of the array: by trees.
 *
 * Reference: Johnsson 1987, 3.4.1 and 6.4.2: spanning trees of the lines' subcubes.
 * Layout: any for A.  A vector that goes with A's columns lies like these on one row of the array;
 *   one that goes with A's rows lies like these on one column.
 * Method: broadcast the spread vector's parts along the lines of the array, multiply each node's
 *   block by its part, reduce the sums along the other lines.  The collectives' variants determine
 *   the trees; short vectors use recursive doubling.
 * Example on 4 nodes, 2 x 2, y = A x: x(j) on node (0, j) is broadcast to (1, j); nodes (i, 0) and
 *   (i, 1) add A(i, 0) x(0) and A(i, 1) x(1) on node (i, 0), which has y(i).
 * Steps: log2 p to spread over p nodes, log2 q to add over q, rounded up.
 * Words: by doubling, a node sends its part of each vector once to every child in the tree.
 * Memory: one part of each vector, and the workspace of the collectives.
 * Restriction: none. */
#include "gemm/gemv.h"

void hy_gemv_lay_out_on_line(const struct hy_gemv_problem *problem, const struct hy_gemv_end *end,
                             struct hy_operand *wanted) {
  const struct hy_axis *axis = hy_gemv_axis(problem, end), *across = hy_gemv_across(problem, end);
  const uint32_t along = hy_axis_mask(&across->code);
  const struct hy_operand given = *wanted;
  /* On the face a vector lies on the first line. */
  if (given.col.code.dims == 0 && given.rest == HYLA_FACE && !hy_gemv_leaves(problem) &&
      hy_axis_equal(&given.row, axis))
    return;
  wanted->row = *axis;
  wanted->rest = problem->a.rest;
  if (hy_axis_mask(&given.col.code) == along) return;
  hyla_axis code = across->code;
  code.storage = HYLA_CYCLIC;
  code.block = 1;
  wanted->col = hy_axis_make(&code, 1);
}

int hy_carrier_root(const struct hy_carrier *c) {
  const struct hy_axis *col = &c->end->vector.col;
  uint32_t there = 0;
  if (col->code.dims > 0) there = hy_axis_address(&col->code, (uint32_t)hy_axis_owner(col, 0));
  return (int)(((uint32_t)c->node & ~c->along) | there);
}

static hyla_status allocate(struct hy_carrier *c) {
  const struct hy_gemv_problem *problem = &c->task->problem;
  TRY(hy_subcube_make_for(c->owner, problem->cube, c->along,
                          c->end->sum ? HY_TASK_REDUCE : HY_TASK_BROADCAST, c->length,
                          problem->kernels->size, NULL, &c->group));
  return hy_subcube_allocate(&c->group);
}

static hyla_status spread(struct hy_carrier *c) {
  int root = hy_carrier_root(c);
  c->data = c->node == root ? c->vector->local : c->room;
  return hy_subcube_broadcast(&c->group, root, c->data, c->length);
}

static hyla_status sum(struct hy_carrier *c) {
  int root = hy_carrier_root(c);
  TRY(hy_subcube_reduce(&c->group, root, c->data, c->length, hy_carrier_combine, c));
  if (c->node == root) hy_carrier_put(c, c->data, c->length);
  return HYLA_OK;
}

/* Pipelined along the tree of a subcube. */
static int64_t figure(const struct hy_carrier *c) { return c->across->code.dims + c->length - 1; }

static const struct hy_gemv_traits TRAITS = {.lay_out = hy_gemv_lay_out_on_line,
                                             .allocate = allocate,
                                             .spread = spread,
                                             .sum = sum,
                                             .figure = figure,
                                             .source = "Johnsson 1987, theorem 6.4"};

const struct hy_variant hy_gemv_tree = {
    .name = "tree",
    .arrays = true,
    .reference = "johnsson-1987, 3.4.1 and 6.4.2",
    .traits = &TRAITS,
    HY_GEMV_OPERATIONS,
};
