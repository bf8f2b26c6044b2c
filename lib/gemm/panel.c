/* What the variants share: parts and nodes, panels, the local sum. */
#include "gemm/gemm.h"

int hy_node_along(const struct hy_axis *axis, int node, int part) {
  uint32_t others = (uint32_t)node & ~hy_axis_mask(&axis->code);
  return (int)(others | hy_axis_address(&axis->code, (uint32_t)part));
}

int64_t hy_gemm_entries(const struct hy_gemm_problem *problem, int node) {
  const struct hy_operand *c = &problem->c;
  int row_part = hy_part_of(&c->row, node), col_part = hy_part_of(&c->col, node);
  int64_t rows = hy_held(&c->row, row_part), cols = hy_held(&c->col, col_part);
  if (problem->part == HY_WHOLE) return rows * cols;
  int64_t above = 0, lower = problem->part == HY_LOWER_PART;
  for (int64_t l = 0; l < cols; l++)
    above += hy_axis_before(&c->row, row_part, hy_axis_index(&c->col, col_part, l) + !lower);
  return lower ? rows * cols - above : above;
}

int64_t hy_gemm_flops(const struct hy_gemm_problem *problem, int node) {
  return 2 * hy_gemm_entries(problem, node) * problem->k;
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

/* One product as it is added to C: alpha A B + beta C. */
struct addend {
  const struct hy_gemm_task *task;
  const struct hy_panel *a, *b;
  int64_t width;
  double _Complex beta;
};

static void rectangle(const struct addend *x, int64_t row, int64_t rows, int64_t col,
                      int64_t cols) {
  hyla_matrix *c = x->task->c;
  if (rows <= 0 || cols <= 0) return;
  struct hy_panel a = hy_panel_at(x->a, row, 0, c->k->size);
  struct hy_panel b = hy_panel_at(x->b, 0, col, c->k->size);
  c->k->gemm(a.op, b.op, (int)rows, (int)cols, (int)x->width, x->task->alpha, a.data, (int)a.ld,
             b.data, (int)b.ld, x->beta, hy_at(c, row, col), (int)c->ld);
}

/* Where the triangle ends in a local column: the first row of a lower one, the first
 * row behind an upper one.  It grows with the column. */
static int64_t edge(const hyla_matrix *c, bool lower, int64_t col) {
  int64_t diagonal = hyla_matrix_col(c, col);
  return hy_axis_before(&c->row, c->row_part, lower ? diagonal : diagonal + 1);
}

/* Columns first ... last-1, what of them is in the triangle and above row `limit`: the
 * rows that all have, then the rest by halves. */
static void lower(const struct addend *x, int64_t first, int64_t last, int64_t limit) {
  int64_t top = edge(x->task->c, true, last - 1), middle = (first + last) / 2;
  rectangle(x, top, limit - top, first, last - first);
  if (last - first == 1 || edge(x->task->c, true, first) == top) return;
  lower(x, first, middle, top);
  lower(x, middle, last, top);
}

/* The same from row `limit` on. */
static void upper(const struct addend *x, int64_t first, int64_t last, int64_t limit) {
  int64_t end = edge(x->task->c, false, first), middle = (first + last) / 2;
  rectangle(x, limit, end - limit, first, last - first);
  if (last - first == 1 || edge(x->task->c, false, last - 1) == end) return;
  upper(x, first, middle, end);
  upper(x, middle, last, end);
}

static void multiply(const struct addend *x) {
  const hyla_matrix *c = x->task->c;
  enum hy_part part = x->task->problem.part;
  if (c->local_cols == 0) return;
  if (part == HY_WHOLE) rectangle(x, 0, c->local_rows, 0, c->local_cols);
  if (part == HY_LOWER_PART) lower(x, 0, c->local_cols, c->local_rows);
  if (part == HY_UPPER_PART) upper(x, 0, c->local_cols, 0);
}

void hy_gemm_add(struct hy_gemm_sum *sum, const struct hy_panel *a, const struct hy_panel *b,
                 int64_t width) {
  const struct hy_gemm_problem *problem = &sum->task->problem;
  const struct addend x = {sum->task, a, b, width, sum->begun ? 1 : sum->task->beta};
  if (width == 0) return;
  multiply(&x);
  int64_t flops = 2 * hy_gemm_entries(problem, problem->cube->address) * width;
  hy_compute(problem->cube, flops, problem->kernels->size, problem->kernels->complex_type);
  sum->begun = true;
}

void hy_gemm_finish(struct hy_gemm_sum *sum) {
  const hyla_matrix *c = sum->task->c;
  const struct hy_panel none_a = {c->local, hy_max(1, c->local_rows), HYLA_NONE};
  const struct hy_panel none_b = {c->local, 1, HYLA_NONE};
  const struct addend nothing = {sum->task, &none_a, &none_b, 0, sum->task->beta};
  if (!sum->begun) multiply(&nothing);
}
