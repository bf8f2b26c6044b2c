/* A node's part of the product during the run.  See result.h. */
#include "gemm/result.h"

struct hy_result hy_result_make(void *owner, const struct hy_gemm_problem *problem, int bits,
                                int node) {
  const struct hy_operand *c = &problem->c;
  struct hy_fiber fiber = hy_fiber_make(&c->col, bits, node);
  return (struct hy_result){
      .owner = owner,
      .fiber = fiber,
      .node = node,
      .rows = hy_indices_of(&c->row, node),
      .cols = bits == 0 ? hy_indices_of(&c->col, node)
                        : hy_interval(hy_fiber_from(&fiber, 0), hy_fiber_length(&fiber, 0))};
}

void hy_result_begin(struct hy_result *r) {
  const struct hy_triangle_block block = {r->task->problem.part, r->rows, r->cols};
  r->begun = 0;
  r->wanted = hy_triangle_block_entries(&block);
}

/* Columns from ... to-1 of the block, without factors. */
static struct hy_local_product columns(const struct hy_result *r, int64_t from, int64_t to) {
  const hyla_matrix *c = r->task->c;
  bool own = r->data == NULL;
  struct hy_local_product product = {.rows = r->rows, .cols = r->cols};
  product.wanted = to - from == r->cols.count ? r->wanted : 0;
  product.cols.first += from;
  product.cols.count = to - from;
  product.ld = own ? c->ld : r->rows.count;
  product.data = (own ? c->local : r->data) + from * product.ld * (int64_t)c->k->size;
  product.beta = to <= r->begun ? 1 : own ? r->task->beta : 0;
  return product;
}

void hy_result_add_columns(struct hy_result *r, int64_t from, int64_t to, const struct hy_panel *a,
                           const struct hy_panel *b, const struct hy_indices *inner) {
  if (inner->count == 0) return;
  struct hy_local_product product = columns(r, from, to);
  const struct hy_panel part = hy_panel_at(b, 0, from, r->task->problem.kernels->size);
  product.inner = *inner;
  product.a = a;
  product.b = &part;
  hy_local_product_run(r->task, &product);
  r->begun = hy_max(r->begun, to);
}

void hy_result_add(struct hy_result *r, const struct hy_panel *a, const struct hy_panel *b,
                   const struct hy_indices *inner) {
  hy_result_add_columns(r, 0, r->cols.count, a, b, inner);
}

/* Sets the task, and takes memory for summands where those of several nodes are added. */
static hyla_status take_data(struct hy_result *r, const struct hy_gemm_task *task) {
  r->task = task;
  if (r->fiber.bits == 0 && r->along == 0) return HYLA_OK;
  return hy_alloc_data_for(&task->problem.cube->base, r->owner, r->rows.count * r->cols.count,
                           task->problem.kernels->size, &r->data);
}

hyla_status hy_result_allocate(struct hy_result *r, const struct hy_gemm_task *task) {
  size_t size = task->problem.kernels->size;
  TRY(take_data(r, task));
  if (r->along != 0) {
    TRY(hy_subcube_make_for(r->owner, task->problem.cube, r->along, HY_TASK_REDUCE,
                            r->rows.count * r->cols.count, size, NULL, &r->group));
    return hy_subcube_allocate(&r->group);
  }
  return hy_fiber_group_allocate(r->owner, task->problem.cube, &r->fiber, HY_TASK_REDUCE_SCATTER,
                                 r->rows.count, r->cols.count, size, &r->shares);
}

hyla_status hy_result_sketch(struct hy_result *r, const struct hy_gemm_task *task) {
  int bits = r->fiber.bits;
  char *half = NULL;
  TRY(take_data(r, task));
  if (bits == 0) return HYLA_OK;
  int64_t cols = hy_fiber_halves_at(&r->fiber, bits - 1, r->cols.count).mine_length;
  return hy_alloc_data(&task->problem.cube->base, r->rows.count * cols, task->problem.kernels->size,
                       &half);
}

/* C := beta C + sum, columns without gaps. */
static void put(const struct hy_gemm_task *task, const char *sum, int64_t rows, int64_t cols) {
  const hyla_matrix *c = task->c;
  const struct hy_kernels *k = c->k;
  if (rows == 0 || cols == 0) return;
  hy_count_copied(c->cube, rows * cols);
  if (task->beta == 0) {
    k->copy(HYLA_NONE, (int)rows, (int)cols, 1, sum, (int)rows, c->local, (int)c->ld);
    return;
  }
  for (int64_t j = 0; j < cols && task->beta != 1; j++)
    k->scale((int)rows, task->beta, hy_at(c, 0, j), 1);
  k->add((int)rows, (int)cols, sum, (int)rows, c->local, (int)c->ld);
  hy_compute(c->cube, rows * cols, k->size, k->complex_type);
}

void hy_result_combine(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_gemm_problem *problem = arg;
  const struct hy_kernels *k = problem->kernels;
  int64_t done = 0;
  for (int64_t some; done < count; done += some) {
    some = hy_min(count - done, INT32_MAX);
    int64_t at = done * (int64_t)k->size;
    k->add((int)some, 1, (const char *)from + at, (int)some, (char *)into + at, (int)some);
  }
  hy_count_copied(problem->cube, count);
  hy_compute(problem->cube, count, k->size, k->complex_type);
}

/* For a sketch: over each bit the node sends half of the remaining columns to its peer and receives
 * the other half. */
static hyla_status count_halving(const struct hy_result *r) {
  const struct hy_gemm_problem *problem = &r->task->problem;
  int64_t column = r->rows.count * (int64_t)problem->kernels->size;
  struct hy_step step;
  hy_step_make(problem->cube, &step);
  for (int bit = r->fiber.bits - 1; bit >= 0; bit--) {
    const struct hy_fiber_halves at = hy_fiber_halves_at(&r->fiber, bit, r->cols.count);
    hy_step_add(&step, HY_RECV, at.peer, r->data, at.mine_length * column);
    hy_step_add(&step, HY_SEND, at.peer, r->data, at.theirs_length * column);
    TRY(hy_step_run(&step));
    hy_result_combine(r->data, r->data, r->rows.count * at.mine_length, problem);
  }
  return HYLA_OK;
}

hyla_status hy_result_finish(struct hy_result *r) {
  const struct hy_fiber *fiber = &r->fiber;
  const struct hy_gemm_problem *problem = &r->task->problem;
  const struct hy_local_product rest = columns(r, r->begun, r->cols.count);
  int64_t rows = r->rows.count, cols = r->cols.count;
  if (r->begun < cols) hy_local_product_scale(r->task, &rest);
  if (r->along != 0) { /* adds on the face */
    int root = r->node & ~(int)r->along;
    TRY(hy_subcube_reduce(&r->group, root, r->data, rows * cols, hy_result_combine, problem));
    if (r->node == root) put(r->task, r->data, rows, cols);
  } else if (fiber->bits > 0) { /* adds each member's share on that member */
    TRY(r->shares.offsets == NULL
            ? count_halving(r)
            : hy_subcube_reduce_scatter(&r->shares.group, r->data, r->shares.offsets,
                                        hy_result_combine, problem));
    int64_t own = hy_fiber_before(fiber, cols, fiber->own);
    put(r->task, r->data + own * rows * (int64_t)problem->kernels->size, rows,
        hy_fiber_before(fiber, cols, fiber->own + 1) - own);
  }
  return HYLA_OK;
}

void hy_result_explain(const struct hy_result *r, struct hy_text *text) {
  hy_subcube_explain(&r->group, "sums of C", text);
  hy_subcube_explain(&r->shares.group, "sums of C", text);
}
