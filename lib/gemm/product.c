/* The state of a variant with two factors and a result.  See product.h. */
#include "gemm/product.h"

hyla_status hy_product_create(const void *task, size_t size, void **state) {
  const struct hy_gemm_problem *problem = &((const struct hy_gemm_task *)task)->problem;
  TRY(hy_alloc(&problem->cube->base, 1, size, state));
  struct hy_product *p = *state;
  p->task = task;
  if (hy_product_is_guest(p)) return HYLA_OK;
  TRY(hy_split_operand_create(p, problem, HY_A, false, &p->a));
  TRY(hy_split_operand_create(p, problem, HY_B, true, &p->b));
  p->c = hy_result_make(p, problem, 0, problem->cube->address);
  return HYLA_OK;
}

hyla_status hy_product_allocate(void *state) {
  struct hy_product *p = state;
  if (hy_product_is_guest(p)) return HYLA_OK;
  TRY(hy_split_operand_allocate(p->a, p->task));
  TRY(hy_split_operand_allocate(p->b, p->task));
  return hy_result_allocate(&p->c, p->task);
}

hyla_status hy_product_begin(struct hy_product *p) {
  hy_result_begin(&p->c);
  TRY(hy_split_operand_begin(p->a));
  return hy_split_operand_begin(p->b);
}

hyla_status hy_product_end(struct hy_product *p) {
  TRY(hy_result_finish(&p->c));
  TRY(hy_split_operand_end(p->a));
  return hy_split_operand_end(p->b);
}

void hy_product_add(struct hy_product *p, const struct hy_panel *a, const struct hy_panel *b,
                    const struct hy_indices *k) {
  hy_count_touched(p->task->problem.cube,
                   hy_gemm_touched(p->c.rows.count, p->c.cols.count, k->count, 1));
  hy_result_add(&p->c, a, b, k);
}

void hy_product_explain(const struct hy_product *p, const char *a, const char *b,
                        struct hy_text *text) {
  if (a != NULL) hy_split_operand_explain(p->a, a, text);
  if (b != NULL) hy_split_operand_explain(p->b, b, text);
  hy_result_explain(&p->c, text);
}
