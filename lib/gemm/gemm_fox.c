/* Fox, Otto and Hey's algorithm: broadcast, multiply, roll.
 *
 * Reference: Fox, Otto and Hey 1987, section 3.
 * Layout: A, B, C in consecutive blocks, Gray-coded on both axes of a 2^r x 2^c array.
 * Method: k is cut into K = max(2^r, 2^c) panels, the integers modulo K; a block of B holds s = K /
 *   2^r of them.  At step t row i of the array multiplies panel i s + t.  The owner of that panel
 *   of A broadcasts it along the row.  B's blocks roll one place upwards, to neighbours, when the
 *   next panel is in another block.  A panel wider than 256 is broadcast in pieces.
 * Example on 4 nodes: at t = 0 node (0, 0) broadcasts A(0, 0) along row 0 and (1, 1) A(1, 1) along
 *   row 1, and node (i, j) adds A(i, i) B(i, j).  B then rolls up, (0, 1) and (1, 0) broadcast, and
 *   node (i, j) adds A(i, 1-i) B(1-i, j).
 * Steps: K broadcasts over r or fewer dimensions each; 2^r - 1 rotations of B.
 * Words: all of a row's A, which summa sends too; (1 - 2^-r) of a column's B, each block once.
 * Memory: one panel of A, two blocks of B.
 * In place: nothing travels; both factors are read where they lie, in the same order.
 * Restriction: none. */
#include "gemm/result.h"
#include "gemm/split_operand.h"

struct fox {
  const struct hy_gemm_task *task;
  int panels;                    /* K */
  struct hy_panelling panelling; /* cut of k for A's panels; no panel is in two of the K panels */
  struct hy_split_operand *a, *b;
  struct hy_result c;
};

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_blocks(given, HYLA_GRAY, wanted);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  const struct hy_gemm_problem *problem = &task->problem;
  const struct hy_operand *a = &problem->a, *b = &problem->b;
  hyla_cube *cube = problem->cube;
  struct fox *fox = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *fox, &fox));
  *state = fox;
  fox->task = task;
  fox->panels = (int)hy_max(a->col.parts, b->row.parts);
  TRY(hy_panelling_create(&cube->base, fox, &a->col, &b->row, &fox->panelling));
  TRY(hy_panelling_list(&cube->base, fox, &fox->panelling));
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_split_operand_create(fox, problem, HY_A, false, &fox->a));
  TRY(hy_split_operand_create(fox, problem, HY_B, true, &fox->b));
  hy_split_operand_in_panels(fox->a, &fox->panelling, 0);
  hy_split_operand_on_ring(fox->b, b->row.parts, fox->panels);
  fox->c = hy_result_make(fox, problem, 0, cube->address);
  return HYLA_OK;
}

static hyla_status allocate(void *state) {
  struct fox *fox = state;
  if (fox->task->problem.cube->address < 0) return HYLA_OK;
  TRY(hy_split_operand_allocate(fox->a, fox->task));
  TRY(hy_split_operand_allocate(fox->b, fox->task));
  return hy_result_allocate(&fox->c, fox->task);
}

/* C += A(:, k) B(k, :) for the panel of B that is here; A's panel comes in pieces. */
static hyla_status multiply(struct fox *fox) {
  const struct hy_gemm_problem *problem = &fox->task->problem;
  const struct hy_indices here = hy_split_operand_indices(fox->b);
  struct hy_panel a, b;
  for (int64_t x = 0; x < fox->panelling.panel_count; x++) {
    const struct hy_index_panel *piece = &fox->panelling.panels[x];
    const struct hy_indices k = hy_panelling_indices(&fox->panelling, piece);
    int64_t skip = hy_indices_at(&k, 0) - here.first;
    if (skip < 0 || skip >= here.count) continue;
    TRY(hy_split_operand_broadcast(fox->a, piece, &a)); /* along the row */
    TRY(hy_split_operand_here(fox->b, &b));
    b = hy_panel_at(&b, skip, 0, problem->kernels->size);
    hy_count_touched(problem->cube,
                     hy_gemm_touched(fox->c.rows.count, fox->c.cols.count, k.count, 1));
    hy_result_add(&fox->c, &a, &b, &k);
  }
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct fox *fox = state;
  struct hy_step step;
  if (fox->task->problem.cube->address < 0) return HYLA_OK;
  hy_step_make(fox->task->problem.cube, &step);
  hy_result_begin(&fox->c);
  TRY(hy_split_operand_begin(fox->a));
  TRY(hy_split_operand_begin(fox->b));
  for (int t = 0; t < fox->panels; t++) {
    TRY(multiply(fox));
    if (t + 1 < fox->panels) hy_split_operand_rotate(fox->b, 1, &step); /* up */
    TRY(hy_step_run(&step));
  }
  TRY(hy_result_finish(&fox->c));
  TRY(hy_split_operand_end(fox->a));
  return hy_split_operand_end(fox->b);
}

static void explain(const void *state, struct hy_text *text) {
  const struct fox *fox = state;
  hy_split_operand_explain(fox->a, "panels of op(A)", text);
}

static const struct hy_gemm_traits TRAITS = {.layouts = layouts};

const struct hy_variant hy_gemm_fox = {
    .name = "fox",
    .reference = "fox-1987, broadcast, multiply, roll",
    .traits = &TRAITS,
    .create = create,
    .allocate = allocate,
    .run = run,
    .explain = explain,
};
