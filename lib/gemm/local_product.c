/* The product of two panels on one node.
 *
 * The needed entries may form a staircase: the entries of a triangle of C over its columns, or
 * those of a triangular factor over the inner index.  The product is then cut into rectangles along
 * the stair, so that nearly all of the work is in large products.  A factor's rectangles of at most
 * TILE entries are multiplied whole, zeros included. */
#include "gemm/local_product.h"

enum { TILE = 64 * 64 };

static void gemm(const struct hy_gemm_task *task, const struct hy_local_product *product,
                 double _Complex beta, struct hy_reach rows, struct hy_reach cols,
                 struct hy_reach inner) {
  const struct hy_kernels *k = task->problem.kernels;
  struct hy_panel a = hy_panel_at(product->a, rows.from, inner.from, k->size);
  struct hy_panel b = hy_panel_at(product->b, inner.from, cols.from, k->size);
  char *c = product->data + (rows.from + cols.from * product->ld) * (int64_t)k->size;
  k->gemm(a.op, b.op, (int)rows.count, (int)cols.count, (int)inner.count, task->alpha, a.data,
          (int)a.ld, b.data, (int)b.ld, beta, c, (int)product->ld);
}

static struct hy_reach all(const struct hy_indices *list) {
  return (struct hy_reach){0, list->count};
}

/* A product that is cut along a stair, in the entries of C or of one factor. */
struct cut_product {
  struct hy_triangle_block block; /* first */
  const struct hy_gemm_task *task;
  const struct hy_local_product *product;
};

/* Rows and columns of C; of A; or columns and rows of B. */
static void rectangle(void *arg, int64_t first, int64_t length, int64_t from, int64_t width) {
  const struct cut_product *x = arg;
  const struct hy_local_product *p = x->product;
  const struct hy_gemm_problem *problem = &x->task->problem;
  const struct hy_reach one = {first, length}, other = {from, width};
  if (problem->part != HY_WHOLE)
    gemm(x->task, p, p->beta, one, other, all(&p->inner));
  else if (problem->part_a != HY_WHOLE)
    gemm(x->task, p, 1, one, all(&p->cols), other);
  else
    gemm(x->task, p, 1, all(&p->rows), one, other);
}

/* The block of the triangular factor.  B's block is transposed, so that the inner index counts
 * columns. */
static struct hy_triangle_block factor_block(const struct hy_gemm_problem *problem,
                                             const struct hy_local_product *product) {
  enum hy_part turned = problem->part_b == HY_UPPER_PART ? HY_LOWER_PART : HY_UPPER_PART;
  bool left = problem->part_a != HY_WHOLE;
  return (struct hy_triangle_block){.part = left ? problem->part_a : turned,
                                    .rows = left ? product->rows : product->cols,
                                    .cols = product->inner};
}

static struct hy_triangle_block result_block(const struct hy_gemm_problem *problem,
                                             const struct hy_local_product *product) {
  return (struct hy_triangle_block){problem->part, product->rows, product->cols};
}

static int64_t flops_of(const struct hy_gemm_problem *problem,
                        const struct hy_local_product *product) {
  if (hy_gemm_is_full(problem)) {
    const struct hy_triangle_block c = result_block(problem, product);
    int64_t wanted = product->wanted > 0 ? product->wanted : hy_triangle_block_entries(&c);
    return 2 * wanted * product->inner.count;
  }
  const struct hy_triangle_block factor = factor_block(problem, product);
  bool left = problem->part_a != HY_WHOLE;
  return 2 * (left ? product->cols.count : product->rows.count) *
         hy_triangle_block_entries(&factor);
}

/* Computes a triangle of C alone. */
static void add_triangle(const struct hy_gemm_task *task, const struct hy_local_product *product) {
  struct cut_product x = {result_block(&task->problem, product), task, product};
  struct hy_stair stair = hy_triangle_block_stair(&x.block, &x);
  stair.rectangle = rectangle;
  if (!task->problem.kernels->dry) hy_stair_cut(&stair);
}

void hy_local_product_scale(const struct hy_gemm_task *task,
                            const struct hy_local_product *product) {
  /* The inner size is 0, so these stand-ins for the factors are not read. */
  const struct hy_panel no_a = {product->data, hy_max(1, product->rows.count), HYLA_NONE};
  const struct hy_panel no_b = {product->data, 1, HYLA_NONE};
  struct hy_local_product empty = *product;
  empty.a = &no_a;
  empty.b = &no_b;
  empty.inner = hy_interval(0, 0);
  if (product->beta == 1 || product->rows.count == 0 || product->cols.count == 0) return;
  if (task->problem.part != HY_WHOLE)
    add_triangle(task, &empty);
  else
    gemm(task, &empty, empty.beta, all(&empty.rows), all(&empty.cols), all(&empty.inner));
}

void hy_local_product_run(const struct hy_gemm_task *task, const struct hy_local_product *product) {
  const struct hy_gemm_problem *problem = &task->problem;
  const struct hy_kernels *k = problem->kernels;
  if (product->rows.count == 0 || product->cols.count == 0) return;
  if (problem->part != HY_WHOLE) {
    add_triangle(task, product);
  } else if (hy_gemm_is_full(problem)) {
    gemm(task, product, product->beta, all(&product->rows), all(&product->cols),
         all(&product->inner));
  } else if (!k->dry) { /* skips the zeros of the triangular factor */
    struct cut_product x = {factor_block(problem, product), task, product};
    struct hy_stair stair = hy_triangle_block_stair(&x.block, &x);
    stair.tile = TILE;
    stair.rectangle = rectangle;
    hy_local_product_scale(task, product);
    hy_stair_cut(&stair);
  }
  hy_compute(problem->cube, flops_of(problem, product), k->size, k->complex_type);
}
