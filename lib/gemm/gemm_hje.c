/* Ho, Johnsson and Edelman's algorithm: Cannon's, on all ports at once.
 *
 * Reference: Ho, Johnsson and Edelman 1991; compared by Gupta and Sadayappan 1996.
 * Layout: consecutive blocks, binary-coded, on a 2^r x 2^c array.  L = max(r, c); k is cut into 2^L
 *   panels; a block of A holds 2^(L-c) of them, a block of B 2^(L-r).  Each panel is cut into L
 *   parts.
 * Method: at step t node (i, j) multiplies, for each part p, part p of panel
 *       kappa = j 2^(L-c) XOR i 2^(L-r) XOR G_p(t),
 *   where G_p(t) is the Gray code of t with its L bits rotated by p places.  From one step to the
 *   next one bit of kappa changes, a different bit for each part.  So the L parts of A cross L
 *   different links along the row, those of B cross L links along the column, and each link carries
 *   1/L of a block.  (A bit of kappa inside a block moves nothing.)  The parts of the next step
 *   travel while the present ones are multiplied.  To set up, part p crosses the bits in which
 *   kappa at t = 0 differs, bit p first.
 * Example on 16 nodes, r = c = L = 2: G_0 = 0 1 3 2 and G_1 = 0 2 3 1, so after t = 0 part 0
 *   crosses bit 0 while part 1 crosses bit 1, then the other way round.  On 4 nodes L is 1, and
 *   this is `dekel'.
 * Steps: L to set up, 2^L - 1.
 * Messages and words: each step at most L messages with a block of A in all, and as many of B.  All
 *   go to neighbours.
 * Memory: two blocks of A (none for c = 0) and two of B (none for r = 0).
 * In place: blocks travel even if they could be read.
 * Restriction: none. */
#include "gemm/rotation.h"

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_blocks(given, HYLA_BINARY, wanted);
}

static int bits_of(const struct hy_rotation *r) { return hy_log2_floor((uint32_t)r->panels); }

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  TRY(hy_rotation_create(variant, given, state));
  if (task->problem.cube->address < 0) return HYLA_OK;
  struct hy_rotation *r = *state;
  r->parts = (int)hy_max(1, bits_of(r));
  hy_split_operand_in_parts(r->a, r->parts);
  hy_split_operand_in_parts(r->b, r->parts);
  return HYLA_OK;
}

/* Part p crosses bit `bit' + p of kappa, so each part crosses another bit, if that bit is among
 * those in which A's, or B's, parts change places. */
static void exchange(const struct hy_rotation *r, int bit, int of_a, int of_b,
                     struct hy_step *step) {
  int bits = bits_of(r);
  for (int p = 0; p < r->parts; p++)
    hy_split_operand_part_exchange(r->a, p, of_a & 1 << (bit + p) % bits, step);
  for (int p = 0; p < r->parts; p++)
    hy_split_operand_part_exchange(r->b, p, of_b & 1 << (bit + p) % bits, step);
}

/* Part p of A(i, kappa) and of B(kappa, j), which is here. */
static struct hy_rotation_panels part_here(const struct hy_rotation *r, int p) {
  return (struct hy_rotation_panels){hy_split_operand_part_here(r->a, p),
                                     hy_split_operand_part_here(r->b, p),
                                     hy_split_operand_part_indices(r->a, p)};
}

static hyla_status run(void *state) {
  struct hy_rotation *r = state;
  struct hy_message messages[4 * HYLA_DIMS_MAX];
  struct hy_rotation_panels here[HYLA_DIMS_MAX];
  struct hy_step step;
  if (r->task->problem.cube->address < 0) return HYLA_OK;
  hy_step_make_in(r->task->problem.cube, messages, &step);
  TRY(hy_rotation_begin(r));
  /* Row i of A crosses the bits that are 1 in i; column j of B crosses the bits that are 1 in j. */
  for (int t = 0; t < bits_of(r); t++) {
    exchange(r, t, hy_split_operand_first(r->b), hy_split_operand_first(r->a), &step);
    TRY(hy_step_run(&step));
  }
  for (int t = 0; t < r->panels; t++) {
    for (int p = 0; p < r->parts; p++) here[p] = part_here(r, p);
    if (t + 1 < r->panels) exchange(r, hy_gray_transition((uint32_t)t), ~0, ~0, &step);
    TRY(hy_step_start(&step));
    for (int p = 0; p < r->parts; p++) hy_rotation_multiply(r, &here[p]); /* meanwhile */
    TRY(hy_step_wait(&step));
  }
  return hy_rotation_end(r);
}

const struct hy_variant hy_gemm_hje = {
    .name = "hje",
    .reference = "ho-1991, full bandwidth",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts, .sends_zeros = true},
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = hy_rotation_allocate,
    .run = run,
};
