/* The algorithm of Dekel, Nassimi and Sahni: multiplication by exchanges.
 *
 * Reference: Johnsson 1987, section 5.1, MMC1; Dekel, Nassimi and Sahni 1981.
 * Layout: A, B, C in consecutive blocks, binary-coded on both axes of a 2^r x 2^c array.
 * Method: the panels of k are bit strings under exclusive or.  At step t node (i, j) multiplies
 *   panel i ^ j ^ G(t) (on a square array; rotation.h has the others), where G is the Gray code.
 *   From one step to the next one bit changes, so the nodes exchange their blocks with neighbours,
 *   all over the same dimension of their row and of their column.  Before the loop, node (i, j)
 *   gets A(i, i ^ j) and B(i ^ j, j): an exchange over the dimensions that are 1 in i and in j.  If
 *   all blocks cross these dimensions in the same order, no two cross a link in the same direction.
 * Example on 4 nodes: panels 0 and 1.  At t = 0 nodes (0, 0) and (1, 1) multiply panel 0, the other
 *   two panel 1; then all exchange A along the row and B along the column, and multiply the other
 *   panel.
 * Steps, messages, words, memory, in place: rotation.h.
 * Restriction: none. */
#include "gemm/rotation.h"

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_square_blocks(given, HYLA_BINARY, wanted);
}

static hyla_status run(void *state) {
  struct hy_rotation *r = state;
  struct hy_step step;
  struct hy_rotation_panels here;
  if (r->task->problem.cube->address < 0) return HYLA_OK;
  hy_step_make(r->task->problem.cube, &step);
  TRY(hy_rotation_begin(r));
  /* Row i of A over the dimensions that are 1 in i, column j of B over those in j. */
  if (r->packets > 1) {
    TRY(hy_rotation_set_up(r));
  } else {
    hy_split_operand_exchange(r->a, hy_split_operand_first(r->b), &step);
    hy_split_operand_exchange(r->b, hy_split_operand_first(r->a), &step);
    TRY(hy_step_run(&step));
  }
  for (int t = 0; t < r->panels; t++) {
    TRY(hy_rotation_here(r, &here)); /* A(i, kappa), B(kappa, j) */
    if (t + 1 < r->panels) {
      int bit = 1 << hy_gray_transition((uint32_t)t);
      hy_split_operand_exchange(r->a, bit, &step);
      hy_split_operand_exchange(r->b, bit, &step);
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
  r->theorem = "5.2";
  return hy_rotation_plan_set_up(r, true);
}

const struct hy_variant hy_gemm_dekel = {
    .name = "dekel",
    .reference = "johnsson-1987, section 5, MMC1",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts},
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = hy_rotation_allocate,
    .run = run,
    .explain = hy_rotation_explain,
};
