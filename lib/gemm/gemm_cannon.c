/* Cannon's algorithm: multiplication by rotation.
 *
 * Reference: Johnsson 1987, section 5.2, MMC2; Cannon 1969.
 * Layout: A, B, C in consecutive blocks, Gray-coded on both axes of a 2^r x 2^c array, so that the
 *   next block along a row or a column of the array is on a neighbour.  Along a side that is no
 *   power of two the blocks are in their order, on a ring.
 * Method: the panels of k are the integers modulo K.  At step t node (i, j) multiplies panel i + j
 *   + t (on a square array; rotation.h has the others): blocks of A move one place to the left,
 *   blocks of B one place upwards, to neighbours.  Before the loop, row i of A is rotated by i
 *   places and column j of B by j places.
 * Example on 4 nodes: see rotation.h.
 * Steps, messages, words, memory, in place: rotation.h.
 * Restriction: none. */
#include "gemm/rotation.h"

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_square_blocks(given, HYLA_GRAY, wanted);
}

hyla_status hy_cannon_run(void *state) {
  struct hy_rotation *r = state;
  struct hy_step step;
  struct hy_rotation_panels here;
  if (r->task->problem.cube->address < 0) return HYLA_OK;
  hy_step_make(r->task->problem.cube, &step);
  TRY(hy_rotation_begin(r));
  /* Skew: row i of A by i blocks to the left, column j of B by j upwards. */
  if (r->packets > 1) {
    TRY(hy_rotation_set_up(r));
  } else {
    hy_split_operand_rotate(r->a, hy_split_operand_first(r->b) + r->from, &step);
    hy_split_operand_rotate(r->b, hy_split_operand_first(r->a) + r->from, &step);
    TRY(hy_step_run(&step));
  }
  for (int t = 0; t < r->steps; t++) {
    TRY(hy_rotation_here(r, &here)); /* A(i, kappa), B(kappa, j) */
    if (t + 1 < r->steps) {
      hy_split_operand_rotate(r->a, 1, &step); /* left */
      hy_split_operand_rotate(r->b, 1, &step); /* up */
    }
    TRY(hy_step_start(&step));
    hy_rotation_multiply(r, &here); /* while the next ones travel */
    TRY(hy_step_wait(&step));
  }
  return hy_rotation_end(r);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  TRY(hy_rotation_create(variant, given, state));
  struct hy_rotation *r = *state;
  r->theorem = "5.3";
  return hy_rotation_plan_set_up(r, false);
}

const struct hy_variant hy_gemm_cannon = {
    .name = "cannon",
    .arrays = true,
    .reference = "johnsson-1987, section 5, MMC2",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts},
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = hy_rotation_allocate,
    .run = hy_cannon_run,
    .explain = hy_rotation_explain,
};
