/* A matrix by a vector, vectors in copies: summands are added for all.
 *
 * Reference: the library's own; all-reduction, hyla's collectives.
 * Layout: any for A.  A vector lies like A's rows or columns, whichever it goes with; all nodes
 *   with the same rows or columns hold copies.
 * Method: nothing is spread.  Each node multiplies its block by its copy, and the sums are
 *   all-reduced along the lines of the array.
 * Example on 4 nodes, 2 x 2, y = A x: nodes (0, j) and (1, j) hold copies of x(j), nodes (i, 0) and
 *   (i, 1) copies of y(i); these two add A(i, 0) x(0) and A(i, 1) x(1).
 * Steps: none to spread, c to add short sums over 2^c nodes.
 * Words: short sums, added by doubling, take c times a node's part of the sum; long sums about
 *   twice the part.
 * Memory: a part of the summed vector, and the workspace of the all-reduction.
 * Restriction: A must have entries on all nodes; otherwise there would be copies that nobody adds
 *   to. */
#include "gemm/gemv.h"

static const char *applies(const void *given) {
  const struct hy_gemv_problem *problem = &((const struct hy_gemv_task *)given)->problem;
  bool leaves = hy_gemv_leaves(problem) && problem->a.rest == HYLA_FACE;
  return leaves ? "a lies on a part of the cube, and copies would lie beside it" : NULL;
}

static void lay_out(const struct hy_gemv_problem *problem, const struct hy_gemv_end *end,
                    struct hy_operand *wanted) {
  static const hyla_axis none = {.dims = 0};
  wanted->row = *hy_gemv_axis(problem, end);
  wanted->col = hy_axis_make(&none, 1);
  wanted->rest = HYLA_REPLICATED;
}

static hyla_status allocate(struct hy_carrier *c) {
  const struct hy_gemv_problem *problem = &c->task->problem;
  if (!c->end->sum) return HYLA_OK;
  TRY(hy_subcube_make_for(c->owner, problem->cube, c->along, HY_TASK_ALLREDUCE, c->length,
                          problem->kernels->size, NULL, &c->group));
  return hy_subcube_allocate(&c->group);
}

static hyla_status spread(struct hy_carrier *c) {
  c->data = c->vector->local;
  return HYLA_OK;
}

static hyla_status sum(struct hy_carrier *c) {
  TRY(hy_subcube_allreduce(&c->group, c->data, c->length, hy_carrier_combine, c));
  hy_carrier_put(c, c->data, c->length);
  return HYLA_OK;
}

static const struct hy_gemv_traits TRAITS = {
    .lay_out = lay_out, .allocate = allocate, .spread = spread, .sum = sum};

const struct hy_variant hy_gemv_copies = {
    .name = "copies",
    .arrays = true,
    .reference = "stout-wagar-1990, section 8; all-reduction",
    .traits = &TRAITS,
    .applies = applies,
    HY_GEMV_OPERATIONS,
};
