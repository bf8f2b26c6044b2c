/* What the variants share: parts and nodes, panels, the local sum. */
#include "gemm/gemm.h"

int hy_node_along(const struct hy_axis *axis, int node, int part) {
  uint32_t others = (uint32_t)node & ~hy_axis_mask(&axis->code);
  return (int)(others | hy_axis_address(&axis->code, (uint32_t)part));
}

int64_t hy_gemm_flops(const struct hy_gemm_problem *problem, int node) {
  const struct hy_operand *c = &problem->c;
  int64_t rows = hy_held(&c->row, hy_part_of(&c->row, node));
  int64_t cols = hy_held(&c->col, hy_part_of(&c->col, node));
  return 2 * rows * cols * problem->k;
}

struct hy_axis hy_inner_axis(const hyla_axis *carrier, int64_t k, int finest) {
  hyla_axis code = *carrier;
  int parts = 1 << code.dims;
  code.storage = parts == finest ? HYLA_CONSECUTIVE : HYLA_CYCLIC;
  code.block = parts == finest ? 0 : hy_max(1, hy_ceil_div(k, finest)) * (finest / parts);
  return hy_axis_make(&code, k);
}

struct hy_panel hy_panel_at(const struct hy_panel *panel, int64_t row, int64_t col, size_t size) {
  int64_t entries = panel->op == HYLA_NONE ? row + col * panel->ld : col + row * panel->ld;
  struct hy_panel at = *panel;
  if (at.data != NULL) at.data += entries * (int64_t)size; /* NULL: no entries here */
  return at;
}

static void multiply(const struct hy_gemm_task *task, const struct hy_panel *a,
                     const struct hy_panel *b, int64_t width, double _Complex beta) {
  hyla_matrix *c = task->c;
  c->k->gemm(a->op, b->op, (int)c->local_rows, (int)c->local_cols, (int)width, task->alpha, a->data,
             (int)a->ld, b->data, (int)b->ld, beta, c->local, (int)c->ld);
}

void hy_gemm_add(struct hy_gemm_sum *sum, const struct hy_panel *a, const struct hy_panel *b,
                 int64_t width) {
  if (width == 0) return;
  const hyla_matrix *c = sum->task->c;
  multiply(sum->task, a, b, width, sum->begun ? 1 : sum->task->beta);
  hy_compute(c->cube, 2 * c->local_rows * c->local_cols * width, c->k->size, c->k->complex_type);
  sum->begun = true;
}

void hy_gemm_finish(struct hy_gemm_sum *sum) {
  const hyla_matrix *c = sum->task->c;
  const struct hy_panel none_a = {c->local, hy_max(1, c->local_rows), HYLA_NONE};
  const struct hy_panel none_b = {c->local, 1, HYLA_NONE};
  if (!sum->begun) multiply(sum->task, &none_a, &none_b, 0, sum->task->beta);
}
