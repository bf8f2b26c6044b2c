/* An operand spread along an axis of the array: the common part of all its uses.  See
 * split_operand.h. */
#include "gemm/split_operand_body.h"

#include <string.h>

struct hy_split_operand hy_split_operand_make(void *owner, const struct hy_gemm_problem *problem,
                                              enum hy_operand_name name, bool rows) {
  const struct hy_operand *const operands[] = {&problem->a, &problem->b, &problem->c};
  const enum hy_part parts[] = {problem->part_a, problem->part_b, HY_WHOLE};
  const struct hy_operand *x = operands[name];
  int node = problem->cube->address;
  return (struct hy_split_operand){.owner = owner,
                                   .problem = problem,
                                   .name = name,
                                   .operand = x,
                                   .axis = rows ? &x->row : &x->col,
                                   .rows = rows,
                                   .part = parts[name],
                                   .node = node,
                                   .beside = hy_indices_of(rows ? &x->col : &x->row, node)};
}

hyla_status hy_split_operand_create(void *owner, const struct hy_gemm_problem *problem,
                                    enum hy_operand_name name, bool rows,
                                    struct hy_split_operand **operand) {
  TRY(hy_alloc_for(&problem->cube->base, owner, 1, sizeof **operand, operand));
  **operand = hy_split_operand_make(owner, problem, name, rows);
  return HYLA_OK;
}

hyla_status hy_split_operand_allocate(struct hy_split_operand *s, const struct hy_gemm_task *task) {
  const struct hy_gemm_factor factors[] = {task->a, task->b, {task->c, HYLA_NONE}};
  const hyla_matrix *x = factors[s->name].matrix;
  s->factor = factors[s->name];
  for (int i = 0; i < s->rooms; i++)
    TRY(hy_alloc_data_for(&x->cube->base, s->owner, s->entries, x->k->size, &s->room[i]));
  if (s->in_place)
    return hy_block_access_create(s->owner, &s->factor, s->rows, s->part, &s->access);
  return s->use != NULL && s->use->allocate != NULL ? s->use->allocate(s) : HYLA_OK;
}

hyla_status hy_split_operand_begin(struct hy_split_operand *s) {
  if (s->use != NULL && s->use->begin != NULL) s->use->begin(s);
  return s->in_place ? hy_block_access_open(s->access) : HYLA_OK;
}

hyla_status hy_split_operand_end(struct hy_split_operand *s) {
  return s->in_place ? hy_block_access_close(s->access) : HYLA_OK;
}

void hy_split_operand_explain(const struct hy_split_operand *s, const char *what,
                              struct hy_text *text) {
  if (s == NULL) return;
  hy_subcube_explain(&s->group, what, text);
  hy_subcube_explain(&s->pieces.group, what, text);
}

struct hy_panel hy_split_operand_at(const struct hy_split_operand *s, const struct hy_panel *block,
                                    int64_t place) {
  return hy_panel_at(block, s->rows ? place : 0, s->rows ? 0 : place, s->problem->kernels->size);
}

struct hy_triangle_block hy_split_operand_block(const struct hy_split_operand *s,
                                                const struct hy_indices *list) {
  return (struct hy_triangle_block){
      .part = s->part, .rows = s->rows ? *list : s->beside, .cols = s->rows ? s->beside : *list};
}

struct hy_reach hy_split_operand_block_reach(const struct hy_split_operand *s,
                                             const struct hy_indices *list) {
  const struct hy_triangle_block block = hy_split_operand_block(s, list);
  return s->rows ? hy_triangle_block_cols(&block) : hy_triangle_block_rows(&block);
}

void hy_split_operand_copy(const struct hy_split_operand *s, const struct hy_panel *from,
                           int64_t length, const struct hy_reach *reach, char *to, int64_t ld) {
  const struct hy_kernels *k = s->problem->kernels;
  int64_t rows = s->rows ? length : reach->count, cols = s->rows ? reach->count : length;
  struct hy_panel first =
      hy_panel_at(from, s->rows ? 0 : reach->from, s->rows ? reach->from : 0, k->size);
  char *into = to + (s->rows ? reach->from * ld : reach->from) * (int64_t)k->size;
  if (rows == 0 || cols == 0) return;
  if (first.data != NULL)
    k->copy(first.op, (int)rows, (int)cols, 1, first.data, (int)first.ld, into, (int)ld);
  for (int64_t col = 0; col < cols && first.data == NULL && !k->dry; col++)
    memset(into + col * ld * (int64_t)k->size, 0, (size_t)rows * k->size);
}
