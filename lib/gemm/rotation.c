/* Multiplication by blocks that change places: everything except the loops.  See rotation.h. */
#include "gemm/rotation.h"
#include "gemm/packets.h"
#include "gemm/published_count.h"

void hy_rotation_layouts(const struct hy_gemm_problem *given, const struct hy_dims_by_loop *dims,
                         enum hy_loop coarse, struct hy_gemm_problem *wanted) {
  const int *count = dims->count;
  hyla_axis i = hy_dims_by_loop_axis(dims, HYLA_GRAY, HY_LOOP_I, HY_LOOPS);
  hyla_axis j = hy_dims_by_loop_axis(dims, HYLA_GRAY, HY_LOOP_J, HY_LOOPS);
  hyla_axis of_a = hy_dims_by_loop_axis(dims, HYLA_GRAY, HY_LOOP_J, coarse);
  hyla_axis of_b = hy_dims_by_loop_axis(dims, HYLA_GRAY, HY_LOOP_I, coarse);
  hyla_axis shares = hy_dims_by_loop_axis(dims, HYLA_GRAY, HY_LOOP_K, HY_LOOP_J);
  int panels = 1 << ((int)hy_max(count[HY_LOOP_I], count[HY_LOOP_J]) + of_a.dims - j.dims);
  wanted->a.row = wanted->c.row = hy_axis_make(&i, given->m);
  wanted->a.col = hy_inner_axis(&of_a, given->k, panels);
  wanted->b.row = hy_inner_axis(&of_b, given->k, panels);
  wanted->b.col = hy_inner_axis(&j, given->n, 1 << shares.dims);
  wanted->c.col = hy_inner_axis(&shares, given->n, 1 << shares.dims);
}

hyla_status hy_rotation_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  const struct hy_gemm_problem *problem = &task->problem;
  const struct hy_operand *a = &problem->a, *b = &problem->b;
  hyla_cube *cube = problem->cube;
  int rows = a->row.parts, cols = b->col.parts, summands = problem->c.col.parts / cols;
  struct hy_rotation *r = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *r, &r));
  *state = r;
  r->task = task;
  (void)variant;
  if (cube->address < 0) return HYLA_OK;
  r->panels = r->steps = hy_inner_panels(rows, cols);
  r->parts = r->packets = 1;
  TRY(hy_split_operand_create(r, problem, HY_A, false, &r->a));
  TRY(hy_split_operand_create(r, problem, HY_B, true, &r->b));
  hy_split_operand_on_ring(r->a, cols, r->panels);
  hy_split_operand_on_ring(r->b, rows, r->panels);
  r->c = hy_result_make(r, problem, hy_log2_floor((uint32_t)summands), cube->address);
  return HYLA_OK;
}

hyla_status hy_rotation_allocate(void *state) {
  struct hy_rotation *r = state;
  const struct hy_gemm_task *task = r->task;
  if (task->problem.cube->address < 0) return HYLA_OK;
  TRY(hy_split_operand_allocate(r->a, task));
  TRY(hy_split_operand_allocate(r->b, task));
  TRY(hy_alloc_for(&task->problem.cube->base, r,
                   hy_split_operand_route_messages(r->a) + hy_split_operand_route_messages(r->b),
                   sizeof *r->messages, &r->messages));
  return hy_result_allocate(&r->c, task);
}

/* The largest number of entries in an operand's block, if it travels.  Both factors are set up in
 * the same steps, so the larger one counts. */
static int64_t entries_of(const struct hy_operand *x) {
  return x->in_place ? 0 : hy_axis_most(&x->row) * hy_axis_most(&x->col);
}

hyla_status hy_rotation_plan_set_up(struct hy_rotation *r, bool exchange) {
  const struct hy_gemm_problem *problem = &r->task->problem;
  if (problem->cube->address < 0) return HYLA_OK;
  const struct hy_pipe pipe = {.entries = hy_max(entries_of(&problem->a), entries_of(&problem->b)),
                               .each = 1,
                               .once = hy_log2_floor((uint32_t)r->panels) - 1};
  r->packets = hy_gemm_packets(problem, &pipe);
  if (r->packets == 1) return HYLA_OK;
  int of_a = hy_split_operand_first(r->b) + r->from, of_b = hy_split_operand_first(r->a) + r->from;
  TRY(exchange ? hy_split_operand_plan_exchange(r->a, of_a, r->packets)
               : hy_split_operand_plan_rotation(r->a, of_a, r->packets));
  return exchange ? hy_split_operand_plan_exchange(r->b, of_b, r->packets)
                  : hy_split_operand_plan_rotation(r->b, of_b, r->packets);
}

hyla_status hy_rotation_set_up(struct hy_rotation *r) {
  struct hy_step step;
  int64_t steps = hy_max(hy_split_operand_route_steps(r->a), hy_split_operand_route_steps(r->b));
  hy_step_make_in(r->task->problem.cube, r->messages, &step);
  for (int t = 0; t < hy_max(1, steps); t++) {
    hy_split_operand_route_pass(r->a, t, &step);
    hy_split_operand_route_pass(r->b, t, &step);
    TRY(hy_step_run(&step));
  }
  return HYLA_OK;
}

static int64_t count(int64_t slots, int64_t s, int k) {
  return slots * ((INT64_C(1) << k) - 1) + s + k - 1;
}

void hy_rotation_explain(const void *state, struct hy_text *text) {
  const struct hy_rotation *r = state;
  if (r->packets > 1)
    hy_text_add(text, "  set-up: from neighbour to neighbour, blocks in %d packets\n", r->packets);
  hy_result_explain(&r->c, text);
  if (r->theorem == NULL) return;
  const struct hy_published_count published = {r->theorem, "q (2^k-1) + s + k - 1", "s 2^k + k - 1",
                                               count};
  hy_published_count_explain(&published, &r->task->problem, text);
}

hyla_status hy_rotation_begin(struct hy_rotation *r) {
  int64_t products = (int64_t)r->steps * r->parts, k = 0;
  int first = hy_split_operand_first(r->a) + hy_split_operand_first(r->b) + r->from;
  for (int t = 0; t < r->steps; t++)
    k += hy_split_operand_panel(r->a, (first + t) % r->panels).count;
  hy_count_touched(r->task->problem.cube,
                   hy_gemm_touched(r->c.rows.count, r->c.cols.count, k, products));
  hy_result_begin(&r->c);
  TRY(hy_split_operand_begin(r->a));
  return hy_split_operand_begin(r->b);
}

hyla_status hy_rotation_here(struct hy_rotation *r, struct hy_rotation_panels *here) {
  here->k = hy_split_operand_indices(r->a);
  TRY(hy_split_operand_here(r->a, &here->a));
  return hy_split_operand_here(r->b, &here->b);
}

void hy_rotation_multiply(struct hy_rotation *r, const struct hy_rotation_panels *here) {
  hy_result_add(&r->c, &here->a, &here->b, &here->k);
}

hyla_status hy_rotation_end(struct hy_rotation *r) {
  TRY(hy_split_operand_end(r->a));
  TRY(hy_split_operand_end(r->b));
  return hy_result_finish(&r->c); /* shares over subcubes or layers, where there are several */
}
