/* A node's work on its block of A in matrix-vector operations.
 *
 * If A is symmetric or Hermitian, the block's entries in the stored triangle are used twice: as
 * they stand, for the node's rows of y, and transposed, for those of its columns.  BLAS does both
 * if the node has the same rows as columns.  Otherwise the entries off the diagonal are cut along
 * the stair into rectangles, and those on the diagonal are taken one by one. */
#include "gemm/gemv.h"
#include "gemm/triangle_block.h"

#include <complex.h>

struct block {
  struct hy_triangle_block stored; /* first: the part of the block in the stored triangle */
  const struct hy_gemv_task *task;
  char *const *data;
};

static void count(const struct hy_gemv_task *task, int64_t flops, int64_t entries) {
  const struct hy_kernels *k = task->problem.kernels;
  const hyla_matrix *a = task->a;
  if (entries == 0) return;
  hy_count_touched(task->problem.cube, entries + a->local_rows + a->local_cols);
  hy_compute(task->problem.cube, flops, k->size, k->complex_type);
}

static void multiply(const struct hy_gemv_task *task, char *const data[]) {
  const hyla_matrix *a = task->a;
  int64_t entries = a->local_rows * a->local_cols;
  a->k->gemv(task->problem.op, (int)a->local_rows, (int)a->local_cols, task->alpha, a->local,
             (int)a->ld, data[HY_GEMV_X], data[HY_GEMV_Y]);
  count(task, 2 * entries, entries);
}

static void update(const struct hy_gemv_task *task, char *const data[]) {
  const hyla_matrix *a = task->a;
  bool conjugate = task->problem.op == HYLA_CONJUGATE;
  int64_t entries = a->local_rows * a->local_cols;
  (conjugate ? a->k->gerc : a->k->ger)((int)a->local_rows, (int)a->local_cols, task->alpha,
                                       data[HY_GEMV_X], 1, data[HY_GEMV_Y], 1, a->local,
                                       (int)a->ld);
  count(task, 2 * entries, entries);
}

/* The edge of the entries off the diagonal: the first row of a column in a lower triangle, the
 * first row after it in an upper one. */
static int64_t edge(const void *arg, int64_t col) {
  const struct block *b = arg;
  return hy_indices_below(&b->stored.rows,
                          hy_indices_at(&b->stored.cols, col) + (b->stored.part == HY_LOWER_PART));
}

static void rectangle(void *arg, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  const struct block *b = arg;
  const struct hy_gemv_task *task = b->task;
  const hyla_matrix *a = task->a;
  size_t size = a->k->size, at_row = (size_t)row * size, at_col = (size_t)col * size;
  bool hermitian = task->problem.shape.form == HY_HERMITIAN;
  a->k->gemv(HYLA_NONE, (int)rows, (int)cols, task->alpha, hy_at(a, row, col), (int)a->ld,
             b->data[HY_GEMV_X] + at_col, b->data[HY_GEMV_Y] + at_row);
  a->k->gemv(hermitian ? HYLA_CONJUGATE : HYLA_TRANSPOSE, (int)rows, (int)cols, task->alpha,
             hy_at(a, row, col), (int)a->ld, b->data[HY_GEMV_X_TURNED] + at_row,
             b->data[HY_GEMV_Y_TURNED] + at_col);
}

/* Adds the block's entries on the diagonal; returns their number. */
static int64_t diagonal(const struct block *b) {
  const struct hy_indices *rows = &b->stored.rows, *cols = &b->stored.cols;
  const struct hy_gemv_task *task = b->task;
  const struct hy_kernels *k = task->a->k;
  int64_t found = 0;
  for (int64_t col = 0; col < cols->count; col++) {
    int64_t index = hy_indices_at(cols, col), row = hy_indices_below(rows, index);
    if (row == rows->count || hy_indices_at(rows, row) != index) continue;
    found++;
    if (k->dry) continue;
    double _Complex entry = k->get(hy_at(task->a, row, col), 0);
    if (task->problem.shape.form == HY_HERMITIAN) entry = creal(entry);
    char *sum = b->data[HY_GEMV_Y] + (size_t)row * k->size;
    k->set(sum, 0, k->get(sum, 0) + task->alpha * entry * k->get(b->data[HY_GEMV_X], col));
  }
  return found;
}

/* Are the node's row indices the same as its column indices? */
static bool is_square(const struct hy_operand *a, int node) {
  const struct hy_axis *row = &a->row, *col = &a->col;
  return row->parts == col->parts && row->first == col->first &&
         (row->parts == 1 ||
          (row->block == col->block && hy_part_of(row, node) == hy_part_of(col, node)));
}

static void multiply_triangle(const struct hy_gemv_task *task, char *const data[]) {
  const struct hy_gemv_problem *problem = &task->problem;
  const hyla_matrix *a = task->a;
  int node = problem->cube->address;
  bool lower = problem->shape.triangle == HYLA_LOWER;
  bool blas =
      is_square(&problem->a, node) && (problem->shape.form == HY_HERMITIAN || !a->k->complex_type);
  struct block b = {{lower ? HY_LOWER_PART : HY_UPPER_PART, hy_indices_of(&problem->a.row, node),
                     hy_indices_of(&problem->a.col, node)},
                    task,
                    data};
  struct hy_stair stair = hy_triangle_block_stair(&b.stored, &b);
  stair.edge = edge;
  stair.rectangle = rectangle;
  if (blas)
    a->k->hemv(problem->shape.triangle, (int)a->local_rows, task->alpha, a->local, (int)a->ld,
               data[HY_GEMV_X], data[HY_GEMV_Y]);
  else if (!a->k->dry)
    hy_stair_cut(&stair);
  int64_t on = blas ? a->local_rows : diagonal(&b);
  int64_t entries = hy_triangle_block_entries(&b.stored);
  count(task, 4 * entries - 2 * on, entries);
}

void hy_gemv_local(const struct hy_gemv_task *task, char *const data[HY_GEMV_ENDS]) {
  if (task->problem.update)
    update(task, data);
  else if (task->problem.shape.form == HY_GENERAL)
    multiply(task, data);
  else
    multiply_triangle(task, data);
}
