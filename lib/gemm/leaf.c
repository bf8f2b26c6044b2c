/* Products of panels on one node.
 *
 * Where a factor is triangular, its entries that are not 0 look like a staircase over the
 * inner index, and the product is cut into rectangles along it: nearly all of the work is
 * in large ones.  Rectangles of at most TILE entries on the stair's edge are multiplied
 * whole, zeros and all. */
#include "gemm/gemm.h"

enum { TILE = 64 * 64 };

/* A product with a triangular factor: that one's indices beside the inner ones. */
struct stairs {
  const struct hy_gemm_task *task;
  const struct hy_leaf *leaf;
  const struct hy_indices *outer, *inner;
  bool left;
  bool lower;
};

static int64_t edge(const void *arg, int64_t x) {
  const struct stairs *s = arg;
  return hy_indices_below(s->outer, hy_indices_at(s->inner, x) + !s->lower);
}

static void gemm(const struct hy_gemm_task *task, const struct hy_leaf *leaf, double _Complex beta,
                 int64_t row, int64_t rows, int64_t col, int64_t cols, int64_t from,
                 int64_t width) {
  const struct hy_kernels *k = task->problem.kernels;
  struct hy_panel a = hy_panel_at(leaf->a, row, from, k->size);
  struct hy_panel b = hy_panel_at(leaf->b, from, col, k->size);
  k->gemm(a.op, b.op, (int)rows, (int)cols, (int)width, task->alpha, a.data, (int)a.ld, b.data,
          (int)b.ld, beta, leaf->data + (row + col * leaf->ld) * (int64_t)k->size, (int)leaf->ld);
}

/* The triangular factor's rectangle: `first` counts the outer indices, `from` the inner. */
static void rectangle(void *arg, int64_t first, int64_t count, int64_t from, int64_t width) {
  const struct stairs *s = arg;
  const struct hy_leaf *leaf = s->leaf;
  if (s->left)
    gemm(s->task, leaf, 1, first, count, 0, leaf->cols.count, from, width);
  else
    gemm(s->task, leaf, 1, 0, leaf->rows.count, first, count, from, width);
}

/* left and lower: A(i, k) with i >= k; right and upper: B(k, j) with j >= k. */
static struct stairs stairs_of(const struct hy_gemm_problem *problem, const struct hy_leaf *leaf) {
  bool left = problem->part_a != HY_WHOLE;
  return (struct stairs){.leaf = leaf,
                         .outer = left ? &leaf->rows : &leaf->cols,
                         .inner = &leaf->inner,
                         .left = left,
                         .lower = left ? problem->part_a == HY_LOWER_PART
                                       : problem->part_b == HY_UPPER_PART};
}

static struct hy_stair stair_of(struct stairs *s) {
  return (struct hy_stair){.rows = s->outer->count,
                           .cols = s->inner->count,
                           .lower = s->lower,
                           .tile = TILE,
                           .edge = edge,
                           .rectangle = rectangle,
                           .arg = s};
}

static int64_t flops_of(const struct hy_gemm_problem *problem, const struct hy_leaf *leaf) {
  const struct hy_wedge a = {problem->part_a, leaf->rows, leaf->inner};
  const struct hy_wedge b = {problem->part_b, leaf->inner, leaf->cols};
  return problem->part_a != HY_WHOLE ? 2 * leaf->cols.count * hy_wedge_entries(&a)
                                     : 2 * leaf->rows.count * hy_wedge_entries(&b);
}

/* C := beta C; what stands in for the factors is not read. */
static void scale(const struct hy_gemm_task *task, const struct hy_leaf *leaf) {
  const struct hy_panel none_a = {leaf->data, hy_max(1, leaf->rows.count), HYLA_NONE};
  const struct hy_panel none_b = {leaf->data, 1, HYLA_NONE};
  struct hy_leaf empty = *leaf;
  empty.a = &none_a;
  empty.b = &none_b;
  if (leaf->beta != 1)
    gemm(task, &empty, leaf->beta, 0, leaf->rows.count, 0, leaf->cols.count, 0, 0);
}

void hy_leaf_multiply(const struct hy_gemm_task *task, const struct hy_leaf *leaf) {
  const struct hy_gemm_problem *problem = &task->problem;
  const struct hy_kernels *k = problem->kernels;
  bool full = hy_gemm_is_full(problem);
  int64_t rows = leaf->rows.count, cols = leaf->cols.count;
  if (rows == 0 || cols == 0) return;
  if (full) {
    gemm(task, leaf, leaf->beta, 0, rows, 0, cols, 0, leaf->inner.count);
  } else if (!k->dry) {
    scale(task, leaf);
    struct stairs s = stairs_of(problem, leaf);
    struct hy_stair stair = stair_of(&s);
    s.task = task;
    hy_stair_cut(&stair);
  }
  hy_compute(problem->cube, flops_of(problem, leaf), k->size, k->complex_type);
}
