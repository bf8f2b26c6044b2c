/* Multiplication as a word over i, j, k: each cube dimension serves one loop.
 *
 * Reference: Agarwal, Balle, Gustavson, Joshi and Palkar 1995 for three loops; all-gather and its
 *   reverse, Stout and Wagar 1990, sections 6 and 8.
 * Layout: a 2^a x 2^b x 2^c array, for the 2^a parts of i, 2^b of j, 2^c of k:
 *   A is split over i by rows and over k by columns; all nodes along j need the same block;
 *   B is split over k by rows and over j by columns; all nodes along i need the same block;
 *   C is split over i by rows and over j by columns, and is added along k.
 *   At first each is split evenly over all nodes: A's columns over k and, finer, j; B's over j and
 *   i; C's over j and k.
 * Method: all-gather A along j and B along i, multiply, reduce-scatter C along k.  If k is long,
 *   this is done in rounds of at most 512 of the node's indices of k, fewer if memory is limited.
 *   The panels of the next round are gathered while this round's are multiplied, one step for each
 *   slice of C's columns; if a collective is asked for, they are gathered at once before the
 *   multiplication.
 * Example on 4 nodes: the word jk (a = 0, b = c = 1) is node (j, k) with A(:, k) gathered along j,
 *   B(k, j) its own, and the products of both k added, each node of k keeping half of the columns
 *   of C(:, j).
 * Steps: max(a, b) a round, c to add.
 * Words: (1 - 2^-b) of a block of A, (1 - 2^-a) of a block of B, (1 - 2^-c) of a block of C.
 * Memory: two panels of A and of B (one, if there is one round; none along a loop without
 *   dimensions); with c > 0 one block and a half of C.
 * The word: there are (d+1)(d+2)/2 triples with a + b + c = d.  Among those that fit the memory
 *   limit the fastest one by the machine model is taken, the operands' moves included; among equals
 *   the one with the least memory.
 * Restriction: none. */
#include "gemm/gemm_3d.h"

struct hy_gemm_3d hy_gemm_3d_make(void *owner, const struct hy_gemm_task *task) {
  const struct hy_gemm_problem *problem = &task->problem;
  int node = problem->cube->address;
  const struct hy_axis *k = &problem->b.row;
  int along_i = problem->a.row.code.dims, along_j = problem->a.col.code.dims - k->code.dims;
  struct hy_gemm_3d w = {
      .task = task,
      .rounds = hy_max(1, hy_ceil_div(problem->k, k->block << k->code.dims)),
      .a = hy_split_operand_make(owner, problem, HY_A, false),
      .b = hy_split_operand_make(owner, problem, HY_B, false),
      .c = hy_result_make(owner, problem, problem->c.col.code.dims - along_j, node)};
  hy_split_operand_in_shares(&w.a, along_j, w.rounds);
  hy_split_operand_in_shares(&w.b, along_i, w.rounds);
  return w;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  struct hy_gemm_3d *w = NULL;
  (void)variant;
  TRY(hy_alloc(&task->problem.cube->base, 1, sizeof *w, &w));
  *state = w;
  w->task = task;
  if (task->problem.cube->address >= 0) *w = hy_gemm_3d_make(w, task);
  return HYLA_OK;
}

hyla_status hy_gemm_3d_sketch(struct hy_gemm_3d *w) {
  w->a.use = w->b.use = NULL; /* step by step, even if a collective is asked for */
  TRY(hy_split_operand_allocate(&w->a, w->task));
  TRY(hy_split_operand_allocate(&w->b, w->task));
  return hy_result_sketch(&w->c, w->task);
}

static hyla_status allocate(void *state) {
  struct hy_gemm_3d *w = state;
  if (w->task->problem.cube->address < 0) return HYLA_OK;
  TRY(hy_split_operand_allocate(&w->a, w->task));
  TRY(hy_split_operand_allocate(&w->b, w->task));
  return hy_result_allocate(&w->c, w->task);
}

/* C += A(:, k) B(k, :) for the k of a round, slice `slice` of `slices` of C's columns. */
static void multiply(struct hy_gemm_3d *w, int64_t round, int slice, int slices) {
  int64_t from = w->c.cols.count * slice / slices, to = w->c.cols.count * (slice + 1) / slices;
  const struct hy_panel a = hy_split_operand_gathered(&w->a, round),
                        b = hy_split_operand_gathered(&w->b, round);
  const struct hy_indices k = hy_split_operand_round(&w->b, round);
  hy_result_add_columns(&w->c, from, to, &a, &b, &k);
}

static hyla_status begin_round(struct hy_gemm_3d *w, int64_t round) {
  const struct hy_indices k = hy_split_operand_round(&w->b, round);
  hy_count_touched(w->task->problem.cube,
                   hy_gemm_touched(w->c.rows.count, w->c.cols.count, k.count, 1));
  hy_split_operand_gather_begin(&w->a, round);
  hy_split_operand_gather_begin(&w->b, round);
  TRY(hy_split_operand_gather_whole(&w->a, round));
  return hy_split_operand_gather_whole(&w->b, round);
}

hyla_status hy_gemm_3d_run(void *state) {
  struct hy_gemm_3d *w = state;
  struct hy_step step;
  if (w->task->problem.cube->address < 0) return HYLA_OK;
  int steps =
      (int)hy_max(hy_split_operand_gather_steps(&w->a), hy_split_operand_gather_steps(&w->b));
  hy_step_make(w->task->problem.cube, &step);
  hy_result_begin(&w->c);
  for (int64_t round = 0; round < w->rounds; round++) {
    TRY(begin_round(w, round));
    if (steps == 0 && round > 0) multiply(w, round - 1, 0, 1);
    for (int t = 0; t < steps; t++) {
      hy_split_operand_gather(&w->a, round, t, &step); /* along j */
      hy_split_operand_gather(&w->b, round, t, &step); /* along i */
      TRY(hy_step_start(&step));
      if (round > 0) multiply(w, round - 1, t, steps); /* meanwhile */
      TRY(hy_step_wait(&step));
    }
  }
  multiply(w, w->rounds - 1, 0, 1);
  return hy_result_finish(&w->c); /* C along k */
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_gemm_3d *w = state;
  hy_split_operand_explain(&w->a, "panels of op(A)", text);
  hy_split_operand_explain(&w->b, "panels of op(B)", text);
  hy_result_explain(&w->c, text);
}

const struct hy_variant hy_gemm_word = {
    .name = "word",
    .reference = "agarwal-1995, the 3-D algorithm",
    .traits = &(const struct hy_gemm_traits){.layouts = hy_gemm_3d_layouts},
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = allocate,
    .run = hy_gemm_3d_run,
    .explain = explain,
};
