/* What the variants share: parts and nodes, panels, the local sum. */
#include "gemm/gemm.h"

int hy_node_along(const struct hy_axis *axis, int node, int part) {
  uint32_t others = (uint32_t)node & ~hy_axis_mask(&axis->code);
  return (int)(others | hy_axis_address(&axis->code, (uint32_t)part));
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

struct hy_indices hy_indices_of(const struct hy_axis *axis, int node) {
  return hy_indices_in(axis, hy_part_of(axis, node));
}

int64_t hy_indices_at(const struct hy_indices *list, int64_t x) {
  if (list->number != NULL) return list->number[x];
  return list->axis == NULL ? list->first + x
                            : hy_axis_index(list->axis, list->part, list->first + x);
}

int64_t hy_indices_below(const struct hy_indices *list, int64_t index) {
  int64_t low = 0, high = list->count;
  if (list->number == NULL) {
    int64_t before = list->axis == NULL ? index : hy_axis_before(list->axis, list->part, index);
    return hy_max(0, hy_min(list->count, before - list->first));
  }
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (list->number[middle] < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* How many from the x-th on follow one another without gaps. */
static int64_t run_at(const struct hy_indices *list, int64_t x) {
  int64_t length = 1, left = list->count - x;
  if (list->number != NULL) {
    while (length < left && list->number[x + length] == list->number[x] + length) length++;
    return length;
  }
  return list->axis == NULL ? left : hy_min(left, hy_axis_run(list->axis, hy_indices_at(list, x)));
}

/* The sum over i = from ... from+length-1 of the indices below i. */
static int64_t below_interval(const struct hy_indices *list, int64_t from, int64_t length) {
  int64_t sum = 0, end = from + length, at = hy_indices_below(list, from);
  while (from < end && at < list->count) {
    int64_t first = hy_indices_at(list, at), run = run_at(list, at);
    /* `at` of them up to the first of the run, then one more each time. */
    int64_t level = hy_min(end, first + 1) - from, rise = hy_min(end - from - level, run);
    sum += (level + rise) * at + rise * (rise + 1) / 2;
    from += level + rise;
    at += run;
  }
  return sum + (end - from) * list->count;
}

int64_t hy_indices_below_all(const struct hy_indices *list, const struct hy_indices *of,
                             int64_t shift) {
  int64_t sum = 0;
  for (int64_t x = 0, run; x < of->count; x += run) {
    run = run_at(of, x);
    sum += below_interval(list, hy_indices_at(of, x) + shift, run);
  }
  return sum;
}

/* ------------------------------------------- one triangle of C alone -- */

/* A product as it is added to this node's part of a triangle. */
struct update {
  const struct hy_gemm_task *task;
  const struct hy_leaf *leaf;
};

/* Where the triangle ends in a local column: the first row of a lower one, the first
 * row behind an upper one. */
static int64_t edge_on(const struct hy_operand *c, enum hy_part part, int node, int64_t col) {
  int64_t diagonal = hy_axis_index(&c->col, hy_part_of(&c->col, node), col);
  return hy_axis_before(&c->row, hy_part_of(&c->row, node), diagonal + (part == HY_UPPER_PART));
}

static int64_t edge(const void *arg, int64_t col) {
  const struct hy_gemm_problem *problem = &((const struct update *)arg)->task->problem;
  return edge_on(&problem->c, problem->part, problem->cube->address, col);
}

static void rectangle(void *arg, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  const struct update *x = arg;
  const struct hy_leaf *leaf = x->leaf;
  hyla_matrix *c = x->task->c;
  struct hy_panel a = hy_panel_at(leaf->a, row, 0, c->k->size);
  struct hy_panel b = hy_panel_at(leaf->b, 0, col, c->k->size);
  c->k->gemm(a.op, b.op, (int)rows, (int)cols, (int)leaf->inner.count, x->task->alpha, a.data,
             (int)a.ld, b.data, (int)b.ld, leaf->beta, hy_at(c, row, col), (int)c->ld);
}

static int64_t entries(const struct hy_gemm_problem *problem, int node) {
  const struct hy_wedge block = {problem->part, hy_indices_of(&problem->c.row, node),
                                 hy_indices_of(&problem->c.col, node)};
  return hy_wedge_entries(&block);
}

static void add_part(const struct hy_gemm_sum *sum, const struct hy_leaf *leaf) {
  const struct hy_gemm_problem *problem = &sum->task->problem;
  struct update x = {sum->task, leaf};
  const struct hy_stair stair = {.rows = leaf->rows.count,
                                 .cols = leaf->cols.count,
                                 .lower = problem->part == HY_LOWER_PART,
                                 .edge = edge,
                                 .rectangle = rectangle,
                                 .arg = &x};
  if (!problem->kernels->dry) hy_stair_cut(&stair);
  int64_t flops = 2 * sum->entries * leaf->inner.count;
  hy_compute(problem->cube, flops, problem->kernels->size, problem->kernels->complex_type);
}

/* ------------------------------------------------------------- the sum -- */

static void add(const struct hy_gemm_sum *sum, const struct hy_panel *a, const struct hy_panel *b,
                const struct hy_indices *inner) {
  const struct hy_gemm_task *task = sum->task;
  const hyla_matrix *c = task->c;
  int node = c->cube->address;
  const struct hy_leaf leaf = {.rows = hy_indices_of(&task->problem.c.row, node),
                               .cols = hy_indices_of(&task->problem.c.col, node),
                               .inner = *inner,
                               .a = a,
                               .b = b,
                               .beta = sum->begun ? 1 : task->beta,
                               .data = c->local,
                               .ld = c->ld};
  if (task->problem.part == HY_WHOLE)
    hy_leaf_multiply(task, &leaf);
  else
    add_part(sum, &leaf);
}

void hy_gemm_add(struct hy_gemm_sum *sum, const struct hy_panel *a, const struct hy_panel *b,
                 const struct hy_indices *inner) {
  const struct hy_gemm_problem *problem = &sum->task->problem;
  if (inner->count == 0) return;
  if (!sum->begun && problem->part != HY_WHOLE)
    sum->entries = entries(problem, problem->cube->address);
  add(sum, a, b, inner);
  sum->begun = true;
}

void hy_gemm_finish(struct hy_gemm_sum *sum) {
  const hyla_matrix *c = sum->task->c;
  const struct hy_panel none_a = {c->local, hy_max(1, c->local_rows), HYLA_NONE};
  const struct hy_panel none_b = {c->local, 1, HYLA_NONE};
  const struct hy_indices none = {0};
  if (!sum->begun) add(sum, &none_a, &none_b, &none);
}
